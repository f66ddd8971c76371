/* Tables of coordinates against the evaluator: a formula that is the automaton's has a table that is closed, starts
   where it should and says what the evaluator says at every position of random words; one that is not has a shortest
   counterexample, the same that comparing the automata finds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "decide/coordinates.h"
#include "decide/formula_dfa.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "random_formula.h"
#include "rewrite.h"

static const decide_limits limits = {.states = 4000, .work = 1 << 22};

static const char *label(const temper_spec *s, arena *a) {
    text t;
    text_init(&t, a);
    formula_label(&t, &s->graph, &s->letters, s->root, 0);
    return text_string(&t);
}

/* Words run through the table, the automaton and the evaluator. */
static void run_table(const coordinates_answer *r, const temper_spec *s, const dfa *d, bool mirrored, test_random *q,
                      arena *a, arena *scratch) {
    const coordinate_table *t = &r->table;
    const char *name = label(s, a);
    uint32_t word[24];
    unsigned char truth[24];
    for (size_t trial = 0; trial < 20; trial++) {
        size_t n = 1 + random_below(q, 24);
        random_word(word, n, (unsigned)s->letters.count, q);
        arena_reset(scratch);
        formula_eval(truth, &s->graph, s->root, word, n, scratch);
        uint32_t pair = 0, state = d->start;
        for (size_t k = 0; k < n; k++) {
            size_t i = mirrored ? n - 1 - k : k;
            uint32_t c = t->class_of[word[i]];
            CHECK(t->states[pair] == state, "%s: the state of pair %u", name, pair);
            CHECK(t->holds[(size_t)pair * t->class_count + c] == truth[i], "%s: pair %u", name, pair);
            pair = t->next[(size_t)pair * t->class_count + c];
            state = dfa_next(d, state, d->class_of[word[i]]);
            CHECK(d->accepts[state] == truth[i], "%s: the automaton", name);
            if (!CHECK(pair < t->pair_count, "%s: the table is not closed", name)) return;
        }
    }
}

/* Pairs differ from each other, and every node of a coordinate looks back (mirrored: forward). */
static void check_table(const coordinates_answer *r, const temper_spec *s, bool mirrored, arena *a) {
    const coordinate_table *t = &r->table;
    const char *name = label(s, a);
    for (uint32_t k = 0; k < t->coordinate_count; k++) {
        char d = operator_direction(formula_at(&s->graph, t->nodes[k])->op);
        CHECK(d == (mirrored ? 'f' : 'b') || d == 'n', "%s: coordinate %u", name, k);
    }
    for (uint32_t p = 0; p < t->pair_count && p < 50; p++)
        for (uint32_t q = 0; q < p; q++)
            CHECK(t->states[p] != t->states[q] ||
                      (t->coordinate_count &&
                       memcmp(t->values + (size_t)p * t->coordinate_count,
                              t->values + (size_t)q * t->coordinate_count, t->coordinate_count * sizeof *t->values)),
                  "%s: pairs %u and %u are the same", name, q, p);
}

typedef struct decide_call {
    arena *a;
    const temper_spec *x, *y; /* the automaton of x, the formula y */
    bool mirrored;
    dfa *of_x, *of_y;
    coordinates_answer answer;
} decide_call;

/* The automaton of the reversed words: its states are sets of states from which what was read so far, reversed, is
   accepted. NULL: too large for this test. */
static dfa *reversed(arena *a, const dfa *d) {
    uint64_t *sets = NULL;
    size_t count = 0, capacity = 0, next_count = 0, next_capacity = 0;
    uint32_t *next = NULL;
    uint64_t first = 0;
    if (d->state_count > 64) return NULL;
    for (uint32_t s = 0; s < d->state_count; s++) first |= (uint64_t)d->accepts[s] << s;
    array_push(a, sets, count, capacity, first);
    for (size_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint64_t set = 0;
            for (uint32_t s = 0; s < d->state_count; s++) set |= (sets[k] >> dfa_next(d, s, c) & 1) << s;
            size_t to = 0;
            while (to < count && sets[to] != set) to++;
            if (to == count) array_push(a, sets, count, capacity, set);
            array_push(a, next, next_count, next_capacity, (uint32_t)to);
            if (count > 500) return NULL;
        }
    dfa *made = dfa_new(a, (uint32_t)count, d->class_count, d->letter_count);
    memcpy(made->next, next, next_count * sizeof *next);
    memcpy(made->class_of, d->class_of, d->letter_count * sizeof *d->class_of);
    for (size_t k = 0; k < count; k++) made->accepts[k] = sets[k] >> d->start & 1;
    return dfa_minimise(a, made);
}

static void decide(void *context) {
    decide_call *c = context;
    c->of_x = spec_dfa(c->a, c->x, &limits);
    c->of_y = spec_dfa(c->a, c->y, &limits);
    if (c->mirrored) {
        c->of_x = reversed(c->a, c->of_x);
        c->of_y = reversed(c->a, c->of_y);
        if (!c->of_x || !c->of_y) trap_raise(c->a->trap, TEMPER_LIMIT, 0, 0, "too large for this test");
    }
    coordinates_decide(&c->answer, c->a, &c->y->graph, c->y->root, &c->y->letters, c->of_x, c->mirrored, &limits);
}

static void check_pair(const temper_spec *x, const temper_spec *y, bool mirrored, size_t counts[3], test_random *r,
                       arena *a, arena *scratch) {
    decide_call call = {.a = a, .x = x, .y = y, .mirrored = mirrored};
    trap t, *held = a->trap;
    a->trap = &t;
    bool done = trap_attempt(&t, NULL, decide, &call);
    a->trap = held;
    if (!done) {
        counts[2]++;
        CHECK(t.error.code == TEMPER_UNSUPPORTED || t.error.code == TEMPER_LIMIT, "%s", t.error.text);
        return;
    }
    const coordinates_answer *c = &call.answer;
    uint32_t *word;
    size_t n;
    /* the empty word has no position: both automata reject it */
    bool same = dfa_same_language(&word, &n, call.of_x, call.of_y, a);
    counts[same]++;
    CHECK(c->same == same, "%s\nand %s\n are %s", label(x, a), label(y, a), same ? "the same" : "not the same");
    if (same && c->same) {
        check_table(c, y, mirrored, a);
        run_table(c, y, call.of_x, mirrored, r, a, scratch);
    } else if (!same && !c->same) {
        bool equal = c->n == n;
        for (size_t k = 0; equal && k < n; k++) equal = c->word[mirrored ? n - 1 - k : k] == word[k];
        CHECK(equal, "%s\nand %s\n differ on another word", label(x, a), label(y, a));
        CHECK(dfa_accepts(call.of_y, word, n) == c->formula_holds, "%s: what it says", label(y, a));
    }
}

static void check_random(size_t counts[3], test_random *r, arena *a, arena *scratch) {
    bool mirrored = random_below(r, 2);
    random_shape shape = {.letters = 1 + (unsigned)random_below(r, 3),
                          .size = 2 + random_below(r, 14),
                          .depth = 2 + random_below(r, 5),
                          .past = !mirrored,
                          .future = mirrored,
                          .counting = random_below(r, 4) == 0,
                          .modulo = random_below(r, 3) == 0};
    const temper_at at = mirrored ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    temper_spec *x = random_spec(r, &shape, at);
    temper_spec *y = make_spec(a->trap, shape.letters, at);
    x->accepts_empty = false;
    node_id change = random_below(r, 2) ? 1 + (node_id)random_below(r, x->root) : 0;
    finish_spec(y, rewrite(&y->graph, &x->graph, x->root, change, shape.letters, r));
    y->accepts_empty = false;
    check_pair(x, y, mirrored, counts, r, a, scratch);
    temper_spec_free(x);
    temper_spec_free(y);
    arena_reset(a);
}

int main(void) {
    test_random r = test_seed(9);
    arena a, scratch;
    trap t;
    size_t counts[3] = {0}; /* not the same, the same, refused */
    arena_init(&a, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, NULL)) abort();
    for (unsigned trial = 0; trial < 1500 * test_effort(); trial++) check_random(counts, &r, &a, &scratch);
    if (getenv("TEMPER_TEST_VERBOSE"))
        printf("%zu differ, %zu are the same, %zu refused\n", counts[0], counts[1], counts[2]);
    double least = 20 * test_effort() - 1; /* of each, or the generator makes one kind only */
    CHECK((double)counts[0] > least && (double)counts[1] > least, "%zu differ, %zu are the same", counts[0],
          counts[1]);
    arena_free(&a);
    arena_free(&scratch);
    trap_clear(&t);
    return test_finish("t-coordinates");
}

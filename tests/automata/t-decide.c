/* Automata of formulas against the evaluator, on all short words and on random longer ones; what has no finite
   automaton, or too large a one, is refused by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "decide/formula_dfa.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "random_formula.h"

static const char *label(const temper_spec *s, arena *a) {
    text t;
    text_init(&t, a);
    formula_label(&t, &s->graph, &s->letters, s->root, 0);
    return text_string(&t);
}

static bool holds(const temper_spec *s, const uint32_t *word, size_t n, arena *a) {
    if (!n) return s->accepts_empty;
    unsigned char *truth = arena_alloc(a, n, 1);
    formula_eval(truth, &s->graph, s->root, word, n, a);
    return truth[s->at == TEMPER_AT_FIRST ? 0 : n - 1];
}

/* Compares on every word of up to `longest` letters, and on some longer ones. */
static void check_words(const temper_spec *s, const dfa *d, size_t longest, test_random *r, arena *a) {
    uint32_t word[40] = {0};
    unsigned letters = (unsigned)s->letters.count;
    arena scratch;
    arena_init(&scratch, a->trap);
    for (size_t n = 0; n <= longest; n++) {
        uint64_t words = 1;
        for (size_t k = 0; k < n; k++) words *= letters;
        for (uint64_t w = 0; w < words; w++) {
            uint64_t rest = w;
            for (size_t k = n; k-- > 0; rest /= letters) word[k] = (uint32_t)(rest % letters);
            CHECK(dfa_accepts(d, word, n) == holds(s, word, n, &scratch), "%s (at %s): word %llu of %zu letters",
                  label(s, a), s->at == TEMPER_AT_FIRST ? "first" : "last", (unsigned long long)w, n);
            arena_reset(&scratch);
        }
    }
    for (size_t k = 0; k < 30; k++) {
        size_t n = 1 + random_below(r, 40);
        random_word(word, n, letters, r);
        CHECK(dfa_accepts(d, word, n) == holds(s, word, n, &scratch), "%s: a word of %zu letters", label(s, a), n);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
}

typedef struct attempt_call {
    arena *a;
    const temper_spec *s;
    const decide_limits *limits;
    dfa *made;
} attempt_call;

static void attempt(void *context) {
    attempt_call *c = context;
    c->made = spec_dfa(c->a, c->s, c->limits);
}

/* The automaton, or NULL and the error in t. */
static dfa *try_dfa(arena *a, trap *t, const temper_spec *s, const decide_limits *limits) {
    attempt_call call = {.a = a, .s = s, .limits = limits};
    trap *held = a->trap;
    a->trap = t;
    bool made = trap_attempt(t, NULL, attempt, &call);
    a->trap = held;
    return made ? call.made : NULL;
}

static void check_random(test_random *r, arena *a) {
    size_t refused = 0, made = 0, states = 0;
    for (unsigned trial = 0; trial < 2000 * test_effort(); trial++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(r, 3),
                              .size = 1 + random_below(r, 14),
                              .depth = 2 + random_below(r, 5),
                              .past = random_below(r, 4) != 0,
                              .future = random_below(r, 4) != 0,
                              .counting = random_below(r, 3) == 0,
                              .modulo = random_below(r, 3) == 0,
                              .attend = random_below(r, 6) == 0,
                              .mixed_attend = random_below(r, 4) == 0,
                              .large = random_below(r, 8) == 0};
        temper_spec *s = random_spec(r, &shape, random_below(r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        s->accepts_empty = random_below(r, 2);
        trap t;
        decide_limits limits = {.states = 2000, .work = 1 << 22};
        dfa *d = try_dfa(a, &t, s, &limits);
        if (d) {
            made++;
            states += d->state_count;
            CHECK(dfa_equal(d, dfa_minimise(a, d)), "%s: not minimal", label(s, a));
            check_words(s, d, shape.letters == 1 ? 12 : shape.letters == 2 ? 7 : 5, r, a);
        } else {
            refused++;
            CHECK(t.error.code == TEMPER_UNSUPPORTED || t.error.code == TEMPER_LIMIT, "%s: %s", label(s, a),
                  t.error.text);
        }
        temper_spec_free(s);
        arena_reset(a);
    }
    if (getenv("TEMPER_TEST_VERBOSE")) printf("%zu made, %zu refused, %zu states\n", made, refused, states);
    CHECK(made > 2 * refused, "%zu made, %zu refused", made, refused);
}

int main(void) {
    test_random r = test_seed(5);
    arena a;
    trap t;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    check_random(&r, &a);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-decide");
}

/* Operands of & and ~ that have look-around. They become deterministic over letters and the truth of their tests
   before each letter and at the end, and go on as parts that test. */
#include <string.h>

#include "audit/audit_guesses.h"
#include "base/work.h"

enum { MOST_TESTS = 10 };

/* Deterministic: from each state by each combination of tests and each class. */
typedef struct tested {
    uint32_t *looks; /* [count] that it tests */
    size_t count, capacity;
    size_t states;
    uint32_t *next;         /* [states][1 << count][classes] */
    unsigned char *accepts; /* [states][1 << count] */
} tested;

bool guesses_has_tests(const guesses *g, run x) {
    for (uint32_t k = x.low; k < g->count && g->look_count; k++)
        for (uint32_t e = g->first[k]; e; e = g->edges[e - 1].next)
            if (guesses_is_test(g->edges[e - 1].label)) return true;
    return false;
}

static void list_tests(tested *d, const guesses *x, arena *a) {
    for (size_t e = 0; e < x->edge_count; e++) {
        uint32_t label = x->edges[e].label, look = (label - TEST_LABEL) / 2;
        size_t k = 0;
        if (!guesses_is_test(label)) continue;
        while (k < d->count && d->looks[k] != look) k++;
        if (k == d->count) array_push(a, d->looks, d->count, d->capacity, look);
    }
    if (d->count > MOST_TESTS)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "'&' or '~' of more than %d kinds of look-around is not audited",
                   MOST_TESTS);
}

static void choose(unsigned char *holds, const tested *d, uint32_t choice) {
    for (size_t k = 0; k < d->count; k++) holds[d->looks[k]] = choice >> k & 1;
}

typedef struct sets {
    guesses *g; /* whose work it is */
    uint64_t **all;
    size_t count, capacity;
    table index;
} sets;

static uint32_t set_number(sets *s, const uint64_t *set, size_t words) {
    arena *a = s->g->arena;
    bool fresh;
    const uint32_t *known = table_find(&s->index, set, words * sizeof *set);
    guesses_spend(s->g, words + 16);
    if (known) return *known;
    if (s->count >= work_limit(AUTOMATON_STATES))
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the automaton of a regular expression has more states than are audited");
    uint64_t *kept = arena_alloc(a, words, sizeof *kept);
    memcpy(kept, set, words * sizeof *kept);
    array_push(a, s->all, s->count, s->capacity, kept);
    return *table_put(&s->index, kept, words * sizeof *kept, (uint32_t)(s->count - 1), &fresh);
}

/* fills states, next, accepts; d->looks has all tests of x */
static void determine(tested *d, guesses *g, guesses *x, run part) {
    arena *a = g->arena;
    size_t words = guesses_words(x), next_count = 0, next_capacity = 0, accept_count = 0, accept_capacity = 0;
    uint64_t *set = arena_zalloc(a, words, sizeof *set), *closed = arena_zalloc(a, words, sizeof *closed);
    unsigned char *holds = arena_zalloc(a, g->look_count, sizeof *holds);
    sets s = {.g = g};
    table_init(&s.index, a);
    set[part.in / 64] |= (uint64_t)1 << (part.in % 64);
    set_number(&s, set, words);
    for (size_t k = 0; k < s.count; k++)
        for (uint32_t choice = 0; choice < 1u << d->count; choice++) {
            x->work = g->work;
            choose(holds, d, choice);
            memcpy(closed, s.all[k], words * sizeof *closed);
            guesses_close(x, closed, holds);
            array_push(a, d->accepts, accept_count, accept_capacity, guesses_has(closed, part.out));
            for (uint32_t c = 0; c < g->classes; c++) {
                guesses_step(x, set, closed, c);
                g->work = x->work;
                uint32_t to = set_number(&s, set, words);
                array_push(a, d->next, next_count, next_capacity, to);
                x->work = g->work;
            }
        }
    d->states = s.count;
}

/* A state for each state; from it a tree of tests, whose leaves read a letter or leave. */
static run embed(guesses *g, const tested *d) {
    uint32_t low = (uint32_t)g->count, out = low + (uint32_t)d->states, choices = 1u << d->count;
    while (g->count <= out) guesses_state(g);
    uint32_t *level = arena_alloc(g->arena, choices, sizeof *level);
    for (uint32_t k = 0; k < d->states; k++) {
        level[0] = low + k;
        for (size_t t = 0; t < d->count; t++)
            for (uint32_t j = 1u << t; j-- > 0;) {
                uint32_t from = level[j], yes = guesses_state(g), no = guesses_state(g);
                guesses_edge(g, from, TEST_LABEL + 2 * d->looks[t], yes);
                guesses_edge(g, from, TEST_LABEL + 2 * d->looks[t] + 1, no);
                level[j] = no;
                level[j | 1u << t] = yes;
            }
        for (uint32_t j = 0; j < choices; j++) {
            size_t row = (size_t)k * choices + j;
            for (uint32_t c = 0; c < g->classes; c++)
                guesses_edge(g, level[j], (uint32_t)g->p->set_count + c, low + d->next[row * g->classes + c]);
            if (d->accepts[row]) guesses_edge(g, level[j], NO_LETTER, out);
        }
    }
    return (run){low, low, out};
}

run guesses_tested_not(guesses *g, run x) {
    guesses part;
    tested d = {0};
    guesses_cut(&part, g, &x);
    list_tests(&d, &part, g->arena);
    determine(&d, g, &part, x);
    for (size_t k = 0; k < d.states << d.count; k++) d.accepts[k] = !d.accepts[k];
    return embed(g, &d);
}

run guesses_tested_both(guesses *g, run x, run y) {
    arena *a = g->arena;
    guesses left, right;
    tested l = {0}, r, z;
    guesses_cut(&right, g, &y);
    guesses_cut(&left, g, &x);
    list_tests(&l, &left, a);
    list_tests(&l, &right, a);
    r = z = l;
    determine(&l, g, &left, x);
    determine(&r, g, &right, y);
    sets s = {.g = g};
    table_init(&s.index, a);
    uint64_t pair = 0;
    size_t choices = (size_t)1 << l.count, next_count = 0, next_capacity = 0, accept_count = 0, accept_capacity = 0;
    set_number(&s, &pair, 1);
    for (size_t k = 0; k < s.count; k++)
        for (size_t j = 0; j < choices; j++) {
            size_t first = (size_t)(*s.all[k] >> 32) * choices + j, second = (uint32_t)*s.all[k] * choices + j;
            array_push(a, z.accepts, accept_count, accept_capacity, l.accepts[first] && r.accepts[second]);
            for (uint32_t c = 0; c < g->classes; c++) {
                pair = (uint64_t)l.next[first * g->classes + c] << 32 | r.next[second * g->classes + c];
                uint32_t to = set_number(&s, &pair, 1);
                array_push(a, z.next, next_count, next_capacity, to);
            }
        }
    z.states = s.count;
    return embed(g, &z);
}

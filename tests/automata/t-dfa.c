/* Automata two ways: the minimal one against the table of distinguishable pairs, equality with its least difference
   against all short words, and products against running both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/dfa.h"
#include "automata/partition.h"
#include "test.h"

/* States that nearly agree, unreachable ones, classes that are equal or empty: what minimising must see through. */
static dfa *random_dfa(arena *a, test_random *r, uint32_t letters) {
    uint32_t states = 1 + (uint32_t)random_below(r, 9), classes = 1 + (uint32_t)random_below(r, letters + 1);
    dfa *d = dfa_new(a, states, classes, letters);
    uint32_t range = random_below(r, 3) ? states : 1 + (uint32_t)random_below(r, states);
    d->start = (uint32_t)random_below(r, states);
    for (uint32_t k = 0; k < letters; k++) d->class_of[k] = (uint32_t)random_below(r, classes);
    for (uint32_t s = 0; s < states; s++) {
        d->accepts[s] = random_below(r, 3) == 0;
        for (uint32_t c = 0; c < classes; c++) d->next[s * classes + c] = (uint32_t)random_below(r, range);
        if (s && !random_below(r, 4)) memcpy(d->next + s * classes, d->next, classes * sizeof *d->next);
    }
    return d;
}

/* The same language in other words: states doubled, and numbered backwards. */
static dfa *disguise(arena *a, test_random *r, const dfa *d) {
    uint32_t n = d->state_count;
    dfa *made = dfa_new(a, 2 * n, d->letter_count, d->letter_count);
    made->start = 2 * n - 1 - d->start;
    for (uint32_t k = 0; k < d->letter_count; k++) made->class_of[k] = d->letter_count - 1 - k;
    for (uint32_t s = 0; s < 2 * n; s++) {
        uint32_t old = (2 * n - 1 - s) % n;
        made->accepts[s] = d->accepts[old];
        for (uint32_t k = 0; k < d->letter_count; k++) {
            uint32_t to = dfa_next(d, old, d->class_of[d->letter_count - 1 - k]);
            made->next[s * d->letter_count + k] = 2 * n - 1 - (to + (random_below(r, 2) ? n : 0));
        }
    }
    return made;
}

/* Pairs of reachable states that some word tells apart, by the definition. */
static uint32_t count_classes(const dfa *d) {
    static bool reached[32], apart[32][32];
    uint32_t n = d->state_count, count = 0;
    memset(reached, 0, sizeof reached);
    memset(apart, 0, sizeof apart);
    reached[d->start] = true;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t k = 0; reached[s] && k < d->letter_count; k++)
                reached[dfa_next(d, s, d->class_of[k])] = true;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++) apart[s][t] = d->accepts[s] != d->accepts[t];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t t = 0; t < n; t++)
                for (uint32_t k = 0; !apart[s][t] && k < d->letter_count; k++)
                    if (apart[dfa_next(d, s, d->class_of[k])][dfa_next(d, t, d->class_of[k])])
                        apart[s][t] = more = true;
    }
    for (uint32_t s = 0; s < n; s++) {
        bool known = !reached[s];
        for (uint32_t t = 0; t < s; t++) known |= reached[t] && !apart[s][t];
        count += !known;
    }
    return count;
}

/* The next word of the same length, in order; false after the last. */
static bool next_word(uint32_t *word, size_t n, uint32_t letters) {
    for (size_t k = n; k-- > 0;) {
        if (++word[k] < letters) return true;
        word[k] = 0;
    }
    return false;
}

enum { LONGEST = 7 };

/* The first word up to LONGEST letters that one accepts and the other does not. */
static bool find_difference(uint32_t *word, size_t *n, const dfa *x, const dfa *y) {
    for (*n = 0; *n <= LONGEST; ++*n) {
        memset(word, 0, LONGEST * sizeof *word);
        do {
            if (dfa_accepts(x, word, *n) != dfa_accepts(y, word, *n)) return true;
        } while (next_word(word, *n, x->letter_count));
    }
    return false;
}

static void check_same(unsigned trial, const dfa *x, const dfa *y, arena *a) {
    uint32_t found[LONGEST], *word;
    size_t n, m;
    bool differ = find_difference(found, &n, x, y), same = dfa_same_language(&word, &m, x, y, a);
    if (differ)
        CHECK(!same && m == n && !memcmp(word, found, n * sizeof *word), "trial %u: difference of %zu, found %zu",
              trial, n, m);
    else
        CHECK(same || m > LONGEST, "trial %u: a difference of %zu letters that is none", trial, m);
    if (!same) CHECK(dfa_accepts(x, word, m) != dfa_accepts(y, word, m), "trial %u: no difference", trial);
    CHECK(same == dfa_equal(dfa_minimise(a, x), dfa_minimise(a, y)), "trial %u: minimal automata disagree", trial);
}

static void check_one(unsigned trial, test_random *r, arena *a) {
    uint32_t letters = 1 + (uint32_t)random_below(r, 3);
    const dfa *d = random_dfa(a, r, letters), *m = dfa_minimise(a, d), *other = random_dfa(a, r, letters);
    CHECK(m->state_count == count_classes(d), "trial %u: %u states, %u are apart", trial, m->state_count,
          count_classes(d));
    CHECK(m->start == 0 && dfa_equal(m, dfa_minimise(a, m)), "trial %u: minimising again changes it", trial);
    CHECK(dfa_equal(m, dfa_minimise(a, disguise(a, r, d))), "trial %u: a disguise has another minimal one", trial);
    for (uint32_t c = 0; c < m->class_count; c++)
        for (uint32_t e = 0; e < c; e++) {
            bool equal = true;
            for (uint32_t s = 0; s < m->state_count; s++) equal &= dfa_next(m, s, c) == dfa_next(m, s, e);
            CHECK(!equal, "trial %u: columns %u and %u are equal", trial, e, c);
        }
    check_same(trial, d, m, a);
    check_same(trial, d, disguise(a, r, d), a);
    check_same(trial, d, other, a);
    dfa *near = disguise(a, r, d);
    near->accepts[random_below(r, near->state_count)] ^= 1;
    check_same(trial, d, near, a);
}

/* A chain of n states that one word of n letters tells from a circle: refinement must take n rounds, and does so in
   time near n. */
static void check_long(arena *a) {
    enum { N = 20000 };
    dfa *d = dfa_new(a, N, 1, 1);
    d->class_of[0] = 0;
    for (uint32_t s = 0; s < N; s++) d->next[s] = (s + 1) % N;
    d->accepts[N - 1] = 1;
    CHECK(dfa_minimise(a, d)->state_count == N, "a counter of %d states", N);
    d->accepts[N / 2 - 1] = 1;
    CHECK(dfa_minimise(a, d)->state_count == N / 2, "a counter of %d states", N / 2);
}

int main(void) {
    test_random r = test_seed(11);
    arena a;
    trap t;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    for (unsigned trial = 0; trial < 3000 * test_effort(); trial++) {
        check_one(trial, &r, &a);
        arena_reset(&a);
    }
    check_long(&a);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-dfa");
}

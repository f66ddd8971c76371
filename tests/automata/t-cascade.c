/* Cascades of random automata against the automata themselves, at every prefix (or suffix): all short strings and
   long random ones. Whether a cascade has groups, against the transition monoid, element by element. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/dfa_reverse.h"
#include "compile/regular_choose.h"
#include "logic/formula_eval.h"
#include "test.h"

enum { STATES = 8, LETTERS = 4, LONG = 60, SETS = 2 };

typedef struct sample {
    dfa d;
    uint32_t next[STATES * LETTERS], class_of[LETTERS];
    unsigned char accepts[STATES], others[STATES];
    const unsigned char *holds[SETS];
} sample;

static void shuffle(uint32_t *p, uint32_t n, test_random *r) {
    for (uint32_t k = 0; k < n; k++) p[k] = k;
    for (uint32_t k = n; k > 1; k--) {
        uint32_t j = (uint32_t)random_below(r, k), x = p[j];
        p[j] = p[k - 1];
        p[k - 1] = x;
    }
}

/* Letters of one kind each: any map, a permutation of the first few states, a reset, a map that only goes up, a map
   that is the identity but for one state; sometimes with a state that nothing leaves, and partial letters. */
static void random_sample(sample *s, test_random *r) {
    uint32_t n = 2 + (uint32_t)random_below(r, STATES - 1), letters = 1 + (uint32_t)random_below(r, LETTERS - 1);
    uint32_t style = (uint32_t)random_below(r, 6), mixed = (uint32_t)random_below(r, 2), perm[STATES];
    for (uint32_t a = 0; a < letters; a++) {
        uint32_t kind = mixed ? (uint32_t)random_below(r, 6) : style;
        uint32_t block = 2 + (uint32_t)random_below(r, n < 4 ? n - 1 : 3), target = (uint32_t)random_below(r, n);
        shuffle(perm, block, r);
        for (uint32_t q = 0; q < n; q++) {
            uint32_t any = (uint32_t)random_below(r, n), to = any;
            if (kind == 1) to = q < block ? perm[q] : random_below(r, 3) ? q : any % block;
            if (kind == 2) to = target;
            if (kind == 3) to = q + (uint32_t)random_below(r, n - q);
            if (kind == 4) to = q == target ? any : q;
            if (kind == 5) to = q + 1 < n ? q + 1 : (uint32_t)random_below(r, 2) * q;
            s->next[q * letters + a] = to;
        }
    }
    for (uint32_t q = 0; q < n; q++) s->accepts[q] = (unsigned char)random_below(r, 2);
    uint32_t sinks = (uint32_t)random_below(r, 4);
    for (uint32_t k = 0; k < sinks && k < 2 && k + 1 < n; k++) {
        for (uint32_t a = 0; a < letters; a++) {
            s->next[(n - 1 - k) * letters + a] = n - 1 - k;
            if (random_below(r, 2)) s->next[random_below(r, n - 1 - k) * letters + a] = n - 1 - k;
        }
        s->accepts[n - 1 - k] = k != (sinks == 3);
    }
    for (uint32_t l = 0; l < LETTERS; l++) s->class_of[l] = l % letters;
    s->d = (dfa){.state_count = n,
                 .class_count = letters,
                 .letter_count = letters + (uint32_t)random_below(r, LETTERS - letters + 1),
                 .start = (uint32_t)random_below(r, n),
                 .next = s->next,
                 .accepts = s->accepts,
                 .class_of = s->class_of};
}

/* The powers of every element of the monoid of live states end in one element iff the cascade has no groups. */
static bool is_aperiodic(const dfa *d, bool *known, arena *a) {
    uint32_t n = d->state_count, dead, win;
    table seen;
    unsigned char **list = NULL;
    size_t count = 0, capacity = 0;
    bool fresh;
    const unsigned char *accepts = d->accepts;
    dfa_sinks(&dead, &win, d, (state_sets){&accepts, 1});
    table_init(&seen, a);
    for (size_t done = 0; done <= count; done++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            unsigned char *x = arena_alloc(a, n, 1);
            for (uint32_t q = 0; q < n; q++) x[q] = (unsigned char)dfa_next(d, done ? list[done - 1][q] : q, c);
            table_put(&seen, x, n, 0, &fresh);
            if (fresh) array_push(a, list, count, capacity, x);
            if (count > 20000) return *known = false;
        }
    *known = true;
    for (size_t k = 0; k < count; k++) {
        unsigned char power[STATES], next[STATES];
        memcpy(power, list[k], n);
        for (uint32_t turn = 0; turn < 2 * STATES; turn++) {
            for (uint32_t q = 0; q < n; q++) next[q] = list[k][power[q]];
            memcpy(power, next, n);
        }
        for (uint32_t q = 0; q < n; q++)
            if (list[k][power[q]] != power[q]) return false;
    }
    return true;
}

static void show(char *out, size_t size, const dfa *d, const uint32_t *w, size_t n) {
    size_t used = 0;
    for (uint32_t q = 0; q < d->state_count; q++) {
        for (uint32_t c = 0; c < d->class_count; c++)
            used += (size_t)snprintf(out + used, size - used, "%u", dfa_next(d, q, c));
        used += (size_t)snprintf(out + used, size - used, "%s ", d->accepts[q] ? "!" : "");
    }
    used += (size_t)snprintf(out + used, size - used, "from %u, '", d->start);
    for (size_t i = 0; i < n; i++) used += (size_t)snprintf(out + used, size - used, "%c", 'a' + (char)w[i]);
    snprintf(out + used, size - used, "'");
}

/* What is asked of the states: the second set is like the first one where nothing leaves a state, or is not. */
static state_sets sets_of(sample *s, test_random *r) {
    bool mixed = !random_below(r, 4);
    for (uint32_t q = 0; q < s->d.state_count; q++) {
        bool stays = true;
        for (uint32_t c = 0; c < s->d.class_count; c++) stays = stays && dfa_next(&s->d, q, c) == q;
        s->others[q] = stays && !mixed ? s->accepts[q] : (unsigned char)random_below(r, 2);
    }
    s->holds[0] = s->accepts;
    s->holds[1] = s->others;
    return (state_sets){s->holds, SETS};
}

static bool compare(const sample *s, const formula *f, node_id root, const unsigned char *set, bool future,
                    const uint32_t *w, size_t n, arena *a) {
    unsigned char truth[LONG];
    uint32_t state = s->d.start;
    char shown[400];
    formula_eval(truth, f, root, w, n, a);
    for (size_t i = 0; i < n; i++) {
        size_t at = future ? n - 1 - i : i;
        state = dfa_next(&s->d, state, s->d.class_of[w[at]]);
        if (truth[at] == set[state]) continue;
        show(shown, sizeof shown, &s->d, w, n);
        return CHECK(false, "%s: position %zu, %s", shown, at + 1, future ? "backwards" : "forwards");
    }
    return true;
}

static void compare_strings(const sample *s, const formula *f, node_id root, const unsigned char *set, bool future,
                            test_random *r, arena *a) {
    uint32_t w[LONG], letters = s->d.letter_count;
    size_t n = letters < 3 ? 8 : letters < 4 ? 6 : 5, total = 1;
    bool same = true;
    for (size_t k = 0; k < n; k++) total *= letters;
    for (size_t k = 0; k < total && same; k++) {
        size_t rest = k;
        for (size_t i = 0; i < n; i++, rest /= letters) w[i] = (uint32_t)(rest % letters);
        arena_reset(a);
        same = compare(s, f, root, set, future, w, n, a);
    }
    for (size_t k = 0; k < 20 && same; k++) {
        size_t length = 1 + (size_t)random_below(r, LONG);
        for (size_t i = 0; i < length; i++) {
            uint32_t any = (uint32_t)random_below(r, letters), repeat = (uint32_t)random_below(r, 4);
            w[i] = i >= 3 && repeat == 0 ? w[i - 3] : i >= 2 && repeat == 1 ? w[i - 2] : any;
        }
        arena_reset(a);
        same = compare(s, f, root, set, future, w, length, a);
    }
    CHECK(same, "see above");
}

static void compare_sets(const sample *s, const formula *f, const node_id *roots, bool future, test_random *r,
                         arena *a) {
    for (size_t k = 0; k < SETS; k++) compare_strings(s, f, roots[k], s->holds[k], future, r, a);
}

/* Automata that the two special routes are for: letters that count, stay or kill; chains of states with loops. */
static void special_sample(sample *s, test_random *r) {
    uint32_t n = 2 + (uint32_t)random_below(r, STATES - 1), letters = 1 + (uint32_t)random_below(r, LETTERS - 1);
    bool counts = random_below(r, 2), sink = random_below(r, 2);
    uint32_t back = (uint32_t)random_below(r, n);
    for (uint32_t a = 0; a < letters; a++) {
        uint32_t kind = a ? (uint32_t)random_below(r, 3) : 0;
        for (uint32_t q = 0; q < n; q++) {
            uint32_t next = q + 1 < n ? q + 1 : sink ? q : back;
            if (counts)
                s->next[q * letters + a] = q == n - 1 && sink ? q : kind == 0 ? next : kind == 1 || !sink ? q : n - 1;
            else
                s->next[q * letters + a] = q == n - 1 ? q : q + (uint32_t)random_below(r, 3) % (n - q);
        }
    }
    for (uint32_t q = 0; q < n; q++) s->accepts[q] = (unsigned char)random_below(r, 2);
    for (uint32_t l = 0; l < LETTERS; l++) s->class_of[l] = l % letters;
    s->d = (dfa){.state_count = n,
                 .class_count = letters,
                 .letter_count = letters,
                 .start = 0,
                 .next = s->next,
                 .accepts = s->accepts,
                 .class_of = s->class_of};
}

/* Automata of components one behind the other: a letter leads to a state of the same component or of the next ones,
   sometimes into the middle of one, and the last state keeps all letters. */
static void block_sample(sample *s, test_random *r) {
    uint32_t n = 4 + (uint32_t)random_below(r, STATES - 3), letters = 2 + (uint32_t)random_below(r, LETTERS - 2);
    uint32_t block[STATES], blocks = 0;
    for (uint32_t q = 0; q < n; q++) block[q] = blocks += q > 0 && (q == n - 1 || random_below(r, 2));
    for (uint32_t q = 0; q < n; q++)
        for (uint32_t a = 0; a < letters; a++) {
            uint32_t to = (uint32_t)random_below(r, n);
            while (block[to] < block[q]) to = (uint32_t)random_below(r, n);
            if (random_below(r, 3) && q + 1 < n && a == 0) to = q + 1;
            s->next[q * letters + a] = to;
        }
    for (uint32_t q = 0; q < n; q++) s->accepts[q] = (unsigned char)random_below(r, 2);
    for (uint32_t l = 0; l < LETTERS; l++) s->class_of[l] = l % letters;
    s->d = (dfa){.state_count = n,
                 .class_count = letters,
                 .letter_count = letters,
                 .start = 0,
                 .next = s->next,
                 .accepts = s->accepts,
                 .class_of = s->class_of};
}

static void check_special(size_t rounds, test_random *r, arena *memory, arena *work) {
    size_t applied[4] = {0}, blocks = 0;
    for (size_t k = 0; k < rounds; k++) {
        sample s;
        bool in_blocks = random_below(r, 3) == 0;
        if (in_blocks)
            block_sample(&s, r);
        else
            special_sample(&s, r);
        for (int route = ROUTE_ORDERED; route <= ROUTE_WORDS; route++)
            for (int future = 0; future < 2; future++) {
                formula f;
                cascade_report report;
                arena_reset(memory);
                formula_init(&f, memory);
                node_id roots[SETS];
                automaton_route which = (automaton_route)route;
                cascade_options o = {
                    .future = future,
                    .words = {.steps = (uint32_t)random_below(r, 5), .places = (uint32_t)random_below(r, 4)},
                    .chains = {.split = random_below(r, 2), .prefer_keep = random_below(r, 2)}};
                if (!regular_make(roots, &f, &s.d, sets_of(&s, r), which, o, &report, memory)) continue;
                applied[route]++;
                blocks += in_blocks && which == ROUTE_WORDS;
                compare_sets(&s, &f, roots, future, r, work);
            }
    }
    CHECK(rounds < 100 || (applied[ROUTE_ORDERED] > 60 && applied[ROUTE_COUNTS] > 60 && applied[ROUTE_WORDS] > 100 &&
                           blocks > 30),
          "routes applied %zu, %zu and %zu, %zu with blocks", applied[ROUTE_ORDERED], applied[ROUTE_COUNTS],
          applied[ROUTE_WORDS], blocks);
}

/* What is chosen, and where it reads backwards the answer for whole strings at the first position. */
static void check_choice(size_t rounds, test_random *r, arena *memory, arena *work) {
    size_t reversed = 0;
    for (size_t k = 0; k < rounds; k++) {
        sample s;
        if (k % 2)
            random_sample(&s, r);
        else
            special_sample(&s, r);
        formula f;
        regular_choice choice;
        arena_reset(memory);
        arena_reset(work);
        const dfa *back = dfa_reverse(memory, &s.d, 64, work);
        formula_init(&f, memory);
        node_id root;
        const unsigned char *accepts = s.d.accepts;
        if (!regular_choose(&root, &f, &s.d, (state_sets){&accepts, 1}, back, (cascade_options){0}, &choice, memory,
                            work))
            continue;
        formula_size again = formulas_measure(&f, &root, 1, s.d.letter_count, work);
        CHECK(again.layers == choice.size.layers && again.heads == choice.size.heads, "%u layers, then %u",
              choice.size.layers, again.layers);
        if (!choice.reverse) {
            compare_strings(&s, &f, root, s.accepts, false, r, work);
            continue;
        }
        reversed++;
        for (size_t turn = 0; turn < 300; turn++) {
            uint32_t w[LONG];
            unsigned char truth[LONG];
            size_t n = 1 + (size_t)random_below(r, turn < 200 ? 8 : LONG);
            char shown[400];
            for (size_t i = 0; i < n; i++) w[i] = (uint32_t)random_below(r, s.d.letter_count);
            arena_reset(work);
            formula_eval(truth, &f, root, w, n, work);
            show(shown, sizeof shown, &s.d, w, n);
            if (!CHECK(truth[0] == dfa_accepts(&s.d, w, n), "%s: reversed, %d", shown, truth[0])) break;
        }
    }
    CHECK(rounds < 100 || reversed > 10, "only %zu of %zu choices read backwards", reversed, rounds);
}

int main(void) {
    test_random r = test_seed(14);
    trap t;
    temper_error error;
    arena memory, work;
    size_t compiled = 0, refused = 0, groups = 0, periodic = 0;
    if (trap_set(&t, &error)) {
        CHECK(false, "%s", error.text);
        return test_finish("t-cascade");
    }
    arena_init(&memory, &t);
    arena_init(&work, &t);
    size_t rounds = (size_t)(250 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        sample s;
        random_sample(&s, &r);
        for (int variant = 0; variant < 4; variant++) {
            formula f;
            cascade_report report;
            cascade_options o = {.future = variant == 3,
                                 .chains = {.split = variant == 1, .prefer_keep = variant == 2}};
            arena_reset(&memory);
            formula_init(&f, &memory);
            node_id roots[SETS];
            bool made = cascade_from_dfa(roots, &f, &s.d, sets_of(&s, &r), o, &report, &memory);
            char shown[400];
            show(shown, sizeof shown, &s.d, NULL, 0);
            CHECK(made == (report.refusal == NULL), "%s: refusal %s", shown, report.refusal);
            if (!made) {
                refused += variant == 0;
                continue;
            }
            bool known, aperiodic = is_aperiodic(&s.d, &known, &work), plain = true;
            for (uint32_t l = 0; l < report.level_count; l++) plain = plain && report.levels[l].group_order == 1;
            arena_reset(&work);
            /* states that the start does not lead to may have groups that no cascade needs */
            CHECK(!known || !aperiodic || plain, "%s: aperiodic, but the cascade has a group", shown);
            if (variant == 0) {
                compiled++;
                groups += !plain;
                periodic += known && !aperiodic;
            }
            compare_sets(&s, &f, roots, o.future, &r, &work);
        }
    }
    CHECK(rounds < 400 || (compiled >= 400 && groups >= 50), "only %zu compiled, %zu with groups", compiled, groups);
    printf("%zu automata, %zu with groups (%zu by the monoid), %zu refused\n", compiled, groups, periodic, refused);
    check_special((size_t)(150 * test_effort()), &r, &memory, &work);
    check_choice((size_t)(150 * test_effort()), &r, &memory, &work);
    arena_free(&memory);
    arena_free(&work);
    return test_finish("t-cascade");
}

/* The graph of formulas by itself: sets of letters at the ends of words, nodes that are one and nodes that are not,
   sums of many terms, what is reachable and where it looks, places and patterns at their limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "logic/formula_eval.h"
#include "logic/place.h"
#include "logic/match.h"
#include "reference.h"
#include "in_arena.h"
#include "test.h"

enum { SEEN = 260 }; /* letters that are asked for */

static node_id letter(formula *f, uint32_t which) { return formula_letters(f, &which, 1, false); }

/* ---- letters ---- */

static const uint32_t members[][4] = {{0, 0, 0, 0},       {1, 62, 63, 0},       {63, 63, 63, 63},
                                      {64, 64, 64, 64},   {0, 64, 0, 0},        {65, 127, 128, 63},
                                      {127, 127, 127, 7}, {128, 128, 128, 128}, {191, 192, 5, 5}};
enum { SETS = sizeof members / sizeof *members };

static bool is_member(size_t set, bool negated, uint32_t which) {
    for (size_t k = 0; k < 4; k++)
        if (members[set][k] == which) return !negated;
    return negated;
}

/* Behind every set stands memory that is full of ones, or empty: nobody may look at it. */
static void sets_of_letters(arena *a) {
    formula f;
    formula_init(&f, a);
    node_id made[SETS][2];
    for (int again = 0; again < 2; again++)
        for (size_t k = 0; k < SETS; k++)
            for (int negated = 0; negated < 2; negated++) {
                node_id id = formula_letters(&f, members[k], 4, negated);
                memset(arena_alloc(a, 64, 1), negated ? 0 : 0xFF, 64);
                CHECK(!again || made[k][negated] == id, "set %zu is made twice", k);
                made[k][negated] = id;
                for (uint32_t l = 0; l < SEEN; l++)
                    CHECK(formula_has_letter(&f, id, l) == is_member(k, negated, l), "set %zu, letter %u", k, l);
            }
    for (size_t x = 0; x < 2 * SETS; x++)
        for (size_t y = 0; y < 2 * SETS; y++) {
            node_id one = made[x / 2][x % 2], other = made[y / 2][y % 2], joined = letters_join(&f, one, other);
            bool exclude = true;
            for (uint32_t l = 0; l < SEEN; l++) {
                bool in = is_member(x / 2, x % 2, l), out = is_member(y / 2, y % 2, l);
                if (in && out) exclude = false;
                CHECK(formula_has_letter(&f, joined, l) == (in || out), "sets %zu and %zu, letter %u", x, y, l);
            }
            CHECK(letters_exclude(&f, one, other) == exclude, "sets %zu and %zu", x, y);
        }
}

/* The bits of a letter's number, counted from 1. */
static void bits_of_letters(arena *a) {
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 63, 64, 127, 128};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        formula f;
        formula_init(&f, a);
        node_id yes = formula_atom(&f, OP_TRUE), steps = formula_unary(&f, OP_YESTERDAY, yes), out[40];
        size_t bits = match_letters(&f, sizes[k], yes, formula_unary(&f, OP_NEXT, steps), out), wanted = 0;
        while (sizes[k] >> wanted) wanted++;
        CHECK(bits == wanted, "%zu letters: %zu bits", sizes[k], bits);
        for (size_t b = 0; b < bits; b++) {
            for (uint32_t l = 0; l < SEEN; l++)
                CHECK(formula_has_letter(&f, out[2 * b], l) == (l < sizes[k] && ((l + 1) >> b & 1)),
                      "%zu letters: letter %u, bit %zu", sizes[k], l, b);
            node_id below = formula_unary(&f, OP_YESTERDAY, out[2 * b]);
            CHECK(out[2 * b + 1] == formula_unary(&f, OP_NEXT, below), "%zu letters: steps", sizes[k]);
        }
    }
}

/* ---- nodes ---- */

static void shared_nodes(arena *a) {
    formula f;
    formula_init(&f, a);
    node_id kids[70], counts[70];
    for (uint32_t k = 0; k < 70; k++) counts[k] = formula_unary(&f, OP_COUNT_PAST, kids[k] = letter(&f, k));
    for (size_t n = 2; n < 60; n++) {
        node_id last = kids[n - 1], one = formula_nary(&f, OP_AND, kids, n);
        linear_sum s;
        sum_init(&s, a, 3);
        for (size_t k = 0; k < n; k++) sum_add_count(&s, counts[k], (int64_t)k + 1);
        node_id sum = formula_compare(&f, &s, CMP_LT);
        size_t before = f.count;
        CHECK(formula_nary(&f, OP_AND, kids, n) == one && formula_compare(&f, &s, CMP_LT) == sum && f.count == before,
              "%zu kids: made twice", n);
        for (size_t k = 0; k < n; k++)
            CHECK(formula_kid(&f, sum, k) == counts[k] && formula_weight(&f, sum, k) == (int64_t)k + 1 &&
                      formula_kid(&f, one, k) == kids[k],
                  "%zu kids: kid %zu", n, k);
        kids[n - 1] = kids[n + 5];
        CHECK(formula_nary(&f, OP_AND, kids, n) != one, "%zu kids: the last one differs", n);
        kids[n - 1] = last;
        CHECK(formula_nary(&f, OP_OR, kids, n) != one, "%zu kids: or", n);
        CHECK(formula_compare(&f, &s, CMP_LE) != sum && formula_modulo(&f, &s, 5, CMP_LT, 0) != sum, "%zu: <=", n);
        CHECK(formula_modulo(&f, &s, 5, CMP_LT, 1) != formula_modulo(&f, &s, 5, CMP_LT, 0), "%zu: residue", n);
        CHECK(formula_modulo(&f, &s, 5, CMP_LT, 1) != formula_modulo(&f, &s, 6, CMP_LT, 1), "%zu: modulus", n);
        sum_add_count(&s, counts[n - 1], 1);
        CHECK(formula_compare(&f, &s, CMP_LT) != sum, "%zu kids: the last weight differs", n);
        sum_add_count(&s, counts[n - 1], -1);
        s.constant = 4;
        CHECK(formula_compare(&f, &s, CMP_LT) != sum, "%zu kids: the constant differs", n);
    }
    node_id made[5][3];
    for (int again = 0; again < 2; again++)
        for (int mask = 0; mask < 5; mask++)
            for (int choice = 0; choice < 3; choice++) {
                node_id id = formula_attend(&f, (temper_choice)choice, (temper_mask)mask, kids[0], kids[1]);
                CHECK(!again || id == made[mask][choice], "attention made twice");
                for (int k = 0; !again && k < 3 * mask + choice; k++)
                    CHECK(made[k / 3][k % 3] != id, "two attentions are one");
                made[mask][choice] = id;
            }
    linear_sum place;
    sum_init(&place, a, -2);
    sum_add_count(&place, counts[3], 4);
    node_id at = formula_read_at(&f, kids[0], &place);
    CHECK(at == formula_read_place(&f, kids[0], &place, 0, TEMPER_MASK_ALL) &&
              at != formula_read_place(&f, kids[0], &place, 1, TEMPER_MASK_ALL) &&
              at != formula_read_place(&f, kids[0], &place, 0, TEMPER_MASK_BEFORE),
          "a place as it is written");
    CHECK(formula_kid(&f, at, 0) == kids[0] && formula_weight(&f, at, 0) == 0 &&
              formula_kid(&f, at, 1) == counts[3] && formula_weight(&f, at, 1) == 4 &&
              formula_at(&f, at)->constant == -2 && formula_at(&f, at)->residue == 0,
          "a place as it is stored");
}

/* The letters up to here lead a machine into some states: odd counts, and counts modulo 3, of letter 0. */
static void states_of_machines(arena *a) {
    formula f;
    formula_init(&f, a);
    uint32_t next[] = {1, 0, 2, 1, 0, 2}, class_of[] = {0, 1};
    unsigned char accepts[] = {1, 0, 0};
    dfa machine = {.state_count = 3,
                   .class_count = 2,
                   .letter_count = 2,
                   .next = next,
                   .accepts = accepts,
                   .class_of = class_of};
    static const unsigned char chosen[8][5] = {{0, 0, 0, 1, 1}, {1, 0, 0, 1, 1}, {0, 1, 0, 1, 1}, {1, 1, 0, 1, 1},
                                               {0, 0, 1, 1, 1}, {1, 0, 1, 0, 1}, {0, 1, 1, 0, 1}, {1, 1, 1, 0, 1}};
    node_id made[8];
    for (int again = 0; again < 2; again++)
        for (size_t k = 0; k < 8; k++) {
            node_id id = formula_states(&f, &machine, chosen[k], "some");
            CHECK(!again || made[k] == id, "states %zu: made twice", k);
            made[k] = id;
            formula_op op = formula_at(&f, id)->op;
            CHECK(op == (k == 0 ? OP_FALSE : k == 7 ? OP_TRUE : OP_MATCHES), "states %zu: %d", k, op);
            uint32_t word[6] = {0};
            do {
                unsigned char truth[6];
                formula_eval(truth, &f, id, word, 6, a);
                uint32_t state = 0;
                for (size_t i = 0; i < 6; i++) {
                    state = next[2 * state + word[i]];
                    CHECK(truth[i] == chosen[k][state], "states %zu at %zu", k, i + 1);
                }
            } while (corpus_next_word(word, 6, 2));
        }
    CHECK(f.language_count == 6 && !strcmp(f.languages[5].source, "some") && f.languages[5].source_length == 4 &&
              f.languages[5].kind == LANGUAGE_STATES && f.languages[5].machine == &machine,
          "%zu languages", f.language_count);
}

/* ---- sums ---- */

static void long_sums(arena *a) {
    static const size_t sizes[] = {1, 2, 8, 15, 16, 17, 18, 31, 32, 33, 64, 65, 128, 129, 400};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        size_t count = sizes[n];
        linear_sum s;
        sum_init(&s, a, 0);
        for (size_t k = 0; k < count; k++) CHECK(sum_add_count(&s, (node_id)(3 * k + 5), (int64_t)k + 1), "added");
        for (size_t k = 0; k < count; k++) CHECK(sum_add_count(&s, (node_id)(3 * k + 5), 10), "added again");
        bool same = s.count == count;
        for (size_t k = 0; k < count && same; k++) same = s.counts[k] == 3 * k + 5 && s.weights[k] == (int64_t)k + 11;
        CHECK(same, "%zu terms: %zu", count, s.count);
        /* every second one goes, from the first one on; the others stay in their order */
        for (size_t k = 0; k < count; k += 2) CHECK(sum_add_count(&s, (node_id)(3 * k + 5), -(int64_t)k - 11), "-");
        same = s.count == count / 2;
        for (size_t k = 0; k < s.count && same; k++)
            same = s.counts[k] == 6 * k + 8 && s.weights[k] == (int64_t)(2 * k + 12);
        CHECK(same, "half of %zu terms: %zu", count, s.count);
        for (size_t k = 0; k < count; k++) CHECK(sum_add_count(&s, (node_id)(3 * k + 5), 1), "once more");
        CHECK(s.count == count, "%zu terms again: %zu", count, s.count);
    }
}

static void large_sums(arena *a) {
    linear_sum s, other;
    sum_init(&s, a, INT64_MAX);
    sum_init(&other, a, 1);
    CHECK(!sum_add(&s, &other, 1), "2^63");
    sum_init(&s, a, -INT64_MAX);
    CHECK(!sum_add(&s, &other, -1), "-2^63");
    CHECK(sum_add_count(&s, 1, INT64_MAX) && !sum_add_count(&s, 1, 1) && !sum_add_count(&s, 2, INT64_MIN), "weights");
    sum_init(&s, a, 6);
    CHECK(sum_add_count(&s, 9, 5) && sum_scale(&s, -3) && s.constant == -18 && s.weights[0] == -15, "times -3");
    CHECK(!sum_scale(&s, INT64_MAX), "times 2^63 - 1");
    CHECK(sum_scale(&s, 0) && s.count == 0 && s.constant == 0, "times 0");
    static const struct {
        int64_t x, y, divisor;
    } known[] = {{0, 0, 0},
                 {0, 5, 5},
                 {5, 0, 5},
                 {-6, 4, 2},
                 {6, -4, 2},
                 {-6, -9, 3},
                 {-7, 0, 7},
                 {0, -7, 7},
                 {1, -1, 1},
                 {12, 18, 6},
                 {INT64_MIN, 6, 2},
                 {6, INT64_MIN, 2},
                 {INT64_MIN, 0, 1},
                 {0, INT64_MIN, 1},
                 {INT64_MIN, INT64_MIN, 1},
                 {INT64_MAX, -INT64_MAX, INT64_MAX}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        CHECK(common_divisor(known[k].x, known[k].y) == known[k].divisor, "divisor %zu", k);
}

/* ---- what is below, and where it looks ---- */

static void reachable(arena *a) {
    formula f;
    formula_init(&f, a);
    node_id x = letter(&f, 0), y = letter(&f, 1), once = formula_unary(&f, OP_ONCE, x);
    node_id next = formula_unary(&f, OP_NEXT, y), both = formula_binary(&f, OP_AND, once, next);
    node_id all = formula_attend(&f, TEMPER_CHOICE_LEFTMOST, TEMPER_MASK_ALL, x, y), roots[] = {next, once};
    const struct {
        node_id root;
        unsigned looks;
        node_id back, forward, marks[6]; /* in order, x y once next both all */
    } known[] = {{x, 0, 0, 0, {1, 0, 0, 0, 0, 0}},
                 {once, 1, once, 0, {1, 0, 1, 0, 0, 0}},
                 {next, 2, 0, next, {0, 1, 0, 1, 0, 0}},
                 {both, 3, once, next, {1, 1, 1, 1, 1, 0}},
                 {all, 3, all, all, {1, 1, 0, 0, 0, 1}}};
    const node_id nodes[] = {x, y, once, next, both, all};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        node_id back = 99, forward = 99;
        CHECK(formula_directions(&f, known[k].root, &back, &forward) == known[k].looks && back == known[k].back &&
                  forward == known[k].forward,
              "root %u: %u %u", known[k].root, back, forward);
        const unsigned char *marks = formula_reachable(&f, known[k].root, a);
        for (size_t n = 0; n < 6; n++) CHECK(marks[nodes[n]] == known[k].marks[n], "root %u", known[k].root);
        CHECK(marks[0] == 0, "no node");
    }
    const unsigned char *marks = formula_reachable_from(&f, roots, 2, a);
    CHECK(marks[x] == 1 && marks[y] == 1 && marks[once] == 1 && marks[next] == 1 && !marks[both] && !marks[0], "two");
    spec_output outputs[] = {{.root = next}, {.root = x}, {.root = both}}; /* the last one is not counted */
    spec_score scores[] = {{.root = once}, {.root = both}};
    temper_spec s = {.graph = f,
                     .kind = TEMPER_KIND_TRANSDUCER,
                     .outputs = outputs,
                     .output_count = 2,
                     .scores = scores,
                     .score_count = 2};
    CHECK(spec_root_count(&s) == 4 && spec_root_at(&s, 0) == next && spec_root_at(&s, 1) == x &&
              spec_root_at(&s, 2) == once && spec_root_at(&s, 3) == both,
          "outputs, then scores");
    marks = spec_reachable(&s, a);
    CHECK(marks[next] == 1 && marks[y] == 1 && marks[x] == 1 && !marks[once] && !marks[both] && !marks[0], "outputs");
    s.viable = once;
    marks = spec_reachable(&s, a);
    CHECK(marks[once] == 1 && !marks[both], "what is viable");
    s.score_count = 1;
    marks = spec_outputs_reachable(&s, a);
    CHECK(marks[next] && marks[y] && marks[x] && marks[once] && !marks[both], "outputs and scores");
}

/* Rows of all nodes, of lengths that fill memory to the last byte. */
static void all_rows(arena *a) {
    formula f;
    formula_init(&f, a);
    node_id x = letter(&f, 0), y = letter(&f, 1), made[24];
    size_t count = 0;
    made[count++] = formula_atom(&f, OP_FIRST);
    made[count++] = formula_atom(&f, OP_LAST);
    static const formula_op unary[] = {OP_NOT,        OP_NEXT,        OP_WEAK_NEXT, OP_YESTERDAY, OP_WEAK_YESTERDAY,
                                       OP_EVENTUALLY, OP_HISTORICALLY};
    for (size_t k = 0; k < 7; k++) made[count++] = formula_unary(&f, unary[k], x);
    static const formula_op binary[] = {OP_AND, OP_OR, OP_XOR, OP_IFF, OP_IMPLIES, OP_UNTIL, OP_TRIGGERED};
    for (size_t k = 0; k < 7; k++) made[count++] = formula_binary(&f, binary[k], x, y);
    node_id pairs[] = {x, y, y, x};
    made[count++] = match_make(&f, TEMPER_CHOICE_LEFTMOST, TEMPER_MASK_ALL, pairs, 2, made[0], 1, 1);
    node_id counted = formula_unary(&f, OP_COUNT_PAST, y), root;
    linear_sum s;
    sum_init(&s, a, 1);
    sum_add_count(&s, counted, 1);
    made[count++] = formula_read_at(&f, x, &s);
    formula_unary(&f, OP_NOT, y); /* of no use */
    root = formula_nary(&f, OP_OR, made, count);
    const unsigned char *marks = formula_reachable(&f, root, a);
    for (size_t n = 1; n <= 48; n += n < 17 ? 1 : n < 31 ? 14 : 1) {
        uint32_t word[48];
        unsigned char wanted[48], found[48];
        for (size_t i = 0; i < n; i++) word[i] = (uint32_t)(i * i / 3 % 2);
        const unsigned char *const *rows = formula_eval_all(&f, root, word, n, a);
        for (node_id id = 1; id <= root; id++) {
            bool has_row = marks[id] && id != counted;
            if (!CHECK((rows[id] != NULL) == has_row, "node %u", id) || !has_row) continue;
            reference_eval(wanted, &f, id, word, n);
            formula_eval(found, &f, id, word, n, a);
            CHECK(!memcmp(wanted, rows[id], n) && !memcmp(wanted, found, n), "node %u, %zu letters", id, n);
        }
    }
}

int main(void) {
    test_in_arena(sets_of_letters);
    test_in_arena(bits_of_letters);
    test_in_arena(shared_nodes);
    test_in_arena(states_of_machines);
    test_in_arena(long_sums);
    test_in_arena(large_sums);
    test_in_arena(reachable);
    test_in_arena(all_rows);
    return test_finish("eval-graph");
}

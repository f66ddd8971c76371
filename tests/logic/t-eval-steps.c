/* Formulas letter by letter: every operator, from the left and in the mirror, against its definition on all short
   strings, in memory that nobody has cleared; which formulas have steps at all, and how many bytes they remember.
 */
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "logic/formula_eval.h"
#include "logic/formula_step.h"
#include "logic/match.h"
#include "random_formula.h"
#include "reference.h"
#include "in_arena.h"
#include "test.h"

enum { LONGEST = 6, LETTERS = 2, JUNK = 1 << 18, ROOTS = 4 };

/* An arena whose memory is full of ones: what is read before it is written shows. */
static void arena_of_junk(arena *a, trap *t) {
    arena_init(a, t);
    memset(arena_alloc(a, JUNK, 1), 0xFF, JUNK);
    arena_reset(a);
}

typedef struct run {
    const formula *f;
    const formula_stepper *s;
    const node_id *roots;
    size_t count;
    bool mirrored;
    void *state, *copy;
    unsigned char *values;
} run;

static bool follow(run *r, const char *name, const uint32_t *word, size_t n, arena *scratch) {
    size_t size = formula_stepper_state_size(r->s), values = formula_stepper_value_size(r->s);
    unsigned char truth[ROOTS][LONGEST], fast[ROOTS * LONGEST];
    for (size_t k = 0; k < r->count; k++) reference_eval(truth[k], r->f, r->roots[k], word, n);
    formula_eval_roots(fast, r->f, r->roots, r->count, word, n, scratch);
    memset(r->state, 0x55, size);
    memset(r->values, 0x55, values);
    formula_stepper_start(r->s, r->state);
    for (size_t k = 0; k < n; k++) {
        size_t i = r->mirrored ? n - 1 - k : k;
        memcpy(r->copy, r->state, size);
        formula_stepper_step(r->s, r->copy, r->values, LETTERS - 1 - word[i]); /* a way that is not taken */
        bool first = formula_stepper_step(r->s, r->state, r->values, word[i]);
        bool same = first == (truth[0][i] != 0);
        for (size_t q = 0; q < r->count; q++)
            same = same && formula_stepper_output(r->s, r->values, q) == (truth[q][i] != 0) &&
                   fast[q * n + i] == truth[q][i];
        if (!CHECK(same, "%s%s, length %zu: position %zu", name, r->mirrored ? ", mirrored" : "", n, i + 1))
            return false;
    }
    return true;
}

/* All roots together on all short words; `size` is the state's, -1: not asked. */
static void check_steps(const char *name, const formula *f, const node_id *roots, size_t count, bool mirrored,
                        long size) {
    trap t;
    arena a, scratch;
    temper_error e;
    if (trap_set(&t, &e)) {
        CHECK(false, "%s: %s", name, e.text);
        return;
    }
    arena_of_junk(&a, &t);
    arena_of_junk(&scratch, &t);
    const formula_stepper *s = formula_stepper_new(&a, f, roots, count, mirrored);
    if (CHECK(s != NULL, "%s has no steps%s", name, mirrored ? " in the mirror" : "")) {
        size_t bytes = formula_stepper_state_size(s);
        CHECK(size < 0 || bytes == (size_t)size, "%s: %zu bytes, not %ld", name, bytes, size);
        run r = {.f = f, .s = s, .roots = roots, .count = count, .mirrored = mirrored};
        r.state = aligned_alloc(16, bytes + 16);
        r.copy = aligned_alloc(16, bytes + 16);
        r.values = malloc(formula_stepper_value_size(s));
        bool same = true;
        for (size_t n = 1; n <= LONGEST && same; n++) {
            uint32_t word[LONGEST] = {0};
            do {
                same = follow(&r, name, word, n, &scratch);
                arena_reset(&scratch);
            } while (same && corpus_next_word(word, n, LETTERS));
        }
        free(r.state);
        free(r.copy);
        free(r.values);
    }
    arena_free(&a);
    arena_free(&scratch);
    trap_clear(&t);
}

static void check_none(const char *name, const formula *f, node_id root, bool mirrored) {
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL))
        CHECK(false, "%s: raised", name);
    else
        CHECK(!formula_stepper_new(&a, f, &root, 1, mirrored), "%s has steps%s", name, mirrored ? " mirrored" : "");
    arena_free(&a);
}

/* ---- what is written ---- */

static void test_texts(void) {
    static const struct {
        const char *text;
        char looks; /* n(owhere), b(ack), f(orward), 2: both ways, or anywhere */
        long size;  /* 16 bytes a sum or language, and one a node that remembers, in steps of 16 */
    } known[] = {
        {"a", 'n', 0},
        {"true", 'n', 0},
        {"false", 'n', 0},
        {"!b", 'n', 0},
        {"a & !b & true", 'n', 0},
        {"true & a", 'n', 0},
        {"true ^ a", 'n', 0},
        {"true <-> a", 'n', 0},
        {"false | a | false", 'n', 0},
        {"a ^ true", 'n', 0},
        {"(a -> false) <-> b", 'n', 0},
        {"!(a <-> b) ^ (a -> b)", 'n', 0},
        {"first", 'b', 16},
        {"a & first", 'b', 16},
        {"Y a", 'b', 16},
        {"Y Y a | Z b", 'b', 16},
        {"Z Z false", 'b', 16},
        {"O a & !(H b)", 'b', 16},
        {"b & O a", 'b', 16},
        {"a S b", 'b', 16},
        {"b S a", 'b', 16},
        {"(a & !Y a) S (b & Y b)", 'b', 16},
        {"a T b", 'b', 16},
        {"b T a", 'b', 16},
        {"(a | Y a) T (b | Z b)", 'b', 16},
        {"O (first & a)", 'b', 16},
        {"Y^16 true", 'b', 16},
        {"Y^17 true", 'b', 32},
        {"Y^16 a & O b", 'b', 32},
        {"Y^31 true & first", 'b', 32},
        {"Y^32 true & first", 'b', 48},
        {"last", 'f', 16},
        {"X a & last", 'f', 16},
        {"X X a | wX b", 'f', 16},
        {"F a & !(G b)", 'f', 16},
        {"a U b", 'f', 16},
        {"b U a", 'f', 16},
        {"a R b", 'f', 16},
        {"b R a", 'f', 16},
        {"a W b", 'f', 16},
        {"b W X a", 'f', 16},
        {"a M b", 'f', 16},
        {"b M wX a", 'f', 16},
        {"Y X a", '2', 0},
        {"first & last", '2', 0},
        {"#[a] >= 1", 'b', 16},
        {"#[a] > #[b]", 'b', 16},
        {"#[a] = #[b]", 'b', 16},
        {"#[a] != #[b]", 'b', 16},
        {"#[a] < #[b]", 'b', 16},
        {"#[a] <= #[b]", 'b', 16},
        {"#[a] >= #[b]", 'b', 16},
        {"2*#[a] - 3*#[b] + 1 = 0", 'b', 16},
        {"O (#[a] = 2)", 'b', 32},
        {"first & #[b & Y a] + 1 = 2*#[a]", 'b', 32},
        {"#[a] >= 2 & #[b] >= 2 & O a", 'b', 48},
        {"Y (#[a] >= 3) | #[!Y a] = 2", 'b', 48},
        {"#>[a] > #>[b]", 'f', 16},
        {"F (#>[a] = 2)", 'f', 32},
        {"#[a] + #>[a] > 2", '2', 0},
        {"#[a] % 2 = 0", 'b', 16},
        {"#[a] % 3 = 2", 'b', 16},
        {"(#[a] - 2*#[b]) % 3 = 0", 'b', 16},
        {"(#[a] - 2*#[b]) % 3 = 1", 'b', 16},
        {"(#[a] - 2*#[b] - 7) % 3 <= 1", 'b', 16},
        {"(#[a] - 2*#[b] + 5) % 4 > 1", 'b', 16},
        {"(#[b] - 3*#[a]) % 5 < 2", 'b', 16},
        {"(#[b] - 3*#[a]) % 5 >= 2", 'b', 16},
        {"(#[b] - 3*#[a]) % 5 != 2", 'b', 16},
        {"(#>[a] - 2*#>[b]) % 3 = 1", 'f', 16},
        {"/(ab)*/", 'b', 16},
        {"/a*b/ & O /b/", 'b', 48},
        {"O a & /(a|b)*aa/ & #[b] = 1", 'b', 48},
        {"a @ #[b]", '2', 0},
        {"a @ 1", '2', 0},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        temper_spec *s = NULL;
        temper_error e;
        temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
        const char *written = known[k].text;
        if (!CHECK(temper_spec_parse(&s, written, strlen(written), &o, &e) == TEMPER_OK, "%s: %s", written, e.text))
            continue;
        for (int mirrored = 0; mirrored < 2; mirrored++) {
            if (known[k].looks == 'n' || known[k].looks == (mirrored ? 'f' : 'b'))
                check_steps(written, &s->graph, &s->root, 1, mirrored, known[k].size);
            else
                check_none(written, &s->graph, s->root, mirrored);
        }
        temper_spec_free(s);
    }
}

/* ---- what no text says ---- */

static const temper_mask masks[] = {TEMPER_MASK_BEFORE, TEMPER_MASK_UP_TO, TEMPER_MASK_AFTER, TEMPER_MASK_FROM,
                                    TEMPER_MASK_ALL};

/* Attention: 1 where it goes from the left, 2 in the mirror. */
static unsigned ways_of(temper_mask mask) {
    if (mask == TEMPER_MASK_ALL) return 0;
    return mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_UP_TO ? 1 : 2;
}

static void check_ways(const char *name, const formula *f, node_id root, unsigned ways, long size) {
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        if (ways >> mirrored & 1)
            check_steps(name, f, &root, 1, mirrored, size);
        else
            check_none(name, f, root, mirrored);
    }
}

static node_id letter(formula *f, uint32_t which) { return formula_letters(f, &which, 1, false); }

static void attend(arena *a) {
    for (size_t m = 0; m < 5; m++)
        for (int which = 0; which < 2; which++) {
            formula f;
            formula_init(&f, a);
            node_id b = letter(&f, 1), one = letter(&f, 0), yes = formula_atom(&f, OP_TRUE);
            node_id deep = formula_binary(&f, OP_XOR, b, yes);
            temper_choice choice = which ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST;
            node_id all = formula_attend(&f, choice, masks[m], yes, one);
            node_id some = formula_attend(&f, choice, masks[m], one, one);
            node_id other = formula_attend(&f, choice, masks[m], deep, b);
            node_id of_it = formula_attend(&f, choice, masks[m], formula_unary(&f, OP_NOT, all), one);
            node_id pair = formula_attend(&f, choice, masks[m], formula_binary(&f, OP_IFF, b, all), all);
            check_ways("attention to the end", &f, all, ways_of(masks[m]), 16);
            check_ways("attention to a", &f, some, ways_of(masks[m]), 16);
            check_ways("attention to what is not b", &f, other, ways_of(masks[m]), 16);
            check_ways("attention where attention fails", &f, of_it, ways_of(masks[m]), 16);
            check_ways("attention where attention is b", &f, pair, ways_of(masks[m]), 16);
            /* with conditions here: the steps are those of what it means in other operators */
            node_id conditions[] = {one, b, yes, yes};
            node_id recalled = match_make(&f, choice, masks[m], conditions, 2, formula_unary(&f, OP_NOT, deep), 1, 1);
            CHECK(formula_at(&f, recalled)->op == OP_MATCH, "no conditions here");
            check_ways("recall", &f, recalled, ways_of(masks[m]), 16);
        }
}

/* Sums beyond 64 bits, at their ends, and below 0. */
static void large_sums(arena *a) {
    static const int64_t weights[] = {INT64_MAX, -INT64_MAX, INT64_MAX - 1, (int64_t)1 << 62, -((int64_t)1 << 62), 1};
    static const int64_t constants[] = {0, INT64_MAX, -INT64_MAX, -1, 1};
    static const int64_t moduli[] = {2, 3, 7, INT64_MAX};
    formula f;
    formula_init(&f, a);
    node_id counted = formula_unary(&f, OP_COUNT_PAST, letter(&f, 0));
    node_id other = formula_unary(&f, OP_COUNT_PAST, letter(&f, 1));
    for (size_t w = 0; w < 6; w++)
        for (size_t c = 0; c < 5; c++) {
            linear_sum s;
            node_id roots[ROOTS];
            sum_init(&s, a, constants[c]);
            sum_add_count(&s, counted, weights[w]);
            sum_add_count(&s, other, weights[(w + 2) % 6]);
            for (size_t m = 0; m < ROOTS; m++) roots[m] = formula_modulo(&f, &s, moduli[m], CMP_EQ, (int64_t)(m % 2));
            check_steps("remainders of large sums", &f, roots, ROOTS, false, 64);
            static const compare_op ops[] = {CMP_EQ, CMP_LT, CMP_GE, CMP_NE};
            for (size_t m = 0; m < ROOTS; m++) roots[m] = formula_compare(&f, &s, ops[m]);
            check_steps("large sums", &f, roots, ROOTS, false, 64);
        }
}

/* Several roots at once, in any order, one of them twice; the first one is what a step gives back. */
static void several_roots(arena *a) {
    formula f;
    formula_init(&f, a);
    node_id one = letter(&f, 0), other = letter(&f, 1);
    node_id since = formula_binary(&f, OP_SINCE, other, one), once = formula_unary(&f, OP_ONCE, since);
    node_id roots[][ROOTS] = {{once, one, since, other}, {one, once, one, since}, {since, since, other, once}};
    for (size_t k = 0; k < 3; k++)
        for (size_t count = 1; count <= ROOTS; count++) check_steps("several roots", &f, roots[k], count, false, -1);
}

int main(void) {
    test_texts();
    test_in_arena(attend);
    test_in_arena(large_sums);
    test_in_arena(several_roots);
    return test_finish("eval-steps");
}

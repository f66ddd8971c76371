/* The linear-time evaluator against the definitions, known languages against recognisers in C, and equal pairs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "corpus.h"
#include "logic/formula_eval.h"
#include "random_formula.h"
#include "reference.h"
#include "test.h"

static trap caught;
static arena scratch;

static void show(char *out, size_t size, const uint32_t *word, size_t n) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && used + 12 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%" PRIu32 " ", word[i]);
}

static bool compare_on(const char *name, const formula *f, node_id root, const uint32_t *word, size_t n) {
    unsigned char fast[512], slow[512];
    char shown[2000];
    arena_init(&scratch, &caught);
    formula_eval(fast, f, root, word, n, &scratch);
    arena_free(&scratch);
    reference_eval(slow, f, root, word, n);
    for (size_t i = 0; i < n; i++) {
        if (fast[i] == slow[i]) continue;
        show(shown, sizeof shown, word, n);
        return CHECK(false, "%s at %zu: evaluator %d, definition %d, word %s", name, i + 1, fast[i], slow[i], shown);
    }
    return CHECK(true, "-");
}

static void test_corpus(void) {
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *e = corpus_at(k);
        temper_spec *s = corpus_parse(e);
        if (!CHECK(s != NULL, "%s does not parse", e->name)) continue;
        size_t letters = s->letters.count, most = corpus_length(letters, 1100, 6);
        bool same = true;
        for (size_t n = 1; n <= most && same; n++) {
            uint32_t word[8] = {0};
            do same = compare_on(e->name, &s->graph, s->root, word, n);
            while (same && corpus_next_word(word, n, letters));
        }
        temper_spec_free(s);
    }
}

static void test_random_formulas(test_random *r) {
    long rounds = (long)(1500 * test_effort());
    for (long round = 0; round < rounds; round++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(r, 4),
                              .size = 1 + random_below(r, 24),
                              .depth = 2 + random_below(r, 6),
                              .counting = random_below(r, 2),
                              .modulo = random_below(r, 2),
                              .places = random_below(r, 2),
                              .mixed_attend = random_below(r, 2),
                              .large = random_below(r, 3) == 0};
        uint64_t ways = random_below(r, 8);
        shape.past = ways != 0;
        shape.future = ways <= 4;
        shape.attend = random_below(r, 8) == 0;
        temper_spec *s = random_spec(r, &shape, TEMPER_AT_LAST);
        char name[40];
        snprintf(name, sizeof name, "random formula %ld", round);
        for (int words = 0; words < 3; words++) {
            uint32_t word[64];
            size_t n = random_below(r, 30);
            random_word(word, n, shape.letters, r);
            if (!compare_on(name, &s->graph, s->root, word, n)) break;
        }
        temper_spec_free(s);
    }
}

/* ---- recognisers -------------------------------------------------------------------------------------------- */

static size_t count_of(const char *w, char c) {
    size_t many = 0;
    for (; *w; w++) many += *w == c;
    return many;
}

/* The next maximal run of one letter: its length, 0 at the end. */
static size_t run_at(const char *w) {
    size_t k = 0;
    while (w[k] && w[k] == w[0]) k++;
    return k;
}

static bool is_tomita_1(const char *w) { return count_of(w, '0') == 0; }

static bool is_tomita_2(const char *w) {
    for (size_t k = 0; w[k]; k++)
        if (w[k] != (k % 2 ? '0' : '1')) return false;
    return strlen(w) % 2 == 0;
}

static bool is_tomita_3(const char *w) {
    bool odd_ones = false;
    for (size_t run; (run = run_at(w)) != 0; w += run) {
        if (*w == '0' && odd_ones && run % 2) return false;
        if (*w == '1' && run % 2) odd_ones = true;
    }
    return true;
}

static bool is_tomita_4(const char *w) { return !strstr(w, "000"); }
static bool is_tomita_5(const char *w) { return count_of(w, '0') % 2 == 0 && count_of(w, '1') % 2 == 0; }
static bool is_tomita_6(const char *w) { return (count_of(w, '0') + 2 * count_of(w, '1')) % 3 == 0; }

static bool is_tomita_7(const char *w) {
    for (const char *part = "0101"; *part; part++)
        while (*w == *part) w++;
    return !*w;
}

static bool is_dyck(const char *w) {
    long open = 0;
    for (; *w && open >= 0; w++) open += *w == '(' ? 1 : -1;
    return open == 0;
}

/* Blocks of the given letters, in order, equally long. */
static bool is_equal_blocks(const char *w, const char *letters) {
    size_t kinds = strlen(letters), n = strlen(w);
    if (n % kinds) return false;
    for (size_t k = 0; k < n; k++)
        if (w[k] != letters[k / (n / kinds)]) return false;
    return true;
}

static bool is_anbn(const char *w) { return is_equal_blocks(w, "ab"); }
static bool is_anbncn(const char *w) { return is_equal_blocks(w, "abc"); }
static bool is_majority(const char *w) { return count_of(w, 'a') > count_of(w, 'b'); }
static bool is_parity(const char *w) { return count_of(w, 'a') % 2 == 1; }

static bool is_subsequence_abc(const char *w) {
    const char *a = strchr(w, 'a'), *b = a ? strchr(a, 'b') : NULL;
    return b && strchr(b, 'c');
}

static bool is_factor_aba(const char *w) { return strstr(w, "aba") != NULL; }
static bool is_sorted(const char *w) { return !strstr(w, "ba"); }
static bool is_alternating(const char *w) { return !strstr(w, "aa") && !strstr(w, "bb"); }
static bool is_first_last(const char *w) { return *w && w[0] == w[strlen(w) - 1]; }
static bool is_mod_4(const char *w) { return (count_of(w, 'a') + 2 * count_of(w, 'b')) % 4 == 3; }

static bool is_walk(const char *w) {
    long at = 0;
    for (; *w; w++) {
        at += *w == 'a' ? 1 : -1;
        if (at < -2 || at > 2) return false;
    }
    return at == 0;
}

/* Letters by their numbers: the flip-flop's are set, reset, read. */
static bool is_flip_flop(const char *w) {
    const char *set = strrchr(w, '0'), *reset = strrchr(w, '1');
    return set && (!reset || set > reset);
}

static const struct {
    const char *name, *letters;
    bool (*recognise)(const char *);
} languages[] = {
    {"language/tomita-1", "01", is_tomita_1},
    {"language/tomita-2", "01", is_tomita_2},
    {"language/tomita-3", "01", is_tomita_3},
    {"language/tomita-4", "01", is_tomita_4},
    {"language/tomita-5", "01", is_tomita_5},
    {"language/tomita-6", "01", is_tomita_6},
    {"language/tomita-7", "01", is_tomita_7},
    {"language/dyck-1", "()", is_dyck},
    {"language/dyck-1-future", "()", is_dyck},
    {"crasp/dyck-1", "()", is_dyck},
    {"language/anbn", "ab", is_anbn},
    {"language/anbncn", "abc", is_anbncn},
    {"language/anbncn-future", "abc", is_anbncn},
    {"crasp/anbncn", "abc", is_anbncn},
    {"language/majority", "ab", is_majority},
    {"crasp/majority", "ab", is_majority},
    {"language/parity", "ab", is_parity},
    {"crasp/parity", "ab", is_parity},
    {"language/contains-abc", "abc", is_subsequence_abc},
    {"language/factor-aba", "ab", is_factor_aba},
    {"language/a-star-b-star", "ab", is_sorted},
    {"language/alternating", "ab", is_alternating},
    {"language/first-is-last", "ab", is_first_last},
    {"language/mod-4", "ab", is_mod_4},
    {"language/balanced-walk", "ab", is_walk},
    {"language/flip-flop", "012", is_flip_flop},
    {"brasp/flip-flop", "012", is_flip_flop},
};

static void test_languages(void) {
    for (size_t k = 0; k < sizeof languages / sizeof *languages; k++) {
        temper_spec *s = corpus_parse(corpus_find(languages[k].name));
        if (!CHECK(s != NULL, "%s does not parse", languages[k].name)) continue;
        size_t letters = s->letters.count, most = corpus_length(letters, 4500, 11);
        bool ok = CHECK(letters == strlen(languages[k].letters), "%s: %zu letters", languages[k].name, letters);
        bool empty_known = corpus_find(languages[k].name)->empty != TEMPER_EMPTY_DEFAULT;
        for (size_t n = empty_known ? 0 : 1; n <= most && ok; n++) {
            uint32_t word[16] = {0};
            char letters_of[17] = {0};
            do {
                int accept = -1;
                for (size_t i = 0; i < n; i++) letters_of[i] = languages[k].letters[word[i]];
                temper_status status = temper_spec_eval(&accept, NULL, s, word, n, NULL);
                bool expected = languages[k].recognise(letters_of);
                ok = CHECK(status == TEMPER_OK && accept == expected, "%s: \"%s\": formula %d, recogniser %d",
                           languages[k].name, letters_of, accept, expected);
            } while (ok && corpus_next_word(word, n, letters));
        }
        temper_spec_free(s);
    }
}

/* ---- equal pairs: two entries, or a text beside an entry, that must agree ------------------------------------- */

static const struct {
    const char *left, *right;
    bool every_position; /* else only the verdict */
} pairs[] = {
    {"dual/not-until", "future/R", true},
    {"dual/not-since", "past/T", true},
    {"dual/not-eventually", "future/G", true},
    {"dual/not-once", "past/H", true},
    {"dual/not-next", "future/wX", true},
    {"dual/not-yesterday", "past/Z", true},
    {"dual/weak-until", "future/W", true},
    {"dual/strong-release", "future/M", true},
    {"dual/release-weak", "future/R", true},
    {"dual/eventually", "future/F", true},
    {"dual/always", "future/G", true},
    {"dual/once", "past/O", true},
    {"dual/historically", "past/H", true},
    {"dual/first", "atom/first", true},
    {"dual/last", "atom/last", true},
    {"dual/next-weak", "future/X", true},
    {"dual/yesterday-weak", "past/Y", true},
    {"brasp/yesterday", "past/Y", true},
    {"brasp/once", "past/O", true},
    {"brasp/since", "past/S", true},
    {"brasp/next", "future/X", true},
    {"brasp/until", "future/U", true},
    {"dwyer/absence-globally", "dwyer-past/absence-globally", false},
    {"dwyer/absence-before", "dwyer-past/absence-before", false},
    {"dwyer/absence-after", "dwyer-past/absence-after", false},
    {"dwyer/absence-between", "dwyer-past/absence-between", false},
    {"dwyer/absence-after-until", "dwyer-past/absence-after-until", false},
    {"dwyer/existence-globally", "dwyer-past/existence-globally", false},
    {"dwyer/existence-between", "dwyer-past/existence-between", false},
    {"dwyer/universality-globally", "dwyer-past/universality-globally", false},
    {"dwyer/universality-after", "dwyer-past/universality-after", false},
    {"dwyer/universality-before", "dwyer-past/universality-before", false},
    {"dwyer/precedence-globally", "dwyer-past/precedence-globally", false},
    {"dwyer/response-globally", "dwyer-past/response-globally", false},
    {"dwyer/response-after", "dwyer-past/response-after", false},
    {"dwyer/bounded-globally", "dwyer-past/bounded-globally", false},
};

static void test_pairs(void) {
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        temper_spec *x = corpus_parse(corpus_find(pairs[k].left)), *y = corpus_parse(corpus_find(pairs[k].right));
        bool ok = CHECK(x && y, "%s and %s parse", pairs[k].left, pairs[k].right);
        size_t letters = ok ? x->letters.count < y->letters.count ? x->letters.count : y->letters.count : 0;
        for (size_t n = 1; ok && n <= corpus_length(letters, 3000, 8); n++) {
            uint32_t word[16] = {0};
            do {
                int left = -1, right = -1;
                unsigned char at_left[16] = {0}, at_right[16] = {0};
                char shown[200];
                show(shown, sizeof shown, word, n);
                temper_spec_eval(&left, at_left, x, word, n, NULL);
                temper_spec_eval(&right, at_right, y, word, n, NULL);
                bool same = pairs[k].every_position ? !memcmp(at_left, at_right, n) : left == right;
                ok = CHECK(same, "%s and %s differ on %s", pairs[k].left, pairs[k].right, shown);
            } while (ok && corpus_next_word(word, n, letters));
        }
        if (x) temper_spec_free(x);
        if (y) temper_spec_free(y);
    }
}

/* ---- sizes ---- */

/* Y^k a is true at i iff i > k and a is at i - k; (F not)^k and the like alternate. */
static void test_deep(void) {
    enum { DEPTH = 1000000, N = 10 };
    arena memory;
    formula f;
    unsigned char truth[N];
    uint32_t word[N] = {0};
    arena_init(&memory, &caught);
    arena_init(&scratch, &caught);
    formula_init(&f, &memory);
    uint32_t a = 0;
    node_id id = formula_letters(&f, &a, 1, false);
    for (int k = 0; k < DEPTH; k++) id = formula_unary(&f, OP_NOT, id);
    for (int k = 0; k < 3; k++) id = formula_unary(&f, OP_YESTERDAY, id);
    formula_eval(truth, &f, id, word, N, &scratch);
    for (int i = 0; i < N; i++) CHECK(truth[i] == (i >= 3), "deep nesting at %d: %d", i + 1, truth[i]);
    arena_free(&memory);
    arena_free(&scratch);
}

static void test_long(void) {
    size_t n = 2000000;
    arena memory;
    formula f;
    arena_init(&memory, &caught);
    formula_init(&f, &memory);
    uint32_t *word = malloc(n * sizeof *word);
    unsigned char *truth = malloc(n);
    if (!word || !truth) exit(1);
    test_random r = test_seed(5);
    for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(&r, 2);
    uint32_t a = 0, b = 1;
    node_id in_a = formula_letters(&f, &a, 1, false), in_b = formula_letters(&f, &b, 1, false);
    linear_sum sum;
    sum_init(&sum, &memory, -7);
    sum_add_count(&sum, formula_unary(&f, OP_COUNT_PAST, in_a), INT64_MAX);
    sum_add_count(&sum, formula_unary(&f, OP_COUNT_FUTURE, in_b), -INT64_MAX);
    node_id both[2] = {formula_compare(&f, &sum, CMP_GE), formula_modulo(&f, &sum, 1000, CMP_LT, 500)};
    node_id root = formula_binary(&f, OP_XOR, both[0], both[1]);
    arena_init(&scratch, &caught);
    formula_eval(truth, &f, root, word, n, &scratch);
    arena_free(&scratch);
    int64_t before = 0, after = 0;
    for (size_t i = 0; i < n; i++) after += word[i] == b;
    size_t wrong = 0;
    for (size_t i = 0; i < n && !wrong; i++) {
        before += word[i] == a;
        /* (2^63 - 1) d - 7 with d = before - after: at least 0 iff d > 0; 2^63 - 1 is 807 modulo 1000 */
        int64_t d = before - after, rest = ((807 * d - 7) % 1000 + 1000) % 1000;
        if (truth[i] != ((d > 0) ^ (rest < 500))) wrong = i + 1;
        after -= word[i] == b;
    }
    CHECK(wrong == 0, "long string: wrong at %zu", wrong);
    free(word);
    free(truth);
    arena_free(&memory);
}

int main(void) {
    if (trap_set(&caught, NULL)) {
        fprintf(stderr, "t-eval: unexpected error: %s\n", caught.error.text);
        return 1;
    }
    test_random r = test_seed(1);
    test_corpus();
    test_random_formulas(&r);
    test_languages();
    test_pairs();
    test_deep();
    test_long();
    return test_finish("t-eval");
}

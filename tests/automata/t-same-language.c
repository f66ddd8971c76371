/* Equality of specifications against brute force: pairs that are equal by laws of the operators, pairs that are
   nearly equal, and pairs that have nothing to do with each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "decide/same_language.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "random_formula.h"
#include "rewrite.h"

enum { LONGEST = 6 };

static const char *label(const temper_spec *s, arena *a) {
    text t;
    text_init(&t, a);
    formula_label(&t, &s->graph, &s->letters, s->root, 0);
    text_printf(&t, " at %s, %s", s->at == TEMPER_AT_FIRST ? "first" : "last",
                s->accepts_empty ? "empty" : "not empty");
    return text_string(&t);
}

static bool holds(const temper_spec *s, const uint32_t *word, size_t n, arena *a) {
    if (!n) return s->accepts_empty;
    unsigned char *truth = arena_alloc(a, n, 1);
    formula_eval(truth, &s->graph, s->root, word, n, a);
    return truth[s->at == TEMPER_AT_FIRST ? 0 : n - 1];
}

/* The first word of up to LONGEST letters on which they differ. */
static bool find_difference(uint32_t *word, size_t *n, const temper_spec *x, const temper_spec *y, arena *scratch) {
    unsigned letters = (unsigned)x->letters.count;
    uint64_t words = 1;
    for (*n = 0; *n <= LONGEST; ++*n, words *= letters)
        for (uint64_t w = 0; w < words; w++) {
            uint64_t rest = w;
            for (size_t k = *n; k-- > 0; rest /= letters) word[k] = (uint32_t)(rest % letters);
            arena_reset(scratch);
            if (holds(x, word, *n, scratch) != holds(y, word, *n, scratch)) return true;
        }
    return false;
}

typedef struct compare_call {
    language_answer answer;
    arena *a;
    const temper_spec *x, *y;
} compare_call;

static void compare(void *context) {
    compare_call *c = context;
    decide_limits limits = {.states = 4000, .work = 1 << 23};
    specs_compare(&c->answer, c->a, c->x, c->y, &limits);
}

typedef struct counts {
    size_t decided, same, refused, far;
} counts;

/* `equal`: they are so by construction. */
static void check_pair(const temper_spec *x, const temper_spec *y, bool equal, counts *c, arena *a, arena *scratch) {
    compare_call call = {.a = a, .x = x, .y = y};
    trap t, *held = a->trap;
    a->trap = &t;
    bool done = trap_attempt(&t, NULL, compare, &call);
    a->trap = held;
    if (!done) {
        c->refused++;
        CHECK(t.error.code == TEMPER_UNSUPPORTED || t.error.code == TEMPER_LIMIT, "%s: %s", label(x, a),
              t.error.text);
        return;
    }
    const language_answer *r = &call.answer;
    uint32_t word[LONGEST];
    size_t n;
    bool differ = find_difference(word, &n, x, y, scratch);
    c->decided++;
    c->same += r->same;
    c->far += !r->same && r->n > LONGEST;
    if (equal) CHECK(r->same && !differ, "%s\nand %s\nare equal", label(x, a), label(y, a));
    if (differ)
        CHECK(!r->same && r->n == n && !memcmp(r->word, word, n * sizeof *word),
              "%s\nand %s\n differ on a word of %zu letters, found one of %zu", label(x, a), label(y, a), n, r->n);
    else
        CHECK(r->same || r->n > LONGEST, "%s\nand %s\n do not differ on %zu letters", label(x, a), label(y, a), r->n);
    if (r->same) return;
    arena_reset(scratch);
    bool left = holds(x, r->word, r->n, scratch), right = holds(y, r->word, r->n, scratch);
    CHECK(left != right && left == r->in_left, "%s\nand %s\n do not differ on what was found", label(x, a),
          label(y, a));
}

static node_id pick_node(const temper_spec *s, test_random *r, arena *a) {
    const unsigned char *marks = formula_reachable(&s->graph, s->root, a);
    for (;;) {
        node_id id = 1 + (node_id)random_below(r, s->root);
        if (marks[id]) return id;
    }
}

/* kind 0: equal, 1: near, 2: anything */
static void check_random_pair(unsigned kind, counts *c, test_random *r, arena *a, arena *scratch) {
    random_shape shape = {.letters = 1 + (unsigned)random_below(r, 3),
                          .size = 2 + random_below(r, 14),
                          .depth = 2 + random_below(r, 5),
                          .past = random_below(r, 4) != 0,
                          .future = random_below(r, 4) != 0,
                          .counting = random_below(r, 4) == 0,
                          .modulo = random_below(r, 4) == 0,
                          .mixed_attend = random_below(r, 4) == 0};
    temper_at at = random_below(r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    temper_spec *x = random_spec(r, &shape, at), *y = NULL;
    if (kind == 2) {
        y = random_spec(r, &shape, random_below(r, 4) ? at : TEMPER_AT_LAST);
        y->accepts_empty = random_below(r, 8) == 0;
    } else {
        trap t;
        if (trap_set(&t, NULL)) abort();
        y = make_spec(&t, shape.letters, at);
        finish_spec(y, rewrite(&y->graph, &x->graph, x->root, kind ? pick_node(x, r, a) : 0, shape.letters, r));
    }
    check_pair(x, y, kind == 0, c, a, scratch);
    temper_spec_free(x);
    temper_spec_free(y);
    arena_reset(a);
}

/* ---- alphabets ---- */

typedef struct alphabet_case {
    const char *left, *left_alphabet, *right, *right_alphabet;
    bool same;
    const char *string;
    bool in_left;
} alphabet_case;

static void check_alphabets(void) {
    static const alphabet_case cases[] = {
        {"F a", NULL, "F (a | (b & !b))", NULL, true, "", false}, /* a stands for letters that it does not name */
        {"G a", NULL, "G (a | (b & !b))", NULL, true, "", false},
        {"G a", "a", "F (a & !X true) & !F b", NULL, true, "", false}, /* over a alone, every string; b is rejected */
        {"true & !F (a & !a)", "a", "true & !F (b & !b)", "ab", false, "b", false},
        {"F a", "ab", "F a", "ba", true, "", false}, /* letters are matched by name */
        {"F b", "ab", "F a", "ba", false, "a", false},
        {"G [^a]", NULL, "G b", NULL, true, "", false},
        {"G [^a]", NULL, "G (b | c)", "abc", true, "", false},
        {"O a", "abc", "a S (a | O a)", NULL, true, "", false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const alphabet_case *c = &cases[k];
        temper_spec *x = NULL, *y = NULL;
        temper_error err;
        temper_difference d;
        temper_spec_options left = {.alphabet = c->left_alphabet}, right = {.alphabet = c->right_alphabet};
        if (!CHECK(!temper_spec_parse(&x, c->left, strlen(c->left), &left, &err) &&
                       !temper_spec_parse(&y, c->right, strlen(c->right), &right, &err),
                   "%s: %s", c->left, err.text))
            continue;
        if (CHECK(!temper_spec_compare(&d, x, y, &err), "%s and %s: %s", c->left, c->right, err.text)) {
            CHECK(d.same == c->same, "%s and %s: same is %d", c->left, c->right, d.same);
            if (!c->same)
                CHECK(d.string && !strcmp(d.string, c->string) && d.left == c->in_left && d.right == !c->in_left,
                      "%s and %s: %s", c->left, c->right, d.string);
        }
        temper_difference_clear(&d);
        temper_spec_free(x);
        temper_spec_free(y);
    }
}

static void check_refusals(void) {
    static const struct {
        const char *left, *right, *text;
        temper_status code;
        bool tokens;
    } cases[] = {
        {"#[a] > #[b]", "a", "compares counts", TEMPER_UNSUPPORTED, false},
        {"O a", "#[a] % 1048583 = 1", "65536 states", TEMPER_LIMIT, false},
        {"O a", "O a", "tokens", TEMPER_RANGE, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *x = NULL, *y = NULL;
        temper_error err = {0};
        temper_difference d;
        temper_spec_options tokens = {.tokens = cases[k].tokens};
        temper_spec_parse(&x, cases[k].left, strlen(cases[k].left), NULL, NULL);
        temper_spec_parse(&y, cases[k].right, strlen(cases[k].right), &tokens, NULL);
        if (!CHECK(x && y, "case %zu does not parse", k)) continue;
        CHECK(temper_spec_compare(&d, x, y, &err) == cases[k].code && strstr(err.text, cases[k].text), "case %zu: %s",
              k, err.text);
        temper_spec_free(x);
        temper_spec_free(y);
    }
}

int main(void) {
    test_random r = test_seed(7);
    arena a, scratch;
    trap t;
    arena_init(&a, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, NULL)) abort();
    counts c[3] = {{0}};
    for (unsigned trial = 0; trial < 6000 * test_effort(); trial++)
        check_random_pair(trial % 3, &c[trial % 3], &r, &a, &scratch);
    for (size_t k = 0; k < 3; k++) {
        if (getenv("TEMPER_TEST_VERBOSE"))
            printf("kind %zu: %zu decided, %zu the same, %zu differ late, %zu refused\n", k, c[k].decided, c[k].same,
                   c[k].far, c[k].refused);
        CHECK(c[k].decided > 4 * c[k].refused, "kind %zu: %zu decided, %zu refused", k, c[k].decided, c[k].refused);
    }
    check_alphabets();
    check_refusals();
    arena_free(&a);
    arena_free(&scratch);
    trap_clear(&t);
    return test_finish("t-same-language");
}

/* The trees of prefixes and suffixes, and strings side by side where there is no tree, against one string after the
   other: the same counterexample, number of strings and margin, for any number of threads; and which pairs of formula
   and model have a tree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/tree.h"
#include "agree.h"
#include "corpus.h"
#include "random_formula.h"

static void word_text(char *out, const temper_model *model, const uint32_t *letters, size_t n) {
    for (size_t k = 0; k < n; k++) out[k] = temper_model_letter(model, letters[k])[0];
    out[n] = 0;
}

/* Is there a tree, or are strings asked about one by one? */
static bool has_tree(const temper_spec *spec, const temper_model *model) {
    trap t;
    arena a;
    uint32_t letters[2 * 26];
    size_t count = temper_model_about(model).letters;
    for (uint32_t k = 0; k < 2 * count; k++) letters[k] = (uint32_t)(k % count);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    check_sides sides = {.spec = spec,
                         .model = model,
                         .spec_letter = letters,
                         .spec_output = letters,
                         .classes = count,
                         .class_of = letters,
                         .letter = letters};
    bool has = tree_new(&a, &sides, 3) != NULL;
    arena_free(&a);
    trap_clear(&t);
    return has;
}

/* 1: the formula looks back, 2: forward */
static unsigned directions(const temper_spec *spec) {
    node_id back, forward;
    trap t, *held = spec->graph.arena->trap;
    spec->graph.arena->trap = &t; /* the marks are made in the formula's arena */
    if (trap_set(&t, NULL)) abort();
    unsigned d = formula_directions(&spec->graph, spec->root, &back, &forward);
    spec->graph.arena->trap = held;
    return d;
}

/* What is read at a computed position may stand anywhere: no memory of a fixed size holds it. */
static bool reads_places(const temper_spec *spec) {
    for (size_t id = 1; id < spec->graph.count; id++)
        if (spec->graph.nodes[id].op == OP_AT) return true;
    return false;
}

/* What looks one way is walked, unless simplifying has left nothing that looks. */
static void check_has_tree(const char *name, const temper_spec *spec, const temper_model *model, size_t *mirrored) {
    unsigned d = directions(spec);
    bool walked = has_tree(spec, model);
    if (reads_places(spec))
        CHECK(!walked, "%s: a tree for a formula that reads anywhere", name);
    else if (d < 2 || (d == 2 && model->has_end))
        CHECK(walked, "%s (%s): no tree", name, temper_method_name(model->method));
    CHECK(d != 3 || !walked, "%s: a tree for a formula that looks both ways", name);
    *mirrored += walked && model->has_end;
}

typedef struct expected {
    uint32_t word[16];
    size_t n;
    long position; /* -1: all agree */
    const char *left, *right;
    uint64_t strings;
    double margin;
} expected;

static double run_side(unsigned char *truth, int *accept, const temper_model *model, const uint32_t *word, size_t n,
                       bool hard) {
    temper_run *run;
    temper_error e;
    temper_run_options options = {.hard = hard};
    double margin = 0;
    if (!CHECK(!temper_model_run(&run, model, word, n, &options, &e), "run: %s", e.text)) return 0;
    *accept = temper_run_about(run).accept;
    for (size_t k = 0; k < n; k++) truth[k] = temper_run_about(run).truth[k + 1] != 0;
    temper_model_info about = temper_model_about(model);
    for (size_t layer = 1; layer <= about.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++)
            margin = fmax(margin, temper_run_head(run, layer, head).error);
    temper_run_free(run);
    return hard ? 0 : margin;
}

/* The same letters in the same order for formula and model. */
static void expect(expected *x, const temper_spec *spec, const temper_model *model, size_t longest) {
    static const char *const names[] = {"formula", "hard", "soft"};
    temper_model_info about;
    temper_error e;
    about = temper_model_about(model);
    int sides = about.method == TEMPER_METHOD_HARD ? 2 : 3;
    *x = (expected){.position = -1};
    for (x->n = 0; x->n <= longest; x->n++) {
        double before = x->margin; /* of its length, a counterexample counts alone */
        memset(x->word, 0, sizeof x->word);
        do {
            double own = 0;
            unsigned char truth[3][16];
            int accept[3];
            CHECK(!temper_spec_eval(&accept[0], truth[0], spec, x->word, x->n, &e), "eval: %s", e.text);
            for (int side = 1; side < sides; side++)
                own = fmax(own, run_side(truth[side], &accept[side], model, x->word, x->n, side == 1));
            x->strings++;
            double all = fmax(x->margin, own);
            x->margin = fmax(before, own);
            for (int l = 0; l < sides; l++)
                for (int r = l + 1; r < sides; r++) {
                    x->left = names[l];
                    x->right = names[r];
                    x->position = 0;
                    if (accept[l] != accept[r]) return;
                    for (size_t k = 0; k < x->n; k++)
                        if (truth[l][k] != truth[r][k]) {
                            x->position = (long)k + 1;
                            return;
                        }
                }
            x->margin = all;
        } while (corpus_next_word(x->word, x->n, about.letters));
    }
    x->position = -1;
}

static uint64_t all_strings(size_t letters, size_t longest) {
    uint64_t layer = 1, total = 1;
    for (size_t k = 0; k < longest; k++) total += layer *= letters;
    return total;
}

static void compare_tree(const char *name, const temper_spec *spec, const temper_model *model, size_t longest) {
    expected want;
    temper_error e;
    temper_check_result got;
    temper_check_options options = {.exhaustive = longest, .threads = 2};
    expect(&want, spec, model, longest);
    if (!CHECK(!temper_check(&got, spec, model, &options, &e), "%s: %s", name, e.text)) return;
    /* letters that nobody tells apart stand for each other, and nothing else changes */
    size_t letters = temper_model_about(model).letters;
    uint64_t strings = got.agreed ? all_strings(got.classes, longest) : want.strings;
    CHECK(got.agreed == (want.position < 0) && got.classes >= 1 && got.classes <= letters &&
              (got.agreed || got.classes == letters ? got.strings == strings : got.strings <= strings),
          "%s: agreed %d after %llu strings of %zu classes, expected %d, %llu", name, got.agreed,
          (unsigned long long)got.strings, got.classes, want.position < 0, (unsigned long long)strings);
    /* two ways to add the same numbers up */
    CHECK(fabs(got.margin - want.margin) <= 1e-9 * want.margin + 1e-14, "%s: margin %g, expected %g", name,
          got.margin, want.margin);
    if (!got.agreed && want.position >= 0)
        CHECK(
            got.counterexample_length == want.n &&
                !memcmp(got.counterexample, want.word, want.n * sizeof *want.word) &&
                (long)got.position == want.position && !strcmp(got.left, want.left) && !strcmp(got.right, want.right),
            "%s: length %zu, position %zu, %s and %s; expected %zu, %ld, %s and %s", name, got.counterexample_length,
            got.position, got.left, got.right, want.n, want.position, want.left, want.right);
    temper_check_clear(&got);
}

static void test_tree_corpus(void) {
    size_t mirrored = 0;
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *item = corpus_at(k);
        temper_spec *spec = corpus_parse(item);
        temper_model *hard = NULL, *soft = NULL;
        temper_error e;
        if (spec && !temper_build(&hard, spec, NULL, &e) &&
            CHECK(!temper_soften(
                      &soft, NULL, hard,
                      &(temper_soften_options){.method = k % 2 ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS},
                      &e),
                  "%s: %s", item->name, e.text)) {
            check_has_tree(item->name, spec, soft, &mirrored);
            compare_tree(item->name, spec, soft, corpus_length(temper_spec_about(spec).letters, 40, 4));
        }
        temper_model_free(soft);
        temper_model_free(hard);
        temper_spec_free(spec);
    }
    CHECK(mirrored > 10, "%zu of the corpus by suffixes", mirrored);
}

/* Formulas that are not those of the model: alike, so that they differ late, or not at all alike. */
static void test_tree_pairs(void) {
    test_random r = test_seed(41);
    size_t pairs = (size_t)(300 * test_effort()), mirrored = 0;
    for (size_t k = 0; k < pairs; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 8),
                              .depth = 1 + random_below(&r, 5),
                              .past = k % 2 == 0,
                              .future = k % 2 == 1,
                              .counting = random_below(&r, 2),
                              .modulo = random_below(&r, 4) == 0,
                              .mixed_attend = random_below(&r, 4) == 0};
        temper_at usual = k % 4 ? TEMPER_AT_LAST : TEMPER_AT_FIRST, other = k % 4 ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
        temper_at at = random_below(&r, 4) ? usual : other;
        temper_spec *left = random_spec(&r, &shape, usual), *right = random_spec(&r, &shape, at);
        temper_model *model = model_of(right, (temper_method)random_below(&r, 3));
        char name[40];
        snprintf(name, sizeof name, "random pair %zu", k);
        if (model) {
            check_has_tree(name, right, model, &mirrored);
            compare_tree(name, left, model, corpus_length(shape.letters, 130, 7));
            compare_tree(name, right, model, corpus_length(shape.letters, 40, 5));
        }
        temper_model_free(model);
        temper_spec_free(left);
        temper_spec_free(right);
    }
    CHECK(mirrored > pairs / 30, "only %zu of %zu went by suffixes", mirrored, pairs); /* about a fifth do */
}

/* No tree: strings side by side, whose margins are those of runs to the last bit. */
static void test_both_ways(void) {
    test_random r = test_seed(42);
    size_t pairs = (size_t)(200 * test_effort()), walked = 0;
    for (size_t k = 0; k < pairs; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 2 + random_below(&r, 10),
                              .depth = 1 + random_below(&r, 5),
                              .past = true,
                              .future = true,
                              .counting = random_below(&r, 2),
                              .modulo = random_below(&r, 4) == 0,
                              .mixed_attend = random_below(&r, 4) == 0};
        temper_at at = random_below(&r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
        temper_spec *left = random_spec(&r, &shape, random_below(&r, 4) ? at : TEMPER_AT_LAST),
                    *right = random_spec(&r, &shape, at);
        temper_model *model = model_of(right, (temper_method)random_below(&r, 3));
        char name[40];
        snprintf(name, sizeof name, "both ways %zu", k);
        if (model && !has_tree(left, model)) {
            expected want;
            temper_check_result got;
            temper_error e;
            temper_check_options options = {.exhaustive = corpus_length(shape.letters, 130, 7)};
            walked++;
            compare_tree(name, left, model, options.exhaustive);
            compare_tree(name, right, model, corpus_length(shape.letters, 40, 5));
            expect(&want, left, model, options.exhaustive);
            if (CHECK(!temper_check(&got, left, model, &options, &e), "%s: %s", name, e.text))
                CHECK(got.margin == want.margin, "%s: margin %a, expected %a", name, got.margin, want.margin);
            temper_check_clear(&got);
        }
        temper_model_free(model);
        temper_spec_free(left);
        temper_spec_free(right);
    }
    CHECK(walked > pairs / 2, "only %zu of %zu look both ways", walked, pairs);
}

/* One letter: strings beyond the table of places. */
static void test_tree_long(void) {
    static const char *const pairs[][2] = {{"#[a] >= 80", "#[a] >= 81"},
                                           {"#>[a] >= 80", "#>[a] >= 81"},
                                           {"#[a] % 3 = 1", "#[a] % 3 = 1"},
                                           {"#>[a] % 3 = 1", "#>[a] % 3 = 1"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
            temper_spec *said = spec_of(pairs[k][0], "a", TEMPER_AT_LAST),
                        *made = spec_of(pairs[k][1], "a", TEMPER_AT_LAST);
            temper_model *model = made ? model_of(made, method) : NULL;
            temper_check_options options = {.exhaustive = 120};
            temper_check_result got = {0};
            temper_error e;
            if (said && model &&
                CHECK(!temper_check(&got, said, model, &options, &e), "%s: %s", pairs[k][0], e.text)) {
                bool same = k >= 2;
                CHECK(has_tree(said, model), "%s: no tree", pairs[k][0]);
                CHECK(got.agreed == same && got.strings == (same ? 121 : 81) &&
                          got.counterexample_length == (same ? 0 : 80) && got.position == (k == 1 ? 1 : 0),
                      "%s: agreed %d, %llu strings, length %zu, position %zu", pairs[k][0], got.agreed,
                      (unsigned long long)got.strings, got.counterexample_length, got.position);
            }
            temper_check_clear(&got);
            temper_model_free(model);
            temper_spec_free(made);
            temper_spec_free(said);
        }
}

/* A model with one text changed has no tree: its heads are not those of their roles. */
static void test_tree_refusals(void) {
    static const struct {
        const char *source;
        temper_method method;
        const char *from, *to;
    } edits[] = {
        {"F a", TEMPER_METHOD_TEMPERATURE, "scale \"ln(N) + 8\"", "scale \"ln(N) + 9\""},
        {"F a", TEMPER_METHOD_TEMPERATURE, "mask j>=i", "mask j<=i"},
        {"F a", TEMPER_METHOD_TEMPERATURE, "mask j>=i", "mask all"},
        {"a U b", TEMPER_METHOD_TEMPERATURE, "soft \"i/N\"", "soft \"(N - 1 - i)/N\""},
        {"a U b", TEMPER_METHOD_POSITIONS, "position \"8*N\"", "position \"9*N\""},
        {"#>[a] >= #>[b]", TEMPER_METHOD_TEMPERATURE, "soft \"ln(max(N - 1 - i, 1))", "soft \"ln(max(i, 1))"},
        {"#>[a] >= #>[b]", TEMPER_METHOD_POSITIONS, "position \"[i = N - 1]*16*N", "position \"[i = 0]*16*N"},
        {"#>[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "position \"1/(N - i)\"", "position \"1/(i + 1)\""},
        {"#>[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "position \"(N - 1 - i)/(N*N)\"", "position \"i/(N*N)\""},
        {"#>[a] % 3 = 1", TEMPER_METHOD_POSITIONS, "position \"16*N*(N - 1 - i)\"", "position \"16*N*i\""},
        {"#>[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "position \"[(N - 1 - i) % 3 = 1]\"",
         "position \"[i % 3 = 1]\""},
        {"#>[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "position \"[(N - 1 - i) % 3 = 1]\"",
         "position \"[(N - 2 - i) % 3 = 1]\""},
        {"last & X a | F b", TEMPER_METHOD_TEMPERATURE, "position \"[i = n]*[1 <= n]\"", "position \"[i = n]\""},
    };
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        temper_spec *spec = spec_of(edits[k].source, "abc", 0);
        temper_model *model = spec ? model_of(spec, edits[k].method) : NULL, *changed = NULL;
        temper_error e;
        char *printed = NULL, other[1 << 14];
        size_t length;
        if (model && CHECK(!temper_model_print(&printed, &length, model, &e), "%s", e.text)) {
            char *at = strstr(printed, edits[k].from), *digest = strstr(printed, "\ndigest");
            CHECK(has_tree(spec, model), "%s: no tree", edits[k].source);
            if (CHECK(at && digest && length < sizeof other - 100, "'%s' in the model of %s", edits[k].from,
                      edits[k].source)) {
                digest[1] = 0;
                int used = snprintf(other, sizeof other, "%.*s%s%s", (int)(at - printed), printed, edits[k].to,
                                    at + strlen(edits[k].from));
                if (CHECK(!temper_model_read(&changed, other, (size_t)used, &e), "%s: %s", edits[k].to, e.text))
                    CHECK(!has_tree(spec, changed), "%s: %s -> %s is walked", edits[k].source, edits[k].from,
                          edits[k].to);
            }
        }
        temper_free(printed);
        temper_model_free(changed);
        temper_model_free(model);
        temper_spec_free(spec);
    }
}

/* Many units: the same result for any number of threads, bit for bit. */
static void test_threads(void) {
    static const char *const pairs[][3] = {{"#[a] >= 13", "#[a] >= 14", "aaaaaaaaaaaaa"},
                                           {"#[b] >= 13", "#[b] >= 14", "bbbbbbbbbbbbb"},
                                           {"#[a] - #[b] >= 12", "#[a] - #[b] >= 13", "aaaaaaaaaaaa"},
                                           {"#[b] >= 8 & Y Y Y Y Y a", "#[b] >= 9 & Y Y Y Y Y a", "abbbbbabbb"},
                                           {"(a S b) & #[a] % 3 = 1", "(a S b) & #[a] % 3 = 1", NULL},
                                           {"#>[a] >= 13", "#>[a] >= 14", "aaaaaaaaaaaaa"},
                                           {"#>[b] >= 12", "#>[b] >= 13", "bbbbbbbbbbbb"},
                                           {"F(b & #>[b] >= 6 & X X X X X X X X X X X X X a)",
                                            "F(b & #>[b] >= 7 & X X X X X X X X X X X X X a)", "baaaaaaabbbbba"},
                                           {"(a U b) & #>[a] % 3 = 1", "(a U b) & #>[a] % 3 = 1", NULL},
                                           {"#[a] + #>[a] >= 14", "#[a] + #>[a] >= 15", "aaaaaaaaaaaaa"},
                                           {"#[b] + #>[b] >= 13", "#[b] + #>[b] >= 14", "bbbbbbbbbbbb"},
                                           {"F a & O b & #[a] = #>[b]", "F a & O b & #[a] = #>[b]", NULL}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        temper_at at = strstr(pairs[k][0], "#[") && strstr(pairs[k][0], "#>") ? TEMPER_AT_LAST : 0;
        temper_spec *said = spec_of(pairs[k][0], "ab", at), *modelled = spec_of(pairs[k][1], "ab", at);
        temper_model *model = modelled ? model_of(modelled, TEMPER_METHOD_TEMPERATURE) : NULL;
        temper_check_result first = {0};
        for (unsigned threads = 1; said && model && threads <= 5; threads += 2) {
            temper_check_result got;
            temper_error e;
            temper_check_options options = {.exhaustive = 14, .threads = threads};
            char word[32] = "";
            if (!CHECK(!temper_check(&got, said, model, &options, &e), "%s", e.text)) break;
            if (got.counterexample) word_text(word, model, got.counterexample, got.counterexample_length);
            if (k != 3)
                CHECK(got.agreed == !pairs[k][2] && !strcmp(word, pairs[k][2] ? pairs[k][2] : ""), "%s: %s",
                      pairs[k][0], word);
            if (threads == 1) {
                first = got;
                continue;
            }
            CHECK(got.strings == first.strings && got.margin == first.margin && got.agreed == first.agreed &&
                      got.counterexample_length == first.counterexample_length && got.position == first.position &&
                      (!got.counterexample || !memcmp(got.counterexample, first.counterexample,
                                                      got.counterexample_length * sizeof *got.counterexample)),
                  "%s with %u threads: %s after %llu", pairs[k][0], threads, word, (unsigned long long)got.strings);
            temper_check_clear(&got);
        }
        temper_check_clear(&first);
        temper_model_free(model);
        temper_spec_free(modelled);
        temper_spec_free(said);
    }
}

int main(void) {
    test_tree_corpus();
    test_tree_pairs();
    test_both_ways();
    test_tree_long();
    test_tree_refusals();
    test_threads();
    return test_finish("t-tree");
}

/* Formulas at computed positions: what they cost, where they are proved, what is refused and with which words, and
   the tasks that they are for (reverse, delay, rotate, the k-th letter) against plain programs, up to 100,000
   letters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "random_formula.h"
#include "test.h"

static temper_spec *parsed(const char *written) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    CHECK(temper_spec_parse(&spec, written, strlen(written), &o, &e) == TEMPER_OK, "%s: %s", written, e.text);
    return spec;
}

static temper_model *built(const char *written, temper_method method) {
    temper_spec *spec = parsed(written);
    temper_model *m = NULL;
    temper_error e;
    temper_build_options o = {.method = method};
    CHECK(temper_build(&m, spec, &o, &e) == TEMPER_OK, "%s: %s", written, e.text);
    temper_spec_free(spec);
    return m;
}

/* ---- cost ---- */

/* A mean and a look-up, shared wherever they are the same. */
static void test_sizes(void) {
    static const struct {
        const char *text;
        uint32_t layers;
        size_t heads;
        bool has_end;
    } known[] = {
        {"a @ #>[true]", 2, 2, true},
        {"a @ #[true] - 3", 2, 2, false},
        {"b @ #[a]", 2, 2, false},
        {"#[a] % 2 = 1 & (b @ #[a])", 2, 2, false},
        {"#[a] % 2 = 1 & (b @ #[a]) & !(c @ #[a])", 2, 2, false},
        {"(a @ #>[true]) ^ (b @ #>[true]) & (c @ #>[true])", 3, 2, true},
        {"(a @ 2*#[b] + 1) & (c @ 2*#[b] + 1) & (b @ 2*#[b] + 2)", 2, 3, true},
        {"a @ #[true]", 0, 0, false},
        {"a @ #[true] - 1", 1, 1, false},
        {"a @ #[true] + 1", 1, 1, true},
        {"a @ #>[true] + #[true] - 2", 2, 2, true},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (int method = 0; method < 2; method++) {
            temper_model *m = built(known[k].text, method ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE);
            if (!m) continue;
            size_t heads = 0;
            for (uint32_t l = 0; l < m->layer_count; l++) heads += m->layers[l].head_count;
            CHECK(m->layer_count == known[k].layers && heads == known[k].heads && m->has_end == known[k].has_end,
                  "%s: %u layers, %zu heads, end %d", known[k].text, m->layer_count, heads, m->has_end);
            temper_model_free(m);
        }
}

/* Whatever the coefficients are: rounding is relative, and so is the gap. */
static void test_lengths(void) {
    static const struct {
        const char *text;
        size_t f64, f32;
    } known[] = {
        {"a @ #>[true]", 14000000, 600},           {"b @ #[a]", 14000000, 600},
        {"a @ #[true] - 1000", 14000000, 600},     {"a @ 7*#[b] - 5*#[a] + 3*#[true] - 11", 14000000, 600},
        {"a @ -1000*#>[b] + 4000", 14000000, 600}, {"a @ 100000", 14000000, 600},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        temper_model *m = built(known[k].text, TEMPER_METHOD_TEMPERATURE);
        if (!m) continue;
        for (int half = 0; half < 2; half++) {
            temper_proof proof;
            temper_error e;
            temper_type type = half ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64;
            size_t least = half ? known[k].f32 : known[k].f64;
            if (!CHECK(temper_model_proof(&proof, m, type, 0, &e) == TEMPER_OK, "%s: %s", known[k].text, e.text))
                continue;
            CHECK(proof.length >= least && proof.claim == TEMPER_CLAIM_FORMULA, "%s in %s: %zu as %s", known[k].text,
                  temper_type_name(type), proof.length, temper_claim_name(proof.claim));
        }
        temper_model_free(m);
    }
}

/* ---- refusals ---- */

static void test_refusals(void) {
    static const struct {
        const char *text;
        temper_status code;
        size_t column;
        const char *message;
    } known[] = {
        {"a @ #[a] + #>[b]", TEMPER_UNSUPPORTED, 3, "counts both over j <= i and over j >= i"},
        {"b | (a @ #[a] - 2*#>[b & Y a])", TEMPER_UNSUPPORTED, 8, "counts both over j <= i and over j >= i"},
        {"a @ #[a] + 2*#>[true]", TEMPER_UNSUPPORTED, 3, "n, the length, more than once"},
        {"a @ #[a] - #>[true]", TEMPER_UNSUPPORTED, 3, "n, the length, more than once"},
        {"a @ #>[a] + 2*#[true]", TEMPER_UNSUPPORTED, 3, "n, the length, more than once"},
        {"a @ 2*#[true] - #>[true]", TEMPER_UNSUPPORTED, 3, "n, the length, more than once"},
        {"a @ #[a] + 2251799813685249", TEMPER_LIMIT, 0, "too large"},
        {"a @ 9223372036854775807*#[true] - 9223372036854775807*#>[true]", TEMPER_LIMIT, 3, "does not fit"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        temper_spec *spec = parsed(known[k].text);
        temper_model *m = NULL;
        temper_error e = {0};
        if (!spec) continue;
        temper_status status = temper_build(&m, spec, NULL, &e);
        CHECK(status == known[k].code && e.column == known[k].column && strstr(e.text, known[k].message) && !m,
              "%s: %d at %zu: %s", known[k].text, (int)status, e.column, e.text);
        temper_spec_free(spec);
    }
}

/* ---- tasks ---- */

typedef size_t task_source(size_t i, size_t n); /* whose letter stands at i; 0: none */

static size_t reverse(size_t i, size_t n) { return n + 1 - i; }
static size_t delay(size_t i, size_t n) { return n && i > 7 ? i - 7 : 0; }
static size_t rotate(size_t i, size_t n) { return i == 1 ? n : i - 1; }
static size_t fifth(size_t i, size_t n) { return i && n >= 5 ? 5 : 0; }
static size_t spread(size_t i, size_t n) { return 3 * i <= n + 2 ? 3 * i - 2 : 0; }

static void check_task(const char *written, task_source *source, const uint32_t *word, size_t n) {
    for (int method = 0; method < 2; method++) {
        temper_model *m = built(written, method ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE);
        for (int half = 0; m && half < 2; half++) {
            temper_run_options o = {.type = half ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64};
            temper_run *run = NULL;
            temper_error e;
            if (half && n > 600) continue;
            if (!CHECK(temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK, "%s at %zu: %s", written, n, e.text))
                continue;
            const unsigned char *truth = temper_run_about(run).truth;
            size_t wrong = 0;
            for (size_t i = 1; i <= n; i++) {
                size_t j = source(i, n);
                wrong += truth[i] != (j > 0 && word[j - 1] == 0);
            }
            CHECK(wrong == 0, "%s: %zu of %zu positions are wrong", written, wrong, n);
            temper_run_free(run);
        }
        temper_model_free(m);
    }
}

static void test_tasks(void) {
    static const struct {
        const char *text;
        task_source *source;
    } tasks[] = {{"a @ #>[true]", reverse},
                 {"a @ #[true] - 7", delay},
                 {"(a @ #[true] - 1) | first & (a @ #[true] + #>[true] - 1)", rotate},
                 {"a @ 5", fifth},
                 {"a @ 3*#[true] - 2", spread}};
    enum { FAR = 100000 };
    static const size_t lengths[] = {0, 1, 2, 4, 5, 6, 7, 8, 31, 600, 1000};
    test_random r = test_seed(150);
    uint32_t *word = calloc(FAR, sizeof *word);
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            random_word(word, lengths[k], 3, &r);
            check_task(tasks[t].text, tasks[t].source, word, lengths[k]);
        }
    random_word(word, FAR, 3, &r);
    for (size_t t = 0; t < (test_effort() < 1 ? 1 : sizeof tasks / sizeof *tasks); t++)
        check_task(tasks[t].text, tasks[t].source, word, FAR);
    free(word);
}

int main(void) {
    test_sizes();
    test_lengths();
    test_refusals();
    test_tasks();
    return test_finish("t-places");
}

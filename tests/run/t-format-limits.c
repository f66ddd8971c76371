/* The lengths at which short formats go wrong, beside those found by rounding logits only: a full run rounds more,
   yet breaks where the logits do (doc/numerics.md). Strings with a candidate next to every other key; all lengths in
   turn, from 1 or where it is far, the last hundred. */
#include <stdlib.h>
#include <string.h>

#include "agree.h"

static const struct limit {
    const char *formula;
    temper_method method;
    temper_type type;
    const char *patterns[2]; /* a string repeats what follows the colon */
    size_t first;            /* the first wrong length; 0: none up to `most` */
    size_t most;
    size_t logits; /* the first wrong N = n + 1 if only logits are rounded; 0: not known */
} limits[] = {
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16, {":bc", ":cb"}, 85, 100, 86},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16_F32, {":bc", ":cb"}, 85, 100, 86},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16, {":bc", ":cb"}, 682, 700, 683},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16_F32, {":bc", ":cb"}, 683, 700, 683},
    {"a S b", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16, {":bc", ":cb"}, 128, 140, 130},
    {"a S b", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16_F32, {":bc", ":cb"}, 257, 270, 0},
    {"a S b", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_F16, {":bc", ":cb"}, 1024, 1030, 1026},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_E4M3_F32, {":bc", ":cb"}, 5, 10, 0},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_E5M2_F32, {":bc", ":cb"}, 4, 10, 0},
    {"Y a", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16, {":ab", ":ba"}, 257, 270, 0},
    {"Y a", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16_F32, {":ab", ":ba"}, 257, 270, 0},
    {"Y a", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16, {":ab", ":ba"}, 258, 270, 0},
    /* centred digits: as the logits of centred positions; e4m3 and, alone, f16 and e4m3 end by overflow */
    {"a S b", TEMPER_METHOD_DIGITS, TEMPER_TYPE_BF16, {":bc", ":cb"}, 514, 520, 514},
    {"a S b", TEMPER_METHOD_DIGITS, TEMPER_TYPE_F16, {":bc", ":cb"}, 2048, 2050, 0},
    {"a S b", TEMPER_METHOD_DIGITS, TEMPER_TYPE_E4M3, {":bc", ":cb"}, 16, 20, 0},
    {"a S b", TEMPER_METHOD_DIGITS, TEMPER_TYPE_E5M2, {":bc", ":cb"}, 18, 20, 0},
    {"a S b", TEMPER_METHOD_DIGITS, TEMPER_TYPE_E4M3_F32, {":bc", ":cb"}, 4096, 4100, 0},
    {"Y a", TEMPER_METHOD_DIGITS, TEMPER_TYPE_BF16, {":ab", ":ba"}, 513, 520, 0},
    {"Y a", TEMPER_METHOD_DIGITS, TEMPER_TYPE_F16, {":ab", ":ba"}, 4097, 4100, 0},
    /* kappa is 16 here, and 5 where only logits were rounded; in f16 the scale 16 N^3 overflows */
    {"#[a] % 2 = 1", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16, {"b:a", ":a"}, 12, 40, 12},
    {"#[a] % 2 = 1", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16_F32, {"b:a", ":a"}, 14, 40, 12},
    {"#[a] % 2 = 1", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16, {"b:a", ":a"}, 15, 40, 23},
    {"#[a] % 2 = 1", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16_F32, {"b:a", ":a"}, 32, 40, 23},
};

static void fill(uint32_t *word, size_t n, const char *pattern) {
    const char *colon = strchr(pattern, ':'), *period = colon + 1;
    size_t head = (size_t)(colon - pattern);
    for (size_t i = 0; i < n; i++)
        word[i] = (uint32_t)((i < head ? pattern[i] : period[(i - head) % strlen(period)]) - 'a');
}

/* Overflow is wrong as well. */
static bool is_right(const temper_model *m, const temper_spec *spec, temper_type type, const uint32_t *word,
                     size_t n) {
    temper_run *r;
    temper_error e;
    temper_run_options o = {.type = type, .unchecked = 1};
    unsigned char *truth = calloc(n + 1, 1);
    int accept;
    bool right = temper_spec_eval(&accept, truth, spec, word, n, &e) == TEMPER_OK;
    temper_status status = temper_model_run(&r, m, word, n, &o, &e);
    CHECK(status == TEMPER_OK || status == TEMPER_RANGE, "length %zu: %s", n, e.text);
    if (status == TEMPER_OK) {
        for (size_t i = 1; i <= n; i++) right &= temper_run_about(r).truth[i] == truth[i - 1];
        temper_run_free(r);
    }
    free(truth);
    return right && status == TEMPER_OK;
}

static void find_limit(const struct limit *l) {
    temper_spec *spec = spec_of(l->formula, "abc", TEMPER_AT_LAST);
    temper_model *m = l->method == TEMPER_METHOD_DIGITS ? digits_of(spec, l->type) : model_of(spec, l->method);
    uint32_t *word = calloc(l->most, sizeof *word);
    size_t first = 0, from = l->most < (test_effort() > 1 ? 2000 : 500) ? 1 : l->most - 100;
    for (size_t n = from; m && !first && n <= l->most; n++)
        for (size_t k = 0; k < 2; k++) {
            fill(word, n, l->patterns[k]);
            if (!is_right(m, spec, l->type, word, n)) first = n;
        }
    CHECK(first == l->first, "%s by %s in %s: first wrong at length %zu, not %zu", l->formula,
          temper_method_name(l->method), temper_type_name(l->type), first, l->first);
    CHECK(!l->logits || (first + 1 <= 2 * l->logits && 2 * (first + 1) >= l->logits),
          "%s in %s: by logits alone N = %zu", l->formula, temper_type_name(l->type), l->logits);
    free(word);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* Candidates far left, far right, everywhere but at the ends, none. */
static void once_never(void) {
    static const char *const patterns[] = {"a:b", ":b", ":a", "b:a", "bbbbbbbbbbb:abcbcbcbcbcbcbcbcbcbcbcbcb"};
    static const size_t lengths[] = {1, 10, 255, 256, 257, 2047, 2048, 2049, 30000};
    temper_spec *spec = spec_of("O a", "abc", TEMPER_AT_LAST);
    uint32_t *word = calloc(30000, sizeof *word);
    for (temper_method how = TEMPER_METHOD_TEMPERATURE; how <= TEMPER_METHOD_DIGITS; how++) {
        temper_model *m = model_of(spec, how);
        for (temper_type type = TEMPER_TYPE_BF16_F32; m && type <= TEMPER_TYPE_F16; type++)
            for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
                for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                    fill(word, lengths[l], patterns[k]);
                    CHECK(is_right(m, spec, type, word, lengths[l]), "O a by %s in %s is wrong on %s of length %zu",
                          temper_method_name(how), temper_type_name(type), patterns[k], lengths[l]);
                }
        temper_model_free(m);
    }
    free(word);
    temper_spec_free(spec);
}

int main(void) {
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (limits[k].most < 500 || test_effort() >= 1) find_limit(&limits[k]);
    once_never();
    return test_finish("t-format-limits");
}

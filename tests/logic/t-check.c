/* temper_check: right pairs agree; wrong pairs give the counterexample that brute force over the two formulas
   gives. */
#include "base/arena.h"
#include "check/sample.h"
#include "temper.h"
#include "agree.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Position (0: verdict) where the formulas differ on a word of letters a, b; -1 if they agree. The two number the
   letters differently. */
static long brute_difference(const temper_spec *left, const temper_spec *right, const char *word, size_t n) {
    unsigned char truth[2][64];
    int accept[2];
    const temper_spec *specs[2] = {left, right};
    for (size_t s = 0; s < 2; s++) {
        uint32_t letters[64];
        for (size_t k = 0; k < n; k++)
            for (uint32_t l = 0; l < 2; l++)
                if (temper_spec_letter(specs[s], l)[0] == word[k]) letters[k] = l;
        temper_error e;
        CHECK(!temper_spec_eval(&accept[s], truth[s], specs[s], letters, n, &e), "eval: %s", e.text);
    }
    if (accept[0] != accept[1]) return 0;
    for (size_t k = 0; k < n; k++)
        if (truth[0][k] != truth[1][k]) return (long)k + 1;
    return -1;
}

/* The first difference over all words up to `longest`, by length, then in the order of the model's letters. */
static bool brute_force(char *word, long *position, const temper_spec *said, const temper_spec *modelled,
                        size_t longest) {
    for (size_t n = 0; n <= longest; n++) {
        for (unsigned long bits = 0; bits < 1ul << n; bits++) {
            for (size_t k = 0; k < n; k++) word[k] = temper_spec_letter(modelled, bits >> (n - 1 - k) & 1)[0];
            word[n] = 0;
            *position = brute_difference(said, modelled, word, n);
            if (*position >= 0) return true;
        }
    }
    return false;
}

static void word_text(char *out, const temper_model *model, const uint32_t *letters, size_t n) {
    for (size_t k = 0; k < n; k++) out[k] = temper_model_letter(model, letters[k])[0];
    out[n] = 0;
}

static void test_pair(const char *left, const char *right, temper_method method) {
    temper_spec *said = spec_of(left, "ab", TEMPER_AT_LAST), *modelled = spec_of(right, "ba", TEMPER_AT_LAST);
    temper_model *model = modelled ? model_of(modelled, method) : NULL;
    temper_check_result result = {0};
    temper_check_options options = {.exhaustive = 6};
    temper_error e;
    if (said && model &&
        CHECK(!temper_check(&result, said, model, &options, &e), "%s against %s: %s", left, right, e.text)) {
        char word[64], got[64] = "";
        long position;
        bool found = brute_force(word, &position, said, modelled, 6);
        if (result.counterexample) word_text(got, model, result.counterexample, result.counterexample_length);
        CHECK(result.agreed == !found, "%s against %s: agreed %d, brute force %s", left, right, result.agreed, word);
        if (found && result.counterexample) {
            CHECK(!strcmp(got, word), "%s against %s: '%s', brute force '%s'", left, right, got, word);
            CHECK((long)result.position == position, "%s against %s on %s: position %zu, brute force %ld", left,
                  right, word, result.position, position);
            CHECK(!strcmp(result.left, "formula") && !strcmp(result.right, "hard"), "%s %s", result.left,
                  result.right);
            CHECK(result.left_value != result.right_value, "values of %s against %s", left, right);
        } else {
            CHECK(result.strings == 127, "%llu strings", (unsigned long long)result.strings);
        }
        temper_check_clear(&result);
        CHECK(!result.counterexample, "cleared");
    }
    temper_model_free(model);
    temper_spec_free(modelled);
    temper_spec_free(said);
}

static void test_pairs(void) {
    static const char *const formulas[] = {
        "a",           "O a",          "H a",           "Y a",          "Z a",          "a S b",          "b S a",
        "O (a & Y b)", "#[a] >= #[b]", "#[a] > #[b]",   "#[a] % 2 = 0", "#[a] % 3 = 0", "O (a & Y Y b)",  "F a",
        "X b",         "G (a -> X b)", "#>[a] >= #[b]", "#[a] = 5",     "#[a] >= 7",    "!(a S b) | Y b", "a T b"};
    size_t count = sizeof formulas / sizeof *formulas;
    for (size_t l = 0; l < count; l++)
        for (size_t r = 0; r < count; r++)
            if (l == r || (l + 2 * r) % 3 == 0) test_pair(formulas[l], formulas[r], (temper_method)((l + r) % 3));
}

/* Differences only in long strings: the random part finds one, and deleting any letter makes it agree. */
static void test_random_part(void) {
    temper_spec *said = spec_of("#[a] >= 9 & O (b & Y a)", "ab", TEMPER_AT_LAST);
    temper_spec *modelled = spec_of("#[a] >= 10 & O (b & Y a)", "ab", TEMPER_AT_LAST);
    temper_model *model = modelled ? model_of(modelled, TEMPER_METHOD_TEMPERATURE) : NULL;
    temper_check_options options = {.exhaustive = 5, .random = 300, .length = 40, .seed = 5};
    temper_check_result first = {0}, second = {0};
    temper_error e;
    if (said && model && CHECK(!temper_check(&first, said, model, &options, &e), "%s", e.text) &&
        CHECK(!first.agreed && first.counterexample, "random strings find it")) {
        char word[64], shorter[64];
        size_t n = first.counterexample_length;
        word_text(word, model, first.counterexample, n);
        CHECK(brute_difference(said, modelled, word, n) == (long)first.position, "%s at %zu", word, first.position);
        CHECK(n == 10, "nine a and a b are enough: %s", word);
        for (size_t k = 0; k < n; k++) {
            memcpy(shorter, word, k);
            memcpy(shorter + k, word + k + 1, n - k);
            CHECK(brute_difference(said, modelled, shorter, n - 1) < 0, "%s is shorter than %s", shorter, word);
        }
        CHECK(!temper_check(&second, said, model, &options, &e), "%s", e.text);
        CHECK(second.strings == first.strings && second.counterexample_length == n &&
                  !memcmp(second.counterexample, first.counterexample, n * sizeof *first.counterexample),
              "the same seed gives the same answer");
    }
    temper_check_clear(&first);
    temper_check_clear(&second);
    temper_model_free(model);
    temper_spec_free(modelled);
    temper_spec_free(said);
}

typedef struct progress {
    uint64_t calls, done, total, stop_at;
} progress;

static int note_progress(void *context, uint64_t done, uint64_t total) {
    progress *p = context;
    CHECK(done >= p->done && done <= total, "%llu after %llu of %llu", (unsigned long long)done,
          (unsigned long long)p->done, (unsigned long long)total);
    p->calls++;
    p->done = done;
    p->total = total;
    return p->stop_at && done >= p->stop_at;
}

static void test_edges(void) {
    temper_error e;
    temper_check_result result;
    temper_spec *once = spec_of("O a", "ab", 0), *other = spec_of("O a", "abc", 0), *less = spec_of("O a", "a", 0);
    temper_model *soft = model_of(once, TEMPER_METHOD_TEMPERATURE), *hard = model_of(once, TEMPER_METHOD_HARD);
    if (!once || !other || !less || !soft || !hard) return;

    progress p = {0};
    temper_check_options options = {.exhaustive = 7, .random = 100, .length = 50, .seed = 1};
    options.progress = note_progress;
    options.context = &p;
    CHECK(!temper_check(&result, once, soft, &options, &e), "%s", e.text);
    CHECK(result.agreed && !result.stopped && result.strings == 355 && p.done == 355 && p.total == 355,
          "%llu strings", (unsigned long long)result.strings);
    CHECK(result.margin > 0 && result.margin < 0.25, "margin %g", result.margin);
    temper_check_clear(&result);
    p = (progress){0};
    CHECK(!temper_check(&result, NULL, soft, &options, &e) && result.agreed, "hard against soft");
    temper_check_clear(&result);

    p = (progress){.stop_at = 1};
    options.exhaustive = 14;
    CHECK(!temper_check(&result, once, hard, &options, &e), "%s", e.text);
    CHECK(result.stopped && result.agreed && result.strings < 32768, "stopped after %llu",
          (unsigned long long)result.strings);
    temper_check_clear(&result);

    CHECK(temper_check(&result, NULL, hard, &options, &e) == TEMPER_RANGE, "nothing to compare");
    CHECK(temper_check(&result, once, NULL, &options, &e) == TEMPER_RANGE, "no model");
    CHECK(temper_check(&result, other, soft, &options, &e) == TEMPER_RANGE && strstr(e.text, "'c'"), "%s", e.text);
    CHECK(temper_check(&result, less, soft, &options, &e) == TEMPER_RANGE && strstr(e.text, "'b'"), "%s", e.text);
    options.exhaustive = 62;
    CHECK(temper_check(&result, once, soft, &options, &e) == TEMPER_LIMIT, "2^63 strings");
    options = (temper_check_options){.random = UINT64_MAX, .length = 3};
    CHECK(temper_check(&result, once, soft, &options, &e) == TEMPER_LIMIT, "2^64 strings");

    temper_spec *large = spec_of("1000000000000*#[a] >= 999999999999*#[b]", "ab", 0);
    temper_model *unsafe = large ? model_of(large, TEMPER_METHOD_TEMPERATURE) : NULL;
    if (unsafe) {
        temper_proof whole;
        CHECK(temper_model_proof(&whole, unsafe, TEMPER_TYPE_F64, 0, &e) == TEMPER_OK, "%s", e.text);
        options = (temper_check_options){.random = 1, .length = 100000};
        char proved[32];
        snprintf(proved, sizeof proved, "%zu", whole.length);
        CHECK(whole.claim == TEMPER_CLAIM_FORMULA && whole.length < 100000, "proved length %s", proved);
        CHECK(temper_check(&result, large, unsafe, &options, &e) == TEMPER_LIMIT && strstr(e.text, proved), "%s",
              e.text);
    }
    temper_model_free(unsafe);
    temper_spec_free(large);
    temper_model_free(soft);
    temper_model_free(hard);
    temper_spec_free(once);
    temper_spec_free(other);
    temper_spec_free(less);
}

/* The verdict is compared too: same truth everywhere, read at different ends, or on the empty string. */
static void test_verdict(void) {
    temper_spec *last = spec_of("O a", "ab", TEMPER_AT_LAST), *first = spec_of("O a", "ab", TEMPER_AT_FIRST), *empty;
    temper_spec_options options = {.alphabet = "ab", .empty = TEMPER_EMPTY_ACCEPT};
    temper_error e;
    CHECK(!temper_spec_parse(&empty, "O a", 3, &options, &e), "%s", e.text);
    temper_model *model = model_of(last, TEMPER_METHOD_POSITIONS);
    temper_check_options upto = {.exhaustive = 4};
    temper_check_result result;
    CHECK(!temper_check(&result, first, model, &upto, &e), "%s", e.text);
    CHECK(result.counterexample_length == 2 && result.position == 0 && !result.agreed &&
              result.counterexample[0] == 1 && result.counterexample[1] == 0 && !result.left_value &&
              result.right_value,
          "ba tells first from last");
    temper_check_clear(&result);
    CHECK(!temper_check(&result, empty, model, &upto, &e), "%s", e.text);
    CHECK(!result.agreed && result.counterexample && result.counterexample_length == 0 && result.left_value,
          "the empty string");
    temper_check_clear(&result);
    temper_model_free(model);
    temper_spec_free(last);
    temper_spec_free(first);
    temper_spec_free(empty);

    /* the same in the mirror */
    first = spec_of("F a", "ab", TEMPER_AT_FIRST), last = spec_of("F a", "ab", TEMPER_AT_LAST);
    CHECK(!temper_spec_parse(&empty, "F a", 3, &options, &e), "%s", e.text);
    for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
        model = model_of(first, method);
        CHECK(!temper_check(&result, last, model, &upto, &e), "%s", e.text);
        CHECK(result.counterexample_length == 2 && result.position == 0 && !result.agreed &&
                  result.counterexample[0] == 0 && result.counterexample[1] == 1 && !result.left_value,
              "ab tells last from first");
        temper_check_clear(&result);
        CHECK(!temper_check(&result, empty, model, &upto, &e), "%s", e.text);
        CHECK(!result.agreed && result.counterexample && result.counterexample_length == 0 && result.left_value,
              "the empty string");
        temper_check_clear(&result);
        temper_model_free(model);
        model = model_of(empty, method);
        CHECK(!temper_check(&result, empty, model, &upto, &e) && result.agreed && result.strings == 31, "accepted");
        temper_check_clear(&result);
        temper_model_free(model);
    }
    temper_spec_free(last);
    temper_spec_free(first);
    temper_spec_free(empty);
}

static void test_sample(void) {
    sample s;
    sample_start_block(&s, 42, 0);
    uint32_t word[64];
    bool lengths[33] = {0};
    for (unsigned k = 0; k < 3000; k++) {
        size_t n = sample_string(word, &s, 3, 32, 3);
        if (!CHECK(n >= 3 && n <= 32, "length %zu", n)) break;
        lengths[n] = true;
        for (size_t i = 0; i < n; i++) CHECK(word[i] < 3, "letter %u", word[i]);
    }
    for (size_t n = 3; n <= 32; n++) CHECK(lengths[n], "no string of length %zu", n);
    for (unsigned k = 0; k < 100; k++) CHECK(sample_string(word, &s, 0, 0, 0) == 0, "no letters");
}

/* Memory may run out at any allocation: a status, no leak (the sanitizers look), no result. */
static void test_no_memory(void) {
    temper_spec *spec = spec_of("a S b", "ab", 0), *wrong = spec_of("b S a", "ab", 0);
    temper_model *model = model_of(spec, TEMPER_METHOD_TEMPERATURE);
    temper_check_options options = {.exhaustive = 2};
    bool done = false;
    for (unsigned long k = 1; model && !done && k < 1000; k++) {
        temper_check_result result;
        temper_error e;
        arena_fail_after(k);
        temper_status status = temper_check(&result, wrong, model, &options, &e);
        arena_fail_after(0);
        done = status == TEMPER_OK;
        CHECK(done || (status == TEMPER_NO_MEMORY && !result.counterexample), "allocation %lu: %s", k, e.text);
        temper_check_clear(&result);
    }
    CHECK(done, "it ends");
    temper_model_free(model);
    temper_spec_free(spec);
    temper_spec_free(wrong);
}

int main(void) {
    test_sample();
    test_pairs();
    test_random_part();
    test_edges();
    test_verdict();
    test_no_memory();
    return test_finish("t-check");
}

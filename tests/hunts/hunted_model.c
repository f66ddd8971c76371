#include "addressed.h"
#include "hunted_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "random_formula.h"
#include "run/dense.h"
#include "run/exact_run.h"

enum { LONGEST = 300, SHORT_STRINGS = 40, LONG_STRINGS = 8, HARD_LONGEST = 12 };

static bool blame(const target *t, const char *what, const uint32_t *word, size_t n) {
    char shown[LONGEST + 1];
    for (size_t k = 0; k < n; k++) shown[k] = (char)('a' + word[k] % 26);
    shown[n] = 0;
    return CHECK(false, "CERTIFIED AND WRONG: made of '%s', in %s to %llu, claim %s: %s on '%s'\n%s", t->honest,
                 temper_type_name(t->request.type), (unsigned long long)t->request.length,
                 t->spec ? "formula" : "hard choices", what, shown, t->text);
}

/* The answers that are claimed at the letters, and that of the empty string. */
static bool consult(const target *t, const uint32_t *word, size_t n, unsigned char *truth, int *accept) {
    if (t->spec) return temper_spec_eval(accept, truth, t->spec, word, n, NULL) == TEMPER_OK;
    trap guard;
    arena memory, scratch;
    rational_pool pool;
    volatile bool ok = false;
    arena_init(&memory, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        rational_pool_init(&pool, &memory);
        rational *answer = exact_run(t->model, word, n, NULL, &pool, &scratch), *half = rational_array(&pool, 1);
        rational_set_ratio(half, 1, 2);
        for (size_t k = 0; k < n; k++) truth[k] = rational_cmp(&answer[k + 1], half) > 0;
        *accept = rational_cmp(&answer[0], half) > 0;
        ok = true;
        trap_clear(&guard);
    }
    arena_free(&memory);
    arena_free(&scratch);
    return ok;
}

static bool is_claimed(const target *t, size_t k, size_t n) {
    return !t->verdict_only || k == (t->model->at == TEMPER_AT_FIRST ? 0 : n - 1);
}

/* The run of doc/numerics.md in the type's formats. */
static bool emulate(const target *t, const uint32_t *word, size_t n, const unsigned char *truth, int accept,
                    uint64_t shake) {
    const number_type *type = number_type_of(t->request.type);
    dense_setting s = {
        .storage = type->storage, .accumulation = type->accumulation, .tile = type->tile, .shake = shake};
    dense_answer answer;
    trap guard;
    arena stream, scratch;
    volatile bool same = false;
    arena_init(&stream, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        dense_run(&answer, t->model, word, n, &s, &stream, &scratch);
        bool equal = !answer.broken && (n > 0 || answer.truth[0] == accept);
        for (size_t k = 0; k < n && equal; k++) equal = answer.truth[k + 1] == truth[k] || !is_claimed(t, k, n);
        same = equal;
        trap_clear(&guard);
    }
    arena_free(&stream);
    arena_free(&scratch);
    return same || blame(t, shake ? "other answers with logits moved by a unit" : "other answers", word, n);
}

/* The runner's own kernels, for the types that it has. */
static bool run(const target *t, const uint32_t *word, size_t n, const unsigned char *truth) {
    temper_run_options o = {.type = t->request.type, .unchecked = 1, .threads = 1};
    temper_run *r;
    temper_error e;
    temper_status status = temper_model_run(&r, t->model, word, n, &o, &e);
    if (status != TEMPER_OK) return status == TEMPER_UNSUPPORTED || blame(t, e.text, word, n); /* no plan in f32 */
    bool same = true;
    for (size_t k = 0; k < n && same; k++)
        same = temper_run_about(r).truth[k + 1] == truth[k] || !is_claimed(t, k, n);
    temper_run_free(r);
    return same || blame(t, "other answers in the runner", word, n);
}

static bool try_string(test_random *r, uint64_t *strings, const target *t, const uint32_t *word, size_t n) {
    unsigned char truth[LONGEST];
    int accept = 0;
    if (!consult(t, word, n, truth, &accept)) return true; /* exact arithmetic has its limits */
    ++*strings;
    if (!emulate(t, word, n, truth, accept, 0)) return false;
    if (random_below(r, 3) == 0 && !emulate(t, word, n, truth, accept, 1 + random_u64(r) / 2)) return false;
    return number_type_is_emulated(t->request.type) || run(t, word, n, truth);
}

void hunted_attack(const target *t, test_random *r, uint64_t *strings) {
    size_t letters = t->model->letters.count, longest = t->spec ? LONGEST : HARD_LONGEST;
    size_t most = t->request.length < longest ? (size_t)t->request.length : longest;
    size_t all = corpus_length(letters, SHORT_STRINGS, most);
    uint32_t word[LONGEST] = {0};
    bool ok = true;
    for (size_t n = 0; n <= all && ok; n++) {
        memset(word, 0, sizeof word);
        do ok = try_string(r, strings, t, word, n);
        while (ok && corpus_next_word(word, n, letters));
    }
    for (int k = 0; k < LONG_STRINGS && ok; k++) {
        size_t n = k == 0 ? most : random_below(r, (k % 2 && most > 30 ? 30 : most) + 1);
        random_word(word, n, letters < 26 ? (unsigned)letters : 26, r);
        ok = try_string(r, strings, t, word, n);
    }
    CHECK(ok, "made of '%s'", t->honest);
}

char *hunted_address(const char *certificate, const target *t) {
    char hex[SHA256_HEX + 1], *out = malloc(strlen(certificate) + 100);
    const char *at = strstr(certificate, "\"sha256\": \""), *end = at ? strchr(at, '}') : NULL;
    if (!out || !end) abort();
    sha256_of(hex, t->text, t->size);
    sprintf(out, "%.*s\"sha256\": \"%s\", \"bytes\": %zu%s", (int)(at - certificate), certificate, hex, t->size, end);
    return out;
}

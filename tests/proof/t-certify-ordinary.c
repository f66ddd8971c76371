/* temper_ordinary_certify against the audit of what temper_ordinary_gguf writes: what is proved is accepted, the
   longest length is proved and no length after it is, and a shorter one is named where there is one to be found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ordinary_calls.h"
#include "ordinary_trials.h"
#include "temper.h"
#include "test.h"

enum { FARTHEST = 16384, SHORTER_MOST = 4096 };

static struct { size_t verdicts, proved, shorter; } total;

static temper_ordinary_verdict ask(const char *source, const char *letters, const temper_ordinary_options *o) {
    temper_error e = {0};
    temper_ordinary_verdict v = {0};
    temper_spec *s = ordinary_parse(source, letters);
    if (!s) return v;
    CHECK(ordinary_certify_once(&v, s, o, &e) == TEMPER_OK, "%s, length %zu: %s", source, o->length, e.text);
    temper_spec_free(s);
    total.verdicts++;
    total.proved += v.proved != 0;
    total.shorter += v.shorter != 0;
    return v;
}

static temper_ordinary_verdict ask_length(const char *source, temper_ordinary_options o, size_t length) {
    o.length = length;
    return ask(source, "abc", &o);
}

/* The largest length, and what is said of it and of the next. */
static void check_longest(const char *source, const temper_ordinary_options *o, size_t expected) {
    temper_ordinary_verdict longest = ask_length(source, *o, 0);
    CHECK(longest.length == expected, "%s: the longest is %zu, not %zu", source, longest.length, expected);
    CHECK(longest.proved == (expected > 0) && longest.shorter == 0, "%s: proved %d, shorter %zu", source,
          longest.proved, longest.shorter);
    CHECK((longest.reason[0] != 0) == (expected < FARTHEST), "%s: '%s'", source, longest.reason);
    if (expected) {
        temper_ordinary_verdict at = ask_length(source, *o, expected);
        CHECK(at.proved && at.length == expected && at.shorter == 0 && at.logits > 0 && at.logits == longest.logits,
              "%s: %d, %zu letters, shorter %zu, off by %g and %g", source, at.proved, at.length, at.shorter,
              at.logits, longest.logits);
    }
    if (expected < FARTHEST) {
        temper_ordinary_verdict after = ask_length(source, *o, expected + 1);
        size_t shorter = expected < SHORTER_MOST ? expected : 0;
        CHECK(!after.proved && after.length == expected + 1 && after.shorter == shorter && after.reason[0],
              "%s, %zu letters: proved %d, shorter %zu, not %zu", source, after.length, after.proved, after.shorter,
              shorter);
    }
}

/* Several steps back are single steps, which every file holds; more than 14 layers of them are one head that asks for
   remainders of positions, as a remainder of the position does that the formula has itself. refused: what the audit
   says of the file, so that nothing is called proved; NULL: it confirms the proof. */
static void check_files(const char *source, temper_ordinary_architecture architecture, size_t letters, size_t layers,
                        bool only_gguf, const char *refused) {
    temper_error e = {0};
    temper_ordinary_info info = {0};
    temper_ordinary_options o = {.architecture = architecture, .length = letters};
    char *bytes = NULL;
    size_t length;
    temper_spec *s = ordinary_parse(source, "ab");
    if (!s) return;
    CHECK(ordinary_gguf_once(&info, &bytes, &length, s, &o, &e) == TEMPER_OK, "%s: %s", source, e.text);
    if (refused) CHECK(strstr(info.proof.reason, refused), "%s: %s", source, info.proof.reason);
    CHECK(info.proof.proved == !refused && info.layers == layers && info.only_gguf == only_gguf,
          "%s: proved %d (%s), %zu layers, only GGUF %d", source, info.proof.proved, info.proof.reason, info.layers,
          info.only_gguf);
    temper_free(bytes);
    temper_spec_free(s);
}

/* One object, asked for all that it has: its run is the specification's, its certificate is true of its bytes and
   says what was asked for. */
static void check_object(const char *source, const temper_ordinary_options *o, bool proved) {
    enum { LETTERS = 12, END = 1 };
    temper_error e = {0};
    temper_ordinary *x = NULL;
    temper_ordinary_verdict v = {0};
    temper_audit_claim claim;
    temper_spec *s = ordinary_parse(source, "abc");
    char *gguf = NULL, *certificate = NULL;
    size_t size = 0, length = 0;
    unsigned char truth[LETTERS];
    uint32_t w[LETTERS];
    test_random r = test_seed(77);
    if (!s || !CHECK(temper_ordinary_build(&x, s, o, &e) == TEMPER_OK, "%s: %s", source, e.text)) return;
    temper_ordinary_info info = temper_ordinary_about(x);
    float *logits = calloc((LETTERS + 1) * info.vocabulary, sizeof *logits);
    for (int round = 0; round < 40; round++) {
        for (size_t k = 0; k < LETTERS; k++) w[k] = (uint32_t)random_below(&r, 3);
        CHECK(!temper_ordinary_run(logits, x, w, LETTERS, &e), "%s: %s", source, e.text);
        CHECK(!temper_spec_eval(NULL, truth, s, w, LETTERS, &e), "%s: %s", source, e.text);
        for (size_t k = 0; k < LETTERS; k++)
            CHECK((logits[(k + 1) * info.vocabulary + END] > -128) == truth[k],
                  "%s: after %zu letters the end has %g", source, k + 1,
                  (double)logits[(k + 1) * info.vocabulary + END]);
    }
    CHECK(temper_ordinary_run(logits, x, w, o->length + 1, &e) == TEMPER_RANGE, "%s: a string too long", source);
    w[0] = 3;
    CHECK(temper_ordinary_run(logits, x, w, 1, &e) == TEMPER_RANGE, "%s: a letter too many", source);
    CHECK(!temper_ordinary_certify(&v, x, &e) && v.proved == proved, "%s: proved %d", source, v.proved);
    CHECK(temper_ordinary_audit(x, &e) == (proved ? TEMPER_OK : TEMPER_RANGE), "%s: %s", source, e.text);
    CHECK(temper_ordinary_certificate(&certificate, &length, x, &e) == (proved ? TEMPER_OK : TEMPER_RANGE), "%s: %s",
          source, e.text);
    CHECK(!temper_ordinary_gguf(&gguf, &size, x, &e), "%s: %s", source, e.text);
    temper_ordinary_free(x);
    if (proved) {
        CHECK(!temper_audit(certificate, length, gguf, size, NULL, &e), "%s: %s", source, e.text);
        gguf[size / 2] ^= 1;
        CHECK(temper_audit(certificate, length, gguf, size, NULL, &e) == TEMPER_RANGE, "%s: other bytes", source);
        CHECK(!temper_audit_read(&claim, certificate, length, &e) && claim.ordinary && claim.length == o->length &&
                  claim.claim == TEMPER_CLAIM_FORMULA && !strcmp(claim.weights, o->weights_f16 ? "f16" : "f32") &&
                  !strcmp(claim.cache, o->cache_f32 ? "f32" : "f16"),
              "%s: a claim of %zu letters, weights %s, cache %s", source, claim.length, claim.weights, claim.cache);
    }
    temper_free(certificate);
    temper_free(gguf);
    free(logits);
    temper_spec_free(s);
}

/* Without a length, or beyond what a head allows, there is a setting and no transformer. */
static void check_setting(const char *source, temper_ordinary_options o) {
    temper_error e = {0};
    temper_ordinary *x = NULL;
    temper_ordinary_limit limit = {0};
    float logit;
    char *bytes;
    size_t size;
    temper_spec *s = ordinary_parse(source, "abc");
    if (!s || !CHECK(!temper_ordinary_build(&x, s, &o, &e), "%s: %s", source, e.text)) return;
    CHECK(temper_ordinary_about(x).layers == 0, "%s: layers of nothing", source);
    CHECK(temper_ordinary_gguf(&bytes, &size, x, &e) && !bytes, "%s: a file of nothing", source);
    CHECK(temper_ordinary_run(&logit, x, NULL, 0, &e) != TEMPER_OK, "%s: a run of nothing", source);
    CHECK(temper_ordinary_audit(x, &e) != TEMPER_OK, "%s: an audit of nothing", source);
    CHECK(!temper_ordinary_limits(&limit, x, 20, &e) && limit.tried >= 20 && limit.proved.proved, "%s: tried %zu",
          source, limit.tried);
    temper_ordinary_free(x);
    temper_spec_free(s);
}

int main(void) {
    temper_ordinary_options gpt2 = {0}, llama = {.architecture = TEMPER_ORDINARY_LLAMA};
    check_longest("#[a] >= #[b]", &gpt2, 1022);
    check_longest("#[a] % 3 = 1", &gpt2, 252);
    check_longest("O a", &llama, FARTHEST);
    check_longest("400 * #[a] >= 399 * #[b]", &llama, 1);
    for (int k = 0; k < 2; k++) {
        temper_ordinary_verdict steps = ask_length("Y Y a", k ? llama : gpt2, SHORTER_MOST);
        CHECK(steps.proved, "%s: two steps back: %s", k ? "Llama" : "GPT-2", steps.reason);
    }
    check_files("Y Y a", TEMPER_ORDINARY_LLAMA, 64, 2, false, NULL);
    check_files("Y Y Y Y a", TEMPER_ORDINARY_LLAMA, 64, 4, false, NULL);
    check_files("Y Y Y Y Y Y Y Y Y Y Y Y Y a", TEMPER_ORDINARY_LLAMA, 64, 13, false, NULL);
    check_files("Y Y Y Y Y Y Y Y Y Y Y Y Y Y a", TEMPER_ORDINARY_LLAMA, 2, 6, true, NULL);
    check_files("Y Y Y a", TEMPER_ORDINARY_GPT2, 64, 3, false, NULL);
    check_files("Y Y Y Y a", TEMPER_ORDINARY_GPT2, 64, 2, false, NULL);
    check_files("#[a] % 7 = 0 & #[a] % 11 = 0", TEMPER_ORDINARY_GPT2, 16, 3, false,
                "the audit does not confirm the proof: ");
    check_files("#[true] % 2 = 0", TEMPER_ORDINARY_LLAMA, 64, 1, true, NULL);
    /* a shorter length is looked for up to 4,096 letters */
    temper_ordinary_verdict v = ask_length("#[a] >= #[b]", gpt2, SHORTER_MOST);
    CHECK(!v.proved && v.length == SHORTER_MOST && v.shorter == 1022, "4,096 letters: shorter %zu", v.shorter);
    v = ask_length("#[a] >= #[b]", gpt2, SHORTER_MOST + 1);
    CHECK(!v.proved && v.shorter == 0, "4,097 letters: shorter %zu", v.shorter);
    printf("%zu verdicts, %zu proved, %zu with a shorter length\n", total.verdicts, total.proved, total.shorter);
    for (int k = 0; k < 4; k++) {
        temper_ordinary_options o = {.architecture = k % 2 ? TEMPER_ORDINARY_LLAMA : TEMPER_ORDINARY_GPT2,
                                     .length = 30,
                                     .weights_f16 = k / 2,
                                     .cache_f32 = k / 2};
        check_object("O a & !Y b", &o, true);
        check_object("#[a] % 2 = 0", &o, k != 1 && k != 3);
    }
    temper_ordinary_options none = {0}, far = {.length = 4000};
    check_setting("#[a] >= #[b]", none);
    check_setting("#[a] >= #[b]", far);
    return test_finish("t-certify-ordinary");
}

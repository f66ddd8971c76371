/* temper_certify_stock against the audit of what temper_export_gguf writes: what is proved is accepted, the longest
   length is proved and no length after it is, and a shorter one is named where there is one to be found. */
#include <stdio.h>
#include <string.h>

#include "ordinary_trials.h"
#include "temper.h"
#include "test.h"

enum { FARTHEST = 16384, SHORTER_MOST = 4096 };

static struct { size_t verdicts, proved, shorter; } total;

static temper_stock_verdict ask(const char *source, const char *letters, const temper_stock_options *o) {
    temper_error e = {0};
    temper_stock_verdict v = {0};
    temper_spec *s = ordinary_parse(source, letters);
    if (!s) return v;
    CHECK(temper_certify_stock(&v, s, o, &e) == TEMPER_OK, "%s, length %zu: %s", source, o->length, e.text);
    temper_spec_free(s);
    total.verdicts++;
    total.proved += v.proved != 0;
    total.shorter += v.shorter != 0;
    return v;
}

static temper_stock_verdict ask_length(const char *source, temper_stock_options o, size_t length) {
    o.length = length;
    return ask(source, "abc", &o);
}

/* The largest length, and what is said of it and of the next. */
static void check_longest(const char *source, const temper_stock_options *o, size_t expected) {
    temper_stock_verdict longest = ask_length(source, *o, 0);
    CHECK(longest.length == expected, "%s: the longest is %zu, not %zu", source, longest.length, expected);
    CHECK(longest.proved == (expected > 0) && longest.shorter == 0, "%s: proved %d, shorter %zu", source,
          longest.proved, longest.shorter);
    CHECK((longest.reason[0] != 0) == (expected < FARTHEST), "%s: '%s'", source, longest.reason);
    if (expected) {
        temper_stock_verdict at = ask_length(source, *o, expected);
        CHECK(at.proved && at.length == expected && at.shorter == 0 && at.logits > 0 && at.logits == longest.logits,
              "%s: %d, %zu letters, shorter %zu, off by %g and %g", source, at.proved, at.length, at.shorter,
              at.logits, longest.logits);
    }
    if (expected < FARTHEST) {
        temper_stock_verdict after = ask_length(source, *o, expected + 1);
        size_t shorter = expected < SHORTER_MOST ? expected : 0;
        CHECK(!after.proved && after.length == expected + 1 && after.shorter == shorter && after.reason[0],
              "%s, %zu letters: proved %d, shorter %zu, not %zu", source, after.length, after.proved, after.shorter,
              shorter);
    }
}

/* Several steps back are single steps, which every file holds; more than 14 layers of them are one head that asks for
   remainders of positions, as a remainder of the position does that the formula has itself. refused: what the audit
   says of the file, so that nothing is called proved; NULL: it confirms the proof. */
static void check_files(const char *source, temper_stock architecture, size_t letters, size_t layers, bool only_gguf,
                        const char *refused) {
    temper_error e = {0};
    temper_stock_info info = {0};
    temper_stock_options o = {.architecture = architecture, .length = letters};
    char *bytes = NULL;
    size_t length;
    temper_spec *s = ordinary_parse(source, "ab");
    if (!s) return;
    CHECK(temper_export_gguf(&info, &bytes, &length, s, &o, &e) == TEMPER_OK, "%s: %s", source, e.text);
    if (refused) CHECK(strstr(info.proof.reason, refused), "%s: %s", source, info.proof.reason);
    CHECK(info.proof.proved == !refused && info.layers == layers && info.only_gguf == only_gguf,
          "%s: proved %d (%s), %zu layers, only GGUF %d", source, info.proof.proved, info.proof.reason, info.layers,
          info.only_gguf);
    temper_free(bytes);
    temper_spec_free(s);
}

int main(void) {
    temper_stock_options gpt2 = {0}, llama = {.architecture = TEMPER_STOCK_LLAMA};
    check_longest("#[a] >= #[b]", &gpt2, 1022);
    check_longest("#[a] % 3 = 1", &gpt2, 252);
    check_longest("O a", &llama, FARTHEST);
    check_longest("400 * #[a] >= 399 * #[b]", &llama, 1);
    for (int k = 0; k < 2; k++) {
        temper_stock_verdict steps = ask_length("Y Y a", k ? llama : gpt2, SHORTER_MOST);
        CHECK(steps.proved, "%s: two steps back: %s", k ? "Llama" : "GPT-2", steps.reason);
    }
    check_files("Y Y a", TEMPER_STOCK_LLAMA, 64, 2, false, NULL);
    check_files("Y Y Y Y a", TEMPER_STOCK_LLAMA, 64, 4, false, NULL);
    check_files("Y Y Y Y Y Y Y Y Y Y Y Y Y a", TEMPER_STOCK_LLAMA, 64, 13, false, NULL);
    check_files("Y Y Y Y Y Y Y Y Y Y Y Y Y Y a", TEMPER_STOCK_LLAMA, 2, 6, true, NULL);
    check_files("Y Y Y a", TEMPER_STOCK_GPT2, 64, 3, false, NULL);
    check_files("Y Y Y Y a", TEMPER_STOCK_GPT2, 64, 2, false, NULL);
    check_files("#[a] % 7 = 0 & #[a] % 11 = 0", TEMPER_STOCK_GPT2, 16, 3, false,
                "the audit does not confirm the proof: ");
    check_files("#[true] % 2 = 0", TEMPER_STOCK_LLAMA, 64, 1, true, NULL);
    /* a shorter length is looked for up to 4,096 letters */
    temper_stock_verdict v = ask_length("#[a] >= #[b]", gpt2, SHORTER_MOST);
    CHECK(!v.proved && v.length == SHORTER_MOST && v.shorter == 1022, "4,096 letters: shorter %zu", v.shorter);
    v = ask_length("#[a] >= #[b]", gpt2, SHORTER_MOST + 1);
    CHECK(!v.proved && v.shorter == 0, "4,097 letters: shorter %zu", v.shorter);
    printf("%zu verdicts, %zu proved, %zu with a shorter length\n", total.verdicts, total.proved, total.shorter);
    return test_finish("t-certify-stock");
}

/* What a whole proof by roles must not forget: the first gate of a layer, the first position feature of a model, the
   words of an obstacle, and that a proof by roles is about every position. The auditor is asked, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "bound/proof.h"
#include "changed_model.h"

typedef struct found {
    bool proved;
    char why[300];
} found;

static found certified(const char *model, uint64_t n, temper_type type) {
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_error e = {0};
    temper_certify_options o = {.length = n, .type = type};
    found x = {0};
    if (CHECK(temper_model_read(&m, model, strlen(model), &e) == TEMPER_OK, "%s", e.text) &&
        CHECK(temper_certify(&c, m, NULL, 0, &o, &e) == TEMPER_OK, "%s", e.text)) {
        x.proved = temper_certificate_about(c).verdict == TEMPER_PROVED;
        snprintf(x.why, sizeof x.why, "%s", temper_certificate_about(c).reason);
    }
    temper_certificate_free(c);
    temper_model_free(m);
    return x;
}

static bool audited(const char *model, uint64_t n, temper_type type) {
    char *text_of = NULL;
    size_t length;
    temper_error e;
    bool ok = audit_certificate(&text_of, &length, model, strlen(model), n, type, &e) == TEMPER_OK;
    temper_free(text_of);
    return ok;
}

/* Three heads that are each within a quarter, and a gate that adds up their errors. */
static void check_gate(const char *scale, bool proved) {
    bytes file;
    char to[40];
    snprintf(to, sizeof to, "ln(N) + %s", scale);
    if (!changed_text(&file, "O a & O b & O c", TEMPER_METHOD_TEMPERATURE, "ln(N) + 8", to)) return;
    found x = certified(file.data, 20, TEMPER_TYPE_F64);
    CHECK(x.proved == proved && audited(file.data, 20, TEMPER_TYPE_F64) == proved, "%s: %s", to,
          x.proved ? "proved" : x.why);
    if (!proved)
        CHECK(strncmp(x.why, "a gate of layer 1 sums unrounded values", 39) == 0, "%s: the reason is %s", to, x.why);
    free(file.data);
}

/* A position that nobody reads, in the first channel and in the last. */
static void check_feature(const char *first, const char *last, temper_type type, bool proved) {
    char model[2000];
    snprintf(
        model, sizeof model,
        "temper-model 1\nmethod temperature\nsyntax spec\nsource \"O a\"\nalphabet \"a\" \"b\"\ntokens no\nat last\n"
        "empty reject\nend no\nchannel 0 \"x\" position \"%s\"\nchannel 1 \"a\"\nchannel 2 \"one\" position \"1\"\n"
        "channel 3 \"real\"\nchannel 4 \"raw\"\nchannel 5 \"O a\"\nchannel 6 \"y\" position \"%s\"\n"
        "embed \"a\" 1:1 3:1\nembed \"b\" 3:1\nembed start\nembed end\nlayer 1\n"
        "head \"O a\" role once mask j<=i choice softmax for average scale \"ln(N) + 8\"\n  query 2:1\n"
        "  key 1:1\n  value 1:1\n  output 4:1\nunit -2.5 3:2 4:2 -> 5:1\nunit -3.5 3:2 4:2 -> 5:-1\nread 5:1\n",
        first, last);
    found x = certified(model, 2, type);
    CHECK(x.proved == proved && audited(model, 2, type) == proved, "%s and %s in %s: %s", first, last,
          temper_type_name(type), x.proved ? "proved" : x.why);
    if (!proved) CHECK(strncmp(x.why, "position features of up to", 26) == 0, "the reason is %s", x.why);
}

static void check_bracket(const char *source, temper_type type) {
    temper_model *m = changed_model(source, TEMPER_METHOD_TEMPERATURE, NULL, NULL);
    trap failure;
    arena memory;
    certification c;
    length_bracket b = LENGTH_BRACKET_START;
    temper_certify_options o = {.type = type};
    arena_init(&memory, &failure);
    if (m && !trap_set(&failure, NULL)) {
        certification_begin(&c, m, &o, false, &memory, &failure);
        model_prover *p = model_prover_open(&c);
        CHECK(model_prover_by_roles(p), "%s has roles", source);
        model_prover_longest(p, &b);
        CHECK(b.proved == b.failed && b.everywhere == b.proved && b.proved > 0, "%s in %s: %zu, %zu, %zu", source,
              temper_type_name(type), b.proved, b.failed, b.everywhere);
        CHECK(!model_prover_try(p, b.failed, false) && c.every_position && c.reason.length > 0, "%s: beyond", source);
        CHECK(model_prover_try(p, b.proved - 1, true) && c.every_position, "%s: the last one", source);
        trap_clear(&failure);
    }
    arena_free(&memory);
    temper_model_free(m);
}

int main(void) {
    check_gate("8", true);
    check_gate("3", true);
    check_gate("2", false);
    check_feature("64*i", "64*i", TEMPER_TYPE_E4M3_F32, true);
    check_feature("1024*i", "64*i", TEMPER_TYPE_E4M3_F32, false);
    check_feature("64*i", "1024*i", TEMPER_TYPE_E4M3_F32, false);
    check_feature("1024*i", "1024*i", TEMPER_TYPE_F64, true);
    check_bracket("a S b", TEMPER_TYPE_F32);
    check_bracket("a S b", TEMPER_TYPE_BF16_F32);
    check_bracket("#[a] % 3 = 1", TEMPER_TYPE_F32);
    return test_finish("t-bound-gates");
}

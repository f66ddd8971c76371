/* Match heads written by hand whose numbers are too large on the way: neither certify nor audit may believe them. */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "test.h"

/* The auditor finds a certificate of the model, or refuses. */
static void check_audit(const char *model, uint64_t n, temper_type type, bool expected) {
    char *found_one = NULL;
    size_t length;
    temper_error e;
    bool found = audit_certificate(&found_one, &length, model, strlen(model), n, type, &e) == TEMPER_OK;
    CHECK(found == expected, "the audit %s in %s:\n%s", found ? "accepts" : e.text, temper_type_name(type), model);
    temper_free(found_one);
}

/* Many rows whose products nearly cancel out: each partial sum is small, each product is twice as large. Where
   queries are scaled first and nothing is fused, f32 rounds the products; f64 does not. */
static void refuse_products(void) {
    static const temper_type both[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32};
    enum { PAIRS = 60 };
    char written[8192], *at = written;
    at +=
        sprintf(at, "temper-model 1\nmethod temperature\nsyntax spec\nsource \"Y a\"\nalphabet \"a\" \"b\"\n"
                    "tokens no\nat last\nempty reject\nend no\nchannel 0 \"a\"\nchannel 1 \"one\" position \"1\"\n"
                    "channel 2 \"real\"\nchannel 3 \"b\"\nchannel 4 \"start\"\nchannel 5 \"raw\"\nchannel 6 \"Y a\"\n"
                    "channel 7 \"i/N\" soft \"i/N\"\nembed \"a\" 0:1 2:1\nembed \"b\" 2:1 3:1\nembed start 4:1\n"
                    "embed end\nlayer 1\n"
                    "head \"Y a\" role match mask j<i choice softmax for rightmost scale \"56*N\"\n");
    for (int k = 0; k < 2 * PAIRS + 3; k++) at += sprintf(at, "  query 2:1\n");
    at += sprintf(at, "  query 0:1\n  query 1:1\n  key 0:-1100 3:1100\n  key 0:2000.5\n");
    for (int k = 0; k < PAIRS; k++)
        at += sprintf(at, "  key 0:-1989.5\n%s",
                      k == PAIRS - 1 ? ""
                      : k % 2        ? "  key 0:1990.5\n"
                                     : "  key 0:1988.5\n");
    at += sprintf(at, "  key 0:1100\n  key 0:1090\n  key\n  key 4:1100 7:1\n  value 0:1\n  output 5:1\n"
                      "unit -2.5 2:2 5:2 -> 6:1\nunit -3.5 2:2 5:2 -> 6:-1\nread 6:1\n");
    for (size_t k = 0; k < 2; k++) {
        temper_model *m = NULL;
        temper_proof proof = {0};
        temper_error e;
        if (!CHECK(!temper_model_read(&m, written, strlen(written), &e), "%s", e.text)) return;
        bool ok = !temper_model_proof(&proof, m, both[k], 0, &e);
        bool proved = proof.claim != TEMPER_CLAIM_NONE && proof.length >= 1000;
        CHECK(ok && proved == (both[k] == TEMPER_TYPE_F64), "products of 2M in %s are %s", temper_type_name(both[k]),
              proved ? "proved" : proof.obstacle);
        check_audit(written, 1000, both[k], both[k] == TEMPER_TYPE_F64);
        temper_model_free(m);
    }
}

/* The row of the end sentinel has the score 64*1024, which is beyond the largest number of f16. */
static void refuse_sentinels(void) {
    static const char head[] =
        "temper-model 1\nmethod temperature\nsyntax spec\nsource \"rightmost[j<i, a is a] b\"\n"
        "alphabet \"a\" \"b\"\ntokens no\nat last\nempty reject\nend yes\nchannel 0 \"a\"\nchannel 1 \"real\"\n"
        "channel 2 \"one\" position \"1\"\nchannel 3 \"start\"\nchannel 4 \"b\"\nchannel 5 \"raw\"\nchannel 6 "
        "\"out\"\n"
        "channel 7 \"i/N\" soft \"i/N\"\nchannel 8 \"end\"\nembed \"a\" 0:1 1:1\nembed \"b\" 1:1 4:1\n"
        "embed start 3:1\nembed end 8:1\nlayer 1\n"
        "head \"m\" role match mask j<i choice softmax for rightmost scale \"1024*N\"\n"
        "  query 0:2 1:-1\n  query 8:%d\n  query 2:1\n  key 0:1 1:-0.5\n  key 1:%d\n  key 3:0.5 7:1\n"
        "  value 4:1\n  output 5:1\nunit -2.5 1:2 5:2 -> 6:1\nunit -3.5 1:2 5:2 -> 6:-1\nread 6:1\n";
    for (int large = 0; large < 2; large++) {
        char written[sizeof head + 16];
        temper_model *m = NULL;
        temper_certificate *c = NULL;
        temper_certify_options o = {.type = TEMPER_TYPE_F16, .length = 6};
        temper_error e;
        snprintf(written, sizeof written, head, large ? 64 : 1, large ? 1024 : 1);
        if (!CHECK(!temper_model_read(&m, written, strlen(written), &e), "%s", e.text)) continue;
        bool proved = !temper_certify(&c, m, NULL, 0, &o, &e) && temper_certificate_about(c).verdict == TEMPER_PROVED;
        CHECK(proved == !large, "a row of a sentinel that %s is %s", large ? "overflows" : "does not overflow",
              proved ? "proved" : "not proved");
        check_audit(written, 6, TEMPER_TYPE_F16, !large);
        temper_certificate_free(c);
        temper_model_free(m);
    }
}

/* Looks for 13 conditions at once ahead. On the end sentinel of two letters the last key is 6.5 - 3/4. e4m3 stores 6
   for it, which is also the key of the second letter: the sentinel takes half of the weight. */
static void refuse_rounded_sentinel(void) {
    static const char source[] = "leftmost[i<j, a is a, b is b, c is c, d is d, e is e, f is f, g is g, h is h, "
                                 "i is i, j is j, k is k, l is l, m is m] true";
    static const temper_type types[] = {TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16_F32};
    const char *letters[13];
    static char names[13][2];
    for (int k = 0; k < 13; k++) names[k][0] = (char)('a' + k), letters[k] = names[k];
    temper_spec_options so = {.letters = letters, .letter_count = 13, .at = TEMPER_AT_FIRST};
    temper_build_options bo = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    char *written = NULL;
    size_t length;
    temper_error e;
    bool made = !temper_spec_parse(&spec, source, strlen(source), &so, &e) && !temper_build(&m, spec, &bo, &e) &&
                !temper_model_print(&written, &length, m, &e);
    if (CHECK(made, "%s", e.text))
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t n = 2; n <= 80;
                 n += n < 10 ? 1 : 7) { /* the first letter again at the end, and nowhere else */
                uint32_t word[80] = {0};
                temper_run_options o = {.type = types[t]};
                temper_run *run = NULL;
                for (size_t k = 1; k + 1 < n; k++) word[k] = 1;
                if (temper_model_run(&run, m, word, n, &o, &e)) continue; /* nothing is proved of this length */
                CHECK(temper_run_about(run).accept, "%zu letters in %s", n, temper_type_name(types[t]));
                temper_run_free(run);
            }
    if (made) check_audit(written, 2, TEMPER_TYPE_E4M3_F32, false);
    if (made) check_audit(written, 20, TEMPER_TYPE_BF16_F32, true);
    temper_free(written);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* Booleans that cancel out on letters stand on both sides of the tie-break: from N = 4096 on it is lost. */
static void refuse_cancelling(void) {
    static const char head[] =
        "temper-model 1\nmethod temperature\nsyntax spec\nsource \"rightmost[j<i, a is a] b\"\n"
        "alphabet \"a\" \"b\" \"c\"\ntokens no\nat last\nempty reject\nend no\nchannel 0 \"a\"\nchannel 1 "
        "\"real\"\n"
        "channel 2 \"one\" position \"1\"\nchannel 3 \"start\"\nchannel 4 \"b\"\nchannel 5 \"raw\"\nchannel 6 "
        "\"out\"\n"
        "channel 7 \"i/N\" soft \"i/N\"\nchannel 8 \"real\"\nembed \"a\" 0:1 1:1 8:1\n"
        "embed \"b\" 1:1 4:1 8:1\nembed \"c\" 1:1 8:1\nembed start 3:1\nembed end\nlayer 1\n"
        "head \"m\" role match mask j<i choice softmax for rightmost scale \"8*N\"\n"
        "  query 0:2 1:-1\n  query 2:1\n  key 0:1 1:-0.5\n  key %s\n"
        "  value 4:1\n  output 5:1\nunit -2.5 1:2 5:2 -> 6:1\nunit -3.5 1:2 5:2 -> 6:-1\nread 6:1\n";
    static const char *const keys[] = {"3:0.5 7:1", "1:0x1p40 3:0.5 7:1 8:-0x1p40"};
    for (size_t k = 0; k < 2; k++) {
        char written[sizeof head + 40];
        temper_model *m = NULL;
        temper_certificate *c = NULL;
        temper_certify_options o = {.length = 30000};
        temper_error e;
        snprintf(written, sizeof written, head, keys[k]);
        if (!CHECK(!temper_model_read(&m, written, strlen(written), &e), "%s", e.text)) continue;
        bool proved = !temper_certify(&c, m, NULL, 0, &o, &e) && temper_certificate_about(c).verdict == TEMPER_PROVED;
        CHECK(proved == (k == 0), "the last key %s is %s", keys[k], proved ? "proved" : "not proved");
        check_audit(written, 30000, TEMPER_TYPE_F64, k == 0);
        temper_certificate_free(c);
        temper_model_free(m);
    }
}

/* A pattern that is the same on every letter, which the compiler does not see: prover and auditor both take the head
   for one that looks for a pattern. */
static void accept_tautologies(void) {
    static const char *const sources[] = {"rightmost[j<i, c is !(O a & !(a | Y O a))] Y b",
                                          "rightmost[j<i, a is ((a S b) | !(b | (a & Y(a S b))))] Y b"};
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        temper_spec *spec = NULL;
        temper_model *m = NULL;
        temper_error e;
        char *written = NULL;
        size_t length;
        temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
        temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
        if (CHECK(!temper_spec_parse(&spec, sources[k], strlen(sources[k]), &o, &e) &&
                      !temper_build(&m, spec, &build, &e) && !temper_model_print(&written, &length, m, &e),
                  "%s: %s", sources[k], e.text))
            check_audit(written, 1000, TEMPER_TYPE_F64, true);
        temper_free(written);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

int main(void) {
    accept_tautologies();
    refuse_rounded_sentinel();
    refuse_cancelling();
    refuse_sentinels();
    refuse_products();
    return test_finish("t-audit-match");
}

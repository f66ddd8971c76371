/* Key rows of nearest heads in which Booleans take a constant away. The size of what tells candidates is read off
   the constant, so it must be the one that the Booleans make 0: neither certify nor audit may believe others. */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "test.h"

static const char HEAD[] =
    "temper-model 1\nmethod %s\nsyntax spec\nsource \"Y (!c S a)\"\n"
    "alphabet \"a\" \"b\" \"c\"\ntokens no\nat last\nempty reject\nend no\n"
    "channel 0 \"a\"\nchannel 1 \"one\" position \"1\"\nchannel 2 \"[ac]\"\nchannel 3 \"real\"\n"
    "channel 4 \"raw\"\nchannel 5 \"out\"\nchannel 6 \"others\"\n%s"
    "embed \"a\" 0:1 2:1 3:1\nembed \"b\" 3:1 6:1\nembed \"c\" 2:1 3:1\nembed start 6:1\n"
    "embed end 6:1\nlayer 1\n"
    "head \"Y (!c S a)\" role nearest mask j<i choice softmax for rightmost%s"
    "  value 0:1\n  output 4:1\n"
    "unit -2.5 3:2 4:2 -> 5:1\nunit -3.5 3:2 4:2 -> 5:-1\nread 5:1\n";

static void check(const char *written, temper_type type, size_t n, bool expected) {
    char *found = NULL;
    size_t length;
    temper_error e;
    temper_model *m = NULL;
    temper_proof proof = {0};
    bool audited = audit_certificate(&found, &length, written, strlen(written), n, type, &e) == TEMPER_OK;
    CHECK(audited == expected, "the audit %s in %s:\n%s", audited ? "accepts" : e.text, temper_type_name(type),
          written);
    temper_free(found);
    if (!CHECK(!temper_model_read(&m, written, strlen(written), &e), "%s", e.text)) return;
    bool ok = !temper_model_proof(&proof, m, type, 0, &e);
    bool proved = proof.claim == TEMPER_CLAIM_FORMULA && proof.length >= n;
    CHECK(ok && proved == expected, "certify in %s: %s\n%s", temper_type_name(type), proof.obstacle, written);
    temper_model_free(m);
}

/* c + i/N times 2^-k, where c is 2^-k + (1 - 2^-k)[ac] - 2^-k others: as the size of c stood 2^-k. In f32 the last
   bits of c + 2^-10 i/N say nothing of the position where there are 10,000. */
static void check_temperature(void) {
    static const char features[] = "channel 7 \"i/N\" soft \"i/N\"\n";
    for (int k = 1; k <= 10; k++) {
        double small = 1.0 / (1 << k);
        char head[300], written[3000];
        snprintf(head, sizeof head, " scale \"%d*N\"\n  query 1:1\n  key 1:%a 2:%a 6:%a 7:%a\n", 8 << k, small,
                 1 - small, -small, small);
        snprintf(written, sizeof written, HEAD, "temperature", features, head);
        check(written, TEMPER_TYPE_F32, 10000, false);
    }
    char written[3000];
    snprintf(written, sizeof written, HEAD, "temperature", features, " scale \"8*N\"\n  query 1:1\n  key 2:1 7:1\n");
    check(written, TEMPER_TYPE_F32, 10000, true);
}

/* The same for K(1 - c), whose query is a power of two. */
static void check_digits(void) {
    static const struct {
        const char *key;
        bool fine;
    } keys[] = {{"1:-1 2:1", true},
                {"1:-4 2:4", true},
                {"1:-0x1p-6 2:0x1p-6 6:-0x1.f8p-1", false},
                {"1:-0.5 2:0.5 6:-0.5", false},
                {"1:-2 2:2 6:1", false},
                {"6:-1", false}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char head[300], written[3000];
        snprintf(head, sizeof head, "\n  query 8:1\n  query 1:8\n  key %s\n  key 7:1\n", keys[k].key);
        snprintf(written, sizeof written, HEAD, "digits bf16",
                 "channel 7 \"place\" soft \"i - floor(N/2)\"\nchannel 8 \"size\" position \"ceil2(16*N)\"\n", head);
        check(written, TEMPER_TYPE_F32, 1000, keys[k].fine);
    }
}

int main(void) {
    check_temperature();
    check_digits();
    return test_finish("t-audit-constants");
}

/* Hard choices in general are proved for rows of one tile of keys, and not for longer ones: prover and auditor take
   the same last length, with an end sentinel and without. */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "temper.h"
#include "test.h"

/* A mean of letters, which no Boolean channel follows; the read-out is far from 1/2. */
static const char *const MODELS[] = {
    "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\nchannel 1 \"x\"\n"
    "channel 2 \"y\"\nembed \"a\" 1:1\nembed \"b\" 1:0.25\nembed start\nembed end\nlayer 1\n"
    "head \"h\" mask all choice softmax for average\n query 0:1\n key 0:1\n value 1:1\n output 2:1\nread 0:4 2:1\n",
    "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nend yes\nchannel 0 \"one\" position \"1\"\n"
    "channel 1 \"x\"\nchannel 2 \"y\"\nembed \"a\" 1:1\nembed \"b\" 1:0.25\nembed start\nembed end 1:1\nlayer 1\n"
    "head \"h\" mask all choice softmax for average\n query 0:1\n key 0:1\n value 1:1\n output 2:1\nread 0:4 2:1\n"};

static bool is_certified(const temper_model *m, const char *written, size_t n, temper_type type, bool *audited) {
    temper_certificate *c = NULL;
    temper_error e = {0};
    temper_certify_options o = {.length = n, .type = type};
    if (!CHECK(temper_certify(&c, m, written, strlen(written), &o, &e) == TEMPER_OK, "%s", e.text)) return false;
    temper_certificate_info about = temper_certificate_about(c);
    char *json = NULL;
    size_t length;
    bool proved = about.verdict == TEMPER_PROVED && temper_certificate_print(&json, &length, c, &e) == TEMPER_OK;
    *audited = proved && temper_audit(json, length, written, strlen(written), NULL, &e) == TEMPER_OK;
    temper_free(json);
    temper_certificate_free(c);
    return proved;
}

static void check_model(const char *written, size_t end) {
    temper_model *m = NULL;
    temper_error e = {0};
    if (!CHECK(temper_model_read(&m, written, strlen(written), &e) == TEMPER_OK, "%s", e.text)) return;
    for (size_t tile = 64; tile <= 128; tile *= 2) {
        temper_type type = temper_type_tiled(TEMPER_TYPE_F64, tile);
        temper_proof proof;
        size_t last = tile - 1 - end;
        CHECK(temper_model_proof(&proof, m, type, 0, &e) == TEMPER_OK && proof.length == last,
              "tiles of %zu: proved to %zu, not %zu", tile, (size_t)proof.length, last);
        for (size_t n = last - 1; n <= last + 2; n++) {
            bool audited = false, proved = is_certified(m, written, n, type, &audited);
            CHECK(proved == (n <= last) && audited == proved, "tiles of %zu, %zu letters: %s, %s", tile, n,
                  proved ? "proved" : "not proved", audited ? "confirmed" : "not confirmed");
            /* the auditor by itself */
            audit_request request = {.length = n, .type = type, .choices = true};
            char *own = NULL;
            size_t length;
            bool found = audit_requested(&own, &length, written, strlen(written), &request, &e) == TEMPER_OK;
            CHECK(found == (n <= last), "tiles of %zu, %zu letters: the auditor says %s", tile, n,
                  found ? "yes" : e.text);
            temper_free(own);
        }
        bool audited;
        CHECK(is_certified(m, written, last + 2, TEMPER_TYPE_F64, &audited) && audited,
              "without tiles %zu letters are proved", last + 2);
    }
    temper_model_free(m);
}

int main(void) {
    check_model(MODELS[0], 0);
    check_model(MODELS[1], 1);
    return test_finish("t-certify-tiles");
}

/* Claims about what comes next, taken from one output and put in the place of another one. The model is forged, too:
   its read-outs are exchanged in the same way, so that all that the certificate says is true but for the
   languages. The auditor takes what certify wrote and no forgery, unless both outputs have the same language. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addressed.h"
#include "bytes.h"
#include "test.h"
#include "temper.h"

/* Letters that nothing tells apart, and letters that differ; a state that only its first letter leaves. */
static const char *const SOURCES[] = {
    "alphabet a b c\nnext\nregex ([ab]c)*\n",
    "alphabet a b\nnext\nregex (ba)*a\n",
    "alphabet b a\nnext\nregex (ba)*a\n",
    "alphabet a b c d\nnext\nH (a | b | c)\n",
    "alphabet a b c\nnext\nO a -> Y b\n",
    "alphabet a b c\nnext\nregex a(b|c)*\n",
    "alphabet a b\nnext\nH (a -> Y b) & !/bb/\n",
    "alphabet a b c\nnext\n/[ab]*/ | /[bc]*/ | /c*a/\n",
    "alphabet a b\nempty accept\nnext\n#[a] % 2 = 0\n",
};

static temper_error why;

static bool made(bytes *model, bytes *certificate, const char *source) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_certify_options o = {.length = 8};
    bool ok = temper_spec_parse(&spec, source, strlen(source), NULL, &why) == TEMPER_OK &&
              temper_build(&m, spec, &b, &why) == TEMPER_OK &&
              temper_model_print(&model->data, &model->length, m, &why) == TEMPER_OK &&
              temper_certify(&c, m, model->data, model->length, &o, &why) == TEMPER_OK &&
              temper_certificate_about(c).claim == TEMPER_CLAIM_FORMULA &&
              temper_certificate_print(&certificate->data, &certificate->length, c, &why) == TEMPER_OK;
    CHECK(ok, "%s: %s%s", source, why.text, c ? temper_certificate_about(c).reason : "");
    temper_certificate_free(c);
    temper_model_free(m);
    temper_spec_free(spec);
    return ok;
}

static bool passes(const bytes *certificate, const bytes *model) {
    return temper_audit(certificate->data, certificate->length, model->data, model->length, NULL, &why) == TEMPER_OK;
}

/* ---- pieces of text ---- */

typedef struct span {
    size_t at, length;
} span;

/* From behind the k-th `begin` to the next `end`; of length 0 if there are not so many. */
static span find(const bytes *b, const char *begin, size_t k, const char *end) {
    const char *at = b->data;
    for (size_t j = 0; at && j <= k; j++) {
        at = strstr(j ? at + 1 : at, begin);
        if (at && j == k) at += strlen(begin);
    }
    const char *stop = at ? strstr(at, end) : NULL;
    return stop ? (span){(size_t)(at - b->data), (size_t)(stop - at)} : (span){0, 0};
}

static span read_out(const bytes *model, size_t output) {
    span row = find(model, "\nread \"", output, "\n");
    const char *at = strchr(model->data + row.at, '"');
    size_t name = at ? (size_t)(at + 1 - model->data) - row.at : 0;
    return (span){row.at + name, row.length - name};
}

/* What is said of an output, behind its name. */
static span claim(const bytes *certificate, size_t output) {
    span line = find(certificate, "{\"output\": \"", output, "\n");
    const char *at = line.length ? strstr(certificate->data + line.at, "\"empty\"") : NULL;
    size_t name = at ? (size_t)(at - certificate->data) - line.at : 0;
    bool comma = line.length && certificate->data[line.at + line.length - 1] == ',';
    return (span){line.at + name, line.length - name - comma};
}

static bool is_same(const bytes *b, span x, span y) {
    return x.length == y.length && memcmp(b->data + x.at, b->data + y.at, x.length) == 0;
}

static void put(bytes *b, span where, const bytes *from, span what) {
    char *copy = calloc(what.length + 1, 1);
    memcpy(copy, from->data + what.at, what.length);
    splice(b, where.at, where.length, copy);
    free(copy);
}

/* ---- forgeries ---- */

static size_t forged;

/* Output k is what output j is. */
static void check_exchanged(const char *source, const bytes *model, const bytes *certificate, size_t j, size_t k) {
    bytes m = copy_of(model, 4000), c = copy_of(certificate, 8000);
    bool same = is_same(certificate, claim(certificate, j), claim(certificate, k));
    span digest = find(&m, "\ndigest ", 0, "\n");
    splice(&m, digest.at - 7, digest.length + 8, "");
    put(&m, read_out(&m, k), model, read_out(model, j));
    put(&c, claim(&c, k), certificate, claim(certificate, j));
    address_to(&c, &m);
    bool fine = passes(&c, &m);
    CHECK(fine == same, "%s: output %zu for %zu: %s\n%s\n%s", source, j, k, fine ? "accepted" : why.text, c.data,
          m.data);
    forged += !same;
    free(m.data);
    free(c.data);
}

/* A formula or a row of one output is another one; the rest of the certificate is right. */
static void check_other_claim(const char *source, const bytes *model, const bytes *certificate, size_t k) {
    static const char *const begins[] = {"\"formula\": \"", "\"table\": [\""};
    for (int kind = 0; kind < 4; kind++) {
        bytes c = copy_of(certificate, 200);
        span here = find(&c, begins[kind / 2], k, "\"");
        bool row = kind / 2;
        if (here.length && (row || !memchr(c.data + here.at, '\\', here.length))) {
            if (row && kind % 2)
                splice(&c, here.at - 1, here.length + 2, "\"9:\"");
            else if (row)
                splice(&c, here.at, 1, "1");
            else if (kind % 2)
                splice(&c, here.at + here.length, 0, " & false");
            else
                splice(&c, here.at + here.length, 0, ")"), splice(&c, here.at, 0, "!(");
            bool changed = c.length != certificate->length || memcmp(c.data, certificate->data, c.length) != 0;
            changed = changed && !strstr(c.data, "\"false & false\"");
            CHECK(!changed || !passes(&c, model), "%s: output %zu, change %d:\n%s", source, k, kind, c.data);
            forged += changed;
        }
        free(c.data);
    }
}

int main(void) {
    for (size_t s = 0; s < sizeof SOURCES / sizeof *SOURCES; s++) {
        bytes model = {0}, certificate = {0};
        if (made(&model, &certificate, SOURCES[s])) {
            size_t outputs = 0;
            while (claim(&certificate, outputs).length) outputs++;
            CHECK(outputs > 2 && passes(&certificate, &model), "%s: %s", SOURCES[s], why.text);
            for (size_t k = 0; k < outputs; k++) {
                for (size_t j = 0; j < outputs; j++)
                    if (j != k) check_exchanged(SOURCES[s], &model, &certificate, j, k);
                check_other_claim(SOURCES[s], &model, &certificate, k);
            }
        }
        temper_free(model.data);
        temper_free(certificate.data);
    }
    CHECK(forged > 50, "%zu forgeries", forged);
    printf("%zu forgeries\n", forged);
    return test_finish("t-audit-next");
}

/* Position features and scales in models that are audited: expressions that look like one of those that the audit
   knows, and were once taken for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "addressed.h"
#include "test.h"

/* ---- features in another dress ---- */

typedef struct dress {
    const char *formula, *letters;
    temper_method method;
    const char *is, *becomes;
} dress;

#define PAST   "#[a] % 4 = 0", "ab", TEMPER_METHOD_TEMPERATURE
#define THIRD  "#[a] % 3 = 0", "ab", TEMPER_METHOD_TEMPERATURE
#define SINCE  "a S b", "abc", TEMPER_METHOD_TEMPERATURE
#define PLACES "a S b", "abc", TEMPER_METHOD_POSITIONS
#define ONCE   "O a", "ab", TEMPER_METHOD_POSITIONS
#define DIGITS "a S b", "abc", TEMPER_METHOD_DIGITS

/* Each was, or might have been, taken for the feature that it replaces, with the honest certificate. Some are worth
   the same on paper, but they are computed with other roundings than the certificate counts. */
static const dress dresses[] = {
    {PAST, "[i % 4 = 0]", "[(i + 5 % 3 + 3) % 4 = 0]"}, /* the remainder of a constant */
    {PAST, "[i % 4 = 0]", "[i % (4 % 3) = 0]"},
    {PAST, "[i % 4 = 0]", "[i % 4 % 4 = 0]"},
    {PAST, "[i % 4 = 0]", "[i % 4 % 2 = 0]"},
    {PAST, "[i % 4 = 0]", "[i % 4.5 = 0]"},
    {PAST, "[i % 4 = 0]", "[i % -4 = 0]"},
    {PAST, "[i % 4 = 0]", "[(i + 4) % 4 = 0]"},
    {PAST, "[i % 4 = 0]", "[(i + -4) % 4 = 0]"},
    {PAST, "[i % 4 = 0]", "[(i + 0x1p52) % 4 = 0]"},
    {PAST, "[i % 4 = 0]", "[(4 + i) % 4 = 0]"},
    {PAST, "[i % 4 = 0]", "[0 = i % 4]"},
    {PAST, "[i % 4 = 0]", "[i % 4 = 0]*[i % 4 = 0]"},
    {PAST, "[i % 4 = 0]", "[(i % 4*5 + 0) % 4 = 0]"},
    {PAST, "1/(i + 1)", "0x1p-1000/(i + 1)*0x1p1000"},
    {PAST, "1/(i + 1)", "1/(1 + i)"},
    {PAST, "i/(N*N)", "i/N/N"},
    {PAST, "i*i/(N*N)", "i/N*i/N"},
    {THIRD, "[i % 3 = 0]",
     "[((i + 4503599627370496) % 3 * 2047 % 3 + 4503599627370496) % 3 = 1]"}, /* 64 bits overflow */
    {THIRD, "[i % 3 = 0]", "[(i % 3*4503599627370496 + 0) % 3 = 0]"},
    {SINCE, "i/N", "i*0x1p-1070/N*0x1p535*0x1p535"}, /* something on the way underflows */
    {SINCE, "i/N", "i*0x1p1000/N*0x1p-1000"},
    {SINCE, "i/N", "1*i/N"},
    {SINCE, "i/N", "i*i/N/i"}, /* 0/0 at the start */
    {SINCE, "scale \"8*N\"", "scale \"8*N*N/N\""},
    {SINCE, "scale \"8*N\"", "scale \"N*8\""},
    {SINCE, "scale \"8*N\"", "scale \"8*(n + 1)\""},
    {PLACES, "8*N", "8*N*N/N"}, /* exact on paper, but not in f64 */
    {PLACES, "8*N", "8*N + 0"},
    {PLACES, "\"i\"", "\"i/(1/(i + 1))/(i + 1)\""},
    {PLACES, "\"i\"", "\"i*(i + 1)/(i + 1)\""},
    {PLACES, "\"i\"", "\"0x1p-1074*i*0x1p1000*0x1p74\""},
    {PLACES, "\"i\"", "\"max(i, 1)\""},
    {ONCE, "ln(N) + 8", "8 + ln(N)"},
    {ONCE, "ln(N) + 8", "ln(N) + 0x1p-1074 + 8"},
    {DIGITS, "floor(N/2)", "floor(N/2 + 0)"},
    {DIGITS, "ceil2(16*N)", "ceil2(16*N + 0x1p-60)"},
};

/* The honest certificate with the SHA-256 and the size of another model. */
static char *address(const char *certificate, const char *model) {
    char hex[SHA256_HEX + 1];
    size_t room = strlen(certificate) + 100;
    char *out = malloc(room);
    const char *at = strstr(certificate, "\"sha256\": \""), *end = at ? strchr(at, '}') : NULL;
    if (!out || !end) abort();
    sha256_of(hex, model, strlen(model));
    snprintf(out, room, "%.*s\"sha256\": \"%s\", \"bytes\": %zu%s", (int)(at - certificate), certificate, hex,
             strlen(model), end);
    return out;
}

/* Every place, and without the digest. */
static char *dressed(const char *model, const dress *d) {
    char *out = malloc(strlen(model) * 4 + 1), *p = out;
    if (!out) abort();
    while (*model) {
        if (strncmp(model, d->is, strlen(d->is)) == 0) {
            p += sprintf(p, "%s", d->becomes);
            model += strlen(d->is);
        } else if (strncmp(model, "\ndigest", 7) == 0) {
            model = strchr(model + 1, '\n');
        } else {
            *p++ = *model++;
        }
    }
    *p = 0;
    return out;
}

static void check_dress(const dress *d) {
    temper_spec *spec = NULL;
    temper_model *soft = NULL;
    temper_build_options build = {.method = d->method};
    temper_spec_options o = {.alphabet = d->letters};
    temper_error e;
    char *model = NULL, *certificate = NULL;
    size_t size, length;
    bool ok = temper_spec_parse(&spec, d->formula, strlen(d->formula), &o, &e) == TEMPER_OK &&
              temper_build(&soft, spec, &build, &e) == TEMPER_OK &&
              temper_model_print(&model, &size, soft, &e) == TEMPER_OK &&
              audit_certificate(&certificate, &length, model, size, 50, TEMPER_TYPE_F64, &e) == TEMPER_OK &&
              temper_audit(certificate, length, model, size, NULL, &e) == TEMPER_OK;
    if (CHECK(ok, "%s: %s", d->formula, e.text)) {
        char *edited = dressed(model, d), *readdressed = address(certificate, edited);
        CHECK(strcmp(edited, model) != 0 && strstr(edited, d->becomes), "%s has no %s", d->formula, d->is);
        CHECK(temper_audit(readdressed, strlen(readdressed), edited, strlen(edited), NULL, &e) == TEMPER_RANGE &&
                  strstr(e.text, "of this form is understood"),
              "%s for %s in %s: %s", d->becomes, d->is, d->formula, e.text);
        free(edited);
        free(readdressed);
    }
    temper_free(certificate);
    temper_free(model);
    temper_model_free(soft);
    temper_spec_free(spec);
}

/* ---- Booleans that cancel out ---- */

typedef struct cancelling {
    const char *formula;
    temper_method method;
    const char *row;   /* the beginning of a line, which gets the terms */
    const char *token; /* the line of the letter or sentinel that both channels hold */
    const char *refusal;
    const char *plus, *minus; /* their weights there; NULL: 2^40 and -2^40 */
} cancelling;

/* The prover does not call it the source's either. */
static void check_prover(const cancelling *x, const char *edited) {
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_certify_options o = {.length = 50, .type = TEMPER_TYPE_F64};
    char *written = NULL;
    size_t length;
    if (temper_model_read(&m, edited, strlen(edited), NULL) == TEMPER_OK &&
        temper_certify(&c, m, edited, strlen(edited), &o, NULL) == TEMPER_OK &&
        temper_certificate_about(c).verdict == TEMPER_PROVED &&
        temper_certificate_print(&written, &length, c, NULL) == TEMPER_OK)
        CHECK(!strstr(written, "\"claim\": \"formula\""), "certify proves %s with %s:\n%s", x->formula, x->row,
              edited);
    temper_free(written);
    temper_certificate_free(c);
    temper_model_free(m);
}

/* Two channels hold the same letter. A row that has one of them with a large weight, and the other with the opposite
   one, is worth what it was on paper, but in floating point the rest of the row is lost. */
static void check_cancelling(const cancelling *x) {
    temper_spec *spec = NULL;
    temper_model *hard = NULL, *soft = NULL;
    temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    temper_error e = {0};
    char *model = NULL, *certificate = NULL, *edited, *p, terms[80];
    size_t size, length, channels = 0;
    bool ok = temper_spec_parse(&spec, x->formula, strlen(x->formula), &o, &e) == TEMPER_OK &&
              temper_build(&hard, spec, NULL, &e) == TEMPER_OK &&
              temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = x->method}, &e) == TEMPER_OK &&
              temper_model_print(&model, &size, soft, &e) == TEMPER_OK;
    if (CHECK(ok, "%s: %s", x->formula, e.text)) {
        for (const char *at = model; (at = strstr(at, "\nchannel ")); at++) channels++;
        snprintf(terms, sizeof terms, " %zu:%s %zu:%s", channels, x->plus ? x->plus : "0x1p40", channels + 1,
                 x->minus ? x->minus : "-0x1p40");
        p = edited = malloc(size + 400);
        bool done = false;
        for (const char *line = model; *line; line = strchr(line, '\n') + 1) {
            size_t n = strcspn(line, "\n");
            if (strncmp(line, "digest", 6) == 0) continue;
            bool here = !done && strncmp(line, x->row, strlen(x->row)) == 0;
            if (strncmp(line, "embed \"a\"", 9) == 0)
                p += sprintf(p, "channel %zu \"x\"\nchannel %zu \"y\"\n", channels, channels + 1);
            const char *arrow = strstr(line, " ->");
            size_t inputs = arrow && arrow < line + n ? (size_t)(arrow - line) : n;
            p += sprintf(p, "%.*s%s%.*s", (int)inputs, line, here ? terms : "", (int)(n - inputs), line + inputs);
            if (strncmp(line, x->token, strlen(x->token)) == 0)
                p += sprintf(p, " %zu:1 %zu:1", channels, channels + 1);
            p += sprintf(p, "\n");
            done = done || here;
        }
        temper_status s = audit_certificate(&certificate, &length, edited, strlen(edited), 50, TEMPER_TYPE_F64, &e);
        CHECK(done && s == TEMPER_RANGE && strstr(e.text, x->refusal), "%s, %s: %s\n%s", x->formula, x->row,
              s == TEMPER_OK ? "accepted" : e.text, edited);
        check_prover(x, edited);
        free(edited);
    }
    temper_free(certificate);
    temper_free(model);
    temper_model_free(soft);
    temper_model_free(hard);
    temper_spec_free(spec);
}

static void check_all_cancelling(void) {
    static const char letter[] = "embed \"a\"", start[] = "embed start";
    static const cancelling rows[] = {
        {"#[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "  query 1:-1", letter, "second query row is not -1/(i + 1)",
         NULL, NULL},
        {"#[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "  query 6:2", letter, "first query row is not twice a mean",
         NULL, NULL},
        {"#[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "  key 2:1", letter, "its keys are no positions", NULL, NULL},
        {"#[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "  value 4:1", letter, "value 1 is not 0 or 1 on letters", NULL,
         NULL},
        {"#[a] > #[b]", TEMPER_METHOD_TEMPERATURE, "  query", letter, "its query is not a mean and", NULL, NULL},
        {"#[a] > #[b]", TEMPER_METHOD_POSITIONS, "  key", start, "its key is not C*N on the sentinel", NULL, NULL},
        {"O a", TEMPER_METHOD_POSITIONS, "  query", letter, "a query row is neither a number nor C*N", NULL, NULL},
        {"#[a] > #>[b]", TEMPER_METHOD_TEMPERATURE, "  query", letter, "its first query row is not a mean", NULL,
         NULL},
        {"#[a] > #>[b]", TEMPER_METHOD_TEMPERATURE, "  key 10:1", start, "its second key row is not a total", NULL,
         NULL},
        {"#[a] > #>[b]", TEMPER_METHOD_TEMPERATURE, "unit 0 1:1 2:1", letter, "too much to be an own part", NULL,
         NULL},
        {"#[a] > #>[b]", TEMPER_METHOD_TEMPERATURE, "unit 0 3:-16", start, "adds something to a total", NULL, NULL},
        {"#[a] > #>[b]", TEMPER_METHOD_TEMPERATURE, "unit 0 3:-16", letter, "adds something to a total", NULL, NULL},
        {"#[a] > #>[b]", TEMPER_METHOD_TEMPERATURE, "unit 0 3:-16", letter, "too much to be a copy", "-1", "-1"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) check_cancelling(&rows[k]);
}

int main(void) {
    for (size_t k = 0; k < sizeof dresses / sizeof *dresses; k++) check_dress(&dresses[k]);
    check_all_cancelling();
    return test_finish("t-audit-features");
}

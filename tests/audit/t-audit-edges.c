/* Prover and auditor at the edge: for small models of every kind, in every number type, the longest length that the
   prover proves is the longest one that the auditor proves, and their certificates are the same bytes there. So no
   condition and no constant of either can be moved by itself. Scales, sharpness and coefficients vary, as each
   condition is the first one to fail somewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "bytes.h"
#include "number/number_type.h"
#include "test.h"

typedef struct edge_case {
    const char *formula;
    const char *from, *to; /* in the model's text, everywhere; NULL: it stays */
} edge_case;

static const edge_case CASES[] = {
    /* once: its sharpness, and where losers begin to weigh */
    {"O a", NULL, NULL},
    {"O a", "ln(N) + 8", "ln(N) + 1"},
    {"O a", "ln(N) + 8", "ln(N) + 2"},
    {"O a", "ln(N) + 8", "ln(N) + 3"},
    {"O a", "ln(N) + 8", "ln(N) + 5"},
    {"O a", "ln(N) + 8", "ln(N) + 100"},
    {"O a", "ln(N) + 8", "ln(N) + 40000"},
    {"O a", "ln(N) + 8", "ln(N) + 1048576"}, /* the largest constant that there is */
    {"O a", "ln(N) + 8", "ln(N) + 1048577"},
    {"a S b", "8*N", "1048577*N"},
    {"#[a] >= #[b]", "16*N", "2097154*N"},
    {"F a", NULL, NULL},
    {"F (a & O b)", "ln(N) + 8", "ln(N) + 20"},
    {"H (a -> O b) & F c", NULL, NULL},
    /* nearest: one side and the other, with candidates and without */
    {"Y a", NULL, NULL},
    {"X a", NULL, NULL},
    {"Y a", "8*N", "2*N"},
    {"Y a", "8*N", "3*N"},
    {"Y a", "8*N", "64*N"},
    {"Y a", "8*N", "1000*N"},
    {"Y a", "8*N", "4000*N"},
    {"a S b", "8*N", "9000*N"},
    {"Y a", "8*i", "3*i"},
    {"Y a", "8*i", "5*i"},
    {"a S b", NULL, NULL},
    {"a U b", NULL, NULL},
    {"a S b", NULL, NULL},
    {"a S b", "8*N", "3*N"},
    {"a S b", "8*N", "6*N"},
    {"a S b", "8*N", "200*N"},
    {"a S b", "8*N*N", "3*N*N"},
    {"a S b", "8*i", "4*i"},
    {"a U b", NULL, NULL},
    {"a U b", "8*N", "3*N"},
    {"a U b", "8*N", "77*N"},
    {"Y Y (a & Y b)", NULL, NULL},
    {"(Y a) S (X b)", NULL, NULL},
    /* counts, comparisons, balances */
    {"#[a] >= #[b]", NULL, NULL},
    {"#[a] >= #[b]", "16*N", "4*N"},
    {"#[a] >= #[b]", "16*N", "6*N"},
    {"#[a] >= #[b]", "16*N", "400*N"},
    {"2*#[a] - #[b] >= 1", NULL, NULL},
    {"100*#[a] - 37*#[b] >= 5", NULL, NULL},
    {"1000000*#[a] - 999999*#[b] >= 12345", NULL, NULL},
    {"#[a] = #[b]", NULL, NULL},
    {"#>[a] > 3", NULL, NULL},
    {"#[a] > #>[b]", NULL, NULL},
    {"3*#[a] + 2*#>[b] >= 4*#[c] + 7", NULL, NULL},
    {"300*#[a] + 2*#>[b] + 5*#>[a] >= 4*#[c] + 70", NULL, NULL},
    {"#[a] >= #[b] + 1 & #[b] >= 3", NULL, NULL},
    {"#[a] >= #[b]", "16*N", "4096*N"},
    {"#[a] >= #[b]", "16*N", "1000*N"},
    {"2*#[a] - #[b] >= 1", "16*N", "700*N"},
    {"#[a] > #>[b]", "16*N", "2000*N"},
    {"#[a] > #>[b]", "16*N", "100*N"},
    {"3*#[a] + #>[b] >= 1", "16*N", "300*N"},
    /* look-ups */
    {"#[a] % 3 = 1", "16*N", "300*N"},
    {"#[a] % 3 = 1", "16*N", "2048*N"},
    {"#[a] % 2 = 1", "16*N", "50*N"},
    {"#[a] % 3 = 1", NULL, NULL},
    {"#[a] % 3 = 1", "16*N", "5*N"},
    {"#[a] % 3 = 1", "16*N", "3*N"},
    {"#[a] % 3 = 1", "16*N", "900*N"},
    {"(#[a] + 2*#[b]) % 5 = 2", NULL, NULL},
    {"#>[a] % 2 = 0", NULL, NULL},
    {"(#[a] + 3*#>[b]) % 4 = 2", NULL, NULL},
    /* gates of many inputs, no heads at all, sentinels, long names */
    {"a", NULL, NULL},
    {"true", NULL, NULL},
    {"first | last", NULL, NULL},
    {"O a & O b & O c & F a & F b", NULL, NULL},
    {"O a ^ Y b ^ F c", NULL, NULL},
    {"(O a & Y b) | (#[a] >= 2 & F c)", NULL, NULL},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

/* ---- models ---- */

static void replace_all(bytes *b, const char *from, const char *to) {
    for (size_t at = 0; at + strlen(from) <= b->length; at++)
        if (memcmp(b->data + at, from, strlen(from)) == 0) {
            bytes grown = copy_of(b, strlen(to));
            splice(&grown, at, strlen(from), to);
            free(b->data);
            *b = grown;
            at += strlen(to) - 1;
        }
}

static temper_type digits_format; /* of models by digits; f64: as the compiler likes */

/* The model's text without its digest, so that it can be changed. */
static bool make(bytes *out, const edge_case *c, temper_method method, temper_at at) {
    temper_spec *spec = NULL;
    temper_model *model = NULL;
    temper_error e;
    bytes printed = {0};
    temper_spec_options o = {.alphabet = "abc", .at = at, .empty = TEMPER_EMPTY_ACCEPT};
    temper_build_options build = {.method = method, .digits = digits_format};
    bool ok = CHECK(temper_spec_parse(&spec, c->formula, strlen(c->formula), &o, &e) == TEMPER_OK, "%s: %s",
                    c->formula, e.text) &&
              temper_build(&model, spec, &build, &e) == TEMPER_OK &&
              temper_model_print(&printed.data, &printed.length, model, &e) == TEMPER_OK;
    temper_model_free(model);
    temper_spec_free(spec);
    if (!ok) return false;
    *out = copy_of(&printed, 0);
    temper_free(printed.data);
    char *digest = strstr(out->data, "\ndigest ");
    out->length = (size_t)(digest - out->data) + 1;
    out->data[out->length] = 0;
    if (c->from) replace_all(out, c->from, c->to);
    return true;
}

/* ---- one length ---- */

static const char *name_of(const edge_case *c) {
    static char name[200];
    snprintf(name, sizeof name, "%s%s%s%s%s", c->formula, c->from ? ", " : "", c->from ? c->from : "",
             c->from ? " -> " : "", c->from ? c->to : "");
    return name;
}

/* What the auditor writes; NULL data: it refuses. */
static bytes audited(const bytes *file, size_t n, temper_type type, temper_error *e) {
    bytes out = {0};
    if (audit_certificate(&out.data, &out.length, file->data, file->length, n, type, e) != TEMPER_OK) out.data = NULL;
    return out;
}

static void check_proved(const edge_case *c, const bytes *file, const temper_model *m, size_t n, temper_type type) {
    temper_certify_options o = {.length = n, .type = type};
    temper_certificate *proof = NULL;
    temper_error e;
    bytes prover = {0};
    if (!CHECK(temper_certify(&proof, m, file->data, file->length, &o, &e) == TEMPER_OK &&
                   temper_certificate_print(&prover.data, &prover.length, proof, &e) == TEMPER_OK,
               "%s to %zu in %s: %s", name_of(c), n, temper_type_name(type), e.text))
        return;
    CHECK(temper_audit(prover.data, prover.length, file->data, file->length, NULL, &e) == TEMPER_OK,
          "%s to %zu in %s: the prover proves it, the auditor says %s", name_of(c), n, temper_type_name(type),
          e.text);
    if (strstr(prover.data, "\"claim\": \"formula\"")) {
        bytes auditor = audited(file, n, type, &e);
        CHECK(auditor.data && auditor.length == prover.length &&
                  memcmp(auditor.data, prover.data, prover.length) == 0,
              "%s to %zu in %s: the prover writes\n%s\nthe auditor\n%s", name_of(c), n, temper_type_name(type),
              prover.data, auditor.data ? auditor.data : e.text);
        temper_free(auditor.data);
    }
    temper_free(prover.data);
    temper_certificate_free(proof);
}

static void check_unproved(const edge_case *c, const bytes *file, size_t n, temper_type type, const char *why) {
    temper_error e;
    bytes auditor = audited(file, n, type, &e);
    CHECK(!auditor.data, "%s to %zu in %s: the auditor proves it, the prover says %s\n%s", name_of(c), n,
          temper_type_name(type), why, auditor.data);
    temper_free(auditor.data);
}

/* ---- the edge ---- */

static struct { size_t edges, short_edges; } met;

/* Nearest heads in short formats are tried length by length, which takes its time: rather few of long ones. */
enum { LONG_TRIAL = 100 };
static bool is_slow(temper_type type, size_t number) {
    return (type == TEMPER_TYPE_F16_F32 || type == TEMPER_TYPE_F32_F64) && (number % 8 || test_effort() < 1);
}
static bool takes_long(size_t n, temper_type type) {
    return n > LONG_TRIAL && n < 4096 && number_type_is_emulated(type);
}

static void check_edge(const edge_case *c, const bytes *file, const temper_model *m, temper_type type) {
    temper_proof p;
    temper_error e;
    if (!CHECK(temper_model_proof(&p, m, type, 0, &e) == TEMPER_OK, "%s: %s", name_of(c), e.text)) return;
    if (p.claim == TEMPER_CLAIM_NONE) {
        check_unproved(c, file, 0, type, p.obstacle);
        return;
    }
    size_t n = p.length; /* the facts of hard choices at hundreds of letters take long, and are no edge */
    if (p.claim != TEMPER_CLAIM_FORMULA && n > 100 && test_effort() < 10) n = 100;
    if (takes_long(n, type)) return;
    check_proved(c, file, m, n, type);
    if (n > 8 && !takes_long(n / 2, type)) check_proved(c, file, m, n / 2, type);
    if (p.claim != TEMPER_CLAIM_FORMULA || p.length == TEMPER_LONGEST) return;
    check_unproved(c, file, p.length + 1, type, p.obstacle);
    met.edges++;
    met.short_edges += p.length < 4096;
}

/* By positions candidates would not stand out from the rest: no formula is recognised, and hard choices take long. */
static bool is_lost(const edge_case *c, temper_method method) {
    return method == TEMPER_METHOD_POSITIONS && strpbrk(c->formula, "SU") && c->from && strcmp(c->from, "8*N") == 0 &&
           atof(c->to) < 8;
}

static void check_case(const edge_case *c, temper_method method, size_t number, size_t types) {
    bytes file;
    temper_model *m = NULL;
    temper_error e;
    if (is_lost(c, method) || !make(&file, c, method, number % 3 ? TEMPER_AT_LAST : TEMPER_AT_FIRST)) return;
    if (CHECK(temper_model_read(&m, file.data, file.length, &e) == TEMPER_OK, "%s: %s", name_of(c), e.text))
        for (size_t k = 0; k < types && k <= TEMPER_TYPE_BF16_F64; k++) {
            temper_type type = (temper_type)((number + 5 * k) % (TEMPER_TYPE_BF16_F64 + 1));
            if (type != TEMPER_TYPE_EXACT && !is_slow(type, number)) check_edge(c, &file, m, type);
        }
    temper_model_free(m);
    free(file.data);
}

/* Nearest heads where each length is tried. */
static void check_trials(const edge_case *c, temper_method method) {
    static const temper_type types[] = {TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_BF16,
                                        TEMPER_TYPE_BF16_F32}; /* the short ones first */
    bytes file;
    temper_model *m = NULL;
    temper_error e;
    if (!make(&file, c, method, TEMPER_AT_LAST)) return;
    if (CHECK(temper_model_read(&m, file.data, file.length, &e) == TEMPER_OK, "%s: %s", name_of(c), e.text))
        for (size_t k = 0; k < (test_effort() < 0.05 ? 2 : 4); k++) check_edge(c, &file, m, types[k]);
    temper_model_free(m);
    free(file.data);
}

/* Digits of every format in the types that store it: their keys hold a constant and what takes it away, which
   together may be beyond the format. */
static void check_digits(void) {
    static const edge_case cases[] = {{"a S b", NULL, NULL}, {"a U b", NULL, NULL}, {"Y a & O b", NULL, NULL}};
    static const temper_type types[][3] = {{TEMPER_TYPE_E4M3, TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3},
                                           {TEMPER_TYPE_E5M2, TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_E5M2},
                                           {TEMPER_TYPE_F16, TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16},
                                           {TEMPER_TYPE_BF16, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_BF16_F64}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            bytes file;
            temper_model *m = NULL;
            temper_error e;
            digits_format = types[t][0];
            bool made = make(&file, &cases[k], TEMPER_METHOD_DIGITS, TEMPER_AT_LAST);
            digits_format = TEMPER_TYPE_F64;
            if (!CHECK(made, "%s by digits of %s", cases[k].formula, temper_type_name(types[t][0]))) continue;
            if (CHECK(temper_model_read(&m, file.data, file.length, &e) == TEMPER_OK, "%s", e.text))
                for (size_t s = 1; s < 3; s++) check_edge(&cases[k], &file, m, types[t][s]);
            temper_model_free(m);
            free(file.data);
        }
}

int main(void) {
    check_digits();
    double effort = test_effort();
    size_t types = effort < 0.05 ? 1 : effort < 0.1 ? 3 : 1 + (size_t)(2 * effort), number = 0;
    for (temper_method m = TEMPER_METHOD_TEMPERATURE; m <= TEMPER_METHOD_DIGITS; m++)
        for (size_t k = 0; k < CASE_COUNT; k++) check_case(&CASES[k], m, number++, types);
    static const edge_case nearest[] = {{"Y a", NULL, NULL},   {"X a", NULL, NULL},     {"a S b", NULL, NULL},
                                        {"a U b", NULL, NULL}, {"a S b", "8*N", "5*N"}, {"a U b", "8*N", "4*N"}};
    for (size_t k = 0; k < sizeof nearest / sizeof *nearest; k++)
        for (temper_method m = TEMPER_METHOD_TEMPERATURE; m <= TEMPER_METHOD_POSITIONS; m++)
            if (!is_lost(&nearest[k], m)) check_trials(&nearest[k], m);
    CHECK(met.edges >= 30 && met.short_edges >= 15, "%zu edges, %zu of them below 4,096", met.edges, met.short_edges);
    return test_finish("t-audit-edges");
}

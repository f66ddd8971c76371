/* The auditor of models without Boolean channels against the prover, against itself, and against forgers.

   - softened gallery models and random ones, in several number types: what `certify` writes is accepted, byte for
   byte - facts from sets hold on all strings: ranges are wider, gaps and margins smaller, than those that all strings
   show - a fact a little stronger than the true one is refused, and the message names it - tampered certificates are
   refused; tampered models too, unless the prover itself writes that certificate for them */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "addressed.h"
#include "bytes.h"
#include "random_model.h"

static bool same_bytes(const bytes *x, const bytes *y) {
    return x->length == y->length && memcmp(x->data, y->data, x->length) == 0;
}

/* ---- models and certificates ---- */

static void fix_digest(bytes *m) {
    char *last = NULL, line[40];
    for (char *p = m->data; (p = strstr(p, "\ndigest ")) != NULL; p++) last = p + 1;
    if (!last) return;
    snprintf(line, sizeof line, "digest %016llx\n",
             (unsigned long long)model_digest(m->data, (size_t)(last - m->data)));
    splice(m, (size_t)(last - m->data), m->length - (size_t)(last - m->data), line);
}

static bool soften(bytes *out, const temper_model *hard, size_t n, temper_method method, bool adaptive) {
    temper_soften_options o = {.method = method, .length = n, .gap = TEMPER_GAP_PROVED, .adaptive = adaptive};
    temper_model *soft = NULL;
    temper_error e;
    bool ok = temper_soften(&soft, NULL, hard, &o, &e) == TEMPER_OK &&
              temper_model_print(&out->data, &out->length, soft, &e) == TEMPER_OK;
    temper_model_free(soft);
    return ok;
}

static bool soft_gallery(bytes *out, const char *name, size_t n, temper_method method, bool adaptive) {
    temper_model *hard = NULL;
    temper_error e;
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK, "%s: %s", name, e.text)) return false;
    bool ok = soften(out, hard, n, method, adaptive);
    temper_model_free(hard);
    return ok;
}

/* The prover's certificate; false if it has no proof. */
static bool certify(bytes *out, const bytes *model, size_t n, temper_type type) {
    temper_certify_options o = {.length = n, .type = type};
    temper_certificate *c = NULL;
    temper_model *m = NULL;
    temper_error e;
    bool ok = temper_model_read(&m, model->data, model->length, &e) == TEMPER_OK &&
              temper_certify(&c, m, model->data, model->length, &o, &e) == TEMPER_OK &&
              temper_certificate_about(c).verdict == TEMPER_PROVED &&
              temper_certificate_print(&out->data, &out->length, c, &e) == TEMPER_OK;
    if (c) temper_certificate_free(c);
    temper_model_free(m);
    return ok;
}

static bool audited(bytes *out, const bytes *model, size_t n, temper_type type, bool sets, temper_error *e) {
    audit_request r = {.length = n, .type = type, .choices = true, .strings = !sets};
    return audit_requested(&out->data, &out->length, model->data, model->length, &r, e) == TEMPER_OK;
}

/* True if there is a proof. Both programs must have one, or neither. */
static bool check_agreement(const char *name, const bytes *model, size_t n, temper_type type) {
    bytes proof = {0}, own = {0};
    temper_error e = {0}, why = {0};
    bool proved = certify(&proof, model, n, type);
    bool found = audited(&own, model, n, type, true, &why) || audited(&own, model, n, type, false, &e);
    CHECK(proved == found, "%s at %zu in %s: certify has %s proof, the audit %s %s\n%s", name, n,
          temper_type_name(type), proved ? "a" : "no", found ? "has one" : "has none:", why.text, model->data);
    if (proved)
        CHECK(temper_audit(proof.data, proof.length, model->data, model->length, NULL, &e) == TEMPER_OK,
              "%s at %zu in %s: %s\n%s", name, n, temper_type_name(type), e.text, model->data);
    if (found) temper_free(own.data);
    if (proved) temper_free(proof.data);
    return proved;
}

static void check_gallery(size_t n, temper_method method, bool adaptive, size_t step, size_t first) {
    static const temper_type others[] = {TEMPER_TYPE_F32,     TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16,
                                         TEMPER_TYPE_F16_F32, TEMPER_TYPE_BF16,     TEMPER_TYPE_E5M2_F32};
    size_t soft = 0, proofs = 0;
    for (size_t k = first; k < temper_gallery_count(); k += step) {
        temper_gallery_info info;
        bytes model = {0};
        temper_error e;
        temper_gallery_about(&info, k, &e);
        if (!soft_gallery(&model, info.name, n, method, adaptive)) continue;
        soft++;
        proofs += check_agreement(info.name, &model, n, TEMPER_TYPE_F64);
        check_agreement(info.name, &model, n, others[k % (sizeof others / sizeof *others)]);
        temper_free(model.data);
    }
    CHECK(proofs == soft && soft > 0, "of %zu gallery models softened for %zu, %zu are proved in f64", soft, n,
          proofs);
}

/* A hard model whose method says that it is soft: certificates are about those, and a soft model may have hard
   heads. */
static bool call_it_soft(bytes *out, const temper_model *hard) {
    temper_error e;
    char *printed;
    if (temper_model_print(&printed, &out->length, hard, &e) != TEMPER_OK) return false;
    out->data = printed;
    bytes copy = copy_of(out, 0);
    temper_free(printed);
    const char *at = strstr(copy.data, "\nmethod hard\n");
    if (at) splice(&copy, (size_t)(at - copy.data), 12, "\nmethod temperature");
    fix_digest(&copy);
    *out = copy;
    return at != NULL;
}

static void check_random(test_random *r, size_t count) {
    static const temper_type types[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,  TEMPER_TYPE_BF16_F32,
                                        TEMPER_TYPE_F16,      TEMPER_TYPE_BF16, TEMPER_TYPE_F16_F32,
                                        TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_F64,  TEMPER_TYPE_F32_F64};
    size_t proofs = 0;
    for (size_t k = 0; k < count; k++) {
        random_model_options o = {.average = random_below(r, 2),
                                  .fractions = random_below(r, 2),
                                  .small = random_below(r, 2),
                                  .varied = random_below(r, 2)};
        char sketch[RANDOM_MODEL_TEXT];
        temper_model *hard = random_model(sketch, r, &o);
        size_t n = random_below(r, 6) ? 1 + random_below(r, 4) : 13;
        temper_method method = (temper_method)random_below(r, 3);
        bytes model = {0};
        if (!hard) continue;
        bool ok =
            method == TEMPER_METHOD_HARD
                ? call_it_soft(&model, hard)
                : soften(&model, hard, n, method, method == TEMPER_METHOD_TEMPERATURE && random_below(r, 3) == 0);
        temper_type type = types[random_below(r, sizeof types / sizeof *types)];
        if (ok) proofs += check_agreement("random", &model, n, type);
        if (method == TEMPER_METHOD_HARD)
            free(model.data);
        else
            temper_free(model.data);
        temper_model_free(hard);
    }
    CHECK(proofs * 8 >= count, "only %zu proofs of %zu random models", proofs, count);
}

/* ---- facts from sets hold on all strings ---- */

/* The numbers of an array: "key": ["1", "inf", ...] or [1, 2], within a line from `at`; NULL if it is not there. */
static const char *next_array(const char *at, const char *key) {
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\": [", key);
    const char *found = strstr(at, quoted);
    return found ? found + strlen(quoted) : NULL;
}

static const char *next_entry(const char *p, double *x) {
    if (*p == ']') return NULL;
    if (*p == '"') p++;
    char *end;
    *x = strtod(p, &end);                                /* "inf" and hexadecimal ones too */
    if (end == p) *x = *p == 'a' ? INFINITY : -INFINITY; /* grids: any, null */
    p = end + strcspn(end, "\", ]");
    p += strspn(p, "\"");
    return p + strspn(p, ", ");
}

/* way > 0: each of y is at least that of x; < 0: at most. */
static void check_order(const char *name, const char *key, const bytes *x, const bytes *y, int way) {
    const char *p = x->data, *q = y->data;
    while ((p = next_array(p, key)) != NULL && (q = next_array(q, key)) != NULL) {
        double a, b;
        const char *s = p, *t = q;
        for (size_t k = 0; (s = next_entry(s, &a)) != NULL && (t = next_entry(t, &b)) != NULL; k++)
            CHECK(way > 0 ? a <= b : a >= b, "%s: %s[%zu] is %.17g by strings and %.17g by sets", name, key, k, a, b);
    }
}

static void check_facts(const char *name, size_t n) {
    static const char *const wider[] = {"size", "query", "key", "key-width", "value", "value-width", "output"};
    static const char *const smaller[] = {"grid",        "query-grid", "key-grid", "value-grid",
                                          "output-grid", "gap",        "distance", "margin"};
    bytes model = {0}, strings = {0}, sets = {0};
    temper_error e;
    if (!soft_gallery(&model, name, n, TEMPER_METHOD_TEMPERATURE, false)) return;
    if (audited(&strings, &model, n, TEMPER_TYPE_F64, false, &e) &&
        audited(&sets, &model, n, TEMPER_TYPE_F64, true, &e)) {
        CHECK(strstr(strings.data, "\"facts\": \"strings\"") && strstr(sets.data, "\"facts\": \"sets\""), "%s", name);
        for (size_t k = 0; k < sizeof wider / sizeof *wider; k++) check_order(name, wider[k], &strings, &sets, 1);
        if (strstr(strings.data, "\"positions\": \"every\"") && strstr(sets.data, "\"positions\": \"every\""))
            for (size_t k = 0; k < sizeof smaller / sizeof *smaller; k++)
                check_order(name, smaller[k], &strings, &sets, -1);
        const char *p = strings.data, *q = sets.data; /* what never ties by sets never ties */
        while ((p = strstr(p, "\"ties\": \"")) != NULL && (q = strstr(q, "\"ties\": \"")) != NULL) {
            CHECK(strncmp(q += 9, "single", 6) != 0 || strncmp(p += 9, "single", 6) == 0, "%s: ties", name);
            p++;
        }
    }
    temper_free(strings.data);
    temper_free(sets.data);
    temper_free(model.data);
}

/* ---- facts that are a little too good ---- */

static void write_number(char out[48], double x) {
    snprintf(out, 48, x == floor(x) && fabs(x) < 1e15 ? "%.0f" : "%a", x);
}

/* Every entry of the arrays of that key, times `factor`; whole numbers without quotes, grids, one more. */
static void check_stronger(const char *name, const bytes *model, const bytes *proof, const char *key, double factor,
                           size_t most) {
    const char *p = proof->data;
    for (size_t done = 0; done < most && (p = next_array(p, key)) != NULL;) {
        double x;
        for (const char *s = p, *next; done < most && (next = next_entry(s, &x)) != NULL; s = next) {
            bool quoted = *s == '"';
            char with[48];
            if (quoted && (x == 0 || isinf(x))) continue;
            write_number(with, isinf(x) ? 0 : quoted ? x * factor : x + 1);
            bytes c = copy_of(proof, 0);
            splice(&c, (size_t)(s - proof->data) + quoted, strcspn(s + quoted, "\",]"), with);
            temper_error e;
            temper_status status = temper_audit(c.data, c.length, model->data, model->length, NULL, &e);
            CHECK(status == TEMPER_RANGE && strstr(e.text, key) && strstr(e.text, with),
                  "%s: %s %s instead of %.17g: %s", name, key, with, x, status == TEMPER_OK ? "accepted" : e.text);
            free(c.data);
            done++;
        }
    }
}

static void check_word(const char *name, const bytes *model, const bytes *proof, const char *from, const char *to) {
    const char *at = strstr(proof->data, from);
    bytes c;
    temper_error e;
    if (!at) return;
    c = copy_of(proof, 0);
    splice(&c, (size_t)(at - proof->data), strlen(from), to);
    CHECK(temper_audit(c.data, c.length, model->data, model->length, NULL, &e) == TEMPER_RANGE, "%s: %s is accepted",
          name, to);
    free(c.data);
}

/* Facts may be found the other way: then the certificate is the audit's own of that way, or refused. */
static void check_other_facts(const char *name, const bytes *model, const bytes *proof, size_t n, temper_type type) {
    bool strings = strstr(proof->data, "\"facts\": \"strings\"") != NULL;
    const char *from = strings ? "\"strings\"" : "\"sets\"", *at = strstr(proof->data, from);
    bytes c = copy_of(proof, 8), own = {0};
    temper_error e;
    splice(&c, (size_t)(at - proof->data), strlen(from), strings ? "\"sets\"" : "\"strings\"");
    bool found = audited(&own, model, n, type, strings, &e);
    bool same = found && own.length == c.length && memcmp(own.data, c.data, c.length) == 0;
    CHECK((temper_audit(c.data, c.length, model->data, model->length, NULL, &e) == TEMPER_OK) == same,
          "%s: facts found another way", name);
    if (found) temper_free(own.data);
    free(c.data);
}

/* ---- forgers ---- */

/* Another number in place of one of the text. */
static void change_number(bytes *b, test_random *r) {
    size_t at = 0, found = 0;
    for (size_t k = 1; k < b->length; k++)
        if (b->data[k] >= '0' && b->data[k] <= '9' && !strchr("0123456789abcdefx.+", b->data[k - 1]) &&
            random_below(r, ++found) == 0)
            at = k;
    if (!found) return;
    char *end, with[48];
    double x = strtod(b->data + at, &end);
    static const double corners[] = {0, 1, 2, 0.5, 3, 8, 100};
    switch (random_below(r, 4)) {
    case 0: x = x + 1; break;
    case 1: x = x * 1.01; break;
    case 2: x = nextafter(x, 0); break;
    default: x = corners[random_below(r, sizeof corners / sizeof *corners)];
    }
    write_number(with, x);
    splice(b, at, (size_t)(end - b->data) - at, with);
}

static void tamper(bytes *b, test_random *r) {
    switch (random_below(r, 6)) {
    case 0: b->data[random_below(r, b->length)] ^= (char)(1 << random_below(r, 7)); break;
    case 1: splice(b, random_below(r, b->length), 1, ""); break;
    case 2: splice(b, random_below(r, b->length + 1), 0, random_below(r, 2) ? "-" : "1"); break;
    default: change_number(b, r);
    }
}

/* A change that means nothing, or one of length or type: then it is what the prover writes for it. */
static bool is_true(const bytes *c, const bytes *model) {
    const char *length = strstr(c->data, "\n  \"length\": "), *type = strstr(c->data, "\n  \"type\": \"");
    if (!length || !type) return false;
    for (int k = 0; *temper_type_name((temper_type)k); k++) {
        size_t size = strlen(temper_type_name((temper_type)k));
        if (strncmp(type + 12, temper_type_name((temper_type)k), size) || type[12 + size] != '"') continue;
        bytes made = {0};
        bool same = certify(&made, model, strtoull(length + 13, NULL, 10), (temper_type)k) && same_bytes(&made, c);
        temper_free(made.data);
        return same;
    }
    return false;
}

static void check_tampering(const char *name, const bytes *model, const bytes *proof, test_random *r, size_t count) {
    size_t refused = 0;
    for (size_t k = 0; k < count; k++) {
        bytes m = copy_of(model, 0), c = copy_of(proof, 0);
        temper_error e;
        if (k % 2) {
            tamper(&m, r);
            fix_digest(&m);
            address_to(&c, &m);
        } else {
            tamper(&c, r);
        }
        bool changed = !same_bytes(&m, model) || !same_bytes(&c, proof);
        temper_status s = temper_audit(c.data, c.length, m.data, m.length, NULL, &e);
        refused += s != TEMPER_OK;
        if (s == TEMPER_OK && changed)
            CHECK(is_true(&c, &m), "%s: a tampered %s is accepted:\n%s\n%s", name, k % 2 ? "model" : "certificate",
                  m.data, c.data);
        CHECK(s == TEMPER_OK || *e.text, "refused without a reason");
        free(m.data);
        free(c.data);
    }
    /* changes of a model that mean nothing are accepted, with the certificate that certify itself writes */
    CHECK(10 * refused >= 4 * count, "%s: only %zu of %zu tampered files are refused", name, refused, count);
}

static void check_forgers(const char *name, size_t n, temper_type type, test_random *r, size_t count) {
    static const char *const up[] = {"gap", "margin", "distance"};
    static const char *const down[] = {"size",  "query",  "key",   "key-width", "value-width",
                                       "value", "output", "share", "error"};
    static const char *const grids[] = {"grid", "query-grid", "key-grid", "value-grid", "output-grid"};
    bytes model = {0}, proof = {0};
    if (!CHECK(soft_gallery(&model, name, n, TEMPER_METHOD_TEMPERATURE, false), "%s is not softened", name)) return;
    if (CHECK(certify(&proof, &model, n, type), "%s is not proved", name)) {
        for (size_t k = 0; k < sizeof up / sizeof *up; k++) check_stronger(name, &model, &proof, up[k], 1.01, 6);
        for (size_t k = 0; k < sizeof down / sizeof *down; k++)
            check_stronger(name, &model, &proof, down[k], 0.99, 6);
        for (size_t k = 0; k < sizeof grids / sizeof *grids; k++)
            check_stronger(name, &model, &proof, grids[k], 1, 6);
        check_word(name, &model, &proof, "\"ties\": \"some\"", "\"ties\": \"single\"");
        check_word(name, &model, &proof, "\"positions\": \"verdict\"", "\"positions\": \"every\"");
        check_other_facts(name, &model, &proof, n, type);
        check_word(name, &model, &proof, "\"choice\": \"average\"", "\"choice\": \"leftmost\"");
        check_tampering(name, &model, &proof, r, count);
        temper_free(proof.data);
    }
    temper_free(model.data);
}

/* ---- products below the least number ---- */

/* Models that are right in exact arithmetic, and wrong in f16: a ramp with the least weight (3/2 w and 1/2 w tie to
   even), and a unit whose products vanish although their sum is a number of the format. A later layer makes the
   crumbs large. */
static void check_crumbs(void) {
    static const char *const nets[] = {"embed \"a\" 0:2\nembed \"b\"\nembed start\nembed end\nlayer 1\n"
                                       "unit -0x1p-1 0:1 -> 3:0x1p-24\nunit -0x1.8p+0 0:1 -> 3:-0x1p-24\n"
                                       "layer 2\nunit 0 3:32768 -> 4:32768\nread 4:0x1.8p-8\n",
                                       "embed \"a\" 0:0x1p-1 1:0x1p-1\nembed \"b\"\nembed start\nembed end\nlayer 1\n"
                                       "unit 0 0:1 1:1 -> 2:1\nunit 0 0:0x1p-24 1:0x1p-24 -> 3:1\n"
                                       "layer 2\nunit 0 3:32768 -> 4:32768\nread 4:0x1p-6\n"};
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        char source[2000];
        bytes model = {source, 0};
        model.length = (size_t)snprintf(source, sizeof source,
                                        "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\n"
                                        "channel 0 \"x\"\nchannel 1 \"y\"\nchannel 2 \"z\"\n"
                                        "channel 3 \"crumb\"\nchannel 4 \"large\"\n%s",
                                        nets[k]);
        CHECK(!check_agreement("crumbs", &model, 3, TEMPER_TYPE_F16), "proved in f16, and wrong:\n%s", source);
        CHECK(check_agreement("crumbs", &model, 3, TEMPER_TYPE_F64), "not proved in f64:\n%s", source);
    }
}

/* A ramp of two units of a bundle of three: both programs see it, or it is no certificate. */
static void check_shared_ramp(void) {
    char source[] = "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"z\"\nchannel 1 \"ramp\"\n"
                    "channel 2 \"other\"\nembed \"a\" 0:0x1.0001p+1\nembed \"b\" 0:0x1.8p-2\nembed start\nembed end\n"
                    "layer 1\nunit -0x1p-1 0:1 -> 1:1\nunit -0x1.8p+0 0:1 -> 1:-1\nunit -1 0:1 -> 2:1\nread 1:1\n";
    bytes model = {source, sizeof source - 1};
    CHECK(check_agreement("a shared ramp", &model, 4, TEMPER_TYPE_F16), "not proved in f16:\n%s", source);
    CHECK(check_agreement("a shared ramp", &model, 4, TEMPER_TYPE_BF16), "not proved in bf16:\n%s", source);
}

int main(void) {
    test_random r = test_seed(20261116);
    double effort = test_effort();
    static const char *const few[] = {"first",  "rightmost",  "majority",   "tied",
                                      "dyck-1", "exact-half", "second-half"};
    check_gallery(2, TEMPER_METHOD_TEMPERATURE, false, 1, 0);
    check_gallery(3, TEMPER_METHOD_POSITIONS, false, effort < 2 ? 5 : 1, 2);
    check_gallery(3, TEMPER_METHOD_TEMPERATURE, true, effort < 2 ? 7 : 1, 0);
    check_gallery(13, TEMPER_METHOD_TEMPERATURE, false, effort < 2 ? 9 : 1, 1);
    if (effort >= 2) check_gallery(20, TEMPER_METHOD_TEMPERATURE, false, 1, 0);
    check_random(&r, (size_t)(60 * effort) + 8);
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) check_facts(few[k], 3);
    check_forgers("first", 2, TEMPER_TYPE_F64, &r, (size_t)(60 * effort) + 8);
    check_forgers("majority", 2, TEMPER_TYPE_F32, &r, (size_t)(60 * effort) + 8);
    check_forgers("rightmost", 2, TEMPER_TYPE_BF16_F32, &r, (size_t)(60 * effort) + 8);
    check_crumbs();
    check_shared_ramp();
    return test_finish("t-audit-choices");
}

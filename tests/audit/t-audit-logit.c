/* The auditor's size and error of logits against doc/certificate.md, "Quantities", written from the page in long
   double: random rows of Booleans, constants and position features, with and without a scale, in every number type.
   Heads that look for patterns are scored with the same rules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_bench.h"
#include "quantity_page.h"

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,     TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,     TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,    TEMPER_TYPE_E5M2_F32,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64, TEMPER_TYPE_BF16_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

/* ---- rows, by the page ---- */

/* What rows may read. */
enum {
    IN_A,
    IN_ONE,
    IN_B,
    IN_SHARE,
    IN_PLACE,
    IN_LETTER,
    IN_CENTRED,
    IN_SIZE,
    IN_THREE,
    IN_FINE,
    IN_ZERO,
    IN_POWER,
    IN_COUNT
};
static const uint32_t CHANNEL[IN_COUNT] = {BENCH_A,
                                           BENCH_ONE,
                                           BENCH_B,
                                           BENCH_FEATURES,
                                           BENCH_FEATURES + 1,
                                           BENCH_FEATURES + 2,
                                           BENCH_FEATURES + 3,
                                           BENCH_FEATURES + 4,
                                           BENCH_FEATURES + 5,
                                           BENCH_FEATURES + 6,
                                           BENCH_FEATURES + 7,
                                           BENCH_FEATURES + 8};
static const char *const FEATURES[] = {
    "i/N",          "3*i", "[i % 3 = 1]*[1 <= i]*[i <= n]", "i - floor(N/2)", "8*N", "-3", "0.0625", "0",
    "ceil2(5*N)/8", NULL};

static bool is_boolean(int in) { return in == IN_A || in == IN_B || in == IN_LETTER; }
static bool is_constant(int in) { return in == IN_ONE || in == IN_THREE || in == IN_FINE || in == IN_ZERO; }

static part channel(const page *p, int in) {
    const number_format *s = p->s;
    switch (in) {
    case IN_SHARE: return page_value(1, false, 0, 1, false, s);
    case IN_PLACE: return page_product(p, 3, 1, s);
    case IN_CENTRED: return page_value(p->m / 2, true, 0, 0, false, s);
    case IN_SIZE: return page_product(p, 8, 1, s);
    case IN_THREE: return page_value(3, true, 0, 0, false, s);
    case IN_FINE: return page_value(0.0625L, true, -4, 0, false, s);
    case IN_ZERO: return page_value(0, true, 0, 0, false, s);
    case IN_POWER: return page_value(10 * p->m / 8, true, 0, 0, true, s);
    default: return (part){.x = 1, .y = 1, .gridded = true}; /* Booleans and 1 */
    }
}

typedef struct term {
    int in;
    double weight;
} term;

typedef struct row {
    term terms[6];
    size_t count;
} row;

/* How many terms the head part has, and H. */
static size_t head_part(const page *p, const row *w, real *size) {
    size_t end = 0, booleans = 0, constants = 0;
    part sum = {.nothing = true};
    real value = 0;
    while (end < w->count && (is_boolean(w->terms[end].in) || is_constant(w->terms[end].in))) {
        const term *t = &w->terms[end++];
        part x = channel(p, t->in);
        booleans += is_boolean(t->in);
        constants += is_constant(t->in);
        if (is_constant(t->in)) value = fabsl((real)t->weight) * x.x;
        page_add(&sum, &x, t->weight);
    }
    for (size_t k = end; k < w->count; k++)
        if (is_boolean(w->terms[k].in)) return 0;
    if (!booleans || constants > 1 || !page_fits(&sum, p->s) || !page_fits(&sum, p->a)) return 0;
    *size = constants ? value : 1;
    return end;
}

static part row_of(const page *p, const row *w, bool is_key, bool *large) {
    part all = {.nothing = true};
    real head = 0;
    size_t first = is_key ? head_part(p, w, &head) : 0;
    running r = {.sum = head, .begun = first > 0};
    real size = head;
    for (size_t k = 0; k < w->count; k++) {
        part x = channel(p, w->terms[k].in);
        real weight = fabsl((real)w->terms[k].weight);
        page_add(&all, &x, w->terms[k].weight);
        if (k < first) continue;
        size += weight * x.x;
        page_run(&r, p->a, weight * x.y, is_boolean(w->terms[k].in) || (page_is_power(weight) && weight >= 1));
    }
    bool moved = w->count == 1 && page_is_power(w->terms[0].weight) && all.gridded;
    bool fine = ldexpl(1, all.grid) >= p->ts && ldexpl(1, all.grid) >= p->ta;
    bool exact = all.e == 0 && (all.nothing || (page_fits(&all, p->s) && page_fits(&all, p->a)) || (moved && fine));
    part q = {.x = size, .y = size, .nothing = all.nothing, .gridded = all.gridded, .grid = all.grid};
    real largest = (real)p->a->largest;
    if (!exact) {
        q.e = all.e + r.error;
        q.y = r.sum;
        *large = *large || q.y > largest;
        if (p->s != p->a) {
            q.e += half_of(p->s, q.y);
            q.y = page_after(p->s, q.y);
        }
    }
    *large = *large || all.x > largest || q.y > largest || q.y > (real)p->s->largest;
    if (w->count == 1 && is_constant(w->terms[0].in)) {
        real value = fabsl((real)w->terms[0].weight) * channel(p, w->terms[0].in).x;
        q.constant = page_is_power(value) && value >= 1;
    }
    return q;
}

static part scale_of(const page *p, int which) {
    if (which == 0) return page_value(logl(p->m) + 8, false, 0, 3, false, p->a);
    return page_product(p, which == 3 ? 0.25L : which == 4 ? 12 : 3, which == 4 ? 2 : 1, p->a);
}
static const char *const SCALES[] = {"ln(N) + 8", "3*N", NULL, "0.25*N", "12*N*N"};

/* ---- the auditor ---- */

static bool is_near(double found, real low, real high) {
    return found >= low * (1 - 1e-9L) && found <= high * (1 + 1e-9L);
}

static struct { size_t fine, large, refused; } met;

static void audit_it(audit_bench *b, audit_head *f, const part expected[2], const bool large[2], const char *what,
                     const char *type, uint64_t n) {
    audit_logit(&b->a, f);
    double size = ball_upper(f->logit.size), off = ball_upper(f->logit.error);
    CHECK(f->failure ? large[1] : !large[0], "%sin %s, n = %llu: %s, by the page %s", what, type,
          (unsigned long long)n, f->failure ? f->failure : "no overflow", large[0] ? "one" : "none");
    if (!large[1])
        CHECK(is_near(size, expected[0].x, expected[1].x) && is_near(off, expected[0].e, expected[1].e),
              "%sin %s, n = %llu: X = %.17g, eta = %.17g, by the page %.17Lg and %.17Lg", what, type,
              (unsigned long long)n, size, off, expected[0].x, expected[0].e);
    met.fine += !large[1];
    met.large += large[0];
}

/* Features must fit the type, or the auditor stops there. */
static bool all_features_fit(const page *p) {
    for (int in = 0; in < IN_COUNT; in++)
        if (channel(p, in).y > (real)p->s->largest) return false;
    return true;
}

static const uint64_t LENGTHS[] = {0, 1, 5, 14, 15, 30, 60, 61, 100, 1000, 65534, 1000000, 16777214, 94906264};

static double random_weight(test_random *r, const number_format *f) {
    static const double weights[] = {1,  -1, 2,      -4,     0.5,    0.25,    3,       -5,     0.75,
                                     12, 17, 0x1p-3, 0x1p-5, 0x1p-6, 0x1p-12, 0x1p-13, 0x1p-9, 0x1p10};
    double w = weights[random_below(r, random_below(r, 2) ? 5 : sizeof weights / sizeof *weights)];
    return format_round(f, w) == w ? w : 1;
}

static void random_row(test_random *r, row *w, bool is_key, const number_format *f) {
    static const int usual[] = {IN_ONE, IN_SIZE, IN_POWER, IN_THREE};
    w->count = 0;
    if (!is_key && random_below(r, 3)) {
        w->terms[w->count++] = (term){usual[random_below(r, 4)], random_weight(r, f)};
        return;
    }
    if (f->least > 0x1p-200 && random_below(r, 8) == 0) { /* at the least number of the format, and just below */
        w->terms[w->count++] = (term){IN_FINE, f->least * (random_below(r, 2) ? 16 : 8)};
        return;
    }
    for (int in = 0; in < IN_COUNT; in++)
        if (random_below(r, 4) == 0 && w->count < 6) w->terms[w->count++] = (term){in, random_weight(r, f)};
    if (is_key && random_below(r, 3) == 0) w->count = w->count > 2 ? 2 : w->count;
}

static void print_row(char *out, const char *name, const row *w) {
    strcat(out, name);
    for (size_t k = 0; k < w->count; k++)
        sprintf(out + strlen(out), " %u:%a", CHANNEL[w->terms[k].in], w->terms[k].weight);
    strcat(out, "\n");
}

static void check_rows(test_random *r, temper_type type, uint64_t n) {
    page p = page_of(type, n + 2);
    row query[4], key[4];
    size_t count = 1 + random_below(r, 4);
    int scale = (int)random_below(r, 5);
    char text_of[2000] = "head \"x\" role nearest mask j<i choice softmax for average";
    if (SCALES[scale]) sprintf(text_of + strlen(text_of), " scale \"%s\"", SCALES[scale]);
    strcat(text_of, "\n");
    for (size_t k = 0; k < count; k++) random_row(r, &query[k], false, p.s), print_row(text_of, "  query", &query[k]);
    for (size_t k = 0; k < count; k++) random_row(r, &key[k], true, p.s), print_row(text_of, "  key", &key[k]);
    if (!all_features_fit(&p)) {
        met.refused++;
        return;
    }
    audit_bench b;
    if (bench_begin(&b, text_of, FEATURES, type, n)) {
        part expected[2];
        bool large[2] = {false, false};
        for (int up = 0; up < 2; up++) {
            page_round(up);
            part q[4], x[4], lambda = SCALES[scale] ? scale_of(&p, scale) : (part){0};
            for (size_t k = 0; k < count; k++) {
                q[k] = row_of(&p, &query[k], false, &large[up]);
                x[k] = row_of(&p, &key[k], true, &large[up]);
            }
            expected[up] = page_logit(&p, SCALES[scale] ? &lambda : NULL, q, x, count, &large[up]);
        }
        audit_head f = {.layer = 1, .number = 1, .kind = KIND_NEAREST, .head = &b.model->layers[0].heads[0]};
        audit_it(&b, &f, expected, large, text_of, temper_type_name(type), n);
    }
    bench_free(&b);
}

/* doc/certificate.md, "Match": T on a grid of halves, and i/N; the sentinel may be the end, with M as its score. */
static void check_pattern(test_random *r, temper_type type, uint64_t n) {
    page p = page_of(type, n + 2);
    static const double totals[] = {0.5, 1, 1.5, 7, 8, 100, 1000.5, 0x1p20, 0x1.8p30};
    double total = totals[random_below(r, sizeof totals / sizeof *totals)];
    static const double edges[] = {0, 0.5, 1, 1.5, 8};
    double edge = edges[random_below(r, sizeof edges / sizeof *edges)];
    int scale = random_below(r, 2) ? 1 : 3;
    char text_of[400];
    snprintf(text_of, sizeof text_of,
             "head \"T = %g, M = %g\" role nearest mask j<i choice softmax for average scale \"%s\"\n  query %d:1\n"
             "  key %d:%g %d:-1\n",
             total, edge, SCALES[scale], BENCH_ONE, BENCH_END, edge > 0 ? edge : 1, BENCH_FEATURES);
    audit_bench b;
    static const char *const share[] = {"i/N", NULL};
    if (bench_begin(&b, text_of, share, type, n)) {
        bool large[2] = {false, false};
        part expected[2];
        for (int up = 0; up < 2; up++) {
            page_round(up);
            real c = scale == 3 ? 0.25L : 3;
            expected[up] =
                edge > 0 ? page_pattern_end(&p, total, edge, c, &large[up]) : page_pattern(&p, total, c, &large[up]);
        }
        audit_head f = {.layer = 1, .number = 1, .kind = KIND_MATCH, .total_weight = total, .end_weight = edge};
        f.head = &b.model->layers[0].heads[0];
        audit_it(&b, &f, expected, large, text_of, temper_type_name(type), n);
    }
    bench_free(&b);
}

int main(void) {
    test_random r = test_seed(2213);
    size_t count = (size_t)(2000 * test_effort()) + 600;
    for (size_t k = 0; k < count; k++) {
        temper_type type = TYPES[k % TYPE_COUNT];
        uint64_t n = LENGTHS[random_below(&r, sizeof LENGTHS / sizeof *LENGTHS)];
        check_rows(&r, type, n);
        if (k % 2 == 0) check_pattern(&r, TYPES[random_below(&r, TYPE_COUNT)], n);
    }
    CHECK(met.fine > count / 3 && met.large > count / 20, "%zu are fine, %zu too large, %zu have too large features",
          met.fine, met.large, met.refused);
    return test_finish("t-audit-logit");
}

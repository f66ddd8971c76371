/* A nearest head that is tried at every length (doc/certificate.md, "Nearest"): the auditor's sum of the other
   weights and its largest logit against a loop over all lengths, winners and losers that is written from the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_bench.h"
#include "bound_page.h"
#include "number/upward.h"

static const char *const FEATURES[] = {"i/N", "8*N", "4*i", NULL};
enum { SHARE = BENCH_FEATURES, SIZE, PLACE, NO_FEATURE };

/* One row: the query is a number, or 8*N; the key is a Boolean row, a position with a weight, or their sum. */
typedef struct shape_row {
    double query; /* 0: 8*N */
    bool boolean;
    int feature;
    double weight;
} shape_row;

typedef struct shape {
    const char *head;
    double scale; /* C of C*N; 0: none */
    shape_row rows[2];
    size_t count;
    bool candidates, rightmost;
} shape;

#define HEAD(mask, scale) "head \"x\" role nearest mask " mask " choice softmax for average" scale "\n"
#define TAIL              "  value 0:1\n  output 10:1\n"

static const shape SHAPES[] = {
    {HEAD("j<i", " scale \"8*N\"") "  query 1:1\n  key 15:1\n" TAIL, 8, {{1, false, SHARE, 1}}, 1, false, true},
    {HEAD("j>i", " scale \"8*N\"") "  query 1:1\n  key 15:-1\n" TAIL, 8, {{1, false, SHARE, -1}}, 1, false, false},
    {HEAD("j<i", " scale \"6*N\"") "  query 1:1\n  key 0:1 15:1\n" TAIL, 6, {{1, true, SHARE, 1}}, 1, true, true},
    {HEAD("j<i", " scale \"6*N\"") "  query 1:1\n  key 0:1 15:-1\n" TAIL, 6, {{1, true, SHARE, -1}}, 1, true, false},
    {HEAD("all", " scale \"3*N\"") "  query 1:2\n  key 0:1 15:1\n" TAIL, 3, {{2, true, SHARE, 1}}, 1, true, true},
    {HEAD("j<i", " scale \"3*N\"") "  query 1:2\n  query 1:1\n  key 0:1\n  key 15:1\n" TAIL,
     3,
     {{2, true, NO_FEATURE, 0}, {1, false, SHARE, 1}},
     2,
     true,
     true},
    {HEAD("j<i", " scale \"0.0625*N\"") "  query 1:1\n  key 15:1\n" TAIL,
     0.0625,
     {{1, false, SHARE, 1}},
     1,
     false,
     true},
    {HEAD("j<i", "") "  query 1:1\n  key 17:1\n" TAIL, 0, {{1, false, PLACE, 1}}, 1, false, true},
    {HEAD("j<i", "") "  query 16:1\n  query 1:1\n  key 0:1\n  key 17:1\n" TAIL,
     0,
     {{0, true, NO_FEATURE, 0}, {1, false, PLACE, 1}},
     2,
     true,
     true},
    {HEAD("j>i", " scale \"80*N\"") "  query 1:1\n  key 0:1 15:-1\n" TAIL,
     80,
     {{1, true, SHARE, -1}},
     1,
     true,
     false},
    {HEAD("j>i", " scale \"56*N\"") "  query 1:1\n  key 0:1 15:-1\n" TAIL,
     56,
     {{1, true, SHARE, -1}},
     1,
     true,
     false},
    {HEAD("j>i", "") "  query 16:1\n  query 1:0x1p-1\n  key 0:1\n  key 17:-1\n" TAIL,
     0,
     {{0, true, NO_FEATURE, 0}, {0.5, false, PLACE, -1}},
     2,
     true,
     false},
};

static const temper_type TYPES[] = {TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,
                                    TEMPER_TYPE_F16_F32,
                                    TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32,
                                    TEMPER_TYPE_E5M2_F32,
                                    TEMPER_TYPE_E5M2,
                                    TEMPER_TYPE_E4M3,
                                    (temper_type)BF16_F32_TILE64,
                                    (temper_type)E4M3_TILE64,
                                    (temper_type)F16_F32_TILE128};

/* ---- the page ---- */

typedef struct formats {
    const number_format *s, *a;
    bool rescaled; /* there may be several tiles */
} formats;

static double feature_at(const formats *f, int which, double i, double size) {
    return format_round(f->s, which == SHARE ? i / size : which == SIZE ? 8 * size : 4 * i);
}

static double logit_at(const formats *f, const shape *x, bool candidate, double i, double size) {
    double sum = 0;
    for (size_t r = 0; r < x->count; r++) {
        const shape_row *row = &x->rows[r];
        double query = row->query == 0 ? feature_at(f, SIZE, 0, size) : row->query, key = row->boolean && candidate;
        if (row->feature != NO_FEATURE) {
            key = format_round(f->a, key + format_round(f->a, row->weight * feature_at(f, row->feature, i, size)));
            key = format_round(f->s, key);
        }
        sum = format_round(f->a, sum + format_round(f->a, query * key));
    }
    return x->scale == 0 ? sum : format_round(f->a, format_round(f->a, x->scale * size) * sum);
}

static bool overflow; /* a logit, a weight, or a difference of two logits that moved is no number */

static double weight_of(const formats *f, double logit, double winner) {
    double u = ldexp(1, -f->a->precision);
    double w =
        format_exp(f->a, format_round(f->a, format_next(f->a, logit, true) - format_next(f->a, winner, false)));
    overflow = overflow || (!f->rescaled && !isfinite(w));
    if (f->rescaled) { /* e^((1 - u) d), d above the difference, rounded up */
        double d = nextafter(format_next(f->a, logit, true) - format_next(f->a, winner, false), INFINITY);
        w = d >= 0 ? INFINITY : exp_f64(nextafter((1 - u) * d, INFINITY));
        w = nextafter(nextafter(w, INFINITY), INFINITY);
    }
    return w;
}

/* The others if j wins: the four next to it on the losing side one by one, those beyond like their largest; on the
   other side, where no candidate is, the four farthest one by one, the rest like their largest. */
static double others(const formats *f, const shape *x, const double *as, const double *not_as, int size, int j) {
    int lose = x->rightmost ? -1 : 1, far = x->rightmost ? 0 : size - 1, end = size - 1 - far;
    double sum = 0, most = -INFINITY;
    int many = 0;
    for (int k = j + lose; k >= 0 && k < size; k += lose) {
        double l = x->candidates ? fmax(as[k], not_as[k]) : as[k];
        if (abs(k - j) <= 4)
            sum = up_add(sum, weight_of(f, l, as[j]));
        else
            most = fmax(most, l), many++;
    }
    if (many) sum = up_add(sum, up_mul(many, weight_of(f, most, as[j])));
    if (!x->candidates) return sum;
    many = 0, most = -INFINITY;
    for (int k = end; k != j; k += lose) {
        if (abs(k - end) < 4)
            sum = up_add(sum, weight_of(f, not_as[k], as[j]));
        else
            most = fmax(most, not_as[k]), many++;
    }
    if (many) sum = up_add(sum, up_mul(many, weight_of(f, most, as[j])));
    return sum;
}

/* 1 is too much, however it goes on: then longer ones are looked at only if `all`. */
static double worst(const formats *f, const shape *x, int positions, bool all, double *largest) {
    double as[200], not_as[200], r = 0;
    *largest = 0;
    overflow = false;
    for (int size = 2; size <= positions && (all || r < 1); size++) {
        for (int i = 0; i < size; i++) {
            as[i] = logit_at(f, x, true, i, size);
            not_as[i] = logit_at(f, x, false, i, size);
            overflow = overflow || !isfinite(as[i]) || (x->candidates && !isfinite(not_as[i]));
            *largest = fmax(*largest, fabs(as[i]));
            if (x->candidates) *largest = fmax(*largest, fabs(not_as[i]));
        }
        for (int j = 0; j < 2 * size && !f->a->infinities; j++)
            for (int k = 0; k < 2 * size; k++) {
                if (!x->candidates && (j >= size || k >= size)) continue;
                double p = j < size ? as[j] : not_as[j - size], q = k < size ? as[k] : not_as[k - size];
                double apart = format_next(f->a, p, true) - format_next(f->a, q, false);
                overflow = overflow || fabs(p) == f->a->largest || !isfinite(format_round(f->a, apart));
            }
        for (int j = 0; j < size; j++) r = fmax(r, others(f, x, as, not_as, size, j));
    }
    return r;
}

/* ---- the auditor ---- */

static struct { double r, largest; } found;
static void try_lengths(audit *a) { found.r = audit_every_length(a, a->heads, &found.largest); }

static struct { size_t compared, refused; } met;

/* tile: how many keys one has, instead of the type's own; 0: that. */
static void check_shape(const shape *x, temper_type type, int positions, size_t tile) {
    const number_type *t = number_type_of(type);
    if (!tile) tile = t->tile;
    const formats f = {t->storage, t->accumulation, tile && positions > (int)tile};
    double largest, r = worst(&f, x, positions, true, &largest);
    bool ever = overflow;
    r = worst(&f, x, positions, false, &largest);
    audit_bench b;
    if (bench_begin(&b, x->head, FEATURES, type, (uint64_t)positions - 2)) {
        const char *why = bench_heads(&b);
        if (why && ever && strstr(why, "a position feature may be beyond"))
            met.refused++;
        else if (CHECK(!why && b.a.heads[0].rightmost == x->rightmost && b.a.heads[0].candidates == x->candidates,
                       "%sin %s: %s", x->head, temper_type_name(type), why ? why : "another kind")) {
            b.a.type.tile = tile;
            why = bench_try(&b, try_lengths);
            CHECK(!why == !overflow && (why || (found.r == r && found.largest == largest)),
                  "%sin %s, M = %d: R = %.17g, the largest logit is %g; by the page %.17g and %g; %s", x->head,
                  temper_type_name(type), positions, found.r, found.largest, r, largest, why ? why : "accepted");
            met.compared += !why;
            met.refused += why != NULL;
        }
    }
    bench_free(&b);
}

/* A Boolean behind the position is added in another order, and is not tried. */
static void check_order(void) {
    static const char head[] =
        HEAD("j<i", " scale \"8*N\"") "  query 1:1\n  key 9:1 13:1\n  value 13:1\n  output 10:1\n";
    audit_bench b;
    if (bench_begin(&b, head, FEATURES, TEMPER_TYPE_BF16, 5)) {
        b.a.channels[BENCH_INVERSE].feature = b.a.channels[SHARE].feature;
        const char *why = bench_heads(&b);
        CHECK(!why, "%s", why ? why : "");
        why = bench_try(&b, try_lengths);
        CHECK(why && strstr(why, "Boolean terms behind its position"), "%s", why ? why : "tried");
    }
    bench_free(&b);
}

int main(void) {
    static const int sizes[] = {2, 3, 4, 5, 6, 9, 10, 11, 24};
    for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++)
        for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                check_shape(&SHAPES[k], TYPES[t], sizes[s], 0);
                if (sizes[s] >= 5 && sizes[s] < 12) check_shape(&SHAPES[k], TYPES[t], sizes[s], 5);
            }
    if (test_effort() >= 1)
        for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++)
            for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++) check_shape(&SHAPES[k], TYPES[t], 120, 0);
    check_order();
    CHECK(met.compared > 100 && met.refused > 5, "%zu compared, %zu refused", met.compared, met.refused);
    return test_finish("t-audit-lengths");
}

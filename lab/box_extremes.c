#include "lab/box_extremes.h"

#include "number/upward.h"

#include <stdlib.h>

#define LN2_BELOW 0x1.62e42fefa39efp-1
#define LN2_ABOVE 0x1.62e42fefa39f0p-1

typedef struct {
    double lo, hi;
} interval;

/* ---- outward arithmetic; zero and infinity stay what they are ---- */

static interval plus(interval x, interval y) { return (interval){next_down(x.lo + y.lo), next_up(x.hi + y.hi)}; }

static interval times(double c, interval x) {
    if (c == 0) return (interval){0, 0};
    double a = c * (c > 0 ? x.lo : x.hi), b = c * (c > 0 ? x.hi : x.lo);
    return (interval){next_down(a), next_up(b)};
}

static double below_zero_is_zero(double x) { return x < 0 ? 0 : x; }

static interval exponential(interval x) { /* exp errs by less than 0.55 units of the last place */
    return (interval){below_zero_is_zero(next_down(next_down(exp_f64(x.lo)))), next_up(next_up(exp_f64(x.hi)))};
}

static interval value(const weight_box *box, double s, double shift) {
    switch (box->function) {
    case BOX_EXP: return exponential((interval){sub_down(s, shift), sub_up(s, shift)});
    case BOX_POWER_OF_TWO: {
        interval d = {sub_down(s, shift), sub_up(s, shift)};
        return exponential((interval){next_down(d.lo * (d.lo < 0 ? LN2_ABOVE : LN2_BELOW)),
                                      next_up(d.hi * (d.hi < 0 ? LN2_BELOW : LN2_ABOVE))});
    }
    case BOX_SSA: break;
    }
    double size = fabs(s) * box->b;
    interval base = {next_down(1 + below_zero_is_zero(next_down(size))), next_up(1 + next_up(size))};
    interval l = {next_down(next_down(log_f64(base.lo < 1 ? 1 : base.lo))), next_up(next_up(log_f64(base.hi)))};
    interval e = times(box->p, l);
    return exponential(s < 0 ? (interval){-e.hi, -e.lo} : e);
}

/* numerator / denominator, the denominator positive in truth. */
static interval ratio(interval num, interval den) {
    interval q;
    q.lo = num.lo >= 0 ? num.lo / den.hi : den.lo > 0 ? num.lo / den.lo : -INFINITY;
    q.hi = num.hi <= 0 ? num.hi / den.hi : den.lo > 0 ? num.hi / den.lo : INFINITY;
    return (interval){next_down(q.lo), next_up(q.hi)};
}

/* ---- cuts ---- */

typedef struct {
    double c;
    size_t at;
} sorted;

static int ascending(const void *x, const void *y) {
    const sorted *a = x, *b = y;
    return a->c != b->c ? (a->c > b->c) - (a->c < b->c) : (a->at > b->at) - (a->at < b->at);
}

static double check(const weight_box *box, trap *t) {
    double shift = -INFINITY;
    for (size_t j = 0; j < box->n; j++) {
        if (!(box->lo[j] <= box->hi[j]) || !isfinite(box->lo[j]) || !isfinite(box->hi[j]))
            trap_raise(t, TEMPER_RANGE, 0, 0, "score box: interval %zu is empty or not finite", j);
        if (box->hi[j] > shift) shift = box->hi[j];
    }
    if (box->n == 0) trap_raise(t, TEMPER_RANGE, 0, 0, "score box: there is no score");
    return box->function == BOX_SSA ? 0 : shift;
}

/* Sorted by c ascending, the least value has the first k scores high and the rest low. */
box_bound weight_box_least(const weight_box *box, const double *c, arena *scratch) {
    size_t n = box->n;
    double shift = check(box, scratch->trap);
    sorted *order = arena_alloc(scratch, n, sizeof *order);
    interval *num = arena_alloc(scratch, n + 1, sizeof *num), *den = arena_alloc(scratch, n + 1, sizeof *den);
    for (size_t j = 0; j < n; j++) {
        if (!isfinite(c[j]))
            trap_raise(scratch->trap, TEMPER_RANGE, 0, 0, "score box: coefficient %zu is not finite", j);
        order[j] = (sorted){c[j], j};
    }
    qsort(order, n, sizeof *order, ascending);
    num[n] = den[n] = (interval){0, 0}; /* sums from k on, at the low ends */
    for (size_t k = n; k-- > 0;) {
        interval f = value(box, box->lo[order[k].at], shift);
        num[k] = plus(num[k + 1], times(order[k].c, f));
        den[k] = plus(den[k + 1], f);
    }
    interval num_high = {0, 0}, den_high = {0, 0};
    box_bound least = {INFINITY, INFINITY};
    for (size_t k = 0; k <= n; k++) {
        interval d = plus(den_high, den[k]);
        interval q = ratio(plus(num_high, num[k]), (interval){below_zero_is_zero(d.lo), d.hi});
        if (q.lo < least.below) least.below = q.lo;
        if (q.hi < least.above) least.above = q.hi;
        if (k == n) break;
        interval f = value(box, box->hi[order[k].at], shift);
        num_high = plus(num_high, times(order[k].c, f));
        den_high = plus(den_high, f);
    }
    /* A mean of the c lies between them, whatever was lost to underflow. */
    if (least.below < order[0].c) least.below = order[0].c;
    if (least.above > order[n - 1].c) least.above = order[n - 1].c;
    return least;
}

box_bound weight_box_greatest(const weight_box *box, const double *c, arena *scratch) {
    double *turned = arena_alloc(scratch, box->n + 1, sizeof *turned);
    for (size_t j = 0; j < box->n; j++) turned[j] = -c[j];
    box_bound least = weight_box_least(box, turned, scratch);
    return (box_bound){-least.above, -least.below};
}

box_bound weight_box_weight(const weight_box *box, size_t j, arena *scratch) {
    double shift = check(box, scratch->trap);
    interval low = {0, 0}, high = {0, 0}; /* of the others */
    for (size_t k = 0; k < box->n; k++) {
        if (k == j) continue;
        low = plus(low, value(box, box->lo[k], shift));
        high = plus(high, value(box, box->hi[k], shift));
    }
    interval own_low = value(box, box->lo[j], shift), own_high = value(box, box->hi[j], shift);
    low.lo = below_zero_is_zero(low.lo);
    double below = below_zero_is_zero(next_down(own_low.lo / next_up(own_low.lo + high.hi)));
    double sum = below_zero_is_zero(next_down(own_high.hi + low.lo)); /* x/(x + low) grows with x */
    double above = sum > 0 ? next_up(own_high.hi / sum) : 1;
    if (!(below >= 0)) below = 0; /* 0/0: everything underflowed */
    return (box_bound){below, above < 1 ? above : 1};
}

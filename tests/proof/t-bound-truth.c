/* Error bounds of heads with roles against numbers that are really rounded. Random rows, scores and logits in every
   type stay within their bounds, and some come near them; so do the logits of look-ups, comparisons and balances; so
   do sums of weights in random trees with references of their own. The ideal values are computed in long double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bound/role_bounds.h"
#include "number/elementary.h"
#include "bound_page.h"
#include "test.h"

static arena memory;
static trap no_memory;

typedef struct arithmetic {
    const number_format *s, *a;
} arithmetic;

static arithmetic arithmetic_of(temper_type type) {
    return (arithmetic){number_type_of(type)->storage, number_type_of(type)->accumulation};
}

static double stored(const arithmetic *t, double x) { return format_round(t->s, x); }
static double summed(const arithmetic *t, double x) { return format_round(t->a, x); }

/* One rounding; only for f64 and f32, whose runners have it. */
static double fused(const arithmetic *t, double x, double y, double z) {
    return t->a->precision == 24 ? fmaf((float)x, (float)y, (float)z) : fma(x, y, z);
}

static bounds bounds_of(temper_type type, uint64_t size) {
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), size, &memory);
    return b;
}

/* ---- features ---- */

enum { KINDS = 12 };

static feature_form form_of(int kind, double c) {
    static const form_size size[KINDS] = {FORM_CONSTANT, FORM_BOOLEAN, FORM_POWER, FORM_POWER,
                                          FORM_POWER,    FORM_SHARE,   FORM_SHARE, FORM_SHARE,
                                          FORM_SHARE,    FORM_RATIO,   FORM_LOG,   FORM_SHARE};
    static const int power[KINDS] = {0, 0, 1, 1, 2, 0, 0, 0, 0, 2, 0, 0},
                     squares[KINDS] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0};
    feature_form f = {
        .size = size[kind], .power = power[kind], .squares = squares[kind], .logarithm = kind == 11, .c = c, .d = 1};
    if (kind == 1 || kind == 2) f.c = 1;
    return f;
}

/* As the expression is evaluated in f64, and exactly; `truth` is what a Boolean is. */
static double evaluate(int kind, double c, double i, double n, double truth) {
    switch (kind) {
    case 0: return c;
    case 1: return truth;
    case 2: return i;
    case 3: return c * n;
    case 4: return c * n * i;
    case 5: return i / n;
    case 6: return 1 / (i + 1);
    case 7: return i / (n * n);
    case 8: return i * i / (n * n);
    case 9: return c * n * n / (i + 1);
    case 10: return log_f64(n) + c;
    default: return log_f64(fmax(i, 1)) / (c * n);
    }
}

static real ideal(int kind, real c, real i, real n, real truth) {
    switch (kind) {
    case 0: return c;
    case 1: return truth;
    case 2: return i;
    case 3: return c * n;
    case 4: return c * n * i;
    case 5: return i / n;
    case 6: return 1 / (i + 1);
    case 7: return i / (n * n);
    case 8: return i * i / (n * n);
    case 9: return c * n * n / (i + 1);
    case 10: return logl(n) + c;
    default: return logl(fmaxl(i, 1)) / (c * n);
    }
}

/* ---- rows ---- */

enum { TERMS = 5, ROWS = 3 };

typedef struct row {
    row_shape shape;
    term_shape terms[TERMS];
    int kind[TERMS];
    double c[TERMS];
} row;

static double random_weight(const arithmetic *t, test_random *r) {
    if (random_below(r, 2)) return ldexp(random_below(r, 2) ? 1 : -1, (int)random_below(r, 5) - 1);
    return stored(t, (double)(1 + random_below(r, 40)) / 8 * (random_below(r, 2) ? 1 : -1));
}

static void random_row(row *w, const arithmetic *t, test_random *r, size_t most) {
    w->shape = (row_shape){1 + random_below(r, most), w->terms};
    for (size_t k = 0; k < w->shape.count; k++) {
        w->kind[k] = (int)random_below(r, KINDS);
        w->c[k] = w->kind[k] == 0 ? stored(t, (double)random_below(r, 30) / 4 - 3) : (double)(1 + random_below(r, 9));
        w->terms[k] = (term_shape){form_of(w->kind[k], w->c[k]), random_weight(t, r)};
    }
}

typedef struct pair {
    double found; /* computed */
    real exact;
} pair;

static pair row_at(const row *w, const arithmetic *t, double i, double n, unsigned truths) {
    pair p = {0, 0};
    for (size_t k = 0; k < w->shape.count; k++) {
        double truth = truths >> k & 1, x = stored(t, evaluate(w->kind[k], w->c[k], i, n, truth));
        p.found = summed(t, p.found + summed(t, w->terms[k].weight * x));
        p.exact += w->terms[k].weight * ideal(w->kind[k], w->c[k], i, n, truth);
    }
    p.found = stored(t, p.found);
    return p;
}

/* How much of the bound was used; above 1 is a failure. */
static double used(const char *what, temper_type type, const quantity *q, pair p) {
    real e = ball_upper(q->error), off = fabsl(p.found - p.exact), slack = 0x1p-58L * (ball_upper(q->size) + 1);
    CHECK(off <= e + slack, "%s in %s: %.17g for %.17Lg, off by %Lg, bound %Lg", what, temper_type_name(type),
          p.found, p.exact, off, e);
    CHECK(fabs(p.found) <= ball_upper(q->most), "%s in %s: %a is computed, bound %a", what, temper_type_name(type),
          p.found, ball_upper(q->most));
    CHECK(fabsl(p.exact) <= ball_upper(q->size) * (1 + 0x1p-50), "%s in %s: %Lg is larger than %g", what,
          temper_type_name(type), p.exact, ball_upper(q->size));
    return e > 0 ? (double)(off / e) : 0;
}

static bool is_fine(const quantity *q, const bounds *b) {
    return ball_is_at_most(q->most, b->most_s) && quantity_fits(q, b->most_a);
}

static bool features_fit(const row *w, const bounds *b) {
    bool fine = true;
    for (size_t k = 0; k < w->shape.count; k++) {
        quantity q = quantity_feature(b, &w->terms[k].form);
        fine = fine && ball_is_at_most(q.most, b->most_s);
    }
    return fine;
}

/* A scale, rows of queries and keys, and the logit in every way that a runner of the type has. */
static void check_head(temper_type type, test_random *r, double best[3]) {
    arithmetic t = arithmetic_of(type);
    bool short_sums = number_type_is_emulated(type);
    uint64_t m = 1 + random_below(r, t.s->precision < 8    ? 12
                                     : t.s->precision < 20 ? 200
                                     : random_below(r, 2)  ? 300
                                                           : 2000000);
    bounds b = bounds_of(type, m);
    size_t rows = 1 + random_below(r, ROWS);
    row queries[ROWS], keys[ROWS];
    quantity q[ROWS], k[ROWS];
    bool fine = true;
    for (size_t d = 0; d < rows; d++) {
        random_row(&queries[d], &t, r, random_below(r, 2) ? 1 : TERMS);
        random_row(&keys[d], &t, r, random_below(r, 2) ? 1 : TERMS);
        q[d] = quantity_row(&b, &queries[d].shape, false);
        k[d] = quantity_row(&b, &keys[d].shape, false);
        fine = fine && is_fine(&q[d], &b) && is_fine(&k[d], &b);
        fine = fine && features_fit(&queries[d], &b) && features_fit(&keys[d], &b);
    }
    double factor = (double)(1 + random_below(r, 12));
    feature_form form = form_of(random_below(r, 3) ? 3 : 10, factor);
    quantity scale = quantity_scale(&b, &form), score = quantity_score(&b, q, k, rows),
             logit = quantity_logit(&b, &scale, q, k, rows);
    fine = fine && is_fine(&scale, &b) && quantity_fits(&score, b.most_a) && quantity_fits(&logit, b.most_a);
    for (int trial = 0; trial < 20 && fine; trial++) {
        double n = (double)(random_below(r, 2) ? m : 1 + random_below(r, m)),
               i = (double)random_below(r, (uint64_t)n), j = (double)random_below(r, (uint64_t)n);
        int kind = form.size == FORM_LOG ? 10 : 3;
        pair s = {summed(&t, evaluate(kind, factor, 0, n, 0)), ideal(kind, factor, 0, n, 0)}, dot = {0, 0},
             first = {0, 0};
        for (size_t d = 0; d < rows; d++) {
            pair x = row_at(&queries[d], &t, i, n, (unsigned)random_below(r, 32)),
                 y = row_at(&keys[d], &t, j, n, (unsigned)random_below(r, 32));
            best[0] = fmax(best[0], fmax(used("a query", type, &q[d], x), used("a key", type, &k[d], y)));
            dot.exact += x.exact * y.exact;
            dot.found = summed(&t, dot.found + summed(&t, x.found * y.found));
            double scaled = summed(&t, s.found * x.found);
            if (short_sums) continue;
            first.found = d == 0 ? summed(&t, scaled * y.found) : fused(&t, scaled, y.found, first.found);
        }
        best[1] = fmax(best[1], used("a score", type, &score, dot));
        first.exact = s.exact * dot.exact;
        best[2] = fmax(best[2], used("a logit", type, &logit, (pair){summed(&t, s.found * dot.found), first.exact}));
        if (!short_sums) used("a logit of scaled queries", type, &logit, first);
    }
    arena_reset(&memory);
}

static void check_quantities(test_random *r) {
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        double best[3] = {0, 0, 0};
        for (int trial = 0; trial < 1500 * test_effort(); trial++) check_head(page_types[k], r, best);
        if (test_effort() < 0.9) continue;
        CHECK(best[0] > 0.9 && best[1] > 0.45 && best[2] > 0.3,
              "%s: bounds of rows, scores, logits are used to %g, %g, %g", temper_type_name(page_types[k]), best[0],
              best[1], best[2]);
    }
}

/* real - a + i/N, the key row of a nearest head whose Booleans are one; with a constant, a - 1 as digits have it. */
static double check_head_part(temper_type type, bool constant, test_random *r) {
    arithmetic t = arithmetic_of(type);
    uint64_t m = 1 + random_below(r, t.s->precision < 8 ? 12 : 200);
    bounds b = bounds_of(type, m);
    row w = {.shape = {3, w.terms}, .kind = {constant ? 0 : 1, 1, 5}, .c = {1, 1, 1}};
    for (int k = 0; k < 3; k++) w.terms[k].form = form_of(w.kind[k], 1);
    w.terms[0].weight = constant ? -1 : 1;
    w.terms[1].weight = constant ? 1 : -1;
    w.terms[2].weight = random_below(r, 2) ? 1 : -1;
    quantity loose = quantity_row(&b, &w.shape, false), q = quantity_row(&b, &w.shape, true);
    CHECK(ball_upper(q.size) == 2 && ball_upper(loose.size) == 3, "sizes %g and %g", ball_upper(q.size),
          ball_upper(loose.size));
    CHECK(ball_upper(q.error) < ball_upper(loose.error), "the head part does not help");
    double best = 0;
    for (int k = 0; k < 300; k++) {
        double i = (double)random_below(r, m);
        static const unsigned truths[] = {0, 1, 3}, with_constant[] = {0, 2, 0};
        best =
            fmax(best, used("a key", type, &q,
                            row_at(&w, &t, i, (double)m, (constant ? with_constant : truths)[random_below(r, 3)])));
    }
    arena_reset(&memory);
    return best;
}

/* ---- look-ups, comparisons, balances ---- */

static void check_lookup(temper_type type, bool scaled, uint64_t size, test_random *r, double least) {
    arithmetic t = arithmetic_of(type);
    bounds b = bounds_of(type, size);
    head_certificate h = head_certify(&b, &(head_shape){.role = ROLE_LOOKUP, .kappa = 16, .scaled = scaled});
    double n = (double)size, lambda = summed(&t, 16 * n * n * n), best = 0,
           ulp = 2 * ldexp(1, -t.a->precision) * 16 * n * n;
    real bound = ball_upper(h.rounding) - ulp;
    for (int k = 0; k < 20000; k++) {
        double i = n - 1 - (double)random_below(r, 1 + size / 8), j = i - (double)random_below(r, 1 + size / 4);
        double c = i - (double)random_below(r, 1 + size / 4), logit;
        if (j < 0 || c < 0) continue;
        double q0 = 2 * stored(&t, summed(&t, c / (i + 1))), q1 = -stored(&t, 1 / (i + 1));
        double k0 = stored(&t, scaled ? j / (n * n) : 16 * n * j),
               k1 = stored(&t, scaled ? j * j / (n * n) : 16 * n * j * j);
        bool first = scaled && !number_type_is_emulated(type) && random_below(r, 2);
        if (first) q0 = summed(&t, lambda * q0), q1 = summed(&t, lambda * q1);
        double x = summed(&t, q0 * k0);
        logit = first ? fused(&t, q1, k1, x) : summed(&t, x + summed(&t, q1 * k1));
        if (scaled && !first) logit = summed(&t, lambda * logit);
        real exact = 16 * (real)n * (2 * (real)c * j - (real)j * j) / ((real)i + 1), off = fabsl(logit - exact);
        CHECK(off <= bound, "look-up in %s at N = %g, i = %g, c = %g, j = %g: off by %Lg, bound %Lg",
              temper_type_name(type), n, i, c, j, off, bound);
        best = fmax(best, (double)(off / bound));
    }
    CHECK(best > least, "look-up in %s: the bound is used to %g", temper_type_name(type), best);
    arena_reset(&memory);
}

/* The logit of the sentinel, of a sum `whole` + 1/2 over i + 1 keys, without a unit in the last place and a
   difference. */
static void check_compare(temper_type type, uint64_t size, test_random *r, double least) {
    arithmetic t = arithmetic_of(type);
    bounds b = bounds_of(type, size);
    head_certificate h =
        head_certify(&b, &(head_shape){.role = ROLE_COMPARE, .kappa = 8, .scaled = true, .weight = 1.5});
    double n = (double)size, lambda = summed(&t, 16 * n), best = 0;
    real bound = ball_upper(h.rounding);
    for (int k = 0; k < 20000; k++) {
        double i = 1 + (double)random_below(r, size - 1),
               whole = (double)random_below(r, (uint64_t)i + 1) - floor(i / 2);
        double y = stored(&t, summed(&t, (whole + 0.5) / (i + 1))), more = stored(&t, log_f64(i) / (16 * n));
        double logit = summed(&t, lambda * stored(&t, summed(&t, y + more)));
        real l = 16 * (real)n * ((real)whole + 0.5L) / ((real)i + 1), exact = l + logl(i);
        real off = fabsl(logit - exact) / (fabsl(l) + logl(i));
        CHECK(off <= bound, "compare in %s at N = %g, i = %g, sum %g: off by %Lg of it, bound %Lg",
              temper_type_name(type), n, i, whole, off, bound);
        CHECK((logit - logl(i) > 0) == (l > 0) || bound * logl(n) > 4, "compare in %s: the sign",
              temper_type_name(type));
        best = fmax(best, (double)(off / bound));
    }
    CHECK(best > least, "compare in %s: the bound is used to %g", temper_type_name(type), best);
    arena_reset(&memory);
}

/* The score of the start sentinel times N (i + 1), for K own units of weights 1 or 2 and random counts. */
static void check_balance(temper_type type, uint64_t size, size_t units, test_random *r, double least) {
    arithmetic t = arithmetic_of(type);
    bounds b = bounds_of(type, size);
    double n = (double)size, best = 0, a[64];
    head_shape s = {.role = ROLE_BALANCE, .kappa = 8, .scaled = true, .weight = 1.5, .own_units = units};
    for (size_t k = 0; k < units; k++) s.own += a[k] = 1 + (double)random_below(r, 2);
    s.total = s.own;
    real bound = ball_upper(head_certify(&b, &s).rounding);
    for (int k = 0; k < 3000; k++) {
        double i = 1 + (double)random_below(r, size - 1), before = (double)random_below(r, (uint64_t)i + 1) + 0.5;
        double all = -floor(s.total * (double)random_below(r, size)), o = 0;
        real own = 0;
        for (size_t u = 0; u < units; u++) {
            bool truth = random_below(r, 2);
            double x = summed(&t, summed(&t, stored(&t, 1 / (i + 1)) - 1) + truth);
            if (x > 0) o = summed(&t, o + summed(&t, a[u] * stored(&t, x)));
            own += truth ? a[u] : 0;
        }
        double y = stored(&t, summed(&t, before / (i + 1))), total = stored(&t, summed(&t, all / n));
        double q0 = stored(&t, summed(&t, stored(&t, o) + y)), q1 = stored(&t, 1 / (i + 1)), k0 = stored(&t, 1 / n);
        double score = summed(&t, summed(&t, q0 * k0) + summed(&t, q1 * total));
        real off = fabsl((real)score * n * ((real)i + 1) - (before + own + all));
        CHECK(off <= bound, "balance in %s at N = %g, i = %g, %zu units: off by %Lg, bound %Lg",
              temper_type_name(type), n, i, units, off, bound);
        best = fmax(best, (double)(off / bound));
    }
    CHECK(best > least, "balance in %s with %zu units: the bound is used to %g", temper_type_name(type), units, best);
    arena_reset(&memory);
}

/* ---- sums of weights with references ---- */

typedef struct part {
    double sum, reference;
    bool winner;
} part;

static double down(const number_format *f, double x) { return format_exp(f, x); }

/* Lemma 1 in any order: parts are rescaled to a common reference and added, in a random tree; the rescaled one may be
   fused. */
static void check_references(const number_format *f, test_random *r) {
    enum { MOST = 80 };
    part parts[MOST];
    size_t count = 1 + random_below(r, MOST), left = count, winner = random_below(r, count);
    double top = format_round(f, (double)random_below(r, 40)), u = ldexp(1, -f->precision);
    real weights = 0;
    for (size_t k = 0; k < count; k++) {
        double l = k == winner ? top : format_round(f, top - 2 - (double)random_below(r, 200) / 8);
        if (l > top) l = top - 1;
        parts[k] = (part){1, l, k == winner};
        if (k != winner) weights += expl((1 - (real)u) * ((real)l - top));
    }
    while (left > 1) {
        size_t x = random_below(r, left), y = random_below(r, left - 1);
        if (y >= x) y++;
        part a = parts[x], c = parts[y];
        double m = fmax(a.reference, c.reference);
        double sa = format_round(f, a.sum * down(f, format_round(f, a.reference - m)));
        double sc = format_round(f, c.sum * down(f, format_round(f, c.reference - m)));
        parts[x < y ? x : y] = (part){format_round(f, sa + sc), m, a.winner || c.winner};
        parts[x < y ? y : x] = parts[--left];
    }
    real rest = weights + 2 * (real)count * count * f->least, bound = 1 + 2 * rest * powl(1 + u, 4.0L * count);
    CHECK(parts[0].sum >= 1 && parts[0].sum <= bound, "%s: %zu keys add up to %.17g, bound %.17Lg", f->name, count,
          parts[0].sum, bound);
}

int main(void) {
    static const number_format *const formats[] = {&format_f64, &format_f32,  &format_bf16,
                                                   &format_f16, &format_e4m3, &format_e5m2};
    test_random r = test_seed(2718);
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    check_quantities(&r);
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        double best = 0;
        for (int trial = 0; trial < 60; trial++) best = fmax(best, check_head_part(page_types[k], trial % 2, &r));
        CHECK(best > 0.4, "%s: a key of Booleans and i/N uses %g of its bound", temper_type_name(page_types[k]),
              best);
    }
    for (int scaled = 0; scaled < 2; scaled++) {
        check_lookup(TEMPER_TYPE_F64, scaled, 14000000, &r, 0.25);
        check_lookup(TEMPER_TYPE_F32, scaled, 600, &r, 0.25);
        check_lookup(TEMPER_TYPE_BF16_F32, scaled, 40, &r, 0.25);
        check_lookup(TEMPER_TYPE_BF16_F64, scaled, 300, &r, 0.25);
    }
    check_compare(TEMPER_TYPE_F32, 100000, &r, 0.2);
    check_compare(TEMPER_TYPE_BF16_F32, 3000, &r, 0.25);
    check_compare(TEMPER_TYPE_F16, 50, &r, 0.15);
    for (size_t units = 1; units <= 64; units *= 4) {
        check_balance(TEMPER_TYPE_F32, 20000, units, &r, 0.02);
        check_balance(TEMPER_TYPE_BF16_F32, 30, units, &r, 0.02);
        check_balance(TEMPER_TYPE_F64, 1000000, units, &r, 0.02);
    }
    for (int k = 0; k < 3000 * test_effort(); k++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) check_references(formats[f], &r);
    arena_free(&memory);
    return test_finish("bound-truth");
}

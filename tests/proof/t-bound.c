/* Error bounds of heads with roles, twice. The formulas of doc/certificate.md are evaluated here once more, in long
   double and written anew from the page, and must agree with src/bound to ten digits in types as long as f64 and as
   short as e5m2: so every constant of them counts. How one rounding is bounded is compared with all numbers of the
   short formats, what is asked of exp with every exp that a runner has, and what is asked of a type with types that
   do not have it. Proved lengths that are promised are pinned. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "bound/role_bounds.h"
#include "bound_page.h"
#include "number/elementary.h"
#include "run/kernels_select.h"

static arena memory;
static trap no_memory;

/* ---- one rounding ---- */

static const number_format *const SHORT[] = {&format_bf16, &format_f16, &format_e4m3, &format_e5m2};

static bounds bounds_of(temper_type type, uint64_t size) {
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), size, &memory);
    return b;
}

/* Up to the last bits of a double: bounds are rounded up on their way into one. */
static bool same(double x, double y) { return fabs(x - y) <= 0x1p-50 * fabs(y); }

/* The largest error of rounding a number of size at most p, by the list of all numbers. */
static double worst_rounding(const number_format *f, double p) {
    double worst = 0;
    for (int64_t k = 0; k < format_last(f) && format_at(f, k) <= p; k++) {
        double low = format_at(f, k), high = format_at(f, k + 1), middle = low + (high - low) / 2;
        worst = fmax(worst, fmin(middle, p) - low);
    }
    return worst;
}

static void check_one_rounding(const number_format *f, double p) {
    bounds b = bounds_of(TEMPER_TYPE_F64, 7);
    const ball *size = b_double(&b, p);
    double half = ball_upper(b_half(&b, f, size)), worst = worst_rounding(f, p), normal = ldexp(1, 2 - f->bias);
    CHECK(worst <= half && (p < normal || half <= 2 * worst + 2 * f->least), "%s up to %a: half %a, worst %a",
          f->name, p, half, worst);
    int e;
    if (frexp(p, &e) == 0.5 && p >= normal)
        CHECK(same(half, worst + f->least), "%s up to 2^%d: half %a is not worst %a and t", f->name, e - 1, half,
              worst);
    double stored = format_round(f, p), after = ball_upper(b_after(&b, f, size));
    CHECK(stored <= after && same(after, stored == p ? p : p + half), "%s: %a after rounding %a, bound %a", f->name,
          p, stored, after);
    double below = format_at(f, format_last(f)), ulp = ball_upper(b_ulp(&b, f, size));
    if (p >= below) return;
    while (stored > p) stored = format_next(f, stored, false);
    double step = format_next(f, stored, true) - stored;
    CHECK(step <= ulp && ulp <= 2 * step + 2 * f->least, "%s: the neighbour of %a is %a away, bound %a", f->name,
          stored, step, ulp);
    if (format_round(f, p) == p && p >= normal)
        CHECK(same(ulp, step + f->least), "%s: ulp(%a) = %a, the next number is %a away", f->name, p, ulp, step);
}

static void check_roundings(test_random *r) {
    for (size_t k = 0; k < sizeof SHORT / sizeof *SHORT; k++) {
        const number_format *f = SHORT[k];
        for (int e = -f->bias - 2; e < 16 && ldexp(1, e) < f->largest; e++) {
            double power = ldexp(1, e);
            check_one_rounding(f, power);
            check_one_rounding(f, power * (1 + ldexp(1, -f->precision)));
            check_one_rounding(f, power * (1 + ldexp((double)random_below(r, 1 << 20), -20)));
        }
        bounds b = bounds_of(TEMPER_TYPE_F64, 7);
        CHECK(ball_upper(b_half(&b, f, b.zero)) == 0 && ball_upper(b_ulp(&b, f, b.zero)) == f->least, "%s: around 0",
              f->name);
        arena_reset(&memory);
    }
    /* A number with a radius is none of a format. */
    bounds b = bounds_of(TEMPER_TYPE_F64, 7);
    const ball *third = b_div(&b, b.one, b_int(&b, 3)), *almost = b_mul(&b, third, b_int(&b, 3));
    CHECK(ball_lower(b_sub(&b, b_after(&b, &format_f64, almost), b.one)) > 0,
          "a third times 3 is not known to be a number");
}

/* ---- what is asked of exp, and of a type ---- */

static void check_exp(const char *name, const number_format *f, double x, double e) {
    real u = ldexpl(1, -f->precision), exact = expl((real)x), slack = 1 + 0x1p-60L;
    CHECK(e >= 0 && e <= 1, "%s(%a) = %a", name, x, e);
    CHECK(e <= ((1 + 2 * u) * exact + f->least) * slack, "%s(%a) = %a is too large", name, x, e);
    if (exact >= ldexpl(1, 1 - f->bias))
        CHECK(e * slack >= (1 - 2 * u) * exact, "%s(%a) = %a is too small", name, x, e);
    if (x >= (double)(-u / 4)) CHECK(e == 1, "%s(%a) = %a, not 1", name, x, e);
}

static double exp_f64_of(const kernels *k, double x, bool down) {
    double out;
    (down ? k->exp_down_f64 : k->exp_f64)(&out, &x, 1);
    return out;
}

static double exp_f32_of(const kernels *k, double x, bool down) {
    float in = (float)x, out;
    (down ? k->exp_down_f32 : k->exp_f32)(&out, &in, 1);
    return out;
}

static void check_exps(test_random *r) {
    const kernels *tables[KERNELS_MOST];
    size_t count = kernels_list(tables);
    for (int k = 0; k < 20000; k++) {
        int e = 10 - (int)random_below(r, 90);
        double x = k == 0 ? 0 : -ldexp(1 + ldexp((double)random_below(r, 1u << 31), -31), e);
        for (size_t t = 0; t < count; t++)
            for (int down = 0; down < 2; down++) {
                check_exp("f64 kernel", &format_f64, x, exp_f64_of(tables[t], x, down));
                check_exp("f32 kernel", &format_f32, (float)x, exp_f32_of(tables[t], x, down));
            }
        check_exp("exp_f64", &format_f64, x, exp_f64(x));
        check_exp("exp_f32", &format_f32, (float)x, exp_f32((float)x));
        for (size_t f = 0; f < sizeof SHORT / sizeof *SHORT; f++) {
            double y = format_round(SHORT[f], x);
            if (isfinite(y)) check_exp(SHORT[f]->name, SHORT[f], y, format_exp(SHORT[f], y));
        }
    }
    for (size_t f = 0; f < sizeof SHORT / sizeof *SHORT; f++) /* the whole of a short format */
        for (int64_t k = -format_last(SHORT[f]); k <= 0; k++) {
            double x = format_at(SHORT[f], k);
            check_exp(SHORT[f]->name, SHORT[f], x, format_exp(SHORT[f], x));
        }
}

static void check_types(void) {
    for (size_t k = 0; k < PAGE_TYPES; k++)
        CHECK(bounds_cover(number_type_of(page_types[k]), number_type_is_emulated(page_types[k])), "%s is covered",
              temper_type_name(page_types[k]));
    number_format half_tiny = format_f32, tinier = format_bf16, larger = format_bf16, longer = format_bf16;
    number_format flat = format_bf16, coarse = format_e4m3; /* half_tiny: t_s = t_a, and the formats differ */
    flat.least = 2 * format_f32.least;                      /* least normal number below that of the sums */
    coarse.least = 0x1p-6;                                  /* 8 t_a above u_a */
    tinier.least = format_f32.least / 2;
    larger.largest = 2 * format_f32.largest;
    longer.precision = 25;
    const number_type wrong[] = {
        {"f32/bf16", &format_f32, &format_bf16, 0}, {"bf16/f16", &format_bf16, &format_f16, 0},
        {"f16/e5m2", &format_f16, &format_e5m2, 0}, {"alike", &half_tiny, &format_f32, 0},
        {"tinier", &tinier, &format_f32, 0},        {"larger", &larger, &format_f32, 0},
        {"longer", &longer, &format_f32, 0},        {"flat", &flat, &format_f32, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        CHECK(!bounds_cover(&wrong[k], true), "%s is not covered", wrong[k].name);
    half_tiny.least = 2 * format_f32.least;
    CHECK(bounds_cover(&wrong[3], true), "twice as large is enough");
    CHECK(!bounds_cover(&wrong[3], false), "any order has one format");
    flat.least = ldexp(format_f32.least, 16);
    CHECK(bounds_cover(&wrong[7], true), "as large as that of the sums is enough");
    const number_type one = {"coarse", &coarse, &coarse, 0};
    CHECK(bounds_cover(&one, true), "ascending logits are not moved from 0");
    CHECK(!bounds_cover(&one, false), "moved logits weigh less than 1");
    const number_type tiled = {"coarse", &coarse, &coarse, 64};
    CHECK(!bounds_cover(&tiled, true), "moved logits weigh less than 1 in tiles");
    coarse.least = 0x1p-7;
    CHECK(bounds_cover(&one, false), "8 t = u is enough");
}

/* ---- the page, once more ---- */

static void agree(const char *what, const char *type, uint64_t m, const ball *found, real page_says) {
    real x = ball_upper(found), off = fabsl(x - page_says);
    CHECK(off <= 1e-10L * fabsl(page_says) || (!isfinite(page_says) && !isfinite(x)),
          "%s in %s at M = %llu: %.15Lg, the page %.15Lg", what, type, (unsigned long long)m, x, page_says);
}

static const feature_form ONE = {.size = FORM_CONSTANT, .c = 1, .d = 1},
                          TRUTH = {.size = FORM_BOOLEAN, .c = 1, .d = 1},
                          SHARE = {.size = FORM_SHARE, .c = 1, .d = 1},
                          PLACE = {.size = FORM_POWER, .power = 1, .c = 1, .d = 1};

static void check_once(const char *type, const bounds *b, const page *p, bool step) {
    head_shape s = {
        .role = ROLE_ONCE, .kappa = 8, .scale = {.size = step ? FORM_LOG_STEP : FORM_LOG, .c = 8, .d = 1}};
    head_certificate h = head_certify(b, &s);
    real x = logl(p->m) + 8 + (step ? 4 : 0),
         lost = -expm1l(2 * log1pl(-p->us) + 5 * log1pl(-p->ua) + 4 * log1pl(-p->v));
    real exps = powl(1 + 2 * p->ua, p->ascending ? 1 : 6);
    real weight = exps * expl(-(1 - lost) * (logl(p->m) + 8) + 2 * p->ta) + p->ta, rest = (p->m - 1) * weight;
    real error;
    if (p->ascending) {
        if (!p->known) rest = rest * (1 + p->ua) + p->ta;
        real sum = (1 + 2 * rest) * powl(1 + p->ua, p->a->precision + 1);
        if (p->close) sum = fminl(sum, (1 + rest) * page_growth(p) * page_growth(p));
        error = 1 - (1 - p->ua) * (1 - p->stored) / sum;
    } else {
        real w = powl(1 - 2 * p->ua, 3) * expl(-5 * p->ua * x);
        rest += p->subnormal_loss;
        error = -expm1l((p->m + 6) * log1pl(-p->ua) - log1pl(rest / w) - (p->m + 5) * log1pl(p->ua));
    }
    agree("once, logit", type, b->size, h.logit, x);
    agree("once, rounding", type, b->size, h.rounding, lost * x);
    agree("once, error", type, b->size, h.error, error);
    CHECK(!!h.failure == !(weight < 1 && 2 * (1 + lost) * x <= (real)p->a->largest &&
                           (p->ascending ? p->known || rest < 1 : p->m <= ldexpl(1, p->a->precision))),
          "once in %s at %llu: %s", type, (unsigned long long)b->size, h.failure ? h.failure : "no failure");
}

/* By temperature: c + i/N or i/N alone, times 8N; exact scales. */
static void check_nearest(const char *type, const bounds *b, const page *p, bool tests) {
    const term_shape one[] = {{ONE, 1}}, key[] = {{TRUTH, 1}, {SHARE, -1}};
    row_shape query = {1, one}, keys = {tests ? 2 : 1, tests ? key : key + 1};
    head_shape s = {
        .role = ROLE_NEAREST, .kappa = 8, .scaled = true, .tests = tests, .rows = 1, .query = &query, .key = &keys};
    s.scale = (feature_form){.size = FORM_POWER, .power = 1, .c = 8, .d = 1};
    real y = tests ? 2 : 1, e = p->v, x = 8 * p->m * y;
    if (8 * p->m > ldexpl(1, 3 + p->a->precision)) return; /* the scale rounds: t-bound-truth */
    if (p->s->precision < 53) e += half_of(p->s, 1);
    if (tests) e += half_of(p->a, 2);
    if (p->s != p->a) e += half_of(p->s, y);
    e = 8 * p->m * e + half_of(p->a, x);
    real top = format_round(p->a, (double)x) == (double)x ? x : x + half_of(p->a, x), eta = e + ulp_of(p->a, top);
    real q = expl(-8 * (1 - p->ua)), rest = (1 + 2 * p->ua) * expl(2 * eta) * q / (1 - q) + p->subnormal_loss;
    head_certificate h = head_certify(b, &s);
    agree("nearest, logit", type, b->size, h.logit, x);
    agree("nearest, rounding", type, b->size, h.rounding, eta);
    if (eta < 300) agree("nearest, error", type, b->size, h.error, page_error(p, rest));
    if (2 * (top + ulp_of(p->a, top)) > (real)p->a->largest) CHECK(h.failure != NULL, "%s overflows", type);
}

/* By positions: 8N c - 8 i, as long as all is exact. */
static void check_positions(const char *type, const bounds *b, const page *p) {
    const term_shape size[] = {{{.size = FORM_POWER, .power = 1, .c = 8, .d = 1}, 1}}, one[] = {{ONE, 8}},
                     c[] = {{TRUTH, 1}, {TRUTH, -1}, {TRUTH, 1}}, j[] = {{PLACE, -1}};
    row_shape query[] = {{1, size}, {1, one}}, key[] = {{3, c}, {1, j}};
    head_shape s = {.role = ROLE_NEAREST, .kappa = 8, .tests = true, .rows = 2, .query = query, .key = key};
    if (p->m > ldexpl(1, p->s->precision) || 2 * p->m > ldexpl(1, p->a->precision) || p->a->precision < 3) return;
    head_certificate h = head_certify(b, &s);
    agree("positions, logit", type, b->size, h.logit, 16 * p->m); /* three Booleans that are one */
    agree("positions, rounding", type, b->size, h.rounding, ulp_of(p->a, 16 * p->m));
}

static void check_compare(const char *type, const bounds *b, const page *p) {
    head_shape s = {.role = ROLE_COMPARE, .kappa = 8, .scaled = true, .weight = 3.5};
    head_certificate h = head_certify(b, &s);
    real e = grow(p, 8, 3, 6);
    agree("compare, logit", type, b->size, h.logit, 16 * p->m * 3.5L + logl(p->m));
    agree("compare, rounding", type, b->size, h.rounding, e);
    agree("compare, error", type, b->size, h.error, page_share_error(p, 8 * (1 - e), e));
}

static void check_balance(const char *type, const bounds *b, const page *p) {
    head_shape s = {
        .role = ROLE_BALANCE, .kappa = 8, .scaled = true, .weight = 4.5, .total = 3, .own = 7, .own_units = 5};
    head_certificate h = head_certify(b, &s);
    real mean = grow3(p->ua, 1, p->stored, 1, 0, 0), omega = grow(p, 10, 4, 8);
    real unit = p->v + (p->s->precision < 53 ? half_of(p->s, 1) : 0) + 2 * half_of(p->a, 3);
    if (p->s != p->a) unit += half_of(p->s, 3);
    real own = 7 * unit + 7 * (1 + unit) * grow3(p->ua, 6, p->stored, 1, 0, 0);
    real off = p->m * (4.5L * mean + own + 3 * mean) * (1 + omega) + (p->m * 4.5L + 7 + p->m * 3) * omega;
    agree("balance, logit", type, b->size, h.logit, 16 * p->m * (11.5L + 3 * p->m) + logl(p->m));
    agree("balance, rounding", type, b->size, h.rounding, off);
    if (off >= 0.5L)
        CHECK(h.failure != NULL, "balance in %s at %llu is off by %Lg", type, (unsigned long long)b->size, off);
    if (!h.failure) agree("balance, error", type, b->size, h.error, page_share_error(p, 8 * (1 - 2 * off), omega));
}

static void check_lookup(const char *type, const bounds *b, const page *p, bool scaled) {
    head_shape s = {.role = ROLE_LOOKUP, .kappa = 16, .scaled = scaled};
    head_certificate h = head_certify(b, &s);
    real n = scaled, square = p->m * p->m > 0x1p53L, first = 1 + square, second = 1 + 2 * square, third = 0;
    real power[] = {p->m > 0x1p53L, square, p->m * p->m * p->m > 0x1p53L}; /* 16 is a power of two */
    if (!scaled) first = power[0] + power[1], second = first + power[2];
    if (scaled) third = power[0] + power[1] + power[2];
    real e0 = expm1l((2 + n) * log1pl(p->ua) + log1pl(p->stored) + log1pl(p->feature) + first * log1pl(p->v));
    real e1 = expm1l((1 + n) * log1pl(p->ua) + 2 * log1pl(p->feature) + (1 + second) * log1pl(p->v));
    real e2 = expm1l((1 + n) * log1pl(p->ua) + n * log1pl(p->scale) + third * log1pl(p->v));
    real x = 16 * p->m * p->m, e = x * ((2 * e0 + e1) * (1 + e2) + e2), eta = e + 2 * p->ua * (x + e) + p->ta;
    real q = expl(-16 * (1 - p->ua)), rest = (1 + 2 * p->ua) * expl(2 * eta) * 2 * q / (1 - q) + p->subnormal_loss;
    agree("look-up, logit", type, b->size, h.logit, x);
    agree("look-up, rounding", type, b->size, h.rounding, eta);
    if (eta < 300) agree("look-up, error", type, b->size, h.error, page_error(p, rest));
    for (int k = 0; k < 5;
         k++) { /* a computed position: logits grow with the weights of the mean, the error does not */
        s.anywhere = true;
        s.weight = (const double[]){0, 0.5, 1, 2, 17}[k];
        h = head_certify(b, &s);
        agree("place, logit", type, b->size, h.logit, x * (2 * fmaxl(1, s.weight) + p->m));
        agree("place, rounding", type, b->size, h.rounding, eta);
    }
}

static void check_formulas(bool close) {
    const uint64_t sizes[] = {1, 2, 3, 7, 64, 100, 1000, 65536, 1000000, 3000000, 94906267, (uint64_t)1 << 36};
    for (size_t t = 0; t < PAGE_TYPES; t++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const char *type = temper_type_name(page_types[t]);
            bounds b = bounds_of(page_types[t], sizes[k]);
            page p = page_of(page_types[t], sizes[k]);
            if (close && p.m * p.ua > 100) continue;
            b.close = p.close = close;
            check_once(type, &b, &p, false);
            check_once(type, &b, &p, true);
            check_nearest(type, &b, &p, true);
            check_nearest(type, &b, &p, false);
            check_positions(type, &b, &p);
            if (p.m * p.ua < 100) check_compare(type, &b, &p);
            check_balance(type, &b, &p);
            check_lookup(type, &b, &p, true);
            check_lookup(type, &b, &p, false);
            arena_reset(&memory);
        }
}

/* ---- lengths ---- */

typedef struct promise {
    const char *formula, *alphabet;
    temper_method method;
    temper_type type;
    size_t length;
} promise;

static void check_promises(void) {
    const temper_method by_scale = TEMPER_METHOD_TEMPERATURE, by_place = TEMPER_METHOD_POSITIONS,
                        by_digit = TEMPER_METHOD_DIGITS;
    const promise promises[] = {
        {"#[a] % 2 = 1", "ab", by_scale, TEMPER_TYPE_F64, 14799015},
        {"#[a] % 2 = 1", "ab", by_place, TEMPER_TYPE_F64, 19295556},
        {"#[a] % 2 = 1", "ab", by_scale, TEMPER_TYPE_F32, 637},
        {"a S b", "abc", by_scale, TEMPER_TYPE_F32, 1048574},
        {"a S b", "abc", by_place, TEMPER_TYPE_F32, 2097150},
        {"a S b", "abc", by_digit, TEMPER_TYPE_F32, 917503},
        {"a S b", "abc", by_digit, TEMPER_TYPE_BF16_F32, 917503},
        {"a S b", "abc", by_scale, TEMPER_TYPE_BF16_F32, 84},
        {"O a", "ab", by_scale, TEMPER_TYPE_F32, 2410431},
        {"Y a", "ab", by_scale, TEMPER_TYPE_F32, 2097150},
        {"Y a", "ab", by_digit, TEMPER_TYPE_BF16_F32, 8257536},
        {"2*#[a] > #[b]", "abc", by_scale, TEMPER_TYPE_F32, 2796201},
        {"#[a] >= #>[b]", "ab", by_scale, TEMPER_TYPE_F32, 104776},
    };
    for (size_t k = 0; k < sizeof promises / sizeof *promises; k++) {
        const promise *x = &promises[k];
        temper_error e;
        temper_proof p = {0};
        temper_spec *spec = spec_of(x->formula, x->alphabet, TEMPER_AT_LAST);
        temper_model *m = model_of(spec, x->method);
        CHECK(m && !temper_model_proof(&p, m, x->type, 0, &e), "%s: %s", x->formula, e.text);
        CHECK(p.claim == TEMPER_CLAIM_FORMULA && p.length == x->length, "%s, method %d in %s: proved to %zu, not %zu",
              x->formula, (int)x->method, temper_type_name(x->type), p.length, x->length);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

int main(void) {
    test_random r = test_seed(714);
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    check_roundings(&r);
    check_exps(&r);
    check_types();
    check_formulas(false);
    check_formulas(true);
    arena_free(&memory);
    check_promises();
    return test_finish("bound");
}

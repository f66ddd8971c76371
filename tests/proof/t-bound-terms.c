/* The letters of doc/certificate.md, "Notation", and the arithmetic with them, in balls and guessed: every letter in
   every type, every operation against long double, every question at equality. Proofs and guesses read the same
   formulas, so a number that is wrong in one of them moves bounds or searches without a sound. */
#include <math.h>
#include <stdio.h>

#include "bound/sheet.h"
#include "bound_page.h"
#include "number/elementary.h"
#include "test.h"

static arena memory;
static trap no_memory;

static bounds bounds_of(temper_type type, bool ascending, bool guess, uint64_t size) {
    bounds b;
    (guess ? bounds_guess : bounds_init)(&b, number_type_of(type), ascending, size, &memory);
    return b;
}

/* ---- the letters ---- */

static void is(const bounds *b, const ball *x, real value, const char *name) {
    double found = b_upper(b, x);
    bool near = found == (double)value || fabsl(found - value) <= 0x1p-50L * fabsl(value);
    CHECK(near, "%s in %s/%s, %s, at %llu: %.17g, not %.17Lg", name, b->s->name, b->a->name,
          b->guess ? "guessed" : "in balls", (unsigned long long)b->size, found, value);
}

static void check_letters(temper_type type, bool ascending, bool guess, uint64_t m) {
    bounds b = bounds_of(type, ascending, guess, m);
    const number_format *s = b.s, *a = b.a;
    real us = ldexpl(1, -s->precision), ua = ldexpl(1, -a->precision), size = (real)m;
    is(&b, b.zero, 0, "0");
    is(&b, b.one, 1, "1");
    is(&b, b.quarter, 0.25L, "a quarter");
    is(&b, b.half, 0.5L, "a half");
    is(&b, b.m, size, "M");
    is(&b, b.log_m, logl(size), "ln M");
    is(&b, b.unit_s, us, "u_s");
    is(&b, b.unit_a, ua, "u_a");
    is(&b, b.v, 0x1p-53L, "v");
    is(&b, b.tiny_s, s->least, "t_s");
    is(&b, b.tiny_a, a->least, "t_a");
    is(&b, b.normal_s, s->least * ldexpl(1, s->precision - 1), "m_s");
    is(&b, b.normal_a, a->least * ldexpl(1, a->precision - 1), "m_a");
    is(&b, b.most_s, s->largest, "F_s");
    is(&b, b.most_a, a->largest, "F_a");
    is(&b, b.unit_stored, s == a ? 0 : us, "u'_s");
    is(&b, b.unit_feature, s == &format_f64 ? 0 : us, "u_e");
    is(&b, b.unit_scale, a == &format_f64 ? 0 : ua, "u of scales");
    size_t tile = number_type_of(type)->tile;
    CHECK(b.tiled == (tile && m > tile), "tiles of %s at %llu", temper_type_name(type), (unsigned long long)m);
    sheet x;
    sheet_begin(&x, &b);
    is(&b, sheet_value(&x, SHEET_subnormal_loss),
       ascending && !b.tiled ? size * a->least : 2 * size * size * a->least, "T");
    CHECK(b.one_format == (s == a) && b.ascending == ascending && b.guess == guess && b.size == m, "flags of %s",
          temper_type_name(type));
}

/* ---- operations ---- */

static real value_of(test_random *r) {
    real x = (real)random_below(r, 1u << 20) + 1;
    return ldexpl(x, -(int)random_below(r, 30)) * (random_below(r, 2) ? 1 : -1);
}

static void check_operations(test_random *r, bool guess) {
    bounds b = bounds_of(TEMPER_TYPE_F32, true, guess, 100);
    for (int k = 0; k < 200; k++) {
        real x = value_of(r), y = value_of(r);
        const ball *p = b_double(&b, (double)x), *q = b_double(&b, (double)y);
        is(&b, b_add(&b, p, q), x + y, "x + y");
        is(&b, b_sub(&b, p, q), x - y, "x - y");
        is(&b, b_mul(&b, p, q), x * y, "x y");
        is(&b, b_div(&b, p, q), x / y, "x/y");
        is(&b, b_max(&b, p, q), fmaxl(x, y), "max");
        is(&b, b_neg(&b, p), -x, "-x");
        is(&b, b_abs(&b, p), fabsl(x), "|x|");
        is(&b, b_times(&b, 7 - k, p), (7 - k) * x, "k x");
        is(&b, b_shift(&b, p, k - 100), ldexpl(x, k - 100), "x 2^k");
        is(&b, b_power_of_two(&b, k - 100), ldexpl(1, k - 100), "2^k");
        is(&b, b_int(&b, k - 100), k - 100, "k");
        CHECK(b_is_less(&b, p, q) == (x < y) && b_is_at_most(&b, p, q) == (x <= y), "%Lg and %Lg", x, y);
        CHECK(!b_is_less(&b, p, p) && b_is_at_most(&b, p, p) && b_is_at_most(&b, q, q), "%Lg is %Lg", x, x);
        CHECK(!b_is_zero(&b, p) && b_is_finite(&b, p), "%Lg", x);
        arena_reset(&memory);
        b = bounds_of(TEMPER_TYPE_F32, true, guess, 100);
    }
    CHECK(b_is_zero(&b, b.zero) && !b_is_zero(&b, b.one) && !b_is_zero(&b, b_double(&b, 0x1p-1000)), "0 alone is 0");
    CHECK(!b_is_finite(&b, b_none(&b)) && !isfinite(b_upper(&b, b_none(&b))), "no bound");
    CHECK(!b_is_at_most(&b, b_none(&b), b.one), "no bound is not at most 1");
    arena_reset(&memory);
}

static void near(const bounds *b, const ball *x, real value, real off, const char *name, real argument) {
    double found = b_upper(b, x);
    CHECK(fabsl(found - value) <= off * fabsl(value), "%s of %.17Lg, %s: %.17g, not %.17Lg", name, argument,
          b->guess ? "guessed" : "in balls", found, value);
}

/* Roots, powers, logarithms and what many roundings do. */
static void check_functions(bool guess) {
    bounds b = bounds_of(TEMPER_TYPE_F32, true, guess, 100);
    const double values[] = {0.001, 0.25, 0.5, 1.5, 2, 3, 17, 1000, 1e10};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        real x = values[k];
        const ball *p = b_double(&b, values[k]);
        near(&b, b_sqrt(&b, p), sqrtl(x), 1e-14L, "the root", x);
        near(&b, b_log(&b, p), logl(x), 1e-14L, "ln", x);
        if (x <= 17) near(&b, b_exp(&b, p), expl(x), 1e-14L, "exp", x);
        near(&b, b_pow(&b, p, 5), powl(x, 5), 1e-12L, "the fifth power", x);
    }
    const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16, TEMPER_TYPE_E5M2};
    for (size_t t = 0; t < 4; t++)
        for (uint64_t k = 1; k < 3000; k = 2 * k + 1) {
            bounds c = bounds_of(types[t], true, guess, 5);
            real u = ldexpl(1, -c.a->precision), grown = expm1l((real)k * log1pl(u));
            if (!guess) near(&c, b_grow(&c, c.unit_a, k), grown, 1e-13L, "growth", (real)k);
            if ((real)k * u > 100) continue;
            real off = guess ? (real)k * u * u + 1e-12L : 1e-13L; /* a guess has exp(ku) for (1+u)^k */
            near(&c, b_more(&c, c.unit_a, k), 1 + grown, off, "(1 + u)^k", (real)k);
            arena_reset(&memory);
        }
    arena_reset(&memory);
}

/* A guess of (1+u)^k - 1: x + x^2/2 below 2^-10, from there on e^x - 1, to the last bit. */
static void check_guessed_growth(void) {
    bounds b = bounds_of(TEMPER_TYPE_F64, false, true, 9);
    const double products[] = {0x1p-53,    0x1p-20,   0x1.8p-12, 0x1.7p-11, 0x1.ffp-11, 0x1p-10,
                               0x1.01p-10, 0x1.fp-10, 0x1p-9,    0x1p-3,    1,          5};
    for (size_t k = 0; k < sizeof products / sizeof *products; k++) {
        double x = products[k], expected = x < 0x1p-10 ? x + x * x / 2 : exp_f64(x) - 1;
        double found = b_upper(&b, b_grow(&b, b_double(&b, x / 4), 4));
        CHECK(found == expected, "guessed growth of %a: %a, not %a", x, found, expected);
    }
    arena_reset(&memory);
}

/* Many balls at a time are different ones. */
static void check_pool(void) {
    bounds b = bounds_of(TEMPER_TYPE_F64, false, false, 9);
    const ball *made[300];
    for (int k = 0; k < 300; k++) made[k] = b_int(&b, k);
    for (int k = 0; k < 300; k++)
        CHECK(b_upper(&b, made[k]) == k, "ball %d was made and is %g", k, b_upper(&b, made[k]));
    arena_reset(&memory);
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    test_random r = test_seed(2201);
    const uint64_t sizes[] = {1, 2, 3, 1000, 1000003};
    for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++)
        for (size_t k = 0; k < 4 * sizeof sizes / sizeof *sizes && type != TEMPER_TYPE_EXACT; k++) {
            check_letters(type, k % 2, k / 2 % 2, sizes[k / 4]);
            arena_reset(&memory);
        }
    for (int guess = 0; guess < 2; guess++) {
        check_operations(&r, guess);
        check_functions(guess);
    }
    check_guessed_growth();
    check_pool();
    arena_free(&memory);
    return test_finish("t-bound-terms");
}

/* Rationals against doubles where those are exact, and against fractions of 128-bit integers; roundings against their
   definition; expressions against their value in doubles. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/expression_rational.h"
#include "number/rational.h"
#include "test.h"

typedef __int128 wide;

typedef struct fixture {
    trap trap;
    arena memory;
    rational_pool pool;
    rational *x; /* [8] */
} fixture;

/* ---- against doubles ---- */

/* Sums, products and remainders of these are exact in doubles. */
static double small_dyadic(test_random *r) {
    return (double)((long)random_below(r, 2001) - 1000) * ldexp(1, (int)random_below(r, 11) - 5);
}

static void check_dyadic(fixture *f, test_random *r) {
    rational *x = f->x, *y = f->x + 1, *z = f->x + 2;
    double a = small_dyadic(r), b = small_dyadic(r), c = small_dyadic(r);
    rational_set_double(x, a);
    rational_set_double(y, b);
#define SAME(expected, ...)                                                                                          \
    __VA_ARGS__;                                                                                                     \
    CHECK(rational_to_double(z) == (expected), "%s of %.17g and %.17g: %.17g, want %.17g", #__VA_ARGS__, a, b,       \
          rational_to_double(z), (double)(expected))
    SAME(a, rational_set(z, x));
    SAME(a + b, rational_add(z, x, y));
    SAME(a - b, rational_sub(z, x, y));
    SAME(a * b, rational_mul(z, x, y));
    SAME(-a, rational_neg(z, x));
    SAME(fabs(a), rational_abs(z, x));
    SAME(floor(a), rational_floor(z, x));
    SAME(c + a * b, rational_set_double(z, c), rational_add_product(z, x, y));
    SAME(a / 4, rational_div_int(z, x, 4));
    if (b != 0) {
        SAME(a / b, rational_div(z, x, y)); /* both round once */
    }
    SAME(a + a, rational_set(z, x), rational_add(z, z, z));
    SAME(a * a, rational_set(z, x), rational_mul(z, z, z));
    SAME(floor(a), rational_set(z, x), rational_floor(z, z));
    SAME(a + a * a, rational_set(z, x), rational_add_product(z, z, z));
#undef SAME
    CHECK(rational_cmp(x, y) == (a > b) - (a < b) && rational_equal(x, y) == (a == b) &&
              rational_sign(x) == (a > 0) - (a < 0) && rational_is_zero(x) == (a == 0),
          "order of %g and %g", a, b);
    rational_swap(x, y);
    CHECK(rational_to_double(x) == b && rational_to_double(y) == a, "swap of %g and %g", a, b);
    long k = 0;
    bool part = rational_power_of_two_part(&k, x);
    if (b == 0)
        CHECK(!part, "0 is no odd number times a power of two");
    else
        CHECK(part && fabs(fmod(ldexp(b, (int)-k), 2)) == 1, "%g as m 2^k: k = %ld", b, k);
}

/* ---- against fractions ---- */

static wide divisor(wide a, wide b) {
    while (b) {
        wide rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* x == num/den */
static bool is_ratio(fixture *f, const rational *x, wide num, wide den) {
    if (den < 0) num = -num, den = -den;
    wide g = divisor(num, den);
    num /= g;
    den /= g;
    rational *top = f->x + 6, *unit = f->x + 7;
    rational_set_int(unit, 1L << 62);
    rational_set_int(top, (long)(num >> 62));
    rational_mul(top, top, unit);
    rational_set_int(unit, (long)(num & (((wide)1 << 62) - 1)));
    rational_add(top, top, unit);
    rational_div_int(top, top, (unsigned long)den);
    return rational_equal(top, x);
}

static void check_fractions(fixture *f, test_random *r) {
    rational *x = f->x, *y = f->x + 1, *z = f->x + 2;
    long limit = random_below(r, 2) ? 20 : 1L << 30;
    long a = (long)random_below(r, (uint64_t)limit) - limit / 2,
         c = (long)random_below(r, (uint64_t)limit) - limit / 2;
    long b = 1 + (long)random_below(r, (uint64_t)limit), d = 1 + (long)random_below(r, (uint64_t)limit);
    rational_set_ratio(x, a, (unsigned long)b);
    rational_set_ratio(y, c, (unsigned long)d);
    CHECK(is_ratio(f, x, a, b), "%ld/%ld", a, b);
    rational_add(z, x, y);
    CHECK(is_ratio(f, z, (wide)a * d + (wide)c * b, (wide)b * d), "%ld/%ld + %ld/%ld", a, b, c, d);
    rational_sub(z, x, y);
    CHECK(is_ratio(f, z, (wide)a * d - (wide)c * b, (wide)b * d), "%ld/%ld - %ld/%ld", a, b, c, d);
    rational_mul(z, x, y);
    CHECK(is_ratio(f, z, (wide)a * c, (wide)b * d), "%ld/%ld * %ld/%ld", a, b, c, d);
    if (c != 0) {
        rational_div(z, x, y);
        CHECK(is_ratio(f, z, (wide)a * d, (wide)b * c), "%ld/%ld : %ld/%ld", a, b, c, d);
    }
    wide left = (wide)a * d, right = (wide)c * b;
    CHECK(rational_cmp(x, y) == (left > right) - (left < right), "%ld/%ld <=> %ld/%ld", a, b, c, d);
    rational_floor(z, x);
    long down = a / b - (a % b < 0);
    CHECK(is_ratio(f, z, down, 1), "floor of %ld/%ld", a, b);
    /* gcd(a/b, c/d) = gcd(ad, cb) / bd */
    rational_gcd(z, x, y);
    CHECK(is_ratio(f, z, divisor(left, right), (wide)b * d), "gcd of %ld/%ld and %ld/%ld", a, b, c, d);
    long k;
    long odd = b / (long)divisor(a, b);
    bool dyadic = a != 0 && (odd & (odd - 1)) == 0;
    CHECK(rational_power_of_two_part(&k, x) == dyadic, "power of two in %ld/%ld", a, b);
}

static void check_gcd_corners(fixture *f) {
    rational *x = f->x, *y = f->x + 1, *z = f->x + 2;
    rational_set_int(x, 0);
    rational_set_ratio(y, -3, 4);
    rational_gcd(z, x, y);
    CHECK(is_ratio(f, z, 3, 4), "gcd(0, -3/4)");
    rational_gcd(z, y, x);
    CHECK(is_ratio(f, z, 3, 4), "gcd(-3/4, 0)");
    rational_gcd(z, x, x);
    CHECK(rational_is_zero(z), "gcd(0, 0)");
    rational_set_ratio(x, 1, 6);
    rational_set_ratio(y, 1, 4);
    rational_gcd(x, x, y); /* in place */
    CHECK(is_ratio(f, x, 1, 12), "gcd(1/6, 1/4)");
}

/* ---- doubles of all sizes ---- */

static double any_double(test_random *r) {
    uint64_t bits = random_u64(r);
    double x;
    if (random_below(r, 4) == 0) bits &= ~((uint64_t)0x7fe << 52); /* subnormal, or the least normal ones */
    if (random_below(r, 8) == 0) bits = (bits & ~((uint64_t)0x7ff << 52)) | (uint64_t)0x7fe << 52;
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 1;
}

static void check_double(fixture *f, double x) {
    rational *q = f->x, *tiny = f->x + 1, *z = f->x + 2;
    rational_set_double(q, x);
    CHECK(rational_to_double(q) == x && rational_below(q) == x && rational_above(q) == x, "%a comes back as %a", x,
          rational_to_double(q));
    if (x == 0) return;
    CHECK(fabs(rational_log2(q) - log2(fabs(x))) < 3e-9 * (1 + fabs(log2(fabs(x)))), "log2 of %a: %.17g", x,
          rational_log2(q));
    int e;
    if (fabs(frexp(x, &e)) == 0.5)
        CHECK(rational_log2(q) <= e - 1 && rational_log2(q) > e - 1 - 1e-9 * (1 + fabs((double)e)), "log2 of %a", x);
    /* a little more and a little less than x round to x and outward to its neighbours */
    rational_set_double(tiny, DBL_TRUE_MIN);
    rational_div_int(tiny, tiny, 3);
    rational_add(z, q, tiny);
    CHECK(rational_to_double(z) == x && rational_below(z) == x && rational_above(z) == nextafter(x, INFINITY),
          "a little above %a: %a %a %a", x, rational_to_double(z), rational_below(z), rational_above(z));
    rational_sub(z, q, tiny);
    CHECK(rational_to_double(z) == x && rational_above(z) == x && rational_below(z) == nextafter(x, -INFINITY),
          "a little below %a: %a %a %a", x, rational_to_double(z), rational_below(z), rational_above(z));
}

/* Outward is the nearest double on that side, so a larger number never comes out smaller, whatever its denominator
   is. */
static void check_outward(fixture *f, test_random *r) {
    rational *x = f->x, *y = f->x + 1, *d = f->x + 2;
    uint64_t den = 1 + random_below(r, random_below(r, 2) ? 100 : (uint64_t)1 << 53);
    int64_t num = (int64_t)(random_u64(r) >> (11 + random_below(r, 40))) * (random_below(r, 2) ? 1 : -1);
    rational_set_ratio(x, num, den);
    double below = rational_below(x), above = rational_above(x);
    rational_set_double(d, below);
    CHECK(rational_cmp(d, x) <= 0, "%lld/%llu is below %a", (long long)num, (unsigned long long)den, below);
    rational_set_double(d, above);
    CHECK(rational_cmp(d, x) >= 0, "%lld/%llu is above %a", (long long)num, (unsigned long long)den, above);
    bool exact = rational_equal(d, x);
    CHECK(exact ? above == below : nextafter(below, INFINITY) == above, "%lld/%llu is between %a and %a",
          (long long)num, (unsigned long long)den, below, above);
    double beside[] = {below, above, rational_to_double(x), 0.5, nextafter(above, INFINITY)};
    double near = beside[random_below(r, sizeof beside / sizeof *beside)];
    rational_set_double(y, near);
    rational_sub(d, x, y);
    rational_abs(d, d);
    CHECK(rational_distance(x, near) == rational_above(d), "%lld/%llu is %a from %a, or %a", (long long)num,
          (unsigned long long)den, rational_distance(x, near), near, rational_above(d));
    rational_set_double(y, rational_to_double(x)); /* a dyadic number close by */
    bool less = rational_cmp(x, y) < 0;
    CHECK(less ? above <= rational_above(y) && below <= rational_below(y)
               : above >= rational_above(y) && below >= rational_below(y),
          "%lld/%llu beside %a", (long long)num, (unsigned long long)den, rational_to_double(x));
}

/* Beyond the range of doubles, on both sides. */
static void check_range(fixture *f) {
    rational *big = f->x, *small = f->x + 1, *one = f->x + 2;
    rational_set_double(big, DBL_MAX);
    rational_mul(big, big, big);
    CHECK(rational_to_double(big) == INFINITY && rational_above(big) == INFINITY && rational_below(big) == DBL_MAX,
          "above the range: %g %g %g", rational_to_double(big), rational_above(big), rational_below(big));
    CHECK(fabs(rational_log2(big) - 2048) < 1e-5, "log2 beyond the range: %g", rational_log2(big));
    rational_neg(big, big);
    CHECK(rational_to_double(big) == -INFINITY && rational_below(big) == -INFINITY && rational_above(big) == -DBL_MAX,
          "below the range");
    rational_set_double(small, DBL_TRUE_MIN);
    rational_mul(small, small, small);
    CHECK(rational_to_double(small) == 0 && rational_below(small) == 0 && rational_above(small) == DBL_TRUE_MIN,
          "near zero: %a %a %a", rational_to_double(small), rational_below(small), rational_above(small));
    CHECK(fabs(rational_log2(small) + 2148) < 1e-5, "log2 near zero: %g", rational_log2(small));
    rational_neg(small, small);
    CHECK(rational_above(small) == 0 && rational_below(small) == -DBL_TRUE_MIN, "near zero, negative");
    /* a tie of two subnormals goes to even: 3/2 of the least one */
    rational_set_double(small, DBL_TRUE_MIN);
    rational_set_ratio(one, 3, 2);
    rational_mul(small, small, one);
    CHECK(rational_to_double(small) == 2 * DBL_TRUE_MIN && rational_below(small) == DBL_TRUE_MIN &&
              rational_above(small) == 2 * DBL_TRUE_MIN,
          "between subnormals: %a", rational_to_double(small));
    /* a little more than half a unit below the least normal number */
    rational_set_double(small, DBL_TRUE_MIN);
    rational_set_ratio(one, 1000001, 2000000);
    rational_mul(one, one, small);
    rational_set_double(small, DBL_MIN);
    rational_sub(small, small, one);
    CHECK(rational_to_double(small) == DBL_MIN - DBL_TRUE_MIN, "below the least normal number: %a",
          rational_to_double(small));
    rational_set_int(one, 1);
    CHECK(rational_log2(one) <= 0 && rational_log2(one) > -1e-9, "log2 of 1: %g", rational_log2(one));
}

/* ---- expressions ---- */

static void check_expression(fixture *f, const char *source, bool rational_value) {
    const expression *e = expression_parse(&f->memory, source, strlen(source), 0, 0);
    for (size_t n = 0; n < 12; n++)
        for (size_t i = 0; i <= n; i++) {
            bool ok = expression_rational(f->x, e, i, n, n + 1, &f->pool);
            CHECK(ok == rational_value, "%s at %zu of %zu", source, i, n);
            double want = expression_eval(e, (double)i, (double)n, (double)n + 1), got = rational_to_double(f->x);
            if (ok && rational_value)
                CHECK(fabs(got - want) <= 1e-13 * fabs(want) + 1e-300, "%s at %zu of %zu: %.17g, doubles %.17g",
                      source, i, n, got, want);
        }
}

static void check_expressions(fixture *f) {
    static const char *const fine[] = {"i",
                                       "n - i",
                                       "i*i/(i + 1)",
                                       "[i = n]",
                                       "[i != 1]",
                                       "[i < 3]/4",
                                       "[i <= 2*n]",
                                       "(i - 5) % 3",
                                       "i % -3",
                                       "-i % 4",
                                       "(i/4) % (1/2)",
                                       "floor(i/3)",
                                       "ceil2(i/3 + 1/7)",
                                       "ceil2(-i)",
                                       "ceil2(16*N)",
                                       "ceil2(1/N)",
                                       "floor(-i/3)",
                                       "min(i, 3)",
                                       "max(i, n - i)",
                                       "-(2)",
                                       "1e-300*i",
                                       "0x1.8p+3/N",
                                       "1/(2*N)"};
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) check_expression(f, fine[k], true);
    check_expression(f, "ln(i + 1)", false);
    check_expression(f, "[ln(2) < i]", false);
    check_expression(f, "1/(i - i)", false);
    check_expression(f, "i % 0", false);
    /* doubles say that three tenths are not 3/10 of 1; exactly, they are */
    const expression *e = expression_parse(&f->memory, "[i/10 + 2*i/10 = 3*i/10]", 24, 0, 0);
    CHECK(expression_rational(f->x, e, 1, 1, 2, &f->pool) && is_ratio(f, f->x, 1, 1), "tenths");
    /* a little more than 1, and 1 as a double */
    e = expression_parse(&f->memory, "ceil2(1 + 1e-30)", 16, 0, 0);
    CHECK(expression_rational(f->x, e, 1, 1, 2, &f->pool) && is_ratio(f, f->x, 2, 1), "ceil2 just above 1");
    check_expression(f, "ceil2(1e305)", false);
}

/* ---- limits and pools ---- */

static void check_limit(fixture *f) {
    temper_error err = {0};
    rational *x = f->x;
    trap inner;
    rational_set_ratio(x, 1, 3);
    CHECK(rational_bits(x) == 2, "1/3 has %lu bits", rational_bits(x));
    if (trap_set(&inner, &err)) {
        f->memory.trap = &f->trap;
        CHECK(err.code == TEMPER_LIMIT && rational_bits(x) > RATIONAL_BITS, "%s", err.text);
        rational_set_int(x, 0);
        return;
    }
    f->memory.trap = &inner;
    for (;;) {
        rational_require_short(&f->pool, x);
        rational_mul(x, x, x);
    }
}

static void check_pools(test_random *r) {
    fixture f;
    arena_init(&f.memory, &f.trap);
    if (trap_set(&f.trap, NULL)) return;
    rational_pool_init(&f.pool, &f.memory);
    for (size_t round = 0; round < 20; round++) {
        size_t count = random_below(r, 200);
        rational *x = rational_array(&f.pool, count);
        for (size_t k = 0; k < count; k++) {
            CHECK(rational_is_zero(&x[k]) && rational_sign(&x[k]) == 0, "a new number is zero");
            rational_set_double(&x[k], any_double(r));
        }
        if (round % 5 == 4) rational_pool_clear(&f.pool);
    }
    rational_pool_clear(&f.pool);
    rational_pool_clear(&f.pool);
    arena_free(&f.memory);
    trap_clear(&f.trap);
}

/* ---- numbers of one word (short_rational.h) against the same far from there ---- */

static long any_word(test_random *r) {
    static const long ends[] = {
        0, 1, 2, 3, (1L << 31) - 1, 1L << 31, (1L << 53) + 1, (1L << 62) - 2, (1L << 62) - 1, 1L << 62};
    size_t bits = random_below(r, 63);
    long x = random_below(r, 3) ? (long)(random_u64(r) >> (63 - bits) >> 1)
                                : ends[random_below(r, sizeof ends / sizeof *ends)];
    return random_below(r, 2) ? x : -x;
}

/* Every operation once with both numbers as they are, and once with both taken by 2^200, where all are long. */
static void check_short(fixture *f, test_random *r) {
    rational *x = f->x, *y = f->x + 1, *z = f->x + 2, *far = f->x + 3, *u = f->x + 4, *v = f->x + 5, *w = f->x + 6;
    rational_set_double(far, 0x1p200);
    long a = any_word(r), b = any_word(r), c = random_below(r, 3) ? any_word(r) : a, d = any_word(r);
    if (b <= 0) b = b ? -b : 1;
    if (d <= 0) d = d ? -d : 1;
    if (random_below(r, 3) == 0) d = b;
    rational_set_ratio(x, a, (unsigned long)b);
    rational_set_ratio(y, c, (unsigned long)d);
    rational_mul(u, x, far);
    rational_mul(v, y, far);
#define FAR(what, ...)                                                                                               \
    __VA_ARGS__;                                                                                                     \
    CHECK(rational_equal(z, w), "%s of %ld/%ld and %ld/%ld", what, a, b, c, d)
    FAR("sum", rational_add(z, x, y), rational_add(w, u, v), rational_div(w, w, far));
    FAR("difference", rational_sub(z, x, y), rational_sub(w, u, v), rational_div(w, w, far));
    FAR("product", rational_mul(z, x, y), rational_mul(w, u, v), rational_div(w, w, far), rational_div(w, w, far));
    FAR("common measure", rational_gcd(z, x, y), rational_gcd(w, u, v), rational_div(w, w, far));
    FAR("sum of products", rational_set(z, x), rational_add_product(z, x, y), rational_div(w, v, far),
        rational_mul(w, w, u), rational_add(w, w, u), rational_div(w, w, far));
    FAR("negative", rational_neg(z, x), rational_neg(w, u), rational_div(w, w, far));
    FAR("size", rational_abs(z, x), rational_abs(w, u), rational_div(w, w, far));
    FAR("floor", rational_floor(z, x), rational_add(w, x, far), rational_floor(w, w), rational_sub(w, w, far));
    if (!rational_is_zero(y)) {
        FAR("quotient", rational_div(z, x, y), rational_div(w, u, v));
    }
    FAR("quotient by a whole number", rational_div_int(z, x, (unsigned long)d),
        rational_div_int(w, u, (unsigned long)d), rational_div(w, w, far));
    FAR("itself, twice", rational_set(z, x), rational_add(z, z, z), rational_add(w, u, u), rational_div(w, w, far));
#undef FAR
    CHECK(rational_cmp(x, y) == rational_cmp(u, v) && rational_equal(x, y) == rational_equal(u, v) &&
              rational_sign(x) == rational_sign(u) && rational_is_one(x) == (rational_cmp(u, far) == 0),
          "order of %ld/%ld and %ld/%ld", a, b, c, d);
    unsigned long bits = 0;
    rational_div(w, u, far);
    for (unsigned long size = a < 0 ? -(unsigned long)a : (unsigned long)a; size; size >>= 1) bits++;
    if (b == 1) CHECK(rational_bits(w) == (bits ? bits : 1), "%ld has %lu bits, not %lu", a, rational_bits(w), bits);
    long k = 0, l = 0;
    if (!rational_is_zero(x)) {
        bool part = rational_power_of_two_part(&k, x), other = rational_power_of_two_part(&l, u);
        CHECK(part == other && (!part || k + 200 == l), "%ld/%ld as m 2^k: %ld, %ld", a, b, k, l);
    }
}

int main(void) {
    static fixture f;
    test_random r = test_seed(43);
    arena_init(&f.memory, &f.trap);
    if (trap_set(&f.trap, NULL)) {
        CHECK(false, "%s", f.trap.error.text);
        return test_finish("t-rational");
    }
    rational_pool_init(&f.pool, &f.memory);
    f.x = rational_array(&f.pool, 8);
    for (int k = 0; k < 20000 * test_effort(); k++) {
        check_dyadic(&f, &r);
        check_fractions(&f, &r);
        check_double(&f, any_double(&r));
        check_outward(&f, &r);
        check_short(&f, &r);
    }
    static const double corners[] = {0.0,
                                     -DBL_MIN,
                                     0x1.0000000000001p-1022,
                                     -0.0,
                                     DBL_TRUE_MIN,
                                     -DBL_TRUE_MIN,
                                     DBL_MIN,
                                     0x1.fffffffffffffp-1023,
                                     1,
                                     -1,
                                     0x1p-1000,
                                     0x1p1023,
                                     0.1,
                                     0x1.fffffffffffffp+52,
                                     0x1p+53,
                                     0x1p+62,
                                     -0x1p+63,
                                     0x1p+64,
                                     1e300};
    for (size_t k = 0; k < sizeof corners / sizeof *corners; k++) check_double(&f, corners[k]);
    rational_set_double(f.x, DBL_MAX);
    CHECK(rational_to_double(f.x) == DBL_MAX && rational_above(f.x) == DBL_MAX, "the largest double");
    check_gcd_corners(&f);
    check_range(&f);
    check_expressions(&f);
    check_limit(&f);
    check_pools(&r);
    rational_pool_clear(&f.pool);
    arena_free(&f.memory);
    trap_clear(&f.trap);
    return test_finish("t-rational");
}

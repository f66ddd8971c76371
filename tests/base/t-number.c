/* exp and log against a second evaluation in pairs of doubles (another reduction, Taylor and atanh series), their
   special cases, their order, and their bits: the checksum fails on a platform that computes anything differently. */
#include <math.h>
#include <stdio.h>
#include "number/elementary.h"
#include "number/ieee.h"
#include "number/upward.h"
#include "test.h"

/* What the analysis in doc/numerics.md allows; `make test-number` measures 0.5335 and 0.5038. */
#define EXP_LIMIT 0.546
#define LOG_LIMIT 0.505

/* --- Pairs hi + lo, relative error of each operation about 2^-103 --- */

typedef struct {
    double hi, lo;
} pair;

static pair two_sum(double a, double b) {
    double s = a + b, v = s - a;
    return (pair){s, (a - (s - v)) + (b - v)};
}

static pair two_product(double a, double b) {
    const double c = 0x1p+27 + 1;
    double ah = a * c - (a * c - a), al = a - ah;
    double bh = b * c - (b * c - b), bl = b - bh;
    double p = a * b;
    return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair add(pair a, pair b) {
    pair s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
    s = two_sum(s.hi, s.lo + t.hi);
    return two_sum(s.hi, s.lo + t.lo);
}

static pair multiply(pair a, pair b) {
    pair p = two_product(a.hi, b.hi);
    return two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static pair divide(pair a, pair b) {
    double q = a.hi / b.hi;
    pair rest = add(a, multiply(b, (pair){-q, 0}));
    return two_sum(q, rest.hi / b.hi);
}

/* k ln 2, |k| < 2^11: the first two products are exact. */
static pair ln2_times(double k) {
    pair p = two_sum(k * 0x1.62e42fefa38p-1, k * 0x1.ef35793c76p-45);
    return two_sum(p.hi, p.lo + k * 0x1.cc01f97b57a08p-87);
}

/* exp(x) = 2^k times the result: exp(r / 256) by Taylor, then squared eight times. */
static pair exp_pair(double x, int *k) {
    double n = floor(x / 0.6931471805599453 + 0.5);
    pair negative = ln2_times(-n);
    pair r = add((pair){x, 0}, negative);
    pair z = {r.hi / 256, r.lo / 256}, s = {1, 0};
    for (int i = 10; i >= 1; i--) s = add((pair){1, 0}, divide(multiply(z, s), (pair){i, 0}));
    for (int i = 0; i < 8; i++) s = multiply(s, s);
    *k = (int)n;
    return s;
}

/* log x = k ln 2 + 2 atanh((m-1)/(m+1)), m between 0.7 and 1.41. */
static pair log_pair(double x) {
    int k;
    double m = frexp(x, &k);
    if (m < 0.7071067811865476) m *= 2, k--;
    pair s = divide((pair){m - 1, 0}, two_sum(m, 1)), square = multiply(s, s), sum = {0, 0};
    for (int i = 43; i >= 1; i -= 2) sum = add(multiply(sum, square), divide((pair){1, 0}, (pair){i, 0}));
    sum = multiply(s, sum);
    return add((pair){2 * sum.hi, 2 * sum.lo}, ln2_times(k));
}

/* |y - 2^k v| in units of the last bit, of a format with that many bits and 2^least as its least number. */
static double ulps(double y, pair v, int k, int bits, int least) {
    int unit = ilogb(v.hi) + k - (bits - 1);
    if (unit < least) unit = least;
    return fabs(ldexp((ldexp(y, -k) - v.hi) - v.lo, k - unit));
}

/* --- Tests --- */

static double uniform(test_random *r) { return (double)(random_u64(r) >> 11) * 0x1p-53; }

static double exp_argument(test_random *r) {
    double u = uniform(r);
    switch (random_below(r, 8)) {
    case 0: return u * 1454.9 - 745.13;
    case 1: return u * 0.7 - 0.35;
    case 2: return -708.3 - u * 36.83;
    case 3: return ((double)random_below(r, 4195) - 2149) * 0.34657359027997264 * (1 + (u - 0.5) * 0x1p-30);
    case 4: return ldexp(u - 0.5, -(int)random_below(r, 64));
    case 5: return u * 110 - 60;
    case 6: return ((double)random_below(r, 2090) - 1070.5 + u * 0.1) * 0.69314718055994531;
    default: return (double)random_below(r, 2090) * 0.34 * (u < 0.5 ? 1 : -1);
    }
}

static double log_argument(test_random *r) {
    double u = uniform(r);
    switch (random_below(r, 7)) {
    case 0: return f64_from_bits(random_u64(r) % (0x7ff0000000000000u - 1) + 1);
    case 1: return 0.7 + u * 0.8;
    case 2: return 1 + (u - 0.5) * 0x1p-6;
    case 3: return 1 + ldexp(u - 0.5, -(int)random_below(r, 50));
    case 4: return (double)(1 + random_below(r, 100000));
    case 5: return ldexp(1 + u, (int)random_below(r, 2097) - 1074);
    default: return (128 + (double)random_below(r, 129)) / 128 + (u - 0.5) * 0x1p-40;
    }
}

static void check_exp(double x) {
    int k;
    pair v = exp_pair(x, &k);
    double y = exp_f64(x), error = ulps(y, v, k, 53, -1074);
    CHECK(error < EXP_LIMIT, "exp(%a) = %a is wrong by %.4f ulp", x, y, error);
    CHECK(exp_f64(next_up(x)) >= y, "exp falls after %a", x);
}

static void check_exp_f32(float x) {
    int k;
    pair v = exp_pair(x, &k);
    float y = exp_f32(x);
    double error = ulps(y, v, k, 24, -149);
    CHECK(error < 0.5 + 0x1p-40, "exp_f32(%a) = %a is not the nearest float: %.9f ulp", (double)x, (double)y, error);
}

static void check_log(double x) {
    pair v = log_pair(x);
    double y = log_f64(x);
    double error = v.hi == 0 ? y : ulps(y, v, 0, 53, -1074);
    CHECK(error < LOG_LIMIT, "log(%a) = %a is wrong by %.4f ulp", x, y, error);
    CHECK(log_f64(next_up(x)) >= y, "log falls after %a", x);
}

static void check_log_f32(float x) {
    pair v = log_pair(x);
    float y = log_f32(x);
    double error = v.hi == 0 ? y : ulps(y, v, 0, 24, -149);
    CHECK(error < 0.5 + 0x1p-40, "log_f32(%a) = %a is not the nearest float: %.9f ulp", (double)x, (double)y, error);
}

static void test_accuracy(void) {
    test_random r = test_seed(7);
    for (int i = 0, n = (int)(60000 * test_effort()); i < n; i++) {
        double x = exp_argument(&r);
        if (x > -745.133 && x < 709.78) check_exp(x);
        x *= 0.125;
        if (x > -103.97 && x < 88.72) check_exp_f32((float)x);
        x = log_argument(&r);
        if (x > 0 && x < INFINITY) check_log(x);
        if (x > 0x1p-149 && x < 0x1p+127) check_log_f32((float)x);
        check_log_f32(f32_from_bits((uint32_t)random_below(&r, 0x7f7fffff) + 1));
    }
}

/* Where the algorithm changes: reduction, table rows, subnormals, limits. */
static void test_seams(void) {
    for (int k = -2149; k <= 2047; k += 2) {
        double x = k * 0.34657359027997264;
        for (int step = -2; step <= 2; step++) {
            double at = x + step * fabs(x) * 0x1p-53;
            if (at > -745.133 && at < 709.78) check_exp(at);
        }
    }
    for (int j = 128; j <= 512; j++) {
        double x = j / 256.0;
        check_log(f64_from_bits(f64_bits(x) - 1));
        check_log(x);
        check_log(next_up(x));
        check_log(x * 0x1p-1030);
    }
    for (int k = -1074; k < 1024; k++) {
        double x = ldexp(1, k);
        check_log(x);
        check_log(next_up(x));
        if (k > -1074) check_log(f64_from_bits(f64_bits(x) - 1));
        if (k > -1023) CHECK(log_f64(x) == -log_f64(ldexp(1, -k)), "log 2^%d is not -log 2^%d", k, -k);
    }
    for (uint64_t i = 1; i < 2000; i++) check_log(f64_from_bits(i * i * i));
    for (int i = 1; i <= 20000; i++) {
        check_log(i);
        CHECK(fabs(exp_f64(log_f64(i)) / i - 1) < 12 * 0x1p-53, "exp(log %d)", i);
    }
}

static void check_bits(const char *call, double got, uint64_t want) {
    CHECK(f64_bits(got) == want, "%s has bits %016llx, not %016llx", call, (unsigned long long)f64_bits(got),
          (unsigned long long)want);
}

static void check_bits_f32(const char *call, float got, uint32_t want) {
    CHECK(f32_bits(got) == want, "%s has bits %08lx, not %08lx", call, (unsigned long)f32_bits(got),
          (unsigned long)want);
}

#define BITS(call, want)     check_bits(#call, call, want)
#define BITS_F32(call, want) check_bits_f32(#call, call, want)

static void test_special(void) {
    const uint64_t inf = 0x7ff0000000000000, nan = 0x7ff8000000000000, one = 0x3ff0000000000000, sign = 1ull << 63;
    BITS(exp_f64(0.0), one);
    BITS(exp_f64(-0.0), one);
    BITS(exp_f64(0x1p-1074), one);
    BITS(exp_f64(-0x1p-1074), one);
    BITS(exp_f64(0x1p-53), one);
    BITS(exp_f64(0x1.0000000000001p-53), one + 1);
    BITS(exp_f64(-0x1p-54), one);
    BITS(exp_f64(-0x1.0000000000001p-54), one - 1);
    BITS(exp_f64(1.0), 0x4005bf0a8b145769);
    BITS(exp_f64(-INFINITY), 0);
    BITS(exp_f64(-DBL_MAX), 0);
    BITS(exp_f64(-0x1.74910d52d3052p+9), 0);
    BITS(exp_f64(-0x1.74910d52d3051p+9), 1);
    BITS(exp_f64(-0x1.74385446d71c3p+9), 1); /* just above ln 2^-1074 */
    BITS(exp_f64(0x1.62e42fefa39efp+9), 0x7fefffffffffff2a);
    BITS(exp_f64(0x1.62e42fefa39fp+9), inf);
    BITS(exp_f64(DBL_MAX), inf);
    BITS(exp_f64(INFINITY), inf);
    BITS(exp_f64(f64_from_bits(nan)), nan);
    BITS(exp_f64(f64_from_bits(sign | nan | 5)), sign | nan | 5);
    BITS(exp_f64(f64_from_bits(inf | 5)), nan | 5); /* a signalling NaN comes out quiet */
    BITS(log_f64(1.0), 0);
    BITS(log_f64(0.0), sign | inf);
    BITS(log_f64(-0.0), sign | inf);
    BITS(log_f64(INFINITY), inf);
    BITS(log_f64(-INFINITY), nan);
    BITS(log_f64(-1.0), nan);
    BITS(log_f64(-0x1p-1074), nan);
    BITS(log_f64(f64_from_bits(sign | nan | 5)), sign | nan | 5);
    BITS(log_f64(f64_from_bits(inf | 5)), nan | 5);
    BITS(log_f64(2.0), 0x3fe62e42fefa39ef);
    BITS(log_f64(0x1p-1074), 0xc0874385446d71c3);
    BITS(log_f64(DBL_MAX), 0x40862e42fefa39ef);

    const uint32_t inf32 = 0x7f800000, nan32 = 0x7fc00000, sign32 = 1u << 31;
    BITS_F32(exp_f32(0.0f), 0x3f800000);
    BITS_F32(exp_f32(-0.0f), 0x3f800000);
    BITS_F32(exp_f32(-INFINITY), 0);
    BITS_F32(exp_f32(-0x1.9fe36ap+6f), 0);
    BITS_F32(exp_f32(-0x1.9fe368p+6f), 1);
    BITS_F32(exp_f32(0x1.62e42ep+6f), 0x7f7fff84);
    BITS_F32(exp_f32(0x1.62e43p+6f), inf32);
    BITS_F32(exp_f32(INFINITY), inf32);
    BITS_F32(exp_f32(f32_from_bits(sign32 | nan32 | 5)), sign32 | nan32 | 5);
    BITS_F32(log_f32(1.0f), 0);
    BITS_F32(log_f32(0.0f), sign32 | inf32);
    BITS_F32(log_f32(-0.0f), sign32 | inf32);
    BITS_F32(log_f32(-1.0f), nan32);
    BITS_F32(log_f32(-INFINITY), nan32);
    BITS_F32(log_f32(INFINITY), inf32);
    BITS_F32(log_f32(f32_from_bits(nan32 | 5)), nan32 | 5);
}

/* The least arguments whose exp is normal, nonzero, and the largest whose exp is finite, from both sides. */
static void test_limits(void) {
    const double limits[] = {-0x1.74910d52d3051p+9, -0x1.6232bdd7abcd2p+9, 0x1.62e42fefa39efp+9};
    for (int i = 0; i < 3; i++) {
        double x = f64_from_bits(f64_bits(limits[i]) - 500);
        if (x < 0) x = f64_from_bits(f64_bits(limits[i]) + 500);
        for (int step = 0; step < 1000; step++, x = next_up(x)) {
            if (x <= 0x1.62e42fefa39efp+9) check_exp(x);
            CHECK(exp_f64(next_up(x)) >= exp_f64(x), "exp falls after %a", x);
        }
    }
    CHECK(exp_f64(-0x1.6232bdd7abcd2p+9) >= DBL_MIN, "least normal");
    CHECK(exp_f64(-0x1.6232bdd7abcd3p+9) < DBL_MIN, "largest subnormal");
}

static void test_checksum(void) {
    test_random r = {0x2545f4914f6cdd1d};
    uint64_t hash = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = random_u64(&r), pick = random_u64(&r);
        double u = (double)(bits >> 11) * 0x1p-53;
        double x = pick & 1 ? u * 1460 - 748 : (u - 0.5) * f64_from_bits((1023 - (pick >> 1 & 63)) << 52);
        double z = pick & 128 ? f64_from_bits(bits >> 1) : 1 + x * 0x1p-10;
        hash = (hash ^ f64_bits(exp_f64(x))) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ f32_bits(exp_f32((float)(x * 0.15)))) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ hash >> 31 ^ f64_bits(log_f64(z))) * 0x9e3779b97f4a7c15u;
        hash = (hash ^ f32_bits(log_f32(f32_from_bits((uint32_t)(bits >> 20))))) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    CHECK(hash == 0x4a226b2f4036b358, "the bits of exp and log differ from other machines: checksum %016llx",
          (unsigned long long)hash);
}

/* The numbers beside a number are the C library's. */
static void check_neighbours(double x) {
    double up = next_up(x), down = next_down(x), more = nextafter(x, INFINITY), less = nextafter(x, -INFINITY);
    CHECK(isnan(x) ? isnan(up) && isnan(down) : f64_bits(up) == f64_bits(more) && f64_bits(down) == f64_bits(less),
          "beside %a: %a and %a, not %a and %a", x, down, up, less, more);
}

static void test_neighbours(void) {
    static const double special[] = {
        0,        0x1p-1074, 0x1p-1073, 0x1p-1022, 0x1.fffffffffffffp-1023, 1, 2, 0.5, 0x1.fffffffffffffp1023,
        INFINITY, NAN};
    test_random r = test_seed(9);
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
        check_neighbours(special[k]);
        check_neighbours(-special[k]);
    }
    for (int k = 0; k < 100000; k++) check_neighbours(f64_from_bits(random_u64(&r)));
}

int main(void) {
    test_neighbours();
    test_special();
    test_limits();
    test_seams();
    test_accuracy();
    test_checksum();
    return test_finish("t-number");
}

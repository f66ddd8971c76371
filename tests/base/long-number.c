/* The long test of exp and log (make test-number; needs MPFR). float: every argument there is, against references
   whose error is bounded; double: many random arguments against MPFR. Prints the largest errors in units in the last
   place of the result.

   The float references are sums and products of MPFR values. exp: x = +-(4096 a + b) 2^e, so exp(x) is the product of
   two table entries; log: x = 2^k m, so log(x) is the sum of two. Values are pairs of doubles, hi + lo, with relative
   error below 2^-106; product and sum add less than 2^-100 of the larger operand. Nothing cancels below 2^-24, so
   errors in ulps are known to 2^-50, and an error within 2^-40 of one half is decided by MPFR.

   Usage: long-number [millions of doubles per function, default 16] */
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "number/elementary.h"
#include "number/ieee.h"
#include "test.h"

enum { THREADS = 2, DOUBT_BITS = 40, PRECISION = 200 };

typedef struct {
    double hi, lo;
} pair;

typedef struct {
    uint64_t count, misrounded, doubtful, special_wrong, not_monotone;
    double error, at; /* largest error in ulps, and its argument */
    double special_at, monotone_at;
} tally;

typedef struct {
    int index;
    uint64_t doubles;
    tally exp_f32, log_f32, exp_f64, log_f64, exp_f64_subnormal, log_f64_near_one;
} job;

static void merge(tally *into, const tally *from) {
    into->count += from->count;
    into->misrounded += from->misrounded;
    into->doubtful += from->doubtful;
    into->special_wrong += from->special_wrong;
    into->not_monotone += from->not_monotone;
    if (from->error > into->error) into->error = from->error, into->at = from->at;
    if (from->special_wrong) into->special_at = from->special_at;
    if (from->not_monotone) into->monotone_at = from->monotone_at;
}

static void expect(tally *t, bool ok, double x) {
    t->count++;
    if (!ok) t->special_wrong++, t->special_at = x;
}

static pair pair_from_mpfr(mpfr_t value) {
    mpfr_t rest;
    pair p;
    mpfr_init2(rest, PRECISION);
    p.hi = mpfr_get_d(value, MPFR_RNDN);
    mpfr_sub_d(rest, value, p.hi, MPFR_RNDN);
    p.lo = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return p;
}

static pair multiply(pair a, pair b) {
    const double c = 0x1p+27 + 1;
    double ah = a.hi * c - (a.hi * c - a.hi), al = a.hi - ah;
    double bh = b.hi * c - (b.hi * c - b.hi), bl = b.hi - bh;
    double p = a.hi * b.hi;
    double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    e += a.hi * b.lo + a.lo * b.hi;
    pair r = {p + e, 0};
    r.lo = e - (r.hi - p);
    return r;
}

static pair add(pair a, pair b) {
    double s = a.hi + b.hi, v = s - a.hi;
    double e = (a.hi - (s - v)) + (b.hi - v);
    e += a.lo + b.lo;
    pair r = {s + e, 0};
    r.lo = e - (r.hi - s);
    return r;
}

/* The weight of the last bit of a result of size |v|, v != 0: `bits` of precision, never below 2^least. */
static double last_bit(double v, int bits, int least) {
    int e = (int)(f64_bits(v) >> 52 & 2047) - 1023 - (bits - 1);
    return f64_from_bits((uint64_t)((e < least ? least : e) + 1023) << 52);
}

/* Is the float y a nearest one to f(x)? For results that pairs of doubles cannot decide. */
static bool is_nearest(double y, double unit, double x, bool is_exp) {
    mpfr_t v;
    mpfr_init2(v, PRECISION);
    mpfr_set_d(v, x, MPFR_RNDN);
    if (is_exp) {
        mpfr_exp(v, v, MPFR_RNDN);
    } else {
        mpfr_log(v, v, MPFR_RNDN);
    }
    mpfr_sub_d(v, v, y, MPFR_RNDN);
    mpfr_abs(v, v, MPFR_RNDN);
    bool ok = mpfr_cmp_d(v, unit / 2) <= 0;
    mpfr_clear(v);
    return ok;
}

static void judge(tally *t, float result, pair v, float x, bool is_exp) {
    const double doubt = 1.0 / (double)(1ull << DOUBT_BITS);
    double unit = last_bit(v.hi, 24, -149);
    double y = result;
    if (y == INFINITY && v.hi > 0x1p+128) { /* nearest: where the next float would be, or beyond */
        t->count++;
        return;
    }
    if (y == INFINITY) y = 0x1p+128;
    double d = fabs(((y - v.hi) - v.lo) / unit);
    t->count++;
    if (!(d <= t->error)) t->error = d, t->at = x;
    if (d < 0.5 - doubt) return;
    if (d < 0.5 + doubt) {
        t->doubtful++;
        if (is_nearest(y, unit, x, is_exp)) return;
    }
    t->misrounded++;
}

/* --- float exp: all 2^32 arguments, shared out by sign and exponent --- */

static void exp_binade(tally *t, uint32_t sign, uint32_t exponent, pair *high, pair *low) {
    mpfr_t v;
    mpfr_init2(v, PRECISION);
    double step = ldexp(sign ? -1.0 : 1.0, (int)exponent - 127 - 23);
    for (uint32_t a = 2048; a < 4096; a++) {
        mpfr_set_d(v, 4096 * a * step, MPFR_RNDN);
        mpfr_exp(v, v, MPFR_RNDN);
        high[a] = pair_from_mpfr(v);
    }
    for (uint32_t b = 0; b < 4096; b++) {
        mpfr_set_d(v, b * step, MPFR_RNDN);
        mpfr_exp(v, v, MPFR_RNDN);
        low[b] = pair_from_mpfr(v);
    }
    mpfr_clear(v);
    for (uint32_t a = 2048; a < 4096; a++) {
        for (uint32_t b = 0; b < 4096; b++) {
            float x = f32_from_bits(sign << 31 | exponent << 23 | (a - 2048) << 12 | b);
            judge(t, exp_f32(x), multiply(high[a], low[b]), x, true);
        }
    }
}

static void exp_f32_all(job *j) {
    pair *high = malloc(4096 * sizeof *high), *low = malloc(4096 * sizeof *low);
    if (!high || !low) abort();
    for (uint32_t top = (uint32_t)j->index; top < 512; top += THREADS) {
        uint32_t sign = top & 1, exponent = top >> 1;
        if (exponent >= 127 - 25 && exponent < 127 + 7) {
            exp_binade(&j->exp_f32, sign, exponent, high, low);
            continue;
        }
        for (uint32_t fraction = 0; fraction < 1u << 23; fraction++) {
            uint32_t bits = sign << 31 | exponent << 23 | fraction;
            float x = f32_from_bits(bits);
            uint32_t want = 0x3f800000; /* |x| < 2^-25 rounds to 1; |x| >= 128 is far beyond both limits */
            if (exponent >= 127 + 7) want = sign ? 0 : 0x7f800000;
            if (exponent == 255 && fraction) want = bits | 0x00400000;
            expect(&j->exp_f32, f32_bits(exp_f32(x)) == want, x);
        }
    }
    free(high);
    free(low);
}

/* --- float log: all 2^32 arguments, shared out by mantissa --- */

static void log_f32_all(job *j) {
    tally *t = &j->log_f32;
    pair multiple[128 + 149]; /* k ln 2, from k = -149 */
    mpfr_t v;
    mpfr_init2(v, PRECISION);
    for (int k = -149; k < 128; k++) {
        mpfr_const_log2(v, MPFR_RNDN);
        mpfr_mul_si(v, v, k, MPFR_RNDN);
        multiple[k + 149] = pair_from_mpfr(v);
    }
    for (uint32_t m = (1u << 23) + (uint32_t)j->index; m < 1u << 24; m += THREADS) {
        mpfr_set_ui_2exp(v, m, -23, MPFR_RNDN);
        mpfr_log(v, v, MPFR_RNDN);
        pair log_m = pair_from_mpfr(v);
        for (int k = -149; k < 128; k++) {
            uint32_t bits = (uint32_t)(k + 127) << 23 | (m - (1u << 23));
            if (k < -126) {
                int lost = -126 - k; /* subnormal: these low bits of m must be 0 */
                if (m & ((1u << lost) - 1)) continue;
                bits = m >> lost;
            }
            float x = f32_from_bits(bits);
            if (bits == 0x3f800000) {
                expect(t, f32_bits(log_f32(x)) == 0, x);
            } else {
                judge(t, log_f32(x), add(multiple[k + 149], log_m), x, false);
            }
        }
    }
    mpfr_clear(v);
    for (uint64_t i = 0x7f800000u + (uint64_t)j->index; i < 0x100000000u; i += THREADS) {
        uint32_t bits = (uint32_t)i, want = 0x7fc00000;
        if (bits == 0x7f800000) want = bits;
        if (bits == 0x80000000) want = 0xff800000;
        if ((bits & 0x7fffffff) > 0x7f800000) want = bits | 0x00400000;
        expect(t, f32_bits(log_f32(f32_from_bits(bits))) == want, f32_from_bits(bits));
    }
    if (j->index == 0) expect(t, f32_bits(log_f32(0.0f)) == 0xff800000, 0);
}

/* --- double: random arguments against MPFR --- */

static double uniform(test_random *r) { return (double)(random_u64(r) >> 11) * 0x1p-53; }

static double next_up(double x) {
    return x == 0 ? 0x1p-1074 : f64_from_bits(x > 0 ? f64_bits(x) + 1 : f64_bits(x) - 1);
}

/* A double near the middle of two results is as likely as any other; arguments near multiples of ln2/2 (where the
   reduction changes and the tail of exp is longest) and near 0 are not, so they have their own share. */
static double exp_argument(test_random *r) {
    double u = uniform(r);
    switch (random_below(r, 7)) {
    case 0: return u * 1454.9 - 745.13;
    case 1: return u * 0.7 - 0.35;
    case 2: return -708.3 - u * 36.84;
    case 3: return ((double)random_below(r, 4195) - 2149) * 0.34657359027997264 * (1 + (u - 0.5) * 0x1p-30);
    case 4: return ldexp(u - 0.5, -(int)random_below(r, 64));
    case 5: return ((double)random_below(r, 2090) - 1070.5 + u * 0.1) * 0.69314718055994531;
    default: return (double)random_below(r, 1400) * (random_below(r, 2) ? 0.5 : -0.5) + ldexp(u, -30);
    }
}

static double log_argument(test_random *r) {
    double u = uniform(r);
    switch (random_below(r, 6)) {
    case 0: return f64_from_bits(random_u64(r) % (0x7ff0000000000000u - 1) + 1);
    case 1: return 0.7 + u * 0.8;
    case 2: return 1 + (u - 0.5) * 0x1p-6;
    case 3: return 1 + ldexp(u - 0.5, -(int)random_below(r, 50));
    case 4: return (double)(1 + random_below(r, 1u << 20)) * (random_below(r, 2) ? 1 : 0x1p-20);
    default:
        return ldexp((128 + (double)random_below(r, 129)) / 128 + (u - 0.5) * 0x1p-40, (int)random_below(r, 5) - 2);
    }
}

static void measure(tally *t, mpfr_t v, mpfr_t argument, double x, bool is_exp) {
    double y = is_exp ? exp_f64(x) : log_f64(x);
    double next = is_exp ? exp_f64(next_up(x)) : log_f64(next_up(x));
    t->count++;
    if (!(next >= y)) t->not_monotone++, t->monotone_at = x;
    mpfr_set_d(argument, x, MPFR_RNDN);
    if (is_exp) {
        mpfr_exp(v, argument, MPFR_RNDN);
    } else {
        mpfr_log(v, argument, MPFR_RNDN);
    }
    if (mpfr_zero_p(v)) {
        if (f64_bits(y) != 0) t->special_wrong++, t->special_at = x;
        return;
    }
    long e = (long)mpfr_get_exp(v) - 53;
    mpfr_sub_d(v, v, y, MPFR_RNDN);
    mpfr_mul_2si(v, v, e < -1074 ? 1074 : -e, MPFR_RNDN);
    double d = fabs(mpfr_get_d(v, MPFR_RNDN));
    if (!(d <= t->error)) t->error = d, t->at = x;
    if (!(d <= 0.5)) t->misrounded++;
}

static void doubles_random(job *j) {
    test_random r = test_seed(20240601);
    r.state += (uint64_t)j->index * 0x9e3779b97f4a7c15u;
    mpfr_t v, argument;
    mpfr_init2(v, 128);
    mpfr_init2(argument, 53);
    for (uint64_t i = 0; i < j->doubles / THREADS; i++) {
        double x = exp_argument(&r);
        if (x > -745.1332 && x < 709.7827)
            measure(x < -0x1.6232bdd7abcd2p+9 ? &j->exp_f64_subnormal : &j->exp_f64, v, argument, x, true);
        x = log_argument(&r);
        if (x > 0) measure(x > 0.98 && x < 1.02 ? &j->log_f64_near_one : &j->log_f64, v, argument, x, false);
    }
    mpfr_clear(v);
    mpfr_clear(argument);
}

static void *run(void *argument) {
    job *j = argument;
    exp_f32_all(j);
    log_f32_all(j);
    doubles_random(j);
    mpfr_free_cache();
    return NULL;
}

/* `exact`: every result must be the nearest one. */
static void report(const char *name, const tally *t, bool exact, double limit) {
    printf("%-28s %10llu arguments, largest error %.10f ulp at %a (%.9g), %llu not nearest, %llu decided by MPFR\n",
           name, (unsigned long long)t->count, t->error, t->at, t->at, (unsigned long long)t->misrounded,
           (unsigned long long)t->doubtful);
    CHECK(t->error <= limit, "%s: error %.7f ulp at %a", name, t->error, t->at);
    CHECK(!exact || t->misrounded == 0, "%s: %llu results not the nearest float", name,
          (unsigned long long)t->misrounded);
    CHECK(t->special_wrong == 0, "%s: %llu special cases wrong, such as %a", name,
          (unsigned long long)t->special_wrong, t->special_at);
    CHECK(t->not_monotone == 0, "%s: %llu times not monotone, such as after %a", name,
          (unsigned long long)t->not_monotone, t->monotone_at);
}

int main(int argc, char **argv) {
    pthread_t thread[THREADS];
    job jobs[THREADS] = {0};
    double millions = argc > 1 ? strtod(argv[1], NULL) : 16;
    for (int i = 0; i < THREADS; i++) {
        jobs[i].index = i;
        jobs[i].doubles = (uint64_t)(millions * 1e6);
        if (pthread_create(&thread[i], NULL, run, &jobs[i])) return perror("pthread_create"), 2;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    job *all = &jobs[0];
    for (int i = 1; i < THREADS; i++) {
        merge(&all->exp_f32, &jobs[i].exp_f32);
        merge(&all->log_f32, &jobs[i].log_f32);
        merge(&all->exp_f64, &jobs[i].exp_f64);
        merge(&all->log_f64, &jobs[i].log_f64);
        merge(&all->exp_f64_subnormal, &jobs[i].exp_f64_subnormal);
        merge(&all->log_f64_near_one, &jobs[i].log_f64_near_one);
    }
    report("exp_f32", &all->exp_f32, true, 0.5);
    report("log_f32", &all->log_f32, true, 0.5);
    report("exp_f64", &all->exp_f64, false, 0.546);
    report("exp_f64, subnormal result", &all->exp_f64_subnormal, false, 0.546);
    report("log_f64", &all->log_f64, false, 0.505);
    report("log_f64, 0.98 < x < 1.02", &all->log_f64_near_one, false, 0.505);
    CHECK(all->exp_f32.count == 1ull << 32 && all->log_f32.count == 1ull << 32, "not all floats were visited");
    return test_finish("long-number");
}

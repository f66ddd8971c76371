/* Ends are rounded outward, and kept where they are exact, because exact numbers are worth knowing: of sums and
   products the error is a double, too, and its sign says which neighbour is on the right side. */
#include "number/quick_ball.h"

#include <math.h>
#include <string.h>

#include "number/elementary.h"
#include "number/upward.h"

/* The playground has one thread, and its linker knows no storage for each. */
#ifdef __wasm__
static bool is_quick;
#else
static _Thread_local bool is_quick;
#endif

void ball_quick_begin(void) { is_quick = true; }
void ball_quick_end(void) { is_quick = false; }
bool ball_is_quick(void) { return is_quick; }

typedef struct span {
    double lo, hi;
} span;

static span get(const ball *x) {
    span s;
    memcpy(&s, x->words, sizeof s);
    return s;
}

/* An end that is infinite or no number leaves no bound on either side. */
static void put(ball *z, span s) {
    if (!isfinite(s.lo) || !isfinite(s.hi)) s = (span){-INFINITY, INFINITY};
    memcpy(z->words, &s, sizeof s);
}

static bool is_finite(span s) { return isfinite(s.lo) && isfinite(s.hi); }

/* The rounded result r of something, and the sign of what it lacks: true result less r. */
static span around(double r, double lacks) {
    return (span){lacks < 0 ? next_down(r) : r, lacks > 0 ? next_up(r) : r};
}

static span around_both(double r) { return (span){next_down(r), next_up(r)}; }

static double least(double a, double b) { return b < a ? b : a; }
static double most(double a, double b) { return b > a ? b : a; }

static span join(span a, span b) { return (span){least(a.lo, b.lo), most(a.hi, b.hi)}; }

/* ---- two doubles ---- */

/* The error of a sum to nearest is a double, and this finds it, unless something overflows: then the ends are. */
static span sum(double a, double b) {
    double s = a + b, t = s - a;
    return around(s, (a - (s - t)) + (b - t));
}

/* Above this the error of a product is a double, which fma finds; below it may be too small for one. */
#define PRODUCT_EXACT 0x1p-900

static span product(double a, double b) {
    double p = a * b;
    if (a == 0 || b == 0) return (span){0, 0};
    return fabs(p) < PRODUCT_EXACT ? around_both(p) : around(p, fma(a, b, -p));
}

/* a - q b is a double where nothing is tiny; its sign against that of b is what the quotient lacks. */
static span quotient(double a, double b) {
    double q = a / b;
    if (a == 0) return (span){0, 0};
    if (fabs(q) < PRODUCT_EXACT || fabs(a) < PRODUCT_EXACT || fabs(q) > 0x1p1000) return around_both(q);
    double rest = fma(-q, b, a);
    return around(q, b > 0 ? rest : -rest);
}

/* ---- balls ---- */

void quick_set_double(ball *z, double x) { put(z, (span){x, x}); }

void quick_set_int(ball *z, int64_t x) {
    double high = (double)(x / 4294967296) * 0x1p32; /* exact, and so is the rest */
    put(z, sum(high, (double)(x % 4294967296)));
}

void quick_add(ball *z, const ball *x, const ball *y) {
    span a = get(x), b = get(y);
    put(z, (span){sum(a.lo, b.lo).lo, sum(a.hi, b.hi).hi});
}

void quick_neg(ball *z, const ball *x) {
    span a = get(x);
    put(z, (span){-a.hi, -a.lo});
}

void quick_sub(ball *z, const ball *x, const ball *y) {
    ball minus;
    quick_neg(&minus, y);
    quick_add(z, x, &minus);
}

static span all(void) { return (span){-INFINITY, INFINITY}; }

static span times(span a, span b) {
    if (!is_finite(a) || !is_finite(b)) return all();
    span low = join(product(a.lo, b.lo), product(a.lo, b.hi)), high = join(product(a.hi, b.lo), product(a.hi, b.hi));
    return join(low, high);
}

void quick_mul(ball *z, const ball *x, const ball *y) { put(z, times(get(x), get(y))); }

void quick_div(ball *z, const ball *x, const ball *y) {
    span a = get(x), b = get(y);
    if (!is_finite(a) || !is_finite(b) || (b.lo <= 0 && b.hi >= 0)) {
        put(z, all());
        return;
    }
    span low = join(quotient(a.lo, b.lo), quotient(a.lo, b.hi));
    put(z, join(low, join(quotient(a.hi, b.lo), quotient(a.hi, b.hi))));
}

/* One end times 2^k: exact, unless it gets subnormal. */
static span shifted(double a, long k) {
    int by = k > 4000 ? 4000 : k < -4000 ? -4000 : (int)k;
    double r = ldexp(a, by);
    return a == 0 || fabs(r) >= 0x1p-1022 ? (span){r, r} : around_both(r);
}

void quick_mul_2exp(ball *z, const ball *x, long k) {
    span a = get(x);
    put(z, is_finite(a) ? (span){shifted(a.lo, k).lo, shifted(a.hi, k).hi} : all());
}

void quick_pow(ball *z, const ball *x, uint64_t k) {
    span power = {1, 1}, square = get(x);
    for (; k; k >>= 1) {
        if (k & 1) power = times(power, square);
        if (k > 1) square = times(square, square);
    }
    put(z, power);
}

/* exp_f64 and log_f64 err by less than one unit of the last place, two neighbours away. */
static double lower(double r) { return next_down(next_down(r)); }
static double upper(double r) { return next_up(next_up(r)); }

void quick_exp(ball *z, const ball *x) {
    span a = get(x);
    if (!is_finite(a)) {
        put(z, all());
        return;
    }
    double lo = a.lo == 0 ? 1 : most(lower(exp_f64(a.lo)), 0), hi = a.hi == 0 ? 1 : upper(exp_f64(a.hi));
    put(z, (span){lo, hi});
}

void quick_log(ball *z, const ball *x) {
    span a = get(x);
    if (!is_finite(a) || a.lo <= 0) {
        put(z, all());
        return;
    }
    put(z, (span){a.lo == 1 ? 0 : lower(log_f64(a.lo)), a.hi == 1 ? 0 : upper(log_f64(a.hi))});
}

void quick_max(ball *z, const ball *x, const ball *y) {
    span a = get(x), b = get(y);
    put(z, (span){most(a.lo, b.lo), most(a.hi, b.hi)});
}

/* ---- questions ---- */

bool quick_is_finite(const ball *x) { return is_finite(get(x)); }
bool quick_is_less(const ball *x, const ball *y) {
    return quick_is_finite(x) && quick_is_finite(y) && get(x).hi < get(y).lo;
}
bool quick_is_at_most(const ball *x, const ball *y) {
    return quick_is_finite(x) && quick_is_finite(y) && get(x).hi <= get(y).lo;
}
bool quick_is_zero(const ball *x) { return get(x).lo == 0 && get(x).hi == 0; }
double quick_upper(const ball *x) { return get(x).hi; }
double quick_lower(const ball *x) { return get(x).lo; }

bool quick_is_number(const ball *x, int precision, double least_number) {
    span a = get(x);
    if (!is_finite(a) || a.lo != a.hi) return false;
    if (a.lo == 0) return true;
    int exponent, grid;
    double m = frexp(a.lo, &exponent); /* a.lo = m 2^exponent, 1/2 <= |m| < 1 */
    frexp(least_number, &grid);
    grid -= 1; /* least_number = 2^grid */
    int low = exponent - precision > grid ? exponent - precision : grid;
    if (exponent <= low) return false; /* smaller than the grid */
    double whole = ldexp(m, exponent - low);
    return exponent - low > 53 || whole == trunc(whole);
}

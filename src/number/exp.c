/* exp. With k = round(x / ln 2) and r = x - k ln 2, exp(x) = 2^k exp(r), |r| <= 0.3466. The head 1 + h + h^2/2, where
   h is r rounded to a multiple of 2^-25, is exact in binary64; what is left of exp(r) is below 2^-7, so its rounding
   errors are small beside the one rounding of head + tail. Straight-line code: vector kernels give the same bits by
   the same operations in the same order. Constants: scripts/elementary-constants.py. */
#include "number/elementary.h"
#include "number/ieee.h"

/* 1.5 * 2^52: adding it rounds to an integer, which then stands in the low bits. */
#define TO_INTEGER 0x1.8p+52
/* 1.5 * 2^27: adding and subtracting it rounds to a multiple of 2^-25. */
#define TO_GRID     0x1.8p+27
#define INV_LN2     0x1.71547652b82fep+0
#define LN2_HI      0x1.62e42fefa38p-1 /* a multiple of 2^-42: k * LN2_HI is exact */
#define LN2_LO      0x1.ef35793c7673p-45
#define LARGEST     0x1.62e42fefa39efp+9  /* exp is finite up to here */
#define NORMAL      -0x1.6232bdd7abcd2p+9 /* exp >= 2^-1022 from here */
#define LEAST       -0x1.74910d52d3051p+9 /* exp > 2^-1075, so does not round to 0, from here */
#define LARGEST_F32 0x1.62e42ep+6f        /* the same two limits for float */
#define LEAST_F32   -0x1.9fe368p+6f

/* exp(x) = 2^k (head + tail), |tail| < 2^-6; the low 12 bits of `k` are k in two's complement. */
typedef struct {
    double head, tail;
    uint64_t k;
} parts;

static inline parts split(double x) {
    double shifted = x * INV_LN2 + TO_INTEGER;
    double k = shifted - TO_INTEGER;
    double hi = x - k * LN2_HI; /* exact: a multiple of 2^-54 below 1/2, or k = 0 */
    double h = (hi + TO_GRID) - TO_GRID;
    double t = (hi - h) - k * LN2_LO; /* hi - h is exact, at most 2^-26 */
    double r = h + t;
    double r2 = r * r;
    double r4 = r2 * r2;
    double p23 = 0x1.111111110e4fep-7 + r * 0x1.6c16c16c152e9p-10;
    double p45 = 0x1.a01a01b5d7845p-13 + r * 0x1.a01a01ac85a1dp-16;
    double p67 = 0x1.71ddeb1e4d63ap-19 + r * 0x1.27e4ce35a4518p-22;
    double p89 = 0x1.af738d168addbp-26 + r * 0x1.1f8884029ca36p-29;
    double q = (p45 + r2 * p67) + r4 * p89;
    double p = 0x1.555555555555dp-3 + ((r * 0x1.5555555555558p-5 + r2 * p23) + r4 * q);
    parts y;
    y.head = 1.0 + (h + 0.5 * h * h);                /* exact: multiples of 2^-51 below 2 */
    y.tail = t + (t * (0.5 * (r + h)) + r * r2 * p); /* t + (r^2 - h^2)/2 + r^3 p(r) */
    y.k = f64_bits(shifted);
    return y;
}

/* 2^k m, the result normal. Also right for k = 1024, m < 1. */
static inline double scale(double m, uint64_t k) { return f64_from_bits(f64_bits(m) + (k << 52)); }

/* Below 2^-1022 the last bit weighs 2^-1074, which is 2^(-1074-k) in head + tail. Adding base, 2^52 times that,
   rounds there, once, and leaves the result's bits. */
static double round_subnormal(parts y) {
    uint64_t base_bits = (1 - (y.k - f64_bits(TO_INTEGER))) << 52; /* 2^(-1022-k), k <= -1022 */
    double base = f64_from_bits(base_bits);
    double sum = base + y.head;
    double rest = y.head - (sum - base);
    return f64_from_bits(f64_bits(sum + (rest + y.tail)) - base_bits);
}

double exp_f64(double x) {
    if (!(x <= LARGEST)) return x > LARGEST ? f64_infinity() : f64_quiet(x);
    if (x < LEAST) return 0.0;
    parts y = split(x);
    if (x < NORMAL) return round_subnormal(y);
    return scale(y.head + y.tail, y.k);
}

/* The double is normal over the whole range of float, so only the conversion rounds. */
float exp_f32(float x) {
    if (!(x <= LARGEST_F32)) return x > LARGEST_F32 ? f32_infinity() : f32_quiet(x);
    if (x < LEAST_F32) return 0.0f;
    parts y = split(x);
    return (float)scale(f64_odd_sum(y.head, y.tail), y.k);
}

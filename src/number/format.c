#include "number/format.h"

#include "number/elementary.h"

/* Normal numbers below the last binade: rounding can neither underflow nor overflow. */
#define MIDDLE(bias, most) .first = 1023 + 1 - (bias), .count = (most) - (1 - (bias))

const number_format format_f64 = {"f64", 64, 53, 1023, true, 0x1.fffffffffffffp1023, 0x1p-1074, 0, 0};
const number_format format_f32 = {"f32", 32, 24, 127, true, 0x1.fffffep127, 0x1p-149, MIDDLE(127, 127)};
const number_format format_bf16 = {"bf16", 16, 8, 127, true, 0x1.fep127, 0x1p-133, MIDDLE(127, 127)};
const number_format format_f16 = {"f16", 16, 11, 15, true, 65504, 0x1p-24, MIDDLE(15, 15)};
const number_format format_e4m3 = {"e4m3", 8, 4, 7, false, 448, 0x1p-9, MIDDLE(7, 8)};
const number_format format_e5m2 = {"e5m2", 8, 3, 15, true, 57344, 0x1p-16, MIDDLE(15, 15)};

static double power_of_two(int e) { return f64_from_bits((uint64_t)(e + 1023) << 52); } /* normal doubles only */

/* The exponent of the last bit of subnormal numbers. */
static int last_place(const number_format *f) { return 2 - f->bias - f->precision; }

static double with_sign(double magnitude, uint64_t bits) {
    return f64_from_bits(f64_bits(magnitude) | (bits & 0x8000000000000000u));
}

double format_round_any(const number_format *f, double x) {
    uint64_t bits = f64_bits(x), field = bits >> 52 & 0x7ff, m = bits & 0xfffffffffffffu;
    if (field == 0x7ff && m) return f64_nan();
    if (f->precision == 53) return x;
    if (field == 0x7ff) return f->infinities ? x : f64_nan();
    if (field == 0) return with_sign(0, bits); /* subnormal doubles are below half of every format's least number */
    m |= (uint64_t)1 << 52;
    int e = (int)field - 1075; /* |x| = m 2^e */
    int place = e + 53 - f->precision;
    if (place < last_place(f)) place = last_place(f);
    int drop = place - e;
    if (drop > 53) return with_sign(0, bits);
    uint64_t q = m >> drop, rest = m - (q << drop), half = (uint64_t)1 << (drop - 1);
    q += rest > half || (rest == half && (q & 1));
    double magnitude = (double)q * power_of_two(place); /* exact */
    if (magnitude > f->largest) {
        if (!f->infinities) return f64_nan();
        magnitude = f64_infinity();
    }
    return with_sign(magnitude, bits);
}

/* exp_f64 is within 0.55 ulp of a double, and t-format shows that no exp of a number of bf16, f16, e4m3 or e5m2 is
   that close to a tie. */
double format_exp(const number_format *f, double x) {
    if (f->precision == 24) return exp_f32((float)x);
    return format_round(f, exp_f64(x));
}

/* exp is monotone in each format, so this is a bisection of its numbers. */
double format_exp_ends(const number_format *f) {
    int64_t low = 0, high = format_last(f); /* exp(-low) > 0, exp(-high) = 0 */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (format_exp(f, -format_at(f, middle)) > 0)
            low = middle;
        else
            high = middle;
    }
    return format_at(f, high);
}

/* ---- patterns ---- */

/* Of the exponent field, from bit 0. */
static uint64_t field_ones(const number_format *f) { return ((uint64_t)1 << (f->bits - f->precision)) - 1; }

static uint64_t infinity_pattern(const number_format *f) { return field_ones(f) << (f->precision - 1); }

/* Quiet, positive. */
static uint64_t nan_pattern(const number_format *f) {
    uint64_t quiet = (uint64_t)1 << (f->precision - 2);
    return f->infinities ? infinity_pattern(f) | quiet : infinity_pattern(f) | (2 * quiet - 1);
}

uint64_t format_encode(const number_format *f, double x) {
    x = format_round_any(f, x);
    uint64_t bits = f64_bits(x), m = bits & 0xfffffffffffffu;
    if (f->precision == 53) return bits;
    if (x != x) return nan_pattern(f);
    uint64_t sign = bits >> 63 << (f->bits - 1);
    int field = (int)(bits >> 52 & 0x7ff);
    if (field == 0x7ff) return sign | infinity_pattern(f);
    if (field == 0) return sign;
    int exponent = field - 1023 + f->bias;
    if (exponent >= 1) return sign | (uint64_t)exponent << (f->precision - 1) | m >> (53 - f->precision);
    return sign |
           (m | (uint64_t)1 << 52) >> (54 - f->precision - exponent); /* subnormal: a multiple of the least number */
}

double format_decode(const number_format *f, uint64_t pattern) {
    uint64_t sign = pattern >> (f->bits - 1) << 63, fraction = pattern & (((uint64_t)1 << (f->precision - 1)) - 1);
    uint64_t field = pattern >> (f->precision - 1) & field_ones(f);
    if (f->precision == 53) return format_round_any(f, f64_from_bits(pattern));
    if (field == field_ones(f)) {
        uint64_t all = ((uint64_t)1 << (f->precision - 1)) - 1;
        if (f->infinities) return fraction ? f64_nan() : with_sign(f64_infinity(), sign);
        if (fraction == all) return f64_nan();
    }
    if (field == 0) return with_sign((double)fraction * power_of_two(last_place(f)), sign);
    fraction |= (uint64_t)1 << (f->precision - 1);
    return with_sign((double)fraction * power_of_two((int)field - 1 + last_place(f)), sign);
}

/* Magnitudes are in the order of their patterns. */
int64_t format_last(const number_format *f) { return (int64_t)format_encode(f, f->largest); }

double format_at(const number_format *f, int64_t k) {
    double magnitude = format_decode(f, (uint64_t)(k < 0 ? -k : k));
    return k < 0 ? -magnitude : magnitude;
}

double format_next(const number_format *f, double x, bool up) {
    int64_t magnitude = (int64_t)format_encode(f, x < 0 ? -x : x == 0 ? 0 : x);
    int64_t k = (x < 0 ? -magnitude : magnitude) + (up ? 1 : -1), last = format_last(f);
    return format_at(f, k > last ? last : k < -last ? -last : k);
}

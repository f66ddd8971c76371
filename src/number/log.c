/* log. x = 2^k m with m in [181/256, 181/128); a table gives c close to 1/m, and -log c; then
   log x = k ln 2 - log c + log(1 + r), r = m c - 1, |r| <= 2^-7. c has so few bits that r is exact, and c = 1 next to
   m = 1, where the result is r - r^2/2 + ..., so nothing cancels. Constants: scripts/elementary-constants.py. */
#include "number/elementary.h"
#include "number/ieee.h"
#include "number/log_table.h"

#define LN2_HI 0x1.62e42fefa38p-1 /* a multiple of 2^-42: k * LN2_HI + hi of the table is exact */
#define LN2_LO 0x1.ef35793c7673p-45

/* log of x = f64_from_bits(bits) / 2^shift, where bits is a normal positive number, as sum + tail. */
typedef struct {
    double sum, tail;
} parts;

static inline parts split(uint64_t bits, int shift) {
    int k = (int)((bits - 0x0006a00000000000u) >> 52) - 1022;
    double m = f64_from_bits(bits - ((uint64_t)k << 52));
    const struct log_row *row = &log_table[bits >> 45 & 127];

    double top = f64_from_bits(f64_bits(m) & 0xfffffffff8000000u); /* 26 bits, so the products with c are exact */
    double r = (top * row->c - 1.0) + (m - top) * row->c;
    double e = k - shift;
    double base = e * LN2_HI + row->hi;
    double sum = base + r;
    double rest = (base - sum) + r; /* exact: |base| > |r| or base = 0 */
    double r2 = r * r;
    double p01 = 0x1.55555555555dep-2 + r * -0x1.000000000007bp-2;
    double p23 = 0x1.99999985258eap-3 + r * -0x1.55555542ece2ep-3;
    double p45 = 0x1.2499decf01bebp-3 + r * -0x1.0006d3806539fp-3;
    double p = p01 + r2 * (p23 + r2 * p45);
    double tail = (e * LN2_LO + row->lo) + (r * r2 * p - 0.5 * r2);
    return (parts){sum, rest + tail};
}

double log_f64(double x) {
    uint64_t bits = f64_bits(x);
    int shift = 0;
    if (bits - 0x0010000000000000u >= 0x7fe0000000000000u) { /* not positive, normal and finite */
        if (x == 0) return -f64_infinity();
        if (x != x) return f64_quiet(x);
        if (x < 0) return f64_nan();
        if (x == f64_infinity()) return x;
        shift = 54;
        bits = f64_bits(x * 0x1p+54);
    }
    parts y = split(bits, shift);
    return y.sum + y.tail;
}

float log_f32(float x) {
    if (x == 0) return -f32_infinity();
    if (x != x) return f32_quiet(x);
    if (x < 0) return f32_nan();
    if (x == f32_infinity()) return x;
    parts y = split(f64_bits(x), 0); /* every positive float is a normal double */
    return (float)f64_odd_sum(y.sum, y.tail);
}

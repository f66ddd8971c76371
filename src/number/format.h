/* Number formats that a model may be stored or summed in: f64, f32, bf16, f16 and two of eight bits. Numbers of all
   of them are doubles here; format_round takes any double to the nearest number of a format, by integer operations on
   the bits.

       value = (-1)^sign significand 2^(field - bias),  1 <= significand < 2; field 0: subnormal, significand < 1,
       2^(1 - bias)

   e4m3 is the format of eight bits without infinities: field 15 holds numbers too, up to 448, and only the pattern of
   all ones (either sign) is NaN. Conversion is the one without saturation: what rounds beyond 448 (above 464; 464 is
   a tie and even goes down) becomes NaN, as do infinities. In the other formats overflow gives infinity. A NaN of any
   sign and payload becomes one and the same NaN.

   Why one rounding more does no harm. The runner computes an operation on numbers of a format in double and then
   rounds to the format: two roundings where hardware has one. With p bits of significand, p <= 24, the result is the
   same for + - * /, also where the result is subnormal in the format:
     a * b   has at most 2p <= 48 bits and lies far above the least double: exact in double, so there is one rounding
     only.
     a + b   exact in double, unless the last bit of the smaller operand, b, lies below the last of 53 bits of the
     sum, 2^(e - 52). Then
             |b| < 2^(e - 52 + p) <= 2^(e - 28), so the sum is that close to a, a number of the format; but the
             nearest tie is at least
             2^(e - p - 2) >= 2^(e - 26) from a. Rounding to double moves the sum by at most 2^(e - 53), so it neither
             reaches nor
             crosses a tie. Sums that are subnormal in the format are exact.
     a / b   let t be a tie of the format, at most p + 1 bits, and a/b != t. Then a - t b != 0 is a multiple of the
     last bit of a or of
             t b, so |a/b - t| is at least 2^-(2p+1) |t| >= 2^-49 |t|: rounding to double, by 2^-53 relative, does not
             reach t.
   Ties are doubles themselves and rounding keeps order, so "does not reach" is all that is needed. It is not true of
   a * b + c rounded once (fma): the exact sum can be a bit beside a tie, far below the 53rd. It is, where 2p bits fit
   into the format of the sum (bf16, f16 and the short ones in f32; bf16 products below 2^-149 excepted): then the
   product is a number of that format and this is a + b. For p = 24 the rounding is the machine's own conversion to
   float; for p = 53 there is none. */
#ifndef NUMBER_FORMAT_H
#define NUMBER_FORMAT_H

#include <stdbool.h>

#include "number/ieee.h"

typedef struct number_format {
    const char *name;
    int bits;              /* of a stored number */
    int precision;         /* p, significand bits with the leading one */
    int bias;              /* of the exponent field */
    bool infinities;       /* else overflow gives NaN, and the largest field holds numbers */
    double largest, least; /* finite and positive; least is subnormal */
    /* doubles with biased exponents first, first + 1 ... first + count - 1 are rounded by dropping bits, without a
       look at the ends */
    unsigned first, count;
} number_format;

extern const number_format format_f64, format_f32, format_bf16, format_f16, format_e4m3, format_e5m2;

/* The slow way: any format, any double; format_round is this, faster. */
double format_round_any(const number_format *f, double x);

/* The number of the format nearest to x, ties to the even one. */
static inline double format_round(const number_format *f, double x) {
    if (f->precision == 53) return x;
    uint64_t bits = f64_bits(x);
    if ((unsigned)(bits >> 52 & 0x7ff) - f->first < f->count) {
        if (f->precision == 24) return (float)x;
        int drop = 53 - f->precision;
        bits += ((uint64_t)1 << (drop - 1)) - 1 + (bits >> drop & 1);
        return f64_from_bits(bits >> drop << drop);
    }
    return x == 0 ? x : format_round_any(f, x);
}

/* exp, rounded once in effect: correctly rounded for every format but f64 (doc/numerics.md). x is a number of the
   format. */
double format_exp(const number_format *f, double x);

/* The least z > 0 of the format with format_exp(-z) = 0: all that is further below 0 has the exp 0 as well. */
double format_exp_ends(const number_format *f);

/* The bit pattern of format_round(x), and the number of a pattern. */
uint64_t format_encode(const number_format *f, double x);
double format_decode(const number_format *f, uint64_t pattern);

/* All finite numbers in order: k = -last ... last, 0 at 0 (without a sign). */
int64_t format_last(const number_format *f);
double format_at(const number_format *f, int64_t k);

/* The next number of the format above (below) x, which is one of its finite numbers; the largest one stays. */
double format_next(const number_format *f, double x, bool up);

#endif

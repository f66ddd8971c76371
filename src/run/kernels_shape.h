/* What fixes the bits of the kernels, for every instruction set alike: lanes, blocks, and the fast exp.
   doc/numerics.md, "Reduction shapes". */
#ifndef RUN_KERNELS_SHAPE_H
#define RUN_KERNELS_SHAPE_H

#include <math.h>
#include <stddef.h>
#include "number/ieee.h"

/* Key j adds into lane j mod LANES; the running maximum is renewed, and the sums rescaled, at multiples of a block's
   length: block_vectors(size, width) * LANES keys, at most BLOCK. */
enum { LANES_F32 = 8, LANES_F64 = 4, BLOCK_VECTORS = 96 };
enum { BLOCK_F32 = LANES_F32 * BLOCK_VECTORS, BLOCK_F64 = LANES_F64 * BLOCK_VECTORS };

/* Each block costs something, but a block of keys and values should stay in the second-level cache. */
static inline size_t block_vectors(size_t size, size_t width) {
    return size + width <= 64 ? BLOCK_VECTORS : BLOCK_VECTORS / 2;
}

/* The fast exp: k = round(x / ln 2), r = x - k ln 2, exp(x) = 2^k (1 + r P(r)), one fused multiply-add a step.
   Adding BIAS rounds to an integer and leaves k plus the exponent bias in the low bits. Arguments below LEAST are
   raised to LEAST, where those bits are 0: then 2^k and the result are 0. Constants: scripts/kernels-constants.py. */
#define FAST_LEAST_F32   -88.0f
#define FAST_LARGEST_F32 89.0f
#define FAST_BIAS_F32    (0x1.8p+23f + 127.0f)
#define FAST_INV_LN2_F32 0x1.715476p+0f
#define FAST_LN2_HI_F32  0x1.62e43p-1f
#define FAST_LN2_LO_F32  -0x1.05c61p-29f
#define FAST_P5_F32      0x1.6d4910p-10f
#define FAST_P4_F32      0x1.12437cp-7f
#define FAST_P3_F32      0x1.5554e4p-5f
#define FAST_P2_F32      0x1.555474p-3f
#define FAST_ALL_F32                                                                                                 \
    { FAST_P5_F32, FAST_P4_F32, FAST_P3_F32, FAST_P2_F32, 0.5f, 1.0f, 1.0f } /* of 1 + r P(r) */

#define FAST_LEAST_F64   -709.0
#define FAST_BIAS_F64    (0x1.8p+52 + 1023.0)
#define FAST_INV_LN2_F64 0x1.71547652b82fep+0
#define FAST_LN2_HI_F64  0x1.62e42fefa39efp-1
#define FAST_LN2_LO_F64  0x1.abc9e3b39803fp-56
#define FAST_P10_F64     0x1.af5282aacdb2ep-26
#define FAST_P9_F64      0x1.28a687232618ap-22
#define FAST_P8_F64      0x1.71ddfff6573d6p-19
#define FAST_P7_F64      0x1.a019a2c08d573p-16
#define FAST_P6_F64      0x1.a01a01ac9de9ep-13
#define FAST_P5_F64      0x1.6c16c1806e4e6p-10
#define FAST_P4_F64      0x1.111111110ff8bp-7
#define FAST_P3_F64      0x1.5555555551c5fp-5
#define FAST_P2_F64      0x1.5555555555557p-3
#define FAST_P1_F64      0x1.0000000000006p-1
#define FAST_ALL_F64                                                                                                 \
    {                                                                                                                \
        FAST_P10_F64, FAST_P9_F64, FAST_P8_F64, FAST_P7_F64, FAST_P6_F64, FAST_P5_F64, FAST_P4_F64, FAST_P3_F64,     \
            FAST_P2_F64, FAST_P1_F64, 1.0, 1.0                                                                       \
    }

/* Any x. For x > 0 the result is scaled by 2 and 2^(k-1), since 2^128 is not a float. */
static inline float exp_fast_f32(float x) {
    uint32_t positive = x > 0;
    x = FAST_LEAST_F32 > x ? FAST_LEAST_F32 : x;
    x = FAST_LARGEST_F32 < x ? FAST_LARGEST_F32 : x;
    float shifted = fmaf(x, FAST_INV_LN2_F32, FAST_BIAS_F32);
    float k = shifted - FAST_BIAS_F32;
    float r = fmaf(k, -FAST_LN2_HI_F32, x);
    r = fmaf(k, -FAST_LN2_LO_F32, r);
    float p = fmaf(FAST_P5_F32, r, FAST_P4_F32);
    p = fmaf(p, r, FAST_P3_F32);
    p = fmaf(p, r, FAST_P2_F32);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);
    if (positive) p += p;
    return p * f32_from_bits((f32_bits(shifted) - positive) << 23);
}

/* x <= 0 or NaN. */
static inline double exp_fast_f64(double x) {
    x = FAST_LEAST_F64 > x ? FAST_LEAST_F64 : x;
    double shifted = fma(x, FAST_INV_LN2_F64, FAST_BIAS_F64);
    double k = shifted - FAST_BIAS_F64;
    double r = fma(k, -FAST_LN2_HI_F64, x);
    r = fma(k, -FAST_LN2_LO_F64, r);
    double p = fma(FAST_P10_F64, r, FAST_P9_F64);
    p = fma(p, r, FAST_P8_F64);
    p = fma(p, r, FAST_P7_F64);
    p = fma(p, r, FAST_P6_F64);
    p = fma(p, r, FAST_P5_F64);
    p = fma(p, r, FAST_P4_F64);
    p = fma(p, r, FAST_P3_F64);
    p = fma(p, r, FAST_P2_F64);
    p = fma(p, r, FAST_P1_F64);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    return p * f64_from_bits(f64_bits(shifted) << 52);
}

#endif

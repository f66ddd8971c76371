/* IEEE binary64 and binary32 as bit patterns, and the assumptions on arithmetic that src/number rests on
   (doc/numerics.md). */
#ifndef NUMBER_IEEE_H
#define NUMBER_IEEE_H

#include <float.h>
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double must be IEEE binary64");
_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "float must be IEEE binary32");
_Static_assert(FLT_EVAL_METHOD == 0,
               "no excess precision: build with SSE2, not x87; with -fexcess-precision=fast on s390x");
#ifdef __FAST_MATH__
#error "fast-math changes the bits; build without it"
#endif

static inline uint64_t f64_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t f32_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* a + b, |a| >= |b|, rounded to odd: when inexact, to the neighbour whose last bit is 1. Rounding that to fewer bits
   (to float) is then the same as rounding a + b once. */
static inline double f64_odd_sum(double a, double b) {
    double sum = a + b;
    double rest = b - (sum - a);
    uint64_t bits = f64_bits(sum);
    if (rest != 0 && !(bits & 1)) bits += (rest > 0) == (sum > 0) ? 1u : UINT64_MAX;
    return f64_from_bits(bits);
}

/* Results that arithmetic would give with platform-dependent NaN bits. */
static inline double f64_infinity(void) { return f64_from_bits(0x7ff0000000000000u); }
static inline double f64_nan(void) { return f64_from_bits(0x7ff8000000000000u); }
static inline double f64_quiet(double nan) { return f64_from_bits(f64_bits(nan) | 0x0008000000000000u); }
static inline float f32_infinity(void) { return f32_from_bits(0x7f800000u); }
static inline float f32_nan(void) { return f32_from_bits(0x7fc00000u); }
static inline float f32_quiet(float nan) { return f32_from_bits(f32_bits(nan) | 0x00400000u); }

#endif

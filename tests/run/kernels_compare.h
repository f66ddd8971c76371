/* What the tests of kernels share: numbers that favour corners, and equality bit for bit. */
#ifndef TESTS_KERNELS_COMPARE_H
#define TESTS_KERNELS_COMPARE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include "number/ieee.h"
#include "test.h"

static inline bool same_f64(const double *a, const double *b, size_t n, size_t *at) {
    for (*at = 0; *at < n; ++*at) /* the bits of NaN are nobody's promise */
        if (f64_bits(a[*at]) != f64_bits(b[*at]) && !(isnan(a[*at]) && isnan(b[*at]))) return false;
    *at = 0;
    return true;
}

static inline bool same_f32(const float *a, const float *b, size_t n, size_t *at) {
    for (*at = 0; *at < n; ++*at)
        if (f32_bits(a[*at]) != f32_bits(b[*at]) && !(isnan(a[*at]) && isnan(b[*at]))) return false;
    *at = 0;
    return true;
}

static inline double uniform(test_random *r) { return (double)(random_u64(r) >> 11) * 0x1p-52 - 1; }

/* `wild` adds infinities and NaN. */
static inline double draw(test_random *r, bool wild) {
    switch (random_below(r, wild ? 40 : 12)) {
    case 0: return 0;
    case 1: return -0.0;
    case 2: return 1;
    case 3: return uniform(r) * 1e-30;
    case 4: return uniform(r) * 300;
    case 5: return uniform(r) * 1e-42;
    case 6: return (double)random_below(r, 5) - 2;
    case 20: return INFINITY;
    case 21: return -INFINITY;
    case 22: return NAN;
    default: return uniform(r);
    }
}

#endif

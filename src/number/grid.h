/* The grid of a double: x is an odd number times 2^g. */
#ifndef NUMBER_GRID_H
#define NUMBER_GRID_H

#include <math.h>
#include <stdint.h>

enum { GRID_OF_ZERO = 1 << 20 }; /* of 0: one that no sum's grid depends on */

static inline int grid_of(double x) {
    int e;
    if (x == 0) return GRID_OF_ZERO;
    int64_t m = (int64_t)ldexp(frexp(fabs(x), &e), 53); /* |x| = m 2^(e - 53), exactly */
    for (e -= 53; m % 2 == 0; m /= 2) e++;
    return e;
}

#endif

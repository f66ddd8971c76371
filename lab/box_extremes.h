/* Exact bounds over boxes of scores (threshold vertices, 2605.10974): over lo_j <= s_j <= hi_j the extremes of sum
   c_j f(s_j) / sum f(s_j), f positive and increasing, are attained where the scores of the first k keys in the order
   of c are at one end of their intervals and the others at the other; so n + 1 cuts are tried, in O(n log n). Every
   operation is rounded outward: the true extreme lies between the bounds, and the bounds are apart only by
   rounding. */
#ifndef LAB_BOX_EXTREMES_H
#define LAB_BOX_EXTREMES_H

#include "base/arena.h"

typedef enum box_function { BOX_EXP, BOX_POWER_OF_TWO, BOX_SSA } box_function;

typedef struct weight_box {
    size_t n;
    const double *lo, *hi; /* [n], lo <= hi, finite */
    box_function function;
    double b, p; /* of BOX_SSA: (1 + b|s|)^(p sgn s) */
} weight_box;

typedef struct box_bound {
    double below, above; /* the extreme lies between them */
} box_bound;

/* Raise TEMPER_RANGE if lo > hi or a number is not finite. If the coefficients themselves are only known to lie in
   intervals, the lower ends go into weight_box_least and the upper ends into weight_box_greatest. */
box_bound weight_box_least(const weight_box *box, const double *c, arena *scratch);
box_bound weight_box_greatest(const weight_box *box, const double *c, arena *scratch);

/* The range of weight j alone, by its own formula: below the least, above the greatest. */
box_bound weight_box_weight(const weight_box *box, size_t j, arena *scratch);

#endif

/* Numbers of positions as an expression of the position. */
#ifndef ORDINARY_LIFT_PLACE_H
#define ORDINARY_LIFT_PLACE_H

#include "model/expression.h"

/* One that is values[i] at every i < count; NULL: all are 0. Raises TEMPER_LIMIT beyond 2^16 terms. The scratch arena
   is used, not reset. */
const expression *expression_from_place(arena *a, arena *scratch, const double *values, uint32_t count);

#endif

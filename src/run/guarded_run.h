/* A hard model in f64 with a proof for this one string: every number carries a bound of its distance from the exact
   one, 0 while nothing has been rounded. An answer is given only where the bounds leave one choice to every head and
   one side of 1/2 to every read-out. */
#ifndef RUN_GUARDED_RUN_H
#define RUN_GUARDED_RUN_H

#include "model/model.h"
#include "number/rational.h"

/* Fills truth [outputs][N] and margins [heads]. Raises TEMPER_UNSUPPORTED where a tie cannot be told from rounding,
   where a number leaves the range of doubles, or where exact_run would refuse the model; TEMPER_LIMIT for strings too
   long to look at all pairs. */
void guarded_run(unsigned char *truth, double *margins, const temper_model *m, const uint32_t *letters, size_t n,
                 rational_pool *pool, arena *memory);

#endif

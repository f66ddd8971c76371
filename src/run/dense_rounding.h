/* Rounding in any pair of formats. */
#ifndef RUN_DENSE_ROUNDING_H
#define RUN_DENSE_ROUNDING_H

#include "run/dense.h"

static inline double stored(const dense_setting *s, double x) { return format_round(s->storage, x); }
static inline double summed(const dense_setting *s, double x) { return format_round(s->accumulation, x); }

#include "run/dense_arithmetic.inc"

#endif

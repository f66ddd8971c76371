/* Expressions of (i, n) in exact arithmetic: what hard models are defined by. */
#ifndef MODEL_EXPRESSION_RATIONAL_H
#define MODEL_EXPRESSION_RATIONAL_H

#include "model/expression.h"
#include "number/rational.h"

/* False where the value is not rational: ln, sqrt, a division by zero, ceil2 beyond 2^+-1000. */
bool expression_rational(rational *out, const expression *e, size_t i, size_t n, size_t size, rational_pool *pool);

#endif

/* An expression at many positions at once: the same operations as expression_eval, so the same bits, without a walk
   over the tree for each position. */
#ifndef MODEL_EXPRESSION_TILE_H
#define MODEL_EXPRESSION_TILE_H

#include "model/expression.h"

/* out[k] = e at position first + k, for k < count. Needs (depth of e) * count numbers of scratch; see below. */
void expression_tile(double *out, const expression *e, double first, size_t count, double n, double size,
                     double *scratch);

/* How many tiles of scratch that takes. */
size_t expression_scratch(const expression *e);

#endif

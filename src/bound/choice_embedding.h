/* How far the stored embedding of a model is from the exact one, at one length (doc/certificate.md,
   "Errors of sums"). */
#ifndef BOUND_CHOICE_EMBEDDING_H
#define BOUND_CHOICE_EMBEDDING_H

#include "model/model.h"
#include "number/format.h"

/* [channels], in `keep`: upper bounds over positions and letters; INFINITY where a number is not finite or not
   rational. In a hard run soft channels have no feature. */
double *embedding_errors(const temper_model *m, size_t n, const number_format *storage,
                         const number_format *accumulation, bool hard, arena *keep, arena *scratch);

#endif

/* How far the stored embedding of a model is from the exact one, at each length (doc/certificate.md, "Errors of
   sums"). */
#ifndef BOUND_CHOICE_EMBEDDING_H
#define BOUND_CHOICE_EMBEDDING_H

#include "model/model.h"
#include "number/format.h"

typedef struct embedding_run embedding_run;

embedding_run *embedding_begin(const temper_model *m, const number_format *storage, const number_format *accumulation,
                               arena *keep);

/* Upper bounds [channels], over positions and letters; INFINITY where a number is not finite or not rational. Every
   length up to n is looked at, and once only. */
const double *embedding_errors(embedding_run *w, size_t n);

#endif

/* How far the stored embedding of a model is from the exact one, one length after the other (doc/certificate.md,
   "Errors of sums"). */
#ifndef BOUND_CHOICE_EMBEDDING_H
#define BOUND_CHOICE_EMBEDDING_H

#include "model/model.h"
#include "number/format.h"

typedef struct embedding_run embedding_run;

/* In a hard run soft channels have no feature. */
embedding_run *embedding_begin(const temper_model *m, const number_format *storage, const number_format *accumulation,
                               bool hard, arena *keep);

/* Of the next length, from 0 on: upper bounds [channels], over positions and letters; INFINITY where a number is not
   finite or not rational. */
double *embedding_next(embedding_run *w, arena *keep);

#endif

/* A hard model from an ordinary GPT-2 or Llama that temper wrote: the lowering of doc/ordinary.md undone. */
#ifndef ORDINARY_LIFT_MODEL_H
#define ORDINARY_LIFT_MODEL_H

#include "model/model.h"
#include "ordinary/lift/lift.h"

/* Fills a new model, checks and seals it; one layer for a layer. Raises TEMPER_FORMAT where outputs are not those of
   an acceptor, a language model or a transducer. */
void model_from_lift(temper_model *m, const lift *u, arena *scratch);

#endif

/* The specification that a model carries. */
#ifndef MODEL_MODEL_SPEC_H
#define MODEL_MODEL_SPEC_H

#include "model/model.h"

/* Read with the model's settings; NULL if there is none, or it is not one, or it has other letters. Freed with the
   arena. */
const temper_spec *model_spec(const temper_model *m, arena *a);

#endif

/* The specification that a model carries. */
#ifndef MODEL_MODEL_SPEC_H
#define MODEL_MODEL_SPEC_H

#include "model/model.h"

/* Read with the model's settings, or what it was compiled from; NULL if there is none, or it is not one, or it has
   other letters. Freed with the arena. */
const temper_spec *model_spec(const temper_model *m, arena *a);

/* The model keeps what it is compiled from, if its own text says the same. */
void model_share_spec(temper_model *m, const temper_spec *spec);

/* Its source is one regular language, read from the right: the truth at i is whether the letters from i to the end
   are a word. So the verdict, at the first position, is about the whole string, and no answer is about a prefix. */
bool model_is_from_right(const temper_model *m);
void model_need_prefixes(const temper_model *m, trap *t); /* refuses such a model */

#endif

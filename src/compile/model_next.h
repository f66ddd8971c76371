/* The source of a language model's file, with outputs. */
#ifndef COMPILE_MODEL_NEXT_H
#define COMPILE_MODEL_NEXT_H

#include "compile/next_outputs.h"
#include "model/model.h"

/* NULL: it has no source that can be read, or it is not known what comes next in it. The line `viable` is not tested.
   Lives in arena a, through which only running out of memory is raised. */
const temper_spec *model_next_spec(const temper_model *m, next_report *r, arena *a);

#endif

/* What the passes from a formula to a hard transformer need besides: settings, labels, the list of parts. The passes
   themselves are listed in temper_build (build/build.c). */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "compile/draft.h"

/* Alphabet, source, where to read: what a model takes over from its specification. */
void model_settings_of(temper_model *m, const temper_spec *spec);

/* Gates that are exact in the storage format of a type; f64: fused ones. Raises TEMPER_RANGE for types that there are
   none for. */
gate_limits gates_for(temper_type type, trap *t);

/* Each normal node is called by the first source node it stands for, or stands for the negation of, else by its own
   text: [nodes]. */
const char *const *normal_labels(const normal_form *normal, const temper_spec *spec, arena *a, arena *scratch);

/* Where each subformula of the source is made, for explain. */
void model_list_parts(temper_model *m, const temper_spec *spec, const normal_form *normal, const draft *d,
                      const uint32_t *channel_of, arena *memory, arena *scratch);

#endif

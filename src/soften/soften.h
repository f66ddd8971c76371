/* Hard to soft, in a new model that is neither checked nor sealed yet. */
#ifndef SOFTEN_SOFTEN_H
#define SOFTEN_SOFTEN_H

#include "model/model.h"

/* Each head by its role, for every length (soften.c). type: of digits, with that method. */
void soften_by_roles(temper_model *m, const temper_model *hard, temper_method method, temper_type type, entry *e);

/* Any heads, up to the length of the options: scales are searched for and the model has its proof
   (soften_choices.c). */
void soften_by_search(temper_model *m, temper_soften_report *report, const temper_model *hard,
                      const temper_soften_options *options, entry *e);

#endif

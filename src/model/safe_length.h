/* The largest length for which the answers of a compiled model are proved right when it runs in f64. */
#ifndef MODEL_SAFE_LENGTH_H
#define MODEL_SAFE_LENGTH_H

#include "model/model.h"

/* Sets safe_length and safe_reason from roles and weights; 0 if some head has no role. */
void model_set_safe_length(temper_model *m);

/* What a run may not exceed: the bound of the theory on the error before rounding, with logits as far off as rounding in f64 (f32 if
   `single`) can make them, and 64 units for exp, sums and division. The safe length leaves four times as much room. */
double head_bound_at(const temper_model *m, const model_head *h, double size, bool single);

/* The same length for runs in f32, 0 if safe_length is 0; model_seal calls it. */
void model_set_safe_length_f32(temper_model *m);

#endif

/* A soft model with the scales of a wrong schedule: both experiments on languages make their models with it. */
#ifndef LAB_WRONG_SCALES_H
#define LAB_WRONG_SCALES_H

#include "model/model.h"

/* How a schedule falls short of the scale that a head needs. */
typedef struct wrong_scale {
    const char *at_most; /* the scale is at most this expression; or NULL: ... */
    size_t frozen_at;    /* ... it stays what it is for strings of so many letters */
} wrong_scale;

/* A copy of a soft model, owned by scratch, in which every scaled head has the wrong scale. */
temper_model *model_with_wrong_scale(const temper_model *soft, const wrong_scale *s, arena *scratch);

#endif

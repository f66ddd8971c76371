/* What study.c, study_head.c and study_units.c share: the contents of every channel as one goes through the layers. */
#ifndef BOUND_SHAPES_WORK_H
#define BOUND_SHAPES_WORK_H

#include "base/table.h"
#include "bound/shapes.h"

typedef enum holding_kind {
    HOLDS_BOOLEAN, /* exactly 0 or 1, or nothing yet */
    HOLDS_FEATURE, /* a position feature that is no test */
    HOLDS_RAW,     /* a head's output in its own layer */
    HOLDS_MEAN,    /* a count head's */
    HOLDS_OWN,     /* of a balance: the own part, ... */
    HOLDS_COPY     /* ... and the mean that is copied to the start */
} holding_kind;

typedef struct holding {
    holding_kind kind;
    feature_form form;
    uint32_t shape; /* raw: of the head */
    double weight;  /* mean, copy: sum of |weights| of the row it is the mean of; own: sum of the units' */
    size_t units;   /* own */
} holding;

typedef struct study_work {
    certification *c;
    study *out;
    uint32_t layer;      /* from 0 */
    holding *now, *next; /* [channels] before and after the net of the layer */
    table shape_index, ramp_index;
} study_work;

bool study_is_stored(const study_work *w, double x);
bool study_row_weight(double *sum, int *grid, const model_rows *r, size_t row);

/* The number of a head's shape. */
uint32_t study_head(study_work *w, uint32_t head);

/* The net of the layer: its ramps, and what channels hold after it. */
void study_units(study_work *w);

#endif

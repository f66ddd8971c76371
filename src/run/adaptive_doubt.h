/* Rows of adaptive heads that may have taken rounding for a gap, and which numbers depend on them. Most doubts never
   reach an answer: the head's output is not read, or only at positions whose truth nobody claims. */
#ifndef RUN_ADAPTIVE_DOUBT_H
#define RUN_ADAPTIVE_DOUBT_H

#include "model/model.h"

typedef struct doubt_place {
    uint32_t layer, head; /* from 0 */
    size_t i, best, next; /* the row, and two keys of it */
    double gap;           /* by which their scores differ */
} doubt_place;

typedef struct doubt {
    const temper_model *m;
    size_t n, size; /* N */
    arena *memory;  /* outlives the run */
    unsigned char *now,
        *fresh;        /* [N][channels] doubtful numbers, and those of the sublayer at work; NULL: none yet */
    doubt_place first; /* what a message names */
} doubt;

/* A row of a head with these values [N][value_size] may be wrong. */
void doubt_row(doubt *d, const doubt_place *at, const double *values);

/* What a head, or a layer's units, make of doubtful inputs; then the end of the sublayer. All cost nothing without a
   doubt. */
void doubt_through_head(doubt *d, const model_head *h);
void doubt_through_units(doubt *d, const model_layer *l);
void doubt_apply(doubt *d);

/* Whether an answer depends on a doubt, at a position where the model claims one. */
bool doubt_reaches(const doubt *d);

#endif

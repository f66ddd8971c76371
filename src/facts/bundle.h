/* Units of a feed-forward net that read the same combination of channels, up to a factor +-2^k, are one
   piecewise-linear function of it. Bounds on single units do not see where units cancel: a rounding gate relu(2a -
   1/2) - relu(2a - 3/2) is flat there. */
#ifndef FACTS_BUNDLE_H
#define FACTS_BUNDLE_H

#include <math.h>

#include "model/model.h"

typedef struct bundle_unit {
    uint32_t unit;
    double ratio; /* +-2^k: the unit is relu(ratio z + bias) */
    double bias;
    double corner; /* -bias/ratio, exact: where it bends */
} bundle_unit;

typedef struct bundle {
    uint32_t row; /* z = in.row(row) . x */
    uint32_t unit_count;
    bundle_unit *units;
    uint32_t channel_count;
    uint32_t *channels; /* those that the units write, ascending */
    uint32_t corner_count;
    double *corners; /* ascending; piece k lies between corners k-1 and k, the first and the last without end */
    double *
        /* [channel_count][corner_count + 1]: upper bounds of |slope| on each piece, exactly 0 where units cancel */
        slopes;
} bundle;

typedef struct bundle_list {
    uint32_t count;
    bundle *items;
} bundle_list;

void bundles_find(bundle_list *out, const model_layer *layer, arena *a);

static inline double bundle_piece_left(const bundle *b, uint32_t piece) {
    return piece == 0 ? -INFINITY : b->corners[piece - 1];
}
static inline double bundle_piece_right(const bundle *b, uint32_t piece) {
    return piece == b->corner_count ? INFINITY : b->corners[piece];
}

/* The weight with which a unit goes to a channel. */
double bundle_weight(const model_layer *layer, const bundle_unit *u, uint32_t channel);

#endif

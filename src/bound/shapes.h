/* What a proof needs to know of a model that is exactly what the compiler makes of its formula: the shape of every head and gate,
   as numbers that do not depend on the length. Heads and gates of equal shape share one. */
#ifndef BOUND_SHAPES_H
#define BOUND_SHAPES_H

#include "bound/certification.h"
#include "bound/quantity.h"

typedef struct head_shape {
    head_role role;
    double kappa;          /* the sharpness; once: what is added to ln N */
    bool scaled;           /* there is a scale: by temperature */
    bool soft_ties;        /* what a hard run must not see is in soft channels: tie-breaks and normalisers */
    feature_form scale;    /* once by positions: the query's feature */
    bool rightmost, tests; /* nearest: which one, and whether there is a row of candidates */
    uint32_t rows;
    const row_shape *query, *key;     /* once, nearest: [rows] */
    double weight;                    /* W; balance: W_h */
    double total, own;                /* balance: W_t, W_o */
    size_t own_units;                 /* balance: K */
    int grid;                         /* count: of all value rows together */
    uint32_t first_layer, first_head; /* the first head of this shape, from 0 */
} head_shape;

/* A pair of units that rounds. */
typedef struct ramp_shape {
    size_t terms, raw;     /* k, and how many are unrounded */
    double size;           /* X */
    bool lone;             /* 2 a + 2 real - 5/2, 7/2: no rounding can carry it across */
    const uint32_t *heads; /* [raw] shapes that it reads ... */
    const double *weights; /* [raw] ... times |weight| */
} ramp_shape;

typedef struct layer_study {
    uint32_t units, raw;   /* raw: R of the certificate */
    const uint32_t *ramps; /* different shapes of the layer */
    size_t ramp_count;
    const uint32_t *head_shapes; /* [heads] */
} layer_study;

typedef struct study {
    const temper_model *model;
    head_shape *shapes;
    size_t shape_count, shape_capacity;
    ramp_shape *ramps;
    size_t ramp_count, ramp_capacity;
    layer_study *layers;          /* [layers] */
    const feature_form *features; /* all different position features of the model */
    size_t feature_count;
} study;

/* For softmax or, if c->hard, for hard choices. False: something is in the way whatever the length, and c says what. */
bool study_make(study *out, certification *c);

#endif

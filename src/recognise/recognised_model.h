/* What bounds need to know of a model whose heads and gates were recognised: the shape of each, as numbers that do
   not depend on the length or on a number format. Heads and gates of equal shape share one. */
#ifndef RECOGNISE_RECOGNISED_MODEL_H
#define RECOGNISE_RECOGNISED_MODEL_H

#include "model/model.h"
#include "number/grid.h"
#include "recognise/position_form.h"

/* A term of a row: a weight, and what the channel holds. Boolean channels have the form FORM_BOOLEAN. */
typedef struct term_shape {
    feature_form form;
    double weight;
} term_shape;

typedef struct row_shape {
    size_t count;
    const term_shape *terms;
} row_shape;

typedef struct head_shape {
    head_role role;        /* as found in the weights, whatever the file says */
    double kappa;          /* the sharpness; once: what is added to ln N; 0 where heads choose hard */
    bool scaled;           /* there is a scale: by temperature */
    bool soft_ties;        /* what a hard run must not see is in soft channels: tie-breaks and normalisers */
    feature_form scale;    /* once by positions: the query's feature */
    bool rightmost, tests; /* nearest: which one, and whether there is a row of candidates */
    uint32_t rows;
    const row_shape *query, *key;     /* once, nearest: [rows] */
    bool anywhere;                    /* look-up: of a position that is no count of what is up to here */
    double weight;                    /* W; balance: W_h; look-up: of its mean; match: the largest of a query row */
    double total, own;                /* balance: W_t, W_o; match: T */
    size_t own_units;                 /* balance: K */
    double letters, edges;            /* count: W_l and W_e; match: edges is M at the end sentinel, 0 at the start */
    int grid;                         /* count: of all value rows together */
    uint32_t first_layer, first_head; /* the first head of this shape, from 0 */
} head_shape;

/* A pair of units that rounds. */
typedef struct ramp_shape {
    size_t terms, raw;     /* k, and how many shapes of heads it reads unrounded */
    size_t inputs;         /* unrounded inputs */
    double size;           /* X */
    double most;           /* the largest S - c: unrounded inputs up to 5/4, others 0 or 1 */
    double raw_weight;     /* of the unrounded input, if there is one */
    bool negative;         /* it counts downwards: the second one of an exclusive or */
    bool lone;             /* 2 a + 2 real - 5/2, 7/2: no rounding can carry it across */
    const uint32_t *heads; /* [raw] shapes that it reads ... */
    const double *weights; /* [raw] ... times |weight| */
    uint32_t first_layer;  /* from 0 */
} ramp_shape;

/* A sum of exact numbers that a number format must hold: the largest of its kind and grid. */
typedef enum exact_kind {
    EXACT_ROW,     /* of Booleans: a query, key or value */
    EXACT_UNIT,    /* of Booleans, weights and bias of a unit */
    EXACT_CHANNEL, /* what exact units add to one channel */
    EXACT_READ,    /* the read-out */
    EXACT_NUMBER   /* a unit of a balance head's numbers: not exact, but it must not overflow */
} exact_kind;

typedef struct exact_sum {
    exact_kind kind;
    double size; /* sum of |weight| */
    int grid;
    uint32_t layer, head; /* where it was met first, from 1; 0: none */
} exact_sum;

/* A weight of the model; each is kept once. */
typedef struct stored_weight {
    double weight;
    uint32_t layer, head; /* from 1; layer 0: embedding or read-out; head 0: the net */
} stored_weight;

typedef struct recognised_layer {
    uint32_t units, raw;   /* raw: R of the certificate */
    const uint32_t *ramps; /* different shapes of the layer */
    size_t ramp_count;
    const uint32_t *head_shapes; /* [heads] */
} recognised_layer;

typedef struct recognised_model {
    const temper_model *model;
    bool hard; /* heads are read with their hard choices: no tie-breaks, no normalisers, no scales */
    head_shape *shapes;
    size_t shape_count, shape_capacity;
    ramp_shape *ramps;
    size_t ramp_count, ramp_capacity;
    recognised_layer *layers;     /* [layers] */
    const feature_form *features; /* all different position features of the model */
    size_t feature_count;
    exact_sum *sums;
    size_t sum_count, sum_capacity;
    stored_weight *stored;
    size_t stored_count, stored_capacity;
} recognised_model;

#endif

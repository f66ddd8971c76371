/* What stepper_make.c makes and stepper.c runs. */
#ifndef RUN_STEPPER_PROGRAM_H
#define RUN_STEPPER_PROGRAM_H

#include "run/stepper.h"

enum {
    STEP_DECAYS = 88,     /* exp(-8 k) is a normal number below this k; taken as 0 from here on */
    STEP_MEMO = 16,       /* look-up: values are remembered for this many j, a power of two */
    STEP_NEIGHBOURS = 2   /* look-up: keys at most this far from the peak */
};

struct step_head {
    head_role role;
    bool before;   /* mask j < i, else j <= i */
    bool leftmost; /* nearest: the far end */
    uint32_t width;
    uint32_t state;         /* offset in the state */
    uint32_t query, key;    /* row numbers; query: compare and lookup, key: once and nearest */
    uint32_t value, output; /* the first of `width` rows */
    uint32_t memo;          /* lookup: offset in the memo */
    uint32_t number;        /* among all heads */
    uint32_t layer, index;  /* from 1, for messages */
    const model_head *model;
};

typedef struct step_unit {
    uint32_t in, out; /* row numbers */
    bool again;       /* the same `in` as the unit before */
    double bias;
} step_unit;

typedef struct step_layer {
    step_head *heads;
    uint32_t head_count;
    uint32_t *booleans; /* channels that keys and values read */
    size_t boolean_count, boolean_capacity;
    step_unit *units;
    uint32_t unit_count;
} step_layer;

typedef struct step_feature {
    uint32_t channel;
    const expression *position;
} step_feature;

struct stepper {
    const temper_model *model;
    bool hard;
    bool has_lookup;
    double decay[STEP_DECAYS]; /* exp(-8 k); hard: 1, 0, 0, ... */
    double *base;              /* [channels]: constant position features */
    step_feature *features;    /* the others that somebody reads */
    size_t feature_count, feature_capacity;
    model_rows rows; /* all rows of all heads and units */
    uint32_t read;
    step_layer *layers;
    uint32_t layer_count, head_count;
    size_t state_count, memo_count; /* doubles */
    uint32_t most_outputs, most_hidden;
};

#endif

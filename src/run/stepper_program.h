/* What stepper_make.c makes and stepper.c runs. Positions are counted from the sentinel where steps begin.
   Channels become registers. Where a place of the residual stream is cleared for a new tenant, the tenant gets a
   fresh register, which is zero at the start of every step. So nothing has to be cleared. */
#ifndef RUN_STEPPER_PROGRAM_H
#define RUN_STEPPER_PROGRAM_H

#include "run/stepper.h"

enum {
    STEP_DECAYS = 88, /* exp(-8 k) is a normal number below this k; taken as 0 from here on */
    STEP_DECAYS_F32 = 11,
    STEP_MEMO = 16,     /* look-up: values are remembered for this many j, a power of two */
    STEP_NEIGHBOURS = 2 /* look-up: keys at most this far from the peak */
};

/* A row is a few blocks, most often one; filled up with weights 0. */
typedef struct step_block {
    uint32_t from[4];
    double weight[4];
} step_block;

typedef struct step_row {
    const step_block *blocks;
    size_t first; /* of stepper.blocks, while they grow */
    uint32_t count;
    bool is_short; /* one block with at most two terms */
} step_row;

struct step_head {
    head_role role;
    bool before;       /* mask j < i, else j <= i; mirrored: j > i, j >= i */
    bool far;          /* nearest: the candidate met first */
    bool value_is_key; /* width 1, and the value is the key */
    bool direct;       /* width 1, and the register `to` is the output's alone and not read in this layer */
    uint32_t width;
    uint32_t to;
    uint32_t state;        /* offset in the state */
    step_row query, key;   /* query: compare and lookup, key: once and nearest */
    step_row value;        /* width 1 */
    step_row *values;      /* [width] */
    step_row *pattern;     /* match: [2 * rows] query and key rows; `key` is then the last row */
    uint32_t rows;         /* match: conditions */
    uint32_t classes;      /* match: patterns of keys, and the sentinel */
    double most;           /* match: the sentinel's score */
    bool one_hot;          /* match: at most one key row is 1; else each is 1/2 or -1/2 */
    uint32_t memo;         /* lookup: offset in the memo */
    uint32_t number;       /* among all heads */
    uint32_t layer, index; /* from 1, for messages */
    const model_head *model;
};

/* x[to] += weight * outputs[from] */
typedef struct step_output {
    uint32_t from, to;
    double weight;
} step_output;

/* x[to] += weight * (relu(s + up) - relu(s + down)), s the row `in`; a single unit has down = -inf */
typedef struct step_unit {
    step_row in;
    uint32_t to;
    double weight, up, down;
} step_unit;

typedef struct step_layer {
    step_head *heads; /* by role */
    uint32_t head_count;
    uint32_t role_end[ROLE_LAST_ + 1]; /* heads before role_end[r] have role r or an earlier one */
    uint32_t *booleans; /* registers that keys and values read, but for those that are Booleans by the embedding */
    size_t boolean_count, boolean_capacity;
    step_output *outputs;
    size_t output_count, output_capacity;
    step_unit *units;
    size_t unit_count, unit_capacity;
    bool direct;       /* no unit reads what a unit of the layer writes */
    uint32_t *cleared; /* registers that are left behind and must not be negative: only -relu(x) clears them */
    size_t cleared_count, cleared_capacity;
} step_layer;

typedef struct step_feature {
    uint32_t channel;
    const expression *position;
} step_feature;

struct stepper {
    const temper_model *model;
    bool hard;
    bool mirrored;
    bool single; /* runs in f32 */
    bool has_lookup;
    double decay[STEP_DECAYS]; /* exp(-8 k); hard: 1, 0, 0, ... */
    double *base;              /* [registers]: constant position features */
    step_feature *features;    /* the others that somebody reads */
    size_t feature_count, feature_capacity;
    step_block *blocks; /* of all rows of all heads and units */
    size_t block_count, block_capacity;
    uint32_t register_count; /* channels first */
    step_row *reads;         /* [outputs] */
    step_row *logits;        /* [outputs]; NULL: the model has none */
    step_row read;           /* the first of them */
    step_layer *layers;
    uint32_t layer_count, head_count;
    size_t state_count, memo_count; /* doubles */
    size_t most_outputs, most_units;
};

/* One per number format. */
bool stepper_step_f64(const stepper *s, step_work *w, void *state, const step_place *p, uint32_t token);
bool stepper_step_f32(const stepper *s, step_work *w, void *state, const step_place *p, uint32_t token);
bool stepper_output_f64(const stepper *s, const step_work *w, size_t output);
bool stepper_output_f32(const stepper *s, const step_work *w, size_t output);
double stepper_logit_f64(const stepper *s, const step_work *w, size_t output);
double stepper_logit_f32(const stepper *s, const step_work *w, size_t output);
void stepper_start_f64(const stepper *s, void *state);
void stepper_start_f32(const stepper *s, void *state);
void stepper_prepare_f64(const stepper *s, step_work *w); /* fills memo and base */
void stepper_prepare_f32(const stepper *s, step_work *w);

#endif

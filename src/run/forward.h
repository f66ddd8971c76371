/* What a run keeps, and the dense pass as a run in any number format. */
#ifndef RUN_FORWARD_H
#define RUN_FORWARD_H

#include "run/dense.h"

struct temper_run {
    arena memory;
    uint32_t output_count;
    size_t size; /* N */
    bool accept, captured;
    temper_claim claim; /* TEMPER_CLAIM_NONE: unproved */
    bool every_position;
    temper_type type;
    const char *warning;  /* NULL: none */
    unsigned char *truth; /* [outputs][N] */
    double *logits;       /* [outputs][N]; NULL: the model has none, or they were not computed */
    uint32_t layer_count, channel_count;
    uint32_t *head_start;              /* [layers + 1] index of a layer's first head */
    uint32_t *query_size, *value_size; /* [heads] */
    head_trace *heads;
    double **channels; /* [layers + 1] of [N][channels], only when captured */
};

/* Fills truth and the heads' margins (and the rest, if captured) of a run whose sizes are set. Of the options `hard`,
   `dense`, `type` and `capture` count. An adaptive head whose gap may be rounding, if an answer depends on it and the
   run is not proved, gets a warning. `stream` holds the residual stream, `scratch` one layer's work. Raises
   TEMPER_RANGE if a number overflows. */
void forward_run(temper_run *r, const temper_model *m, const uint32_t *letters, size_t n, const temper_run_options *o,
                 arena *stream, arena *scratch);

/* Room for what a captured run keeps; the arrays of heads are the runner's to fill. */
void run_prepare_capture(temper_run *r, const temper_model *m, bool capture);

/* Weights or features of the model are so large that a score or an answer is infinite or not a number. */
_Noreturn void run_not_finite(trap *t, size_t position);

#endif

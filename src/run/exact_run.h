/* A hard model in exact rational arithmetic: true ties, true gaps. Weights are doubles, hence rationals; position
   features are the rational values of their expressions (ln is refused), soft channels are zero. Every head uses its
   hard choice; one that has none is refused. */
#ifndef RUN_EXACT_RUN_H
#define RUN_EXACT_RUN_H

#include "model/model.h"
#include "number/rational.h"

/* One row of scores, as its head chose from them. */
typedef struct exact_row {
    uint32_t layer, head;   /* from 0 */
    size_t i;               /* the query */
    size_t first, end;      /* the keys that the mask leaves */
    const rational *scores; /* [N], of which first..end-1 count */
    size_t best, last_best; /* the first and the last key with the largest score */
    size_t ties;            /* how many have it */
    size_t next;            /* a key with the next different score; SIZE_MAX: all are equal */
} exact_row;

/* What a caller sees of a run; any function may be NULL. Numbers belong to the run and are gone when it ends. */
typedef struct exact_observer {
    void *context;
    /* The residual stream [N][channels]: before layer 0 (stage 0), after the heads of a layer (stage 1), after its
       units (stage 2). */
    void (*channels)(void *context, uint32_t layer, int stage, const rational *x);
    /* What a head reads: query and key [N][query_size], value and output [N][value_size]. */
    void (*head)(void *context, uint32_t layer, uint32_t head, const rational *query, const rational *key,
                 const rational *value, const rational *output);
    void (*row)(void *context, const exact_row *row); /* rows that have keys only */
} exact_observer;

/* The read-outs of every position, [outputs][N] in the pool. Raises TEMPER_UNSUPPORTED (ln, a head without hard
   choice), TEMPER_LIMIT (numbers too long, or more than the memory that is costed). `scratch` holds work that the
   pool does not. */
rational *exact_run(const temper_model *m, const uint32_t *letters, size_t n, const exact_observer *observer,
                    rational_pool *pool, arena *scratch);

/* Whether exact_run would refuse the model whatever the string; raises then. */
void exact_require(const temper_model *m, trap *t);

/* The position feature of a channel that has one, in a model that exact_require lets pass; raises where it divides by
   zero. */
void exact_feature(rational *out, const temper_model *m, uint32_t channel, size_t i, size_t n, rational_pool *pool);

#endif

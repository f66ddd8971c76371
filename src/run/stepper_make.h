/* What stepper_make.c (the whole) and stepper_heads.c (one head at a time) share while a stepper is made. */
#ifndef RUN_STEPPER_MAKE_H
#define RUN_STEPPER_MAKE_H

#include "run/stepper_program.h"

enum { NO_CHANNEL = UINT32_MAX };

typedef struct maker {
    const temper_model *m;
    stepper *s;
    arena *arena;
    uint32_t *place;          /* [channels] the register a channel is in now */
    uint32_t *reader;         /* [channels] the last sublayer that read it */
    uint32_t *writer;         /* [channels] the last sublayer whose head writes it directly */
    uint32_t sublayer;        /* being made, from 1: heads and units of each layer */
    unsigned char *embedded;  /* [channels] some token has a weight there */
    unsigned char *fresh;     /* [channels] still zero */
    unsigned char *positive;  /* [channels] known not to be negative */
    unsigned char *plain;     /* [channels] before any layer it is exactly 0 or 1 */
    unsigned char *edge_only; /* [channels] 1 on the sentinel where steps begin and nothing else */
    unsigned char *live;      /* [channels] the position feature is still in the channel */
    unsigned char *written;   /* [channels] some layer below has written it */
    unsigned char *known;     /* [channels] a feature that some head's closed form stands for */
    unsigned char *needed;    /* [channels] a feature that must be computed */
    unsigned char *listed;    /* [channels] in the layer's list of Booleans */
    unsigned char *emptied;   /* [channels] by the layer's units, see look_at_clears */
    const model_head *h;      /* being recognised */
    uint32_t layer, index;    /* from 1 */
} maker;

const char *maker_head_name(const maker *k); /* of the head being recognised */

/* Copies a row without the term of channel `except`. */
step_row maker_row(maker *k, const model_rows *r, size_t row, uint32_t except);

/* What the row reads must be exactly 0 or 1 when the layer is reached. */
void maker_boolean(maker *k, step_layer *l, const model_rows *r, size_t row, uint32_t except);

/* The value depends on more than the distance from the sentinel where steps begin. */
bool maker_varies(const maker *k, const expression *e);

/* stepper_heads.c: recognises head k->h; raises TEMPER_UNSUPPORTED if its rows are not those of its role. */
void maker_head(maker *k, step_head *out, step_layer *l);

bool maker_same(const model_rows *r, size_t row, const model_rows *q, size_t other);

#endif

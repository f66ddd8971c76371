/* The scales of a hard model's heads that make it soft up to a length, and the proof that they do (theory section 5).

   What is known of the hard model at each length (facts.h) gives the gaps; scales are chosen from the last layer down, so that each
   lower layer is sharp enough for what the ones above it must tell apart; the error recursion (error_bound.h) then bounds the read-out at
   every length, and the scales are handed out only if that is below the distance of every answer from 1/2.

   Scales and tie-breaks are powers of two: products with them are exact, so that scores that tie go on to tie. The temperature
   method makes one for every doubling of the length, the positions method one for all. */
#ifndef SOFTEN_SCALES_H
#define SOFTEN_SCALES_H

#include "soften/error_bound.h"

enum { SCALE_LADDER = 20 /* doublings of the length */ };

/* Lengths that share their scales. */
typedef struct rung {
    size_t first, last; /* n */
    double *sharpness;  /* [layers] */
    double *scale;      /* [heads] */
} rung;

typedef struct head_class {
    bool uniform, tieless; /* at every length */
    double step;           /* of the tie-break; 0: none */
} head_class;

typedef struct scale_search {
    const temper_model *hard;
    const temper_soften_options *o;
    trap *trap;
    arena *keep, *scratch; /* scratch is reset freely */
    subject_model s;
    facts **facts;        /* [length + 1] */
    uint32_t *head_start; /* [layers + 1] */
    head_class *heads;
    size_t rung_count;
    rung rungs[SCALE_LADDER];
    unsigned char **live; /* [layers + 1][channels]: read by this layer or a later one */
    bool everywhere;      /* the margin counts at every position */
    double margin, error;
    /* work */
    head_setting *settings;  /* [heads] */
    head_error *head_errors; /* [heads] */
    double *channels;        /* [channels] */
} scale_search;

static inline uint32_t scale_search_heads(const scale_search *g) { return g->head_start[g->hard->layer_count]; }

/* hard, o, trap, keep and scratch are set. Raises TEMPER_LIMIT, naming the head and the length, where nothing can be proved. */
void scales_find(scale_search *g);

#endif

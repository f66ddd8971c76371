/* The scales of a hard model's heads that make it soft up to a length (theory, "Any hard-attention transformer").

   What is known of the hard model at each length (facts.h) gives the gaps. Scales are chosen from the last layer
   down, so that each lower layer is sharp enough for what the ones above it must tell apart. How sharp that is, the
   error recursion of src/bound says, which is guessed here (bound_terms.h): a search tries hundreds of scales. What
   was chosen is proved afterwards, for the model that was made (soft_proof.h).

   Scales and tie-breaks are powers of two: products with them are exact, so that scores that tie go on to tie. The
   temperature method makes one for every doubling of the length, the positions method one for all. */
#ifndef SOFTEN_SCALES_H
#define SOFTEN_SCALES_H

#include "bound/choice_errors.h"

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
    double margin, error; /* the error is a guess */
    bool gates;           /* as if gates rounded truths after every layer */
    /* work */
    temper_model *draft; /* the hard model with softmax and tie-breaks; its scales are `scales` */
    hard_facts about;    /* the draft */
    recursion recursion; /* through the draft */
    double *scales;      /* [heads] */
    double *channels;    /* [channels of the draft] */
} scale_search;

static inline const head_facts *scale_facts(const scale_search *g, size_t n, uint32_t layer, uint32_t head) {
    return &g->facts[n]->layers[layer].heads[head];
}

static inline uint32_t scale_search_heads(const scale_search *g) { return g->head_start[g->hard->layer_count]; }

/* The tie-break of a head as two rows: `one` is a channel that holds 1, `place` one that holds the position times
   `unit`. */
void scales_add_tie_break(model_head *h, double step, uint32_t one, uint32_t place, double unit, arena *a);

/* hard, o, trap, keep and scratch are set. Raises TEMPER_LIMIT, naming the head and the length, where no scales seem
   to do. */
void scales_find(scale_search *g);

/* The same step by step. After scales_begin, which finds the facts, o->length may shrink. */
void scales_begin(scale_search *g);
/* False: no scales seem to do at length *fails, or, where the margin is 0, no softmax does. */
bool scales_settle(scale_search *g, size_t *fails);
/* g->scales are those of length n. */
void scales_at(scale_search *g, size_t n);

/* What stands in the way where no scales do. */
typedef struct scale_blame {
    temper_obstacle obstacle;
    uint32_t layer, head; /* from 1; 0: none */
    size_t n;
    double needs, off;    /* scores of the head that differ by this are off by that */
    double error, answer; /* how far the head's output and the answer may be off */
} scale_blame;

/* At length n, with the scales that failed there. */
scale_blame scales_blame(scale_search *g, size_t n);

/* Raises TEMPER_LIMIT with that. */
_Noreturn void scales_refuse(scale_search *g, size_t n);

#endif

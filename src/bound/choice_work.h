/* What the files of the error recursion share (general_error.c, head_errors.c, net_errors.c): the length at work, and sums over channels. */
#ifndef BOUND_CHOICE_WORK_H
#define BOUND_CHOICE_WORK_H

#include "bound/choice_errors.h"

/* What the recursion has for the length it is at. */
typedef struct at_length {
    recursion *r;
    const rounding_rules *rules;
    size_t n, size;
    ball *e; /* [channels] */
    ball *x; /* [1] work: sizes */
    arena *a;
} at_length;

/* A number can get too large for the format in this layer (from 1) and head (from 1; 0: none). */
void length_too_large(const at_length *w, uint32_t layer, uint32_t head);

/* Adds weight times a quantity of which this is known and which is off by e. */
void length_add(const at_length *w, error_sum *s, double weight, const known *k, const ball *e);

/* A row of weights on the channels x. */
error_sum length_row(const at_length *w, const model_rows *rows, uint32_t row, const known *x);

/* k if x is 2^k, else GRID_NONE. */
int log2_of(double x);

/* Section 8.4 and 8.5: what a head adds to the sums of its channels. */
void head_errors(const at_length *w, error_sum *to, uint32_t layer, uint32_t head);

/* Section 8.6: what the net makes of the channels after the heads; `to` are sums that have the channels themselves. */
typedef struct net_work {
    const model_layer *l;
    const layer_facts *f;
    error_sum *to;           /* [channels] */
    ball *moves;             /* [channels] */
    const uint32_t *writers; /* [channels]: how many bundles write it */
    unsigned char *ramps;    /* [channels]: what comes out is exact */
    uint32_t layer;
} net_work;

void net_errors(const at_length *w, net_work *n, const bundle *b, const bundle_facts *f);

#endif

/* What the files of the error recursion share (choice_errors.c, choice_scores.c, choice_heads.c, choice_nets.c): the
   length at work, and sums over channels. */
#ifndef BOUND_CHOICE_WORK_H
#define BOUND_CHOICE_WORK_H

#include "bound/choice_errors.h"

/* What the recursion has for the length it is at. */
struct at_length {
    recursion *r;
    bounds bounds;
    const bounds *b;
    rounding_rules rules;
    size_t n, size;
    const ball **e; /* [channels] */
    arena *a;
};

/* A number can get too large for the format in this layer (from 1) and head (from 1; 0: none). */
void length_too_large(const at_length *w, uint32_t layer, uint32_t head);

/* Adds weight times a quantity of which this is known and which is off by e. */
void length_add(const at_length *w, error_sum *s, double weight, const known *k, const ball *e);

/* A row of weights on the channels x. */
error_sum length_row(const at_length *w, const model_rows *rows, uint32_t row, const known *x);

/* The same, stored; layer and head count from 1. */
const ball *length_row_error(const at_length *w, const model_rows *rows, uint32_t row, const known *x, uint32_t layer,
                             uint32_t head);

/* ---- doc/certificate.md, "Errors of scores" ---- */

typedef struct score_error {
    const ball *tie_off, *lose_off; /* delta_T, delta_L */
    const ball *largest, *logit;    /* S, and Lambda S */
} score_error;

/* Lambda, or what is not above 0 or not finite. */
double scale_at(const at_length *w, uint32_t layer, uint32_t head);

score_error score_errors(const at_length *w, uint32_t layer, uint32_t head, double scale);

/* ---- "Errors of means": what a head adds to the sums of its channels ---- */

void head_errors(const at_length *w, error_sum *to, uint32_t layer, uint32_t head);

/* ---- "Errors of gates": what the net makes of the channels after the heads ---- */

typedef struct net_work {
    const model_layer *l;
    const layer_facts *f;
    error_sum *to;           /* [channels]: sums that have the channels themselves */
    const ball **moves;      /* [channels] */
    const uint32_t *writers; /* [channels]: how many bundles write it */
    unsigned char *ramps;    /* [channels]: what comes out is exact */
    uint32_t layer;
} net_work;

void net_errors(const at_length *w, net_work *n, const bundle *b, const bundle_facts *f);

#endif

/* Running a model on sets of values (lattice.h) instead of values: what facts_proved.c, set_head.c and set_units.c
   share. */
#ifndef FACTS_SET_RUN_H
#define FACTS_SET_RUN_H

#include "facts/facts.h"
#include "facts/lattice.h"

typedef struct set_run {
    const subject_model *s;
    const temper_model *m;
    facts *f;
    rational_pool *pool;
    spread_work work;
    spread *x, *delta; /* [N][channels] */
    spread *one;       /* [1] */
    rational *r;       /* [8] */
    rational *lcm;     /* [N + 1] lcm(1..t) */
    size_t n, size;
} set_run;

/* Adds all members. */
void set_record(known *k, const spread *x);

/* Adds what a head, or a bundle of units, gives to every position to `delta`, and what is known of it to `to`. */
void set_run_head(set_run *p, const model_head *h, head_facts *to);
void set_run_bundle(set_run *p, const model_layer *l, const bundle *b, bundle_facts *to);

#endif

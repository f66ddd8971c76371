/* What is known of a hard model on all strings of one length: how large every quantity gets, on which grid of binary
   fractions it lies, how far apart scores are, how far answers are from the threshold. Two sources fill the same
   structure: facts_run from the weights alone, facts_exhaustive by running every string exactly. The error
   recursion reads it. */
#ifndef FACTS_FACTS_H
#define FACTS_FACTS_H

#include "model/model.h"
#include "number/rational.h"
#include "facts/bundle.h"

/* All values lie in [lo, hi] and are multiples of 2^grid. */
typedef struct known {
    double lo, hi;
    int grid;
} known;

enum {
    GRID_ANY = 4000,  /* only 0 so far: a multiple of everything */
    GRID_NONE = -9000 /* some value is no binary fraction */
};

typedef struct head_facts {
    bool uniform; /* every row's scores are all equal */
    bool tieless; /* every row has one largest score */
    double
        /* the largest score of a row exceeds the others that differ by at least this; INFINITY: none differ; 0:
           nothing is known */
        gap;
    double log2_gap;    /* the same where a double is too short */
    known *query, *key; /* [query_size], over all positions */
    known *value;       /* [value_size] */
    known *output;      /* [value_size]: after the choice */
} head_facts;

/* What goes into a bundle of units. */
typedef struct bundle_facts {
    known input;
    double *
        /* [pieces]: from each piece of the function to the nearest input, at least; 0 where one lies on it */
        distance;
} bundle_facts;

typedef struct layer_facts {
    known *before, *middle; /* [channels]: before the heads, and before the units */
    head_facts *heads;
    bundle_facts *bundles;
} layer_facts;

typedef struct facts {
    size_t n, size;
    layer_facts *layers; /* [layers] */
    known *after;        /* [channels]: at the end */
    /* Least |read.x - 1/2|: at the position of the verdict, and at every letter (or the sentinel of the empty
       string). */
    double margin, margin_everywhere;
} facts;

/* A model, and what all lengths share. */
typedef struct subject_model {
    const temper_model *model;
    bundle_list *bundles; /* [layers] */
} subject_model;

void subject_model_init(subject_model *s, const temper_model *m, arena *a);

/* Empty facts, before the first string. */
facts *facts_new(const subject_model *s, size_t n, arena *a);

/* Adds a value. */
void known_add(known *k, const rational *x);
void known_add_interval(known *k, const rational *lo, const rational *hi, int grid);
int rational_grid(const rational *x);
void bundle_facts_add(bundle_facts *to, const bundle *b, const rational *x);
void bundle_facts_add_interval(bundle_facts *to, const bundle *b, const rational *lo, const rational *hi, int grid);

/* Facts for all strings of a length, from the weights, one length after the other: what lengths have in common is
   found once. The run lives in `work`, what it finds in `keep`. */
typedef struct facts_run facts_run;
facts_run *facts_run_begin(const subject_model *s, size_t first, arena *work);
facts *facts_run_next(facts_run *r, arena *keep);

/* What was looked at so far, in operations with sets, some 400 ns each. */
double facts_run_steps(const facts_run *r);

/* The head's scores are 0 whatever the string and the length. */
bool head_is_zero(const model_head *h);

#endif

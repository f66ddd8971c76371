/* The proof for a model that was softened for a length: src/bound's, in f64, as temper certify makes it. */
#ifndef SOFTEN_SOFT_PROOF_H
#define SOFTEN_SOFT_PROOF_H

#include "soften/scales.h"
#include "soften/soft_facts.h"

typedef struct soft_proof {
    bool proved, every_position;
    double error, margin; /* the largest error, and what it is below */
    size_t fails;         /* the length that is not proved */
} soft_proof;

/* For all strings up to the length of the search, whose facts are used again. */
soft_proof soft_proof_find(scale_search *g, const soft_model *soft);

#endif

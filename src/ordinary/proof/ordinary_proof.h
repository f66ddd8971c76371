/* A proof about an ordinary model: for every string up to the length, after every prefix, every logit is where the
   specification says (doc/ordinary.md, "The proof"). */
#ifndef ORDINARY_PROOF_PROOF_H
#define ORDINARY_PROOF_PROOF_H

#include "logic/formula.h"
#include "ordinary/proof/prover.h"

typedef struct ordinary_proof {
    bool proved;
    const char *reason;   /* why not: a clause; NULL if it is proved */
    uint32_t layer, head; /* of the reason, from 1; 0: none */
    temper_claim claim;   /* what the hard model is known to be */
    prover *details;      /* columns, heads and layers as far as the proof went */
} ordinary_proof;

/* hard and read are what the ordinary model was made of (ordinary_hard_model). */
ordinary_proof ordinary_prove(arena *a, const struct ordinary_model *m, const temper_model *hard,
                              const temper_spec *read, const struct ordinary_options *o);

#endif

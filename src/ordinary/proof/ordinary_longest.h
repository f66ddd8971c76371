/* The proof of a setting at one length, or at the largest that can be found. */
#ifndef ORDINARY_PROOF_LONGEST_H
#define ORDINARY_PROOF_LONGEST_H

#include "ordinary/proof/ordinary_proof.h"

typedef struct ordinary_reach {
    bool proved;
    size_t length;      /* that was tried; of the longest, the largest proved, 0: none */
    const char *reason; /* why it, or the next length, is not proved */
    size_t layer, head; /* of the ordinary model, from 1; 0: none */
    temper_claim claim; /* of a proved length */
    double logits;      /* the bound of logits */
    bool is_refusal;    /* the lowering refuses the setting, at any length if none is proved */
} ordinary_reach;

/* Texts are in arena a. */
ordinary_reach ordinary_prove_length(arena *a, const temper_model *hard, const temper_spec *read,
                                     const struct ordinary_options *o);

/* Tries powers of two up to o->length, and halves what lies beyond the largest that is proved. Every length is a
   model of its own, and a longer one may be proved where a shorter is not. */
ordinary_reach ordinary_prove_longest(arena *a, const temper_model *hard, const temper_spec *read,
                                      const struct ordinary_options *o);

/* The largest length below o->length that is proved; 0: none, or o->length is so large that looking takes long. */
size_t ordinary_prove_shorter(arena *a, const temper_model *hard, const temper_spec *read,
                              const struct ordinary_options *o);

/* As callers of the library see it. */
temper_ordinary_verdict ordinary_verdict_of(const ordinary_reach *r);
ordinary_reach ordinary_reach_of(const ordinary_proof *p, size_t length);

#endif

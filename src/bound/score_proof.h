/* Whether a language model's logits are the logarithms of the probabilities that its source gives, and the tables
   that show it (doc/certificate.md, "Probabilities"). A *score* is a row of probabilities, and stands for all
   prefixes after which they hold. */
#ifndef BOUND_SCORE_PROOF_H
#define BOUND_SCORE_PROOF_H

#include "decide/language_table.h"
#include "number/ball.h"
#include "recognise/recognise.h"

typedef struct score_proof {
    const char *formula; /* where it holds */
    language_rows rows;
} score_proof;

typedef struct score_proofs {
    const char *why_not; /* a clause; NULL: it is shown */
    score_proof *all;    /* with an automaton: of every score, in the order of the least words that lead to them */
    size_t count;
    ball **off; /* [outputs] how far a row of logits is from the logarithm, where that is finite */
} score_proofs;

/* spec: the model's source, which has an automaton, or else a line `viable`; then the model's outputs must be what
   that line says. In arena a. */
score_proofs *score_proofs_of(const temper_model *m, const temper_spec *spec, bool viable, recognition *r, arena *a);

#endif

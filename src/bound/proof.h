/* The proof of a model in a number format, with softmax as it is or with hard choices: opened once, then tried at
   lengths. What every command calls proved is what a try here proved: doc/certificate.md, "What is claimed". */
#ifndef BOUND_PROOF_H
#define BOUND_PROOF_H

#include "bound/certification.h"

typedef struct model_prover model_prover;

/* Fills c for the model, the type and the length of the options. Raises TEMPER_RANGE if the type is no floating-point
   type. */
void certification_begin(certification *c, const temper_model *m, const temper_certify_options *o, bool hard,
                         arena *a, trap *t);

/* Recognises what the model is and sets c->claim: to TEMPER_CLAIM_NONE where something is in the way whatever the
   length. Never NULL. */
model_prover *model_prover_open(certification *c);

/* Whether it goes by the roles of its heads: only then does it hold for runs letter by letter, whose earlier rows
   were made at shorter lengths. */
bool model_prover_by_roles(const model_prover *p);

/* What is proved of hard choices in exact arithmetic, at any length. */
temper_claim certification_exact_claim(certification *c);

/* For all strings up to the length: whether it is proved. If so c has the verdict and every_position, and with
   `write` the file; if not, c has the reason and the fault. */
bool model_prover_try(model_prover *p, size_t length, bool write);

/* What is known of the lengths of one proof. Every length below `proved` is proved (0: not even the empty string is);
   `failed` and every length above it count as unproved. Between the two nothing is known yet. */
typedef struct length_bracket {
    size_t proved, failed;
    size_t everywhere; /* below this length the truth at every position is proved, not only the verdict */
} length_bracket;

#define LENGTH_BRACKET_START ((length_bracket){.proved = 0, .failed = CERTIFY_LONGEST + 1})

static inline bool length_is_known(const length_bracket *b, size_t n) { return n < b->proved || n >= b->failed; }

/* Tries lengths until it is known whether n is proved. The order is fixed, 1, 3, 7, 15 and so on first. So many
   short strings need few tries, and the answer for n does not depend on what was asked before. */
void model_prover_decide(model_prover *p, length_bracket *b, size_t n);

/* Tries lengths until the bracket is closed. c has the reason why b->failed is not proved. */
void model_prover_longest(model_prover *p, length_bracket *b);

#endif

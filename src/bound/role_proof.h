/* The proof for a model that is recognised by its roles, heads, gates, and the longest length: doc/certificate.md,
   "Softmax rows, with rounding" and "Gates". */
#ifndef BOUND_ROLE_PROOF_H
#define BOUND_ROLE_PROOF_H

#include "bound/certification.h"

typedef struct role_prover role_prover;

/* Also sets the claim. NULL: the model is not recognised (c->unlike says why, and c has no reason yet), or something
   is in the way whatever the length, and c has the reason. */
role_prover *role_prover_begin(certification *c);

/* For all strings up to the length (at most CERTIFY_LONGEST): whether it is proved; if so and `write`, c has the
   file, if not c has the reason. */
bool role_prover_try(role_prover *p, size_t length, bool write);

#endif

/* Proofs for models that are not recognised by their roles: edited by hand, written by hand, or softened from any
   hard model. The claim is equality with the model's own hard choices (doc/certificate.md, "Models without Boolean
   channels"). */
#ifndef BOUND_CHOICE_PROOF_H
#define BOUND_CHOICE_PROOF_H

#include "bound/certification.h"

/* For all strings up to c's length: whether it is proved. If so c has the verdict, and with `write` the file; if not,
   the reason. */
bool choice_proof_try(certification *c, bool write);

#endif

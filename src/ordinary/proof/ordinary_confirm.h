/* A proof that the auditor confirms, too. */
#ifndef ORDINARY_PROOF_CONFIRM_H
#define ORDINARY_PROOF_CONFIRM_H

#include "ordinary/proof/ordinary_proof.h"

/* ordinary_prove. If that proves it, certificate and GGUF file are made as they would be written, and audited:
   only what anybody can have confirmed is called proved. If the audit refuses, the reason says that it is the
   audit's. */
ordinary_proof ordinary_prove_confirmed(arena *a, const struct ordinary_model *m, const temper_model *hard,
                                        const temper_spec *read, const struct ordinary_options *o);

#endif

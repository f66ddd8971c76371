/* A proof that the auditor confirms, too. */
#ifndef ORDINARY_PROOF_CONFIRM_H
#define ORDINARY_PROOF_CONFIRM_H

#include "ordinary/proof/ordinary_proof.h"

/* ordinary_prove, and if that proves it the audit of the certificate and of the GGUF file as they would be written:
   what is called proved is what anybody can have confirmed. Else the reason says that it is the audit's. */
ordinary_proof ordinary_prove_confirmed(arena *a, const struct ordinary_model *m, const temper_model *hard,
                                        const temper_spec *read, const struct ordinary_options *o);

#endif

/* The certificate of an ordinary model as JSON: doc/ordinary.md, "The certificate". */
#ifndef ORDINARY_PROOF_CERTIFICATE_H
#define ORDINARY_PROOF_CERTIFICATE_H

#include "ordinary/proof/ordinary_proof.h"

/* A file of weights. */
typedef struct ordinary_digest {
    const char *name;
    const char *bytes;
    size_t length;
} ordinary_digest;

/* requires proved */
void ordinary_certificate_print(text *out, const ordinary_proof *proof, const temper_model *hard,
                                const ordinary_digest *files, size_t count);

#endif

/* The certificate of a stock model as JSON: doc/stock.md, "The certificate". */
#ifndef ORDINARY_PROOF_CERTIFICATE_H
#define ORDINARY_PROOF_CERTIFICATE_H

#include "ordinary/proof/ordinary_proof.h"

/* A file of weights. */
typedef struct stock_digest {
    const char *name;
    const char *bytes;
    size_t length;
} stock_digest;

/* requires proved */
void stock_certificate_print(text *out, const stock_proof *proof, const temper_model *hard, const stock_digest *files,
                             size_t count);

#endif

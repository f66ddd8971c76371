/* What is proved of a model, as a number: how many lengths, from 0 on; 0: none. */
#ifndef TESTS_PROVED_H
#define TESTS_PROVED_H

#include <stdbool.h>

#include "temper.h"

static inline size_t proved_lengths(const temper_model *m, temper_type type, bool hard) {
    temper_proof p;
    if (temper_model_proof(&p, m, type, hard, NULL) != TEMPER_OK || p.claim == TEMPER_CLAIM_NONE) return 0;
    return p.length + 1;
}

#endif

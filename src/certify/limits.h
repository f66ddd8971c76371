/* The table of limits: what its job and its printing share. */
#ifndef CERTIFY_LIMITS_H
#define CERTIFY_LIMITS_H

#include "certify/word_runs.h"
#include "model/model.h"

struct temper_limits {
    arena memory;
    alphabet letters; /* of all models */
    const char *source;
    temper_limits_row *rows;
    size_t count;
};

#endif

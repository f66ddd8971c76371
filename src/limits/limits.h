/* The table of limits: what its job and its printing share. */
#ifndef LIMITS_LIMITS_H
#define LIMITS_LIMITS_H

#include "limits/word_runs.h"
#include "model/model.h"

struct temper_limits {
    arena memory;
    alphabet letters; /* of all models */
    const char *source;
    temper_limits_row *rows;
    size_t count;
};

#endif

/* Why an answer is wrong: the first head whose output is off by a quarter or more, and which step of it did that.
   doc/limits.md has the definitions. */
#ifndef LIMITS_DIAGNOSE_H
#define LIMITS_DIAGNOSE_H

#include "model/model.h"
#include "number/number_type.h"

typedef struct diagnosis {
    temper_why why;
    size_t layer, head; /* from 1; 0: none */
    size_t row;         /* the position whose output is off */
} diagnosis;

/* Of a string whose answer at a position is not `expected` in the type. TEMPER_WHY_UNKNOWN: the emulated run, which
   is not the one that f64 and f32 normally take, gives no wrong output. The arenas are reset. */
diagnosis diagnose(const temper_model *m, const number_type *type, const uint32_t *letters, size_t n, size_t output,
                   size_t position, bool expected, arena *kept, arena *stream, arena *scratch);

/* Bytes that takes. */
double diagnose_memory(const temper_model *m, size_t n);

#endif

/* Which token stands at a position, and which keys a mask leaves: what every dense runner needs. */
#ifndef RUN_POSITIONS_H
#define RUN_POSITIONS_H

#include <math.h>

#include "model/model.h"

static inline uint32_t position_token(const temper_model *m, const uint32_t *letters, size_t n, size_t i) {
    if (i == 0) return model_start_token(m);
    return i <= n ? letters[i - 1] : model_end_token(m);
}

typedef struct key_range {
    size_t first, end; /* unmasked keys first..end-1 */
} key_range;

static inline key_range mask_keys(temper_mask mask, size_t i, size_t size) {
    switch (mask) {
    case TEMPER_MASK_BEFORE: return (key_range){0, i};
    case TEMPER_MASK_UP_TO: return (key_range){0, i + 1};
    case TEMPER_MASK_AFTER: return (key_range){i + 1, size};
    case TEMPER_MASK_FROM: return (key_range){i, size};
    case TEMPER_MASK_ALL: break;
    }
    return (key_range){0, size};
}

/* The answer is read at position 1 or n; of the empty string at position 0. */
static inline size_t verdict_position(const temper_model *m, size_t n) {
    return n == 0 ? 0 : m->at == TEMPER_AT_FIRST ? 1 : n;
}

/* How far a head's output is from a Boolean, for heads of compiled formulas that mean one. */
static inline double distance_to_boolean(double a) { return fmin(fabs(a), fabs(a - 1)); }
static inline bool head_is_boolean(const model_head *h) { return h->role != ROLE_NONE && h->role != ROLE_COUNT; }

#endif

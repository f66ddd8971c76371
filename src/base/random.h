/* Random numbers, the same everywhere: a counter with a mixing function (SplitMix64). Any seed is a good one. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

#define RANDOM_STEP 0x9E3779B97F4A7C15u

/* 0 is mixed to 0. */
static inline uint64_t random_mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline uint64_t random_next(uint64_t *state) { return random_mix(*state += RANDOM_STEP); }

#endif

/* Random strings that are likely to find a difference: uniform ones, long runs, few odd letters, repeated words;
   lengths lean to both ends of the range. The same seed gives the same strings everywhere. */
#ifndef CHECK_SAMPLE_H
#define CHECK_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sample {
    uint64_t state;
} sample;

/* One of many streams of a seed, each of which can be started without the others. */
void sample_start_block(sample *s, uint64_t seed, uint64_t block);
uint64_t sample_bits(sample *s);
uint64_t sample_below(sample *s, uint64_t limit); /* 0 ... limit-1, without bias; limit > 0 */

/* A string of shortest...longest letters below `alphabet` (> 0, or else longest = 0); returns its length. */
size_t sample_string(uint32_t *letters, sample *s, size_t shortest, size_t longest, uint32_t alphabet);

#endif

/* How a check is cut into units: all strings up to a length, layer by layer, then random ones. Short lengths share
   a layer of one unit. A longer length has a layer of its own; each of its units has some of the prefixes of a
   certain depth, in the order of the strings (in a tree of suffixes: suffixes). The cut depends on the numbers
   given here and on nothing else. */
#ifndef CHECK_UNITS_H
#define CHECK_UNITS_H

#include "base/arena.h"

typedef struct unit_layer {
    size_t shortest, longest; /* lengths; equal if there are several units */
    size_t depth;             /* letters of a prefix; 0: there is one unit */
    uint64_t prefixes;        /* letters^depth */
    uint64_t block;           /* prefixes of a unit; the last unit may have fewer */
    uint64_t below;           /* strings with the same prefix; of a layer with one unit: strings */
    uint64_t first, units;    /* the layer's first unit, and how many it has */
} unit_layer;

enum { BLOCK_STRINGS = 1024 }; /* random strings that are drawn from one seed */

typedef struct unit_plan {
    const unit_layer *layers;
    size_t layer_count;
    uint64_t exhaustive; /* units of the layers; those of random strings follow */
    uint64_t random, random_strings;
    uint64_t unit_blocks; /* of BLOCK_STRINGS, in a unit of random strings */
} unit_plan;

typedef struct unit_sizes {
    uint64_t least, most; /* strings of a unit, about; large jobs have larger ones */
} unit_sizes;

/* All strings over so many letters up to `longest` (at most 2^62 in all), and then random ones. */
void units_make(unit_plan *p, size_t letters, size_t longest, uint64_t random, unit_sizes sizes, arena *a);

const unit_layer *units_layer(const unit_plan *p, uint64_t unit); /* NULL: random strings */
uint64_t units_strings(const unit_plan *p, uint64_t unit);

#endif

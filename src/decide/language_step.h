/* A formula that looks one way, letter by letter: what its operators remember, and its truth where some of that is
   open, for many letters at once (doc/certificate.md, "Regular languages"). */
#ifndef DECIDE_LANGUAGE_STEP_H
#define DECIDE_LANGUAGE_STEP_H

#include "automata/dfa.h"
#include "logic/formula.h"

#define OPEN UINT32_MAX /* a coordinate that may be anything */

enum { LANES = 64, NUMBERS_BELOW = 1 << 16 };

typedef enum memory { MEMORY_NONE, MEMORY_EDGE, MEMORY_KID, MEMORY_SELF, MEMORY_REMAINDER, MEMORY_SUM } memory;

/* Truth in up to 64 lanes, one per class of letters: whether it may be true, and whether it may be false. */
typedef struct lanes {
    uint64_t yes, no;
} lanes;

typedef struct coordinate {
    node_id node;
    node_id remembers; /* whose truth it becomes, unless it is a number or an edge */
    memory kind;
    uint32_t start, most;
} coordinate;

typedef struct language_step {
    const formula *f;
    const dfa *d;
    node_id root;
    bool forward;
    arena *arena;
    node_id *nodes;
    size_t node_count, node_capacity;
    coordinate *coordinates;
    size_t width, capacity;
    uint32_t *coordinate_of; /* [graph nodes] */
    uint32_t *letters;       /* one of each class that neither side tells apart */
    uint32_t letter_count;
    lanes *truth;     /* [graph nodes] after language_step_make */
    uint64_t *member; /* [blocks][graph nodes] LETTERS: the lanes of a block */
    uint32_t *number; /* [width][LANES] what a sum becomes */
    uint64_t work;
    const char *why_not; /* a clause: the formula has no coordinates, or they are too many */
} language_step;

/* f, d, root, forward and arena are given; fills the rest, or why_not. */
void language_step_begin(language_step *m);

/* The truth of all nodes where the coordinates were these, for the letters of a block. before has room for one more
   than there are coordinates. */
void language_step_make(language_step *m, const uint32_t *before, uint32_t block);

/* What coordinate k becomes in a lane, or OPEN. */
uint32_t language_step_after(const language_step *m, size_t k, uint32_t lane);

/* The lanes in which coordinate k becomes this value; bits beyond the block's letters have no meaning. */
uint64_t language_step_lanes_after(const language_step *m, size_t k, uint32_t value);

uint32_t language_step_lanes(const language_step *m, uint32_t block); /* letters in a block */

#endif

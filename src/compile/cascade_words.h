/* The states of an automaton in words and blocks, inside: anchors, and places seen from them (doc/automata.md, "Words
   and blocks"). */
#ifndef COMPILE_CASCADE_WORDS_H
#define COMPILE_CASCADE_WORDS_H

#include "compile/cascade_terms.h"
#include "compile/regular_choose.h"

/* A state as seen from an anchor. */
typedef struct place {
    uint32_t anchor, steps;
    node_id word; /* the last letters lead from the anchor to this state; 0: whatever they are */
} place;

typedef struct places {
    place *all;
    size_t count, capacity;
} places;

typedef struct words {
    emitter e;
    cascade_options options;
    const uint32_t *component; /* [states] words lead back and forth between states of one number */
    node_id *at;               /* [states] of anchors: before the letter the state is this one; 0: no anchor */
    places *seen;              /* [states] */
    uint32_t anchor_count;
} words;

/* What holds at a letter that leads to a state that is wanted, from any state that is not of component `but`. */
node_id words_arrivals(words *w, const unsigned char *wanted, uint32_t but);

void words_add_anchor(words *w, uint32_t q, node_id at, node_id word);

/* All states of a component of several states become anchors, by a cascade of their own. False: there is none. */
bool words_add_block(words *w, const uint32_t *members, uint32_t count);

#endif

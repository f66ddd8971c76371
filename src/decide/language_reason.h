/* Why a formula is settled at a position: coordinates that are enough for it, found in one walk from the root. */
#ifndef DECIDE_LANGUAGE_REASON_H
#define DECIDE_LANGUAGE_REASON_H

#include "decide/language_step.h"

typedef struct language_reason {
    const language_step *s;
    uint64_t *need;        /* [graph nodes] lanes in which the node's truth is asked for */
    unsigned char *wanted; /* [width] coordinates that were found to matter, those of blocks before included */
} language_reason;

language_reason language_reason_for(const language_step *s, arena *a);

/* Forgets what was wanted; `said` coordinates, which are not OPEN, cost nothing. */
void language_reason_begin(language_reason *r, const uint32_t *said);

/* After a step with coordinates of which none is OPEN: the truth of a node, and what a coordinate becomes, in these
   lanes. All is asked for before language_reason_find, which adds to what is wanted. */
void language_reason_ask(language_reason *r, node_id id, uint64_t lanes_here);
void language_reason_ask_after(language_reason *r, size_t coordinate, uint64_t lanes_here);
void language_reason_find(language_reason *r, const uint32_t *before);

#endif

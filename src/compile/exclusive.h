/* What nodes of a normal form say about each other at one position, by rules on their text alone: x implies y, x
   excludes y. "No" means "not shown". What is shown here is only used to choose a smaller form; prover and auditor
   establish it again, from the weights (doc/certificate.md, "What each channel means"). */
#ifndef COMPILE_EXCLUSIVE_H
#define COMPILE_EXCLUSIVE_H

#include "logic/formula.h"

typedef struct exclusion {
    const formula *g;
    table known;   /* (question, x, y) -> 1 or 0 */
    table heads;   /* (choice, mask, key) -> how many values the head has */
    bool by_heads; /* values of one head are compared */
    size_t steps;  /* that are left; 0: everything is "not shown" */
    size_t depth;
} exclusion;

/* The graph may grow afterwards; its nodes do not change. */
void exclusion_init(exclusion *e, const formula *g, arena *a);

/* From now on values of one head are compared, too; the graph does not grow any more. */
void exclusion_of_heads(exclusion *e);

bool node_implies(exclusion *e, node_id x, node_id y);

/* No two of the kids hold together (negated: no two of them fail together). */
bool kids_exclude(exclusion *e, node_id id, bool negated);

#endif

/* A formula after one more letter, said before it: what holds at i iff the formula holds at i + 1 when letter x comes
   there (doc/sequence.md, "Progression"). */
#ifndef DECIDE_PROGRESSION_H
#define DECIDE_PROGRESSION_H

#include "logic/formula.h"

/* Sums over counts whose operands the letter does not settle are split into cases, at most this many. */
enum { PROGRESSION_CASES = 256 };

/* The node of root after letter x, in the same graph. root must look back only (TEMPER_UNSUPPORTED, by name).
   TEMPER_LIMIT: too many cases, or a coefficient that does not fit. scratch is not reset. */
node_id formula_after(formula *f, node_id root, uint32_t letter, arena *scratch);

/* Connectives that drop constants. */
node_id logic_not(formula *f, node_id x);
node_id logic_and(formula *f, node_id x, node_id y);
node_id logic_or(formula *f, node_id x, node_id y);

#endif

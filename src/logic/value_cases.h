/* Values by cases: "payload p if these conditions hold, q if those, ...". A value is a decision diagram whose inner
   nodes ask one condition (a formula at the current position) and whose leaves hold a payload: the number of a linear
   sum for C-RASP's conditional counts, a formula for B-RASP's attention. Diagrams are ordered, reduced and shared, so
   the cases of a value are exclusive and exhaustive, equal ones are one, and (P ? 1 : 0) + (Q ? 1 : 0) + ... has as
   many leaves as sums, not two to the number of conditions.

   Letters exclude each other: below "the letter is a", other letter conditions are decided. LETTERS nodes among the
   conditions must be single letters, as spec_letter makes them. */
#ifndef LOGIC_VALUE_CASES_H
#define LOGIC_VALUE_CASES_H

#include "logic/formula.h"

enum {
    CASES_LIMIT = 4096,   /* new diagram nodes in one operation, and conditions on one path */
    CASES_TOTAL = 1 << 22 /* diagram nodes in one file */
};

typedef uint32_t case_id; /* index into cases.nodes; 0 is none */

typedef struct case_node {
    node_id condition; /* 0: a leaf */
    case_id yes, no;   /* a leaf: yes is the payload */
    uint32_t depth;
    node_id lowered; /* what cases_formula made of it; 0: not yet */
} case_node;

typedef struct cases {
    formula *graph;
    arena *arena;
    case_node *nodes; /* nodes[0] is not used */
    size_t count, capacity;
    table shared, splits;
    size_t started;      /* count when the operation began */
    size_t line, column; /* of the operation */
    const char *hint;    /* for the message when a limit is reached */
} cases;

void cases_init(cases *c, formula *f, const char *hint);

/* Begins an operation written at this place; the limits are counted and reported per operation. */
void cases_begin(cases *c, size_t line, size_t column);

case_id cases_leaf(cases *c, uint32_t payload);
static inline bool cases_is_leaf(const cases *c, case_id id) { return !c->nodes[id].condition; }
static inline uint32_t cases_payload(const cases *c, case_id leaf) { return c->nodes[leaf].yes; }

/* condition ? yes : no */
case_id cases_split(cases *c, node_id condition, case_id yes, case_id no);

/* The value of `combine` on every pair of cases of a and b that can occur together. */
typedef case_id case_combine(cases *c, void *context, uint32_t a, uint32_t b);
case_id cases_combine(cases *c, case_id a, case_id b, case_combine *combine, void *context);

/* The same for many values, which must be at least one; the array is overwritten. Pairs first, so that the parts stay
   small. */
case_id cases_combine_all(cases *c, case_id *parts, size_t count, case_combine *combine, void *context);

/* The diagram as one formula; the leaves are formulas. */
node_id cases_formula(cases *c, case_id id);

/* Connectives that drop constants and repetitions. */
node_id formula_fold_not(formula *f, node_id x);
node_id formula_fold_and(formula *f, node_id x, node_id y);
node_id formula_fold_or(formula *f, node_id x, node_id y);
node_id formula_fold_binary(formula *f, formula_op op, node_id x, node_id y); /* AND OR XOR IMPLIES IFF */

#endif

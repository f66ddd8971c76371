/* What an operator is, in few kinds: all who compute with formulas look here, and only those who read, print or
   define operators (src/logic) and the auditor know each by its name. A new operator is a row of operators.h, and
   everything behind this table computes it.

   A node's value v from its kids' values x and y here, and its own value `old` one position before (behind, where it
   looks forward); old is `beyond` at the edge of the string:

       RANGE   v = x or old                 all: x and old
       SINCE   v = y or (x and old)         all: y and (x or old)
       STEP    v = what x was one position before, `beyond` at the edge

   So O x is RANGE, H x RANGE with all and beyond; x S y is SINCE, x T y SINCE with all and beyond; x W y is SINCE
   with beyond, x M y SINCE with all. */
#ifndef LOGIC_CORE_H
#define LOGIC_CORE_H

#include "logic/formula.h"

typedef enum core_kind {
    CORE_CONSTANT, /* `all`: true */
    CORE_EDGE,     /* there is no position before (behind) this one */
    CORE_LETTERS,
    CORE_NOT,
    CORE_GATE, /* or; `all`: and */
    CORE_IMPLIES,
    CORE_XOR, /* `all`: its negation */
    CORE_STEP,
    CORE_RANGE,
    CORE_SINCE,
    CORE_COUNT,
    CORE_COMPARE,
    CORE_MODULO,
    CORE_AT,
    CORE_ATTEND,
    CORE_MATCH,
    CORE_LANGUAGE
} core_kind;

typedef struct core {
    core_kind kind;
    bool forward; /* the operator itself looks forward; ATTEND, MATCH, AT: see the node */
    bool all, beyond;
} core;

extern const core operator_cores[];

static inline core core_of(formula_op op) { return operator_cores[op]; }
static inline core core_at(const formula *f, node_id id) { return operator_cores[formula_at(f, id)->op]; }

#endif

/* The minimal automaton of a finite-state formula: any mixture of operators that look back and forward, attention,
   remainders, and counts compared with constants. */
#ifndef DECIDE_FORMULA_DFA_H
#define DECIDE_FORMULA_DFA_H

#include "automata/dfa.h"
#include "logic/formula.h"

/* What a construction may cost. */
typedef struct decide_limits {
    uint32_t states; /* of the automaton before it is made minimal */
    uint64_t work;   /* nodes looked at; about a second for 2^28 */
} decide_limits;

enum { DECIDE_STATES = 1 << 16 };
#define DECIDE_WORK ((uint64_t)1 << 28)

decide_limits decide_limits_usual(void); /* these, by the effort of base/work.h */

/* The words of one letter or more at whose first or last position root holds, and the empty word if
   accepts_empty. The result is minimal as dfa_minimise makes it, and lives in a, as all that it takes. `letters`
   may be more than the alphabet has: sets that are written with ^ hold of the others, and other sets do not.
   limits: NULL for the usual ones. TEMPER_UNSUPPORTED: a comparison that has no finite automaton, by name;
   TEMPER_LIMIT: it would cost more than the limits allow. */
dfa *formula_dfa(arena *a, const formula *f, node_id root, const alphabet *names, uint32_t letters, temper_at at,
                 bool accepts_empty, const decide_limits *limits);

/* The automaton of a specification. */
dfa *spec_dfa(arena *a, const temper_spec *s, const decide_limits *limits);

#endif

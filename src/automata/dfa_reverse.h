/* The automaton that reads strings from their end. */
#ifndef AUTOMATA_DFA_REVERSE_H
#define AUTOMATA_DFA_REVERSE_H

#include "automata/dfa.h"

/* The minimal automaton of the reversed strings; NULL: it would have more than `most` states on the way. */
dfa *dfa_reverse(arena *a, const dfa *d, uint32_t most, arena *scratch);

#endif

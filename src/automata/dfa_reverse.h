/* The automaton that reads strings from their end. */
#ifndef AUTOMATA_DFA_REVERSE_H
#define AUTOMATA_DFA_REVERSE_H

#include "automata/dfa.h"

/* How many states an automaton of reversed strings may take, on the way to the minimal one. */
static inline uint32_t dfa_reverse_limit(const dfa *d) { return d->state_count > 16 ? 4 * d->state_count : 64; }

/* The minimal automaton of the reversed strings; NULL: it would have more than `most` states on the way. */
dfa *dfa_reverse(arena *a, const dfa *d, uint32_t most, arena *scratch);

#endif

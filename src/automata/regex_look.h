/* The automaton of a term with look-around. */
#ifndef AUTOMATA_REGEX_LOOK_H
#define AUTOMATA_REGEX_LOOK_H

#include "automata/dfa.h"
#include "automata/terms.h"

/* Over the classes of letters of t; class_of is not set. Raises TEMPER_LIMIT beyond most_states or t->most_work. */
dfa *dfa_from_tests(arena *a, terms *t, term_id root, uint32_t letters, uint32_t most_states);

#endif

/* The line `viable` on strings: all short ones, and random ones. */
#ifndef COMPILE_VIABLE_TEST_H
#define COMPILE_VIABLE_TEST_H

#include "logic/formula.h"

/* Three things are tested at every prefix: if it may end it is viable; if it is viable after one more letter it is
   viable before it; if it is viable it may end or go on. With an automaton one thing is: viable is what the
   automaton can still accept. Raises TEMPER_RANGE with the shortest string that was found to contradict it, at the
   line's place. Returns the number of prefixes. legal[letter] are the formulas of what is viable after one more
   letter. scratch is reset. */
size_t viable_test(const temper_spec *s, const node_id *legal, const dfa *d, const unsigned char *alive,
                   arena *scratch);

#endif

/* A finite-state formula as two machines that meet at a position. The back machine reads letters from the first to
   the last, for operators that look back. The forward machine reads from the last to the first, for operators that
   look forward. Each remembers what these need. At a position both memories and the letter settle the truth of every
   node, kids first, and with it both machines' next memories: nothing is guessed. Operators may be nested in any way.

   A memory is a vector of numbers, one slot or more for a node that remembers:
       Y Z / X wX            the kid's value at the last position met
       O H S T / F G U R W M the node's own value there
       first / last          whether a position was met
       attention             what was chosen, and whether anything was
       regular languages     the state of the automaton
       remainders            the sum of what was counted, modulo m
       comparisons           the sum of what was counted, saturated where it cannot change the answer any more */
#ifndef DECIDE_MACHINE_H
#define DECIDE_MACHINE_H

#include "logic/formula.h"

typedef uint64_t slot;

typedef struct machine machine;

/* The machines of the nodes below root. The formula must outlive them. */
machine *machine_new(arena *a, const formula *f, node_id root);

/* Numbers of slots. */
size_t machine_back_slots(const machine *m);
size_t machine_forward_slots(const machine *m);
size_t machine_node_count(const machine *m); /* the work of a step */

/* The back memory before the first position and the forward memory after the last one. */
void machine_start(const machine *m, slot *back);
void machine_end(const machine *m, slot *forward);

/* One position: the memory of the letters before it and of those after it, and its letter. Gives out the truth of the
   root here, the back memory after it and the forward memory before it, which may not overlap the inputs. False: a
   comparison met a sum that it was not made for; call machine_widen and begin again. */
bool machine_step(machine *m, bool *truth, slot *back_after, slot *forward_before, const slot *back,
                  const slot *forward, uint32_t letter);

/* After machine_step said false: makes the comparison that failed ready for more sums. Raises TEMPER_UNSUPPORTED,
   naming the comparison, if none is left that has finitely many states. `letters` is for the message. */
void machine_widen(machine *m, const alphabet *letters);

#endif

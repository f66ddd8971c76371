/* The coarsest colouring of states that refines a given one and that all moves respect (Hopcroft 1971). */
#ifndef AUTOMATA_PARTITION_H
#define AUTOMATA_PARTITION_H

#include "base/arena.h"

#include <stdint.h>

/* next[states][moves]. On entry colour[s] < states says which states are told apart at once; on return states have
   the same colour iff no sequence of moves tells them apart. Colours are numbered from 0 in the order of their first
   states. Returns their number. Time O(states * moves * log states), memory O(states * moves). */
uint32_t partition_refine(uint32_t *colour, const uint32_t *next, uint32_t states, uint32_t moves, arena *scratch);

#endif

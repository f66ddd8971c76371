/* Levels whose letters permute tiles: the product of all permutations since the start, by the derived series of their
   group, each quotient a few counters (doc/automata.md, "Groups"). */
#ifndef COMPILE_CASCADE_GROUP_H
#define COMPILE_CASCADE_GROUP_H

#include "automata/group.h"
#include "compile/cascade_terms.h"

/* requires the group of the level's moves, solvable; resets: [value_count], moves: [move_count] conditions; keeps:
   some cell keeps the coordinate. Fills values[value_count]. */
void group_level_values(emitter *e, node_id *values, const chain_level *l, const group *g, const group_series *series,
                        const term_list *resets, const term_list *moves, bool keeps);

#endif

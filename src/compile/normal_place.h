/* phi @ e in normal form. */
#ifndef COMPILE_NORMAL_PLACE_H
#define COMPILE_NORMAL_PLACE_H

#include "compile/normal_form.h"
#include "logic/place.h"

/* Where e is i, i - 1 or i + 1, or is never a position. */
typedef enum place_case { PLACE_READ, PLACE_HERE, PLACE_BEFORE, PLACE_AFTER, PLACE_NOWHERE } place_case;

/* requires an AT node of the source whose counts are normal nodes of g: `sum` has them. Raises where no head reads
   there. *place_node: the AT node of normal form, for PLACE_READ. */
place_case normal_place(node_id *place_node, formula *g, node_id value, const linear_sum *sum,
                        const formula_note *at);

#endif

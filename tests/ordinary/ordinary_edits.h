/* Edits of an ordinary transformer that keep the form which an auditor looks for, or nearly: factors moved between
   queries and keys, values and those who read them; other constants, lengths and frequencies; rows, heads, units and
   columns in another order. What they change is for the audit to see. */
#ifndef TESTS_ORDINARY_EDITS_H
#define TESTS_ORDINARY_EDITS_H

#include "ordinary/lift/lift.h"
#include "ordinary/lower/ordinary_from_model.h"
#include "test.h"

/* One edit of m, which u undid, and of what is claimed of it; its name and numbers are added to `what`. */
void ordinary_edit(struct ordinary_model *m, struct ordinary_options *claim, const lift *u, test_random *r,
                   text *what);

#endif

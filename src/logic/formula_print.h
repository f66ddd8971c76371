/* Formulas as text that parses back. */
#ifndef LOGIC_FORMULA_PRINT_H
#define LOGIC_FORMULA_PRINT_H

#include "logic/formula.h"

/* The whole specification in its own syntax, header lines included. Subformulas that are used more than once and are
   large become definitions, so that the text is linear in the size of the graph. */
void spec_print(text *out, const temper_spec *s);

/* One node on one line for labels and messages, cut with "..." after about `most` characters (0: never cut); names of
   definitions are not used. ATTEND nodes print as "rightmost[j<i, where] value". */
void formula_label(text *out, const formula *f, const alphabet *letters, node_id id, size_t most);

#endif

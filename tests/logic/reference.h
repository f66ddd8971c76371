/* The second oracle: every operator by its definition, quantifier by quantifier, with positions counted from 1 as in
   books. Slow and plain on purpose; it shares nothing with formula_eval.c. */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include "logic/formula.h"

/* truth[i-1] = 1 iff word, i |= root, for i = 1..n. The formula must be small: it recurses. */
void reference_eval(unsigned char *truth, const formula *f, node_id root, const uint32_t *word, size_t n);

#endif

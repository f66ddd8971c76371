/* A formula in other words: the same meaning by laws of the operators, or nearly the same. */
#ifndef TESTS_REWRITE_H
#define TESTS_REWRITE_H

#include "logic/formula.h"
#include "test.h"

/* A copy of root in `to`, each node now and then replaced by something that means the same at every position of every
   word. Nodes `change` (0: none) are replaced by another operator of the same shape, or another set of letters, so
   that the meaning is near. */
node_id rewrite(formula *to, const formula *f, node_id root, node_id change, unsigned letters, test_random *r);

#endif

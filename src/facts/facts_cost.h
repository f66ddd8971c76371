/* What the facts of all lengths cost, and the errors that follow from them: about as many steps as short lengths
   took, growing on as they grew there. A step is an operation with sets, some 400 ns. */
#ifndef FACTS_FACTS_COST_H
#define FACTS_FACTS_COST_H

#include "facts/facts.h"

typedef struct facts_cost {
    size_t length;      /* so far it was tried */
    double steps, half; /* that takes, and half of it */
} facts_cost;

double facts_cost_at(const facts_cost *c, const temper_model *m, size_t length);

/* Tries lengths up to `most`, or fewer if they take a tenth of a second. Raises where there are no facts. */
facts_cost facts_cost_find(const temper_model *m, size_t most, arena *work, arena *scratch);

#endif

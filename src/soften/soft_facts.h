/* Facts about a softened model, from those about the hard model it was made from. A proof is about the model in
   the file, and running that on sets again would take as long as the first time. Softening moves channels; it adds
   tie-breaks (a query row that is a constant, a key row on a soft channel, which is 0 in a hard run); by positions
   it multiplies queries by a power of two. All of this has exact effects. */
#ifndef SOFTEN_SOFT_FACTS_H
#define SOFTEN_SOFT_FACTS_H

#include "bound/choice_facts.h"

enum { CHANNEL_ADDED = UINT32_MAX };

typedef struct soft_model {
    const temper_model *model;
    const uint32_t *source; /* [channels]: of the hard model, or CHANNEL_ADDED */
    const double *factors;  /* [heads]: of the queries, powers of two; NULL: all 1 */
} soft_model;

/* `of_hard` has facts for every length up to `length`; what is found lives in `keep`. */
void soft_facts_find(hard_facts *out, const soft_model *soft, const temper_model *hard, facts *const *of_hard,
                     size_t length, arena *keep, arena *scratch);

#endif

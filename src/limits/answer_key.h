/* What a model ought to answer: what its specification says or, if it carries none, its own hard choices. */
#ifndef LIMITS_ANSWER_KEY_H
#define LIMITS_ANSWER_KEY_H

#include "base/arena.h"
#include "model/model.h"

typedef struct answer_key answer_key;

/* In arena a; the model must outlive it. Raises TEMPER_UNSUPPORTED for a model with neither. */
answer_key *answer_key_new(const temper_model *m, arena *a);

/* truth[i-1]: the answer of an output at position i of 1..n, or of the empty string truth[0]. Of a model that vouches
   for its verdict alone only that one is told, at *from = *to, positions from 1; otherwise *from = 1, *to = n. Of the
   empty string *from = *to = 0. */
void answer_key_truth(unsigned char *truth, size_t *from, size_t *to, answer_key *k, size_t output,
                      const uint32_t *letters, size_t n);

/* About how many nanoseconds that takes, for all outputs. */
double answer_key_cost(const answer_key *k, size_t n);

#endif

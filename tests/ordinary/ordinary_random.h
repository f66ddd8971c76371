/* Ordinary models with random weights, and a forward pass that is written as the papers have it: what writers,
   readers and runtimes are compared with. */
#ifndef TESTS_ORDINARY_RANDOM_H
#define TESTS_ORDINARY_RANDOM_H

#include "base/arena.h"
#include "ordinary/files/ordinary_model.h"
#include "test.h"

/* Sizes are small and drawn, too. tokens: of the letters, NULL-terminated; NULL: "a", "b", "c". */
struct ordinary_model *ordinary_random(test_random *r, enum ordinary_architecture architecture, bool has_factors,
                                       const char *const *tokens, arena *a);

/* Rounds every weight to f16, so that a file of f16 weights loses nothing. */
void ordinary_round(struct ordinary_model *m);

/* logits [n][vocabulary] of token ids ids[0..n), in double precision. */
void ordinary_forward(double *logits, const struct ordinary_model *m, const uint32_t *ids, size_t n, arena *scratch);

#endif

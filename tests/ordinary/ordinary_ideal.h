/* What an undone transformer says in ideal numbers: every head makes its choice exactly, and every step is 0 or 1. It
   is written from doc/ordinary.md, all positions of a layer at once, where the audit goes from letter to letter. */
#ifndef TESTS_ORDINARY_IDEAL_H
#define TESTS_ORDINARY_IDEAL_H

#include "ordinary/lift/lift.h"

/* logits[n + 1][vocabulary] of n letters, tokens[0] being the start; false: a mean that is compared is 0. */
bool ordinary_ideal_run(float *logits, const lift *u, const uint32_t *tokens, size_t n, arena *a);

/* [columns][n + 1] what each column is after the last layer. */
const double *ordinary_ideal_columns(const lift *u, const uint32_t *tokens, size_t n, arena *a);

#endif

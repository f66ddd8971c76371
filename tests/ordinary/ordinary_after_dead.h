/* Strings with <dead>, after which ordinary transformers give all of the probability to <dead>. */
#ifndef TESTS_ORDINARY_AFTER_DEAD_H
#define TESTS_ORDINARY_AFTER_DEAD_H

#include "ordinary/lift/lift.h"
#include "test.h"

/* From some place on tokens become <dead> or </s>: one, some, or all; that place is the result. requires n > 0 */
size_t after_dead_draw(uint32_t *tokens, size_t n, const struct ordinary_model *m, test_random *r);

/* Whether f32 has all of the probability on the last token; else *token has some, or is no number. */
bool after_dead_holds(uint32_t *token, const float *logits, const struct ordinary_model *m);

/* `by` more where a token is neither a letter nor the start, in a row that reads columns: it is 0 on strings of
   letters. */
void after_dead_add(const struct ordinary_model *m, const lift *u, float *row, double by);

#endif

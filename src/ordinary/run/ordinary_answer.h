/* What logits say, compared with the specification. */
#ifndef ORDINARY_RUN_ANSWER_H
#define ORDINARY_RUN_ANSWER_H

#include "logic/formula.h"
#include "ordinary/files/ordinary_model.h"

/* Strings of one ordinary model. */
typedef struct ordinary_answers {
    const struct ordinary_model *m;
    const temper_spec *read; /* whose outputs the model has (ordinary_hard_model) */
    temper_kind kind;        /* of the hard model */
    unsigned char *truth;    /* [outputs][n] of a string of n letters, as temper_spec_eval_outputs has it */
} ordinary_answers;

/* Whether an output holds after so many tokens of a string of n letters. */
bool ordinary_answer_holds(const ordinary_answers *x, size_t output, size_t row, size_t n);

/* Whether logits[vocabulary] after `row` letters are within 4 of what the specification says; of probabilities,
   whether they are on the right side of -64. */
bool ordinary_answer_is_right(const ordinary_answers *x, const float *logits, size_t row, size_t n);

#endif

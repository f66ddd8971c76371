/* What a model is, from its weights, features, masks and choices alone: the role of every head and gate, the Boolean
   meaning of every channel after every layer, and the formula that it computes. Roles, labels and parts of the file
   are claims; nothing is taken from them.

   Recognition is of the ideal numbers: exact weights, exact features, exact softmax. How far computed numbers are
   from those, in a number format, is said by src/bound from the recognised model. */
#ifndef RECOGNISE_RECOGNISE_H
#define RECOGNISE_RECOGNISE_H

#include "recognise/recognised_model.h"

typedef struct recognition recognition;

/* spec: what the model is compared with; NULL: the specification that it carries. (That one may name regular
   languages; compile/regular_expand.h has formulas in their place.) hard: the model as it runs with hard choices.
   Else it is taken as it runs, and its hard choices must be the same function. Lives in arena a; only running out
   of memory raises an error through it. */
recognition *recognise(const temper_model *m, const temper_spec *spec, bool hard, arena *a);

/* Neither a limit nor a lack of memory stopped it so far: it can be asked again as if it were new. */
bool recognition_is_whole(const recognition *r);

/* NULL: it was not recognised. */
const recognised_model *recognition_model(const recognition *r);

/* Why not: a sentence without a full stop; layer and head count from 1, 0: none. */
const char *recognition_reason(const recognition *r, size_t *layer, size_t *head);

/* Recognised: whether the model carries a specification, every output is its answer, and every listed part is what
   its channel holds. If not, *why says so. */
bool recognition_is_formula(const recognition *r, const char **why);

/* Recognised: the formula of an output that was read off the weights, in the syntax of specifications, over the
   model's letters: definitions, and the answer on the last line. NULL: it is too large to write down. Made when first
   asked for. */
const char *recognition_formula(recognition *r, size_t output);

/* Recognised: whether the output holds before the first letter; whether two outputs mean the same after it. */
bool recognition_empty(const recognition *r, size_t output);
bool recognition_same_output(const recognition *r, size_t x, size_t y);

/* Places where rows of logits are read: what they say there. */
typedef struct logit_reading {
    bool possible;         /* there are such places, for all that is known */
    const char *formula;   /* of the places, as recognition_formula has it; NULL: too large, or not asked for */
    const double **values; /* [outputs] all that a row can be there, with exact numbers */
    size_t *counts;        /* [outputs] */
} logit_reading;

/* Recognised: where all logits are near to these numbers, and where exactly these outputs hold, without a formula.
   False: it is too large, and *why is a clause. */
bool recognition_logits_near(recognition *r, logit_reading *out, const double *logits, const char **why);
bool recognition_logits_where(recognition *r, logit_reading *out, const bool *hold, const char **why);

/* The row of an output at the start sentinel; NaN: doubles do not hold it. */
double recognition_logit_at_start(recognition *r, size_t output);

#endif

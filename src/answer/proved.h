/* What is proved of a model's answers, kept in the model: found out length by length as runs need it, by the prover
   of src/bound. Threads may ask at the same time. */
#ifndef ANSWER_PROVED_H
#define ANSWER_PROVED_H

#include "model/model.h"

typedef struct length_proof {
    temper_claim claim; /* TEMPER_CLAIM_NONE: the length is not proved */
    bool every_position;
    bool by_roles; /* so that runs letter by letter are proved, too */
} length_proof;

/* Whether the answers to strings of n letters are proved. `hard`: each head takes its hard choice; a model of method
   hard always does. Raises TEMPER_RANGE where there is no such type, or exact arithmetic is asked for with
   softmax. */
length_proof proved_at(const temper_model *m, temper_type type, bool hard, size_t n, trap *t);

/* The same for runs that need no proof: a model that is not recognised by its roles, whose proof may take a
   second, counts as unproved unless somebody has already found out. */
length_proof proved_cheaply(const temper_model *m, temper_type type, bool hard, size_t n, trap *t);

/* The longest length from n on that is known to be proved without any further work; n must be proved. */
size_t proved_up_to(const temper_model *m, temper_type type, bool hard, size_t n);

/* The proved length, and why it ends there. */
temper_proof proved_longest(const temper_model *m, temper_type type, bool hard, trap *t);

/* How far a logit of a language model may be from the logarithm of the probability that its source gives, wherever
   the answers are proved. What never comes has a probability of exactly 0. Infinity: nothing is proved of logits. */
double proved_logit_error(const temper_model *m, temper_type type, bool hard, trap *t);

/* What the weights say of a head, whatever role the file names; nothing for models that are not recognised by their
   roles. */
typedef struct proved_head {
    temper_growth growth; /* of the role */
    double bound;         /* error before rounding in real arithmetic, of any length; 0 for hard heads */
} proved_head;

/* Layer and head count from 1. */
proved_head proved_head_of(const temper_model *m, size_t layer, size_t head, trap *t);

/* Says that a string of n letters is not proved, and why. */
_Noreturn void proved_refuse(const temper_model *m, temper_type type, bool hard, size_t n, trap *t);

#endif

/* The search for a wrong answer: strings that are hard for softmax attention, run in a number format and compared with the model's
   own specification. */
#ifndef CERTIFY_ADVERSARY_H
#define CERTIFY_ADVERSARY_H

#include "model/model.h"

typedef struct wrong_answer {
    uint32_t *letters;  /* in the arena */
    size_t n, position; /* the first position with a wrong answer, from 1; 0: the verdict on the empty string */
    size_t layer, head; /* the head that is off most, from 1; 0: none in particular */
} wrong_answer;

/* Looks at strings of length at most `longest`; `budget` limits letters times runs. False: none was found. */
bool adversary_find(wrong_answer *out, const temper_model *m, temper_type type, size_t longest, uint64_t budget,
                    arena *a, trap *t);

#endif

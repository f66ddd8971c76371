/* Looks for strings on which a model, run in a number format, answers wrongly, and for short ones among them. A
   search, not a proof: what it does not find may exist. It depends on its arguments alone. */
#ifndef LIMITS_ADVERSARY_H
#define LIMITS_ADVERSARY_H

#include "job/job.h"
#include "model/model.h"

typedef struct wrong_answer {
    uint32_t *letters;  /* n of them, in the arena */
    size_t n, position; /* where the first wrong answer is, from 1; 0: of the empty string */
    size_t output;      /* which one is wrong there, from 0 */
    size_t layer, head; /* at fault, from 1; 0: none */
    temper_why why;
    size_t swept,
        tried; /* also if nothing was found: all lengths were tried up to the first, some up to the second */
} wrong_answer;

typedef struct adversary_options {
    size_t longest;
    uint64_t budget; /* about nanoseconds of one processor */
    uint64_t seed;
    size_t near;            /* a length at which theory expects wrong answers: looked at before the climb; 0: none */
    const job_watch *watch; /* told of the budget that is spent; NULL: nobody */
} adversary_options;

/* False: nothing was found, or *stopped (may be NULL), because the watch said so. */
bool adversary_search(wrong_answer *out, bool *stopped, const temper_model *m, temper_type type,
                      const adversary_options *o, arena *a);

/* The same with a fixed seed. t is the arena's trap. */
bool adversary_find(wrong_answer *out, const temper_model *m, temper_type type, size_t longest, uint64_t budget,
                    arena *a, trap *t);

#endif

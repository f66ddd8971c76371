/* Runs with hard choices that prove their own answers, string by string: exact and guarded. */
#ifndef RUN_HARD_ANSWER_H
#define RUN_HARD_ANSWER_H

#include "number/rational.h"
#include "run/forward.h"

typedef enum hard_way {
    WAY_FAST,   /* plain arithmetic, by the proof of the model */
    WAY_EXACT,  /* rationals */
    WAY_GUARDED /* doubles with bounds */
} hard_way;

/* Fills a run whose sizes are set. The pool is the caller's, to be cleared (before scratch is freed) if an error is
   raised. */
void hard_answer(temper_run *r, hard_way way, const temper_model *m, const uint32_t *letters, size_t n,
                 const temper_run_options *o, rational_pool *pool, arena *scratch);

#endif

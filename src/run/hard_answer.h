/* Runs with hard choices that are proved string by string, as temper_model_run wants them: exact and guarded. */
#ifndef RUN_HARD_ANSWER_H
#define RUN_HARD_ANSWER_H

#include "number/rational.h"
#include "run/forward.h"

typedef enum hard_way {
    WAY_FAST,   /* plain arithmetic, by the proof of the model */
    WAY_EXACT,  /* rationals */
    WAY_GUARDED /* doubles with bounds */
} hard_way;

/* How a run is done. Hard choices of a model that no proof covers (written by hand, or softened for a length) are guarded, or exact
   if the run is captured; a changed file is left to the check of lengths, which refuses it. Raises if an exact run is asked for and
   choices are not hard, or if no string of the model can be run that way. */
hard_way hard_way_of(const temper_model *m, const temper_run_options *o, trap *t);

/* Fills a run whose sizes are set. The pool is the caller's, to be cleared (before scratch is freed) if an error is raised. */
void hard_answer(temper_run *r, hard_way way, const temper_model *m, const uint32_t *letters, size_t n,
                 const temper_run_options *o, rational_pool *pool, arena *scratch);

#endif

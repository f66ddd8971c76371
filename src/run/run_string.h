/* One string on one model: the choice between plans, the dense reference, emulated formats and exact numbers. A run
   does as it is told; what is proved of it is for src/answer to say. */
#ifndef RUN_RUN_STRING_H
#define RUN_RUN_STRING_H

#include "run/forward.h"
#include "run/hard_answer.h"

typedef struct run_request {
    const temper_model *model;
    const uint32_t *letters;
    size_t n;
    const temper_run_options *options; /* `unchecked` is not looked at */
    hard_way way;
    temper_claim claim; /* what the caller has proved of it; an unproved run is warned of doubtful gaps */
    bool every_position;
    /* Not NULL: set where a plan does not hold, and then there is no run and no error. Without it all pairs are
       looked at. */
    bool *unplanned;
} run_request;

/* As temper_model_run, without any check of lengths. */
temper_status run_string(temper_run **out, const run_request *q, temper_error *err);

/* Raises TEMPER_RANGE at the first letter that is not in the alphabet. */
void run_check_letters(const temper_model *m, const uint32_t *letters, size_t n, trap *t);

/* 0: one for each core. */
unsigned run_thread_count(unsigned asked);

#endif

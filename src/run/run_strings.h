/* Many strings on one model, in threads: those of one length side by side, the others each alone. */
#ifndef RUN_RUN_STRINGS_H
#define RUN_RUN_STRINGS_H

#include "run/run_string.h"

/* What is done with a string depends on its length: shorter ones than `proved` are run in one way, others in another
   or not at all. */
typedef struct strings_request {
    const temper_run_options *options; /* `unchecked` and `capture` are not looked at; f64, f32 or exact */
    size_t proved;                     /* 0: of no string anything is proved */
    hard_way way, beyond;
    bool refuse; /* strings beyond are not run */
} strings_request;

/* accept[k] = 0, 1, or 2 where a string is not run or is refused because rounding hides a tie. Raises what a run of
   one string would say. Results do not depend on threads or on how strings are put together. */
void run_strings(unsigned char *accept, const temper_model *m, const uint32_t *const *letters, const size_t *n,
                 size_t count, const strings_request *q, arena *memory);

#endif

/* Strings of one length run side by side: position features, scales and memory are made once per length, and every
   loop goes over all strings at once. The truth and the margins of a string have the bits of a run of its own,
   whatever runs beside it. */
#ifndef RUN_BATCH_H
#define RUN_BATCH_H

#include "run/execute.h"

enum { BATCH_MOST = 64 }; /* strings at a time, at most */

typedef struct batch {
    size_t n, size;       /* N */
    size_t lanes;         /* strings at a time */
    unsigned char *truth; /* [outputs][N][lanes] */
    double *margins;      /* [heads][lanes], -1 where values are no Booleans */
    temper_type type;
    void *runner;
} batch;

/* How many strings of N positions are best run at a time; 0: each alone, because a head needs all pairs or strings
   are long. */
size_t batch_lanes(const model_plan *plan, size_t size);

/* For strings of length n, `strings` of them at a time or batch_lanes, which must not be 0, if that is less.
   Everything is allocated here, in arena a; model and plan must outlive the batch, and the plan must be made with the
   same `hard`. One thread runs a batch. */
void batch_init(batch *b, const temper_model *m, const model_plan *plan, size_t n, size_t strings, bool hard,
                temper_type type, arena *a);

/* Strings 0..count-1, count from 1 to lanes; letters must be in the alphabet. False: for some string a plan's
   precondition does not hold or a number is not finite; then nothing is known, and a run of each string says
   which. */
bool batch_run(batch *b, const uint32_t *const *letters, size_t count);

/* ---- putting equal lengths together ---- */

/* Strings order[first] ... order[first + count - 1] have length n. */
typedef struct batch_group {
    size_t first, count, n;
} batch_group;

typedef struct batch_groups {
    size_t *order; /* [strings in groups] */
    batch_group *groups;
    size_t count, capacity;
} batch_groups;

/* Groups of the strings that are run side by side, at most batch_lanes each, those of a length after each other, the
   largest first. Two or three strings of a length are not worth it, and are in no group. */
void batch_group_lengths(batch_groups *g, const size_t *n, size_t count, const model_plan *plan, size_t sentinels,
                         arena *a);

/* ---- one per number format, in execute_f64.c and execute_f32.c ---- */

void *batch_new_f64(const batch *b, const temper_model *m, const model_plan *plan, bool hard, arena *a);
void *batch_new_f32(const batch *b, const temper_model *m, const model_plan *plan, bool hard, arena *a);
bool batch_run_f64(void *runner, const uint32_t *const *letters, size_t count);
bool batch_run_f32(void *runner, const uint32_t *const *letters, size_t count);

#endif

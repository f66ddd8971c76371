/* Experiments as a job (base/job.h): the units of every experiment named, for every seed. */
#ifndef LAB_LAB_JOB_H
#define LAB_LAB_JOB_H

#include "job/journal.h"
#include "lab/lab.h"

/* An experiment with a seed. Runs are numbered by seeds, then by names. */
typedef struct lab_run_plan {
    const lab_experiment *experiment;
    uint64_t seed, first; /* unit */
    size_t units;
} lab_run_plan;

typedef struct lab_plan {
    const lab_experiment **experiments;
    size_t count;
    uint64_t seed, seeds;
    bool sweep, quick; /* sweep: of claims only */
    uint64_t *firsts;  /* [count + 1] units of an experiment, within a seed */
    const char *folder;
    /* With a folder there is one seed: */
    lab_outcome *outcomes; /* [count] of those that it had from before */
    bool *had, *written;   /* [count] */
} lab_plan;

extern const job_kind lab_kind;

lab_run_plan lab_plan_run(const lab_plan *p, uint64_t index);
/* Puts a run together, in a zeroed lab whose arena is initialised; all its units must be known. */
void lab_plan_fill(lab *l, const lab_plan *p, const temper_journal *journal, uint64_t index, arena *scratch);
/* The same in a lab that is freed with the arena. */
lab *lab_plan_assemble(const lab_plan *p, const temper_journal *journal, uint64_t index, arena *a);

/* Fills a zeroed lab, whose arena is initialised, with the claims of a sweep (lab_sweep.c). */
void lab_sweep(lab *out, const lab_plan *p, const temper_journal *journal, arena *scratch);

#endif

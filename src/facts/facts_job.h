/* Facts of all lengths up to one as a job (job/job.h): a unit is a range of lengths, its result what is found of them
   or why nothing is. So a proof that takes minutes can be stopped and goes on from its journal. */
#ifndef FACTS_FACTS_JOB_H
#define FACTS_FACTS_JOB_H

#include "facts/facts.h"
#include "job/journal.h"

/* Raises TEMPER_RANGE through the trap of `keep` unless the journal is complete, of a job of this model, and about
   length `last`. */
void facts_job_check(const temper_journal *journal, const temper_model *m, size_t last, trap *t);

/* out[n] for first <= n <= last, as facts_lengths_find has them, from such a journal. They live in `keep`, through
   whose trap errors are raised that were met while they were found. */
void facts_job_take(facts **out, const subject_model *s, const temper_journal *journal, size_t first, size_t last,
                    arena *keep);

#endif

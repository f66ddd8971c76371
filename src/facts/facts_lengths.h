/* Facts of many lengths, by several threads: each takes lengths that follow each other, with a run of its own. */
#ifndef FACTS_FACTS_LENGTHS_H
#define FACTS_FACTS_LENGTHS_H

#include "facts/facts.h"

/* Called in the thread that asked, from time to time, with the number of lengths that are done; true: stop. */
typedef bool facts_report(void *context, size_t done);

/* out[n] for first <= n <= last, as facts_run_next finds them, bit for bit, for any number of threads (0: one for
   each core). They live in `keep`, through whose trap errors are raised: that of the shortest length if there are
   several. False: it was stopped, and nothing is found. */
bool facts_lengths_find(facts **out, const subject_model *s, size_t first, size_t last, unsigned threads,
                        facts_report *report, void *context, arena *keep);

/* So many threads are worth while: 1 if what a length needs is found on the way to it anyhow, since features and
   masks do not look at the length. */
unsigned facts_lengths_threads(const temper_model *m, size_t first, size_t last, unsigned threads);

#endif

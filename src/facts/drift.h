/* What drift.c and drift_head.c share. */
#ifndef FACTS_DRIFT_H
#define FACTS_DRIFT_H

#include "facts/set_run.h"

/* In units; *most is kept the largest size. False: no integer, or too large. */
bool drift_number(facts_run *p, int64_t *out, int64_t *most, const rational *x);
bool drift_numbers(facts_run *p, drift_set *out, int64_t *most, const spread *x, const rational *moves);

/* Whether numbers up to `most` can be taken t times and added, twice. */
bool drift_fits(int64_t most, int64_t t);

/* The set before it is moved, and where it is at a length. */
void drift_base(spread *out, const drift_set *x);
void drift_spread(spread *out, const drift_set *x, int64_t t);

/* Where sets begin and end at a length, and on which grid they lie. */
void drift_known(facts_run *p, known *out, const drift_set *sets, size_t count, int64_t t);

void drift_head_init(facts_run *p, set_head *w, drift_channel *c, uint32_t d);

#endif

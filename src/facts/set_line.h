/* What set_line.c and set_line_head.c share. */
#ifndef FACTS_SET_LINE_H
#define FACTS_SET_LINE_H

#include "facts/set_run.h"

/* In units; *most is kept the largest size. False: no integer, or too large. */
bool line_number(facts_run *p, int64_t *out, int64_t *most, const rational *x);
bool line_numbers(facts_run *p, line_set *out, int64_t *most, const spread *x, const rational *moves);

/* Whether numbers up to `most` can be taken t times and added, twice. */
bool line_fits(int64_t most, int64_t t);

/* The set before it is moved, and where it is at a length. */
void line_base(spread *out, const line_set *x);
void line_spread(spread *out, const line_set *x, int64_t t);

/* Where sets begin and end at a length, and on which grid they lie. */
void line_known(facts_run *p, known *out, const line_set *sets, size_t count, int64_t t);

void line_head_init(facts_run *p, set_head *w, line_channel *c, uint32_t d);

#endif

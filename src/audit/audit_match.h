/* Attention whose candidates have the pattern of i: what it means, from diagrams of its conditions. */
#ifndef AUDIT_AUDIT_MATCH_H
#define AUDIT_AUDIT_MATCH_H

#include "audit/audit.h"

/* The value at the last (first) j of the mask such that there[k] at j is here[k] at i for every k; false if there is
   none. Raises where more patterns are told apart than it lists. */
dd audit_alike(meaning *m, temper_mask mask, bool last, const dd *there, const dd *here, size_t count, dd value);

/* Whether a Boolean channel is among the terms of the head's queries: then it looks for a pattern. */
bool audit_is_match(audit *a, const model_head *h, uint32_t layer, uint32_t number);

/* doc/certificate.md, "Match": what the head of f reads, and M and W. */
void audit_match_head(audit *a, audit_head *f, const feature *scale, content *made);

#endif

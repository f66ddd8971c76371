/* The error of each kind of head before rounding: doc/certificate.md, "Softmax rows, with rounding", and one heading
   for each kind. */
#ifndef BOUND_ROLE_BOUNDS_H
#define BOUND_ROLE_BOUNDS_H

#include "bound/quantity.h"

typedef struct head_certificate {
    const ball *logit, *rounding, *error; /* X, E, D */
    const char *failure;                  /* a condition that does not hold, as "it ..."; NULL: all hold */
} head_certificate;

head_certificate head_certify(const bounds *b, const head_shape *s);

/* The same for hard choices: "Hard runs". */
head_certificate head_certify_hard(const bounds *b, const head_shape *s);

/* The same for a nearest head of which `rest` bounds what all losers weigh together, and `logit` all logits: "every
   length". */
head_certificate head_certify_rest(const bounds *b, double rest, double logit);

/* How far a pair of units that rounds may be off, from the errors of the heads that it reads: "Gates". */
const ball *ramp_bound(const bounds *b, const ramp_shape *r, const head_certificate *heads);

#endif

/* A proof that a head with a softmax scale of one's own is right on every string of one length, in a number format
   (doc/certificate.md, "Scales of one's own"). */
#ifndef LAB_SCALE_PROOF_H
#define LAB_SCALE_PROOF_H

#include "lab/schedules.h"

typedef struct scale_proof scale_proof;

/* Of a compiled model by temperature, whose own scales do not matter. Lives in the arena, as all that it says. */
scale_proof *scale_proof_begin(const temper_model *m, temper_type type, arena *a);

/* Whether every answer is right at every letter of every string of size - 1 letters (size - 2 with an end sentinel),
   if each row of the operator's heads has a scale between these two. The largest error of a head, above which 1/4 is
   too much; or why nothing is proved. */
bool scale_proof_holds(scale_proof *p, size_t size, double low, double high, double *error, const char **why);

#endif

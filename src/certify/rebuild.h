/* Whether a model is what the compiler makes of the specification it carries: made again and compared number by number. */
#ifndef CERTIFY_REBUILD_H
#define CERTIFY_REBUILD_H

#include "certify/certification.h"

/* The model's own specification, read with the model's settings; NULL if there is none, or it is not one, or has other letters.
   Freed with c's arena. */
const temper_spec *rebuild_spec(const temper_model *m, arena *a);

/* NULL: it is; else what differs, in a few words. */
const char *rebuild_difference(certification *c);

#endif

/* Proofs for models that do not come from a formula as they are: edited by hand, written by hand, or softened from any hard model. The
   claim is equality with the model's own hard choices (doc/certificate.md, section 8). */
#ifndef CERTIFY_CHOICES_H
#define CERTIFY_CHOICES_H

#include "bound/certification.h"

/* Ends with the verdict set: proved with the file written, or unable with a reason. */
void certify_choices(certification *c);

#endif

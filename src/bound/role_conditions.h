/* What a number format must hold of a recognised model, whatever the length: doc/certificate.md, "Gates" and
   "Quantities". */
#ifndef BOUND_ROLE_CONDITIONS_H
#define BOUND_ROLE_CONDITIONS_H

#include "bound/certification.h"
#include "recognise/recognised_model.h"

/* False: something does not fit the type of c, and c says what. */
bool role_conditions(certification *c, const recognised_model *s);

#endif

/* Certificates of ordinary transformers, written from doc/ordinary.md, "The certificate": what tests hand to the
   audit, with hints that fit the file. */
#ifndef TESTS_ORDINARY_CERTIFICATE_PAGE_H
#define TESTS_ORDINARY_CERTIFICATE_PAGE_H

#include "logic/formula.h"
#include "ordinary/lift/lift.h"
#include "ordinary/lower/ordinary_from_model.h"

/* Of the file `bytes`, which holds m, and which u undoes. */
void ordinary_certificate_page(text *out, const struct ordinary_options *o, const temper_spec *read,
                               const struct ordinary_model *m, const lift *u, const text *bytes);

#endif

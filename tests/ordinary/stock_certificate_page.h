/* Certificates of ordinary transformers, written from doc/stock.md, "The certificate": what tests hand to the audit, with
   hints that fit the file. */
#ifndef TESTS_STOCK_CERTIFICATE_PAGE_H
#define TESTS_STOCK_CERTIFICATE_PAGE_H

#include "logic/formula.h"
#include "ordinary/lift/lift.h"
#include "ordinary/lower/ordinary_from_model.h"

/* Of the file `bytes`, which holds m, and which u undoes. */
void stock_certificate_page(text *out, const struct stock_options *o, const temper_spec *read,
                            const struct stock_model *m, const undo *u, const text *bytes);

#endif

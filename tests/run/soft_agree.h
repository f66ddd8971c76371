/* What tests of softened models share: exact run = floating hard run = soft run, within the proved bound. */
#ifndef TESTS_SOFT_AGREE_H
#define TESTS_SOFT_AGREE_H

#include "temper.h"
#include "test.h"

typedef struct soft_totals {
    size_t proved, refused, everywhere, strings;
    size_t told, untold; /* floating hard runs that decide, and that cannot tell */
    double worst;        /* the largest measured/proved error */
} soft_totals;

/* The floating hard run agrees with the exact one, or says that it cannot tell. */
bool soft_agree_hard(soft_totals *sum, const char *name, const temper_model *hard, const uint32_t *word, size_t n);

/* Softens, and compares on all strings to length `all` and on `random` ones to o->length; a refusal must name a
   length. Returns whether it was proved. */
bool soft_agree(soft_totals *sum, const char *name, const temper_model *hard, const temper_soften_options *o,
                size_t all, size_t random, test_random *r);

void soft_totals_print(const char *what, const soft_totals *t);

#endif

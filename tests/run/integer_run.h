/* Hard transformers in fractions of 64-bit integers, by the definitions and with none of the runners' code: a second
   opinion for strings of a thousand letters, where rationals of any size take seconds. */
#ifndef TESTS_INTEGER_RUN_H
#define TESTS_INTEGER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "temper.h"

/* Whether the model accepts the string. False: a number did not fit, or a feature is not rational. Not for several
   threads. */
bool integer_run(bool *accepts, const temper_model *m, const uint32_t *letters, size_t n);

#endif

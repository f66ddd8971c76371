/* A build that is not offered to callers of the library. */
#ifndef SOFTEN_BUILD_H
#define SOFTEN_BUILD_H

#include "temper.h"

/* As temper_build, of a hard model in which every head that steps goes one position back or ahead. One that goes
   several tells positions apart by their remainders, which not every architecture knows. */
temper_status build_with_single_steps(temper_model **out, const temper_spec *spec, temper_error *err);

#endif

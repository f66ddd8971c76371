/* What may help against an error, in words of the command line. */
#ifndef CLI_REMEDY_WORDS_H
#define CLI_REMEDY_WORDS_H

#include "temper.h"

/* The error's own hint where it has no remedy; never NULL. */
const char *error_hint(const temper_error *err);

#endif

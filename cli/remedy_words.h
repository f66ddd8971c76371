/* What may help against an error, in words of the command line. */
#ifndef CLI_REMEDY_WORDS_H
#define CLI_REMEDY_WORDS_H

#include <stddef.h>

#include "temper.h"

/* The error's own hint where it has no remedy; never NULL. */
const char *error_hint(const temper_error *err);

/* The text in words of the prompt, :alphabet instead of --alphabet. Returns `out`. */
const char *words_at_prompt(char *out, size_t size, const char *text);

#endif

/* What the tests of the two program syntaxes share: parsing, counting through words, and a program's truths. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include "temper.h"

/* NULL and a failed check if it does not parse. */
temper_spec *program_parse(const char *source, temper_syntax syntax);

/* w counts up in base |letters|, then gets longer; false when it would pass the longest length. */
bool program_next_word(char *w, const char *letters, size_t longest);

/* The verdict on a word, and its truths if asked for; -1 if the word has a letter that is not in the alphabet. */
int program_truths(unsigned char *truth, const temper_spec *spec, const char *w);

#endif

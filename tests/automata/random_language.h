/* Random sources that name regular languages: expressions, tables of automata, and formulas with both inside. Their
   letters favour characters that mean something in expressions. */
#ifndef TESTS_RANDOM_LANGUAGE_H
#define TESTS_RANDOM_LANGUAGE_H

#include "temper.h"
#include "test.h"

/* NULL: this one cannot be read (two moves of a table that differ, a formula that must be told where it is read). */
temper_spec *random_language(test_random *r);

/* Some bytes of an expression, changed: a letter, an operator, a bracket more or less. `size` bytes at `at`; the
   result has at most `room` bytes with its NUL, and no quotes, so that it fits into a line of a model. */
void change_language(char *out, size_t room, const char *at, size_t size, test_random *r);

#endif

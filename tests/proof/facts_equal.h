/* Whether facts of one length that were found in two ways are the same, bit for bit. */
#ifndef TESTS_FACTS_EQUAL_H
#define TESTS_FACTS_EQUAL_H

#include "facts/facts.h"

/* Checks, and says what differs; `source` is shown. */
bool facts_are_equal(const char *source, const subject_model *s, const facts *x, const facts *y);

#endif

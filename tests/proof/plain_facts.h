/* Facts by sets, found the long way: what src/facts is compared with. */
#ifndef TESTS_PLAIN_FACTS_H
#define TESTS_PLAIN_FACTS_H

#include "facts/facts.h"

/* For all strings of length n. The pool and its arena may be cleared afterwards. */
extern double plain_facts_most; /* the steps that a length may take, beyond which it is refused: tests are short */
facts *plain_facts(const subject_model *s, size_t n, rational_pool *pool, arena *keep);

#endif

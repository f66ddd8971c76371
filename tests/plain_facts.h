/* Facts by sets, found the long way: what src/facts is compared with. */
#ifndef TESTS_PLAIN_FACTS_H
#define TESTS_PLAIN_FACTS_H

#include "facts/facts.h"

/* For all strings of length n. The pool and its arena may be cleared afterwards. */
facts *plain_facts(const subject_model *s, size_t n, rational_pool *pool, arena *keep);

#endif

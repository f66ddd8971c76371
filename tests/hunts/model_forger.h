/* A model's text, changed as a forger would change it: features in other dresses, numbers at the ends of their range,
   terms moved between rows, rows and heads moved between places, other masks, scales, choices, sentinels, sources and
   parts. */
#ifndef TESTS_MODEL_FORGER_H
#define TESTS_MODEL_FORGER_H

#include "test.h"

/* One to three changes; the digest is put right, or left out. Freed with free. */
char *forge_model(const char *honest, test_random *r);

#endif

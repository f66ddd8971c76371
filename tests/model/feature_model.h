/* Random models made of features: those that models of the gallery have, queries of a constant or of what a layer
   found, and keys of features alone or with a letter, so that keys bend, are of few kinds, or have remainders that
   rise. */
#ifndef TESTS_FEATURE_MODEL_H
#define TESTS_FEATURE_MODEL_H

#include "base/text.h"
#include "test.h"

/* Letters a and b; channel 0 is 1. */
void feature_model_text(text *t, test_random *r);

#endif

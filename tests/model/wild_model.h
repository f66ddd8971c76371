/* Random soft transformers as text, made to be certified and then to go wrong: models that are sharp in exact
   arithmetic, whose numbers are moved to the ends of a format's range, doubled, merged, rounded or thrown away. */
#ifndef TESTS_WILD_MODEL_H
#define TESTS_WILD_MODEL_H

#include "random_model.h"

/* Letters are a, b, c, …; the numbers are near what a format with this storage can hold: exponents in ±reach. */
void wild_model_text(char text[RANDOM_MODEL_TEXT], test_random *r, int reach);

#endif

/* The digits method: heads whose logits are exact though numbers are stored in a short format (model/digits.h). */
#ifndef SOFTEN_SOFTEN_DIGITS_H
#define SOFTEN_SOFTEN_DIGITS_H

#include "soften/soften_build.h"

void soften_nearest_digits(softener *s, model_head *h);

/* Raises TEMPER_UNSUPPORTED unless every gate of the hard model is exact in the storage format. Then a head output
   is rounded alone, by relu(2a + 2r - 5/2) - relu(2a + 2r - 7/2), and all other sums of Booleans are whole numbers
   that the format holds. */
void soften_require_gates(const softener *s);

#endif

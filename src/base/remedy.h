/* What may help against an error, in words that fit every caller of the library. */
#ifndef BASE_REMEDY_H
#define BASE_REMEDY_H

#include "temper.h"

const char *remedy_words(temper_remedy remedy);

#endif

/* Looking for a string whose answer in the number format is not that of the model's hard choices. */
#ifndef CERTIFY_CHOICES_SEARCH_H
#define CERTIFY_CHOICES_SEARCH_H

#include "bound/certification.h"

/* All short strings, and random longer ones; if one is found the verdict is "refuted". The arenas are work. */
void general_search(certification *c, arena *one, arena *scratch);

#endif

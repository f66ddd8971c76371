/* Looking for a string whose answer in the number format is not that of the model's hard choices. */
#ifndef CERTIFY_CHOICES_SEARCH_H
#define CERTIFY_CHOICES_SEARCH_H

#include "bound/certification.h"

/* Runs all short strings and random longer ones. If it finds a string, the verdict is "refuted"; a search that cannot
   go on has found nothing. */
void choices_search(certification *c);

#endif

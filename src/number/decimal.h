/* Decimal digits as exact numbers, for readers that know already which characters are digits. */
#ifndef NUMBER_DECIMAL_H
#define NUMBER_DECIMAL_H

#include "number/rational.h"

enum { DECIMAL_DIGITS = 1000 }; /* callers read no more */

/* z = the whole number that the digits spell; then z divided by 10^places. */
void decimal_set(rational *z, rational_pool *p, const char *digits, size_t count);
void decimal_shift(rational *z, size_t places);

#endif

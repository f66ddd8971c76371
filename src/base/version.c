#include "temper.h"

/* Lengths are proved up to 2^40, and sums are made in 128 bits. */
_Static_assert(sizeof(size_t) == 8, "temper needs a machine with 64-bit sizes");

#define STRING(x)       #x
#define DOTTED(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

const char *temper_version(void) { return DOTTED(TEMPER_VERSION_MAJOR, TEMPER_VERSION_MINOR, TEMPER_VERSION_PATCH); }

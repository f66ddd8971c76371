#include "temper.h"

#define STRING(x)       #x
#define DOTTED(a, b, c) STRING(a) "." STRING(b) "." STRING(c)

const char *temper_version(void) { return DOTTED(TEMPER_VERSION_MAJOR, TEMPER_VERSION_MINOR, TEMPER_VERSION_PATCH); }

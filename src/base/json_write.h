/* Writing JSON: the things about it that can go wrong, strings and decimal points. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/text.h"

/* In double quotes; quote, backslash and control characters escaped, other characters as they are. Raises
   TEMPER_FORMAT if the bytes are not UTF-8. */
void jwrite_string(text *out, const char *bytes, size_t length);

/* A finite number that reads back as the same double, whatever the program's locale takes for a decimal point. */
void jwrite_number(text *out, double x);

#endif

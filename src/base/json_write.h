/* Writing JSON: the one thing about it that can go wrong, strings. */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/text.h"

/* In double quotes; quote, backslash and control characters escaped, other characters as they are. Raises
   TEMPER_FORMAT if the bytes are not UTF-8. */
void jwrite_string(text *out, const char *bytes, size_t length);

#endif

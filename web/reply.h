/* What the shim says to JavaScript: one text at a time, in JSON. */
#ifndef WEB_REPLY_H
#define WEB_REPLY_H

#include <stddef.h>
#include "temper.h"

void reply_begin(void);
void reply_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* as it is */
void reply_string(const char *s);                                               /* in quotes, escaped; NULL: null */
void reply_bytes(const char *s, size_t length);                                 /* the same */
void reply_field(const char *name);            /* a comma where one is needed, and the name */
void reply_number(const char *name, double x); /* a field; "Infinity", "-Infinity" and "NaN" are strings */
void reply_words(const char *name, const char *s);
void reply_error(const temper_error *err); /* the whole reply */

#endif

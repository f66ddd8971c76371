/* Bytes that a test changes: a copy of its own, and pieces put in place of others. */
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include <stddef.h>

typedef struct bytes {
    char *data; /* with a NUL behind it */
    size_t length;
} bytes;

bytes copy_of(const bytes *b, size_t room); /* room: more bytes that fit behind it; freed with free */
void splice(bytes *b, size_t at, size_t length, const char *with); /* `with` in place of length bytes */

#endif

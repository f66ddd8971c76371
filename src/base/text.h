/* Text that grows in an arena, UTF-8, and the one place where user text is made safe to show. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include "base/arena.h"
#include "base/print.h"

typedef struct text {
    arena *arena;
    char *data; /* always NUL-terminated once something was added */
    size_t length, capacity;
} text;

void text_init(text *t, arena *a);
void text_add(text *t, const char *bytes, size_t length);
void text_puts(text *t, const char *string);
void text_putc(text *t, char c);
void text_printf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *text_string(const text *t); /* "" when empty */

/* A double as a hexadecimal literal that reads back to the same bits ("0x1.8p+0", "-0x0p+0"), or as a plain integer
   when it is one below 2^53. */
void text_double(text *t, double x);

/* One UTF-8 character at bytes[0..length): its length 1..4 and code point, or 0 if it is invalid (overlong,
   surrogate, truncated, beyond U+10FFFF). */
size_t utf8_decode(uint32_t *code, const char *bytes, size_t length);
size_t utf8_encode(char out[4], uint32_t code);

/* Bytes made printable on one line: control characters and invalid bytes as \xHH or \u{...}, bidirectional and
   zero-width controls too; cut after `most` characters with "..." (0: never cut). Lives in the arena. */
const char *text_escaped(arena *a, const char *bytes, size_t length, size_t most);

#endif

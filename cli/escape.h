/* Characters: UTF-8, how wide they stand in a terminal, and user text made safe to show on one line. */
#ifndef CLI_ESCAPE_H
#define CLI_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The character at bytes[0..length), length > 0: its size in bytes. Invalid UTF-8 is one byte with *valid false. */
size_t char_decode(uint32_t *code, bool *valid, const char *bytes, size_t length);

/* Control, reordering and invisible characters, which could move the cursor or hide what stands beside them. */
bool char_is_unshowable(uint32_t code);

/* Columns in a terminal: 0, 1 or 2. */
int char_width(uint32_t code);

/* One character as it is shown: itself or an escape; returns the columns it takes. `out` gets at most 16 bytes and
   a NUL. A backslash is doubled, if `reversible`. */
int char_show(char out[24], size_t *size, const char *bytes, size_t length, bool reversible);

/* Text on one line. Bytes that cannot be shown become \n, \t, \r or \xHH, and a backslash becomes two, so that the
   text can be recovered. `most` characters, then "..."; 0: all. */
void escape_write(FILE *to, const char *bytes, size_t length, size_t most);

/* The same for people: backslashes stay. Returns the columns written. */
size_t show_write(FILE *to, const char *bytes, size_t length, size_t most);
/* The columns show_write would use. */
size_t show_width(const char *bytes, size_t length, size_t most);

#endif

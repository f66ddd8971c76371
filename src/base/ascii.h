/* Kinds of characters, the same in every locale: those of <ctype.h> are not. */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool ascii_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool ascii_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool ascii_is_name(char c) { return ascii_is_digit(c) || ascii_is_letter(c); }
static inline bool ascii_is_hex(char c) {
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static inline char ascii_small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Whether two strings are the same but for capitals, up to `most` characters. */
static inline bool ascii_same(const char *x, const char *y, size_t most) {
    for (size_t k = 0; k < most; k++) {
        if (ascii_small(x[k]) != ascii_small(y[k])) return false;
        if (!x[k]) return true;
    }
    return true;
}

#endif

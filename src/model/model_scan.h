/* The words of the text form of a model: lines of blank-separated words, quoted texts and numbers. */
#ifndef MODEL_MODEL_SCAN_H
#define MODEL_MODEL_SCAN_H

#include "base/text.h"

typedef struct scanner {
    arena *scratch; /* for texts of messages */
    trap *trap;
    const char *bytes;
    size_t length, at; /* at: next byte */
    size_t line, line_start;
    size_t word_at; /* where the last word began, for messages */
} scanner;

/* Raise TEMPER_FORMAT at a byte of the current line; scan_expected adds what stands there instead. */
_Noreturn void scan_fail(const scanner *s, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void scan_expected(const scanner *s, size_t at, const char *what);

/* The column of a byte of the current line, counted in characters from 1. */
size_t scan_column(const scanner *s, size_t at);

bool scan_at_line_end(const scanner *s);
void scan_next_line(scanner *s);
void scan_end_line(scanner *s); /* nothing but blanks may be left */

/* The next blank-separated word of the line, not NUL-terminated; length 0 at the end of the line. */
size_t scan_word(scanner *s, const char **word);
bool scan_word_is(const char *word, size_t length, const char *expected);
bool scan_accept(scanner *s, const char *expected);
void scan_require(scanner *s, const char *expected);

/* One of the words of a NULL-terminated list: its index. `what` lists them for the message. */
unsigned scan_choice(scanner *s, const char *const *words, const char *what);

/* A double in a word that was read at byte `at`. */
double scan_double(const scanner *s, const char *word, size_t length, size_t at);
uint64_t scan_integer(scanner *s, uint64_t least, uint64_t most, const char *what);
uint64_t scan_hex64(scanner *s); /* 16 digits */

/* A text in double quotes, unescaped, valid UTF-8 without NUL, into arena a. */
char *scan_quoted(scanner *s, arena *a, const char *what);

#endif

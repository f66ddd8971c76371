#include "model/model_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* ---- messages ---- */

size_t scan_column(const scanner *s, size_t at) {
    size_t column = 1;
    for (size_t k = s->line_start; k < at; column++) {
        uint32_t code;
        size_t size = utf8_decode(&code, s->bytes + k, at - k);
        k += size ? size : 1;
    }
    return column;
}

_Noreturn void scan_fail(const scanner *s, size_t at, const char *format, ...) {
    char message[240];
    va_list args;
    va_start(args, format);
    print_list(message, sizeof message, format, args);
    va_end(args);
    trap_raise(s->trap, TEMPER_FORMAT, s->line, scan_column(s, at), "%s", message);
}

_Noreturn void scan_expected(const scanner *s, size_t at, const char *what) {
    size_t end = at;
    while (end < s->length && s->bytes[end] != '\n' && !is_blank(s->bytes[end]) && end < at + 100) end++;
    if (end == at) scan_fail(s, at, "expected %s, found the end of the line", what);
    scan_fail(s, at, "expected %s, found '%s'", what, text_escaped(s->scratch, s->bytes + at, end - at, 24));
}

/* ---- words ---- */

bool scan_at_line_end(const scanner *s) { return s->at >= s->length || s->bytes[s->at] == '\n'; }

static void skip_blanks(scanner *s) {
    while (!scan_at_line_end(s) && is_blank(s->bytes[s->at])) s->at++;
}

void scan_next_line(scanner *s) {
    while (!scan_at_line_end(s)) s->at++;
    if (s->at < s->length) s->at++;
    s->line_start = s->at;
    s->line++;
}

void scan_end_line(scanner *s) {
    skip_blanks(s);
    if (!scan_at_line_end(s)) scan_expected(s, s->at, "the end of the line");
}

size_t scan_word(scanner *s, const char **word) {
    skip_blanks(s);
    s->word_at = s->at;
    *word = s->bytes + s->at;
    while (!scan_at_line_end(s) && !is_blank(s->bytes[s->at])) s->at++;
    return s->at - s->word_at;
}

bool scan_word_is(const char *word, size_t length, const char *expected) {
    return strlen(expected) == length && memcmp(word, expected, length) == 0;
}

bool scan_accept(scanner *s, const char *expected) {
    const char *word;
    size_t length = scan_word(s, &word);
    if (scan_word_is(word, length, expected)) return true;
    s->at = s->word_at;
    return false;
}

void scan_require(scanner *s, const char *expected) {
    if (!scan_accept(s, expected)) scan_expected(s, s->word_at, expected);
}

unsigned scan_choice(scanner *s, const char *const *words, const char *what) {
    const char *word;
    size_t length = scan_word(s, &word);
    for (unsigned k = 0; words[k]; k++)
        if (scan_word_is(word, length, words[k])) return k;
    scan_expected(s, s->word_at, what);
}

/* ---- numbers ---- */

double scan_double(const scanner *s, const char *word, size_t length, size_t at) {
    enum { LONGEST = 79 };
    double x;
    size_t sign = length && (word[0] == '-' || word[0] == '+');
    if (length <= sign || !(is_digit(word[sign]) || word[sign] == '.')) scan_expected(s, at, "a number");
    if (length > LONGEST) scan_fail(s, at, "a number of more than %d characters", LONGEST);
    if (!text_to_double(&x, word, length)) scan_expected(s, at, "a number");
    if (!isfinite(x)) scan_fail(s, at, "a number too large for a double");
    return x;
}

uint64_t scan_integer(scanner *s, uint64_t least, uint64_t most, const char *what) {
    const char *word;
    size_t length = scan_word(s, &word);
    uint64_t x = 0;
    bool fits = length > 0;
    for (size_t k = 0; k < length && fits; k++)
        fits = is_digit(word[k]) && !__builtin_mul_overflow(x, 10, &x) &&
               !__builtin_add_overflow(x, (uint64_t)(word[k] - '0'), &x) && x <= most;
    if (!fits || x < least) scan_expected(s, s->word_at, what);
    return x;
}

static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

uint64_t scan_hex64(scanner *s) {
    const char *word;
    size_t length = scan_word(s, &word);
    uint64_t x = 0;
    bool fits = length == 16;
    for (size_t k = 0; k < length && fits; k++) {
        fits = hex_digit(word[k]) >= 0;
        x = x << 4 | ((unsigned)hex_digit(word[k]) & 15u);
    }
    if (!fits) scan_expected(s, s->word_at, "16 hexadecimal digits");
    return x;
}

/* ---- quoted texts ---- */

/* The byte that an escape stands for; *k is at the backslash and moves to the escape's last byte. */
static char unescape(const scanner *s, size_t *k, size_t end) {
    const char *b = s->bytes;
    size_t at = (*k)++;
    switch (b[*k]) {
    case 'n': return '\n';
    case 't': return '\t';
    case '"':
    case '\\': return b[*k];
    case 'x': break;
    default: scan_fail(s, at, "an unknown escape; known are \\\" \\\\ \\n \\t \\xHH");
    }
    int high = *k + 1 < end ? hex_digit(b[*k + 1]) : -1, low = *k + 2 < end ? hex_digit(b[*k + 2]) : -1;
    if (high < 0 || low < 0) scan_fail(s, at, "\\x needs two hexadecimal digits");
    if (high + low == 0) scan_fail(s, at, "a NUL byte in a text");
    *k += 2;
    return (char)(high * 16 + low);
}

char *scan_quoted(scanner *s, arena *a, const char *what) {
    skip_blanks(s);
    s->word_at = s->at;
    if (scan_at_line_end(s) || s->bytes[s->at] != '"') scan_expected(s, s->at, what);
    size_t end = s->at + 1;
    while (end < s->length && s->bytes[end] != '"' && s->bytes[end] != '\n')
        end += s->bytes[end] == '\\' && end + 1 < s->length && s->bytes[end + 1] != '\n' ? 2 : 1;
    if (end >= s->length || s->bytes[end] != '"') scan_fail(s, s->word_at, "a text without its closing quote");
    char *out = arena_alloc(a, end - s->at, 1);
    size_t used = 0;
    for (size_t k = s->at + 1; k < end; k++) {
        char c = s->bytes[k];
        out[used++] = c == '\\' ? unescape(s, &k, end) : c;
    }
    out[used] = 0;
    for (size_t k = 0; k < used;) {
        uint32_t code;
        size_t size = utf8_decode(&code, out + k, used - k);
        if (!size) scan_fail(s, s->word_at, "a text that is not valid UTF-8");
        k += size;
    }
    s->at = end + 1;
    return out;
}

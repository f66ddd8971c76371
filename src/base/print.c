#include "base/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "temper.h"

/* ---- one conversion ---- */

/* "%-12.3g": its parts. */
typedef struct conversion {
    char flags[8], modifiers[4];
    int width, precision; /* 0 and -1: none */
    char kind;
    size_t size; /* in the format */
} conversion;

/* A copy of the characters of `set` that come first, as many as there is room for; how many there are. */
static size_t take(char *out, size_t room, const char *from, const char *set) {
    size_t count = strspn(from, set), kept = count < room ? count : room - 1;
    memcpy(out, from, kept);
    out[kept] = 0;
    return count;
}

/* A number, or what stands for `*`. */
static int read_number(const char **at, int star) {
    int x = 0;
    if (**at == '*') {
        ++*at;
        return star;
    }
    for (; ascii_is_digit(**at) && x < 10000; ++*at) x = 10 * x + (**at - '0');
    return x;
}

/* What is behind a '%'. The values of stars are asked for in `stars`, in their order. */
static conversion read_conversion(const char *start, const int stars[2]) {
    const char *at = start + 1;
    conversion c = {.precision = -1};
    at += take(c.flags, sizeof c.flags, at, "-+ #0");
    bool star = *at == '*';
    c.width = read_number(&at, stars[0]);
    if (*at == '.') {
        at++;
        c.precision = read_number(&at, stars[star]);
    }
    at += take(c.modifiers, sizeof c.modifiers, at, "hlLzjt");
    c.kind = *at;
    c.size = (size_t)(at - start) + (*at != 0);
    return c;
}

static size_t star_count(const char *start) {
    size_t end = 1 + strspn(start + 1, "-+ #0*.0123456789"), count = 0;
    for (size_t k = 1; k < end; k++) count += start[k] == '*';
    return count;
}

static bool is_real(char kind) { return kind && strchr("aAeEfFgG", kind); }

/* ---- numbers with a point ---- */

/* What no number has in the C locale is the point, of one byte or of several. */
static size_t put_point(char *digits) {
    size_t used = 0;
    for (const char *at = digits; *at; at++) {
        bool plain = ascii_is_name(*at) || *at == '-' || *at == '+' || *at == ' ';
        if (plain)
            digits[used++] = *at;
        else if (!used || digits[used - 1] != '.')
            digits[used++] = '.';
    }
    digits[used] = 0;
    return used;
}

/* Without its width: a locale's point may have more bytes than one. */
static size_t put_real(char out[PRINT_REAL], const conversion *c, double x) {
    char format[16] = "%";
    size_t used = 1;
    for (const char *flag = c->flags; *flag; flag++)
        if (*flag != '-' && *flag != '0') format[used++] = *flag;
    snprintf(format + used, sizeof format - used, ".*%c", c->kind);
    snprintf(out, PRINT_REAL, format, c->precision, x);
    return put_point(out);
}

/* The point of this locale: what stands between two digits. */
static size_t find_point(char out[16]) {
    char half[16];
    int length = snprintf(half, sizeof half, "%.1f", 0.5);
    size_t size = length > 2 && (size_t)length < sizeof half ? (size_t)length - 2 : 0;
    memcpy(out, half + 1, size);
    return size;
}

bool text_to_double(double *x, const char *digits, size_t length) {
    char buffer[160], point[16], *end;
    size_t used = 0, point_size = find_point(point);
    if (length == 0) return false;
    for (size_t k = 0; k < length; k++) {
        char c = digits[k];
        size_t size = c == '.' ? point_size : 1;
        if (used + size >= 128 || !(ascii_is_hex(c) || (c && strchr(".xXpP+-", c)))) return false;
        memcpy(buffer + used, c == '.' ? point : &c, size);
        used += size;
    }
    buffer[used] = 0;
    *x = strtod(buffer, &end);
    return end == buffer + used;
}

int temper_real_format(char *out, size_t size, const char *format, double x) {
    static const int stars[2] = {0, 0};
    if (size) *out = 0;
    if (*format != '%' || star_count(format)) return -1;
    conversion c = read_conversion(format, stars);
    if (!is_real(c.kind) || format[c.size] || *c.modifiers) return -1;
    return print_to(out, size, format, x);
}

int temper_real_read(double *x, const char *digits) { return text_to_double(x, digits, strlen(digits)); }

/* ---- texts ---- */

typedef struct printer {
    char *out;
    size_t size, used; /* room, and what is needed */
} printer;

static void put(printer *p, const char *bytes, size_t count) {
    size_t room = p->used + 1 < p->size ? p->size - 1 - p->used : 0;
    if (room) memcpy(p->out + p->used, bytes, count < room ? count : room);
    p->used += count;
}

static void pad(printer *p, size_t count) {
    for (; count; count--) put(p, " ", 1);
}

static void put_padded(printer *p, const conversion *c, double x) {
    char digits[PRINT_REAL];
    size_t length = put_real(digits, c, x), width = (size_t)(c->width < 0 ? -(long)c->width : c->width);
    size_t blanks = width > length ? width - length : 0;
    bool left = c->width < 0 || strchr(c->flags, '-');
    if (!left) pad(p, blanks);
    put(p, digits, length);
    if (left) pad(p, blanks);
}

/* All other conversions are the C library's: no locale changes them. */
#define PUT(type)                                                                                                    \
    do {                                                                                                             \
        size_t room = p->used < p->size ? p->size - p->used : 0;                                                     \
        int length =                                                                                                 \
            snprintf(room ? p->out + p->used : NULL, room, format, c->width, c->precision, va_arg(*list, type));     \
        if (length > 0) p->used += (size_t)length;                                                                   \
    } while (0)

static void put_other(printer *p, const conversion *c, va_list *list) {
    char format[24];
    snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, c->modifiers, c->kind);
    if (c->kind == 's')
        PUT(const char *);
    else if (c->kind == 'p')
        PUT(void *);
    else if (!strcmp(c->modifiers, "ll"))
        PUT(long long);
    else if (!strcmp(c->modifiers, "l"))
        PUT(long);
    else if (!strcmp(c->modifiers, "z"))
        PUT(size_t);
    else if (!strcmp(c->modifiers, "j"))
        PUT(intmax_t);
    else if (!strcmp(c->modifiers, "t"))
        PUT(ptrdiff_t);
    else
        PUT(int);
}

static bool has_reals(const char *format) {
    static const int stars[2] = {0, 0};
    for (const char *at = format; (at = strchr(at, '%')) != NULL;) {
        conversion c = read_conversion(at, stars);
        if (is_real(c.kind)) return true;
        at += c.size;
    }
    return false;
}

int print_list(char *out, size_t size, const char *format, va_list list) {
    if (!has_reals(format)) return vsnprintf(out, size, format, list);
    printer p = {out, size, 0};
    va_list all;
    va_copy(all, list);
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        put(&p, at, plain);
        at += plain;
        if (!*at) break;
        int stars[2] = {0, 0};
        for (size_t k = 0, count = star_count(at); k < count && k < 2; k++) stars[k] = va_arg(all, int);
        conversion c = read_conversion(at, stars);
        if (c.kind == '%')
            put(&p, "%", 1);
        else if (is_real(c.kind))
            put_padded(&p, &c, va_arg(all, double));
        else
            put_other(&p, &c, &all);
        at += c.size;
    }
    va_end(all);
    if (size) out[p.used < size ? p.used : size - 1] = 0;
    return (int)p.used;
}

int print_to(char *out, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = print_list(out, size, format, list);
    va_end(list);
    return length;
}

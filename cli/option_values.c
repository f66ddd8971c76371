#include "option_values.h"

#include <stdio.h>
#include <string.h>

#include "options.h"
#include "temper.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* x = 10 x + digit, unless that is too large. */
static bool append_digit(uint64_t *x, char digit) {
    uint64_t d = (uint64_t)(digit - '0');
    if (*x > (UINT64_MAX - d) / 10) return false;
    *x = 10 * *x + d;
    return true;
}

/* Digits, with _ between digits. */
static bool read_digits(uint64_t *x, size_t *count, const char **text) {
    const char *p = *text;
    *count = 0;
    for (; is_digit(*p) || (*p == '_' && *count && is_digit(p[1])); p++) {
        if (*p == '_') continue;
        if (!append_digit(x, *p)) return false;
        ++*count;
    }
    *text = p;
    return *count > 0;
}

bool decimal_read(double *out, const char *text) {
    uint64_t digits = 0;
    size_t count = 0, after = 0;
    double scale = 1;
    if (*text != '.' && !read_digits(&digits, &count, &text)) return false;
    if (*text == '.' && (text++, is_digit(*text)) && !read_digits(&digits, &after, &text)) return false;
    for (size_t k = 0; k < after; k++) scale *= 10;
    *out = (double)digits / scale;
    return !*text && count + after > 0;
}

static bool multiply(uint64_t *x, uint64_t factor) {
    if (*x > UINT64_MAX / factor) return false;
    *x *= factor;
    return true;
}

/* k, M, G, T are powers of 1000; Ki, Mi, Gi, Ti powers of 1024. */
static bool read_suffix(uint64_t *x, const char *text) {
    static const char letters[] = "kMGT";
    if (!*text) return true;
    const char *found = strchr(letters, *text == 'K' ? 'k' : *text);
    bool binary = text[1] == 'i';
    if (!found || text[binary ? 2 : 1]) return false;
    for (const char *p = letters; p <= found; p++)
        if (!multiply(x, binary ? 1024 : 1000)) return false;
    return true;
}

bool number_read(uint64_t *out, const char *text) {
    uint64_t x = 0, power = 0;
    size_t whole, places = 0, count;
    if (!read_digits(&x, &whole, &text)) return false;
    if (*text == '.') {
        text++;
        if (!read_digits(&x, &places, &text)) return false;
        if (*text != 'e' && *text != 'E') return false;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        if (*text == '+') text++;
        if (!read_digits(&power, &count, &text) || *text) return false;
    }
    for (; places > power; places--, x /= 10)
        if (x % 10) return false; /* a fraction */
    for (uint64_t k = places; x && k < power; k++)
        if (!multiply(&x, 10)) return false;
    if (!read_suffix(&x, text)) return false;
    *out = x;
    return true;
}

uint64_t choice_read(const char *choices, const char *text) {
    size_t length = strlen(text);
    uint64_t number = 1;
    for (const char *p = choices;; number++) {
        size_t size = strcspn(p, "|");
        if (size == length && memcmp(p, text, size) == 0) return number;
        if (!p[size]) return 0;
        p += size + 1;
    }
}

const char *type_name_read(const char *text) { return temper_type_name(temper_type_named(text)); }

const char *type_name_nearest(const char *text) {
    enum { MOST = 100 };
    const char *names[MOST];
    size_t count = 0;
    while (count < MOST && *temper_type_alias(count)) {
        names[count] = temper_type_alias(count);
        count++;
    }
    const char *near = nearest_name(text, names, count);
    return near ? type_name_read(near) : "";
}

uint64_t tiled_type_read(const char *text) {
    temper_type type = temper_type_named(text);
    return strchr(text, '@') && *temper_type_name(type) ? (uint64_t)type + 1 : 0;
}

const char *tiled_type_nearest(const char *text) {
    enum { MOST = 100 };
    const char *names[MOST];
    size_t count = 0;
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type) && count < MOST; type++)
        if (strchr(temper_type_name(type), '@')) names[count++] = temper_type_name(type);
    const char *near = strchr(text, '@') ? nearest_name(text, names, count) : NULL;
    return near ? near : "";
}

bool choice_nearest(char *out, size_t size, const char *choices, const char *text) {
    enum { MOST = 32, LONGEST = 24 };
    char copies[MOST][LONGEST];
    const char *names[MOST];
    size_t count = 0;
    for (const char *p = choices; count < MOST; count++) {
        size_t length = strcspn(p, "|");
        snprintf(copies[count], LONGEST, "%.*s", (int)length, p);
        names[count] = copies[count];
        p += length;
        if (!*p++) {
            count++;
            break;
        }
    }
    const char *near = nearest_name(text, names, count);
    char plain[LONGEST]; /* GPT-2 as gpt2 */
    size_t used = 0;
    for (const char *p = text; !near && *p && used + 1 < LONGEST; p++)
        if (*p != '-' && *p != '_') plain[used++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    plain[used] = 0;
    if (!near) near = nearest_name(plain, names, count);
    if (near) snprintf(out, size, "%s", near);
    return near != NULL;
}

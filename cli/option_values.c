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

static const struct {
    const char *alias, *name;
} known[] = {
    {"fp64", "f64"},         {"float64", "f64"},        {"double", "f64"},    {"fp32", "f32"},
    {"float32", "f32"},      {"single", "f32"},         {"float", "f32"},     {"fp16", "f16"},
    {"float16", "f16"},      {"half", "f16"},           {"bfloat16", "bf16"}, {"brain", "bf16"},
    {"float8_e4m3", "e4m3"}, {"float8_e4m3fn", "e4m3"}, {"fp8_e4m3", "e4m3"}, {"float8_e5m2", "e5m2"},
    {"fp8_e5m2", "e5m2"},    {"rational", "exact"},     {"f64", "f64"},       {"f32", "f32"},
    {"f16", "f16"},          {"bf16", "bf16"},          {"e4m3", "e4m3"},     {"e5m2", "e5m2"},
    {"exact", "exact"},
};
enum { KNOWN = sizeof known / sizeof *known };

/* One number format by any of its names, in any case. */
static const char *format_name(const char *text, size_t length) {
    for (size_t k = 0; k < KNOWN; k++) {
        size_t i = 0;
        for (; i < length && known[k].alias[i]; i++) {
            char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
            if (c != known[k].alias[i]) break;
        }
        if (i == length && !known[k].alias[i]) return known[k].name;
    }
    return NULL;
}

bool type_name_read(char *out, size_t size, const char *text) {
    size_t stored = strcspn(text, "/");
    const char *first = format_name(text, stored), *second = NULL;
    if (!first) return false;
    if (text[stored] && !(second = format_name(text + stored + 1, strlen(text + stored + 1)))) return false;
    int used = second && strcmp(first, second) != 0 ? snprintf(out, size, "%s/%s", first, second)
                                                    : snprintf(out, size, "%s", first);
    return used > 0 && (size_t)used < size;
}

bool type_name_nearest(char *out, size_t size, const char *text) {
    const char *names[KNOWN];
    for (size_t k = 0; k < KNOWN; k++) names[k] = known[k].alias;
    const char *near = nearest_name(text, names, KNOWN);
    if (near) snprintf(out, size, "%s", format_name(near, strlen(near)));
    return near != NULL;
}

uint64_t tiled_type_read(const char *text) {
    char formats[40], name[40];
    size_t length = strcspn(text, "@");
    if (!text[length] || length >= sizeof formats) return 0;
    snprintf(formats, sizeof formats, "%.*s", (int)length, text);
    if (!type_name_read(name, sizeof name, formats)) return 0;
    size_t used = strlen(name);
    if (strlen(text + length) >= sizeof name - used) return 0;
    strcpy(name + used, text + length);
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type); type++)
        if (strcmp(temper_type_name(type), name) == 0) return (uint64_t)type + 1;
    return 0;
}

bool tiled_type_nearest(char *out, size_t size, const char *text) {
    enum { MOST = 100 };
    const char *names[MOST];
    size_t count = 0;
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type) && count < MOST; type++)
        if (strchr(temper_type_name(type), '@')) names[count++] = temper_type_name(type);
    const char *near = strchr(text, '@') ? nearest_name(text, names, count) : NULL;
    if (near) snprintf(out, size, "%s", near);
    return near != NULL;
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

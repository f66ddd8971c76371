#include "base/property.h"

#include <string.h>

#include "base/category.h"
#include "base/near_word.h"
#include "base/unicode_facts.h"

/* ---- names ----------------------------------------------------------------------------------------------------- */

static bool means_nothing(char c) { return c == ' ' || c == '\t' || c == '_' || c == '-'; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

bool property_same_name(const char *x, size_t m, const char *y, size_t n) {
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < m && means_nothing(x[i])) i++;
        while (j < n && means_nothing(y[j])) j++;
        if (i == m || j == n) return i == m && j == n;
        if (lower(x[i]) != lower(y[j])) return false;
    }
}

static const char *end_of(const char *at, char end) {
    while (*at != end) at++;
    return at;
}

/* The names of a line, which begin at byte 2. */
typedef bool name_test(void *context, const char *name, size_t length);
static bool some_name(const char *line, name_test *test, void *context) {
    const char *end = line + 1;
    do {
        const char *at = end + 1;
        end = at + strcspn(at, ", ");
        if (test(context, at, (size_t)(end - at))) return true;
    } while (*end == ',');
    return false;
}

typedef struct wanted_name {
    const char *name;
    size_t length;
} wanted_name;

static bool is_wanted(void *context, const char *name, size_t length) {
    const wanted_name *w = context;
    return property_same_name(w->name, w->length, name, length);
}

bool property_find(property *out, property_kind kind, const char *name, size_t length) {
    static const char kinds[] = {0, 0, 's', 's', 'b', 'c', 'p', 'g'};
    wanted_name w = {name, length};
    *out = (property){.kind = kind};
    if (kind == PROPERTY_CATEGORY) {
        out->categories = category_named(name, length);
        return out->categories != 0;
    }
    for (const char *line = unicode_properties; *line; line = end_of(line, '\n') + 1)
        if (*line == kinds[kind] && some_name(line, is_wanted, &w))
            return out->line = (uint32_t)(line - unicode_properties), true;
    return false;
}

typedef struct nearest {
    char name[WORD_LONGEST];
    size_t length, distance, near_length;
    const char *near;
} nearest;

/* The shape in which names are compared, cut after WORD_LONGEST. */
static size_t plain_name(char *out, const char *name, size_t length) {
    size_t n = 0;
    for (size_t k = 0; k < length && n < WORD_LONGEST; k++)
        if (!means_nothing(name[k])) out[n++] = lower(name[k]);
    return n;
}

static bool is_nearer(void *context, const char *name, size_t length) {
    nearest *x = context;
    char plain[WORD_LONGEST];
    size_t distance = word_distance(x->name, x->length, plain, plain_name(plain, name, length));
    if (distance >= x->distance) return false;
    x->distance = distance;
    x->near = name;
    x->near_length = length;
    return false;
}

const char *property_near(size_t *near_length, const char *name, size_t length) {
    nearest x = {.near = NULL};
    x.length = plain_name(x.name, name, length);
    x.distance = x.length / 3 + 1; /* more is another word */
    if (x.length < 3) return NULL;
    for (const char *line = unicode_properties; *line; line = end_of(line, '\n') + 1)
        if (*line == 's' || *line == 'b') some_name(line, is_nearer, &x);
    category_names(is_nearer, &x);
    *near_length = x.near_length;
    return x.near;
}

/* ---- characters ------------------------------------------------------------------------------------------------ */

enum { FIRST_DIGIT = 0x21, FINAL_DIGITS = 62, DIGITS = 91 };

static uint32_t digit_of(char c) {
    uint32_t digit = (uint32_t)c - FIRST_DIGIT;
    return digit - (c > '"') - (c > '?') - (c > '\\');
}

static uint32_t read_number(const char **at) {
    uint32_t x = 0, digit;
    while ((digit = digit_of(*(*at)++)) >= FINAL_DIGITS) x = x * (DIGITS - FINAL_DIGITS) + digit - FINAL_DIGITS + 1;
    return x * FINAL_DIGITS + digit;
}

/* Whether an odd number of places are not behind it. */
static bool is_odd(const char *places, uint32_t code) {
    bool odd = false;
    for (uint32_t place = UINT32_MAX; *places > ' '; odd = !odd) {
        place += read_number(&places) + 1;
        if (place > code) return odd;
    }
    return odd;
}

static bool has_letter(const char *letters, uint32_t categories) {
    for (; *letters != ' '; letters++)
        if (categories >> (*letters >= 'a' ? *letters - 'a' + 26 : *letters - 'A') & 1) return true;
    return false;
}

bool property_has(const property *p, uint32_t code) {
    if (p->kind == PROPERTY_CATEGORY) return (p->categories & category_of(code)) != 0;
    bool has = false;
    const char *line = unicode_properties + p->line;
    if (code > 0x10FFFF) return false;
    for (bool more = true; more;) {
        const char *letters = end_of(line + 2, ' ') + 1, *base = end_of(letters, ' ') + 1,
                   *places = end_of(base, ' ') + 1;
        if (*letters != ' ') has ^= has_letter(letters, category_of(code));
        has ^= is_odd(places, code);
        if (p->kind == PROPERTY_EXTENSIONS) has ^= is_odd(end_of(places, ' ') + 1, code);
        more = *base != ' ';
        if (more) line = unicode_properties + read_number(&base) - 1;
    }
    return has;
}

size_t property_cost(const property *p) {
    enum { CATEGORY = 500 }; /* runs of characters that are looked at */
    size_t cost = p->kind == PROPERTY_CATEGORY ? CATEGORY : 0;
    const char *line = unicode_properties + p->line;
    for (bool more = !cost; more;) {
        const char *letters = end_of(line + 2, ' ') + 1, *base = end_of(letters, ' ') + 1;
        cost += (size_t)(end_of(base, '\n') - line) + (*letters != ' ' ? CATEGORY : 0);
        more = *base != ' ';
        if (more) line = unicode_properties + read_number(&base) - 1;
    }
    return cost;
}

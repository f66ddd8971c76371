#include "base/json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void jread_begin(json_reader *r, const char *bytes, size_t length, arena *scratch, trap *t) {
    *r = (json_reader){.bytes = bytes, .length = length, .scratch = scratch, .trap = t, .where = ""};
}

/* ---- strings ---- */

static unsigned hex_value(char c) {
    if (is_digit(c)) return (unsigned)(c - '0');
    if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
    if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
    return 16;
}

/* The four digits after \u; UINT32_MAX if they are not there. */
static uint32_t hex_unit(const char *p, const char *end) {
    uint32_t unit = 0;
    if (end - p < 4) return UINT32_MAX;
    for (int k = 0; k < 4; k++) {
        if (hex_value(p[k]) > 15) return UINT32_MAX;
        unit = unit << 4 | hex_value(p[k]);
    }
    return unit;
}

/* The next character of a string that holds no invalid one: its code point; *p moves behind it. */
static uint32_t next_code(const char **p, const char *end) {
    static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    unsigned char first = (unsigned char)**p;
    if (first < 0x80 && first != '\\') {
        ++*p;
        return first;
    }
    if (first != '\\') {
        *p += utf8_decode(&code, *p, (size_t)(end - *p));
        return code;
    }
    char c = (*p)[1];
    *p += 2;
    if (c != 'u') return (unsigned char)meaning[strchr(letters, c) - letters];
    code = hex_unit(*p, end);
    *p += 4;
    if (code < 0xD800 || code > 0xDFFF) return code;
    uint32_t low = hex_unit(*p + 2, end);
    *p += 6;
    return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
}

size_t jread_decode(char *out, json_text t) {
    size_t used = 0;
    for (const char *p = t.bytes, *end = p + t.length; p < end;) used += utf8_encode(out + used, next_code(&p, end));
    return used;
}

size_t jread_decoded_length(json_text t) {
    size_t used = 0;
    char code[4];
    for (const char *p = t.bytes, *end = p + t.length; p < end;) used += utf8_encode(code, next_code(&p, end));
    return used;
}

bool jread_is(json_text t, const char *s) {
    for (const char *p = t.bytes, *end = p + t.length; p < end;) {
        char code[4];
        size_t size = utf8_encode(code, next_code(&p, end));
        if (strncmp(s, code, size) != 0 || !code[0]) return false;
        s += size;
    }
    return !*s;
}

int jread_compare(json_text x, json_text y) {
    const char *p = x.bytes, *q = y.bytes, *p_end = p + x.length, *q_end = q + y.length;
    while (p < p_end && q < q_end) {
        uint32_t a = next_code(&p, p_end), b = next_code(&q, q_end);
        if (a != b) return a < b ? -1 : 1;
    }
    return (p < p_end) - (q < q_end);
}

/* ---- messages ---- */

uint64_t jread_offset(const json_reader *r, size_t at) {
    if (!r->outer) return r->base + at;
    const char *p = r->quoted.bytes, *end = p + r->quoted.length;
    for (size_t used = 0; p < end;) {
        const char *next = p;
        char code[4];
        used += utf8_encode(code, next_code(&next, end));
        if (used > at) break;
        p = next;
    }
    return jread_offset(r->outer, (size_t)(p - r->outer->bytes));
}

/* Line and column of a byte, both from 1; the column counts characters. */
static void find_place(size_t *line, size_t *column, const json_reader *r, size_t at) {
    *line = *column = 1;
    for (size_t k = 0; k < at;) {
        uint32_t code;
        size_t size = utf8_decode(&code, r->bytes + k, r->length - k);
        ++*column;
        if (r->bytes[k] == '\n') {
            ++*line;
            *column = 1;
        }
        k += size ? size : 1;
    }
}

_Noreturn void jread_raise(const json_reader *r, size_t at, temper_status code, const char *hint,
                           const char *message) {
    char where[200] = "";
    if (r->subject.bytes)
        snprintf(where, sizeof where, "%s '%s': ", r->where,
                 text_escaped(r->scratch, r->subject.bytes, r->subject.length, 40));
    else if (*r->where)
        snprintf(where, sizeof where, "%s: ", r->where);
    const char *field = r->field ? r->field : "", *colon = r->field ? ": " : "";
    if (r->by_byte || r->outer)
        trap_raise_hint(r->trap, code, 0, 0, hint, "byte %llu: %s%s%s%s", (unsigned long long)jread_offset(r, at),
                        where, field, colon, message);
    size_t line, column;
    find_place(&line, &column, r, at);
    trap_raise_hint(r->trap, code, line, column, hint, "%s%s%s%s", where, field, colon, message);
}

_Noreturn void jread_fail(const json_reader *r, size_t at, const char *format, ...) {
    char message[240];
    va_list args;
    va_start(args, format);
    print_list(message, sizeof message, format, args);
    va_end(args);
    jread_raise(r, at, TEMPER_FORMAT, "", message);
}

_Noreturn void jread_expected(const json_reader *r, size_t at, const char *what) {
    enum { SHOWN = 24, SHOWN_BYTES = 4 * SHOWN + 4 }; /* one character more at least: no character is cut in two */
    size_t end = at;
    if (at >= r->length) jread_fail(r, at, "expected %s, found the end of the text", what);
    if (r->bytes[at] == '"') {
        for (end++; end < r->length && end < at + SHOWN_BYTES && r->bytes[end] != '"'; end++) {
        }
        end += end < r->length && r->bytes[end] == '"';
    } else {
        while (end < r->length && end < at + SHOWN_BYTES && !is_blank(r->bytes[end]) &&
               !strchr(",:{}[]\"", r->bytes[end]))
            end++;
        if (end == at) end++;
    }
    jread_fail(r, at, "expected %s, found %s", what, text_escaped(r->scratch, r->bytes + at, end - at, SHOWN));
}

/* ---- values ---- */

static void skip_blanks(json_reader *r) {
    while (r->at < r->length && is_blank(r->bytes[r->at])) r->at++;
}

static bool accept(json_reader *r, char c) {
    skip_blanks(r);
    if (r->at >= r->length || r->bytes[r->at] != c) return false;
    r->at++;
    return true;
}

json_type jread_peek(json_reader *r) {
    skip_blanks(r);
    char c = r->at < r->length ? r->bytes[r->at] : 0;
    if (c == '{') return JSON_OBJECT;
    if (c == '[') return JSON_ARRAY;
    if (c == '"') return JSON_STRING;
    if (c == '-' || is_digit(c)) return JSON_NUMBER;
    if (c == 't' || c == 'f') return JSON_BOOL;
    if (c == 'n') return JSON_NULL;
    jread_expected(r, r->at, "a value");
}

static void require(json_reader *r, json_type type, const char *what) {
    if (jread_peek(r) != type) jread_expected(r, r->at, what);
}

static void enter(json_reader *r, bool object) {
    if (r->depth == JSON_DEPTH) jread_fail(r, r->at, "nested more than %d deep", JSON_DEPTH);
    r->at++;
    r->depth++;
    r->objects = (r->objects & ~(1ull << (r->depth - 1))) | ((uint64_t)object << (r->depth - 1));
    r->fresh = true;
}

/* Before the next member: false if the container ends here, which is then left. */
static bool next_member(json_reader *r, char closing) {
    if (accept(r, closing)) {
        r->depth--;
        r->fresh = false;
        return false;
    }
    if (!r->fresh && !accept(r, ',')) jread_expected(r, r->at, closing == '}' ? "',' or '}'" : "',' or ']'");
    r->fresh = false;
    skip_blanks(r);
    return true;
}

void jread_object(json_reader *r) {
    require(r, JSON_OBJECT, "an object");
    enter(r, true);
}

void jread_array(json_reader *r) {
    require(r, JSON_ARRAY, "an array");
    enter(r, false);
}

bool jread_key(json_reader *r, json_text *key) {
    r->field = NULL;
    if (!next_member(r, '}')) return false;
    if (r->at >= r->length || r->bytes[r->at] != '"') jread_expected(r, r->at, "a key in quotes");
    *key = jread_string(r, "a key");
    if (!accept(r, ':')) jread_expected(r, r->at, "':'");
    return true;
}

bool jread_element(json_reader *r) {
    if (!next_member(r, ']')) return false;
    if (r->at < r->length && r->bytes[r->at] == ']') jread_expected(r, r->at, "a value");
    return true;
}

/* The length of the escape at p, which is a backslash; raises if it is none. */
static size_t check_escape(const json_reader *r, size_t at) {
    const char *p = r->bytes + at, *end = r->bytes + r->length;
    if (end - p < 2) return 1; /* the string has no end, which is said there */
    if (p[1] != 'u') {
        if (!p[1] || !strchr("\"\\/bfnrt", p[1])) jread_fail(r, at, "an escape that JSON does not have");
        return 2;
    }
    uint32_t unit = hex_unit(p + 2, end);
    if (unit == UINT32_MAX) jread_fail(r, at, "\\u needs four hexadecimal digits");
    if (unit < 0xD800 || unit > 0xDFFF) return 6;
    uint32_t low = end - p >= 8 && p[6] == '\\' && p[7] == 'u' ? hex_unit(p + 8, end) : UINT32_MAX;
    if (unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF) jread_fail(r, at, "half of a surrogate pair");
    return 12;
}

json_text jread_string(json_reader *r, const char *what) {
    require(r, JSON_STRING, what);
    size_t begin = r->at + 1, at = begin;
    while (at < r->length && r->bytes[at] != '"') {
        unsigned char c = (unsigned char)r->bytes[at];
        uint32_t code;
        if (c < 0x20) jread_fail(r, at, "a control character in a string, which must be escaped");
        size_t size = c == '\\'  ? check_escape(r, at)
                      : c < 0x80 ? 1
                                 : utf8_decode(&code, r->bytes + at, r->length - at);
        if (!size) jread_fail(r, at, "a string that is not valid UTF-8");
        at += size;
    }
    if (at >= r->length) jread_fail(r, r->at, "a string without its closing quote");
    r->at = at + 1;
    return (json_text){r->bytes + begin, at - begin};
}

/* The end of the number at `at`, by the grammar of JSON. *whole: it has digits only. */
static size_t number_end(const json_reader *r, size_t at, bool *whole) {
    const char *b = r->bytes;
    size_t k = at, n = r->length;
    k += b[k] == '-';
    size_t digits = k;
    while (k < n && is_digit(b[k])) k++;
    if (k == digits) jread_expected(r, at, "a number");
    if (b[digits] == '0' && k > digits + 1) jread_fail(r, at, "a number that begins with 0");
    *whole = digits == at;
    if (k < n && b[k] == '.') {
        size_t point = k++;
        while (k < n && is_digit(b[k])) k++;
        if (k == point + 1) jread_fail(r, point, "no digit after the point");
        *whole = false;
    }
    if (k < n && (b[k] == 'e' || b[k] == 'E')) {
        size_t sign = ++k;
        k += k < n && (b[k] == '+' || b[k] == '-');
        size_t first = k;
        while (k < n && is_digit(b[k])) k++;
        if (k == first) jread_fail(r, sign - 1, "no digit in the exponent");
        *whole = false;
    }
    return k;
}

uint64_t jread_integer(json_reader *r, uint64_t most, const char *what) {
    bool whole;
    uint64_t x = 0;
    require(r, JSON_NUMBER, what);
    size_t end = number_end(r, r->at, &whole);
    if (!whole) jread_expected(r, r->at, what);
    for (size_t k = r->at; k < end; k++)
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, (uint64_t)(r->bytes[k] - '0'), &x) ||
            x > most)
            jread_expected(r, r->at, what);
    r->at = end;
    return x;
}

double jread_number(json_reader *r, const char *what) {
    enum { LONGEST = 100 };
    bool whole;
    double x;
    require(r, JSON_NUMBER, what);
    size_t end = number_end(r, r->at, &whole);
    if (end - r->at > LONGEST) jread_fail(r, r->at, "a number of more than %d characters", LONGEST);
    if (!text_to_double(&x, r->bytes + r->at, end - r->at)) jread_expected(r, r->at, what);
    if (!isfinite(x)) jread_fail(r, r->at, "a number too large for a double");
    r->at = end;
    return x;
}

/* The word at r->at, if it ends there. */
static bool accept_word(json_reader *r, const char *word) {
    size_t length = strlen(word), end = r->at + length;
    if (r->length - r->at < length || memcmp(r->bytes + r->at, word, length) != 0) return false;
    if (end < r->length && ((r->bytes[end] | 32) >= 'a' && (r->bytes[end] | 32) <= 'z')) return false;
    r->at = end;
    return true;
}

bool jread_bool(json_reader *r, const char *what) {
    require(r, JSON_BOOL, what);
    if (accept_word(r, "true")) return true;
    if (accept_word(r, "false")) return false;
    jread_expected(r, r->at, what);
}

void jread_null(json_reader *r) {
    require(r, JSON_NULL, "null");
    if (!accept_word(r, "null")) jread_expected(r, r->at, "null");
}

void jread_end(json_reader *r) {
    skip_blanks(r);
    if (r->at < r->length) jread_expected(r, r->at, "the end of the text");
}

char *jread_c_string(json_reader *r, arena *a, const char *what) {
    json_text t = jread_string(r, what);
    char *out = arena_alloc(a, jread_decoded_length(t) + 1, 1);
    size_t length = jread_decode(out, t);
    if (length && memchr(out, 0, length))
        jread_fail(r, (size_t)(t.bytes - r->bytes), "a string with a NUL character");
    out[length] = 0;
    return out;
}

unsigned jread_choice(json_reader *r, const char *const *words, const char *what) {
    json_text t = jread_string(r, what);
    for (unsigned k = 0; words[k]; k++)
        if (jread_is(t, words[k])) return k;
    jread_expected(r, (size_t)(t.bytes - r->bytes) - 1, what);
}

/* ---- keys ---- */

int jread_field(json_reader *r, const char *const *names, uint32_t *seen) {
    json_text key;
    if (!jread_key(r, &key)) return -1;
    size_t at = (size_t)(key.bytes - r->bytes) - 1;
    int k = 0;
    while (names[k] && !jread_is(key, names[k])) k++;
    if (!names[k]) jread_fail(r, at, "unknown key '%s'", text_escaped(r->scratch, key.bytes, key.length, 40));
    if (*seen >> k & 1) jread_fail(r, at, "a second key '%s'", names[k]);
    *seen |= 1u << k;
    r->field = names[k];
    return k;
}

void jread_require(const json_reader *r, size_t at, const char *const *names, uint32_t seen, uint32_t required) {
    for (int k = 0; names[k]; k++)
        if ((required & ~seen) >> k & 1) jread_fail(r, at, "no key '%s'", names[k]);
}

void jread_keys_init(json_keys *k, arena *a) { table_init(&k->seen, a); }

/* Puts a key with the number of its object before it, so that one table serves many objects. */
static void add_key(table *seen, const json_reader *r, json_text key, uint32_t object) {
    bool fresh;
    char *copy = arena_alloc(seen->arena, sizeof object + jread_decoded_length(key), 1);
    memcpy(copy, &object, sizeof object);
    size_t length = sizeof object + jread_decode(copy + sizeof object, key);
    table_put(seen, copy, length, 0, &fresh);
    if (!fresh)
        jread_fail(r, (size_t)(key.bytes - r->bytes) - 1, "a second key '%s'",
                   text_escaped(r->scratch, key.bytes, key.length, 40));
}

void jread_keys_add(json_keys *k, const json_reader *r, json_text key) { add_key(&k->seen, r, key, 0); }

/* ---- skipping ---- */

static void skip_scalar(json_reader *r, json_type type) {
    bool whole;
    switch (type) {
    case JSON_STRING: jread_string(r, "a string"); break;
    case JSON_NUMBER: r->at = number_end(r, r->at, &whole); break;
    case JSON_BOOL: jread_bool(r, "true or false"); break;
    case JSON_NULL: jread_null(r); break;
    case JSON_OBJECT:
    case JSON_ARRAY: break;
    }
}

void jread_skip(json_reader *r, arena *a) {
    unsigned outside = r->depth;
    table seen;
    uint32_t objects = 0, number[JSON_DEPTH + 1]; /* of the object at each depth */
    table_init(&seen, a);
    do {
        json_type type = jread_peek(r);
        if (type == JSON_OBJECT || type == JSON_ARRAY) {
            enter(r, type == JSON_OBJECT);
            number[r->depth] = objects++;
        } else {
            skip_scalar(r, type);
        }
        while (r->depth > outside) { /* to the next value, or out of containers that end here */
            json_text key;
            bool object = r->objects >> (r->depth - 1) & 1;
            if (!(object ? jread_key(r, &key) : jread_element(r))) continue;
            if (object && a) add_key(&seen, r, key, number[r->depth]);
            break;
        }
    } while (r->depth > outside);
}

size_t jread_count(const json_reader *r) {
    json_reader copy = *r;
    size_t count = 0;
    for (jread_array(&copy); jread_element(&copy); count++) jread_skip(&copy, NULL);
    return count;
}

/* The JSON reader against a second one, written as a recursive descent over the grammar of RFC 8259: both take or
   both refuse random texts and damaged ones. Then positions in messages, and what strings decode to. */
#include "in_arena.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_read.h"
#include "base/json_write.h"

/* ---- the second reader: is it JSON without duplicate keys? ---- */

typedef struct checker {
    const unsigned char *p, *end;
    int depth;
} checker;

static bool check_value(checker *c);

static void blanks(checker *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\r' || *c->p == '\t')) c->p++;
}

static bool eat(checker *c, char x) {
    if (c->p == c->end || *c->p != (unsigned char)x) return false;
    c->p++;
    return true;
}

static int hex4(checker *c) {
    int x = 0;
    for (int k = 0; k < 4; k++, c->p++) {
        if (c->p == c->end) return -1;
        const char *digits = "0123456789abcdef", *d = *c->p ? strchr(digits, *c->p | (*c->p >= 'A' ? 32 : 0)) : NULL;
        if (!d) return -1;
        x = x * 16 + (int)(d - digits);
    }
    return x;
}

/* Code points of a string; -1 if it is none. */
static long check_string(checker *c, uint32_t *codes, long most) {
    long n = 0;
    if (!eat(c, '"')) return -1;
    while (c->p < c->end && *c->p != '"') {
        uint32_t x = *c->p++;
        int more = 0;
        if (x < 0x20) return -1;
        if (x == '\\') {
            if (c->p == c->end) return -1;
            const char *names = "\"\\/bfnrtu", *values = "\"\\/\b\f\n\r\t", *k = *c->p ? strchr(names, *c->p) : NULL;
            c->p++;
            if (!k) return -1;
            if (*k != 'u')
                x = (unsigned char)values[k - names];
            else {
                int high = hex4(c), low;
                if (high < 0) return -1;
                x = (uint32_t)high;
                if (x >= 0xDC00 && x < 0xE000) return -1;
                if (x >= 0xD800 && x < 0xDC00) {
                    if (!eat(c, '\\') || !eat(c, 'u') || (low = hex4(c)) < 0xDC00 || low > 0xDFFF) return -1;
                    x = 0x10000 + ((x & 0x3FF) << 10) + ((uint32_t)low & 0x3FF);
                }
            }
        } else if (x >= 0x80) {
            uint32_t least = x < 0xE0 ? 0x80 : x < 0xF0 ? 0x800 : 0x10000;
            more = x < 0xC0 ? -1 : x < 0xE0 ? 1 : x < 0xF0 ? 2 : x < 0xF8 ? 3 : -1;
            if (more < 0) return -1;
            x &= 0x3Fu >> more;
            for (; more; more--) {
                if (c->p == c->end || *c->p >> 6 != 2) return -1;
                x = x << 6 | (*c->p++ & 63u);
            }
            if (x < least || x > 0x10FFFF || (x >= 0xD800 && x < 0xE000)) return -1;
        }
        if (n < most) codes[n] = x;
        n++;
    }
    return eat(c, '"') ? n : -1;
}

static bool digits(checker *c) {
    const unsigned char *before = c->p;
    while (c->p < c->end && *c->p >= '0' && *c->p <= '9') c->p++;
    return c->p > before;
}

static bool check_number(checker *c) {
    eat(c, '-');
    if (!eat(c, '0') && !digits(c)) return false;
    if (eat(c, '.') && !digits(c)) return false;
    if (c->p < c->end && (*c->p == 'e' || *c->p == 'E')) {
        c->p++;
        if (!eat(c, '+')) eat(c, '-');
        if (!digits(c)) return false;
    }
    return true;
}

enum { KEYS = 8, KEY_LENGTH = 16 };

static bool check_object(checker *c) {
    uint32_t keys[KEYS][KEY_LENGTH];
    long lengths[KEYS];
    int count = 0;
    blanks(c);
    if (eat(c, '}')) return true;
    do {
        blanks(c);
        if (count == KEYS || (lengths[count] = check_string(c, keys[count], KEY_LENGTH)) < 0) return false;
        for (int k = 0; k < count; k++)
            if (lengths[k] == lengths[count] && !memcmp(keys[k], keys[count], (size_t)lengths[k] * 4)) return false;
        count++;
        blanks(c);
        if (!eat(c, ':') || !check_value(c)) return false;
    } while (eat(c, ','));
    return eat(c, '}');
}

static bool check_array(checker *c) {
    blanks(c);
    if (eat(c, ']')) return true;
    do
        if (!check_value(c)) return false;
    while (eat(c, ','));
    return eat(c, ']');
}

static bool check_word(checker *c, const char *word) {
    for (; *word; word++)
        if (!eat(c, *word)) return false;
    return true;
}

static bool check_value(checker *c) {
    uint32_t none;
    bool ok = false;
    blanks(c);
    if (c->p == c->end) return false;
    if (*c->p == '{' || *c->p == '[') {
        if (c->depth++ == JSON_DEPTH) return false;
        ok = *c->p++ == '{' ? check_object(c) : check_array(c);
        c->depth--;
    } else if (*c->p == '"')
        ok = check_string(c, &none, 0) >= 0;
    else if (*c->p == 't' || *c->p == 'f' || *c->p == 'n')
        ok = check_word(c, *c->p == 't' ? "true" : *c->p == 'f' ? "false" : "null");
    else
        ok = check_number(c);
    blanks(c);
    return ok;
}

static bool is_json(const char *bytes, size_t length) {
    checker c = {(const unsigned char *)bytes, (const unsigned char *)bytes + length, 0};
    return check_value(&c) && c.p == c.end;
}

/* ---- the reader ---- */

static bool reads(temper_error *e, const char *bytes, size_t length) {
    trap t;
    arena a;
    json_reader r;
    arena_init(&a, &t);
    if (trap_set(&t, e)) {
        arena_free(&a);
        return false;
    }
    jread_begin(&r, bytes, length, &a, &t);
    jread_skip(&r, &a);
    jread_end(&r);
    arena_free(&a);
    trap_clear(&t);
    return true;
}

static void compare(const char *bytes, size_t length) {
    temper_error e;
    bool here = reads(&e, bytes, length), there = is_json(bytes, length);
    CHECK(here == there, "%.*s\nis%s JSON for the reader (%s), but%s for the other", (int)length, bytes,
          here ? "" : " not", here ? "" : e.text, there ? "" : " not");
}

/* ---- random texts ---- */

typedef struct buffer {
    char bytes[4096];
    size_t length;
} buffer;

static void put(buffer *b, const char *s) {
    size_t n = strlen(s);
    if (b->length + n < sizeof b->bytes) memcpy(b->bytes + b->length, s, n), b->length += n;
}

static void put_blank(buffer *b, test_random *r) {
    static const char *const some[] = {"", "", "", " ", "\n", "\t ", "\r\n"};
    put(b, some[random_below(r, 7)]);
}

static void put_string(buffer *b, test_random *r) {
    static const char *const pieces[] = {"a",
                                         "b",
                                         "\\u0061",
                                         "\\u00e9",
                                         "\xC3\xA9",
                                         "\\n",
                                         "\\\"",
                                         "\\\\",
                                         "\\/",
                                         "\xF0\x9F\x98\x80",
                                         "\\ud83d\\ude00",
                                         "\\u0000",
                                         "\x7F",
                                         "\\b\\f\\r\\t",
                                         "\xE2\x82\xAC",
                                         "\\uFFFF"};
    put(b, "\"");
    for (size_t k = random_below(r, 3); k; k--) put(b, pieces[random_below(r, 16)]);
    put(b, "\"");
}

static void put_value(buffer *b, test_random *r, int depth) {
    static const char *const scalars[] = {
        "0", "-0", "12", "-1.5", "1e9", "2E-3", "0.0e+0", "true", "false", "null", "18446744073709551615"};
    put_blank(b, r);
    switch (depth ? random_below(r, 5) : random_below(r, 3)) {
    case 0: put(b, scalars[random_below(r, 11)]); break;
    case 1:
    case 2: put_string(b, r); break;
    case 3:
        put(b, "[");
        for (size_t k = random_below(r, 4), n = k; k; k--) {
            if (k < n) put(b, ",");
            put_value(b, r, depth - 1);
        }
        put(b, "]");
        break;
    default:
        put(b, "{");
        for (size_t k = random_below(r, 4), n = k; k; k--) {
            if (k < n) put(b, ",");
            put_blank(b, r);
            put_string(b, r);
            put_blank(b, r);
            put(b, ":");
            put_value(b, r, depth - 1);
        }
        put(b, "}");
    }
    put_blank(b, r);
}

static void test_random_texts(void) {
    test_random r = test_seed(11);
    size_t rounds = (size_t)(30000 * test_effort()), valid = 0;
    for (size_t k = 0; k < rounds; k++) {
        buffer b = {.length = 0};
        put_value(&b, &r, 1 + (int)random_below(&r, 5));
        compare(b.bytes, b.length);
        valid += is_json(b.bytes, b.length);
        for (int j = 0; j < 6 && b.length; j++) {
            size_t at = random_below(&r, b.length);
            char before = b.bytes[at];
            b.bytes[at] = j < 3 ? (char)(before ^ 1 << random_below(&r, 8))
                                : "{}[],:\"\\0-.eEutf\x1F\xC0\xED"[random_below(&r, 20)];
            compare(b.bytes, b.length);
            b.bytes[at] = before;
            compare(b.bytes, at);
        }
    }
    CHECK(valid * 2 > rounds, "only %zu of %zu texts are JSON", valid, rounds);
}

static void test_depth(void) {
    for (size_t depth = JSON_DEPTH - 1; depth <= JSON_DEPTH + 1; depth++)
        for (int kind = 0; kind < 2; kind++) {
            buffer b = {.length = 0};
            for (size_t k = 0; k < depth; k++) put(&b, kind ? "[" : "{\"a\":");
            put(&b, "1");
            for (size_t k = 0; k < depth; k++) put(&b, kind ? "]" : "}");
            compare(b.bytes, b.length);
        }
    size_t many = 1000000;
    char *brackets = malloc(many);
    temper_error e;
    memset(brackets, '[', many);
    CHECK(!reads(&e, brackets, many) && strstr(e.text, "deep"), "a million brackets: %s", e.text);
    free(brackets);
}

/* ---- messages ---- */

static void test_messages(void) {
    static const struct {
        const char *bytes;
        size_t line, column;
        const char *message;
    } cases[] = {
        {"", 1, 1, "expected a value, found the end of the text"},
        {"{\"a\":1,}", 1, 8, "expected a key in quotes, found }"},
        {"[1,]", 1, 4, "expected a value, found ]"},
        {"[1 2]", 1, 4, "expected ',' or ']', found 2"},
        {"{\n \"\xC3\xA9\": tru }", 2, 7, "expected true or false, found tru"},
        {"{\"a\":1,\n\"\\u0061\":2}", 2, 1, "a second key '\\u0061'"},
        {"[{\"a\":{\"b\":1,\"b\":2}}]", 1, 14, "a second key 'b'"},
        {"\"\\x\"", 1, 2, "an escape that JSON does not have"},
        {"\"\\ud83d\"", 1, 2, "half of a surrogate pair"},
        {"\"\\udc00\\ud800\"", 1, 2, "half of a surrogate pair"},
        {"\"\\u12g4\"", 1, 2, "\\u needs four hexadecimal digits"},
        {"\"a\tb\"", 1, 3, "a control character in a string, which must be escaped"},
        {"\"a\xC0\x80\"", 1, 3, "a string that is not valid UTF-8"},
        {"\"a\xED\xA0\x80\"", 1, 3, "a string that is not valid UTF-8"},
        {"\"abc", 1, 1, "a string without its closing quote"},
        {"\"abc\\", 1, 1, "a string without its closing quote"},
        {"[01]", 1, 2, "a number that begins with 0"},
        {"1.", 1, 2, "no digit after the point"},
        {"1e+", 1, 2, "no digit in the exponent"},
        {"-", 1, 1, "expected a number, found -"},
        {"NaN", 1, 1, "expected a value, found NaN"},
        {"[Infinity]", 1, 2, "expected a value, found Infinity"},
        {"1 2", 1, 3, "expected the end of the text, found 2"},
        {"\xEF\xBB\xBF{}", 1, 1, "expected a value, found \\u{FEFF}"},
        {"nul", 1, 1, "expected null, found nul"},
        {"{\"a\" 1}", 1, 6, "expected ':', found 1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e = {0};
        bool ok = reads(&e, cases[k].bytes, strlen(cases[k].bytes));
        CHECK(!ok && e.code == TEMPER_FORMAT && e.line == cases[k].line && e.column == cases[k].column &&
                  !strcmp(e.text, cases[k].message),
              "%s\n%zu:%zu: %s", cases[k].bytes, e.line, e.column, e.text);
    }
}

/* ---- values ---- */

static void read_values(arena *a) {
    trap *t = a->trap;
    static const char *const names[] = {"whole", "real", "yes", "none", "list", NULL};
    static const char source[] = "{\"real\":-0.25e1, \"whole\":18446744073709551615,\"yes\":true,"
                                 "\"none\":null,\"list\":[\"a\",[1,2],\"\\ud83d\\ude00\\u00e9\",{}]}";
    json_reader r;
    uint32_t seen = 0;
    jread_begin(&r, source, strlen(source), a, t);
    jread_object(&r);
    for (int k; (k = jread_field(&r, names, &seen)) >= 0;) {
        if (k == 0) CHECK(jread_integer(&r, UINT64_MAX, "a number") == UINT64_MAX, "the largest integer");
        if (k == 1) CHECK(jread_number(&r, "a number") == -2.5, "-2.5");
        if (k == 2) CHECK(jread_bool(&r, "true"), "true");
        if (k == 3) jread_null(&r);
        if (k != 4) continue;
        CHECK(jread_count(&r) == 4, "four elements");
        jread_array(&r);
        CHECK(jread_element(&r) && !strcmp(jread_c_string(&r, a, "a string"), "a"), "a");
        CHECK(jread_element(&r) && jread_count(&r) == 2, "[1,2]");
        jread_skip(&r, NULL);
        CHECK(jread_element(&r) && !strcmp(jread_c_string(&r, a, "a string"), "\xF0\x9F\x98\x80\xC3\xA9"), "decoded");
        CHECK(jread_element(&r) && jread_peek(&r) == JSON_OBJECT, "{}");
        jread_skip(&r, a);
        CHECK(!jread_element(&r), "the end of the list");
    }
    jread_require(&r, 0, names, seen, 31);
    jread_end(&r);
}

/* A type other than the one asked for, numbers out of range, and keys: what `ask` makes of a text. */
static void ask(json_reader *r, int kind, arena *a) {
    static const char *const names[] = {"a", "b", NULL};
    uint32_t seen = 0;
    if (kind == 0) jread_integer(r, 255, "a number up to 255");
    if (kind == 1) jread_number(r, "a number");
    if (kind == 2) jread_c_string(r, a, "a name");
    if (kind == 3) {
        for (jread_object(r); jread_field(r, names, &seen) >= 0;) jread_skip(r, NULL);
        jread_require(r, 0, names, seen, 2);
    }
    if (kind == 4) {
        json_keys keys;
        json_text key;
        jread_keys_init(&keys, a);
        for (jread_object(r); jread_key(r, &key); jread_skip(r, NULL)) jread_keys_add(&keys, r, key);
    }
}

static void test_refusals(void) {
    static const struct {
        int kind;
        const char *bytes, *message;
    } cases[] = {
        {0, "256", "byte 107: x: expected a number up to 255, found 256"},
        {0, "-1", "byte 107: x: expected a number up to 255, found -1"},
        {0, "-0", "byte 107: x: expected a number up to 255, found -0"},
        {0, "1.0", "byte 107: x: expected a number up to 255, found 1.0"},
        {0, "1e1", "byte 107: x: expected a number up to 255, found 1e1"},
        {0, "\"1\"", "byte 107: x: expected a number up to 255, found \"1\""},
        {0, "99999999999999999999999", "byte 107: x: expected a number up to 255, found 99999999999999999999999"},
        {1, "1e999", "byte 107: x: a number too large for a double"},
        {2, "\"a\\u0000\"", "byte 108: x: a string with a NUL character"},
        {2, "7", "byte 107: x: expected a name, found 7"},
        {3, "{\"a\":1,\"c\":2}", "byte 114: x: unknown key 'c'"},
        {3, "{\"a\":1,\"\\u0061\":2}", "byte 114: x: a second key 'a'"},
        {3, "{\"a\":1}", "byte 107: x: no key 'b'"},
        {4, "{\"a\":1,\"b\":1,\"\\u0062\":1}", "byte 120: x: a second key '\\u0062'"},
        {3, "[]", "byte 107: x: expected an object, found ["}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trap t;
        arena a;
        temper_error e = {0};
        json_reader r;
        arena_init(&a, &t);
        if (!trap_set(&t, &e)) {
            jread_begin(&r, cases[k].bytes, strlen(cases[k].bytes), &a, &t);
            r.where = "x";
            r.by_byte = true;
            r.base = 107;
            ask(&r, cases[k].kind, &a);
        }
        CHECK(!strcmp(e.text, cases[k].message), "%s: %s", cases[k].bytes, e.text);
        arena_free(&a);
    }
}

/* Any bytes written as a string are read back; JSON in a string of JSON gives places of the outer text. */
static void read_strings(arena *a) {
    trap *t = a->trap;
    test_random r = test_seed(12);
    for (size_t k = 0; k < 2000; k++) {
        char bytes[64], back[64];
        size_t length = 0;
        for (size_t n = random_below(&r, 12); n; n--) {
            uint32_t code = (uint32_t)random_below(&r, random_below(&r, 2) ? 0x80 : 0x110000);
            if (code >= 0xD800 && code < 0xE000) code = '"';
            length += utf8_encode(bytes + length, code);
        }
        text inner, outer;
        text_init(&inner, a);
        text_init(&outer, a);
        jwrite_string(&inner, bytes, length);
        jwrite_string(&outer, inner.data, inner.length);
        json_reader in, out;
        jread_begin(&out, outer.data, outer.length, a, t);
        out.by_byte = true;
        json_text quoted = jread_string(&out, "a string");
        char *decoded = arena_alloc(a, inner.length + 1, 1);
        CHECK(jread_decode(decoded, quoted) == inner.length && !memcmp(decoded, inner.data, inner.length), "outer");
        CHECK(jread_decoded_length(quoted) == inner.length, "outer length");
        jread_begin(&in, decoded, inner.length, a, t);
        in.outer = &out;
        in.quoted = quoted;
        json_text s = jread_string(&in, "a string");
        CHECK(jread_decode(back, s) == length && !memcmp(back, bytes, length), "inner: %s", inner.data);
        CHECK(jread_compare(s, s) == 0 && (length == 0 || jread_compare(s, (json_text){s.bytes, 0}) > 0), "compare");
        /* the closing quote of the inner text is the character before the last of the outer one, and escaped */
        CHECK(jread_offset(&in, inner.length - 1) == outer.length - 3, "offset %llu of %zu in %s",
              (unsigned long long)jread_offset(&in, inner.length - 1), outer.length, outer.data);
    }
}

int main(void) {
    test_random_texts();
    test_depth();
    test_messages();
    test_in_arena(read_values);
    test_refusals();
    test_in_arena(read_strings);
    return test_finish("json");
}

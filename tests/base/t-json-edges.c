/* Texts at the edge of JSON: the last byte of a text, with bytes behind it that would change what is read if they
   were looked at; escapes and surrogates at their limits; numbers and words just long enough; places of messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "in_arena.h"
#include "test.h"

/* What is asked of a text. */
typedef enum question { SKIP, WHOLE, NUMBER, STRING, BOOL, NONE, CHOICE, KEYS } question;

static void ask(json_reader *r, question q, arena *a) {
    static const char *const words[] = {"one", "two", NULL};
    json_keys keys;
    json_text key;
    switch (q) {
    case SKIP: jread_skip(r, a); break;
    case WHOLE: jread_integer(r, UINT64_MAX, "a number"); break;
    case NUMBER: jread_number(r, "a number"); break;
    case STRING: jread_c_string(r, a, "a name"); break;
    case BOOL: jread_bool(r, "true or false"); break;
    case NONE: jread_null(r); break;
    case CHOICE: jread_choice(r, words, "one or two"); break;
    case KEYS:
        jread_keys_init(&keys, a);
        for (jread_object(r); jread_key(r, &key); jread_skip(r, NULL)) jread_keys_add(&keys, r, key);
        break;
    }
}

static bool reads(temper_error *e, question q, const char *bytes, size_t length) {
    trap t;
    arena a;
    json_reader r;
    arena_init(&a, &t);
    if (trap_set(&t, e)) {
        arena_free(&a);
        return false;
    }
    jread_begin(&r, bytes, length, &a, &t);
    ask(&r, q, &a);
    jread_end(&r);
    arena_free(&a);
    trap_clear(&t);
    return true;
}

/* ---- refusals: what stands behind the text must not be looked at ---- */

static void test_refusals(void) {
    static const struct {
        question ask;
        const char *text, *behind;
        size_t line, column;
        const char *message; /* "": it is read */
    } cases[] = {
        {SKIP, "\"\\u123", "4\"", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u12", "34\"", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u", "1234\"", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u1234", "\"", 1, 1, "a string without its closing quote"},
        {SKIP, "\"\\", "n\"", 1, 1, "a string without its closing quote"},
        {SKIP, "\"\\u00G0\"", "", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u00g0\"", "", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u00@0\"", "", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u00`0\"", "", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u00:0\"", "", 1, 2, "\\u needs four hexadecimal digits"},
        {SKIP, "\"\\u00/0\"", "", 1, 2, "\\u needs four hexadecimal digits"},
        {WHOLE, "\"abc", "\"", 1, 1, "expected a number, found \"abc"},
        {WHOLE, "\"abc", "de", 1, 1, "expected a number, found \"abc"},
        {WHOLE, "x1", "y", 1, 1, "expected a value, found x1"},
        {WHOLE, "\"abc\"", "d", 1, 1, "expected a number, found \"abc\""},
        {SKIP, "[", "  1]", 1, 2, "expected a value, found the end of the text"},
        {SKIP, "[ ", "]", 1, 3, "expected a value, found the end of the text"},
        {SKIP, "[1", "]", 1, 3, "expected ',' or ']', found the end of the text"},
        {SKIP, "[1 ", "]", 1, 4, "expected ',' or ']', found the end of the text"},
        {SKIP, "[1,", "]", 1, 4, "expected a value, found the end of the text"},
        {SKIP, "", "1", 1, 1, "expected a value, found the end of the text"},
        {SKIP, "", "{}", 1, 1, "expected a value, found the end of the text"},
        {SKIP, " ", "[]", 1, 2, "expected a value, found the end of the text"},
        {SKIP, "{", "\"a\":1}", 1, 2, "expected a key in quotes, found the end of the text"},
        {SKIP, "{\"a\":1,", "\"b\":1}", 1, 8, "expected a key in quotes, found the end of the text"},
        {SKIP, "{\"a\"", ":1}", 1, 5, "expected ':', found the end of the text"},
        {SKIP, "{\"a\":", "1}", 1, 6, "expected a value, found the end of the text"},
        {SKIP, "1.", "5", 1, 2, "no digit after the point"},
        {SKIP, "1e", "+5", 1, 2, "no digit in the exponent"},
        {SKIP, "1e+", "5", 1, 2, "no digit in the exponent"},
        {SKIP, "-", "5", 1, 1, "expected a number, found -"},
        {SKIP, "12", "34", 0, 0, ""},
        {SKIP, "0", "1", 0, 0, ""},
        {SKIP, "1", ".", 0, 0, ""},
        {SKIP, "1", "e", 0, 0, ""},
        {BOOL, "true", "x", 0, 0, ""},
        {BOOL, "false", "Z", 0, 0, ""},
        {NONE, "null", "a", 0, 0, ""},
        {BOOL, "tru", "e", 1, 1, "expected true or false, found tru"},
        {NONE, "nul", "l", 1, 1, "expected null, found nul"},
        /* a word ends where no letter follows it */
        {SKIP, "[truea]", "", 1, 2, "expected true or false, found truea"},
        {SKIP, "[truez]", "", 1, 2, "expected true or false, found truez"},
        {SKIP, "[trueA]", "", 1, 2, "expected true or false, found trueA"},
        {SKIP, "[trueZ]", "", 1, 2, "expected true or false, found trueZ"},
        {SKIP, "[true@]", "", 1, 6, "expected ',' or ']', found @"},
        {SKIP, "[true`]", "", 1, 6, "expected ',' or ']', found `"},
        {SKIP, "[true^]", "", 1, 6, "expected ',' or ']', found ^"},
        {SKIP, "[true{]", "", 1, 6, "expected ',' or ']', found {"},
        {SKIP, "[null1]", "", 1, 6, "expected ',' or ']', found 1"},
        /* halves of pairs */
        {SKIP, "\"\\ud800\"", "", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\ud800\\", "udc00\"", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\ud800\\u", "dc00\"", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\ud800\\udc0", "0\"", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\udbff\\udbff\"", "", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\ud800\\ue000\"", "", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\udc00\\udc00\"", "", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\udfff\\udc00\"", "", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"\\udfff\"", "", 1, 2, "half of a surrogate pair"},
        {SKIP, "\"ab\\ud800\\u0041\"", "", 1, 4, "half of a surrogate pair"},
        /* bytes that begin no character */
        {SKIP, "\"\x80\"", "", 1, 2, "a string that is not valid UTF-8"},
        {SKIP, "\"\xBF\"", "", 1, 2, "a string that is not valid UTF-8"},
        {SKIP, "\"\xC3", "\xA9\"", 1, 2, "a string that is not valid UTF-8"},
        {SKIP, "\"\x1F\"", "", 1, 2, "a control character in a string, which must be escaped"},
        {SKIP, "\" \x7F\"", "", 0, 0, ""},
        /* columns count characters, lines begin at 1 */
        {SKIP, "{\"\xC3\xA9\":1,\n\"\xF0\x9F\x98\x80\xE2\x82\xAC\" 1}", "", 2, 6, "expected ':', found 1"},
        {SKIP, "[\n\n1\n 2]", "", 4, 2, "expected ',' or ']', found 2"},
        {CHOICE, "\"three\"", "", 1, 1, "expected one or two, found \"three\""},
        {CHOICE, " \"on\"", "", 1, 2, "expected one or two, found \"on\""},
        {CHOICE, "\"onee\"", "", 1, 1, "expected one or two, found \"onee\""},
        {CHOICE, "\"tw\\u006F\"", "", 0, 0, ""},
        {STRING, "\"a\\u0000\"", "", 1, 2, "a string with a NUL character"},
        {KEYS, "{\"a\":1,\"b\":2,\"a\":3}", "", 1, 14, "a second key 'a'"},
        {KEYS, "{\"\":1,\"\":2}", "", 1, 7, "a second key ''"},
        {KEYS, "{\"\":1,\"a\":2,\"aa\":{\"a\":1}}", "", 0, 0, ""},
        {SKIP, "[{\"a\":1},{\"a\":2},{\"b\":{\"a\":1}}]", "", 0, 0, ""},
        {SKIP, "{\"a\":{\"a\":1},\"a\":2}", "", 1, 14, "a second key 'a'"},
        {SKIP, "{\"a\":[1],\"b\":{\"a\":1,\"c\":[],\"a\":2}}", "", 1, 28, "a second key 'a'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char bytes[80];
        temper_error e = {0};
        snprintf(bytes, sizeof bytes, "%s%s", cases[k].text, cases[k].behind);
        bool ok = reads(&e, cases[k].ask, bytes, strlen(cases[k].text));
        CHECK(ok == !*cases[k].message && (ok || (e.line == cases[k].line && e.column == cases[k].column &&
                                                  e.code == TEMPER_FORMAT && !strcmp(e.text, cases[k].message))),
              "%s: %zu:%zu: %s", cases[k].text, e.line, e.column, ok ? "read" : e.text);
    }
}

/* Of what stands there 24 characters are shown, however long they are. */
static void test_long_finds(void) {
    static const char *const characters[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t size = 1; size <= 4; size++)
        for (size_t count = 22; count < 40; count++)
            for (int quoted = 0; quoted < 2; quoted++) {
                char bytes[200] = "", wanted[200] = "expected a value, found ";
                temper_error e = {0};
                if (quoted) strcat(bytes, "\"");
                for (size_t k = 0; k < count; k++) strcat(bytes, characters[size - 1]);
                if (quoted) {
                    strcat(bytes, "\" ");
                    memcpy(wanted, "expected a number, found ", 26);
                }
                size_t shown = count + 2 * (size_t)quoted;
                size_t kept = shown > 24 ? 24 * size - (quoted ? size - 1 : 0) : strlen(bytes) - (size_t)quoted;
                strncat(wanted, bytes, kept);
                if (shown > 24) strcat(wanted, "...");
                reads(&e, WHOLE, bytes, strlen(bytes));
                CHECK(!strcmp(e.text, wanted), "%s, not %s", e.text, wanted);
            }
}

/* ---- strings, by code points ---- */

static void read_codes(arena *a) {
    trap *t = a->trap;
    static const struct {
        const char *text, *decoded;
    } cases[] = {
        {"\"\\uAAAA\\uFFFF\"", "\xEA\xAA\xAA\xEF\xBF\xBF"},
        {"\"\\uaaaa\\uffff\"", "\xEA\xAA\xAA\xEF\xBF\xBF"},
        {"\"\\u0099\\u0041\"", "\xC2\x99"
                               "A"},
        {"\"\\uD7FF\"", "\xED\x9F\xBF"},
        {"\"\\uE000\"", "\xEE\x80\x80"},
        {"\"\\uD800\\uDC00\"", "\xF0\x90\x80\x80"},
        {"\"\\uDBFF\\uDFFF\"", "\xF4\x8F\xBF\xBF"},
        {"\"\\uD800\\uDFFFz\"", "\xF0\x90\x8F\xBF"
                                "z"},
        {"\"\\uDBFF\\uDC00\\n\"", "\xF4\x8F\xB0\x80\n"},
        {"\"\\u007F\\u0080\x7F\xC2\x80\"", "\x7F\xC2\x80\x7F\xC2\x80"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\"", ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        json_reader r;
        jread_begin(&r, cases[k].text, strlen(cases[k].text), a, t);
        const char *found = jread_c_string(&r, a, "a string");
        CHECK(!strcmp(found, cases[k].decoded) && r.at == r.length, "%s: %s", cases[k].text, found);
        jread_begin(&r, cases[k].text, strlen(cases[k].text), a, t);
        json_text s = jread_string(&r, "a string");
        CHECK(jread_is(s, cases[k].decoded) && jread_decoded_length(s) == strlen(cases[k].decoded), "%s",
              cases[k].text);
    }
}

/* Texts in growing order of code points, each followed by a closing quote, which is no part of it. */
static void compare_texts(arena *a) {
    trap *t = a->trap;
    static const char *const ordered[] = {"\"\"",
                                          "\"\\u0000\"",
                                          "\"!\"",
                                          "\"#\"",
                                          "\"a\"",
                                          "\"a\\u0001\"",
                                          "\"a!\"",
                                          "\"a#\"",
                                          "\"aa\"",
                                          "\"b\"",
                                          "\"\\u007f\"",
                                          "\"\xC2\x80\"",
                                          "\"\\ud7ff\"",
                                          "\"\xEE\x80\x80\"",
                                          "\"\\uffff\"",
                                          "\"\\ud800\\udc00\"",
                                          "\"\xF0\x90\x80\x81\"",
                                          "\"\\udbff\\udfff\""};
    size_t count = sizeof ordered / sizeof *ordered;
    for (size_t x = 0; x < count; x++)
        for (size_t y = 0; y < count; y++) {
            json_text one = {ordered[x] + 1, strcspn(ordered[x] + 1, "\"")};
            json_text other = {ordered[y] + 1, strcspn(ordered[y] + 1, "\"")};
            int found = jread_compare(one, other);
            CHECK((found > 0) - (found < 0) == (x > y) - (x < y), "%s and %s: %d", ordered[x], ordered[y], found);
        }
    (void)a, (void)t;
}

/* ---- numbers ---- */

static void test_long_numbers(void) {
    char bytes[120] = "0.", wanted[] = "a number of more than 100 characters";
    temper_error e = {0};
    memset(bytes + 2, '3', 118);
    CHECK(reads(&e, NUMBER, bytes, 99) && reads(&e, NUMBER, bytes, 100), "%s", e.text);
    CHECK(!reads(&e, NUMBER, bytes, 101) && e.column == 1 && !strcmp(e.text, wanted), "%zu: %s", e.column, e.text);
    CHECK(!reads(&e, NUMBER, bytes, 102) && !strcmp(e.text, wanted), "%s", e.text);
    CHECK(reads(&e, SKIP, bytes, 118), "a number that is skipped may be long: %s", e.text);
}

static void read_numbers(arena *a) {
    trap *t = a->trap;
    static const struct {
        const char *text, *behind;
        double value;
    } cases[] = {{"0", "7", 0},
                 {"-0", ".5", -0.0},
                 {"12", "3", 12},
                 {"1.5", "5", 1.5},
                 {"1e2", "3", 100},
                 {"-1.25E-2", "1", -0.0125},
                 {"9007199254740993", "", 9007199254740992.0},
                 {"1e+3", "0", 1000},
                 {"1e308", "0", 1e308},
                 {"0.1", "", 0.1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char bytes[40];
        json_reader r;
        snprintf(bytes, sizeof bytes, "%s%s", cases[k].text, cases[k].behind);
        jread_begin(&r, bytes, strlen(cases[k].text), a, t);
        double x = jread_number(&r, "a number");
        CHECK(x == cases[k].value && !signbit(x) == !signbit(cases[k].value) && r.at == r.length, "%s: %a",
              cases[k].text, x);
    }
    json_reader r;
    jread_begin(&r, "[18446744073709551615,0,10]", 27, a, t);
    jread_array(&r);
    CHECK(jread_element(&r) && jread_integer(&r, UINT64_MAX, "a number") == UINT64_MAX, "2^64 - 1");
    CHECK(jread_element(&r) && jread_integer(&r, 0, "a number") == 0, "0");
    CHECK(jread_element(&r) && jread_integer(&r, 10, "a number") == 10 && !jread_element(&r), "10");
}

/* ---- the reader itself ---- */

static void read_fields(arena *a) {
    trap *t = a->trap;
    static const char *const names[] = {"a", "b", NULL};
    static const char source[] = "{\"b\": 1, \"a\": 2 } ";
    json_reader r;
    uint32_t seen = 0;
    jread_begin(&r, source, strlen(source), a, t);
    jread_object(&r);
    CHECK(jread_field(&r, names, &seen) == 1 && seen == 2 && !strcmp(r.field, "b"), "b");
    jread_skip(&r, a);
    CHECK(jread_field(&r, names, &seen) == 0 && seen == 3 && !strcmp(r.field, "a"), "a");
    jread_skip(&r, a);
    CHECK(jread_field(&r, names, &seen) == -1 && seen == 3 && !r.field && r.depth == 0, "the end");
    jread_end(&r);
    CHECK(r.at == r.length, "all of it is read");
}

/* Messages point at bytes behind such that are no characters, each of which is one column. */
static void test_places(void) {
    static const struct {
        const char *text;
        size_t at, line, column;
    } cases[] = {{"\xFF\xFE\x80x", 3, 1, 4}, {"\xC3\n\xA9y", 3, 2, 2}, {"ab\n", 3, 2, 1}, {"\xC3\xA9z", 2, 1, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trap t;
        arena a;
        temper_error e = {0};
        json_reader r;
        arena_init(&a, &t);
        if (!trap_set(&t, &e)) {
            jread_begin(&r, cases[k].text, strlen(cases[k].text), &a, &t);
            jread_fail(&r, cases[k].at, "here");
        }
        CHECK(e.line == cases[k].line && e.column == cases[k].column && !strcmp(e.text, "here"), "%s: %zu:%zu",
              cases[k].text, e.line, e.column);
        arena_free(&a);
    }
}

/* A text in a string: each of its bytes, and its end, has a place in the outer text. */
static void find_offsets(arena *a) {
    trap *t = a->trap;
    /* the inner text is [1,"é\n"] with é as two bytes and an escaped line feed; written in the outer one as */
    static const char outer_text[] = "  \"[1,\\\"\\u00e9\\\\n\\\"]\"";
    static const size_t places[] = {103, 104, 105, 106, 108, 108, 114, 116, 117, 119, 120};
    json_reader outer, inner;
    jread_begin(&outer, outer_text, strlen(outer_text), a, t);
    outer.by_byte = true;
    outer.base = 100;
    json_text quoted = jread_string(&outer, "a string");
    char decoded[20];
    size_t length = jread_decode(decoded, quoted);
    CHECK(length == 10 && !memcmp(decoded, "[1,\"\xC3\xA9\\n\"]", 10), "%.*s", (int)length, decoded);
    jread_begin(&inner, decoded, length, a, t);
    inner.outer = &outer;
    inner.quoted = quoted;
    for (size_t at = 0; at <= length; at++)
        CHECK(jread_offset(&inner, at) == places[at], "byte %zu: %llu, not %zu", at,
              (unsigned long long)jread_offset(&inner, at), places[at]);
}

int main(void) {
    test_refusals();
    test_long_finds();
    test_in_arena(read_codes);
    test_in_arena(compare_texts);
    test_long_numbers();
    test_in_arena(read_numbers);
    test_in_arena(read_fields);
    test_places();
    test_in_arena(find_offsets);
    return test_finish("json-edges");
}

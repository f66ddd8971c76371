/* Properties of characters: the table as property_has reads it, and as this file does; what Unicode says about how
   properties hang together; some characters that everybody knows. tests/interop/regex_check.py compares them with the
   tables of Python and of the package regex, scripts/unicode-facts.py --check with Unicode's files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/case_fold.h"
#include "base/category.h"
#include "base/property.h"
#include "base/unicode_facts.h"
#include "test.h"

enum { END = 0x110000, MOST_PLACES = 4096, LINES = 512 };

/* ---- the table, read in another way: whole lines, all places at once ---- */

typedef struct table_line {
    char kind, names[200], letters[40];
    size_t offset, base;
    uint32_t places[2][MOST_PLACES];
    size_t count[2];
} table_line;

static table_line lines[LINES];
static size_t line_count;

static size_t spelled(const char **at) {
    static const char digits[] =
        "!#$%&'()*+,-./0123456789:;<=>@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
    size_t x = 0, digit;
    while ((digit = (size_t)(strchr(digits, *(*at)++) - digits)) > 61) x = x * 29 + digit - 61;
    return x * 62 + digit;
}

static void read_table(void) {
    for (const char *at = unicode_properties; *at; line_count++) {
        table_line *x = &lines[line_count];
        x->offset = (size_t)(at - unicode_properties);
        x->kind = *at;
        at += 2;
        size_t names = strcspn(at, " "), letters = strcspn(at + names + 1, " ");
        memcpy(x->names, at, names);
        memcpy(x->letters, at + names + 1, letters);
        at += names + letters + 2;
        x->base = *at == ' ' ? 0 : spelled(&at);
        for (size_t part = 0; *at == ' '; part++) {
            uint32_t place = 0;
            for (at++; *at != ' ' && *at != '\n';) {
                place += (uint32_t)spelled(&at) + (x->count[part] > 0);
                x->places[part][x->count[part]++] = place;
            }
        }
        at++;
    }
}

static bool is_behind_odd(const table_line *x, int part, uint32_t code) {
    size_t behind = 0;
    for (size_t k = 0; k < x->count[part]; k++) behind += x->places[part][k] <= code;
    return behind % 2;
}

static bool has_by_table(const table_line *x, bool extensions, uint32_t code) {
    bool has = is_behind_odd(x, 0, code) != (extensions && is_behind_odd(x, 1, code));
    for (const char *c = x->letters; *c; c++)
        has ^= category_of(code) == 1u << (*c >= 'a' ? *c - 'a' + 26 : *c - 'A');
    if (!x->base) return has;
    size_t k = 0;
    while (lines[k].offset != x->base - 1) k++;
    return has != has_by_table(&lines[k], false, code);
}

static property of_line(const table_line *x, bool extensions) {
    property p = {PROPERTY_NONE};
    char first[200] = "";
    property_kind kind = x->kind == 's'   ? (extensions ? PROPERTY_EXTENSIONS : PROPERTY_SCRIPT)
                         : x->kind == 'b' ? PROPERTY_BINARY
                         : x->kind == 'c' ? PROPERTY_BIDI
                         : x->kind == 'p' ? PROPERTY_CLASS
                                          : PROPERTY_BREAK;
    memcpy(first, x->names, strcspn(x->names, ","));
    CHECK(property_find(&p, kind, first, strlen(first)), "%s is not found", first);
    return p;
}

/* Characters at which something changes, and some at random. */
static uint32_t any_character(test_random *r) {
    const table_line *x = &lines[random_below(r, line_count)];
    uint32_t code = (uint32_t)random_below(r, END);
    if (random_below(r, 3) && x->count[0])
        code = x->places[0][random_below(r, x->count[0])] - (uint32_t)random_below(r, 2);
    if (!random_below(r, 4)) code = (uint32_t)random_below(r, 0x3000);
    return code < END ? code : 0;
}

static void check_reading(test_random *r, unsigned trials) {
    for (size_t k = 0; k < line_count; k++)
        for (int extensions = 0; extensions <= (lines[k].kind == 's'); extensions++) {
            property p = of_line(&lines[k], extensions);
            for (unsigned t = 0; t < trials; t++) {
                uint32_t code = any_character(r);
                bool has = has_by_table(&lines[k], extensions, code);
                CHECK(property_has(&p, code) == has, "%s, U+%04X, form %d", lines[k].names, code, extensions);
            }
        }
}

/* ---- how properties hang together ---- */

static bool has(property_kind kind, const char *name, uint32_t code) {
    property p;
    if (!CHECK(property_find(&p, kind, name, strlen(name)), "%s is not found", name)) return false;
    return property_has(&p, code);
}

static bool is(const char *name, uint32_t code) { return has(PROPERTY_BINARY, name, code); }

static void check_partitions(uint32_t code) {
    size_t scripts = 0, extensions = 0, bidi = 0, breaks = 0;
    for (size_t k = 0; k < line_count; k++) {
        bool member = has_by_table(&lines[k], false, code);
        scripts += lines[k].kind == 's' && member;
        extensions += lines[k].kind == 's' && has_by_table(&lines[k], true, code);
        bidi += lines[k].kind == 'c' && member;
        breaks += lines[k].kind == 'g' && member;
    }
    CHECK(scripts == 1 && extensions >= 1 && bidi == 1 && breaks <= 1,
          "U+%04X: %zu scripts, %zu extensions, %zu bidi, %zu", code, scripts, extensions, bidi, breaks);
}

static void check_definitions(uint32_t code) {
    uint32_t category = category_of(code), orbit[CASE_ORBIT];
    bool lower = is("Lowercase", code), upper = is("Uppercase", code), start = is("ID_Start", code);
    bool title = category == category_named("Lt", 2), letter = (category & category_named("L", 1)) != 0;
    bool number = (category & category_named("N", 1)) != 0, more = is("ID_Continue", code);
    CHECK(is("Cased", code) == (lower || upper || title), "Cased of U+%04X", code);
    CHECK(lower || category != category_named("Ll", 2), "Lowercase of U+%04X", code);
    CHECK(upper || category != category_named("Lu", 2), "Uppercase of U+%04X", code);
    CHECK(is("Alphabetic", code) || !(lower || upper || letter), "Alphabetic of U+%04X", code);
    CHECK(!start || more, "ID_Continue of U+%04X", code);
    CHECK(!is("XID_Start", code) || start, "XID_Start of U+%04X", code);
    CHECK(!is("XID_Continue", code) || more, "XID_Continue of U+%04X", code);
    CHECK(is("ASCII", code) == (code < 0x80), "ASCII of U+%04X", code);
    CHECK(is("Xan", code) == (letter || number), "Xan of U+%04X", code);
    CHECK(is("Xwd", code) == has(PROPERTY_CLASS, "word", code), "Xwd of U+%04X", code);
    case_orbit(orbit, code, false);
    CHECK(orbit[0] == code || is("Changes_When_Casefolded", code), "Changes_When_Casefolded of U+%04X", code);
    bool hangul = code >= 0xAC00 && code < 0xAC00 + 11172, vowel_last = hangul && (code - 0xAC00) % 28 == 0;
    CHECK(has(PROPERTY_BREAK, "LV", code) == vowel_last, "LV of U+%04X", code);
    CHECK(has(PROPERTY_BREAK, "LVT", code) == (hangul && !vowel_last), "LVT of U+%04X", code);
    CHECK(has(PROPERTY_BREAK, "Pictographic", code) == is("ExtPict", code), "Pictographic of U+%04X", code);
    CHECK(has(PROPERTY_BREAK, "RI", code) == is("Regional_Indicator", code), "RI of U+%04X", code);
}

/* ---- what everybody knows ---- */

static void check_known(void) {
    static const struct {
        property_kind kind;
        const char *name;
        uint32_t code;
        bool has;
    } known[] = {{PROPERTY_SCRIPT, "Greek", 0x3B1, true},       {PROPERTY_SCRIPT, "greek", 'a', false},
                 {PROPERTY_SCRIPT, "Grek", 0x1F00, true},       {PROPERTY_SCRIPT, "OLD_italic", 0x10300, true},
                 {PROPERTY_SCRIPT, "Common", '1', true},        {PROPERTY_SCRIPT, "Zinh", 0x301, true},
                 {PROPERTY_SCRIPT, "Qaai", 0x301, true},        {PROPERTY_SCRIPT, "Han", 0x4E00, true},
                 {PROPERTY_SCRIPT, "Katakana", 0x30FC, false},  {PROPERTY_EXTENSIONS, "Katakana", 0x30FC, true},
                 {PROPERTY_EXTENSIONS, "Hira", 0x30FC, true},   {PROPERTY_EXTENSIONS, "Common", 0x30FC, false},
                 {PROPERTY_SCRIPT, "Unknown", 0x378, true},     {PROPERTY_SCRIPT, "Arab", 0x627, true},
                 {PROPERTY_BINARY, "Emoji", 0x1F600, true},     {PROPERTY_BINARY, "Emoji", '#', true},
                 {PROPERTY_BINARY, "White Space", 0x85, true},  {PROPERTY_BINARY, "white-space", 'a', false},
                 {PROPERTY_BINARY, "Alpha", 0x345, true},       {PROPERTY_BINARY, "Math", '+', true},
                 {PROPERTY_BINARY, "Dash", 0x2014, true},       {PROPERTY_BINARY, "Hex", 0xFF21, true},
                 {PROPERTY_BINARY, "AHex", 0xFF21, false},      {PROPERTY_BINARY, "ID_Start", 0x2118, true},
                 {PROPERTY_BINARY, "Xsp", 0x180E, true},        {PROPERTY_BINARY, "Xuc", '$', true},
                 {PROPERTY_BINARY, "Xuc", 'a', false},          {PROPERTY_BIDI, "R", 0x5D0, true},
                 {PROPERTY_BIDI, "Arabic_Letter", 0x627, true}, {PROPERTY_BIDI, "EN", '1', true},
                 {PROPERTY_CLASS, "punct", '$', true},          {PROPERTY_CLASS, "punct", 0x20AC, false},
                 {PROPERTY_CLASS, "xdigit", 0xFF10, true},      {PROPERTY_CLASS, "graph", 0x2066, false},
                 {PROPERTY_CLASS, "print", 0x180E, true},       {PROPERTY_CLASS, "graph", 0x180E, false},
                 {PROPERTY_BREAK, "Extend", 0x301, true},       {PROPERTY_BREAK, "SpacingMark", 0x903, true},
                 {PROPERTY_BREAK, "Prepend", 0x600, true},      {PROPERTY_BREAK, "Control", 0x200B, true}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        CHECK(has(known[k].kind, known[k].name, known[k].code) == known[k].has, "%s of U+%04X", known[k].name,
              known[k].code);
}

static void check_names(void) {
    static const char *const near[][2] = {
        {"Gerek", "Greek"}, {"lattin", "Latin"},      {"alphabetik", "Alphabetic"}, {"whitespaces", "White_Space"},
        {"q", NULL},        {"completely else", NULL}};
    static const char *const none[] = {"", "_", "Gree", "Greekk", "L|", "Greek,Grek", "Greek ABC", "\n", "sGreek"};
    size_t length;
    for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
        const char *found = property_near(&length, near[k][0], strlen(near[k][0]));
        bool right =
            near[k][1] ? found && length == strlen(near[k][1]) && !memcmp(found, near[k][1], length) : !found;
        CHECK(right, "near %s: %.*s", near[k][0], found ? (int)length : 4, found ? found : "none");
    }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        for (int kind = PROPERTY_CATEGORY; kind <= PROPERTY_BREAK; kind++) {
            property p;
            CHECK(!property_find(&p, (property_kind)kind, none[k], strlen(none[k])), "'%s' is found", none[k]);
        }
}

int main(void) {
    test_random r = test_seed(71);
    read_table();
    CHECK(line_count > 240 && line_count < LINES, "%zu lines", line_count);
    check_reading(&r, (unsigned)(60 * test_effort()) + 1);
    unsigned trials = (unsigned)(400 * test_effort());
    for (unsigned k = 0; k < trials; k++) {
        uint32_t code = any_character(&r);
        check_partitions(code);
        check_definitions(code);
    }
    check_known();
    check_names();
    return test_finish("t-property");
}

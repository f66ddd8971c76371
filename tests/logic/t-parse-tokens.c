/* What the readers of texts say, to the letter: tokens with their places, refusals with line, column, words and hint
   as in doc/language.md, escapes, classes up to their limits, hints for words of other tools, operators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_word.h"
#include "logic/formula_print.h"
#include "logic/parse_values.h"
#include "logic/tokenize.h"
#include "test.h"

#define SPEC  TEMPER_SYNTAX_SPEC
#define CRASP TEMPER_SYNTAX_CRASP
#define BRASP TEMPER_SYNTAX_BRASP

static trap caught;
static arena memory;

/* ---- refusals ------------------------------------------------------------------------------------------------- */

#define QUOTED(letter) "a letter other than a-z is quoted: '" letter "'"
#define LOWER          "; names of definitions are lower-case, other letters are quoted"
#define FORTY          "abcdefghijklmnopqrstuvwxyz_abcdefghij_01"
#define NOT_NAME       "names of definitions are lower-case words; operators are upper-case, with blanks around them"
#define NOT_CLOSED     "the class opened by '[' is not closed on this line"
#define CLASS_HINT     "a class of letters is [abc]; the bracket as a letter is '[' in quotes"
#define CONSTANTS      "the constants are 'true' and 'false'"
#define BLANK          "replace it by a plain blank"
#define PLAIN_QUOTES   "quotes are the plain ones, ' or \""
#define ESCAPES        "escapes are \\\\ \\' \\\" \\n \\t \\r, \\x01 to \\x7F, and \\u{...} for any other character"
#define CONTROL        "a letter that is a control character is written with an escape, as '\\x01' or '\\n'"
#define SIDE_BY_SIDE   "letters of a class stand side by side, [abc]; the blank as a letter is '\\ '"
#define NO_TEMPORAL    "C-RASP and B-RASP files have no temporal operators"
#define A_REGEX        "a regular expression is /a|b/, on one line, with \\/ for a slash; the letter is '/' in quotes"

static const struct {
    temper_syntax syntax;
    const char *source, *words, *hint;
} REFUSALS[] = {
    /* columns count characters, whatever bytes they have */
    {SPEC, "'\xc3\xa9' ;", "1:5: unexpected character ';'", QUOTED(";")},
    {SPEC, "'\xc4\x80' | '\xe2\x82\xac' ;", "1:11: unexpected character ';'", QUOTED(";")},
    {SPEC, "[\xc3\xa9 b]", "1:3: unexpected blank in a class", SIDE_BY_SIDE},
    {SPEC, "[\xc4\x80\xc3\xa9\xc3\xbc b]", "1:5: unexpected blank in a class", SIDE_BY_SIDE},
    {SPEC, "O dfa {\nstart 0\naccept 1\n0 a 1\n} ;", "5:3: unexpected character ';'", QUOTED(";")},
    {SPEC, "O dfa { start 0; accept 1; 0 a 1 } ;", "1:36: unexpected character ';'", QUOTED(";")},
    /* bytes */
    {SPEC, "a\x1f", "1:2: control byte 0x1F in the text", CONTROL},
    {SPEC, "a\n\x7f", "2:1: control byte 0x7F in the text", CONTROL},
    {SPEC, "a\r", "1:2: control byte 0x0D in the text", CONTROL},
    {SPEC, "\xef\xbb\x80", "1:1: unexpected character '\xef\xbb\x80'", QUOTED("\xef\xbb\x80")},
    {SPEC, "a\xc3", "1:2: byte 0xC3 is not valid UTF-8", "save the text as UTF-8"},
    /* comments */
    {SPEC, "a --> b", "1:3: '-->' is not an operator", "implies is '->'; for a comment put a blank after '--'"},
    {SPEC, "a -->", "1:3: '-->' is not an operator", "implies is '->'; for a comment put a blank after '--'"},
    /* classes and regular expressions that go on beyond their line */
    {SPEC, "[ab", "1:1: " NOT_CLOSED, CLASS_HINT},
    {SPEC, "[\\]", "1:1: " NOT_CLOSED, CLASS_HINT},
    {SPEC, "b | [a\\]\nb", "1:5: " NOT_CLOSED, CLASS_HINT},
    {SPEC, "[a\\\nb]", "1:1: " NOT_CLOSED, CLASS_HINT},
    {SPEC, "[a\\", "1:1: " NOT_CLOSED, CLASS_HINT},
    {SPEC, "/a\\/\n", "1:1: unexpected character '/'", A_REGEX},
    {SPEC, "/a\\\nb/", "1:1: unexpected character '/'", A_REGEX},
    {SPEC, "/a", "1:1: unexpected character '/'", A_REGEX},
    /* upper and lower case */
    {SPEC, "wXa", "1:1: 'wXa' runs an operator and a name together", "write 'wX a'" LOWER},
    {SPEC, "wXYa", "1:1: 'wXYa' runs an operator and a name together", "write 'wXY a'" LOWER},
    {SPEC, "wXBa", "1:1: 'wXBa' is neither a name nor an operator", NOT_NAME},
    {SPEC, "BXa", "1:1: 'BXa' is neither a name nor an operator", NOT_NAME},
    {SPEC, "XBa", "1:1: 'XBa' is neither a name nor an operator", NOT_NAME},
    {SPEC, "G1", "1:1: 'G1' runs an operator and a name together", "a digit as a letter is quoted: '1'" LOWER},
    {SPEC, "G12", "1:1: 'G12' runs an operator and a name together", "write 'G 12'" LOWER},
    {SPEC, "XXXXXXXXa", "1:1: 'XXXXXXXXa' runs an operator and a name together", "write 'XXXXXXXX a'" LOWER},
    {SPEC, "XXXXXXXXXa", "1:1: 'XXXXXXXXXa' runs an operator and a name together", "put a blank between them" LOWER},
    {SPEC, "X" FORTY, "1:1: 'Xabcdefghijklmnopqrstuvwxyz_abcdefghij_0...' runs an operator and a name together",
     "write 'X " FORTY "'" LOWER},
    {SPEC, "X" FORTY "2", "1:1: 'Xabcdefghijklmnopqrstuvwxyz_abcdefghij_0...' runs an operator and a name together",
     "put a blank between them" LOWER},
    {SPEC, "wX a & Gb", "1:8: 'Gb' runs an operator and a name together", "write 'G b'" LOWER},
    {SPEC, "wXX a & Gb", "1:9: 'Gb' runs an operator and a name together", "write 'G b'" LOWER},
    {SPEC, "And a", "1:1: 'And' is neither a name nor an operator", "'And' is written '&'"},
    {SPEC, "TRUE", "1:1: 'TRUE' is written in lower case", CONSTANTS},
    {SPEC, "True", "1:1: 'True' is written in lower case", CONSTANTS},
    {SPEC, "a U FALSE", "1:5: 'FALSE' is written in lower case", CONSTANTS},
    {SPEC, "False", "1:1: 'False' is written in lower case", CONSTANTS},
    {SPEC, "Grue", "1:1: 'Grue' runs an operator and a name together", "write 'G rue'" LOWER},
    {SPEC, "Truea", "1:1: 'Truea' runs an operator and a name together", "write 'T ruea'" LOWER},
    {SPEC, "X[!]", "1:5: expected a formula or a count after 'X[!]', found end of text", ""},
    {SPEC, "WX", "1:3: expected a formula or a count after 'WX', found end of text", ""},
    {SPEC, "O WY", "1:5: expected a formula or a count after 'WY', found end of text", ""},
    /* characters that look like others */
    {SPEC, "a\xc2\xa0", "1:2: the character U+00A0 looks like a blank but is not one", BLANK},
    {SPEC, "a\xe2\x80\x80", "1:2: the character U+2000 looks like a blank but is not one", BLANK},
    {SPEC, "a\xe2\x80\x8b", "1:2: the character U+200B looks like a blank but is not one", BLANK},
    {SPEC, "a\xe3\x80\x80", "1:2: the character U+3000 looks like a blank but is not one", BLANK},
    {SPEC, "a\xef\xbb\xbf", "1:2: the character U+FEFF looks like a blank but is not one", BLANK},
    {SPEC, "\xc2\xa1", "1:1: unexpected character '\xc2\xa1'", QUOTED("\xc2\xa1")},
    {SPEC, "\xc2\x9f", "1:1: unexpected character '\\u{9F}'", QUOTED("\\u{9F}")},
    {SPEC, "\xe1\xbf\xbe", "1:1: unexpected character '\xe1\xbf\xbe'", QUOTED("\xe1\xbf\xbe")},
    {SPEC, "\xe1\xbf\xbf", "1:1: unexpected character '\xe1\xbf\xbf'", QUOTED("\xe1\xbf\xbf")},
    {SPEC, "\xe2\x80\x8c", "1:1: unexpected character '\\u{200C}'", QUOTED("\\u{200C}")},
    {SPEC, "\xe2\xbf\xbf", "1:1: unexpected character '\xe2\xbf\xbf'", QUOTED("\xe2\xbf\xbf")},
    {SPEC, "\xe3\x80\x81", "1:1: unexpected character '\xe3\x80\x81'", QUOTED("\xe3\x80\x81")},
    {SPEC, "\xe2\x80\x97", "1:1: unexpected character '\xe2\x80\x97'", QUOTED("\xe2\x80\x97")},
    {SPEC, "\xe2\x80\x98", "1:1: unexpected character '\xe2\x80\x98'", PLAIN_QUOTES},
    {SPEC, "\xe2\x80\x9f", "1:1: unexpected character '\xe2\x80\x9f'", PLAIN_QUOTES},
    {SPEC, "\xe2\x80\xa0", "1:1: unexpected character '\xe2\x80\xa0'", QUOTED("\xe2\x80\xa0")},
    /* signs of another syntax */
    {SPEC, "◀", "1:1: unexpected character '◀'", QUOTED("◀")},
    {SPEC, "►", "1:1: unexpected character '►'", QUOTED("►")},
    {CRASP, "○", "1:1: unexpected character '○'", NO_TEMPORAL},
    {CRASP, "A = ◀", "1:5: unexpected character '◀'", QUOTED("◀")},
    {BRASP, "P(i) := ■", "1:9: unexpected character '■'", NO_TEMPORAL},
    {BRASP, "P(i) := #", "1:9: unexpected character '#'", QUOTED("#")},
    {BRASP, "P(i) := Q_a(i) @", "1:16: unexpected character '@'", QUOTED("@")},
    /* quotes and escapes */
    {SPEC, "'\\q'", "1:2: '\\q' is not a known escape", ESCAPES},
    {SPEC, "'\\qa'", "1:2: '\\q' is not a known escape", ESCAPES},
    {SPEC, "'\\x80a'", "1:2: '\\x80' is not a known escape", ESCAPES},
    {SPEC, "'\\u{fFaA90g'", "1:2: '\\u{fFaA90' is not a known escape", ESCAPES},
    {SPEC, "'a\\", "1:3: '\\' is not a known escape", ESCAPES},
    {SPEC, "'\\\n'", "1:2: '\\\\n' is not a known escape", ESCAPES},
    {SPEC, "'\\\t'", "1:2: '\\\\t' is not a known escape", ESCAPES},
    {SPEC, "'\\x80'", "1:2: '\\x80' is not a known escape", ESCAPES},
    {SPEC, "'\\x4'", "1:2: '\\x4' is not a known escape", ESCAPES},
    {SPEC, "'\\x4g'", "1:2: '\\x4' is not a known escape", ESCAPES},
    {SPEC, "'\\x00'", "1:2: '\\x00' is not a known escape", ESCAPES},
    {SPEC, "'\\u{}a'", "1:2: '\\u{}' is not a known escape", ESCAPES},
    {SPEC, "'\\u{110000}'", "1:2: '\\u{110000}' is not a known escape", ESCAPES},
    {SPEC, "'\\u{D800}'", "1:2: '\\u{D800}' is not a known escape", ESCAPES},
    {SPEC, "'\\u{0000041}'", "1:2: '\\u{0000041' is not a known escape", ESCAPES},
    {SPEC, "'\\u'", "1:2: '\\u' is not a known escape", ESCAPES},
    {SPEC, "[\\u{41]", "1:2: '\\u{41' is not a known escape", ESCAPES},
    {SPEC, "['\\d]", "1:3: '\\d' is not a known escape", ESCAPES},
    {SPEC, "'a", "1:1: the quote ' is not closed on this line", "the quote itself as a letter is '\\'' or '\\\"'"},
    {SPEC, "''", "1:1: the quotes are empty, so they name no letter", "put one letter between them, as in 'a'"},
    /* classes */
    {SPEC, "[b-a]", "1:2: the range 'b-a' is reversed",
     "swap its ends; the letter '-' stands first or last, or is escaped '\\-'"},
    {SPEC, "[\\u{10000}-\\u{20000}]", "1:2: the range '\\u{10000}-\\u{20000}' has more than 65536 letters", ""},
    {SPEC, "[^]", "1:1: the class names no letters", "any letter is 'true'; the letter '^' is quoted"},
};

static void check_refusal(size_t k) {
    temper_spec *s = NULL;
    temper_error e = {0};
    temper_spec_options o = {.syntax = REFUSALS[k].syntax};
    char words[300];
    temper_status status = temper_spec_parse(&s, REFUSALS[k].source, strlen(REFUSALS[k].source), &o, &e);
    snprintf(words, sizeof words, "%zu:%zu: %s", e.line, e.column, e.text);
    CHECK(status != TEMPER_OK && !strcmp(words, REFUSALS[k].words) && !strcmp(e.hint, REFUSALS[k].hint),
          "'%s': %s (%s), not %s (%s)", REFUSALS[k].source, status == TEMPER_OK ? "accepted" : words, e.hint,
          REFUSALS[k].words, REFUSALS[k].hint);
    temper_spec_free(s);
}

/* ---- texts that are read -------------------------------------------------------------------------------------- */

static const struct {
    const char *source, *printed;
} ACCEPTED[] = {
    {"x = a -- c\nx | b", "a | b\n"},
    {"x = a -- cc\nx | b", "a | b\n"},
    {"x = a // c\nx | b", "a | b\n"},
    {"x = a //cc\nx | b", "a | b\n"},
    {"x = a --\nx | b", "a | b\n"},
    {"a --x> b", "a\n"},
    {"a -- > b", "a\n"},
    {"a --", "a\n"},
    {"\xef\xbb\xbf"
     "a",
     "a\n"},
    {"(a |\r\n b)", "a | b\n"},
    {"X[!a]", "X [!a]\n"},
    {"X[!](a)", "X a\n"},
    {"X[!] a", "X a\n"},
    {"wX X[!] a", "wX X a\n"},
    {"wXX[!] a", "wX X a\n"},
    {"wXX a", "wX X a\n"},
    {"WXX a", "wX X a\n"},
    {"XGWY a", "X G Z a\n"},
    {"a WX b", "a W X b\n"},
    {"/\\/|a/", "/\\/|a/\n"},
    {"/[a\\]]/", "/[a\\]]/\n"},
    {"[a-a]", "a\n"},
    {"[a-c]", "[abc]\n"},
    {"[-a]", "[\\-a]\n"},
    {"[a-]", "[a\\-]\n"},
    {"[\\]a\\^]", "[\\]a\\^]\n"},
    {"['\"]", "[\\'\\\"]\n"},
    {"'\\x6a' | '\\x6f' | '\\x6A'", "j | o | j\n"},
    {"'\\u{6a}' | '\\u{00006F}'", "j | o\n"},
    {"'\\x7F' | '\\x09' | '\\n'", "'\\x7F' | '\\t' | '\\n'\n"},
    {"'\\\\' | '\\'' | \"\\\"\"", "'\\\\' | '\\'' | '\"'\n"},
};

static void check_accepted(size_t k) {
    temper_spec *s = NULL;
    temper_error e = {0};
    temper_spec_options o = {.at = TEMPER_AT_LAST};
    text out;
    temper_status status = temper_spec_parse(&s, ACCEPTED[k].source, strlen(ACCEPTED[k].source), &o, &e);
    if (!CHECK(status == TEMPER_OK, "'%s': %zu:%zu: %s", ACCEPTED[k].source, e.line, e.column, e.text)) return;
    text_init(&out, &memory);
    spec_print_formula(&out, s);
    CHECK(!strcmp(text_string(&out), ACCEPTED[k].printed), "'%s' is printed as %s", ACCEPTED[k].source,
          text_string(&out));
    temper_spec_free(s);
}

/* A range of 65,536 letters, and a class of 2^20; one more is refused. */
static void test_class_limits(void) {
    static const char range[] = "\\u{10000}-\\u{1FFFF}";
    for (int more = 0; more < 2; more++) {
        text source;
        temper_spec *s = NULL;
        temper_error e = {0};
        temper_spec_options o = {0};
        text_init(&source, &memory);
        text_puts(&source, "O [");
        for (int k = 0; k < 16; k++) text_puts(&source, range);
        text_puts(&source, more ? "\\u{10000}]" : "]");
        temper_status status = temper_spec_parse(&s, text_string(&source), source.length, &o, &e);
        CHECK(status == (more ? TEMPER_LIMIT : TEMPER_OK), "2^20 + %d letters: %s", more, e.text);
        CHECK(!more || (!strcmp(e.text, "the class names more than 1048576 letters") && e.column == 3), "%zu: %s",
              e.column, e.text);
        CHECK(more || temper_spec_about(s).letters == 65536, "%zu letters", temper_spec_about(s).letters);
        temper_spec_free(s);
    }
}

/* ---- tokens --------------------------------------------------------------------------------------------------- */

/* Reads `length` bytes, behind which there are others, and lists what there is: a place and what is shown of it. */
static const char *list_tokens(const char *bytes, size_t length, bool words) {
    static trap t;
    static arena scratch;
    static text out;
    text_init(&out, &memory);
    arena_init(&scratch, &t);
    if (trap_set(&t, NULL)) {
        text_printf(&out, "%zu:%zu: %s", t.error.line, t.error.column, t.error.text);
    } else {
        tokenizer z;
        token now;
        tokenizer_init(&z, &scratch, SPEC, bytes, length);
        z.tokens = words;
        do {
            now = tokenizer_next(&z);
            text_printf(&out, "%zu:%zu %s ", now.line, now.column, token_shown(&scratch, &now));
            if (now.kind != TOK_END && now.kind != TOK_NEWLINE && now.kind != TOK_SYMBOL)
                CHECK(strlen(now.text) == now.length, "%s: a text of %zu bytes is said to have %zu", bytes,
                      strlen(now.text), now.length);
        } while (now.kind != TOK_END);
    }
    arena_free(&scratch);
    return text_string(&out);
}

static void test_tokens(void) {
    static const struct {
        const char *bytes;
        size_t length;
        bool words;
        const char *wanted;
    } cases[] = {
        {"ab", 1, false, "1:1 'a' 1:2 end of text "},
        {"12", 1, false, "1:1 '1' 1:2 end of text "},
        {"GG", 1, false, "1:1 'G' 1:2 end of text "},
        {"Ga", 1, false, "1:1 'G' 1:2 end of text "},
        {"&&", 1, false, "1:1 '&' 1:2 end of text "},
        {"->", 1, false, "1:1 '-' 1:2 end of text "},
        {"a\r\n", 2, false, "1:2: control byte 0x0D in the text"},
        {"[ab]", 3, false, "1:1: " NOT_CLOSED},
        {"[a\\]", 3, false, "1:1: " NOT_CLOSED},
        {"/ab/", 3, false, "1:1: unexpected character '/'"},
        {"'a'", 2, false, "1:1: the quote ' is not closed on this line"},
        {"'a\\n'", 3, false, "1:3: '\\' is not a known escape"},
        {"'\\x41'", 4, false, "1:2: '\\x4' is not a known escape"},
        {"\xc3\xa9", 1, false, "1:1: byte 0xC3 is not valid UTF-8"},
        {"\xef\xbb\xbf", 2, false, "1:1: byte 0xEF is not valid UTF-8"},
        {"/a\\/b/ | [c\\]]", 14, false, "1:1 '/a\\/b/' 1:8 '|' 1:10 '[c\\]]' 1:15 end of text "},
        {"[x ']' y]&z", 11, true, "1:1 '[x ']' y]' 1:10 '&' 1:11 'z' 1:12 end of text "},
        {"a\n\n  b_1\t'\xc3\xa9'  12\n", 18, false,
         "1:1 'a' 1:2 end of line 3:3 'b_1' 3:7 '\xc3\xa9' 3:12 '12' 3:14 end of line 4:1 end of text "},
        {"(a\n|b)\nc", 8, false, "1:1 '(' 1:2 'a' 2:1 '|' 2:2 'b' 2:3 ')' 2:4 end of line 3:1 'c' 3:2 end of text "}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *listed = list_tokens(cases[k].bytes, cases[k].length, cases[k].words);
        CHECK(!strcmp(listed, cases[k].wanted), "%.*s: %s, not %s", (int)cases[k].length, cases[k].bytes, listed,
              cases[k].wanted);
        /* once more in memory that ends where the text does */
        char *exact = malloc(cases[k].length);
        if (!exact) exit(1);
        memcpy(exact, cases[k].bytes, cases[k].length);
        listed = list_tokens(exact, cases[k].length, cases[k].words);
        CHECK(!strcmp(listed, cases[k].wanted), "%zu, alone: %s", k, listed);
        free(exact);
    }
}

/* Escapes in memory that ends where they do; 0: there is none. */
static void test_escapes(void) {
    static const struct {
        const char *bytes;
        size_t length, wanted;
        uint32_t code;
    } cases[] = {{"\\", 1, 0, 0},
                 {"\\n", 2, 2, '\n'},
                 {"\\r", 2, 2, '\r'},
                 {"\\x", 2, 0, 0},
                 {"\\x7", 3, 0, 0},
                 {"\\x7F", 4, 4, 0x7F},
                 {"\\x80", 4, 0, 0},
                 {"\\x01", 4, 4, 1},
                 {"\\x00", 4, 0, 0},
                 {"\\x4af", 5, 4, 0x4A},
                 {"\\x0f", 4, 4, 15},
                 {"\\x0F", 4, 4, 15},
                 {"\\x0a", 4, 4, 10},
                 {"\\x0A", 4, 4, 10},
                 {"\\x0g", 4, 0, 0},
                 {"\\x0G", 4, 0, 0},
                 {"\\x0`", 4, 0, 0},
                 {"\\x0@", 4, 0, 0},
                 {"\\x39", 4, 4, 0x39},
                 {"\\x3:", 4, 0, 0},
                 {"\\x3/", 4, 0, 0},
                 {"\\u", 2, 0, 0},
                 {"\\u{", 3, 0, 0},
                 {"\\u{4", 4, 0, 0},
                 {"\\u{4}", 5, 5, 4},
                 {"\\u4", 3, 0, 0},
                 {"\\u{}", 4, 0, 0},
                 {"\\u{0}", 5, 0, 0},
                 {"\\u{10FFFF}", 10, 10, 0x10FFFF},
                 {"\\u{110000}", 10, 0, 0},
                 {"\\u{D7FF}", 8, 8, 0xD7FF},
                 {"\\u{D800}", 8, 0, 0},
                 {"\\u{DFFF}", 8, 0, 0},
                 {"\\u{E000}", 8, 8, 0xE000},
                 {"\\u{000041}", 10, 10, 0x41},
                 {"\\u{0000041}", 11, 0, 0},
                 {"\\u{80}", 6, 6, 0x80},
                 {"\\u{41)", 6, 0, 0},
                 {"\\-", 2, 2, '-'},
                 {"\\+", 2, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *exact = malloc(cases[k].length);
        uint32_t code = 0;
        if (!exact) exit(1);
        memcpy(exact, cases[k].bytes, cases[k].length);
        size_t size = escape_decode(&code, exact, cases[k].length, "-");
        CHECK(size == cases[k].wanted && code == cases[k].code, "%s: %zu bytes, code %X", cases[k].bytes, size,
              (unsigned)code);
        free(exact);
    }
    uint32_t code; /* what stands behind the end is not read */
    CHECK(escape_decode(&code, "\\x41", 3, "") == 0 && escape_decode(&code, "\\u{41}", 5, "") == 0, "read on");
}

/* ---- words and operators -------------------------------------------------------------------------------------- */

static void test_hints(void) {
    static const struct {
        const char *word, *hint;
    } elsewhere[] = {{"and", "'and' is written '&'"},
                     {"AND", "'AND' is written '&'"},
                     {"Until", "'Until' is written 'U'"},
                     {"begin", "'begin' is written 'first'"},
                     {"bnd", NULL},
                     {"anc", NULL},
                     {"an", NULL},
                     {"ands", NULL},
                     {"LEN", "the number of positions so far where a holds is '#[a]'"}};
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
        const char *hint = word_elsewhere(&memory, elsewhere[k].word);
        CHECK(elsewhere[k].hint ? hint && !strcmp(hint, elsewhere[k].hint) : !hint, "%s: %s", elsewhere[k].word,
              hint ? hint : "no hint");
    }
    /* the nearest name: one slip in words of up to three letters, two in longer ones; the first of several */
    enum { NAMES = 1001 };
    static const char *names[NAMES];
    static const char long_name[] = "abcdefghijklmnopqrstuvwxyz_01234";
    static const struct {
        const char *word, *names[3], *meant;
        size_t count;
    } near[] = {{"abx", {"ab"}, "ab", 1},
                {"ab", {"b"}, NULL, 1},
                {"ab", {"abc", "abd"}, "abc", 2},
                {"balnace", {"surplus", "balance"}, "balance", 2},
                {"xbc", {"abd"}, NULL, 1},
                {"xbcd", {"abce"}, "abce", 1},
                {"xycd", {"abce"}, NULL, 1},
                {"abcdefghijklmnopqrstuvwxyz_0123", {long_name}, long_name, 1},
                {"abcdefghijklmnopqrstuvwxyz_0123x", {long_name}, long_name, 1},
                {"abcdefghijklmnopqrstuvwxyz_01234x", {long_name}, NULL, 1},
                {long_name, {"abcdefghijklmnopqrstuvwxyz_01234x"}, NULL, 1}};
    value_context c = {.scratch = &memory};
    for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
        char wanted[60];
        snprintf(wanted, sizeof wanted, "did you mean '%s'?", near[k].meant ? near[k].meant : "");
        const char *hint = word_hint(&c, near[k].word, near[k].names, near[k].count);
        CHECK(near[k].meant ? hint && !strcmp(hint, wanted) : !hint, "%s: %s", near[k].word, hint ? hint : "no hint");
    }
    CHECK(strlen(long_name) == WORD_LONGEST, "%zu", strlen(long_name));
    for (size_t k = 0; k < NAMES; k++) names[k] = k == 999 ? "balance" : "surplus";
    CHECK(word_hint(&c, "balnace", names, 1000), "no hint among 1000 names");
    CHECK(!word_hint(&c, "balnace", names, 1001), "a hint among 1001 names");
}

/* Operands, and how tightly an operator binds, as doc/language.md says under "Precedence": atoms 8, comparisons 7,
   prefix operators 6, and so on. */
static void test_operators(void) {
    static const struct {
        formula_op op;
        int kids, binding;
    } all[] = {{OP_TRUE, 0, 8},         {OP_FALSE, 0, 8},        {OP_FIRST, 0, 8},
               {OP_LAST, 0, 8},         {OP_LETTERS, 0, 8},      {OP_MATCHES, 0, 8},
               {OP_MATCHES_REST, 0, 8}, {OP_COUNT_PAST, 1, 8},   {OP_COUNT_FUTURE, 1, 8},
               {OP_ATTEND, 2, 8},       {OP_MATCH, -1, 8},       {OP_COMPARE, -1, 7},
               {OP_MODULO, -1, 7},      {OP_AT, -1, 7},          {OP_NOT, 1, 6},
               {OP_NEXT, 1, 6},         {OP_WEAK_NEXT, 1, 6},    {OP_EVENTUALLY, 1, 6},
               {OP_ALWAYS, 1, 6},       {OP_YESTERDAY, 1, 6},    {OP_WEAK_YESTERDAY, 1, 6},
               {OP_ONCE, 1, 6},         {OP_HISTORICALLY, 1, 6}, {OP_UNTIL, 2, 5},
               {OP_RELEASE, 2, 5},      {OP_WEAK_UNTIL, 2, 5},   {OP_STRONG_RELEASE, 2, 5},
               {OP_SINCE, 2, 5},        {OP_TRIGGERED, 2, 5},    {OP_AND, -1, 4},
               {OP_XOR, 2, 3},          {OP_OR, -1, 2},          {OP_IMPLIES, 2, 1},
               {OP_IFF, 2, 0}};
    CHECK(sizeof all / sizeof *all == OP_COUNT_OF_OPERATORS, "%d operators", (int)OP_COUNT_OF_OPERATORS);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK(operator_kids(all[k].op) == all[k].kids && operator_binding(all[k].op) == all[k].binding,
              "operator %d '%s': %d operands, binding %d", (int)all[k].op, operator_spelling(all[k].op),
              operator_kids(all[k].op), operator_binding(all[k].op));
}

int main(void) {
    if (trap_set(&caught, NULL)) {
        fprintf(stderr, "t-parse-tokens: unexpected error: %s\n", caught.error.text);
        return 1;
    }
    arena_init(&memory, &caught);
    for (size_t k = 0; k < sizeof REFUSALS / sizeof *REFUSALS; k++) check_refusal(k);
    for (size_t k = 0; k < sizeof ACCEPTED / sizeof *ACCEPTED; k++) check_accepted(k);
    test_class_limits();
    test_tokens();
    test_escapes();
    test_hints();
    test_operators();
    arena_free(&memory);
    return test_finish("t-parse-tokens");
}

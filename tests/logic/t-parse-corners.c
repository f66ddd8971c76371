/* Texts at the edge of what the readers take: two spellings of one specification must agree on all short strings, and
   so must each with what is printed of it; texts just beyond are refused, in the words that say what is wrong. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "temper.h"
#include "test.h"

enum { LONGEST = 4 };

static temper_spec *parse(const char *text, const temper_spec_options *o) {
    temper_spec *s = NULL;
    temper_error e;
    CHECK(temper_spec_parse(&s, text, strlen(text), o, &e) == TEMPER_OK, "'%s': %zu:%zu: %s", text, e.line, e.column,
          e.text);
    return s;
}

/* Truth at every position of all strings up to LONGEST letters. */
static void compare(const temper_spec *x, const temper_spec *y, const char *what) {
    size_t letters = temper_spec_about(x).letters;
    if (!CHECK(letters == temper_spec_about(y).letters, "%s: %zu and %zu letters", what, letters,
               temper_spec_about(y).letters))
        return;
    for (size_t n = 0; n <= LONGEST && (n <= 2 || letters <= 4); n++) {
        size_t count = 1;
        for (size_t k = 0; k < n; k++) count *= letters;
        for (size_t k = 0; k < count && k < 5000; k++) {
            uint32_t word[LONGEST] = {0};
            unsigned char truth[2][LONGEST] = {{0}};
            int accept[2] = {-1, -2};
            temper_error e;
            for (size_t i = 0, rest = k; i < n; i++, rest /= letters) word[i] = (uint32_t)(rest % letters);
            bool ok = temper_spec_eval(&accept[0], truth[0], x, word, n, &e) == TEMPER_OK &&
                      temper_spec_eval(&accept[1], truth[1], y, word, n, &e) == TEMPER_OK;
            CHECK(ok && accept[0] == accept[1] && memcmp(truth[0], truth[1], n) == 0, "%s: string %zu of length %zu",
                  what, k, n);
        }
    }
}

static void check_printed(const temper_spec *s, const temper_spec_options *given, const char *what) {
    char *text = NULL;
    temper_error e;
    temper_spec_options o = *given;
    if (!CHECK(temper_spec_print(&text, s, &e) == TEMPER_OK, "%s: %s", what, e.text)) return;
    if (o.syntax == TEMPER_SYNTAX_DFA || o.syntax == TEMPER_SYNTAX_REGEX)
        o.syntax = TEMPER_SYNTAX_SPEC; /* as it is printed */
    temper_spec *again = parse(text, &o);
    if (again) compare(s, again, text);
    temper_spec_free(again);
    temper_free(text);
}

typedef struct pair {
    const char *one, *other;
    temper_spec_options options; /* of both; the syntax is that of the first */
    temper_syntax syntax;        /* of the second */
} pair;

static void check_pair(const pair *p) {
    temper_spec_options second = p->options;
    second.syntax = p->syntax;
    temper_spec *x = parse(p->one, &p->options), *y = parse(p->other, &second);
    if (x && y) {
        compare(x, y, p->one);
        check_printed(x, &p->options, p->one);
        check_printed(y, &second, p->other);
    }
    temper_spec_free(x);
    temper_spec_free(y);
}

typedef struct refusal {
    const char *text, *words;
    temper_spec_options options;
} refusal;

static void check_refusal(const refusal *r) {
    temper_spec *s = NULL;
    temper_error e = {0};
    temper_status status = temper_spec_parse(&s, r->text, strlen(r->text), &r->options, &e);
    CHECK(status != TEMPER_OK && (strstr(e.text, r->words) || strstr(e.hint, r->words)), "'%s': '%s' (%s), not '%s'",
          r->text, status == TEMPER_OK ? "accepted" : e.text, e.hint, r->words);
    temper_spec_free(s);
}

#define CRASP                                                                                                        \
    { .syntax = TEMPER_SYNTAX_CRASP, .alphabet = "ab" }
#define TOKENS(letters)                                                                                              \
    { .alphabet = letters, .tokens = 1 }
#define AB                                                                                                           \
    { .alphabet = "ab" }
#define TABLE "start q\naccept q\nq a r\nr b q\n"

static const pair PAIRS[] = {
    {"#\t[a] >= 1", "#[a] >= 1", AB, 0},
    {"#>\t[a] >= 1", "#>[a] >= 1", AB, 0},
    {"(a &\r\n b)", "a & b", AB, 0},
    {"dfa\t{" TABLE "}", "/(ab)*/", AB, 0},
    {"dfa { " TABLE " \t }", "/(ab)*/", AB, 0},
    {"\xEF\xBB\xBF" TABLE, "/(ab)*/", {.syntax = TEMPER_SYNTAX_DFA, .alphabet = "ab"}, TEMPER_SYNTAX_SPEC},
    {"n = #[a] + 1\nn >= 2", "#[a] >= 1", AB, 0},
    {"n = 2*#[a]\nn >= 2", "#[a] >= 1", AB, 0},
    {"n = #[a]\nn >= 1", "#[a] >= 1", AB, 0},
    {"a WF b", "a W F b", AB, 0},
    {"a WX b", "a W X b", AB, 0},
    {"[\\u{D7FF}-\\u{E000}]", "'\\u{D7FF}' | '\\u{E000}'", {.alphabet = "a\xED\x9F\xBF\xEE\x80\x80"}, 0},
    {"[~ A]", "'~' | 'A'", TOKENS("A ~ _c 0b"), 0},
    {"c_1 = 'A'\nc_1 & Y '0b'", "'A' & Y '0b'", TOKENS("A ~ _c 0b"), 0},
    {"O '~' & Y '0b'", "Y '0b' & O '~'", TOKENS("A ~ _c 0b"), 0},
    {"/()*a/", "/a/", AB, 0},
    {"/(|a)*b/", "/a*b/", AB, 0},
    {"/^a$|^b$/", "/a|b/", AB, 0},
    /* remainders are told apart by modulus and by remainder */
    {"#[a] % 3 = 1 & #[a] % 4 = 1", "#[a] % 12 = 1", AB, 0},
    {"#[a] % 2 = 1 & #[a] % 3 = 2", "#[a] % 6 = 5", AB, 0},
    {"#[a] % 3 = 1 | #[a] % 3 = 2", "!(#[a] % 3 = 0)", AB, 0},
    {"#[a] % 3 <= 1", "#[a] % 3 = 0 | #[a] % 3 = 1", AB, 0},
    {"0*#[a] + #[b] >= 1", "#[b] >= 1", AB, 0},
    {"1 - #[a] <= 0", "#[a] >= 1", AB, 0},
    {"-1*#[a] + 2*#[b] - 1 >= 0", "2*#[b] >= #[a] + 1", AB, 0},
    {"Y^2 a", "Y Y a", AB, 0},
    {"Z^2 a", "Z Z a", AB, 0},
    {"X^2 a", "X X a", AB, 0},
    {"/a*/ & !/b*/", "/aa*/", AB, 0},
    {"/a*/ <-> /b*/", "!(/a*/ ^ /b*/)", AB, 0},
    {"/ab/ -> /b/", "!/ab/ | /b/", AB, 0},
    {"a @ (#[false] + #[b])", "a @ #[b]", AB, 0},
    {"regex <-> a", "a <-> regex", TOKENS("regex a b"), 0},
    {"regex & a", "a & regex", TOKENS("regex a b"), 0},
    /* C-RASP */
    {"A = # Q_a\nat = A > 0\nat\n", "O a", CRASP, TEMPER_SYNTAX_SPEC},
    {"A = # [j<=i] false\nV = A == 0\n", "true", CRASP, TEMPER_SYNTAX_SPEC},
    {"A = # [j<=i] true\nV = A > 1\n", "Y true", CRASP, TEMPER_SYNTAX_SPEC},
    {"A = # [j<=i] !Q_a\nV = A > 0\n", "O b", CRASP, TEMPER_SYNTAX_SPEC},
    {"dfa = # Q_a\nV = dfa > 0\n", "O a", CRASP, TEMPER_SYNTAX_SPEC},
    {"regex = # Q_a\nV = regex > 0\n", "O a", CRASP, TEMPER_SYNTAX_SPEC},
    {"A = # Q_a\nV = 1 == A % 2\n", "#[a] % 2 = 1", CRASP, TEMPER_SYNTAX_SPEC},
    {"O = # Q_a\nTRUE_1 = O > 0\nV = !TRUE_1\n", "H b", CRASP, TEMPER_SYNTAX_SPEC},
};

static const refusal REFUSALS[] = {
    {"a &\r b", "control byte 0x0D", AB},
    {"a\r", "control byte 0x0D", AB},
    {"a & 12", "compare the count", AB},
    {"a & 3", "quoted: '3'", AB},
    {"a & 12", "quoted: '12'", TOKENS("a b")},
    {"(#[a] % 3) => b", "compare the remainder", AB},
    {"#[a] => b", "'greater or equal' is '>='", AB},
    {"'\\x1G'", "is not a known escape", AB},
    {"'\\xFF'", "is not a known escape", AB},
    {"'\\u'", "is not a known escape", AB},
    {"'\\uAB'", "is not a known escape", AB},
    {"'\\u{G}'", "is not a known escape", AB},
    {"'\\u{41'", "is not a known escape", AB},
    {"'\\u{1234567}'", "is not a known escape", AB},
    {"'\\u{D800}'", "is not a known escape", AB},
    {"'\\u", "", AB},
    {"'\\u{41", "", AB},
    {"'\\x1='", "is not a known escape", AB},
    {"'\\x_1'", "is not a known escape", AB},
    {"O a", "expected 'emit'", {.alphabet = "ab", .kind = TEMPER_KIND_TRANSDUCER}},
    {"V = # Q_a > 0",
     "no line 'transduce'",
     {.syntax = TEMPER_SYNTAX_CRASP, .alphabet = "ab", .kind = TEMPER_KIND_TRANSDUCER}},
    {"longer = O a\nx = O b\nlonge & x", "longer", AB},
    {"a_name_of_more_letters_than_any_word_that_is_compared_with_what_stands_in_the_text_of_a_person = O a\nlonge & "
     "a",
     "", AB},
    {"start q\rq a q", "", {.syntax = TEMPER_SYNTAX_DFA, .alphabet = "ab"}},
    {"start q\r", "", {.syntax = TEMPER_SYNTAX_DFA, .alphabet = "ab"}},
    {"start q\x7F", "", {.syntax = TEMPER_SYNTAX_DFA, .alphabet = "ab"}},
    {"OOOOOOOOOa", "put a blank between them", AB},
    {"Oaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "put a blank between them", AB},
    {"Oab", "write 'O ab'", AB},
    {"Y^a", "", AB},
    {"Y^(a)", "", AB},
    {"Y^9999999 a", "more than", AB},
    {"O^3 a", "", AB},
    {"H^2 a", "", AB},
    {"a U^2 b", "", AB},
    {"a F b", "this operator takes one formula", AB},
    {"a <> b", "'not equal' is '!='", AB},
    {"[a'b']", "expected a blank between tokens", TOKENS("a b")},
    {"['a]", "", TOKENS("a b")},
    {"-2*(4611686018427387904*#[a]) >= 0", "", AB},
    {"4611686018427387904*#[a] + 4611686018427387904*#[a] >= 0", "does not fit in 64 bits", AB},
    {"-4611686018427387904*#[a] - 4611686018427387904*#[a] >= 0", "does not fit in 64 bits", AB},
    {"#[a] + 9223372036854775807 + #[b] + 1 >= 0", "does not fit in 64 bits", AB},
    {"Q_", "expected a quoted letter", CRASP},
    {"V = # Q_a\nW = V @ V > 1\n", "", CRASP},
    {"V = # a # b", "", CRASP},
    {"other ~x", "", AB},
    {"a_name_that_is_longer_than_any_word_that_is_ever_suggested_as_what_was_meant = a\nb = O a\nab & bb", "", AB},
    {"", "", {.syntax = TEMPER_SYNTAX_DFA, .alphabet = "ab"}},
    {"ab", "", {.syntax = TEMPER_SYNTAX_DFA, .alphabet = "ab"}},
    {"dfa { " TABLE, "", AB},
    {"a\x7F", "control byte 0x7F", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"a\x1F", "control byte 0x1F", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"[[:a{:]]", "this is none", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"[[:alpha]]", "'[' is not in the alphabet", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"[a\\", "", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"[a-\\", "", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"a$&b", "'&' is not in the alphabet", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
    {"(?&)!^a", "'!' is not in the alphabet", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}},
};

/* ---- operators inside each other: what is printed of them reads back, and '(' is where it must be ---- */

static void check_text(const char *text) {
    temper_spec *s = NULL;
    temper_spec_options o = {.alphabet = "abc"};
    temper_error e;
    if (temper_spec_parse(&s, text, strlen(text), &o, &e) == TEMPER_OK) check_printed(s, &o, text); /* or both ways */
    temper_spec_free(s);
}

static void check_nesting(void) {
    static const char *const infix[] = {"&", "|", "->", "<->", "^", "U", "W", "R", "S", "T"}, *const prefix[] = {
                                                                                                  "!",          "X",
                                                                                                  "F",          "Y",
                                                                                                  "O",          "Y^3",
                                                                                                  "#[c] >= 1 &"};
    enum { INFIX = sizeof infix / sizeof *infix, PREFIX = sizeof prefix / sizeof *prefix };
    char text[100];
    for (size_t x = 0; x < INFIX; x++) {
        for (size_t y = 0; y < INFIX; y++) {
            snprintf(text, sizeof text, "(a %s b) %s c", infix[x], infix[y]);
            check_text(text);
            snprintf(text, sizeof text, "a %s (b %s c)", infix[x], infix[y]);
            check_text(text);
            snprintf(text, sizeof text, "a %s b %s c", infix[x], infix[y]);
            check_text(text);
        }
        for (size_t y = 0; y < PREFIX; y++) {
            snprintf(text, sizeof text, "%s (a %s b)", prefix[y], infix[x]);
            check_text(text);
            snprintf(text, sizeof text, "(%s a) %s %s b", prefix[y], infix[x], prefix[y]);
            check_text(text);
        }
    }
}

/* ---- long sums: terms of one count are added up, wherever they stand ---- */

static void check_long_sums(void) {
    static const temper_spec_options o = {.alphabet = "ab"};
    static const int sizes[] = {3, 15, 16, 17, 40, 90};
    static char text[20000];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int other = 0; other < 2;
             other++) { /* the sum of k #[Y^k a], twice and in other orders, less twice itself */
            char *to = text;
            for (int k = 1; k <= sizes[s]; k++) to += sprintf(to, "%s%d*#[Y^%d a]", k > 1 ? " + " : "", k, k);
            for (int k = sizes[s]; k >= 1; k--) to += sprintf(to, " + %d*#[Y^%d a]", k, k);
            for (int k = 1; k <= sizes[s]; k++) to += sprintf(to, " - %d*#[Y^%d a]", 2 * k, k);
            sprintf(to, " + %d*#[Y a] >= 1", other); /* and one more */
            const pair p = {text, other ? "#[Y a] >= 1" : "false", o, TEMPER_SYNTAX_SPEC};
            check_pair(&p);
            temper_spec *x = parse(text, &o);
            if (x)
                CHECK(temper_spec_about(x).nodes <= 8, "%d terms: %zu nodes", sizes[s], temper_spec_about(x).nodes);
            temper_spec_free(x);
        }
}

/* ---- more letters than a word of the machine has bits ---- */

static void check_many_letters(void) {
    enum { COUNT = 131 };
    static char letters[COUNT][4], text[2000];
    const char *all[COUNT];
    test_random r = test_seed(20);
    for (uint32_t k = 0; k < COUNT; k++) { /* U+4E00 and on */
        snprintf(letters[k], sizeof letters[k], "\xE4%c%c", (char)(0xB8 + k / 64), (char)(0x80 + k % 64));
        all[k] = letters[k];
    }
    for (int round = 0; round < 12; round++) {
        bool in[COUNT] = {0};
        char *to = text + sprintf(text, "%s[%s", round % 4 == 3 ? "/" : "", round % 2 ? "^" : "");
        for (size_t k = 0; k < COUNT; k++) {
            bool edge = k % 64 == 0 || k % 64 == 63 || k == COUNT - 1;
            in[k] = random_below(&r, round < 6 ? 12 : 2) == 0 || (edge && (k + (size_t)round) % 3 == 0);
            if (in[k]) to += sprintf(to, "%s", letters[k]);
        }
        strcpy(to, round % 4 == 3 ? "]/" : "]");
        temper_spec_options o = {.letters = all, .letter_count = COUNT};
        temper_spec *s = parse(text, &o);
        for (uint32_t k = 0; k < COUNT && s; k++) {
            int accept = -1;
            unsigned char truth;
            temper_error e;
            CHECK(!temper_spec_eval(&accept, &truth, s, &k, 1, &e) && accept == (in[k] != (round % 2)),
                  "%s: letter %u", text, k);
        }
        if (s) check_printed(s, &o, text);
        temper_spec_free(s);
    }
}

/* ---- tables of automata, which read back, whatever the letters are ---- */

static void check_table(const char *regex, const temper_spec_options *given) {
    temper_spec *s = parse(regex, given);
    temper_automaton *m = NULL;
    char *table = NULL;
    temper_error e;
    if (s && CHECK(!temper_automaton_make(&m, s, &e), "%s: %s", regex, e.text) &&
        CHECK(!temper_automaton_print(&table, m, TEMPER_AUTOMATON_TABLE, &e), "%s: %s", regex, e.text)) {
        temper_spec_options o = *given;
        o.syntax = TEMPER_SYNTAX_DFA;
        temper_spec *again = parse(table, &o);
        if (again) compare(s, again, table);
        temper_spec_free(again);
    }
    temper_free(table);
    temper_automaton_free(m);
    temper_spec_free(s);
}

static void check_tables(void) {
    static const char *const odd[] = {"\n", "\t", "<", "-", " ", "\x7F", "\xC3\xA9", "\xE2\x80\x8B", "\\", "]"};
    static const char *const regexes[] = {"\\n", "\\t\\n*",           "<",        "[<\\-]\\x20", "\\x7F+",
                                          ".*",  "\xC3\xA9\\u{200B}", "\\\\|\\]", "[^\\n]*"};
    temper_spec_options o = {.letters = odd, .letter_count = 10, .syntax = TEMPER_SYNTAX_REGEX};
    for (size_t k = 0; k < sizeof regexes / sizeof *regexes; k++) check_table(regexes[k], &o);
    temper_spec_options words = {.alphabet = "req a>b c\\d", .tokens = 1, .syntax = TEMPER_SYNTAX_REGEX};
    check_table("<req>*<a\\>b>", &words);
}

/* ---- files ---- */

static char folder[] = "/tmp/t-parse-corners-XXXXXX";

static void write_file(const char *name, const char *bytes, char *path, size_t size) {
    temper_error e;
    snprintf(path, size, "%s/%s", folder, name);
    CHECK(temper_file_write(path, bytes, strlen(bytes), &e) == TEMPER_OK, "%s", e.text);
}

/* By a name in the folder and by its whole path; files that are too short to be anything. */
static void check_files(void) {
    char path[100], text[200];
    temper_spec_options o = {.alphabet = "ab", .folder = folder};
    if (!mkdtemp(folder)) return;
    static const char *const files[] = {TABLE, "\xEF\xBB\xBF" TABLE};
    for (size_t k = 0; k < 2; k++) {
        write_file("table", files[k], path, sizeof path);
        for (int whole = 0; whole < 2; whole++) {
            snprintf(text, sizeof text, "%sdfa '%s'", whole ? "" : "!!", whole ? path : "table");
            const pair p = {text, "/(ab)*/", o, TEMPER_SYNTAX_SPEC};
            check_pair(&p);
        }
    }
    static const char *const shorts[] = {"", "a", "ab"};
    for (size_t k = 0; k < 3; k++) {
        write_file("table", shorts[k], path, sizeof path);
        const refusal r = {"dfa 'table'", "table", o};
        check_refusal(&r);
    }
    unlink(path);
    write_file("weights", "a 1\nb 1\nend 1\n", path, sizeof path);
    snprintf(text, sizeof text, "next\nprobabilities '%s'\n/(ab)*/", path);
    temper_spec *s = NULL;
    temper_error e;
    temper_status status = temper_spec_parse(&s, text, strlen(text), &o, &e);
    CHECK(status == TEMPER_OK || e.text[0], "no message"); /* the whole path was looked at */
    if (status != TEMPER_OK) CHECK(!strstr(e.text, "No such file"), "%s", e.text);
    temper_spec_free(s);
    unlink(path);
    rmdir(folder);
}

/* ---- calls about outputs that there are not ---- */

static void check_calls(void) {
    temper_spec *acceptor = parse("O a", &(temper_spec_options){.alphabet = "ab"});
    temper_spec *next = parse("next\n/(ab)*/", &(temper_spec_options){.alphabet = "ab"});
    temper_error e;
    char *out = NULL;
    size_t length;
    const uint32_t word[2] = {0, 1};
    CHECK(!temper_kind_name((temper_kind)99)[0], "a kind that there is not");
    if (acceptor && next) {
        CHECK(temper_spec_output(acceptor, 0) == acceptor && !temper_spec_output(acceptor, 1), "one output");
        CHECK(!temper_spec_output_name(acceptor, 1) && !*temper_spec_output_name(acceptor, 0), "one name");
        CHECK(temper_spec_write(&out, &length, acceptor, word, 2, &e) == TEMPER_UNSUPPORTED &&
                  strstr(e.text, "only a transducer"),
              "an acceptor writes: %s", e.text);
        CHECK(temper_spec_output_formula(&out, next, 99, &e) == TEMPER_RANGE, "output 99: %s", e.text);
        int accept;
        unsigned char truth[2];
        CHECK(temper_spec_eval(&accept, truth, next, word, 2, &e) != TEMPER_OK || accept >= 0, "%s", e.text);
    }
    temper_spec_free(acceptor);
    union {
        const temper_spec *given;
        temper_spec *own;
    } view = {next ? temper_spec_output(next, 0) : NULL};
    temper_spec_free(view.own); /* it belongs to the whole, which is still there */
    if (next) CHECK(temper_spec_about(next).letters == 2, "a part that is freed takes nothing with it");
    temper_spec_free(next);
    temper_spec_free(NULL);
}

int main(void) {
    for (size_t k = 0; k < sizeof PAIRS / sizeof *PAIRS; k++) check_pair(&PAIRS[k]);
    for (size_t k = 0; k < sizeof REFUSALS / sizeof *REFUSALS; k++) check_refusal(&REFUSALS[k]);
    check_nesting();
    check_long_sums();
    check_many_letters();
    check_tables();
    check_files();
    check_calls();
    return test_finish("t-parse-corners");
}

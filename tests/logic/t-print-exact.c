/* What is printed, to the letter: formulas with no more parentheses than doc/language.md asks for, sets of letters
   around multiples of 64 letters, labels and where they are cut, definitions, B-RASP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logic/formula_print.h"
#include "logic/match.h"
#include "random_formula.h"
#include "test.h"

static trap caught;

#define LETTERS "abcdefghijklmnopqrstuvwxyz"

static temper_spec *parse(const char *source, temper_syntax syntax, const char *letters, bool tokens) {
    temper_spec *s = NULL;
    temper_error e;
    temper_spec_options o = {.syntax = syntax, .alphabet = letters, .tokens = tokens, .at = TEMPER_AT_LAST};
    temper_status status = temper_spec_parse(&s, source, strlen(source), &o, &e);
    CHECK(status == TEMPER_OK, "'%s': %zu:%zu: %s", source, e.line, e.column, e.text);
    return s;
}

typedef void show(text *out, const temper_spec *s, size_t most);

static void show_all(text *out, const temper_spec *s, size_t most) {
    (void)most;
    spec_print(out, s);
}

static void show_formula(text *out, const temper_spec *s, size_t most) {
    (void)most;
    spec_print_formula(out, s);
}

static void show_label(text *out, const temper_spec *s, size_t most) {
    formula_label(out, &s->graph, &s->letters, s->root, most);
}

static void check_shown(show *how, const temper_spec *s, size_t most, const char *wanted, const char *what) {
    arena memory;
    text out;
    arena_init(&memory, &caught);
    text_init(&out, &memory);
    how(&out, s, most);
    CHECK(!strcmp(text_string(&out), wanted), "%s: expected\n%s\nprinted\n%s", what, wanted, text_string(&out));
    arena_free(&memory);
}

/* ---- operators ------------------------------------------------------------------------------------------------ */

/* Formulas over a to z, each up to a semicolon, that are printed as they are written here. */
static const char AS_WRITTEN[] =
    "z;!!!a;O O O a;Y Y a;Y^3 a;X^4 a;Z^3 a;wX^3 a;Y Y X Y^3 a;!(a & b);!Y a;"
    /* U R W M S T: only a chain of one of them to the right */
    "a U b U c;(a U b) U c;a U (b R c);(a R b) U c;a S b S c;(a S b) S c;a T (b S c);(a & b) U c;a U (b & c);"
    "!a U X b;a U b & c;a & b U c;"
    /* Boolean */
    "a & (b & c);(a & b) & c;a & b & c;a | b | c;a | (b | c);a & b | c;(a | b) & c;a -> b -> c;(a -> b) -> c;"
    "a -> (b <-> c);(a <-> b) -> c;a | b -> c & d;a <-> (b -> c);(a -> b) <-> c;(a <-> b) <-> c;"
    "a & b <-> c | d;a ^ b ^ c;a ^ (b ^ c);(a & b) ^ c;a ^ (b & c);(a ^ b) | c;a | (b ^ c);(a ^ b) & c;"
    "a ^ b -> c;a U b -> c;(a U b) ^ c;"
    /* counts */
    "#[a | b] = 1;#>[a -> b] != 1;!(#[a] = 1);(#[a] = 1) U b;a U (#[b] >= 2);#[a] = 1 & b;"
    "#[a] = 1 | #[b] < 1;O (#[a] % 2 = 1);0 < #[a] + #[b];0 > 2*#[a] + 3;#[a] + 3 = 2*#[b];-#[a] + #[b] > 0;"
    "-2*#[a] + #[b] + 3 > 0;#[a] > 9223372036854775807;9223372036854775807*#[a] > #[b] + 1;#[a] % 3 = 0;"
    "#[a] % 3 = 1;(2*#[a]) % 3 = 1;(-#[a]) % 3 = 1;(#[a] + 1) % 3 = 1;(#[a] - 1) % 3 > -1;"
    "(#[a] - #[b]) % 4 != 2;(#[a] + 2*#[b] - 7) % 4 <= 2;"
    /* at a position */
    "a @ 0;a @ 3;a @ -3;a @ #[b];a @ -#[b];a @ 2*#[b] - 1;a @ #[b] - #[c] + 2;(a & b) @ 2;(!a) @ 2;"
    "(O a) @ #[b];(#[a] = 1) @ 3;[ab] @ 3;a @ #[b] @ 1;(a U b) @ 1;!(a @ 2);(a @ 2) U b;a @ 2 & b;"
    "a @ #[b | c];(a @ 2 | b) @ 3;"
    /* attention beside what looks elsewhere */
    "Y a & rightmost[j<i, a | b] (b | c);Y a & leftmost[j<=i, a] b;rightmost[j<i, a is b] c;"
    "rightmost[i<=j, a | b is b | c, c is d & a] (c | a);leftmost[i<j, a is b] !c;"
    "rightmost[1, a is b] (#[c] = 1);!rightmost[j<i, a is b] c;O rightmost[j<i, #[a] = 1 is b] c;"
    /* regular expressions */
    "/a|b/;/a\\/b|\\\\\\//;/[a\\]\\/]*/;O /a/ | b;";

static void test_operators(void) {
    for (const char *at = AS_WRITTEN, *end; (end = strchr(at, ';')); at = end + 1) {
        char source[100], wanted[110];
        snprintf(source, sizeof source, "%.*s", (int)(end - at), at);
        snprintf(wanted, sizeof wanted, "%s\n", source);
        temper_spec *s = parse(source, TEMPER_SYNTAX_SPEC, strchr(source, '/') ? LETTERS "/\\]" : LETTERS, false);
        if (s) check_shown(show_formula, s, 0, wanted, source);
        temper_spec_free(s);
    }
}

/* ---- letters -------------------------------------------------------------------------------------------------- */

static void test_letters(void) {
    static const struct {
        const char *letter;
        bool tokens;
        const char *wanted;
    } cases[] = {{"a", false, "a"},
                 {"z", false, "z"},
                 {"`", false, "'`'"},
                 {"{", false, "'{'"},
                 {"0", false, "'0'"},
                 {" ", false, "' '"},
                 {"~", false, "'~'"},
                 {"'", false, "'\\''"},
                 {"\"", false, "'\"'"},
                 {"\\", false, "'\\\\'"},
                 {"\x1f", false, "'\\x1F'"},
                 {"\x7f", false, "'\\x7F'"},
                 {"\n", false, "'\\n'"},
                 {"\xc3\xa9", false, "'é'"},
                 {"z9", true, "z9"},
                 {"baz09_", true, "baz09_"},
                 {"b`", true, "\"b`\""},
                 {"b{", true, "\"b{\""},
                 {"b/", true, "\"b/\""},
                 {"b:", true, "\"b:\""},
                 {"b-c", true, "\"b-c\""},
                 {"bA", true, "\"bA\""},
                 {"_b", true, "\"_b\""},
                 {"A", true, "'A'"},
                 {"first", true, "\"first\""},
                 {"empty", true, "\"empty\""},
                 {"a\"'b", true, "\"a\\\"'b\""},
                 {"a\xff\"", true, "\"a\\xFF\\\"\""},
                 {"\xff\xfe", true, "\"\\xFF\\xFE\""}};
    arena memory;
    arena_init(&memory, &caught);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        text out;
        text_init(&out, &memory);
        letter_print(&out, cases[k].letter, cases[k].tokens);
        CHECK(!strcmp(text_string(&out), cases[k].wanted), "letter %zu: %s, not %s", k, text_string(&out),
              cases[k].wanted);
    }
    arena_free(&memory);
}

/* Letters U+4E00 and on, which stand in quotes; `name` has room for four bytes and their end. */
static void name_letter(char name[5], size_t k) { name[utf8_encode(name, 0x4E00 + (uint32_t)k)] = 0; }

static temper_spec *make_letters(size_t count) {
    temper_spec *s = make_spec(&caught, 0, TEMPER_AT_LAST);
    alphabet_init(&s->letters, &s->memory, false);
    for (size_t k = 0; k < count; k++) {
        char name[5];
        name_letter(name, k);
        alphabet_add(&s->letters, name, strlen(name));
    }
    return s;
}

/* The one letter k, and all but it, among `count`: words of 64 letters are full, or one letter short or over. */
static void check_single(size_t count, size_t k) {
    char name[5], wanted[20], what[60];
    uint32_t letter = (uint32_t)k;
    name_letter(name, k);
    for (int negated = 0; negated < 2; negated++) {
        temper_spec *s = make_letters(count);
        finish_spec(s, formula_letters(&s->graph, &letter, 1, negated));
        snprintf(what, sizeof what, "letter %zu of %zu%s", k, count, negated ? ", negated" : "");
        snprintf(wanted, sizeof wanted, negated ? "[^%s]\n" : "'%s'\n", name);
        check_shown(show_formula, s, 0, wanted, what);
        wanted[strlen(wanted) - 1] = 0;
        check_shown(show_label, s, 0, wanted, what);
        temper_spec_free(s);
    }
}

static void test_sets(void) {
    static const size_t counts[] = {63, 64, 65, 66, 126, 127, 128, 129};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t k = 0; k < counts[c]; k++) check_single(counts[c], k);
    check_single(4224, 4100);
    /* all letters and none, as no text says them */
    for (size_t count = 3; count < 70; count += 61)
        for (int all = 0; all < 2; all++) {
            temper_spec *s = make_letters(count);
            text wanted;
            text_init(&wanted, &s->memory);
            text_puts(&wanted, all ? "[" : "[^");
            for (size_t k = 0; k < count; k++) text_puts(&wanted, s->letters.letters[k]);
            text_puts(&wanted, "]\n");
            finish_spec(s, formula_letters(&s->graph, NULL, 0, all));
            check_shown(show_formula, s, 0, text_string(&wanted), all ? "all letters" : "no letter");
            temper_spec_free(s);
        }
}

/* ---- labels --------------------------------------------------------------------------------------------------- */

/* Ranges from five letters on; of a set the other side where that is shorter: among more than 16 letters by one
   character, among few by more than half. */
static void test_ranges(void) {
    static const struct {
        const char *source, *letters, *wanted;
    } cases[] = {{"[abcd]", LETTERS, "[abcd]"},
                 {"[abcde]", LETTERS, "[a-e]"},
                 {"[abcdef]", LETTERS, "[a-f]"},
                 {"[acdef]", LETTERS, "[acdef]"},
                 {"[acdefg]", LETTERS, "[ac-g]"},
                 {"[vwxyz]", LETTERS, "[v-z]"},
                 {"[^vwxyz]", LETTERS, "[a-u]"},
                 {"[^a]", LETTERS, "[^a]"},
                 {"[abcdef]", "abcdef", "[a-f]"},
                 {"[^fghi]", LETTERS "!#%&+,", "[^fghi]"},
                 {"[aceg]", "abcdefgh", "[aceg]"},
                 {"[acegikmoq]", "abcdefghijklmnopqr", "[acegikmoq]"},
                 {"[acegikmoqr]", "abcdefghijklmnopqr", "[^bdfhjlnp]"},
                 {"[acegi]", "abcdefghi", "[acegi]"},
                 {"[acegik]", "abcegijkmo", "[acegik]"},
                 {"[acegikm]", "acegikmo", "[^o]"},
                 {"[acegi]", "acegikz", "[acegi]"},
                 {"[acegik]", "acegikz", "[^z]"},
                 {"[acegik]", "acegikmz", "[acegik]"},
                 {"[acegikmop]", "abcdefghijklmnop", "[acegikmop]"},
                 {"[acegikmopq]", "abcdefghijklmnopq", "[^bdfhjln]"},
                 {"[a-mp]", "abcdefghijklmnopq", "[a-mp]"},
                 {"[!\"#$%]", "!\"#$%&abc", "[!-%]"},
                 {"[-./01]", "-./01abc", "[\\--1]"},
                 {"[a\\ b~]", "ab ~", "[ab\\ ~]"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s;
        temper_error e;
        const char *letters[40];
        char name[40][2] = {{0}};
        size_t count = strlen(cases[k].letters);
        for (size_t i = 0; i < count; i++) name[i][0] = cases[k].letters[i], letters[i] = name[i];
        temper_spec_options o = {.letters = letters, .letter_count = count};
        temper_status status = temper_spec_parse(&s, cases[k].source, strlen(cases[k].source), &o, &e);
        if (!CHECK(status == TEMPER_OK, "%s: %s", cases[k].source, e.text)) continue;
        check_shown(show_label, s, 0, cases[k].wanted, cases[k].source);
        temper_spec_free(s);
    }
    /* the last five of the letters, up to 1024 of which ranges are looked for */
    for (size_t count = 1024; count <= 1025; count++) {
        temper_spec *s = make_letters(count);
        uint32_t five[5];
        text wanted;
        text_init(&wanted, &s->memory);
        text_putc(&wanted, '[');
        for (uint32_t k = 0; k < 5; k++) {
            five[k] = (uint32_t)count - 5 + k;
            if (count > 1024 || k == 0 || k == 4) text_puts(&wanted, s->letters.letters[five[k]]);
            if (count == 1024 && k == 0) text_putc(&wanted, '-');
        }
        text_putc(&wanted, ']');
        finish_spec(s, formula_letters(&s->graph, five, 5, false));
        check_shown(show_label, s, 0, text_string(&wanted), "five letters of many");
        temper_spec_free(s);
    }
    /* words have no ranges: 11 of 18, those with an odd number and two more */
    temper_spec *s =
        parse("[b d f h j l n p r a c]", TEMPER_SYNTAX_SPEC, "a b c d e f g h i j k l m n o p q r", true);
    if (s) check_shown(show_label, s, 0, "[^e g i k m o q]", "words");
    temper_spec_free(s);
}

static void test_labels(void) {
    static const struct {
        const char *source;
        size_t most;
        const char *wanted;
    } cases[] = {{"a S b", 5, "a S b"},
                 {"a S b", 6, "a S b"},
                 {"a S b", 4, "a S ..."},
                 {"a S b", 1, "a..."},
                 {"'é' S 'ß'", 9, "'é' S 'ß'"},
                 {"'é' S 'ß'", 8, "'é' S 'ß..."},
                 {"'é' S 'ß'", 2, "'é..."},
                 {"#[a] % 3 = 0", 0, "#[a] % 3 = 0"},
                 {"rightmost[j<i, b] a", 0, "rightmost[j<i, b] a"},
                 {"leftmost[i<j, a is b] (a | b)", 0, "leftmost[i<j, a is b] (a | b)"},
                 {"dfa { start 0; accept 1; 0 a 1; 1 b 0 }", 0, "dfa { 3 states }"},
                 {"Y^3 a", 4, "Y^3 ..."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s = parse(cases[k].source, TEMPER_SYNTAX_SPEC, "abéß", false);
        if (s) check_shown(show_label, s, cases[k].most, cases[k].wanted, cases[k].source);
        temper_spec_free(s);
    }
    /* a label of characters of four bytes, every second of a row: so there are no ranges */
    temper_spec *s = make_spec(&caught, 0, TEMPER_AT_LAST);
    alphabet_init(&s->letters, &s->memory, false);
    uint32_t set[60];
    text wanted;
    text_init(&wanted, &s->memory);
    text_putc(&wanted, '[');
    for (uint32_t k = 0; k < 130; k++) {
        char name[4];
        size_t length = utf8_encode(name, 0x1F600 + k);
        alphabet_add(&s->letters, name, length);
        if (k < 120 && k % 2 == 0) set[k / 2] = k;
        if (k < 78 && k % 2 == 0) text_add(&wanted, name, length);
    }
    text_puts(&wanted, "...");
    finish_spec(s, formula_letters(&s->graph, set, 60, false));
    check_shown(show_label, s, 40, text_string(&wanted), "characters of four bytes");
    temper_spec_free(s);
    /* said of a text that is not read yet */
    static const char both[] = "F a & dfa { start 0; accept 1; 0 a 1; 1 a 0 }";
    temper_spec_options o = {.alphabet = "a"};
    temper_error e = {0};
    CHECK(temper_spec_parse(&s, both, strlen(both), &o, &e) == TEMPER_RANGE &&
              !strcmp(e.text, "'dfa { ... }' at 1:11 looks back and 'F' at 1:1 looks forward"),
          "%s", e.text);
}

/* ---- whole specifications ------------------------------------------------------------------------------------- */

#define FORTY "abcdefghijklmnopqrstuvwxyz_abcdefghij_01"

/* What is used twice gets a definition if its text is long: by the count of spec_print.c an operator and each of its
   operands take 4, a class its letters and 2. */
static const struct {
    temper_syntax syntax;
    const char *source, *letters, *wanted;
} SPECS[] = {
    {TEMPER_SYNTAX_SPEC, "Y [abcdef] -> O Y [abcdef]", LETTERS, "Y [abcdef] -> O Y [abcdef]\n"},
    {TEMPER_SYNTAX_SPEC, "Y [abcdefg] -> O Y [abcdefg]", LETTERS, "x1 = Y [abcdefg]\nx1 -> O x1\n"},
    {TEMPER_SYNTAX_SPEC, "[abcdefghijklmn] & Y [abcdefghijklmn]", LETTERS, "[abcdefghijklmn] & Y [abcdefghijklmn]\n"},
    {TEMPER_SYNTAX_SPEC, "[abcdefghijklmno] & Y [abcdefghijklmno]", LETTERS, "x1 = [abcdefghijklmno]\nx1 & Y x1\n"},
    {TEMPER_SYNTAX_SPEC, "/aaaaaaaaaaaaaa/ & Y /aaaaaaaaaaaaaa/", LETTERS, "/aaaaaaaaaaaaaa/ & Y /aaaaaaaaaaaaaa/\n"},
    {TEMPER_SYNTAX_SPEC, "/aaaaaaaaaaaaaaa/ & Y /aaaaaaaaaaaaaaa/", LETTERS, "x1 = /aaaaaaaaaaaaaaa/\nx1 & Y x1\n"},
    {TEMPER_SYNTAX_SPEC, "(a & b) S c | (a & b) S d", LETTERS, "x1 = a & b\nx1 S c | x1 S d\n"},
    {TEMPER_SYNTAX_SPEC, "c S (a & b) | d S (a & b)", LETTERS, "x1 = a & b\nc S x1 | d S x1\n"},
    /* a definition is no longer than its name where it is used: x1, a, 4 for each of the two, 4 for the operator */
    {TEMPER_SYNTAX_SPEC, "Y (a & b) S c | O (Y (a & b) S c) | a & b", LETTERS,
     "x1 = a & b\nx2 = Y x1 S c\nx2 | O x2 | x1\n"},
    /* counts have no definitions, what is counted has */
    {TEMPER_SYNTAX_SPEC, "#[a S b] = 1 | #[a S b] = 3", LETTERS, "x1 = a S b\n#[x1] = 1 | #[x1] = 3\n"},
    {TEMPER_SYNTAX_SPEC, "#>[a S b] = 1 | #>[a S b] = 3", LETTERS, "x1 = a S b\n#>[x1] = 1 | #>[x1] = 3\n"},
    {TEMPER_SYNTAX_SPEC, "#[a S b] = 1 | #[a] = 3", LETTERS, "#[a S b] = 1 | #[a] = 3\n"},
    /* names of the text, if they are at most 40 long, free and of the language */
    {TEMPER_SYNTAX_SPEC, "z_a09 = a S b\nz_a09 | Y z_a09", "abc", "z_a09 = a S b\nz_a09 | Y z_a09\n"},
    {TEMPER_SYNTAX_SPEC, FORTY " = a S b\n" FORTY " | Y " FORTY, "abc", FORTY " = a S b\n" FORTY " | Y " FORTY "\n"},
    {TEMPER_SYNTAX_SPEC, FORTY "x = a S b\n" FORTY "x | Y " FORTY "x", "abc", "x1 = a S b\nx1 | Y x1\n"},
    {TEMPER_SYNTAX_CRASP, "A = # Q_a\nAZaz_09 = A > # Q_b\nN = # AZaz_09\nAZaz_09 & N > 2\n", "abc",
     "azaz_09 = #[a] > #[b]\nazaz_09 & #[azaz_09] > 2\n"},
    {TEMPER_SYNTAX_CRASP, "A = # Q_a\n_a = A > # Q_b\nN = # _a\n_a & N > 2\n", "abc",
     "x1 = #[a] > #[b]\nx1 & #[x1] > 2\n"},
    {TEMPER_SYNTAX_CRASP, "A = # Q_a\nTRUE = A > # Q_b\nN = # TRUE\nTRUE & N > 2\n", "abc",
     "x1 = #[a] > #[b]\nx1 & #[x1] > 2\n"},
    /* B-RASP: every attention has its line */
    {TEMPER_SYNTAX_BRASP, "P(i) := rightmost [j<i, Q_a(j) | Q_b(j)] !Q_c(j) : 0\nR(i) := P(i) & Q_a(i)\n", "abcd",
     /* where it is read, what was asked for holds */
     "P1(i) := Q_a(i) | Q_b(i)\nP(i) := rightmost [j<i, P1(j)] (P1(j) & !Q_c(j)) : 0\nR(i) := P(i) & Q_a(i)\n"},
    {TEMPER_SYNTAX_BRASP, "P(i) := leftmost [i<=j, 1] Q_a(j) : 0\nR(i) := !P(i) -> 0\n", "ab",
     "P(i) := leftmost [i<=j, 1] Q_a(j) : 0\nR(i) := !P(i) -> 0\n"},
    {TEMPER_SYNTAX_BRASP,
     "P(i) := rightmost [j<i, (Q_a(j) <-> Q_b(i)) & (Q_b(j) <-> Q_a(i))] Q_c(j) : 0\n"
     "R(i) := P(i) & (Q_a(i) | Q_b(i))\n",
     "abcd",
     "P(i) := rightmost [j<i, (Q_a(j) <-> Q_b(i)) & (Q_b(j) <-> Q_a(i))] Q_c(j) : 0\n"
     "R(i) := P(i) & (Q_a(i) | Q_b(i))\n"},
};

static void test_specs(void) {
    for (size_t k = 0; k < sizeof SPECS / sizeof *SPECS; k++) {
        temper_spec *s = parse(SPECS[k].source, SPECS[k].syntax, SPECS[k].letters, false);
        if (s) check_shown(show_formula, s, 0, SPECS[k].wanted, SPECS[k].source);
        temper_spec_free(s);
    }
}

/* Specifications with header lines, whose own lines say everything. */
static const struct {
    const char *source, *wanted;
} WHOLE[] = {
    {"transduce\nalphabet a b\nlong = a S b\nemit 'x' = long\nemit \"yz\" = !long",
     "transduce\nalphabet a b\nlong = a S b\nemit 'x' = long\nemit \"yz\" = !long\n"},
    {"transduce\nalphabet a b\nlong = a S b\nemit nothing = Y long\nemit \"yz\" = long\nemit '-' otherwise",
     "transduce\nalphabet a b\nlong = a S b\nemit nothing = Y long\nemit \"yz\" = long\nemit '-' otherwise\n"},
    {"transduce\nalphabet a b\nemit 'x' = a S b\nemit 'y' otherwise",
     "transduce\nalphabet a b\nemit 'x' = a S b\nemit 'y' otherwise\n"},
    {"next\nalphabet a b\nviable H (a | b)\nprobabilities uniform\nH !(a & Y a)",
     "next\nalphabet a b\nat last\nprobabilities uniform\nviable H (a | b)\nH !(a & Y a)\n"},
    {"tokens yes\nalphabet req ACK 'é'\nother req\nempty accept\nH (\"ACK\" -> O req)",
     "tokens yes\nalphabet req \"ACK\" 'é'\nother req\nat last\nempty accept\nH (\"ACK\" -> O req)\n"},
};

static void test_whole(void) {
    for (size_t k = 0; k < sizeof WHOLE / sizeof *WHOLE; k++) {
        temper_spec *s = NULL;
        temper_error e;
        temper_spec_options o = {0};
        temper_status status = temper_spec_parse(&s, WHOLE[k].source, strlen(WHOLE[k].source), &o, &e);
        if (!CHECK(status == TEMPER_OK, "%s: %zu:%zu: %s", WHOLE[k].source, e.line, e.column, e.text)) continue;
        check_shown(show_all, s, 0, WHOLE[k].wanted, WHOLE[k].source);
        temper_spec_free(s);
    }
}

static node_id letter_node(temper_spec *s, uint32_t letter) { return formula_letters(&s->graph, &letter, 1, false); }

/* Graphs that come from no text: which syntax they are printed in, and under which names. */
static void test_made(void) {
    static const struct {
        formula_op beside; /* TRUE: nothing */
        bool attends, is_root;
        temper_syntax syntax;
    } cases[] = {{OP_TRUE, true, true, TEMPER_SYNTAX_BRASP},      {OP_TRUE, true, false, TEMPER_SYNTAX_BRASP},
                 {OP_TRUE, false, false, TEMPER_SYNTAX_SPEC},     {OP_FIRST, true, false, TEMPER_SYNTAX_SPEC},
                 {OP_YESTERDAY, true, false, TEMPER_SYNTAX_SPEC}, {OP_COUNT_PAST, true, false, TEMPER_SYNTAX_SPEC},
                 {OP_NEXT, false, false, TEMPER_SYNTAX_SPEC},     {OP_MATCH, true, false, TEMPER_SYNTAX_SPEC}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s = make_spec(&caught, 3, TEMPER_AT_LAST);
        formula *f = &s->graph;
        node_id first = cases[k].beside == OP_FIRST ? formula_atom(f, OP_FIRST) : 0; /* the very first node */
        node_id a = letter_node(s, 0), b = letter_node(s, 1), c = letter_node(s, 2), kids[2] = {b, b};
        node_id attend = cases[k].attends ? formula_attend(f, TEMPER_CHOICE_LEFTMOST, TEMPER_MASK_BEFORE, a, b) : a;
        kids[0] = attend;
        if (first) kids[1] = first;
        if (operator_kids(cases[k].beside) == 1 && cases[k].beside != OP_COUNT_PAST)
            kids[1] = formula_unary(f, cases[k].beside, b);
        if (cases[k].beside == OP_COUNT_PAST) {
            linear_sum sum;
            sum_init(&sum, &s->memory, -1);
            sum_add_count(&sum, formula_unary(f, OP_COUNT_PAST, b), 1);
            kids[1] = formula_compare(f, &sum, CMP_GE);
        }
        if (cases[k].beside == OP_MATCH) {
            node_id pair[2] = {a, b};
            kids[1] = match_make(f, TEMPER_CHOICE_RIGHTMOST, TEMPER_MASK_BEFORE, pair, 1, c, 1, 1);
        }
        finish_spec(s, cases[k].is_root ? attend : formula_nary(f, OP_AND, kids, 2));
        CHECK(spec_print_syntax(s) == cases[k].syntax, "made %zu: syntax %d", k, (int)spec_print_syntax(s));
        if (cases[k].beside == OP_YESTERDAY)
            check_shown(show_formula, s, 0, "leftmost[j<i, a] b & Y b\n", "attention beside a step");
        temper_spec_free(s);
    }
    static const struct {
        const char *name, *shown;
    } names[] = {{"Queen", "Queen"}, {"Q_x", "P1"}, {"Q_", "P1"},       {"Q", "Q"}, {"i", "P1"},
                 {"j", "P1"},        {"k", "k"},    {"leftmost", "P1"}, {"", "P1"}, {"a-b", "P1"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char wanted[80];
        temper_spec *s = make_spec(&caught, 2, TEMPER_AT_LAST);
        node_id attend =
            formula_attend(&s->graph, TEMPER_CHOICE_AVERAGE, TEMPER_MASK_ALL, letter_node(s, 0), letter_node(s, 0));
        formula_note_name(&s->graph, attend, names[k].name);
        finish_spec(s, formula_unary(&s->graph, OP_NOT, attend));
        snprintf(wanted, sizeof wanted, "%s(i) := rightmost [1, Q_a(j)] Q_a(j) : 0\n%s(i) := !%s(i)\n",
                 names[k].shown, strcmp(names[k].shown, "P1") ? "P1" : "P2", names[k].shown);
        check_shown(show_formula, s, 0, wanted, names[k].name);
        temper_spec_free(s);
    }
    /* "there is one": any choice will do, but a label says what it is */
    temper_spec *s = make_spec(&caught, 2, TEMPER_AT_LAST);
    node_id a = letter_node(s, 0), kids[2] = {formula_unary(&s->graph, OP_YESTERDAY, a), 0};
    kids[1] = formula_attend(&s->graph, TEMPER_CHOICE_AVERAGE, TEMPER_MASK_AFTER, a, a);
    finish_spec(s, formula_nary(&s->graph, OP_OR, kids, 2));
    check_shown(show_formula, s, 0, "Y a | rightmost[i<j, a] a\n", "average");
    check_shown(show_label, s, 0, "Y a | average[i<j, a] a", "average, as a label");
    temper_spec_free(s);
}

int main(void) {
    if (trap_set(&caught, NULL)) {
        fprintf(stderr, "t-print-exact: unexpected error: %s\n", caught.error.text);
        return 1;
    }
    test_operators();
    test_letters();
    test_sets();
    test_ranges();
    test_labels();
    test_specs();
    test_whole();
    test_made();
    return test_finish("t-print-exact");
}

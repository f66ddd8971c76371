/* Specifications that are spelt in two ways mean the same: blanks, tabs and line ends, escapes, mirrored comparisons,
   words beside signs, files beside tables. And texts that are nearly right are refused with words that say why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "logic/formula_print.h"
#include "test.h"

enum { LONGEST = 3 };

#define SPEC  TEMPER_SYNTAX_SPEC
#define CRASP TEMPER_SYNTAX_CRASP
#define BRASP TEMPER_SYNTAX_BRASP
#define REGEX TEMPER_SYNTAX_REGEX
#define DFA   TEMPER_SYNTAX_DFA

static char folder[TEST_FOLDER];

static temper_status parse(temper_spec **out, temper_syntax syntax, const char *source, temper_error *e) {
    bool own = strstr(source, "alphabet") || syntax == DFA;
    temper_spec_options o = {.syntax = syntax, .alphabet = own ? NULL : "abc", .folder = folder};
    return temper_spec_parse(out, source, strlen(source), &o, e);
}

/* ---- the same ---- */

/* So many counts that a sum looks them up. */
#define LONG_SUM                                                                                                     \
    "#[a] + #[b] + #[c] + #[Y a] + #[Y b] + #[Y c] + #[O a] + #[O b] + #[O c] + #[H a] + #[H b] + #[H c] + #[Y Y "   \
    "a] "                                                                                                            \
    "+ "                                                                                                             \
    "#[Y Y b] + #[Y Y c] + #[Z a] + #[Z b] + #[Z c]"

#define ALIKE "(Q_a(i) <-> Q_a(j)) & (Q_b(i) <-> Q_b(j)) & (Q_c(i) <-> Q_c(j))"

static const struct {
    temper_syntax syntax;
    const char *one, *other;
} PAIRS[] = {
    {SPEC, "a S b", "a\tS\tb\r\n"},
    {SPEC, "alphabet a b c\na S b", "alphabet\ta\tb\tc\r\n\r\na\tS b\r\n"},
    {SPEC, "alphabet 'J' 'k' 'l'\n'J' S 'k'", "alphabet '\\x4A' '\\x6b' '\\x6C'\n'\\u{4A}' S '\\u{00006b}'"},
    {SPEC, "alphabet '\xC3\xAF' 'b'\n'\xC3\xAF' S b", "alphabet '\\u{EF}' b\n\"\\u{ef}\" S b"},
    {SPEC, "Y Y Y a", "Y^3 a"},
    {SPEC, "1 >= #[a]", "#[a] <= 1"},
    {SPEC, "1 < #[a] % 3", "#[a] % 3 > 1"},
    {SPEC, "1 <= #[a] % 3", "#[a] % 3 >= 1"},
    {SPEC, "1 > #[a] % 3", "#[a] % 3 < 1"},
    {SPEC, "1 >= #[a] % 3", "#[a] % 3 <= 1"},
    {SPEC, "1 = #[a] % 3", "#[a] % 3 = 1"},
    {SPEC, "1 != #[a] % 3", "#[a] % 3 != 1"},
    {SPEC, "#[a] % 3 = -1", "false"},
    {SPEC, "a @ #[b] - 1", "a@\t#[b]\t- 1"},
    {SPEC, "rightmost[j<i] a", "rightmost[i>j] a"},
    {SPEC, "rightmost[j<=i] a", "rightmost[i>=j]\ta"},
    {SPEC, "leftmost[j>i, b] a", "leftmost[i<j, b] a"},
    {SPEC, "leftmost[j>=i, b] a", "leftmost[i<=j, b] a"},
    {SPEC, "alphabet a b\nother b\na S b", "alphabet a b\nother\t'b'\na S b"},
    {SPEC, "alphabet a b\nother b\na S b", "alphabet a b\nother \"b\"\t\r\na S b"},
    {SPEC, "alphabet a b c\nregex (ab|c)*", "alphabet a b c\nregex\t(ab|c)*\r\n"},
    {SPEC, "alphabet a b c\n[^a] S b", "alphabet a b c\n[bc] S b"},
    {SPEC, "alphabet a b c\n[a-b] S c", "alphabet a b c\n[ab] S c"},
    {SPEC, "alphabet a b\nnext\nviable H (a | b)\nH !(a & Y a)",
     "alphabet a b\nnext\r\nviable\tH (a | b)\r\n\r\nH !(a & Y a)"},
    {SPEC, "alphabet a b\nnext\nprobabilities uniform\nH !(a & Y a)",
     "alphabet a b\nnext\nprobabilities\tuniform\t\r\nH !(a & Y a)"},
    {SPEC, "alphabet a b\nnext\nprobabilities {\na 1\nb 2\nend 1\n}\nH !(a & Y a)",
     "alphabet a b\nnext\nprobabilities weights\nH !(a & Y a)"},
    {SPEC, "alphabet a b\nnext\nprobabilities weights\nH !(a & Y a)",
     "alphabet a b\nnext\nprobabilities 'weights'\t\r\nH !(a & Y a)"},
    {SPEC, "alphabet a b\nnext\nprobabilities\tweights \nH !(a & Y a)",
     "alphabet a b\nnext\nprobabilities \"weights\"\nH !(a & Y a)"},
    {SPEC, "alphabet a b\ndfa table.dfa", "alphabet a b\ndfa\t\"table.dfa\"\t\r\n"},
    {SPEC, "alphabet a b\ndfa table.dfa", "alphabet a b\ndfa 'table.dfa'"},
    {SPEC, "alphabet a b\ndfa table.dfa", "alphabet a b\ndfa table.jff \t"},
    {SPEC, "alphabet a b\nO dfa \"table.dfa\"",
     "alphabet a b\nO dfa { start 0; accept 1; 0 a 1; 0 b 0; 1 a 1; 1 b 0 }"},
    {DFA, "start 0\naccept 1\n0 a 1\n0 b 0\n1 a 1\n1 b 0",
     "start 0; accept 1 // all\r\n0\ta\t1\r\n0 b 0 -- no\n1 a 1\n1 b 0\r\n"},
    {DFA, "start 0\naccept 1\n0 - 1\n0 / 0\n1 - 1\n1 / 0", "start 0\naccept 1\n0 \\- 1\n0 \\/ 0\n1 - 1\n1 / 0"},
    {SPEC, "alphabet '<' '&' ' ' '.'\ndfa entities.jff", "alphabet '<' '&' ' ' '.'\n'<'"},
    {SPEC, "alphabet '<' '&' ' ' '.'\ndfa spaces.jff", "alphabet '<' '&' ' ' '.'\n'<'"},
    {DFA, "start 0\naccept 1\n0 a 1\n0 b 0\n1 [a-b] 0", "start 0\naccept 1\n0 a 1\n0 b 0\n1 a 0\n1 b 0"},
    {DFA, "start 0\naccept 1\n0 a 1\n0 b 0\n1 . 0", "start 0\naccept 1\n0 a 1\n0 b 0\n1 [ab] 0"},
    {CRASP, "Q_a <-> Q_b", "Q_a(i) <-> Q_b(i)"},
    {CRASP, "# Q_a > 1", "# [j<=i] Q_a(j) > 1"},
    {CRASP, "# [j<i] Q_a(j) > 1", "# [i>j] Q_a(j) > 1"},
    {CRASP, "# [j<=i] (Q_a || Q_b) > 1", "# [i>=j] (Q_a || Q_b) > 1"},
    {CRASP, "# [j<i] !Q_a > 1", "# [i>j] !Q_a(j) > 1"},
    {CRASP, "# [j<i] true > 1", "# [j<i] 1 > 1"},
    {CRASP, "# [j<i] false == 0", "# [j<i] 0 == 0"},
    {CRASP, "Q_a xor Q_b", "!(Q_a <-> Q_b)"},
    {CRASP, "# Q_a % 3 < 1", "1 > # Q_a % 3"},
    {CRASP, "# Q_a % 3 <= 1", "1 >= # Q_a % 3"},
    {CRASP, "# Q_a % 3 > 1", "1 < # Q_a % 3"},
    {CRASP, "# Q_a % 3 >= 1", "1 <= # Q_a % 3"},
    {CRASP, "# Q_a % 3 == 1", "1 == # Q_a % 3"},
    {CRASP, "# Q_a == (0 - 4) % 3", "# Q_a == 2"},
    {CRASP, "A = # Q_a\nmax(A, 2) > # Q_b", "A = # Q_a\n\n(A > 2 ? A : 2) > # Q_b"},
    {CRASP, "A = # Q_a\nmin(A, 2, # Q_c) > # Q_b",
     "A = # Q_a\nC = # Q_c\nB = A < 2 ? A : 2\n(B < C ? B : C) > # Q_b"},
    {BRASP, "P(i) := rightmost [j<i, 1] Q_a(j) : 0", "P(i) := rightmost [i>j, true] Q_a(j) : false"},
    {BRASP, "P(i) := leftmost [j>=i, Q_b(j)] Q_a(j) : 1", "P(i) = leftmost [i<=j, Q_b(j)] Q_a(j) : true\n\n"},
    {BRASP, "P(i) := rightmost [1, Q_b(j)] Q_a(j)", "P(i) := rightmost [1, Q_b(j)] Q_a(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, Q_a(i) ^ Q_b(j)] Q_c(j) : 0",
     "P(i) := rightmost [j<i, !(Q_a(i) <-> Q_b(j))] Q_c(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, (Q_a(i) & Q_b(j)) | (Q_b(i) & Q_c(j))] Q_c(j) : 0",
     "P(i) := rightmost [j<i, (Q_b(j) & Q_a(i)) | (Q_c(j) & Q_b(i))] Q_c(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, (Q_a(i) & Q_b(j)) | (Q_a(i) & Q_c(j))] Q_c(j) : 0",
     "P(i) := rightmost [j<i, Q_a(i) & (Q_b(j) | Q_c(j))] Q_c(j) : 0"},
    {SPEC, "0*#[a] + #[b] >= 1", "#[b] >= 1"},
    {SPEC, "#[a] - #[a] + #[b] >= 1", "#[b] >= 1"},
    {SPEC, LONG_SUM " - #[a] - #[Y b] >= 4", LONG_SUM " - #[Y b] >= 4 + #[a]"},
    {SPEC, "tokens yes\nalphabet ab cd\nab S cd", "tokens\tyes\r\nalphabet\tab\tcd\n'ab' S \"cd\""},
    {SPEC, "tokens yes\nalphabet ab c_1 'X'\nother c_1\n[ab 'X'] S c_1",
     "tokens yes\nalphabet ab c_1 X\nother 'c_1'\n[ab\t\"X\"] S c_1"},
    {SPEC, "tokens yes\nalphabet other ab\nother S ab", "tokens yes\nalphabet other ab\n'other' S ab"},
    {SPEC, "tokens yes\nalphabet regex ab\nregex S ab", "tokens yes\nalphabet regex ab\n'regex' S ab"},
    {SPEC, "tokens yes\nalphabet ab cd\nregex (<ab>|<cd>)*<ab>", "tokens yes\nalphabet ab cd\nregex .*<ab>"},
    {SPEC, "tokens yes\nalphabet ab cd\nregex <ab>[<cd>]", "tokens yes\nalphabet ab cd\nregex [<ab>]<cd>"},
    {SPEC, "alphabet a b c\nregex = a\nregex S b", "alphabet a b c\na S b"},
    {SPEC, "alphabet a b c\nseen = O a\nseen_2 = O b\nseen & seen_2", "alphabet a b c\nO a & O b"},
    {SPEC,
     "alphabet a b c\nan_uncommonly_long_name_of_something_that_was_seen = O "
     "a\nan_uncommonly_long_name_of_something_that_was_seen",
     "alphabet a b c\nO a"},
    {CRASP, "\xE2\x8A\xA4 && Q_a", "true && Q_a"},
    {CRASP, "Q_a || \xE2\x8A\xA5", "Q_a || false"},
    {CRASP, "# [j<i] \xE2\x8A\xA4 > 1", "# [j<i] true > 1"},
    {CRASP, "alphabet a b c\nA = Q_a\nA", "alphabet a b c\nQ_a"},
    {CRASP, "alphabet a b\nnext\nviable = # Q_a > 0\nQ_a", "alphabet a b\nnext\n\nviable = # Q_a >= 1\nQ_a"},
    {BRASP, "P(i) := Q_a(i) & \xE2\x8A\xA4", "P(i) := Q_a(i)"},
    {BRASP, "P(i) := Q_a(i) | \xE2\x8A\xA5", "P(i) := Q_a(i)"},
    {BRASP, "at(i) := Q_a(i)", "P(i) := Q_a(i)"},
    {BRASP, "alphabet a b\nnext\nviable(i) := Q_a(i)\nP(i) := Q_a(i)",
     "alphabet a b\nnext\nviable(i) = Q_a(i)\nP(i) := Q_a(i)"},
    {BRASP,
     "P(i) := rightmost [j<i, " ALIKE " & " ALIKE " & " ALIKE " & " ALIKE " & " ALIKE " & " ALIKE "] Q_c(j) : 0",
     "P(i) := rightmost [j<i, " ALIKE "] Q_c(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, (Q_a(i) & Q_b(j)) | (Q_b(i) & Q_b(j))] Q_c(j) : 0",
     "P(i) := rightmost [j<i, (Q_a(i) | Q_b(i)) & Q_b(j)] Q_c(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, (Q_a(i) <-> Q_b(j)) | (Q_b(i) & Q_c(j))] Q_c(j) : 0",
     "P(i) := rightmost [j<i, (Q_b(i) & Q_c(j)) | (Q_b(j) <-> Q_a(i))] Q_c(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, (Q_a(i) & Q_a(j)) | (1 & Q_b(i) & Q_c(j))] Q_c(j) : 0",
     "P(i) := rightmost [j<i, (Q_a(j) & Q_a(i)) | (Q_c(j) & Q_b(i))] Q_c(j) : 0"},
    {BRASP, "P(i) := rightmost [j<i, 1 <-> Q_b(j)] Q_c(j) : 0", "P(i) := rightmost [j<i, Q_b(j)] Q_c(j) : 0"},
    {SPEC, "alphabet a b c\ni = rightmost[j<i, b] a\ni", "alphabet a b c\nj = rightmost[j<i, b] a\nj"},
    {SPEC, "alphabet a b c\nx_2 = rightmost[j<i, b] a\nx_2",
     "alphabet a b c\nan_uncommonly_long_name_of_something_that_was_seen = rightmost[j<i, b] "
     "a\nan_uncommonly_long_name_of_something_that_was_seen"},
    {SPEC, "tokens yes\nalphabet 'true' 'a-b' B9 a_9\n'true' S ['a-b' a_9] | 'B9'",
     "tokens yes\nalphabet \"true\" \"a-b\" 'B9' a_9\n\"true\" S [\"a-b\" 'a_9'] | \"B9\""},
    {SPEC, "tokens yes\nalphabet other b9\nother", "tokens yes\nalphabet other b9\n'other'"},
    {SPEC, "tokens yes\nalphabet other b9\nb9 S other\t", "tokens yes\nalphabet other b9\nb9 S 'other'"},
    {SPEC, "tokens yes\nalphabet other b9\nother b9\nO b9", "tokens yes\nalphabet other b9\nother \"b9\"\nO b9"},
    {SPEC, "alphabet a 'b'\nO a", "alphabet a b\nO a"},
    {SPEC, "alphabet a b\nO a",
     "\xEF\xBB\xBF"
     "alphabet a b\nO a"},
    {SPEC, "alphabet a b c\nletter = a\nrightmost[j<i, letter] b", "alphabet a b c\nrightmost[j<i, a] b"},
    {SPEC, "\xE2\x8A\xA4 & a", "true & a"},
    {REGEX, "ab\r\n", "ab"},
    {REGEX, "a{2,3}", "aaa?"},
    {REGEX, "[\\x61-\\x62]+", "(a|b)(a|b)*"},
};

static bool next_word(uint32_t *word, size_t *n, size_t letters) {
    for (size_t i = *n; i-- > 0;) {
        if (++word[i] < letters) return true;
        word[i] = 0;
    }
    if (*n == LONGEST) return false;
    memset(word, 0, ++*n * sizeof *word);
    return true;
}

/* On all short strings; kinds with several outputs by their number of letters alone. */
static bool mean_the_same(const temper_spec *x, const temper_spec *y) {
    uint32_t word[LONGEST];
    size_t n = 0, letters = temper_spec_about(x).letters;
    temper_error e;
    bool same = letters == temper_spec_about(y).letters && temper_spec_about(x).kind == temper_spec_about(y).kind;
    if (temper_spec_about(x).kind == TEMPER_KIND_ACCEPTOR) do {
            int left = 0, right = 1;
            same = same && temper_spec_eval(&left, NULL, x, word, n, &e) == TEMPER_OK &&
                   temper_spec_eval(&right, NULL, y, word, n, &e) == TEMPER_OK && left == right;
        } while (same && next_word(word, &n, letters));
    return same;
}

/* What is printed is read as the same. */
static void check_printed(const temper_spec *x, const char *from) {
    char *printed = NULL;
    temper_spec *again = NULL;
    temper_error e;
    if (temper_spec_print(&printed, x, &e) == TEMPER_OK) { /* else it has no text of its own */
        temper_spec_options o = {.syntax = spec_print_syntax(x), .at = temper_spec_about(x).at};
        o.empty = temper_spec_about(x).accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT;
        if (CHECK(temper_spec_parse(&again, printed, strlen(printed), &o, &e) == TEMPER_OK,
                  "%s\nis printed as\n%s\n%s", from, printed, e.text))
            CHECK(mean_the_same(x, again), "%s\nis not\n%s", from, printed);
    }
    temper_free(printed);
    temper_spec_free(again);
}

static void check_pair(temper_syntax syntax, const char *one, const char *other) {
    temper_spec *x = NULL, *y = NULL;
    temper_error e;
    if (CHECK(parse(&x, syntax, one, &e) == TEMPER_OK, "%s: %s", one, e.text) &&
        CHECK(parse(&y, syntax, other, &e) == TEMPER_OK, "%s: %s", other, e.text)) {
        CHECK(mean_the_same(x, y), "%s\nis not\n%s", one, other);
        check_printed(x, one);
        check_printed(y, other);
    }
    temper_spec_free(x);
    temper_spec_free(y);
}

/* ---- refused ---- */

static const struct {
    temper_syntax syntax;
    const char *text, *words;
} REFUSED[] = {
    {SPEC, "9223372036854775807*#[a] + 9223372036854775807*#[a] >= 1", "does not fit in 64 bits"},
    {SPEC, "9223372036854775807*(2*#[a]) >= 1", "does not fit in 64 bits"},
    {SPEC, "9223372036854775807*(#[a] + 2) >= 1", "does not fit in 64 bits"},
    {SPEC, "9223372036854775807 + #[a] + 1 >= 1", "does not fit in 64 bits"},
    {SPEC, "0 - 9223372036854775807 - 1 >= #[a]", "does not fit in 64 bits"},
    {SPEC, "tokens yes\nalphabet ab cd\nab S ", "expected"},
    {SPEC, "an_uncommonly_long_word_that_nobody_would_misspell_for_anything_else_here", "is not"},
    {SPEC, "alphabet 'a'b\na", "expected a blank between letters"},
    {SPEC, "'\\xZZ' S b", "is not a known escape"},
    {SPEC, "'\\x8F' S b", "is not a known escape"},
    {SPEC, "'\\x0' S b", "is not a known escape"},
    {SPEC, "'\\x00' S b", "is not a known escape"},
    {SPEC, "'\\u{}' S b", "is not a known escape"},
    {SPEC, "'\\u{110000}' S b", "is not a known escape"},
    {SPEC, "'\\u{D800}' S b", "is not a known escape"},
    {SPEC, "'\\u{dfff}' S b", "is not a known escape"},
    {SPEC, "'\\u{12' S b", "is not a known escape"},
    {SPEC, "'\\u12' S b", "is not a known escape"},
    {SPEC, "'\\q' S b", "is not a known escape"},
    {SPEC, "'\\", "is not a known escape"},
    {SPEC, "rightmost[j=i] a", "'<', '<=', '>' or '>='"},
    {SPEC, "rightmost[j a", "'<', '<=', '>' or '>='"},
    {SPEC, "rightmost[j<j] a", "'i'"},
    {SPEC, "rightmost[i<i] a", "'j'"},
    {SPEC, "rightmost[j<i a] b", "',' or ']' after the mask"},
    {SPEC, "#[a] % 3 = #[b] % 3", "can only be compared with a constant"},
    {SPEC, "#[a] % 3 != #[b] % 3", "can only be compared with a constant"},
    {SPEC, "#[a] % 3 < #[b] % 3", "can only be compared with a constant"},
    {SPEC, "#[a] % 3 = #[b] % 2", "can only be compared with a constant"},
    {SPEC, "#[b] = #[a] % 3", "can only be compared with a constant"},
    {SPEC, "rightmost[j<i, letter is a] b", "a letter is compared with a letter"},
    {SPEC, "rightmost[j<i, a is letter] b", "a letter is compared with a letter"},
    {SPEC, "a <> b", "'<>'"},
    {SPEC, "alphabet a b\nother c\na S b", "is not in the alphabet"},
    {SPEC, "alphabet a b\nnext\nprobabilities uniform\nprobabilities uniform\na", "a second line 'probabilities'"},
    {SPEC, "alphabet a b\nnext\nprobabilities {\na 1\na", "never closed"},
    {SPEC, "alphabet a b\nnext\nprobabilities\t\na", "says no probabilities"},
    {SPEC, "alphabet a b\nnext\nprobabilities ''\na", "the quotes are empty"},
    {SPEC, "alphabet a b\nnext\nprobabilities 'weights' 2\na", "expected end of line after the file's name"},
    {SPEC, "alphabet a b\nnext\nprobabilities missing\na", "missing"},
    {SPEC, "alphabet a b\nnext\nprobabilities 'uniform'\na", "uniform"},
    {SPEC, "alphabet a b\nnext\nprobabilities brace\na", "a line ends with a brace"},
    {SPEC, "alphabet a b\nnext\nprobabilities nul\na", "it holds a NUL byte"},
    {SPEC, "alphabet a b\nnext\nviable a\nviable b\na", "a second line 'viable'"},
    {SPEC, "alphabet a b\ndfa 'table.dfa' 3", "found '3'"},
    {SPEC, "alphabet a b\ndfa missing.dfa", "missing.dfa"},
    {SPEC, "alphabet a b\ndfa words.dfa", "letters are words"},
    {SPEC, "alphabet a b\ndfa broken.jff", "is not complete"},
    {SPEC, "alphabet a b\ndfa turing.jff", "not a finite automaton"},
    {SPEC, "alphabet a b\ndfa open.jff", "not closed"},
    {SPEC, "alphabet a b\ndfa typeless.jff", "not a finite automaton"},
    {SPEC, "alphabet a b\ndfa mealy.jff", "not a finite automaton"},
    {SPEC, "alphabet a b\ndfa cut.jff", "not a finite automaton"},
    {SPEC, "alphabet a b\ndfa half.jff", "is not complete"},
    {SPEC, "alphabet a b\ndfa half-id.jff", "has no id"},
    {SPEC, "alphabet a b\ndfa nameless.jff", "has no id"},
    {SPEC, "alphabet a b\ndfa empty.jff", "not deterministic"},
    {SPEC, "a\rS b", ""},
    {SPEC, "[a\\", ""},
    {SPEC, "[a\\\nb]", ""},
    {SPEC, "/a\\\nb/", ""},
    {SPEC, "#[a] >= 123456789012345678901234567890123456789012345678901234567890", ""},
    {SPEC, "Y^x a", "'^'"},
    {SPEC, "Y^~ a", "'^'"},
    {SPEC, "rightmost[j<i & a] b", "',' or ']' after the mask"},
    {SPEC, "a X b", "expected an operator or end of line"},
    {SPEC, "alphabet 'a'", ""},
    {SPEC, "alphabet a b\nother b c\nO b", ""},
    {SPEC, "alphabet a b\nother 'b' c\nO b", ""},
    {SPEC, "alphabet a b\nother B\nO b", ""},
    {SPEC, "alphabet a b\nnext\nprobabilities {\na 1\n}", ""},
    {SPEC, "alphabet a b\nnext\nprobabilities {\na 1\n}\t", ""},
    {SPEC, "alphabet a b\nnext\nprobabilities uniform", ""},
    {SPEC, "alphabet a b\nnext\nprobabilities", ""},
    {SPEC, "alphabet a b\ntransduce\nO a", ""},
    {SPEC, "alphabet a b\nat last\ntransduce\nemit 'x' = O a\nemit 'y' otherwise\n", ""},
    {SPEC, "alphabet a b\ntransduce\nemit 'x' otherwise\nemit 'y' otherwise\n", ""},
    {SPEC, "alphabet a b\ntransduce\nemit 'x' == O a\n", ""},
    {SPEC, "alphabet a b\ntransduce\nemit 'x' O a\n", ""},
    {SPEC, "alphabet a b\ntransduce\nemit nothing otherwise X\n", ""},
    {SPEC, "tokens yes\nalphabet ab cd\ndfa table.dfa", ""},
    {SPEC, "tokens yes\nalphabet ab cd\nO dfa \"table.dfa\"", "is not in the alphabet"},
    {SPEC, "alphabet a b\nO dfa { tokens yes\nstart 0\naccept 1\n0 <a> 1\n}", "letters"},
    {SPEC, "alphabet a b\nprobabilities = a\nprobabilities S b S", ""},
    {SPEC, "12*3 => a", ""},
    {SPEC, "-9223372036854775807*#[a] - 9223372036854775807*#[a] >= 1", "does not fit in 64 bits"},
    {SPEC, "#[a] - 9223372036854775807 - 9223372036854775807 >= #[b]", "does not fit in 64 bits"},
    {CRASP, "Q_ > 1", "expected a quoted letter"},
    {CRASP, "foo > 1", "is not defined"},
    {CRASP, "# [j<k] Q_a > 1", ""},
    {CRASP, "# [k<i] Q_a > 1", ""},
    {CRASP, "# [i<i] Q_a > 1", ""},
    {CRASP, "# [i<k] Q_a > 1", ""},
    {CRASP, "# [j+i] Q_a > 1", ""},
    {CRASP, "# [j,i] Q_a > 1", ""},
    {CRASP, "# [j<i) Q_a > 1", ""},
    {CRASP, "# [j<i] > 1", ""},
    {CRASP, "# [j<i] && Q_a > 1", ""},
    {CRASP, "Q_a <-> Q_b -> Q_c", "needs parentheses"},
    {CRASP, "S = Q_a\nQ_b S", "an operator or the end of the line"},
    {CRASP, "Q_a foo", "an operator or the end of the line"},
    {CRASP, "# Q_a % 3 == # Q_b", "can only be compared with a constant"},
    {CRASP, "# Q_a % # Q_b == 1", "the modulus must be a constant"},
    {CRASP, "9223372036854775807 * (2 * # Q_a) > 1", ""},
    {CRASP, "9223372036854775807 * # Q_a + 9223372036854775807 * # Q_a > 1", ""},
    {CRASP, "9223372036854775807 * # Q_a > 0 - 9223372036854775807 * # Q_a", ""},
    {CRASP, "Q_a(k)", "a position i or j"},
    {CRASP, "Q_a(i", "')'"},
    {CRASP, "# [j>i] Q_a(j) > 1", "C-RASP counts positions j <= i or j < i"},
    {CRASP, "# [i<=j] Q_a(j) > 1", "C-RASP counts positions j <= i or j < i"},
    {CRASP, "# [j==i] Q_a(j) > 1", "C-RASP counts positions j <= i or j < i"},
    {CRASP, "# [j!=i] Q_a(j) > 1", "C-RASP counts positions j <= i or j < i"},
    {CRASP, "# Q_a(j) > 1", "there is no j here"},
    {CRASP, "# [j<=i] Q_a(i) > 1", "a count over j cannot look at i"},
    {CRASP, "0 < # Q_a < 3", "comparisons do not chain"},
    {CRASP, "Q_a @ # Q_b @ # Q_a", "needs parentheses"},
    {CRASP, "# Q_a > 1 @ # Q_b", "needs parentheses"},
    {CRASP, "Q_a @ # Q_b > 1", "needs parentheses"},
    {CRASP, "Q_a <-> Q_b <-> Q_c", "needs parentheses"},
    {CRASP, "Q_a -> Q_b <-> Q_c", "needs parentheses"},
    {CRASP, "max(# Q_a) > 1", "'max' needs two counts"},
    {CRASP, "min(# Q_a) > 1", "'min' needs two counts"},
    {CRASP, "(Q_a, Q_b)", "')'"},
    {CRASP, "(# [Q_a) > 1", "']'"},
    {CRASP, "Q_a ? Q_b ) Q_c", "':'"},
    {CRASP, "Q_a ] Q_b", "an operator or the end of the line"},
    {CRASP, "Q_a S Q_b", "S"},
    {CRASP, "P = Q_a\nalphabet", "stand before all others"},
    {CRASP, "# Q_a * # Q_b > 1", "must be a constant"},
    {CRASP, "# Q_a % 0 == 1", "the modulus must be positive"},
    {BRASP, "P(i) := rightmost [j<i, 1] Q_a(j) Q_b", "an operator, ':' or the end of the line"},
    {BRASP, "P(i) := rightmost [j<i, 1] Q_a(j) : Q_b(j)", "cannot look at j"},
    {BRASP, "P(i) := rightmost [j=i, 1] Q_a(j) : 0", "'<', '<=', '>' or '>='"},
    {BRASP, "P(i) := rightmost [j i, 1] Q_a(j) : 0", "'<', '<=', '>' or '>='"},
    {BRASP, "P(i) := rightmost [j<j, 1] Q_a(j) : 0", "'i'"},
    {BRASP, "P(i) := rightmost [i<i, 1] Q_a(j) : 0", "'j'"},
    {BRASP, "P(i) := rightmost [2, 1] Q_a(j) : 0", "a mask"},
    {BRASP, "P(i) := Q_a(i) <-> Q_b(i) <-> Q_c(i)", "needs parentheses"},
    {BRASP, "P(i) := Q_a(i) -> Q_b(i) <-> Q_c(i)", "needs parentheses"},
    {BRASP, "P(i) := Q_a(i) <-> Q_b(i) -> Q_c(i)", "needs parentheses"},
    {BRASP, "3(i) := Q_a(i)", "the name of a predicate"},
    {BRASP, "P(i) := Q_a(i)\nalphabet a b", "stand before all others"},
    {BRASP, "Q_a(i) := Q_b(i)", "cannot be defined"},
    {BRASP, "Q_'a'(i) := Q_b(i)", "cannot be defined"},
    {BRASP, "P(i) := Q_a(j)", "there is no j here"},
    {DFA, "start 0\n0 a 1 1", ""},
    {DFA, "start 0\n0 {a} 1", "brace"},
};

static void check_refused(temper_syntax syntax, const char *source, const char *words) {
    temper_spec *x = NULL;
    temper_error e;
    temper_status status = parse(&x, syntax, source, &e);
    CHECK(status != TEMPER_OK && strstr(e.text, words), "%s: %s, not %s", source,
          status == TEMPER_OK ? "accepted" : e.text, words);
    temper_spec_free(x);
}

/* What the caller asks for. */
static void check_options(void) {
    static const char *const none[] = {"a", ""}, *const two[] = {"a", "b"},
                             *const line[] = {"a", "b\nc", "b\vc", "b\fc"};
    static const struct {
        temper_spec_options o;
        const char *words;
    } cases[] = {
        {{.alphabet = ""}, "names no letters"},
        {{.alphabet = " \t"}, "'b' is not in the alphabet"},
        {{.alphabet = "a\xff"}, "is not valid UTF-8"},
        {{.alphabet = "aba"}, "in the alphabet twice"},
        {{.alphabet = "ab", .ascii = 1}, "the alphabet is given twice"},
        {{.ascii = 1, .tokens = 1}, "cannot be the characters of ASCII"},
        {{.letters = none, .letter_count = 2}, "a letter of the alphabet is empty"},
        {{.letters = two, .letter_count = 2, .alphabet = "ab"}, "the alphabet is given twice"},
        {{.letters = line, .letter_count = 2, .tokens = 1}, ""},
        {{.letters = line + 1, .letter_count = 1, .tokens = 1}, ""},
        {{.letters = line + 2, .letter_count = 1, .tokens = 1}, ""},
        {{.letters = line + 3, .letter_count = 1, .tokens = 1}, ""},
        {{.syntax = (temper_syntax)99}, ""},
        {{.at = (temper_at)99}, ""},
        {{.empty = (temper_empty)99}, ""},
        {{.kind = (temper_kind)99}, ""},
        {{.alphabet = "ab", .other = "c"}, "is not in the alphabet"},
        {{.alphabet = "ab", .other = ""}, "the other letter is empty"},
        {{.alphabet = "ab c\nb", .tokens = 1}, NULL},
        {{.alphabet = "a b\n"}, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *x = NULL;
        temper_error e;
        temper_status status = temper_spec_parse(&x, "O b", 3, &cases[k].o, &e);
        CHECK(cases[k].words ? status != TEMPER_OK && strstr(e.text, cases[k].words) : status == TEMPER_OK,
              "options %zu: %s, not %s", k, status == TEMPER_OK ? "accepted" : e.text, cases[k].words);
        temper_spec_free(x);
    }
}

/* A model that reads its language from the right carries it as one about the rest of the string. */
static void check_from_right(void) {
    static const char *const regexes[] = {"(ab)*c", "a.*", ".*b", "[ab]{2}c?", "..a.*", ".*a..", "a*b.*", "(ab|c)*a"};
    size_t turned_count = 0;
    for (size_t k = 0; k < sizeof regexes / sizeof *regexes; k++) {
        temper_spec *source = NULL, *turned = NULL;
        temper_model *m = NULL;
        temper_error e;
        temper_spec_options o = {.syntax = REGEX, .alphabet = "abc"};
        temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE, .whole = 1};
        uint32_t word[LONGEST];
        size_t n = 0;
        if (CHECK(temper_spec_parse(&source, regexes[k], strlen(regexes[k]), &o, &e) == TEMPER_OK &&
                      temper_build(&m, source, &build, &e) == TEMPER_OK &&
                      temper_model_spec(&turned, m, &e) == TEMPER_OK,
                  "%s: %s", regexes[k], e.text))
            do {
                unsigned char truth[LONGEST];
                int whole = 0, accept = 1;
                bool fine = temper_spec_eval(&whole, NULL, source, word, n, &e) == TEMPER_OK &&
                            temper_spec_eval(&accept, n ? truth : NULL, turned, word, n, &e) == TEMPER_OK;
                CHECK(fine && whole == accept, "%s: %zu letters: %d, and from the right %d", regexes[k], n, whole,
                      accept);
                for (size_t i = 1; fine && temper_model_about(m).whole && i < n; i++) { /* the rest from there on */
                    int rest = 0;
                    temper_spec_eval(&rest, NULL, source, word + i, n - i, &e);
                    CHECK(truth[i] == rest, "%s: %zu letters, the rest from %zu on", regexes[k], n, i);
                }
            } while (next_word(word, &n, 3));
        turned_count += m && temper_model_about(m).whole;
        temper_spec_free(source);
        temper_spec_free(turned);
        temper_model_free(m);
    }
    CHECK(turned_count > 0, "no language was read from the right");
}

/* Without a folder no file may be named. */
static void check_folder(void) {
    static const char *const texts[] = {"alphabet a b\nnext\nprobabilities weights\nH !(a & Y a)",
                                        "alphabet a b\ndfa table.dfa"};
    for (size_t k = 0; k < 2; k++) {
        temper_spec *x = NULL;
        temper_error e;
        CHECK(temper_spec_parse(&x, texts[k], strlen(texts[k]), NULL, &e) != TEMPER_OK && strstr(e.text, "file"),
              "%s: %s", texts[k], x ? "accepted" : e.text);
        temper_spec_free(x);
    }
}

/* ---- files ---- */

#define JFLAP(type, inside)                                                                                          \
    "\xEF\xBB\xBF \t\r\n<?xml version=\"1.0\"?>\n<structure><type>" type "</type><automaton>\n" inside               \
    "</automaton></structure>"
#define STATES "<state id=\"0 A\" name=\"x\"><initial/></state>\n<state id=\"1-z\"><final/>\n</state>\n<stateless/>"
#define MOVE(from, letter, to)                                                                                       \
    "<transition><from>" from "</from>\n<to>" to "</to><read>" letter "</read></transition>\n"

#define TO_FIRST(letter) MOVE("0 A", letter, "1-z") MOVE("1-z", letter, "1-z")
#define TO_START(letter) MOVE("0 A", letter, "0 A") MOVE("1-z", letter, "0 A")

static const struct {
    const char *name, *text;
    size_t length; /* 0: of the string */
} FILES[] = {
    {"weights", "a 1\nb 2\nend 1\n", 0},
    {"brace", "a 1\n}\t\r\nb 2\n", 0},
    {"nul", "a 1\0b 2\n", 8},
    {"table.dfa", "\xEF\xBB\xBFstart 0\naccept 1\n0 a 1\n0 b 0\n1 a 1\n1 b 0\n", 0},
    {"words.dfa", "tokens yes\nstart 0\naccept 1\n0 <a> 1\n0 <b> 0\n1 <a> 1\n1 <b> 0\n", 0},
    {"table.jff",
     JFLAP("fa",
           STATES MOVE("0 A", "a", "1-z") MOVE("0 A", "b", "0 A") MOVE("1-z", "a", "1-z") MOVE("1-z", "b", "0 A")),
     0},
    {"broken.jff", JFLAP("fa", STATES "<transition><from>0</from><to>1</to></transition>"), 0},
    {"entities.jff", JFLAP("fa", STATES TO_FIRST("&lt;") TO_START("&amp;") TO_START("&#32;") TO_START(".")), 0},
    {"spaces.jff", JFLAP("fa", STATES TO_FIRST("&lt;") TO_START("&amp;") TO_START(" ") TO_START(".")), 0},
    {"typeless.jff", "<structure><automaton></automaton></structure>", 0},
    {"mealy.jff", JFLAP("fb", STATES), 0},
    {"cut.jff", "<structure><type", 0},
    {"half.jff", JFLAP("fa", STATES "<transition><fromage>0</fromage><to>1</to><read>a</read></transition>"), 0},
    {"half-id.jff", JFLAP("fa", "<state id=\"0><initial/></state>"), 0},
    {"turing.jff", JFLAP("turing", STATES), 0},
    {"open.jff", JFLAP("fa", "<state id=\"0\">"), 0},
    {"nameless.jff", JFLAP("fa", "<state name=\"0\"></state>"), 0},
    {"empty.jff", JFLAP("fa", STATES "<transition><from>0</from><to>1</to><read/></transition>"), 0},
};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES };

static const char *path_of(size_t k) {
    static char path[TEST_FOLDER + 40];
    snprintf(path, sizeof path, "%s/%s", folder, FILES[k].name);
    return path;
}

int main(void) {
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < FILE_COUNT; k++) {
        FILE *f = fopen(path_of(k), "wb");
        size_t length = FILES[k].length ? FILES[k].length : strlen(FILES[k].text);
        CHECK(f && fwrite(FILES[k].text, 1, length, f) == length && fclose(f) == 0, "%s", FILES[k].name);
    }
    for (size_t k = 0; k < sizeof PAIRS / sizeof *PAIRS; k++)
        check_pair(PAIRS[k].syntax, PAIRS[k].one, PAIRS[k].other);
    for (size_t k = 0; k < sizeof REFUSED / sizeof *REFUSED; k++)
        check_refused(REFUSED[k].syntax, REFUSED[k].text, REFUSED[k].words);
    check_options();
    check_from_right();
    check_folder();
    for (size_t k = 0; k < FILE_COUNT; k++) CHECK(unlink(path_of(k)) == 0, "%s", FILES[k].name);
    CHECK(rmdir(folder) == 0, "%s is left", folder);
    return test_finish("t-spelling");
}

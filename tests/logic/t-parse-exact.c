/* Formulas, definitions and header lines, one by one: the exact message, place and hint of each that is refused, and
   the exact meaning or text of those at the edge. doc/language.md says what must come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact_text.h"
#include "temper.h"
#include "test.h"

#define AB                                                                                                           \
    { .alphabet = "ab" }
#define TOKENS                                                                                                       \
    { .alphabet = "a b c", .tokens = 1 }
#define COUNT   " | compare the count with something: '#[a] > 0'"
#define DIGIT   " | a digit as a letter is quoted: "
#define NUMBER  " | the number of positions where a formula holds is '#[...]'"
#define PRODUCT " | a product is written with '*', as in '2*#[a]'"
#define DEFINE  " | define it on a line before; or make words letters, with a first line 'tokens yes'"
#define ARROW   " | the arrow is '->', without a blank in it"
#define BETWEEN " | this operator stands between two formulas"
#define LETTER  " | as in 'Y letter is letter'"

static const exact_text REFUSALS[] = {
    /* where an operand is expected */
    {"a & ^ b",
     "syntax 1:5: expected a formula or a count after '&', found '^' | '^' stands between two formulas; 'X^3 a' is "
     "'X X "
     "X a', without a blank before the number",
     AB},
    {"^ a", "syntax 1:1: expected a formula or a count, found '^'" BETWEEN, AB},
    {"| a",
     "syntax 1:1: expected a formula or a count, found '|' | '|' stands between two formulas; the number of a's so "
     "far "
     "is '#[a]'",
     AB},
    {"a & | b", "syntax 1:5: expected a formula or a count after '&', found '|'" BETWEEN, AB},
    {":= a", "syntax 1:1: expected a formula or a count, found ':=' | a definition is written 'name = ...'", AB},
    {"> a", "syntax 1:1: expected a formula or a count, found '>'", AB},
    {"a & > b", "syntax 1:5: expected a formula or a count after '&', found '>'", AB},
    {"x = > a\nx", "syntax 1:5: expected a formula or a count after '=', found '>'" ARROW, AB},
    {"x = < a\nx", "syntax 1:5: expected a formula or a count after '=', found '<'", AB},
    {"#[a] - > 2", "syntax 1:8: expected a formula or a count after '-', found '>'" ARROW, AB},
    {"foo { a", "syntax 1:1: the word 'foo' is not defined, and a letter is one character" DEFINE, AB},
    {"bc & a", "syntax 1:1: the word 'bc' is not defined, and a letter is one character" DEFINE, {.alphabet = "abc"}},
    /* brackets */
    {"rightmost[j<i, a", "syntax 1:1: this 'rightmost[' is never closed: expected ']' before end of text", AB},
    {"leftmost[j<i, a", "syntax 1:1: this 'leftmost[' is never closed: expected ']' before end of text", AB},
    {"a & (1)", "syntax 1:5: '&' needs a formula on its right, found a number" COUNT, AB},
    {"(1) & a", "syntax 1:1: '&' needs a formula on its left, found a number" COUNT, AB},
    {"#[1] = 1", "syntax 1:3: '#[' needs a formula, found a number" DIGIT "'1'", AB},
    /* steps */
    {"Y^4097 a", "limit 1:3: more than 4096 steps", AB},
    {"Y 2", "syntax 1:3: 'Y' needs a formula, found a number" DIGIT "'2'", AB},
    /* where an operator is expected */
    {"2 (a)", "syntax 1:3: expected an operator or end of line, found '('" PRODUCT, AB},
    {"2 #[a] = 2", "syntax 1:3: expected an operator or end of line, found '#'" PRODUCT, AB},
    {"2 #>[a] = 2", "syntax 1:3: expected an operator or end of line, found '#>'" PRODUCT, AB},
    {"2 a", "syntax 1:3: expected an operator or end of line, found 'a'" PRODUCT, AB},
    {"2 'a'",
     "syntax 1:3: expected an operator or end of line, found 'a' | 'a, then b' is written 'a & X b'; 'a and b here' "
     "is "
     "'a & b'",
     AB},
    {"2 ,", "syntax 1:3: expected an operator or end of line, found ','", AB},
    {"a (b)", "syntax 1:3: expected an operator or end of line, found '('", AB},
    {"a #[b]", "syntax 1:3: expected an operator or end of line, found '#'", AB},
    {"a := b", "syntax 1:3: expected an operator or end of line, found ':=' | a definition is written 'name = ...'",
     AB},
    {"a ,", "syntax 1:3: expected an operator or end of line, found ','", AB},
    /* numbers where formulas are wanted */
    {"a & 0", "syntax 1:5: '&' needs a formula on its right, found a number" DIGIT "'0'", AB},
    {"a & 9", "syntax 1:5: '&' needs a formula on its right, found a number" DIGIT "'9'", AB},
    {"a & 10", "syntax 1:5: '&' needs a formula on its right, found a number" COUNT, AB},
    {"a & 10", "syntax 1:5: '&' needs a formula on its right, found a number" DIGIT "'10'", TOKENS},
    {"a & 1 + 2", "syntax 1:5: '&' needs a formula on its right, found a number" COUNT, AB},
    {"a & - -1", "syntax 1:5: '&' needs a formula on its right, found a number" COUNT, AB},
    {"a & 2*3", "syntax 1:5: '&' needs a formula on its right, found a number" COUNT, AB},
    {"a & 2*#[b]", "syntax 1:5: '&' needs a formula on its right, found a count" COUNT, AB},
    {"(a & -\n3)", "syntax 1:6: '&' needs a formula on its right, found a number" COUNT, AB},
    {"(a & 2*\n#[b])", "syntax 1:6: '&' needs a formula on its right, found a count" COUNT, AB},
    {"1 @ 2", "syntax 1:1: '@' needs a formula on its left, found a number" DIGIT "'1'", AB},
    {"a @ b",
     "syntax 1:5: '@' needs a position on its right, found a formula | the position is a sum, as in 'a @ #[true] - "
     "3'",
     AB},
    /* formulas where counts are wanted */
    {"(a + 1) = 2", "syntax 1:2: '+' needs a count on its left, found a formula" NUMBER, AB},
    {"1 + a = 2", "syntax 1:5: '+' needs a count on its right, found a formula" NUMBER, AB},
    {"(a - 1) = 2", "syntax 1:2: '-' needs a count on its left, found a formula" NUMBER, AB},
    {"1 - a = 2", "syntax 1:5: '-' needs a count on its right, found a formula" NUMBER, AB},
    {"-a = 1", "syntax 1:2: '-' needs a count, found a formula" NUMBER, AB},
    {"(a * 1) = 2", "syntax 1:2: '*' needs a count on its left, found a formula" NUMBER, AB},
    {"1 * a = 2", "syntax 1:5: '*' needs a count on its right, found a formula" NUMBER, AB},
    {"(a % 2) = 1", "syntax 1:2: '%' needs a count on its left, found a formula" NUMBER, AB},
    {"#[a] % b = 1", "syntax 1:8: '%' needs a count on its right, found a formula" NUMBER, AB},
    {"(#[a] % 2) + 1 = 1",
     "syntax 1:1: '+' needs a count on its left, found a remainder | a remainder can only be compared with a "
     "constant: "
     "'(#[a] + #[b]) % 3 = 1'",
     AB},
    {"#[a] * #[b] = 1", "syntax 1:6: a product of counts is not linear | one of the factors must be a number", AB},
    {"#[a] % #[b] = 1", "syntax 1:8: the modulus after '%' must be a number, found a count", AB},
    {"#[a] % 0 = 0",
     "syntax 1:8: the modulus must be positive, found 0 | the remainder is then 0 up to the modulus minus 1, for "
     "negative sums too",
     AB},
    /* comparisons */
    {"1 = a", "syntax 1:5: '=' compares counts, found a formula" NUMBER, AB},
    {"(a = 1)", "syntax 1:2: '=' compares counts, found a formula" NUMBER, AB},
    {"(a = b)", "syntax 1:4: '=' compares counts, found two formulas | formulas are compared by '<->'", AB},
    {"(a < b)", "syntax 1:4: '<' compares counts, found two formulas | formulas are compared by '<->'", AB},
    {"(a != b)",
     "syntax 1:4: '!=' compares counts, found two formulas | formulas are compared by '<->' (equal) and '^' "
     "(different)",
     AB},
    {"#[a] % 3 = #[b] % 3",
     "syntax 1:10: a remainder can only be compared with a constant, found a remainder | write '(#[a] - #[b]) % 3 = "
     "0' "
     "for '#[a] % 3 = #[b] % 3'",
     AB},
    {"#[a] % 3 != #[b] % 3",
     "syntax 1:10: a remainder can only be compared with a constant, found a remainder | write '(#[a] - #[b]) % 3 != "
     "0' for '#[a] % 3 != #[b] % 3'",
     AB},
    {"#[a] % 3 = #[b] % 4",
     "syntax 1:10: a remainder can only be compared with a constant, found a remainder | a remainder and a constant, "
     "as "
     "in '#[a] % 3 = 1'",
     AB},
    {"#[a] % 3 < #[b] % 3",
     "syntax 1:10: a remainder can only be compared with a constant, found a remainder | a remainder and a constant, "
     "as "
     "in '#[a] % 3 = 1'",
     AB},
    {"#[a] % 3 = #[b]",
     "syntax 1:10: a remainder can only be compared with a constant, found a count | a remainder and a constant, as "
     "in "
     "'#[a] % 3 = 1'",
     AB},
    {"#[b] = #[a] % 3",
     "syntax 1:6: a remainder can only be compared with a constant, found a count | a remainder and a constant, as "
     "in "
     "'#[a] % 3 = 1'",
     AB},
    /* attention: the place of what is compared with a letter is where it begins */
    {"rightmost[j<i, letter is a & b] a", "syntax 1:26: a letter is compared with a letter, found a formula" LETTER,
     AB},
    {"rightmost[j<i, letter is a U b] a", "syntax 1:26: a letter is compared with a letter, found a formula" LETTER,
     AB},
    {"rightmost[j<i, letter is a @ 1] a", "syntax 1:26: a letter is compared with a letter, found a formula" LETTER,
     AB},
    {"rightmost[j<i, letter is #[a] = 1] a",
     "syntax 1:26: a letter is compared with a letter, found a formula" LETTER, AB},
    {"rightmost[j<i, letter is #[a] % 2 = 1] a",
     "syntax 1:26: a letter is compared with a letter, found a formula" LETTER, AB},
    {"rightmost[j<i, letter is\n 1 = #[a]] a",
     "syntax 2:2: a letter is compared with a letter, found a formula" LETTER, AB},
    {"rightmost[j<i, a & b is letter] a", "syntax 1:16: a letter is compared with a letter, found a formula" LETTER,
     AB},
    {"rightmost[j<i, letter = 1] a",
     "syntax 1:16: '=' needs a count on its left, found the letter | letters are compared by 'is', as in 'Y letter "
     "is "
     "letter'",
     AB},
    {"rightmost[j<i, 1 = letter] a",
     "syntax 1:20: '=' needs a count on its right, found the letter | letters are compared by 'is', as in 'Y letter "
     "is "
     "letter'",
     AB},
    {"rightmost[j<i, 1] a", "syntax 1:16: a condition must be a formula, found a number" DIGIT "'1'", AB},
    {"rightmost[j<i, a is 2] b", "syntax 1:21: a condition must be a formula, found a number" DIGIT "'2'", AB},
    {"rightmost[j<i, a] 1", "syntax 1:19: 'rightmost[' needs a formula on its right, found a number" DIGIT "'1'", AB},
    {"leftmost[1] 2", "syntax 1:13: 'leftmost[' needs a formula, found a number" DIGIT "'2'", AB},
    /* outputs */
    {"transduce\nemit ' x' = a\nemit y otherwise",
     "syntax 2:6: the output holds a blank | tokens are written with blanks between them, so it would be two",
     TOKENS},
    /* header lines */
    {"alphabet 'a'x", "syntax 1:13: expected a blank between letters of the alphabet", {0}},
    {"alphabet 'a'x y\nO a", "syntax 1:13: expected a blank between letters of the alphabet", {0}},
    {"alphabet 'a'x\nO a", "syntax 1:13: expected a blank between letters of the alphabet", {0}},
    {"tokens yes\nalphabet a ' b'\na",
     "syntax 2:12: the token ' b' holds a blank | strings are split into tokens at blanks, so it could never occur",
     {0}},
    {"other Xa\na",
     "syntax 1:7: 'Xa' runs an operator and a name together | write 'X a'; names of definitions are lower-case, "
     "other "
     "letters are quoted",
     {0}},
    {"a",
     "range 0:0: the letter 'a' is in the alphabet twice | each letter stands once: leave one of the two out",
     {.alphabet = "aa"}},
    {"alphabet a b a\na",
     "syntax 1:14: the letter 'a' is in the alphabet twice | each letter stands once: leave one of the two out",
     {0}},
};

static const exact_text MEANINGS[] = {
    {"Y^0 a", "a", AB},
    {"Y^9 a", "Y Y Y Y Y Y Y Y Y a", AB},
    {"X^2 a", "X X a", AB},
    {"2*3*#[a] = 6*#[b]", "#[a] = #[b]", AB},
    {"#[a]*2 = 2*#[b] + 2", "#[a] = #[b] + 1", AB},
    {"#[a] % 1 = 0", "true", AB},
    {"rightmost[j<i, a is b] a", "b & Y O a", {.alphabet = "abc"}},
    {"rightmost[j<i, a is b, b is a] a", "b & Y O a", AB},
    {"rightmost[j<i, Y letter is letter] a", "a & Y (!Y a S (a & Y a)) | b & Y (!Y b S (a & Y b))", AB},
    {"rightmost[j<i, letter is Y letter] b", "Y b", AB},
    {"leftmost[j<i] a", "Y O (first & a)", AB},
    {"#[a] + 1 = #[b] - 1", "#[b] = 2 + #[a]", AB},
    {"2 + 3*#[a] > 1 + 2*#[b]", "1 + 3*#[a] > 2*#[b]", AB},
    {"-#[a] % 3 = 2", "#[a] % 3 = 1", AB},
    {"-2*#[a] + 4 = 0", "#[a] = 2", AB},
    {"1 - -#[a] = 2", "#[a] = 1", AB},
    {"!#[a] = 1 & a", "!(#[a] = 1) & a", AB},
    {"!a @ #[a] + 1 & b", "!(a @ (#[a] + 1)) & b", {.alphabet = "ab", .at = TEMPER_AT_LAST}},
};

/* ---- what the graph keeps ---- */

static void test_nodes(void) {
    static const struct {
        const char *text;
        size_t nodes;
    } CASES[] = {{"Y^4096 a", 4097}, {"Y^9 a", 10}, {"Y^0 a", 1}, {"a & b & a", 3}, {"a | b | a & b", 4}};
    temper_spec_options o = AB;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        temper_spec *s = exact_parse(CASES[k].text, &o);
        if (s)
            CHECK(temper_spec_about(s).nodes == CASES[k].nodes, "%s: %zu nodes, not %zu", CASES[k].text,
                  temper_spec_about(s).nodes, CASES[k].nodes);
        temper_spec_free(s);
    }
}

/* The definition of a formula that is long and used twice keeps its name when it is printed; counts have none. */
static const exact_text PRINTED[] = {
    {"long = Y (a | Y (b & Y a))\nlong & Y long",
     "alphabet a b\nat last\nlong = Y (a | Y (b & Y a))\nlong & Y long\n", AB},
    {"n = #[Y (a | Y (b & Y a))]\nn > 1 & n < 7",
     "alphabet a b\nat last\nx1 = Y (a | Y (b & Y a))\n#[x1] > 1 & #[x1] < 7\n", AB},
};

/* ---- `emit letter = ...` is read once for each letter, up to 2^24 bytes in all ---- */

static void test_lines_of_letters(void) {
    static const char BEGIN[] = "alphabet a b\ntransduce\nemit letter = letter";
    enum { HALF = 1 << 23 }; /* what stands behind the second word, and the end */
    char *text = malloc(sizeof BEGIN + HALF);
    if (!CHECK(text != NULL, "no memory")) return;
    memset(text, ' ', sizeof BEGIN + HALF);
    memcpy(text, BEGIN, strlen(BEGIN));
    text[sizeof BEGIN + HALF - 1] = 0;
    temper_spec *s = NULL;
    temper_error e;
    CHECK(temper_spec_parse(&s, text, strlen(BEGIN) + HALF - 1, NULL, &e) == TEMPER_OK, "%s", e.text);
    if (s) CHECK(temper_spec_about(s).outputs == 2, "%zu outputs", temper_spec_about(s).outputs);
    temper_spec_free(s);
    exact_refusal_of(
        &(exact_text){text, "limit 3:6: 8388609 bytes for each of 2 letters are more than 16777216", {0}},
        strlen(BEGIN) + HALF);
    free(text);
}

/* ---- transducers: `otherwise` may stand on any line ---- */

static void test_otherwise(void) {
    static const char *const TEXTS[] = {"alphabet a b\ntransduce\nemit x otherwise\nemit y = a\n",
                                        "alphabet a b\ntransduce\nemit y = a\nemit x otherwise\n"};
    for (size_t k = 0; k < 2; k++) {
        temper_spec *s = exact_parse(TEXTS[k], NULL);
        uint32_t word[] = {0, 1, 1, 0};
        char *out = NULL;
        size_t length = 0;
        temper_error e;
        if (s)
            CHECK(temper_spec_write(&out, &length, s, word, 4, &e) == TEMPER_OK && strcmp(out, "yxxy") == 0, "%s: %s",
                  TEXTS[k], out ? out : e.text);
        temper_one_output one = {0};
        if (s)
            CHECK(temper_spec_one_output(&one, s, &e) == TEMPER_OK && one.answer == TEMPER_ONE_PROVED, "%s: %s",
                  TEXTS[k], one.why ? one.why : e.text);
        temper_one_output_clear(&one);
        temper_free(out);
        temper_spec_free(s);
    }
}

/* ---- letters ---- */

static void check_letters(const temper_spec_options *o, const char *text, const char *const *letters, size_t count) {
    temper_spec *s = exact_parse(text, o);
    if (!s) return;
    CHECK(temper_spec_about(s).letters == count && !temper_spec_letter(s, count), "'%s': %zu letters", text,
          temper_spec_about(s).letters);
    for (size_t k = 0; k < count && temper_spec_letter(s, k); k++)
        CHECK(strcmp(temper_spec_letter(s, k), letters[k]) == 0, "'%s': letter %zu is '%s'", text, k,
              temper_spec_letter(s, k));
    temper_spec_free(s);
}

static void test_letters(void) {
    char characters[95][2];
    const char *ascii[95];
    for (size_t k = 0; k < 95; k++) {
        characters[k][0] = (char)(' ' + k);
        characters[k][1] = 0;
        ascii[k] = characters[k];
    }
    check_letters(&(temper_spec_options){.ascii = 1}, "O a", ascii, 95);
    static const char *const WORDS[] = {"a", " ", "ab"};
    check_letters(&(temper_spec_options){.letters = WORDS, .letter_count = 2}, "O a", WORDS, 2);
    exact_refusal(&(exact_text){"a",
                                "syntax 0:0: 'ab' has several characters, but a letter is one | letters of several "
                                "characters need tokens: begin with a line 'tokens yes'",
                                {.letters = WORDS, .letter_count = 3}});
    static const char *const TWICE[] = {"a", "b", "a"};
    exact_refusal(&(exact_text){
        "a",
        "range 0:0: the letter 'a' is in the alphabet twice | each letter stands once: leave one of the two out",
        {.letters = TWICE, .letter_count = 3}});
    /* the letter that others are read as: any lower-case word or number stands bare */
    static const char *const OTHER[][2] = {{"b", "a"}, {"b", "z"}, {"b", "0"}, {"b", "9"}, {"b", "_"}};
    for (size_t k = 0; k < sizeof OTHER / sizeof *OTHER; k++) {
        char text[40];
        snprintf(text, sizeof text, "other %s\nO b", OTHER[k][1]);
        check_letters(NULL, text, OTHER[k], 2);
        temper_spec *s = exact_parse(text, NULL);
        if (s) CHECK(temper_spec_about(s).other == 1, "'%s': letter %zu", text, temper_spec_about(s).other);
        temper_spec_free(s);
    }
    temper_spec *s = exact_parse("O b", NULL);
    if (s) CHECK(temper_spec_about(s).other == SIZE_MAX, "no other letter, but %zu", temper_spec_about(s).other);
    temper_spec_free(s);
}

int main(void) {
    for (size_t k = 0; k < sizeof REFUSALS / sizeof *REFUSALS; k++) exact_refusal(&REFUSALS[k]);
    for (size_t k = 0; k < sizeof MEANINGS / sizeof *MEANINGS; k++) exact_meaning(&MEANINGS[k], TEMPER_SYNTAX_SPEC);
    for (size_t k = 0; k < sizeof PRINTED / sizeof *PRINTED; k++) exact_print(&PRINTED[k]);
    test_nodes();
    test_lines_of_letters();
    test_otherwise();
    test_letters();
    return test_finish("t-parse-exact");
}

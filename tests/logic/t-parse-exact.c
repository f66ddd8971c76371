/* Formulas, definitions and header lines, one by one: the exact meaning or text of those at the edge. What is refused
   stands in tests/bad/spec-exact.cases. doc/language.md says what must come. */
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
#define DIGIT " | a digit as a letter is quoted: "

static const exact_text REFUSALS[] = {
    /* numbers where formulas are wanted */
    {"a & 10", "syntax 1:5: '&' needs a formula on its right, found a number" DIGIT "'10'", TOKENS},
    /* outputs */
    {"transduce\nemit ' x' = a\nemit y otherwise",
     "syntax 2:6: the output holds a blank | tokens are written with blanks between them, so it would be two",
     TOKENS},
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

/* Formulas in words: every operator has its sentence; deep and wide formulas have one, too, which is short. */
#include <stdlib.h>
#include <string.h>

#include "temper.h"
#include "test.h"

static char *words_of(const char *formula, const char *alphabet, int tokens) {
    temper_spec_options o = {.alphabet = alphabet, .tokens = tokens};
    temper_spec *spec = NULL;
    temper_error e;
    char *words = NULL;
    if (CHECK(temper_spec_parse(&spec, formula, strlen(formula), &o, &e) == TEMPER_OK, "%s: %s", formula, e.text))
        CHECK(temper_spec_words(&words, spec, &e) == TEMPER_OK, "%s: %s", formula, e.text);
    temper_spec_free(spec);
    return words;
}

static const char *const TABLE[][2] = {
    {"true", "anything is fine"},
    {"false", "nothing is fine"},
    {"first", "this is the first letter"},
    {"!last", "this is not the last letter"},
    {"a", "the letter is a"},
    {"[ab]", "the letter is a or b"},
    {"[^ab]", "the letter is none of a and b"},
    {"!a", "the letter is not a"},
    {"a & !b", "the letter is a, and the letter is not b"},
    {"a | O b", "the letter is a, or there has been a b"},
    {"a xor b", "either the letter is a or the letter is b, but not both"},
    {"(O a -> O b) <-> Y c", "(if there has been an a, then there has been a b) exactly if the letter before is c"},
    {"H (b -> O a)", "so far, at every b there has been an a"},
    {"H ((a & Y b) -> O c)",
     "so far, at every place where (the letter is a, and the letter before is b), there has been a c"},
    {"H a", "every letter so far is a"},
    {"H !a", "no letter so far is a"},
    {"H !(a & Y b)", "there has been no place where (the letter is a, and the letter before is b)"},
    {"G (F a | b)", "from here on, at every place, there is an a here or later, or the letter is b"},
    {"!O a", "there has been no a"},
    {"F [ab]", "there is an a or a b here or later"},
    {"!(a S b)", "it is not the case that (there has been a b, and every letter since then is a)"},
    {"a U b", "there is a b here or later, and every letter until then is a"},
    {"a W b", "there is a b here or later, and every letter until then is a; or, if there is none, every letter from "
              "here on is "
              "a"},
    {"a R b", "from here up to and including the first place where the letter is a (or to the end, if there is "
              "none), at every "
              "place, the letter is b"},
    {"a M b",
     "from here up to and including the first place where the letter is a (there must be one), at every place, the "
     "letter is b"},
    {"a T b",
     "from and including the last place where the letter is a (or from the beginning, if there is none) to here, at "
     "every place, the letter is b"},
    {"Y a", "the letter before is a"},
    {"Y Y Y a", "the letter 3 places back is a"},
    {"Y true", "there is a letter before this one"},
    {"Z a", "the letter before, if there is one, is a"},
    {"X (a | X b)", "there is a next letter, where the letter is a, or the next letter is b"},
    {"wX (a & F b)",
     "the next letter, if there is one, is a place where the letter is a, and there is a b here or later"},
    {"#[a] > #[b]", "the number of a's up to here is more than the number of b's up to here"},
    {"2*#[a] + 1 <= #[b] + #[c]", "2 times the number of a's up to here plus 1 is at most the number of b's up to "
                                  "here plus the number of c's up to "
                                  "here"},
    {"#[[ab]] = 0", "the number of letters that are a or b up to here is 0"},
    {"#[a & Y b] != 2",
     "the number of places where the letter is a, and the letter before is b, up to here is not 2"},
    {"#>[true] % 3 = 1", "the number of letters from here on, divided by 3, leaves 1"},
    {"(#[a] - 2*#[b]) % 3 < 2",
     "the number of a's up to here minus (2 times the number of b's up to here), divided by 3, leaves less than 2"},
    {"b @ (#[a] - 1)",
     "there is a place whose number is the number of a's up to here minus (1), where the letter is b"},
    {"/(ab)*/", "the letters so far match /(ab)*/"},
};

static void sentences(void) {
    for (size_t k = 0; k < sizeof TABLE / sizeof *TABLE; k++) {
        char *words = words_of(TABLE[k][0], "abc", 0);
        CHECK(words && !strcmp(words, TABLE[k][1]), "%s\n  %s\n  %s", TABLE[k][0], words ? words : "", TABLE[k][1]);
        temper_free(words);
    }
    char *words = words_of("H (ack -> O req)", "req ack", 1);
    CHECK(words && !strcmp(words, "so far, at every ack there has been a req"), "%s", words ? words : "");
    temper_free(words);
}

/* Nested a hundred thousand times, and of ten thousand parts: short, and no stack is used up. */
static void large(void) {
    enum { DEEP = 100000, WIDE = 10000 };
    char *deep = malloc(2 * DEEP + 2), *wide = malloc(4 * WIDE + 2);
    if (!deep || !wide) return;
    for (size_t k = 0; k < DEEP; k++) memcpy(deep + 2 * k, k % 2 ? "O " : "H ", 2);
    strcpy(deep + 2 * DEEP, "a");
    for (size_t k = 0; k < WIDE; k++) memcpy(wide + 4 * k, k + 1 < WIDE ? (k % 2 ? "a & " : "b & ") : "c   ", 4);
    wide[4 * WIDE] = 0;
    const char *const texts[] = {deep, wide};
    for (size_t k = 0; k < 2; k++) {
        char *words = words_of(texts[k], "abc", 0);
        CHECK(words && *words && strlen(words) < 4000, "text %zu has %zu bytes", k, words ? strlen(words) : 0);
        temper_free(words);
    }
    free(deep);
    free(wide);
}

int main(void) {
    sentences();
    large();
    return test_finish("t-words");
}

/* Oracle = hard = soft at n = 10,000 for one formula per kind of head. */
#include <stdlib.h>

#include "agree.h"
#include "random_formula.h"

static const struct {
    const char *text;
    temper_at at;
} formulas[] = {
    {"H(b -> O a)", TEMPER_AT_LAST},             /* once */
    {"a S (b S c)", TEMPER_AT_LAST},             /* since */
    {"Y Y (a & Y b)", TEMPER_AT_LAST},           /* yesterday */
    {"a U (b U c)", TEMPER_AT_FIRST},            /* until */
    {"3*#[a] - 2*#[b] >= #[c]", TEMPER_AT_LAST}, /* compare */
    {"#>[a] > #>[b] + 3", TEMPER_AT_FIRST},      /* compare, mirrored */
    {"2*#[a] > #>[b] + #[c]", TEMPER_AT_LAST},   /* balance */
    {"#[a] % 2 = 1", TEMPER_AT_LAST},            /* look-up */
    {"(2*#[a] + 3*#>[b]) % 7 = 3", TEMPER_AT_LAST},
    {"rightmost[j<i, Y letter is letter] a", TEMPER_AT_LAST}, /* match */
    {"Y^40 a & Y^7 b", TEMPER_AT_LAST},
    {"X^5 leftmost[i<j, a is X b] c", TEMPER_AT_FIRST},
    {"a @ #>[true]", TEMPER_AT_LAST}, /* look-up of a position */
    {"b @ 2*#[a] - #[b] + 1", TEMPER_AT_LAST},
    {"a @ #[b]", TEMPER_AT_LAST},
};

int main(void) {
    enum { LENGTH = 10000 };
    test_random r = test_seed(3);
    uint32_t *word = calloc(LENGTH, sizeof *word);
    size_t count = test_effort() < 1 ? 2 : sizeof formulas / sizeof *formulas;
    for (size_t k = 0; k < count; k++) {
        temper_spec *spec;
        temper_error e;
        temper_spec_options o = {.alphabet = "abc", .at = formulas[k].at};
        size_t length = 0;
        while (formulas[k].text[length]) length++;
        if (!CHECK(temper_spec_parse(&spec, formulas[k].text, length, &o, &e) == TEMPER_OK, "%s: %s",
                   formulas[k].text, e.text))
            continue;
        agree_set s;
        random_word(word, LENGTH, 3, &r);
        if (agree_compile(&s, formulas[k].text, spec)) agree_on(&s, word, LENGTH, false);
        agree_free(&s);
        temper_spec_free(spec);
    }
    free(word);
    return test_finish("t-agree-far");
}

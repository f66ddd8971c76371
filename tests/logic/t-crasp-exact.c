/* C-RASP, line by line: the exact meaning or text of what is read; what is refused stands in
   tests/bad/crasp-exact.cases. doc/language.md says what must come. */
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "exact_text.h"
#include "logic/crasp_counts.h"
#include "temper.h"
#include "test.h"

#define AB                                                                                                           \
    { .syntax = TEMPER_SYNTAX_CRASP, .alphabet = "ab" }
#define ABCD                                                                                                         \
    { .syntax = TEMPER_SYNTAX_CRASP, .alphabet = "abcd" }

static const exact_text MEANINGS[] = {
    {"a ^ b ^ a", "b", ABCD},
    {"a ^ b ^ c", "[abc]", ABCD},
    {"# a * 2 * 3 == 6 * # b", "#[a] = #[b]", AB},
    {"# a + # b - # c - 1 == 0", "#[a] + #[b] = #[c] + 1", ABCD},
    {"a -> b ? # a > 1 : # b > 1", "(a -> b) & #[a] > 1 | !(a -> b) & #[b] > 1", AB},
    {"a ? b : c ? d : a", "a & b | !a & (c & d | !c & a)", ABCD},
    {"0 % 3 == 0", "true", AB},
    {"6 % 3 == 0", "true", AB},
    {"(-1) % 3 == 2", "true", AB},
    {"(-3) % 3 == 0", "true", AB},
    {"Qx = # a\nQx > 1", "#[a] > 1", AB},
    {"# Q_a > 1 & !Q_b", "#[a] > 1 & !b", AB},
    {"# Q_aa > 1 & !Q_'b'", "#[aa] > 1 & !b", {.syntax = TEMPER_SYNTAX_CRASP, .alphabet = "a aa b", .tokens = 1}},
    {"# z > # y", "#[z] > #[y]", {.syntax = TEMPER_SYNTAX_CRASP, .alphabet = "yz"}},
    {"# [j<i] a > 0", "Y O a", AB},
    {"# [i>j] a == 1", "Y (#[a] = 1)", AB},
    {"max(# a, # b, 1) == # a", "#[a] >= #[b] & #[a] >= 1", AB},
    {"min(# a, a ? # b : 3, # b) > 1", "#[a] > 1 & #[b] > 1 & (a -> #[b] > 1)", AB},
};

/* A sum is one case, in whatever order its terms stand; so is the printed comparison. */
static const exact_text PRINTED[] = {
    {"(a ? # a + # b : # b + # a) > 3", "alphabet a b\nat last\n#[a] + #[b] > 3\n", AB},
    {"(a ? # a + 2 * # b + # c : # c + # a + # b * 2) > 3", "alphabet a b c d\nat last\n#[a] + 2*#[b] + #[c] > 3\n",
     ABCD},
    {"(a ? # a + 1 : # a + 2) > 3", "alphabet a b\nat last\na & #[a] > 2 | !a & #[a] > 1\n", AB},
    {"a && b && a", "alphabet a b\nat last\na & b & a\n", AB},
    /* only a language model has a line `viable` */
    {"viable = # a >= # b\nviable & b", "alphabet a b\nat last\n#[a] >= #[b] & b\n", AB},
    {"next\nviable = # a >= # b\n# a == # b", "next\nalphabet a b\nat last\nviable #[a] >= #[b]\n#[a] = #[b]\n", AB},
};

static void test_temporal(void) {
    static const char *const WORDS[] = {"X", "wX", "WX", "F", "G", "U", "R", "W",     "M",    "Y",
                                        "Z", "wY", "WY", "O", "H", "S", "T", "first", "last", "start"};
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++) {
        char source[40], expected[300];
        for (int after = 0; after < 2; after++) { /* an operand, or where an operator is expected */
            snprintf(source, sizeof source, "%s%s b", after ? "# a " : "", WORDS[k]);
            snprintf(
                expected, sizeof expected,
                "unsupported 1:%d: C-RASP has no temporal operators, and '%s' is not defined | temporal operators "
                "belong in a specification, which is another syntax",
                after ? 5 : 1, WORDS[k]);
            exact_refusal(&(exact_text){source, expected, AB});
        }
    }
    exact_refusal(
        &(exact_text){"a xyz b", "syntax 1:3: expected an operator or the end of the line, found 'xyz'", AB});
}

static void test_reserved(void) {
    static const char *const WORDS[] = {"true", "false", "min", "max", "xor"};
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++) {
        char source[40], expected[100];
        snprintf(source, sizeof source, "%s = # a\na", WORDS[k]);
        snprintf(expected, sizeof expected,
                 "syntax 1:1: '%s' has a fixed meaning and cannot be defined | choose another name", WORDS[k]);
        exact_refusal(&(exact_text){source, expected, AB});
    }
}

/* The limit of doc/language.md: 16,777,216 terms of all sums; a constant is one, a count with its constant two. */
static void count_terms(entry *e, void *context) {
    formula f;
    counts k;
    formula_init(&f, &e->scratch);
    counts_init(&k, &f);
    k.terms = 16777216 - 3;
    counts_begin(&k, 2, 3);
    count_positions(&k, formula_atom(&f, OP_TRUE), false);
    ++*(int *)context;
    count_constant(&k, 5);
    ++*(int *)context;
    count_constant(&k, 6);
    ++*(int *)context;
}

static void test_terms(void) {
    int steps = 0;
    temper_error e = {0};
    temper_status status = entry_run(&e, count_terms, &steps);
    CHECK(status == TEMPER_LIMIT && steps == 2 && e.line == 2 && e.column == 3, "%d steps: %d %zu:%zu", steps, status,
          e.line, e.column);
    CHECK(strcmp(e.text, "the sums of this file have more than 16777216 terms") == 0, "%s", e.text);
}

int main(void) {
    for (size_t k = 0; k < sizeof MEANINGS / sizeof *MEANINGS; k++) exact_meaning(&MEANINGS[k], TEMPER_SYNTAX_SPEC);
    for (size_t k = 0; k < sizeof PRINTED / sizeof *PRINTED; k++) exact_print(&PRINTED[k]);
    test_temporal();
    test_reserved();
    test_terms();
    return test_finish("t-crasp-exact");
}

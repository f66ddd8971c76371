/* B-RASP, line by line: what a program means, said in another syntax; whether a score takes one head, where
   doc/language.md says that it does. What is refused stands in tests/bad. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact_text.h"
#include "logic/formula.h"
#include "temper.h"
#include "test.h"

#define BRASP                                                                                                        \
    { .syntax = TEMPER_SYNTAX_BRASP, .alphabet = "abcd", .at = TEMPER_AT_LAST }
/* The letter before is an a; a b. */
#define BEFORE              "A(i) := rightmost [j<i, 1] Q_a(j)\nB(i) := rightmost [j<i, 1] Q_b(j)\n"
#define SCORE(score, value) BEFORE "P(i) := rightmost [j<i, " score "] " value

typedef struct program {
    exact_text x;
    int one_head; /* 1: the score compares the positions, and takes one head; 0: it must not; -1: it may */
} program;

static const program PROGRAMS[] = {
    {{SCORE("Q_a(i) <-> Q_a(j)", "Q_b(j)"), "rightmost[j<i, a is a] b", BRASP}, 1},
    {{SCORE("Q_a(j) <-> Q_a(i)", "Q_b(j)"), "rightmost[j<i, a is a] b", BRASP}, 1},
    {{SCORE("Q_a(i) ^ Q_b(j)", "B(j)"), "rightmost[j<i, !b is a] Y b", BRASP}, 1},
    {{SCORE("Q_b(j) ^ Q_a(i)", "B(j)"), "rightmost[j<i, !b is a] Y b", BRASP}, 1},
    {{SCORE("Q_a(i) -> Q_b(j)", "Q_b(j)"), "a & Y O b | !a & Y b", BRASP}, 0},
    {{SCORE("Q_b(j) -> Q_a(i)", "Q_b(j)"), "a & Y b", BRASP}, 0},
    {{SCORE("(Q_a(i) <-> Q_a(j)) <-> 1", "B(j)"), "rightmost[j<i, a is a] Y b", BRASP}, -1},
    {{SCORE("1 <-> (Q_a(i) <-> Q_a(j))", "B(j)"), "rightmost[j<i, a is a] Y b", BRASP}, -1},
    {{SCORE("(Q_a(i) <-> Q_a(j)) ^ 1", "B(j)"), "rightmost[j<i, !a is a] Y b", BRASP}, -1},
    {{SCORE("!(Q_a(i) <-> Q_a(j))", "B(j)"), "rightmost[j<i, !a is a] Y b", BRASP}, -1},
    {{SCORE("(Q_a(i) <-> Q_a(j)) <-> Q_b(j)", "A(j)"),
      ""
      "a & rightmost[j<i, c | d] Y a | !a & rightmost[j<i, a | b] Y a",
      BRASP},
     -1},
    /* a conjunction, also in parentheses */
    {{SCORE("(A(j) <-> Q_a(i)) & ((B(j) <-> Q_b(i)) & !Q_c(j)) & !Q_d(i)", "Q_b(j)"),
      "!d & rightmost[j<i, Y a is a, Y b is b, !c] b", BRASP},
     1},
    {{SCORE("(A(j) <-> A(i)) & (Q_c(j) | Q_d(j))", "Q_c(j)"), "rightmost[j<i, Y a is Y a, [cd]] c", BRASP}, 1},
    /* letters that agree */
    {{SCORE("Q_a(i) & Q_a(j) | Q_b(i) & Q_b(j)", "B(j)"), "[ab] & rightmost[j<i, letter is letter] Y b", BRASP}, 1},
    {{SCORE("Q_a(j) & Q_a(i) | Q_b(i) & Q_b(j)", "B(j)"), "[ab] & rightmost[j<i, letter is letter] Y b", BRASP}, 1},
    {{SCORE("Q_a(j) & Q_b(i) | Q_b(j) & Q_c(i) | Q_c(j) & Q_a(i)", "B(j)"),
      "b & rightmost[j<i, a] Y b | c & rightmost[j<i, b] Y b | a & rightmost[j<i, c] Y b", BRASP},
     1},
    {{SCORE("Q_a(j) & Q_b(i) | Q_b(j) & Q_c(i) | Q_c(j) & Q_a(i)", "A(j) : Q_d(i)"),
      "b & rightmost[j<i, a] Y a | c & rightmost[j<i, b] Y a | a & rightmost[j<i, c] Y a | d", BRASP},
     1},
    {{SCORE("(Q_a(i) & Q_a(j) | Q_b(i) & Q_b(j)) & !A(j)", "B(j)"),
      "[ab] & rightmost[j<i, letter is letter, !Y a] Y b", BRASP},
     1},
    {{SCORE("Q_a(i) & Q_a(j) | Q_a(i) & Q_b(j)", "B(j)"), "a & rightmost[j<i, [ab]] Y b", BRASP}, 0},
    {{SCORE("Q_a(i) & Q_a(j) | Q_b(i) & Q_a(j)", "B(j)"), "[ab] & rightmost[j<i, a] Y b", BRASP}, -1},
    {{SCORE("Q_a(i) & Q_a(j) & A(j) | Q_b(i) & Q_b(j)", "B(j)"),
      "a & rightmost[j<i, a & Y a] Y b | b & rightmost[j<i, b] Y b", BRASP},
     0},
    {{SCORE("Q_a(i) & A(j) | Q_b(i) & B(j)", "Q_c(j)"), "a & rightmost[j<i, Y a] c | b & rightmost[j<i, Y b] c",
      BRASP},
     0},
    {{SCORE("(Q_a(i) <-> Q_a(j)) | Q_b(i) & Q_b(j)", "B(j)"), "rightmost[j<i, a is a] Y b", BRASP}, 0},
    {{SCORE("(Q_a(i) <-> Q_a(j)) & Q_b(j) | Q_c(i) & Q_c(j)", "B(j)"),
      "[bd] & rightmost[j<i, b] Y b | c & rightmost[j<i, [bc]] Y b", BRASP},
     0},
    {{SCORE("Q_a(i) & Q_a(j) | Q_b(j)", "A(j)"), "a & rightmost[j<i, [ab]] Y a | !a & rightmost[j<i, b] Y a", BRASP},
     -1},
    /* the value looks at i, too: then by cases */
    {{SCORE("Q_a(i) <-> Q_a(j)", "Q_b(i) & B(j)"), "b & rightmost[j<i, a is a] Y b", BRASP}, 0},
    /* letters at i, in every way that they can be joined */
    {{SCORE("1", "(Q_a(i) | Q_b(i)) & Q_c(j)"), "[ab] & Y c", BRASP}, 0},
    {{SCORE("1", "!Q_a(i) & !Q_b(i) & Q_c(j)"), "[cd] & Y c", BRASP}, 0},
    {{SCORE("1", "Q_a(i) & A(i) & Q_a(j) | Q_b(i) & Q_c(j)"), "a & Y a | b & Y c", BRASP}, 0},
    {{SCORE("1", "(Q_a(i) | A(i) | !Q_b(i)) & Q_b(j)"), "!b & Y b", BRASP}, 0},
    {{SCORE("1", "(Q_d(i) | A(i) & B(i) | Q_c(i)) & Q_b(j)"), "[cd] & Y b", BRASP}, 0},
    {{SCORE("1", "(!Q_a(i) | B(i)) -> Q_b(j)"), "Y true & (!(!a | Y b) | Y b)", BRASP}, 0},
    {{"Quiet(i) := Q_a(i)\nP(i) := Quiet(i) & !Q_b(i)", "a", BRASP}, 0},
    {{"P(i) := true & !false & Q_a(i)", "a", BRASP}, 0},
};

static bool has_recall(const temper_spec *s) {
    for (size_t id = 1; id < s->graph.count; id++)
        if (formula_at(&s->graph, (node_id)id)->op == OP_MATCH) return true;
    return false;
}

static void check_heads(const exact_text *x, int one_head) {
    temper_spec *s = exact_parse(x->text, &x->options);
    if (s && one_head >= 0)
        CHECK(has_recall(s) == one_head, "%s: %s", x->text, one_head ? "takes several heads" : "takes one head");
    temper_spec_free(s);
}

static void test_programs(void) {
    for (size_t k = 0; k < sizeof PROGRAMS / sizeof *PROGRAMS; k++) {
        exact_meaning(&PROGRAMS[k].x, TEMPER_SYNTAX_SPEC);
        check_heads(&PROGRAMS[k].x, PROGRAMS[k].one_head);
    }
}

/* Up to 63 conditions are one head's; with one more, attention goes by cases and means the same. */
static void test_conditions(void) {
    char source[4000];
    for (int most = 62; most <= 64; most++) {
        size_t used = (size_t)snprintf(source, sizeof source, "P(i) := rightmost [j<i, (Q_a(i) <-> Q_b(j))");
        for (int k = 1; k < most; k++)
            used += (size_t)snprintf(source + used, sizeof source - used, " & (Q_%s",
                                     k % 2 ? "b(i) <-> Q_a(j))" : "a(i) <-> Q_b(j))");
        snprintf(source + used, sizeof source - used, "] !Q_a(j)");
        exact_text x = {source, "rightmost[j<i, b is a, a is b] !a", BRASP};
        exact_meaning(&x, TEMPER_SYNTAX_SPEC);
        check_heads(&x, most <= 63);
    }
}

/* Letters exclude each other, so that as many cases as letters are few: 14 of them are no 2^14. */
static void test_letters(void) {
    enum { COUNT = 14 };
    for (int all = 0; all < 2; all++) {
        char source[4000], meaning[4000];
        size_t p = 0, f = 0;
        for (int k = 0; k < COUNT; k++)
            p += (size_t)snprintf(source + p, sizeof source - p, "R%d(i) := rightmost [j<i, 1] Q_%c(j)\n", k,
                                  'a' + (5 * k + 1) % COUNT);
        p += (size_t)snprintf(source + p, sizeof source - p, "P(i) := leftmost [1, 1] ");
        for (int k = 0; k < COUNT; k++) {
            int here = 'a' + k, there = 'a' + (3 * k + 2) % COUNT, before = 'a' + (5 * k + 1) % COUNT;
            p += (size_t)snprintf(source + p, sizeof source - p,
                                  all ? "%s(!Q_%c(i) | R%d(i) | Q_%c(j))" : "%sQ_%c(i) & R%d(i) & Q_%c(j)",
                                  k ? all ? " & " : " | " : "", here, k, there);
            f += (size_t)snprintf(meaning + f, sizeof meaning - f,
                                  all ? "%s(!%c | Y %c | %c @ 1)" : "%s%c & Y %c & (%c @ 1)",
                                  k ? all ? " & " : " | " : "", here, before, there);
        }
        exact_text x = {
            source, meaning, {.syntax = TEMPER_SYNTAX_BRASP, .alphabet = "abcdefghijklmn", .at = TEMPER_AT_LAST}};
        exact_meaning(&x, TEMPER_SYNTAX_SPEC);
    }
}

/* What is no letter is asked as a whole: ten pairs of conditions are 2^10 cases, twenty conditions too many. */
static void test_wholes(void) {
    enum { COUNT = 10 };
    char source[4000], meaning[4000];
    size_t p = 0, f = 0;
    for (int k = 0; k < 2 * COUNT; k++)
        p += (size_t)snprintf(source + p, sizeof source - p, "R%d(i) := %s] Q_%c(j)\n", k,
                              k < COUNT ? "rightmost [j<i, 1" : "leftmost [1, 1", 'a' + k % COUNT);
    p += (size_t)snprintf(source + p, sizeof source - p, "P(i) := rightmost [j<=i, 1] ");
    for (int k = 0; k < COUNT; k++) {
        int here = 'a' + (k + 1) % COUNT;
        p += (size_t)snprintf(source + p, sizeof source - p, "%s(R%d(i) & R%d(i)) & Q_%c(j)", k ? " | " : "", k,
                              k + COUNT, here);
        f += (size_t)snprintf(meaning + f, sizeof meaning - f, "%sY %c & (%c @ 1) & %c", k ? " | " : "", 'a' + k,
                              'a' + k, here);
    }
    exact_text x = {source, meaning, {.syntax = TEMPER_SYNTAX_BRASP, .alphabet = "abcdefghij", .at = TEMPER_AT_LAST}};
    exact_meaning(&x, TEMPER_SYNTAX_SPEC);
}

/* A node knows the operator that made it. */
static void test_places(void) {
    static const struct {
        const char *source;
        size_t line, column;
    } CASES[] = {{"P(i) := Q_a(i) & Q_b(i)", 1, 16},
                 {"P(i) := Q_a(i)\nR(i) := P(i) -> Q_b(i)", 2, 14},
                 {"P(i) := !Q_b(i)", 1, 9},
                 {"P(i) := rightmost [j<i, Q_a(j)] Q_b(j)", 1, 9}};
    temper_spec_options o = BRASP;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        temper_spec *s = exact_parse(CASES[k].source, &o);
        if (s)
            CHECK(s->graph.notes[s->root].line == CASES[k].line &&
                      s->graph.notes[s->root].column == CASES[k].column && !s->graph.notes[0].line,
                  "%s: %u:%u", CASES[k].source, s->graph.notes[s->root].line, s->graph.notes[s->root].column);
        temper_spec_free(s);
    }
}

static void test_reserved(void) {
    static const char *const WORDS[] = {"i", "j", "true", "false", "leftmost", "rightmost"};
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++) {
        char source[40], expected[100];
        snprintf(source, sizeof source, "%s(i) := Q_a(i)", WORDS[k]);
        snprintf(expected, sizeof expected,
                 "syntax 1:1: '%s' has a fixed meaning and cannot be defined | choose another name", WORDS[k]);
        exact_refusal(&(exact_text){source, expected, BRASP});
    }
}

int main(void) {
    test_programs();
    test_conditions();
    test_letters();
    test_wholes();
    test_places();
    test_reserved();
    return test_finish("t-brasp-exact");
}

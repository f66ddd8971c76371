/* Regular expressions two ways: a random tree is written as text, which the library reads and turns into an
   automaton; the tree itself says which parts of a string it matches, by its definition and without any automaton.
   The two must agree on every prefix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/regex.h"
#include "random_regex.h"

/* The automaton over our letters, or NULL and the error. */
static const dfa *read_regex(arena *a, const char *bytes, temper_error *e) {
    trap inside, *outside = a->trap;
    const dfa *volatile d = NULL;
    memset(e, 0, sizeof *e);
    a->trap = &inside;
    if (!trap_set(&inside, e)) {
        alphabet abc;
        regex_random_alphabet(&abc, a);
        d = dfa_from_regex(a, regex_parse(a, bytes, strlen(bytes), false, 1, 1), &abc, a);
        trap_clear(&inside);
    }
    a->trap = outside;
    return d;
}

static void check_one(unsigned trial, test_random *r, arena *a, unsigned *refused) {
    const random_regex *x = regex_random(r, 1 + random_below(r, 12), random_below(r, 2));
    const char *written = regex_random_text(x);
    temper_error e;
    const dfa *d = read_regex(a, written, &e);
    if (!d) {
        CHECK(e.code == TEMPER_LIMIT, "trial %u: %s: %s", trial, written, e.text);
        ++*refused;
        return;
    }
    CHECK(d->start == 0 && dfa_equal(d, dfa_minimise(a, d)), "trial %u: %s is not minimal", trial, written);
    for (unsigned s = 0; s < 30; s++) {
        uint32_t word[REGEX_LONGEST];
        unsigned char at[REGEX_LONGEST + 1];
        size_t n = regex_random_word(word, r);
        regex_random_matches(at, x, word, n);
        for (size_t k = 0; k <= n; k++)
            CHECK(dfa_accepts(d, word, k) == (bool)at[k], "trial %u: %s at prefix %zu of %zu", trial, written, k, n);
    }
}

/* ---- single cases ---- */

/* Sizes that the constructions must reach, and that a slip in sharing terms would miss. */
static void check_sizes(arena *a) {
    static const struct {
        const char *written;
        uint32_t states, classes;
    } cases[] = {{"()", 2, 1},
                 {"(?&)~()", 2, 1},
                 {"(ab)*", 3, 3},
                 {"(a|b)*a(a|b){9}", 1025, 3},
                 {".{8,64}", 66, 2},
                 {"[ab]{0,5000}", 5002, 2},
                 {"(?&)~(.*aa.*)", 4, 3},
                 {"^a$|^b$", 3, 2},
                 {"((((a*)*)*)*)*", 2, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e;
        const dfa *d = read_regex(a, cases[k].written, &e);
        CHECK(d && d->state_count == cases[k].states && d->class_count == cases[k].classes,
              "%s: %u states, %u classes; %s", cases[k].written, d ? d->state_count : 0, d ? d->class_count : 0,
              e.text);
    }
}

/* Texts that must be refused, where, and by which words. */
static void check_refusals(void) {
    static const struct {
        const char *text;
        temper_status code;
        size_t column;
        const char *says;
    } cases[] = {{"", TEMPER_SYNTAX, 1, "empty"},
                 {"(a)\\1", TEMPER_UNSUPPORTED, 4, "back reference"},
                 {"(?P<q>a)(?P=q)", TEMPER_UNSUPPORTED, 9, "back reference"},
                 {"\\k<q>", TEMPER_UNSUPPORTED, 1, "back reference"},
                 {"a*+", TEMPER_UNSUPPORTED, 3, "possessive"},
                 {"(?>a)", TEMPER_UNSUPPORTED, 1, "atomic"},
                 {"(?y)a", TEMPER_UNSUPPORTED, 1, "flags"},
                 {"(?i--s)a", TEMPER_UNSUPPORTED, 1, "flags"},
                 {"(?i", TEMPER_UNSUPPORTED, 1, "flags"},
                 {"(?1)", TEMPER_UNSUPPORTED, 1, "recursion"},
                 {"(a)(?-1)", TEMPER_UNSUPPORTED, 4, "recursion"},
                 {"(?&n)", TEMPER_UNSUPPORTED, 1, "recursion"},
                 {"(?P>n)", TEMPER_UNSUPPORTED, 1, "recursion"},
                 {"(?(1)a|b)", TEMPER_UNSUPPORTED, 1, "condition"},
                 {"(?C1)a", TEMPER_UNSUPPORTED, 1, "callout"},
                 {"(*ACCEPT)a", TEMPER_UNSUPPORTED, 1, "verb"},
                 {"a\\Kb", TEMPER_UNSUPPORTED, 2, "cut of the match"},
                 {"\\Ga", TEMPER_UNSUPPORTED, 1, "last match ended"},
                 {"\\N{LATIN SMALL LETTER A}", TEMPER_SYNTAX, 3, "by its name"},
                 {"a(?#b", TEMPER_SYNTAX, 2, "comment is never closed"},
                 {"(?x) (a", TEMPER_SYNTAX, 6, "never closed"},
                 {"[a\\B]", TEMPER_UNSUPPORTED, 3, "word boundary"},
                 {"[\\R]", TEMPER_UNSUPPORTED, 2, "end of a line"},
                 {"(?i)*", TEMPER_SYNTAX, 5, "repetition of nothing"},
                 {"(?R)", TEMPER_UNSUPPORTED, 1, "recursion"},
                 {"a|(?&)b", TEMPER_UNSUPPORTED, 3, "beginning"},
                 {"\\p{Gerek}", TEMPER_UNSUPPORTED, 1, "property"},
                 {"\\p{sc:}", TEMPER_UNSUPPORTED, 1, "property"},
                 {"a\\p{Greek", TEMPER_UNSUPPORTED, 2, "property"},
                 {"[\\X]", TEMPER_UNSUPPORTED, 2, "inside a class"},
                 {"(*plx:a)", TEMPER_UNSUPPORTED, 1, "verb"},
                 {"(*atomic:a)", TEMPER_UNSUPPORTED, 1, "atomic"},
                 {"[[.a.]]", TEMPER_UNSUPPORTED, 2, "collating"},
                 {"a**", TEMPER_SYNTAX, 3, "two repetitions"},
                 {"*a", TEMPER_SYNTAX, 1, "repetition of nothing"},
                 {"a|+", TEMPER_SYNTAX, 3, "repetition of nothing"},
                 {"a{2,1}", TEMPER_SYNTAX, 2, "larger than the most"},
                 {"a{20001}", TEMPER_LIMIT, 2, "more than 20000"},
                 {"(ab", TEMPER_SYNTAX, 1, "never closed"},
                 {"ab)", TEMPER_SYNTAX, 3, "closes nothing"},
                 {"a[bc", TEMPER_SYNTAX, 2, "never closed"},
                 {"[z-a]", TEMPER_SYNTAX, 2, "reversed"},
                 {"[\\d-z]", TEMPER_SYNTAX, 4, "begin with a class"},
                 {"[a-\\d]", TEMPER_SYNTAX, 4, "end with a class"},
                 {"[[:foo:]]", TEMPER_SYNTAX, 2, "this is none"},
                 {"\\x4", TEMPER_SYNTAX, 1, "does not name a character"},
                 {"\\x00", TEMPER_SYNTAX, 1, "NUL"},
                 {"\\y", TEMPER_SYNTAX, 1, "not a known escape"},
                 {"a\\", TEMPER_SYNTAX, 2, "backslash at the end"},
                 {"(?&)a~", TEMPER_SYNTAX, 7, "after '~'"},
                 {"a\nb", TEMPER_SYNTAX, 1, "second one follows"},
                 {"a\x01", TEMPER_SYNTAX, 2, "control byte"},
                 {"a\xFF", TEMPER_SYNTAX, 2, "UTF-8"}};
    arena a;
    arena_init(&a, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e;
        const dfa *d = read_regex(&a, cases[k].text, &e);
        CHECK(!d && e.code == cases[k].code && e.column == cases[k].column && strstr(e.text, cases[k].says),
              "'%s': code %d, column %zu: %s", cases[k].text, (int)e.code, e.column, e.text);
        arena_reset(&a);
    }
    arena_free(&a);
}

/* Blow-ups end with their name, in little time and memory, and nesting does not need the stack. */
static void check_limits(void) {
    enum { DEPTH = 100000 };
    static char deep[2 * DEPTH + 2];
    memset(deep, '(', DEPTH);
    deep[DEPTH] = 'a';
    memset(deep + DEPTH + 1, ')', DEPTH);
    static const struct {
        const char *written, *says;
    } cases[] = {{"(a|b)*a(a|b){20}", "more than 20000 derivatives"},
                 {"(a{5000}){5000}", "take more than 20000000 steps"},
                 {"((a{9}){9}|b{8}){9000}", "more than"},
                 {deep, NULL}};
    arena a;
    arena_init(&a, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e;
        const dfa *d = read_regex(&a, cases[k].written, &e);
        bool right = cases[k].says ? !d && e.code == TEMPER_LIMIT && strstr(e.text, cases[k].says) : d != NULL;
        CHECK(right, "'%.30s': %s", cases[k].written, e.text);
        arena_reset(&a);
    }
    arena_free(&a);
}

/* Words in angle brackets, with and without blanks between them. */
static void check_tokens(arena *a) {
    alphabet abc;
    alphabet_init(&abc, a, true);
    static const char *const words[] = {"req", "ack", "a>b", "é"};
    for (size_t k = 0; k < 4; k++) alphabet_add(&abc, words[k], strlen(words[k]));
    static const char written[] = "(<req> <ack>|[^<req><ack>] .)*<a\\>b>?";
    const dfa *d = dfa_from_regex(a, regex_parse(a, written, strlen(written), true, 1, 1), &abc, a);
    static const struct {
        uint32_t word[4];
        size_t n;
        bool accepts;
    } cases[] = {{{0, 1}, 2, true},    {{0, 0}, 2, false},      {{2}, 1, true},           {{2, 0}, 2, true},
                 {{0, 1, 2}, 3, true}, {{3, 3, 0, 1}, 4, true}, {{3, 3, 1, 0}, 4, false}, {{0}, 0, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        CHECK(dfa_accepts(d, cases[k].word, cases[k].n) == cases[k].accepts, "tokens: case %zu", k);
}

int main(void) {
    test_random r = test_seed(29);
    arena a;
    trap t;
    arena_init(&a, &t);
    temper_error e;
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-regex: %zu:%zu: %s\n", e.line, e.column, e.text);
        abort();
    }
    unsigned trials = (unsigned)(1200 * test_effort()), refused = 0;
    for (unsigned trial = 0; trial < trials; trial++) {
        check_one(trial, &r, &a, &refused);
        arena_reset(&a);
    }
    CHECK(50 * refused <= trials, "%u of %u expressions are too large", refused, trials);
    check_sizes(&a);
    check_tokens(&a);
    arena_free(&a);
    trap_clear(&t);
    check_refusals();
    check_limits();
    return test_finish("t-regex");
}

/* Look-around and assertions two ways: random expressions as the library reads them, and their trees by the
   definition of matching, on all short strings of three letters. And the auditor, which reads them with code of
   its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_regex.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "random_regex.h"

typedef struct reading {
    arena *arena;
    const char *text;
    const alphabet *letters;
    const dfa *compiled;
    const automaton *audited;
    temper_error error, audit_error;
} reading;

static void audit_text(void *context) {
    reading *x = context;
    x->audited =
        automaton_from_regex(x->arena, audit_regex_read(x->arena, x->text, strlen(x->text), x->letters), false);
}

/* In every field: both are least, and numbered alike. */
static bool same(const automaton *x, const dfa *y) {
    return x->states == y->state_count && x->classes == y->class_count && !y->start &&
           memcmp(x->accepts, y->accepts, x->states) == 0 &&
           memcmp(x->class_of, y->class_of, y->letter_count * sizeof *x->class_of) == 0 &&
           memcmp(x->next, y->next, (size_t)x->states * x->classes * sizeof *x->next) == 0;
}

static void compile(void *context) {
    reading *x = context;
    x->compiled = dfa_from_regex(x->arena, regex_parse(x->arena, x->text, strlen(x->text), x->letters->tokens, 1, 1),
                                 x->letters, x->arena);
}

static bool read_text(reading *x) {
    trap inside, *outside = x->arena->trap;
    x->compiled = NULL;
    x->audited = NULL;
    x->arena->trap = &inside;
    trap_attempt(&inside, &x->audit_error, audit_text, x);
    bool done = trap_attempt(&inside, &x->error, compile, x);
    x->arena->trap = outside;
    return done;
}

static struct { unsigned long pairs, refused, unaudited, read; } met;

/* All words of n few letters. */
static void check_length(const reading *x, const random_regex *tree, size_t n) {
    uint32_t word[REGEX_LONGEST], digits[REGEX_LONGEST] = {0};
    unsigned char at[REGEX_LONGEST + 1];
    for (;;) {
        for (size_t k = 0; k < n; k++) word[k] = regex_few[digits[k]];
        regex_random_matches(at, tree, word, n);
        met.pairs++;
        char shown[REGEX_LONGEST + 1];
        for (size_t k = 0; k < n; k++) shown[k] = "a-n"[digits[k]];
        shown[n] = 0;
        CHECK(dfa_accepts(x->compiled, word, n) == (bool)at[n], "%s on '%s' (n is the newline): %d", x->text, shown,
              !at[n]);
        size_t k = 0;
        while (k < n && ++digits[k] == REGEX_FEW) digits[k++] = 0;
        if (k == n) return;
    }
}

static void check_random(test_random *r, arena *a, const alphabet *abc, size_t longest) {
    const random_regex *tree =
        regex_random(r, 2 + random_below(r, 9), REGEX_LOOKS | (random_below(r, 4) ? REGEX_PLAIN : REGEX_EXTENDED));
    reading x = {.arena = a, .text = regex_random_text(tree), .letters = abc};
    if (!read_text(&x)) {
        CHECK(x.error.code == TEMPER_LIMIT, "%s: %s", x.text, x.error.text);
        met.refused++;
        return;
    }
    if (x.audited)
        CHECK(same(x.audited, x.compiled), "%s: the auditor has %u states, not %u", x.text, x.audited->states,
              x.compiled->state_count);
    else
        CHECK(x.audit_error.code == TEMPER_LIMIT, "%s: the auditor: %s", x.text, x.audit_error.text);
    met.unaudited += !x.audited;
    for (size_t n = 0; n <= longest; n++) check_length(&x, tree, n);
}

/* Texts of pieces in any order: the two readers must understand the same ones, and in the same way. */
static void check_pieces(test_random *r, arena *a, const alphabet *abc) {
    static const char *const pieces[] = {"a",
                                         "b",
                                         "Z",
                                         "7",
                                         "-",
                                         "(",
                                         "(",
                                         ")",
                                         ")",
                                         ")",
                                         "|",
                                         "*",
                                         "+",
                                         "?",
                                         "{",
                                         "}",
                                         ",",
                                         "2",
                                         "[",
                                         "]",
                                         "^",
                                         "$",
                                         "\\Q",
                                         "\\E",
                                         "(?i)",
                                         "(?i:",
                                         "(?-i)",
                                         "(?x)",
                                         "(?xx)",
                                         "(?^",
                                         " ",
                                         "#",
                                         "\n",
                                         "(?#",
                                         "(?=",
                                         "(?!",
                                         "(?<=",
                                         "(?<!",
                                         "\\b",
                                         "\\B",
                                         "\\R",
                                         "\\Z",
                                         "\\A",
                                         "\\z",
                                         "(?m)",
                                         "(?s)",
                                         "(?s-i",
                                         ".",
                                         "\\",
                                         "~",
                                         "&",
                                         ":",
                                         "\\N",
                                         "\\h",
                                         "\\H",
                                         "\\V",
                                         "[^",
                                         "[:",
                                         "alpha",
                                         ":]",
                                         "\\d",
                                         "\\W",
                                         "\\x5a",
                                         "\\u{61}",
                                         "\\0",
                                         "\\cJ",
                                         "\\n",
                                         "é",
                                         "<",
                                         "'",
                                         "P",
                                         "(?|",
                                         "(?P<n>",
                                         "(?'n'",
                                         "\\v",
                                         "{,2}",
                                         "{1}",
                                         "_",
                                         "\\pL",
                                         "\\P{Lu}",
                                         "\\p{^N}",
                                         "(?-u)",
                                         "(?i-u:",
                                         "\\p{gc=Punctuation}",
                                         "\\p{Greek}",
                                         "(?u)",
                                         "(?u:",
                                         "\\12",
                                         "\\X",
                                         "\\X",
                                         "\\p{scx:Grek}",
                                         "\\p{ Bidi-class = l }",
                                         "\\P{sc=latin}",
                                         "\\p{^Alpha}",
                                         "\\p{Xwd}",
                                         "[:upper:]",
                                         "[:^punct:]",
                                         "\\N{U+61}",
                                         "\\x{ 61 }",
                                         "(*pla:",
                                         "(*nlb:",
                                         "\\p{gcb=L",
                                         "(?xxx",
                                         "(?a)",
                                         "(?-aD)",
                                         "(?aP:",
                                         "(?r)",
                                         "(?R:",
                                         "(?mR)",
                                         "\\b{start}",
                                         "\\b{end-half}",
                                         "(?ri:",
                                         "(?aTW"};
    char written[200] = "";
    size_t count = 1 + (size_t)random_below(r, 12), length = 0;
    if (!random_below(r, 4)) length = (size_t)sprintf(written, "(?&)");
    for (size_t k = 0; k < count; k++)
        length += (size_t)sprintf(written + length, "%s", pieces[random_below(r, sizeof pieces / sizeof *pieces)]);
    reading x = {.arena = a, .text = written, .letters = abc};
    read_text(&x);
    if ((!x.compiled && x.error.code == TEMPER_LIMIT) || (!x.audited && x.audit_error.code == TEMPER_LIMIT)) return;
    CHECK(!x.compiled == !x.audited, "'%s': compiled: %s; audited: %s", written, x.compiled ? "yes" : x.error.text,
          x.audited ? "yes" : x.audit_error.text);
    if (x.compiled && x.audited)
        CHECK(same(x.audited, x.compiled), "'%s': the auditor has %u states, not %u", written, x.audited->states,
              x.compiled->state_count);
    met.read += x.compiled != NULL;
}

int main(void) {
    test_random r = test_seed(37);
    arena a, letters;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    arena_init(&letters, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-regex-look: %s\n", e.text);
        abort();
    }
    alphabet abc;
    regex_random_alphabet(&abc, &letters);
    unsigned trials = (unsigned)(1000 * test_effort());
    for (unsigned k = 0; k < trials; k++) {
        check_random(&r, &a, &abc, 4);
        arena_reset(&a);
    }
    unsigned texts = (unsigned)(20000 * test_effort());
    for (unsigned k = 0; k < texts; k++) {
        check_pieces(&r, &a, &abc);
        arena_reset(&a);
    }
    CHECK(6 * met.read >= texts, "only %lu of %u texts are expressions", met.read, texts);
    CHECK(test_effort() < 1 || met.pairs >= 100000, "only %lu pairs", met.pairs);
    CHECK(50 * met.refused <= trials, "%lu of %u expressions are too large", met.refused, trials);
    printf("%lu pairs of an expression and a string, %lu refused, %lu not audited\n", met.pairs, met.refused,
           met.unaudited);
    arena_free(&a);
    arena_free(&letters);
    trap_clear(&t);
    return test_finish("t-regex-look");
}

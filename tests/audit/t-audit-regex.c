/* The auditor's automata of regular expressions, against the library's and against the definition of matching. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "audit/audit_regex.h"
#include "automata/dfa_table.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "random_regex.h"

/* Both automata of a text; NULL: refused, and the error. */
typedef struct reading {
    arena *arena;
    const char *text;
    const alphabet *letters;
    bool reversed;
    const automaton *audited;
    const dfa *compiled;
    temper_error audit_error, compile_error;
} reading;

static void audited(void *context) {
    reading *x = context;
    const audit_regex *p = audit_regex_read(x->arena, x->text, strlen(x->text), x->letters);
    x->audited = automaton_from_regex(x->arena, p, x->reversed);
}

static void compiled(void *context) {
    reading *x = context;
    x->compiled = dfa_from_regex(x->arena, regex_parse(x->arena, x->text, strlen(x->text), x->letters->tokens, 1, 1),
                                 x->letters, x->arena);
}

static void read_both(reading *x) {
    trap inside, *outside = x->arena->trap;
    x->audited = NULL;
    x->compiled = NULL;
    x->arena->trap = &inside;
    trap_attempt(&inside, &x->audit_error, audited, x);
    trap_attempt(&inside, &x->compile_error, compiled, x);
    x->arena->trap = outside;
}

/* In every field: both are least, and numbered alike. */
static bool same(const automaton *x, const dfa *y) {
    if (x->states != y->state_count || x->classes != y->class_count || y->start) return false;
    if (memcmp(x->accepts, y->accepts, x->states) != 0) return false;
    if (memcmp(x->class_of, y->class_of, y->letter_count * sizeof *x->class_of) != 0) return false;
    return memcmp(x->next, y->next, (size_t)x->states * x->classes * sizeof *x->next) == 0;
}

static bool accepts(const automaton *x, const uint32_t *word, size_t n, bool reversed) {
    uint32_t at = 0;
    for (size_t k = 0; k < n; k++)
        at = x->next[(size_t)at * x->classes + x->class_of[word[reversed ? n - 1 - k : k]]];
    return x->accepts[at];
}

static void check_random(unsigned trial, test_random *r, arena *a, unsigned *refused) {
    alphabet abc;
    regex_random_alphabet(&abc, a);
    const random_regex *x = regex_random(r, 1 + random_below(r, 12), random_below(r, 2));
    const char *written = regex_random_text(x);
    reading both = {.arena = a, .text = written, .letters = &abc};
    read_both(&both);
    if (!both.compiled || !both.audited) {
        CHECK(both.compiled || both.compile_error.code == TEMPER_LIMIT, "trial %u: %s: %s", trial, written,
              both.compile_error.text);
        CHECK(both.audited || both.audit_error.code == TEMPER_LIMIT, "trial %u: %s: %s", trial, written,
              both.audit_error.text);
        ++*refused;
        return;
    }
    CHECK(same(both.audited, both.compiled), "trial %u: %s: %u states, not %u", trial, written, both.audited->states,
          both.compiled->state_count);
    const automaton *back = automaton_reversed(a, both.audited, abc.count);
    reading turned = {.arena = a, .text = written, .letters = &abc, .reversed = true};
    read_both(&turned);
    for (unsigned s = 0; s < 10; s++) {
        uint32_t word[REGEX_LONGEST];
        unsigned char at[REGEX_LONGEST + 1];
        size_t n = regex_random_word(word, r);
        regex_random_matches(at, x, word, n);
        for (size_t k = 0; k <= n; k++)
            CHECK(accepts(both.audited, word, k, false) == (bool)at[k], "trial %u: %s at prefix %zu of %zu", trial,
                  written, k, n);
        CHECK(accepts(back, word, n, true) == (bool)at[n], "trial %u: %s reversed", trial, written);
        if (turned.audited)
            CHECK(accepts(turned.audited, word, n, true) == (bool)at[n], "trial %u: %s reversed parts", trial,
                  written);
    }
}

static void check_fixed(arena *a) {
    static const struct {
        const char *text;
        uint32_t states, classes;
    } cases[] = {{"()", 2, 1},
                 {"(?&)~()", 2, 1},
                 {"(ab)*", 3, 3},
                 {"(a|b)*a(a|b){9}", 1025, 3},
                 {".{8,64}", 66, 2},
                 {"[ab]{0,5000}", 5002, 2},
                 {"^a$|^b$", 3, 2},
                 {"a{0}|b{,2}c?", 0, 0},
                 {"a&b", 0, 0},
                 {"((((a*)*)*)*)*", 2, 2},
                 {"(?&)~~a&~(b|Z)", 0, 0},
                 {"(?&)~a*b", 0, 0},
                 {"(a?){20}(b|)*", 0, 0},
                 {"a{x}", 0, 0},
                 {"a$b", 1, 1},
                 {"a$^", 1, 1},
                 {"a{", 0, 0},
                 {"a{,}", 0, 0},
                 {"(?i)Z", 3, 2},
                 {"(?i:\\x5a)z*", 0, 0},
                 {"(?x) a b # c", 0, 0},
                 {"[[:^alpha:]a]\\h\\H\\N\\V", 0, 0},
                 {"\\Q.*\\E[\\Q]^\\E]+", 0, 0},
                 {"(?s).(?-s).(?s:.).", 0, 0},
                 {"a(?#b)+\\E", 0, 0},
                 {"\\R(?:\\cJ|\\012|\\o{12})", 0, 0},
                 {"(?m)(?:^a$\\n)*", 0, 0},
                 {"(?'n'a)(?|b|Z)", 0, 0},
                 {"(?xx)[a b] (?^:[a b] )", 0, 0},
                 {"(?U)a+?(?J)(?n)b", 0, 0},
                 {"\\X(?:\\X){2,3}\\n?", 0, 0},
                 {"(?u)\\w+\\b(?i)[[:upper:]][[:^print:]]", 0, 0},
                 {"\\p{ Script_Extensions = latin }\\P{bidi class:L}[^\\p{^Lowercase}]", 0, 0},
                 {"(?mR)^a.$\\n(?Rs:.)(?-R)$", 0, 0},
                 {"(?u)(?:\\b{start}\\w\\b{end}-)+(?aW)\\b{start-half}a?\\b{end-half}(?ir)k", 0, 0},
                 {"(?&)~(\\X{2})&\\X*&(?!\\p{Thai}).*", 0, 0},
                 {"(*pla:a)(*nlb:a).\\N{U+61}\\x{ 5a }(?xxx: [a b])", 0, 0},
                 {"(?x)a\n  b#c\n\\ ", 5, 4}};
    alphabet abc;
    regex_random_alphabet(&abc, a);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        reading x = {.arena = a, .text = cases[k].text, .letters = &abc};
        if (cases[k].states > 5000 && test_effort() < 0.1) continue; /* states are told apart one by one */
        read_both(&x);
        CHECK(x.audited && x.compiled && same(x.audited, x.compiled), "%s: %s", cases[k].text, x.audit_error.text);
        if (cases[k].states && x.audited)
            CHECK(x.audited->states == cases[k].states && x.audited->classes == cases[k].classes,
                  "%s: %u states, %u classes", cases[k].text, x.audited->states, x.audited->classes);
    }
}

/* What the library refuses as no expression the auditor refuses, too; blow-ups end with their name. */
static void check_refusals(arena *a) {
    static const char *const bad[] = {
        "",      "(a)\\1",   "\\k<q>", "a*+",         "(?>a)",     "(?R)",     "a|(?&)b", "\\p{Xx}",   "a**",
        "*a",    "a|+",      "a{2,1}", "(ab",         "ab)",       "a[bc",     "[z-a]",   "[\\d-z]",   "\\x4",
        "\\x00", "\\y",      "a\\",    "(?&)a~",      "(?&)~",     "(?&)a~|b", "[[.a.]]", "[[:foo:]]", "[a-\\d]",
        "(*a)",  "a{20001}", "a\xFF",  "\\<",         "[a-",       "(?<1>a)",  "(?:a",    "(?i",       "(?y)a",
        "(?1)",  "(?-1)",    "(?&n)",  "(?(1)a)",     "(?C)",      "(?P>n)",   "(?P=n)",  "a\\Kb",     "\\G",
        "a(?#b", "\\N{U}",   "[\\R]",  "[\\B]",       "[\\N]",     "(?i)*",    "a(?i)*",  "[\\X]",     "a\nb",
        "[\\E]", "\\cé",     "\\o{8}", "[\\Qa\\E-z]", "(?i-s-m)a", "(?=a",     "(?<=a",   "a+(?#)*",   "\\o"};
    static const char *const large[] = {"(a|b)*a(a|b){20}", "(a{5000}){5000}", "((a{9}){9}|b{8}){9000}"};
    alphabet abc;
    regex_random_alphabet(&abc, a);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        reading x = {.arena = a, .text = bad[k], .letters = &abc};
        read_both(&x);
        CHECK(!x.audited && x.audit_error.code == TEMPER_RANGE, "'%s' is read", bad[k]);
        CHECK(!x.compiled, "'%s' is compiled", bad[k]);
    }
    for (size_t k = 0; k < sizeof large / sizeof *large && test_effort() >= 0.1; k++) {
        reading x = {.arena = a, .text = large[k], .letters = &abc};
        read_both(&x);
        CHECK(!x.audited && x.audit_error.code == TEMPER_LIMIT, "'%s': %s", large[k], x.audit_error.text);
    }
    enum { DEPTH = 100000 };
    static char deep[2 * DEPTH + 2];
    memset(deep, '(', DEPTH);
    deep[DEPTH] = 'a';
    memset(deep + DEPTH + 1, ')', DEPTH);
    reading x = {.arena = a, .text = deep, .letters = &abc};
    read_both(&x);
    CHECK(x.audited && same(x.audited, x.compiled), "nesting: %s", x.audit_error.text);
}

/* A large part beside many small ones that become deterministic: what one of those takes must not grow with the large
   one. A process of its own tells how much memory that was; each small part once took 480,000 bytes. */
static void check_many_parts(arena *a) {
    enum { PARTS = 2000, MOST = 100 << 20 };
    alphabet abc;
    text t;
    regex_random_alphabet(&abc, a);
    text_init(&t, a);
    text_puts(&t, "(?&)(a{20000}(");
    for (size_t k = 0; k < PARTS; k++) text_puts(&t, "~a");
    text_puts(&t, ")){0}b");
    pid_t child = fork();
    if (child == 0) {
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        reading x = {.arena = a, .text = text_string(&t), .letters = &abc};
        read_both(&x);
        getrusage(RUSAGE_SELF, &after);
        bool right = x.audited && x.compiled && same(x.audited, x.compiled);
        _exit(!right ? 1 : (after.ru_maxrss - before.ru_maxrss) * 1024 > MOST ? 2 : 0);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "no process");
    CHECK(WEXITSTATUS(status) == 0, "%d parts: %s", PARTS,
          WEXITSTATUS(status) == 2 ? "too much memory" : "another automaton");
}

/* ---- tables ---- */

static void tabled(void *context) {
    reading *x = context;
    x->audited = automaton_from_table(x->arena, x->text, strlen(x->text), x->letters);
}

static bool read_table(reading *x) {
    trap inside, *outside = x->arena->trap;
    x->audited = NULL;
    x->arena->trap = &inside;
    bool done = trap_attempt(&inside, &x->audit_error, tabled, x);
    x->arena->trap = outside;
    return done;
}

/* The library writes the automaton of a random expression as a table; the auditor reads it. */
static void check_printed_table(unsigned trial, test_random *r, arena *a) {
    alphabet abc;
    regex_random_alphabet(&abc, a);
    reading x = {
        .arena = a, .text = regex_random_text(regex_random(r, 1 + random_below(r, 5), false)), .letters = &abc};
    read_both(&x);
    if (!x.compiled) return;
    text t;
    text_init(&t, a);
    dfa_print_table(&t, x.compiled, &abc);
    reading y = {.arena = a, .text = text_string(&t), .letters = &abc};
    CHECK(read_table(&y) && same(y.audited, x.compiled), "table %u: %s: %s\n%s", trial, x.text, y.audit_error.text,
          y.text);
}

static void check_tables(arena *a) {
    static const char *const good[] = {
        "start p; accept q\np a q; q [ab7] p -- back\n\n  // nothing\n q _ q", "start p\naccept p\n",
        "alphabet a b [6-9] \\x20\nstart s;accept s t;s . t;t \\x20 s\r\n", "tokens no\naccept x\nx [^a] x\nstart x"};
    static const char *const bad[] = {"",
                                      "p a q",
                                      "start p; start q",
                                      "start p; p a q; p [ab] r",
                                      "start p\np a",
                                      "start p\np ab q",
                                      "start p; p a q r",
                                      "start accept",
                                      "start p; tokens yes",
                                      "start p; p } q",
                                      "start p; p [a q",
                                      "start"};
    alphabet abc;
    regex_random_alphabet(&abc, a);
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        reading x = {.arena = a, .text = good[k], .letters = &abc};
        const dfa_table *t = dfa_table_parse(a, good[k], strlen(good[k]), false, false, 1, 1, NULL);
        CHECK(read_table(&x) && same(x.audited, dfa_from_table(a, t, &abc, a)), "%s: %s", good[k],
              x.audit_error.text);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        reading x = {.arena = a, .text = bad[k], .letters = &abc};
        CHECK(!read_table(&x) && x.audit_error.code == TEMPER_RANGE, "'%s' is read", bad[k]);
    }
}

static void check_tokens(arena *a) {
    static const char *const texts[] = {"(<req> <ack>|[^<req><ack>] .)*<a\\>b>?", "<req>* . [ <ack> <é> ]{2}",
                                        "(?&)~(.* <req> .*) & .*<ack>"};
    static const char *const words[] = {"req", "ack", "a>b", "é"};
    alphabet abc;
    alphabet_init(&abc, a, true);
    for (size_t k = 0; k < 4; k++) alphabet_add(&abc, words[k], strlen(words[k]));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        reading x = {.arena = a, .text = texts[k], .letters = &abc};
        read_both(&x);
        CHECK(x.audited && x.compiled && same(x.audited, x.compiled), "%s: %s%s", texts[k], x.audit_error.text,
              x.compile_error.text);
    }
}

int main(void) {
    test_random r = test_seed(31);
    arena a;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-audit-regex: %s\n", e.text);
        abort();
    }
    unsigned trials = 20 + (unsigned)(500 * test_effort()), refused = 0;
    for (unsigned trial = 0; trial < trials; trial++) {
        check_random(trial, &r, &a, &refused);
        arena_reset(&a);
        check_printed_table(trial, &r, &a);
        arena_reset(&a);
    }
    CHECK(20 * refused <= trials, "%u of %u expressions are too large", refused, trials);
    check_fixed(&a);
    check_refusals(&a);
    check_tokens(&a);
    check_tables(&a);
    if (test_effort() >= 0.1) check_many_parts(&a);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-audit-regex");
}

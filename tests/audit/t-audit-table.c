/* Automata that are written as tables, and words as letters: the auditor's reader against the library's. Random
   tables are written with blanks, comments, semicolons and names of all kinds, over letters and over words; both
   programs must make the same automaton in every field, or both refuse it. Then expressions over words, and texts
   that must be refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_regex.h"
#include "automata/dfa_table.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "test.h"

typedef struct reading {
    arena *arena;
    const char *text;
    size_t length;
    const alphabet *letters;
    bool is_table, reversed;
    const automaton *audited;
    const dfa *compiled;
    temper_error audit_error, compile_error;
} reading;

static void audited(void *context) {
    reading *x = context;
    if (x->is_table)
        x->audited = automaton_from_table(x->arena, x->text, x->length, x->letters);
    else
        x->audited =
            automaton_from_regex(x->arena, audit_regex_read(x->arena, x->text, x->length, x->letters), x->reversed);
}

static void compiled(void *context) {
    reading *x = context;
    bool tokens = x->letters->tokens;
    if (x->is_table) {
        const dfa_table *t = dfa_table_parse(x->arena, x->text, x->length, false, tokens, 1, 1, NULL);
        if (t->tokens == tokens) x->compiled = dfa_from_table(x->arena, t, x->letters, x->arena);
    } else {
        x->compiled =
            dfa_from_regex(x->arena, regex_parse(x->arena, x->text, x->length, tokens, 1, 1), x->letters, x->arena);
    }
}

static bool same(const automaton *x, const dfa *y) {
    return x->states == y->state_count && x->classes == y->class_count && !y->start &&
           memcmp(x->accepts, y->accepts, x->states) == 0 &&
           memcmp(x->class_of, y->class_of, y->letter_count * sizeof *x->class_of) == 0 &&
           memcmp(x->next, y->next, (size_t)x->states * x->classes * sizeof *x->next) == 0;
}

static struct { unsigned read, refused; } met;

/* `strict`: both read it or both refuse it; else the auditor may read what the library refuses: no source is that. */
static reading check(arena *a, const alphabet *abc, bool is_table, bool strict, const char *written) {
    trap inside, *outside = a->trap;
    size_t length = strlen(written);
    reading x = {.arena = a, .length = length, .letters = abc, .is_table = is_table};
    char *own = arena_alloc(a, length, 1); /* nothing may stand behind it */
    memcpy(own, written, length);
    x.text = own;
    a->trap = &inside;
    trap_attempt(&inside, &x.audit_error, audited, &x);
    trap_attempt(&inside, &x.compile_error, compiled, &x);
    a->trap = outside;
    CHECK((!x.audited == !x.compiled || (!strict && x.audited)) &&
              (!x.audited || !x.compiled || same(x.audited, x.compiled)),
          "%s\n%s%s%s", written, x.audited ? "" : x.audit_error.text, x.audited && x.compiled ? "different" : ", ",
          x.compiled ? "" : x.compile_error.text);
    met.read += x.compiled != NULL;
    met.refused += x.compiled == NULL;
    return x;
}

/* ---- letters ---- */

static const char *const WORDS[] = {"req", "ack", "a>b", "é", ".x", "x-", "-", "--x", "<", "q", "7", "]"};

static void make_words(alphabet *abc, size_t count, arena *a) {
    alphabet_init(abc, a, true);
    for (size_t k = 0; k < count; k++) {
        char more[24];
        snprintf(more, sizeof more, "w%zu", k);
        const char *word = k < sizeof WORDS / sizeof *WORDS ? WORDS[k] : more;
        alphabet_add(abc, word, strlen(word));
    }
}

static void make_letters(alphabet *abc, size_t count, arena *a) {
    alphabet_init(abc, a, false);
    for (size_t k = 0; k < count; k++) {
        char letter[4];
        alphabet_add(abc, letter, utf8_encode(letter, k < 26 ? 'a' + (uint32_t)k : 0x391 + (uint32_t)k));
    }
}

/* ---- random tables ---- */

static const char *const NAMES[] = {"q0",     "p",        "-x", "/",   "-", "a-b",    "x--",
                                    "startx", "acceptor", "no", "q/0", "é", "tokensx"};
enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };

static void put_blanks(text *t, test_random *r) {
    static const char *const blanks[] = {" ", "  ", "\t", " \t "};
    text_puts(t, blanks[random_below(r, sizeof blanks / sizeof *blanks)]);
}

static void put_end(text *t, test_random *r) {
    static const char *const ends[] = {"\n",
                                       "; ",
                                       ";",
                                       " ;\n",
                                       "\r\n",
                                       " -- start q; accept\n",
                                       "\n",
                                       " // x y z\n",
                                       "\n\n;\n;\n",
                                       " --\n",
                                       "\n-- a comment\n",
                                       " //-\n  //\n"};
    text_puts(t, ends[random_below(r, sizeof ends / sizeof *ends)]);
}

static void put_name(text *t, test_random *r, const char *const *names, size_t count) {
    put_blanks(t, r);
    text_puts(t, names[random_below(r, count)]);
}

static void put_label(text *t, test_random *r, const alphabet *abc) {
    const char *x = abc->letters[random_below(r, abc->count)], *y = abc->letters[random_below(r, abc->count)];
    bool plain = !strchr("<].", *x) && !strchr("<].", *y) && strcmp(x, "--x") != 0 && strcmp(y, "--x") != 0;
    put_blanks(t, r);
    if (!abc->tokens) switch (random_below(r, 5)) {
        case 0: text_printf(t, "[%s%s]", x, y); break;
        case 1: text_printf(t, "[^%s]", x); break;
        case 2: text_puts(t, random_below(r, 4) ? "\\x61" : "."); break;
        default: text_puts(t, x); break;
        }
    else if (!plain)
        text_puts(t, random_below(r, 2) ? "." : strcmp(x, ".x") == 0 ? x : "unknown");
    else
        switch (random_below(r, 5)) {
        case 0: text_printf(t, "[<q><7>%s]", random_below(r, 2) ? "" : " <é>"); break;
        case 1: text_puts(t, "[^<req>]"); break;
        case 2: text_puts(t, "<ack>"); break;
        default: text_puts(t, x); break;
        }
}

/* Few states and moves, so that most tables have no letter with two ways. */
static const char *random_table(test_random *r, arena *a, const alphabet *abc) {
    text t;
    text_init(&t, a);
    const char *names[4];
    size_t count = 1 + random_below(r, 4), moves = random_below(r, 5), lines = moves + 2,
           start = random_below(r, lines), accept = random_below(r, lines);
    for (size_t k = 0; k < count; k++) names[k] = NAMES[random_below(r, NAME_COUNT)];
    for (size_t k = 0; k < lines; k++) {
        if (random_below(r, 3) == 0) put_blanks(&t, r);
        if (!k && random_below(r, 3) == 0) text_printf(&t, "tokens %s", abc->tokens ? "yes" : "no"), put_end(&t, r);
        if (k == start) text_puts(&t, "start"), put_name(&t, r, names, count), put_end(&t, r);
        if (k == accept) {
            text_puts(&t, "accept");
            for (uint64_t more = random_below(r, 3); more; more--) put_name(&t, r, names, count);
            put_end(&t, r);
        }
        if (random_below(r, 20) == 0) {
            text_puts(&t, "alphabet");
            put_label(&t, r, abc);
            put_label(&t, r, abc);
            put_end(&t, r);
        }
        if (k >= moves) continue;
        put_name(&t, r, names, count);
        put_label(&t, r, abc);
        put_name(&t, r, names, count);
        put_end(&t, r);
    }
    while (t.length && random_below(r, 2)) t.data[--t.length] = 0; /* it may end anywhere */
    return text_string(&t);
}

static void check_random(test_random *r, arena *a) {
    static const size_t counts[] = {1, 3, 8, 9, 63, 64, 65, 70};
    alphabet abc;
    if (random_below(r, 2))
        make_words(&abc, 8 + random_below(r, 5), a);
    else
        make_letters(&abc, counts[random_below(r, sizeof counts / sizeof *counts)], a);
    check(a, &abc, true, false, random_table(r, a, &abc));
}

/* ---- fixed ones ---- */

static const char *const TABLES[] = {
    "start p; accept q; p a q",
    "start p\np a",
    "start p\np",
    "start",
    "start\np a p",
    "start ",
    "accept p",
    "p a q",
    "start p; start p",
    "start p; p a q; p a q",
    "start p; p a q; p a r",
    "start p; p a q; p [ab] p",
    "start p q",
    "start p; accept",
    "start p; tokens",
    "start p; tokens yes",
    "start p; tokens no",
    "start p; tokens no x",
    "start p; p a q -- the end",
    "start p; p a q // the end",
    "start p -- the end\naccept p",
    "start p --\naccept p",
    "start p -accept p",
    "start -p; accept -p",
    "start p-; accept p- ; p- a p-",
    "start /; accept / ; / a /",
    "start p; p ab q",
    "start p; p a q r",
    "start p; p { q",
    "start p; p a {",
    "start {",
    "start p; p a }",
    "start p }",
    "start p; p [a q",
    "start p; p [a] q",
    "start p; p [ab]q p",
    "start accept",
    "start tokens",
    "start alphabet",
    "start start",
    "start p; p a start",
    "starts p; start p",
    "start p; alphabet a b",
    "start p; alphabet }",
    "start p; alphabet a -- b\naccept p",
    "start p; accept p p p",
    "\n\n;;start p",
    "start p;;\n;",
    "start p; p . p; accept p",
    "start p; p .a p",
    "start q; p a q; accept p; q a p",
    "start r; p a q; q a r; r a p; accept q",
    "start p; p \\x61 p; accept p",
    "start p; p \\n p",
    "start p; p a",
    "start p; p a -- q",
    "start p; accept p -- q",
    "start p; accept p --q",
    "start p; accept p-- q; p a p--; p-- a q",
    "start p; accept -- p",
    "start p; accept - p; - a p; p a -",
};

static const char *const WORD_TABLES[] = {
    "start p; p req p; accept p",
    "start p; p <req> p; accept p",
    "start p; p [<req><ack>] p; accept p",
    "start p; p . p; accept p",
    "start p; p .x p; accept p",
    "start p; p .y p; accept p",
    "start p; p x- p; accept p",
    "start p; p - p; accept p",
    "start p; p --x p; accept p",
    "start p; p < p; accept p",
    "start p; p a>b p; accept p",
    "start p; p é p; accept p",
    "start p; p nobody p; accept p",
    "start p; p req q; p ack r; r . p; accept p q",
    "start p; p ] p; accept p",
    "start p; p } p",
    "start p; p [ <req> ] p; accept p",
    "start p; p [<req> ack] p",
    "start p; p <a\\>b> p; accept p",
    "start p; p <a>b> p",
    "start p; p . ; accept p",
    "start p; p .",
    "start p; p <req>",
    "start p; p <req>p p",
    "start p; p .{ p",
    "start p; p 7 q; q 7 p; accept q",
    "start p; p w64 q; p w65 p; accept q",
    "start p; tokens yes; p q q; accept q",
    "start p; tokens no; p q q",
    "alphabet req ack\nstart p; accept p",
};

static const char *const WORD_TEXTS[] = {
    "<req>",
    "<req><ack>",
    "<req> <ack>",
    "<req>* <ack>+ .",
    ".",
    "[<req>]",
    "[^<req>]",
    "[ <req> <ack> ]",
    "[^ <req> ]",
    "[]",
    "[^]",
    "[ ]",
    "[<req>",
    "[<req",
    "<req",
    "<",
    "req",
    "< req>",
    "<req >",
    "<\treq>",
    "<re\tq>",
    "<r eq>",
    "<a\\>b>",
    "<a>b>",
    "<\\x61>",
    "<\\x{61}\\>b>",
    "<\\u00e9>",
    "<é>",
    "<.x>",
    "<nobody>",
    "<nobody>|<req>",
    "<req>?+",
    "<req> *",
    "<req>{2} <ack>",
    "<req>{2}{3}",
    "(<req>|<ack>)* .",
    "( <req> )",
    "(?:<req> | <ack>)",
    "(?&)~(.* <req> .*) & .*<ack>",
    "[<req>-<ack>]",
    "[<req>a]",
    "[[:alpha:]]",
    "\\d",
    "<\\d>",
    "<\\0>",
    "<\\x00>",
    "<\\",
    "<\\<>",
    "<->",
    "<\\-\\-x>",
    "<\\]>",
    "<]>",
    "[<]>]",
    "^<req>$",
    "^ <req> $",
    " ",
    "  <req>  ",
    "<req>|",
    "<w64>|<w63><w65>",
    "[^<w64>]<w12>",
    ". . .",
};

static void check_fixed(arena *a) {
    alphabet abc;
    for (size_t k = 0; k < sizeof TABLES / sizeof *TABLES; k++)
        for (size_t count = 2; count <= 70; count += 68) {
            make_letters(&abc, count, a);
            check(a, &abc, true, true, TABLES[k]);
            arena_reset(a);
        }
    for (size_t k = 0; k < sizeof WORD_TABLES / sizeof *WORD_TABLES; k++)
        for (size_t count = 10; count <= 70; count += 60) {
            make_words(&abc, count, a);
            check(a, &abc, true, true, WORD_TABLES[k]);
            arena_reset(a);
        }
    for (size_t k = 0; k < sizeof WORD_TEXTS / sizeof *WORD_TEXTS; k++)
        for (size_t count = 10; count <= 70; count += 60) {
            make_words(&abc, count, a);
            check(a, &abc, false, true, WORD_TEXTS[k]);
            arena_reset(a);
        }
}

static void read_table(void *context) {
    reading *x = context;
    x->audited = automaton_from_table(x->arena, x->text, x->length, x->letters);
}

/* A NUL byte is refused wherever it stands, and what stands behind the end is not read. */
static void check_bytes(arena *a) {
    static const struct {
        const char *text;
        size_t length;
        bool fine;
    } cases[] = {{"start p\0", 8, false},
                 {"start p\n\0", 9, false},
                 {"start p; p \0 p", 14, false},
                 {"start p\0\naccept p", 17, false},
                 {"start p; p [\0-a] p", 18, false},
                 {"start p -- \0\n", 13, false},
                 {"start pq a", 7, true},
                 {"start p}", 7, true},
                 {"start p; accept p }", 17, true},
                 {"\0start p", 8, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        alphabet abc;
        trap inside, *outside = a->trap;
        make_letters(&abc, 2, a);
        reading x = {.arena = a, .text = cases[k].text, .length = cases[k].length, .letters = &abc};
        a->trap = &inside;
        bool done = trap_attempt(&inside, &x.audit_error, read_table, &x);
        a->trap = outside;
        CHECK(done == cases[k].fine, "case %zu: %s", k, done ? "read" : x.audit_error.text);
        arena_reset(a);
    }
}

/* ---- reversed expressions ---- */

static bool accepts(const automaton *x, const uint32_t *word, size_t n, bool reversed) {
    uint32_t at = 0;
    for (size_t k = 0; k < n; k++)
        at = x->next[(size_t)at * x->classes + x->class_of[word[reversed ? n - 1 - k : k]]];
    return x->accepts[at];
}

/* On all words of up to five letters. Parts that become deterministic shrink on the way. */
static void check_reversed(arena *a) {
    static const char *const texts[] = {"(?&)~(a|a|a|a)", "(?&)~(a|a|a|a)b", "(?&)(a|ab|a|ab)&~(b|b|b)",
                                        "a{0}",           "(a|b)*a",         "(?&)a*&b*",
                                        "a{2,}b?",        "(a{3}|b)*",       "()",
                                        "(?&)~a&~b&.{2}"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        alphabet abc;
        make_letters(&abc, 2, a);
        reading x = check(a, &abc, false, true, texts[k]), y = x;
        y.reversed = true;
        audited(&y);
        const automaton *back = automaton_reversed(a, x.audited, abc.count);
        CHECK(back->states == y.audited->states && back->classes == y.audited->classes, "%s: %u states, not %u",
              texts[k], back->states, y.audited->states);
        for (size_t n = 0; n <= 5; n++)
            for (uint32_t s = 0; s < 1u << n; s++) {
                uint32_t word[5];
                for (size_t i = 0; i < n; i++) word[i] = s >> i & 1;
                bool in = accepts(x.audited, word, n, false);
                CHECK(accepts(y.audited, word, n, true) == in && accepts(back, word, n, true) == in, "%s: %u of %zu",
                      texts[k], s, n);
            }
        arena_reset(a);
    }
}

int main(void) {
    test_random r = test_seed(613);
    arena a;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-audit-table: %s\n", e.text);
        abort();
    }
    check_fixed(&a);
    check_bytes(&a);
    check_reversed(&a);
    unsigned trials = 300 + (unsigned)(3000 * test_effort());
    for (unsigned k = 0; k < trials; k++) {
        check_random(&r, &a);
        arena_reset(&a);
    }
    CHECK(met.read > trials / 4 && met.refused > trials / 8, "%u read, %u refused", met.read, met.refused);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-audit-table");
}

/* Sets of letters in the auditor's regular expressions, against the library's: every escape, class and range on
   alphabets of 1 to 200 letters, around the 64 that one word holds. Both must read a text or both refuse it, and
   their automata must be the same in every field. */
#include <stdio.h>
#include <string.h>

#include "audit/audit_pattern.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "test.h"

typedef struct reading {
    arena *arena;
    const char *text;
    const alphabet *letters;
    const automaton *audited;
    const dfa *compiled;
    temper_error audit_error, compile_error;
} reading;

static void audited(void *context) {
    reading *x = context;
    x->audited =
        automaton_from_pattern(x->arena, pattern_read(x->arena, x->text, strlen(x->text), x->letters), false);
}

static void compiled(void *context) {
    reading *x = context;
    x->compiled = dfa_from_regex(x->arena, regex_parse(x->arena, x->text, strlen(x->text), x->letters->tokens, 1, 1),
                                 x->letters, x->arena);
}

static bool same(const automaton *x, const dfa *y) {
    return x->states == y->state_count && x->classes == y->class_count && !y->start &&
           memcmp(x->accepts, y->accepts, x->states) == 0 &&
           memcmp(x->class_of, y->class_of, y->letter_count * sizeof *x->class_of) == 0 &&
           memcmp(x->next, y->next, (size_t)x->states * x->classes * sizeof *x->next) == 0;
}

static struct { size_t read, refused; } met;

static void check(arena *a, const alphabet *abc, const char *written) {
    trap inside, *outside = a->trap;
    reading x = {.arena = a, .text = written, .letters = abc};
    a->trap = &inside;
    trap_attempt(&inside, &x.audit_error, audited, &x);
    trap_attempt(&inside, &x.compile_error, compiled, &x);
    a->trap = outside;
    CHECK(!x.audited == !x.compiled && (!x.audited || same(x.audited, x.compiled)), "%s over %zu letters: %s%s%s",
          written, (size_t)abc->count, x.audited ? "" : x.audit_error.text,
          x.audited && x.compiled ? "different" : ", ", x.compiled ? "" : x.compile_error.text);
    met.read += x.audited != NULL;
    met.refused += x.audited == NULL;
}

/* UTF-8 of a character below U+10000. */
static size_t put_character(char *out, uint32_t c) {
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xC0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    return out[0] = (char)(0xE0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)), out[2] = (char)(0x80 | (c & 63)),
           3;
}

/* Printable ASCII, mixed, then further letters. */
static uint32_t character(size_t k) { return k < 95 ? 32 + (uint32_t)(k * 37 % 95) : 0xC0 + (uint32_t)(k - 95); }

static void make_alphabet(alphabet *abc, size_t count, arena *a) {
    char letter[4];
    alphabet_init(abc, a, false);
    for (size_t k = 0; k < count; k++) alphabet_add(abc, letter, put_character(letter, character(k)));
}

static const char *const TEXTS[] = {
    ".*",
    "[^a]",
    "[a-z]*A",
    "[!-~]",
    "[ -~]{2}",
    "[\\x20-\\x7E]",
    "\\x41",
    "\\x{41}",
    "\\x{0041}b",
    "\\x{000041}",
    "\\x{0000041}",
    "\\x{}",
    "\\x4",
    "\\x{4",
    "\\x4G",
    "\\xg1",
    "\\x{10FFFF}",
    "\\x{110000}",
    "\\x{10FFFE}",
    "\\x{D7FF}",
    "\\x{D800}",
    "\\x{DFFF}",
    "\\x{E000}",
    "\\x{D801}",
    "\\x{DFFE}",
    "\\x00",
    "\\x{0}",
    "\\x{c9}",
    "\\x{C9}",
    "[\\x{C0}-\\x{FF}]",
    "\\u0041",
    "\\u00C9",
    "\\u004",
    "\\u{41}",
    "\\U00000041",
    "[[:alpha:]]",
    "[[:digit:]]",
    "[[:alnum:]]",
    "[[:upper:]]",
    "[[:lower:]]",
    "[[:space:]]",
    "[[:blank:]]",
    "[[:punct:]]",
    "[[:print:]]",
    "[[:graph:]]",
    "[[:cntrl:]]",
    "[[:xdigit:]]",
    "[[:word:]]",
    "[[:ascii:]]",
    "[[:alph:]]",
    "[[:alphaa:]]",
    "[[:alpha:",
    "[[:alpha:]",
    "[[:alpha]]",
    "[[:]]",
    "[[::]]",
    "[[:Alpha:]]",
    "[[:^alpha:]]",
    "[^[:alpha:]]",
    "[[:alpha:][:digit:]_]",
    "[a[:digit:]-z]",
    "[[=a=]]",
    "[[.a.]]",
    "[a.=]",
    "[[a]",
    "[]a]",
    "[^]a]",
    "[]",
    "[^]",
    "[-a]",
    "[a-]",
    "[a-b-c]",
    "[^-a]",
    "[a\\-z]",
    "[\\d-z]",
    "[a-\\d]",
    "[--0]",
    "[a-",
    "[z-a]",
    "[a-a]",
    "[\\]a]",
    "[\\\\a]",
    "[a^]",
    "[\\^a]",
    "[`-{]",
    "[@-Z]",
    "[A-[]",
    "[/-:]",
    "[0-9A-Fa-f]",
    "[a",
    "a{3}",
    "a{3,}",
    "a{,3}",
    "a{2,3}",
    "a{0}",
    "a{0,0}",
    "a{1}{2}",
    "a{3,2}",
    "a{",
    "a{a}",
    "a{1",
    "a{1,",
    "a{01}",
    "a{1,2,3}",
    "a{99999999999}",
    "(a|b)*c",
    "(a|b){2,4}?",
    "a??",
    "a+?",
    "a*?",
    "a++",
    "a*+",
    "a?+",
    "(?:a)",
    "(?<n>a)",
    "(?P<n>a)",
    "(?'n'a)",
    "(?<n1>a)",
    "(?<1n>a)",
    "(?<_n>a)",
    "(?<nZ9_>a)",
    "(?<n-a>a)",
    "(?<{>a)",
    "(?<`>a)",
    "(?<@>a)",
    "(?<[>a)",
    "(?#a)b",
    "(?=a)",
    "(?i:a)",
    "(?&)a&a",
    "(?&)~a",
    "(?&)(a|b)*&~(b*)",
    "(?&)a&",
    "(?&)&a",
    "(?&)~~a",
    "(?&)a|b&c",
    "a&b",
    "~a",
    "(?&",
    "(?&)",
    "^a$",
    "^a|b$",
    "a^",
    "$a",
    "^^a",
    "a$$",
    "(^a)",
    "(a$)",
    "(?&)^a$&b$",
    "a|",
    "|a",
    "()",
    "(|a)",
    "a||b",
    "\\",
    "a\\",
    "*",
    "+a",
    "?",
    "(*)",
    "(+a)",
    "a|*b",
};

/* Escapes and ranges of every printable character. */
static void check_characters(arena *a, const alphabet *abc) {
    char line[40];
    for (int c = 0x20; c < 0x7F; c++) {
        static const char *const forms[] = {"\\%c",   "[\\%c]", "[%c]",     "%c", "[^%ca]",
                                            "[%c-~]", "[!-%c]", "[\\%c-~]", "a%c"};
        for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
            snprintf(line, sizeof line, forms[k], c);
            check(a, abc, line);
        }
        arena_reset(a);
    }
}

/* Single letters, pairs and ranges of a wide alphabet. */
static void check_wide(arena *a, test_random *r, size_t count) {
    alphabet abc;
    char line[64], from[5] = {0}, to[5] = {0};
    for (size_t k = 0; k < count; k++) {
        uint32_t x = character(k), y = character(random_below(r, count));
        if (x < 128 || y < 128) continue; /* those have meanings of their own */
        make_alphabet(&abc, count, a);
        from[put_character(from, x < y ? x : y)] = 0;
        to[put_character(to, x < y ? y : x)] = 0;
        static const char *const forms[] = {"%s|%s%s", "[%s-%s]*[^%s]", "(%s[^%s]|%s)+", "[%s%s]{2}%s"};
        snprintf(line, sizeof line, forms[k % 4], from, to, from);
        check(a, &abc, line);
        arena_reset(a);
    }
}

int main(void) {
    static const size_t counts[] = {1, 2, 63, 64, 65, 95, 96, 128, 129, 200};
    test_random r = test_seed(271);
    arena a;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-audit-letters: %s\n", e.text);
        return 1;
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        alphabet abc;
        for (size_t j = 0; j < sizeof TEXTS / sizeof *TEXTS; j++) {
            make_alphabet(&abc, counts[k], &a);
            check(&a, &abc, TEXTS[j]);
            arena_reset(&a);
        }
        check_wide(&a, &r, counts[k]);
    }
    alphabet abc;
    arena keep;
    arena_init(&keep, &t);
    make_alphabet(&abc, 130, &keep);
    check_characters(&a, &abc);
    CHECK(met.read > 1000 && met.refused > 500, "%zu read, %zu refused", met.read, met.refused);
    arena_free(&keep);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-audit-letters");
}

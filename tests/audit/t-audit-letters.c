/* Sets of letters in the auditor's regular expressions, against the library's: every escape, class and range on
   alphabets of 1 to 200 letters, around the 64 that one word holds. Both must read a text or both refuse it, and
   their automata must be the same in every field. */
#include <stdio.h>
#include <string.h>

#include "audit/audit_regex.h"
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
        automaton_from_regex(x->arena, audit_regex_read(x->arena, x->text, strlen(x->text), x->letters), false);
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
    "[[:blpha:]]",
    "[[:alphb:]]",
    "[:alpha:]",
    "[A-[:alpha:]]",
    "[A-[a:]",
    "[A-[a]",
    "[a-b:]",
    "[+-[:alpha:]]",
    "[\\d-]",
    "[\\w-]x",
    "[\\d-",
    "[a-]b",
    "[\\x{}-b]",
    "[\\x{0}-b]",
    "\\x{9}",
    "\\x{41g}",
    "\\x{41x}",
    "[\\x00-b]",
    "[\\x00]",
    "[a\\x00]",
    "(?<>a)",
    "(?P<>a)",
    "(?P>a)",
    "(?P<n)",
    "(?<n0>a)",
    "(?<n9>a)",
    "(?<n:>a)",
    "(?<n/>a)",
    "(?<a>a)",
    "(?<z>a)",
    "(?<A>a)",
    "(?<Z>a)",
    "(?<0>a)",
    "(?<9>a)",
    "(?<a0b>a)(?<b>b)",
    "(?&ab",
    "(?&a)b",
    "(?&",
    "(?",
    "(?:",
    "(*a)",
    "(*)",
    "a?b+",
    "a*b?+",
    "a{2}b+",
    "a{2}+",
    "a{,20000}{0}",
    "a{}",
    "a{,}",
    "a{,0}",
    "^a$|^b$",
    "(?&)^a$&^a|b$",
    "(?&)a*&b*",
    "(?&)a*&a+",
    "(?&)~a&~b",
    "(?&)~()&a*",
    "(?&)~(~(a)|b)&.{2}",
    "(?&)(a|b|ab)*&~(b*)&.?.?.?",
};

/* A set of its own for every letter, and for every letter another way on. */
static const char *many_sets(arena *a, const alphabet *abc) {
    text t;
    text_init(&t, a);
    for (size_t k = 0; k < abc->count; k++) {
        const char *x = abc->letters[k], *y = abc->letters[(7 * k + 3) % abc->count];
        text_printf(&t, "%s[%s%s][^%s%s]", k ? "|" : "", strchr("^]-[\\", *x) ? "\\" : "", x,
                    strchr("^]-[\\", *y) ? "\\" : "", y);
    }
    return text_string(&t);
}

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

/* All of ASCII but NUL, where classes begin and end. */
static void check_ascii(arena *a) {
    alphabet abc;
    char line[40];
    static const char *const classes[] = {"alpha", "digit", "alnum", "upper", "lower",  "space", "blank",
                                          "punct", "print", "graph", "cntrl", "xdigit", "word"};
    static const char *const forms[] = {"[[:%s:]]", "[^[:%s:]]*", "([[:%s:]-]a)+"};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        for (size_t j = 0; j < sizeof forms / sizeof *forms; j++) {
            alphabet_init(&abc, a, false);
            for (char c = 1; c < 127; c++) alphabet_add(&abc, &c, 1);
            alphabet_add(&abc, "\x7F", 1);
            alphabet_add(&abc, "\xC2\x80", 2);
            snprintf(line, sizeof line, forms[j], classes[k]);
            check(a, &abc, line);
            arena_reset(a);
        }
    for (size_t j = 0; j < sizeof TEXTS / sizeof *TEXTS; j++) {
        alphabet_init(&abc, a, false);
        for (char c = 1; c < 127; c++) alphabet_add(&abc, &c, 1);
        alphabet_add(&abc, "\x7F", 1);
        check(a, &abc, TEXTS[j]);
        arena_reset(a);
    }
    static const char *const more[] = {
        "\\s+", "\\S", "\\w",   "\\W", "\\d", "\\D", "[\\s\\d]", "[^\\S]", "\\a\\f\\n\\r\\t\\v\\e",
        ".",    "\\b", "[\\b]", "\\c", "\\e", "\\0", "\\9"};
    for (size_t j = 0; j < sizeof more / sizeof *more; j++) {
        alphabet_init(&abc, a, false);
        for (char c = 1; c < 127; c++) alphabet_add(&abc, &c, 1);
        alphabet_add(&abc, "\x7F", 1);
        check(a, &abc, more[j]);
        arena_reset(a);
    }
}

/* ---- texts of a length ---- */

typedef struct cut {
    arena *arena;
    const alphabet *letters;
    const char *text;
    size_t length;
    const automaton *read;
} cut;

static void read_cut(void *context) {
    cut *x = context;
    x->read = automaton_from_regex(x->arena, audit_regex_read(x->arena, x->text, x->length, x->letters), false);
}

/* What stands behind the end is not read, and a NUL byte is refused wherever it stands. */
static void check_ends(arena *a) {
    static const struct {
        const char *text;
        size_t length;
        const char *means; /* NULL: refused */
    } cases[] = {
        {"a$b", 2, "a"},       {"ab", 1, "a"},       {"a*+", 2, "a*"},       {"[[:alpha:]]", 8, NULL},
        {"[ab]", 3, NULL},     {"(a)", 2, NULL},     {"a{2}", 3, "a\\{2"},   {"(?&)~a", 4, "()"},
        {"(?&)~a", 3, NULL},   {"(?<n>a)", 4, NULL}, {"a\0b", 3, NULL},      {"[\0-b]", 5, NULL},
        {"\0", 1, NULL},       {"a\0", 2, NULL},     {"[a\0]", 4, NULL},     {"\\x41", 3, NULL},
        {"\\x{41}", 5, NULL},  {"[a-b]", 3, NULL},   {"\\d", 1, NULL},       {"[a\\]", 3, NULL},
        {"\xC3\xA9", 1, NULL}, {"a|b", 2, "a|"},     {"a\x01", 2, "a\\x01"}, {"ab{3}", 2, "ab"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        alphabet abc;
        trap inside, *outside = a->trap;
        temper_error e;
        alphabet_init(&abc, a, false);
        static const char *const letters[] = {"a", "b", "\x01", "A", "7"};
        for (size_t j = 0; j < sizeof letters / sizeof *letters; j++) alphabet_add(&abc, letters[j], 1);
        char *own = arena_alloc(a, cases[k].length + 1, 1);
        memcpy(own, cases[k].text, cases[k].length + 1);
        cut x = {.arena = a, .letters = &abc, .text = own, .length = cases[k].length},
            y = {.arena = a, .letters = &abc, .text = cases[k].means};
        a->trap = &inside;
        bool done = trap_attempt(&inside, &e, read_cut, &x);
        if (cases[k].means) y.length = strlen(y.text), trap_attempt(&inside, &e, read_cut, &y);
        a->trap = outside;
        CHECK(done == (cases[k].means != NULL), "case %zu: %s", k, done ? "read" : e.text);
        if (done && y.read)
            CHECK(x.read->states == y.read->states && x.read->classes == y.read->classes &&
                      memcmp(x.read->next, y.read->next,
                             (size_t)x.read->states * x.read->classes * sizeof *x.read->next) == 0 &&
                      memcmp(x.read->accepts, y.read->accepts, x.read->states) == 0,
                  "case %zu: not %s", k, cases[k].means);
        arena_reset(a);
    }
}

/* How often something may be repeated: read, not made. */
static void read_only(void *context) {
    cut *x = context;
    audit_regex_read(x->arena, x->text, x->length, x->letters);
}

static void check_counts(arena *a) {
    static const struct {
        const char *text;
        bool fine;
    } cases[] = {{"a{20000}", true},     {"a{20001}", false},     {"a{0,20000}", true}, {"a{0,20001}", false},
                 {"a{20000,}", true},    {"a{20001,}", false},    {"a{19999}", true},   {"a{020000}", true},
                 {"a{99999999}", false}, {"a{4294967297}", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        alphabet abc;
        trap inside, *outside = a->trap;
        temper_error e;
        make_alphabet(&abc, 70, a);
        cut x = {.arena = a, .letters = &abc, .text = cases[k].text, .length = strlen(cases[k].text)};
        a->trap = &inside;
        bool done = trap_attempt(&inside, &e, read_only, &x);
        a->trap = outside;
        CHECK(done == cases[k].fine, "%s: %s", cases[k].text, done ? "read" : e.text);
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
        make_alphabet(&abc, counts[k], &a);
        check(&a, &abc, many_sets(&a, &abc));
        arena_reset(&a);
    }
    check_ascii(&a);
    check_ends(&a);
    check_counts(&a);
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

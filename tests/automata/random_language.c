#include "random_language.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Letters, and how an expression and a formula name each of them. */
static const struct {
    const char *letters[3], *in_regex[3], *in_formula[3];
    bool tokens;
} alphabets[] = {{{"a", "b"}, {"a", "b"}, {"a", "b"}, false},
                 {{"a", "b", "c"}, {"a", "[b-b]", "\\x63"}, {"a", "b", "c"}, false},
                 {{"-", "]", "^"}, {"\\-", "]", "\\^"}, {"'-'", "']'", "'^'"}, false},
                 {{"&", "~", "/"}, {"\\&", "\\~", "\\/"}, {"'&'", "'~'", "'/'"}, false},
                 {{"\xC3\xA9", "7", " "}, {"\\u{E9}", "\\d", "\\s"}, {"'\xC3\xA9'", "'7'", "' '"}, false},
                 {{"<", ">", "_"}, {"[<]", "\\x3E", "\\w"}, {"'<'", "'>'", "'_'"}, false},
                 {{"req", "a>", "c"}, {"<req>", "<a\\>>", "[^<req><a\\>>]"}, {"req", "'a>'", "c"}, true}};
enum { ALPHABETS = sizeof alphabets / sizeof *alphabets, ROOM = 3000 };

typedef struct writer {
    test_random *r;
    size_t alphabet, letters;
    char text[ROOM];
    size_t length;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->length, ROOM - w->length, format, args);
    va_end(args);
    w->length = w->length + (size_t)n < ROOM ? w->length + (size_t)n : ROOM - 1;
}

#define PICK(w, list) (list)[random_below((w)->r, sizeof(list) / sizeof *(list))]

static const char *letter_in(writer *w, bool formula) {
    size_t k = random_below(w->r, w->letters);
    return formula ? alphabets[w->alphabet].in_formula[k] : alphabets[w->alphabet].in_regex[k];
}

/* ---- expressions ---- */

static void put_regex(writer *w, size_t budget, bool extended) {
    static const char *const repeats[] = {"*", "*", "+", "?", "{2}", "{0}", "{1,2}", "{,3}", "{2,}", "*?", "{0,0}"};
    uint64_t what = random_below(w->r, extended ? 11 : 9);
    if (budget < 2) {
        if (what < 2)
            put(w, "%s", what ? "." : "()");
        else
            put(w, "%s", letter_in(w, false));
        return;
    }
    size_t left = 1 + random_below(w->r, budget - 1);
    put(w, "%s", what == 10 ? "~(" : "(");
    put_regex(w, what == 10 ? budget - 1 : left, extended);
    put(w, "%s", what < 3 || what == 10 ? ")" : what < 5 ? "|" : what < 9 ? ")" : "&");
    if (what >= 5 && what < 9) {
        put(w, "%s", PICK(w, repeats));
        if (random_below(w->r, 2)) put_regex(w, budget - left, extended);
        return;
    }
    if (what == 10) return;
    if (what < 3 || random_below(w->r, 8)) put_regex(w, budget - left, extended);
    if (what >= 3) put(w, ")");
}

static void put_any_regex(writer *w) {
    bool extended = random_below(w->r, 3) == 0;
    if (extended) put(w, "(?&)");
    put_regex(w, 1 + random_below(w->r, 7), extended);
}

/* ---- tables ---- */

static void put_table(writer *w, const char *end) {
    size_t states = 1 + random_below(w->r, 4);
    static const char *const names[] = {"q0", "s.t", "<x>", "0"};
    put(w, "start %s%s", names[random_below(w->r, states)], end);
    for (size_t k = 0; k < states; k++)
        for (size_t l = 0; l < w->letters; l++)
            if (random_below(w->r, 5)) {
                const char *label = random_below(w->r, 9) ? alphabets[w->alphabet].in_regex[l] : ".";
                put(w, "%s %s %s%s", names[k], label, names[random_below(w->r, states)], end);
            }
    for (size_t k = 0; k < states; k++)
        if (random_below(w->r, 2)) put(w, "accept %s%s", names[k], end);
}

/* ---- formulas ---- */

static void put_formula(writer *w, size_t budget) {
    static const char *const unary[] = {"!(", "Y (", "O (", "H (", "X (", "F (", "Z (", "G ("};
    static const char *const binary[] = {") & (", ") | (", ") S (", ") -> (", ") <-> (", ") U (", ") T ("};
    static const char *const sums[] = {" >= 2", " % 2 = 1", " > #[", " % 3 != 0", " <= 1"};
    uint64_t what = random_below(w->r, 10);
    if (budget < 2) {
        if (what < 6) {
            put(w, "/");
            put_any_regex(w);
            put(w, "/");
        } else if (what < 7) {
            put(w, "dfa { ");
            put_table(w, "; ");
            put(w, " }");
        } else {
            put(w, "%s", letter_in(w, true));
        }
        return;
    }
    if (what < 4) {
        put(w, "%s", PICK(w, unary));
        put_formula(w, budget - 1);
        put(w, ")");
    } else if (what < 8) {
        size_t left = 1 + random_below(w->r, budget - 1);
        put(w, "(");
        put_formula(w, left);
        put(w, "%s", PICK(w, binary));
        put_formula(w, budget - left);
        put(w, ")");
    } else {
        const char *sum = PICK(w, sums);
        put(w, "(#[");
        put_formula(w, budget - 1);
        put(w, "]%s", sum);
        if (strchr(sum, '[')) put(w, "%s]", letter_in(w, true));
        put(w, ")");
    }
}

/* ---- sources ---- */

temper_spec *random_language(test_random *r) {
    static writer w;
    static const temper_syntax kinds[] = {TEMPER_SYNTAX_REGEX, TEMPER_SYNTAX_DFA, TEMPER_SYNTAX_SPEC};
    temper_syntax syntax = kinds[random_below(r, 3)];
    w = (writer){.r = r, .alphabet = random_below(r, 2) ? random_below(r, 2) : random_below(r, ALPHABETS)};
    w.letters = alphabets[w.alphabet].letters[2] ? 3 : 2;
    if (syntax == TEMPER_SYNTAX_REGEX) {
        put_any_regex(&w);
    } else if (syntax == TEMPER_SYNTAX_DFA) {
        if (alphabets[w.alphabet].tokens) put(&w, "tokens yes\n");
        put_table(&w, "\n");
    } else {
        if (random_below(r, 3) == 0) {
            put(&w, "word = /");
            put_any_regex(&w);
            put(&w, "/\nword & ");
        }
        put(&w, "(");
        put_formula(&w, 1 + random_below(r, 4));
        put(&w, ")");
    }
    temper_spec_options o = {.syntax = syntax,
                             .letters = alphabets[w.alphabet].letters,
                             .letter_count = w.letters,
                             .tokens = alphabets[w.alphabet].tokens};
    if (syntax == TEMPER_SYNTAX_SPEC) o.at = random_below(r, 4) ? TEMPER_AT_LAST : TEMPER_AT_FIRST;
    temper_spec *spec;
    temper_spec_parse(&spec, w.text, w.length, &o, NULL);
    return spec;
}

void change_language(char *out, size_t room, const char *at, size_t size, test_random *r) {
    static const char *const pieces[] = {"a",    "b",   "c", "(",  ")",    "|",    "*", "+", "?",  "{2}", "{,1}",
                                         "{0}",  ".",   "~", "&",  "[^a]", "[ab]", "^", "$", "()", "|",   "-",
                                         "(a)?", "a|b", "!", "Y ", "O ",   "#",    "1", "2", "/",  "]",   " "};
    size_t from = random_below(r, size + 1), cut = random_below(r, 3), to = from + cut < size ? from + cut : size;
    snprintf(out, room, "%.*s%s%.*s", (int)from, at, pieces[random_below(r, sizeof pieces / sizeof *pieces)],
             (int)(size - to), at + to);
}

/* Assertions are look-around of few letters: ^ is (?<!.), \b is (?<=\w)(?!\w)|(?<!\w)(?=\w). \X is a text. */
#include <string.h>

#include "automata/regex_reader.h"

typedef enum look { AHEAD, NOT_AHEAD, BEHIND, NOT_BEHIND } look;

static void push_look(regex_reader *p, look way, symbol_builtin set) {
    regex_push_set(p, symbol_built_in(&p->r, set));
    regex_wrap(p, (regex_node){.op = REGEX_LOOK,
                               .behind = way == BEHIND || way == NOT_BEHIND,
                               .negated = way == NOT_AHEAD || way == NOT_BEHIND});
}

/* (?R:): \r ends a line, too, and \r\n is one end. */
#define CR     "\\p{gcb=CR}"
#define LF     "\\p{gcb=LF}"
#define NO_CUT "(?:(?<!" CR ")|(?!" LF "))"

void regex_push_start(regex_reader *p) {
    if (p->flags.lines && p->flags.crlf)
        regex_push_text(p, "(?<![^" CR LF "])" NO_CUT);
    else
        push_look(p, NOT_BEHIND, p->flags.lines ? SYMBOL_IN_LINE : SYMBOL_ANY);
}

void regex_push_end(regex_reader *p) {
    if (p->flags.lines && p->flags.crlf)
        regex_push_text(p, "(?![^" CR LF "])" NO_CUT);
    else
        push_look(p, NOT_AHEAD, p->flags.lines ? SYMBOL_IN_LINE : SYMBOL_ANY);
}

/* \b and \B */
static void push_boundary(regex_reader *p, bool boundary) {
    size_t start = p->value_count;
    push_look(p, BEHIND, SYMBOL_WORD);
    push_look(p, boundary ? NOT_AHEAD : AHEAD, SYMBOL_WORD);
    regex_reduce(p, start, REGEX_JOIN);
    push_look(p, NOT_BEHIND, SYMBOL_WORD);
    push_look(p, boundary ? AHEAD : NOT_AHEAD, SYMBOL_WORD);
    regex_reduce(p, start + 1, REGEX_JOIN);
    regex_reduce(p, start, REGEX_OR);
}

/* \b{start} and the like, of Rust; 0: it is none. Otherwise its bytes. */
static size_t push_kind_of_boundary(regex_reader *p) {
    static const struct {
        const char *written;
        bool before, after; /* it looks there */
        look behind, ahead;
    } kinds[] = {{"\\b{start}", true, true, NOT_BEHIND, AHEAD},
                 {"\\b{end}", true, true, BEHIND, NOT_AHEAD},
                 {"\\b{start-half}", true, false, NOT_BEHIND, AHEAD},
                 {"\\b{end-half}", false, true, BEHIND, NOT_AHEAD}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t start = p->value_count;
        if (!regex_has(p, kinds[k].written)) continue;
        if (kinds[k].before) push_look(p, kinds[k].behind, SYMBOL_WORD);
        if (kinds[k].after) push_look(p, kinds[k].ahead, SYMBOL_WORD);
        regex_reduce(p, start, REGEX_JOIN);
        return strlen(kinds[k].written);
    }
    return 0;
}

/* \Z: (?=\n?\z) */
static void push_last_line(regex_reader *p) {
    size_t start = p->value_count;
    regex_push_set(p, symbol_built_in(&p->r, SYMBOL_NEWLINE));
    regex_wrap(p, (regex_node){.op = REGEX_REPEAT, .most = 1});
    push_look(p, NOT_AHEAD, SYMBOL_ANY);
    regex_reduce(p, start, REGEX_JOIN);
    regex_wrap(p, (regex_node){.op = REGEX_LOOK});
}

/* \R takes \r\n as one and never half of it: \r\n|[\n\x0B\f\x85\u2028\u2029]|\r(?!\n) */
static void push_line_end(regex_reader *p) {
    size_t start = p->value_count;
    regex_push_set(p, symbol_built_in(&p->r, SYMBOL_RETURN));
    regex_push_set(p, symbol_built_in(&p->r, SYMBOL_NEWLINE));
    regex_reduce(p, start, REGEX_JOIN);
    regex_push_set(p, symbol_built_in(&p->r, SYMBOL_LINE_ENDS));
    regex_push_set(p, symbol_built_in(&p->r, SYMBOL_RETURN));
    push_look(p, NOT_AHEAD, SYMBOL_NEWLINE);
    regex_reduce(p, start + 2, REGEX_JOIN);
    regex_reduce(p, start, REGEX_OR);
}

/* \X: what Unicode's rules keep together from here on, as PCRE2 has it. What is before counts for flags only, each of
   two letters. Controls stand alone, but CR LF are one. */
/* clang-format off */
#define BREAK(name) "\\p{gcb=" name "}"
#define TAIL        "[" BREAK("Extend") BREAK("ZWJ") BREAK("SpacingMark") "]"
#define ALONE       BREAK("Control") BREAK("CR") BREAK("LF")
#define FLAG        BREAK("Regional_Indicator")
#define EMOJI       BREAK("Pictographic")
#define JOINED      "(?:" BREAK("Extend") "*" BREAK("ZWJ") EMOJI ")"
#define VOWELS      "[" BREAK("V") BREAK("LV") "]" BREAK("V") "*(?!" BREAK("V") ")"
#define HANGUL      BREAK("L") BREAK("V") BREAK("T") BREAK("LV") BREAK("LVT")
static const char one_cluster[] =
    BREAK("CR") BREAK("LF") "|" BREAK("CR") "(?!" BREAK("LF") ")|[" BREAK("Control") BREAK("LF") "]|"
    BREAK("Prepend") "+(?![^" ALONE "])|"
    BREAK("Prepend") "*(?:"
        TAIL "|"
        EMOJI JOINED "*(?!" JOINED ")|"
        "(?<=(?<!" FLAG ")(?:" FLAG FLAG ")*)" FLAG FLAG "|"
        FLAG "(?!" FLAG ")|"
        "(?<=(?<!" FLAG ")" FLAG "(?:" FLAG FLAG ")*)" FLAG "|"
        BREAK("L") "+(?![" BREAK("L") BREAK("V") BREAK("LV") BREAK("LVT") "])|"
        "(?:" BREAK("L") "*(?:" VOWELS "|" BREAK("LVT") ")|" BREAK("T") ")" BREAK("T") "*(?!" BREAK("T") ")|"
        "[^" ALONE BREAK("Prepend") BREAK("Extend") BREAK("ZWJ") BREAK("SpacingMark") EMOJI FLAG HANGUL "]"
    ")" TAIL "*(?!" TAIL ")";
/* clang-format on */

bool regex_read_assertion(regex_reader *p) {
    char c = symbol_look(&p->r, 1);
    if (symbol_look(&p->r, 0) != '\\') return false;
    if (p->r.tokens && c && c != 'A' && c != 'z')
        trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
                        "with tokens a letter is <word>; \\A and \\z are the ends of the string",
                        "'\\%c' speaks of characters, but the letters are words", c > ' ' && c <= '~' ? c : '?');
    size_t size = push_kind_of_boundary(p);
    if (size) {
        symbol_advance(&p->r, size);
        return true;
    }
    switch (c) {
    case 'A': push_look(p, NOT_BEHIND, SYMBOL_ANY); break;
    case 'z': push_look(p, NOT_AHEAD, SYMBOL_ANY); break;
    case 'Z': push_last_line(p); break;
    case 'b':
    case 'B': push_boundary(p, c == 'b'); break;
    case 'R': push_line_end(p); break;
    case 'X': regex_push_text(p, one_cluster); break;
    default: return false;
    }
    symbol_advance(&p->r, 2);
    return true;
}

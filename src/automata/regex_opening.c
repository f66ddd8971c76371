/* What stands behind "(": groups, names, look-around, flags, comments; and what is refused by its name. */
#include <string.h>

#include "automata/regex_reader.h"

/* What "(?" means in other tools and not here. */
static _Noreturn void refuse_opening(const regex_reader *p) {
    static const char no_memory[] = "no automaton can compare two parts of a string with each other";
    static const char no_nesting[] = "no automaton can nest without limit; write out as many levels as you need";
    static const struct {
        const char *begins, *what, *hint;
    } known[] = {
        {"(?>", "an atomic group",
         "it depends on the order in which a tool tries alternatives, not on the string alone; write (?:...)"},
        {"(?P=", "a back reference", no_memory},
        {"(?P>", "a recursion", no_nesting},
        {"(?R)", "a recursion", no_nesting},
        {"(?+", "a recursion", no_nesting},
        {"(?(", "a condition", "it asks which group has matched; write both cases out: (?:ab|c)"},
        {"(?C", "a callout", "leave it out"},
        {"(?{", "code of another tool", "leave it out"},
        {"(?&)", "the prefix for '&' and '~', but it does not stand at the beginning", "move it to the front"},
        {"(?&", "a recursion", no_nesting},
        {"(*atomic:", "an atomic group",
         "it depends on the order in which a tool tries alternatives, not on the string alone; write (?:...)"},
        {"(*", "a verb of another tool, or a repetition of nothing", "the letter '*' is '\\*'"}};
    const char *begins = "(?", *what = "a recursion", *hint = no_nesting;
    char c = symbol_look(&p->r, 2), d = symbol_look(&p->r, 3);
    bool number = (c >= '0' && c <= '9') || (c == '-' && d >= '0' && d <= '9'); /* (?1) and (?-1) */
    for (size_t k = 0; k < sizeof known / sizeof *known && !number; k++)
        if (regex_has(p, known[k].begins)) {
            begins = known[k].begins, what = known[k].what, hint = known[k].hint;
            number = true;
        }
    if (number)
        trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column, hint, "'%s' is %s%s", begins,
                        what, strcmp(begins, "(?&)") ? ", which is not supported" : "");
    trap_raise_hint(
        p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
        "groups are (...), (?:...), (?<name>...), (?=...), (?!...), (?<=...), (?<!...), flags (?imsxUrua-imsxUrua)",
        "'(?' begins a group or flags that are not known");
}

/* "(?P<name>", "(?<name>" and "(?'name'": the bytes of it; 0: it is none. */
static size_t named_group(const regex_reader *p) {
    size_t k = symbol_look(&p->r, 2) == 'P' ? 3 : 2, start = k + 1;
    char open = symbol_look(&p->r, k);
    if (open != '<' && open != '\'') return 0;
    for (k++;; k++) {
        char c = symbol_look(&p->r, k);
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
        if (!letter && !(c >= '0' && c <= '9' && k > start)) break;
    }
    return k > start && symbol_look(&p->r, k) == (open == '<' ? '>' : open) ? k + 1 : 0;
}

/* (?# ... ) */
static void skip_comment(regex_reader *p) {
    size_t line = p->r.line, column = p->r.column;
    for (char c; (c = symbol_look(&p->r, 0)) != ')';) {
        if (!c)
            trap_raise_hint(p->r.arena->trap, TEMPER_SYNTAX, line, column, "it ends with ')'",
                            "this comment is never closed");
        symbol_advance(&p->r, 1);
        if (c == '\n') p->r.line++, p->r.column = 1;
    }
    symbol_advance(&p->r, 1);
}

/* Behind "a": which classes it means. */
static unsigned read_plain(const regex_reader *p, size_t *at) {
    static const char letters[] = "DSWPT";
    static const unsigned meant[] = {PLAIN_D, PLAIN_S, PLAIN_W, PLAIN_POSIX | PLAIN_DIGITS, PLAIN_DIGITS};
    char c = symbol_look(&p->r, *at + 1);
    const char *found = c ? strchr(letters, c) : NULL;
    if (found) ++*at;
    return found ? meant[found - letters] : PLAIN_ALL;
}

/* "^" leaves what classes mean. */
static regex_flags without_flags(regex_flags f) {
    f.fold = f.lines = f.dot_all = f.spaced = f.class_blanks = f.apart = f.crlf = false;
    return f;
}

/* flags = "^"? FLAG* ("-" FLAG*)?, FLAG = [imsxruRUnJ] | a[DSWPT]?: the bytes of them, up to ")" or ":"; 0: they are
   none. */
static size_t read_flags(const regex_reader *p, regex_flags *flags) {
    size_t k = 2;
    bool on = true, more = false;
    if (symbol_look(&p->r, k) == '^') *flags = without_flags(*flags), k++;
    for (;; k++) {
        char c = symbol_look(&p->r, k);
        if (p->r.tokens && on && (c == 'i' || c == 'm'))
            trap_raise_hint(p->r.arena->trap, TEMPER_UNSUPPORTED, p->r.line, p->r.column,
                            "with tokens a letter is <word>; name the words: [<ack><ACK>]",
                            "the flag '%c' speaks of characters, but the letters are words", c);
        if (c == ')' || c == ':') return k;
        if (c == '-' && on)
            on = false;
        else if (c == 'i')
            flags->fold = on;
        else if (c == 'm')
            flags->lines = on;
        else if (c == 's')
            flags->dot_all = on;
        else if (c == 'r')
            flags->apart = on;
        else if (c == 'R')
            flags->crlf = on;
        else if (c == 'a') {
            unsigned plain = read_plain(p, &k);
            flags->plain = on ? flags->plain | plain : flags->plain & ~plain;
        } else if (c == 'x') {
            more = on && (more || symbol_look(&p->r, k + 1) == 'x'); /* xxx is xx */
            flags->class_blanks = more;
            flags->spaced = on;
            if (symbol_look(&p->r, k + 1) == 'x') k++;
        } else if (c == 'u') {
            flags->unicode = on;
            flags->ascii = !on;
        } else if (!c || !strchr("UnJ", c)) {
            return 0;
        }
    }
}

bool regex_read_opening(regex_reader *p, regex_group *g) {
    static const struct {
        const char *begins;
        bool is_look, behind, negated;
    } plain[] = {{"(?:", false, false, false},
                 {"(?|", false, false, false},
                 {"(?=", true, false, false},
                 {"(?!", true, false, true},
                 {"(?<=", true, true, false},
                 {"(?<!", true, true, true},
                 {"(*pla:", true, false, false},
                 {"(*nla:", true, false, true},
                 {"(*plb:", true, true, false},
                 {"(*nlb:", true, true, true},
                 {"(*positive_lookahead:", true, false, false},
                 {"(*negative_lookahead:", true, false, true},
                 {"(*positive_lookbehind:", true, true, false},
                 {"(*negative_lookbehind:", true, true, true},
                 {"(*napla:", true, false, false},
                 {"(*naplb:", true, true, false},
                 {"(*non_atomic_positive_lookahead:", true, false, false},
                 {"(*non_atomic_positive_lookbehind:", true, true, false}};
    if (regex_has(p, "(?#")) {
        skip_comment(p);
        return false;
    }
    if (!regex_has(p, "(?") && !regex_has(p, "(*")) {
        symbol_advance(&p->r, 1);
        return true;
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        if (!regex_has(p, plain[k].begins)) continue;
        g->is_look = plain[k].is_look;
        g->look = (regex_node){.op = REGEX_LOOK, .behind = plain[k].behind, .negated = plain[k].negated};
        symbol_advance(&p->r, strlen(plain[k].begins));
        return true;
    }
    if (regex_has(p, "(*")) refuse_opening(p);
    regex_flags flags = p->flags;
    bool recurses = regex_has(p, "(?R)");
    size_t name = named_group(p), size = name || recurses ? 0 : read_flags(p, &flags);
    if (!name && !size) refuse_opening(p);
    bool is_group = name || symbol_look(&p->r, size) == ':';
    symbol_advance(&p->r, name ? name : size + 1);
    if (!name) regex_set_flags(p, flags);
    return is_group;
}

/* What stands behind "(": names, flags, assertions. */
#include "audit/audit_regex.h"

#include <string.h>

static bool is_in_word(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c & 0x80); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void take_name(audit_regex_text *t, char end) {
    if (!is_in_word(audit_regex_look(t, 0))) audit_regex_refuse(t, "a group without a name");
    while (is_in_word(audit_regex_look(t, 0)) || is_digit(audit_regex_look(t, 0))) t->at++;
    if (audit_regex_look(t, 0) != end) audit_regex_refuse(t, "this name of a group does not end");
    t->at++;
}

/* "a" for all classes, or with a letter for some. */
static void take_plain(audit_regex_text *t, bool on) {
    audit_regex_flags *f = &t->flags;
    char c = audit_regex_look(t, 1);
    bool some = c && strchr("DSWPT", c);
    t->at += some;
    if (!some || c == 'D') f->plain_d = on;
    if (!some || c == 'S') f->plain_s = on;
    if (!some || c == 'W') f->plain_w = on;
    if (!some || c == 'P') f->plain_posix = on;
    if (!some || c == 'P' || c == 'T') f->plain_digits = on;
}

/* Letters between "(?" and ")" or ":". */
static void take_flags(audit_regex_text *t) {
    if (audit_regex_has(t, "R)")) audit_regex_refuse(t, "a recursion");
    bool on = true, more = false;
    if (audit_regex_has(t, "^")) {
        t->flags.any_case = t->flags.lines = t->flags.dot_newline = t->flags.free = false;
        t->flags.free_classes = t->flags.apart = t->flags.crlf = false;
        t->at++;
    }
    for (; !audit_regex_has(t, ")") && !audit_regex_has(t, ":"); t->at++) {
        bool twice = audit_regex_has(t, "xx");
        if (t->letters->tokens && on && (audit_regex_has(t, "i") || audit_regex_has(t, "m")))
            audit_regex_refuse(t, "a flag for characters, where letters are words");
        switch (audit_regex_look(t, 0)) {
        case '-':
            if (!on || is_digit(audit_regex_look(t, 1))) audit_regex_refuse(t, "this group is not known");
            on = false;
            break;
        case 'i': t->flags.any_case = on; break;
        case 'm': t->flags.lines = on; break;
        case 'r': t->flags.apart = on; break;
        case 'R': t->flags.crlf = on; break;
        case 'a': take_plain(t, on); break;
        case 's': t->flags.dot_newline = on; break;
        case 'x':
            t->flags.free = on;
            more = on && (more || twice); /* xxx is xx */
            t->flags.free_classes = more;
            t->at += twice;
            break;
        case 'u':
            t->flags.unicode = on;
            t->flags.ascii = !on;
            break;
        case 'U':
        case 'J':
        case 'n': break; /* no words more or less */
        default: audit_regex_refuse(t, "this group is not known");
        }
    }
}

/* "*pla:" and the like, which PCRE2 writes for "?=". */
static bool take_named_look(audit_regex_text *t, audit_regex_group *g) {
    static const char *const names[] = {"*pla:",   "*positive_lookahead:",
                                        "*napla:", "*non_atomic_positive_lookahead:",
                                        "*nla:",   "*negative_lookahead:",
                                        "*plb:",   "*positive_lookbehind:",
                                        "*naplb:", "*non_atomic_positive_lookbehind:",
                                        "*nlb:",   "*negative_lookbehind:"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (!audit_regex_has(t, names[k])) continue;
        g->look = k == 4 || k == 5 || k > 9 ? '!' : '=';
        g->behind = k > 5;
        t->at += strlen(names[k]);
        return true;
    }
    return false;
}

bool audit_regex_opening(audit_regex_text *t, audit_regex_group *g) {
    t->at++;
    if (take_named_look(t, g)) return true;
    if (audit_regex_has(t, "*")) audit_regex_refuse(t, "a verb");
    if (!audit_regex_has(t, "?")) return true;
    t->at++;
    if (audit_regex_has(t, "<=") || audit_regex_has(t, "<!")) g->behind = true, t->at++;
    char c = audit_regex_look(t, 0);
    if (c == '=' || c == '!') {
        g->look = c;
        t->at++;
    } else if (c == '|') {
        t->at++;
    } else if (c == '<' || c == '\'' || audit_regex_has(t, "P<") || audit_regex_has(t, "P'")) {
        t->at += c == 'P' ? 2 : 1;
        take_name(t, t->bytes[t->at - 1] == '<' ? '>' : '\'');
    } else {
        take_flags(t);
        t->at++;
        return t->bytes[t->at - 1] == ':';
    }
    return true;
}

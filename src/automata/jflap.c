/* Only the elements that describe a finite automaton are looked at, and nothing nests, so no tree of XML is needed:

       <type>fa</type>
       <state id="0" name="q0"> ... <initial/> <final/> </state>
       <transition> <from>0</from> <to>1</to> <read>a</read> </transition> */
#include "automata/jflap.h"

#include <string.h>

typedef struct span {
    const char *at;
    size_t length;
} span;

bool jflap_is(const char *bytes, size_t length) {
    size_t k = 0;
    if (length >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) k = 3;
    while (k < length && strchr(" \t\r\n", bytes[k])) k++;
    return (length - k >= 5 && !memcmp(bytes + k, "<?xml", 5)) ||
           (length - k >= 10 && !memcmp(bytes + k, "<structure", 10));
}

static const char *find(span s, const char *what) {
    size_t size = strlen(what);
    for (size_t k = 0; k + size <= s.length; k++)
        if (s.at[k] == *what && !memcmp(s.at + k, what, size)) return s.at + k;
    return NULL;
}

/* The content of the first element of this name; .at NULL: there is none. <read/> has an empty content. */
static span content(span s, const char *name) {
    char open[32], close[32];
    size_t size = strlen(name);
    open[0] = '<';
    memcpy(open + 1, name, size + 1);
    memcpy(close, "</", 2);
    memcpy(close + 2, name, size);
    memcpy(close + 2 + size, ">", 2);
    for (const char *p; (p = find(s, open)) != NULL;) {
        s = (span){p + 1 + size, s.length - (size_t)(p + 1 + size - s.at)};
        if (!s.length || !strchr("> /\t\r\n", *s.at)) continue; /* a longer name */
        const char *end = find(s, ">");
        if (!end) break;
        if (end > s.at && end[-1] == '/') return (span){end, 0};
        span inside = {end + 1, s.length - (size_t)(end + 1 - s.at)};
        const char *stop = find(inside, close);
        if (!stop) break;
        return (span){inside.at, (size_t)(stop - inside.at)};
    }
    return (span){0};
}

/* Letters and digits stay; others become underscores, so that every id is the name of a state. */
static void put_name(text *out, span s) {
    text_putc(out, 'q');
    for (size_t k = 0; k < s.length; k++) {
        char c = s.at[k];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!strchr(" \t\r\n", c)) text_putc(out, plain ? c : '_');
    }
}

/* The letter of a move, with the entities of XML resolved. */
static void put_letter(text *out, span s) {
    static const struct {
        const char *name, *meant;
    } entities[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#32;", " "}};
    for (size_t k = 0; k < sizeof entities / sizeof *entities; k++)
        if (strlen(entities[k].name) == s.length && !memcmp(s.at, entities[k].name, s.length))
            s = (span){entities[k].meant, 1};
    if (s.length == 1 && *s.at == ' ')
        text_puts(out, "\\x20");
    else if (s.length == 1 && strchr("\\.[{};-/", *s.at))
        text_printf(out, "\\%c", *s.at);
    else
        text_add(out, s.at, s.length);
}

/* One <state ...> or <transition>: a piece of a line, separated by semicolons. */
static void put_state(text *out, span tag, span inside) {
    const char *id = find(tag, " id=\""), *end = NULL;
    span value = {0};
    if (id) {
        value = (span){id + 5, tag.length - (size_t)(id + 5 - tag.at)};
        end = find(value, "\"");
    }
    if (!end) trap_raise(out->arena->trap, TEMPER_FORMAT, 0, 0, "a state of the JFLAP file has no id");
    value.length = (size_t)(end - value.at);
    if (find(inside, "<initial/>")) {
        text_puts(out, "start ");
        put_name(out, value);
        text_putc(out, ';');
    }
    if (find(inside, "<final/>")) {
        text_puts(out, "accept ");
        put_name(out, value);
        text_putc(out, ';');
    }
}

static void put_move(text *out, span inside, size_t line) {
    span from = content(inside, "from"), to = content(inside, "to"), read = content(inside, "read");
    if (!from.at || !to.at || !read.at)
        trap_raise(out->arena->trap, TEMPER_FORMAT, line, 0, "a transition of the JFLAP file is not complete");
    if (!read.length)
        trap_raise_hint(out->arena->trap, TEMPER_FORMAT, line, 0, "convert it to a DFA in JFLAP first",
                        "a transition without a letter: the automaton is not deterministic");
    put_name(out, from);
    text_putc(out, ' ');
    put_letter(out, read);
    text_putc(out, ' ');
    put_name(out, to);
    text_putc(out, ';');
}

void jflap_to_table(text *out, const char *bytes, size_t length) {
    span all = {bytes, length};
    span type = content(all, "type");
    if (!type.at || type.length != 2 || memcmp(type.at, "fa", 2) != 0)
        trap_raise_hint(out->arena->trap, TEMPER_FORMAT, 0, 0, "its <type> must be fa",
                        "the JFLAP file is not a finite automaton");
    size_t line = 1, written = 1; /* of the file, of the table */
    for (const char *p = bytes, *end = bytes + length; p < end; p++) {
        static const char state[] = "<state", move[] = "<transition>";
        size_t left = (size_t)(end - p);
        line += *p == '\n';
        bool is_state = left > 6 && !memcmp(p, state, 6) && strchr(" \t\r\n", p[6]);
        bool is_move = left > 12 && !memcmp(p, move, 12);
        if (!is_state && !is_move) continue;
        span rest = {p, left}, inside = content(rest, is_state ? "state" : "transition");
        if (!inside.at)
            trap_raise(out->arena->trap, TEMPER_FORMAT, 0, 0, "an element of the JFLAP file is not closed");
        for (; written < line; written++) text_putc(out, '\n');
        if (is_state)
            put_state(out, (span){p, (size_t)(inside.at - p)}, inside);
        else
            put_move(out, inside, line);
    }
}

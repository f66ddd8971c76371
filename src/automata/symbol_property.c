/* Properties of characters in an expression: \pL, \p{Greek}, \P{scx=Greek}, \p{^Alphabetic}. */
#include <string.h>

#include "automata/symbols.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* What stands before ":" or "=" in the braces. */
static const struct property_prefix {
    const char *name;
    property_kind kind;
} prefixes[] = {{"gc", PROPERTY_CATEGORY},    {"General_Category", PROPERTY_CATEGORY},
                {"sc", PROPERTY_SCRIPT},      {"Script", PROPERTY_SCRIPT},
                {"scx", PROPERTY_EXTENSIONS}, {"Script_Extensions", PROPERTY_EXTENSIONS},
                {"gcb", PROPERTY_BREAK},      {"Grapheme_Cluster_Break", PROPERTY_BREAK},
                {"bc", PROPERTY_BIDI},        {"Bidi_Class", PROPERTY_BIDI}};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* The property that a name means, with or without a prefix. */
static bool find(property *out, const char *name, size_t length) {
    static const property_kind bare[] = {PROPERTY_CATEGORY, PROPERTY_SCRIPT, PROPERTY_BINARY};
    size_t prefix = 0;
    while (prefix < length && name[prefix] != ':' && name[prefix] != '=') prefix++;
    for (size_t k = 0; prefix == length && k < sizeof bare / sizeof *bare; k++)
        if (property_find(out, bare[k], name, length)) return true;
    for (size_t k = 0; prefix < length && k < PREFIXES; k++)
        if (property_same_name(prefixes[k].name, strlen(prefixes[k].name), name, prefix))
            return property_find(out, prefixes[k].kind, name + prefix + 1, length - prefix - 1);
    return false;
}

static _Noreturn void refuse(const symbol_reader *r, const char *name, size_t length, size_t written) {
    static const char known[] = "known are categories, scripts and yes-or-no properties of Unicode 15, \\p{sc:...}, "
                                "\\p{scx:...}, \\p{bc:...}: \\pL, \\p{Lu}, \\p{Greek}, \\p{Alphabetic}";
    const char *shown = text_escaped(r->arena, r->bytes + r->at, written, 40), *near;
    size_t near_length, prefix = 0;
    text hint;
    for (size_t k = 0; k < length; k++)
        if (name[k] == ':' || name[k] == '=') prefix = k + 1;
    near = property_near(&near_length, name + prefix, length - prefix);
    text_init(&hint, r->arena);
    if (near)
        text_printf(&hint, "did you mean '%.*s'?", (int)near_length, near);
    else
        text_printf(&hint, "%s", known);
    trap_raise_hint(r->arena->trap, TEMPER_UNSUPPORTED, r->line, r->column, text_string(&hint),
                    "'%s' is a Unicode property that is not known", shown);
}

bool symbol_read_property(symbol_reader *r, property *out, bool *lacking) {
    bool braces = symbol_look(r, 2) == '{';
    size_t start = 2 + braces, end;
    *lacking = symbol_look(r, 1) == 'P';
    if (symbol_look(r, 0) != '\\' || (symbol_look(r, 1) != 'p' && !*lacking)) return false;
    while (braces && is_blank(symbol_look(r, start))) start++;
    if (braces && symbol_look(r, start) == '^') *lacking = !*lacking, start++;
    uint32_t one;
    end = start + (braces ? 0 : utf8_decode(&one, r->bytes + r->at + start, r->length - r->at - start));
    while (braces && symbol_look(r, end) && symbol_look(r, end) != '}') end++;
    bool closed = !braces || symbol_look(r, end) == '}';
    const char *name = r->bytes + r->at + start;
    if (!closed || !find(out, name, end - start)) refuse(r, name, end - start, end + (braces && closed));
    symbol_advance(r, end + braces);
    return true;
}

#include "automata/symbols.h"

#include <string.h>

#include "automata/symbol_character.h"

void symbol_advance(symbol_reader *r, size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        if (((unsigned char)r->bytes[r->at + k] & 0xC0) != 0x80) r->column++;
    r->at += bytes;
}

void symbol_check_text(symbol_reader *r, const char *what) {
    size_t column = r->column;
    for (size_t k = r->at; k < r->length; column++) {
        uint32_t code;
        size_t size = utf8_decode(&code, r->bytes + k, r->length - k);
        if (!size)
            trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line, column, "save the text as UTF-8",
                            "byte 0x%02X of %s is not valid UTF-8", (unsigned char)r->bytes[k], what);
        bool lone = code == '\r' && (k + 1 == r->length || r->bytes[k + 1] != '\n');
        if ((code < 0x20 && !(code && strchr("\t\n\r", (int)code))) || code == 0x7F || lone)
            trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line, column,
                            "write it with an escape, as \\n or \\x01", "%s has the control byte 0x%02X", what,
                            (unsigned)code);
        k += size;
    }
}

static void add(const symbol_reader *r, symbol_set *set, symbol_use use, uint32_t low, uint32_t high, size_t column) {
    symbol_item item = {.use = use, .low = low ? low : 1, .high = high, .line = r->line, .column = column};
    if (item.low <= high) array_push(r->arena, set->items, set->count, set->capacity, item);
}

/* Named classes are of ASCII, whatever the locale: pairs of ends. Those of PCRE2 have more. */
static const uint32_t more_blanks[] = {0xA0,   0xA0,   0x1680, 0x1680, 0x180E, 0x180E, 0x2000, 0x200A,
                                       0x202F, 0x202F, 0x205F, 0x205F, 0x3000, 0x3000, 0};
static const uint32_t more_line_ends[] = {0x85, 0x85, 0x2028, 0x2029, 0};
static const struct named_class {
    const char *name; /* [:digit:]; NULL: none */
    const char *escapes;
    const char *ranges;
    const uint32_t *more; /* not mentioned */
} named_classes[] = {{"digit", "dD", "09", NULL},
                     {"word", "wW", "09AZ__az", NULL},
                     {"space", "sS", "\t\r  ", NULL},
                     {"alpha", "", "AZaz", NULL},
                     {"alnum", "", "09AZaz", NULL},
                     {"upper", "", "AZ", NULL},
                     {"lower", "", "az", NULL},
                     {"xdigit", "", "09AFaf", NULL},
                     {"blank", "", "\t\t  ", NULL},
                     {"punct", "", "!/:@[`{~", NULL},
                     {"graph", "", "!~", NULL},
                     {"print", "", " ~", NULL},
                     {"cntrl", "", "\x01\x1F\x7F\x7F", NULL},
                     {"ascii", "", "\x01\x7F", NULL},
                     {NULL, "hH", "\t\t  ", more_blanks},
                     {NULL, "V", "\n\r", more_line_ends}}; /* \v is one character */
enum { NAMED_CLASSES = sizeof named_classes / sizeof *named_classes };

bool symbol_class_has(uint32_t named, uint32_t code) {
    const struct named_class *c = &named_classes[named];
    for (const char *p = c->ranges; *p; p += 2)
        if ((unsigned char)p[0] <= code && code <= (unsigned char)p[1]) return true;
    for (const uint32_t *p = c->more; p && *p; p += 2)
        if (p[0] <= code && code <= p[1]) return true;
    return false;
}

static void add_property(const symbol_reader *r, symbol_set *set, property p, bool lacking, size_t column) {
    add(r, set, SYMBOL_OTHERS, 1, 0x10FFFF, column);
    set->items[set->count - 1].property = p;
    set->items[set->count - 1].lacking = lacking;
}

/* Behind (?u) a class is Unicode's; false: it is of ASCII. Where case does not matter, those of one case have any. */
static bool is_unicode(const symbol_reader *r, const struct named_class *c, unsigned plain, property *p) {
    if (!r->unicode || !c->name || (r->plain & plain)) return false;
    bool cased = !strcmp(c->name, "upper") || !strcmp(c->name, "lower");
    const char *name = r->fold && cased ? "Lc" : c->name;
    return property_find(p, r->fold && cased ? PROPERTY_CATEGORY : PROPERTY_CLASS, name, strlen(name));
}

static void add_named(const symbol_reader *r, symbol_set *set, const struct named_class *c, unsigned plain,
                      size_t column) {
    property p;
    if (is_unicode(r, c, plain, &p)) {
        add_property(r, set, p, false, column);
        return;
    }
    for (const char *q = c->ranges; *q; q += 2)
        add(r, set, SYMBOL_RANGE, (unsigned char)q[0], (unsigned char)q[1], column);
    for (const uint32_t *q = c->more; q && *q; q += 2) add(r, set, SYMBOL_OTHERS, q[0], q[1], column);
}

/* Inside a class: all characters but those of c, which are mentioned. */
static void add_named_others(const symbol_reader *r, symbol_set *set, const struct named_class *c, unsigned plain,
                             size_t column) {
    property p;
    if (is_unicode(r, c, plain, &p)) {
        add_property(r, set, p, true, column);
        return;
    }
    for (const char *q = c->ranges; *q; q += 2)
        add(r, set, SYMBOL_BARRED, (unsigned char)q[0], (unsigned char)q[1], column);
    add(r, set, SYMBOL_OTHERS, 1, 0x10FFFF, column);
    set->items[set->count - 1].barred = 1 + (uint32_t)(c - named_classes);
}

/* \d \w \s: the class and whether it is the capital's, which means all others. */
static const struct named_class *escape_class(char c, bool *others) {
    *others = c >= 'A' && c <= 'Z';
    for (size_t k = 0; k < NAMED_CLASSES; k++)
        if (strchr(named_classes[k].escapes, c)) return &named_classes[k];
    return NULL;
}

/* \d \D \s \S \w \W */
static unsigned plain_escape(char c) {
    return c == 'd' || c == 'D' ? PLAIN_D : c == 's' || c == 'S' ? PLAIN_S : PLAIN_W;
}

symbol_set symbol_built_in(const symbol_reader *r, symbol_builtin which) {
    symbol_set set = {.negated = which == SYMBOL_ANY || which == SYMBOL_IN_LINE};
    switch (which) {
    case SYMBOL_ANY: break;
    case SYMBOL_NEWLINE:
    case SYMBOL_IN_LINE: add(r, &set, SYMBOL_OTHERS, '\n', '\n', r->column); break;
    case SYMBOL_RETURN: add(r, &set, SYMBOL_RANGE, '\r', '\r', r->column); break;
    case SYMBOL_WORD:
        add_named(r, &set, &named_classes[1], PLAIN_W, r->column);
        for (size_t k = 0; k < set.count; k++) set.items[k].use = SYMBOL_OTHERS;
        break;
    case SYMBOL_LINE_ENDS:
        add(r, &set, SYMBOL_RANGE, '\n', '\n', r->column);
        add(r, &set, SYMBOL_OTHERS, '\n', '\f', r->column);
        for (const uint32_t *p = more_line_ends; *p; p += 2) add(r, &set, SYMBOL_OTHERS, p[0], p[1], r->column);
        break;
    }
    return set;
}

/* \p{...} or \P{...}; false: there is none here. */
static bool read_property(symbol_reader *r, symbol_set *set) {
    size_t column = r->column;
    bool lacking;
    property p;
    if (!symbol_read_property(r, &p, &lacking)) return false;
    add_property(r, set, p, lacking, column);
    return true;
}

static void need_letter(const symbol_reader *r, uint32_t code, size_t column) {
    if (!code)
        symbol_refuse(r, column, "a range may begin with it: [\\x00-\\x7F]", "the NUL character cannot be a letter");
}

/* <word>; \> and \\ inside */
static void read_word(symbol_reader *r, symbol_set *set) {
    size_t column = r->column;
    text word;
    text_init(&word, r->arena);
    symbol_advance(r, 1);
    while (symbol_look(r, 0) != '>') {
        if (!symbol_look(r, 0)) symbol_refuse(r, column, "a token is written <word>", "this '<' is never closed");
        if (symbol_look(r, 0) == ' ' || symbol_look(r, 0) == '\t')
            symbol_refuse(r, r->column, "strings are split into tokens at blanks, so it could never occur",
                          "a token holds a blank");
        size_t at = r->column;
        uint32_t code = symbol_character(r);
        char utf8[4];
        need_letter(r, code, at);
        text_add(&word, utf8, utf8_encode(utf8, code));
    }
    symbol_advance(r, 1);
    if (!word.length) symbol_refuse(r, column, "a token is written <word>", "'<>' names no token");
    symbol_item item = {.use = SYMBOL_LETTER,
                        .word = text_string(&word),
                        .word_length = word.length,
                        .line = r->line,
                        .column = column};
    array_push(r->arena, set->items, set->count, set->capacity, item);
}

/* Whether "[:", "[." or "[=" is closed here, as in "[:alpha:]"; otherwise "[" is a letter. */
static bool is_posix(const symbol_reader *r) {
    char kind = symbol_look(r, 1);
    size_t end = 2;
    if (symbol_look(r, 0) != '[' || !kind || !strchr(":.=", kind)) return false;
    while (symbol_look(r, end) && !strchr("[]\\", symbol_look(r, end)) && symbol_look(r, end) != kind) end++;
    return symbol_look(r, end) == kind && symbol_look(r, end + 1) == ']';
}

static unsigned plain_posix(const struct named_class *c) {
    return PLAIN_POSIX | (strcmp(c->name, "digit") && strcmp(c->name, "xdigit") ? 0 : PLAIN_DIGITS);
}

/* [:alpha:] or [:^alpha:] inside a class */
static void read_posix(symbol_reader *r, symbol_set *set) {
    bool others = symbol_look(r, 2) == '^';
    size_t start = 2 + others, end = start, column = r->column;
    while (symbol_look(r, end) != ':') end++;
    for (size_t k = 0; k < NAMED_CLASSES && named_classes[k].name; k++) {
        const struct named_class *c = &named_classes[k];
        if (strlen(c->name) != end - start || memcmp(c->name, r->bytes + r->at + start, end - start) != 0) continue;
        (others ? add_named_others : add_named)(r, set, c, plain_posix(c), column);
        symbol_advance(r, end + 2);
        return;
    }
    symbol_refuse(
        r, column,
        "they are [:alpha:] digit alnum upper lower space blank punct print graph cntrl xdigit word ascii, with "
        "^: [:^alpha:]",
        "'[:' inside a class begins the name of a class, and this is none");
}

static bool is_class_escape(const symbol_reader *r, size_t ahead) {
    bool others;
    char c = symbol_look(r, ahead + 1);
    return symbol_look(r, ahead) == '\\' && c && escape_class(c, &others);
}

static void add_literal(symbol_reader *r, symbol_set *set) {
    uint32_t code;
    size_t column = r->column;
    symbol_advance(r, utf8_decode(&code, r->bytes + r->at, r->length - r->at));
    symbol_need_line(r, code);
    add(r, set, SYMBOL_LETTER, code, code, column);
}

symbol_set symbol_read_literal(symbol_reader *r) {
    symbol_set set = {.fold = r->fold, .ascii = r->ascii, .apart = r->apart};
    add_literal(r, &set);
    return set;
}

static bool is_escape(const symbol_reader *r, char c) { return symbol_look(r, 0) == '\\' && symbol_look(r, 1) == c; }

/* A character of a class, where \b is the backspace, and \1 to \777 are octal: there are no back references. */
static uint32_t read_member(symbol_reader *r) {
    uint32_t code = 0;
    size_t k = 1;
    for (char c; symbol_look(r, 0) == '\\' && k < 4 && (c = symbol_look(r, k)) >= '0' && c <= '7'; k++)
        code = code * 8 + (uint32_t)(c - '0');
    if (k > 1 && symbol_look(r, 1) != '0') {
        symbol_advance(r, k);
        return code;
    }
    if (!is_escape(r, 'b')) return symbol_character(r);
    symbol_advance(r, 2);
    return '\b';
}

/* What means nothing inside a class: blanks, where they do not count, \E, \Q\E. */
static void skip_in_class(symbol_reader *r) {
    for (;;) {
        char c = symbol_look(r, 0);
        bool empty = is_escape(r, 'Q') && symbol_look(r, 2) == '\\' && symbol_look(r, 3) == 'E';
        if ((c == ' ' && (r->tokens || r->class_blanks)) || (c == '\t' && r->class_blanks))
            symbol_advance(r, 1);
        else if (!r->tokens && (empty || is_escape(r, 'E')))
            symbol_advance(r, empty ? 4 : 2);
        else
            return;
    }
}

/* A "-" that is followed by the other end of a range. */
static bool take_dash(symbol_reader *r) {
    symbol_reader ahead = *r;
    skip_in_class(&ahead);
    if (symbol_look(&ahead, 0) != '-') return false;
    symbol_advance(&ahead, 1);
    skip_in_class(&ahead);
    if (symbol_look(&ahead, 0) == ']' || !symbol_look(&ahead, 0)) return false;
    *r = ahead;
    return true;
}

/* \Q...\E inside a class: letters. False: there is none here. */
static bool read_quoted(symbol_reader *r, symbol_set *set) {
    if (!is_escape(r, 'Q')) return false;
    symbol_advance(r, 2);
    while (symbol_look(r, 0) && !is_escape(r, 'E')) add_literal(r, set);
    if (symbol_look(r, 0)) symbol_advance(r, 2);
    if (symbol_look(r, 0) == '-' && symbol_look(r, 1) != ']')
        symbol_refuse(r, r->column, "the letter '-' stands first or last, or is written '\\-'",
                      "a range cannot begin with a quotation");
    return true;
}

/* element = CHARACTER | CHARACTER "-" CHARACTER | \d | [:alpha:] | <word> */
static void read_element(symbol_reader *r, symbol_set *set) {
    size_t column = r->column, start = r->at;
    char c = symbol_look(r, 0), d = symbol_look(r, 1);
    if (r->tokens) {
        if (c != '<')
            symbol_refuse(r, column, "with tokens a class holds words in angle brackets: [<req><ack>]",
                          "expected '<' in a class of tokens");
        read_word(r, set);
        return;
    }
    if (is_posix(r) && d == ':') {
        read_posix(r, set);
        return;
    }
    if (is_posix(r))
        trap_raise_hint(r->arena->trap, TEMPER_UNSUPPORTED, r->line, column, "the letter '[' is written '\\['",
                        "'[%c' begins a collating element of POSIX, which is not supported", d);
    bool others;
    const struct named_class *named = c == '\\' && d ? escape_class(d, &others) : NULL;
    if (named) {
        (others ? add_named_others : add_named)(r, set, named, plain_escape(d), column);
        symbol_advance(r, 2);
        if (symbol_look(r, 0) == '-' && symbol_look(r, 1) != ']')
            symbol_refuse(r, r->column, "the letter '-' stands first or last, or is written '\\-'",
                          "a range cannot begin with a class");
        return;
    }
    if (read_property(r, set)) return;
    uint32_t low = read_member(r), high = low;
    if (!take_dash(r)) {
        need_letter(r, low, column);
        add(r, set, SYMBOL_LETTER, low, low, column);
        return;
    }
    if (is_class_escape(r, 0) || is_posix(r))
        symbol_refuse(r, r->column, "the letter '-' stands first or last, or is written '\\-'",
                      "a range cannot end with a class");
    high = read_member(r);
    if (high < low)
        trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line, column,
                        "swap its ends; the letter '-' stands first or last, or is written '\\-'",
                        "the range '%s' is reversed", text_escaped(r->arena, r->bytes + start, r->at - start, 0));
    add(r, set, SYMBOL_RANGE, low, high, column);
}

/* class = "[" "^"? "]"? element* "]" */
static void read_class(symbol_reader *r, symbol_set *set) {
    size_t column = r->column;
    symbol_advance(r, 1);
    if (symbol_look(r, 0) == '^') {
        set->negated = true;
        symbol_advance(r, 1);
    }
    for (bool first = true; symbol_look(r, 0) != ']' || first; first = false) {
        skip_in_class(r);
        if (symbol_look(r, 0) == ']' && !first) break;
        if (!symbol_look(r, 0) || (r->tokens && symbol_look(r, 0) == ']')) break;
        if (r->tokens || !read_quoted(r, set)) read_element(r, set);
    }
    if (symbol_look(r, 0) != ']')
        symbol_refuse(r, column, "a class is [abc]; ']' right after '[' is a letter; the letter '[' is '\\['",
                      "this class is never closed: expected ']'");
    if (!set->count) symbol_refuse(r, column, "any token is '.'", "the class names no tokens");
    symbol_advance(r, 1);
}

symbol_set symbol_read(symbol_reader *r) {
    symbol_set set = {.fold = r->fold, .ascii = r->ascii, .apart = r->apart};
    size_t column = r->column;
    char c = symbol_look(r, 0), d = symbol_look(r, 1);
    if (c == '.' || (c == '\\' && d == 'N' && !r->tokens &&
                     !symbol_is_numbered(r))) { /* all but the newline, which is not mentioned */
        set = symbol_built_in(r, r->tokens || (c == '.' && r->dot_all) ? SYMBOL_ANY : SYMBOL_IN_LINE);
        if (c == '.' && r->crlf && set.count) add(r, &set, SYMBOL_OTHERS, '\r', '\r', column);
        symbol_advance(r, c == '.' ? 1 : 2);
        return set;
    }
    if (c == '[') {
        read_class(r, &set);
        return set;
    }
    if (r->tokens) {
        if (c != '<')
            symbol_refuse(r, column, "with tokens a letter is a word in angle brackets: <word>",
                          "expected '<', '[' or '.' where a token stands");
        read_word(r, &set);
        return set;
    }
    const struct named_class *named = c == '\\' && d ? escape_class(d, &set.negated) : NULL;
    if (named) {
        add_named(r, &set, named, plain_escape(d), column);
        symbol_advance(r, 2);
        return set;
    }
    set.negated = false;
    if (read_property(r, &set)) return set;
    uint32_t code = symbol_character(r);
    need_letter(r, code, column);
    add(r, &set, SYMBOL_LETTER, code, code, column);
    return set;
}

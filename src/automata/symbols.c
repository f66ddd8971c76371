#include "automata/symbols.h"

#include <string.h>

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
        if ((code < 0x20 && code != '\t') || code == 0x7F)
            trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line, column,
                            "write it with an escape, as \\n or \\x01", "%s has the control byte 0x%02X", what,
                            (unsigned)code);
        k += size;
    }
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(const symbol_reader *r, size_t column, const char *hint, const char *message) {
    trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line, column, hint, "%s", message);
}

static void add(const symbol_reader *r, symbol_set *set, symbol_use use, uint32_t low, uint32_t high, size_t column) {
    symbol_item item = {.use = use, .low = low ? low : 1, .high = high, .line = r->line, .column = column};
    if (item.low <= high) array_push(r->arena, set->items, set->count, set->capacity, item);
}

/* Named classes are of ASCII, whatever the locale: pairs of ends. */
static const struct named_class {
    const char *name;
    char escape; /* \d; 0: none */
    const char *ranges;
} named_classes[] = {{"digit", 'd', "09"},
                     {"word", 'w', "09AZ__az"},
                     {"space", 's', "\t\r  "},
                     {"alpha", 0, "AZaz"},
                     {"alnum", 0, "09AZaz"},
                     {"upper", 0, "AZ"},
                     {"lower", 0, "az"},
                     {"xdigit", 0, "09AFaf"},
                     {"blank", 0, "\t\t  "},
                     {"punct", 0, "!/:@[`{~"},
                     {"graph", 0, "!~"},
                     {"print", 0, " ~"},
                     {"cntrl", 0, "\x01\x1F\x7F\x7F"}};
enum { NAMED_CLASSES = sizeof named_classes / sizeof *named_classes };

static void add_named(const symbol_reader *r, symbol_set *set, const struct named_class *c, size_t column) {
    for (const char *p = c->ranges; *p; p += 2)
        add(r, set, SYMBOL_RANGE, (unsigned char)p[0], (unsigned char)p[1], column);
}

/* Inside a class: all characters but those of c. The ranges of a named class are in order. */
static void add_named_others(const symbol_reader *r, symbol_set *set, const struct named_class *c, size_t column) {
    uint32_t from = 1;
    for (const char *p = c->ranges; *p; p += 2) {
        add(r, set, SYMBOL_BARRED, (unsigned char)p[0], (unsigned char)p[1], column);
        add(r, set, SYMBOL_OTHERS, from, (uint32_t)(unsigned char)p[0] - 1, column);
        from = (uint32_t)(unsigned char)p[1] + 1;
    }
    add(r, set, SYMBOL_OTHERS, from, 0x10FFFF, column);
}

/* \d \w \s: the class and whether it is the capital's, which means all others. */
static const struct named_class *escape_class(char c, bool *others) {
    *others = c >= 'A' && c <= 'Z';
    for (size_t k = 0; k < NAMED_CLASSES; k++)
        if (named_classes[k].escape && named_classes[k].escape == (c | 0x20)) return &named_classes[k];
    return NULL;
}

/* What other tools mean by an escape of a letter or digit that is none here. */
static _Noreturn void refuse_escape(const symbol_reader *r) {
    static const struct {
        const char *letters, *what, *hint;
    } known[] = {
        {"123456789kg", "a back reference", "no automaton can compare two parts of a string with each other"},
        {"bB", "a word boundary", "say what stands there: a regular expression here matches the whole string"},
        {"<>", "a word boundary in some tools and a bracket in others", "the letters are '<' and '>'"},
        {"AZzG", "an anchor", "the whole string must match anyway; '^' and '$' may stand at its ends"},
        {"pPX", "a Unicode property", "name the characters: [a-zäöü]"},
        {"QE", "a quotation", "put a backslash before each character"},
        {"K", "a cut of the match", "the whole string must match"},
        {"RhHVN", "a class of another tool", "write the class out: [ \\t]"},
        {"c", "a control character by its letter", "write \\x01 to \\x1F"},
        {"0", "an octal escape", "write \\x41 or \\u{41}; the NUL character cannot be a letter"}};
    char c = symbol_look(r, 1);
    uint32_t code;
    size_t size = r->at + 1 < r->length ? 1 + utf8_decode(&code, r->bytes + r->at + 1, r->length - r->at - 1) : 1;
    const char *shown = text_escaped(r->arena, r->bytes + r->at, size, 0);
    for (size_t k = 0; c && k < sizeof known / sizeof *known; k++)
        if (strchr(known[k].letters, c))
            trap_raise_hint(r->arena->trap, TEMPER_UNSUPPORTED, r->line, r->column, known[k].hint,
                            "'%s' is %s, which is not supported", shown, known[k].what);
    trap_raise_hint(
        r->arena->trap, TEMPER_SYNTAX, r->line, r->column,
        "escapes are \\d \\w \\s \\D \\W \\S, \\n \\t \\r \\f \\v \\a \\e, \\x41, \\u{41}, and punctuation",
        c ? "'%s' is not a known escape" : "a backslash at the end of the expression", shown);
}

static uint32_t hex_digit(char c) {
    return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
           : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                  : 16;
}

/* \xHH \uHHHH \x{H...} \u{H...} */
static uint32_t read_hex(symbol_reader *r) {
    bool braces = symbol_look(r, 2) == '{';
    size_t start = braces ? 3 : 2, most = braces ? 6 : symbol_look(r, 1) == 'u' ? 4 : 2, k = start;
    uint32_t code = 0;
    for (; k - start < most && hex_digit(symbol_look(r, k)) < 16; k++)
        code = code * 16 + hex_digit(symbol_look(r, k));
    bool right = k > start && (braces ? symbol_look(r, k) == '}' : k - start == most);
    if (!right || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        refuse(r, r->column, "characters are \\x41, \\u00E9, \\x{E9} or \\u{1F600}",
               "this escape does not name a character");
    symbol_advance(r, k + braces);
    return code;
}

/* One character, perhaps escaped; classes have been looked for. 0: NUL, which only a range may begin with. */
static uint32_t read_character(symbol_reader *r) {
    static const char plain[] = "n\nt\tr\rf\fv\va\ae\x1B"; /* pairs: written, meant */
    uint32_t code = 0;
    if (symbol_look(r, 0) != '\\') {
        symbol_advance(r, utf8_decode(&code, r->bytes + r->at, r->length - r->at));
        return code;
    }
    char c = symbol_look(r, 1);
    if (c == 'x' || c == 'u') return read_hex(r);
    for (size_t k = 0; c && plain[k]; k += 2) {
        if (c != plain[k]) continue;
        symbol_advance(r, 2);
        return (unsigned char)plain[k + 1];
    }
    bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!c || word || ((c == '<' || c == '>') && !r->tokens)) refuse_escape(r);
    symbol_advance(r, 1);
    symbol_advance(r, utf8_decode(&code, r->bytes + r->at, r->length - r->at));
    return code;
}

static void need_letter(const symbol_reader *r, uint32_t code, size_t column) {
    if (!code) refuse(r, column, "a range may begin with it: [\\x00-\\x7F]", "the NUL character cannot be a letter");
}

/* <word>; \> and \\ inside */
static void read_word(symbol_reader *r, symbol_set *set) {
    size_t column = r->column;
    text word;
    text_init(&word, r->arena);
    symbol_advance(r, 1);
    while (symbol_look(r, 0) != '>') {
        if (!symbol_look(r, 0)) refuse(r, column, "a token is written <word>", "this '<' is never closed");
        if (symbol_look(r, 0) == ' ' || symbol_look(r, 0) == '\t')
            refuse(r, r->column, "strings are split into tokens at blanks, so it could never occur",
                   "a token holds a blank");
        size_t at = r->column;
        uint32_t code = read_character(r);
        char utf8[4];
        need_letter(r, code, at);
        text_add(&word, utf8, utf8_encode(utf8, code));
    }
    symbol_advance(r, 1);
    if (!word.length) refuse(r, column, "a token is written <word>", "'<>' names no token");
    symbol_item item = {.use = SYMBOL_LETTER,
                        .word = text_string(&word),
                        .word_length = word.length,
                        .line = r->line,
                        .column = column};
    array_push(r->arena, set->items, set->count, set->capacity, item);
}

/* [:alpha:] inside a class */
static void read_posix(symbol_reader *r, symbol_set *set) {
    size_t end = 2, column = r->column;
    while (symbol_look(r, end) >= 'a' && symbol_look(r, end) <= 'z') end++;
    bool closed = symbol_look(r, end) == ':' && symbol_look(r, end + 1) == ']';
    for (size_t k = 0; closed && k < NAMED_CLASSES; k++) {
        const struct named_class *c = &named_classes[k];
        if (strlen(c->name) != end - 2 || memcmp(c->name, r->bytes + r->at + 2, end - 2) != 0) continue;
        add_named(r, set, c, column);
        symbol_advance(r, end + 2);
        return;
    }
    refuse(
        r, column,
        "they are [:alpha:] digit alnum upper lower space blank punct print graph cntrl xdigit word; else write \\[",
        "'[:' inside a class begins the name of a class, and this is none");
}

static bool is_class_escape(const symbol_reader *r, size_t ahead) {
    bool others;
    char c = symbol_look(r, ahead + 1);
    return symbol_look(r, ahead) == '\\' && c && escape_class(c, &others);
}

/* element = CHARACTER | CHARACTER "-" CHARACTER | \d | [:alpha:] | <word> */
static void read_element(symbol_reader *r, symbol_set *set) {
    size_t column = r->column, start = r->at;
    char c = symbol_look(r, 0), d = symbol_look(r, 1);
    if (r->tokens) {
        if (c != '<')
            refuse(r, column, "with tokens a class holds words in angle brackets: [<req><ack>]",
                   "expected '<' in a class of tokens");
        read_word(r, set);
        return;
    }
    if (c == '[' && d == ':') {
        read_posix(r, set);
        return;
    }
    if (c == '[' && (d == '.' || d == '='))
        trap_raise_hint(r->arena->trap, TEMPER_UNSUPPORTED, r->line, column, "the letter '[' is written '\\['",
                        "'[%c' begins a collating element of POSIX, which is not supported", d);
    bool others;
    const struct named_class *named = c == '\\' && d ? escape_class(d, &others) : NULL;
    if (named) {
        (others ? add_named_others : add_named)(r, set, named, column);
        symbol_advance(r, 2);
        if (symbol_look(r, 0) == '-' && symbol_look(r, 1) != ']')
            refuse(r, r->column, "the letter '-' stands first or last, or is written '\\-'",
                   "a range cannot begin with a class");
        return;
    }
    uint32_t low = read_character(r), high = low;
    if (symbol_look(r, 0) != '-' || symbol_look(r, 1) == ']' || !symbol_look(r, 1)) {
        need_letter(r, low, column);
        add(r, set, SYMBOL_LETTER, low, low, column);
        return;
    }
    symbol_advance(r, 1);
    if (is_class_escape(r, 0) || (symbol_look(r, 0) == '[' && symbol_look(r, 1) == ':'))
        refuse(r, r->column, "the letter '-' stands first or last, or is written '\\-'",
               "a range cannot end with a class");
    high = read_character(r);
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
        while (r->tokens && symbol_look(r, 0) == ' ') symbol_advance(r, 1);
        if (!symbol_look(r, 0) || (r->tokens && symbol_look(r, 0) == ']')) break;
        read_element(r, set);
    }
    if (symbol_look(r, 0) != ']')
        refuse(r, column, "a class is [abc]; ']' right after '[' is a letter; the letter '[' is '\\['",
               "this class is never closed: expected ']'");
    if (!set->count) refuse(r, column, "any token is '.'", "the class names no tokens");
    symbol_advance(r, 1);
}

symbol_set symbol_read(symbol_reader *r) {
    symbol_set set = {0};
    size_t column = r->column;
    char c = symbol_look(r, 0), d = symbol_look(r, 1);
    if (c == '.') { /* all but the newline, which is not mentioned */
        set.negated = true;
        if (!r->tokens) add(r, &set, SYMBOL_OTHERS, '\n', '\n', column);
        symbol_advance(r, 1);
        return set;
    }
    if (c == '[') {
        read_class(r, &set);
        return set;
    }
    if (r->tokens) {
        if (c != '<')
            refuse(r, column, "with tokens a letter is a word in angle brackets: <word>",
                   "expected '<', '[' or '.' where a token stands");
        read_word(r, &set);
        return set;
    }
    const struct named_class *named = c == '\\' && d ? escape_class(d, &set.negated) : NULL;
    if (named) {
        add_named(r, &set, named, column);
        symbol_advance(r, 2);
        return set;
    }
    uint32_t code = read_character(r);
    need_letter(r, code, column);
    set.negated = false;
    add(r, &set, SYMBOL_LETTER, code, code, column);
    return set;
}

/* ---- meaning --------------------------------------------------------------------------------------------------- */

static bool is_member(const symbol_item *item, uint32_t code, const char *letter) {
    if (item->use == SYMBOL_BARRED) return false;
    if (item->word) return strcmp(item->word, letter) == 0;
    return item->low <= code && code <= item->high;
}

void symbol_members(unsigned char *member, const symbol_set *set, const alphabet *letters) {
    for (size_t k = 0; k < letters->count; k++) {
        uint32_t code = 0;
        if (!letters->tokens) utf8_decode(&code, letters->letters[k], strlen(letters->letters[k]));
        bool found = false;
        for (size_t i = 0; i < set->count && !found; i++)
            found = is_member(&set->items[i], code, letters->letters[k]);
        member[k] = found != set->negated;
    }
}

void symbol_each_mention(const symbol_set *set, bool single, symbol_mention *mention, void *context) {
    for (size_t i = 0; i < set->count; i++) {
        const symbol_item *item = &set->items[i];
        if (item->use == SYMBOL_OTHERS || (single && item->use != SYMBOL_LETTER)) continue;
        if (item->word) {
            mention(context, item->word, item->word_length, item->line, item->column);
            continue;
        }
        for (uint32_t code = item->low; code <= item->high; code++) {
            char utf8[4];
            if (code >= 0xD800 && code <= 0xDFFF) continue;
            mention(context, utf8, utf8_encode(utf8, code), item->line, item->column);
        }
    }
}

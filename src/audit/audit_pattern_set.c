/* Sets of letters in a regular expression: the letters of the model's alphabet that are meant. */
#include "audit/audit_pattern.h"

#include <string.h>

typedef struct letters_set {
    pattern_text *p;
    bool *has; /* [letters] */
} letters_set;

/* The character that a letter is; a letter of several characters, which no string can have, is none. */
static uint32_t code_of(const alphabet *letters, size_t letter) {
    uint32_t code = UINT32_MAX;
    size_t length = strlen(letters->letters[letter]);
    return utf8_decode(&code, letters->letters[letter], length) == length ? code : UINT32_MAX;
}

static void look_at_letters(pattern_text *p) {
    p->looked += p->letters->count + 1;
    if (p->looked > PATTERN_LETTERS)
        trap_raise(p->arena->trap, TEMPER_LIMIT, 0, 0, "a language has more sets of letters than are audited");
}

static void add_range(const letters_set *s, uint32_t low, uint32_t high) {
    look_at_letters(s->p);
    const alphabet *letters = s->p->letters;
    for (size_t k = 0; k < letters->count; k++) {
        uint32_t code = code_of(letters, k);
        if (code >= low && code <= high) s->has[k] = true;
    }
}

static void complement(const letters_set *s) {
    for (size_t k = 0; k < s->p->letters->count; k++) s->has[k] = !s->has[k];
}

bool *pattern_new_set(pattern_text *p) {
    look_at_letters(p);
    return arena_zalloc(p->arena, p->letters->count, sizeof(bool));
}

/* ---- named classes: ASCII only ---- */

typedef enum character_class {
    CLASS_DIGIT,
    CLASS_WORD,
    CLASS_SPACE,
    CLASS_ALPHA,
    CLASS_ALNUM,
    CLASS_UPPER,
    CLASS_LOWER,
    CLASS_XDIGIT,
    CLASS_BLANK,
    CLASS_PUNCT,
    CLASS_GRAPH,
    CLASS_PRINT,
    CLASS_CNTRL,
    NO_CLASS
} character_class;

static const char *const class_names[NO_CLASS] = {"[:digit:]", "[:word:]",  "[:space:]",  "[:alpha:]", "[:alnum:]",
                                                  "[:upper:]", "[:lower:]", "[:xdigit:]", "[:blank:]", "[:punct:]",
                                                  "[:graph:]", "[:print:]", "[:cntrl:]"};

static bool in_class(character_class class, uint32_t c) {
    bool digit = c >= '0' && c <= '9', upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    bool graph = c > ' ' && c < 0x7F, alnum = digit || upper || lower;
    switch (class) {
    case CLASS_DIGIT: return digit;
    case CLASS_WORD: return alnum || c == '_';
    case CLASS_SPACE: return c == ' ' || (c >= '\t' && c <= '\r');
    case CLASS_ALPHA: return upper || lower;
    case CLASS_ALNUM: return alnum;
    case CLASS_UPPER: return upper;
    case CLASS_LOWER: return lower;
    case CLASS_XDIGIT: return digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
    case CLASS_BLANK: return c == ' ' || c == '\t';
    case CLASS_PUNCT: return graph && !alnum;
    case CLASS_GRAPH: return graph;
    case CLASS_PRINT: return graph || c == ' ';
    case CLASS_CNTRL: return c < ' ' || c == 0x7F;
    case NO_CLASS: break;
    }
    return false;
}

static void add_class(const letters_set *s, character_class class, bool others) {
    look_at_letters(s->p);
    const alphabet *letters = s->p->letters;
    for (size_t k = 0; k < letters->count; k++)
        if (in_class(class, code_of(letters, k)) != others) s->has[k] = true;
}

/* \d \D \w \W \s \S */
static character_class escaped_class(const pattern_text *p, bool *others) {
    if (pattern_look(p, 0) != '\\') return NO_CLASS;
    char c = pattern_look(p, 1);
    *others = c == 'D' || c == 'W' || c == 'S';
    return c == 'd' || c == 'D'   ? CLASS_DIGIT
           : c == 'w' || c == 'W' ? CLASS_WORD
           : c == 's' || c == 'S' ? CLASS_SPACE
                                  : NO_CLASS;
}

/* Whether an escaped class stood here, and was added. */
static bool read_escaped_class(pattern_text *p, const letters_set *s) {
    bool others;
    character_class class = escaped_class(p, &others);
    if (class == NO_CLASS) return false;
    add_class(s, class, others);
    p->at += 2;
    return true;
}

/* ---- characters ---- */

static uint32_t read_hex(pattern_text *p, size_t digits) {
    bool braces = pattern_look(p, 0) == '{';
    size_t count = 0;
    uint32_t code = 0;
    if (braces) p->at++, digits = 6;
    for (; count < digits; count++, p->at++) {
        char c = pattern_look(p, 0), low = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code * 16 + (uint32_t)(c - '0');
        else if (low >= 'a' && low <= 'f')
            code = code * 16 + (uint32_t)(low - 'a' + 10);
        else
            break;
    }
    bool fine = braces ? count > 0 && pattern_look(p, 0) == '}' : count == digits;
    if (!fine || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) pattern_refuse(p, "no character");
    p->at += braces;
    return code;
}

static uint32_t read_plain(pattern_text *p) {
    uint32_t code;
    size_t size = utf8_decode(&code, p->bytes + p->at, p->length - p->at);
    if (!size) pattern_refuse(p, p->at < p->length ? "not valid UTF-8" : "it ends too early");
    p->at += size;
    return code;
}

static uint32_t read_character(pattern_text *p) {
    if (pattern_look(p, 0) != '\\') return read_plain(p);
    p->at++;
    char c = pattern_look(p, 0), low = (char)(c | 0x20);
    if (c == 'x' || c == 'u') {
        p->at++;
        return read_hex(p, c == 'x' ? 2 : 4);
    }
    if ((low >= 'a' && low <= 'z') || (c >= '0' && c <= '9')) {
        static const char names[] = "abefnrtv", codes[] = "\a\0\x1B\f\n\r\t\v"; /* \b is none */
        const char *found = c == 'b' ? NULL : strchr(names, c);
        if (!found) pattern_refuse(p, "this escape is not known");
        p->at++;
        return (unsigned char)codes[found - names];
    }
    if (!c || ((c == '<' || c == '>') && !p->letters->tokens)) pattern_refuse(p, "this escape is not known");
    return read_plain(p);
}

/* <word>, with escapes inside. */
static void read_word(pattern_text *p, const letters_set *s) {
    text word;
    text_init(&word, p->arena);
    if (pattern_look(p, 0) != '<') pattern_refuse(p, "a word in angle brackets should stand here");
    p->at++;
    while (pattern_look(p, 0) != '>') {
        char utf8[4];
        if (pattern_look(p, 0) == ' ' || pattern_look(p, 0) == '\t') pattern_refuse(p, "a word with a blank");
        uint32_t code = read_character(p);
        if (!code) pattern_refuse(p, "a NUL character");
        text_add(&word, utf8, utf8_encode(utf8, code));
    }
    p->at++;
    uint32_t letter = alphabet_find(p->letters, text_string(&word), word.length);
    if (letter != UINT32_MAX) s->has[letter] = true;
}

/* ---- classes ---- */

static void read_named(pattern_text *p, const letters_set *s) {
    character_class class = CLASS_DIGIT;
    while (class != NO_CLASS && !pattern_has(p, class_names[class])) class ++;
    if (class == NO_CLASS) pattern_refuse(p, "there is no class of this name");
    add_class(s, class, false);
    p->at += strlen(class_names[class]);
}

/* A "-" before the end of a class is a letter. */
static bool is_range(const pattern_text *p) { return pattern_has(p, "-") && !pattern_has(p, "-]"); }

static void read_range(pattern_text *p, const letters_set *s) {
    bool others;
    if (read_escaped_class(p, s)) {
        if (is_range(p)) pattern_refuse(p, "a range that begins with a class");
        return;
    }
    uint32_t low = read_character(p), high = low;
    if (is_range(p)) {
        p->at++;
        if (escaped_class(p, &others) != NO_CLASS || pattern_has(p, "[:"))
            pattern_refuse(p, "a range that ends with a class");
        high = read_character(p);
    } else if (!low) {
        pattern_refuse(p, "a NUL character");
    }
    if (low > high) pattern_refuse(p, "a range whose ends are in the wrong order");
    add_range(s, low, high);
}

static void read_class(pattern_text *p, const letters_set *s) {
    bool tokens = p->letters->tokens, negated;
    p->at++;
    negated = pattern_look(p, 0) == '^';
    p->at += negated;
    for (bool first = true;; first = false) {
        while (tokens && pattern_look(p, 0) == ' ') p->at++;
        char c = pattern_look(p, 0);
        if (!c) pattern_refuse(p, "a class is never closed");
        if (c == ']' && first && tokens) pattern_refuse(p, "a class without words");
        if (c == ']' && !first) break;
        if (tokens)
            read_word(p, s);
        else if (pattern_has(p, "[:"))
            read_named(p, s);
        else if (pattern_has(p, "[.") || pattern_has(p, "[="))
            pattern_refuse(p, "a collating element");
        else
            read_range(p, s);
    }
    p->at++;
    if (negated) complement(s);
}

bool *pattern_read_set(pattern_text *p) {
    letters_set s = {p, pattern_new_set(p)};
    char c = pattern_look(p, 0);
    if (c == '.') { /* all but the newline */
        if (!p->letters->tokens) add_range(&s, '\n', '\n');
        complement(&s);
        p->at++;
    } else if (c == '[') {
        read_class(p, &s);
    } else if (p->letters->tokens) {
        read_word(p, &s);
    } else if (!read_escaped_class(p, &s)) {
        uint32_t code = read_character(p);
        if (!code) pattern_refuse(p, "a NUL character");
        add_range(&s, code, code);
    }
    return s.has;
}

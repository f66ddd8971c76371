/* Sets of letters in a regular expression: the letters of the model's alphabet that are meant. */
#include "audit/audit_pattern.h"

#include <string.h>

typedef struct letters_set {
    pattern_text *p;
    uint64_t *bits;
} letters_set;

static void add_letter(const letters_set *s, size_t letter) { s->bits[letter / 64] |= (uint64_t)1 << (letter % 64); }

/* The character that a letter is; a letter of several characters, which no string can have, is none. */
static uint32_t code_of(const alphabet *letters, size_t letter) {
    uint32_t code = 0;
    size_t length = strlen(letters->letters[letter]);
    return utf8_decode(&code, letters->letters[letter], length) == length ? code : UINT32_MAX;
}

/* Every set, range and class goes through the alphabet; a hostile text must not make that too many. */
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
        if (code >= low && code <= high) add_letter(s, k);
    }
}

static void complement(const letters_set *s) {
    for (size_t k = 0; k < s->p->letters->count; k++) s->bits[k / 64] ^= (uint64_t)1 << (k % 64);
}

static letters_set new_set(pattern_text *p) {
    look_at_letters(p);
    return (letters_set){p, arena_zalloc(p->arena, (p->letters->count + 63) / 64, sizeof(uint64_t))};
}

/* ---- named classes: ASCII only ---- */

static bool in_class(const char *name, uint32_t c) {
    bool digit = c >= '0' && c <= '9', upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    bool graph = c > ' ' && c < 0x7F, alnum = digit || upper || lower;
    static const char *const names[] = {"digit",  "word",  "space", "alpha", "alnum", "upper", "lower",
                                        "xdigit", "blank", "punct", "graph", "print", "cntrl"};
    size_t k = 0;
    while (strcmp(names[k], name) != 0) k++;
    switch (k) {
    case 0: return digit;
    case 1: return alnum || c == '_';
    case 2: return c == ' ' || (c >= 9 && c <= 13);
    case 3: return upper || lower;
    case 4: return alnum;
    case 5: return upper;
    case 6: return lower;
    case 7: return digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
    case 8: return c == ' ' || c == '\t';
    case 9: return graph && !alnum;
    case 10: return graph;
    case 11: return graph || c == ' ';
    default: return c < 0x20 || c == 0x7F;
    }
}

static bool is_class_name(const char *name, size_t length) {
    static const char all[] = " digit word space alpha alnum upper lower xdigit blank punct graph print cntrl ";
    const char *at = all;
    for (; (at = strchr(at, ' ')) && at[1]; at++)
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ') return true;
    return false;
}

static void add_class(const letters_set *s, const char *name, bool others) {
    look_at_letters(s->p);
    const alphabet *letters = s->p->letters;
    for (size_t k = 0; k < letters->count; k++)
        if (in_class(name, code_of(letters, k)) != others) add_letter(s, k);
}

/* \d \D \w \W \s \S: the name of the class; NULL: it is none. */
static const char *escaped_class(const pattern_text *p, bool *others) {
    if (pattern_look(p, 0) != '\\') return NULL;
    char c = pattern_look(p, 1);
    *others = c == 'D' || c == 'W' || c == 'S';
    return c == 'd' || c == 'D' ? "digit" : c == 'w' || c == 'W' ? "word" : c == 's' || c == 'S' ? "space" : NULL;
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
    if (!size) pattern_refuse(p, "not valid UTF-8");
    p->at += size;
    return code;
}

static uint32_t read_character(pattern_text *p) {
    if (p->at >= p->length) pattern_refuse(p, "it ends too early");
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
    if (letter != UINT32_MAX) add_letter(s, letter);
}

/* ---- classes ---- */

static void read_named(pattern_text *p, const letters_set *s) {
    size_t start = p->at + 2, end = start;
    while (end < p->length && p->bytes[end] >= 'a' && p->bytes[end] <= 'z') end++;
    bool closed = end + 1 < p->length && p->bytes[end] == ':' && p->bytes[end + 1] == ']';
    if (!closed || !is_class_name(p->bytes + start, end - start)) pattern_refuse(p, "there is no class of this name");
    add_class(s, arena_copy(p->arena, p->bytes + start, end - start), false);
    p->at = end + 2;
}

static void read_range(pattern_text *p, const letters_set *s) {
    bool others;
    if (escaped_class(p, &others)) {
        add_class(s, escaped_class(p, &others), others);
        p->at += 2;
        if (pattern_look(p, 0) == '-' && pattern_look(p, 1) != ']')
            pattern_refuse(p, "a range that begins with a class");
        return;
    }
    uint32_t low = read_character(p), high = low;
    if (pattern_look(p, 0) == '-' && pattern_look(p, 1) && pattern_look(p, 1) != ']') {
        p->at++;
        if (escaped_class(p, &others) || (pattern_look(p, 0) == '[' && pattern_look(p, 1) == ':'))
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
        char c = pattern_look(p, 0), d = pattern_look(p, 1);
        if (p->at >= p->length) pattern_refuse(p, "a class is never closed");
        if (c == ']' && first && tokens) pattern_refuse(p, "a class without words");
        if (c == ']' && !first) break;
        if (tokens)
            read_word(p, s);
        else if (c == '[' && d == ':')
            read_named(p, s);
        else if (c == '[' && (d == '.' || d == '='))
            pattern_refuse(p, "a collating element");
        else
            read_range(p, s);
    }
    p->at++;
    if (negated) complement(s);
}

uint64_t *pattern_read_set(pattern_text *p) {
    letters_set s = new_set(p);
    bool others;
    char c = pattern_look(p, 0);
    if (c == '.') { /* all but the newline */
        if (!p->letters->tokens) add_range(&s, '\n', '\n');
        complement(&s);
        p->at++;
    } else if (c == '[') {
        read_class(p, &s);
    } else if (p->letters->tokens) {
        read_word(p, &s);
    } else if (escaped_class(p, &others)) {
        add_class(&s, escaped_class(p, &others), others);
        p->at += 2;
    } else {
        uint32_t code = read_character(p);
        if (!code) pattern_refuse(p, "a NUL character");
        add_range(&s, code, code);
    }
    return s.bits;
}

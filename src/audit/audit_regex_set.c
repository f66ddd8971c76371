/* Sets of letters in a regular expression: the letters of the model's alphabet that are meant. */
#include "audit/audit_regex.h"

#include <string.h>

#include "base/case_fold.h"
#include "base/property.h"
#include "base/work.h"

typedef struct letters_set {
    audit_regex_text *p;
    bool *has; /* [letters] */
} letters_set;

/* The character that a letter is; a letter of several characters, which no string can have, is none. */
static uint32_t code_of(const alphabet *letters, size_t letter) {
    uint32_t code = UINT32_MAX;
    size_t length = strlen(letters->letters[letter]);
    return utf8_decode(&code, letters->letters[letter], length) == length ? code : UINT32_MAX;
}

static void look_at_letters(audit_regex_text *p) {
    p->looked += p->letters->count + 1;
    if (p->looked > work_limit(AUDIT_REGEX_LETTERS))
        trap_raise_remedy(p->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a language has more sets of letters than are audited");
}

/* Whether a letter, or one that differs from it by case where that does not matter, passes the test. */
typedef bool code_test(const void *context, uint32_t code);
static bool some_case(const audit_regex_text *p, size_t letter, code_test *test, const void *context) {
    uint32_t code = code_of(p->letters, letter), cases[CASE_ORBIT];
    if (!p->flags.any_case) return test(context, code);
    bool found = false;
    for (size_t k = case_orbit(cases, code, p->flags.ascii); k-- > 0;)
        found |= (!p->flags.apart || (cases[k] < 0x80) == (code < 0x80)) && test(context, cases[k]);
    return found;
}

static bool is_between(const void *context, uint32_t code) {
    const uint32_t *ends = context;
    return code >= ends[0] && code <= ends[1];
}

static void add_range(const letters_set *s, uint32_t low, uint32_t high) {
    const uint32_t ends[2] = {low, high};
    look_at_letters(s->p);
    for (size_t k = 0; k < s->p->letters->count; k++) s->has[k] |= some_case(s->p, k, is_between, ends);
}

void audit_regex_complement(const audit_regex_text *p, bool *set) {
    for (size_t k = 0; k < p->letters->count; k++) set[k] = !set[k];
}

bool *audit_regex_new_set(audit_regex_text *p) {
    look_at_letters(p);
    return arena_zalloc(p->arena, p->letters->count, sizeof(bool));
}

bool *audit_regex_ranges_set(audit_regex_text *p, const uint32_t *pairs) {
    letters_set s = {p, audit_regex_new_set(p)};
    for (; *pairs; pairs += 2) add_range(&s, pairs[0], pairs[1]);
    return s.has;
}

/* ---- named classes: ASCII only, but for those of PCRE2 ---- */

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
    CLASS_ASCII,
    CLASS_HORIZONTAL,
    CLASS_VERTICAL,
    NO_CLASS
} character_class;

static const char *const class_names[NO_CLASS] = {
    "[:digit:]", "[:word:]",  "[:space:]", "[:alpha:]", "[:alnum:]", "[:upper:]", "[:lower:]", "[:xdigit:]",
    "[:blank:]", "[:punct:]", "[:graph:]", "[:print:]", "[:cntrl:]", "[:ascii:]", "",          ""};

static bool in_class(const void *context, uint32_t c) {
    character_class class = *(const character_class *)context;
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
    case CLASS_ASCII: return c < 0x80;
    case CLASS_HORIZONTAL:
        return c == ' ' || c == '\t' || c == 0xA0 || c == 0x1680 || c == 0x180E || (c >= 0x2000 && c <= 0x200A) ||
               c == 0x202F || c == 0x205F || c == 0x3000;
    case CLASS_VERTICAL: return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
    case NO_CLASS: break;
    }
    return false;
}

static bool has_property(const void *context, uint32_t code) { return property_has(context, code); }

/* Letters that have a property, or not. (?i) matters to categories and scripts only, which RE2 has. */
static void add_property(const letters_set *s, const property *p, bool others) {
    bool any_case = s->p->flags.any_case;
    if (p->kind != PROPERTY_CATEGORY && p->kind != PROPERTY_SCRIPT) s->p->flags.any_case = false;
    s->p->looked += property_cost(p) * s->p->letters->count; /* the table is read from its beginning */
    look_at_letters(s->p);
    for (size_t k = 0; k < s->p->letters->count; k++)
        if (some_case(s->p, k, has_property, p) != others) s->has[k] = true;
    s->p->flags.any_case = any_case;
}

/* The class of Unicode that has this name; with (?i) its case does not matter. */
static void add_unicode_class(const letters_set *s, character_class class, bool others) {
    property p;
    bool cased = s->p->flags.any_case && (class == CLASS_UPPER || class == CLASS_LOWER);
    const char *name = class_names[class] + 2;
    if (!(cased ? property_find(&p, PROPERTY_CATEGORY, "cased letter", strlen("cased letter"))
                : property_find(&p, PROPERTY_CLASS, name, strcspn(name, ":"))))
        audit_regex_refuse(s->p, "a class of Unicode that is not known");
    add_property(s, &p, others);
}

static void add_class(const letters_set *s, character_class class, bool plain, bool others) {
    if (s->p->flags.unicode && class < CLASS_HORIZONTAL && !plain) {
        add_unicode_class(s, class, others);
        return;
    }
    look_at_letters(s->p);
    for (size_t k = 0; k < s->p->letters->count; k++)
        if (some_case(s->p, k, in_class, &class) != others) s->has[k] = true;
}

bool *audit_regex_word_set(audit_regex_text *p) {
    letters_set s = {p, audit_regex_new_set(p)};
    bool any_case = p->flags.any_case;
    p->flags.any_case = false;
    add_class(&s, CLASS_WORD, p->flags.plain_w, false);
    p->flags.any_case = any_case;
    return s.has;
}

/* \d \D \w \W \s \S \h \H \V; \v is a character */
static character_class escaped_class(const audit_regex_text *p, bool *others) {
    if (audit_regex_look(p, 0) != '\\') return NO_CLASS;
    char c = audit_regex_look(p, 1);
    *others = c == 'D' || c == 'W' || c == 'S' || c == 'H' || c == 'V';
    return c == 'd' || c == 'D'   ? CLASS_DIGIT
           : c == 'w' || c == 'W' ? CLASS_WORD
           : c == 's' || c == 'S' ? CLASS_SPACE
           : c == 'h' || c == 'H' ? CLASS_HORIZONTAL
           : c == 'V'             ? CLASS_VERTICAL
                                  : NO_CLASS;
}

/* Whether an escaped class stood here, and was added. */
static bool read_escaped_class(audit_regex_text *p, const letters_set *s) {
    bool others;
    character_class class = escaped_class(p, &others);
    if (class == NO_CLASS) return false;
    const audit_regex_flags *f = &p->flags;
    add_class(s, class, class == CLASS_DIGIT ? f->plain_d : class == CLASS_SPACE ? f->plain_s : f->plain_w, others);
    p->at += 2;
    return true;
}

/* ---- properties ---- */

static bool take_blank(audit_regex_text *p) {
    bool blank = audit_regex_has(p, " ") || audit_regex_has(p, "\t");
    p->at += blank;
    return blank;
}

/* NAME, or KIND:NAME or KIND=NAME, of `length` bytes. */
static bool find_property(property *out, const char *written, size_t length) {
    static const char *const kinds[] = {"gc",  "General Category",      "sc", "Script",
                                        "scx", "Script Extensions",     "bc", "Bidi Class",
                                        "gcb", "Grapheme Cluster Break"};
    static const property_kind meant[] = {PROPERTY_CATEGORY, PROPERTY_SCRIPT, PROPERTY_EXTENSIONS, PROPERTY_BIDI,
                                          PROPERTY_BREAK};
    size_t kind_length = 0;
    while (kind_length < length && !strchr(":=", written[kind_length])) kind_length++;
    if (kind_length == length)
        return property_find(out, PROPERTY_CATEGORY, written, length) ||
               property_find(out, PROPERTY_SCRIPT, written, length) ||
               property_find(out, PROPERTY_BINARY, written, length);
    const char *name = written + kind_length + 1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (property_same_name(kinds[k], strlen(kinds[k]), written, kind_length))
            return property_find(out, meant[k / 2], name, length - kind_length - 1);
    return false;
}

/* \pL \PL \p{Lu} \p{^Lu} \p{gc=Lu}; false: none of them. */
static bool read_property(audit_regex_text *p, const letters_set *s) {
    bool others = audit_regex_has(p, "\\P"), braces = audit_regex_look(p, 2) == '{';
    property found;
    if (!others && !audit_regex_has(p, "\\p")) return false;
    p->at += 2 + braces;
    while (braces && take_blank(p)) continue;
    if (braces && audit_regex_has(p, "^")) others = !others, p->at++;
    size_t length = braces ? 0 : 1;
    while (braces && audit_regex_look(p, length) && audit_regex_look(p, length) != '}') length++;
    if (p->length - p->at < length + braces || !find_property(&found, p->bytes + p->at, length))
        audit_regex_refuse(p, "no property of characters");
    add_property(s, &found, others);
    p->at += length + braces;
    return true;
}

/* ---- characters ---- */

/* Digits of base 16, so many, or in braces; 0: in braces behind U+. */
static uint32_t read_hex(audit_regex_text *p, size_t digits) {
    bool braces = audit_regex_look(p, 0) == '{';
    size_t count = 0;
    uint32_t code = 0;
    p->at += braces;
    while (braces && take_blank(p)) continue;
    if (!digits) p->at += strlen("U+");
    for (; count < (braces ? 8 : digits); count++, p->at++) {
        char c = audit_regex_look(p, 0), low = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = code * 16 + (uint32_t)(c - '0');
        else if (low >= 'a' && low <= 'f')
            code = code * 16 + (uint32_t)(low - 'a' + 10);
        else
            break;
    }
    while (braces && take_blank(p)) continue;
    bool fine = braces ? count > 0 && audit_regex_look(p, 0) == '}' : count == digits;
    if (!fine || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) audit_regex_refuse(p, "no character");
    p->at += braces;
    return code;
}

bool audit_regex_is_numbered(const audit_regex_text *p) {
    size_t k = 3;
    if (!audit_regex_has(p, "\\N{")) return false;
    while (audit_regex_look(p, k) == ' ' || audit_regex_look(p, k) == '\t') k++;
    return audit_regex_look(p, k) == 'U' && audit_regex_look(p, k + 1) == '+';
}

static uint32_t read_plain(audit_regex_text *p) {
    uint32_t code;
    size_t size = utf8_decode(&code, p->bytes + p->at, p->length - p->at);
    if (!size) audit_regex_refuse(p, p->at < p->length ? "not valid UTF-8" : "it ends too early");
    p->at += size;
    return code;
}

/* Digits of base 8 behind \0, or in braces behind \o. */
static uint32_t read_octal(audit_regex_text *p) {
    bool braces = audit_regex_look(p, 0) == 'o';
    uint32_t code = 0;
    size_t count = 0, most = braces ? 7 : 2;
    p->at++;
    if (braces && audit_regex_look(p, 0) != '{') audit_regex_refuse(p, "no character");
    p->at += braces;
    while (braces && take_blank(p)) continue;
    for (; count < most && audit_regex_look(p, 0) >= '0' && audit_regex_look(p, 0) <= '7'; count++, p->at++)
        code = code * 8 + (uint32_t)(audit_regex_look(p, 0) - '0');
    while (braces && take_blank(p)) continue;
    if ((braces && (!count || audit_regex_look(p, 0) != '}')) || code > 0x10FFFF ||
        (code >= 0xD800 && code <= 0xDFFF))
        audit_regex_refuse(p, "no character");
    p->at += braces;
    return code;
}

/* \cA is 1; also of other printable characters. */
static uint32_t read_control(audit_regex_text *p) {
    char c = audit_regex_look(p, 1);
    if (c <= ' ' || c > '~') audit_regex_refuse(p, "no character");
    p->at += 2;
    return (uint32_t)(c >= 'a' && c <= 'z' ? c & ~0x20 : c) ^ 0x40;
}

static uint32_t read_character(audit_regex_text *p) {
    if (audit_regex_look(p, 0) != '\\') {
        uint32_t code = read_plain(p);
        if (code == '\n' || code == '\r') audit_regex_refuse(p, "a second line");
        return code;
    }
    if (audit_regex_is_numbered(p)) {
        p->at += 2;
        return read_hex(p, 0);
    }
    p->at++;
    char c = audit_regex_look(p, 0), low = (char)(c | 0x20);
    if (c == 'x' || c == 'u') {
        p->at++;
        return read_hex(p, c == 'x' ? 2 : 4);
    }
    if (c == '0' || c == 'o') return read_octal(p);
    if (c == 'c') return read_control(p);
    if ((low >= 'a' && low <= 'z') || (c >= '0' && c <= '9')) {
        static const char names[] = "abefnrtv", codes[] = "\a\0\x1B\f\n\r\t\v"; /* \b is none */
        const char *found = c == 'b' ? NULL : strchr(names, c);
        if (!found) audit_regex_refuse(p, "this escape is not known");
        p->at++;
        return (unsigned char)codes[found - names];
    }
    if (!c || ((c == '<' || c == '>') && !p->letters->tokens)) audit_regex_refuse(p, "this escape is not known");
    return read_plain(p);
}

/* <word>, with escapes inside. */
static void read_word(audit_regex_text *p, const letters_set *s) {
    text word;
    text_init(&word, p->arena);
    if (audit_regex_look(p, 0) != '<') audit_regex_refuse(p, "a word in angle brackets should stand here");
    p->at++;
    while (audit_regex_look(p, 0) != '>') {
        char utf8[4];
        if (audit_regex_look(p, 0) == ' ' || audit_regex_look(p, 0) == '\t')
            audit_regex_refuse(p, "a word with a blank");
        uint32_t code = read_character(p);
        if (!code) audit_regex_refuse(p, "a NUL character");
        text_add(&word, utf8, utf8_encode(utf8, code));
    }
    p->at++;
    uint32_t letter = alphabet_find(p->letters, text_string(&word), word.length);
    if (letter != UINT32_MAX) s->has[letter] = true;
}

/* ---- classes ---- */

/* [:name:], or [.x.] and [=x=], which are not known; "[" alone is a letter. */
static bool is_bracketed(const audit_regex_text *p) {
    char kind = audit_regex_look(p, 1);
    if (!audit_regex_has(p, "[:") && !audit_regex_has(p, "[.") && !audit_regex_has(p, "[=")) return false;
    for (size_t k = 2;; k++) {
        char c = audit_regex_look(p, k);
        if (c == kind) return audit_regex_look(p, k + 1) == ']';
        if (!c || c == '[' || c == ']' || c == '\\') return false;
    }
}

static void read_named(audit_regex_text *p, const letters_set *s) {
    character_class class = CLASS_DIGIT;
    bool others = audit_regex_has(p, "[:^");
    if (!audit_regex_has(p, "[:")) audit_regex_refuse(p, "a collating element");
    p->at += 2 + others;
    while (class != CLASS_HORIZONTAL && !audit_regex_has(p, class_names[class] + 2)) class ++;
    if (class == CLASS_HORIZONTAL) audit_regex_refuse(p, "there is no class of this name");
    bool digits = class == CLASS_DIGIT || class == CLASS_XDIGIT;
    add_class(s, class, p->flags.plain_posix || (digits && p->flags.plain_digits), others);
    p->at += strlen(class_names[class]) - 2;
}

/* In a class \b is the backspace, and a digit but 0, 8 and 9 begins an octal code. */
static uint32_t read_member(audit_regex_text *p) {
    if (audit_regex_has(p, "\\") && audit_regex_look(p, 1) >= '1' && audit_regex_look(p, 1) <= '7') {
        uint32_t code = 0;
        p->at++;
        for (size_t k = 0; k < 3 && audit_regex_look(p, 0) >= '0' && audit_regex_look(p, 0) <= '7'; k++, p->at++)
            code = code * 8 + (uint32_t)(audit_regex_look(p, 0) - '0');
        return code;
    }
    if (!audit_regex_has(p, "\\b")) return read_character(p);
    p->at += 2;
    return '\b';
}

static void add_quoted(audit_regex_text *p, const letters_set *s) {
    uint32_t code = read_plain(p);
    if (code == '\n' || code == '\r') audit_regex_refuse(p, "a second line");
    add_range(s, code, code);
}

bool *audit_regex_read_quoted(audit_regex_text *p) {
    letters_set s = {p, audit_regex_new_set(p)};
    add_quoted(p, &s);
    return s.has;
}

/* Blanks that do not count, and quotations of nothing. */
static void skip_in_class(audit_regex_text *p) {
    bool tokens = p->letters->tokens, blanks = p->flags.free_classes;
    for (size_t size = 1; size; p->at += size)
        size = (audit_regex_has(p, " ") && (tokens || blanks)) || (audit_regex_has(p, "\t") && blanks) ? 1
               : !tokens && audit_regex_has(p, "\\E")                                                  ? 2
               : !tokens && audit_regex_has(p, "\\Q\\E")                                               ? 4
                                                                                                       : 0;
}

/* A "-" before the end of a class is a letter. */
static bool is_range(const audit_regex_text *p) { return audit_regex_has(p, "-") && !audit_regex_has(p, "-]"); }

/* Takes the "-" of a range, with what means nothing around it. */
static bool take_dash(audit_regex_text *p) {
    size_t start = p->at;
    skip_in_class(p);
    bool range = is_range(p) && audit_regex_look(p, 1);
    if (range) p->at++, skip_in_class(p);
    if (range && !audit_regex_has(p, "]") && audit_regex_look(p, 0)) return true;
    return p->at = start, false;
}

/* \Q...\E in a class. */
static bool read_quotation(audit_regex_text *p, const letters_set *s) {
    if (!audit_regex_has(p, "\\Q")) return false;
    p->at += 2;
    while (audit_regex_look(p, 0) && !audit_regex_has(p, "\\E")) add_quoted(p, s);
    if (audit_regex_look(p, 0)) p->at += 2;
    if (is_range(p)) audit_regex_refuse(p, "a range that begins with a quotation");
    return true;
}

static void read_range(audit_regex_text *p, const letters_set *s) {
    bool others;
    if (read_escaped_class(p, s)) {
        if (is_range(p)) audit_regex_refuse(p, "a range that begins with a class");
        return;
    }
    if (read_property(p, s)) return;
    uint32_t low = read_member(p), high = low;
    if (take_dash(p)) {
        if (escaped_class(p, &others) != NO_CLASS || is_bracketed(p))
            audit_regex_refuse(p, "a range that ends with a class");
        high = read_member(p);
    } else if (!low) {
        audit_regex_refuse(p, "a NUL character");
    }
    if (low > high) audit_regex_refuse(p, "a range whose ends are in the wrong order");
    add_range(s, low, high);
}

static void read_class(audit_regex_text *p, const letters_set *s) {
    bool tokens = p->letters->tokens, negated;
    p->at++;
    negated = audit_regex_look(p, 0) == '^';
    p->at += negated;
    for (bool first = true;; first = false) {
        skip_in_class(p);
        char c = audit_regex_look(p, 0);
        if (!c) audit_regex_refuse(p, "a class is never closed");
        if (c == ']' && first && tokens) audit_regex_refuse(p, "a class without words");
        if (c == ']' && !first) break;
        if (tokens)
            read_word(p, s);
        else if (is_bracketed(p))
            read_named(p, s);
        else if (!read_quotation(p, s))
            read_range(p, s);
    }
    p->at++;
    if (negated) audit_regex_complement(p, s->has);
}

bool *audit_regex_read_set(audit_regex_text *p) {
    letters_set s = {p, audit_regex_new_set(p)};
    char c = audit_regex_look(p, 0);
    if (c == '.' ||
        (audit_regex_has(p, "\\N") && !p->letters->tokens && !audit_regex_is_numbered(p))) { /* all but the newline */
        if (!p->letters->tokens && (c != '.' || !p->flags.dot_newline)) add_range(&s, '\n', '\n');
        if (!p->letters->tokens && c == '.' && !p->flags.dot_newline && p->flags.crlf) add_range(&s, '\r', '\r');
        audit_regex_complement(p, s.has);
        p->at += c == '.' ? 1 : 2;
    } else if (c == '[') {
        read_class(p, &s);
    } else if (p->letters->tokens) {
        read_word(p, &s);
    } else if (!read_escaped_class(p, &s) && !read_property(p, &s)) {
        uint32_t code = read_character(p);
        if (!code) audit_regex_refuse(p, "a NUL character");
        add_range(&s, code, code);
    }
    return s.has;
}

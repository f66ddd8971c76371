#include "automata/symbol_character.h"

#include <string.h>

_Noreturn void symbol_refuse(const symbol_reader *r, size_t column, const char *hint, const char *message) {
    trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line, column, hint, "%s", message);
}

/* What other tools mean by an escape of a letter or digit that is none here. */
static _Noreturn void refuse_escape(const symbol_reader *r) {
    static const struct {
        const char *letters, *what, *hint;
    } known[] = {
        {"123456789kg", "a back reference", "no automaton can compare two parts of a string with each other"},
        {"B", "a word boundary inside a class", "outside of classes it is one"},
        {"<>", "a word boundary in some tools and a bracket in others", "the letters are '<' and '>'"},
        {"AZz", "an anchor inside a class", "outside of classes it is one"},
        {"G", "where the last match ended", "there is one match, of the whole string; its beginning is \\A"},
        {"X", "a character with its marks inside a class", "outside of classes it is one"},
        {"Q", "a quotation at the end of a range", "put a backslash before the character"},
        {"K", "a cut of the match", "the whole string must match"},
        {"R", "an end of a line inside a class", "name them: [\\r\\n]"},
        {"N", "'all but the newline' inside a class", "write [^\\n], or \\N alone"},
        {"C", "one byte of a character", "letters are characters; any of them is (?s:.)"}};
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
        "escapes are \\d \\w \\s \\h \\D \\W \\S \\H, \\n \\t \\r \\f \\v \\a \\e, \\x41, \\u{41}, and punctuation",
        c ? "'%s' is not a known escape" : "a backslash at the end of the expression", shown);
}

static uint32_t hex_digit(char c) {
    return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
           : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                  : 16;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Where the digits of \x{...} begin or end: behind blanks. */
static size_t behind_blanks(const symbol_reader *r, size_t k) {
    while (is_blank(symbol_look(r, k))) k++;
    return k;
}

bool symbol_is_numbered(const symbol_reader *r) {
    if (symbol_look(r, 0) != '\\' || symbol_look(r, 1) != 'N' || symbol_look(r, 2) != '{') return false;
    size_t k = behind_blanks(r, 3);
    return symbol_look(r, k) == 'U' && symbol_look(r, k + 1) == '+';
}

/* \xHH \uHHHH \x{H...} \u{H...} \N{U+H...} */
static uint32_t read_hex(symbol_reader *r) {
    bool braces = symbol_look(r, 2) == '{';
    size_t start = braces ? behind_blanks(r, 3) : 2, most = braces ? 8 : symbol_look(r, 1) == 'u' ? 4 : 2;
    uint32_t code = 0;
    if (symbol_look(r, 1) == 'N') start += strlen("U+");
    size_t k = start;
    for (; k - start < most && hex_digit(symbol_look(r, k)) < 16; k++)
        code = code * 16 + hex_digit(symbol_look(r, k));
    size_t end = braces ? behind_blanks(r, k) : k;
    bool right = k > start && (braces ? symbol_look(r, end) == '}' : k - start == most);
    if (!right || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        symbol_refuse(r, r->column, "characters are \\x41, \\u00E9, \\x{E9} or \\u{1F600}",
                      "this escape does not name a character");
    symbol_advance(r, end + braces);
    return code;
}

/* \0 and up to two octal digits, \o{...}, \cA. */
static uint32_t read_other_code(symbol_reader *r) {
    char c = symbol_look(r, 1), d = symbol_look(r, 2);
    uint32_t code = 0;
    if (c == 'c') {
        if (d <= ' ' || d > '~')
            symbol_refuse(r, r->column, "it is \\cA to \\cZ, and the like", "no control character");
        symbol_advance(r, 3);
        return (uint32_t)(d >= 'a' && d <= 'z' ? d - 'a' + 'A' : d) ^ 0x40;
    }
    bool braces = c == 'o';
    size_t start = braces ? behind_blanks(r, 3) : 2, k = start, most = braces ? 7 : 2;
    for (; k - start < most && symbol_look(r, k) >= '0' && symbol_look(r, k) <= '7'; k++)
        code = code * 8 + (uint32_t)(symbol_look(r, k) - '0');
    size_t end = braces ? behind_blanks(r, k) : k;
    if ((braces && (d != '{' || k == start || symbol_look(r, end) != '}')) || code > 0x10FFFF ||
        (code >= 0xD800 && code <= 0xDFFF))
        symbol_refuse(r, r->column, "octal codes are \\033 and \\o{33}", "this escape does not name a character");
    symbol_advance(r, end + braces);
    return code;
}

void symbol_need_line(const symbol_reader *r, uint32_t code) {
    if (code == '\n' || code == '\r')
        trap_raise_hint(r->arena->trap, TEMPER_SYNTAX, r->line + 1, 1,
                        "a newline as a letter is \\n; behind (?x) line breaks mean nothing",
                        "a regular expression stands on one line, but a second one follows");
}

uint32_t symbol_character(symbol_reader *r) {
    static const char plain[] = "n\nt\tr\rf\fv\va\ae\x1B"; /* pairs: written, meant */
    uint32_t code = 0;
    if (symbol_look(r, 0) != '\\') {
        symbol_advance(r, utf8_decode(&code, r->bytes + r->at, r->length - r->at));
        symbol_need_line(r, code);
        return code;
    }
    char c = symbol_look(r, 1);
    if (c == 'x' || c == 'u' || symbol_is_numbered(r)) return read_hex(r);
    if (c == '0' || c == 'o' || c == 'c') return read_other_code(r);
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

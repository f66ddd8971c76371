/* Quoted letters and backslash escapes. */
#include <string.h>
#include "logic/tokenize.h"

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

size_t escape_decode(uint32_t *code, const char *bytes, size_t length, const char *also) {
    static const char plain[] = "\\\\''\"\"n\nt\tr\r"; /* pairs: written, meant */
    if (length < 2) return 0;
    for (size_t k = 0; plain[k]; k += 2) {
        if (bytes[1] != plain[k]) continue;
        *code = (unsigned char)plain[k + 1];
        return 2;
    }
    if (strchr(also, bytes[1])) {
        *code = (unsigned char)bytes[1];
        return 2;
    }
    bool braces = bytes[1] == 'u';
    if ((!braces && bytes[1] != 'x') || (braces && (length < 3 || bytes[2] != '{'))) return 0;
    size_t start = braces ? 3 : 2, most = braces ? 6 : 2, k = start;
    uint32_t c = 0;
    for (; k < length && k - start < most; k++) {
        char d = bytes[k];
        uint32_t digit = d >= '0' && d <= '9'   ? (uint32_t)(d - '0')
                         : d >= 'a' && d <= 'f' ? (uint32_t)(d - 'a' + 10)
                         : d >= 'A' && d <= 'F' ? (uint32_t)(d - 'A' + 10)
                                                : 16;
        if (digit == 16) break;
        c = c * 16 + digit;
    }
    if (k == start || c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
    if (!braces && (k - start != 2 || c >= 0x80)) return 0;
    if (braces && (k == length || bytes[k++] != '}')) return 0;
    *code = c;
    return k;
}

_Noreturn void escape_refuse(arena *a, const char *bytes, size_t length, size_t line, size_t column) {
    size_t shown = 1, most = 2;
    if (length > 1) most = bytes[1] == 'x' ? 4 : bytes[1] == 'u' ? 10 : 2;
    for (uint32_t code; shown < length && most-- > 1;) {
        char c = bytes[shown];
        if (shown > 1 && c != '{' && c != '}' && !is_hex(c)) break;
        shown += utf8_decode(&code, bytes + shown, length - shown);
        if (c == '}') break;
    }
    trap_raise_hint(a->trap, TEMPER_SYNTAX, line, column,
                    "escapes are \\\\ \\' \\\" \\n \\t \\r, \\x01 to \\x7F, and \\u{...} for any other character",
                    "'%s' is not a known escape", text_escaped(a, bytes, shown, 0));
}

token tokenizer_quote(tokenizer *z) {
    token t = {.kind = TOK_LETTER, .line = z->line, .column = z->column};
    char quote = tokenizer_look(z, 0);
    text content;
    text_init(&content, z->arena);
    tokenizer_advance(z, 1);
    for (;;) {
        char c = tokenizer_look(z, 0);
        if (c == quote) break;
        if (c == 0 || c == '\n' || c == '\r')
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, t.line, t.column,
                            "the quote itself as a letter is '\\'' or '\\\"'",
                            "the quote %c is not closed on this line", quote);
        uint32_t code;
        size_t size;
        if (c == '\\') {
            size = escape_decode(&code, z->bytes + z->at, z->length - z->at, "");
            if (!size) escape_refuse(z->arena, z->bytes + z->at, z->length - z->at, z->line, z->column);
        } else {
            size = utf8_decode(&code, z->bytes + z->at, z->length - z->at);
        }
        char utf8[4];
        text_add(&content, utf8, utf8_encode(utf8, code));
        tokenizer_advance(z, size);
    }
    tokenizer_advance(z, 1);
    if (content.length == 0)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, t.line, t.column, "put one letter between them, as in 'a'",
                        "the quotes are empty, so they name no letter");
    t.text = text_string(&content);
    t.length = content.length;
    z->line_has_tokens = true;
    return t;
}

#include "logic/tokenize.h"

#include <string.h>

#include "logic/word_hint.h"

enum { IN_SPEC = 1, IN_CRASP = 2, IN_BRASP = 4, IN_ALL = 7 };

/* Every symbol that is not a word or an upper-case operator; the longest spelling wins. */
static const struct symbol_line {
    const char *spelling;
    token_symbol symbol;
    formula_op op;
    unsigned syntaxes;
} symbols[] = {
    {"!", SYM_OPERATOR, OP_NOT, IN_ALL},
    {"~", SYM_OPERATOR, OP_NOT, IN_ALL},
    {"¬", SYM_OPERATOR, OP_NOT, IN_ALL},
    {"&", SYM_OPERATOR, OP_AND, IN_ALL},
    {"&&", SYM_OPERATOR, OP_AND, IN_ALL},
    {"∧", SYM_OPERATOR, OP_AND, IN_ALL},
    {"|", SYM_OPERATOR, OP_OR, IN_ALL},
    {"||", SYM_OPERATOR, OP_OR, IN_ALL},
    {"∨", SYM_OPERATOR, OP_OR, IN_ALL},
    {"^", SYM_OPERATOR, OP_XOR, IN_ALL},
    {"⊕", SYM_OPERATOR, OP_XOR, IN_ALL},
    {"->", SYM_OPERATOR, OP_IMPLIES, IN_ALL},
    {"=>", SYM_OPERATOR, OP_IMPLIES, IN_ALL},
    {"→", SYM_OPERATOR, OP_IMPLIES, IN_ALL},
    {"<->", SYM_OPERATOR, OP_IFF, IN_ALL},
    {"<=>", SYM_OPERATOR, OP_IFF, IN_ALL},
    {"↔", SYM_OPERATOR, OP_IFF, IN_ALL},
    {"⊤", SYM_OPERATOR, OP_TRUE, IN_ALL},
    {"⊥", SYM_OPERATOR, OP_FALSE, IN_ALL},
    {"○", SYM_OPERATOR, OP_NEXT, IN_SPEC},
    {"<>", SYM_OPERATOR, OP_EVENTUALLY, IN_SPEC},
    {"◇", SYM_OPERATOR, OP_EVENTUALLY, IN_SPEC},
    {"[]", SYM_OPERATOR, OP_ALWAYS, IN_SPEC},
    {"□", SYM_OPERATOR, OP_ALWAYS, IN_SPEC},
    {"●", SYM_OPERATOR, OP_YESTERDAY, IN_SPEC},
    {"◆", SYM_OPERATOR, OP_ONCE, IN_SPEC},
    {"■", SYM_OPERATOR, OP_HISTORICALLY, IN_SPEC},
    {"#", SYM_COUNT_PAST, 0, IN_SPEC | IN_CRASP},
    {"←#", SYM_COUNT_PAST, 0, IN_SPEC | IN_CRASP},
    {"#>", SYM_COUNT_FUTURE, 0, IN_SPEC | IN_CRASP},
    {"@", SYM_OPERATOR, OP_AT, IN_SPEC | IN_CRASP},
    {"(", SYM_OPEN, 0, IN_ALL},
    {")", SYM_CLOSE, 0, IN_ALL},
    {"[", SYM_OPEN_SQUARE, 0, IN_CRASP | IN_BRASP},
    {"]", SYM_CLOSE_SQUARE, 0, IN_ALL},
    {"+", SYM_PLUS, 0, IN_ALL},
    {"-", SYM_MINUS, 0, IN_ALL},
    {"*", SYM_TIMES, 0, IN_ALL},
    {"%", SYM_PERCENT, 0, IN_ALL},
    {"=", SYM_EQ, 0, IN_ALL},
    {"==", SYM_EQ, 0, IN_ALL},
    {"!=", SYM_NE, 0, IN_ALL},
    {"≠", SYM_NE, 0, IN_ALL},
    {"<", SYM_LT, 0, IN_ALL},
    {"<=", SYM_LE, 0, IN_ALL},
    {"≤", SYM_LE, 0, IN_ALL},
    {">", SYM_GT, 0, IN_ALL},
    {">=", SYM_GE, 0, IN_ALL},
    {"≥", SYM_GE, 0, IN_ALL},
    {"?", SYM_QUESTION, 0, IN_ALL},
    {":", SYM_COLON, 0, IN_ALL},
    {",", SYM_COMMA, 0, IN_ALL},
    {":=", SYM_ASSIGN, 0, IN_ALL},
    {"◀", SYM_LEFTMOST, 0, IN_BRASP},
    {"◄", SYM_LEFTMOST, 0, IN_BRASP},
    {"▶", SYM_RIGHTMOST, 0, IN_BRASP},
    {"►", SYM_RIGHTMOST, 0, IN_BRASP},
};

static const struct {
    const char *word;
    formula_op op;
} reserved[] = {{"true", OP_TRUE}, {"false", OP_FALSE}, {"first", OP_FIRST},
                {"last", OP_LAST}, {"start", OP_FIRST}, {"xor", OP_XOR}};

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; }

char tokenizer_look(const tokenizer *z, size_t ahead) {
    return ahead < z->length - z->at ? z->bytes[z->at + ahead] : 0;
}

static bool starts(const tokenizer *z, const char *spelling, size_t size) {
    return z->length - z->at >= size && memcmp(z->bytes + z->at, spelling, size) == 0;
}

void tokenizer_advance(tokenizer *z, size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        if (((unsigned char)z->bytes[z->at + k] & 0xC0) != 0x80) z->column++;
    z->at += bytes;
}

/* Everything after this may rely on valid UTF-8 without NUL. */
static void check_bytes(const tokenizer *z) {
    size_t line = 1, column = 1;
    for (size_t k = z->at; k < z->length;) {
        uint32_t code;
        size_t size = utf8_decode(&code, z->bytes + k, z->length - k);
        unsigned byte = (unsigned char)z->bytes[k];
        if (!size)
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, line, column, "save the text as UTF-8",
                            "byte 0x%02X is not valid UTF-8", byte);
        bool ends_line = code == '\r' && k + 1 < z->length && z->bytes[k + 1] == '\n';
        if ((code < 0x20 && code != '\n' && code != '\t' && !ends_line) || code == 0x7F)
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, line, column,
                            "a letter that is a control character is written with an escape, as '\\x01' or '\\n'",
                            "%s 0x%02X in the text", code ? "control byte" : "NUL byte", byte);
        column++;
        if (code == '\n') line++, column = 1;
        k += size;
    }
}

void tokenizer_init(tokenizer *z, arena *a, temper_syntax syntax, const char *bytes, size_t length) {
    *z = (tokenizer){.arena = a, .syntax = syntax, .bytes = bytes, .length = length, .line = 1, .column = 1};
    if (starts(z, "\xEF\xBB\xBF", 3)) z->at = 3;
    check_bytes(z);
}

/* Skips blanks, comments and, where a line goes on, newlines; false: stopped at a newline that ends a line. */
static bool skip(tokenizer *z) {
    for (;;) {
        char c = tokenizer_look(z, 0);
        if (c == ' ' || c == '\t' || (c == '\r' && tokenizer_look(z, 1) == '\n')) {
            tokenizer_advance(z, 1);
        } else if ((c == '-' && tokenizer_look(z, 1) == '-') || (c == '/' && tokenizer_look(z, 1) == '/')) {
            if (c == '-' && tokenizer_look(z, 2) == '>')
                trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                                "implies is '->'; for a comment put a blank after '--'", "'-->' is not an operator");
            while (z->at < z->length && z->bytes[z->at] != '\n') tokenizer_advance(z, 1);
        } else if (c == '\n') {
            if (z->line_has_tokens && (z->depth == 0 || z->syntax == TEMPER_SYNTAX_BRASP)) return false;
            z->at++;
            z->line++;
            z->column = 1;
        } else {
            return true;
        }
    }
}

/* [abc] up to its bracket; with tokens, a bracket inside quotes is a letter. */
static void read_class(tokenizer *z, token *t) {
    size_t start = z->at + 1, k = start;
    char quote = 0;
    for (;; k++) {
        char c = k < z->length ? z->bytes[k] : 0;
        if (c == 0 || c == '\n')
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                            "a class of letters is [abc]; the bracket as a letter is '[' in quotes",
                            "the class opened by '[' is not closed on this line");
        if (c == '\\' && k + 1 < z->length && z->bytes[k + 1] != '\n') {
            k++;
        } else if (quote) {
            if (c == quote) quote = 0;
        } else if (z->tokens && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == ']') {
            break;
        }
    }
    t->kind = TOK_CLASS;
    t->text = arena_copy(z->arena, z->bytes + start, k - start);
    t->length = k - start;
    tokenizer_advance(z, k + 1 - z->at);
}

void tokenizer_jump(tokenizer *z, size_t bytes) {
    for (size_t end = z->at + bytes; z->at < end;) {
        if (z->bytes[z->at] != '\n') {
            tokenizer_advance(z, 1);
            continue;
        }
        z->at++;
        z->line++;
        z->column = 1;
    }
    z->line_has_tokens = true;
}

/* /a|b/ up to the slash that no backslash stands before; false: there is none on this line. */
static bool read_regex(tokenizer *z, token *t) {
    size_t size = 1;
    for (char c; (c = tokenizer_look(z, size)) != '/'; size++) {
        if (c == '\\' && tokenizer_look(z, size + 1) != '\n') c = tokenizer_look(z, ++size);
        if (c == 0 || c == '\n') return false;
    }
    t->kind = TOK_REGEX;
    t->text = arena_copy(z->arena, z->bytes + z->at + 1, size - 1);
    t->length = size - 1;
    tokenizer_advance(z, size + 1);
    return true;
}

static void read_run(tokenizer *z, token *t, token_kind kind, size_t size) {
    t->kind = kind;
    t->text = arena_copy(z->arena, z->bytes + z->at, size);
    t->length = size;
    tokenizer_advance(z, size);
}

static void become_operator(tokenizer *z, token *t, formula_op op, size_t size) {
    t->kind = TOK_SYMBOL;
    t->symbol = SYM_OPERATOR;
    t->op = op;
    t->text = z->bytes + z->at;
    t->length = size;
    tokenizer_advance(z, size);
}

static bool is_capital(formula_op op) { return is_upper(operator_spelling(op)[0]) && !operator_spelling(op)[1]; }

/* The operator of an upper-case letter, or OP_COUNT_OF_OPERATORS. */
static formula_op capital_of(char c) {
    if (c == 'V') return OP_RELEASE; /* another name of R */
    formula_op op = 0;
    while (op < OP_COUNT_OF_OPERATORS && (!is_capital(op) || operator_spelling(op)[0] != c)) op++;
    return op;
}

static const char *all_capitals(arena *a) {
    text out;
    text_init(&out, a);
    for (formula_op op = 0; op < OP_COUNT_OF_OPERATORS; op++)
        if (is_capital(op)) text_printf(&out, "%s%s", out.length ? " " : "", operator_spelling(op));
    return text_string(&out);
}

/* The start of an upper-case run: what follows it directly must not be part of a name. */
static void check_run(tokenizer *z, size_t run) {
    size_t end = run, known = tokenizer_look(z, 0) == 'w';
    while (is_name(tokenizer_look(z, end))) end++;
    if (end == run) return;
    while (known < run && capital_of(tokenizer_look(z, known)) != OP_COUNT_OF_OPERATORS) known++;
    const char *name = text_escaped(z->arena, z->bytes + z->at, end, 40), *elsewhere = word_elsewhere(z->arena, name);
    if (elsewhere)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, elsewhere,
                        "'%s' is neither a name nor an operator", name);
    if (known < run)
        trap_raise_hint(
            z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
            "names of definitions are lower-case words; operators are upper-case, with blanks around them",
            "'%s' is neither a name nor an operator", name);
    text hint;
    text_init(&hint, z->arena);
    if (is_digit(tokenizer_look(z, run)) && end == run + 1)
        text_printf(&hint, "a digit as a letter is quoted: '%c'; ", tokenizer_look(z, run));
    else if (run > 8 || end - run > 40)
        text_puts(&hint, "put a blank between them; ");
    else
        text_printf(&hint, "write '%.*s %.*s'; ", (int)run, z->bytes + z->at, (int)(end - run),
                    z->bytes + z->at + run);
    text_puts(&hint, "names of definitions are lower-case, other letters are quoted");
    trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, text_string(&hint),
                    "'%s' runs an operator and a name together", name);
}

/* True and FALSE, as other tools write them, would be runs of operators. */
static void check_constant(const tokenizer *z) {
    static const char *const constants[] = {"true", "false"};
    size_t size = 0;
    while (is_name(tokenizer_look(z, size))) size++;
    for (size_t k = 0; k < 2; k++) {
        size_t same = 0;
        while (same < size && (tokenizer_look(z, same) | 0x20) == constants[k][same]) same++;
        if (same == size && constants[k][size] == 0)
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, "the constants are 'true' and 'false'",
                            "'%s' is written in lower case", text_escaped(z->arena, z->bytes + z->at, size, 0));
    }
}

static void read_capital(tokenizer *z, token *t) {
    if (z->run_left == 0) {
        check_constant(z);
        size_t run = 0;
        while (is_upper(tokenizer_look(z, run))) run++;
        check_run(z, run);
        z->run_left = run;
    }
    char c = tokenizer_look(z, 0);
    formula_op op = capital_of(c);
    if (op != OP_COUNT_OF_OPERATORS) {
        z->run_left--;
        become_operator(z, t, op, 1);
        if (c == 'X' && z->run_left == 0 && starts(z, "[!]", 3)) {
            tokenizer_advance(z, 3);
            t->length = 4;
        }
        return;
    }
    if (c == 'P')
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                        "write 'O' for once in the past or 'Y' for yesterday; the letter P is 'P' in quotes",
                        "'P' means once in some tools and yesterday in others, so it is not used here");
    text hint;
    text_init(&hint, z->arena);
    text_printf(&hint, "a letter in upper case is quoted: '%c'; names of definitions are lower-case", c);
    trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, text_string(&hint),
                    "'%c' is not an operator (they are %s)", c, all_capitals(z->arena));
}

/* wX and wY, a reserved word, or a name or letter. */
static void read_lower(tokenizer *z, token *t) {
    size_t size = 1;
    if (tokenizer_look(z, 0) == 'w' && (tokenizer_look(z, 1) == 'X' || tokenizer_look(z, 1) == 'Y')) {
        size_t run = 2;
        while (is_upper(tokenizer_look(z, run))) run++;
        check_run(z, run);
        bool next = tokenizer_look(z, 1) == 'X';
        become_operator(z, t, next ? OP_WEAK_NEXT : OP_WEAK_YESTERDAY, 2);
        z->run_left = run - 2;
        return;
    }
    while (is_lower(tokenizer_look(z, size)) || is_digit(tokenizer_look(z, size)) || tokenizer_look(z, size) == '_')
        size++;
    if (is_upper(tokenizer_look(z, size))) {
        size_t end = size;
        while (is_name(tokenizer_look(z, end))) end++;
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                        "put blanks around an operator; names are lower-case; other letters are quoted",
                        "'%s' runs a name and an operator together",
                        text_escaped(z->arena, z->bytes + z->at, end, 40));
    }
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++) {
        if (strlen(reserved[k].word) != size || !starts(z, reserved[k].word, size)) continue;
        become_operator(z, t, reserved[k].op, size);
        return;
    }
    read_run(z, t, TOK_WORD, size);
}

static void read_number(tokenizer *z, token *t) {
    size_t size = 1;
    while (is_digit(tokenizer_look(z, size))) size++;
    if (is_name(tokenizer_look(z, size)))
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                        "a product is '2*x'; a letter that is not a-z is quoted; a name begins with a letter",
                        "a number and a name run together");
    read_run(z, t, TOK_NUMBER, size);
}

/* Longer runs that would be read as two symbols and hide a slip. */
static void check_slips(const tokenizer *z) {
    static const struct {
        const char *wrong, *hint;
    } slips[] = {{"&&&", "and is '&' or '&&'"},
                 {"|||", "or is '|' or '||'"},
                 {"===", "equality is '=' or '=='"},
                 {"!==", "'not equal' is '!='"},
                 {"=<", "'less or equal' is '<='"},
                 {"=!", "'not equal' is '!='; else put a blank after '='"},
                 {"=/=", "'not equal' is '!='"},
                 {"/=", "'not equal' is '!='"},
                 {"/\\", "and is '&'"},
                 {"\\/", "or is '|'"},
                 {"<==", "iff is '<->' or '<=>'"},
                 {"==>", "implies is '->' or '=>'"}};
    for (size_t k = 0; k < sizeof slips / sizeof *slips; k++)
        if (starts(z, slips[k].wrong, strlen(slips[k].wrong)))
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, slips[k].hint,
                            "'%s' is not an operator", slips[k].wrong);
}

static _Noreturn void refuse_character(const tokenizer *z) {
    uint32_t code = 0;
    size_t size = utf8_decode(&code, z->bytes + z->at, z->length - z->at);
    const char *shown = text_escaped(z->arena, z->bytes + z->at, size, 0);
    text hint;
    text_init(&hint, z->arena);
    if (code == 0xA0 || (code >= 0x2000 && code <= 0x200B) || code == 0x3000 || code == 0xFEFF)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, "replace it by a plain blank",
                        "the character U+%04X looks like a blank but is not one", (unsigned)code);
    if (code >= 0x2018 && code <= 0x201F)
        text_puts(&hint, "quotes are the plain ones, ' or \"");
    else if (z->syntax != TEMPER_SYNTAX_SPEC && strstr("○◇□●◆■", shown))
        text_puts(&hint, "C-RASP and B-RASP files have no temporal operators");
    else if (code == '/' && z->syntax == TEMPER_SYNTAX_SPEC)
        text_puts(&hint,
                  "a regular expression is /a|b/, on one line, with \\/ for a slash; the letter is '/' in quotes");
    else if (code == '\\')
        text_puts(&hint, "the backslash as a letter is '\\\\' in quotes");
    else
        text_printf(&hint, "a letter other than a-z is quoted: '%s'", shown);
    trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column, text_string(&hint),
                    "unexpected character '%s'", shown);
}

/* In the spec syntax a count is # with a bracket, so that a stray # is not taken for a comment. */
static void check_count(tokenizer *z, const token *t) {
    while (tokenizer_look(z, 0) == ' ' || tokenizer_look(z, 0) == '\t') tokenizer_advance(z, 1);
    if (tokenizer_look(z, 0) != '[')
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                        "a count is written '#[a]'; comments begin with '--' or '//'", "expected '[' after '%s'",
                        text_escaped(z->arena, t->text, t->length, 0));
    z->count_opens = true;
}

static void read_symbol(tokenizer *z, token *t) {
    check_slips(z);
    const struct symbol_line *best = NULL;
    size_t size = 0;
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        const struct symbol_line *s = &symbols[k];
        if (s->spelling[0] != z->bytes[z->at] || !(s->syntaxes & 1u << z->syntax)) continue;
        size_t length = strlen(s->spelling);
        if (length > size && starts(z, s->spelling, length)) best = s, size = length;
    }
    if (!best) refuse_character(z);
    become_operator(z, t, best->op, size);
    t->symbol = best->symbol;
    bool is_count = t->symbol == SYM_COUNT_PAST || t->symbol == SYM_COUNT_FUTURE;
    if (is_count && z->syntax == TEMPER_SYNTAX_SPEC) check_count(z, t);
    if (t->symbol == SYM_OPEN || t->symbol == SYM_OPEN_SQUARE) z->depth++;
    if ((t->symbol == SYM_CLOSE || t->symbol == SYM_CLOSE_SQUARE) && z->depth) z->depth--;
}

token tokenizer_next(tokenizer *z) {
    token t = {.line = z->line, .column = z->column};
    if (!skip(z)) {
        t.kind = TOK_NEWLINE;
        z->at++;
        z->line++;
        z->column = 1;
        z->line_has_tokens = false;
        z->depth = 0;
        return t;
    }
    if (z->at == z->length) return t; /* END stands where the last token ended */
    t.line = z->line;
    t.column = z->column;
    z->line_has_tokens = true;
    bool is_spec = z->syntax == TEMPER_SYNTAX_SPEC;
    char c = tokenizer_look(z, 0);
    if (c == '\'' || c == '"') {
        t = tokenizer_quote(z);
    } else if (is_digit(c)) {
        read_number(z, &t);
    } else if (is_spec && is_upper(c)) {
        read_capital(z, &t);
    } else if (is_spec && is_lower(c)) {
        read_lower(z, &t);
    } else if (!is_spec && is_name(c)) {
        size_t size = 1;
        while (is_name(tokenizer_look(z, size))) size++;
        read_run(z, &t, TOK_WORD, size);
    } else if (is_spec && c == '[' && z->count_opens) {
        become_operator(z, &t, 0, 1);
        t.symbol = SYM_OPEN_SQUARE;
        z->depth++;
        z->count_opens = false;
    } else if (is_spec && c == '[' && tokenizer_look(z, 1) != ']') {
        read_class(z, &t);
    } else if (is_spec && c == '/' && read_regex(z, &t)) {
        return t;
    } else {
        read_symbol(z, &t);
    }
    return t;
}

bool token_join(tokenizer *z, token *t) {
    if (t->kind != TOK_SYMBOL || t->symbol != SYM_OPERATOR) return false;
    if (t->op == OP_WEAK_UNTIL && z->run_left && (tokenizer_look(z, 0) == 'X' || tokenizer_look(z, 0) == 'Y')) {
        t->op = tokenizer_look(z, 0) == 'X' ? OP_WEAK_NEXT : OP_WEAK_YESTERDAY;
        t->length = 2;
        z->run_left--;
        tokenizer_advance(z, 1);
        return true;
    }
    if (t->op == OP_IMPLIES && t->length == strlen("→") && tokenizer_look(z, 0) == '#') {
        t->symbol = SYM_COUNT_FUTURE;
        t->length++;
        tokenizer_advance(z, 1);
        if (z->syntax == TEMPER_SYNTAX_SPEC) check_count(z, t);
        return true;
    }
    return false;
}

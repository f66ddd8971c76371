/* Text to tokens, for all three syntaxes. Tokens are made on demand; copying the tokenizer struct is a mark to come
   back to. Aliases are resolved here: the parser sees one symbol per meaning. */
#ifndef LOGIC_TOKENIZE_H
#define LOGIC_TOKENIZE_H

#include <string.h>

#include "logic/formula.h"

typedef enum token_kind {
    TOK_END,     /* also ends a last line that has no newline */
    TOK_NEWLINE, /* end of a line that has tokens; never inside ( ) [ ] of the spec and C-RASP syntaxes */
    TOK_WORD,    /* spec: a lower-case word [a-z][a-z0-9_]*; C-RASP, B-RASP: any identifier [A-Za-z_][A-Za-z0-9_]* */
    TOK_LETTER,  /* quoted: 'x' or "tok"; the unescaped content */
    TOK_CLASS,   /* spec: [abc] [^ab]; the raw text between the brackets, escapes not yet resolved */
    TOK_REGEX,   /* spec: /a|b/; the raw text between the slashes */
    TOK_NUMBER,  /* decimal digits; the value is checked by token_number */
    TOK_SYMBOL
} token_kind;

typedef enum token_symbol {
    SYM_NONE,
    /* an operator of operators.h: `op` says which. Spec syntax: ! & | ^ -> <-> X wX F G U R W M Y Z O H S T and
       aliases; a run of upper-case letters is split one operator at a time ("GF a"); W directly before X or Y in a
       run is resolved by the parser with token_join. The reserved words true false first last start xor too. C-RASP
       and B-RASP: the Boolean symbols only; every word is TOK_WORD. */
    SYM_OPERATOR,
    SYM_COUNT_PAST,   /* "#" : in the spec syntax always followed by "[" */
    SYM_COUNT_FUTURE, /* "#>" */
    SYM_OPEN,
    SYM_CLOSE, /* ( ) */
    SYM_OPEN_SQUARE,
    SYM_CLOSE_SQUARE, /* [ ] of a count, or of B-RASP's attention */
    SYM_PLUS,
    SYM_MINUS,
    SYM_TIMES,
    SYM_PERCENT,
    SYM_EQ,
    SYM_NE,
    SYM_LT,
    SYM_LE,
    SYM_GT,
    SYM_GE, /* "=" and "==" are both SYM_EQ; length tells them apart */
    SYM_QUESTION,
    SYM_COLON,
    SYM_COMMA,
    SYM_ASSIGN, /* ? : , := */
    SYM_LEFTMOST,
    SYM_RIGHTMOST /* B-RASP's triangles: the words stay words, these are their aliases */
} token_symbol;

typedef struct token {
    token_kind kind;
    token_symbol symbol;
    formula_op op;       /* SYM_OPERATOR */
    const char *text;    /* TOK_WORD, TOK_LETTER, TOK_CLASS, TOK_REGEX, TOK_NUMBER: NUL-terminated, in the arena;
                             symbols: the source spelling, not terminated */
    size_t length;       /* of text */
    size_t line, column; /* where it starts; column counts characters */
} token;

typedef struct tokenizer {
    arena *arena;
    temper_syntax syntax;
    bool tokens; /* --tokens: class elements are separated by blanks */
    const char *bytes;
    size_t length, at;
    size_t line, column; /* of `at` */
    size_t depth;        /* open brackets */
    bool line_has_tokens;
    size_t run_left;  /* characters left of an upper-case run */
    bool count_opens; /* spec: the next "[" belongs to the "#" before it */
} tokenizer;

/* Raises TEMPER_SYNTAX, naming byte and place, if the text has control bytes or invalid UTF-8 anywhere. */
void tokenizer_init(tokenizer *z, arena *a, temper_syntax syntax, const char *bytes, size_t length);

/* Raises TEMPER_SYNTAX through the arena's trap on what is no token (an unclosed quote, P, ...). */
token tokenizer_next(tokenizer *z);

/* The byte `ahead` of the place, or NUL at the end (the text itself has no NUL). */
char tokenizer_look(const tokenizer *z, size_t ahead);

/* Moves over whole characters of one line. */
void tokenizer_advance(tokenizer *z, size_t bytes);

/* Moves over bytes that may hold ends of lines. */
void tokenizer_jump(tokenizer *z, size_t bytes);

/* Where an operand is expected: W directly before X or Y becomes weak next or weak yesterday, and an arrow directly
   before # becomes the count of what follows. `t` must be the token that z gave last. */
bool token_join(tokenizer *z, token *t);

/* quote.c: one backslash escape at bytes[0] == '\\': its length and code point, or 0 if there is no such escape.
   `also` lists further characters that may be escaped. */
size_t escape_decode(uint32_t *code, const char *bytes, size_t length, const char *also);

/* Raises the error for the escape at the given place. */
_Noreturn void escape_refuse(arena *a, const char *bytes, size_t length, size_t line, size_t column);

/* A quoted letter at the tokenizer's place, which holds ' or ". */
token tokenizer_quote(tokenizer *z);

/* The token as the user wrote it, escaped and quoted for a message: "'&&'", "end of line", "end of text". */
const char *token_shown(arena *a, const token *t);

/* Digits to a number; raises TEMPER_LIMIT with the place if it does not fit in 64 bits signed. */
int64_t token_number(arena *a, const token *t);

/* The comparison that a symbol stands for. */
compare_op token_comparison(token_symbol s);

static inline bool token_is_word(const token *t, const char *word) {
    return t->kind == TOK_WORD && strcmp(t->text, word) == 0;
}

#endif

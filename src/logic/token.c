/* What a token says: its text in messages, its number, its comparison. */
#include "logic/tokenize.h"

const char *token_shown(arena *a, const token *t) {
    text shown;
    text_init(&shown, a);
    switch (t->kind) {
    case TOK_END: return "end of text";
    case TOK_NEWLINE: return "end of line";
    case TOK_CLASS: text_printf(&shown, "'[%s]'", text_escaped(a, t->text, t->length, 40)); break;
    case TOK_REGEX: text_printf(&shown, "'/%s/'", text_escaped(a, t->text, t->length, 40)); break;
    case TOK_WORD:
    case TOK_LETTER:
    case TOK_NUMBER:
    case TOK_SYMBOL: text_printf(&shown, "'%s'", text_escaped(a, t->text, t->length, 40)); break;
    }
    return text_string(&shown);
}

int64_t token_number(arena *a, const token *t) {
    int64_t value = 0;
    for (size_t k = 0; k < t->length; k++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, t->text[k] - '0', &value))
            trap_raise_hint(a->trap, TEMPER_LIMIT, t->line, t->column,
                            "no count of a string that can be run comes near: write a smaller one",
                            "the number %s does not fit in 64 bits", text_escaped(a, t->text, t->length, 40));
    return value;
}

compare_op token_comparison(token_symbol s) {
    switch (s) {
    case SYM_NE: return CMP_NE;
    case SYM_LT: return CMP_LT;
    case SYM_LE: return CMP_LE;
    case SYM_GT: return CMP_GT;
    case SYM_GE: return CMP_GE;
    default: return CMP_EQ;
    }
}

/* rightmost[mask, condition, ...]: attention as formulas write it. */
#include "logic/parse_stack.h"

#include <string.h>

static _Noreturn void refuse_mask(parser *p, const char *expected) {
    trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, p->t.line, p->t.column,
                    "masks are j<i, j<=i, i<j, i<=j and 1", "expected %s, found %s", expected,
                    token_shown(scratch_of(p), &p->t));
}

static temper_mask read_mask(parser *p) {
    if (p->t.kind == TOK_NUMBER && !strcmp(p->t.text, "1")) {
        next(p);
        return TEMPER_MASK_ALL;
    }
    bool is_j = token_is_word(&p->t, "j");
    if (!is_j && !token_is_word(&p->t, "i")) refuse_mask(p, "a mask");
    next(p);
    token_symbol s = p->t.kind == TOK_SYMBOL ? p->t.symbol : SYM_NONE;
    bool less = s == SYM_LT || s == SYM_LE, strict = s == SYM_LT || s == SYM_GT;
    if (!less && s != SYM_GT && s != SYM_GE) refuse_mask(p, "'<', '<=', '>' or '>='");
    next(p);
    if (!token_is_word(&p->t, is_j ? "i" : "j")) refuse_mask(p, is_j ? "'i'" : "'j'");
    next(p);
    if (less == is_j) return strict ? TEMPER_MASK_BEFORE : TEMPER_MASK_UP_TO;
    return strict ? TEMPER_MASK_AFTER : TEMPER_MASK_FROM;
}

/* The value stands behind the bracket: the entry is a prefix operator then. */
static void end_conditions(entry *e) {
    e->kind = ENTRY_ATTEND;
    e->binding = operator_binding(OP_NOT);
    e->operands++;
}

void parser_read_attention(parser *p) {
    entry e = parser_entry(&p->t, ENTRY_WHERE, -1, 0);
    e.choice = token_is_word(&p->t, "rightmost") ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    e.text = e.choice == TEMPER_CHOICE_RIGHTMOST ? "rightmost[" : "leftmost[";
    e.length = (uint32_t)strlen(e.text);
    p->z.count_opens = true; /* the bracket is none of a class */
    next(p);
    next(p);
    e.mask = read_mask(p);
    bool closes = p->t.kind == TOK_SYMBOL && p->t.symbol == SYM_CLOSE_SQUARE;
    if (!closes && !(p->t.kind == TOK_SYMBOL && p->t.symbol == SYM_COMMA))
        refuse_mask(p, "',' or ']' after the mask");
    if (closes) end_conditions(&e);
    parser_push(p, e);
}

/* Between two conditions, or between the parts of one. */
static void end_condition(parser *p, entry *e, bool compares) {
    e->operands++;
    if (compares) {
        e->compares = true;
        return;
    }
    if (!e->compares) {
        parser_push_formula(p, formula_atom(&p->context.spec->graph, OP_TRUE));
        e->operands++;
    }
    e->compares = false;
}

bool parser_read_condition_end(parser *p) {
    const token *t = &p->t;
    bool is = token_is_word(t, "is"), closes = t->kind == TOK_SYMBOL && t->symbol == SYM_CLOSE_SQUARE;
    if (!is && !closes && !(t->kind == TOK_SYMBOL && t->symbol == SYM_COMMA)) return false;
    const entry *open = parser_bracket(p); /* a walk down the stack, so not for every operator */
    if (!open || open->kind != ENTRY_WHERE || (is && open->compares)) return false;
    while (!entry_is_bracket(parser_top(p))) parser_apply(p);
    end_condition(p, parser_top(p), is);
    if (closes) end_conditions(parser_top(p));
    p->last_is_number = false;
    return true;
}

/* The specification syntax. Nesting has no limit, so there is no recursion: operators wait on one stack, values on
   another, and an operator is applied when one that binds less tightly, a bracket or the end of the line comes.

       text       = header* (definition NEWLINE)* answer
                  | header* ((definition | output) NEWLINE)*    after a line "transduce"
                  | header* ((definition | "viable" formula) NEWLINE)* answer    after a line "next"
       definition = NAME "=" value
       output     = "emit" (LETTER | NAME | NUMBER | "nothing") ("=" formula | "otherwise")
       answer     = formula
       value      = formula | sum | remainder
       formula    = implies | implies "<->" implies            neither side a bare "->" chain
       implies    = or ("->" or)*                              right-associative
       or         = xor ("|" xor)*                             one node
       xor        = and ("^" and)*                             left-associative
       and        = temporal ("&" temporal)*                   one node
       temporal   = unary (("U"|"R"|"W"|"M") unary)*           right-associative; likewise with "S", "T",
                                                               but past and future do not mix
       unary      = ("!"|("X"|"wX"|"Y"|"Z")["^" NUMBER]|"F"|"G"|"O"|"H"|where)* place
       where      = ("rightmost"|"leftmost") "[" mask ("," condition)* "]"
       mask       = "j" ("<"|"<="|">"|">=") "i", or the same with i on the left, or "1"
       condition  = formula ["is" formula]                     in the first one the position is j, in the second i
       place      = atom ("@" sum)*                            left-associative
       atom       = LETTER | CLASS | REGEX | "dfa" "{" TABLE "}" | "dfa" QUOTED | NAME | "true" | "false" | "first" | "last" | comparison | "(" formula ")"
       comparison = sum COMPARE sum | remainder COMPARE sum | sum COMPARE remainder    with a remainder the sum is
       constant
       remainder  = term "%" term                              right side a positive constant
       sum        = term (("+"|"-") term)*
       term       = factor ("*" factor)*                       at most one of them not constant
       factor     = "-" factor | NUMBER | NAME | "#" "[" formula "]" | "#>" "[" formula "]" | "(" sum ")" */
#include "logic/parse_stack.h"

#include <string.h>

enum { BIND_COMPARE = 7, BIND_SUM = 8, BIND_PRODUCT = 9, BIND_NEGATE = 10 };

_Noreturn void parser_refuse(parser *p, const token *t, const char *hint, const char *message) {
    trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, hint, "%s", message);
}

/* A slip that shows lines later is often a bracket that was not closed. */
static const char *hint_open(parser *p, const char *hint) {
    const entry *e = parser_bracket(p);
    if (!e || e->line >= p->t.line) return hint;
    text t;
    text_init(&t, scratch_of(p));
    text_printf(&t, "the '%s' at %u:%u is still open", entry_shown(&p->context, e), e->line, e->column);
    return text_string(&t);
}

/* ---- operands ---------------------------------------------------------------------------------------------- */

static _Noreturn void refuse_operand(parser *p) {
    const entry *e = parser_top(p);
    const char *found = token_shown(scratch_of(p), &p->t), *hint = "";
    text after;
    text_init(&after, scratch_of(p));
    if (e)
        text_printf(&after, " after '%s'", entry_shown(&p->context, e));
    else if (p->defining)
        text_puts(&after, " after '='");
    if (p->t.kind == TOK_NEWLINE)
        hint = "a formula goes on over several lines only inside brackets";
    else if (p->t.symbol == SYM_OPERATOR)
        hint = p->t.op == OP_AT         ? "'@' stands between a formula and a position, as in 'a @ #[true] - 3'"
               : p->t.op == OP_OR && !e ? "'|' stands between two formulas; the number of a's so far is '#[a]'"
               : p->t.op == OP_XOR && e
                   ? "'^' stands between two formulas; 'X^3 a' is 'X X X a', without a blank before the number"
                   : "this operator stands between two formulas";
    else if (p->t.symbol == SYM_ASSIGN)
        hint = "a definition is written 'name = ...'";
    else if (!strcmp(found, "'>'") && (e ? !strcmp(entry_shown(&p->context, e), "-") : p->defining != NULL))
        hint = "the arrow is '->', without a blank in it";
    trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, p->t.line, p->t.column, hint_open(p, hint),
                    "expected a formula or a count%s, found %s", text_string(&after), found);
}

/* What follows a word on its line: a brace or a quote makes "dfa" a table. */
static char after_word(const parser *p) {
    size_t ahead = 0;
    while (tokenizer_look(&p->z, ahead) == ' ' || tokenizer_look(&p->z, ahead) == '\t') ahead++;
    return tokenizer_look(&p->z, ahead);
}

bool parser_at_brace(const parser *p) { return p->t.kind == TOK_WORD && after_word(p) == '{'; }

bool parser_at_table(const parser *p) {
    char c = after_word(p);
    return p->t.kind == TOK_WORD && !strcmp(p->t.text, "dfa") && (c == '{' || c == '\'' || c == '"');
}

/* "dfa" "{" TABLE "}", or "dfa" QUOTED: the file stands in the text that is kept */
static void read_table(parser *p) {
    temper_spec *s = p->context.spec;
    spec_header *h = p->context.header;
    tokenizer *z = &p->z;
    token word = p->t;
    while (tokenizer_look(z, 0) == ' ' || tokenizer_look(z, 0) == '\t') tokenizer_advance(z, 1);
    size_t begin = z->at - (size_t)(z->column - word.column);
    if (tokenizer_look(z, 0) == '{') {
        size_t used;
        node_id id = spec_table(s, h, z->bytes + z->at, z->length - z->at, &used, z->line, z->column);
        tokenizer_jump(z, used);
        parser_push_formula(p, id);
        return;
    }
    const char *content;
    token path = tokenizer_next(z);
    node_id id = spec_table_file(s, h, path.text, path.line, path.column, &content, scratch_of(p));
    spec_splice splice = {.begin = begin, .end = z->at, .text = content, .length = strlen(content)};
    spec_splice_add(h, splice, scratch_of(p));
    parser_push_formula(p, id);
}

/* No text without attention has a bracket behind these words. */
bool parser_at_attention(const parser *p) {
    const token *t = &p->t;
    return (token_is_word(t, "rightmost") || token_is_word(t, "leftmost")) && after_word(p) == '[';
}

/* "letter", where conditions of attention are. */
static bool is_any_letter(const parser *p) {
    if (!token_is_word(&p->t, "letter") || table_find(&p->index, p->t.text, p->t.length)) return false;
    for (size_t k = 0; k < p->entry_count; k++)
        if (p->entries[k].kind == ENTRY_WHERE) return true;
    return false;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

/* A name, or else a letter. */
static void read_word(parser *p) {
    temper_spec *s = p->context.spec;
    const token *t = &p->t;
    if (parser_at_table(p)) {
        read_table(p);
        return;
    }
    const uint32_t *known = table_find(&p->index, t->text, t->length);
    if (known) {
        value v = p->definitions[*known].value;
        v.is_shared = true;
        v.line = clip(t->line);
        v.column = clip(t->column);
        parser_push_value(p, v);
        return;
    }
    if (is_any_letter(p)) {
        parser_push_formula(p, formula_atom(&s->graph, OP_TRUE));
        p->values[p->value_count - 1].kind = VALUE_LETTER;
        return;
    }
    if (p->standing && token_is_word(t, "letter")) {
        if (!*p->standing)
            parser_refuse(p, t, "a line such as 'alphabet a b c'",
                          "'letter' means each letter of the alphabet, which must be stated before");
        p->stood = true;
        parser_push_formula(p,
                            spec_letter(s, p->context.header, p->standing, strlen(p->standing), t->line, t->column));
        return;
    }
    if (p->defining && !strcmp(p->defining, t->text))
        parser_refuse(p, t, "a definition can only use what is defined on lines before it",
                      "the definition uses itself");
    if (!s->letters.tokens && t->length > 1) {
        static const char message[] = "the word '%s' is not defined, and a letter is one character";
        const char *hint = word_hint(&p->context, t->text, p->names, p->name_count),
                   *shown = text_escaped(scratch_of(p), t->text, t->length, 40);
        if (hint) trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, hint, message, shown);
        trap_raise_remedy(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, TEMPER_REMEDY_DEFINE, message,
                          shown);
    }
    parser_push_formula(p, spec_letter(s, p->context.header, t->text, t->length, t->line, t->column));
}

enum { MOST_STEPS = 4096 };

/* A prefix operator, and how often: Y^3. Without a number behind it '^' cannot follow. */
static void push_prefix(parser *p) {
    formula_op op = p->t.op;
    entry e = parser_entry(&p->t, ENTRY_PREFIX, operator_binding(op), 1);
    bool steps = op == OP_YESTERDAY || op == OP_NEXT || op == OP_WEAK_YESTERDAY || op == OP_WEAK_NEXT;
    char after = tokenizer_look(&p->z, 1);
    if (steps && tokenizer_look(&p->z, 0) == '^' && after >= '0' && after <= '9') {
        next(p);
        next(p);
        e.times = token_number(scratch_of(p), &p->t);
        if (e.times > MOST_STEPS)
            trap_raise(scratch_of(p)->trap, TEMPER_LIMIT, p->t.line, p->t.column, "more than %d steps", MOST_STEPS);
    }
    parser_push(p, e);
}

/* Reads a token where an operand is expected: an atom (true), or a prefix operator or bracket that still wants
   one. */
static bool read_operand(parser *p) {
    temper_spec *s = p->context.spec;
    token *t = &p->t;
    p->last_is_number = t->kind == TOK_NUMBER;
    switch (t->kind) {
    case TOK_WORD:
        if (parser_at_attention(p)) {
            parser_read_attention(p);
            return false;
        }
        read_word(p);
        return true;
    case TOK_LETTER:
        parser_push_formula(p, spec_letter(s, p->context.header, t->text, t->length, t->line, t->column));
        return true;
    case TOK_CLASS: parser_push_formula(p, letter_class(&p->context, t)); return true;
    case TOK_REGEX:
        parser_push_formula(p, spec_regex(s, p->context.header, t->text, t->length, t->line, t->column + 1));
        return true;
    case TOK_NUMBER: parser_push_value(p, value_number(&p->context, token_number(scratch_of(p), t), t)); return true;
    case TOK_END:
    case TOK_NEWLINE: refuse_operand(p);
    case TOK_SYMBOL: break;
    }
    token_join(&p->z, t);
    switch (t->symbol) {
    case SYM_OPERATOR:
        if (operator_kids(t->op) == 0) {
            node_id id = formula_atom(&s->graph, t->op);
            formula_note_place(&s->graph, id, t->line, t->column);
            parser_push_formula(p, id);
            return true;
        }
        if (operator_kids(t->op) != 1) refuse_operand(p);
        push_prefix(p);
        return false;
    case SYM_COUNT_PAST:
    case SYM_COUNT_FUTURE: {
        entry e = parser_entry(t, ENTRY_COUNT, -1, 1);
        e.op = t->symbol == SYM_COUNT_PAST ? OP_COUNT_PAST : OP_COUNT_FUTURE;
        next(p); /* the tokenizer sees to it that this is the bracket */
        e.length = clip((size_t)(t->text + t->length - e.text));
        parser_push(p, e);
        return false;
    }
    case SYM_OPEN: parser_push(p, parser_entry(t, ENTRY_OPEN, -1, 1)); return false;
    case SYM_MINUS: parser_push(p, parser_entry(t, ENTRY_NEGATE, BIND_NEGATE, 1)); return false;
    default: refuse_operand(p);
    }
}

/* ---- operators --------------------------------------------------------------------------------------------- */

static bool is_temporal(const entry *e) {
    return e->kind == ENTRY_BINARY && e->binding == operator_binding(OP_UNTIL);
}

static bool is_op(const entry *e, formula_op op) { return e->kind == ENTRY_BINARY && e->op == op; }

/* Where tools disagree, or readers would, parentheses are asked for. `below` is the operator before e on its
   level. */
static void check_mixing(parser *p, const entry *below, const entry *e) {
    trap *raise = scratch_of(p)->trap;
    if (below->kind == ENTRY_COMPARE && e->kind == ENTRY_COMPARE)
        trap_raise_hint(raise, TEMPER_SYNTAX, e->line, e->column, "join two comparisons: '1 < #[a] & #[a] < 3'",
                        "comparisons cannot be chained");
    bool places = (below->kind == ENTRY_AT && e->kind == ENTRY_COMPARE) ||
                  (below->kind == ENTRY_COMPARE && e->kind == ENTRY_AT);
    if (places)
        trap_raise_hint(raise, TEMPER_SYNTAX, e->line, e->column,
                        "write '(#[a] = 1) @ 3', or '#[a @ 3] = 1' for the number of positions",
                        "'%s' after '%s' needs parentheses", entry_shown(&p->context, e),
                        entry_shown(&p->context, below));
    bool arrows = is_op(below, OP_IFF) || is_op(below, OP_IMPLIES);
    bool next_arrows = is_op(e, OP_IFF) || is_op(e, OP_IMPLIES);
    bool mixed = arrows && next_arrows && !(is_op(below, OP_IMPLIES) && is_op(e, OP_IMPLIES));
    bool turns = is_temporal(below) && is_temporal(e) && operator_direction(below->op) != operator_direction(e->op);
    if (!mixed && !turns) return;
    const char *first = entry_shown(&p->context, below), *second = entry_shown(&p->context, e);
    text hint;
    text_init(&hint, scratch_of(p));
    text_printf(&hint, "write '(a %s b) %s c' or 'a %s (b %s c)'", first, second, first, second);
    trap_raise_hint(raise, TEMPER_SYNTAX, e->line, e->column, text_string(&hint),
                    "'%s' after '%s' needs parentheses: tools read it in different ways", second, first);
}

/* Applies what binds tighter on this level, then puts e on the stack. */
static void push_operator(parser *p, entry e) {
    bool from_right = is_temporal(&e) || is_op(&e, OP_IMPLIES);
    entry *below;
    while ((below = parser_top(p)) && !entry_is_bracket(below) && below->binding >= e.binding) {
        check_mixing(p, below, &e);
        if (below->binding == e.binding && (is_op(&e, OP_AND) || is_op(&e, OP_OR))) {
            below->operands++;
            return;
        }
        if (below->binding == e.binding && from_right) break;
        parser_apply(p);
    }
    if (below && !entry_is_bracket(below)) check_mixing(p, below, &e);
    parser_push(p, e);
}

static _Noreturn void refuse_operator(parser *p) {
    const token *t = &p->t;
    bool opens = t->symbol == SYM_OPEN || t->symbol == SYM_COUNT_PAST || t->symbol == SYM_COUNT_FUTURE;
    const char *hint = "";
    if (p->last_is_number && (opens || t->kind == TOK_WORD))
        hint = "a product is written with '*', as in '2*#[a]'";
    else if (t->kind == TOK_WORD && word_elsewhere(scratch_of(p), t->text))
        hint = word_elsewhere(scratch_of(p), t->text);
    else if (t->kind != TOK_SYMBOL || (t->symbol == SYM_OPERATOR && operator_kids(t->op) == 0))
        hint = "'a, then b' is written 'a & X b'; 'a and b here' is 'a & b'";
    else if (t->symbol == SYM_OPERATOR && t->op == OP_EVENTUALLY && t->length == 2)
        hint = "'<>' is eventually; 'not equal' is '!='";
    else if (t->symbol == SYM_OPERATOR)
        hint = "this operator takes one formula, to its right; join formulas by '&', '|', 'U', ...";
    else if (t->symbol == SYM_ASSIGN)
        hint = "a definition is written 'name = ...'";
    const entry *e = parser_bracket(p);
    trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, hint_open(p, hint),
                    "expected an operator or %s, found %s",
                    !e                      ? "end of line"
                    : e->kind == ENTRY_OPEN ? "')'"
                                            : "']'",
                    token_shown(scratch_of(p), t));
}

/* ")" or "]" */
static void close_bracket(parser *p) {
    const token *t = &p->t;
    bool is_round = t->symbol == SYM_CLOSE;
    const entry *e;
    while ((e = parser_top(p)) && !entry_is_bracket(e)) parser_apply(p);
    if (!e)
        trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, "no bracket is open here",
                        "expected an operator or end of line, found '%s'", is_round ? ")" : "]");
    if ((e->kind == ENTRY_OPEN) != is_round)
        trap_raise(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column,
                   "expected '%s' to close the '%s' at %u:%u, found '%s'", is_round ? "]" : ")",
                   entry_shown(&p->context, e), e->line, e->column, is_round ? ")" : "]");
    value *v = &p->values[p->value_count - 1];
    if (e->kind == ENTRY_OPEN) { /* the value stays; it starts at the bracket */
        v->line = e->line;
        v->column = e->column;
        v->is_literal = false;
        p->entry_count--;
    } else {
        parser_apply(p);
    }
    p->last_is_number = false;
}

/* Reads a token where an operator is expected; *complete: it was a closing bracket. False: the line is over. */
static bool read_operator(parser *p, bool *complete) {
    const token *t = &p->t;
    *complete = false;
    if (parser_read_condition_end(p)) return true;
    if (t->kind == TOK_END || t->kind == TOK_NEWLINE) {
        const entry *e = parser_bracket(p);
        if (e)
            trap_raise(scratch_of(p)->trap, TEMPER_SYNTAX, e->line, e->column,
                       "this '%s' is never closed: expected '%s' before %s", entry_shown(&p->context, e),
                       e->kind == ENTRY_OPEN ? ")" : "]", token_shown(scratch_of(p), t));
        return false;
    }
    if (t->kind != TOK_SYMBOL) refuse_operator(p);
    switch (t->symbol) {
    case SYM_OPERATOR:
        if (operator_kids(t->op) == 0 || operator_kids(t->op) == 1) refuse_operator(p);
        push_operator(p, parser_entry(t, t->op == OP_AT ? ENTRY_AT : ENTRY_BINARY, operator_binding(t->op), 2));
        break;
    case SYM_PLUS: push_operator(p, parser_entry(t, ENTRY_ADD, BIND_SUM, 2)); break;
    case SYM_MINUS: push_operator(p, parser_entry(t, ENTRY_SUBTRACT, BIND_SUM, 2)); break;
    case SYM_TIMES: push_operator(p, parser_entry(t, ENTRY_TIMES, BIND_PRODUCT, 2)); break;
    case SYM_PERCENT: push_operator(p, parser_entry(t, ENTRY_MODULO, BIND_PRODUCT, 2)); break;
    case SYM_EQ:
    case SYM_NE:
    case SYM_LT:
    case SYM_LE:
    case SYM_GT:
    case SYM_GE: {
        entry e = parser_entry(t, ENTRY_COMPARE, BIND_COMPARE, 2);
        e.compare = token_comparison(t->symbol);
        push_operator(p, e);
        break;
    }
    case SYM_CLOSE:
    case SYM_CLOSE_SQUARE:
        close_bracket(p);
        *complete = true;
        break;
    default: refuse_operator(p);
    }
    return true;
}

value parser_value(parser *p) {
    bool complete = false;
    for (;; next(p)) {
        if (!complete)
            complete = read_operand(p);
        else if (!read_operator(p, &complete))
            break;
    }
    while (p->entry_count) parser_apply(p);
    return p->values[--p->value_count];
}

/* The specification syntax. Nesting has no limit, so there is no recursion: operators wait on one stack, values on
   another, and an operator is applied when one that binds less tightly, a bracket or the end of the line comes.

       text       = header* (definition NEWLINE)* answer
       definition = NAME "=" value
       answer     = formula
       value      = formula | sum | remainder
       formula    = implies | implies "<->" implies            neither side a bare "->" chain
       implies    = or ("->" or)*                              right-associative
       or         = xor ("|" xor)*                             one node
       xor        = and ("^" and)*                             left-associative
       and        = temporal ("&" temporal)*                   one node
       temporal   = unary (("U"|"R"|"W"|"M") unary)*           right-associative; likewise with "S", "T",
                                                               but past and future do not mix
       unary      = ("!"|"X"|"wX"|"F"|"G"|"Y"|"Z"|"O"|"H")* atom
       atom       = LETTER | CLASS | REGEX | "dfa" "{" TABLE "}" | "dfa" QUOTED | NAME | "true" | "false" | "first" | "last" | comparison | "(" formula ")"
       comparison = sum COMPARE sum | remainder COMPARE sum | sum COMPARE remainder    with a remainder the sum is
       constant
       remainder  = term "%" term                              right side a positive constant
       sum        = term (("+"|"-") term)*
       term       = factor ("*" factor)*                       at most one of them not constant
       factor     = "-" factor | NUMBER | NAME | "#" "[" formula "]" | "#>" "[" formula "]" | "(" sum ")" */
#include "logic/parse_values.h"

#include <string.h>

enum { BIND_COMPARE = 7, BIND_SUM = 8, BIND_PRODUCT = 9, BIND_NEGATE = 10 };

typedef struct definition {
    value value;
    size_t line;
} definition;

typedef struct parser {
    value_context context;
    tokenizer z;
    token t; /* the token to look at */
    entry *entries;
    size_t entry_count, entry_capacity;
    value *values;
    size_t value_count, value_capacity;
    definition *definitions;
    const char **names; /* one per definition */
    size_t definition_count, definition_capacity, name_count, name_capacity;
    table index;          /* name -> definition */
    const char *defining; /* the name of this line's definition, or NULL */
    bool last_is_number;  /* the operand before t is a number as written */
} parser;

static arena *scratch_of(parser *p) { return p->context.scratch; }

static void next(parser *p) { p->t = tokenizer_next(&p->z); }

static uint32_t clip(size_t n) { return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n; }

static _Noreturn void refuse_at(parser *p, const token *t, const char *hint, const char *message) {
    trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, hint, "%s", message);
}

/* ---- the stacks -------------------------------------------------------------------------------------------- */

static entry *top_of(parser *p) { return p->entry_count ? &p->entries[p->entry_count - 1] : NULL; }

static bool is_bracket(const entry *e) { return e->kind == ENTRY_OPEN || e->kind == ENTRY_COUNT; }

static entry make_entry(const token *t, entry_kind kind, int binding, size_t operands) {
    return (entry){.kind = kind,
                   .op = t->op,
                   .binding = binding,
                   .operands = operands,
                   .text = t->text,
                   .length = clip(t->length),
                   .line = clip(t->line),
                   .column = clip(t->column)};
}

static void push_entry(parser *p, entry e) {
    array_push(scratch_of(p), p->entries, p->entry_count, p->entry_capacity, e);
}

static void push_value(parser *p, value v) {
    array_push(scratch_of(p), p->values, p->value_count, p->value_capacity, v);
}

static void push_formula(parser *p, node_id id) {
    push_value(p, (value){.kind = VALUE_FORMULA, .node = id, .line = clip(p->t.line), .column = clip(p->t.column)});
}

/* Applies the operator on top of the stack. */
static void apply(parser *p) {
    entry e = p->entries[--p->entry_count];
    p->value_count -= e.operands;
    value *operands = p->values + p->value_count;
    *operands = value_apply(&p->context, &e, operands);
    p->value_count++;
}

/* The bracket that is open, or NULL. */
static const entry *open_bracket(const parser *p) {
    for (size_t k = p->entry_count; k > 0; k--)
        if (is_bracket(&p->entries[k - 1])) return &p->entries[k - 1];
    return NULL;
}

/* A slip that shows lines later is often a bracket that was not closed. */
static const char *hint_open(parser *p, const char *hint) {
    const entry *e = open_bracket(p);
    if (!e || e->line >= p->t.line) return hint;
    text t;
    text_init(&t, scratch_of(p));
    text_printf(&t, "the '%s' at %u:%u is still open", entry_shown(&p->context, e), e->line, e->column);
    return text_string(&t);
}

/* ---- operands ---------------------------------------------------------------------------------------------- */

static _Noreturn void refuse_operand(parser *p) {
    const entry *e = top_of(p);
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
        hint = "this operator stands between two formulas";
    else if (p->t.symbol == SYM_ASSIGN)
        hint = "a definition is written 'name = ...'";
    trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, p->t.line, p->t.column, hint_open(p, hint),
                    "expected a formula or a count%s, found %s", text_string(&after), found);
}

/* What follows a word on its line: a brace or a quote makes "dfa" a table. */
static char after_word(const parser *p) {
    size_t ahead = 0;
    while (tokenizer_look(&p->z, ahead) == ' ' || tokenizer_look(&p->z, ahead) == '\t') ahead++;
    return tokenizer_look(&p->z, ahead);
}

static bool is_table(const parser *p) {
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
        push_formula(p, id);
        return;
    }
    const char *content;
    token path = tokenizer_next(z);
    node_id id = spec_table_file(s, h, path.text, path.line, path.column, &content, scratch_of(p));
    spec_splice splice = {.begin = begin, .end = z->at, .text = content, .length = strlen(content)};
    array_push(scratch_of(p), h->splices, h->splice_count, h->splice_capacity, splice);
    push_formula(p, id);
}

/* A name, or else a letter. */
static void read_word(parser *p) {
    temper_spec *s = p->context.spec;
    const token *t = &p->t;
    if (is_table(p)) {
        read_table(p);
        return;
    }
    const uint32_t *known = table_find(&p->index, t->text, t->length);
    if (known) {
        value v = p->definitions[*known].value;
        v.is_shared = true;
        v.line = clip(t->line);
        v.column = clip(t->column);
        push_value(p, v);
        return;
    }
    if (p->defining && !strcmp(p->defining, t->text))
        refuse_at(p, t, "a definition can only use what is defined on lines before it", "the definition uses itself");
    if (!s->letters.tokens && t->length > 1) {
        static const char message[] = "the word '%s' is not defined, and a letter is one character";
        const char *hint = word_hint(&p->context, t->text, p->names, p->name_count),
                   *shown = text_escaped(scratch_of(p), t->text, t->length, 40);
        if (hint) trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, hint, message, shown);
        trap_raise_remedy(scratch_of(p)->trap, TEMPER_SYNTAX, t->line, t->column, TEMPER_REMEDY_DEFINE, message,
                          shown);
    }
    push_formula(p, spec_letter(s, p->context.header, t->text, t->length, t->line, t->column));
}

/* Reads a token where an operand is expected: an atom (true), or a prefix operator or bracket that still wants
   one. */
static bool read_operand(parser *p) {
    temper_spec *s = p->context.spec;
    token *t = &p->t;
    p->last_is_number = t->kind == TOK_NUMBER;
    switch (t->kind) {
    case TOK_WORD: read_word(p); return true;
    case TOK_LETTER:
        push_formula(p, spec_letter(s, p->context.header, t->text, t->length, t->line, t->column));
        return true;
    case TOK_CLASS: push_formula(p, letter_class(&p->context, t)); return true;
    case TOK_REGEX:
        push_formula(p, spec_regex(s, p->context.header, t->text, t->length, t->line, t->column + 1));
        return true;
    case TOK_NUMBER: push_value(p, value_number(&p->context, token_number(scratch_of(p), t), t)); return true;
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
            push_formula(p, id);
            return true;
        }
        if (operator_kids(t->op) != 1) refuse_operand(p);
        push_entry(p, make_entry(t, ENTRY_PREFIX, operator_binding(t->op), 1));
        return false;
    case SYM_COUNT_PAST:
    case SYM_COUNT_FUTURE: {
        entry e = make_entry(t, ENTRY_COUNT, -1, 1);
        e.op = t->symbol == SYM_COUNT_PAST ? OP_COUNT_PAST : OP_COUNT_FUTURE;
        next(p); /* the tokenizer sees to it that this is the bracket */
        e.length = clip((size_t)(t->text + t->length - e.text));
        push_entry(p, e);
        return false;
    }
    case SYM_OPEN: push_entry(p, make_entry(t, ENTRY_OPEN, -1, 1)); return false;
    case SYM_MINUS: push_entry(p, make_entry(t, ENTRY_NEGATE, BIND_NEGATE, 1)); return false;
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
    while ((below = top_of(p)) && !is_bracket(below) && below->binding >= e.binding) {
        check_mixing(p, below, &e);
        if (below->binding == e.binding && (is_op(&e, OP_AND) || is_op(&e, OP_OR))) {
            below->operands++;
            return;
        }
        if (below->binding == e.binding && from_right) break;
        apply(p);
    }
    if (below && !is_bracket(below)) check_mixing(p, below, &e);
    push_entry(p, e);
}

static compare_op compare_of(token_symbol symbol) {
    switch (symbol) {
    case SYM_NE: return CMP_NE;
    case SYM_LT: return CMP_LT;
    case SYM_LE: return CMP_LE;
    case SYM_GT: return CMP_GT;
    case SYM_GE: return CMP_GE;
    default: return CMP_EQ;
    }
}

static _Noreturn void refuse_operator(parser *p) {
    const token *t = &p->t;
    bool opens = t->symbol == SYM_OPEN || t->symbol == SYM_COUNT_PAST || t->symbol == SYM_COUNT_FUTURE;
    const char *hint = "";
    if (p->last_is_number && (opens || t->kind == TOK_WORD))
        hint = "a product is written with '*', as in '2*#[a]'";
    else if (t->kind == TOK_WORD && word_elsewhere(&p->context, t->text))
        hint = word_elsewhere(&p->context, t->text);
    else if (t->kind != TOK_SYMBOL || (t->symbol == SYM_OPERATOR && operator_kids(t->op) == 0))
        hint = "'a, then b' is written 'a & X b'; 'a and b here' is 'a & b'";
    else if (t->symbol == SYM_OPERATOR && t->op == OP_EVENTUALLY && t->length == 2)
        hint = "'<>' is eventually; 'not equal' is '!='";
    else if (t->symbol == SYM_OPERATOR)
        hint = "this operator takes one formula, to its right; join formulas by '&', '|', 'U', ...";
    else if (t->symbol == SYM_ASSIGN)
        hint = "a definition is written 'name = ...'";
    const entry *e = open_bracket(p);
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
    while ((e = top_of(p)) && !is_bracket(e)) apply(p);
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
        apply(p);
    }
    p->last_is_number = false;
}

/* Reads a token where an operator is expected; *complete: it was a closing bracket. False: the line is over. */
static bool read_operator(parser *p, bool *complete) {
    const token *t = &p->t;
    *complete = false;
    if (t->kind == TOK_END || t->kind == TOK_NEWLINE) {
        const entry *e = open_bracket(p);
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
        push_operator(p, make_entry(t, ENTRY_BINARY, operator_binding(t->op), 2));
        break;
    case SYM_PLUS: push_operator(p, make_entry(t, ENTRY_ADD, BIND_SUM, 2)); break;
    case SYM_MINUS: push_operator(p, make_entry(t, ENTRY_SUBTRACT, BIND_SUM, 2)); break;
    case SYM_TIMES: push_operator(p, make_entry(t, ENTRY_TIMES, BIND_PRODUCT, 2)); break;
    case SYM_PERCENT: push_operator(p, make_entry(t, ENTRY_MODULO, BIND_PRODUCT, 2)); break;
    case SYM_EQ:
    case SYM_NE:
    case SYM_LT:
    case SYM_LE:
    case SYM_GT:
    case SYM_GE: {
        entry e = make_entry(t, ENTRY_COMPARE, BIND_COMPARE, 2);
        e.compare = compare_of(t->symbol);
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

/* value: from the token t to the end of the line, which becomes t */
static value read_value(parser *p) {
    bool complete = false;
    for (;; next(p)) {
        if (!complete)
            complete = read_operand(p);
        else if (!read_operator(p, &complete))
            break;
    }
    while (p->entry_count) apply(p);
    return p->values[--p->value_count];
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

/* Is t, at the start of a line, followed by a single "="? */
static bool is_assignment(const parser *p) {
    tokenizer ahead = p->z;
    if (p->t.kind != TOK_WORD && !(p->t.kind == TOK_SYMBOL && p->t.symbol == SYM_OPERATOR)) return false;
    if (is_table(p)) return false;
    token second = tokenizer_next(&ahead);
    return second.kind == TOK_SYMBOL && second.symbol == SYM_EQ && second.length == 1;
}

static void check_name(parser *p, const token *name) {
    temper_spec *s = p->context.spec;
    trap *raise = scratch_of(p)->trap;
    const char *shown = text_escaped(scratch_of(p), name->text, name->length, 40);
    if (spec_is_header_word(name->text, name->length) || name->kind != TOK_WORD)
        trap_raise_hint(raise, TEMPER_SYNTAX, name->line, name->column, "choose another name, a lower-case word",
                        "'%s' has a meaning of its own and cannot be a name", shown);
    const uint32_t *known = table_find(&p->index, name->text, name->length);
    if (known)
        trap_raise(raise, TEMPER_SYNTAX, name->line, name->column, "'%s' is already defined on line %zu", shown,
                   p->definitions[*known].line);
    if (alphabet_find(&s->letters, name->text, name->length) != UINT32_MAX)
        trap_raise_hint(raise, TEMPER_SYNTAX, name->line, name->column, "choose another name",
                        p->context.header->alphabet_given ? "'%s' is a letter of the alphabet and cannot be a name"
                                                          : "'%s' was used as a letter before and cannot be a name",
                        shown);
}

/* definition = NAME "=" value */
static void read_definition(parser *p) {
    temper_spec *s = p->context.spec;
    token name = p->t;
    check_name(p, &name);
    next(p);
    next(p);
    p->defining = name.text;
    definition d = {.value = read_value(p), .line = name.line};
    p->defining = NULL;
    if (p->t.kind == TOK_NEWLINE) next(p);
    if (p->t.kind == TOK_END) {
        text hint;
        text_init(&hint, scratch_of(p));
        const char *shown = text_escaped(scratch_of(p), name.text, name.length, 40);
        text_printf(&hint,
                    d.value.kind == VALUE_FORMULA
                        ? "add a last line such as '%s'; formulas are compared by '<->'"
                        : "add a last line such as '%s > 0'; the count of a letter is '#[a]'",
                    shown);
        trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, name.line, name.column, text_string(&hint),
                        "the last line must be the answer, but it defines '%s'", shown);
    }
    const linear_sum *sum = d.value.sum;
    if (d.value.kind == VALUE_FORMULA)
        formula_note_name(&s->graph, d.value.node, name.text);
    else if (d.value.kind == VALUE_SUM && sum->count == 1 && sum->weights[0] == 1 && sum->constant == 0)
        formula_note_name(&s->graph, sum->counts[0], name.text);
    d.value.is_literal = false;
    bool fresh;
    table_put(&p->index, name.text, name.length, (uint32_t)p->definition_count, &fresh);
    array_push(scratch_of(p), p->names, p->name_count, p->name_capacity, name.text);
    array_push(scratch_of(p), p->definitions, p->definition_count, p->definition_capacity, d);
}

/* Is t the name of a definition that can be compared? Then "name = ..." is the answer, not a second definition. */
static bool is_count_name(const parser *p) {
    if (p->t.kind != TOK_WORD) return false;
    const uint32_t *known = table_find(&p->index, p->t.text, p->t.length);
    return known && p->definitions[*known].value.kind != VALUE_FORMULA;
}

static const char *hint_defined(parser *p, const token *name) {
    text t;
    text_init(&t, scratch_of(p));
    text_printf(&t, "'%s' is a count defined on line %zu, so this line compares it",
                text_escaped(scratch_of(p), name->text, name->length, 40),
                p->definitions[*table_find(&p->index, name->text, name->length)].line);
    return text_string(&t);
}

/* answer = formula */
static void read_answer(parser *p) {
    temper_spec *s = p->context.spec;
    token start = p->t;
    bool is_header = start.kind == TOK_WORD && spec_is_header_word(start.text, start.length) && !s->letters.tokens;
    if (is_header) refuse_at(p, &start, "move it to the top", "lines such as 'alphabet a b' stand before all others");
    bool compares = is_assignment(p);
    value v = read_value(p);
    if (p->t.kind == TOK_NEWLINE) next(p);
    if (p->t.kind != TOK_END) {
        const char *hint = "a definition is 'name = ...'; a formula of several lines stands in brackets";
        if (compares) hint = hint_defined(p, &start);
        trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, start.line, start.column, hint,
                        "this line is an answer, but only the last line can be one, and line %zu follows", p->t.line);
    }
    value_need_formula(&p->context, &v, "the answer must be a formula");
    s->root = v.node;
}

/* The line `regex R` or `dfa FILE` is a definition of the name "matches", and the answer if there is no other. */
static void define_language(parser *p) {
    static const char name[] = "matches";
    spec_header *h = p->context.header;
    const spec_language_line *l = &h->language;
    value v = {.kind = VALUE_FORMULA, .line = clip(l->line), .column = clip(l->column)};
    if (l->is_file) {
        const char *content;
        v.node = spec_table_file(p->context.spec, h, l->text, l->line, l->column, &content, scratch_of(p));
        text inlined;
        text_init(&inlined, scratch_of(p));
        text_printf(&inlined, "%s = %s\n", name, content);
        spec_splice gone = {.begin = l->begin, .end = l->end, .text = ""};
        spec_splice here = {
            .begin = p->z.at, .end = p->z.at, .text = text_string(&inlined), .length = inlined.length};
        array_push(scratch_of(p), h->splices, h->splice_count, h->splice_capacity, gone);
        array_push(scratch_of(p), h->splices, h->splice_count, h->splice_capacity, here);
    } else {
        v.node = spec_regex(p->context.spec, h, l->text, l->length, l->line, l->column);
    }
    bool fresh;
    table_put(&p->index, name, strlen(name), (uint32_t)p->definition_count, &fresh);
    array_push(scratch_of(p), p->names, p->name_count, p->name_capacity, name);
    array_push(scratch_of(p), p->definitions, p->definition_count, p->definition_capacity,
               (definition){.value = v, .line = l->line});
}

/* Nothing follows the line `regex R` or `dfa FILE`. */
static void answer_by_language(parser *p) {
    spec_header *h = p->context.header;
    if (h->at == TEMPER_AT_FIRST)
        trap_raise(scratch_of(p)->trap, TEMPER_RANGE, h->language.line, h->language.column,
                   "a regular language is read at the last position");
    spec_splice answer = {.begin = p->z.at, .end = p->z.at, .text = "matches\n", .length = strlen("matches\n")};
    if (h->language.is_file) array_push(scratch_of(p), h->splices, h->splice_count, h->splice_capacity, answer);
    p->context.spec->root = p->definitions[0].value.node;
}

/* The stacks and the text of tokens are scratch, so that the specification keeps only its graph. */
void spec_parse_formula(temper_spec *s, spec_header *h, arena *scratch) {
    parser p = {.context = {.spec = s, .header = h, .scratch = scratch}};
    table_init(&p.index, scratch);
    tokenizer_init(&p.z, scratch, TEMPER_SYNTAX_SPEC, s->source, s->source_length);
    while (spec_header_line(s, h, &p.z)) continue;
    if (h->language.is_said) define_language(&p);
    next(&p);
    if (p.t.kind == TOK_END && h->language.is_said) {
        answer_by_language(&p);
        return;
    }
    if (p.t.kind == TOK_END)
        refuse_at(&p, &p.t, "the last line of a specification is its answer, as in 'a & F b'",
                  "expected a formula, found end of text");
    while (is_assignment(&p) && !is_count_name(&p)) read_definition(&p);
    read_answer(&p);
}

/* C-RASP files: lines NAME = EXPRESSION over Booleans and counts; the last line, with or without a name, is the
   output.

       expression  = iff ["?" expression ":" expression]
       iff         = implies ["<->" implies]            implies = or ["->" implies]
       or          = xor {"|" xor}      xor = and {"^" and}      and = not {"&" not}
       not         = "!" not | compare
       compare     = sum [("==" | "!=" | "<" | "<=" | ">" | ">=" | "@") sum]
       sum         = ["-"] product {("+" | "-") product}
       product     = operand {("*" | "%") operand}
       operand     = "#" counted | "#" "[" expression "]" | ("min" | "max") "(" expression {"," expression} ")"
                   | "(" expression ")" | NAME | LETTER | NUMBER | "true" | "false"
       counted     = {"!"} operand | "[" ("j" "<=" "i" | "j" "<" "i") "]" {"!"} operand

   The papers' positions are allowed everywhere: P(i) is P, and P(j) is P under "# [j<=i]". The parser keeps operators
   and values on explicit stacks, so that nesting costs no C stack. */
#include "logic/crasp.h"

#include <string.h>

static void advance(crasp *p) { p->now = tokenizer_next(&p->in); }
static bool is_symbol(const token *t, token_symbol s) { return t->kind == TOK_SYMBOL && t->symbol == s; }
static bool is_operator(const token *t, formula_op op) { return is_symbol(t, SYM_OPERATOR) && t->op == op; }

static _Noreturn void expected(crasp *p, const char *what, const char *hint) {
    trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, p->now.line, p->now.column, hint, "expected %s, found %s", what,
                    token_shown(p->arena, &p->now));
}

/* ---- the two stacks ----------------------------------------------------------------------------------------- */

static void push(crasp *p, value v) { array_push(p->arena, p->values, p->value_count, p->value_capacity, v); }

static slot *push_slot(crasp *p, slot_kind kind, int level) {
    slot s = {.kind = kind, .level = level, .sign = p->now, .operands = 1};
    array_push(p->arena, p->slots, p->slot_count, p->slot_capacity, s);
    return &p->slots[p->slot_count - 1];
}

static slot *top_slot(crasp *p) { return p->slot_count ? &p->slots[p->slot_count - 1] : NULL; }

/* Applies the top operator to its operands. */
static void apply(crasp *p) {
    slot s = p->slots[--p->slot_count];
    size_t count = s.kind == SLOT_PREFIX ? 1 : s.kind == SLOT_ELSE ? 3 : s.operands;
    value result = crasp_apply(p, &s, &p->values[p->value_count - count]);
    p->value_count -= count;
    push(p, result);
}

/* Applies what binds at least as tightly as `level`; brackets and an open "?" stop it. */
static void apply_down_to(crasp *p, int level) {
    while (p->slot_count && top_slot(p)->level >= level && top_slot(p)->level != LEVEL_NONE) apply(p);
}

/* ---- operands ----------------------------------------------------------------------------------------------- */

static bool is_temporal(const char *word) {
    static const char *const words[] = {"X", "wX", "WX", "F", "G", "U", "R", "W",     "M",    "Y",
                                        "Z", "wY", "WY", "O", "H", "S", "T", "first", "last", "start"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k], word) == 0) return true;
    return false;
}

static _Noreturn void refuse_temporal(crasp *p) {
    trap_raise_hint(p->arena->trap, TEMPER_UNSUPPORTED, p->now.line, p->now.column,
                    "temporal operators belong in a specification, which is another syntax",
                    "C-RASP has no temporal operators, and %s is not defined", token_shown(p->arena, &p->now));
}

static definition *find_name(crasp *p, const token *t) {
    const uint32_t *index = table_find(&p->names, t->text, t->length);
    return index ? &p->definitions[*index] : NULL;
}

static void add_name(crasp *p, const token *t, definition d) {
    bool fresh;
    table_put(&p->names, t->text, t->length, (uint32_t)p->definition_count, &fresh);
    array_push(p->arena, p->definitions, p->definition_count, p->definition_capacity, d);
}

static value letter_value(crasp *p, const token *t, const char *letter, size_t length) {
    node_id node = spec_letter(p->spec, p->header, letter, length, t->line, t->column);
    formula_note_place(p->graph, node, t->line, t->column);
    return (value){.truth = node, .at = token_place(t)};
}

static value read_name(crasp *p) {
    const token t = p->now;
    definition *d = find_name(p, &t);
    if (d && !d->is_letter) {
        value v = d->value;
        v.at = token_place(&t);
        return v;
    }
    if (strncmp(t.text, "Q_", 2) == 0) return letter_value(p, &t, t.text + 2, t.length - 2);
    if (is_temporal(t.text)) refuse_temporal(p);
    bool lower = t.text[0] >= 'a' && t.text[0] <= 'z';
    if (!lower || (t.length > 1 && !p->header->tokens))
        trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, t.line, t.column,
                        "define it on a line above; a letter is written \"x\" or Q_x", "%s is not defined",
                        token_shown(p->arena, &t));
    if (!d) add_name(p, &t, (definition){.line = t.line, .is_letter = true});
    return letter_value(p, &t, t.text, t.length);
}

/* The papers' (i) or (j) after a name; anything else in parentheses is an error. */
static void read_position(crasp *p, value *v) {
    if (!is_symbol(&p->now, SYM_OPEN)) return;
    advance(p);
    if (token_is_word(&p->now, "i"))
        v->i = token_place(&p->now);
    else if (token_is_word(&p->now, "j"))
        v->j = token_place(&p->now);
    else
        expected(p, "a position i or j", "a name is followed by an operator, (i) or (j)");
    advance(p);
    if (!is_symbol(&p->now, SYM_CLOSE)) expected(p, "')'", "");
    advance(p);
}

static bool begins_operand(const token *t) {
    return t->kind == TOK_WORD || t->kind == TOK_LETTER || t->kind == TOK_NUMBER || is_symbol(t, SYM_OPEN) ||
           is_operator(t, OP_NOT) || is_operator(t, OP_TRUE) || is_operator(t, OP_FALSE);
}

/* After "#": a mask "[j<=i]" if that is what stands there and it is followed by what is counted. */
static void read_mask(crasp *p, slot *count) {
    tokenizer ahead = p->in;
    token part[5];
    for (int k = 0; k < 5; k++) {
        part[k] = tokenizer_next(&ahead);
        if (part[k].kind == TOK_END || part[k].kind == TOK_NEWLINE) return;
    }
    bool forward = token_is_word(&part[0], "j") && token_is_word(&part[2], "i");
    bool mirror = token_is_word(&part[0], "i") && token_is_word(&part[2], "j");
    if (part[1].symbol < SYM_EQ || part[1].symbol > SYM_GE) return;
    if ((!forward && !mirror) || !is_symbol(&part[3], SYM_CLOSE_SQUARE) || !begins_operand(&part[4])) return;
    compare_op op = token_comparison(part[1].symbol);
    if (mirror) op = crasp_mirrored(op);
    if (op != CMP_LT && op != CMP_LE)
        trap_raise_hint(p->arena->trap, TEMPER_UNSUPPORTED, part[1].line, part[1].column,
                        "counts that look forward are #>[ ] in a specification, which is another syntax",
                        "C-RASP counts positions j <= i or j < i");
    count->masked = true;
    count->strict = op == CMP_LT;
    for (int k = 0; k < 4; k++) advance(p);
}

/* Reads a prefix or an operand; true: an operator must follow. */
static bool read_operand(crasp *p) {
    token t = p->now;
    const slot *top = top_slot(p);
    value v = {.at = token_place(&t)};
    counts_begin(&p->counts, t.line, t.column);
    if (is_symbol(&t, SYM_OPEN)) {
        push_slot(p, SLOT_OPEN, LEVEL_NONE);
    } else if (is_symbol(&t, SYM_MINUS)) {
        push_slot(p, SLOT_PREFIX, LEVEL_NEGATE);
    } else if (is_operator(&t, OP_NOT)) {
        bool counted = top && top->kind == SLOT_PREFIX && top->level == LEVEL_COUNT; /* # !P == 2 is (# !P) == 2 */
        push_slot(p, SLOT_PREFIX, counted ? LEVEL_COUNT : LEVEL_NOT);
    } else if (is_symbol(&t, SYM_COUNT_PAST)) {
        slot *count = push_slot(p, SLOT_PREFIX, LEVEL_COUNT);
        advance(p);
        if (!is_symbol(&p->now, SYM_OPEN_SQUARE)) return false;
        read_mask(p, count);
        if (!count->masked) push_slot(p, SLOT_SQUARE, LEVEL_NONE);
    } else if (token_is_word(&t, "min") || token_is_word(&t, "max")) {
        slot *call = push_slot(p, SLOT_CALL, LEVEL_NONE);
        call->largest = token_is_word(&t, "max");
        advance(p);
        if (!is_symbol(&p->now, SYM_OPEN)) expected(p, "'(' and two counts", "");
    } else {
        bool is_name = false;
        if (token_is_word(&t, "true") || is_operator(&t, OP_TRUE)) {
            v.truth = formula_atom(p->graph, OP_TRUE);
        } else if (token_is_word(&t, "false") || is_operator(&t, OP_FALSE)) {
            v.truth = formula_atom(p->graph, OP_FALSE);
        } else if (t.kind == TOK_NUMBER) {
            int64_t number = token_number(p->arena, &t);
            v.count = count_constant(&p->counts, number);
            if (number == 0 || number == 1) v.truth = formula_atom(p->graph, number ? OP_TRUE : OP_FALSE);
        } else if (t.kind == TOK_LETTER) {
            v = letter_value(p, &t, t.text, t.length);
            is_name = true;
        } else if (token_is_word(&t, "Q_")) {
            advance(p);
            if (p->now.kind != TOK_LETTER) expected(p, "a quoted letter after 'Q_'", "as in Q_'('");
            v = letter_value(p, &t, p->now.text, p->now.length);
            is_name = true;
        } else if (t.kind == TOK_WORD) {
            v = read_name(p);
            is_name = true;
        } else if (is_symbol(&t, SYM_COUNT_FUTURE)) {
            trap_raise_hint(p->arena->trap, TEMPER_UNSUPPORTED, t.line, t.column,
                            "counts that look forward are #>[ ] in a specification, which is another syntax",
                            "C-RASP counts positions up to the current one");
        } else {
            expected(p, "an operand", "");
        }
        advance(p);
        if (is_name) read_position(p, &v);
        push(p, v);
        return true;
    }
    advance(p);
    return false;
}

/* ---- operators ---------------------------------------------------------------------------------------------- */

static int level_of(const token *t) {
    if (t->kind != TOK_SYMBOL) return LEVEL_NONE;
    switch (t->symbol) {
    case SYM_OPERATOR:
        switch (t->op) {
        case OP_AND: return LEVEL_AND;
        case OP_OR: return LEVEL_OR;
        case OP_XOR: return LEVEL_XOR;
        case OP_IMPLIES:
        case OP_IFF: return LEVEL_IMPLIES;
        case OP_AT: return LEVEL_COMPARE;
        default: return LEVEL_NONE;
        }
    case SYM_EQ:
    case SYM_NE:
    case SYM_LT:
    case SYM_LE:
    case SYM_GT:
    case SYM_GE: return LEVEL_COMPARE;
    case SYM_PLUS:
    case SYM_MINUS: return LEVEL_SUM;
    case SYM_TIMES:
    case SYM_PERCENT: return LEVEL_PRODUCT;
    default: return LEVEL_NONE;
    }
}

static void read_binary(crasp *p, int level) {
    bool chains = level == LEVEL_AND || level == LEVEL_OR || level == LEVEL_SUM; /* one operator, many operands */
    bool right = level == LEVEL_IMPLIES;
    apply_down_to(p, level + 1);
    slot *top = top_slot(p);
    bool same = top && top->level == level;
    bool places = same && level == LEVEL_COMPARE && (p->now.op == OP_AT || top->sign.op == OP_AT) &&
                  (p->now.symbol == SYM_OPERATOR || top->sign.symbol == SYM_OPERATOR);
    if (places)
        crasp_refuse(p, token_place(&p->now), "write (P @ C) @ D, or (C > 1) @ D",
                     "'@' beside a comparison or '@' needs parentheses");
    if (same && level == LEVEL_COMPARE)
        crasp_refuse(p, token_place(&p->now), "write 0 < C && C < 3", "comparisons do not chain");
    if (same && right && (p->now.op == OP_IFF || top->sign.op == OP_IFF))
        crasp_refuse(p, token_place(&p->now), "tools disagree on how to group these",
                     "'<->' beside '<->' or '->' needs parentheses");
    if (same && !chains && !right) apply(p);
    if (chains && same)
        top->operands++;
    else
        push_slot(p, SLOT_BINARY, level)->operands = 2;
    if (is_symbol(&p->now, SYM_MINUS)) push_slot(p, SLOT_PREFIX, LEVEL_NEGATE); /* x - y is x + (-y) */
}

static const char *closer_of(const slot *s) {
    switch (s->kind) {
    case SLOT_SQUARE: return "']'";
    case SLOT_QUESTION: return "':'";
    default: return "')'";
    }
}

/* The end of a bracket, an argument, a condition's first side. */
static bool read_closer(crasp *p) {
    apply_down_to(p, LEVEL_ELSE);
    slot *top = top_slot(p);
    slot_kind kind = top ? top->kind : SLOT_BINARY;
    if (is_symbol(&p->now, SYM_CLOSE) && (kind == SLOT_OPEN || kind == SLOT_CALL)) {
        if (kind == SLOT_CALL)
            apply(p);
        else
            p->slot_count--;
    } else if (is_symbol(&p->now, SYM_CLOSE_SQUARE) && kind == SLOT_SQUARE) {
        p->slot_count--;
    } else if (is_symbol(&p->now, SYM_COMMA) && kind == SLOT_CALL) {
        top->operands++;
    } else if (is_symbol(&p->now, SYM_COLON) && kind == SLOT_QUESTION) {
        top->kind = SLOT_ELSE;
        top->level = LEVEL_ELSE;
    } else if (top) {
        expected(p, closer_of(top), "");
    } else {
        expected(p, "an operator or the end of the line", "");
    }
    bool operand_follows = is_symbol(&p->now, SYM_COMMA) || is_symbol(&p->now, SYM_COLON);
    advance(p);
    return !operand_follows;
}

/* Reads an operator or closer; true: an operator must follow. */
static bool read_operator(crasp *p) {
    token *t = &p->now;
    if (token_is_word(t, "xor")) {
        t->kind = TOK_SYMBOL;
        t->symbol = SYM_OPERATOR;
        t->op = OP_XOR;
    }
    int level = level_of(t);
    if (level != LEVEL_NONE) {
        read_binary(p, level);
    } else if (is_symbol(t, SYM_QUESTION)) {
        apply_down_to(p, LEVEL_ELSE + 1);
        push_slot(p, SLOT_QUESTION, LEVEL_NONE);
    } else if (is_symbol(t, SYM_CLOSE) || is_symbol(t, SYM_CLOSE_SQUARE) || is_symbol(t, SYM_COMMA) ||
               is_symbol(t, SYM_COLON)) {
        return read_closer(p);
    } else if (t->kind == TOK_WORD && is_temporal(t->text) && !find_name(p, t)) {
        refuse_temporal(p);
    } else {
        expected(p, "an operator or the end of the line", "");
    }
    advance(p);
    return false;
}

static bool at_end(const crasp *p) { return p->now.kind == TOK_END || p->now.kind == TOK_NEWLINE; }

static value read_expression(crasp *p) {
    bool after_operand = false;
    while (!after_operand || !at_end(p)) after_operand = after_operand ? read_operator(p) : read_operand(p);
    apply_down_to(p, LEVEL_ELSE);
    if (p->slot_count) {
        const slot *open = top_slot(p);
        trap_raise(p->arena->trap, TEMPER_SYNTAX, p->now.line, p->now.column,
                   "expected %s for %s of line %zu, found %s", closer_of(open), token_shown(p->arena, &open->sign),
                   open->sign.line, token_shown(p->arena, &p->now));
    }
    value v = p->values[--p->value_count];
    if (v.j.line) crasp_refuse(p, v.j, "write # [j<=i] P(j), or just # P", "there is no j here");
    return v;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* NAME = or NAME(i) :=, past which the reader is moved. */
static bool read_head(crasp *p) {
    tokenizer ahead = p->in;
    if (p->now.kind != TOK_WORD) return false;
    token position = {.kind = TOK_END}, t = tokenizer_next(&ahead);
    if (is_symbol(&t, SYM_OPEN)) {
        t = tokenizer_next(&ahead);
        position = t;
        t = tokenizer_next(&ahead);
        if (!is_symbol(&t, SYM_CLOSE)) return false;
        t = tokenizer_next(&ahead);
    }
    if (!is_symbol(&t, SYM_ASSIGN) && !(is_symbol(&t, SYM_EQ) && t.length == 1)) return false;
    if (position.kind != TOK_END && !token_is_word(&position, "i"))
        crasp_refuse(p, token_place(&position), "write P(i) := ..., or just P = ...", "a line is defined at i");
    p->in = ahead;
    return true;
}

static void check_head(crasp *p, const token *name) {
    static const char *const reserved[] = {"true", "false", "min", "max", "xor"};
    const char *shown = token_shown(p->arena, name);
    const definition *d = find_name(p, name);
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (token_is_word(name, reserved[k]))
            trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name->line, name->column, "choose another name",
                            "%s has a fixed meaning and cannot be defined", shown);
    if (strncmp(name->text, "Q_", 2) == 0)
        trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name->line, name->column, "choose another name",
                        "%s stands for a letter and cannot be defined", shown);
    if (d && d->is_letter)
        trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name->line, name->column, "choose another name",
                        "%s was read as a letter on line %zu", shown, d->line);
    if (d)
        trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name->line, name->column, "to compare two counts write '=='",
                        "%s is already defined on line %zu", shown, d->line);
}

void spec_parse_crasp(temper_spec *s, spec_header *h) {
    crasp p = {.spec = s, .header = h, .graph = &s->graph, .arena = &s->memory};
    value output = {0};
    bool unnamed = false, any = false;
    table_init(&p.names, p.arena);
    counts_init(&p.counts, p.graph);
    tokenizer_init(&p.in, p.arena, TEMPER_SYNTAX_CRASP, s->source, s->source_length);
    while (spec_header_line(s, h, &p.in)) {
    }
    for (advance(&p); p.now.kind != TOK_END; advance(&p)) {
        token name = p.now;
        if (unnamed)
            crasp_refuse(&p, output.at, "name it, as in P = ...", "only the last line may stand without a name");
        unnamed = !read_head(&p);
        if (unnamed && name.kind == TOK_WORD && spec_is_header_word(name.text, name.length) && !find_name(&p, &name))
            crasp_refuse(&p, token_place(&name), "move it to the top",
                         "lines such as 'alphabet a b' stand before all others");
        if (!unnamed) {
            check_head(&p, &name);
            advance(&p);
        }
        output = read_expression(&p);
        any = true;
        if (unnamed) continue;
        if (output.truth) formula_note_name(p.graph, output.truth, name.text);
        value kept = output;
        kept.i = (place){0};
        add_name(&p, &name, (definition){.value = kept, .line = name.line});
    }
    if (!any) crasp_refuse(&p, token_place(&p.now), "the last line is the output", "there is no line to read");
    if (!output.truth)
        crasp_refuse(&p, output.at, "compare it, as in C > 0", "the output must be a Boolean, not a count");
    s->root = output.truth;
    const token viable = {.kind = TOK_WORD, .text = "viable", .length = strlen("viable")};
    const definition *d = h->kind == TEMPER_KIND_NEXT ? find_name(&p, &viable) : NULL;
    if (d && !d->is_letter) s->viable = d->value.truth;
}

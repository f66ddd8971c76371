/* B-RASP files: every line defines a predicate, the last one is the output.

       line       = NAME "(" "i" ")" ":=" (expression | attention)
       attention  = ("leftmost" | "rightmost") ["j"] "[" mask "," expression "]" expression [":" expression]
       mask       = "1" | "j" "<" "i" | "j" "<=" "i" | "j" ">" "i" | "j" ">=" "i", or the same with i on the left
       expression = implies ["<->" implies]      implies = or ["->" implies]
       or         = xor {"|" xor}      xor = and {"^" and}      and = unary {"&" unary}
       unary      = "!" unary | "(" expression ")" | "0" | "1" | (NAME | "Q_" LETTER) "(" ("i" | "j") ")"

   A score S(i,j) or value V(i,j) that looks at both positions becomes a value by cases (cases.h): the conditions are
   the parts at i, the leaves formulas at j. A score that is a conjunction of conditions at one position, of P(i) <->
   Q(j), and of letters that agree, is a MATCH (match.h) instead, if the value looks at j alone. */
#include "logic/brasp_values.h"
#include "logic/spec_parse.h"

#include <string.h>

enum { LEVEL_NONE, LEVEL_IMPLIES, LEVEL_OR, LEVEL_XOR, LEVEL_AND, LEVEL_NOT };
typedef struct slot {
    int level; /* LEVEL_NONE: a parenthesis */
    token sign;
    size_t operands;
} slot;

typedef struct predicate {
    node_id node;
    size_t line;
} predicate;

typedef struct brasp {
    temper_spec *spec;
    spec_header *header;
    formula *graph;
    arena *arena;
    tokenizer in;
    token now;
    cases cases;
    slot *slots;
    brasp_value *values;
    size_t slot_count, slot_capacity, value_count, value_capacity;
    predicate *predicates;
    size_t predicate_count, predicate_capacity;
    table names;
} brasp;

static void advance(brasp *p) { p->now = tokenizer_next(&p->in); }
static bool is_symbol(const token *t, token_symbol s) { return t->kind == TOK_SYMBOL && t->symbol == s; }
static bool is_operator(const token *t, formula_op op) { return is_symbol(t, SYM_OPERATOR) && t->op == op; }
static bool is_end(const token *t) { return t->kind == TOK_END || t->kind == TOK_NEWLINE; }

static bool is_attention(const token *t) {
    return token_is_word(t, "rightmost") || token_is_word(t, "leftmost") || is_symbol(t, SYM_RIGHTMOST) ||
           is_symbol(t, SYM_LEFTMOST);
}

static _Noreturn void refuse(brasp *p, const token *at, const char *hint, const char *message) {
    trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, at->line, at->column, hint, "%s", message);
}

static _Noreturn void expected(brasp *p, const char *what, const char *hint) {
    trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, p->now.line, p->now.column, hint, "expected %s, found %s", what,
                    token_shown(p->arena, &p->now));
}

static void skip_symbol(brasp *p, token_symbol s, const char *what, const char *hint) {
    if (!is_symbol(&p->now, s)) expected(p, what, hint);
    advance(p);
}

/* ---- expressions, on explicit stacks ---- */

static void push(brasp *p, brasp_value v) { array_push(p->arena, p->values, p->value_count, p->value_capacity, v); }

static void push_slot(brasp *p, int level, size_t operands) {
    slot s = {.level = level, .sign = p->now, .operands = operands};
    array_push(p->arena, p->slots, p->slot_count, p->slot_capacity, s);
}

static void apply_down_to(brasp *p, size_t bottom, int level) {
    while (p->slot_count > bottom && p->slots[p->slot_count - 1].level >= level) {
        slot s = p->slots[--p->slot_count];
        brasp_value *part = &p->values[p->value_count - s.operands];
        cases_begin(&p->cases, s.sign.line, s.sign.column);
        brasp_value result = s.level == LEVEL_NOT ? brasp_negate(&p->cases, part)
                                                  : brasp_connect(&p->cases, s.sign.op, part, s.operands);
        if (result.looks != (AT_I | AT_J)) formula_note_place(p->graph, result.node, s.sign.line, s.sign.column);
        p->value_count -= s.operands;
        push(p, result);
    }
}

static int level_of(const token *t) {
    if (!is_symbol(t, SYM_OPERATOR)) return LEVEL_NONE;
    switch (t->op) {
    case OP_AND: return LEVEL_AND;
    case OP_OR: return LEVEL_OR;
    case OP_XOR: return LEVEL_XOR;
    case OP_IMPLIES:
    case OP_IFF: return LEVEL_IMPLIES;
    default: return LEVEL_NONE;
    }
}

/* NAME or Q_LETTER, and its position */
static brasp_value read_predicate(brasp *p) {
    token name = p->now;
    brasp_value v = {0};
    if (strncmp(name.text, "Q_", 2) == 0) {
        const char *letter = name.text + 2;
        size_t length = name.length - 2;
        if (length == 0) {
            advance(p);
            if (p->now.kind != TOK_LETTER) expected(p, "a letter after 'Q_'", "as in Q_a(i) or Q_'('(i)");
            letter = p->now.text;
            length = p->now.length;
        }
        v.node = spec_letter(p->spec, p->header, letter, length, name.line, name.column);
    } else {
        const uint32_t *index = table_find(&p->names, name.text, name.length);
        if (index)
            v.node = p->predicates[*index].node;
        else
            trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name.line, name.column,
                            "define it on a line above; the letter a is Q_a(i)", "the predicate %s is not defined",
                            token_shown(p->arena, &name));
    }
    advance(p);
    const char *hint = "a predicate is read at a position, as in P(i)";
    skip_symbol(p, SYM_OPEN, "'(i)' or '(j)'", hint);
    if (token_is_word(&p->now, "i")) {
        v.looks = AT_I;
        v.i = p->now;
    } else if (token_is_word(&p->now, "j")) {
        v.looks = AT_J;
        v.j = p->now;
    } else {
        expected(p, "the position i or j", hint);
    }
    advance(p);
    skip_symbol(p, SYM_CLOSE, "')'", hint);
    return v;
}

/* Reads a prefix or an operand; true: an operator must follow. */
static bool read_operand(brasp *p) {
    token t = p->now;
    int64_t number = t.kind == TOK_NUMBER ? token_number(p->arena, &t) : -1;
    bool is_true = number == 1 || token_is_word(&t, "true") || is_operator(&t, OP_TRUE);
    bool is_false = number == 0 || token_is_word(&t, "false") || is_operator(&t, OP_FALSE);
    if (is_symbol(&t, SYM_OPEN)) {
        push_slot(p, LEVEL_NONE, 0);
    } else if (is_operator(&t, OP_NOT)) {
        push_slot(p, LEVEL_NOT, 1);
    } else if (is_true || is_false) {
        push(p, (brasp_value){.node = formula_atom(p->graph, is_true ? OP_TRUE : OP_FALSE)});
        advance(p);
        return true;
    } else if (is_attention(&t)) {
        refuse(p, &t, "define it on a line of its own", "attention is a whole line, not part of an expression");
    } else if (t.kind == TOK_WORD) {
        push(p, read_predicate(p));
        return true;
    } else if (t.kind == TOK_NUMBER) {
        refuse(p, &t, "", "the only numbers are the constants 0 and 1");
    } else {
        expected(p, "a predicate", t.kind == TOK_LETTER ? "a letter is written Q_'a'(i)" : "");
    }
    advance(p);
    return false;
}

static void read_operator(brasp *p, size_t bottom, int level) {
    bool chains = level == LEVEL_AND || level == LEVEL_OR, right = level == LEVEL_IMPLIES;
    apply_down_to(p, bottom, chains || right ? level + 1 : level);
    slot *top = p->slot_count > bottom ? &p->slots[p->slot_count - 1] : NULL;
    bool same = top && top->level == level;
    if (right && same && (p->now.op == OP_IFF || top->sign.op == OP_IFF))
        refuse(p, &p->now, "tools disagree on how to group these", "'<->' beside '<->' or '->' needs parentheses");
    if (chains && same)
        top->operands++;
    else
        push_slot(p, level, 2);
    advance(p);
}

/* Ends before the first token that cannot go on: ']', ':', the end of the line, or an error of the caller's. */
static brasp_value read_expression(brasp *p) {
    size_t bottom = p->slot_count, open = 0;
    bool after_operand = false;
    for (;;) {
        if (!after_operand) {
            if (is_symbol(&p->now, SYM_OPEN)) open++;
            after_operand = read_operand(p);
            continue;
        }
        int level = level_of(&p->now);
        if (level != LEVEL_NONE) {
            read_operator(p, bottom, level);
            after_operand = false;
            continue;
        }
        apply_down_to(p, bottom, LEVEL_IMPLIES);
        if (!open) break;
        if (!is_symbol(&p->now, SYM_CLOSE)) expected(p, "an operator or ')'", "");
        open--;
        p->slot_count--;
        advance(p);
    }
    return p->values[--p->value_count];
}

/* ---- attention ---- */

typedef struct attention {
    temper_choice choice;
    temper_mask mask;
    node_id otherwise; /* at i: the value where no position is chosen */
    token at;
} attention;

static temper_mask read_mask(brasp *p) {
    const char *hint = "masks are j<i, j<=i, i<j, i<=j and 1";
    token left = p->now;
    if (left.kind == TOK_NUMBER && strcmp(left.text, "1") == 0) {
        advance(p);
        return TEMPER_MASK_ALL;
    }
    bool is_j = token_is_word(&left, "j");
    if (!is_j && !token_is_word(&left, "i")) expected(p, "a mask", hint);
    advance(p);
    token_symbol s = p->now.kind == TOK_SYMBOL ? p->now.symbol : SYM_NONE;
    if (s != SYM_LT && s != SYM_LE && s != SYM_GT && s != SYM_GE) expected(p, "'<', '<=', '>' or '>='", hint);
    advance(p);
    if (!token_is_word(&p->now, is_j ? "i" : "j")) expected(p, is_j ? "'i'" : "'j'", hint);
    advance(p);
    bool below = (s == SYM_LT || s == SYM_LE) == is_j; /* j before i */
    bool strict = s == SYM_LT || s == SYM_GT;
    if (below) return strict ? TEMPER_MASK_BEFORE : TEMPER_MASK_UP_TO;
    return strict ? TEMPER_MASK_AFTER : TEMPER_MASK_FROM;
}

static bool is_op(const formula *f, node_id id, formula_op op) { return formula_at(f, id)->op == op; }

/* "There is a position of the mask with `where`"; position i itself is one where the mask has it. */
static node_id exists(formula *f, const attention *a, node_id where) {
    bool strict = a->mask == TEMPER_MASK_BEFORE || a->mask == TEMPER_MASK_AFTER;
    if (is_op(f, where, OP_FALSE) || (is_op(f, where, OP_TRUE) && !strict)) return where;
    node_id found = formula_attend(f, TEMPER_CHOICE_AVERAGE, a->mask, where, where);
    formula_note_place(f, found, a->at.line, a->at.column);
    return found;
}

/* One case: score S(j), value V(j). The value is taken as S & V, so that it is false wherever nothing is chosen. */
static case_id attend_leaves(cases *c, void *context, uint32_t where, uint32_t value_there) {
    const attention *a = context;
    formula *f = c->graph;
    node_id both = formula_fold_and(f, where, value_there), found = both;
    if (both == where) {
        found = exists(f, a, where);
    } else if (!is_op(f, both, OP_FALSE)) {
        found = formula_attend(f, a->choice, a->mask, where, both);
        formula_note_place(f, found, a->at.line, a->at.column);
    }
    if (is_op(f, a->otherwise, OP_FALSE)) return cases_leaf(c, found);
    node_id missing = formula_fold_and(f, a->otherwise, formula_fold_not(f, exists(f, a, where)));
    return cases_leaf(c, formula_fold_or(f, found, missing));
}

/* The value where the positions agree, or the default. */
static node_id match(brasp *p, const attention *a, const alike *where, node_id there) {
    formula *f = p->graph;
    size_t line = a->at.line, column = a->at.column;
    node_id found = match_make(f, a->choice, a->mask, where->pairs, where->count, there, line, column);
    formula_note_place(f, found, line, column);
    if (is_op(f, a->otherwise, OP_FALSE)) return found;
    node_id some =
        match_make(f, a->choice, a->mask, where->pairs, where->count, formula_atom(f, OP_TRUE), line, column);
    formula_note_place(f, some, line, column);
    return formula_fold_or(f, found, formula_fold_and(f, a->otherwise, formula_fold_not(f, some)));
}

static node_id read_attention(brasp *p) {
    attention a = {.at = p->now};
    bool right = token_is_word(&p->now, "rightmost") || is_symbol(&p->now, SYM_RIGHTMOST);
    a.choice = right ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    advance(p);
    if (token_is_word(&p->now, "j") || token_is_word(&p->now, "_j")) advance(p);
    skip_symbol(p, SYM_OPEN_SQUARE, "'['", "attention is written rightmost [j<i, S] V : D");
    a.mask = read_mask(p);
    skip_symbol(p, SYM_COMMA, "',' after the mask", "attention is written rightmost [j<i, S] V : D");
    brasp_value where = read_expression(p);
    skip_symbol(p, SYM_CLOSE_SQUARE, "an operator or ']'", "");
    brasp_value there = read_expression(p), otherwise = {.node = formula_atom(p->graph, OP_FALSE)};
    if (is_symbol(&p->now, SYM_COLON)) {
        advance(p);
        otherwise = read_expression(p);
        if (otherwise.looks & AT_J)
            refuse(p, &otherwise.j, "it is used where there is no such j", "the default after ':' cannot look at j");
        if (!is_end(&p->now)) expected(p, "an operator or the end of the line", "");
    } else if (!is_end(&p->now)) {
        expected(p, "an operator, ':' or the end of the line", "");
    }
    a.otherwise = otherwise.node;
    if (where.looks == (AT_I | AT_J) && where.alike && where.alike->compares && !(there.looks & AT_I))
        return match(p, &a, where.alike, there.node);
    cases_begin(&p->cases, a.at.line, a.at.column);
    case_id left = brasp_cases(&p->cases, &where);
    case_id result = cases_combine(&p->cases, left, brasp_cases(&p->cases, &there), attend_leaves, &a);
    return cases_formula(&p->cases, result);
}

/* ---- lines ---- */

static token read_head(brasp *p) {
    static const char *const reserved[] = {"i", "j", "true", "false", "leftmost", "rightmost"};
    const char *hint = "every line is P(i) := ..., also the last";
    token name = p->now;
    if (name.kind != TOK_WORD) expected(p, "the name of a predicate", hint);
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (token_is_word(&name, reserved[k]))
            trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name.line, name.column, "choose another name",
                            "%s has a fixed meaning and cannot be defined", token_shown(p->arena, &name));
    advance(p);
    if (spec_is_header_word(name.text, name.length) && !is_symbol(&p->now, SYM_OPEN))
        refuse(p, &name, "move it to the top", "lines such as 'alphabet a b' stand before all others");
    bool is_letter = strncmp(name.text, "Q_", 2) == 0;
    if (is_letter && p->now.kind == TOK_LETTER) advance(p);
    skip_symbol(p, SYM_OPEN, "'(i)'", hint);
    if (!token_is_word(&p->now, "i")) expected(p, "'i'", hint);
    advance(p);
    skip_symbol(p, SYM_CLOSE, "')'", hint);
    if (!is_symbol(&p->now, SYM_ASSIGN) && !is_symbol(&p->now, SYM_EQ)) expected(p, "':='", hint);
    advance(p);
    if (is_letter) refuse(p, &name, "choose another name", "Q_ stands for a letter and cannot be defined");
    const uint32_t *known = table_find(&p->names, name.text, name.length);
    if (known)
        trap_raise(p->arena->trap, TEMPER_SYNTAX, name.line, name.column, "%s is already defined on line %zu",
                   token_shown(p->arena, &name), p->predicates[*known].line);
    return name;
}

static node_id read_body(brasp *p) {
    if (is_attention(&p->now)) return read_attention(p);
    brasp_value v = read_expression(p);
    if (!is_end(&p->now)) expected(p, "an operator or the end of the line", "");
    if (v.looks & AT_J) refuse(p, &v.j, "only attention looks at j: rightmost [j<i, S] V : D", "there is no j here");
    return v.node;
}

void spec_parse_brasp(temper_spec *s, spec_header *h) {
    brasp p = {.spec = s, .header = h, .graph = &s->graph, .arena = &s->memory};
    table_init(&p.names, p.arena);
    cases_init(&p.cases, p.graph, "define parts of the score or value on lines of their own");
    tokenizer_init(&p.in, p.arena, TEMPER_SYNTAX_BRASP, s->source, s->source_length);
    while (spec_header_line(s, h, &p.in)) {
    }
    for (advance(&p); p.now.kind != TOK_END; advance(&p)) {
        token name = read_head(&p);
        node_id node = read_body(&p);
        bool fresh;
        formula_note_place(p.graph, node, name.line, name.column);
        formula_note_name(p.graph, node, name.text);
        table_put(&p.names, name.text, name.length, (uint32_t)p.predicate_count, &fresh);
        array_push(p.arena, p.predicates, p.predicate_count, p.predicate_capacity,
                   (predicate){.node = node, .line = name.line});
        s->root = node;
    }
    const uint32_t *viable = h->kind == TEMPER_KIND_NEXT ? table_find(&p.names, "viable", strlen("viable")) : NULL;
    if (viable) s->viable = p.predicates[*viable].node;
    if (!p.predicate_count) refuse(&p, &p.now, "every line is P(i) := ...", "there is no definition");
}

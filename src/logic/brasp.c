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
#include "logic/match.h"
#include "logic/value_cases.h"
#include "logic/spec_parse.h"
#include "logic/tokenize.h"

#include <string.h>

enum { LEVEL_NONE, LEVEL_IMPLIES, LEVEL_OR, LEVEL_XOR, LEVEL_AND, LEVEL_NOT };
enum { AT_I = 1, AT_J = 2 };

/* Conditions of match.h: each pair is looked at at j and at i. */
typedef struct alike {
    node_id pairs[2 * MATCH_CONDITIONS];
    size_t count;
    bool compares; /* some pair looks at both */
} alike;

typedef struct value {
    unsigned looks; /* AT_I, AT_J, both, or 0: a constant */
    node_id node;   /* unless it looks at both */
    case_id mixed;  /* if it looks at both */
    alike *alike;   /* then: the same as conditions that compare the positions; NULL: it is not known as such */
    token i, j;     /* where it first does */
} value;

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
    value *values;
    size_t slot_count, slot_capacity, value_count, value_capacity;
    predicate *predicates;
    size_t predicate_count, predicate_capacity;
    table names;
} brasp;

static void advance(brasp *p) { p->now = tokenizer_next(&p->in); }
static bool is_symbol(const token *t, token_symbol s) { return t->kind == TOK_SYMBOL && t->symbol == s; }
static bool is_word(const token *t, const char *w) { return t->kind == TOK_WORD && strcmp(t->text, w) == 0; }
static bool is_operator(const token *t, formula_op op) { return is_symbol(t, SYM_OPERATOR) && t->op == op; }
static bool is_end(const token *t) { return t->kind == TOK_END || t->kind == TOK_NEWLINE; }

static bool is_attention(const token *t) {
    return is_word(t, "rightmost") || is_word(t, "leftmost") || is_symbol(t, SYM_RIGHTMOST) ||
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

/* ---- values --------------------------------------------------------------------------------------------------- */

static bool is_letter_condition(const formula *f, node_id id) {
    if (formula_at(f, id)->op == OP_NOT) id = formula_kid(f, id, 0);
    return formula_at(f, id)->op == OP_LETTERS;
}

/* A formula at i as a condition. Letters inside an AND or OR are asked one by one, since they exclude each other and
   so keep the number of cases down; the rest is asked as a whole. */
static case_id split_at_i(brasp *p, node_id id) {
    formula *f = p->graph;
    cases *c = &p->cases;
    case_id yes = cases_leaf(c, formula_atom(f, OP_TRUE)), no = cases_leaf(c, formula_atom(f, OP_FALSE));
    formula_op op = formula_at(f, id)->op;
    if (op != OP_AND && op != OP_OR) return cases_split(c, id, yes, no);
    size_t kids = formula_at(f, id)->kid_count, others = 0;
    node_id *rest = arena_alloc(p->arena, kids, sizeof *rest);
    for (size_t k = 0; k < kids; k++)
        if (!is_letter_condition(f, formula_kid(f, id, k))) rest[others++] = formula_kid(f, id, k);
    if (others == kids) return cases_split(c, id, yes, no);
    case_id result = others ? cases_split(c, formula_nary(f, op, rest, others), yes, no) : op == OP_AND ? yes : no;
    for (size_t k = kids; k-- > 0;) {
        node_id kid = formula_kid(f, id, k);
        if (!is_letter_condition(f, kid)) continue;
        result = op == OP_AND ? cases_split(c, kid, result, no) : cases_split(c, kid, yes, result);
    }
    return result;
}

static case_id cases_of(brasp *p, const value *v) {
    if (v->looks == (AT_I | AT_J)) return v->mixed;
    return v->looks == AT_I ? split_at_i(p, v->node) : cases_leaf(&p->cases, v->node);
}

static case_id connect_leaves(cases *c, void *context, uint32_t x, uint32_t y) {
    return cases_leaf(c, formula_fold_binary(c->graph, *(formula_op *)context, x, y));
}

static case_id negate_leaf(cases *c, void *context, uint32_t x, uint32_t unused) {
    (void)context, (void)unused;
    return cases_leaf(c, formula_fold_not(c->graph, x));
}

/* The operands of an AND or OR that look at one position only, as one. */
static value gather(brasp *p, formula_op op, const value *part, size_t count, bool at_i) {
    node_id *kids = arena_alloc(p->arena, count, sizeof *kids);
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        if (part[k].looks != (AT_I | AT_J) && (part[k].looks == AT_I) == at_i) kids[found++] = part[k].node;
    return (value){.looks = at_i ? AT_I : AT_J, .node = formula_nary(p->graph, op, kids, found)};
}

/* ---- conditions that compare the positions ---- */

static alike *new_alike(brasp *p) { return arena_zalloc(p->arena, 1, sizeof(alike)); }

static bool add_pair(alike *a, node_id there, node_id here, bool compares) {
    if (a->count == MATCH_CONDITIONS) return false;
    a->pairs[2 * a->count] = there;
    a->pairs[2 * a->count++ + 1] = here;
    a->compares = a->compares || compares;
    return true;
}

/* Adds what a part of a conjunction asks; false: it is not known as conditions. */
static bool add_part(brasp *p, alike *a, const value *v) {
    node_id yes = formula_atom(p->graph, OP_TRUE);
    if (v->looks != (AT_I | AT_J))
        return v->looks == AT_I ? add_pair(a, yes, v->node, false) : add_pair(a, v->node, yes, false);
    if (!v->alike) return false;
    for (size_t k = 0; k < v->alike->count; k++)
        if (!add_pair(a, v->alike->pairs[2 * k], v->alike->pairs[2 * k + 1], v->alike->compares)) return false;
    return true;
}

/* Letters at i and letters at j, as in Q_a(i) & Q_b(j). */
static bool is_letter_pair(const formula *f, const value *v, node_id *there, node_id *here) {
    if (!v->alike || v->alike->count != 2 || v->alike->compares) return false;
    *there = *here = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t side = 0; side < 2; side++) {
            node_id x = v->alike->pairs[2 * k + side];
            if (formula_at(f, x)->op == OP_LETTERS) *(side ? here : there) = x;
        }
    return *there && *here;
}

/* A disjunction of letter pairs that exclude each other on both sides: the pairs are numbered from 1, and the bits of
   the number agree; at i there must be one. */
static alike *letters_alike(brasp *p, const value *part, size_t count) {
    formula *f = p->graph;
    alike *a = new_alike(p);
    node_id none = formula_letters(f, NULL, 0, false), some_there = none, some_here = none;
    node_id *there = arena_alloc(p->arena, count, sizeof *there), *here = arena_alloc(p->arena, count, sizeof *here);
    for (size_t k = 0; k < count; k++) {
        if (part[k].looks != (AT_I | AT_J) || !is_letter_pair(f, &part[k], &there[k], &here[k])) return NULL;
        if (!letters_exclude(f, some_there, there[k]) || !letters_exclude(f, some_here, here[k])) return NULL;
        some_there = letters_join(f, some_there, there[k]);
        some_here = letters_join(f, some_here, here[k]);
    }
    for (size_t bit = 0; count >> bit; bit++) {
        node_id x = none, y = none;
        for (size_t k = 0; k < count; k++) {
            if (!((k + 1) >> bit & 1)) continue;
            x = letters_join(f, x, there[k]);
            y = letters_join(f, y, here[k]);
        }
        if (!add_pair(a, x, y, true)) return NULL;
    }
    return add_pair(a, formula_atom(f, OP_TRUE), some_here, false) ? a : NULL;
}

static alike *connect_alike(brasp *p, formula_op op, const value *part, size_t count) {
    alike *a = new_alike(p);
    if (op == OP_OR) return letters_alike(p, part, count);
    if (op == OP_AND) {
        for (size_t k = 0; k < count; k++)
            if (!add_part(p, a, &part[k])) return NULL;
        return a;
    }
    bool parted = part[0].looks + part[1].looks == (AT_I | AT_J) && part[0].looks && part[1].looks;
    if ((op != OP_IFF && op != OP_XOR) || !parted) return NULL;
    node_id here = part[part[0].looks == AT_J].node, there = part[part[0].looks == AT_I].node;
    if (op == OP_XOR) here = formula_unary(p->graph, OP_NOT, here);
    add_pair(a, there, here, true);
    return a;
}

static value connect(brasp *p, formula_op op, const value *part, size_t count) {
    value result = {0};
    bool flat = op == OP_AND || op == OP_OR;
    for (size_t k = 0; k < count; k++) {
        if (!(result.looks & AT_I)) result.i = part[k].i;
        if (!(result.looks & AT_J)) result.j = part[k].j;
        result.looks |= part[k].looks;
    }
    if (result.looks != (AT_I | AT_J)) {
        node_id *kids = arena_alloc(p->arena, count, sizeof *kids);
        for (size_t k = 0; k < count; k++) kids[k] = part[k].node;
        result.node = flat ? formula_nary(p->graph, op, kids, count) : formula_binary(p->graph, op, kids[0], kids[1]);
        return result;
    }
    result.alike = connect_alike(p, op, part, count);
    if (!flat) {
        case_id left = cases_of(p, &part[0]);
        result.mixed = cases_combine(&p->cases, left, cases_of(p, &part[1]), connect_leaves, &op);
        return result;
    }
    value at_i = gather(p, op, part, count, true), at_j = gather(p, op, part, count, false);
    case_id *parts = arena_alloc(p->arena, count + 2, sizeof *parts);
    size_t found = 0;
    parts[found++] = cases_of(p, &at_i);
    parts[found++] = cases_of(p, &at_j);
    for (size_t k = 0; k < count; k++)
        if (part[k].looks == (AT_I | AT_J)) parts[found++] = part[k].mixed;
    result.mixed = cases_combine_all(&p->cases, parts, found, connect_leaves, &op);
    return result;
}

static value negate(brasp *p, const value *x) {
    value result = *x;
    result.alike = NULL;
    if (x->looks == (AT_I | AT_J))
        result.mixed = cases_combine(&p->cases, x->mixed, cases_leaf(&p->cases, 0), negate_leaf, NULL);
    else
        result.node = formula_unary(p->graph, OP_NOT, x->node);
    return result;
}

/* ---- expressions, on explicit stacks ---- */

static void push(brasp *p, value v) { array_push(p->arena, p->values, p->value_count, p->value_capacity, v); }

static void push_slot(brasp *p, int level, size_t operands) {
    slot s = {.level = level, .sign = p->now, .operands = operands};
    array_push(p->arena, p->slots, p->slot_count, p->slot_capacity, s);
}

static void apply_down_to(brasp *p, size_t bottom, int level) {
    while (p->slot_count > bottom && p->slots[p->slot_count - 1].level >= level) {
        slot s = p->slots[--p->slot_count];
        value *part = &p->values[p->value_count - s.operands];
        cases_begin(&p->cases, s.sign.line, s.sign.column);
        value result = s.level == LEVEL_NOT ? negate(p, part) : connect(p, s.sign.op, part, s.operands);
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
static value read_predicate(brasp *p) {
    token name = p->now;
    value v = {0};
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
    if (is_word(&p->now, "i")) {
        v.looks = AT_I;
        v.i = p->now;
    } else if (is_word(&p->now, "j")) {
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
    bool is_true = number == 1 || is_word(&t, "true") || is_operator(&t, OP_TRUE);
    bool is_false = number == 0 || is_word(&t, "false") || is_operator(&t, OP_FALSE);
    if (is_symbol(&t, SYM_OPEN)) {
        push_slot(p, LEVEL_NONE, 0);
    } else if (is_operator(&t, OP_NOT)) {
        push_slot(p, LEVEL_NOT, 1);
    } else if (is_true || is_false) {
        push(p, (value){.node = formula_atom(p->graph, is_true ? OP_TRUE : OP_FALSE)});
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
static value read_expression(brasp *p) {
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
    bool is_j = is_word(&left, "j");
    if (!is_j && !is_word(&left, "i")) expected(p, "a mask", hint);
    advance(p);
    token_symbol s = p->now.kind == TOK_SYMBOL ? p->now.symbol : SYM_NONE;
    if (s != SYM_LT && s != SYM_LE && s != SYM_GT && s != SYM_GE) expected(p, "'<', '<=', '>' or '>='", hint);
    advance(p);
    if (!is_word(&p->now, is_j ? "i" : "j")) expected(p, is_j ? "'i'" : "'j'", hint);
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
    bool right = is_word(&p->now, "rightmost") || is_symbol(&p->now, SYM_RIGHTMOST);
    a.choice = right ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    advance(p);
    if (is_word(&p->now, "j") || is_word(&p->now, "_j")) advance(p);
    skip_symbol(p, SYM_OPEN_SQUARE, "'['", "attention is written rightmost [j<i, S] V : D");
    a.mask = read_mask(p);
    skip_symbol(p, SYM_COMMA, "',' after the mask", "attention is written rightmost [j<i, S] V : D");
    value where = read_expression(p);
    skip_symbol(p, SYM_CLOSE_SQUARE, "an operator or ']'", "");
    value there = read_expression(p), otherwise = {.node = formula_atom(p->graph, OP_FALSE)};
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
    case_id left = cases_of(p, &where);
    case_id result = cases_combine(&p->cases, left, cases_of(p, &there), attend_leaves, &a);
    return cases_formula(&p->cases, result);
}

/* ---- lines ---- */

static token read_head(brasp *p) {
    static const char *const reserved[] = {"i", "j", "true", "false", "leftmost", "rightmost"};
    const char *hint = "every line is P(i) := ..., also the last";
    token name = p->now;
    if (name.kind != TOK_WORD) expected(p, "the name of a predicate", hint);
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (is_word(&name, reserved[k]))
            trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, name.line, name.column, "choose another name",
                            "%s has a fixed meaning and cannot be defined", token_shown(p->arena, &name));
    advance(p);
    if (spec_is_header_word(name.text, name.length) && !is_symbol(&p->now, SYM_OPEN))
        refuse(p, &name, "move it to the top", "lines such as 'alphabet a b' stand before all others");
    bool is_letter = strncmp(name.text, "Q_", 2) == 0;
    if (is_letter && p->now.kind == TOK_LETTER) advance(p);
    skip_symbol(p, SYM_OPEN, "'(i)'", hint);
    if (!is_word(&p->now, "i")) expected(p, "'i'", hint);
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
    value v = read_expression(p);
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

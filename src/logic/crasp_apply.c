/* The operators of C-RASP on typed values. */
#include "logic/crasp.h"

_Noreturn void crasp_refuse(crasp *p, place at, const char *hint, const char *message) {
    trap_raise_hint(p->arena->trap, TEMPER_SYNTAX, at.line, at.column, hint, "%s", message);
}

/* ---- types -------------------------------------------------------------------------------------------------- */

node_id crasp_truth(crasp *p, const value *v) {
    if (!v->truth) crasp_refuse(p, v->at, "compare it, as in C > 0", "expected a Boolean here, not a count");
    return v->truth;
}

static case_id count_of(crasp *p, const value *v) {
    if (!v->count)
        crasp_refuse(p, v->at, "count it, as in # P, or write P ? 1 : 0; Booleans are compared with <->",
                     "expected a count here, not a Boolean");
    if (v->modulus) crasp_refuse(p, v->at, "as in # P % 2 == 1", "'%' can only be compared with a constant");
    return v->count;
}

static int64_t constant_of(crasp *p, const value *v, const char *message) {
    int64_t constant;
    if (!count_is_constant(&p->counts, count_of(p, v), &constant)) crasp_refuse(p, v->at, "", message);
    return constant;
}

/* What a value made of others mentions. */
static void mention(value *to, const value *from) {
    if (!to->i.line) to->i = from->i;
    if (!to->j.line) to->j = from->j;
}

/* ---- operators ---------------------------------------------------------------------------------------------- */

compare_op crasp_mirrored(compare_op op) {
    switch (op) {
    case CMP_LT: return CMP_GT;
    case CMP_LE: return CMP_GE;
    case CMP_GT: return CMP_LT;
    case CMP_GE: return CMP_LE;
    default: return op;
    }
}

static node_id compare(crasp *p, const value *x, compare_op op, const value *y) {
    if (x->modulus && x->count)
        return count_modulo(&p->counts, x->count, x->modulus, op,
                            constant_of(p, y, "'%' can only be compared with a constant"));
    if (y->modulus && y->count) return compare(p, y, crasp_mirrored(op), x);
    case_id left = count_of(p, x);
    return count_compare(&p->counts, left, op, count_of(p, y));
}

static void multiply(crasp *p, value *result, const value *x, const value *y) {
    int64_t factor;
    case_id left = count_of(p, x), right = count_of(p, y);
    if (count_is_constant(&p->counts, left, &factor))
        result->count = count_scale(&p->counts, right, factor);
    else if (count_is_constant(&p->counts, right, &factor))
        result->count = count_scale(&p->counts, left, factor);
    else
        crasp_refuse(p, x->at, "", "one of the two factors must be a constant");
}

static void take_remainder(crasp *p, value *result, const value *x, const value *y) {
    int64_t constant;
    result->count = count_of(p, x);
    result->modulus = constant_of(p, y, "the modulus must be a constant");
    if (result->modulus <= 0) crasp_refuse(p, y->at, "", "the modulus must be positive");
    if (!count_is_constant(&p->counts, result->count, &constant)) return;
    constant %= result->modulus;
    if (constant < 0) constant += result->modulus;
    result->count = count_constant(&p->counts, constant);
    result->modulus = 0;
}

static value choose(crasp *p, const value *part) {
    value result = {.at = part[0].at};
    node_id condition = crasp_truth(p, &part[0]);
    cases *c = &p->counts.by_case;
    if (part[1].truth && part[2].truth) {
        case_id yes = cases_leaf(c, part[1].truth), no = cases_leaf(c, part[2].truth);
        result.truth = cases_formula(c, cases_split(c, condition, yes, no));
    }
    if (part[1].count && part[2].count) {
        case_id yes = count_of(p, &part[1]), no = count_of(p, &part[2]);
        result.count = count_choose(&p->counts, condition, yes, no);
    }
    if (!result.truth && !result.count)
        crasp_refuse(p, part[2].at, "", "the two sides of '? :' must be both counts or both Booleans");
    return result;
}

/* Booleans of an n-ary connective, or of a binary one. */
static node_id connect(crasp *p, formula_op op, const value *part, size_t count) {
    node_id *kids = arena_alloc(p->arena, count, sizeof *kids);
    for (size_t k = 0; k < count; k++) kids[k] = crasp_truth(p, &part[k]);
    if (op == OP_AND || op == OP_OR) return formula_nary(p->graph, op, kids, count);
    return formula_binary(p->graph, op, kids[0], kids[1]);
}

static case_id add(crasp *p, const value *part, size_t count) {
    case_id *kids = arena_alloc(p->arena, count, sizeof *kids);
    for (size_t k = 0; k < count; k++) kids[k] = count_of(p, &part[k]);
    return count_sum(&p->counts, kids, count);
}

static value apply_binary(crasp *p, const slot *s, const value *part) {
    value result = {.at = part[0].at};
    switch (s->sign.symbol) {
    case SYM_OPERATOR:
        if (s->sign.op == OP_AT) {
            node_id what = crasp_truth(p, &part[0]);
            result.truth = count_read(&p->counts, what, count_of(p, &part[1]));
        } else {
            result.truth = connect(p, s->sign.op, part, s->operands);
        }
        break;
    case SYM_PLUS:
    case SYM_MINUS: result.count = add(p, part, s->operands); break;
    case SYM_TIMES: multiply(p, &result, &part[0], &part[1]); break;
    case SYM_PERCENT: take_remainder(p, &result, &part[0], &part[1]); break;
    default: result.truth = compare(p, &part[0], token_comparison(s->sign.symbol), &part[1]); break;
    }
    return result;
}

static value apply_prefix(crasp *p, const slot *s, const value *x) {
    value result = {.at = token_place(&s->sign)};
    if (s->sign.symbol == SYM_OPERATOR) {
        result.truth = formula_unary(p->graph, OP_NOT, crasp_truth(p, x));
    } else if (s->sign.symbol == SYM_COUNT_PAST) {
        result.count = count_positions(&p->counts, crasp_truth(p, x), s->strict);
        if (s->masked && x->i.line)
            crasp_refuse(p, x->i, "name the part at i first, outside the count", "a count over j cannot look at i");
        if (!s->masked && x->j.line) crasp_refuse(p, x->j, "write # [j<=i] P(j), or just # P", "there is no j here");
    } else {
        result.count = count_scale(&p->counts, count_of(p, x), -1);
    }
    return result;
}

static value apply_call(crasp *p, const slot *s, const value *part) {
    value result = {.at = token_place(&s->sign), .count = count_of(p, &part[0])};
    if (s->operands < 2)
        crasp_refuse(p, result.at, "", s->largest ? "'max' needs two counts" : "'min' needs two counts");
    for (size_t k = 1; k < s->operands; k++)
        result.count = count_extreme(&p->counts, result.count, count_of(p, &part[k]), s->largest);
    return result;
}

value crasp_apply(crasp *p, const slot *s, const value *part) {
    size_t count = s->kind == SLOT_PREFIX ? 1 : s->kind == SLOT_ELSE ? 3 : s->operands;
    value result;
    counts_begin(&p->counts, s->sign.line, s->sign.column);
    if (s->kind == SLOT_PREFIX)
        result = apply_prefix(p, s, part);
    else if (s->kind == SLOT_ELSE)
        result = choose(p, part);
    else if (s->kind == SLOT_CALL)
        result = apply_call(p, s, part);
    else
        result = apply_binary(p, s, part);
    bool binds = s->kind == SLOT_PREFIX && s->masked; /* # [j<=i] P(j) mentions no j itself */
    for (size_t k = 0; k < count && !binds; k++) mention(&result, &part[k]);
    if (result.truth) formula_note_place(p->graph, result.truth, result.at.line, result.at.column);
    return result;
}

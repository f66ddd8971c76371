#include "logic/parse_values.h"

#include "logic/match.h"

#include <string.h>

const char *entry_shown(const value_context *c, const entry *e) {
    return text_escaped(c->scratch, e->text, e->length, 20);
}

value value_number(value_context *c, int64_t number, const token *t) {
    value v = {.kind = VALUE_SUM, .is_literal = true, .line = clip(t->line), .column = clip(t->column)};
    v.sum = arena_alloc(c->scratch, 1, sizeof *v.sum);
    sum_init(v.sum, c->scratch, number);
    return v;
}

static bool is_constant(const value *v) { return v->kind == VALUE_SUM && v->sum->count == 0; }

static const char *kind_name(const value *v) {
    if (v->kind == VALUE_FORMULA) return "a formula";
    if (v->kind == VALUE_LETTER) return "the letter";
    if (v->kind == VALUE_REMAINDER) return "a remainder";
    return is_constant(v) ? "a number" : "a count";
}

/* ---- refusals ---------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(value_context *c, const value *at, const char *hint, const char *needs) {
    trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, at->line, at->column, hint, "%s, found %s", needs,
                    kind_name(at));
}

/* "'&' needs a formula on its left" */
static const char *needs_text(const value_context *c, const entry *e, const char *what, size_t operand) {
    text t;
    text_init(&t, c->scratch);
    const char *where = e->operands == 1 ? "" : operand == 0 ? " on its left" : " on its right";
    text_printf(&t, "'%s' needs %s%s", entry_shown(c, e), what, where);
    return text_string(&t);
}

static const char *hint_for_formula(value_context *c, const value *v) {
    text t;
    text_init(&t, c->scratch);
    if (v->kind == VALUE_LETTER) return "'letter' stands alone or behind Y and X: 'Y letter is letter'";
    if (v->kind == VALUE_REMAINDER)
        text_printf(&t, "compare the remainder with a constant: '... %% %lld = 1'", (long long)v->modulus);
    else if (v->is_literal && v->sum->constant >= 0 && (v->sum->constant <= 9 || c->header->tokens))
        text_printf(&t, "a digit as a letter is quoted: '%lld'", (long long)v->sum->constant);
    else
        text_puts(&t, "compare the count with something: '#[a] > 0'");
    return text_string(&t);
}

void value_need_formula(value_context *c, const value *v, const char *needs) {
    if (v->kind != VALUE_FORMULA) refuse(c, v, hint_for_formula(c, v), needs);
}

static void need_formula(value_context *c, const entry *e, const value *v, size_t operand) {
    if (v->kind == VALUE_FORMULA) return;
    bool is_arrow = e->length == 2 && memcmp(e->text, "=>", 2) == 0 && v->kind == VALUE_SUM;
    refuse(c, v, is_arrow ? "'=>' is implies; 'greater or equal' is '>='" : hint_for_formula(c, v),
           needs_text(c, e, "a formula", operand));
}

static void need_sum(value_context *c, const entry *e, const value *v, size_t operand) {
    if (v->kind == VALUE_SUM) return;
    if (v->kind == VALUE_REMAINDER)
        refuse(c, v, "a remainder can only be compared with a constant: '(#[a] + #[b]) % 3 = 1'",
               needs_text(c, e, "a count", operand));
    refuse(c, v, "the number of positions where a formula holds is '#[...]'", needs_text(c, e, "a count", operand));
}

static _Noreturn void overflow(value_context *c, const entry *e) {
    trap_raise(c->scratch->trap, TEMPER_LIMIT, e->line, e->column,
               "a coefficient of this sum does not fit in 64 bits");
}

/* ---- operators --------------------------------------------------------------------------------------------- */

static value formula_value(value_context *c, const entry *e, node_id id, const value *start) {
    formula_note_place(&c->spec->graph, id, e->line, e->column);
    return (value){.kind = VALUE_FORMULA, .node = id, .line = start->line, .column = start->column};
}

/* The operand's sum, safe to change. */
static linear_sum *own(value_context *c, const entry *e, value *v) {
    if (!v->is_shared) return v->sum;
    linear_sum *copy = arena_alloc(c->scratch, 1, sizeof *copy);
    sum_init(copy, c->scratch, 0);
    if (!sum_add(copy, v->sum, 1)) overflow(c, e);
    v->sum = copy;
    v->is_shared = false;
    return copy;
}

static value add(value_context *c, const entry *e, value *v) {
    need_sum(c, e, &v[0], 0);
    need_sum(c, e, &v[1], 1);
    if (!sum_add(own(c, e, &v[0]), v[1].sum, e->kind == ENTRY_ADD ? 1 : -1)) overflow(c, e);
    v[0].is_literal = false;
    return v[0];
}

static value negate(value_context *c, const entry *e, value *v) {
    need_sum(c, e, &v[0], 0);
    if (!sum_scale(own(c, e, &v[0]), -1)) overflow(c, e);
    v[0].line = e->line;
    v[0].column = e->column;
    v[0].is_literal = false;
    return v[0];
}

static value times(value_context *c, const entry *e, value *v) {
    need_sum(c, e, &v[0], 0);
    need_sum(c, e, &v[1], 1);
    if (!is_constant(&v[0]) && !is_constant(&v[1]))
        trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, e->line, e->column, "one of the factors must be a number",
                        "a product of counts is not linear");
    value *factor = is_constant(&v[0]) ? &v[0] : &v[1], *other = factor == &v[0] ? &v[1] : &v[0];
    value product = *other;
    product.sum = own(c, e, other);
    product.is_shared = product.is_literal = false;
    product.line = v[0].line;
    product.column = v[0].column;
    if (!sum_scale(product.sum, factor->sum->constant)) overflow(c, e);
    return product;
}

static value remainder_of(value_context *c, const entry *e, value *v) {
    need_sum(c, e, &v[0], 0);
    need_sum(c, e, &v[1], 1);
    if (!is_constant(&v[1]))
        trap_raise(c->scratch->trap, TEMPER_SYNTAX, v[1].line, v[1].column,
                   "the modulus after '%%' must be a number, found a count");
    int64_t m = v[1].sum->constant;
    if (m <= 0)
        trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, v[1].line, v[1].column,
                        "the remainder is then 0 up to the modulus minus 1, for negative sums too",
                        "the modulus must be positive, found %lld", (long long)m);
    v[0].kind = VALUE_REMAINDER;
    v[0].modulus = m;
    return v[0];
}

/* Left and right changed places: 1 < x is x > 1. */
static compare_op mirror(compare_op op) {
    switch (op) {
    case CMP_LT: return CMP_GT;
    case CMP_LE: return CMP_GE;
    case CMP_GT: return CMP_LT;
    case CMP_GE: return CMP_LE;
    case CMP_EQ:
    case CMP_NE: break;
    }
    return op;
}

static _Noreturn void refuse_remainders(value_context *c, const entry *e, const value *v) {
    text hint;
    text_init(&hint, c->scratch);
    bool equal = e->compare == CMP_EQ || e->compare == CMP_NE;
    if (v->modulus == v[1].modulus && equal) /* of a sum it is 0 */
        text_printf(&hint, "write '(#[a] - #[b]) %% %lld %s 0' for '#[a] %% %lld %s #[b] %% %lld'",
                    (long long)v->modulus, entry_shown(c, e), (long long)v->modulus, entry_shown(c, e),
                    (long long)v->modulus);
    else
        text_puts(&hint, "a remainder and a constant, as in '#[a] % 3 = 1'");
    trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, e->line, e->column, text_string(&hint),
                    "a remainder can only be compared with a constant, found %s",
                    kind_name(&v[v[0].kind == VALUE_REMAINDER]));
}

static value compare(value_context *c, const entry *e, value *v) {
    if (v[0].kind == VALUE_FORMULA || v[1].kind == VALUE_FORMULA) {
        bool both = v[0].kind == v[1].kind;
        const char *hint = !both                  ? "the number of positions where a formula holds is '#[...]'"
                           : e->compare == CMP_NE ? "formulas are compared by '<->' (equal) and '^' (different)"
                                                  : "formulas are compared by '<->'";
        const value *found = &v[v[0].kind != VALUE_FORMULA];
        trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, both ? e->line : found->line,
                        both ? e->column : found->column, hint,
                        both ? "'%s' compares counts, found two formulas" : "'%s' compares counts, found a formula",
                        entry_shown(c, e));
    }
    const value *letter = v[0].kind == VALUE_LETTER ? &v[0] : v[1].kind == VALUE_LETTER ? &v[1] : NULL;
    if (letter)
        refuse(c, letter, "letters are compared by 'is', as in 'Y letter is letter'",
               needs_text(c, e, "a count", (size_t)(letter - v)));
    formula *f = &c->spec->graph;
    bool left = v[0].kind == VALUE_REMAINDER, right = v[1].kind == VALUE_REMAINDER;
    if (left || right) {
        const value *r = &v[!left], *k = &v[left];
        if (!is_constant(k)) refuse_remainders(c, e, v);
        compare_op op = left ? e->compare : mirror(e->compare);
        return formula_value(c, e, formula_modulo(f, r->sum, r->modulus, op, k->sum->constant), &v[0]);
    }
    linear_sum *difference = own(c, e, &v[0]);
    if (!sum_add(difference, v[1].sum, -1)) overflow(c, e);
    return formula_value(c, e, formula_compare(f, difference, e->compare), &v[0]);
}

static value read_at(value_context *c, const entry *e, const value *v) {
    need_formula(c, e, &v[0], 0);
    if (v[1].kind != VALUE_SUM)
        refuse(c, &v[1], "the position is a sum, as in 'a @ #[true] - 3'", needs_text(c, e, "a position", 1));
    return formula_value(c, e, formula_read_at(&c->spec->graph, v[0].node, v[1].sum), &v[0]);
}

static value count(value_context *c, const entry *e, const value *v) {
    need_formula(c, e, v, 0);
    node_id id = formula_unary(&c->spec->graph, e->op, v->node);
    formula_note_place(&c->spec->graph, id, e->line, e->column);
    value made = {.kind = VALUE_SUM, .line = e->line, .column = e->column};
    made.sum = arena_alloc(c->scratch, 1, sizeof *made.sum);
    sum_init(made.sum, c->scratch, 0);
    sum_add_count(made.sum, id, 1);
    return made;
}

static value connect(value_context *c, const entry *e, const value *v) {
    formula *f = &c->spec->graph;
    for (size_t k = 0; k < e->operands; k++) need_formula(c, e, &v[k], k);
    if (e->op != OP_AND && e->op != OP_OR)
        return formula_value(c, e, formula_binary(f, e->op, v[0].node, v[1].node), &v[0]);
    node_id *kids = arena_alloc(c->scratch, e->operands, sizeof *kids);
    for (size_t k = 0; k < e->operands; k++) kids[k] = v[k].node;
    return formula_value(c, e, formula_nary(f, e->op, kids, e->operands), &v[0]);
}

static bool is_step(formula_op op) { return op == OP_YESTERDAY || op == OP_NEXT; }

/* Y, X and their like, as often as is written. */
static value prefix(value_context *c, const entry *e, const value *v) {
    value start = {.line = e->line, .column = e->column};
    bool letter = v->kind == VALUE_LETTER && is_step(e->op);
    if (!letter) need_formula(c, e, v, 0);
    node_id id = v->node;
    for (int64_t k = 0; k < e->times; k++) {
        id = formula_unary(&c->spec->graph, e->op, id);
        if (!letter) formula_note_place(&c->spec->graph, id, e->line, e->column);
    }
    start.kind = v->kind;
    start.node = id;
    return start;
}

/* Two letters that are to be the same, as conditions. */
static size_t letters_alike(value_context *c, const value *v, node_id *out) {
    const temper_spec *s = c->spec;
    if (v[0].kind != v[1].kind)
        refuse(c, &v[v[0].kind == VALUE_LETTER], "as in 'Y letter is letter'", "a letter is compared with a letter");
    if (!c->header->alphabet_given)
        trap_raise_hint(c->scratch->trap, TEMPER_SYNTAX, v[0].line, v[0].column, "a line such as 'alphabet a b c'",
                        "'letter' means each letter of the alphabet, which must be stated before");
    return match_letters(&c->spec->graph, s->letters.count, v[0].node, v[1].node, out);
}

static value attend(value_context *c, const entry *e, const value *v) {
    size_t conditions = (e->operands - 1) / 2, count = 0;
    enum { LETTER_BITS = 64 };
    node_id *all = arena_alloc(c->scratch, 2 * (conditions * LETTER_BITS + 1), sizeof *all);
    for (size_t k = 0; k < conditions; k++) {
        const value *pair = &v[2 * k];
        if (pair[0].kind == VALUE_LETTER || pair[1].kind == VALUE_LETTER) {
            count += letters_alike(c, pair, all + 2 * count);
            continue;
        }
        value_need_formula(c, &pair[0], "a condition must be a formula");
        value_need_formula(c, &pair[1], "a condition must be a formula");
        all[2 * count] = pair[0].node;
        all[2 * count++ + 1] = pair[1].node;
    }
    need_formula(c, e, &v[e->operands - 1], 1);
    value start = {.line = e->line, .column = e->column};
    node_id id =
        match_make(&c->spec->graph, e->choice, e->mask, all, count, v[e->operands - 1].node, e->line, e->column);
    return formula_value(c, e, id, &start);
}

value value_apply(value_context *c, const entry *e, value *v) {
    switch (e->kind) {
    case ENTRY_COUNT: return count(c, e, v);
    case ENTRY_PREFIX: return prefix(c, e, v);
    case ENTRY_ATTEND: return attend(c, e, v);
    case ENTRY_NEGATE: return negate(c, e, v);
    case ENTRY_BINARY: return connect(c, e, v);
    case ENTRY_ADD:
    case ENTRY_SUBTRACT: return add(c, e, v);
    case ENTRY_TIMES: return times(c, e, v);
    case ENTRY_MODULO: return remainder_of(c, e, v);
    case ENTRY_COMPARE: return compare(c, e, v);
    case ENTRY_AT: return read_at(c, e, v);
    case ENTRY_WHERE:
    case ENTRY_OPEN: break;
    }
    return *v;
}

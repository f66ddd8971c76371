/* The lines of the sheet as trees, computed in balls: doc/certificate.md, "Notation". */
#include "bound/sheet.h"

#include <string.h>

typedef const ball *const *parameters; /* [2] */

static const ball *value_at(sheet *x, int node, parameters p);

void sheet_give(sheet *x, sheet_name name, const ball *value) { x->value[name] = value; }
void sheet_give_double(sheet *x, sheet_name name, double value) { sheet_give(x, name, b_double(x->b, value)); }
void sheet_give_whole(sheet *x, sheet_name name, int64_t value) { x->whole[name] = value; }

void sheet_begin(sheet *x, const bounds *b) {
    memset(x, 0, sizeof *x);
    x->b = b;
    const struct {
        sheet_name name;
        int64_t value;
    } wholes[] = {{SHEET_known, b->ascending && !b->tiled},
                  {SHEET_ascending, b->ascending},
                  {SHEET_equal, b->one_format},
                  {SHEET_close, b->close},
                  {SHEET_M, (int64_t)b->size},
                  {SHEET_p_a, b->a->precision},
                  {SHEET_p_s, b->s->precision}};
    const struct {
        sheet_name name;
        const ball *value;
    } reals[] = {{SHEET_M, b->m},          {SHEET_log_M, b->log_m},  {SHEET_u_a, b->unit_a},
                 {SHEET_u_s, b->unit_s},   {SHEET_v, b->v},          {SHEET_u_r, b->unit_stored},
                 {SHEET_t_a, b->tiny_a},   {SHEET_t_s, b->tiny_s},   {SHEET_u_f, b->unit_feature},
                 {SHEET_m_a, b->normal_a}, {SHEET_m_s, b->normal_s}, {SHEET_u_l, b->unit_scale},
                 {SHEET_F_a, b->most_a},   {SHEET_F_s, b->most_s}};
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++) x->whole[wholes[k].name] = wholes[k].value;
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) x->value[reals[k].name] = reals[k].value;
}

/* ---- trees ---- */

/* `flag` is 1 more than its line, below 0 for "not". */
static bool flag_holds(const sheet *x, int flag) {
    bool turned = flag < 0;
    return (x->whole[(turned ? -flag : flag) - 1] != 0) != turned;
}

/* An exponent: sums and products of whole numbers. */
static int64_t whole_at(const sheet *x, int node) {
    const sheet_node *n = &sheet_nodes[node];
    switch (n->op) {
    case SHEET_OP_NUMBER: return n->a;
    case SHEET_OP_NAME: return x->whole[n->a];
    case SHEET_OP_PLUS: return whole_at(x, n->a) + whole_at(x, n->b);
    case SHEET_OP_MINUS: return whole_at(x, n->a) - whole_at(x, n->b);
    case SHEET_OP_TIMES: return whole_at(x, n->a) * whole_at(x, n->b);
    default: return 0; /* the sheet has no other: tests/t-sheet.c */
    }
}

static const ball *named(sheet *x, sheet_name name) {
    if (x->value[name]) return x->value[name];
    const sheet_line *line = &sheet_lines[name];
    const ball *value = line->root >= 0 ? value_at(x, line->root, NULL) : b_int(x->b, x->whole[name]);
    return x->value[name] = value;
}

static const ball *binary(const bounds *b, int op, const ball *left, const ball *right) {
    switch (op) {
    case SHEET_OP_PLUS: return b_add(b, left, right);
    case SHEET_OP_MINUS: return b_sub(b, left, right);
    case SHEET_OP_TIMES: return b_mul(b, left, right);
    case SHEET_OP_OVER: return b_div(b, left, right);
    case SHEET_OP_MAX: return b_max(b, left, right);
    default: return b_min(b, left, right);
    }
}

static const ball *value_at(sheet *x, int node, parameters p) {
    const sheet_node *n = &sheet_nodes[node];
    const bounds *b = x->b;
    switch (n->op) {
    case SHEET_OP_NUMBER: return b_int(b, n->a);
    case SHEET_OP_NAME: return named(x, (sheet_name)n->a);
    case SHEET_OP_PARAMETER: return p[n->a];
    case SHEET_OP_NEGATIVE: return b_neg(b, value_at(x, n->a, p));
    case SHEET_OP_POWER: return b_pow(b, value_at(x, n->a, p), (uint64_t)whole_at(x, n->b));
    case SHEET_OP_TWO_TO: return b_power_of_two(b, (long)whole_at(x, n->a));
    case SHEET_OP_EXP: return b_exp(b, value_at(x, n->a, p));
    case SHEET_OP_LN: return b_log(b, value_at(x, n->a, p));
    case SHEET_OP_CALL: {
        const ball *given[2] = {value_at(x, n->b, p), n->c < 0 ? NULL : value_at(x, n->c, p)};
        return value_at(x, sheet_lines[n->a].root, given);
    }
    case SHEET_OP_CHOICE: return value_at(x, flag_holds(x, n->a) ? n->b : n->c, p);
    default: return binary(b, n->op, value_at(x, n->a, p), value_at(x, n->b, p));
    }
}

/* ---- what is asked ---- */

const ball *sheet_value(sheet *x, sheet_name name) { return named(x, name); }

const ball *sheet_value_of(sheet *x, sheet_name name, const ball *first, const ball *second) {
    return value_at(x, sheet_lines[name].root, (const ball *[]){first, second});
}

bool sheet_holds_of(sheet *x, sheet_name name, const ball *first, const ball *second) {
    const ball *given[2] = {first, second};
    const sheet_node *n = &sheet_nodes[sheet_lines[name].root];
    while (n->op == SHEET_OP_WHERE) {
        if (!flag_holds(x, n->a)) return true;
        n = &sheet_nodes[n->b];
    }
    const ball *left = value_at(x, n->a, given), *right = value_at(x, n->b, given);
    return n->op == SHEET_OP_LESS ? b_is_less(x->b, left, right) : b_is_at_most(x->b, left, right);
}

bool sheet_holds(sheet *x, sheet_name name) { return sheet_holds_of(x, name, NULL, NULL); }

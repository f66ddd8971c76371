#include "logic/brasp_values.h"

static bool is_letter_condition(const formula *f, node_id id) {
    if (formula_at(f, id)->op == OP_NOT) id = formula_kid(f, id, 0);
    return formula_at(f, id)->op == OP_LETTERS;
}

/* A formula at i as a condition. Letters inside an AND or OR are asked one by one, since they exclude each other and
   so keep the number of cases down; the rest is asked as a whole. */
static case_id split_at_i(cases *c, node_id id) {
    formula *f = c->graph;
    case_id yes = cases_leaf(c, formula_atom(f, OP_TRUE)), no = cases_leaf(c, formula_atom(f, OP_FALSE));
    formula_op op = formula_at(f, id)->op;
    if (op != OP_AND && op != OP_OR) return cases_split(c, id, yes, no);
    size_t kids = formula_at(f, id)->kid_count, others = 0;
    node_id *rest = arena_alloc(c->arena, kids, sizeof *rest);
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

case_id brasp_cases(cases *c, const brasp_value *v) {
    if (v->looks == (AT_I | AT_J)) return v->mixed;
    return v->looks == AT_I ? split_at_i(c, v->node) : cases_leaf(c, v->node);
}

static case_id connect_leaves(cases *c, void *context, uint32_t x, uint32_t y) {
    return cases_leaf(c, formula_fold_binary(c->graph, *(formula_op *)context, x, y));
}

static case_id negate_leaf(cases *c, void *context, uint32_t x, uint32_t unused) {
    (void)context, (void)unused;
    return cases_leaf(c, formula_fold_not(c->graph, x));
}

/* The operands of an AND or OR that look at one position only, as one. */
static brasp_value gather(cases *c, formula_op op, const brasp_value *part, size_t count, bool at_i) {
    node_id *kids = arena_alloc(c->arena, count, sizeof *kids);
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        if (part[k].looks != (AT_I | AT_J) && (part[k].looks == AT_I) == at_i) kids[found++] = part[k].node;
    return (brasp_value){.looks = at_i ? AT_I : AT_J, .node = formula_nary(c->graph, op, kids, found)};
}

/* ---- conditions that compare the positions ---- */

static alike *new_alike(cases *c) { return arena_zalloc(c->arena, 1, sizeof(alike)); }

static bool add_pair(alike *a, node_id there, node_id here, bool compares) {
    if (a->count == MATCH_CONDITIONS) return false;
    a->pairs[2 * a->count] = there;
    a->pairs[2 * a->count++ + 1] = here;
    a->compares = a->compares || compares;
    return true;
}

/* Adds what a part of a conjunction asks; false: it is not known as conditions. */
static bool add_part(cases *c, alike *a, const brasp_value *v) {
    node_id yes = formula_atom(c->graph, OP_TRUE);
    if (v->looks != (AT_I | AT_J))
        return v->looks == AT_I ? add_pair(a, yes, v->node, false) : add_pair(a, v->node, yes, false);
    if (!v->alike) return false;
    for (size_t k = 0; k < v->alike->count; k++)
        if (!add_pair(a, v->alike->pairs[2 * k], v->alike->pairs[2 * k + 1], v->alike->compares)) return false;
    return true;
}

/* Letters at i and letters at j, as in Q_a(i) & Q_b(j). */
static bool is_letter_pair(const formula *f, const brasp_value *v, node_id *there, node_id *here) {
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
static alike *letters_alike(cases *c, const brasp_value *part, size_t count) {
    formula *f = c->graph;
    alike *a = new_alike(c);
    node_id none = formula_letters(f, NULL, 0, false), some_there = none, some_here = none;
    node_id *there = arena_alloc(c->arena, count, sizeof *there), *here = arena_alloc(c->arena, count, sizeof *here);
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

static alike *connect_alike(cases *c, formula_op op, const brasp_value *part, size_t count) {
    alike *a = new_alike(c);
    if (op == OP_OR) return letters_alike(c, part, count);
    if (op == OP_AND) {
        for (size_t k = 0; k < count; k++)
            if (!add_part(c, a, &part[k])) return NULL;
        return a;
    }
    bool parted = part[0].looks + part[1].looks == (AT_I | AT_J) && part[0].looks && part[1].looks;
    if ((op != OP_IFF && op != OP_XOR) || !parted) return NULL;
    node_id here = part[part[0].looks == AT_J].node, there = part[part[0].looks == AT_I].node;
    if (op == OP_XOR) here = formula_unary(c->graph, OP_NOT, here);
    add_pair(a, there, here, true);
    return a;
}

brasp_value brasp_connect(cases *c, formula_op op, const brasp_value *part, size_t count) {
    brasp_value result = {0};
    bool flat = op == OP_AND || op == OP_OR;
    for (size_t k = 0; k < count; k++) {
        if (!(result.looks & AT_I)) result.i = part[k].i;
        if (!(result.looks & AT_J)) result.j = part[k].j;
        result.looks |= part[k].looks;
    }
    if (result.looks != (AT_I | AT_J)) {
        node_id *kids = arena_alloc(c->arena, count, sizeof *kids);
        for (size_t k = 0; k < count; k++) kids[k] = part[k].node;
        result.node = flat ? formula_nary(c->graph, op, kids, count) : formula_binary(c->graph, op, kids[0], kids[1]);
        return result;
    }
    result.alike = connect_alike(c, op, part, count);
    if (!flat) {
        case_id left = brasp_cases(c, &part[0]);
        result.mixed = cases_combine(c, left, brasp_cases(c, &part[1]), connect_leaves, &op);
        return result;
    }
    brasp_value at_i = gather(c, op, part, count, true), at_j = gather(c, op, part, count, false);
    case_id *parts = arena_alloc(c->arena, count + 2, sizeof *parts);
    size_t found = 0;
    parts[found++] = brasp_cases(c, &at_i);
    parts[found++] = brasp_cases(c, &at_j);
    for (size_t k = 0; k < count; k++)
        if (part[k].looks == (AT_I | AT_J)) parts[found++] = part[k].mixed;
    result.mixed = cases_combine_all(c, parts, found, connect_leaves, &op);
    return result;
}

brasp_value brasp_negate(cases *c, const brasp_value *x) {
    brasp_value result = *x;
    result.alike = NULL;
    if (x->looks == (AT_I | AT_J))
        result.mixed = cases_combine(c, x->mixed, cases_leaf(c, 0), negate_leaf, NULL);
    else
        result.node = formula_unary(c->graph, OP_NOT, x->node);
    return result;
}

#include "logic/value_cases.h"

#include <string.h>

void cases_init(cases *c, formula *f, const char *hint) {
    memset(c, 0, sizeof *c);
    c->graph = f;
    c->arena = f->arena;
    c->hint = hint;
    table_init(&c->shared, c->arena);
    table_init(&c->splits, c->arena);
    array_push(c->arena, c->nodes, c->count, c->capacity, (case_node){0});
}

void cases_begin(cases *c, size_t line, size_t column) {
    c->started = c->count;
    c->line = line;
    c->column = column;
}

static _Noreturn void refuse(cases *c, long limit, const char *what) {
    trap_raise_hint(c->arena->trap, TEMPER_LIMIT, c->line, c->column, c->hint, "this needs more than %ld %s", limit,
                    what);
}

/* What a table knows under a key of three numbers; NULL: nothing. */
static const uint32_t *recall(const table *t, const uint32_t key[3]) { return table_find(t, key, 3 * sizeof *key); }

static void remember(table *t, const uint32_t key[3], uint32_t value) {
    uint32_t *kept = arena_alloc(t->arena, 3, sizeof *kept);
    bool fresh;
    memcpy(kept, key, 3 * sizeof *kept);
    table_put(t, kept, 3 * sizeof *kept, value, &fresh);
}

static case_id make(cases *c, node_id condition, case_id yes, case_id no) {
    uint32_t key[3] = {condition, yes, no}, depth = 0;
    if (condition) {
        if (yes == no) return yes;
        uint32_t left = c->nodes[yes].depth, right = c->nodes[no].depth;
        depth = 1 + (left > right ? left : right);
        if (depth > CASES_LIMIT) refuse(c, CASES_LIMIT, "conditions");
    }
    const uint32_t *known = recall(&c->shared, key);
    if (known) return *known;
    if (c->count - c->started >= CASES_LIMIT) refuse(c, CASES_LIMIT, "cases");
    if (c->count >= CASES_TOTAL) refuse(c, CASES_TOTAL, "cases in one file");
    case_id id = (case_id)c->count;
    array_push(c->arena, c->nodes, c->count, c->capacity,
               (case_node){.condition = condition, .yes = yes, .no = no, .depth = depth});
    remember(&c->shared, key, id);
    return id;
}

case_id cases_leaf(cases *c, uint32_t payload) { return make(c, 0, payload, 0); }

static bool is_letters(const cases *c, node_id id) { return formula_at(c->graph, id)->op == OP_LETTERS; }

/* The order of conditions on every path: letters first, so that deciding a letter reaches only a diagram's top. */
static bool comes_before(const cases *c, node_id x, node_id y) {
    bool left = is_letters(c, x), right = is_letters(c, y);
    return left != right ? left : x < y;
}

static node_id earlier(const cases *c, node_id x, node_id y) {
    if (!x || !y) return x ? x : y;
    return comes_before(c, y, x) ? y : x;
}

/* The value of condition d where condition v has this value: 0, 1, or -1 if that is open. */
static int implied(const cases *c, node_id v, bool value, node_id d) {
    if (v == d) return value;
    return value && is_letters(c, v) && is_letters(c, d) ? 0 : -1;
}

/* The diagram where condition v, which comes no later than its top, has this value. */
static case_id restrict_to(const cases *c, case_id id, node_id v, bool value) {
    while (!cases_is_leaf(c, id)) {
        int decided = implied(c, v, value, c->nodes[id].condition);
        if (decided < 0) break;
        id = decided ? c->nodes[id].yes : c->nodes[id].no;
    }
    return id;
}

/* The depth of this recursion and of combine_pair is that of diagrams, which make() bounds. */
case_id cases_split(cases *c, node_id condition, case_id yes, case_id no) {
    while (formula_at(c->graph, condition)->op == OP_NOT) {
        condition = formula_kid(c->graph, condition, 0);
        case_id other = yes;
        yes = no;
        no = other;
    }
    formula_op op = formula_at(c->graph, condition)->op;
    if (op == OP_TRUE || yes == no) return yes;
    if (op == OP_FALSE) return no;
    node_id v = earlier(c, condition, earlier(c, c->nodes[yes].condition, c->nodes[no].condition));
    if (v == condition) {
        case_id held = restrict_to(c, yes, v, true), failed = restrict_to(c, no, v, false);
        return make(c, v, held, failed);
    }
    uint32_t key[3] = {condition, yes, no};
    const uint32_t *known = recall(&c->splits, key);
    if (known) return *known;
    case_id sides[2];
    for (int value = 0; value < 2; value++) {
        case_id left = restrict_to(c, yes, v, value), right = restrict_to(c, no, v, value);
        int decided = implied(c, v, value, condition);
        sides[value] = decided < 0 ? cases_split(c, condition, left, right) : decided ? left : right;
    }
    case_id result = make(c, v, sides[1], sides[0]);
    remember(&c->splits, key, result);
    return result;
}

typedef struct combination {
    case_combine *combine;
    void *context;
    table memo;
} combination;

static case_id combine_pair(cases *c, combination *m, case_id a, case_id b) {
    node_id v = earlier(c, c->nodes[a].condition, c->nodes[b].condition);
    if (!v) return m->combine(c, m->context, cases_payload(c, a), cases_payload(c, b));
    uint32_t key[3] = {a, b, 0};
    const uint32_t *known = recall(&m->memo, key);
    if (known) return *known;
    if (m->memo.count >= 4 * CASES_LIMIT) refuse(c, CASES_LIMIT, "cases");
    case_id sides[2];
    for (int value = 1; value >= 0; value--) {
        case_id left = restrict_to(c, a, v, value), right = restrict_to(c, b, v, value);
        sides[value] = combine_pair(c, m, left, right);
    }
    /* what `combine` brought in may come before v, be v, or be decided by it */
    case_id result = cases_split(c, v, sides[1], sides[0]);
    remember(&m->memo, key, result);
    return result;
}

case_id cases_combine(cases *c, case_id a, case_id b, case_combine *combine, void *context) {
    combination m = {.combine = combine, .context = context};
    c->started = c->count; /* a sum of many terms is many operations */
    table_init(&m.memo, c->arena);
    return combine_pair(c, &m, a, b);
}

case_id cases_combine_all(cases *c, case_id *parts, size_t count, case_combine *combine, void *context) {
    while (count > 1) {
        size_t half = 0;
        for (size_t k = 0; k + 1 < count; k += 2)
            parts[half++] = cases_combine(c, parts[k], parts[k + 1], combine, context);
        if (count % 2) parts[half++] = parts[count - 1];
        count = half;
    }
    return parts[0];
}

/* ---- diagrams as formulas ------------------------------------------------------------------------------------- */

static bool is_op(const formula *f, node_id id, formula_op op) { return formula_at(f, id)->op == op; }

static bool has_kid(const formula *f, node_id id, formula_op op, node_id kid) {
    if (!is_op(f, id, op)) return false;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++)
        if (formula_kid(f, id, k) == kid) return true;
    return false;
}

node_id formula_fold_not(formula *f, node_id x) {
    if (is_op(f, x, OP_TRUE)) return formula_atom(f, OP_FALSE);
    if (is_op(f, x, OP_FALSE)) return formula_atom(f, OP_TRUE);
    if (is_op(f, x, OP_NOT)) return formula_kid(f, x, 0);
    return formula_unary(f, OP_NOT, x);
}

/* x op y for op AND (unit TRUE, zero FALSE) or OR (the other way round) */
static node_id fold(formula *f, formula_op op, formula_op unit, formula_op zero, node_id x, node_id y) {
    if (is_op(f, x, unit) || is_op(f, y, zero) || has_kid(f, y, op, x)) return y;
    if (is_op(f, y, unit) || is_op(f, x, zero) || has_kid(f, x, op, y) || x == y) return x;
    if (has_kid(f, x, OP_NOT, y) || has_kid(f, y, OP_NOT, x)) return formula_atom(f, zero);
    return formula_binary(f, op, x, y);
}

node_id formula_fold_and(formula *f, node_id x, node_id y) { return fold(f, OP_AND, OP_TRUE, OP_FALSE, x, y); }
node_id formula_fold_or(formula *f, node_id x, node_id y) { return fold(f, OP_OR, OP_FALSE, OP_TRUE, x, y); }

node_id formula_fold_binary(formula *f, formula_op op, node_id x, node_id y) {
    switch (op) {
    case OP_AND: return formula_fold_and(f, x, y);
    case OP_OR: return formula_fold_or(f, x, y);
    case OP_IMPLIES: return formula_fold_or(f, formula_fold_not(f, x), y);
    default: break;
    }
    bool same = op == OP_IFF; /* x op y is y where x is `same`, and !y where it is not */
    if (x == y) return formula_atom(f, same ? OP_TRUE : OP_FALSE);
    if (is_op(f, y, OP_TRUE) || is_op(f, y, OP_FALSE)) {
        node_id other = x;
        x = y;
        y = other;
    }
    if (is_op(f, x, OP_TRUE)) return same ? y : formula_fold_not(f, y);
    if (is_op(f, x, OP_FALSE)) return same ? formula_fold_not(f, y) : y;
    return formula_binary(f, op, x, y);
}

/* require yes-sides and the end of the run lowered; a run of letter conditions becomes one OR, not a nest of them */
static node_id lower_run(cases *c, case_id root) {
    case_id id = root;
    formula *f = c->graph;
    node_id *asked = NULL, *terms = NULL;
    size_t count = 0, capacity = 0, term_count = 0, term_capacity = 0;
    bool letters = is_letters(c, c->nodes[id].condition);
    do {
        const case_node *n = &c->nodes[id];
        node_id yes = c->nodes[n->yes].lowered, condition = n->condition;
        if (!is_op(f, yes, OP_FALSE)) {
            node_id term = formula_fold_and(f, condition, yes);
            array_push(c->arena, terms, term_count, term_capacity, term);
        }
        array_push(c->arena, asked, count, capacity, condition);
        id = n->no;
    } while (letters && !cases_is_leaf(c, id) && is_letters(c, c->nodes[id].condition));
    node_id rest = c->nodes[id].lowered;
    if (count == 1 && is_op(f, rest, OP_TRUE)) /* c ? x : true is !c | x */
        return formula_fold_or(f, formula_fold_not(f, asked[0]), c->nodes[c->nodes[root].yes].lowered);
    if (!is_op(f, rest, OP_FALSE)) {
        /* c ? true : r is c | r */
        bool plain = count == 1 && term_count == 1 && terms[0] == asked[0];
        node_id others = formula_fold_not(f, formula_nary(f, OP_OR, asked, count));
        array_push(c->arena, terms, term_count, term_capacity, plain ? rest : formula_fold_and(f, others, rest));
    }
    if (term_count == 2) return formula_fold_or(f, terms[0], terms[1]);
    return formula_nary(f, OP_OR, terms, term_count);
}

/* Has every part that lower_run needs been lowered? Pushes the missing ones. */
static bool is_ready(cases *c, case_id id, case_id **stack, size_t *count, size_t *capacity) {
    size_t before = *count;
    bool letters = is_letters(c, c->nodes[id].condition);
    do {
        case_id yes = c->nodes[id].yes;
        if (!c->nodes[yes].lowered) array_push(c->arena, *stack, *count, *capacity, yes);
        id = c->nodes[id].no;
    } while (letters && !cases_is_leaf(c, id) && is_letters(c, c->nodes[id].condition));
    if (!c->nodes[id].lowered) array_push(c->arena, *stack, *count, *capacity, id);
    return *count == before;
}

node_id cases_formula(cases *c, case_id root) {
    case_id *stack = NULL;
    size_t count = 0, capacity = 0;
    array_push(c->arena, stack, count, capacity, root);
    while (count) {
        case_id id = stack[count - 1];
        if (!c->nodes[id].lowered) {
            if (cases_is_leaf(c, id))
                c->nodes[id].lowered = cases_payload(c, id);
            else if (is_ready(c, id, &stack, &count, &capacity))
                c->nodes[id].lowered = lower_run(c, id);
            else
                continue;
        }
        count--;
    }
    return c->nodes[root].lowered;
}

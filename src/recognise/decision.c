#include "recognise/decision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static _Noreturn void inexact(arena *a) {
    trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "weights whose sums and products doubles do not hold exactly");
}

double exact_add(arena *a, double x, double y) {
    double sum = x + y, part = sum - x;
    if (!isfinite(sum) || (x - (sum - part)) + (y - part) != 0) inexact(a);
    return sum;
}

double exact_mul(arena *a, double x, double y) {
    double product = x * y;
    bool tiny = product != 0 && fabs(product) < 0x1p-900; /* there what is lost might be lost again */
    if (!isfinite(product) || tiny || fma(x, y, -product) != 0 || (product == 0 && x != 0 && y != 0)) inexact(a);
    return product;
}

/* ---- nodes ---- */

enum { MEMO_LEAST = 1 << 8 };

static fn push_leaf(decisions *d, double value, bool boolean) {
    fn id = (fn)d->count;
    array_push(d->arena, d->nodes, d->count, d->capacity,
               (decision_node){.variable = DECISION_LEAF, .boolean = boolean, .letters = true, .value = value});
    return id;
}

fn fn_number(decisions *d, double x) {
    if (x == 0) return FN_FALSE; /* -0 is 0 */
    if (x == 1) return FN_TRUE;
    const uint32_t *known = table_find(&d->leaves, &x, sizeof x);
    if (known) return *known;
    double *key = arena_alloc(d->arena, 1, sizeof *key);
    bool fresh;
    *key = x;
    return *table_put(&d->leaves, key, sizeof *key, push_leaf(d, x, false), &fresh);
}

void decisions_init(decisions *d, uint32_t letters, arena *a) {
    *d = (decisions){.arena = a, .memo_size = MEMO_LEAST};
    table_init(&d->index, a);
    table_init(&d->leaves, a);
    d->memo = arena_zalloc(a, d->memo_size, sizeof *d->memo);
    push_leaf(d, NAN, false);
    push_leaf(d, 0, true);
    push_leaf(d, 1, true);
    push_leaf(d, NAN, false);
    decision_variable(d, letters);
}

uint32_t decision_variable(decisions *d, uint32_t size) {
    array_push(d->arena, d->sizes, d->variables, d->variable_capacity, size);
    return (uint32_t)(d->variables - 1);
}

/* The memo grows with the diagrams; what it held is found again. */
static void grow_memo(decisions *d) {
    if (d->count <= d->memo_size) return;
    d->memo_size *= 4;
    d->memo = arena_zalloc(d->arena, d->memo_size, sizeof *d->memo);
}

/* requires reduced runs */
static fn share(decisions *d, uint32_t variable, const decision_run *runs, size_t count) {
    /* the key is the runs with the variable before them, as one more run */
    size_t bytes = (count + 1) * sizeof *runs;
    decision_run small[9], *key = count < 9 ? small : arena_alloc(d->arena, count + 1, sizeof *key);
    key[0] = (decision_run){variable, 0};
    memcpy(key + 1, runs, count * sizeof *runs);
    const uint32_t *known = table_find(&d->index, key, bytes);
    if (known) return *known;
    d->runs += count;
    if (d->count >= DECISION_NODES || d->runs >= DECISION_RUNS)
        trap_raise(d->arena->trap, TEMPER_LIMIT, 0, 0, "conditions that take more than %d cases to tell apart",
                   DECISION_NODES);
    decision_node n = {.variable = variable, .count = (uint32_t)count, .boolean = true};
    n.letters = variable == DECISION_LETTER;
    for (size_t k = 0; k < count; k++) {
        const decision_node *to = &d->nodes[runs[k].to];
        n.boolean = n.boolean && to->boolean;
        n.letters = n.letters && to->variable == DECISION_LEAF;
        if (to->depth >= n.depth) n.depth = to->depth + 1;
    }
    if (n.depth > DECISION_DEPTH)
        trap_raise(d->arena->trap, TEMPER_LIMIT, 0, 0, "a condition that depends on more than %d others",
                   DECISION_DEPTH);
    if (key == small) {
        key = arena_alloc(d->arena, count + 1, sizeof *key);
        memcpy(key, small, bytes);
    }
    n.runs = key + 1;
    fn id = (fn)d->count;
    bool fresh;
    array_push(d->arena, d->nodes, d->count, d->capacity, n);
    table_put(&d->index, key, bytes, id, &fresh);
    grow_memo(d);
    return id;
}

/* ---- runs of a node in the making: a stack, since nodes are made inside each other ---- */

static void put_run(decisions *d, size_t base, uint32_t end, fn to) {
    if (d->work_count > base && d->work[d->work_count - 1].to == to) {
        d->work[d->work_count - 1].end = end;
        return;
    }
    array_push(d->arena, d->work, d->work_count, d->work_capacity, (decision_run){end, to});
}

static fn end_runs(decisions *d, size_t base, uint32_t variable) {
    size_t count = d->work_count - base;
    fn result = count == 1 ? d->work[base].to : share(d, variable, d->work + base, count);
    d->work_count = base;
    return result;
}

fn fn_node(decisions *d, uint32_t variable, const decision_run *runs, size_t count) {
    size_t base = d->work_count;
    for (size_t k = 0; k < count; k++) put_run(d, base, runs[k].end, runs[k].to);
    return end_runs(d, base, variable);
}

fn fn_range(decisions *d, uint32_t variable, uint32_t first, uint32_t end) {
    size_t base = d->work_count;
    uint32_t size = d->sizes[variable];
    if (first > 0) put_run(d, base, first, FN_FALSE);
    if (end > first) put_run(d, base, end, FN_TRUE);
    if (end < size) put_run(d, base, size, FN_FALSE);
    return end_runs(d, base, variable);
}

fn fn_variable(decisions *d, uint32_t variable) { return fn_range(d, variable, 1, 2); }

/* ---- operations ---- */

typedef enum operation { AND, OR, XOR, ADD, TIMES, EQUAL, ABOVE } operation;

/* The third operand of a memo entry that says which operation it is of; nodes are far fewer. */
static fn mark(operation op) { return UINT32_MAX - (fn)op; }

static decision_memo *memo_at(decisions *d, fn a, fn b, fn c) {
    uint64_t h =
        (uint64_t)a * 0x9E3779B97F4A7C15u ^ (uint64_t)b * 0xC2B2AE3D27D4EB4Fu ^ (uint64_t)c * 0x165667B19E3779F9u;
    return &d->memo[(h ^ h >> 29) & (d->memo_size - 1)];
}

static bool recall(decisions *d, fn a, fn b, fn c, fn *result) {
    const decision_memo *m = memo_at(d, a, b, c);
    if (m->a != a || m->b != b || m->c != c) return false;
    *result = m->result;
    return true;
}

static fn remember(decisions *d, fn a, fn b, fn c, fn result) {
    *memo_at(d, a, b, c) = (decision_memo){a, b, c, result};
    return result;
}

static fn on_leaves(decisions *d, operation op, fn a, fn b) {
    if (a == FN_BAD || b == FN_BAD) return FN_BAD;
    double x = d->nodes[a].value, y = d->nodes[b].value;
    switch (op) {
    case ADD: return fn_number(d, exact_add(d->arena, x, y));
    case TIMES: return fn_number(d, exact_mul(d->arena, x, y));
    case EQUAL: return x == y ? FN_TRUE : FN_FALSE;
    case ABOVE: return x > y ? FN_TRUE : FN_FALSE;
    case XOR: return (x != 0) != (y != 0) ? FN_TRUE : FN_FALSE;
    case AND: return x != 0 && y != 0 ? FN_TRUE : FN_FALSE;
    case OR: return x != 0 || y != 0 ? FN_TRUE : FN_FALSE;
    }
    return FN_BAD;
}

/* 0: the operands must be taken apart */
static fn at_once(decisions *d, operation op, fn a, fn b) {
    switch (op) {
    case AND:
        if (a == FN_FALSE || b == FN_FALSE) return FN_FALSE;
        if (a == FN_TRUE || a == b) return b;
        if (b == FN_TRUE) return a;
        break;
    case OR:
        if (a == FN_TRUE || b == FN_TRUE) return FN_TRUE;
        if (a == FN_FALSE || a == b) return b;
        if (b == FN_FALSE) return a;
        break;
    case XOR:
        if (a == b) return FN_FALSE;
        if (a == FN_FALSE) return b;
        if (b == FN_FALSE) return a;
        break;
    case ADD:
        if (a == FN_FALSE) return b;
        if (b == FN_FALSE) return a;
        break;
    default: break;
    }
    return fn_is_leaf(d, a) && fn_is_leaf(d, b) ? on_leaves(d, op, a, b) : 0;
}

/* One operand of an operation that goes along a variable: its run at the present value. */
typedef struct walker {
    const decision_run *run; /* NULL: it does not ask about the variable */
    fn all;
} walker;

static walker walk(const decisions *d, fn x, uint32_t variable) {
    const decision_node *n = &d->nodes[x];
    if (n->variable == variable) return (walker){.run = n->runs};
    return (walker){.all = x};
}

static fn walker_at(const walker *w) { return w->run ? w->run->to : w->all; }
static uint32_t walker_end(const walker *w, uint32_t most) {
    return w->run && w->run->end < most ? w->run->end : most;
}
static void walker_pass(walker *w, uint32_t end) {
    if (w->run && w->run->end == end) w->run++;
}

static uint32_t variable_of(const decisions *d, fn x) { return d->nodes[x].variable; }
static uint32_t earlier(uint32_t x, uint32_t y) { return x < y ? x : y; }

static fn apply(decisions *d, operation op, fn a, fn b) {
    bool symmetric = op == AND || op == OR || op == XOR || op == ADD;
    if (symmetric && a > b) {
        fn other = a;
        a = b;
        b = other;
    }
    fn result = at_once(d, op, a, b);
    if (result || recall(d, a, b, mark(op), &result)) return result;
    uint32_t v = earlier(variable_of(d, a), variable_of(d, b)), size = d->sizes[v];
    walker x = walk(d, a, v), y = walk(d, b, v);
    size_t base = d->work_count;
    for (uint32_t at = 0; at < size;) {
        uint32_t end = walker_end(&x, walker_end(&y, size));
        fn to = apply(d, op, walker_at(&x), walker_at(&y));
        put_run(d, base, end, to);
        walker_pass(&x, end);
        walker_pass(&y, end);
        at = end;
    }
    return remember(d, a, b, mark(op), end_runs(d, base, v));
}

fn fn_and(decisions *d, fn x, fn y) { return apply(d, AND, x, y); }
fn fn_or(decisions *d, fn x, fn y) { return apply(d, OR, x, y); }
fn fn_xor(decisions *d, fn x, fn y) { return apply(d, XOR, x, y); }
fn fn_not(decisions *d, fn x) { return apply(d, XOR, x, FN_TRUE); }
fn fn_add(decisions *d, fn x, fn y) { return apply(d, ADD, x, y); }
fn fn_times(decisions *d, fn x, double factor) { return factor == 1 ? x : apply(d, TIMES, x, fn_number(d, factor)); }
fn fn_equal(decisions *d, fn x, double value) { return apply(d, EQUAL, x, fn_number(d, value)); }
fn fn_above(decisions *d, fn x, double value) { return apply(d, ABOVE, x, fn_number(d, value)); }

fn fn_ite(decisions *d, fn x, fn yes, fn no) {
    if (x == FN_TRUE || yes == no) return yes;
    if (x == FN_FALSE) return no;
    if (yes == FN_TRUE && no == FN_FALSE) return x;
    fn result;
    if (recall(d, x, yes, no, &result)) return result;
    uint32_t v = earlier(variable_of(d, x), earlier(variable_of(d, yes), variable_of(d, no))), size = d->sizes[v];
    walker w = walk(d, x, v), y = walk(d, yes, v), n = walk(d, no, v);
    size_t base = d->work_count;
    for (uint32_t at = 0; at < size;) {
        uint32_t end = walker_end(&w, walker_end(&y, walker_end(&n, size)));
        fn to = fn_ite(d, walker_at(&w), walker_at(&y), walker_at(&n));
        put_run(d, base, end, to);
        walker_pass(&w, end);
        walker_pass(&y, end);
        walker_pass(&n, end);
        at = end;
    }
    return remember(d, x, yes, no, end_runs(d, base, v));
}

/* ---- many at once ---- */

typedef struct ranked {
    uint32_t variable;
    fn f;
} ranked;

static int by_rank(const void *x, const void *y) {
    const ranked *a = x, *b = y;
    if (a->variable != b->variable) return a->variable < b->variable ? 1 : -1;
    return (a->f < b->f) - (a->f > b->f); /* newer ones ask about later variables */
}

static fn fold(decisions *d, operation op, fn unit, fn *parts, size_t count) {
    fn result = unit;
    if (count > 2) {
        ranked *r = arena_alloc(d->arena, count, sizeof *r);
        for (size_t k = 0; k < count; k++) r[k] = (ranked){variable_of(d, parts[k]), parts[k]};
        qsort(r, count, sizeof *r, by_rank);
        for (size_t k = 0; k < count; k++) parts[k] = r[k].f;
    }
    for (size_t k = 0; k < count; k++) result = apply(d, op, parts[k], result);
    return result;
}

fn fn_and_all(decisions *d, fn *parts, size_t count) { return fold(d, AND, FN_TRUE, parts, count); }
fn fn_or_all(decisions *d, fn *parts, size_t count) { return fold(d, OR, FN_FALSE, parts, count); }

/* Pairs first, so that the parts stay small. */
fn fn_add_all(decisions *d, fn *parts, size_t count) {
    if (count == 0) return FN_FALSE;
    while (count > 1) {
        size_t half = 0;
        for (size_t k = 0; k + 1 < count; k += 2) parts[half++] = fn_add(d, parts[k], parts[k + 1]);
        if (count % 2) parts[half++] = parts[count - 1];
        count = half;
    }
    return parts[0];
}

void fn_extremes(const decisions *d, fn x, double *least, double *most) {
    const decision_node *n = &d->nodes[x];
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t k = 0; k < (n->variable == DECISION_LEAF ? 1 : n->count); k++) {
        double value = n->variable == DECISION_LEAF ? n->value : d->nodes[n->runs[k].to].value;
        *least = fmin(*least, value);
        *most = fmax(*most, value);
    }
}

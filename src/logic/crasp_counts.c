#include "logic/crasp_counts.h"

#include <stdlib.h>
#include <string.h>

void counts_init(counts *k, formula *f) {
    memset(k, 0, sizeof *k);
    cases_init(&k->by_case, f, "name fewer conditions in one sum, or compare its parts one by one");
    table_init(&k->index, f->arena);
}

void counts_begin(counts *k, size_t line, size_t column) { cases_begin(&k->by_case, line, column); }

static _Noreturn void overflow(counts *k) {
    trap_raise(k->by_case.arena->trap, TEMPER_LIMIT, k->by_case.line, k->by_case.column,
               "a coefficient of this sum does not fit in 64 bits");
}

static void check(counts *k, bool fits) {
    if (!fits) overflow(k);
}

typedef struct term {
    int64_t weight, count;
} term;

static int order_terms(const void *x, const void *y) {
    const term *a = x, *b = y;
    return (a->count > b->count) - (a->count < b->count);
}

/* The case of one sum; equal sums, in whatever order they were written, are one. */
static case_id share(counts *k, const linear_sum *sum) {
    arena *a = k->by_case.arena;
    k->terms += sum->count + 1;
    if (k->terms > COUNTS_TERMS)
        trap_raise(a->trap, TEMPER_LIMIT, k->by_case.line, k->by_case.column,
                   "the sums of this file have more than %d terms", COUNTS_TERMS);
    size_t bytes = (sum->count + 1) * sizeof(term);
    term *key = arena_alloc(a, sum->count + 1, sizeof *key);
    key[0] = (term){.weight = sum->constant, .count = 0}; /* no count has number 0: it stays first */
    for (size_t t = 0; t < sum->count; t++) key[t + 1] = (term){.weight = sum->weights[t], .count = sum->counts[t]};
    qsort(key, sum->count + 1, sizeof *key, order_terms);
    bool fresh;
    uint32_t index = *table_put(&k->index, key, bytes, (uint32_t)k->count, &fresh);
    if (fresh) array_push(a, k->sums, k->count, k->capacity, *sum);
    return cases_leaf(&k->by_case, index);
}

case_id count_constant(counts *k, int64_t value) {
    linear_sum sum;
    sum_init(&sum, k->by_case.arena, value);
    return share(k, &sum);
}

case_id count_positions(counts *k, node_id truth, bool strict) {
    linear_sum sum;
    sum_init(&sum, k->by_case.arena, 0);
    sum_add_count(&sum, formula_unary(k->by_case.graph, OP_COUNT_PAST, truth), 1);
    case_id all = share(k, &sum);
    if (!strict) return all;
    case_id parts[2] = {all, count_constant(k, -1)};
    return cases_split(&k->by_case, truth, count_sum(k, parts, 2), all);
}

/* x + factor * y */
static linear_sum add(counts *k, uint32_t x, uint32_t y, int64_t factor) {
    linear_sum sum;
    sum_init(&sum, k->by_case.arena, 0);
    check(k, sum_add(&sum, &k->sums[x], 1) && sum_add(&sum, &k->sums[y], factor));
    return sum;
}

static case_id add_leaves(cases *c, void *context, uint32_t x, uint32_t y) {
    (void)c;
    counts *k = context;
    linear_sum sum = add(k, x, y, 1);
    return share(k, &sum);
}

case_id count_sum(counts *k, const case_id *parts, size_t count) {
    cases *c = &k->by_case;
    linear_sum sum; /* all parts that have one case */
    case_id *others = NULL;
    size_t other_count = 0, capacity = 0;
    sum_init(&sum, c->arena, 0);
    for (size_t p = 0; p < count; p++)
        if (cases_is_leaf(c, parts[p]))
            check(k, sum_add(&sum, &k->sums[cases_payload(c, parts[p])], 1));
        else
            array_push(c->arena, others, other_count, capacity, parts[p]);
    array_push(c->arena, others, other_count, capacity, share(k, &sum));
    return cases_combine_all(c, others, other_count, add_leaves, k);
}

typedef struct operation {
    counts *counts;
    int64_t factor; /* scale */
    bool largest;   /* extreme */
    compare_op op;  /* compare, modulo */
    int64_t modulus, residue;
    node_id truth; /* read */
} operation;

static case_id scale_leaf(cases *c, void *context, uint32_t x, uint32_t unused) {
    (void)c, (void)unused;
    operation *o = context;
    linear_sum sum;
    sum_init(&sum, o->counts->by_case.arena, 0);
    if (o->factor) check(o->counts, sum_add(&sum, &o->counts->sums[x], o->factor));
    return share(o->counts, &sum);
}

static case_id map(operation *o, case_id x, case_combine *combine) {
    cases *c = &o->counts->by_case;
    return cases_combine(c, x, cases_leaf(c, 0), combine, o);
}

case_id count_scale(counts *k, case_id x, int64_t factor) {
    operation o = {.counts = k, .factor = factor};
    return map(&o, x, scale_leaf);
}

static case_id extreme_leaves(cases *c, void *context, uint32_t x, uint32_t y) {
    operation *o = context;
    linear_sum gap = add(o->counts, x, y, -1);
    node_id first = formula_compare(c->graph, &gap, o->largest ? CMP_GE : CMP_LE);
    case_id yes = cases_leaf(c, x), no = cases_leaf(c, y);
    return cases_split(c, first, yes, no);
}

case_id count_extreme(counts *k, case_id x, case_id y, bool largest) {
    operation o = {.counts = k, .largest = largest};
    return cases_combine(&k->by_case, x, y, extreme_leaves, &o);
}

case_id count_choose(counts *k, node_id condition, case_id yes, case_id no) {
    return cases_split(&k->by_case, condition, yes, no);
}

bool count_is_constant(const counts *k, case_id x, int64_t *value) {
    if (!cases_is_leaf(&k->by_case, x)) return false;
    const linear_sum *sum = &k->sums[cases_payload(&k->by_case, x)];
    *value = sum->constant;
    return sum->count == 0;
}

static node_id compare_sums(operation *o, uint32_t x, uint32_t y) {
    linear_sum gap = add(o->counts, x, y, -1);
    return formula_compare(o->counts->by_case.graph, &gap, o->op);
}

static case_id compare_leaves(cases *c, void *context, uint32_t x, uint32_t y) {
    return cases_leaf(c, compare_sums(context, x, y));
}

node_id count_compare(counts *k, case_id x, compare_op op, case_id y) {
    operation o = {.counts = k, .op = op};
    cases *c = &k->by_case;
    if (cases_is_leaf(c, x) && cases_is_leaf(c, y)) return compare_sums(&o, cases_payload(c, x), cases_payload(c, y));
    return cases_formula(c, cases_combine(c, x, y, compare_leaves, &o));
}

static case_id reduce_leaf(cases *c, void *context, uint32_t x, uint32_t unused) {
    (void)unused;
    operation *o = context;
    return cases_leaf(c, formula_modulo(c->graph, &o->counts->sums[x], o->modulus, o->op, o->residue));
}

node_id count_modulo(counts *k, case_id x, int64_t modulus, compare_op op, int64_t residue) {
    operation o = {.counts = k, .modulus = modulus, .op = op, .residue = residue};
    return cases_formula(&k->by_case, map(&o, x, reduce_leaf));
}

static case_id read_leaf(cases *c, void *context, uint32_t x, uint32_t unused) {
    (void)unused;
    operation *o = context;
    return cases_leaf(c, formula_read_at(c->graph, o->truth, &o->counts->sums[x]));
}

node_id count_read(counts *k, node_id truth, case_id x) {
    operation o = {.counts = k, .truth = truth};
    return cases_formula(&k->by_case, map(&o, x, read_leaf));
}

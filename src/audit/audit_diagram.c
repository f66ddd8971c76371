#include "audit/audit_diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/work.h"

enum { FIRST_SLOTS = 1024, MOST_CACHED = 1 << 18 }; /* the cache of results grows with the table of nodes */

static _Noreturn void too_large(const diagram *d) {
    trap_raise_remedy(d->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                      "the model is too large to audit: its functions need more than %zu nodes", d->most);
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t h = ((uint64_t)a + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ b) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ c) * 0x94d049bb133111ebu;
    return (uint32_t)(h >> 32);
}

/* ---- nodes ---- */

static void rehash(diagram *d) {
    size_t fresh = d->slot_count ? 2 * d->slot_count : FIRST_SLOTS;
    d->slots = arena_zalloc(d->arena, fresh, sizeof *d->slots);
    d->slot_count = fresh;
    for (size_t k = 0; k < d->count; k++) {
        const dd_node *n = &d->nodes[k];
        size_t at = mix(n->var, n->lo, n->hi) & (fresh - 1);
        while (d->slots[at]) at = (at + 1) & (fresh - 1);
        d->slots[at] = (uint32_t)k + 1;
    }
    if (fresh > MOST_CACHED) return;
    d->cache = arena_zalloc(d->arena, fresh, sizeof *d->cache);
    d->cache_count = fresh;
}

static void grow_memo(diagram *d) {
    size_t capacity = d->capacity;
    uint64_t *stamp = arena_zalloc(d->arena, capacity, sizeof *stamp);
    dd *memo = arena_alloc(d->arena, capacity, sizeof *memo);
    if (d->memo_capacity) {
        memcpy(stamp, d->stamp, d->memo_capacity * sizeof *stamp);
        memcpy(memo, d->memo, d->memo_capacity * sizeof *memo);
    }
    d->stamp = stamp;
    d->memo = memo;
    d->memo_capacity = capacity;
}

static dd find_or_make(diagram *d, uint32_t var, uint32_t lo, uint32_t hi) {
    if (2 * (d->count + 1) > d->slot_count) rehash(d);
    size_t at = mix(var, lo, hi) & (d->slot_count - 1);
    for (; d->slots[at]; at = (at + 1) & (d->slot_count - 1)) {
        const dd_node *n = &d->nodes[d->slots[at] - 1];
        if (n->var == var && n->lo == lo && n->hi == hi) return d->slots[at] - 1;
    }
    if (d->count >= d->most) too_large(d);
    if (d->count % 4096 == 0) work_at(d->count);
    array_push(d->arena, d->nodes, d->count, d->capacity, (dd_node){var, lo, hi});
    if (d->memo_capacity < d->capacity) grow_memo(d);
    d->slots[at] = (uint32_t)d->count;
    return (dd)(d->count - 1);
}

static dd make(diagram *d, uint32_t var, dd lo, dd hi) { return lo == hi ? lo : find_or_make(d, var, lo, hi); }

dd dd_number(diagram *d, double value) {
    if (!isfinite(value)) trap_raise(d->trap, TEMPER_RANGE, 0, 0, "weights that make a number beyond all bounds");
    uint64_t bits = value == 0 ? 0 : f64_bits(value); /* no negative zero */
    return find_or_make(d, DD_LEAF, (uint32_t)bits, (uint32_t)(bits >> 32));
}

void diagram_init(diagram *d, arena *a) {
    uint64_t most = work_limit(DIAGRAM_NODES);
    *d = (diagram){.arena = a, .trap = a->trap, .most = most < UINT32_MAX / 2 ? most : UINT32_MAX / 2};
    d->most_steps = work_limit(DIAGRAM_STEPS);
    dd_number(d, 0);
    dd_number(d, 1);
}

uint32_t dd_new_vars(diagram *d, uint32_t count) {
    uint32_t first = d->vars;
    if (count > DD_LEAF - 2 - first) too_large(d);
    d->vars += count;
    return first;
}

dd dd_variable(diagram *d, uint32_t var) { return make(d, var, 0, 1); }

/* ---- two operands ---- */

static double exact_sum(const diagram *d, double x, double y) {
    double z = x + y, back = z - x;
    double lost = (x - (z - back)) + (y - back);
    if (!isfinite(z) || lost != 0)
        trap_raise(d->trap, TEMPER_LIMIT, 0, 0, "weights too large or too fine to add exactly");
    return z;
}

/* The result where it is known without looking further, else false. f <= g, so a leaf 0 or 1 is f unless both are. */
static bool settled(diagram *d, dd_op op, dd f, dd g, dd *result) {
    switch (op) {
    case DD_AND:
        if (f == 0) return *result = 0, true;
        if (f == 1 || f == g) return *result = g, true;
        return false;
    case DD_OR:
        if (f == 1) return *result = 1, true;
        if (f == 0 || f == g) return *result = g, true;
        return false;
    case DD_XOR:
        if (f == g) return *result = 0, true;
        if (f == 0) return *result = g, true;
        return false;
    case DD_ADD:
        if (f == 0) return *result = g, true;
        if (!dd_is_leaf(d, f) || !dd_is_leaf(d, g)) return false;
        *result = dd_number(d, exact_sum(d, dd_value(d, f), dd_value(d, g)));
        return true;
    }
    return false;
}

static dd_cached *cached(diagram *d, dd_op op, dd f, dd g) {
    return &d->cache[mix(f, g, (uint32_t)op) & (d->cache_count - 1)];
}

dd dd_apply(diagram *d, dd_op op, dd f, dd g) {
    size_t depth = 0;
    for (;;) {
        dd result;
        if (f > g) { /* all operations commute */
            dd swap = f;
            f = g, g = swap;
        }
        bool known = settled(d, op, f, g, &result);
        if (!known) {
            const dd_cached *c = cached(d, op, f, g);
            known = c->op_one == (uint32_t)op + 1 && c->f == f && c->g == g;
            result = c->result;
        }
        if (!known) {
            if (++d->steps > d->most_steps) too_large(d);
            uint32_t x = d->nodes[f].var, y = d->nodes[g].var, var = x < y ? x : y;
            array_push(d->arena, d->frames, depth, d->frame_capacity, (dd_frame){.f = f, .g = g, .var = var});
            f = x == var ? d->nodes[f].lo : f;
            g = y == var ? d->nodes[g].lo : g;
            continue;
        }
        for (;;) { /* hand the result up */
            if (depth == 0) return result;
            dd_frame *top = &d->frames[depth - 1];
            if (!top->second) {
                top->lo = result;
                top->second = true;
                f = d->nodes[top->f].var == top->var ? d->nodes[top->f].hi : top->f;
                g = d->nodes[top->g].var == top->var ? d->nodes[top->g].hi : top->g;
                break;
            }
            result = make(d, top->var, top->lo, result);
            *cached(d, op, top->f, top->g) =
                (dd_cached){.op_one = (uint32_t)op + 1, .f = top->f, .g = top->g, .result = result};
            depth--;
        }
    }
}

/* ---- one operand ---- */

static void push(diagram *d, size_t *count, dd f) {
    size_t n = *count;
    array_push(d->arena, d->stack, n, d->stack_capacity, f);
    *count = n;
}

static bool done(const diagram *d, dd f) { return d->stamp[f] == d->pass; }

static void settle(diagram *d, dd f, dd result) {
    d->stamp[f] = d->pass;
    d->memo[f] = result;
}

dd dd_map(diagram *d, dd f, double (*fn)(void *context, double x), void *context) {
    size_t depth = 0;
    d->pass++;
    push(d, &depth, f);
    while (depth) {
        dd x = d->stack[depth - 1];
        dd_node n = d->nodes[x];
        if (done(d, x)) {
            depth--;
        } else if (n.var == DD_LEAF) {
            settle(d, x, dd_number(d, fn(context, dd_value(d, x))));
        } else if (!done(d, n.lo)) {
            push(d, &depth, n.lo);
        } else if (!done(d, n.hi)) {
            push(d, &depth, n.hi);
        } else {
            if (++d->steps > d->most_steps) too_large(d);
            settle(d, x, make(d, n.var, d->memo[n.lo], d->memo[n.hi]));
        }
    }
    return d->memo[f];
}

dd dd_not(diagram *d, dd f) { return dd_xor(d, f, 1); }

typedef struct product {
    const diagram *d;
    double factor;
} product;

static double times(void *context, double x) {
    const product *p = context;
    double z = x * p->factor;
    if (!isfinite(z) || fma(x, p->factor, -z) != 0 || (z == 0 && x != 0))
        trap_raise(p->d->trap, TEMPER_LIMIT, 0, 0, "weights too large or too fine to multiply exactly");
    return z;
}

dd dd_times(diagram *d, dd f, double factor) {
    product p = {d, factor};
    return factor == 1 || f == 0 ? f : dd_map(d, f, times, &p);
}

/* Visits the nodes of f, and calls what `leaf` says on leaves. */
static void walk(diagram *d, dd f, void (*visit)(void *context, const diagram *d, dd x), void *context) {
    size_t depth = 0;
    d->pass++;
    push(d, &depth, f);
    while (depth) {
        dd x = d->stack[--depth];
        if (done(d, x)) continue;
        settle(d, x, x);
        visit(context, d, x);
        if (dd_is_leaf(d, x)) continue;
        push(d, &depth, d->nodes[x].lo);
        push(d, &depth, d->nodes[x].hi);
    }
}

typedef struct leaf_list {
    arena *arena;
    double *values;
    size_t count, capacity;
} leaf_list;

static void note_leaf(void *context, const diagram *d, dd x) {
    leaf_list *l = context;
    if (dd_is_leaf(d, x)) array_push(l->arena, l->values, l->count, l->capacity, dd_value(d, x));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double *dd_leaves(diagram *d, dd f, size_t *count, arena *a) {
    leaf_list l = {.arena = a};
    walk(d, f, note_leaf, &l);
    qsort(l.values, l.count, sizeof *l.values, ascending);
    *count = l.count;
    return l.values;
}

static void note_other(void *context, const diagram *d, dd x) {
    if (dd_is_leaf(d, x) && x > 1) *(bool *)context = true;
}

bool dd_is_boolean(diagram *d, dd f) {
    bool other = false;
    if (f > 1) walk(d, f, note_other, &other);
    return !other;
}

bool dd_implies(diagram *d, dd f, dd g) { return dd_and(d, f, g) == f; }

double dd_at_zero(const diagram *d, dd f) {
    while (!dd_is_leaf(d, f)) f = d->nodes[f].lo;
    return dd_value(d, f);
}

typedef struct var_search {
    uint32_t var;
    bool found;
} var_search;

static void note_var(void *context, const diagram *d, dd x) {
    var_search *s = context;
    if (d->nodes[x].var == s->var) s->found = true;
}

bool dd_depends(diagram *d, dd f, uint32_t var) {
    var_search s = {.var = var};
    walk(d, f, note_var, &s);
    return s.found;
}

/* ---- sums ---- */

typedef struct clamp {
    double least, most;
} clamp;

static double clamped(void *context, double x) {
    const clamp *c = context;
    return x < c->least ? c->least : x > c->most ? c->most : x;
}

typedef struct part {
    dd sum;
    double low, high; /* what the terms of this part add up to */
} part;

typedef struct extremes {
    double low, high;
} extremes;

static void note_extremes(void *context, const diagram *d, dd x) {
    extremes *e = context;
    if (!dd_is_leaf(d, x)) return;
    double v = dd_value(d, x);
    if (v < e->low) e->low = v;
    if (v > e->high) e->high = v;
}

void dd_range(diagram *d, dd f, double *low, double *high) {
    extremes e = {INFINITY, -INFINITY};
    walk(d, f, note_extremes, &e);
    *low = e.low;
    *high = e.high;
}

dd dd_sum(diagram *d, const dd *f, const double *weight, size_t count, double least, double most) {
    if (count == 0) return 0;
    part *parts = arena_alloc(d->arena, count, sizeof *parts);
    double low = 0;
    double high = 0;
    bool clamps = !isnan(least);
    for (size_t k = 0; k < count; k++) {
        parts[k].sum = dd_times(d, f[k], weight[k]);
        dd_range(d, parts[k].sum, &parts[k].low, &parts[k].high);
        low = exact_sum(d, low, parts[k].low);
        high = exact_sum(d, high, parts[k].high);
    }
    while (count > 1) {
        size_t kept = 0;
        for (size_t k = 0; k + 1 < count; k += 2) {
            part p = {.sum = dd_add(d, parts[k].sum, parts[k + 1].sum),
                      .low = exact_sum(d, parts[k].low, parts[k + 1].low),
                      .high = exact_sum(d, parts[k].high, parts[k + 1].high)};
            if (clamps) { /* what the others cannot bring back is beyond; but no part may exceed what they count on */
                clamp c = {.least = fmin(least - (high - p.high), p.high), .most = fmax(most - (low - p.low), p.low)};
                if (c.least < c.most) p.sum = dd_map(d, p.sum, clamped, &c);
            }
            parts[kept++] = p;
        }
        if (count % 2) parts[kept++] = parts[count - 1];
        count = kept;
    }
    return parts[0].sum;
}

/* ---- numbers in binary ---- */

uint32_t dd_bits(uint64_t count) {
    uint32_t bits = 0;
    while (bits < 63 && (uint64_t)1 << bits < count) bits++;
    return bits;
}

typedef struct member_list {
    diagram *d;
    uint32_t var, bits;
    uint64_t count;
    const uint32_t *members;
    bool last; /* count - 1 is one of them */
} member_list;

/* Codes from ... from + 2^(bits - depth) - 1, with the members among them; at most 17 deep. One code alone is beyond
   the count, or it is a member or none. */
static dd members_of(const member_list *l, uint32_t depth, uint64_t from, size_t begin, size_t end) {
    uint64_t size = (uint64_t)1 << (l->bits - depth);
    if (from >= l->count) return l->last;
    if (from + size <= l->count) {
        if (begin == end) return 0;
        if (end - begin == size) return 1;
    }
    size_t middle = begin;
    while (middle < end && l->members[middle] < from + size / 2) middle++;
    dd lo = members_of(l, depth + 1, from, begin, middle);
    dd hi = members_of(l, depth + 1, from + size / 2, middle, end);
    return make(l->d, l->var + depth, lo, hi);
}

dd dd_members(diagram *d, uint32_t var, uint32_t bits, uint64_t count, const uint32_t *members, size_t member_count) {
    member_list l = {.d = d, .var = var, .bits = bits, .count = count, .members = members};
    l.last = member_count && members[member_count - 1] == count - 1;
    return members_of(&l, 0, 0, 0, member_count);
}

/* Codes from ... from + 2^(bits - depth) - 1; at most 17 deep. */
static dd select_from(diagram *d, uint32_t var, uint32_t bits, uint32_t depth, uint64_t from, uint64_t count,
                      const dd *branch) {
    uint64_t size = (uint64_t)1 << (bits - depth);
    if (from >= count) return branch[count - 1];
    if (size == 1) return branch[from];
    dd lo = select_from(d, var, bits, depth + 1, from, count, branch);
    dd hi = select_from(d, var, bits, depth + 1, from + size / 2, count, branch);
    return make(d, var + depth, lo, hi);
}

dd dd_select(diagram *d, uint32_t var, uint32_t bits, uint64_t count, const dd *branch) {
    return select_from(d, var, bits, 0, 0, count, branch);
}

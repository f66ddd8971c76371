#include "automata/group.h"

#include "base/text.h"
#include "base/work.h"

#include <string.h>

uint32_t group_find(const group *g, const uint32_t *permutation) {
    const uint32_t *known = table_find(&g->index, permutation, g->degree * sizeof *permutation);
    return known ? *known : UINT32_MAX;
}

static void multiply(uint32_t *out, const uint32_t *x, const uint32_t *y, uint32_t degree) {
    for (uint32_t p = 0; p < degree; p++) out[p] = y[x[p]];
}

typedef struct generating {
    group *g;
    uint32_t **found;
    size_t known, capacity;
    const uint32_t **used; /* generators that were not elements before; each at least doubles the group */
    size_t used_count, used_capacity;
    uint64_t most;
} generating;

uint64_t group_most(uint32_t degree) {
    uint64_t order = work_limit(GROUP_ORDER_LIMIT), work = work_limit(GROUP_WORK_LIMIT) / (degree ? degree : 1);
    return order < work ? order : work;
}

/* Adds an element unless it is there; NULL: there are too many. Returns memory for the next one. */
static uint32_t *add_element(generating *w, uint32_t *element, arena *a) {
    bool fresh;
    uint32_t degree = w->g->degree;
    table_put(&w->g->index, element, degree * sizeof *element, (uint32_t)w->known, &fresh);
    if (!fresh) return element;
    if (w->known >= w->most) return NULL;
    array_push(a, w->found, w->known, w->capacity, element);
    return arena_alloc(a, degree, sizeof *element);
}

bool group_generate(group *out, const uint32_t *generators, size_t count, uint32_t degree, arena *a) {
    *out = (group){.degree = degree, .scratch = arena_alloc(a, degree, sizeof *out->scratch)};
    generating w = {.g = out, .most = group_most(degree)};
    uint32_t *next = arena_alloc(a, degree, sizeof *next);
    table_init(&out->index, a);
    for (uint32_t p = 0; p < degree; p++) next[p] = p;
    next = add_element(&w, next, a);
    for (size_t k = 0; k < count && next; k++) {
        if (group_find(out, generators + k * degree) != UINT32_MAX) continue;
        array_push(a, w.used, w.used_count, w.used_capacity, generators + k * degree);
        for (size_t done = 0; done < w.known && next; done++)
            for (size_t u = 0; u < w.used_count && next; u++) {
                multiply(next, w.found[done], w.used[u], degree);
                next = add_element(&w, next, a);
            }
    }
    if (!next) return false;
    /* the table borrows the permutations where they were found; the array has copies in a row */
    out->order = (uint32_t)w.known;
    out->elements = arena_alloc(a, w.known * degree, sizeof *out->elements);
    for (size_t x = 0; x < w.known; x++) memcpy(out->elements + x * degree, w.found[x], degree * sizeof *next);
    return true;
}

uint32_t group_product(const group *g, uint32_t x, uint32_t y) {
    multiply(g->scratch, group_element(g, x), group_element(g, y), g->degree);
    return group_find(g, g->scratch);
}

uint32_t group_inverse(const group *g, uint32_t x) {
    const uint32_t *p = group_element(g, x);
    for (uint32_t k = 0; k < g->degree; k++) g->scratch[p[k]] = k;
    return group_find(g, g->scratch);
}

/* ---- subgroups, as marks over the elements ---- */

typedef struct subgroup {
    unsigned char *has; /* [order] */
    uint32_t *list;     /* [count], the identity first */
    uint32_t count;
    uint32_t *generators;
    size_t generator_count, generator_capacity;
} subgroup;

static void subgroup_init(subgroup *s, const group *g, arena *a) {
    *s = (subgroup){
        .has = arena_zalloc(a, g->order, 1), .list = arena_alloc(a, g->order, sizeof *s->list), .count = 1};
    s->has[0] = 1;
    s->list[0] = 0;
}

/* Adds a generator and closes: every element times every generator. */
static void subgroup_add(subgroup *s, const group *g, uint32_t x, arena *a) {
    if (s->has[x]) return;
    array_push(a, s->generators, s->generator_count, s->generator_capacity, x);
    for (uint32_t done = 0; done < s->count; done++)
        for (size_t k = 0; k < s->generator_count; k++) {
            uint32_t y = group_product(g, s->list[done], s->generators[k]);
            if (s->has[y]) continue;
            s->has[y] = 1;
            s->list[s->count++] = y;
        }
}

static uint32_t conjugate(const group *g, uint32_t x, uint32_t by) {
    return group_product(g, group_product(g, group_inverse(g, by), x), by);
}

/* The commutators of h: the least normal subgroup with those of the generators. */
static void subgroup_commutators(subgroup *out, const group *g, const subgroup *h, arena *a) {
    subgroup_init(out, g, a);
    for (size_t x = 0; x < h->generator_count; x++)
        for (size_t y = 0; y < x; y++) {
            uint32_t p = h->generators[x], q = h->generators[y];
            uint32_t both =
                group_product(g, group_product(g, group_inverse(g, p), group_inverse(g, q)), group_product(g, p, q));
            subgroup_add(out, g, both, a);
        }
    for (size_t k = 0; k < out->generator_count; k++)
        for (size_t y = 0; y < h->generator_count; y++)
            subgroup_add(out, g, conjugate(g, out->generators[k], h->generators[y]), a);
}

/* ---- an abelian quotient as a sum of cyclic groups ---- */

typedef struct quotient {
    const group *g;
    group_stage *stage;
} quotient;

static uint32_t coset_product(const quotient *q, uint32_t x, uint32_t y) {
    return q->stage->coset_of[group_product(q->g, q->stage->representative[x], q->stage->representative[y])];
}

/* The factors are found greedily: a coset of the largest order whose powers meet the sum so far in 0 only. Such a
   coset exists as long as the sum is not everything, because a cyclic group of the largest order is always a
   summand. */
static void split_quotient(const quotient *q, arena *a) {
    group_stage *s = q->stage;
    uint32_t n = s->coset_count, in_sum = 1;
    unsigned char *has = arena_zalloc(a, n, 1);
    uint32_t *list = arena_alloc(a, n, sizeof *list);
    uint32_t factors = 0;
    while ((uint32_t)1 << factors < n) factors++; /* at most this many */
    s->moduli = arena_zalloc(a, (size_t)factors + 1, sizeof *s->moduli);
    uint32_t *exponents = arena_zalloc(a, (size_t)n * (factors + 1), sizeof *exponents);
    s->factor_count = 0;
    has[0] = 1;
    list[0] = 0;
    while (in_sum < n) {
        uint32_t best = 0, best_order = 0;
        for (uint32_t x = 1; x < n && best_order * in_sum < n; x++) {
            uint32_t order = 1;
            bool meets = false;
            for (uint32_t y = x; y; y = coset_product(q, y, x), order++) meets = meets || has[y];
            if (!meets && order > best_order) best = x, best_order = order;
        }
        uint32_t before = in_sum, power = 0;
        for (uint32_t e = 1; e < best_order; e++) {
            power = coset_product(q, power, best);
            for (uint32_t k = 0; k < before; k++) {
                uint32_t y = coset_product(q, list[k], power);
                has[y] = 1;
                list[in_sum++] = y;
                memcpy(exponents + (size_t)y * factors, exponents + (size_t)list[k] * factors,
                       factors * sizeof *exponents);
                exponents[(size_t)y * factors + s->factor_count] = e;
            }
        }
        s->moduli[s->factor_count++] = best_order;
    }
    s->exponents = arena_alloc(a, (size_t)n * s->factor_count + 1, sizeof *s->exponents);
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t k = 0; k < s->factor_count; k++)
            s->exponents[(size_t)x * s->factor_count + k] = exponents[(size_t)x * factors + k];
}

static void find_cosets(group_stage *s, const group *g, const subgroup *h, const subgroup *k, arena *a) {
    s->order = h->count;
    s->coset_count = 0;
    s->coset_of = arena_alloc(a, g->order, sizeof *s->coset_of);
    s->representative = arena_alloc(a, h->count / k->count, sizeof *s->representative);
    for (uint32_t x = 0; x < g->order; x++) s->coset_of[x] = UINT32_MAX;
    for (uint32_t x = 0; x < h->count; x++) {
        uint32_t y = h->list[x];
        if (s->coset_of[y] != UINT32_MAX) continue;
        for (uint32_t m = 0; m < k->count; m++) s->coset_of[group_product(g, k->list[m], y)] = s->coset_count;
        s->representative[s->coset_count++] = y;
    }
}

void group_derive(group_series *out, const group *g, arena *a) {
    subgroup h, k;
    size_t capacity = 0, count = 0;
    *out = (group_series){0};
    subgroup_init(&h, g, a);
    for (uint32_t x = 1; x < g->order && h.count < g->order; x++) subgroup_add(&h, g, x, a);
    while (h.count > 1) {
        subgroup_commutators(&k, g, &h, a);
        if (k.count == h.count) break;
        group_stage stage = {0};
        find_cosets(&stage, g, &h, &k, a);
        split_quotient(&(quotient){g, &stage}, a);
        array_push(a, out->stages, count, capacity, stage);
        h = k;
    }
    out->stage_count = (uint32_t)count;
    out->core_order = h.count;
}

/* ---- names ---- */

static uint32_t order_of(const group *g, uint32_t x) {
    uint32_t order = 1;
    for (uint32_t y = x; y; y = group_product(g, y, x)) order++;
    return order;
}

static void name_abelian(text *t, const group_stage *s) {
    for (uint32_t k = 0; k < s->factor_count; k++) text_printf(t, "%sZ%u", k ? " x " : "", s->moduli[k]);
}

const char *group_core_name(uint32_t order, arena *a) {
    uint64_t half = 60;
    for (uint32_t n = 5; half <= order; half *= ++n)
        if (half == order) {
            text t;
            text_init(&t, a);
            text_printf(&t, "A%u", n);
            return text_string(&t);
        }
    if (order == 168) return "PSL(2,7)";
    text t;
    text_init(&t, a);
    text_printf(&t, "a perfect group of order %u", order);
    return text_string(&t);
}

/* The groups that automata meet most. Each is settled by its order, the derived series and the orders of elements:
   among groups of order 6 to 24 with these quotients there is only one. */
const char *group_name(const group *g, arena *a) {
    group_series s;
    text t;
    text_init(&t, a);
    if (g->order == 1) return "trivial";
    group_derive(&s, g, a);
    if (s.stage_count == 1 && s.core_order == 1) {
        name_abelian(&t, &s.stages[0]);
        return text_string(&t);
    }
    if (s.core_order > 1) {
        uint64_t factorial = 120, n = 5;
        while (factorial < g->order) factorial *= ++n;
        if (g->order == s.core_order) return group_core_name(g->order, a);
        if (factorial == g->order && g->degree == n && 2 * (uint64_t)s.core_order == g->order) {
            text_printf(&t, "S%u", (unsigned)n);
            return text_string(&t);
        }
    }
    uint32_t twos = 0, longest = 0;
    for (uint32_t x = 1; x < g->order; x++) {
        uint32_t order = order_of(g, x);
        twos += order == 2;
        if (order > longest) longest = order;
    }
    uint32_t half = g->order / 2;
    if (g->order == 12 && s.stages[0].coset_count == 3) return "A4";
    if (g->order == 24 && s.stage_count == 3 && twos == 9) return "S4";
    if (g->order == 20 && s.stages[0].coset_count == 4 && longest == 5 && twos == 5) return "F20";
    if (g->order == 8 && twos == 1) return "Q8";
    /* dihedral: half of the elements, outside a cycle of the other half, have order 2 */
    if (s.core_order == 1 && longest == half && twos == half + (half % 2 == 0)) {
        if (half == 3) return "S3";
        text_printf(&t, "D%u", half);
        return text_string(&t);
    }
    text_printf(&t, "a group of order %u", g->order);
    return text_string(&t);
}

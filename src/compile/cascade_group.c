/* P is the product of the permutations before the letter here, starting from the identity; resets count as any fixed
   one. With H the group of a stage and K its commutators, P = u t(c) where c is P's coset and t(c) the coset's
   representative. c is what counters add up to. u is the product of the elements t(c) x t(c')^-1 of K, one for each
   event x, where c is the coset before it and c' = c x: the events of the next stage. */
#include "compile/cascade_group.h"

#include <string.h>

typedef struct literals {
    node_id *list;
    size_t count, capacity;
} literals;

/* Σ exponent * #[event] mod modulus = residue, before the letter here. Where the only event is every letter, the
   count here is one more than the count before. */
static node_id residue_node(emitter *e, const linear_sum *sum, bool every, int64_t modulus, compare_op op,
                            int64_t residue) {
    if (!every) return formula_unary(e->f, e->yesterday, formula_modulo(e->f, sum, modulus, op, residue));
    linear_sum before;
    sum_init(&before, e->arena, -sum->weights[0]);
    sum_add_count(&before, sum->counts[0], sum->weights[0]);
    return formula_modulo(e->f, &before, modulus, op, residue);
}

/* The sum of a factor: events with the same exponent are one count. */
static linear_sum factor_sum(emitter *e, const group_stage *s, uint32_t factor, const term_list *events,
                             uint32_t order, bool *every) {
    linear_sum sum;
    sum_init(&sum, e->arena, 0);
    *every = false;
    for (uint32_t exponent = 1; exponent < s->moduli[factor]; exponent++) {
        term_list both = {0};
        for (uint32_t x = 1; x < order; x++)
            if (s->coset_of[x] != UINT32_MAX && s->exponents[s->coset_of[x] * s->factor_count + factor] == exponent)
                terms_join(e, &both, &events[x]);
        if (!both.count) continue;
        *every = both.count == 1 && both.terms[0].count == 0;
        sum_add_count(&sum, formula_unary(e->f, e->count, terms_node(e, &both)), exponent);
    }
    return sum;
}

/* What says that P is in each coset: one literal a factor. */
static literals *coset_literals(emitter *e, const group_stage *s, const term_list *events, uint32_t order) {
    literals *out = arena_zalloc(e->arena, s->coset_count, sizeof *out);
    for (uint32_t k = 0; k < s->factor_count; k++) {
        bool every;
        linear_sum sum = factor_sum(e, s, k, events, order, &every);
        uint32_t m = s->moduli[k];
        node_id *is = arena_alloc(e->arena, m, sizeof *is);
        for (uint32_t r = 1; r < m; r++) is[r] = residue_node(e, &sum, every, m, CMP_EQ, r);
        is[0] = not_node(e, m == 2 ? is[1] : residue_node(e, &sum, every, m, CMP_NE, 0));
        for (uint32_t c = 0; c < s->coset_count; c++)
            array_push(e->arena, out[c].list, out[c].count, out[c].capacity,
                       is[s->exponents[c * s->factor_count + k]]);
    }
    return out;
}

static term_list *next_events(emitter *e, const group *g, const group_stage *s, const literals *cosets,
                              const term_list *events) {
    term_list *out = arena_zalloc(e->arena, g->order, sizeof *out);
    for (uint32_t x = 1; x < g->order; x++) {
        if (!events[x].count) continue;
        for (uint32_t c = 0; c < s->coset_count; c++) {
            uint32_t moved = group_product(g, s->representative[c], x);
            uint32_t back = group_inverse(g, s->representative[s->coset_of[moved]]);
            uint32_t h = group_product(g, moved, back);
            if (!h) continue;
            for (size_t k = 0; k < events[x].count && !e->over; k++) {
                term t = term_and(e, &events[x].terms[k], cosets[c].list, cosets[c].count);
                terms_add(e, &out[h], &t);
            }
        }
    }
    return out;
}

/* For each element of the group, the literals that say P is it. */
static term *element_terms(emitter *e, const group *g, const group_series *series, term_list *events) {
    term *out = arena_zalloc(e->arena, g->order, sizeof *out);
    uint32_t *found = arena_zalloc(e->arena, g->order, sizeof *found);
    uint32_t count = 1; /* found[0] is the identity */
    for (uint32_t k = 0; k < series->stage_count; k++) {
        const group_stage *s = &series->stages[k];
        literals *cosets = coset_literals(e, s, events, g->order);
        term *grown = arena_zalloc(e->arena, g->order, sizeof *grown);
        uint32_t *next = arena_zalloc(e->arena, g->order, sizeof *next), made = 0;
        /* P = u t(c) of the stages before, and u is found in this one */
        for (uint32_t x = 0; x < count; x++)
            for (uint32_t c = 0; c < s->coset_count; c++) {
                uint32_t y = group_product(g, s->representative[c], found[x]);
                grown[y] = term_and(e, &out[found[x]], cosets[c].list, cosets[c].count);
                next[made++] = y;
            }
        out = grown;
        found = next;
        count = made;
        if (k + 1 < series->stage_count) events = next_events(e, g, s, cosets, events);
    }
    return out;
}

/* The tile that would have been there at the start, had the last reset been then: since that reset P has brought it
   to where it is. */
static node_id *start_tiles(emitter *e, const chain_level *l, const group *g, const term *elements,
                            const term_list *resets, uint32_t at_reset) {
    node_id *out = arena_zalloc(e->arena, l->value_count, sizeof *out), key = 0;
    term_list all = {0}, *to = arena_zalloc(e->arena, l->value_count, sizeof *to);
    for (uint32_t v = 0; v < l->value_count; v++)
        for (size_t k = 0; k < resets[v].count; k++)
            for (uint32_t p = 0; p < g->order && !e->over; p++) {
                uint32_t from = 0, after = group_product(g, p, at_reset);
                while (group_element(g, after)[from] != v) from++;
                term t = term_and(e, &resets[v].terms[k], elements[p].literals, elements[p].count);
                terms_add(e, &to[from], &t);
            }
    for (uint32_t v = 0; v < l->value_count; v++) terms_join(e, &all, &resets[v]);
    if (e->over) return out;
    key = not_node(e, terms_node(e, &all));
    for (uint32_t v = 0; v < l->value_count; v++)
        if (v != l->first)
            out[v] = formula_unary(e->f, e->yesterday, formula_binary(e->f, e->since, key, terms_node(e, &to[v])));
    return out;
}

/* Moves as events of group elements. Where nothing is kept, a reset may count as any event: if there is one move
   only, every letter counts, and the counter is the position. *at_reset: what resets count as. */
static term_list *first_events(emitter *e, uint32_t *at_reset, const chain_level *l, const group *g,
                               const term_list *moves, bool keeps) {
    term_list *events = arena_zalloc(e->arena, g->order, sizeof *events);
    *at_reset = 0;
    for (uint32_t k = 0; k < l->move_count; k++) {
        uint32_t x = group_find(g, l->moves + (size_t)k * l->value_count);
        if (!keeps && l->move_count == 1) {
            term every = {0};
            terms_add(e, &events[x], &every);
            *at_reset = x;
        } else {
            terms_join(e, &events[x], &moves[k]);
        }
    }
    return events;
}

void group_level_values(emitter *e, node_id *values, const chain_level *l, const group *g, const group_series *series,
                        const term_list *resets, const term_list *moves, bool keeps) {
    bool any_reset = false;
    for (uint32_t v = 0; v < l->value_count; v++) any_reset = any_reset || resets[v].count;
    uint32_t at_reset;
    term_list *events = first_events(e, &at_reset, l, g, moves, keeps);
    term *elements = element_terms(e, g, series, events);
    node_id *starts = any_reset ? start_tiles(e, l, g, elements, resets, at_reset) : NULL;
    if (e->over) return;
    if (starts && g->order == 2 && l->value_count == 2) {
        node_id other = starts[1 - l->first], odd = term_node(e, &elements[1]);
        values[1 - l->first] = formula_binary(e->f, OP_XOR, other, odd);
        return;
    }
    term_list *of = arena_zalloc(e->arena, l->value_count, sizeof *of);
    for (uint32_t w = 0; w < l->value_count; w++) {
        if (!starts && w != l->first) continue;
        literals here = {0};
        for (uint32_t v = 0; starts && v < l->value_count; v++)
            if (v == w ? starts[v] : w == l->first && starts[v])
                array_push(e->arena, here.list, here.count, here.capacity,
                           v == w ? starts[v] : not_node(e, starts[v]));
        for (uint32_t p = 0; p < g->order && !e->over; p++) {
            term t = term_and(e, &elements[p], here.list, here.count);
            terms_add(e, &of[group_element(g, p)[w]], &t);
        }
    }
    for (uint32_t v = 0; v < l->value_count && !e->over; v++)
        if (v != l->first) values[v] = terms_node(e, &of[v]);
}

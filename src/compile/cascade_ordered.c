/* Automata whose live states are partially ordered: no word leads back to a state that was left. Each state is one
   since: at_q = Y([letters that stay] S (enter q)). */
#include "base/work.h"
#include "compile/cascade_terms.h"
#include "compile/regular_choose.h"

enum { ORDERED_STATE_LIMIT = 1024 };

/* Live states in an order in which letters lead forwards; false: there is none. */
static bool order_states(uint32_t *order, const dfa *d, const unsigned char *live, arena *a) {
    uint32_t n = d->state_count, count = 0, total = 0;
    uint32_t *before = arena_zalloc(a, n, sizeof *before);
    for (uint32_t q = 0; q < n; q++) {
        total += live[q];
        for (uint32_t c = 0; c < d->class_count && live[q]; c++) {
            uint32_t to = dfa_next(d, q, c);
            if (to != q && live[to]) before[to]++;
        }
    }
    for (uint32_t q = 0; q < n; q++)
        if (live[q] && !before[q]) order[count++] = q;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t to = dfa_next(d, order[k], c);
            if (to != order[k] && live[to] && --before[to] == 0) order[count++] = to;
        }
    return count == total;
}

/* The letters that lead from p to q, as bits over classes; false: there are none. */
static bool letters_between(uint64_t *bits, const dfa *d, uint32_t p, uint32_t q) {
    bool any = false;
    for (uint32_t w = 0; w < (d->class_count + 63) / 64; w++) bits[w] = 0;
    for (uint32_t c = 0; c < d->class_count; c++)
        if (dfa_next(d, p, c) == q) {
            bits[c / 64] |= (uint64_t)1 << (c % 64);
            any = true;
        }
    return any;
}

static node_id letters_or_true(emitter *e, const uint64_t *bits) {
    node_id x = letters_node(e, bits);
    return x ? x : formula_atom(e->f, OP_TRUE);
}

/* OR over states p (where at[p] is there, except `but`) of at[p] and the letters from p to a state that is wanted. */
static node_id arrivals(emitter *e, const node_id *at, const unsigned char *wanted, uint32_t but) {
    const dfa *d = e->d;
    term_list all = {0};
    size_t words = (d->class_count + 63) / 64;
    for (uint32_t p = 0; p < d->state_count; p++) {
        if (!at[p] || p == but) continue;
        uint64_t *bits = arena_zalloc(e->arena, words, sizeof *bits);
        bool any = false;
        for (uint32_t c = 0; c < d->class_count; c++)
            if (wanted[dfa_next(d, p, c)]) {
                bits[c / 64] |= (uint64_t)1 << (c % 64);
                any = true;
            }
        if (!any) continue;
        node_id literals[2] = {at[p], letters_node(e, bits)};
        term t = term_and(e, &(term){0}, literals, literals[1] ? 2 : 1);
        terms_add(e, &all, &t);
    }
    return terms_node(e, &all);
}

static void place_states(emitter *e, node_id *at, const uint32_t *order, const unsigned char *live) {
    const dfa *d = e->d;
    uint64_t *bits = arena_alloc(e->arena, (d->class_count + 63) / 64 + 1, sizeof *bits);
    unsigned char *wanted = arena_zalloc(e->arena, d->state_count, 1);
    for (uint32_t k = 0; k < d->state_count && live[order[k]] && !e->over; k++) {
        uint32_t q = order[k];
        bool stays = letters_between(bits, d, q, q);
        node_id loop = stays ? letters_or_true(e, bits) : formula_atom(e->f, OP_FALSE);
        if (q == d->start) {
            node_id left = formula_unary(e->f, e->once, not_node(e, loop));
            at[q] = stays ? not_node(e, formula_unary(e->f, e->yesterday, left))
                          : formula_atom(e->f, e->count == OP_COUNT_PAST ? OP_FIRST : OP_LAST);
            continue;
        }
        wanted[q] = 1;
        node_id enter = arrivals(e, at, wanted, q);
        wanted[q] = 0;
        if (formula_at(e->f, enter)->op == OP_FALSE) continue; /* the start does not lead here */
        at[q] = formula_unary(e->f, e->yesterday, stays ? formula_binary(e->f, e->since, loop, enter) : enter);
    }
}

bool ordered_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, cascade_options options,
                      cascade_report *report, arena *a) {
    uint32_t dead, win;
    dfa_sinks(&dead, &win, d, sets);
    emitter e = emitter_for(f, d, options.future, a);
    *report = (cascade_report){0};
    e.term_limit = work_limit_if(options.raised, e.term_limit);
    if (d->state_count > work_limit_if(options.raised, ORDERED_STATE_LIMIT) || d->start == dead || d->start == win)
        return false;
    unsigned char *live = arena_alloc(a, d->state_count, 1), *wanted = arena_zalloc(a, d->state_count, 1);
    for (uint32_t q = 0; q < d->state_count; q++) report->live_states += live[q] = q != dead && q != win;
    uint32_t *order = arena_zalloc(a, d->state_count, sizeof *order);
    for (uint32_t q = 0; q < d->state_count; q++) order[q] = dead != UINT32_MAX ? dead : win;
    if (!order_states(order, d, live, a)) return false;
    node_id *at = arena_zalloc(a, d->state_count, sizeof *at), won = 0;
    place_states(&e, at, order, live);
    /* a state that was left is not entered again, so nothing is bad after a sink was entered */
    for (size_t k = 0; k < sets.count && !e.over; k++) {
        for (uint32_t q = 0; q < d->state_count; q++) wanted[q] = live[q] && sets.holds[k][q];
        roots[k] = arrivals(&e, at, wanted, UINT32_MAX);
    }
    for (uint32_t q = 0; q < d->state_count; q++) wanted[q] = q == win;
    if (win != UINT32_MAX) won = formula_unary(f, e.once, arrivals(&e, at, wanted, UINT32_MAX));
    for (size_t k = 0; k < sets.count && won && !e.over; k++)
        roots[k] = formula_nary(f, OP_OR, (node_id[]){roots[k], won}, 2);
    report->level_count = report->live_states;
    return !e.over;
}

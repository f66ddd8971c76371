/* Automata that only count: each letter leads every live state one further, or keeps it, or kills it, whatever the
   state. So the state is the number of letters that lead further: a comparison per boundary instead of a level per
   state, and a remainder where the states run into a circle. */
#include "compile/cascade_terms.h"
#include "compile/regular_choose.h"

typedef enum letter_kind { LETTER_STAYS, LETTER_COUNTS, LETTER_KILLS } letter_kind;

typedef struct counting {
    emitter e;
    uint32_t dead;
    uint32_t *states;     /* in the order of counts, the first before any */
    uint32_t state_count; /* all different */
    uint32_t back;        /* the count after the last one is again this; state_count: a sink, or there is no end */
    uint32_t sink;        /* the state after the last one, if it is dead or won */
    letter_kind *kinds;   /* [class_count] */
    node_id number;       /* #[letters that count] */
} counting;

/* The start decides what each letter does; at the last state before a circle or a sink any letter that counts may
   lead to itself. */
static bool find_kinds(counting *k) {
    const dfa *d = k->e.d;
    bool any = false;
    for (uint32_t c = 0; c < d->class_count; c++) {
        uint32_t to = dfa_next(d, d->start, c);
        k->kinds[c] = to == k->dead ? LETTER_KILLS : to == d->start ? LETTER_STAYS : LETTER_COUNTS;
        any = any || k->kinds[c] == LETTER_COUNTS;
    }
    return any;
}

/* Where the letters that count lead from q; UINT32_MAX: not all to one state, or another letter does not do here what
   it does at the start. */
static uint32_t step(const counting *k, uint32_t q) {
    const dfa *d = k->e.d;
    uint32_t to = UINT32_MAX;
    for (uint32_t c = 0; c < d->class_count; c++) {
        uint32_t next = dfa_next(d, q, c);
        if (k->kinds[c] == LETTER_STAYS && next != q) return UINT32_MAX;
        if (k->kinds[c] == LETTER_KILLS && next != k->dead) return UINT32_MAX;
        if (k->kinds[c] != LETTER_COUNTS) continue;
        if (to != UINT32_MAX && next != to) return UINT32_MAX;
        to = next;
    }
    return to;
}

/* A letter that kills must do so before the win, too; after it nothing kills, so both together are left to others. */
static bool find_states(counting *k, uint32_t win) {
    const dfa *d = k->e.d;
    bool kills = false;
    uint32_t *place = arena_alloc(k->e.arena, d->state_count, sizeof *place);
    for (uint32_t c = 0; c < d->class_count; c++) kills = kills || k->kinds[c] == LETTER_KILLS;
    for (uint32_t q = 0; q < d->state_count; q++) place[q] = UINT32_MAX;
    for (uint32_t q = d->start;;) {
        if (q == UINT32_MAX || (q == win && kills)) return false;
        if (q == k->dead || q == win || place[q] != UINT32_MAX) {
            k->back = q == k->dead || q == win ? k->state_count : place[q];
            k->sink = q;
            return true;
        }
        place[q] = k->state_count;
        k->states[k->state_count++] = q;
        q = step(k, q);
    }
}

static node_id number_compared(counting *k, compare_op op, int64_t with) {
    linear_sum sum;
    sum_init(&sum, k->e.arena, -with);
    sum_add_count(&sum, k->number, 1);
    return formula_compare(k->e.f, &sum, op);
}

static void add(counting *k, term_list *l, const node_id *literals, size_t count) {
    term t = term_and(&k->e, &(term){0}, literals, count);
    terms_add(&k->e, l, &t);
}

/* Counts from..to-1 are accepted. */
static void add_interval(counting *k, term_list *l, uint32_t from, uint32_t to) {
    node_id literals[2];
    size_t count = 0;
    if (from > 0) literals[count++] = number_compared(k, CMP_GE, from);
    if (to != UINT32_MAX) literals[count++] = number_compared(k, CMP_LE, (int64_t)to - 1);
    add(k, l, literals, count);
}

/* The counts whose states are in a set. */
static node_id counts_of(counting *k, const unsigned char *holds) {
    term_list all = {0};
    bool ends = k->back == k->state_count, last = ends ? holds[k->sink] : false;
    uint32_t line = k->back, period = k->state_count - k->back;
    if (period == 1) ends = true, last = holds[k->states[k->back]];
    for (uint32_t n = 0; n <= line;) {
        bool here = n < line ? holds[k->states[n]] : last && ends;
        uint32_t to = n + 1;
        while (here && to <= line && (to < line ? holds[k->states[to]] : last && ends)) to++;
        if (here) add_interval(k, &all, n, to > line ? UINT32_MAX : to);
        n = to;
    }
    for (uint32_t r = 0; !ends && r < period; r++) {
        if (!holds[k->states[line + r]]) continue;
        linear_sum sum;
        sum_init(&sum, k->e.arena, 0);
        sum_add_count(&sum, k->number, 1);
        node_id literals[2] = {formula_modulo(k->e.f, &sum, period, CMP_EQ, (line + r) % period),
                               number_compared(k, CMP_GE, line)};
        add(k, &all, literals, line ? 2 : 1);
    }
    return terms_node(&k->e, &all);
}

bool counts_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, bool future, cascade_report *report,
                     arena *a) {
    uint32_t win;
    counting k = {.e = emitter_for(f, d, future, a)};
    *report = (cascade_report){0};
    dfa_sinks(&k.dead, &win, d, sets);
    if (d->start == k.dead || d->start == win) return false;
    k.kinds = arena_alloc(a, d->class_count, sizeof *k.kinds);
    k.states = arena_alloc(a, d->state_count, sizeof *k.states);
    if (!find_kinds(&k) || !find_states(&k, win)) return false;
    size_t words = (d->class_count + 63) / 64;
    uint64_t *counts = arena_zalloc(a, words, sizeof *counts), *kills = arena_zalloc(a, words, sizeof *kills);
    bool any_kill = false;
    for (uint32_t c = 0; c < d->class_count; c++) {
        if (k.kinds[c] == LETTER_COUNTS) counts[c / 64] |= (uint64_t)1 << (c % 64);
        if (k.kinds[c] == LETTER_KILLS) kills[c / 64] |= (uint64_t)1 << (c % 64), any_kill = true;
    }
    node_id counted = letters_node(&k.e, counts), alive = 0;
    k.number = formula_unary(f, k.e.count, counted ? counted : formula_atom(f, OP_TRUE));
    report->live_states = k.state_count;
    for (size_t i = 0; i < sets.count && !k.e.over; i++) roots[i] = counts_of(&k, sets.holds[i]);
    if (any_kill && !k.e.over) alive = not_node(&k.e, formula_unary(f, k.e.once, letters_node(&k.e, kills)));
    for (size_t i = 0; i < sets.count && alive; i++)
        roots[i] = formula_nary(f, OP_AND, (node_id[]){roots[i], alive}, 2);
    return !k.e.over;
}

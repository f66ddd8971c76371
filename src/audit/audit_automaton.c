/* Automata from regular expressions: Thompson's construction, then the sets of states that guesses may be in. An
   operand of & or ~ becomes deterministic on the way, where both are easy, and goes on as a part like any other. */
#include "audit/audit_guesses.h"

#include <string.h>

#include "base/work.h"

void guesses_spend(guesses *g, uint64_t steps) {
    g->work += steps;
    work_at(g->work);
    if (g->work > work_limit(AUTOMATON_WORK))
        trap_raise_remedy(g->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a regular expression takes more steps than are audited");
}

uint32_t guesses_state(guesses *g) {
    if (g->count >= work_limit(AUTOMATON_GUESSES))
        trap_raise_remedy(g->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a regular expression is larger than is audited");
    array_push(g->arena, g->first, g->count, g->capacity, 0);
    return (uint32_t)(g->count - 1);
}

void guesses_edge(guesses *g, uint32_t from, uint32_t label, uint32_t to) {
    guesses_spend(g, 1);
    if (g->edge_count >= work_limit(16 * (uint64_t)AUTOMATON_GUESSES) || g->edge_count == UINT32_MAX)
        trap_raise_remedy(g->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a regular expression is larger than is audited");
    array_push(g->arena, g->edges, g->edge_count, g->edge_capacity, (edge){label, to, g->first[from]});
    g->first[from] = (uint32_t)g->edge_count;
}

/* ---- following all guesses at once ---- */

/* A cell of a table stays in memory, so it costs more than a step. */
enum { NEW_CELL = 16 };

typedef struct subsets {
    guesses *g;
    uint32_t out;
    size_t found_count;
    table index; /* set -> its number */
    uint32_t **members;
    size_t *sizes;
    size_t count, capacity, size_capacity;
} subsets;

/* Room for all states that there are. */
static void make_room(guesses *g) {
    if (g->count <= g->room) return;
    g->room = 2 * g->count;
    g->mark = arena_zalloc(g->arena, g->room, sizeof *g->mark); /* rounds count from 1 */
    g->found = arena_alloc(g->arena, g->room, sizeof *g->found);
    g->stack = arena_alloc(g->arena, g->room, sizeof *g->stack);
}

static void meet(guesses *g, uint32_t state, size_t *depth) {
    if (g->mark[state] == g->round) return;
    g->mark[state] = g->round;
    g->stack[(*depth)++] = state;
}

/* Collects what is reached from the stack without a letter: states that read one, and the way out. */
static void close_set(subsets *s, size_t depth) {
    guesses *g = s->g;
    while (depth) {
        uint32_t state = g->stack[--depth];
        bool kept = state == s->out;
        uint64_t steps = 1;
        for (uint32_t e = g->first[state]; e; e = g->edges[e - 1].next, steps++) {
            if (g->edges[e - 1].label == NO_LETTER)
                meet(g, g->edges[e - 1].to, &depth);
            else
                kept = true;
        }
        guesses_spend(g, steps);
        if (kept) g->found[s->found_count++] = state;
    }
}

/* Heap sort, so that no order of the input is slow. Sets that are not known again become states of their own, which
   the least automaton joins: the order of their numbers saves work, and changes no result. */
static void sort_numbers(uint32_t *x, size_t n) {
    for (size_t start = n / 2, end = n; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            uint32_t largest = x[0];
            x[0] = x[end];
            x[end] = largest;
        }
        for (size_t root = start, kid; (kid = 2 * root + 1) < end; root = kid) {
            if (kid + 1 < end && x[kid] < x[kid + 1]) kid++;
            if (x[root] > x[kid]) break;
            uint32_t swapped = x[root];
            x[root] = x[kid];
            x[kid] = swapped;
        }
    }
}

static uint32_t set_number(subsets *s) {
    arena *a = s->g->arena;
    uint32_t *found = s->g->found;
    sort_numbers(found, s->found_count);
    guesses_spend(s->g, 4 * s->found_count);
    const uint32_t *known = table_find(&s->index, found, s->found_count * sizeof *found);
    if (known) return *known;
    if (s->count >= work_limit(AUTOMATON_STATES))
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the automaton of a regular expression has more states than are audited");
    uint32_t *kept = arena_alloc(a, s->found_count, sizeof *kept);
    bool fresh;
    if (s->found_count) memcpy(kept, found, s->found_count * sizeof *kept);
    table_put(&s->index, kept, s->found_count * sizeof *kept, (uint32_t)s->count, &fresh);
    size_t count = s->count;
    array_push(a, s->sizes, count, s->size_capacity, s->found_count);
    array_push(a, s->members, s->count, s->capacity, kept);
    return (uint32_t)(s->count - 1);
}

static uint32_t step(subsets *s, uint32_t set, uint32_t class) {
    guesses *g = s->g;
    size_t depth = 0;
    guesses_spend(g, NEW_CELL);
    g->round++;
    s->found_count = 0;
    for (size_t k = 0; k < s->sizes[set]; k++) {
        uint64_t steps = 1;
        for (uint32_t e = g->first[s->members[set][k]]; e; e = g->edges[e - 1].next, steps++) {
            const edge *x = &g->edges[e - 1];
            if (x->label != NO_LETTER && guesses_reads(g, x->label, class)) meet(g, x->to, &depth);
        }
        guesses_spend(g, steps);
    }
    close_set(s, depth);
    return set_number(s);
}

static bool has_member(const subsets *s, size_t set, uint32_t state) {
    for (size_t k = 0; k < s->sizes[set]; k++)
        if (s->members[set][k] == state) return true;
    return false;
}

static automaton *determine(guesses *g, uint32_t in, uint32_t out) {
    arena *a = g->arena;
    subsets s = {.g = g, .out = out};
    make_room(g);
    table_init(&s.index, a);
    size_t depth = 0, next_count = 0, next_capacity = 0;
    uint32_t *next = NULL;
    g->round++;
    meet(g, in, &depth);
    close_set(&s, depth);
    set_number(&s);
    for (uint32_t k = 0; k < s.count; k++)
        for (uint32_t c = 0; c < g->classes; c++) {
            uint32_t to = step(&s, k, c);
            array_push(a, next, next_count, next_capacity, to);
        }
    automaton *x = arena_zalloc(a, 1, sizeof *x);
    *x = (automaton){.states = (uint32_t)s.count, .classes = g->classes, .next = next};
    x->accepts = arena_zalloc(a, s.count, 1);
    for (size_t k = 0; k < s.count; k++) x->accepts[k] = has_member(&s, k, out);
    return x;
}

/* ---- parts ---- */

static run embed(guesses *g, const automaton *x) {
    uint32_t low = (uint32_t)g->count, out = low + x->states;
    while (g->count <= out) guesses_state(g);
    for (uint32_t k = 0; k < x->states; k++) {
        for (uint32_t c = 0; c < x->classes; c++)
            guesses_edge(g, low + k, (uint32_t)g->p->set_count + c, low + x->next[(size_t)k * x->classes + c]);
        if (x->accepts[k]) guesses_edge(g, low + k, NO_LETTER, out);
    }
    return (run){low, low, out};
}

/* What was made from a state on is forgotten. The edges stay where they are, and nobody refers to them. */
static void forget(guesses *g, uint32_t low) { g->count = low; }

typedef struct state_pair {
    uint32_t left, right;
} state_pair;

typedef struct product {
    guesses *g;
    table index; /* pair -> its number */
    state_pair **pairs;
    size_t count, capacity;
} product;

static uint32_t pair_number(product *p, uint32_t left, uint32_t right) {
    arena *a = p->g->arena;
    state_pair pair = {left, right};
    const uint32_t *known = table_find(&p->index, &pair, sizeof pair);
    if (known) return *known;
    if (p->count >= work_limit(AUTOMATON_STATES))
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the automaton of a regular expression has more states than are audited");
    state_pair *kept = arena_alloc(a, 1, sizeof *kept);
    bool fresh;
    *kept = pair;
    array_push(a, p->pairs, p->count, p->capacity, kept);
    return *table_put(&p->index, kept, sizeof *kept, (uint32_t)p->index.count, &fresh);
}

static automaton *both(guesses *g, const automaton *x, const automaton *y) {
    arena *a = g->arena;
    product p = {.g = g};
    table_init(&p.index, a);
    size_t next_count = 0, next_capacity = 0;
    uint32_t *next = NULL;
    pair_number(&p, 0, 0);
    for (size_t k = 0; k < p.count; k++)
        for (uint32_t c = 0; c < g->classes; c++) {
            size_t left = (size_t)p.pairs[k]->left * g->classes, right = (size_t)p.pairs[k]->right * g->classes;
            uint32_t to = pair_number(&p, x->next[left + c], y->next[right + c]);
            guesses_spend(g, NEW_CELL);
            array_push(a, next, next_count, next_capacity, to);
        }
    automaton *z = arena_zalloc(a, 1, sizeof *z);
    *z = (automaton){.states = (uint32_t)p.count, .classes = g->classes, .next = next};
    z->accepts = arena_zalloc(a, p.count, 1);
    for (size_t k = 0; k < p.count; k++)
        z->accepts[k] = x->accepts[p.pairs[k]->left] && y->accepts[p.pairs[k]->right];
    return z;
}

static run make_not(guesses *g, run x) {
    if (guesses_has_tests(g, x)) return guesses_tested_not(g, x);
    automaton *made = determine(g, x.in, x.out);
    for (uint32_t k = 0; k < made->states; k++) made->accepts[k] = !made->accepts[k];
    forget(g, x.low);
    return embed(g, made);
}

static run make_both(guesses *g, run x, run y) {
    if (guesses_has_tests(g, x)) return guesses_tested_both(g, x, y);
    const automaton *left = determine(g, x.in, x.out), *right = determine(g, y.in, y.out);
    forget(g, x.low);
    return embed(g, both(g, left, right));
}

/* A copy of the states low ... high - 1 at the end; returns how far they moved. */
static uint32_t copy_run(guesses *g, uint32_t low, uint32_t high) {
    uint32_t moved = (uint32_t)g->count - low;
    for (uint32_t k = low; k < high; k++) guesses_state(g);
    for (uint32_t k = low; k < high; k++)
        for (uint32_t e = g->first[k]; e; e = g->edges[e - 1].next) {
            edge x = g->edges[e - 1];
            guesses_edge(g, k + moved, x.label, x.to + moved);
        }
    return moved;
}

/* least to most copies one after the other; the way out opens behind the copy number least. Without an end the last
   copy leads back to itself. */
static run make_repeat(guesses *g, run x, uint32_t least, uint32_t most) {
    uint32_t high = (uint32_t)g->count, copies = most == AUDIT_REGEX_NO_END ? (least ? least : 1) : most;
    if (copies == 0) {
        forget(g, x.low);
        uint32_t in = guesses_state(g), out = guesses_state(g);
        guesses_edge(g, in, NO_LETTER, out);
        return (run){in, in, out};
    }
    if ((uint64_t)(high - x.low) * copies > work_limit(AUTOMATON_GUESSES))
        trap_raise_remedy(g->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a regular expression is larger than is audited");
    /* all copies before the first one gets ways in and out */
    for (uint32_t k = 1; k < copies; k++) copy_run(g, x.low, high);
    uint32_t in = guesses_state(g), out = guesses_state(g), here = in;
    for (uint32_t k = 0; k < copies; k++) {
        uint32_t moved = k * (high - x.low);
        if (k >= least) guesses_edge(g, here, NO_LETTER, out);
        guesses_edge(g, here, NO_LETTER, x.in + moved);
        if (most == AUDIT_REGEX_NO_END && k + 1 == copies) guesses_edge(g, x.out + moved, NO_LETTER, x.in + moved);
        here = x.out + moved;
    }
    guesses_edge(g, here, NO_LETTER, out);
    return (run){x.low, in, out};
}

static run make_or(guesses *g, run x, run y) {
    uint32_t in = guesses_state(g), out = guesses_state(g);
    guesses_edge(g, in, NO_LETTER, x.in);
    guesses_edge(g, in, NO_LETTER, y.in);
    guesses_edge(g, x.out, NO_LETTER, out);
    guesses_edge(g, y.out, NO_LETTER, out);
    return (run){x.low, in, out};
}

static run make_leaf(guesses *g, uint32_t label) {
    uint32_t in = guesses_state(g), out = guesses_state(g);
    guesses_edge(g, in, label, out);
    return (run){in, in, out};
}

static run make_all(guesses *g) {
    run *stack = arena_alloc(g->arena, g->p->count, sizeof *stack);
    size_t depth = 0;
    for (size_t k = 0; k < g->p->count; k++) {
        const audit_regex_part *x = &g->p->parts[k];
        switch (x->op) {
        case AUDIT_REGEX_EMPTY: stack[depth++] = make_leaf(g, NO_LETTER); break;
        case AUDIT_REGEX_SET: stack[depth++] = make_leaf(g, x->set); break;
        case AUDIT_REGEX_CAT:
            depth--;
            guesses_edge(g, stack[depth - 1].out, NO_LETTER, stack[depth].in);
            stack[depth - 1].out = stack[depth].out;
            break;
        case AUDIT_REGEX_OR: depth--, stack[depth - 1] = make_or(g, stack[depth - 1], stack[depth]); break;
        case AUDIT_REGEX_BOTH: depth--, stack[depth - 1] = make_both(g, stack[depth - 1], stack[depth]); break;
        case AUDIT_REGEX_NOT: stack[depth - 1] = make_not(g, stack[depth - 1]); break;
        case AUDIT_REGEX_LOOK: stack[depth - 1] = guesses_look(g, stack[depth - 1], x->behind, x->negated); break;
        case AUDIT_REGEX_REPEAT: stack[depth - 1] = make_repeat(g, stack[depth - 1], x->least, x->most); break;
        }
    }
    return stack[0];
}

void guesses_turn(guesses *g) {
    uint32_t *old_first = g->first;
    edge *old = g->edges;
    size_t count = g->count;
    g->first = arena_zalloc(g->arena, count, sizeof *g->first);
    g->capacity = count;
    g->edges = NULL;
    g->edge_count = g->edge_capacity = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t e = old_first[k]; e; e = old[e - 1].next) guesses_edge(g, old[e - 1].to, old[e - 1].label, k);
}

/* ---- letters ---- */

uint32_t *audit_regex_classes(uint32_t *count, const audit_regex *p, arena *a) {
    size_t letters = p->letters->count;
    uint32_t *class_of = arena_alloc(a, letters, sizeof *class_of);
    table index;
    table_init(&index, a);
    if (p->set_count > work_limit(AUTOMATON_WORK) / 8 / (letters + 1))
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a regular expression of more sets than are audited");
    for (size_t k = 0; k < letters; k++) {
        bool *key = arena_alloc(a, p->set_count, sizeof *key), fresh;
        for (size_t s = 0; s < p->set_count; s++) key[s] = p->sets[s][k];
        class_of[k] = *table_put(&index, key, p->set_count * sizeof *key, (uint32_t)index.count, &fresh);
    }
    *count = (uint32_t)index.count;
    return class_of;
}

automaton *automaton_from_regex(arena *a, const audit_regex *p, bool reversed) {
    guesses g = {.arena = a, .p = p};
    work_begin("making the automaton of the expression", work_limit(AUTOMATON_WORK));
    g.class_of = audit_regex_classes(&g.classes, p, a);
    g.in_set = arena_alloc(a, p->set_count, sizeof *g.in_set);
    for (size_t s = 0; s < p->set_count; s++) {
        g.in_set[s] = arena_alloc(a, g.classes, sizeof **g.in_set);
        for (size_t k = 0; k < p->letters->count; k++) g.in_set[s][g.class_of[k]] = p->sets[s][k];
    }
    run all = make_all(&g);
    guesses *plain = g.look_count ? guesses_without_looks(&g, &all) : &g;
    if (reversed) guesses_turn(plain);
    automaton *x = reversed ? determine(plain, all.out, all.in) : determine(plain, all.in, all.out);
    x->class_of = arena_alloc(a, p->letters->count, sizeof *x->class_of);
    if (p->letters->count) memcpy(x->class_of, g.class_of, p->letters->count * sizeof *x->class_of);
    return automaton_least(a, x, p->letters->count);
}

automaton *automaton_reversed(arena *a, const automaton *x, size_t letters) {
    audit_regex none = {0};
    guesses g = {.arena = a, .p = &none, .classes = x->classes};
    run all = embed(&g, x);
    guesses_turn(&g);
    automaton *y = determine(&g, all.out, all.in);
    y->class_of = x->class_of;
    return automaton_least(a, y, letters);
}

/* The states of an automaton in words. Few states are anchors, with a node of their own: those that letters keep, or
   lead back to, and those where ways of many lengths meet. All others lie so many letters behind an anchor: the
   state is q iff the anchor was there `steps` positions ago and the letters since then lead from it to q. Words are
   found from letters alone, beside everything else, and one head looks so many positions back; so a way of several
   letters takes the layers of one. */
#include "compile/cascade_words.h"

#include <stdlib.h>

/* The letters that lead from p to a state that is wanted. */
typedef struct edge {
    bool any;
    node_id letters; /* 0: all */
} edge;

static edge edge_between(words *w, uint32_t p, const unsigned char *wanted) {
    const dfa *d = w->e.d;
    edge out = {0};
    uint64_t *bits = arena_zalloc(w->e.arena, (d->class_count + 63) / 64 + 1, sizeof *bits);
    for (uint32_t c = 0; c < d->class_count; c++)
        if (wanted[dfa_next(d, p, c)]) {
            bits[c / 64] |= (uint64_t)1 << (c % 64);
            out.any = true;
        }
    if (out.any) out.letters = letters_node(&w->e, bits);
    return out;
}

static node_id steps_back(words *w, uint32_t anchor, uint32_t steps) {
    node_id x = w->at[anchor];
    for (uint32_t k = 0; k < steps; k++) x = formula_unary(w->e.f, w->e.yesterday, x);
    return x;
}

/* An OR of an anchor so many positions ago, a word and the letter. No two hold together, since the state before a
   letter is one. */
node_id words_arrivals(words *w, const unsigned char *wanted, uint32_t but) {
    term_list all = {0};
    for (uint32_t p = 0; p < w->e.d->state_count; p++) {
        edge to = {0};
        if (w->component[p] != but && w->seen[p].count) to = edge_between(w, p, wanted);
        for (size_t k = 0; to.any && k < w->seen[p].count; k++) {
            const place *x = &w->seen[p].all[k];
            node_id literals[3] = {steps_back(w, x->anchor, x->steps)};
            size_t count = 1;
            if (x->word) literals[count++] = x->word;
            if (to.letters) literals[count++] = to.letters;
            term t = term_and(&w->e, &(term){0}, literals, count);
            terms_add(&w->e, &all, &t);
        }
    }
    return terms_node(&w->e, &all);
}

/* Where a state lies, seen from the anchors of the states before it; false: from too many, or too far away. */
static bool find_places(words *w, uint32_t q, const unsigned char *wanted) {
    emitter *e = &w->e;
    places found = {0};
    term_list *letters = arena_zalloc(e->arena, w->options.words.places + 1, sizeof *letters);
    for (uint32_t p = 0; p < e->d->state_count; p++) {
        edge to = {0};
        if (w->seen[p].count) to = edge_between(w, p, wanted);
        for (size_t k = 0; to.any && k < w->seen[p].count; k++) {
            const place *x = &w->seen[p].all[k];
            size_t at = 0;
            while (at < found.count && (found.all[at].anchor != x->anchor || found.all[at].steps != x->steps + 1))
                at++;
            if (at == found.count)
                array_push(e->arena, found.all, found.count, found.capacity,
                           (place){.anchor = x->anchor, .steps = x->steps + 1});
            if (found.count > w->options.words.places || x->steps + 1 > w->options.words.steps) return false;
            node_id literals[2];
            size_t count = 0;
            if (x->word) literals[count++] = x->word;
            if (to.letters) literals[count++] = to.letters;
            term t = term_and(e, &(term){0}, literals, count);
            terms_add(e, &letters[at], &t);
        }
    }
    for (size_t k = 0; k < found.count; k++) {
        node_id last = terms_node(e, &letters[k]);
        if (formula_at(e->f, last)->op != OP_TRUE) found.all[k].word = formula_unary(e->f, e->yesterday, last);
    }
    w->seen[q] = found;
    return true;
}

void words_add_anchor(words *w, uint32_t q, node_id at, node_id word) {
    w->at[q] = at;
    w->anchor_count++;
    array_push(w->e.arena, w->seen[q].all, w->seen[q].count, w->seen[q].capacity, (place){.anchor = q, .word = word});
}

static void place_start(words *w, uint32_t q, const unsigned char *own) {
    emitter *e = &w->e;
    edge loop = edge_between(w, q, own);
    node_id at = formula_atom(e->f, e->count == OP_COUNT_PAST ? OP_FIRST : OP_LAST);
    if (loop.any && !loop.letters) at = formula_atom(e->f, OP_TRUE);
    if (loop.any && loop.letters)
        at = not_node(e, formula_unary(e->f, e->yesterday, formula_unary(e->f, e->once, not_node(e, loop.letters))));
    words_add_anchor(w, q, at, 0);
}

/* The letter before an anchor tells ways of different lengths apart: "d." and "dd." after a dot exclude each other,
   for all to see, where the dot is a part of them. */
static node_id letter_before(words *w, const unsigned char *own) {
    const dfa *d = w->e.d;
    uint64_t *bits = arena_zalloc(w->e.arena, (d->class_count + 63) / 64 + 1, sizeof *bits);
    for (uint32_t p = 0; p < d->state_count; p++)
        for (uint32_t c = 0; c < d->class_count && w->seen[p].count; c++)
            if (own[dfa_next(d, p, c)]) bits[c / 64] |= (uint64_t)1 << (c % 64);
    node_id letters = letters_node(&w->e, bits);
    return letters ? formula_unary(w->e.f, w->e.yesterday, letters) : 0;
}

static void place_state(words *w, uint32_t q, unsigned char *own) {
    emitter *e = &w->e;
    own[q] = 1;
    edge loop = edge_between(w, q, own);
    if (q == e->d->start) {
        place_start(w, q, own);
    } else if (loop.any || !find_places(w, q, own)) {
        node_id enter = words_arrivals(w, own, w->component[q]), before = loop.any ? 0 : letter_before(w, own);
        node_id stays = loop.letters ? loop.letters : formula_atom(e->f, OP_TRUE);
        node_id since = loop.any ? formula_binary(e->f, e->since, stays, enter) : enter;
        if (formula_at(e->f, enter)->op != OP_FALSE)
            words_add_anchor(w, q, formula_unary(e->f, e->yesterday, since), before);
    }
    own[q] = 0;
}

/* ---- components ---- */

enum { WORDS_STATE_LIMIT = 256 };

typedef struct state_rank {
    uint32_t state, component;
    uint32_t ahead; /* how many states words lead to: more than from any state further on */
} state_rank;

static int by_rank(const void *x, const void *y) {
    const state_rank *a = x, *b = y;
    if (a->ahead != b->ahead) return a->ahead > b->ahead ? -1 : 1;
    if (a->component != b->component) return a->component < b->component ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

/* Live states, those of a component together, in an order in which letters lead forwards. Returns how many. */
static uint32_t rank_states(state_rank *ranks, uint32_t *component, const dfa *d, const unsigned char *live,
                            arena *a) {
    uint32_t n = d->state_count, width = (n + 63) / 64, count = 0;
    uint64_t *leads = arena_zalloc(a, (size_t)n * width, sizeof *leads);
    for (uint32_t q = 0; q < n; q++)
        for (uint32_t c = 0; c < d->class_count && live[q]; c++) {
            uint32_t to = dfa_next(d, q, c);
            if (live[to]) leads[(size_t)q * width + to / 64] |= (uint64_t)1 << (to % 64);
        }
    for (uint32_t via = 0; via < n; via++)
        for (uint32_t q = 0; q < n; q++)
            if (leads[(size_t)q * width + via / 64] >> (via % 64) & 1)
                for (uint32_t k = 0; k < width; k++) leads[(size_t)q * width + k] |= leads[(size_t)via * width + k];
    for (uint32_t q = 0; q < n; q++) {
        state_rank r = {.state = q, .component = q};
        for (uint32_t p = 0; p < q; p++)
            if (leads[(size_t)q * width + p / 64] >> (p % 64) & 1 &&
                leads[(size_t)p * width + q / 64] >> (q % 64) & 1 && r.component == q)
                r.component = p;
        component[q] = r.component;
        leads[(size_t)q * width + q / 64] |= (uint64_t)1 << (q % 64);
        for (uint32_t k = 0; k < width; k++) r.ahead += (uint32_t)__builtin_popcountll(leads[(size_t)q * width + k]);
        if (live[q]) ranks[count++] = r;
    }
    qsort(ranks, count, sizeof *ranks, by_rank);
    return count;
}

static bool place_states(words *w, const state_rank *ranks, uint32_t count, unsigned char *wanted) {
    uint32_t *members = arena_alloc(w->e.arena, count + 1, sizeof *members);
    for (uint32_t k = 0, end; k < count && !w->e.over; k = end) {
        for (end = k; end < count && ranks[end].component == ranks[k].component; end++)
            members[end - k] = ranks[end].state;
        if (end - k == 1)
            place_state(w, ranks[k].state, wanted);
        else if (end - k + 1 >= count || !words_add_block(w, members, end - k))
            return false; /* a block of nearly all states is a cascade */
    }
    return true;
}

bool words_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, cascade_options options,
                    cascade_report *report, arena *a) {
    uint32_t dead, win;
    dfa_sinks(&dead, &win, d, sets);
    words w = {.e = emitter_for(f, d, options.future, a), .options = options};
    *report = (cascade_report){0};
    if (options.term_limit) w.e.term_limit = options.term_limit;
    if (d->state_count > WORDS_STATE_LIMIT || d->start == dead || d->start == win) return false;
    unsigned char *live = arena_alloc(a, d->state_count, 1), *wanted = arena_zalloc(a, d->state_count, 1);
    for (uint32_t q = 0; q < d->state_count; q++) report->live_states += live[q] = q != dead && q != win;
    state_rank *ranks = arena_alloc(a, d->state_count, sizeof *ranks);
    uint32_t *component = arena_alloc(a, d->state_count, sizeof *component);
    uint32_t count = rank_states(ranks, component, d, live, a);
    w.component = component;
    w.at = arena_zalloc(a, d->state_count, sizeof *w.at);
    w.seen = arena_zalloc(a, d->state_count, sizeof *w.seen);
    if (!place_states(&w, ranks, count, wanted)) return false;
    node_id won = 0;
    for (size_t k = 0; k < sets.count && !w.e.over; k++) {
        for (uint32_t q = 0; q < d->state_count; q++) wanted[q] = live[q] && sets.holds[k][q];
        roots[k] = words_arrivals(&w, wanted, UINT32_MAX);
    }
    for (uint32_t q = 0; q < d->state_count; q++) wanted[q] = q == win;
    if (win != UINT32_MAX) won = formula_unary(f, w.e.once, words_arrivals(&w, wanted, UINT32_MAX));
    for (size_t k = 0; k < sets.count && won && !w.e.over; k++)
        roots[k] = formula_nary(f, OP_OR, (node_id[]){roots[k], won}, 2);
    report->level_count = w.anchor_count;
    return !w.e.over;
}

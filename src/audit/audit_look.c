/* Look-around, decided by reading every string from both ends. What is behind a position is known from the letters
   before it. What is ahead is guessed and checked from the right: all that looks ahead could have seen is followed
   backwards from the ends of all strings, which gives finitely many views of a future; a guess is a view for each
   position such that each follows from the next one. One way of guessing is right for each string. Looks behind that
   stand inside looks ahead are guessed with the view, and compared with what is known from the left.

   The compiler takes derivatives of terms with guards instead; doc/certificate.md, "Regular languages". */
#include <string.h>

#include "audit/audit_guesses.h"
#include "base/work.h"

/* ---- making looks ---- */

static const uint32_t *body_key(size_t *count, const guesses *body, run x, bool behind) {
    arena *a = body->arena;
    uint32_t *key = NULL;
    size_t capacity = 0;
    *count = 0;
    array_push(a, key, *count, capacity, behind);
    array_push(a, key, *count, capacity, x.in);
    array_push(a, key, *count, capacity, x.out);
    for (uint32_t k = 0; k < body->count; k++)
        for (uint32_t e = body->first[k]; e; e = body->edges[e - 1].next) {
            array_push(a, key, *count, capacity, k);
            array_push(a, key, *count, capacity, body->edges[e - 1].label);
            array_push(a, key, *count, capacity, body->edges[e - 1].to);
        }
    return key;
}

void guesses_cut(guesses *out, guesses *g, run *x) {
    *out = (guesses){.arena = g->arena, .p = g->p, .classes = g->classes, .in_set = g->in_set};
    for (size_t k = x->low; k < g->count; k++) guesses_state(out);
    for (uint32_t k = x->low; k < g->count; k++)
        for (uint32_t e = g->first[k]; e; e = g->edges[e - 1].next) {
            guesses_spend(g, 1);
            guesses_edge(out, k - x->low, g->edges[e - 1].label, g->edges[e - 1].to - x->low);
        }
    out->stack = arena_alloc(g->arena, out->count, sizeof *out->stack);
    g->count = x->low;
    *x = (run){0, x->in - x->low, x->out - x->low};
}

/* Whether letters of some class pass. */
static bool reads_some(const guesses *g, uint32_t label) {
    for (uint32_t c = 0; c < g->classes && label < TEST_LABEL; c++)
        if (guesses_reads(g, label, c)) return true;
    return label >= TEST_LABEL;
}

/* Whether something leads through the body, if all its tests hold. */
static bool can_match(guesses *body, run x) {
    size_t depth = 0;
    uint64_t *met = arena_zalloc(body->arena, guesses_words(body), sizeof *met);
    body->stack[depth++] = x.in;
    met[x.in / 64] |= (uint64_t)1 << (x.in % 64);
    while (depth) {
        uint32_t state = body->stack[--depth];
        for (uint32_t e = body->first[state]; e; e = body->edges[e - 1].next) {
            uint32_t to = body->edges[e - 1].to;
            if (guesses_has(met, to) || !reads_some(body, body->edges[e - 1].label)) continue;
            met[to / 64] |= (uint64_t)1 << (to % 64);
            body->stack[depth++] = to;
        }
    }
    return guesses_has(met, x.out);
}

/* Nowhere does it hold. */
static run look_for_nothing(guesses *g, bool negated) {
    uint32_t in = guesses_state(g), out = guesses_state(g);
    if (negated) guesses_edge(g, in, NO_LETTER, out);
    return (run){in, in, out};
}

run guesses_look(guesses *g, run x, bool behind, bool negated) {
    guessed_look made = {.behind = behind};
    size_t length;
    bool fresh;
    guesses_cut(&made.body, g, &x);
    guesses_spend(g, made.body.edge_count * (1 + g->classes / 16));
    if (!can_match(&made.body, x)) return look_for_nothing(g, negated);
    const uint32_t *key = body_key(&length, &made.body, x, behind);
    if (!g->look_index.arena) table_init(&g->look_index, g->arena);
    uint32_t look = *table_put(&g->look_index, key, length * sizeof *key, (uint32_t)g->look_count, &fresh);
    made.from = behind ? x.in : x.out;
    made.to = behind ? x.out : x.in;
    if (!behind) guesses_turn(&made.body);
    if (fresh) array_push(g->arena, g->looks, g->look_count, g->look_capacity, made);
    uint32_t in = guesses_state(g), out = guesses_state(g);
    guesses_edge(g, in, TEST_LABEL + 2 * look + negated, out);
    return (run){in, in, out};
}

/* ---- sets of states at a position ---- */

typedef struct watch {
    guesses *g;
    arena *arena;
    bool *guessed;        /* [looks] behind, but asked for by one that is ahead */
    unsigned char *holds; /* [looks] at the present position */
    size_t *offset;       /* [looks + 1] words of sets of each look in a view or a memory; then of the expression */
    size_t view_words, memory_words;
} watch;

static size_t words_of(const guesses *g) { return guesses_words(g); }

static void meet(guesses *x, uint64_t *set, uint32_t state, size_t *depth) {
    if (guesses_has(set, state)) return;
    set[state / 64] |= (uint64_t)1 << (state % 64);
    x->stack[(*depth)++] = state;
}

void guesses_step(guesses *x, uint64_t *set, const uint64_t *before, uint32_t class) {
    size_t depth = 0;
    uint64_t steps = guesses_words(x);
    memset(set, 0, words_of(x) * sizeof *set);
    for (uint32_t k = 0; k < x->count; k++) {
        if (!guesses_has(before, k)) continue;
        for (uint32_t e = x->first[k]; e; e = x->edges[e - 1].next, steps++) {
            uint32_t label = x->edges[e - 1].label;
            if (label < TEST_LABEL && guesses_reads(x, label, class)) meet(x, set, x->edges[e - 1].to, &depth);
        }
    }
    guesses_spend(x, steps);
}

static bool passes(const unsigned char *holds, uint32_t label) {
    if (!guesses_is_test(label)) return label == NO_LETTER;
    uint32_t test = label - TEST_LABEL;
    return holds[test / 2] != (test & 1);
}

void guesses_close(guesses *x, uint64_t *set, const unsigned char *holds) {
    size_t depth = 0;
    uint64_t steps = guesses_words(x);
    for (uint32_t k = 0; k < x->count; k++)
        if (guesses_has(set, k)) x->stack[depth++] = k;
    while (depth) {
        uint32_t state = x->stack[--depth];
        for (uint32_t e = x->first[state]; e; e = x->edges[e - 1].next, steps++)
            if (passes(holds, x->edges[e - 1].label)) meet(x, set, x->edges[e - 1].to, &depth);
    }
    guesses_spend(x, steps);
}

/* set: where x can be at this position: in `from`, or one letter away from where it was before; and wherever that
   leads without a letter. Its tests must be settled. before may be NULL, from UINT32_MAX. */
static void follow(const watch *w, guesses *x, uint64_t *set, const uint64_t *before, uint32_t class, uint32_t from) {
    x->work = w->g->work;
    memset(set, 0, words_of(x) * sizeof *set);
    if (before) guesses_step(x, set, before, class);
    if (from != UINT32_MAX) set[from / 64] |= (uint64_t)1 << (from % 64);
    guesses_close(x, set, w->holds);
    w->g->work = x->work;
}

static void follow_look(const watch *w, size_t look, uint64_t *sets, const uint64_t *before, uint32_t class) {
    guessed_look *x = &w->g->looks[look];
    uint64_t *set = sets + w->offset[look];
    follow(w, &x->body, set, before ? before + w->offset[look] : NULL, class, x->from);
    w->holds[look] = guesses_has(set, x->to);
}

/* ---- views of the future ---- */

/* A view: the sets of all looks ahead, then a word for each 64 guesses; memories: those of looks behind, then of the
   expression. */
typedef struct collection {
    uint64_t **all;
    size_t count, capacity;
    table index;
} collection;

static uint32_t number_of(const watch *w, collection *c, const uint64_t *x, size_t words, bool *fresh) {
    guesses_spend(w->g, words + 4);
    const uint32_t *known = table_find(&c->index, x, words * sizeof *x);
    *fresh = !known;
    if (known) return *known;
    if (c->count >= work_limit(AUTOMATON_GUESSES))
        trap_raise_remedy(w->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the look-around of a regular expression is larger than is audited");
    uint64_t *kept = arena_alloc(w->arena, words, sizeof *kept);
    guesses_spend(w->g, 4 * words);
    memcpy(kept, x, words * sizeof *kept);
    array_push(w->arena, c->all, c->count, c->capacity, kept);
    return *table_put(&c->index, kept, words * sizeof *kept, (uint32_t)(c->count - 1), fresh);
}

typedef struct move {
    uint32_t from, class, to,
        next; /* from a view to one that a letter later may follow; next of the same from, + 1 */
} move;

typedef struct views {
    collection all;
    unsigned char *ends; /* [views] it may be the one at the end of a string */
    size_t end_count, end_capacity;
    move *moves;
    size_t move_count, move_capacity;
    uint32_t *first; /* [views] move + 1 */
    size_t first_count, first_capacity;
} views;

/* The next combination of guessed bits; false: all were there. */
static bool next_guess(const watch *w, unsigned char *guess) {
    for (size_t k = 0; k < w->g->look_count; k++) {
        if (!w->guessed[k]) continue;
        if (!guess[k]) return guess[k] = 1, true;
        guess[k] = 0;
    }
    return false;
}

/* The view one letter before another one, or at the end of a string, with these guesses. */
static void look_ahead(const watch *w, uint64_t *view, const uint64_t *after, uint32_t class,
                       const unsigned char *guess) {
    size_t bits = w->offset[w->g->look_count];
    memset(view + bits, 0, (w->view_words - bits) * sizeof *view);
    for (size_t k = 0; k < w->g->look_count; k++) {
        if (w->g->looks[k].behind)
            w->holds[k] = guess[k];
        else
            follow_look(w, k, view, after, class);
        if (w->holds[k]) view[bits + k / 64] |= (uint64_t)1 << (k % 64);
    }
}

static uint32_t view_number(const watch *w, views *v, const uint64_t *view) {
    bool fresh;
    uint32_t number = number_of(w, &v->all, view, w->view_words, &fresh);
    if (fresh) {
        array_push(w->arena, v->ends, v->end_count, v->end_capacity, 0);
        array_push(w->arena, v->first, v->first_count, v->first_capacity, 0);
    }
    return number;
}

static void find_views(const watch *w, views *v) {
    size_t looks = w->g->look_count;
    unsigned char *guess = arena_zalloc(w->arena, looks, sizeof *guess);
    uint64_t *view = arena_zalloc(w->arena, w->view_words, sizeof *view);
    table_init(&v->all.index, w->arena);
    do {
        look_ahead(w, view, NULL, 0, guess);
        uint32_t end = view_number(w, v, view); /* it may move the array */
        v->ends[end] = 1;
    } while (next_guess(w, guess));
    for (uint32_t k = 0; k < v->all.count; k++)
        for (uint32_t c = 0; c < w->g->classes; c++) do {
                look_ahead(w, view, v->all.all[k], c, guess);
                uint32_t from = view_number(w, v, view);
                array_push(w->arena, v->moves, v->move_count, v->move_capacity, (move){from, c, k, v->first[from]});
                v->first[from] = (uint32_t)v->move_count;
                guesses_spend(w->g, 16);
            } while (next_guess(w, guess));
}

/* ---- strings from the left ---- */

/* What is known at a position: a view of what is ahead, and a memory of what is behind. */
typedef struct outlook {
    const watch *w;
    const views *v;
    collection all; /* a memory, then the number of a view */
    guesses *out;   /* in, out, then one state for each */
    size_t words;
} outlook;

/* fills memory at a position with this view; false: the view's guesses are wrong here, or nothing can match. */
static bool look_back(const outlook *o, run all, uint64_t *memory, const uint64_t *before, uint32_t class,
                      uint32_t view) {
    const watch *w = o->w;
    guesses *g = w->g;
    size_t bits = w->offset[g->look_count];
    const uint64_t *seen = o->v->all.all[view] + bits;
    for (size_t k = 0; k < g->look_count; k++) {
        bool claimed = seen[k / 64] >> (k % 64) & 1;
        if (g->looks[k].behind)
            follow_look(w, k, memory, before, class);
        else
            w->holds[k] = claimed;
        if (w->guessed[k] && w->holds[k] != claimed) return false;
    }
    follow(w, g, memory + bits, before ? before + bits : NULL, class, before ? UINT32_MAX : all.in);
    memory[w->memory_words] = view;
    uint64_t some = 0;
    for (size_t k = 0; k < words_of(g); k++) some |= memory[bits + k];
    return some != 0;
}

static uint32_t outlook_state(outlook *o, run all, const uint64_t *memory) {
    bool fresh;
    uint32_t number = number_of(o->w, &o->all, memory, o->words, &fresh) + 2;
    if (!fresh) return number;
    guesses_state(o->out);
    if (o->v->ends[memory[o->w->memory_words]] && guesses_has(memory + o->w->offset[o->w->g->look_count], all.out))
        guesses_edge(o->out, number, NO_LETTER, 1);
    return number;
}

static void follow_strings(outlook *o, run all) {
    uint64_t *memory = arena_zalloc(o->w->arena, o->words, sizeof *memory);
    for (uint32_t view = 0; view < o->v->all.count; view++)
        if (look_back(o, all, memory, NULL, 0, view))
            guesses_edge(o->out, 0, NO_LETTER, outlook_state(o, all, memory));
    for (uint32_t k = 0; k < o->all.count; k++) {
        const uint64_t *before = o->all.all[k];
        for (uint32_t m = o->v->first[before[o->w->memory_words]]; m; m = o->v->moves[m - 1].next) {
            const move *x = &o->v->moves[m - 1];
            if (!look_back(o, all, memory, before, x->class, x->to)) continue;
            uint32_t label = (uint32_t)o->w->g->p->set_count + x->class;
            guesses_edge(o->out, k + 2, label, outlook_state(o, all, memory));
        }
    }
}

/* ---- all of it ---- */

static void mark_guessed(watch *w) {
    const guesses *g = w->g;
    for (size_t k = 0; k < g->look_count; k++) {
        const guesses *body = &g->looks[k].body;
        for (size_t e = 0; !g->looks[k].behind && e < body->edge_count; e++) {
            uint32_t label = body->edges[e].label, look = (label - TEST_LABEL) / 2;
            if (guesses_is_test(label)) w->guessed[look] = g->looks[look].behind;
        }
    }
}

static size_t lay_out(watch *w, bool behind) {
    size_t words = 0;
    for (size_t k = 0; k < w->g->look_count; k++)
        if (w->g->looks[k].behind == behind) w->offset[k] = words, words += words_of(&w->g->looks[k].body);
    return words;
}

guesses *guesses_without_looks(guesses *g, run *all) {
    arena *a = g->arena;
    watch w = {.g = g, .arena = a};
    views v = {0};
    outlook o = {.w = &w, .v = &v};
    w.guessed = arena_zalloc(a, g->look_count, sizeof *w.guessed);
    w.holds = arena_zalloc(a, g->look_count, sizeof *w.holds);
    w.offset = arena_zalloc(a, g->look_count + 1, sizeof *w.offset);
    mark_guessed(&w);
    g->stack = arena_alloc(a, g->count, sizeof *g->stack);
    size_t ahead = lay_out(&w, false), behind = lay_out(&w, true);
    size_t bits = w.offset[g->look_count] = ahead > behind ? ahead : behind;
    w.view_words = bits + (g->look_count + 63) / 64;
    w.memory_words = bits + words_of(g);
    find_views(&w, &v);
    o.out = arena_zalloc(a, 1, sizeof *o.out);
    *o.out = (guesses){.arena = a, .p = g->p, .classes = g->classes, .class_of = g->class_of, .in_set = g->in_set};
    o.out->work = g->work;
    o.words = w.memory_words + 1;
    table_init(&o.all.index, a);
    guesses_state(o.out);
    guesses_state(o.out);
    follow_strings(&o, *all);
    *all = (run){0, 0, 1};
    o.out->work = g->work;
    return o.out;
}

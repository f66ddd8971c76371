#include "compile/cascade_terms.h"

#include <stdlib.h>
#include <string.h>

emitter emitter_for(formula *f, const dfa *d, bool future, arena *a) {
    return (emitter){.f = f,
                     .d = d,
                     .arena = a,
                     .term_limit = CASCADE_TERM_LIMIT,
                     .yesterday = future ? OP_NEXT : OP_YESTERDAY,
                     .since = future ? OP_UNTIL : OP_SINCE,
                     .once = future ? OP_EVENTUALLY : OP_ONCE,
                     .count = future ? OP_COUNT_FUTURE : OP_COUNT_PAST};
}

node_id not_node(emitter *e, node_id x) {
    const formula_node *n = formula_at(e->f, x);
    if (n->op == OP_NOT) return formula_kid(e->f, x, 0);
    if (n->op == OP_TRUE || n->op == OP_FALSE) return formula_atom(e->f, n->op == OP_TRUE ? OP_FALSE : OP_TRUE);
    return formula_unary(e->f, OP_NOT, x);
}

node_id letters_node(emitter *e, const uint64_t *classes) {
    const dfa *d = e->d;
    if (e->letters) return e->letters(e, classes);
    uint32_t *letters = arena_alloc(e->arena, (size_t)d->letter_count + 1, sizeof *letters);
    size_t count = 0;
    for (uint32_t l = 0; l < d->letter_count; l++) {
        uint32_t c = d->class_of[l];
        if (classes[c / 64] >> (c % 64) & 1) letters[count++] = l;
    }
    if (count == d->letter_count) return 0;
    return formula_letters(e->f, letters, count, false);
}

static int by_id(const void *x, const void *y) {
    node_id a = *(const node_id *)x, b = *(const node_id *)y;
    return (a > b) - (a < b);
}

node_id term_node(emitter *e, const term *t) { return formula_nary(e->f, OP_AND, t->literals, t->count); }

node_id terms_node(emitter *e, const term_list *l) {
    node_id *kids = arena_alloc(e->arena, l->count + 1, sizeof *kids);
    for (size_t k = 0; k < l->count; k++) kids[k] = term_node(e, &l->terms[k]);
    return formula_nary(e->f, OP_OR, kids, l->count);
}

void terms_add(emitter *e, term_list *l, const term *t) {
    if (++e->term_count > e->term_limit) e->over = true;
    if (!e->over) array_push(e->arena, l->terms, l->count, l->capacity, *t);
}

void terms_join(emitter *e, term_list *l, const term_list *more) {
    for (size_t k = 0; k < more->count; k++) terms_add(e, l, &more->terms[k]);
}

/* Literals that are there already, and TRUE, are left out. */
term term_and(emitter *e, const term *x, const node_id *literals, size_t count) {
    term out = {.literals = arena_alloc(e->arena, x->count + count + 1, sizeof *out.literals)};
    for (size_t k = 0; k < x->count + count; k++) {
        node_id id = k < x->count ? x->literals[k] : literals[k - x->count];
        bool skip = formula_at(e->f, id)->op == OP_TRUE;
        for (size_t m = 0; m < out.count && !skip; m++) skip = out.literals[m] == id;
        if (!skip) out.literals[out.count++] = id;
    }
    if (out.count > 1) qsort(out.literals, out.count, sizeof *out.literals, by_id);
    return out;
}

/* ---- paths of a diagram ---- */

typedef struct path_walk {
    emitter *e;
    const choice_diagrams *d;
    uint32_t (*option_of)(const void *context, choice_id leaf);
    const void *context;
    uint32_t letter, words;
    uint32_t option_count;
    node_id *stack; /* literals of the path */
    size_t depth, capacity;
    table index;        /* option and literals -> found */
    uint32_t *options;  /* of what was found */
    term *found;        /* without letters */
    uint64_t **letters; /* [found] classes */
    size_t count, option_capacity, found_capacity, letter_capacity;
} path_walk;

static void push(path_walk *w, node_id id) { array_push(w->e->arena, w->stack, w->depth, w->capacity, id); }

static void arrive(path_walk *w, choice_id leaf) {
    uint32_t option = w->option_of(w->context, leaf);
    if (option >= w->option_count || w->e->over) return;
    arena *a = w->e->arena;
    uint32_t *key = arena_alloc(a, w->depth + 1, sizeof *key);
    if (w->depth) memcpy(key, w->stack, w->depth * sizeof *key);
    if (w->depth > 1) qsort(key, w->depth, sizeof *key, by_id);
    key[w->depth] = option;
    bool fresh;
    uint32_t k = *table_put(&w->index, key, (w->depth + 1) * sizeof *key, (uint32_t)w->count, &fresh);
    if (fresh) {
        if (++w->e->term_count > w->e->term_limit) w->e->over = true;
        size_t count = w->count;
        array_push(a, w->options, count, w->option_capacity, option);
        count = w->count;
        array_push(a, w->letters, count, w->letter_capacity, arena_zalloc(a, w->words, sizeof(uint64_t)));
        array_push(a, w->found, w->count, w->found_capacity, (term){key, w->depth});
    }
    w->letters[k][w->letter / 64] |= (uint64_t)1 << (w->letter % 64);
}

static void walk(path_walk *w, choice_id x);

/* The values that lead on to `to`, as literals: those with the first coordinate's value are "none of the others". */
static void walk_kid(path_walk *w, const choice_node *n, choice_id to) {
    emitter *e = w->e;
    const node_id *values = e->values[n->level];
    uint32_t none = 0; /* the value without a node */
    while (none < n->count && values[none]) none++;
    if (none == n->count) none = 0;
    size_t before = w->depth, count = 0;
    if (n->kids[none] == to) {
        for (uint32_t v = 0; v < n->count; v++)
            if (n->kids[v] != to) push(w, not_node(e, values[v]));
    } else {
        node_id *some = arena_alloc(e->arena, n->count, sizeof *some);
        for (uint32_t v = 0; v < n->count; v++)
            if (n->kids[v] == to) some[count++] = values[v];
        push(w, formula_nary(e->f, OP_OR, some, count));
    }
    walk(w, to);
    w->depth = before;
}

/* Depth: one call a level. */
static void walk(path_walk *w, choice_id x) {
    const choice_node *n = &w->d->nodes[x];
    if (w->e->over) return;
    if (!n->count) {
        arrive(w, x);
        return;
    }
    for (uint32_t v = 0; v < n->count; v++) {
        bool seen = false;
        for (uint32_t u = 0; u < v && !seen; u++) seen = n->kids[u] == n->kids[v];
        if (!seen) walk_kid(w, n, n->kids[v]);
    }
}

term_list *terms_of(emitter *e, const choice_diagrams *d, const choice_id *roots, uint32_t option_count,
                    uint32_t (*option_of)(const void *context, choice_id leaf), const void *context) {
    path_walk w = {.e = e,
                   .d = d,
                   .option_of = option_of,
                   .context = context,
                   .words = (e->d->class_count + 63) / 64,
                   .option_count = option_count};
    table_init(&w.index, e->arena);
    for (uint32_t a = 0; a < e->d->class_count; a++) {
        w.letter = a;
        walk(&w, roots[a]);
    }
    term_list *out = arena_zalloc(e->arena, option_count, sizeof *out);
    for (size_t k = 0; k < w.count; k++) {
        node_id letters = letters_node(e, w.letters[k]);
        term t = term_and(e, &w.found[k], &letters, letters ? 1 : 0);
        term_list *l = &out[w.options[k]];
        array_push(e->arena, l->terms, l->count, l->capacity, t);
    }
    return out;
}

/* Subformulas as sums. A negation is real - x. An OR of which no two operands hold together is the sum of its
   operands, and an AND of which no two operands fail together is their sum, less all but one: heads, gates and the
   read-out read such sums as they read a channel, so neither takes a gate, or a net (doc/theory.md, "Sums of what
   excludes each other"). */
#include "compile/lower.h"

/* Recursion is as deep as sums nest; rows stay short. */
enum { MOST_DEPTH = 12, MOST_WIDTH = 64 };

static bool is_listed(formula_op op) { return op == OP_AND || op == OP_OR; }

void find_sum(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    size_t width = 0, depth = 0;
    bool atoms = false;
    if (!is_listed(n->op) || !w->gates.sums || n->kid_count > MOST_WIDTH) return;
    for (size_t k = 0; k < n->kid_count; k++) {
        bool negated;
        node_id x = strip_not(w->g, formula_kid(w->g, id, k), &negated);
        width += w->sum_depth[x] ? w->sum_width[x] : 1;
        atoms = atoms || (w->sum_depth[x] ? w->sum_atoms[x] : is_atom(w->g, x));
        if (w->sum_depth[x] > depth) depth = w->sum_depth[x];
    }
    if (width > MOST_WIDTH || depth >= MOST_DEPTH || !kids_exclude(&w->related, id, n->op == OP_AND)) return;
    w->sum_depth[id] = (unsigned char)(depth + 1);
    w->sum_width[id] = (unsigned char)width;
    w->sum_atoms[id] = atoms;
}

/* Its kids are read in its place: nobody makes its channel, or not before the net of this layer. */
static bool is_taken_apart(const lowering *w, node_id x, uint32_t layer) {
    return w->sum_depth[x] && (w->as_sum[x] || (layer != FOR_HEADS && w->level[x] >= layer));
}

static bool is_raw(const lowering *w, node_id x, uint32_t layer) {
    return layer != FOR_HEADS && w->attention[x] && w->level[x] == layer;
}

static void add_term(lowering *w, channel_sum *s, channel_id channel, bool raw, double weight) {
    for (size_t k = 0; k < s->count; k++)
        if (s->terms[k].channel == channel) {
            s->terms[k].weight += weight;
            return;
        }
    array_push(w->arena, s->terms, s->count, s->capacity, (struct sum_term){channel, raw, weight});
}

void sum_add_sum(lowering *w, channel_sum *s, const channel_sum *other) {
    s->real += other->real;
    for (size_t k = 0; k < other->count; k++)
        add_term(w, s, other->terms[k].channel, other->terms[k].raw, other->terms[k].weight);
}

void sum_add_value(lowering *w, channel_sum *s, node_id id, uint32_t layer, double factor) {
    bool negated;
    node_id x = strip_not(w->g, id, &negated);
    const formula_node *n = formula_at(w->g, x);
    if (negated) {
        s->real += factor;
        factor = -factor;
    }
    if (n->op == OP_FALSE) return;
    if (!is_taken_apart(w, x, layer)) {
        bool raw = is_raw(w, x, layer);
        add_term(w, s, raw ? w->raw[x] : exact_channel(w, x), raw, factor);
        return;
    }
    w->d->has_sums = true;
    if (n->op == OP_AND) s->real -= factor * (double)(n->kid_count - 1);
    for (size_t k = 0; k < n->kid_count; k++) sum_add_value(w, s, formula_kid(w->g, x, k), layer, factor);
}

void sum_mark_exact(lowering *w, node_id id, uint32_t layer) {
    bool negated;
    node_id x = strip_not(w->g, id, &negated);
    const formula_node *n = formula_at(w->g, x);
    if (!is_taken_apart(w, x, layer)) {
        if (!is_raw(w, x, layer)) w->needs_exact[x] = 1;
        return;
    }
    for (size_t k = 0; k < n->kid_count; k++) sum_mark_exact(w, formula_kid(w->g, x, k), layer);
}

size_t sum_raw_inputs(const lowering *w, node_id id, uint32_t layer) {
    bool negated;
    node_id x = strip_not(w->g, id, &negated);
    if (is_taken_apart(w, x, layer)) return w->sum_width[x];
    return is_raw(w, x, layer);
}

draft_form exact_form(lowering *w, node_id id) {
    draft_form f = {0};
    channel_sum s = {0};
    sum_add_value(w, &s, id, FOR_HEADS, 1);
    if (s.real != 0) form_add(w->d, &f, real_channel(w), s.real);
    for (size_t k = 0; k < s.count; k++)
        if (s.terms[k].weight != 0) form_add(w->d, &f, s.terms[k].channel, s.terms[k].weight);
    return f;
}

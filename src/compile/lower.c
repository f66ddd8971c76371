/* Normal form to heads and gates: one function per operator, each with the cheapest head that is right. Everything is
   done as early as possible, which gives the fewest layers these constructions allow. */
#include "compile/lower.h"

#include <math.h>
#include <string.h>

/* ---- channels of the embedding ---- */

channel_id feature_channel(lowering *w, const char *expression_text) {
    const uint32_t *known = table_find(&w->features, expression_text, strlen(expression_text));
    if (known) return *known;
    const char *key = arena_copy(w->arena, expression_text, strlen(expression_text));
    channel_id c = draft_channel_add(
        w->d, (draft_channel){.label = key, .position = expression_parse(w->arena, key, strlen(key), 0, 0)});
    bool fresh;
    table_put(&w->features, key, strlen(key), c, &fresh);
    return c;
}

channel_id one_channel(lowering *w) {
    if (w->one == NO_CHANNEL) {
        w->one = feature_channel(w, "1");
        w->d->channels[w->one].label = "one";
    }
    return w->one;
}

channel_id real_channel(lowering *w) {
    if (w->real == NO_CHANNEL) {
        size_t words = (w->spec->letters.count + 63) / 64;
        uint64_t *all = arena_alloc(w->arena, words, sizeof *all);
        memset(all, 0xFF, words * sizeof *all);
        w->real = draft_channel_add(w->d, (draft_channel){.label = "real", .letters = all});
    }
    return w->real;
}

channel_id start_channel(lowering *w) {
    if (w->start == NO_CHANNEL)
        w->start = draft_channel_add(w->d, (draft_channel){.label = "start", .on_start = true});
    return w->start;
}

channel_id end_channel(lowering *w) {
    if (w->end == NO_CHANNEL) w->end = draft_channel_add(w->d, (draft_channel){.label = "end", .on_end = true});
    return w->end;
}

/* Position 1 is the end sentinel when n = 0, so first also asks for i <= n; likewise last for i >= 1. */
static channel_id atom_channel(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    channel_id c;
    switch (n->op) {
    case OP_TRUE: return real_channel(w);
    case OP_FIRST: c = feature_channel(w, "[i = 1]*[1 <= n]"); break;
    case OP_LAST: c = feature_channel(w, "[i = n]*[1 <= n]"); break;
    case OP_MODULO: {
        bool future = formula_at(w->g, formula_kid(w->g, id, 0))->op == OP_COUNT_FUTURE;
        c = residue_feature(w, future, n, formula_weight(w->g, id, 0), n->residue, true);
        break;
    }
    default: {
        uint64_t *bits = arena_zalloc(w->arena, (w->spec->letters.count + 63) / 64, sizeof *bits);
        for (uint32_t l = 0; l < w->spec->letters.count; l++)
            if (formula_has_letter(w->g, id, l)) bits[l / 64] |= (uint64_t)1 << (l % 64);
        c = draft_channel_add(w->d, (draft_channel){.letters = bits});
    }
    }
    w->d->channels[c].label = w->labels[id];
    return c;
}

/* ---- reading subformulas ---- */

node_id strip_not(const formula *g, node_id id, bool *negated) {
    *negated = formula_at(g, id)->op == OP_NOT;
    return *negated ? formula_kid(g, id, 0) : id;
}

uint32_t level_of(const lowering *w, node_id id) {
    bool negated;
    return w->level[strip_not(w->g, id, &negated)];
}

bool is_atom(const formula *g, node_id id) {
    formula_op op = formula_at(g, id)->op;
    return op == OP_TRUE || op == OP_FIRST || op == OP_LAST || op == OP_LETTERS || is_place_test(g, id);
}

channel_id exact_channel(lowering *w, node_id id) {
    if (w->exact[id] == NO_CHANNEL) w->exact[id] = atom_channel(w, id);
    return w->exact[id];
}

/* ---- levels ---- */

/* Nets that a gate of so many inputs takes. */
static uint32_t tree_depth(const lowering *w, size_t inputs) {
    uint32_t depth = 1;
    for (; inputs > w->gates.fan; depth++) inputs = (inputs + w->gates.fan - 1) / w->gates.fan;
    return depth;
}

/* A gate runs in the feed-forward net of the last head it reads, or one net after the last gate it reads; if nothing
   is fused, one net after the last head. */
static uint32_t gate_level(const lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t level = 1;
    for (size_t k = 0; k < n->kid_count; k++) {
        bool negated;
        level = max_u32(level, w->net[strip_not(w->g, formula_kid(w->g, id, k), &negated)]);
    }
    if (!w->gates.fuse) return level + tree_depth(w, n->kid_count) - 1;
    size_t raw = 0;
    for (size_t k = 0; k < n->kid_count; k++) raw += sum_raw_inputs(w, formula_kid(w->g, id, k), level);
    return raw > w->gates.fuse ? level + 1 : level;
}

/* A sum is read part by part where that saves a layer; else a gate makes it one channel. */
static void find_gate_level(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t gate = gate_level(w, id), exact = 0, net = 1;
    find_sum(w, id);
    for (size_t k = 0; k < n->kid_count; k++) {
        bool negated;
        node_id x = strip_not(w->g, formula_kid(w->g, id, k), &negated);
        exact = max_u32(exact, w->level[x]);
        net = max_u32(net, w->net[x]);
    }
    /* provers keep counts of letters apart, and would not put together what is a part of one condition here */
    bool apart = w->counted[id] && w->sum_atoms[id];
    w->as_sum[id] = w->sum_depth[id] && exact < gate && !apart;
    w->level[id] = w->as_sum[id] ? exact : gate;
    w->net[id] = w->sum_depth[id] ? net : gate + 1;
}

static void find_level(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    bool attention = false;
    uint32_t level = 0;
    switch (n->op) {
    case OP_AND:
    case OP_OR:
    case OP_XOR: find_gate_level(w, id); return;
    case OP_NOT:
    case OP_COUNT_PAST:
    case OP_COUNT_FUTURE: level = level_of(w, formula_kid(w->g, id, 0)); break;
    case OP_ATTEND:
        level = 1 + max_u32(level_of(w, formula_kid(w->g, id, 0)), level_of(w, formula_kid(w->g, id, 1)));
        attention = true;
        break;
    case OP_COMPARE:
        level = compare_level(w, id);
        attention = true;
        break;
    case OP_MATCH:
        for (size_t k = 0; k < n->kid_count; k++) level = max_u32(level, level_of(w, formula_kid(w->g, id, k)));
        level++;
        attention = true;
        break;
    case OP_MODULO:
        if (!is_atom(w->g, id)) level = modulo_level(w, id, &attention);
        break;
    case OP_AT:
        level = read_level(w, id);
        attention = true;
        break;
    default: break;
    }
    w->level[id] = level;
    w->attention[id] = attention;
    w->net[id] = is_atom(w->g, id) ? 1 : level + (!attention || !w->gates.fuse);
}

/* Who must be rounded: whatever is read outside the feed-forward net of its own layer. Parents come first: a gate
   that nobody needs as a channel is not made, and reads nothing. */
static void find_exact(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    bool gate = n->op == OP_AND || n->op == OP_OR || n->op == OP_XOR;
    if (n->op == OP_NOT || is_atom(w->g, id) || (gate && !w->needs_exact[id]))
        return; /* readers of a negation see through it */
    for (size_t k = 0; k < n->kid_count; k++)
        sum_mark_exact(w, formula_kid(w->g, id, k), gate ? w->level[id] : FOR_HEADS);
}

/* ---- emission ---- */

/* The gate of so many literals of a node. */
static void emit_gate(lowering *w, node_id id, const channel_sum *literals, size_t count, uint32_t layer,
                      channel_id out) {
    channel_sum s = {0};
    for (size_t k = 0; k < count; k++) sum_add_sum(w, &s, &literals[k]);
    switch (formula_at(w->g, id)->op) {
    case OP_AND: emit_and(w, layer, &s, count, out); break;
    case OP_OR: emit_or(w, layer, &s, out); break;
    default:
        emit_xor(w, layer, &s, out);
        w->d->channels[out].may_be_negative = true; /* it is not, but ranges of its units alone do not show it */
    }
}

/* One level of a tree: every `fan` literals, all exact, become one. Returns how many are left. */
static size_t gather(lowering *w, node_id id, channel_sum *literals, size_t count, uint32_t layer) {
    size_t left = 0;
    for (size_t k = 0; k < count; k += w->gates.fan) {
        size_t some = count - k < w->gates.fan ? count - k : w->gates.fan;
        channel_id out = gate_channel(w, layer, w->labels[id]);
        emit_gate(w, id, literals + k, some, layer, out);
        literals[left] = (channel_sum){0};
        array_push(w->arena, literals[left].terms, literals[left].count, literals[left].capacity,
                   (struct sum_term){out, false, 1});
        left++;
    }
    return left;
}

static void lower_gate(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t layer = w->level[id];
    size_t count = n->kid_count;
    w->d->places[id] = (draft_place){.layer = layer, .head = -1, .channel = -1};
    if (!w->needs_exact[id]) return; /* all its readers take it apart */
    channel_sum *literals = arena_zalloc(w->arena, count, sizeof *literals);
    for (size_t k = 0; k < count; k++) sum_add_value(w, &literals[k], formula_kid(w->g, id, k), layer, 1);
    for (uint32_t before = tree_depth(w, count) - 1; before > 0; before--)
        count = gather(w, id, literals, count, layer - before);
    channel_id out = w->exact[id] = gate_channel(w, layer, w->labels[id]);
    emit_gate(w, id, literals, count, layer, out);
    w->d->places[id].channel = out;
}

/* Once: average over the j where it holds; since and yesterday: the nearest candidate. A candidate test that is true
   everywhere is no test, if the nearest position is meant anyway. */
static void lower_attend(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t layer = w->level[id];
    node_id where = formula_kid(w->g, id, 0);
    draft_form query = {0}, key = {0}, value = exact_form(w, formula_kid(w->g, id, 1));
    form_add(w->d, &query, one_channel(w), 1);
    bool past = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_UP_TO;
    bool future = n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM;
    bool nearest = (n->choice == TEMPER_CHOICE_RIGHTMOST && past) || (n->choice == TEMPER_CHOICE_LEFTMOST && future);
    if (!(nearest && formula_at(w->g, where)->op == OP_TRUE)) key = exact_form(w, where);
    head_role role = n->choice == TEMPER_CHOICE_AVERAGE ? ROLE_ONCE : ROLE_NEAREST;
    draft_head *h = draft_head_for(w->d, layer, role, n->mask, n->choice, &query, &key, 1);
    w->raw[id] = draft_value(w->d, h, layer, &value, w->labels[id], false);
    w->d->places[id] = (draft_place){.layer = layer, .head = h->number, .channel = w->raw[id]};
}

/* clip_r of doc/theory.md, "Gates": one raw input, masked by `real`, into a fresh channel. */
static void round_raw(lowering *w, node_id id) {
    gate_input input = {.channel = w->raw[id], .raw = true};
    channel_id out = w->exact[id] = gate_channel(w, w->level[id], w->labels[id]);
    emit_all(w, w->level[id], &input, 1, out);
    w->d->places[id].channel = out;
}

static void lower_node(lowering *w, node_id id) {
    switch (formula_at(w->g, id)->op) {
    case OP_AND:
    case OP_OR:
    case OP_XOR: lower_gate(w, id); break;
    case OP_ATTEND: lower_attend(w, id); break;
    case OP_COMPARE: lower_compare(w, id); break;
    case OP_MATCH: lower_match(w, id); break;
    case OP_MODULO:
        if (!is_atom(w->g, id)) lower_modulo(w, id);
        break;
    case OP_AT: lower_read(w, id); break;
    default: break;
    }
    if (w->attention[id] && w->needs_exact[id]) round_raw(w, id);
}

static void prepare(lowering *w, size_t nodes) {
    w->level = arena_zalloc(w->arena, nodes, sizeof *w->level);
    w->net = arena_zalloc(w->arena, nodes, sizeof *w->net);
    w->attention = arena_zalloc(w->arena, nodes, 1);
    w->sum_depth = arena_zalloc(w->arena, nodes, 1);
    w->sum_width = arena_zalloc(w->arena, nodes, 1);
    w->sum_atoms = arena_zalloc(w->arena, nodes, 1);
    w->counted = arena_zalloc(w->arena, nodes, 1);
    w->as_sum = arena_zalloc(w->arena, nodes, 1);
    w->needs_exact = arena_zalloc(w->arena, nodes, 1);
    w->raw = arena_alloc(w->arena, nodes, sizeof *w->raw);
    w->exact = arena_alloc(w->arena, nodes, sizeof *w->exact);
    for (size_t k = 0; k < nodes; k++) w->raw[k] = w->exact[k] = NO_CHANNEL;
    w->one = w->real = w->start = w->end = NO_CHANNEL;
    table_init(&w->features, w->arena);
    exclusion_init(&w->related, w->g, w->arena);
    exclusion_of_heads(&w->related);
}

/* The end sentinel is there when something looks forward at other positions (doc/theory.md, "Setting"). */
static bool looks_forward(const formula_node *n) {
    return n->op == OP_COUNT_FUTURE || (n->op == OP_AT && n->mask != TEMPER_MASK_UP_TO) ||
           ((n->op == OP_ATTEND || n->op == OP_MATCH) &&
            (n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM));
}

/* A row of the read-out for each root; where an output holds of the empty string, it is 1 at the start sentinel. */
static void read_outputs(lowering *w, const normal_form *normal) {
    draft *d = w->d;
    d->read_count = spec_output_count(w->spec);
    d->reads = arena_zalloc(w->arena, d->read_count, sizeof *d->reads);
    for (size_t k = 0; k < d->read_count; k++) {
        d->reads[k] = exact_form(w, normal->roots[k]);
        if (spec_output_empty(w->spec, k)) form_add(d, &d->reads[k], start_channel(w), 1);
        draft_read(d, &d->reads[k], UINT32_MAX);
    }
}

/* Where scores share channels, as where one is what the others leave, logits become multiples of a power of two that
   is so large that sums of them are exact in f64, whatever their order: 1024 times their number takes the other bits
   (doc/sequence.md, "Probabilities"). */
static double on_grid(double logit, size_t scores) {
    int bits = 11;
    while (scores >> (bits - 11)) bits++;
    return ldexp(rint(ldexp(logit, 52 - bits)), bits - 52);
}

static bool shares_channels(lowering *w, const draft_form *holds, size_t count) {
    unsigned char *taken = arena_zalloc(w->arena, w->d->channel_count, 1);
    bool shares = false;
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < holds[s].count; k++) {
            const model_term *t = &holds[s].terms[k];
            shares = shares || taken[t->channel] || t->weight != 1;
            taken[t->channel] = 1;
        }
    return shares;
}

/* A row of numbers for each output: what the score that holds has for it. */
static void read_scores(lowering *w, const normal_form *normal) {
    draft *d = w->d;
    const temper_spec *spec = w->spec;
    if (!spec->score_count) return;
    draft_form *holds = arena_zalloc(w->arena, spec->score_count, sizeof *holds);
    d->logits = arena_zalloc(w->arena, d->read_count, sizeof *d->logits);
    for (size_t s = 0; s < spec->score_count; s++) {
        holds[s] = exact_form(w, normal->roots[d->read_count + s]);
        if (spec->scores[s].accepts_empty) form_add(d, &holds[s], start_channel(w), 1);
        draft_read(d, &holds[s], UINT32_MAX);
    }
    bool shared = shares_channels(w, holds, spec->score_count);
    for (size_t s = 0; s < spec->score_count; s++)
        for (size_t k = 0; k < d->read_count; k++) {
            double logit = spec->scores[s].logits[k];
            form_add_form(d, &d->logits[k], &holds[s], shared ? on_grid(logit, spec->score_count) : logit);
        }
}

void draft_from_normal(draft *out, const normal_form *normal, const temper_spec *spec, gate_limits gates,
                       const char *const *labels, arena *a) {
    const formula *g = &normal->graph;
    lowering w = {.d = out, .g = g, .spec = spec, .gates = gates, .labels = labels, .arena = a};
    prepare(&w, g->count);
    unsigned char *marks = normal_reachable(normal, a);
    for (node_id id = 1; id < g->count; id++) {
        const formula_node *n = formula_at(g, id);
        bool negated, counts = n->op == OP_COUNT_PAST || n->op == OP_COUNT_FUTURE;
        if (marks[id] && counts) w.counted[strip_not(g, formula_kid(g, id, 0), &negated)] = 1;
    }
    uint32_t layers = 0;
    bool has_end = false;
    for (node_id id = 1; id < g->count; id++) {
        if (!marks[id]) continue;
        find_level(&w, id);
        layers = max_u32(layers, w.level[id]);
        has_end = has_end || looks_forward(formula_at(g, id));
        if (layers > DRAFT_LAYER_LIMIT)
            trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "the transformer would need more than %d layers",
                       DRAFT_LAYER_LIMIT);
    }
    for (size_t k = 0; k < normal->root_count; k++) sum_mark_exact(&w, normal->roots[k], FOR_HEADS);
    for (node_id id = (node_id)(g->count - 1); id > 0; id--)
        if (marks[id]) find_exact(&w, id);
    draft_init(out, a, layers);
    out->has_end = has_end;
    out->places = arena_alloc(a, g->count, sizeof *out->places);
    for (size_t k = 0; k < g->count; k++) out->places[k] = (draft_place){.head = -1, .channel = -1};
    for (node_id id = 1; id < g->count; id++)
        if (marks[id]) lower_node(&w, id);
    read_outputs(&w, normal);
    read_scores(&w, normal);
    for (node_id id = 1; id < g->count; id++)
        if (marks[id] && is_atom(g, id) && w.exact[id] != NO_CHANNEL) out->places[id].channel = w.exact[id];
}

/* The net of a layer (doc/certificate.md, "Gates"). Units that add to one channel are read together: what they add
   must come out as 0 or 1 on every letter. */
#include <math.h>
#include <stdlib.h>

#include "recognise/net_work.h"

/* ---- channels ---- */

static int by_channel(const void *x, const void *y) {
    const addition *a = x, *b = y;
    if (a->channel != b->channel) return a->channel < b->channel ? -1 : 1;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void change_to(net *n, uint32_t channel, content x) {
    recognising *w = n->w;
    array_push(w->arena, w->changes, w->change_count, w->change_capacity, (change){channel, x});
}

static void keep_origin(net *n, fn result, uint32_t group) {
    recognising *w = n->w;
    const term_group *g = &n->groups[group];
    fn *parts = arena_alloc(w->arena, g->count, sizeof *parts);
    for (size_t k = 0; k < g->count; k++)
        parts[k] = g->terms[k].weight > 0 ? g->terms[k].f : fn_not(&w->q.d, g->terms[k].f);
    array_push(w->arena, w->origins, w->origin_count, w->origin_capacity, (origin){result, parts, g->count});
}

/* Sums are exact whatever the order: exact units add whole multiples of one grid; of ramps at most one adds 1, or a
   second one of the same inputs takes away what the first one adds (doc/certificate.md, "Gates"). */
static void check_mixture(const net *n, const addition *parts, size_t count) {
    size_t exact = 0, up = 0, down = 0;
    uint32_t first_up = 0, first_down = 0;
    for (size_t k = 0; k < count; k++) {
        unit_kind kind = n->units[parts[k].unit].kind;
        exact += kind == UNIT_EXACT;
        if (kind != UNIT_RAMP) continue;
        if (parts[k].weight > 0)
            first_up = up++ ? first_up : parts[k].unit;
        else
            first_down = down++ ? first_down : parts[k].unit;
    }
    bool pair = up == 1 && down == 1 && first_up < first_down && parts[0].group == parts[count - 1].group;
    if ((exact && up + down) || (down && !pair))
        unlike(n->w, "the net of layer %u adds to channel %u in a way that is not known", n->w->layer,
               parts->channel);
}

/* All that is added to a channel must be 0 or 1. */
static void write_boolean(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    uint32_t channel = parts->channel;
    content x = {.kind = HOLDS_BOOLEAN};
    fn *sums = arena_alloc(w->arena, count, sizeof *sums);
    size_t groups = 0;
    double added = 0;
    int grid = GRID_OF_ZERO;
    check_mixture(n, parts, count);
    for (size_t k = 0; k < count; k++) {
        const unit_sum *s = &n->units[parts[k].unit];
        if (k == 0 || parts[k].group != parts[k - 1].group) {
            size_t end = k + 1;
            while (end < count && parts[end].group == parts[k].group) end++;
            sums[groups++] = add_group(n, parts + k, end - k);
        }
        x.start = exact_add(w->arena, x.start, exact_mul(w->arena, fmax(s->start, 0), parts[k].weight));
        x.end = exact_add(w->arena, x.end, exact_mul(w->arena, fmax(s->end, 0), parts[k].weight));
        if (s->kind != UNIT_EXACT) continue;
        int g;
        double size = unit_size(n, parts[k].unit, n->l->bias[parts[k].unit], &g);
        if (g == GRID_OF_ZERO) continue;
        keep_sum(w, EXACT_UNIT, size, g);
        g += grid_of(parts[k].weight);
        added += fabs(parts[k].weight) * size;
        if (g < grid) grid = g;
    }
    if (grid != GRID_OF_ZERO) {
        if (!(added <= ldexp(1, grid + 52) && added <= 0x1p52))
            unlike(w, "the gates of layer %u add up to more than doubles hold", w->layer);
        keep_sum(w, EXACT_CHANNEL, added, grid);
    }
    x.f = fn_add_all(&w->q.d, sums, groups);
    if (!fn_is_boolean(&w->q.d, x.f) || (x.start != 0 && x.start != 1) || (x.end != 0 && x.end != 1))
        unlike(w, "what the net of layer %u adds to channel %u is not 0 or 1 everywhere", w->layer, channel);
    if (groups == 1) keep_origin(n, x.f, parts->group);
    change_to(n, channel, x);
}

static void write_own(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    content x = {.kind = HOLDS_OWN, .units = count};
    count_term *terms = arena_alloc(w->arena, count, sizeof *terms);
    for (size_t k = 0; k < count; k++) {
        terms[k] = (count_term){n->units[parts[k].unit].condition, parts[k].weight};
        x.weight = exact_add(w->arena, x.weight, fabs(parts[k].weight));
        if (parts[k].weight != floor(parts[k].weight) || x.weight > 0x1p52)
            unlike(w, "an own part of layer %u has weights that are not whole, or too large", w->layer);
    }
    x.sum = count_from_terms(&w->q.counts, terms, count);
    change_to(n, parts->channel, x);
}

static bool may_be_negative(const recognising *w, const content *x) {
    double least, most;
    if (x->kind == HOLDS_BOOLEAN || x->kind == HOLDS_RAW) return false;
    if (x->kind == HOLDS_FEATURE) return x->negative;
    if (x->kind != HOLDS_MEAN) return true;
    count_extremes(&w->q.counts, x->sum, &least, &most);
    return least < 0 || x->start < 0 || x->end < 0;
}

/* relu(t - C) - relu(-t - C): both, or the first if t is never below 0. */
static void write_copy(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    const model_term *first = number_term(n, parts[0].unit);
    const content *mean = net_input(n, first);
    bool both = count == 2 && number_term(n, parts[1].unit)->channel == first->channel &&
                number_term(n, parts[1].unit)->weight == -first->weight;
    bool one = count == 1 && first->weight == 1 && !may_be_negative(w, mean);
    if (!both && !one) unlike(w, "the net of layer %u does not copy all of a mean", w->layer);
    change_to(n, parts->channel, (content){.kind = HOLDS_COPY, .sum = mean->sum, .weight = mean->weight});
}

static void write_channel(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    uint32_t channel = parts->channel;
    unit_kind kind = n->units[parts->unit].kind;
    if (!is_zero(&w->now[channel]) || w->written[channel] == w->layer)
        unlike(w, "the net of layer %u writes to channel %u, which is not 0 there", w->layer, channel);
    for (size_t k = 0; k < count; k++) {
        unit_kind other = n->units[parts[k].unit].kind;
        bool number = other == UNIT_OWN || other == UNIT_COPY || kind == UNIT_OWN || kind == UNIT_COPY;
        if (number && other != kind) unlike(w, "the net of layer %u mixes numbers in channel %u", w->layer, channel);
    }
    if (kind == UNIT_OWN)
        write_own(n, parts, count);
    else if (kind == UNIT_COPY)
        write_copy(n, parts, count);
    else
        write_boolean(n, parts, count);
}

/* The two units that clear a channel, counted. */
static void clear_channels(net *n) {
    recognising *w = n->w;
    const model_layer *l = n->l;
    for (uint32_t u = 0; u < l->in.count; u++) {
        if (n->units[u].kind != UNIT_CLEARS) continue;
        const model_term *t = rows_begin_of(&l->in, u);
        bool up = false, down = false, more = false;
        /* the other unit of the channel stands beside this one */
        for (uint32_t other = u; other < l->in.count && other < u + 2 && n->units[other].kind == UNIT_CLEARS;
             other++) {
            const model_term *x = rows_begin_of(&l->in, other);
            if (x->channel != t->channel) continue;
            more = more || (x->weight > 0 ? up : down);
            *(x->weight > 0 ? &up : &down) = true;
        }
        const content *x = &w->now[t->channel];
        bool fresh = x->kind == HOLDS_RAW || x->kind == HOLDS_MEAN; /* a head of this layer may have written it */
        if (w->cleared[t->channel] == w->layer || (w->written[t->channel] == w->layer && !fresh))
            unlike(w, "the net of layer %u clears channel %u twice, or what it writes", w->layer, t->channel);
        w->cleared[t->channel] = w->layer;
        if (more || !up || (!down && may_be_negative(w, x)) || x->kind == HOLDS_UNKNOWN)
            unlike(w, "the net of layer %u does not clear channel %u", w->layer, t->channel);
        change_to(n, t->channel, (content){.kind = HOLDS_BOOLEAN, .f = FN_FALSE});
        u += up && down;
    }
}

/* ---- the net ---- */

static void collect(net *n) {
    recognising *w = n->w;
    for (uint32_t u = 0; u < n->l->in.count; u++) {
        if (n->units[u].kind == UNIT_CLEARS || n->units[u].kind == UNIT_SECOND) continue;
        for (uint32_t k = n->l->out.start[u]; k < n->l->out.start[u + 1]; k++) {
            const model_term *t = &n->l->out.terms[k];
            array_push(w->arena, n->additions, n->addition_count, n->addition_capacity,
                       (addition){t->channel, u, t->weight, n->units[u].group});
        }
    }
}

/* A ramp counts as both of its units: the second has the bias -c - 1 and the opposite weight. */
static void add_second_units(net *n) {
    size_t count = n->addition_count;
    for (size_t k = 0; k < count; k++) {
        addition a = n->additions[k];
        if (n->units[a.unit].kind != UNIT_RAMP) continue;
        a.unit++;
        a.weight = -a.weight;
        array_push(n->w->arena, n->additions, n->addition_count, n->addition_capacity, a);
    }
}

void recognise_net(recognising *w) {
    const model_layer *l = &w->m->layers[w->layer - 1];
    recognised_layer *out = &w->out->layers[w->layer - 1];
    net n = {.w = w, .l = l};
    n.units = arena_zalloc(w->arena, (size_t)l->in.count + 1, sizeof *n.units);
    n.ramps = arena_alloc(w->arena, l->in.count, sizeof *n.ramps);
    table_init(&n.group_index, w->arena);
    keep_stored(w, &l->in, w->layer, 0);
    keep_stored(w, &l->out, w->layer, 0);
    for (uint32_t u = 0; u < l->in.count; u++) keep_weight(w, l->bias[u], w->layer, 0);
    for (uint32_t u = 0; u < l->in.count; u++) read_unit(&n, u);
    collect(&n);
    add_second_units(&n);
    if (n.addition_count) qsort(n.additions, n.addition_count, sizeof *n.additions, by_channel);
    for (size_t k = 0; k < n.addition_count;) {
        size_t end = k + 1;
        while (end < n.addition_count && n.additions[end].channel == n.additions[k].channel) end++;
        write_channel(&n, n.additions + k, end - k);
        k = end;
    }
    for (size_t k = 0; k < w->change_count; k++) w->written[w->changes[k].channel] = w->layer;
    clear_channels(&n);
    for (size_t k = 0; k < w->raw_count; k++) w->now[w->raw[k]].kind = HOLDS_UNKNOWN;
    for (size_t k = 0; k < w->change_count; k++) w->now[w->changes[k].channel] = w->changes[k].to;
    w->change_count = 0;
    out->units = l->in.count;
    out->ramps = n.ramps;
    out->ramp_count = n.ramp_count;
}

/* Nets of rectified units as nets of steps. Units that read the same sum, up to a factor and a multiple of `real`,
   are together, on letters, a function f of it. Sums of Booleans with whole weights are whole numbers, and there

       f(s) = sum over m of (f(m) - f(m - 1)) [s >= m]

   whatever gate the units are. A step keeps its answer if its sum is off by less than a quarter, so that it also
   rounds what heads made, as the ramps of the hard model do. On the start sentinel all gates are 0, and unrounded
   values may be anything in [0, 1]: `real` is in the sum so often that it stays below all steps there. */
#include "ordinary/lower/ordinary_plan.h"

#include <math.h>
#include <string.h>

typedef struct unit_group {
    ordinary_form *sum;
    struct group_unit {
        uint32_t unit;
        double factor, real; /* it reads factor times the sum and `real` so often */
    } * units;
    size_t count, capacity;
    double least, most; /* of the sum, on letters */
} unit_group;

typedef struct net_work {
    ordinary_plan *p;
    const model_layer *layer;
    unit_group *groups;
    size_t count, capacity;
    table known;     /* the bytes of a sum, divided by the factor -> group */
    column_id *made; /* [channels] by this net */
} net_work;

static _Noreturn void refuse_unit(const net_work *w) {
    trap_raise(w->p->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
               "a unit of the hard model is no gate: only compiled models become ordinary transformers");
}

/* A place that is used again is cleared: x - relu(x) + relu(-x). */
static bool is_clearing(const model_layer *l, uint32_t u) {
    if (rows_size(&l->in, u) != 1 || rows_size(&l->out, u) != 1 || l->bias[u] != 0) return false;
    const model_term *in = rows_begin_of(&l->in, u), *out = rows_begin_of(&l->out, u);
    return in->channel == out->channel && fabs(in->weight) == 1 && out->weight == -in->weight;
}

/* The largest number that all weights are whole multiples of. */
static double common_factor(const net_work *w, uint32_t u) {
    const model_rows *in = &w->layer->in;
    int64_t factor = 0;
    for (uint32_t k = in->start[u]; k < in->start[u + 1]; k++) {
        if (w->p->at[in->terms[k].channel] == w->p->real) continue;
        double scaled = in->terms[k].weight * 1024;
        if (scaled != rint(scaled) || fabs(scaled) > 0x1p40) refuse_unit(w);
        int64_t a = (int64_t)fabs(scaled);
        while (a) {
            int64_t rest = factor % a;
            factor = a;
            a = rest;
        }
    }
    return (double)factor / 1024;
}

static void add_unit(net_work *w, uint32_t u) {
    ordinary_plan *p = w->p;
    const model_rows *in = &w->layer->in;
    double factor = common_factor(w, u), real = 0;
    if (factor == 0) refuse_unit(w);
    size_t size = 0;
    model_term *key = arena_zalloc(p->arena, rows_size(in, u), sizeof *key); /* with its padding, for the table */
    for (uint32_t k = in->start[u]; k < in->start[u + 1]; k++) {
        double weight = in->terms[k].weight / factor;
        if (p->at[in->terms[k].channel] == p->real) {
            real += weight;
            continue;
        }
        key[size].channel = in->terms[k].channel;
        key[size++].weight = weight;
    }
    bool fresh;
    uint32_t *slot = table_put(&w->known, key, size * sizeof *key, (uint32_t)w->count, &fresh);
    if (fresh) {
        unit_group g = {.sum = arena_zalloc(p->arena, 1, sizeof *g.sum)};
        for (size_t k = 0; k < size; k++) plan_add_channel(p, g.sum, key[k].channel, key[k].weight);
        array_push(p->arena, w->groups, w->count, w->capacity, g);
    }
    unit_group *g = &w->groups[*slot];
    array_push(p->arena, g->units, g->count, g->capacity, (struct group_unit){u, factor, real});
}

/* The least sum, `real` not included, at which some unit begins to say something, and the range of the sum. */
static double find_range(net_work *w, unit_group *g) {
    double first = INFINITY;
    for (size_t k = 0; k < g->count; k++)
        first = fmin(first, floor(-w->layer->bias[g->units[k].unit] / g->units[k].factor - g->units[k].real));
    g->least = fmin(g->sum->one, first);
    g->most = g->sum->one;
    for (size_t k = 0; k < g->sum->count; k++) {
        double weight = g->sum->terms[k].weight;
        if (weight != rint(weight)) refuse_unit(w);
        if (weight > 0) g->most += weight;
        if (weight < 0) g->least += weight;
    }
    return first;
}

/* The largest sum that the start sentinel may have: what nets and letters write is 0 there. */
static double most_at_start(const net_work *w, const unit_group *g) {
    const ordinary_plan *p = w->p;
    double most = g->sum->one;
    for (size_t k = 0; k < g->sum->count; k++) {
        const ordinary_column *c = &p->columns[g->sum->terms[k].channel];
        double weight = g->sum->terms[k].weight;
        if (c->writer == WRITER_HEAD) most += fmax(weight, 0);
        if (c->writer != WRITER_EMBEDDING) continue;
        if (c->token_channel == ORDINARY_START_CHANNEL || c->position) most += fmax(weight, 0);
    }
    return most;
}

static column_id output_column(net_work *w, uint32_t channel) {
    ordinary_plan *p = w->p;
    if (w->made[channel] != NO_COLUMN) return w->made[channel];
    if (p->at[channel] != NO_COLUMN) refuse_unit(w);
    column_id c = plan_column(p, (ordinary_column){.label = p->hard->channels[channel].label,
                                                   .writer = WRITER_NET,
                                                   .token_channel = UINT32_MAX,
                                                   .scale = 1});
    w->made[channel] = p->at[channel] = c;
    return c;
}

/* Adds times what units give at s, `real` not included, to the rows of a step. */
static void add_outputs(net_work *w, ordinary_form *out, const unit_group *g, double s, double times) {
    const model_layer *l = w->layer;
    for (size_t k = 0; k < g->count; k++) {
        uint32_t u = g->units[k].unit;
        double h = g->units[k].factor * (s + g->units[k].real) + l->bias[u];
        if (h <= 0) continue;
        for (uint32_t t = l->out.start[u]; t < l->out.start[u + 1]; t++)
            ordinary_form_add(w->p, out, output_column(w, l->out.terms[t].channel),
                              times * h * l->out.terms[t].weight);
    }
}

enum { STEP_LIMIT = 4096 };

static void make_steps(net_work *w, unit_group *g) {
    double first = find_range(w, g), real = fmax(0, most_at_start(w, g) - first);
    double most = g->most;
    if (most - g->least > STEP_LIMIT) refuse_unit(w);
    if (real > 0) ordinary_form_add(w->p, g->sum, w->p->real, real);
    for (double m = g->least + 1; m <= most; m++) {
        ordinary_form out = {0};
        size_t count = 0;
        add_outputs(w, &out, g, m, 1);
        add_outputs(w, &out, g, m - 1, -1);
        for (size_t k = 0; k < out.count; k++)
            if (out.terms[k].weight != 0) out.terms[count++] = out.terms[k];
        if (count) plan_step(w->p, g->sum, m + real, out.terms, count);
    }
}

void plan_net(ordinary_plan *p, const model_layer *layer) {
    net_work w = {.p = p, .layer = layer};
    uint32_t channels = p->hard->channel_count;
    table_init(&w.known, p->arena);
    w.made = arena_alloc(p->arena, channels, sizeof *w.made);
    for (uint32_t c = 0; c < channels; c++) w.made[c] = NO_COLUMN;
    for (uint32_t u = 0; u < layer->in.count; u++)
        if (!is_clearing(layer, u)) add_unit(&w, u);
    for (size_t k = 0; k < w.count; k++) make_steps(&w, &w.groups[k]);
    for (uint32_t u = 0; u < layer->in.count; u++)
        if (is_clearing(layer, u)) p->at[rows_begin_of(&layer->in, u)->channel] = NO_COLUMN;
}

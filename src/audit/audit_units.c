/* The feed-forward net of a layer: what each channel holds after it. Units are grouped by the channel that they
   write, and those with the same inputs are one function of the same sum. Five kinds of groups are known
   (doc/certificate.md, "Heads" and "Gates"): exact units, ramps that round head outputs, clearing, own parts and
   copies to the start sentinel of balance heads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"

typedef enum unit_kind { UNIT_CLEAR, UNIT_EXACT, UNIT_RAMP, UNIT_OWN, UNIT_COPY } unit_kind;

typedef struct unit {
    uint32_t target;
    unit_kind kind;
    double out;
    double bias;
    double constant;         /* EXACT: bias and what inputs that are the same on all letters add */
    const model_term *terms; /* all inputs */
    size_t count;
    const model_term *vary; /* EXACT: inputs that differ between letters; else all */
    size_t vary_count;
    uint32_t index;
} unit;

typedef struct net {
    audit *a;
    uint32_t layer; /* from 1 */
    unit *units;
    size_t count;
} net;

#define REFUSE(n, ...) audit_refuse((n)->a, (n)->layer, 0, __VA_ARGS__)
#define NEED(n, c, ...)                                                                                              \
    do {                                                                                                             \
        if (!(c)) REFUSE(n, __VA_ARGS__);                                                                            \
    } while (0)

static const content *content_at(const net *n, uint32_t channel) { return &n->a->channels[channel]; }

/* ---- sorting ---- */

static bool is_clearing(const unit *u) {
    return u->count == 1 && u->terms[0].channel == u->target && fabs(u->terms[0].weight) == 1 && u->bias == 0 &&
           u->out == -u->terms[0].weight;
}

static unit_kind kind_of(const net *n, const unit *u) {
    unit_kind kind = UNIT_EXACT;
    if (is_clearing(u)) return UNIT_CLEAR;
    for (size_t k = 0; k < u->count; k++) {
        unit_kind needs;
        switch (content_at(n, u->terms[k].channel)->kind) {
        case HOLDS_EXACT: continue;
        case HOLDS_RAW: needs = UNIT_RAMP; break;
        case HOLDS_FEATURE: needs = UNIT_OWN; break;
        case HOLDS_MEAN: needs = UNIT_COPY; break;
        default:
            REFUSE(n, "unit %u reads channel %u, which may not be read there", u->index + 1, u->terms[k].channel);
        }
        NEED(n, kind == UNIT_EXACT || kind == needs, "unit %u reads things of different kinds", u->index + 1);
        kind = needs;
    }
    return kind;
}

static void split_constant(const net *n, unit *u) {
    model_term *vary = arena_alloc(n->a->arena, u->count, sizeof *vary);
    const diagram *d = &n->a->meaning.d;
    u->constant = u->bias;
    for (size_t k = 0; k < u->count; k++) {
        dd letters = content_at(n, u->terms[k].channel)->letters;
        if (dd_is_leaf(d, letters))
            u->constant += u->terms[k].weight * dd_value(d, letters);
        else
            vary[u->vary_count++] = u->terms[k];
    }
    u->vary = vary;
}

/* One unit for each channel that it writes; one that writes none adds nothing. */
static void read_unit(net *n, const model_layer *l, uint32_t index, const model_term *out) {
    unit *u = &n->units[n->count];
    const audit *a = n->a;
    *u = (unit){.target = out->channel,
                .out = out->weight,
                .bias = l->bias[index],
                .terms = rows_begin_of(&l->in, index),
                .count = rows_size(&l->in, index),
                .index = index};
    double total = fabs(u->bias);
    for (size_t k = 0; k < u->count; k++) {
        NEED(n, audit_is_stored(a, u->terms[k].weight), "a weight of unit %u is no number of the storage format",
             index + 1);
        total += fabs(u->terms[k].weight);
    }
    NEED(n, audit_is_stored(a, u->out) && audit_is_stored(a, u->bias),
         "a weight of unit %u is no number of the storage format", index + 1);
    NEED(n, total <= 0x1p52, "the weights of unit %u are too large together", index + 1);
    u->kind = kind_of(n, u);
    NEED(n, u->kind == UNIT_EXACT || rows_size(&l->out, index) == 1, "unit %u writes to more than one channel",
         index + 1);
    u->vary = u->terms;
    u->vary_count = u->count;
    if (u->kind == UNIT_EXACT) {
        u->vary_count = 0;
        split_constant(n, u);
    }
    n->count++;
}

/* Of counts, channels and weights: all are doubles. */
static int order_of(double x, double y) { return (x > y) - (x < y); }

static int compare_inputs(const unit *x, const unit *y) {
    int order = order_of((double)x->vary_count, (double)y->vary_count);
    for (size_t k = 0; k < x->vary_count && !order; k++) {
        order = order_of(x->vary[k].channel, y->vary[k].channel);
        if (!order) order = order_of(x->vary[k].weight, y->vary[k].weight);
    }
    return order;
}

/* Falling biases. */
static int by_target(const void *left, const void *right) {
    const unit *x = left, *y = right;
    int order = order_of(x->target, y->target);
    if (!order) order = order_of(x->kind, y->kind);
    if (!order) order = compare_inputs(x, y);
    if (!order) order = order_of(y->bias, x->bias);
    return order ? order : order_of(x->index, y->index);
}

/* ---- clearing: x - relu(x) + relu(-x) ---- */

static content cleared(const net *n, const unit *u, size_t count) {
    size_t plus = 0, minus = 0;
    for (size_t k = 0; k < count; k++) {
        if (signbit(u[k].out))
            plus++;
        else
            minus++;
    }
    NEED(n, plus == 1 && minus <= 1 && (minus == 1 || content_at(n, u->target)->not_negative),
         "channel %u is not cleared whole", u->target);
    return (content){.kind = HOLDS_EXACT, .not_negative = true};
}

/* ---- exact units ---- */

typedef struct pieces {
    const unit *u;
    size_t count;
} pieces;

/* What units with the same varying inputs add, as a function of their sum. */
static double add_pieces(void *context, double x) {
    const pieces *p = context;
    double sum = 0;
    for (size_t k = 0; k < p->count; k++) sum += p->u[k].out * fmax(x + p->u[k].constant, 0);
    return sum;
}

static double at_sentinel(const net *n, const unit *u, bool start) {
    double sum = u->bias;
    for (size_t k = 0; k < u->count; k++) {
        const content *c = content_at(n, u->terms[k].channel);
        sum += u->terms[k].weight * (start ? c->start : c->end);
    }
    return u->out * fmax(sum, 0);
}

/* Sums, hidden numbers and what they add together are exact. Sums have all digits and sizes of what is stored. */
static void check_exact(const net *n, const unit *u, size_t count) {
    const type_facts *t = &n->a->type;
    int least = 1 << 20;
    double all = 0;
    for (size_t k = 0; k < count; k++) {
        int grid = u[k].bias != 0 ? audit_grid_of(u[k].bias) : 1 << 20;
        double size = fabs(u[k].bias);
        for (size_t j = 0; j < u[k].count; j++) {
            int g = audit_grid_of(u[k].terms[j].weight);
            if (g < grid) grid = g;
            size += fabs(u[k].terms[j].weight);
        }
        /* every weight is stored, so none is too fine */
        NEED(n, size <= ldexp(1, grid + t->ps), "the sum of unit %u may be rounded", u[k].index + 1);
        NEED(n, size <= t->fs, "the sum of unit %u may overflow", u[k].index + 1);
        grid += audit_grid_of(u[k].out);
        if (grid < least) least = grid;
        all += fabs(u[k].out) * size;
    }
    NEED(n, all <= ldexp(1, least + t->pa) && ldexp(1, least) >= t->ta && all <= t->fa && all <= 0x1p52,
         "what units add to channel %u may be rounded", u->target);
}

static dd sum_inputs(const net *n, const model_term *terms, size_t count, double least, double most) {
    arena_reset(n->a->scratch);
    dd *f = arena_alloc(n->a->scratch, count, sizeof *f);
    double *w = arena_alloc(n->a->scratch, count, sizeof *w);
    for (size_t k = 0; k < count; k++) {
        f[k] = content_at(n, terms[k].channel)->letters;
        w[k] = terms[k].weight;
    }
    return dd_sum(&n->a->meaning.d, f, w, count, least, most);
}

static content exact_units(const net *n, const unit *u, size_t count) {
    content c = {.kind = HOLDS_EXACT, .not_negative = true};
    diagram *d = &n->a->meaning.d;
    dd *parts = arena_alloc(n->a->arena, count, sizeof *parts);
    double *ones = arena_alloc(n->a->arena, count, sizeof *ones);
    size_t part_count = 0;
    check_exact(n, u, count);
    for (size_t k = 0; k < count;) {
        pieces p = {.u = &u[k]};
        double low = INFINITY, high = -INFINITY, slope = 0;
        while (k < count && !compare_inputs(p.u, &u[k])) {
            low = fmin(low, -u[k].constant);
            high = fmax(high, -u[k].constant);
            slope += u[k].out;
            p.count++;
            k++;
        }
        dd sum = sum_inputs(n, p.u->vary, p.u->vary_count, low, slope == 0 ? high : INFINITY);
        parts[part_count] = dd_map(d, sum, add_pieces, &p);
        ones[part_count++] = 1;
    }
    c.letters = dd_sum(d, parts, ones, part_count, NAN, NAN);
    for (size_t k = 0; k < count; k++) {
        c.start += at_sentinel(n, &u[k], true);
        c.end += at_sentinel(n, &u[k], false);
    }
    return c;
}

/* ---- ramps ---- */

typedef struct threshold {
    const net *n;
    const unit *u;
    double c;
} threshold;

/* 0 up to c, 1 from c + 1 on; errors of raw inputs may move the sum by 1/2. */
static double ramp_at(void *context, double x) {
    const threshold *t = context;
    if (x <= t->c - 0.5) return 0;
    if (x >= t->c + 1.5) return 1;
    REFUSE(t->n, "units %u and on: their sum comes too near to the threshold", t->u->index + 1);
}

/* Sentinels: raw inputs are anything from 0 to 1, and a little more. */
static void check_sentinel(const net *n, const unit *u, double c, bool start) {
    double most = 0;
    for (size_t k = 0; k < u->count; k++) {
        const content *x = content_at(n, u->terms[k].channel);
        double w = u->terms[k].weight;
        most += x->kind == HOLDS_RAW ? fmax(w, 0) : w * (start ? x->start : x->end);
    }
    NEED(n, most <= c - 0.5, "units %u and on: their gate may open on a sentinel", u->index + 1);
}

static void note_ramp(const net *n, const unit *u, double c, bool paired) {
    audit *a = n->a;
    layer_facts *layer = &a->layers[n->layer - 1];
    double *weights = arena_alloc(a->arena, u->count, sizeof *weights);
    size_t *heads = arena_alloc(a->arena, u->count, sizeof *heads);
    ramp_facts r = {.layer = n->layer,
                    .terms = (uint32_t)u->count,
                    .raw_weight = weights,
                    .raw_head = heads,
                    .size = c + 1,
                    .reach = -c,
                    .paired = paired};
    double raw = NAN;
    for (size_t k = 0; k < u->count; k++) {
        const content *x = content_at(n, u->terms[k].channel);
        double w = u->terms[k].weight, most = x->kind == HOLDS_RAW ? 1.25 : 1;
        NEED(n, 2 * w == floor(2 * w), "unit %u has a weight that no ramp has", u->index + 1);
        r.size += most * fabs(w);
        r.reach += most * fmax(w, 0);
        if (x->kind != HOLDS_RAW) continue;
        NEED(n, w == floor(w), "unit %u reads a head's output with a weight that is not whole", u->index + 1);
        raw = w;
        heads[r.raw_count] = x->head;
        weights[r.raw_count++] = fabs(w);
    }
    r.alone = r.raw_count == 1 && raw == 2;
    r.plain = r.alone && c == 2.5 &&
              (u->count == 1 || (u->count == 2 && u->terms[0].weight == 2 && u->terms[1].weight == 2));
    array_push(a->arena, a->ramps, a->ramp_count, a->ramp_capacity, r);
    if (r.raw_count > layer->raw) layer->raw = r.raw_count;
}

/* Whether both units of a ramp are added before both of another one. */
static bool are_before(const unit *x, const unit *y) {
    return fmax(x[0].index, x[1].index) < fmin(y[0].index, y[1].index);
}

/* Two ramps of one sum, whose units are added one ramp after the other: then every partial sum is exact. */
static bool is_exclusive_or(const unit *x, const unit *y) {
    return !compare_inputs(x, y) && (are_before(x, y) || are_before(y, x));
}

/* Units of one channel in the order of inputs and falling bias: two by two. */
static content ramps(const net *n, const unit *u, size_t count) {
    content result = {.kind = HOLDS_EXACT, .not_negative = true};
    diagram *d = &n->a->meaning.d;
    NEED(n, count % 2 == 0, "a unit of channel %u has no partner", u->target);
    dd *parts = arena_alloc(n->a->arena, count, sizeof *parts);
    double *signs = arena_alloc(n->a->arena, count, sizeof *signs);
    bool paired = false;
    for (size_t k = 0; k < count; k += 2) paired = paired || signbit(u[k].out);
    for (size_t k = 0; k < count; k += 2) {
        const unit *x = &u[k], *y = &u[k + 1];
        double c = -x->bias;
        NEED(n, !compare_inputs(x, y) && y->bias == x->bias - 1 && y->out == -x->out && fabs(x->out) == 1,
             "unit %u and its partner make no ramp", x->index + 1);
        NEED(n, c > 0 && 2 * c == floor(2 * c), "unit %u has a bias that no ramp has", x->index + 1);
        check_sentinel(n, x, c, true);
        check_sentinel(n, x, c, false);
        threshold t = {n, x, c};
        dd sum = sum_inputs(n, x->terms, x->count, c - 0.5, c + 1.5);
        parts[k / 2] = dd_map(d, sum, ramp_at, &t);
        signs[k / 2] = x->out;
        note_ramp(n, x, c, paired);
    }
    NEED(n, !paired || (count == 4 && signs[0] + signs[1] == 0 && is_exclusive_or(u, u + 2)),
         "channel %u is the difference of several ramps", u->target);
    result.letters = dd_sum(d, parts, signs, count / 2, NAN, NAN);
    return result;
}

/* ---- balance heads: own parts and totals ---- */

/* The part of the sum that exact inputs make; the other input must be `kind` with weight +-1. *total is the sum of
   all |w|. */
static row_value exact_part(const net *n, const unit *u, content_kind kind, double *weight, double *total,
                            const content **other) {
    row_value r = {.exact = true};
    const audit *a = n->a;
    dd *f = arena_alloc(n->a->arena, u->count, sizeof *f);
    double *w = arena_alloc(n->a->arena, u->count, sizeof *w);
    size_t exact = 0;
    double size = 0;
    *other = NULL;
    *total = 0;
    for (size_t k = 0; k < u->count; k++) {
        const content *c = content_at(n, u->terms[k].channel);
        size += fabs(u->terms[k].weight) * (c->kind == HOLDS_MEAN ? c->weight : 1);
        *total += fabs(u->terms[k].weight);
        NEED(n, u->terms[k].weight == floor(u->terms[k].weight), "unit %u has a weight that is not whole",
             u->index + 1);
        if (c->kind == HOLDS_EXACT) {
            f[exact] = c->letters;
            w[exact++] = u->terms[k].weight;
            r.start += u->terms[k].weight * c->start;
            r.end += u->terms[k].weight * c->end;
        } else {
            NEED(n, !*other && c->kind == kind && fabs(u->terms[k].weight) == 1, "unit %u adds things of a kind",
                 u->index + 1);
            *other = c;
            *weight = u->terms[k].weight;
        }
    }
    NEED(n, u->bias == 0, "unit %u has a bias", u->index + 1);
    NEED(n, 2 * size <= a->type.fs, "the sum of unit %u may overflow", u->index + 1);
    r.letters = dd_sum(&n->a->meaning.d, f, w, exact, NAN, NAN);
    return r;
}

static double plus_one(void *context, double x) {
    const threshold *t = context;
    NEED(t->n, x == 0 || x == -1, "unit %u is no own part", t->u->index + 1);
    return x + 1;
}

static content own_part(const net *n, const unit *u, size_t count) {
    content result = {.kind = HOLDS_OWN, .parts = count};
    diagram *d = &n->a->meaning.d;
    dd *parts = arena_alloc(n->a->arena, count, sizeof *parts);
    double *weights = arena_alloc(n->a->arena, count, sizeof *weights);
    for (size_t k = 0; k < count; k++) {
        const content *per;
        double w, total;
        row_value r = exact_part(n, &u[k], HOLDS_FEATURE, &w, &total, &per);
        /* the error of its row is counted with three terms of size 1 at most; weights are whole numbers */
        NEED(n, total <= 3, "unit %u adds too much to be an own part", u[k].index + 1);
        NEED(n,
             per->feature.kind == FEATURE_INVERSE && !per->feature.mirrored && w == 1 && u[k].out == floor(u[k].out),
             "unit %u is no own part", u[k].index + 1);
        NEED(n, r.start <= 0 && r.end <= 0, "unit %u adds more on a sentinel than on a letter", u[k].index + 1);
        threshold t = {.n = n, .u = &u[k]};
        parts[k] = dd_map(d, r.letters, plus_one, &t);
        weights[k] = u[k].out;
        result.weight += fabs(u[k].out);
    }
    NEED(n, 2 * result.weight <= n->a->type.fs && result.weight <= 0x1p52, "the own part of channel %u may overflow",
         u->target);
    result.letters = dd_sum(d, parts, weights, count, NAN, NAN);
    return result;
}

static content copy_to_start(const net *n, const unit *u, size_t count) {
    const content *mean = NULL, *again;
    double weights = 0;
    const diagram *d = &n->a->meaning.d;
    NEED(n, count <= 2, "channel %u is no copy of a total", u->target);
    for (size_t k = 0; k < count; k++) {
        double w, total;
        row_value r = exact_part(n, &u[k], HOLDS_MEAN, &w, &total, &again);
        weights += w;
        /* what cancels out on the start sentinel would take the last bits of the total away, and elsewhere those of
           what is taken from it; the sum of many small terms may stop before it gets there */
        for (size_t j = 0; j < u[k].count; j++) {
            const content *c = content_at(n, u[k].terms[j].channel);
            NEED(n, c->kind != HOLDS_EXACT || (c->start == 0 && signbit(u[k].terms[j].weight)),
                 "unit %u adds something to a total", u[k].index + 1);
        }
        NEED(n, u[k].count <= 3, "unit %u adds too much to be a copy of a total", u[k].index + 1);
        NEED(n, !mean || mean == again, "channel %u is no copy of one total", u->target);
        mean = again;
        double most = 2 * mean->weight;
        NEED(n,
             u[k].out == w && dd_is_leaf(d, r.letters) && dd_value(d, r.letters) <= -most && r.start == 0 &&
                 (r.end <= -most || !n->a->model->has_end) && mean->mask == TEMPER_MASK_ALL,
             "unit %u does not copy a total to the start alone", u[k].index + 1);
    }
    NEED(n, count == 2 ? weights == 0 : weights == 1 && mean->not_negative, "channel %u is half a copy of a total",
         u->target);
    content result = *mean;
    result.kind = HOLDS_COPY;
    result.not_negative = false;
    return result;
}

/* ---- the net ---- */

static content written(const net *n, const unit *u, size_t count) {
    NEED(n, u->kind == u[count - 1].kind, "channel %u is written by units of different kinds",
         u->target); /* sorted */
    if (u->kind == UNIT_CLEAR) return cleared(n, u, count);
    NEED(n, contents_are_zero(content_at(n, u->target)), "channel %u is written, but it is not 0 before", u->target);
    switch (u->kind) {
    case UNIT_OWN: return own_part(n, u, count);
    case UNIT_COPY: return copy_to_start(n, u, count);
    default: break;
    }
    content c = u->kind == UNIT_RAMP ? ramps(n, u, count) : exact_units(n, u, count);
    NEED(n,
         dd_is_boolean(&n->a->meaning.d, c.letters) && (c.start == 0 || c.start == 1) && (c.end == 0 || c.end == 1),
         "channel %u is not always 0 or 1", u->target);
    return c;
}

void audit_units(audit *a, uint32_t layer) {
    const model_layer *l = &a->model->layers[layer];
    net n = {.a = a, .layer = layer + 1, .units = arena_alloc(a->arena, l->out.start[l->out.count], sizeof *n.units)};
    a->layers[layer].first_ramp = a->ramp_count;
    for (uint32_t k = 0; k < l->in.count; k++)
        for (uint32_t t = l->out.start[k]; t < l->out.start[k + 1]; t++) read_unit(&n, l, k, &l->out.terms[t]);
    if (n.count) qsort(n.units, n.count, sizeof *n.units, by_target);
    content *made = arena_alloc(a->arena, n.count, sizeof *made);
    uint32_t *where = arena_alloc(a->arena, n.count, sizeof *where);
    size_t count = 0;
    for (size_t k = 0; k < n.count;) { /* all units read what was there before any of them wrote */
        size_t end = k;
        while (end < n.count && n.units[end].target == n.units[k].target) end++;
        made[count] = written(&n, &n.units[k], end - k);
        where[count++] = n.units[k].target;
        k = end;
    }
    a->layers[layer].ramp_count = a->ramp_count - a->layers[layer].first_ramp;
    for (size_t k = 0; k < count; k++) a->channels[where[k]] = made[k];
    for (uint32_t h = 0; h < l->head_count; h++)
        for (uint32_t k = 0; k < l->heads[h].output.start[l->heads[h].output.count]; k++) {
            content *c = &a->channels[l->heads[h].output.terms[k].channel];
            if (c->kind == HOLDS_RAW) c->kind = HOLDS_REST;
        }
}

/* The net of a layer: units that clear a place, units that count Booleans, pairs that round, and the two numbers that a balance head
   needs (doc/certificate.md, "Gates"). */
#include <math.h>
#include <string.h>

#include "bound/shapes_work.h"

static void wrong(study_work *w, const char *what) {
    certification_unable(w->c, w->layer + 1, 0, "the net of layer %u %s", w->layer + 1, what);
}

/* x - relu(x) and x + relu(-x), which leave 0. */
static bool clears(const model_layer *l, uint32_t u) {
    if (l->bias[u] != 0 || rows_size(&l->in, u) != 1 || rows_size(&l->out, u) != 1) return false;
    const model_term *in = rows_begin_of(&l->in, u), *out = rows_begin_of(&l->out, u);
    return in->channel == out->channel && fabs(in->weight) == 1 && in->weight == -out->weight;
}

static size_t count_kind(const study_work *w, const model_layer *l, uint32_t u, holding_kind kind) {
    size_t count = 0;
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++)
        count += w->now[l->in.terms[k].channel].kind == kind;
    return count;
}

static bool unit_is_stored(const study_work *w, const model_layer *l, uint32_t u) {
    bool fine = study_is_stored(w, l->bias[u]);
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++)
        fine = fine && study_is_stored(w, l->in.terms[k].weight);
    for (uint32_t k = l->out.start[u]; k < l->out.start[u + 1]; k++)
        fine = fine && study_is_stored(w, l->out.terms[k].weight);
    return fine;
}

/* ---- Booleans in, whole numbers out ---- */

typedef struct added {
    double sum; /* of |what exact units add| */
    int grid;
} added;

static void exact_unit(study_work *w, const model_layer *l, uint32_t u, added *to) {
    const number_format *s = w->c->type->storage, *a = w->c->type->accumulation;
    double size;
    int grid, bias = grid_of(l->bias[u]), p = s->precision < a->precision ? s->precision : a->precision;
    bool fine = study_row_weight(&size, &grid, &l->in, u);
    size += fabs(l->bias[u]);
    if (bias < grid) grid = bias;
    if (grid == GRID_OF_ZERO) return; /* it is 0 */
    if (!fine || size > ldexp(1, grid + p) || grid < grid_of(s->least) || size > s->largest) {
        certification_unable(w->c, w->layer + 1, 0,
                             "a gate of layer %u sums up to %g, which %s does not hold exactly", w->layer + 1, size,
                             s->name);
        return;
    }
    for (uint32_t k = l->out.start[u]; k < l->out.start[u + 1]; k++) {
        added *x = &to[l->out.terms[k].channel];
        int g = grid + grid_of(l->out.terms[k].weight);
        x->sum += fabs(l->out.terms[k].weight) * size;
        if (g < x->grid) x->grid = g;
    }
}

static void check_added(study_work *w, const added *to) {
    const number_format *a = w->c->type->accumulation;
    for (uint32_t k = 0; k < w->c->model->channel_count; k++)
        if (to[k].grid != GRID_OF_ZERO && (to[k].sum > ldexp(1, to[k].grid + a->precision) ||
                                           to[k].sum > a->largest || to[k].grid < grid_of(a->least)))
            certification_unable(w->c, w->layer + 1, 0,
                                 "the gates of layer %u add up to %g to one channel, which %s does not hold exactly",
                                 w->layer + 1, to[k].sum, a->name);
}

/* ---- pairs that round ---- */

static bool same_row(const model_rows *r, uint32_t a, uint32_t b) {
    if (rows_size(r, a) != rows_size(r, b)) return false;
    for (size_t k = 0; k < rows_size(r, a); k++)
        if (rows_begin_of(r, a)[k].channel != rows_begin_of(r, b)[k].channel ||
            rows_begin_of(r, a)[k].weight != rows_begin_of(r, b)[k].weight)
            return false;
    return true;
}

/* Units u and u + 1: the same row, biases -c and -c - 1, opposite weights to one channel. */
static bool is_ramp(const model_layer *l, uint32_t u) {
    if (u + 1 >= l->in.count || !same_row(&l->in, u, u + 1)) return false;
    if (rows_size(&l->out, u) != 1 || rows_size(&l->out, u + 1) != 1) return false;
    const model_term *a = rows_begin_of(&l->out, u), *b = rows_begin_of(&l->out, u + 1);
    double c = -l->bias[u];
    return a->channel == b->channel && fabs(a->weight) == 1 && a->weight == -b->weight && c > 0 &&
           l->bias[u + 1] == -c - 1 && floor(2 * c) == 2 * c;
}

/* Storing in fewer digits than sums have: the conditions under which both hidden numbers are stored as they are. */
static void check_narrow(study_work *w, const model_layer *l, uint32_t u, size_t raw, double size) {
    const number_format *s = w->c->type->storage, *a = w->c->type->accumulation;
    double most = l->bias[u], raw_weight = 0;
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) {
        double weight = l->in.terms[k].weight;
        bool is_raw = w->now[l->in.terms[k].channel].kind == HOLDS_RAW;
        if (is_raw) raw_weight = weight;
        if (weight > 0) most += is_raw ? 1.25 * weight : weight;
    }
    if (raw == 1 && raw_weight == 2 && most <= 2 && size <= ldexp(1, a->precision - s->precision + 1)) return;
    if (raw > 1)
        certification_unable(
            w->c, w->layer + 1, 0,
            "a gate of layer %u reads %zu unrounded values, which %s cannot round exactly; the method "
            "of digits makes gates that it can",
            w->layer + 1, raw, w->c->type->name);
    else
        certification_unable(
            w->c, w->layer + 1, 0,
            "a gate of layer %u combines an unrounded value with others in a way that %s cannot round "
            "exactly; the method of digits makes gates that it can",
            w->layer + 1, w->c->type->name);
}

static uint32_t ramp_number(study_work *w, const ramp_shape *r) {
    text key;
    bool fresh;
    text_init(&key, w->c->arena);
    text_printf(&key, "%zu %zu %a %d ", r->terms, r->raw, r->size, r->lone);
    for (size_t k = 0; k < r->raw; k++) text_printf(&key, "%u %a,", r->heads[k], r->weights[k]);
    uint32_t number = *table_put(&w->ramp_index, key.data, key.length, (uint32_t)w->out->ramp_count, &fresh);
    if (fresh) array_push(w->c->arena, w->out->ramps, w->out->ramp_count, w->out->ramp_capacity, *r);
    return number;
}

/* Raw inputs of equal shape are put together, so that large gates have small shapes; `raw` still counts all. */
static uint32_t ramp_unit(study_work *w, const model_layer *l, uint32_t u, size_t raw, layer_study *out) {
    arena *a = w->c->arena;
    uint32_t *heads = arena_alloc(a, raw, sizeof *heads);
    double *weights = arena_alloc(a, raw, sizeof *weights), size = 1 - l->bias[u];
    size_t count = 0;
    ramp_shape r = {.terms = rows_size(&l->in, u), .lone = l->bias[u] == -2.5};
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) {
        const holding *x = &w->now[l->in.terms[k].channel];
        double weight = fabs(l->in.terms[k].weight);
        size += x->kind == HOLDS_RAW ? 1.25 * weight : weight;
        r.lone = r.lone && l->in.terms[k].weight == 2;
        if (x->kind != HOLDS_RAW) continue;
        if (floor(weight) != weight) wrong(w, "reads an unrounded value with a weight that is not whole");
        size_t at = 0;
        while (at < count && heads[at] != x->shape) at++;
        if (at == count) heads[count] = x->shape, weights[count++] = 0;
        weights[at] += weight;
    }
    r.lone = r.lone && raw == 1 && r.terms <= 2;
    r.size = size;
    r.raw = count;
    r.heads = heads;
    r.weights = weights;
    if (raw > out->raw) out->raw = (uint32_t)raw;
    const number_format *f = w->c->type->accumulation;
    if (w->c->type->storage->precision < f->precision)
        check_narrow(w, l, u, raw, size);
    else if (size > ldexp(1, f->precision - 1))
        certification_unable(w->c, w->layer + 1, 0,
                             "a gate of layer %u sums up to %g, too much for the %d digits of %s", w->layer + 1, size,
                             f->precision, f->name);
    return ramp_number(w, &r);
}

/* ---- numbers of balance heads ---- */

/* The own part, a |weight| and a unit more; or the copy of a mean. */
static void number_unit(study_work *w, const model_layer *l, uint32_t u) {
    holding x = {.kind = HOLDS_OWN};
    double size = 0;
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) {
        const holding *in = &w->now[l->in.terms[k].channel];
        if (in->kind == HOLDS_MEAN) x = (holding){.kind = HOLDS_COPY, .weight = in->weight};
        size += fabs(l->in.terms[k].weight) * (in->kind == HOLDS_MEAN ? in->weight : 1);
    }
    if (rows_size(&l->out, u) != 1 || l->bias[u] != 0) {
        wrong(w, "has a unit of unknown kind");
        return;
    }
    /* Twice what it can be: roundings do not matter then. */
    if (2 * size > w->c->type->storage->largest || 2 * size > w->c->type->accumulation->largest) {
        wrong(w, "sums numbers that overflow");
        return;
    }
    const model_term *t = rows_begin_of(&l->out, u);
    holding *to = &w->next[t->channel];
    if (x.kind == HOLDS_COPY) {
        *to = x;
    } else {
        if (to->kind != HOLDS_OWN) *to = x;
        to->weight += fabs(t->weight);
        to->units++;
    }
}

/* ---- the net ---- */

void study_units(study_work *w) {
    const temper_model *m = w->c->model;
    const model_layer *l = &m->layers[w->layer];
    layer_study *out = &w->out->layers[w->layer];
    uint32_t *ramps = arena_alloc(w->c->arena, l->in.count, sizeof *ramps);
    added *to = arena_alloc(w->c->arena, m->channel_count, sizeof *to);
    for (uint32_t k = 0; k < m->channel_count; k++) to[k] = (added){.grid = GRID_OF_ZERO};
    memcpy(w->next, w->now, m->channel_count * sizeof *w->next);
    out->units = l->in.count;
    for (uint32_t u = 0; u < l->in.count && !w->c->reason.length; u++) {
        size_t raw = count_kind(w, l, u, HOLDS_RAW);
        bool number = count_kind(w, l, u, HOLDS_FEATURE) + count_kind(w, l, u, HOLDS_MEAN) > 0;
        if (count_kind(w, l, u, HOLDS_OWN) + count_kind(w, l, u, HOLDS_COPY) > 0 && !clears(l, u))
            wrong(w, "reads a number that only heads may read");
        if (!unit_is_stored(w, l, u))
            certification_unable(w->c, w->layer + 1, 0, "a gate of layer %u has a weight that is no number of %s",
                                 w->layer + 1, w->c->type->storage->name);
        if (clears(l, u)) {
            w->next[rows_begin_of(&l->out, u)->channel] = (holding){.kind = HOLDS_BOOLEAN};
        } else if (raw > 0) {
            if (number || !is_ramp(l, u)) {
                wrong(w, "reads an unrounded value without rounding it");
                break;
            }
            uint32_t ramp = ramp_unit(w, l, u, raw, out);
            if (!out->ramp_count || ramps[out->ramp_count - 1] != ramp) ramps[out->ramp_count++] = ramp;
            w->next[rows_begin_of(&l->out, u)->channel] = (holding){.kind = HOLDS_BOOLEAN};
            u++; /* the second of the pair */
        } else if (number) {
            number_unit(w, l, u);
        } else {
            exact_unit(w, l, u, to);
            for (uint32_t k = l->out.start[u]; k < l->out.start[u + 1]; k++)
                w->next[l->out.terms[k].channel] = (holding){.kind = HOLDS_BOOLEAN};
        }
    }
    check_added(w, to);
    out->ramps = ramps;
    memcpy(w->now, w->next, m->channel_count * sizeof *w->now);
}

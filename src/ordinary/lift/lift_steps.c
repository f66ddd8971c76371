/* Nets as steps (doc/ordinary.md, "Gates"): two units side by side, act(2K(t - 1/4)) - act(2K(t - 3/4)) divided by
   K. */
#include <math.h>

#include "ordinary/lift/lift.h"

enum { PIN };
static const double HALF = LIFT_GATE; /* 2K/2: by so much the constants of the two units differ */

static bool is_zero(const float *row, size_t count, size_t stride) {
    for (size_t k = 0; k < count; k++)
        if (row[k * stride] != 0) return false;
    return true;
}

/* A unit that nobody uses has no weight at all. */
static bool is_unused(const lift *u, const struct ordinary_layer *l, uint32_t unit) {
    const struct ordinary_model *m = u->m;
    size_t row = (size_t)unit * m->width;
    return is_zero(l->up + row, m->width, 1) && (!l->gate || is_zero(l->gate + row, m->width, 1)) &&
           is_zero(l->down + unit, m->width, m->hidden);
}

/* The other factor of a Llama's units is 1. */
static void check_up(const lift *u, const struct ordinary_layer *l, uint32_t unit) {
    const float *row = l->up + (size_t)unit * u->m->width;
    for (uint32_t k = 0; k < u->m->width; k++)
        if (row[k] != (k == PIN)) lift_refuse(u, &row[k], "a unit is not multiplied with 1");
}

/* Sums of whole numbers, so that a step rounds. */
static void check_sum(const lift *u, const lift_form *f, uint32_t layer) {
    lift_check_reads(u, f, layer, LIFT_BY_NET);
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &u->columns[f->terms[k].channel];
        double w = f->terms[k].weight / (2 * LIFT_GATE);
        if (w * c->grain != rint(w * c->grain) || fabs(w) > 0x1p20)
            lift_refuse(u, &f->row[u->first + f->terms[k].channel], "a step does not add up whole numbers");
    }
}

/* The second unit is the first, but for the constant, and takes away what the first adds. */
static void check_partner(const lift *u, const lift_form *x, const lift_form *y) {
    for (uint32_t k = 0; k < u->m->width; k++) {
        double difference = (double)x->row[k] - (double)y->row[k];
        if (difference != (k == PIN ? HALF : 0)) lift_refuse(u, &y->row[k], "two units side by side make no step");
    }
}

static void read_terms(lift *u, const struct ordinary_layer *l, lift_step *s) {
    const struct ordinary_model *m = u->m;
    size_t again;
    double rest;
    s->terms = lift_writes(u, l->down + s->unit, m->hidden, 0, &s->count, &s->rest);
    lift_writes(u, l->down + s->unit + 1, m->hidden, 0, &again, &rest);
    for (uint32_t k = 0; k < m->width; k++) {
        const float *x = &l->down[(size_t)k * m->hidden + s->unit];
        if (x[1] != -x[0]) lift_refuse(u, &x[1], "two units side by side make no step");
    }
    for (size_t k = 0; k < s->count; k++) s->terms[k].weight *= LIFT_GATE;
    if (!s->count) lift_refuse(u, s->sum.row, "a step goes nowhere");
}

/* What columns are worth after it; `before` is the layer: their ends. */
static void add_step(lift *u, const lift_step *s, const double *place, const double *before) {
    for (size_t k = 0; k < s->count; k++) {
        lift_column *c = &u->columns[s->terms[k].channel];
        double w = s->terms[k].weight;
        c->grain = lift_common(c->grain, w);
        c->low += fmin(w, 0);
        c->high += fmax(w, 0);
        c->returns = c->returns || w < 0 || (!place && before[2 * s->terms[k].channel] < 0);
        if (!place) c->place = NULL;
        if (c->place == u->zeros) {
            c->place = arena_zalloc(u->arena, u->m->positions, sizeof *c->place);
            c->busy = arena_zalloc(u->arena, u->m->positions, sizeof *c->busy);
        }
        for (uint32_t i = 0; c->place && i < u->m->positions; i++)
            if (place[i] >= s->at) {
                c->place[i] += w;
                c->busy[i] = true;
            }
    }
}

static void read_step(lift *u, uint32_t layer, uint32_t unit, const double *before) {
    const struct ordinary_layer *l = &u->m->layers[layer - 1];
    const float *rows = (l->gate ? l->gate : l->up) + (size_t)unit * u->m->width;
    lift_step s = {.layer = layer, .unit = unit};
    s.sum = lift_row(u, rows);
    lift_form other = lift_row(u, rows + u->m->width);
    check_partner(u, &s.sum, &other);
    if (l->gate) {
        check_up(u, l, unit);
        check_up(u, l, unit + 1);
    }
    check_sum(u, &s.sum, layer);
    /* the first unit opens at t = 1/4, t = sum - at + 1 */
    s.at = 0.75 - s.sum.one / (2 * LIFT_GATE);
    if (s.at != rint(s.at)) lift_refuse(u, rows, "a step is not at a whole number");
    read_terms(u, l, &s);
    lift_form whole = s.sum;
    whole.one = 0;
    double *place = lift_place(u, &whole), start = lift_at_start(u, &whole) / (2 * LIFT_GATE),
           first = lift_at_first(u, &whole) / (2 * LIFT_GATE);
    for (uint32_t i = 0; place && i < u->m->positions; i++) place[i] /= 2 * LIFT_GATE;
    add_step(u, &s, place, before);
    for (size_t k = 0; k < s.count; k++) {
        lift_column *c = &u->columns[s.terms[k].channel];
        if (start >= s.at) c->start += s.terms[k].weight;
        c->first += isnan(first) ? NAN : first >= s.at ? s.terms[k].weight : 0;
    }
    array_push(u->arena, u->steps, u->step_count, u->step_capacity, s);
}

/* What depends on the position alone has a table, which may never have some numbers together; what it was before
   counts, too, since norms have seen it. */
static void tighten(const lift *u, lift_column *c, double low, double high) {
    if (!c->place || (c->low == low && c->high == high)) return;
    c->returns = false;
    for (uint32_t i = 0; i < u->m->positions; i++) {
        c->returns = c->returns || (c->busy[i] && c->place[i] == 0);
        low = fmin(low, c->place[i]);
        high = fmax(high, c->place[i]);
    }
    c->low = fmax(c->low, low);
    c->high = fmin(c->high, high);
}

void lift_layer_steps(lift *u, uint32_t layer) {
    const struct ordinary_layer *l = &u->m->layers[layer - 1];
    uint32_t hidden = u->m->hidden;
    double *before = arena_alloc(u->arena, 2 * (size_t)u->column_count, sizeof *before);
    for (uint32_t c = 0; c < u->column_count; c++) {
        before[2 * c] = u->columns[c].low;
        before[2 * c + 1] = u->columns[c].high;
    }
    for (uint32_t unit = 0; unit < hidden; unit += 2) {
        bool last = unit + 1 == hidden;
        if (is_unused(u, l, unit) && (last || is_unused(u, l, unit + 1))) continue;
        if (last) lift_refuse(u, l->up + (size_t)unit * u->m->width, "a unit has no partner");
        read_step(u, layer, unit, before);
    }
    for (uint32_t c = 0; c < u->column_count; c++) tighten(u, &u->columns[c], before[2 * c], before[2 * c + 1]);
}

/* Heads and their roles (doc/ordinary.md, "Heads" and "Positions"). Which products a score has says which role it may
   be; then its numbers must make that choice, by a margin, at every position. */
#include <math.h>
#include <string.h>

#include "ordinary/lift/lift.h"
#include "ordinary/lift/lift_margins.h"

/* ---- what is there ---- */

static bool is_empty(const lift_form *f) { return !f->count && f->one == 0; }
static bool is_constant(const lift_form *f) { return !f->count; }

/* A multiple of the start sentinel. */
static bool is_start(const lift *u, const lift_form *f) {
    return f->count == 1 && f->one == 0 && f->terms[0].channel == u->start;
}

static void add_product(lift *u, lift_head *h, uint32_t d, const float *query, const float *key) {
    lift_product p = {.dimension = d, .query = lift_row(u, query), .key = lift_row(u, key)};
    if (is_empty(&p.query) && is_empty(&p.key)) return;
    h->products[h->product_count++] = p;
}

static void add_turn(lift *u, lift_head *h, uint32_t pair, const float *query, const float *key) {
    size_t half = (size_t)u->m->head_size / 2 * u->m->width;
    lift_form q1 = lift_row(u, query), q2 = lift_row(u, query + half), k1 = lift_row(u, key),
              k2 = lift_row(u, key + half);
    if (is_empty(&q1) && is_empty(&q2) && is_empty(&k1) && is_empty(&k2)) return;
    if (!is_constant(&q1)) lift_refuse(u, q1.row, "a pair of dimensions that turns has content in its query");
    if (!is_constant(&q2)) lift_refuse(u, q2.row, "a pair of dimensions that turns has content in its query");
    if (!is_empty(&k2)) lift_refuse(u, k2.row, "a pair of dimensions that turns has a second key");
    if (!is_start(u, &k1) && !(is_constant(&k1) && k1.one != 0))
        lift_refuse(u, k1.row, "a pair of dimensions that turns has content in its key");
    h->turns[h->turn_count++] = (lift_turn){.pair = pair,
                                            .frequency = u->frequencies[pair],
                                            .first = q1.one,
                                            .second = q2.one,
                                            .key = k1,
                                            .key_weight = k1.count ? k1.terms[0].weight : k1.one};
}

static void read_scores(lift *u, lift_head *h) {
    const struct ordinary_model *m = u->m;
    const struct ordinary_layer *l = &m->layers[h->layer - 1];
    size_t at = (size_t)h->slot * m->head_size * m->width;
    uint32_t half = m->head_size / 2;
    h->products = arena_alloc(u->arena, m->head_size, sizeof *h->products);
    h->turns = arena_alloc(u->arena, half, sizeof *h->turns);
    for (uint32_t d = 0; d < m->head_size; d++) {
        const float *query = l->query + at + (size_t)d * m->width, *key = l->key + at + (size_t)d * m->width;
        bool turns = u->frequencies && lift_turns(u, d % half);
        if (!turns)
            add_product(u, h, d, query, key);
        else if (d < half)
            add_turn(u, h, d, query, key);
    }
}

static void read_values(lift *u, lift_head *h) {
    const struct ordinary_model *m = u->m;
    const struct ordinary_layer *l = &m->layers[h->layer - 1];
    size_t inner = (size_t)m->heads * m->head_size, first = (size_t)h->slot * m->head_size;
    h->values = arena_alloc(u->arena, m->head_size, sizeof *h->values);
    for (uint32_t d = 0; d < m->head_size; d++) {
        lift_value v = {.dimension = d, .value = lift_row(u, l->value + (first + d) * m->width)};
        size_t count;
        model_term *terms = lift_writes(u, l->mix + first + d, inner, 0, &count, &v.rest);
        if (!count) { /* a value of 0 is one, too; it then goes nowhere */
            if (!is_empty(&v.value)) lift_refuse(u, v.value.row, "a value goes nowhere");
            continue;
        }
        int exponent;
        v.column = terms[0].channel;
        v.scale = terms[0].weight;
        if (count > 1 || !(v.scale > 0) || frexp(v.scale, &exponent) != 0.5)
            lift_refuse(u, &l->mix[(u->first + terms[count - 1].channel) * inner + first + d],
                        "a value does not go to one column, by a power of two");
        h->values[h->value_count++] = v;
    }
}

/* ---- roles by form ---- */

/* A query that reads a mean. */
static bool reads_mean(const lift *u, const lift_form *f, lift_role role) {
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &u->columns[f->terms[k].channel];
        if (c->writer == LIFT_HEAD && c->mean && u->heads[c->head].role == role) return true;
    }
    return false;
}

static bool all_on_start(const lift *u, const lift_head *h) {
    for (size_t k = 0; k < h->product_count; k++)
        if (!is_start(u, &h->products[k].key) || !is_constant(&h->products[k].query)) return false;
    return true;
}

static bool any_on_start(const lift_head *h) {
    for (size_t k = 0; k < h->turn_count; k++)
        if (h->turns[k].key.count) return true;
    return false;
}

static lift_role role_of(const lift *u, const lift_head *h) {
    size_t count = h->product_count;
    const lift_product *p = h->products;
    if (h->turn_count && any_on_start(h)) return LIFT_WAVE;
    if (h->turn_count) return count ? LIFT_NEAREST : LIFT_YESTERDAY;
    if (!count) return LIFT_MEAN;
    if (reads_mean(u, &p[0].query, LIFT_WEIGHED)) return LIFT_LOOKUP;
    if (count == 1) return reads_mean(u, &p[0].query, LIFT_MEAN) ? LIFT_COMPARE : LIFT_ONCE;
    if (count == 2 && all_on_start(u, h)) return LIFT_WEIGHED;
    bool quarters = count == 4 && is_constant(&p[0].query) && is_constant(&p[1].query) && !is_constant(&p[2].query) &&
                    !is_constant(&p[3].query) && lift_place(u, &p[2].query) && lift_place(u, &p[3].query) &&
                    lift_place(u, &p[2].key) && lift_place(u, &p[3].key);
    return quarters ? LIFT_YESTERDAY : LIFT_NEAREST;
}

static void check_head_reads(const lift *u, const lift_head *h) {
    bool means = h->role == LIFT_COMPARE || h->role == LIFT_LOOKUP;
    for (size_t k = 0; k < h->product_count; k++) {
        lift_check_reads(u, &h->products[k].query, h->layer, means ? LIFT_BY_MEANS : LIFT_BY_HEAD);
        lift_check_reads(u, &h->products[k].key, h->layer, LIFT_BY_HEAD);
    }
    for (size_t k = 0; k < h->value_count; k++) lift_check_reads(u, &h->values[k].value, h->layer, LIFT_BY_HEAD);
}

/* ---- what columns hold ---- */

lift_reach lift_weighed(const lift *u, const lift_head *h, const lift_number *x) {
    double letters = lift_positions(u) - 1, all = 1.01 * letters / (letters + h->weight),
           one = 1.01 / (1 + h->weight);
    return (lift_reach){fmin(x->low, 0) * all + fmin(x->first, 0) * one,
                        fmax(x->high, 0) * all + fmax(x->first, 0) * one};
}

static void weighed_range(const lift *u, const lift_head *h, const lift_value *v, lift_column *c) {
    lift_number x = lift_number_of(u, &v->value);
    lift_reach range = lift_weighed(u, h, &x);
    c->low = range.low;
    c->high = range.high;
}

static void settle_values(lift *u, lift_head *h, size_t number) {
    bool mean = h->role == LIFT_MEAN || h->role == LIFT_WEIGHED;
    for (size_t k = 0; k < h->value_count; k++) {
        const lift_value *v = &h->values[k];
        lift_column *c = &u->columns[v->column];
        c->head = number;
        c->scale = v->scale;
        c->mean = mean;
        c->grain = mean ? 0 : v->scale * lift_grain(u, &v->value);
        lift_range(u, &v->value, &c->low, &c->high);
        if (h->role == LIFT_WEIGHED) weighed_range(u, h, v, c);
        c->low *= v->scale;
        c->high *= v->scale;
        c->start = v->scale * lift_at_start(u, &v->value);
        c->first = h->role == LIFT_YESTERDAY ? lift_at_start(u, &v->value) : NAN;
        c->place = NULL;
        if (!mean && v->scale != 1) lift_refuse(u, v->value.row, "a value that is no mean has a factor");
        if (h->role == LIFT_ONCE && c->grain == 0) c->place = u->zeros; /* nothing is ever found */
        if (h->role == LIFT_WAVE) c->place = lift_wave_place(u, h);
        if (h->role == LIFT_YESTERDAY) {
            double *x = lift_place(u, &v->value);
            if (x) { /* the first position sees itself */
                memmove(x + 1, x, (u->m->positions - 1) * sizeof *x);
                c->place = x;
            }
        }
    }
}

static void read_head(lift *u, uint32_t layer, uint32_t slot) {
    lift_head h = {.layer = layer, .slot = slot};
    read_scores(u, &h);
    read_values(u, &h);
    if (!h.value_count) {
        if (h.product_count) lift_refuse(u, h.products[0].query.row, "a head has scores and no values");
        if (h.turn_count) lift_refuse(u, h.turns[0].key.row, "a head has scores and no values");
        return;
    }
    h.role = role_of(u, &h);
    check_head_reads(u, &h);
    lift_check_margins(u, &h);
    settle_values(u, &h, u->head_count);
    array_push(u->arena, u->heads, u->head_count, u->head_capacity, h);
}

void lift_layer_heads(lift *u, uint32_t layer) {
    for (uint32_t slot = 0; slot < u->m->heads; slot++) read_head(u, layer, slot);
}

/* Columns, heads and steps, each in the first layer that can hold it. A layer is attention and then a net: a head
   reads what earlier layers wrote, a net also what the heads of its own layer wrote. */
#include "ordinary/lower/ordinary_plan.h"

#include <string.h>

void ordinary_form_add(ordinary_plan *p, ordinary_form *f, column_id column, double weight) {
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel == column) {
            f->terms[k].weight += weight;
            return;
        }
    array_push(p->arena, f->terms, f->count, f->capacity, (model_term){column, weight});
}

void ordinary_form_add_form(ordinary_plan *p, ordinary_form *f, const ordinary_form *other, double factor) {
    f->one += factor * other->one;
    for (size_t k = 0; k < other->count; k++)
        ordinary_form_add(p, f, other->terms[k].channel, factor * other->terms[k].weight);
}

column_id plan_column(ordinary_plan *p, ordinary_column c) {
    column_id id = (column_id)p->column_count;
    array_push(p->arena, p->columns, p->column_count, p->column_capacity, c);
    return id;
}

static void need_layer(ordinary_plan *p, uint32_t layer) {
    if (p->slots_capacity <= layer || p->shifts_capacity <= layer) {
        size_t had = p->slots_capacity < p->shifts_capacity ? p->slots_capacity : p->shifts_capacity;
        p->slots_used = arena_grow(p->arena, p->slots_used, &p->slots_capacity, layer + 1, sizeof *p->slots_used);
        p->shifts = arena_grow(p->arena, p->shifts, &p->shifts_capacity, layer + 1, sizeof *p->shifts);
        for (size_t l = had; l < p->slots_capacity; l++) p->slots_used[l] = 0;
        for (size_t l = had; l < p->shifts_capacity; l++) p->shifts[l] = NULL;
    }
    if (layer > p->layer_count) p->layer_count = layer;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The first layer whose heads, or whose net, can read the form. */
static uint32_t form_layer(const ordinary_plan *p, const ordinary_form *f, bool by_net) {
    uint32_t layer = 1;
    for (size_t k = 0; k < f->count; k++) {
        const ordinary_column *c = &p->columns[f->terms[k].channel];
        if (f->terms[k].weight != 0) layer = later(layer, c->layer + !(by_net && c->writer == WRITER_HEAD));
    }
    return layer;
}

/* ---- heads ---- */

static uint32_t free_layer(ordinary_plan *p, uint32_t layer) {
    for (;; layer++) {
        need_layer(p, layer);
        if (p->slots_used[layer] < p->slots) return layer;
    }
}

static ordinary_head *new_head(ordinary_plan *p, ordinary_role role, uint32_t layer) {
    ordinary_head *h = arena_zalloc(p->arena, 1, sizeof *h);
    h->role = role;
    h->layer = layer;
    h->slot = p->slots_used[layer]++;
    h->sign = 1;
    h->label = "";
    array_push(p->arena, p->heads, p->head_count, p->head_capacity, h);
    return h;
}

ordinary_head *plan_head(ordinary_plan *p, ordinary_role role, const ordinary_form *query, const ordinary_form *key,
                         size_t rows, const ordinary_form *values, size_t value_count) {
    uint32_t layer = 1;
    for (size_t r = 0; r < rows; r++) {
        layer = later(layer, form_layer(p, &query[r], false));
        layer = later(layer, form_layer(p, &key[r], false));
    }
    for (size_t v = 0; v < value_count; v++) layer = later(layer, form_layer(p, &values[v], false));
    ordinary_head *h = new_head(p, role, free_layer(p, layer));
    h->query = query;
    h->key = key;
    h->rows = rows;
    return h;
}

bool plan_can_read(const ordinary_plan *p, const ordinary_head *h, const ordinary_form *value) {
    return form_layer(p, value, false) <= h->layer;
}

column_id plan_value(ordinary_plan *p, ordinary_head *h, const ordinary_form *value, const char *label,
                     double scale) {
    column_id c = plan_column(
        p,
        (ordinary_column){
            .label = label, .writer = WRITER_HEAD, .layer = h->layer, .token_channel = UINT32_MAX, .scale = scale});
    size_t count = h->value_count;
    array_push(p->arena, h->outputs, count, h->output_capacity, c);
    array_push(p->arena, h->values, h->value_count, h->value_capacity, *value);
    return c;
}

/* ---- nets ---- */

void plan_step(ordinary_plan *p, const ordinary_form *sum, double at, const model_term *terms, size_t count) {
    uint32_t layer = form_layer(p, sum, true);
    need_layer(p, layer);
    model_term *kept = arena_alloc(p->arena, count, sizeof *kept);
    memcpy(kept, terms, count * sizeof *kept);
    array_push(p->arena, p->steps, p->step_count, p->step_capacity,
               (ordinary_step){.sum = sum, .at = at, .terms = kept, .term_count = count, .layer = layer});
    for (size_t k = 0; k < count; k++) {
        ordinary_column *c = &p->columns[terms[k].channel];
        c->layer = later(c->layer, layer);
    }
}

column_id plan_settle(ordinary_plan *p, column_id raw, const char *label) {
    ordinary_form *sum = arena_zalloc(p->arena, 1, sizeof *sum);
    ordinary_form_add(p, sum, raw, 1);
    ordinary_form_add(p, sum, p->real, 1);
    column_id out = plan_column(
        p, (ordinary_column){.label = label, .writer = WRITER_NET, .token_channel = UINT32_MAX, .scale = 1});
    plan_step(p, sum, 2, &(model_term){out, 1}, 1);
    return out;
}

/* ---- one position before ---- */

/* GPT-2: the score j + 2 cos(pi (i - 1 - j)/2) is largest at j = i - 1, and nowhere else by less than 1 below. In a
   Llama frequencies say it without rows. */
static void add_yesterday(ordinary_plan *p, ordinary_head *h) {
    if (p->options.architecture != ORDINARY_GPT2) return;
    ordinary_form *query = arena_zalloc(p->arena, 4, sizeof *query), *key = arena_zalloc(p->arena, 4, sizeof *key);
    ordinary_form cosine, sine;
    plan_quarter(p, &cosine, &sine);
    query[0].one = 1;
    query[1].one = 1 << ORDINARY_DIGIT;
    ordinary_form_add_form(p, &query[2], &sine, 2);
    ordinary_form_add_form(p, &query[3], &cosine, -2);
    key[0] = plan_digit(p, 0, ORDINARY_DIGIT);
    key[1] = plan_digit(p, ORDINARY_DIGIT, ORDINARY_TOP_DIGIT);
    key[2] = cosine;
    key[3] = sine;
    h->query = query;
    h->key = key;
    h->rows = 4;
}

/* Heads for yesterday are all alike, so that one has room for many values. */
ordinary_head *plan_shift_head(ordinary_plan *p, const ordinary_form *value) {
    uint32_t layer = form_layer(p, value, false);
    for (;; layer++) {
        need_layer(p, layer);
        ordinary_head *h = p->shifts[layer];
        if (h && h->value_count < p->head_size) return h;
        if (p->slots_used[layer] < p->slots) break;
    }
    ordinary_head *h = new_head(p, ORDINARY_YESTERDAY, layer);
    h->label = "yesterday";
    add_yesterday(p, h);
    p->shifts[layer] = h;
    return h;
}

static column_id shifted_column(ordinary_plan *p, column_id c) {
    size_t had = p->shifted_capacity;
    if (c >= had) {
        p->shifted = arena_grow(p->arena, p->shifted, &p->shifted_capacity, c + 1, sizeof *p->shifted);
        for (size_t k = had; k < p->shifted_capacity; k++) p->shifted[k] = NO_COLUMN;
    }
    if (p->shifted[c] != NO_COLUMN) return p->shifted[c];
    ordinary_column from = p->columns[c];
    column_id made;
    if (from.writer == WRITER_EMBEDDING && from.token_channel == UINT32_MAX) {
        from.shift++;
        made = plan_column(p, from);
    } else {
        ordinary_form value = {0};
        ordinary_form_add(p, &value, c, 1);
        ordinary_head *h = plan_shift_head(p, &value);
        made = plan_settle(p, plan_value(p, h, &value, from.label, 1), from.label);
    }
    p->shifted[c] = made;
    return made;
}

ordinary_form plan_shifted(ordinary_plan *p, const ordinary_form *f) {
    ordinary_form out = {0};
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].weight != 0)
            ordinary_form_add(p, &out, shifted_column(p, f->terms[k].channel), f->terms[k].weight);
    if (f->one != 0) ordinary_form_add(p, &out, p->real, f->one);
    return out;
}

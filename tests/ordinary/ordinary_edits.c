#include "ordinary_edits.h"

#include <math.h>
#include <string.h>

#include "ordinary_after_dead.h"

enum { PIN, COUNTER_PIN, GROUND, BALANCE };

typedef struct editing {
    struct ordinary_model *m;
    struct ordinary_options *claim;
    const lift *u;
    test_random *r;
    text *what;
} editing;

static uint64_t draw(editing *e, uint64_t limit) { return random_below(e->r, limit); }

/* ---- small things ---- */

/* Rows of the model are const for whoever undoes it. */
static float *row_of(const editing *e, const lift_form *f) {
    const struct ordinary_model *m = e->m;
    union {
        const float *from;
        float *to;
    } same = {f->row};
    (void)m;
    return same.to;
}

static double power(int exponent) { return ldexp(1, exponent); }

/* 1/4 to 4 or a power of two, or a number beside 1. */
static double factor(editing *e) {
    switch (draw(e, 4)) {
    case 0: return power((int)draw(e, 41) - 20);
    case 1: return (double)(1 + draw(e, 64)) / 16;
    case 2: return 1 + power(-(int)draw(e, 24)) * (draw(e, 2) ? 1 : -1);
    default: return power((int)draw(e, 7) - 3);
    }
}

static void scale_row(const editing *e, float *row, double by) {
    for (uint32_t c = 0; c < e->m->width; c++) row[c] = (float)((double)row[c] * by);
}

/* A GPT-2's ground has minus the sum of the others. */
static void settle_ground(const editing *e, float *row) {
    double sum = 0;
    if (e->m->architecture != ORDINARY_GPT2) return;
    for (uint32_t c = e->u->first; c < e->m->width; c++) sum += (double)row[c];
    row[GROUND] = (float)-sum;
}

static void settle_zero_sums(const editing *e, float *entries, size_t stride) {
    double sum = 0;
    if (e->m->architecture != ORDINARY_GPT2) return;
    for (uint32_t c = e->u->first; c < e->m->width; c++) sum += (double)entries[c * stride];
    for (uint32_t c = BALANCE; c < e->u->first; c++) entries[c * stride] = (float)(-sum / e->u->zero_sums);
}

static const lift_head *any_head(editing *e) { return &e->u->heads[draw(e, e->u->head_count)]; }

static uint32_t any_column(editing *e) { return (uint32_t)draw(e, e->u->column_count); }

static struct ordinary_layer *layer_of(const editing *e, const lift_head *h) { return &e->m->layers[h->layer - 1]; }

/* The row of a matrix of a head. */
static float *head_row(const editing *e, float *matrix, const lift_head *h, uint32_t d) {
    return matrix + ((size_t)h->slot * e->m->head_size + d) * e->m->width;
}

static void swap_rows(float *x, float *y, size_t count, size_t stride) {
    for (size_t k = 0; k < count; k++) {
        float z = x[k * stride];
        x[k * stride] = y[k * stride];
        y[k * stride] = z;
    }
}

/* ---- scores ---- */

/* A factor goes from a key to its query, or beyond. */
static void balance_product(editing *e) {
    const lift_head *h = any_head(e);
    uint32_t d = (uint32_t)draw(e, e->m->head_size), half = e->m->head_size / 2;
    if (h->product_count && draw(e, 3))
        d = h->products[draw(e, h->product_count)].dimension;
    else if (h->turn_count)
        d = h->turns[draw(e, h->turn_count)].pair;
    int most = draw(e, 4) ? 30 : 125; /* that is about as far as f32 goes */
    double by = draw(e, 2) ? power((int)draw(e, 2 * (uint64_t)most + 1) - most) : factor(e),
           back = draw(e, 4) ? 1 / by : factor(e);
    bool turns = e->u->frequencies && lift_turns(e->u, d % half);
    scale_row(e, head_row(e, layer_of(e, h)->query, h, d), by);
    scale_row(e, head_row(e, layer_of(e, h)->key, h, d), back);
    if (turns && d + half < e->m->head_size) scale_row(e, head_row(e, layer_of(e, h)->query, h, d + half), by);
    text_printf(e->what, "; %s %u.%u dimension %u: query by %g, key by %g", lift_role_name(h->role), h->layer,
                h->slot + 1, d, by, back);
}

/* All scores of a head. */
static void scale_scores(editing *e) {
    const lift_head *h = any_head(e);
    double by = factor(e);
    bool key = draw(e, 2);
    float *matrix = key ? layer_of(e, h)->key : layer_of(e, h)->query;
    for (uint32_t d = 0; d < e->m->head_size; d++) scale_row(e, head_row(e, matrix, h, d), by);
    text_printf(e->what, "; %s %u.%u: all %s by %g", lift_role_name(h->role), h->layer, h->slot + 1,
                key ? "keys" : "queries", by);
}

/* Only some dimensions: content against digits. */
static void scale_content(editing *e) {
    const lift_head *h = any_head(e);
    double by = factor(e);
    if (!h->content) return;
    for (size_t k = 0; k < h->content; k++)
        scale_row(e, head_row(e, layer_of(e, h)->query, h, h->products[k].dimension), by);
    text_printf(e->what, "; %s %u.%u: content by %g", lift_role_name(h->role), h->layer, h->slot + 1, by);
}

static void swap_dimensions(editing *e) {
    const lift_head *h = any_head(e);
    uint32_t half = e->m->head_size / 2, a = (uint32_t)draw(e, e->m->head_size), b = (a + half) % e->m->head_size;
    if (h->product_count) a = h->products[draw(e, h->product_count)].dimension;
    if (h->product_count > 1 && draw(e, 2)) /* to the partner of another product */
        b = (h->products[draw(e, h->product_count)].dimension + half) % e->m->head_size;
    else if (draw(e, 2))
        b = (uint32_t)draw(e, e->m->head_size);
    struct ordinary_layer *l = layer_of(e, h);
    swap_rows(head_row(e, l->query, h, a), head_row(e, l->query, h, b), e->m->width, 1);
    swap_rows(head_row(e, l->key, h, a), head_row(e, l->key, h, b), e->m->width, 1);
    text_printf(e->what, "; %s %u.%u: dimensions %u and %u swapped", lift_role_name(h->role), h->layer, h->slot + 1,
                a, b);
}

/* Two products of one pair, with factors that go opposite ways. */
static void pair_products(editing *e) {
    const lift_head *h = any_head(e);
    uint32_t half = e->m->head_size / 2;
    if (h->product_count < 2) return;
    uint32_t k = (uint32_t)draw(e, h->product_count), j = (uint32_t)draw(e, h->product_count);
    uint32_t a = h->products[k].dimension, to = (h->products[j].dimension + half) % e->m->head_size;
    if (k == j) return;
    struct ordinary_layer *l = layer_of(e, h);
    double by = power((int)draw(e, 13)), back = 1 / by;
    scale_row(e, head_row(e, l->query, h, a), by);
    scale_row(e, head_row(e, l->key, h, a), back);
    scale_row(e, head_row(e, l->query, h, h->products[j].dimension), back);
    scale_row(e, head_row(e, l->key, h, h->products[j].dimension), by);
    if (a != to) {
        swap_rows(head_row(e, l->query, h, a), head_row(e, l->query, h, to), e->m->width, 1);
        swap_rows(head_row(e, l->key, h, a), head_row(e, l->key, h, to), e->m->width, 1);
    }
    text_printf(e->what, "; %s %u.%u: dimension %u to %u, by %g", lift_role_name(h->role), h->layer, h->slot + 1, a,
                to, by);
}

/* A factor goes from what a weighed mean writes to the look-ups that read it, or to some of them. */
static void scale_weighed(editing *e) {
    double by = power((int)draw(e, 17) - 8);
    size_t inner = (size_t)e->m->heads * e->m->head_size;
    uint32_t column = UINT32_MAX;
    for (int tries = 0; tries < 50 && column == UINT32_MAX; tries++) {
        const lift_head *h = any_head(e);
        if (h->role != LIFT_WEIGHED) continue;
        const lift_value *v = &h->values[draw(e, h->value_count)];
        float *mix = layer_of(e, h)->mix + (size_t)h->slot * e->m->head_size + v->dimension;
        for (uint32_t c = 0; c < e->m->width; c++) mix[c * inner] = (float)((double)mix[c * inner] * by);
        column = v->column;
    }
    for (size_t k = 0; k < e->u->head_count && column != UINT32_MAX; k++)
        for (size_t j = 0; e->u->heads[k].role == LIFT_LOOKUP && j < e->u->heads[k].product_count; j++) {
            const lift_form *q = &e->u->heads[k].products[j].query;
            if (q->count && q->terms[0].channel == column && draw(e, 12)) scale_row(e, row_of(e, q), 1 / by);
        }
    text_printf(e->what, "; weighed mean of column %u by %g", column, by);
}

/* A column that nobody wrote: a table of positions is at least 1, and twice the table, by two steps that cancel out;
   it is read by a head, or has a product of its own in a look-up. */
static void add_returning(editing *e) {
    uint32_t to = any_column(e), from = any_column(e), unit = 4 * (uint32_t)draw(e, e->m->hidden / 4);
    const lift_head *h = any_head(e);
    for (int tries = 0; tries < 300 && e->u->columns[to].writer != LIFT_NOBODY; tries++) to = any_column(e);
    for (int tries = 0; tries < 300 && !(e->u->columns[from].place && e->u->columns[from].grain > 0); tries++)
        from = any_column(e);
    if (h->layer < 2 || e->u->columns[to].writer != LIFT_NOBODY || !(e->u->columns[from].grain > 0)) return;
    struct ordinary_layer *l = &e->m->layers[h->layer - 2];
    double times[2] = {(double)(1 + draw(e, 8)), (double)(1 + draw(e, 8))}, weight = power((int)draw(e, 9) - 4);
    for (uint32_t k = 0; k < 4; k++) {
        float *row = (l->gate ? l->gate : l->up) + (size_t)(unit + k) * e->m->width, *entries = l->down + unit + k;
        for (uint32_t c = 0; c < e->m->width; c++) row[c] = entries[(size_t)c * e->m->hidden] = 0;
        row[e->u->first + from] = (float)(2 * LIFT_GATE / e->u->columns[from].grain * times[k / 2]);
        row[PIN] = (float)(-LIFT_GATE / 2 - (k % 2 ? LIFT_GATE : 0));
        settle_ground(e, row);
        for (uint32_t c = 0; l->gate && c < e->m->width; c++) l->up[(size_t)(unit + k) * e->m->width + c] = c == PIN;
        entries[(size_t)(e->u->first + to) * e->m->hidden] =
            (float)((k == 0 || k == 3 ? weight : -weight) / LIFT_GATE);
        settle_zero_sums(e, entries, e->m->hidden);
    }
    float *row = row_of(e, &h->values[draw(e, h->value_count)].value);
    if (h->product_count && draw(e, 3)) row = row_of(e, &h->products[draw(e, h->product_count)].key);
    uint32_t d = (uint32_t)draw(e, e->m->head_size);
    if (h->role == LIFT_LOOKUP && draw(e, 2)) {
        const float *query = h->products[draw(e, h->product_count)].query.row;
        memcpy(head_row(e, layer_of(e, h)->query, h, d), query, e->m->width * sizeof *query);
        row = head_row(e, layer_of(e, h)->key, h, d);
    }
    row[e->u->first + to] = (float)power((int)draw(e, 31) - 15);
    settle_ground(e, row);
    text_printf(e->what, "; %s %u.%u reads column %u, which units %u of the layer before take back to 0",
                lift_role_name(h->role), h->layer, h->slot + 1, to, unit + 1);
}

static void swap_heads(editing *e) {
    const lift_head *h = any_head(e);
    uint32_t other = (uint32_t)draw(e, e->m->heads);
    struct ordinary_layer *l = layer_of(e, h);
    size_t size = e->m->head_size, inner = size * e->m->heads, block = size * e->m->width;
    swap_rows(l->query + h->slot * block, l->query + other * block, block, 1);
    swap_rows(l->key + h->slot * block, l->key + other * block, block, 1);
    bool all = draw(e, 4);
    if (all) {
        swap_rows(l->value + h->slot * block, l->value + other * block, block, 1);
        for (uint32_t c = 0; c < e->m->width; c++)
            swap_rows(l->mix + c * inner + h->slot * size, l->mix + c * inner + other * size, size, 1);
    }
    text_printf(e->what, "; heads %u and %u of layer %u swapped%s", h->slot + 1, other + 1, h->layer,
                all ? "" : ", but for values");
}

/* ---- values and steps ---- */

/* Weights of a unit, and of its partner; the constant so that the step is at `at`. */
static void put_step(const editing *e, const lift_step *s, double by, uint32_t column, double weight, double at) {
    struct ordinary_layer *l = &e->m->layers[s->layer - 1];
    float *rows = (l->gate ? l->gate : l->up) + (size_t)s->unit * e->m->width;
    for (int k = 0; k < 2; k++, rows += e->m->width) {
        scale_row(e, rows, by);
        if (column != UINT32_MAX) rows[e->u->first + column] = (float)weight;
        settle_ground(e, rows);
        rows[PIN] = (float)((0.75 - at) * 2 * LIFT_GATE - (k ? LIFT_GATE : 0));
    }
}

static bool reads(const lift_step *s, uint32_t column, double *weight) {
    for (size_t k = 0; k < s->sum.count; k++)
        if (s->sum.terms[k].channel == column) {
            *weight = s->sum.terms[k].weight;
            return true;
        }
    return false;
}

/* A value is multiplied, and those who read it divide: by the weights of their steps, or by where these are. */
static void scale_value(editing *e) {
    const lift_head *h = any_head(e);
    const lift_value *v = &h->values[draw(e, h->value_count)];
    double by = draw(e, 2) ? power((int)draw(e, 33) - 16) : (double)(1 + draw(e, 12)), weight;
    bool in_sums = draw(e, 2), once = h->role == LIFT_ONCE;
    float *row = row_of(e, &v->value);
    scale_row(e, row, by);
    if (once) scale_row(e, head_row(e, layer_of(e, h)->key, h, h->products[0].dimension), by);
    if (once && draw(e, 2)) scale_row(e, head_row(e, layer_of(e, h)->query, h, h->products[0].dimension), 1 / by);
    if (once && draw(e, 2)) { /* another candidate, that is worth less */
        uint32_t c = any_column(e);
        double grain = lift_grain(e->u, &h->products[0].key);
        if (row[e->u->first + c] == 0) {
            float *key = head_row(e, layer_of(e, h)->key, h, h->products[0].dimension);
            row[e->u->first + c] = 1;
            key[e->u->first + c] = (float)grain;
            settle_ground(e, row);
            settle_ground(e, key);
            text_printf(e->what, "; beside column %u", c);
        }
    }
    if (h->role == LIFT_MEAN && draw(e, 2)) {
        float *mix = layer_of(e, h)->mix + (size_t)h->slot * e->m->head_size + v->dimension;
        for (uint32_t c = 0; c < e->m->width; c++) {
            float *x = &mix[(size_t)c * e->m->heads * e->m->head_size];
            *x = (float)((double)*x / by);
        }
    }
    for (size_t k = 0; k < e->u->step_count; k++)
        if (reads(&e->u->steps[k], v->column, &weight)) {
            if (in_sums)
                put_step(e, &e->u->steps[k], 1, v->column, weight / by, e->u->steps[k].at);
            else
                put_step(e, &e->u->steps[k], by, v->column, weight, by * e->u->steps[k].at);
        }
    text_printf(e->what, "; %s %u.%u: value %u by %g, %s", lift_role_name(h->role), h->layer, h->slot + 1,
                v->dimension, by, in_sums ? "weights of steps by its inverse" : "steps at as many times");
}

static const lift_head *head_with(editing *e, lift_role role) {
    for (int tries = 0; tries < 50; tries++) {
        const lift_head *h = any_head(e);
        if (h->role == role) return h;
    }
    return NULL;
}

/* A factor goes from what a mean writes to the query of who compares it. */
static void scale_mean(editing *e) {
    const lift_head *h = head_with(e, LIFT_COMPARE);
    if (!h) return;
    const lift_head *mean = &e->u->heads[h->of];
    uint32_t column = h->products[0].query.terms[0].channel;
    double by = power((int)draw(e, 29) - 14), back = draw(e, 3) ? 1 / by : 1;
    size_t inner = (size_t)e->m->heads * e->m->head_size;
    for (size_t v = 0; v < mean->value_count; v++) {
        if (mean->values[v].column != column) continue;
        float *mix = layer_of(e, mean)->mix + (size_t)mean->slot * e->m->head_size + mean->values[v].dimension;
        for (uint32_t c = 0; c < e->m->width; c++) mix[c * inner] = (float)((double)mix[c * inner] * by);
    }
    scale_row(e, row_of(e, &h->products[0].query), back);
    text_printf(e->what, "; mean %u.%u by %g, its comparison by %g", mean->layer, mean->slot + 1, by, back);
}

/* Other numbers are added up: a constant, a factor of letters, and what the start sentinel has. */
static void change_mean(editing *e) {
    const lift_head *h = head_with(e, LIFT_MEAN);
    if (!h) return;
    const lift_value *v = &h->values[draw(e, h->value_count)];
    float *row = row_of(e, &v->value);
    double constant = (double)draw(e, 5) - 2, by = (double)(1 + draw(e, 4)), start = ((double)draw(e, 9) - 4) / 2;
    scale_row(e, row, by);
    row[PIN] = (float)constant;
    row[e->u->first + e->u->start] = (float)(start - constant);
    settle_ground(e, row);
    text_printf(e->what, "; mean %u.%u: letters by %g and %g, start %g", h->layer, h->slot + 1, by, constant, start);
}

static void move_step(editing *e) {
    if (!e->u->step_count) return;
    const lift_step *s = &e->u->steps[draw(e, e->u->step_count)];
    double at = s->at + (double)draw(e, 5) - 2, by = (double)(1 + draw(e, 2) * draw(e, 1000));
    uint32_t column = draw(e, 2) ? any_column(e) : UINT32_MAX;
    double weight = 2 * LIFT_GATE * ((double)draw(e, 5) - 2) * (draw(e, 2) ? 1 : power(-(int)draw(e, 9)));
    put_step(e, s, by, column, weight, by * at);
    text_printf(e->what, "; units %u of layer %u: by %g at %g, column %u by %g", s->unit + 1, s->layer, by, at,
                column, weight);
}

static void swap_units(editing *e) {
    struct ordinary_layer *l = &e->m->layers[draw(e, e->m->layer_count)];
    uint32_t pairs = e->m->hidden / 2, a = 2 * (uint32_t)draw(e, pairs), b = 2 * (uint32_t)draw(e, pairs);
    for (uint32_t k = 0; k < 2; k++) {
        size_t x = (size_t)(a + k) * e->m->width, y = (size_t)(b + k) * e->m->width;
        swap_rows(l->up + x, l->up + y, e->m->width, 1);
        if (l->gate) swap_rows(l->gate + x, l->gate + y, e->m->width, 1);
        swap_rows(l->down + a + k, l->down + b + k, e->m->width, e->m->hidden);
    }
    text_printf(e->what, "; units %u and %u swapped", a + 1, b + 1);
}

/* What a step adds to a column. */
static void change_write(editing *e) {
    if (!e->u->step_count) return;
    const lift_step *s = &e->u->steps[draw(e, e->u->step_count)];
    struct ordinary_layer *l = &e->m->layers[s->layer - 1];
    uint32_t column = draw(e, 2) ? s->terms[draw(e, s->count)].channel : any_column(e);
    double weight = ((double)draw(e, 9) - 4) * (draw(e, 2) ? 1 : power((int)draw(e, 20) - 10));
    for (int k = 0; k < 2; k++) {
        float *entries = l->down + s->unit + k;
        entries[(size_t)(e->u->first + column) * e->m->hidden] = (float)((k ? -weight : weight) / LIFT_GATE);
        settle_zero_sums(e, entries, e->m->hidden);
    }
    text_printf(e->what, "; units %u of layer %u write %g to column %u", s->unit + 1, s->layer, weight, column);
}

/* ---- any row that reads ---- */

static float *any_row(editing *e) {
    struct ordinary_layer *l = &e->m->layers[draw(e, e->m->layer_count)];
    const lift_head *h = any_head(e);
    if (draw(e, 6) == 0) return e->m->output + draw(e, e->m->vocabulary) * e->m->width;
    if (h->product_count && draw(e, 2)) {
        const lift_product *p = &h->products[draw(e, h->product_count)];
        return row_of(e, draw(e, 2) ? &p->query : &p->key);
    }
    if (draw(e, 2)) return row_of(e, &h->values[draw(e, h->value_count)].value);
    return (l->gate ? l->gate : l->up) + draw(e, e->m->hidden) * e->m->width;
}

static void change_term(editing *e) {
    float *row = any_row(e);
    uint32_t c = draw(e, 6) ? e->u->first + any_column(e) : PIN;
    for (int tries = 0; tries < 200 && row[c] == 0 && draw(e, 40); tries++) c = e->u->first + any_column(e);
    double before = (double)row[c];
    row[c] = (float)(before == 0 ? power((int)draw(e, 30) - 15) * (draw(e, 2) ? 1 : -1) : before * factor(e));
    settle_ground(e, row);
    text_printf(e->what, "; a weight of column %u from %g to %g", c, before, (double)row[c]);
}

/* What is 0 but where <dead> is: no string of letters shows it. */
static void see_dead(editing *e) {
    double by = power((int)draw(e, 41) - 8) * (draw(e, 2) ? 1 : -1);
    if (e->u->step_count && draw(e, 2)) {
        const lift_step *s = &e->u->steps[draw(e, e->u->step_count)];
        float *row = row_of(e, &s->sum);
        by = rint(by * 16) * 2 * LIFT_GATE;
        after_dead_add(e->m, e->u, row, by);
        after_dead_add(e->m, e->u, row + e->m->width, by);
    } else {
        after_dead_add(e->m, e->u, any_row(e), by);
    }
    text_printf(e->what, "; %g more at <dead>", by);
}

/* Everything that reads a column divides what everything that writes it multiplies. */
static void scale_column(editing *e) {
    uint32_t c = any_column(e), at = e->u->first + c;
    const lift_column *k = &e->u->columns[c];
    double by = power((int)draw(e, 13) - 6);
    size_t inner = (size_t)e->m->heads * e->m->head_size;
    if (k->writer == LIFT_TOKEN || k->writer == LIFT_NOBODY || k->writer == LIFT_HEAD) return;
    for (uint32_t i = 0; k->writer == LIFT_TABLE && i < e->m->positions; i++) {
        float *row = e->m->position_embedding + (size_t)i * e->m->width;
        row[at] = (float)((double)row[at] * by);
        settle_zero_sums(e, row, 1);
    }
    for (uint32_t l = 0; l < e->m->layer_count; l++) {
        struct ordinary_layer *x = &e->m->layers[l];
        for (uint32_t u = 0; u < e->m->hidden; u++) {
            x->down[(size_t)at * e->m->hidden + u] = (float)((double)x->down[(size_t)at * e->m->hidden + u] * by);
            settle_zero_sums(e, x->down + u, e->m->hidden);
            float *row = (x->gate ? x->gate : x->up) + (size_t)u * e->m->width;
            row[at] = (float)((double)row[at] / by);
            settle_ground(e, row);
        }
        float *all[3] = {x->query, x->key, x->value};
        for (int j = 0; j < 3; j++)
            for (size_t d = 0; d < inner; d++) {
                float *row = all[j] + d * e->m->width;
                row[at] = (float)((double)row[at] / by);
                settle_ground(e, row);
            }
    }
    for (uint32_t t = 0; t < e->m->vocabulary; t++) {
        float *row = e->m->output + (size_t)t * e->m->width;
        row[at] = (float)((double)row[at] / by);
        settle_ground(e, row);
    }
    text_printf(e->what, "; column %u by %g", c, by);
}

static void change_place(editing *e) {
    if (!e->m->position_embedding) return;
    uint32_t c = any_column(e), i = (uint32_t)draw(e, e->m->positions);
    for (int tries = 0; tries < 300 && e->u->columns[c].writer != LIFT_TABLE; tries++) c = any_column(e);
    float *row = e->m->position_embedding + (size_t)i * e->m->width;
    double before = (double)row[e->u->first + c];
    row[e->u->first + c] = (float)(draw(e, 2) ? before + (double)draw(e, 5) - 2 : before * factor(e));
    settle_zero_sums(e, row, 1);
    text_printf(e->what, "; position %u of column %u from %g to %g", i, c, before, (double)row[e->u->first + c]);
}

/* ---- settings ---- */

static void change_length(editing *e) {
    uint32_t limit = e->m->architecture == ORDINARY_GPT2 ? e->m->positions : 4 * e->m->positions;
    uint32_t most = limit < 700 || e->m->architecture == ORDINARY_GPT2 ? limit : 700;
    e->m->positions = 1 + (uint32_t)draw(e, most);
    e->claim->length = e->m->positions - 1;
    text_printf(e->what, "; %u positions", e->m->positions);
}

static void change_claim(editing *e) {
    if (draw(e, 4))
        e->claim->kv = e->claim->kv == ORDINARY_F16 ? ORDINARY_F32 : ORDINARY_F16;
    else
        e->claim->weights = e->claim->weights == ORDINARY_F16 ? ORDINARY_F32 : ORDINARY_F16;
    text_printf(e->what, "; another type is claimed");
}

static void change_settings(editing *e) {
    struct ordinary_model *m = e->m;
    if (m->architecture == ORDINARY_GPT2 || draw(e, 3) == 0) {
        m->epsilon = draw(e, 3) ? m->epsilon * factor(e) : 1e-5;
        text_printf(e->what, "; epsilon %g", m->epsilon);
        return;
    }
    uint32_t pair = (uint32_t)draw(e, m->head_size / 2);
    if (!m->rope_factors || draw(e, 3) == 0) {
        m->rope_base = (double)(float)(m->rope_base * factor(e));
        text_printf(e->what, "; base %g", m->rope_base);
        return;
    }
    m->rope_factors[pair] = (float)((double)m->rope_factors[pair] * factor(e));
    text_printf(e->what, "; factor %u is %g", pair, (double)m->rope_factors[pair]);
}

/* A pair of a Llama turns as one of a ramp, once around in a whole number of positions, or hardly; or all turn as
   they did, by another base. */
static void change_turning(editing *e) {
    static const double AROUND = 6.28318530717958647692;
    struct ordinary_model *m = e->m;
    uint32_t half = m->head_size / 2, pair = (uint32_t)draw(e, half);
    if (!m->rope_factors) return;
    if (draw(e, 4) == 0) m->rope_base = (double)(float)power((int)draw(e, 270) - 140);
    double turn = pow(lift_positions(e->u), -(double)pair / 4);
    if (draw(e, 3) == 0) turn = AROUND / (double)(2 + draw(e, 2 * (uint64_t)m->positions));
    if (draw(e, 3) == 0) turn = power(-31);
    for (uint32_t k = 0; k < half; k++) {
        double is = k == pair ? turn : e->u->frequencies[k];
        m->rope_factors[k] = (float)(pow(m->rope_base, -2.0 * k / m->head_size) / is);
    }
    text_printf(e->what, "; base %g, pair %u turns by %g", m->rope_base, pair, turn);
}

/* Any number of any tensor. */
static void change_number(editing *e) {
    ordinary_tensors all = ordinary_tensors_make(e->m, ORDINARY_GGUF, e->u->arena);
    const ordinary_tensor *x = &all.all[draw(e, all.count)];
    uint64_t shape[2];
    float *at;
    int tries = 0;
    ordinary_tensor_shape(shape, x);
    do at = ordinary_tensor_at(x, draw(e, shape[0]), draw(e, shape[1]));
    while (tries++ < 300 && at && *at == 0 && draw(e, 30));
    if (!at) return;
    float old = *at;
    switch (draw(e, 8)) {
    case 0: *at = old == 0 ? 1 : 0; break;
    case 1: *at = old == 0 ? 0x1p-10f : -old; break;
    case 2: *at = old == 0 ? -1 : 2 * old; break;
    case 3: *at = old == 0 ? 64 : old * (1 + 0x1p-9f); break;
    case 4: *at = nextafterf(old, draw(e, 2) ? INFINITY : -INFINITY); break;
    case 5: *at = old == 0 ? 0x1p-140f : old * 0x1p-60f; break;
    case 6: *at = old == 0 ? -0.0f : old * 16384; break;
    default: *at = old == 0 ? -256 : old + 1; break;
    }
    text_printf(e->what, "; a number of %s from %g to %g", x->name, (double)old, (double)*at);
}

void ordinary_edit(struct ordinary_model *m, struct ordinary_options *claim, const lift *u, test_random *r,
                   text *what) {
    static void (*const edits[])(editing *) = {
        balance_product, balance_product, scale_scores,   scale_content, swap_dimensions, swap_heads,
        scale_value,     scale_value,     scale_value,    move_step,     swap_units,      change_write,
        change_term,     change_term,     scale_column,   change_place,  change_length,   change_claim,
        change_settings, change_number,   scale_mean,     change_mean,   pair_products,   scale_weighed,
        add_returning,   change_turning,  change_turning, see_dead,      see_dead,        see_dead};
    editing e = {m, claim, u, r, what};
    if (!u->head_count) return;
    edits[random_below(r, sizeof edits / sizeof *edits)](&e);
}

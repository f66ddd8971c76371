#include "facts/facts.h"

#include <math.h>

#include "number/upward.h"

void subject_model_init(subject_model *s, const temper_model *m, arena *a) {
    s->model = m;
    s->bundles = arena_zalloc(a, m->layer_count, sizeof *s->bundles);
    for (uint32_t l = 0; l < m->layer_count; l++) bundles_find(&s->bundles[l], &m->layers[l], a);
}

/* ---- one quantity ---- */

static known *new_known(arena *a, size_t count) {
    known *k = arena_alloc(a, count, sizeof *k);
    for (size_t c = 0; c < count; c++) k[c] = (known){INFINITY, -INFINITY, GRID_ANY};
    return k;
}

int rational_grid(const rational *x) {
    long k;
    if (rational_is_zero(x)) return GRID_ANY;
    return rational_power_of_two_part(&k, x) && k > GRID_NONE ? (int)k : GRID_NONE;
}

void known_add_interval(known *k, const rational *lo, const rational *hi, int grid) {
    k->lo = fmin(k->lo, rational_below(lo));
    k->hi = fmax(k->hi, rational_above(hi));
    if (grid < k->grid) k->grid = grid;
}

void known_add(known *k, const rational *x) { known_add_interval(k, x, x, rational_grid(x)); }

void bundle_facts_add_interval(bundle_facts *to, const bundle *b, const rational *lo, const rational *hi, int grid) {
    known_add_interval(&to->input, lo, hi, grid);
    double least = rational_below(lo), most = rational_above(hi);
    for (uint32_t p = 0; p <= b->corner_count; p++) {
        double away = fmax(bundle_piece_left(b, p) - most, least - bundle_piece_right(b, p));
        to->distance[p] = fmin(to->distance[p], away > 0 ? next_down(away) : 0);
    }
}

void bundle_facts_add(bundle_facts *to, const bundle *b, const rational *x) {
    bundle_facts_add_interval(to, b, x, x, rational_grid(x));
}

/* ---- a length ---- */

static void begin_bundle(bundle_facts *to, const bundle *b, arena *a) {
    to->input = (known){INFINITY, -INFINITY, GRID_ANY};
    to->distance = arena_alloc(a, b->corner_count + 1, sizeof *to->distance);
    for (uint32_t p = 0; p <= b->corner_count; p++) to->distance[p] = INFINITY;
}

facts *facts_new(const subject_model *s, size_t n, arena *a) {
    const temper_model *m = s->model;
    facts *f = arena_zalloc(a, 1, sizeof *f);
    f->n = n;
    f->size = n + 1 + m->has_end;
    f->margin = f->margin_everywhere = INFINITY;
    f->after = new_known(a, m->channel_count);
    f->layers = arena_zalloc(a, m->layer_count, sizeof *f->layers);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        layer_facts *to = &f->layers[l];
        to->before = new_known(a, m->channel_count);
        to->middle = new_known(a, m->channel_count);
        to->heads = arena_zalloc(a, layer->head_count, sizeof *to->heads);
        for (uint32_t h = 0; h < layer->head_count; h++)
            to->heads[h] = (head_facts){.uniform = true,
                                        .tieless = true,
                                        .gap = INFINITY,
                                        .log2_gap = INFINITY,
                                        .query = new_known(a, layer->heads[h].query.count),
                                        .key = new_known(a, layer->heads[h].key.count),
                                        .value = new_known(a, layer->heads[h].value.count),
                                        .output = new_known(a, layer->heads[h].value.count)};
        to->bundles = arena_zalloc(a, s->bundles[l].count, sizeof *to->bundles);
        for (uint32_t b = 0; b < s->bundles[l].count; b++) begin_bundle(&to->bundles[b], &s->bundles[l].items[b], a);
    }
    return f;
}

bool head_is_zero(const model_head *h) {
    for (uint32_t d = 0; d < h->query.count; d++)
        if (rows_size(&h->query, d) && rows_size(&h->key, d)) return false;
    return true;
}

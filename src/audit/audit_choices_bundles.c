/* Units that read the same row up to a factor +-2^k are one piecewise linear function of one number
   (doc/certificate.md, "The file for hard choices"). */
#include <math.h>
#include <stdlib.h>

#include "audit/audit_choices_facts.h"
#include "model/expression_rational.h"

enum { RATIO_MOST = 500 };

/* +-2^k with row y = ratio * row x, else 0. */
static double ratio_between(const model_rows *rows, size_t x, size_t y) {
    size_t size = rows_size(rows, x);
    const model_term *p = rows_begin_of(rows, x), *q = rows_begin_of(rows, y);
    if (rows_size(rows, y) != size) return 0;
    if (size == 0) return 0; /* units without inputs are bundles of their own */
    double ratio = q[0].weight / p[0].weight;
    int e;
    if (!isfinite(ratio) || ratio == 0 || fabs(frexp(ratio, &e)) != 0.5 || abs(e - 1) > RATIO_MOST) return 0;
    for (size_t k = 0; k < size; k++) /* a product with a power of two that is rounded is caught by dividing back */
        if (p[k].channel != q[k].channel || p[k].weight * ratio != q[k].weight || q[k].weight / ratio != p[k].weight)
            return 0;
    return ratio;
}

static bool corner_is_exact(double bias, double ratio) {
    double corner = -bias / ratio;
    return isfinite(corner) && corner * ratio == -bias;
}

static void add_unit(hard_choices *g, bundle_claim *b, uint32_t unit, double ratio) {
    array_push(g->audit->arena, b->units, b->count, b->capacity, unit);
    array_push(g->audit->arena, b->ratio, b->ratio_count, b->ratio_capacity, ratio);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void close_bundle(hard_choices *g, bundle_claim *b) {
    const model_layer *layer = &g->model->layers[b->layer - 1];
    arena *a = g->audit->arena;
    model_rows *row = arena_zalloc(a, 1, sizeof *row);
    row->count = 1;
    row->start = arena_zalloc(a, 2, sizeof *row->start);
    row->start[1] = (uint32_t)rows_size(&layer->in, b->units[0]);
    row->terms = layer->in.terms + layer->in.start[b->units[0]];
    b->row = exact_rows_make(&g->pool, row);
    b->factor = rational_array(&g->pool, b->count);
    b->bias = rational_array(&g->pool, b->count);
    b->weight = arena_alloc(a, b->count, sizeof *b->weight);
    b->corners = arena_alloc(a, b->count, sizeof *b->corners);
    for (size_t k = 0; k < b->count; k++) {
        double bias = layer->bias[b->units[k]];
        size_t size = rows_size(&layer->out, b->units[k]);
        rational_set_double(&b->factor[k], b->ratio[k]);
        rational_set_double(&b->bias[k], bias);
        b->weight[k] = rational_array(&g->pool, size);
        for (size_t t = 0; t < size; t++)
            rational_set_double(&b->weight[k][t], rows_begin_of(&layer->out, b->units[k])[t].weight);
        b->corners[k] = bias == 0 ? 0 : -bias / b->ratio[k];
    }
    qsort(b->corners, b->count, sizeof *b->corners, ascending);
    for (size_t k = 0; k < b->count; k++)
        if (k == 0 || b->corners[k] != b->corners[b->corner_count - 1]) b->corners[b->corner_count++] = b->corners[k];
    b->distance = arena_alloc(a, b->corner_count + 1, sizeof *b->distance);
    for (size_t k = 0; k <= b->corner_count; k++) b->distance[k] = INFINITY;
    b->z.ends = rational_array(&g->pool, 2);
}

static void find_in_layer(hard_choices *g, uint32_t l) {
    const model_layer *layer = &g->model->layers[l];
    size_t from = g->bundle_count;
    for (uint32_t u = 0; u < layer->in.count; u++) {
        bool found = false;
        for (size_t k = from; k < g->bundle_count && !found; k++) {
            double ratio = ratio_between(&layer->in, g->bundles[k].units[0], u);
            found = ratio != 0 && corner_is_exact(layer->bias[u], ratio);
            if (found) add_unit(g, &g->bundles[k], u, ratio);
        }
        if (found) continue;
        array_push(g->audit->arena, g->bundles, g->bundle_count, g->bundle_capacity, (bundle_claim){.layer = l + 1});
        add_unit(g, &g->bundles[g->bundle_count - 1], u, 1);
    }
    for (size_t k = from; k < g->bundle_count; k++) close_bundle(g, &g->bundles[k]);
}

void choices_find_bundles(hard_choices *g) {
    g->layer_bundles = arena_zalloc(g->audit->arena, g->model->layer_count + 1, sizeof *g->layer_bundles);
    for (uint32_t l = 0; l < g->model->layer_count; l++) {
        find_in_layer(g, l);
        g->layer_bundles[l + 1] = g->bundle_count;
    }
}

void bundle_see(bundle_claim *b, const rational *lo, const rational *hi, int grid) {
    extent_see_ends(&b->z, lo, hi, grid);
    double l = rational_below(lo), h = rational_above(hi);
    for (size_t k = 0; k <= b->corner_count; k++) {
        double left = k == 0 ? -INFINITY : b->corners[k - 1], right = k == b->corner_count ? INFINITY : b->corners[k];
        double away = fmax(left - h, l - right);
        b->distance[k] = least_of(b->distance[k], away > 0 ? nextafter(away, -INFINITY) : 0);
    }
}

bool choices_reads_length(const hard_choices *g, uint32_t channel) {
    const expression *e = g->model->channels[channel].position;
    return e && (expression_uses(e, EXPR_LENGTH) || expression_uses(e, EXPR_SIZE));
}

void choices_features(hard_choices *g, size_t n) {
    const temper_model *m = g->model;
    size_t positions = choices_positions(g, n);
    for (uint32_t c = 0; c < g->channels; c++) {
        const model_channel *channel = &m->channels[c];
        if (!channel->position || channel->soft_only) continue;
        for (size_t i = choices_reads_length(g, c) ? 0 : g->featured; i < positions; i++)
            if (!expression_rational(&g->features[i * g->channels + c], channel->position, i, n, positions, &g->pool))
                trap_raise(g->audit->trap, TEMPER_RANGE, 0, 0,
                           "the position feature of channel %u has no rational value at position %zu of length %zu",
                           c, i, n);
    }
    if (positions > g->featured) g->featured = positions;
}

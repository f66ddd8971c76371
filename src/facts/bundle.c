#include "facts/bundle.h"

#include <stdlib.h>

#include "number/upward.h"

/* The factor +-2^k from row a to row b, a unit with that bias, or 0. */
static double ratio_of(const model_rows *in, uint32_t a, uint32_t b, double in_bias) {
    size_t size = rows_size(in, a);
    const model_term *s = rows_begin_of(in, a), *t = rows_begin_of(in, b);
    if (size == 0 || rows_size(in, b) != size) return 0;
    int e, f;
    double m = frexp(s->weight, &e), k = frexp(t->weight, &f);
    if (fabs(m) != fabs(k) || abs(f - e) > 500) return 0;
    double ratio = ldexp(m == k ? 1 : -1, f - e);
    if (-in_bias / ratio * ratio != -in_bias) return 0; /* its corner is not a double */
    for (size_t c = 0; c < size; c++)                   /* both ways: subnormal weights lose digits */
        if (s[c].channel != t[c].channel || s[c].weight * ratio != t[c].weight || t[c].weight / ratio != s[c].weight)
            return 0;
    return ratio;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void collect_channels(bundle *b, const model_layer *l, arena *a) {
    size_t count = 0, capacity = 0;
    for (uint32_t u = 0; u < b->unit_count; u++) {
        const model_term *t = rows_begin_of(&l->out, b->units[u].unit);
        for (size_t k = rows_size(&l->out, b->units[u].unit); k-- > 0; t++)
            array_push(a, b->channels, count, capacity, t->channel);
    }
    if (count) qsort(b->channels, count, sizeof *b->channels, by_number);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || b->channels[k] != b->channels[k - 1]) b->channels[b->channel_count++] = b->channels[k];
}

/* |sum of the active units' slopes| on a piece: the sum with its rounding errors, which are exactly known, so that
   slopes that cancel give exactly 0. */
static double piece_slope(const model_layer *l, const bundle *b, uint32_t channel, double left, double right) {
    double sum = 0, lost = 0;
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        bool active = u->ratio > 0 ? left >= u->corner : right <= u->corner;
        if (!active) continue;
        double weight = bundle_weight(l, u, channel), x = weight * u->ratio, s = sum + x, back = s - sum;
        if (x / u->ratio != weight || !isfinite(s)) return INFINITY; /* beyond the range of doubles */
        lost = up_add(lost, fabs((sum - (s - back)) + (x - back)));
        sum = s;
    }
    return up_add(fabs(sum), lost);
}

static void find_pieces(bundle *b, const model_layer *l, arena *a) {
    b->corners = arena_alloc(a, b->unit_count, sizeof *b->corners);
    for (uint32_t k = 0; k < b->unit_count; k++) b->corners[k] = b->units[k].corner;
    qsort(b->corners, b->unit_count, sizeof *b->corners, by_size);
    for (uint32_t k = 0; k < b->unit_count; k++)
        if (k == 0 || b->corners[k] != b->corners[k - 1]) b->corners[b->corner_count++] = b->corners[k];
    uint32_t pieces = b->corner_count + 1;
    b->slopes = arena_alloc(a, (size_t)b->channel_count * pieces, sizeof *b->slopes);
    for (uint32_t c = 0; c < b->channel_count; c++)
        for (uint32_t p = 0; p < pieces; p++)
            b->slopes[c * pieces + p] =
                piece_slope(l, b, b->channels[c], bundle_piece_left(b, p), bundle_piece_right(b, p));
}

/* Rows that can be multiples of one another have the same channels in the same order. */
static size_t row_key(const model_rows *in, uint32_t row, uint32_t *key) {
    size_t size = rows_size(in, row);
    for (size_t k = 0; k < size; k++) key[k] = rows_begin_of(in, row)[k].channel;
    return size;
}

void bundles_find(bundle_list *out, const model_layer *l, arena *a) {
    uint32_t units = l->in.count;
    bundle *items = arena_zalloc(a, units, sizeof *items);
    size_t *capacity = arena_zalloc(a, units, sizeof *capacity);
    uint32_t *next = arena_zalloc(a, units, sizeof *next); /* bundles with the same channels, + 1 */
    table index;
    table_init(&index, a);
    out->count = 0;
    for (uint32_t u = 0; u < units; u++) {
        uint32_t *key = arena_alloc(a, rows_size(&l->in, u), sizeof *key);
        size_t length = row_key(&l->in, u, key);
        bool fresh;
        uint32_t *head = table_put(&index, key, length * sizeof *key, out->count, &fresh), k = *head, last = k;
        double ratio = 0;
        if (!fresh)
            for (;; k = next[k] - 1) {
                last = k;
                if ((ratio = ratio_of(&l->in, items[k].row, u, l->bias[u])) != 0 || next[k] == 0) break;
            }
        if (ratio == 0) {
            k = out->count++;
            if (!fresh) next[last] = k + 1;
            items[k].row = u;
            ratio = 1;
        }
        bundle_unit unit = {.unit = u, .ratio = ratio, .bias = l->bias[u], .corner = -l->bias[u] / ratio};
        size_t count = items[k].unit_count;
        array_push(a, items[k].units, count, capacity[k], unit);
        items[k].unit_count = (uint32_t)count;
    }
    for (uint32_t k = 0; k < out->count; k++) {
        collect_channels(&items[k], l, a);
        find_pieces(&items[k], l, a);
    }
    out->items = items;
}

double bundle_weight(const model_layer *l, const bundle_unit *u, uint32_t channel) {
    const model_term *t = rows_begin_of(&l->out, u->unit);
    for (size_t k = rows_size(&l->out, u->unit); k-- > 0; t++)
        if (t->channel == channel) return t->weight;
    return 0;
}

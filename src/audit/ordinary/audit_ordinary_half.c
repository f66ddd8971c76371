/* Numbers of a head that are beyond f16. */
#include <math.h>

#include "audit/ordinary/audit_ordinary_bounds.h"

void ordinary_check_half(const ordinary_bounding *b, const lift_head *h) {
    double n = ordinary_positions(b);
    for (size_t v = 0; v < h->value_count; v++) {
        ordinary_row r = ordinary_row_bound(b, &h->values[v].value);
        double size = (r.size + r.error + r.scale * r.size) * SLACK;
        if (b->k.f16_vectors) NEED(b, h, size <= F16_MOST, "a value may be beyond f16");
        if (b->k.f16_cache) NEED(b, h, n * size <= F16_MOST, "sums of values may be beyond f16");
    }
    if (!b->k.f16_cache) return;
    double *query = arena_zalloc(b->s->arena, b->u->m->head_size, sizeof *query),
           *key = arena_zalloc(b->s->arena, b->u->m->head_size, sizeof *key);
    uint32_t half = b->u->m->head_size / 2;
    for (size_t k = 0; k < h->product_count; k++) {
        ordinary_row q = ordinary_row_bound(b, &h->products[k].query), x = ordinary_row_bound(b, &h->products[k].key);
        query[h->products[k].dimension] = q.size * (1 + q.scale) + q.error;
        key[h->products[k].dimension] = x.size * (1 + x.scale) + x.error;
    }
    for (size_t k = 0; k < h->turn_count; k++) {
        query[h->turns[k].pair] = fabs(h->turns[k].first);
        query[h->turns[k].pair + half] = fabs(h->turns[k].second);
        key[h->turns[k].pair] = fabs(h->turns[k].key_weight);
    }
    for (uint32_t d = 0; d < b->u->m->head_size; d++) {
        uint32_t other = (d + half) % b->u->m->head_size;
        double more = b->u->frequencies ? 1 : 0;
        NEED(b, h, (query[d] + more * query[other]) * (1 + F16) <= F16_MOST, "a query may be beyond f16");
        NEED(b, h, (key[d] + more * key[other]) * (1 + F16) <= F16_MOST, "a key may be beyond f16");
    }
}

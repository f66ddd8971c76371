#include "facts_equal.h"

#include "test.h"

static bool known_are_equal(const known *x, const known *y, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (x[k].lo != y[k].lo || x[k].hi != y[k].hi || x[k].grid != y[k].grid) return false;
    return true;
}

static bool heads_are_equal(const char *source, size_t n, uint32_t layer, uint32_t head, const head_facts *x,
                            const head_facts *y, const model_head *h) {
    size_t qs = h->query.count, vs = h->value.count;
    return CHECK(x->uniform == y->uniform && x->tieless == y->tieless && x->gap == y->gap &&
                     x->log2_gap == y->log2_gap,
                 "length %zu, head %u.%u: uniform %d tieless %d gap %a (%g), by itself %d %d %a (%g)\n%s", n,
                 layer + 1, head + 1, x->uniform, x->tieless, x->gap, x->log2_gap, y->uniform, y->tieless, y->gap,
                 y->log2_gap, source) &&
           CHECK(known_are_equal(x->query, y->query, qs) && known_are_equal(x->key, y->key, qs) &&
                     known_are_equal(x->value, y->value, vs),
                 "length %zu, head %u.%u: its rows differ\n%s", n, layer + 1, head + 1, source) &&
           CHECK(known_are_equal(x->output, y->output, vs), "length %zu, head %u.%u: its output differs\n%s", n,
                 layer + 1, head + 1, source);
}

static bool bundles_are_equal(const bundle_facts *x, const bundle_facts *y, const bundle *b) {
    for (uint32_t p = 0; p <= b->corner_count; p++)
        if (x->distance[p] != y->distance[p]) return false;
    return known_are_equal(&x->input, &y->input, 1);
}

bool facts_are_equal(const char *source, const subject_model *s, const facts *x, const facts *y) {
    const temper_model *m = s->model;
    size_t n = x->n;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const layer_facts *p = &x->layers[l], *q = &y->layers[l];
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (!heads_are_equal(source, n, l, h, &p->heads[h], &q->heads[h], &m->layers[l].heads[h])) return false;
        if (!CHECK(known_are_equal(p->before, q->before, m->channel_count) &&
                       known_are_equal(p->middle, q->middle, m->channel_count),
                   "length %zu, layer %u: channels differ\n%s", n, l + 1, source))
            return false;
        for (uint32_t b = 0; b < s->bundles[l].count; b++)
            if (!CHECK(bundles_are_equal(&p->bundles[b], &q->bundles[b], &s->bundles[l].items[b]),
                       "length %zu, layer %u, bundle %u differs\n%s", n, l + 1, b + 1, source))
                return false;
    }
    return CHECK(known_are_equal(x->after, y->after, m->channel_count) && x->margin == y->margin &&
                     x->margin_everywhere == y->margin_everywhere,
                 "length %zu: margins %a and %a, by itself %a and %a\n%s", n, x->margin, x->margin_everywhere,
                 y->margin, y->margin_everywhere, source);
}

/* The feed-forward net on sets of values, bundle by bundle. */
#include "facts/set_run.h"

/* The bundle's function into a channel at z. */
static void bundle_at(rational *out, const set_run *p, const model_layer *l, const bundle *b, uint32_t channel,
                      const rational *z) {
    rational *h = &p->r[5], *t = &p->r[6];
    rational_set_int(out, 0);
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        double weight = bundle_weight(l, u, channel);
        if (weight == 0) continue;
        rational_set_double(h, u->bias);
        rational_set_double(t, u->ratio);
        rational_add_product(h, t, z);
        if (rational_sign(h) <= 0) continue;
        rational_set_double(t, weight);
        rational_add_product(out, t, h);
    }
}

/* Many inputs: steps by unit, ends at the corners. */
static void bundle_of_many(spread *out, const set_run *p, const model_layer *l, const bundle *b, uint32_t channel,
                           const spread *z) {
    rational *y = &p->r[1], *t = &p->r[2], *point = &p->r[3];
    spread *sum = out;
    rational_set_int(y, 0);
    spread_set_constant(sum, y);
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        double weight = bundle_weight(l, u, channel);
        if (weight == 0) continue;
        rational_set_double(t, u->ratio); /* a unit's values: ratio z + bias, or 0 */
        rational_set_double(y, u->bias);
        rational_add_product(y, t, &z->a);
        rational_mul(point, t, &z->g);
        rational_abs(point, point);
        double corner = u->corner;
        rational_set_double(t, corner);
        bool below = rational_cmp(&z->hi, t) <= 0, above = rational_cmp(&z->lo, t) >= 0;
        bool off = u->ratio > 0 ? below : above, on = u->ratio > 0 ? above : below;
        if (off) continue;
        rational_set_double(t, weight);
        if (!on) { /* 0 is a value too */
            rational_gcd(point, point, y);
            rational_set_int(y, 0);
        }
        rational_add_product(&sum->a, t, y);
        rational_mul(point, point, t);
        rational_gcd(&sum->g, &sum->g, point);
    }
    bool first = true;
    for (uint32_t k = 0; k < b->unit_count + 2; k++) {
        if (k >= 2) rational_set_double(t, b->units[k - 2].corner);
        const rational *at = k == 0 ? &z->lo : k == 1 ? &z->hi : t;
        if (rational_cmp(at, &z->lo) < 0 || rational_cmp(at, &z->hi) > 0) continue;
        rational_set(point, at);
        bundle_at(y, p, l, b, channel, point);
        if (first || rational_cmp(y, &sum->lo) < 0) rational_set(&sum->lo, y);
        if (first || rational_cmp(y, &sum->hi) > 0) rational_set(&sum->hi, y);
        first = false;
    }
}

enum { MEMBER_LIMIT = 4096 };

/* Few inputs: the function is evaluated at each. */
static void run_members(set_run *p, const model_layer *l, const bundle *b, bundle_facts *to, const spread *z,
                        size_t count, spread *out) {
    rational *member = &p->r[4], *y = &p->r[1];
    for (size_t v = 0; v < count; v++) {
        if (v == 0)
            spread_member(member, z, 0, &p->work);
        else
            rational_add(member, member, &z->g);
        bundle_facts_add(to, b, member);
        for (uint32_t k = 0; k < b->channel_count; k++) {
            bundle_at(y, p, l, b, b->channels[k], member);
            spread_set_constant(p->one, y);
            if (v == 0)
                spread_set(&out[k], p->one);
            else
                spread_join(&out[k], p->one, &p->work);
        }
    }
}

void set_run_bundle(set_run *p, const model_layer *l, const bundle *b, bundle_facts *to) {
    uint32_t channels = p->m->channel_count;
    spread *z = spread_array(p->pool, 1), *out = spread_array(p->pool, b->channel_count);
    for (size_t i = 0; i < p->size; i++) {
        rational_set_int(&p->r[0], 0);
        spread_set_constant(z, &p->r[0]);
        for (uint32_t k = l->in.start[b->row]; k < l->in.start[b->row + 1]; k++)
            spread_add_scaled(z, &p->x[i * channels + l->in.terms[k].channel], l->in.terms[k].weight, &p->work);
        size_t count = spread_count(z, MEMBER_LIMIT, &p->work);
        if (count <= MEMBER_LIMIT) {
            run_members(p, l, b, to, z, count, out);
        } else {
            int a = rational_grid(&z->a), g = rational_grid(&z->g);
            bundle_facts_add_interval(to, b, &z->lo, &z->hi, a < g ? a : g);
            for (uint32_t k = 0; k < b->channel_count; k++) bundle_of_many(&out[k], p, l, b, b->channels[k], z);
        }
        for (uint32_t k = 0; k < b->channel_count; k++)
            spread_add(&p->delta[i * channels + b->channels[k]], &out[k], &p->work);
    }
}

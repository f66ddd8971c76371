/* The feed-forward net on sets of values, bundle by bundle (doc/certificate.md, "Facts about the hard model", rule
   7). */
#include <math.h>
#include <stdlib.h>

#include "facts/set_run.h"

void set_bundle_init(facts_run *p, set_bundle *w, const bundle *b) {
    arena *a = p->pool.arena;
    *w = (set_bundle){.b = b, .out = columns_new(&p->room, b->channel_count)};
    w->distance = arena_alloc(a, (size_t)b->corner_count + 1, sizeof *w->distance);
    w->members = arena_alloc(a, 3 + 3 * (size_t)b->corner_count, sizeof *w->members);
}

/* The bundle's function into a channel at z. */
static void bundle_at(rational *out, const facts_run *p, const model_layer *l, const bundle *b, uint32_t channel,
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
static void bundle_of_many(spread *sum, const facts_run *p, const model_layer *l, const bundle *b, uint32_t channel,
                           const spread *z) {
    rational *y = &p->r[1], *t = &p->r[2], *point = &p->r[3];
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

enum { MEMBER_LIMIT = 1 << 16 };

static int by_number(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The members that say it all: between two corners the function is linear, so that its values there are those at the
   first member, the step from it to the second, and the one at the last. They are also the nearest to each piece. */
static size_t telling_members(const facts_run *p, set_bundle *w, const spread *z, size_t count) {
    size_t found = 0, last = count - 1, telling = 0;
    rational *first = &p->r[4], *t = &p->r[1];
    size_t *at = w->members;
    at[found++] = 0;
    at[found++] = 1;
    at[found++] = last;
    for (uint32_t k = 0; k < w->b->corner_count && count > 1; k++) {
        rational_set_double(t, w->b->corners[k]);
        rational_sub(t, t, first);
        rational_div(t, t, &z->g);
        rational_floor(t, t);
        double steps = rational_to_double(t); /* the last member up to the corner */
        if (steps < -1 || steps > (double)last) continue;
        size_t after = (size_t)(steps + 1);
        at[found++] = after ? after - 1 : 0;
        at[found++] = after;
        at[found++] = after + 1;
    }
    qsort(at, found, sizeof *at, by_number);
    for (size_t k = 0; k < found; k++)
        if (at[k] <= last && (telling == 0 || at[telling - 1] != at[k])) at[telling++] = at[k];
    return telling;
}

/* The function at each input that there can be. */
static void run_members(facts_run *p, set_bundle *w, const model_layer *l, bundle_facts *to, const spread *z,
                        size_t count, size_t i) {
    const bundle *b = w->b;
    rational *first = &p->r[4], *member = &p->r[0], *y = &p->r[1], *t = &p->r[2];
    spread_member(first, z, 0, &p->work);
    size_t telling = telling_members(p, w, z, count);
    p->steps += (double)telling * (1 + (double)b->channel_count);
    for (size_t v = 0; v < telling; v++) {
        rational_set_int(t, (long)w->members[v]);
        rational_set(member, first);
        rational_add_product(member, t, &z->g);
        bundle_facts_add(to, b, member);
    }
    for (uint32_t k = 0; k < b->channel_count; k++) {
        spread *out = &p->one[0], *one = &p->one[1];
        for (size_t v = 0; v < telling; v++) {
            rational_set_int(t, (long)w->members[v]);
            rational_set(member, first);
            rational_add_product(member, t, &z->g);
            bundle_at(y, p, l, b, b->channels[k], member);
            spread_set_constant(v ? one : out, y);
            if (v) spread_join(out, one, &p->work);
        }
        column_put(&w->out[k], &p->room, i, out);
    }
}

static bool reads_moved(const set_bundle *w, const model_layer *l, set_column *const *x) {
    for (uint32_t k = l->in.start[w->b->row]; k < l->in.start[w->b->row + 1]; k++)
        if (x[l->in.terms[k].channel]->moved) return true;
    return false;
}

/* Whether all that it reads is the same at two positions. */
static bool reads_same(const set_bundle *w, const model_layer *l, set_column *const *x, size_t i, size_t j) {
    for (uint32_t k = l->in.start[w->b->row]; k < l->in.start[w->b->row + 1]; k++) {
        const set_column *c = x[l->in.terms[k].channel];
        if (!spread_is_same(column_at(c, i), column_at(c, j))) return false;
    }
    return true;
}

void set_bundle_run(facts_run *p, set_bundle *w, const model_layer *l, set_column *const *x) {
    const bundle *b = w->b;
    double steps = p->steps; /* before the position before */
    bool all = p->room.old == 0 || reads_moved(w, l, x);
    spread *z = &p->one[2];
    bundle_facts to = {w->input, w->distance};
    if (all) {
        to.input = (known){INFINITY, -INFINITY, GRID_ANY};
        for (uint32_t k = 0; k <= b->corner_count; k++) w->distance[k] = INFINITY;
    }
    for (uint32_t k = 0; k < b->channel_count; k++) column_begin(&w->out[k], &p->room, all);
    size_t first = all ? 0 : p->room.old;
    for (size_t i = first; i < p->room.size; i++) {
        if (i > first && reads_same(w, l, x, i, i - 1)) { /* it gives the same, and nothing new is known of it */
            double taken = p->steps - steps;
            steps = p->steps;
            p->steps += taken; /* costs are guessed as if it were looked at: guesses must not depend on luck */
            for (uint32_t k = 0; k < b->channel_count; k++)
                column_put(&w->out[k], &p->room, i, column_at(&w->out[k], i - 1));
            continue;
        }
        steps = p->steps;
        rational_set_int(&p->r[0], 0);
        spread_set_constant(z, &p->r[0]);
        for (uint32_t k = l->in.start[b->row]; k < l->in.start[b->row + 1]; k++)
            spread_add_scaled(z, column_at(x[l->in.terms[k].channel], i), l->in.terms[k].weight, &p->work);
        size_t count = spread_count(z, MEMBER_LIMIT, &p->work);
        if (count <= MEMBER_LIMIT) {
            run_members(p, w, l, &to, z, count, i);
            continue;
        }
        bundle_facts_add_interval(&to, b, &z->lo, &z->hi, spread_grid(z));
        for (uint32_t k = 0; k < b->channel_count; k++) {
            bundle_of_many(&p->one[0], p, l, b, b->channels[k], z);
            column_put(&w->out[k], &p->room, i, &p->one[0]);
        }
    }
    for (uint32_t k = 0; k < b->channel_count; k++) column_end(&w->out[k]);
    w->input = to.input;
}

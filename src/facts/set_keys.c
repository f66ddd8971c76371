/* The keys of a row, as they join it one by one: what they can be together, and how far apart they are. */
#include <string.h>

#include "facts/set_run.h"

void set_keys_clear(set_head *w) {
    w->joined = w->paired = 0;
    w->groups.usable = false;
    memset(w->cases.joined, 0, sizeof w->cases.joined);
    for (size_t d = 0; d < w->qs; d++) {
        w->pairs[d].count = 0;
        w->pairs[d].rising = false;
        rational_set_int(w->pairs[d].least, 0);
    }
}

void set_key_join(facts_run *p, set_head *w, size_t j) {
    bool fresh = w->joined == 0;
    p->steps++;
    for (size_t d = 0; d < w->qs; d++) spread_join_or_set(&w->keys[d], column_at(&w->k[d], j), fresh, &p->work);
    for (size_t d = 0; d < w->vs; d++) {
        const spread *v = column_at(&w->v[d], j);
        spread_join_or_set(&w->values[d], v, fresh, &p->work);
        if (fresh)
            spread_set(&w->sums[d], v);
        else
            spread_add(&w->sums[d], v, &p->work);
    }
    if (w->cases.usable && w->cases.few && w->cases.prefix) {
        unsigned kind = w->cases.kind_of[j];
        bool first = w->cases.joined[kind]++ == 0;
        for (size_t d = 0; d < w->vs; d++)
            spread_join_or_set(&w->kind_values[kind * w->vs + d], column_at(&w->v[d], j), first, &p->work);
    }
    w->joined++;
}

/* ---- pairs of keys ---- */

/* The least difference of two keys into r[1]. */
static void pair_least(facts_run *p, set_head *w, const spread *x, const spread *y) {
    spread_set_difference(w->difference, x, y);
    spread_least(&p->r[1], w->difference, &p->work);
}

static void add_pair(facts_run *p, set_head *w, key_pairs *to, const spread *x, const spread *y) {
    pair_least(p, w, x, y);
    bool smaller = rational_is_zero(to->least) || rational_cmp(&p->r[1], to->least) < 0;
    if (!rational_is_zero(&p->r[1]) && smaller) rational_set(to->least, &p->r[1]);
}

/* x mod g, g > 0. */
static void remainder_of(rational *out, const rational *x, const rational *g) {
    rational_div(out, x, g);
    rational_floor(out, out);
    rational_mul(out, out, g);
    rational_sub(out, x, out);
}

/* Whether the kinds so far rise, looked at as long as they are few. */
static void look_for_rise(key_pairs *to, rational *t) {
    enum { FEW = 8 };
    to->rising = false;
    if (to->count > FEW || to->count < 2) return;
    rational_set_int(to->step, 0);
    for (size_t k = 0; k < to->count; k++) {
        if (spread_is_constant(to->kinds[k])) continue;
        if (!rational_is_zero(to->step) && !rational_equal(to->step, &to->kinds[k]->g)) return;
        rational_set(to->step, &to->kinds[k]->g);
    }
    if (rational_is_zero(to->step)) return;
    for (size_t k = 0; k < to->count; k++) {
        remainder_of(t, &to->kinds[k]->a, to->step);
        if (k && rational_cmp(t, to->last) <= 0) return;
        if (k == 0) rational_set(to->first, t);
        rational_set(to->last, t);
    }
    to->rising = true;
}

/* The key's remainder is above all others, so it is of a kind of its own, and its differences from other kinds are at
   least the distances of remainders on the circle: least where it stands beside the last or the first. False: not
   known this way. */
static bool add_risen(facts_run *p, set_head *w, key_pairs *to, const spread *key) {
    rational *at = &p->r[2], *bound = &p->r[3], *round = &p->r[4];
    if (!to->rising || !(spread_is_constant(key) || rational_equal(&key->g, to->step))) return false;
    remainder_of(at, &key->a, to->step);
    if (rational_cmp(at, to->last) <= 0) return false;
    rational_sub(bound, at, to->last);
    rational_sub(round, to->step, at);
    rational_add(round, round, to->first);
    const spread *beside = to->kinds[to->count - 1];
    if (rational_cmp(round, bound) < 0) {
        rational_set(bound, round);
        beside = to->kinds[0];
    }
    if (rational_is_zero(to->least) || rational_cmp(bound, to->least) < 0) {
        pair_least(p, w, key, beside);
        if (!rational_equal(&p->r[1], bound)) return false; /* intervals keep them further apart */
        rational_set(to->least, bound);
    }
    rational_set(to->last, at);
    return true;
}

static void push_kind(key_pairs *to, const spread *key, arena *a) {
    size_t count = to->count;
    array_push(a, to->met_twice, count, to->twice_capacity, false);
    array_push(a, to->kinds, to->count, to->capacity, key);
}

/* Keys that can take the same values are compared with one of them. */
static void add_key(facts_run *p, set_head *w, key_pairs *to, const spread *key) {
    if (add_risen(p, w, to, key)) {
        push_kind(to, key, p->pool.arena);
        return;
    }
    size_t k = 0;
    while (k < to->count && !spread_is_same(to->kinds[k], key)) k++;
    if (k < to->count) {
        if (!to->met_twice[k]) add_pair(p, w, to, key, key); /* the second of its kind */
        to->met_twice[k] = true;
        return;
    }
    p->steps += (double)to->count;
    for (k = 0; k < to->count; k++) add_pair(p, w, to, key, to->kinds[k]);
    push_kind(to, key, p->pool.arena);
    look_for_rise(to, &p->r[1]);
}

void set_pairs_catch_up(facts_run *p, set_head *w) {
    for (; w->paired < w->joined; w->paired++) {
        size_t j = w->from_right ? p->room.size - 1 - w->paired : w->paired;
        for (size_t d = 0; d < w->qs; d++) add_key(p, w, &w->pairs[d], column_at(&w->k[d], j));
    }
}

/* Which keys can tie for the largest score (doc/certificate.md, "Facts about the hard model", rule 5). Where no two
   can, and each row has one key more than the row before, what is known of the row before is kept. */
#include <stdlib.h>

#include "facts/set_run.h"

static int by_value(const void *a, const void *b) {
    const row_score *x = a, *y = b;
    int order = rational_cmp(x->value, y->value);
    return order ? order : (x->key > y->key) - (x->key < y->key);
}

static void score_of(facts_run *p, set_head *w, spread *to, size_t j) {
    rational_set_int(&p->r[1], 0);
    spread_set_constant(to, &p->r[1]);
    for (size_t d = 0; d < w->qs; d++) spread_add_product(to, w->query[d], column_at(&w->k[d], j), &p->work);
}

/* x modulo the step; x itself if that is 0. */
static void remainder_of(rational *x, const rational *step, rational *t) {
    if (rational_is_zero(step)) return;
    rational_div(t, x, step);
    rational_floor(t, t);
    rational_mul(t, t, step);
    rational_sub(x, x, t);
}

static void make_room(facts_run *p, set_head *w) {
    if (w->end <= w->score_room) return;
    w->score_room = 2 * w->end;
    w->scores = spread_array(&p->pool, w->score_room);
    w->order = arena_alloc(p->pool.arena, w->score_room, sizeof *w->order);
}

/* Keys that can have the largest score, in w->order, by the remainder of their scores modulo a common step; those
   with different remainders never tie. */
static size_t order_candidates(facts_run *p, set_head *w) {
    key_groups *g = &w->groups;
    size_t candidates = 0;
    make_room(p, w);
    p->steps += (double)(w->end - w->first) * (double)(2 + w->qs);
    for (size_t j = w->first; j < w->end; j++) {
        score_of(p, w, &w->scores[j], j);
        if (j == w->first || rational_cmp(&w->scores[j].lo, g->largest) > 0)
            rational_set(g->largest, &w->scores[j].lo);
    }
    rational_set_int(g->step, 0);
    for (size_t j = w->first; j < w->end; j++) {
        if (rational_cmp(&w->scores[j].hi, g->largest) < 0) continue;
        rational_gcd(g->step, g->step, &w->scores[j].g);
        if (candidates == 0 || rational_cmp(&w->scores[j].hi, g->least_hi) < 0)
            rational_set(g->least_hi, &w->scores[j].hi);
        w->order[candidates++] = (row_score){&w->scores[j].a, j};
    }
    for (size_t k = 0; k < candidates; k++) remainder_of(&w->scores[w->order[k].key].a, g->step, &p->r[1]);
    qsort(w->order, candidates, sizeof *w->order, by_value);
    return candidates;
}

/* All keys, one group of those that can tie after the other; whether none can. */
static bool look_at_all(facts_run *p, set_head *w) {
    size_t candidates = order_candidates(p, w);
    bool single = true;
    for (size_t k = 0, end; k < candidates; k = end) {
        for (end = k + 1; end < candidates && rational_equal(w->order[k].value, w->order[end].value); end++) {
        }
        for (size_t m = k; m < end; m++)
            for (size_t d = 0; d < w->vs; d++) {
                const spread *v = column_at(&w->v[d], w->order[m].key);
                if (m == k)
                    spread_set(&w->group[d], v);
                else
                    spread_join(&w->group[d], v, &p->work);
            }
        if (end - k > 1) single = false;
        set_add_outcome(p, w, w->group, end - k, k == 0);
    }
    key_groups *g = &w->groups;
    g->usable = single && w->first == 0;
    if (!g->usable) return single;
    g->end = w->end;
    g->exact = true;
    g->dropped = candidates < w->end;
    rational_set(g->last, w->order[candidates - 1].value);
    for (size_t d = 0; d < w->qs; d++) spread_set(&g->query[d], w->query[d]);
    for (size_t d = 0; d < w->vs; d++) spread_set(&g->out[d], &w->now[d]);
    return single;
}

/* Whether scores of earlier keys are what they were (then *same), or sets with the same steps and wider ends: those
   that could win still can. */
static bool query_fits(const set_head *w, bool *same) {
    *same = true;
    for (size_t d = 0; d < w->qs; d++) {
        const spread *old = &w->groups.query[d], *now = w->query[d];
        if (!rational_equal(&old->a, &now->a) || !rational_equal(&old->g, &now->g)) return false;
        int lower = rational_cmp(&now->lo, &old->lo), upper = rational_cmp(&now->hi, &old->hi);
        if (lower > 0 || upper < 0) return false;
        if (lower || upper) *same = false;
    }
    return true;
}

/* One key more than the row before. False: nothing is known without a look at all. */
static bool add_last_key(facts_run *p, set_head *w) {
    key_groups *g = &w->groups;
    bool same;
    if (!g->usable || w->first != 0 || w->end != g->end + 1 || !query_fits(w, &same)) return false;
    if (!same && g->dropped) return false;
    g->exact = g->exact && same;
    size_t j = w->end - 1;
    score_of(p, w, w->score, j);
    if (rational_cmp(&w->score->lo, g->least_hi) > 0) return false; /* some key can win no longer */
    if (rational_cmp(&w->score->hi, g->largest) < 0) {              /* nor can this one */
        if (!g->exact) return false;
        g->dropped = true;
    } else {
        rational *at = &p->r[2], *t = &p->r[3];
        rational_gcd(t, g->step, &w->score->g);
        if (!rational_equal(t, g->step)) return false;
        rational_set(at, &w->score->a);
        remainder_of(at, g->step, t);
        if (rational_cmp(at, g->last) <= 0) return false;
        rational_set(g->last, at);
        for (size_t d = 0; d < w->vs; d++) spread_join(&g->out[d], column_at(&w->v[d], j), &p->work);
        if (rational_cmp(&w->score->hi, g->least_hi) < 0) rational_set(g->least_hi, &w->score->hi);
    }
    if (rational_cmp(&w->score->lo, g->largest) > 0) rational_set(g->largest, &w->score->lo);
    if (!same)
        for (size_t d = 0; d < w->qs; d++) spread_set(&g->query[d], w->query[d]);
    g->end = w->end;
    for (size_t d = 0; d < w->vs; d++) spread_set(&w->now[d], &g->out[d]);
    return true;
}

bool set_groups_run(facts_run *p, set_head *w) {
    if (w->alike[w->end - 1] > w->first + 1) { /* neighbours that are alike: all one group, for short */
        set_add_outcome(p, w, w->values, w->end - w->first, true);
        return false;
    }
    return add_last_key(p, w) || look_at_all(p, w);
}

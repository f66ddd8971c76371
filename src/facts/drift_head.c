/* Heads that prefer one place to another by X(i)/T(n) (drift.c): the rules of doc/certificate.md, "Facts about the
   hard model", with integers. The first rows are run as everywhere. From there on a row has one key more than the row
   before, and where its score has a remainder above all others and can neither lose for certain nor win for certain
   (add_last_key of set_groups.c), nothing but the output of the last row is new. That is what is looked at here, for
   every row at every length; where it is not so, all rows are run as everywhere. */
#include <math.h>

#include "facts/drift.h"

enum {
    PREFIX = 34, /* rows, and more keys than those of which all pairs are looked at */
    TRIES = 16   /* so often a length may be none of this kind */
};

void drift_head_init(facts_run *p, set_head *w, drift_channel *c, uint32_t d) {
    w->drift = (drift_head){.channel = c,
                            .d = d,
                            .tries = TRIES,
                            .others = spread_array(&p->pool, w->qs),
                            .own = rational_array(&p->pool, LINE_GAPS),
                            .common = rational_array(&p->pool, LINE_GAPS)};
}

/* The last key of a row. */
static size_t last_key(const set_head *w, size_t row) { return row - (w->h->mask == TEMPER_MASK_BEFORE); }

/* ---- what no length changes ---- */

static bool extend_keys(facts_run *p, set_head *w, set_column *const *x) {
    drift_head *drift = &w->drift;
    const model_rows *rows = &w->h->key;
    spread *sum = &p->one[0], *term = &p->one[1];
    rational *moves = &p->r[0];
    for (; drift->count < p->room.size; drift->count++) {
        drift_set set;
        rational_set_int(moves, 0);
        spread_set_constant(sum, moves);
        for (uint32_t k = rows->start[drift->d]; k < rows->start[drift->d + 1]; k++) {
            const model_term *t = &rows->terms[k];
            if (p->drifts[t->channel]) {
                const drift_set *shared = &drift->channel->sets[drift->count];
                drift_base(term, shared);
                spread_add_scaled(sum, term, t->weight, &p->work);
                rational_set_ratio(&p->r[1], (long)shared->moves, 1 << LINE_BITS);
                rational_set_double(&p->r[2], t->weight);
                rational_add_product(moves, &p->r[1], &p->r[2]);
            } else {
                spread_add_scaled(sum, column_at(x[t->channel], drift->count), t->weight, &p->work);
            }
        }
        if (!drift_numbers(p, &set, &drift->most, sum, moves)) return false;
        for (size_t d = 0; d < w->qs && !drift->varies; d++)
            drift->varies = d == drift->d ? set.g != 0 : !spread_is_constant(column_at(&w->k[d], drift->count));
        size_t count = drift->count;
        array_push(p->pool.arena, drift->keys, count, drift->key_capacity, set);
    }
    return true;
}

/* The query of row i has the steps of the one before, and ends no narrower; that of dimension d is a number. */
static bool query_fits(set_head *w, size_t i) {
    const spread *own = column_at(&w->q[w->drift.d], i);
    if (!spread_is_constant(own) || rational_is_zero(&own->a)) return false;
    for (size_t d = 0; d < w->qs; d++) {
        const spread *old = column_at(&w->q[d], i - 1), *now = column_at(&w->q[d], i);
        if (!rational_equal(&old->a, &now->a) || !rational_equal(&old->g, &now->g)) return false;
        if (rational_cmp(&now->lo, &old->lo) > 0 || rational_cmp(&now->hi, &old->hi) < 0) return false;
        if (!spread_is_same(now, old)) w->drift.queries_differ = true;
    }
    return true;
}

/* Row i's score of its last key. */
static bool add_score(facts_run *p, set_head *w, size_t i) {
    drift_head *drift = &w->drift;
    size_t j = last_key(w, i), rows = drift->rows;
    spread *score = &p->one[0], *key = &p->one[1];
    rational *moves = &p->r[3];
    const rational *own = &column_at(&w->q[drift->d], i)->a;
    drift_set set;
    rational_set_int(moves, 0);
    spread_set_constant(score, moves);
    for (size_t d = 0; d < w->qs; d++) {
        if (d == drift->d)
            drift_base(key, &drift->keys[j]);
        else
            spread_set(key, column_at(&w->k[d], j));
        spread_add_product(score, column_at(&w->q[d], i), key, &p->work);
    }
    rational_set_ratio(moves, (long)drift->keys[j].moves, 1 << LINE_BITS);
    rational_mul(moves, moves, own);
    if (!drift_numbers(p, &set, &drift->most, score, moves)) return false;
    array_push(p->pool.arena, drift->scores, rows, drift->score_capacity, set);
    return true;
}

/* What makes the gap of row i (set_rows.c, row_step and sharpen_gap). */
static bool add_gap(facts_run *p, set_head *w, size_t i) {
    drift_head *drift = &w->drift;
    rational *common = &p->r[1], *t = &p->r[2], *own = &p->r[3];
    bool together = false;
    rational_set_int(common, 0);
    for (; drift->joined <= last_key(w, i); drift->joined++)
        for (size_t d = 0; d < w->qs; d++)
            if (d != drift->d)
                spread_join_or_set(&drift->others[d], column_at(&w->k[d], drift->joined), drift->joined == 0,
                                   &p->work);
    for (size_t d = 0; d < w->qs; d++) {
        const spread *q = column_at(&w->q[d], i);
        if (d == drift->d || spread_is_zero(q) || spread_is_constant(&drift->others[d])) continue;
        together = true;
        rational_gcd(t, &q->a, &q->g);
        rational_mul(t, t, &drift->others[d].g);
        rational_gcd(common, common, t);
    }
    rational_abs(own, &column_at(&w->q[drift->d], i)->a);
    if (drift->gap_count && together != drift->together) return false;
    drift->together = together;
    for (size_t k = 0; k < drift->gap_count; k++)
        if (rational_equal(&drift->own[k], own) && rational_equal(&drift->common[k], common)) return true;
    if (drift->gap_count == LINE_GAPS) return false;
    rational_set(&drift->own[drift->gap_count], own);
    rational_set(&drift->common[drift->gap_count++], common);
    return true;
}

/* The output of row i, in w->now: that of the row before, or the value of the last key. */
static void make_output(facts_run *p, set_head *w, size_t i) {
    for (size_t d = 0; d < w->vs; d++) {
        spread_set(&w->now[d], column_at(&w->out[d], i - 1));
        spread_join(&w->now[d], column_at(&w->v[d], last_key(w, i)), &p->work);
    }
}

static bool output_is_as_before(const set_head *w, size_t i) {
    for (size_t d = 0; d < w->vs; d++)
        if (!spread_is_same(&w->now[d], column_at(&w->out[d], i))) return false;
    return true;
}

static bool extend_rows(facts_run *p, set_head *w) {
    drift_head *drift = &w->drift;
    for (; drift->rows < p->room.size; drift->rows++) {
        size_t i = drift->rows;
        if (i < PREFIX) { /* only counted */
            size_t rows = i;
            array_push(p->pool.arena, drift->scores, rows, drift->score_capacity, (drift_set){0});
            continue;
        }
        if (!query_fits(w, i) || !add_score(p, w, i) || !add_gap(p, w, i)) return false;
    }
    return true;
}

/* Whether outputs of rows of the length before are what they would be here. */
static bool outputs_fit(facts_run *p, set_head *w) {
    drift_head *drift = &w->drift;
    if (drift->checked < PREFIX) drift->checked = PREFIX;
    for (; drift->checked < p->room.old; drift->checked++) {
        make_output(p, w, drift->checked);
        if (!output_is_as_before(w, drift->checked)) return false;
    }
    return true;
}

/* ---- one length ---- */

/* The first rows, as everywhere. Whether they give what they gave. */
static bool run_prefix(facts_run *p, set_head *w) {
    drift_head *drift = &w->drift;
    bool before = w->h->mask == TEMPER_MASK_BEFORE;
    for (size_t j = 0; j < PREFIX; j++)
        drift_spread(column_at(&w->k[drift->d], j), &drift->keys[j], drift->channel->t);
    set_keys_clear(w);
    set_find_alike(p, w, PREFIX, true);
    set_row_begin_length(w);
    w->first = 0;
    for (size_t i = 0; i < PREFIX; i++) {
        if (!before || i > 0) set_key_join(p, w, last_key(w, i));
        w->end = w->joined;
        p->steps += 2;
        set_row_run(p, w, i);
        if (!output_is_as_before(w, i)) return false;
        if (w->end > w->first && !w->single) w->tieless = false;
    }
    const key_groups *g = &w->groups;
    return g->usable && g->end == w->joined && !(g->dropped && drift->queries_differ) && !rational_is_zero(g->step);
}

/* Where the running numbers are, in units of 2^-LINE_BITS/t. */
typedef struct drift_state {
    int64_t largest, least_hi, step, last;        /* of scores */
    int64_t key_step, key_first, key_last, least; /* of keys: their remainders, and the least difference */
    int64_t key_common, key_zero;                 /* what all differ by multiples of, and the first of them */
} drift_state;

static bool in_units(facts_run *p, int64_t *out, const rational *x, int64_t t) {
    rational *y = &p->r[6];
    rational_set_int(y, (long)t << LINE_BITS);
    rational_mul(y, y, x);
    return rational_to_int64(out, y);
}

static bool begin_state(facts_run *p, set_head *w, drift_state *s) {
    const drift_head *drift = &w->drift;
    const key_groups *g = &w->groups;
    key_pairs *pairs = &w->pairs[drift->d];
    int64_t t = drift->channel->t;
    bool fits = in_units(p, &s->largest, g->largest, t) && in_units(p, &s->least_hi, g->least_hi, t) &&
                in_units(p, &s->step, g->step, t) && in_units(p, &s->last, g->last, t);
    if (!fits) return false;
    if (drift->together) {
        const spread *keys = &w->keys[drift->d];
        return in_units(p, &s->key_common, &keys->g, t) && in_units(p, &s->key_zero, &keys->a, t) &&
               s->key_common > 0;
    }
    set_pairs_catch_up(p, w);
    return pairs->rising && !rational_is_zero(pairs->least) && in_units(p, &s->key_step, pairs->step, t) &&
           in_units(p, &s->key_first, pairs->first, t) && in_units(p, &s->key_last, pairs->last, t) &&
           in_units(p, &s->least, pairs->least, t);
}

static int64_t remainder_of(int64_t x, int64_t step) {
    int64_t rest = x % step;
    return rest < 0 ? rest + step : rest;
}

/* The key changes nothing of what its dimension adds to gaps. */
static bool key_fits(const drift_head *drift, drift_state *s, const drift_set *key, int64_t t) {
    int64_t a = key->a * t + key->moves, g = key->g * t;
    if (drift->together)
        return s->key_common == 1 || ((a - s->key_zero) % s->key_common == 0 && g % s->key_common == 0);
    if (g != 0 && g != s->key_step) return false;
    int64_t at = remainder_of(a, s->key_step);
    if (at <= s->key_last || at - s->key_last < s->least || s->key_step - at + s->key_first < s->least) return false;
    s->key_last = at;
    return true;
}

/* The row's last key can win, ties with none, and takes no other's chance. */
static bool score_fits(drift_state *s, const drift_set *score, int64_t t) {
    int64_t lo = score->lo * t + score->moves, hi = score->hi * t + score->moves;
    if (lo > s->least_hi || hi < s->largest || score->g * t % s->step != 0) return false;
    int64_t at = remainder_of(score->a * t + score->moves, s->step);
    if (at <= s->last) return false;
    s->last = at;
    if (hi < s->least_hi) s->least_hi = hi;
    if (lo > s->largest) s->largest = lo;
    return true;
}

static bool all_rows_fit(facts_run *p, set_head *w) {
    const drift_head *drift = &w->drift;
    int64_t t = drift->channel->t;
    drift_state s = {0};
    if (!begin_state(p, w, &s)) return false;
    p->steps += (double)p->room.size / 32;
    for (size_t i = PREFIX; i < p->room.size; i++)
        if (!key_fits(drift, &s, &drift->keys[last_key(w, i)], t) || !score_fits(&s, &drift->scores[i], t))
            return false;
    return true;
}

static void add_gaps(facts_run *p, set_head *w) {
    const drift_head *drift = &w->drift;
    rational *gap = &p->r[1];
    for (size_t k = 0; k < drift->gap_count; k++) {
        rational_mul(gap, &drift->own[k], drift->together ? &w->keys[drift->d].g : w->pairs[drift->d].least);
        if (drift->together) rational_gcd(gap, gap, &drift->common[k]);
        w->least_gap = fmin(w->least_gap, rational_below(gap));
        w->log2_gap = fmin(w->log2_gap, rational_log2(gap));
    }
    w->uniform = false;
}

static bool others_move(const facts_run *p, const set_head *w, set_column *const *x) {
    const model_rows *key = &w->h->key;
    for (uint32_t d = 0; d < w->qs; d++) {
        if (set_reads_moved(&w->h->query, d, x)) return true;
        for (uint32_t k = key->start[d]; k < key->start[d + 1]; k++)
            if (!p->drifts[key->terms[k].channel] && x[key->terms[k].channel]->moved) return true;
    }
    for (uint32_t d = 0; d < w->vs; d++)
        if (set_reads_moved(&w->h->value, d, x)) return true;
    return false;
}

/* The length is looked at as everywhere. */
static bool give_up(drift_head *drift) {
    drift->checked = 0;
    if (--drift->tries == 0) drift->channel = NULL;
    return false;
}

bool drift_run(facts_run *p, set_head *w, set_column *const *x) {
    drift_head *drift = &w->drift;
    if (!drift->channel->ready || w->cases.usable) {
        drift->checked = 0;
        return false;
    }
    if (others_move(p, w, x)) {
        drift->count = drift->rows = drift->joined = drift->gap_count = 0;
        drift->most = 0;
        drift->varies = drift->queries_differ = false;
        return give_up(drift);
    }
    for (uint32_t d = 0; d < w->qs; d++) {
        set_project(p, w->q, &w->h->query, d, x);
        if (d != drift->d) set_project(p, w->k, &w->h->key, d, x);
    }
    for (uint32_t d = 0; d < w->vs; d++) set_project(p, w->v, &w->h->value, d, x);
    if (!extend_keys(p, w, x)) {
        drift->channel = NULL;
        return false;
    }
    if (!drift->varies) { /* whether the rule of cases applies to numbers depends on the length */
        drift->checked = 0;
        return false;
    }
    if (!extend_rows(p, w)) {
        drift->channel = NULL;
        return false;
    }
    drift->stale = true; /* what the first rows change is that of keys at this length */
    if (!drift_fits(drift->most, drift->channel->t) || !run_prefix(p, w) || !all_rows_fit(p, w) || !outputs_fit(p, w))
        return give_up(drift);
    add_gaps(p, w);
    drift_known(p, &w->k[drift->d].known, drift->keys, p->room.size, drift->channel->t);
    for (size_t d = 0; d < w->vs; d++) column_begin(&w->out[d], &p->room, false);
    for (size_t i = p->room.old; i < p->room.size; i++) {
        make_output(p, w, i);
        for (size_t d = 0; d < w->vs; d++) column_put(&w->out[d], &p->room, i, &w->now[d]);
    }
    drift->checked = p->room.size;
    p->drift_heads++;
    for (size_t d = 0; d < w->vs; d++) column_end(&w->out[d]);
    return true;
}

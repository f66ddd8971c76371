/* One head on sets of values, at the present length: its rows of queries, keys and values, and the rows of scores
   that have to be looked at again. */
#include <math.h>

#include "facts/set_run.h"

/* Values that are a multiple of the only key. */
static void find_followers(set_head *w) {
    const model_rows *key = &w->h->key, *value = &w->h->value;
    for (uint32_t d = 0; d < value->count && key->count == 1; d++) {
        size_t size = rows_size(key, 0);
        const model_term *k = rows_begin_of(key, 0), *v = rows_begin_of(value, d);
        w->follows[d] = size == 1 && rows_size(value, d) == 1 && k->channel == v->channel;
        if (size != rows_size(value, d) || w->follows[d]) continue;
        w->follows[d] = true;
        for (size_t t = 0; t < size; t++)
            if (k[t].channel != v[t].channel || k[t].weight != v[t].weight) w->follows[d] = false;
    }
}

void set_head_init(facts_run *p, set_head *w, const model_head *h) {
    rational_pool *pool = &p->pool;
    arena *a = pool->arena;
    size_t qs = h->query.count, vs = h->value.count;
    *w = (set_head){.h = h, .qs = qs, .vs = vs};
    w->from_right = h->mask == TEMPER_MASK_AFTER || h->mask == TEMPER_MASK_FROM;
    w->q = columns_new(&p->room, qs);
    w->k = columns_new(&p->room, qs);
    w->v = columns_new(&p->room, vs);
    w->out = columns_new(&p->room, vs);
    w->follows = arena_zalloc(a, vs, sizeof *w->follows);
    find_followers(w);
    w->keys = spread_array(pool, qs);
    w->values = spread_array(pool, vs);
    w->sums = spread_array(pool, vs);
    w->pairs = arena_zalloc(a, qs, sizeof *w->pairs);
    for (size_t d = 0; d < qs; d++) {
        rational *r = rational_array(pool, 4);
        w->pairs[d] = (key_pairs){.least = r, .step = r + 1, .first = r + 2, .last = r + 3};
    }
    query_cases_init(&w->cases, qs, !w->from_right, pool);
    w->kind_values = spread_array(pool, CASE_KINDS * vs);
    rational *r = rational_array(pool, 5);
    w->groups = (key_groups){.query = spread_array(pool, qs),
                             .out = spread_array(pool, vs),
                             .largest = r,
                             .least_hi = r + 1,
                             .step = r + 2,
                             .last = r + 3};
    w->gap = r + 4;
    w->query = arena_alloc(a, qs, sizeof *w->query);
    w->now = spread_array(pool, vs);
    w->group = spread_array(pool, vs);
    w->difference = spread_array(pool, 2);
    w->score = w->difference + 1;
}

/* ---- queries, keys and values ---- */

bool set_reads_moved(const model_rows *rows, uint32_t r, set_column *const *x) {
    for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++)
        if (x[rows->terms[k].channel]->moved) return true;
    return false;
}

bool set_project(facts_run *p, set_column *to, const model_rows *rows, uint32_t r, set_column *const *x) {
    for (size_t i = column_begin(&to[r], &p->room, set_reads_moved(rows, r, x)); i < p->room.size; i++) {
        p->steps++;
        rational_set_int(&p->r[0], 0);
        spread_set_constant(p->one, &p->r[0]);
        for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++)
            spread_add_scaled(p->one, column_at(x[rows->terms[k].channel], i), rows->terms[k].weight, &p->work);
        column_put(&to[r], &p->room, i, p->one);
    }
    column_end(&to[r]);
    return to[r].moved;
}

static bool project_all(facts_run *p, set_column *to, const model_rows *rows, set_column *const *x) {
    bool moved = false;
    for (uint32_t r = 0; r < rows->count; r++)
        if (set_project(p, to, rows, r, x)) moved = true;
    return moved;
}

/* Neighbours that can take the same values: a cheap sign that something may tie. Constants are compared with care
   instead. */
void set_find_alike(facts_run *p, set_head *w, size_t size, bool again) {
    if (again) w->alike_count = 0;
    while (w->alike_count < size) {
        size_t j = w->alike_count;
        bool same = j > 0, open = false;
        for (size_t d = 0; d < w->qs && same; d++) {
            const spread *x = column_at(&w->k[d], j - (j > 0)), *y = column_at(&w->k[d], j);
            same = spread_is_same(x, y);
            open |= !spread_is_constant(x);
        }
        size_t before = j ? w->alike[j - 1] : 0;
        array_push(p->pool.arena, w->alike, w->alike_count, w->alike_capacity, same && open ? j + 1 : before);
    }
}

/* ---- rows ---- */

void set_row_begin_length(set_head *w) {
    w->uniform = w->tieless = true;
    w->least_gap = w->log2_gap = INFINITY;
}

void set_row_put(facts_run *p, set_head *w, size_t i) {
    if (w->end > w->first && !w->single) w->tieless = false;
    for (size_t d = 0; d < w->vs; d++) column_put(&w->out[d], &p->room, i, &w->now[d]);
    for (size_t d = 0; d < w->vs && w->unions; d++)
        column_put(&w->unions[d], &p->room, i, w->end > w->first ? &w->values[d] : &w->now[d]);
}

static void run_row(facts_run *p, set_head *w, size_t i) {
    p->steps += 2;
    set_row_run(p, w, i);
    set_row_put(p, w, i);
}

/* Whether the row of a query says more of it than its sets do. */
static bool has_means(const set_head *w) {
    for (size_t d = 0; d < w->qs; d++)
        if (w->means[d].head) return true;
    return false;
}

/* All rows have the same keys: those with the same query give the same. */
static void rows_of_all_keys(facts_run *p, set_head *w) {
    while (w->joined < p->room.size) set_key_join(p, w, w->joined);
    w->end = w->joined;
    w->groups.usable = false;
    for (size_t i = 0; i < p->room.size; i++) {
        bool same = i > 0 && !has_means(w);
        for (size_t d = 0; d < w->qs && same; d++)
            same = spread_is_same(column_at(&w->q[d], i), column_at(&w->q[d], i - 1));
        if (same)
            set_row_put(p, w, i);
        else
            run_row(p, w, i);
    }
}

/* Rows from `from` on have the keys up to them. */
static void rows_from_left(facts_run *p, set_head *w, size_t from) {
    for (size_t i = from; i < p->room.size; i++) {
        if (w->h->mask == TEMPER_MASK_UP_TO) set_key_join(p, w, i);
        w->end = w->joined;
        run_row(p, w, i);
        if (w->h->mask == TEMPER_MASK_BEFORE) set_key_join(p, w, i);
    }
}

static void rows_from_right(facts_run *p, set_head *w) {
    w->end = p->room.size;
    for (size_t i = p->room.size; i-- > 0;) {
        if (w->h->mask == TEMPER_MASK_FROM) set_key_join(p, w, i);
        w->first = p->room.size - w->joined;
        run_row(p, w, i);
        if (w->h->mask == TEMPER_MASK_AFTER) set_key_join(p, w, i);
    }
}

/* Keys whose channel was not looked at position by position before. */
static bool project_keys(facts_run *p, set_head *w, set_column *const *x) {
    const model_rows *key = &w->h->key;
    for (uint32_t k = 0; k < key->start[key->count]; k++) {
        drift_channel *c = p->drifts[key->terms[k].channel];
        if (c && !c->here) set_embed(p, key->terms[k].channel);
    }
    bool moved = project_all(p, w->k, key, x);
    if (!w->drift.stale) return moved;
    w->k[w->drift.d].moved = true;
    w->drift.stale = false;
    return true;
}

void set_head_run(facts_run *p, set_head *w, set_column *const *x) {
    if (w->drift.channel && drift_run(p, w, x)) return;
    bool first = p->room.old == 0;
    bool queries = project_all(p, w->q, &w->h->query, x) | set_means_moved(w), keys = project_keys(p, w, x);
    bool values = project_all(p, w->v, &w->h->value, x);
    bool cases = query_cases_update(&w->cases, w->k, &p->room);
    bool other_keys = first || keys || values || cases || w->from_right;
    bool all = other_keys || queries || w->h->mask == TEMPER_MASK_ALL;
    set_find_alike(p, w, p->room.size, keys);
    if (other_keys || (queries && w->h->mask != TEMPER_MASK_ALL)) set_keys_clear(w);
    if (all) set_row_begin_length(w);
    w->first = 0;
    for (size_t d = 0; d < w->vs; d++) column_begin(&w->out[d], &p->room, all);
    for (size_t d = 0; d < w->vs && w->unions; d++) column_begin(&w->unions[d], &p->room, all);
    if (w->h->mask == TEMPER_MASK_ALL)
        rows_of_all_keys(p, w);
    else if (w->from_right)
        rows_from_right(p, w);
    else
        rows_from_left(p, w, all ? 0 : p->room.old);
    for (size_t d = 0; d < w->vs; d++) column_end(&w->out[d]);
}

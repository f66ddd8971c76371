/* One head on sets of values: how far apart its scores are, what ties, and what it gives. */
#include <math.h>
#include <stdlib.h>

#include "facts/query_cases.h"
#include "facts/set_run.h"

static spread *project(set_run *p, const model_rows *rows, known *to) {
    uint32_t channels = p->m->channel_count;
    spread *out = spread_array(p->pool, p->size * rows->count);
    for (size_t i = 0; i < p->size; i++)
        for (uint32_t r = 0; r < rows->count; r++) {
            spread *z = &out[i * rows->count + r];
            for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++)
                spread_add_scaled(z, &p->x[i * channels + rows->terms[k].channel], rows->terms[k].weight, &p->work);
            set_record(&to[r], z);
        }
    return out;
}

enum { PAIR_LIMIT = 32 }; /* keys of which all pairs are looked at, for each row */

typedef struct row_score {
    const rational *value;
    size_t key;
} row_score;

typedef struct head_work {
    const model_head *h;
    head_facts *facts;
    spread *q, *k, *v;     /* [N][size] */
    spread *keys, *values; /* what the keys of the present row can be, together */
    spread *sums;          /* the sum of their values */
    spread *out;           /* [value_size] */
    spread *scores;        /* [N] */
    row_score *order;      /* [N] */
    rational *pairs;       /* [query_size]: the least difference of two keys of the row that differ; 0: none do */
    spread *difference, *score; /* [1] */
    const spread **kinds;       /* [query_size][N]: the different keys of the row so far */
    bool *met_twice;            /* [query_size][N] */
    size_t *kind_count;         /* [query_size] */
    query_cases cases;
    size_t *alike;          /* [N]: the last key up to here that is like the one before it, + 1; 0: none */
    spread *group;          /* [value_size] */
    bool *follows;          /* [value_size] */
    bool query_is_not_zero; /* of the present row, and there is only one dimension */
    size_t first, end;      /* the keys of the present row */
} head_work;

static void add_pair(set_run *p, head_work *w, size_t d, const spread *x, const spread *y) {
    spread_set_difference(w->difference, x, y);
    spread_least(&p->r[1], w->difference, &p->work);
    bool smaller = rational_is_zero(&w->pairs[d]) || rational_cmp(&p->r[1], &w->pairs[d]) < 0;
    if (!rational_is_zero(&p->r[1]) && smaller) rational_set(&w->pairs[d], &p->r[1]);
}

static bool is_same(const spread *x, const spread *y) {
    return rational_equal(&x->a, &y->a) && rational_equal(&x->g, &y->g) && rational_equal(&x->hi, &y->hi) &&
           rational_equal(&x->lo, &y->lo);
}

/* The least difference of key j from the keys of the row that differ from it, in every dimension. Keys that can take
   the same values are compared with one of them. */
static void add_pairs(set_run *p, head_work *w, size_t j) {
    size_t qs = w->h->query.count;
    for (size_t d = 0; d < qs; d++) {
        const spread *key = &w->k[j * qs + d], **kinds = w->kinds + d * p->size;
        size_t k = 0;
        while (k < w->kind_count[d] && !is_same(kinds[k], key)) k++;
        bool fresh = k == w->kind_count[d];
        if (!fresh && w->met_twice[d * p->size + k]) continue;
        if (!fresh) { /* the second of its kind */
            w->met_twice[d * p->size + k] = true;
            add_pair(p, w, d, key, key);
            continue;
        }
        for (k = 0; k < w->kind_count[d]; k++) add_pair(p, w, d, key, kinds[k]);
        kinds[w->kind_count[d]++] = key;
    }
}

/* Key j joins the row, whose keys so far are first..end-1. */
static void add_key(set_run *p, head_work *w, size_t j, size_t first, size_t end) {
    size_t qs = w->h->query.count, vs = w->h->value.count;
    bool fresh = first == end;
    add_pairs(p, w, j);
    for (size_t d = 0; d < qs; d++) {
        if (fresh)
            spread_set(&w->keys[d], &w->k[j * qs + d]);
        else
            spread_join(&w->keys[d], &w->k[j * qs + d], &p->work);
    }
    for (size_t d = 0; d < vs; d++) {
        if (fresh) {
            spread_set(&w->values[d], &w->v[j * vs + d]);
            spread_set(&w->sums[d], &w->v[j * vs + d]);
        } else {
            spread_join(&w->values[d], &w->v[j * vs + d], &p->work);
            spread_add(&w->sums[d], &w->v[j * vs + d], &p->work);
        }
    }
}

/* All pairs of keys with this row's query. */
static void gap_of_pairs(rational *gap, set_run *p, head_work *w, size_t i) {
    size_t qs = w->h->query.count;
    rational *zero = &p->r[2], *least = &p->r[1];
    rational_set_int(zero, 0);
    rational_set_int(gap, 0);
    for (size_t j = w->first; j < w->end; j++)
        for (size_t k = w->first; k < j; k++) {
            spread_set_constant(w->score, zero);
            for (size_t d = 0; d < qs; d++) {
                spread_set_difference(w->difference, &w->k[j * qs + d], &w->k[k * qs + d]);
                spread_add_product(w->score, &w->q[i * qs + d], w->difference, &p->work);
            }
            spread_least(least, w->score, &p->work);
            bool smaller = rational_is_zero(gap) || rational_cmp(least, gap) < 0;
            if (!rational_is_zero(least) && smaller) rational_set(gap, least);
        }
}

/* Two scores of row i differ by sum_d q_d (k_jd - k_j'd), where every bracket is a multiple of the keys' g: so by a
   multiple of *gap; 0: no two differ. The number of dimensions in which they do, and one of them. */
static size_t row_step(rational *gap, const set_run *p, const head_work *w, size_t i, size_t *last) {
    size_t qs = w->h->query.count, active = 0;
    rational_set_int(gap, 0);
    for (size_t d = 0; d < qs; d++) {
        const spread *q = &w->q[i * qs + d];
        if (spread_is_zero(q) || spread_is_constant(&w->keys[d])) continue;
        active++;
        *last = d;
        rational_gcd(&p->r[1], &q->a, &q->g);
        rational_mul(&p->r[1], &p->r[1], &w->keys[d].g);
        rational_gcd(gap, gap, &p->r[1]);
    }
    return active;
}

/* A larger lower bound. One dimension: the product of two numbers that are not 0. More: all pairs, if they are
   few. */
static void sharpen_gap(rational *gap, set_run *p, head_work *w, size_t i, size_t active, size_t last) {
    if (active == 1) {
        spread_least(gap, &w->q[i * w->h->query.count + last], &p->work);
        rational_mul(gap, gap, &w->pairs[last]);
    } else if (active > 1 && w->end - w->first <= PAIR_LIMIT) {
        gap_of_pairs(gap, p, w, i);
    }
}

/* ---- what a row can give ---- */

/* Begins the union of what the row can give, or adds to it: one member of `values`, or where several keys tie the
   mean of up to `most` of them, which is in a + (g/lcm(1..most)) Z. A value that is a multiple of the key is the same
   for all keys that tie. */
static void add_outcome(const set_run *p, head_work *w, const spread *values, size_t most, bool fresh) {
    bool mean = w->h->hard_choice == TEMPER_CHOICE_AVERAGE && most > 1;
    for (size_t d = 0; d < w->h->value.count; d++) {
        spread_set(w->score, &values[d]);
        if (mean && !(w->query_is_not_zero && w->follows[d])) rational_div(&w->score->g, &w->score->g, &p->lcm[most]);
        if (fresh)
            spread_set(&w->out[d], w->score);
        else
            spread_join(&w->out[d], w->score, &p->work);
    }
}

/* The values of the keys that `chosen` marks with a bit, together in w->group; how many they are. */
static size_t join_values(const set_run *p, head_work *w, const unsigned char *chosen, unsigned char bit) {
    size_t vs = w->h->value.count, count = 0;
    for (size_t j = w->first; j < w->end; j++) {
        if (!(chosen[j] & bit)) continue;
        for (size_t d = 0; d < vs; d++) {
            if (count == 0)
                spread_set(&w->group[d], &w->v[j * vs + d]);
            else
                spread_join(&w->group[d], &w->v[j * vs + d], &p->work);
        }
        count++;
    }
    return count;
}

static int by_value(const void *a, const void *b) {
    const row_score *x = a, *y = b;
    return rational_cmp(x->value, y->value);
}

/* Keys that can have the largest score of row i, in w->order, by the remainder of their scores modulo a common step;
   those with different remainders never tie. */
static size_t order_candidates(const set_run *p, head_work *w, size_t i) {
    size_t qs = w->h->query.count, candidates = 0;
    rational *floor_of = &p->r[1], *step = &p->r[2], *t = &p->r[3];
    for (size_t j = w->first; j < w->end; j++) {
        rational_set_int(t, 0);
        spread_set_constant(&w->scores[j], t);
        for (size_t d = 0; d < qs; d++)
            spread_add_product(&w->scores[j], &w->q[i * qs + d], &w->k[j * qs + d], &p->work);
        if (j == w->first || rational_cmp(&w->scores[j].lo, floor_of) > 0) rational_set(floor_of, &w->scores[j].lo);
    }
    rational_set_int(step, 0);
    for (size_t j = w->first; j < w->end; j++)
        if (rational_cmp(&w->scores[j].hi, floor_of) >= 0) rational_gcd(step, step, &w->scores[j].g);
    for (size_t j = w->first; j < w->end; j++) {
        if (rational_cmp(&w->scores[j].hi, floor_of) < 0) continue;
        if (!rational_is_zero(step)) {
            rational_div(t, &w->scores[j].a, step);
            rational_floor(&p->r[4], t);
            rational_sub(&w->scores[j].a, t, &p->r[4]);
        }
        w->order[candidates++] = (row_score){&w->scores[j].a, j};
    }
    qsort(w->order, candidates, sizeof *w->order, by_value);
    return candidates;
}

/* Neighbours that can take the same values: a cheap sign that something may tie. Constants are compared with care
   instead. */
static void find_alike(head_work *w, size_t size) {
    size_t qs = w->h->query.count;
    for (size_t j = 1; j < size; j++) {
        bool same = true, open = false;
        for (size_t d = 0; d < qs && same; d++) {
            const spread *x = &w->k[(j - 1) * qs + d], *y = &w->k[j * qs + d];
            same = is_same(x, y);
            open |= !spread_is_constant(x);
        }
        w->alike[j] = same && open ? j + 1 : w->alike[j - 1];
    }
}

/* What row i can give, one group of keys that can tie after the other; whether none can. */
static bool outcomes_by_groups(const set_run *p, head_work *w, size_t i) {
    if (w->alike[w->end - 1] > w->first + 1) { /* all one group, for short */
        add_outcome(p, w, w->values, w->end - w->first, true);
        return false;
    }
    size_t candidates = order_candidates(p, w, i), vs = w->h->value.count;
    bool tieless = true;
    for (size_t k = 0, end; k < candidates; k = end) {
        for (end = k + 1; end < candidates && rational_equal(w->order[k].value, w->order[end].value); end++) {
        }
        for (size_t m = k; m < end; m++)
            for (size_t d = 0; d < vs; d++) {
                const spread *v = &w->v[w->order[m].key * vs + d];
                if (m == k)
                    spread_set(&w->group[d], v);
                else
                    spread_join(&w->group[d], v, &p->work);
            }
        if (end - k > 1) tieless = false;
        add_outcome(p, w, w->group, end - k, k == 0);
    }
    return tieless;
}

/* The same where every value of the query was tried: keys that win alone, and keys that win with others. */
static void outcomes_by_cases(const set_run *p, head_work *w) {
    bool fresh = true;
    if (join_values(p, w, w->cases.wins, WINS_ALONE)) {
        add_outcome(p, w, w->group, 1, true);
        fresh = false;
    }
    size_t tied = join_values(p, w, w->cases.wins, WINS_TIED);
    if (tied) add_outcome(p, w, w->group, tied, fresh);
}

/* All scores are equal. */
static void outcome_uniform(head_work *w) {
    size_t vs = w->h->value.count, count = w->end - w->first;
    for (size_t d = 0; d < vs; d++) {
        spread *out = &w->out[d];
        if (w->h->hard_choice == TEMPER_CHOICE_AVERAGE) {
            rational_div_int(&out->a, &w->sums[d].a, count);
            rational_div_int(&out->g, &w->sums[d].g, count);
            rational_div_int(&out->lo, &w->sums[d].lo, count);
            rational_div_int(&out->hi, &w->sums[d].hi, count);
        } else {
            size_t key = w->h->hard_choice == TEMPER_CHOICE_LEFTMOST ? w->first : w->end - 1;
            spread_set(out, &w->v[key * vs + d]);
        }
    }
}

/* ---- rows ---- */

/* Fills w->out; whether no two keys tie. */
static bool run_scores(set_run *p, head_work *w, size_t i) {
    size_t qs = w->h->query.count;
    case_result found;
    w->query_is_not_zero = false;
    size_t last = 0, active = row_step(&p->r[0], p, w, i, &last);
    if (rational_is_zero(&p->r[0])) {
        outcome_uniform(w);
        return w->end - w->first == 1;
    }
    bool cases = query_cases_row(&w->cases, &found, &p->r[5], w->q + i * qs, w->first, w->end, &p->work);
    if (cases)
        rational_set(&p->r[0], &p->r[5]);
    else
        sharpen_gap(&p->r[0], p, w, i, active, last);
    if (rational_is_zero(&p->r[0])) { /* looked at more closely, no two differ */
        outcome_uniform(w);
        return w->end - w->first == 1;
    }
    w->facts->uniform = false;
    w->facts->gap = fmin(w->facts->gap, rational_below(&p->r[0]));
    w->facts->log2_gap = fmin(w->facts->log2_gap, rational_log2(&p->r[0]));
    if (cases) {
        outcomes_by_cases(p, w);
        return found.tieless;
    }
    if (qs == 1) {
        rational_set_int(&p->r[1], 0);
        spread_distance(&p->r[2], &w->q[i], &p->r[1], &p->work);
        w->query_is_not_zero = !rational_is_zero(&p->r[2]);
    }
    return outcomes_by_groups(p, w, i);
}

static void run_row(set_run *p, head_work *w, size_t i) {
    uint32_t channels = p->m->channel_count;
    if (w->end == w->first) { /* adds nothing */
        rational_set_int(&p->r[0], 0);
        for (uint32_t d = 0; d < w->h->value.count; d++) known_add(&w->facts->output[d], &p->r[0]);
        return;
    }
    if (!run_scores(p, w, i)) w->facts->tieless = false;
    for (uint32_t d = 0; d < w->h->value.count; d++) {
        set_record(&w->facts->output[d], &w->out[d]);
        const model_term *t = rows_begin_of(&w->h->output, d);
        for (size_t k = rows_size(&w->h->output, d); k-- > 0; t++)
            spread_add_scaled(&p->delta[i * channels + t->channel], &w->out[d], t->weight, &p->work);
    }
}

/* Values that are a multiple of the only key. */
static void find_followers(head_work *w) {
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

void set_run_head(set_run *p, const model_head *h, head_facts *to) {
    head_work w = {.h = h, .facts = to};
    w.q = project(p, &h->query, to->query);
    w.k = project(p, &h->key, to->key);
    w.v = project(p, &h->value, to->value);
    w.keys = spread_array(p->pool, h->query.count);
    w.values = spread_array(p->pool, h->value.count);
    w.sums = spread_array(p->pool, h->value.count);
    w.pairs = rational_array(p->pool, h->query.count);
    w.difference = spread_array(p->pool, 2);
    w.kinds = arena_zalloc(p->pool->arena, h->query.count * p->size, sizeof *w.kinds);
    w.met_twice = arena_zalloc(p->pool->arena, h->query.count * p->size, sizeof *w.met_twice);
    w.kind_count = arena_zalloc(p->pool->arena, h->query.count, sizeof *w.kind_count);
    w.score = w.difference + 1;
    w.group = spread_array(p->pool, h->value.count);
    w.follows = arena_zalloc(p->pool->arena, h->value.count, sizeof *w.follows);
    find_followers(&w);
    w.alike = arena_zalloc(p->pool->arena, p->size, sizeof *w.alike);
    find_alike(&w, p->size);
    query_cases_init(&w.cases, w.k, p->size, h->query.count, p->pool);
    w.out = spread_array(p->pool, h->value.count);
    w.scores = spread_array(p->pool, p->size);
    w.order = arena_alloc(p->pool->arena, p->size, sizeof *w.order);
    size_t size = p->size;
    switch (h->mask) {
    case TEMPER_MASK_ALL:
        for (size_t j = 0; j < size; j++) add_key(p, &w, j, 0, j);
        w.end = size;
        for (size_t i = 0; i < size; i++) run_row(p, &w, i);
        break;
    case TEMPER_MASK_BEFORE:
        for (size_t i = 0; i < size; i++) {
            w.end = i;
            run_row(p, &w, i);
            add_key(p, &w, i, 0, i);
        }
        break;
    case TEMPER_MASK_UP_TO:
        for (size_t i = 0; i < size; i++) {
            add_key(p, &w, i, 0, i);
            w.end = i + 1;
            run_row(p, &w, i);
        }
        break;
    case TEMPER_MASK_AFTER:
        w.end = size;
        for (size_t i = size; i-- > 0;) {
            w.first = i + 1;
            run_row(p, &w, i);
            add_key(p, &w, i, i + 1, size);
        }
        break;
    case TEMPER_MASK_FROM:
        w.end = size;
        for (size_t i = size; i-- > 0;) {
            add_key(p, &w, i, i + 1, size);
            w.first = i;
            run_row(p, &w, i);
        }
        break;
    }
}

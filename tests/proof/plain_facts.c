/* Facts by sets as the page states them (doc/certificate.md, "Facts about the hard model"): one length at a time, from
   nothing, row by row, with every key looked at and every value of a query tried. src/facts keeps what lengths share
   and knows shorter ways; what it finds must be this, bit for bit. */
#include "plain_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/lattice.h"
#include "model/expression_rational.h"

double plain_facts_most = 3e5;

/* Rule 9: a channel to which one term in the whole model adds, that of an average that looks to the left. */
typedef struct mean_note {
    bool usable;
    const model_head *head;
    uint32_t row;
    double weight;
    spread *together; /* [N] the union of the values of a row's keys, after the head was run; NULL before */
} mean_note;

typedef struct plain_run {
    const subject_model *s;
    const temper_model *m;
    facts *f;
    rational_pool *pool;
    spread_work work;
    spread *x, *delta; /* [N][channels] */
    spread *one;       /* [1] */
    rational *r;       /* [8] */
    rational *lcm;     /* [N + 1] lcm(1..t) */
    mean_note *notes;  /* [channels] */
    size_t n, size;
    double steps;
} plain_run;

static void spend(double *steps, double more, trap *t) {
    if ((*steps += more) > plain_facts_most) trap_raise(t, TEMPER_LIMIT, 0, 0, "the long way is too long");
}

static void set_record(known *k, const spread *x) {
    int a = rational_grid(&x->a), g = rational_grid(&x->g);
    known_add_interval(k, &x->lo, &x->hi, a < g ? a : g);
}

/* ---- rule 3 ---- */

enum { WINS_ALONE = 1, WINS_TIED = 2 };

typedef struct query_cases {
    size_t size, dims;
    bool usable;      /* all keys are constants that fit */
    int64_t *keys;    /* [dims][N] in units */
    int64_t *largest; /* [dims] of their sizes */
    rational *unit;   /* of keys */
    /* work for one row */
    rational *t;                      /* [3] */
    int64_t *firsts, *steps, *values; /* [dims] */
    size_t *counts;                   /* [dims] */
    int64_t *scores;                  /* [N] */
    unsigned char *wins;              /* [N]: how the last row's keys can win */
    size_t tried;                     /* values of its query */
} query_cases;

typedef struct case_result {
    bool uniform, tieless; /* for every value of the query */
} case_result;

enum { CASE_LIMIT = 4096, CASE_LINE = 65536 };
static const int64_t NUMBER_LIMIT = (int64_t)1 << 40;

static bool fits(int64_t *out, const rational *x) {
    return rational_to_int64(out, x) && *out <= NUMBER_LIMIT && *out >= -NUMBER_LIMIT;
}

/* Keys in units of what all of them have in common. */
static void measure_keys(query_cases *c, const spread *keys) {
    for (size_t k = 0; k < c->size * c->dims; k++) {
        if (!spread_is_constant(&keys[k])) c->usable = false;
        rational_gcd(c->unit, c->unit, &keys[k].a);
    }
    for (size_t k = 0; k < c->size * c->dims && c->usable && !rational_is_zero(c->unit); k++) {
        int64_t *key = &c->keys[k % c->dims * c->size + k / c->dims], *most = &c->largest[k % c->dims];
        rational_div(&c->t[0], &keys[k].a, c->unit);
        if (!fits(key, &c->t[0])) c->usable = false;
        if (c->usable && *key > *most) *most = *key;
        if (c->usable && -*key > *most) *most = -*key;
    }
}

static void query_cases_init(query_cases *c, const spread *keys, size_t size, size_t dims, rational_pool *pool) {
    arena *a = pool->arena;
    *c = (query_cases){.size = size, .dims = dims, .usable = dims > 0 && dims <= 16};
    c->t = rational_array(pool, 3);
    c->unit = rational_array(pool, 1);
    c->largest = arena_zalloc(a, dims, sizeof *c->largest);
    c->firsts = arena_zalloc(a, dims, sizeof *c->firsts);
    c->steps = arena_zalloc(a, dims, sizeof *c->steps);
    c->values = arena_zalloc(a, dims, sizeof *c->values);
    c->counts = arena_zalloc(a, dims, sizeof *c->counts);
    c->wins = arena_zalloc(a, size, 1);
    c->scores = arena_zalloc(a, size, sizeof *c->scores);
    c->keys = arena_zalloc(a, dims * size, sizeof *c->keys);
    if (c->usable) measure_keys(c, keys);
}

typedef __int128 wide;

/* The query's values as integers: firsts + k steps, k < counts, in units of what they have in common, t[2]. The
   number of combinations, 0 if there are too many, or numbers are too large: all scores fit in 62 bits. */
static size_t prepare_query(query_cases *c, const spread *query, const spread_work *w) {
    size_t cases = 1, varying = 0;
    rational *unit = &c->t[2];
    wide sum = 0;
    rational_set_int(unit, 0);
    for (size_t d = 0; d < c->dims; d++) {
        rational_gcd(unit, unit, &query[d].a);
        rational_gcd(unit, unit, &query[d].g);
    }
    if (rational_is_zero(unit)) return 0;
    for (size_t d = 0; d < c->dims; d++) {
        c->counts[d] = spread_count(&query[d], CASE_LINE, w);
        varying += c->counts[d] > 1;
        if (c->counts[d] > CASE_LINE || (cases *= c->counts[d]) > (varying > 1 ? CASE_LIMIT : CASE_LINE)) return 0;
        spread_member(&c->t[0], &query[d], 0, w);
        rational_div(&c->t[0], &c->t[0], unit);
        rational_div(&c->t[1], &query[d].g, unit);
        if (!fits(&c->firsts[d], &c->t[0]) || !fits(&c->steps[d], &c->t[1])) return 0;
        int64_t last = c->firsts[d] + (int64_t)(c->counts[d] - 1) * c->steps[d];
        int64_t most = last > -c->firsts[d] ? last : -c->firsts[d];
        if (most > NUMBER_LIMIT) return 0;
        sum += (wide)most * c->largest[d];
    }
    return sum < (wide)1 << 62 ? cases : 0;
}

/* One value of the query: the largest score, the next, and how many have the largest. */
static void try_case(query_cases *c, size_t first, size_t end, int64_t *gap, bool *differs, bool *ties) {
    const int64_t *scores = c->scores;
    int64_t best = scores[first], next = INT64_MIN;
    size_t count = 0;
    for (size_t j = first + 1; j < end; j++) best = scores[j] > best ? scores[j] : best;
    for (size_t j = first; j < end; j++) {
        bool wins = scores[j] == best;
        count += wins;
        int64_t below = wins ? INT64_MIN : scores[j];
        next = below > next ? below : next;
    }
    unsigned char how = count > 1 ? WINS_TIED : WINS_ALONE;
    for (size_t j = first; j < end; j++) c->wins[j] |= scores[j] == best ? how : 0;
    if (count > 1) *ties = true;
    if (count == end - first) return;
    if (!*differs || best - next < *gap) *gap = best - next;
    *differs = true;
}

/* All values of dimension `fast`, the others as in `values`: from one to the next every score moves by its key's
   step. */
static void try_values(query_cases *c, size_t fast, size_t first, size_t end, int64_t *gap, bool *differs,
                       bool *ties) {
    for (size_t j = first; j < end; j++) {
        int64_t score = 0;
        for (size_t d = 0; d < c->dims; d++) score += c->values[d] * c->keys[d * c->size + j];
        c->scores[j] = score;
    }
    const int64_t *keys = c->keys + fast * c->size;
    for (size_t k = 0; k < c->counts[fast]; k++) {
        if (k)
            for (size_t j = first; j < end; j++) c->scores[j] += c->steps[fast] * keys[j];
        try_case(c, first, end, gap, differs, ties);
    }
}

static bool query_cases_row(query_cases *c, case_result *out, rational *gap, const spread *query, size_t first,
                            size_t end, const spread_work *w) {
    size_t cases = c->usable ? prepare_query(c, query, w) : 0, fast = 0;
    if (cases == 0) return false;
    int64_t least = 0;
    bool differs = false, ties = false;
    memset(c->wins, 0, c->size);
    while (fast + 1 < c->dims && c->counts[fast] == 1) fast++;
    for (size_t k = 0; k < cases / c->counts[fast]; k++) {
        size_t rest = k;
        for (size_t d = 0; d < c->dims; d++) {
            c->values[d] = c->firsts[d];
            if (d == fast) continue;
            c->values[d] += (int64_t)(rest % c->counts[d]) * c->steps[d];
            rest /= c->counts[d];
        }
        try_values(c, fast, first, end, &least, &differs, &ties);
    }
    *out = (case_result){.uniform = !differs, .tieless = !ties};
    c->tried = cases;
    rational_set_int(gap, least);
    rational_mul(gap, gap, &c->t[2]);
    rational_mul(gap, gap, c->unit);
    return true;
}

/* ---- heads ---- */

static spread *project(plain_run *p, const model_rows *rows, known *to) {
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

static void add_pair(plain_run *p, head_work *w, size_t d, const spread *x, const spread *y) {
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
static void add_pairs(plain_run *p, head_work *w, size_t j) {
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
static void add_key(plain_run *p, head_work *w, size_t j, size_t first, size_t end) {
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
static void gap_of_pairs(rational *gap, plain_run *p, head_work *w, size_t i) {
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
static size_t row_step(rational *gap, const plain_run *p, const head_work *w, size_t i, size_t *last) {
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
static void sharpen_gap(rational *gap, plain_run *p, head_work *w, size_t i, size_t active, size_t last) {
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
static void add_outcome(const plain_run *p, head_work *w, const spread *values, size_t most, bool fresh) {
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
static size_t join_values(const plain_run *p, head_work *w, const unsigned char *chosen, unsigned char bit) {
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
static size_t order_candidates(const plain_run *p, head_work *w, size_t i) {
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
static bool outcomes_by_groups(const plain_run *p, head_work *w, size_t i) {
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
static void outcomes_by_cases(const plain_run *p, head_work *w) {
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

/* ---- rule 9 ---- */

static void take_notes(plain_run *p) {
    const temper_model *m = p->m;
    p->notes = arena_zalloc(p->pool->arena, m->channel_count, sizeof *p->notes);
    for (uint32_t c = 0; c < m->channel_count; c++) {
        mean_note *note = &p->notes[c];
        size_t writers = m->channels[c].position && !m->channels[c].soft_only;
        for (uint32_t t = 0; t < m->embedding.start[m->embedding.count]; t++)
            writers += m->embedding.terms[t].channel == c && m->embedding.terms[t].weight != 0;
        for (uint32_t l = 0; l < m->layer_count; l++) {
            const model_rows *units = &m->layers[l].out;
            for (uint32_t t = 0; t < units->start[units->count]; t++) writers += 2 * (units->terms[t].channel == c);
            for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
                const model_head *head = &m->layers[l].heads[h];
                for (uint32_t r = 0; r < head->output.count; r++)
                    for (uint32_t t = head->output.start[r]; t < head->output.start[r + 1]; t++) {
                        if (head->output.terms[t].channel != c) continue;
                        writers++;
                        *note = (mean_note){.head = head, .row = r, .weight = head->output.terms[t].weight};
                    }
            }
        }
        note->usable = writers == 1 && note->head && note->head->hard_choice == TEMPER_CHOICE_AVERAGE &&
                       (note->head->mask == TEMPER_MASK_UP_TO || note->head->mask == TEMPER_MASK_BEFORE);
    }
}

/* The values of row i's keys are noted where a channel is their mean. */
static void note_values(plain_run *p, const head_work *w, size_t i) {
    for (uint32_t c = 0; c < p->m->channel_count; c++) {
        mean_note *note = &p->notes[c];
        if (!note->usable || note->head != w->h) continue;
        if (!note->together) note->together = spread_array(p->pool, p->size);
        if (w->end > w->first) spread_set(&note->together[i], &w->values[note->row]);
    }
}

static bool keys_are_few(const plain_run *p, const head_work *w) {
    size_t qs = w->h->query.count, count = 0;
    for (size_t j = w->first; j < w->end; j++) {
        bool fresh = true;
        for (size_t d = 0; d < qs; d++)
            if (!spread_is_constant(&w->k[j * qs + d])) return false;
        for (size_t k = w->first; k < j && fresh; k++) {
            size_t d = 0;
            while (d < qs && rational_equal(&w->k[j * qs + d].a, &w->k[k * qs + d].a)) d++;
            fresh = d < qs;
        }
        count += fresh;
    }
    (void)p;
    return count <= 16;
}

/* All pairs of keys: |c x + b| is 0 or at least |c| g/(t s), where -b/c = a + g r/s. */
static void raise_gap(rational *gap, plain_run *p, head_work *w, size_t i) {
    size_t qs = w->h->query.count, open = 0, at = 0;
    for (size_t d = 0; d < qs; d++)
        if (!spread_is_constant(&w->q[i * qs + d])) open++, at = d;
    if (open != 1 || rows_size(&w->h->query, (uint32_t)at) != 1) return;
    const model_term *term = rows_begin_of(&w->h->query, (uint32_t)at);
    const mean_note *note = &p->notes[term->channel];
    if (!note->usable || !note->together) return;
    size_t t = i + (note->head->mask == TEMPER_MASK_UP_TO);
    const spread *values = &note->together[i];
    if (t == 0 || spread_is_constant(values) || !keys_are_few(p, w)) return;
    rational *x = rational_array(p->pool, 6), *c = x + 1, *b = x + 2, *one = x + 3, *least = x + 4, *factor = x + 5;
    rational_set_int(one, 1);
    rational_set_double(factor, note->weight);
    rational_set_double(x, term->weight);
    rational_mul(factor, factor, x);
    for (size_t j = w->first; j < w->end; j++)
        for (size_t k = w->first; k < j; k++) {
            rational_set_int(b, 0);
            for (size_t d = 0; d < qs; d++) {
                rational_sub(x, &w->k[j * qs + d].a, &w->k[k * qs + d].a);
                if (d == at)
                    rational_mul(c, x, factor);
                else
                    rational_add_product(b, &w->q[i * qs + d].a, x);
            }
            if (rational_is_zero(c)) {
                rational_abs(x, b);
            } else {
                rational_div(x, b, c);
                rational_add(x, x, &values->a);
                rational_div(x, x, &values->g);
                rational_gcd(x, x, one); /* 1/s */
                rational_mul(x, x, &values->g);
                rational_mul(x, x, c);
                rational_abs(x, x);
                rational_div_int(x, x, t);
            }
            if (!rational_is_zero(x) && (rational_is_zero(least) || rational_cmp(x, least) < 0))
                rational_set(least, x);
        }
    if (rational_cmp(least, gap) > 0) rational_set(gap, least);
}

/* ---- rows ---- */

/* Fills w->out; whether no two keys tie. */
static bool run_scores(plain_run *p, head_work *w, size_t i) {
    size_t qs = w->h->query.count;
    case_result found;
    w->query_is_not_zero = false;
    size_t last = 0, active = row_step(&p->r[0], p, w, i, &last);
    if (rational_is_zero(&p->r[0])) {
        outcome_uniform(w);
        return w->end - w->first == 1;
    }
    bool cases = query_cases_row(&w->cases, &found, &p->r[5], w->q + i * qs, w->first, w->end, &p->work);
    if (cases) spend(&p->steps, (double)(w->cases.tried * (w->end - w->first)) / 64, p->pool->arena->trap);
    if (cases)
        rational_set(&p->r[0], &p->r[5]);
    else
        sharpen_gap(&p->r[0], p, w, i, active, last);
    if (rational_is_zero(&p->r[0])) { /* looked at more closely, no two differ */
        outcome_uniform(w);
        return w->end - w->first == 1;
    }
    raise_gap(&p->r[0], p, w, i);
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

static void run_row(plain_run *p, head_work *w, size_t i) {
    uint32_t channels = p->m->channel_count;
    note_values(p, w, i);
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

static void run_head(plain_run *p, const model_head *h, head_facts *to) {
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

/* ---- nets ---- */

/* The bundle's function into a channel at z. */
static void bundle_at(rational *out, const plain_run *p, const model_layer *l, const bundle *b, uint32_t channel,
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
static void bundle_of_many(spread *out, const plain_run *p, const model_layer *l, const bundle *b, uint32_t channel,
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

enum { MEMBER_LIMIT = 1 << 16 };

/* Few inputs: the function is evaluated at each. */
static void run_members(plain_run *p, const model_layer *l, const bundle *b, bundle_facts *to, const spread *z,
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

static void run_bundle(plain_run *p, const model_layer *l, const bundle *b, bundle_facts *to) {
    uint32_t channels = p->m->channel_count;
    spread *z = spread_array(p->pool, 1), *out = spread_array(p->pool, b->channel_count);
    for (size_t i = 0; i < p->size; i++) {
        rational_set_int(&p->r[0], 0);
        spread_set_constant(z, &p->r[0]);
        for (uint32_t k = l->in.start[b->row]; k < l->in.start[b->row + 1]; k++)
            spread_add_scaled(z, &p->x[i * channels + l->in.terms[k].channel], l->in.terms[k].weight, &p->work);
        size_t count = spread_count(z, MEMBER_LIMIT, &p->work);
        if (count <= MEMBER_LIMIT) {
            spend(&p->steps, (double)(count * b->unit_count), p->pool->arena->trap);
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

static void record_channels(const plain_run *p, known *to) {
    for (size_t i = 0; i < p->size; i++)
        for (uint32_t c = 0; c < p->m->channel_count; c++) set_record(&to[c], &p->x[i * p->m->channel_count + c]);
}

/* ---- embedding ---- */

static void embed_token(spread *to, const plain_run *p, uint32_t token) {
    for (uint32_t c = 0; c < p->m->channel_count; c++) {
        rational_set_int(&p->r[0], 0);
        spread_set_constant(&to[c], &p->r[0]);
    }
    const model_term *t = rows_begin_of(&p->m->embedding, token);
    for (size_t k = rows_size(&p->m->embedding, token); k-- > 0; t++) {
        rational_set_double(&p->r[0], t->weight);
        spread_set_constant(&to[t->channel], &p->r[0]);
    }
}

static void embed(plain_run *p) {
    const temper_model *m = p->m;
    uint32_t channels = m->channel_count;
    spread *token = spread_array(p->pool, channels), *letters = spread_array(p->pool, channels);
    for (uint32_t k = 0; k < m->letters.count; k++) {
        embed_token(k ? token : letters, p, k);
        for (uint32_t c = 0; k && c < channels; c++) spread_join(&letters[c], &token[c], &p->work);
    }
    for (size_t i = 0; i < p->size; i++) {
        bool letter = i >= 1 && i <= p->n;
        if (!letter) embed_token(token, p, i == 0 ? model_start_token(m) : model_end_token(m));
        for (uint32_t c = 0; c < channels; c++) {
            spread *to = &p->x[i * channels + c];
            spread_set(to, letter ? &letters[c] : &token[c]);
            if (!m->channels[c].position || m->channels[c].soft_only) continue;
            if (!expression_rational(&p->r[0], m->channels[c].position, i, p->n, p->size, p->pool))
                trap_raise(p->pool->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                           "the feature of channel %u is not a rational number at position %zu of length %zu", c, i,
                           p->n);
            spread_set_constant(p->one, &p->r[0]);
            spread_add(to, p->one, &p->work);
        }
    }
}

/* ---- the run ---- */

/* x += delta; delta = 0. Numbers that grow without end are refused here. */
static void add_delta(plain_run *p) {
    rational_set_int(&p->r[0], 0);
    for (size_t k = 0; k < p->size * p->m->channel_count; k++) {
        spread_add(&p->x[k], &p->delta[k], &p->work);
        spread_set_constant(&p->delta[k], &p->r[0]);
        rational_require_short(p->pool, &p->x[k].a);
        rational_require_short(p->pool, &p->x[k].g);
    }
}

static void read_out(plain_run *p) {
    const model_rows *read = &p->m->read;
    uint32_t channels = p->m->channel_count;
    size_t verdict = p->n == 0 ? 0 : p->m->at == TEMPER_AT_FIRST ? 1 : p->n;
    spread *y = spread_array(p->pool, 1);
    rational *half = &p->r[6], *distance = &p->r[7];
    for (size_t i = p->n ? 1 : 0; i <= p->n; i++) {
        rational_set_int(half, 0);
        spread_set_constant(y, half);
        for (uint32_t k = read->start[0]; k < read->start[1]; k++)
            spread_add_scaled(y, &p->x[i * channels + read->terms[k].channel], read->terms[k].weight, &p->work);
        rational_set_ratio(half, 1, 2);
        spread_distance(distance, y, half, &p->work);
        double margin = rational_below(distance);
        p->f->margin_everywhere = fmin(p->f->margin_everywhere, margin);
        if (i == verdict) p->f->margin = margin;
    }
}

static void prepare_lcm(plain_run *p) {
    p->lcm = rational_array(p->pool, p->size + 1);
    rational_set_int(&p->lcm[0], 1);
    for (size_t t = 1; t <= p->size; t++) { /* lcm(a, b) = a b / gcd(a, b) */
        rational_set_int(&p->r[0], (long)t);
        rational_gcd(&p->r[1], &p->lcm[t - 1], &p->r[0]);
        rational_mul(&p->lcm[t], &p->lcm[t - 1], &p->r[0]);
        rational_div(&p->lcm[t], &p->lcm[t], &p->r[1]);
    }
}

facts *plain_facts(const subject_model *s, size_t n, rational_pool *pool, arena *keep) {
    const temper_model *m = s->model;
    plain_run p = {.s = s, .m = m, .pool = pool, .n = n, .size = n + 1 + m->has_end};
    p.f = facts_new(s, n, keep);
    spread_work_init(&p.work, pool);
    p.r = rational_array(pool, 8);
    p.one = spread_array(pool, 1);
    p.x = spread_array(pool, p.size * m->channel_count);
    p.delta = spread_array(pool, p.size * m->channel_count);
    prepare_lcm(&p);
    take_notes(&p);
    embed(&p);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        record_channels(&p, p.f->layers[l].before);
        for (uint32_t h = 0; h < layer->head_count; h++) run_head(&p, &layer->heads[h], &p.f->layers[l].heads[h]);
        add_delta(&p);
        record_channels(&p, p.f->layers[l].middle);
        for (uint32_t b = 0; b < s->bundles[l].count; b++)
            run_bundle(&p, layer, &s->bundles[l].items[b], &p.f->layers[l].bundles[b]);
        add_delta(&p);
    }
    record_channels(&p, p.f->after);
    read_out(&p);
    return p.f;
}

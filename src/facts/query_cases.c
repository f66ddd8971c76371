#include "facts/query_cases.h"

#include <string.h>

enum { CASE_LIMIT = 4096 };
static const int64_t NUMBER_LIMIT = (int64_t)1 << 40;

void query_cases_init(query_cases *c, const spread *keys, size_t size, size_t dims, rational_pool *pool) {
    arena *a = pool->arena;
    *c = (query_cases){.size = size, .dims = dims, .usable = dims > 0 && dims <= 16};
    c->t = rational_array(pool, 4);
    c->units = rational_array(pool, dims);
    c->query_units = rational_array(pool, dims);
    c->products = rational_array(pool, dims);
    c->firsts = arena_zalloc(a, dims, sizeof *c->firsts);
    c->steps = arena_zalloc(a, dims, sizeof *c->steps);
    c->values = arena_zalloc(a, dims, sizeof *c->values);
    c->counts = arena_zalloc(a, dims, sizeof *c->counts);
    c->wins = arena_zalloc(a, size, 1);
    c->scores = arena_zalloc(a, size, sizeof *c->scores);
    c->keys = arena_zalloc(a, dims * size, sizeof *c->keys);
    for (size_t d = 0; d < dims && c->usable; d++) {
        for (size_t j = 0; j < size; j++) {
            if (!spread_is_constant(&keys[j * dims + d])) c->usable = false;
            rational_gcd(&c->units[d], &c->units[d], &keys[j * dims + d].a);
        }
        for (size_t j = 0; j < size && c->usable && !rational_is_zero(&c->units[d]); j++) {
            int64_t *k = &c->keys[d * size + j];
            rational_div(&c->t[0], &keys[j * dims + d].a, &c->units[d]);
            if (!rational_to_int64(k, &c->t[0]) || *k > NUMBER_LIMIT || *k < -NUMBER_LIMIT) c->usable = false;
        }
    }
}

static bool fits(int64_t *out, const rational *x) {
    return rational_to_int64(out, x) && *out <= NUMBER_LIMIT && *out >= -NUMBER_LIMIT;
}

/* The query's values as integers: firsts + k steps, k < counts, in units. The number of combinations, 0 if there are
   too many. */
static size_t prepare_query(query_cases *c, const spread *query, const spread_work *w) {
    size_t cases = 1;
    for (size_t d = 0; d < c->dims; d++) {
        const spread *q = &query[d];
        c->counts[d] = 1;
        c->firsts[d] = c->steps[d] = 0;
        if (spread_is_zero(q) || rational_is_zero(&c->units[d])) continue;
        c->counts[d] = spread_count(q, CASE_LIMIT, w);
        if (c->counts[d] > CASE_LIMIT || (cases *= c->counts[d]) > CASE_LIMIT) return 0;
        rational_gcd(&c->query_units[d], &q->a, &q->g);
        spread_member(&c->t[0], q, 0, w);
        rational_div(&c->t[0], &c->t[0], &c->query_units[d]);
        rational_div(&c->t[1], &q->g, &c->query_units[d]);
        if (!fits(&c->firsts[d], &c->t[0]) || !fits(&c->steps[d], &c->t[1])) return 0;
        if (c->firsts[d] + (int64_t)c->counts[d] * c->steps[d] > NUMBER_LIMIT) return 0;
    }
    return cases;
}

/* One unit for all scores in t[2]; the factors that bring each product to it go into the queries. */
static bool prepare_factors(query_cases *c) {
    rational *unit = &c->t[2];
    rational_set_int(unit, 0);
    for (size_t d = 0; d < c->dims; d++) {
        if (c->firsts[d] == 0 && c->steps[d] == 0) continue;
        rational_mul(&c->products[d], &c->query_units[d], &c->units[d]);
        rational_gcd(unit, unit, &c->products[d]);
    }
    for (size_t d = 0; d < c->dims; d++) {
        int64_t factor, most;
        if (c->firsts[d] == 0 && c->steps[d] == 0) continue;
        rational_div(&c->t[0], &c->products[d], unit);
        if (!fits(&factor, &c->t[0])) return false;
        if (__builtin_mul_overflow(factor, c->firsts[d], &c->firsts[d]) ||
            __builtin_mul_overflow(factor, c->steps[d], &c->steps[d]) ||
            __builtin_mul_overflow(c->steps[d], (int64_t)c->counts[d], &most) ||
            __builtin_add_overflow(c->firsts[d], most, &most))
            return false;
    }
    return true;
}

typedef __int128 wide;

/* Whether all scores of keys first..end-1 fit in 62 bits. */
static bool scores_fit(const query_cases *c, size_t first, size_t end) {
    wide most = 0;
    for (size_t d = 0; d < c->dims; d++) {
        wide last = (wide)c->firsts[d] + (wide)c->steps[d] * (wide)(c->counts[d] - 1), q = c->firsts[d], k = 0;
        q = q < 0 ? -q : q;
        last = last < 0 ? -last : last;
        for (size_t j = first; j < end; j++) {
            wide key = c->keys[d * c->size + j];
            key = key < 0 ? -key : key;
            if (key > k) k = key;
        }
        most += (q > last ? q : last) * k;
    }
    return most < (wide)1 << 62;
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

bool query_cases_row(query_cases *c, case_result *out, rational *gap, const spread *query, size_t first, size_t end,
                     const spread_work *w) {
    size_t cases = c->usable ? prepare_query(c, query, w) : 0, fast = 0;
    if (cases == 0 || !prepare_factors(c) || !scores_fit(c, first, end)) return false;
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
    rational_set_int(gap, least);
    rational_mul(gap, gap, &c->t[2]);
    return true;
}

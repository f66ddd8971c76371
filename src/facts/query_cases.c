/* doc/certificate.md, "Facts about the hard model", rule 3. */
#include "facts/query_cases.h"

#include <string.h>

enum { CASE_LIMIT = 4096 };
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

void query_cases_init(query_cases *c, const spread *keys, size_t size, size_t dims, rational_pool *pool) {
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
    size_t cases = 1;
    rational *unit = &c->t[2];
    wide sum = 0;
    rational_set_int(unit, 0);
    for (size_t d = 0; d < c->dims; d++) {
        rational_gcd(unit, unit, &query[d].a);
        rational_gcd(unit, unit, &query[d].g);
    }
    if (rational_is_zero(unit)) return 0;
    for (size_t d = 0; d < c->dims; d++) {
        c->counts[d] = spread_count(&query[d], CASE_LIMIT, w);
        if (c->counts[d] > CASE_LIMIT || (cases *= c->counts[d]) > CASE_LIMIT) return 0;
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

bool query_cases_row(query_cases *c, case_result *out, rational *gap, const spread *query, size_t first, size_t end,
                     const spread_work *w) {
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
    rational_set_int(gap, least);
    rational_mul(gap, gap, &c->t[2]);
    rational_mul(gap, gap, c->unit);
    return true;
}

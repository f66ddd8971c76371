#include "facts/query_cases.h"

#include <string.h>

static const int64_t NUMBER_LIMIT = (int64_t)1 << 40;

typedef __int128 wide;

void query_cases_init(query_cases *c, size_t dims, bool prefix, rational_pool *pool) {
    *c = (query_cases){.dims = dims, .prefix = prefix};
    c->t = rational_array(pool, 3);
    c->unit = rational_array(pool, 1);
}

/* ---- keys ---- */

static bool fits(int64_t *out, const rational *x) {
    return rational_to_int64(out, x) && *out <= NUMBER_LIMIT && *out >= -NUMBER_LIMIT;
}

static void make_room(query_cases *c, size_t size, arena *a) {
    if (size <= c->capacity) return;
    size_t room = size < 64 ? 64 : 2 * size;
    for (size_t d = 0; d < c->dims; d++) {
        int64_t *keys = arena_alloc(a, room, sizeof *keys);
        if (c->size) memcpy(keys, c->keys[d], c->size * sizeof *keys);
        c->keys[d] = keys;
    }
    unsigned char *kind_of = arena_zalloc(a, room, 1);
    if (c->size) memcpy(kind_of, c->kind_of, c->size);
    c->kind_of = kind_of;
    c->wins = arena_zalloc(a, room, 1);
    c->scores = arena_alloc(a, room, sizeof *c->scores);
    c->alone = arena_alloc(a, room, sizeof *c->alone);
    c->tied = arena_alloc(a, room, sizeof *c->tied);
    c->capacity = room;
}

/* Key j in units. */
static bool measure_key(query_cases *c, const set_column *keys, size_t j) {
    for (size_t d = 0; d < c->dims; d++) {
        int64_t *key = &c->keys[d][j], *most = &c->largest[d];
        *key = 0;
        if (rational_is_zero(c->unit)) continue;
        rational_div(&c->t[0], &column_at(&keys[d], j)->a, c->unit);
        if (!fits(key, &c->t[0])) return false;
        if (*key > *most) *most = *key;
        if (-*key > *most) *most = -*key;
    }
    query_cases_look(c, j);
    return true;
}

static bool measure_from(query_cases *c, const set_column *keys, size_t from, size_t size) {
    for (size_t j = from; j < size; j++)
        if (!measure_key(c, keys, j)) return false;
    return true;
}

/* All of them are constants; their unit in t[1]. */
static bool join_unit(query_cases *c, const set_column *keys, size_t from, size_t size) {
    for (size_t j = from; j < size; j++)
        for (size_t d = 0; d < c->dims; d++) {
            const spread *key = column_at(&keys[d], j);
            if (!spread_is_constant(key)) return false;
            rational_gcd(&c->t[1], &c->t[1], &key->a);
        }
    return true;
}

/* Whether rows to which the rule applied are as short as before: their scores fit in 62 bits with these keys. */
static bool still_fits(const query_cases *c) {
    wide sum = 0;
    for (size_t d = 0; d < c->dims; d++) sum += (wide)c->asked[d] * c->largest[d];
    return sum < (wide)1 << 62;
}

bool query_cases_update(query_cases *c, const set_column *keys, const column_room *r) {
    bool moved = r->old == 0, was = c->usable;
    for (size_t d = 0; d < c->dims; d++) moved = moved || keys[d].moved;
    if (c->dims == 0 || c->dims > CASE_DIMENSIONS) return false;
    if (!moved && !c->usable) return false; /* nor with more keys */
    make_room(c, r->size, r->pool->arena);
    rational_set_int(&c->t[1], 0);
    if (!moved) rational_set(&c->t[1], c->unit);
    c->usable = join_unit(c, keys, moved ? 0 : r->old, r->size);
    bool again = moved || !rational_equal(&c->t[1], c->unit);
    if (again) {
        memset(c->largest, 0, sizeof c->largest);
        memset(c->asked, 0, sizeof c->asked);
    }
    if (c->usable) {
        rational_set(c->unit, &c->t[1]);
        c->usable = measure_from(c, keys, again ? 0 : r->old, r->size);
    }
    c->size = r->size;
    return again || c->usable != was || !still_fits(c);
}

/* ---- the query ---- */

/* The query's values as integers: firsts + k steps, k < counts, in units of what they have in common, t[2]. False if
   there are too many, or numbers are too large: all scores fit in 62 bits. */
static bool prepare_query(query_cases *c, const spread *const *query, const spread_work *w) {
    size_t cases = 1, varying = 0;
    int64_t most[CASE_DIMENSIONS];
    rational *unit = &c->t[2];
    wide sum = 0;
    rational_set_int(unit, 0);
    for (size_t d = 0; d < c->dims; d++) {
        rational_gcd(unit, unit, &query[d]->a);
        rational_gcd(unit, unit, &query[d]->g);
    }
    if (rational_is_zero(unit)) return false;
    for (size_t d = 0; d < c->dims; d++) {
        c->counts[d] = spread_count(query[d], CASE_LINE, w);
        varying += c->counts[d] > 1;
        if (c->counts[d] > CASE_LINE || (cases *= c->counts[d]) > (varying > 1 ? CASE_LIMIT : CASE_LINE))
            return false;
        spread_member(&c->t[0], query[d], 0, w);
        rational_div(&c->t[0], &c->t[0], unit);
        rational_div(&c->t[1], &query[d]->g, unit);
        if (!fits(&c->firsts[d], &c->t[0]) || !fits(&c->steps[d], &c->t[1])) return false;
        int64_t last = c->firsts[d] + (int64_t)(c->counts[d] - 1) * c->steps[d];
        most[d] = last > -c->firsts[d] ? last : -c->firsts[d];
        if (most[d] > NUMBER_LIMIT) return false;
        sum += (wide)most[d] * c->largest[d];
        c->values[d] = c->firsts[d];
    }
    if (sum >= (wide)1 << 62) return false;
    for (size_t d = 0; d < c->dims; d++)
        if (most[d] > c->asked[d]) c->asked[d] = most[d];
    return true;
}

bool query_cases_next(query_cases *c) {
    for (size_t d = 0; d < c->dims; d++) {
        if (c->counts[d] == 1) continue;
        c->values[d] += c->steps[d];
        if (c->values[d] != c->firsts[d] + (int64_t)c->counts[d] * c->steps[d]) return true;
        c->values[d] = c->firsts[d];
    }
    return false;
}

/* ---- all keys ---- */

/* One value of the query: the largest score, the next, and how many have the largest. */
static void try_case(query_cases *c, case_result *out, size_t first, size_t end) {
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
    if (count > 1) out->tieless = false;
    if (count == end - first) return;
    if (!out->differs || best - next < out->gap) out->gap = best - next;
    out->differs = true;
}

static void by_all_keys(query_cases *c, case_result *out, size_t first, size_t end) {
    memset(c->wins + first, 0, end - first);
    do {
        for (size_t j = first; j < end; j++) {
            int64_t score = 0;
            for (size_t d = 0; d < c->dims; d++) score += c->values[d] * c->keys[d][j];
            c->scores[j] = score;
        }
        c->tried += (double)(end - first);
        try_case(c, out, first, end);
    } while (query_cases_next(c));
    c->alone_count = c->tied_count = 0;
    for (size_t j = first; j < end; j++) {
        if (c->wins[j] & WINS_ALONE) c->alone[c->alone_count++] = j;
        if (c->wins[j] & WINS_TIED) c->tied[c->tied_count++] = j;
    }
}

bool query_cases_row(query_cases *c, bool *tieless, rational *gap, const spread *const *query, size_t first,
                     size_t end, const spread_work *w) {
    if (!c->usable || !prepare_query(c, query, w)) return false;
    case_result found = {.tieless = true};
    c->by_kind = query_cases_by_kind(c, &found);
    if (!c->by_kind && !query_cases_by_bend(c, &found, first, end)) by_all_keys(c, &found, first, end);
    *tieless = found.tieless;
    rational_set_int(gap, found.differs ? found.gap : 0);
    rational_mul(gap, gap, &c->t[2]);
    rational_mul(gap, gap, c->unit);
    return true;
}

#include "lab/mechanism_search.h"

#include "number/elementary.h"

#include <math.h>
#include <string.h>

#define PI 0x1.921fb54442d18p+1

const char *const head_kind_names[HEAD_KINDS] = {"once", "since", "count", "compare"};

enum { LOW = -16, HIGH = 120 }; /* scales 2^(k/4) */

/* ---- rows as a mechanism takes them ---- */

static bool is_named(const mechanism *m, const char *prefix) { return !strncmp(m->name, prefix, strlen(prefix)); }

static bool is_soft(const mechanism *m) { return !strcmp(m->name, "soft") || is_named(m, "soft-landmark"); }

bool mechanism_is_costly(const mechanism *m) { return m->input == INPUT_MATRIX || is_named(m, "soft-landmark"); }

attention_row mechanism_row(const mechanism *m, const double *scores, size_t n, double ceiling, arena *scratch) {
    attention_row in = {.n = n, .scores = scores, .position = n - 1};
    if (m->input == INPUT_TWO) in.second = scores;
    if (m->input == INPUT_MATRIX) {
        double *all = arena_alloc(scratch, n * n, sizeof *all);
        for (size_t i = 0; i < n; i++) memcpy(all + i * n, scores, n * sizeof *all);
        in.scores = all;
        in.queries = n;
    }
    if (m->input != INPUT_VECTORS) return in;
    in.size = !strcmp(m->name, "integral") ? (size_t)m->parameters[0].fallback : 1;
    double *query = arena_zalloc(scratch, in.size, sizeof *query),
           *keys = arena_alloc(scratch, n * in.size, sizeof *keys);
    for (size_t c = 0; c < in.size; c++) query[c] = is_soft(m) ? 0 : !strcmp(m->name, "hedgehog") ? 1000 : 1;
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < in.size; c++) {
            double below = ceiling - scores[j];
            keys[j * in.size + c] = is_soft(m) ? sqrt(2 * (below > 0 ? below : 0)) : scores[j];
        }
    if (is_soft(m)) keys[n - 1] = 0; /* the query's own key */
    in.query = query;
    in.keys = keys;
    return in;
}

/* ---- maps ---- */

typedef struct frame { /* what the scores of a kind of row lie between */
    double floor, ceiling;
} frame;

double score_mapped(score_map map, double s) { return map.scale * (s - map.anchor) + map.offset; }

static double output(const mechanism *m, const double *raw, const double *values, size_t n, score_map map,
                     double ceiling, arena *scratch) {
    arena_reset(scratch);
    double *scores = arena_alloc(scratch, n, sizeof *scores);
    for (size_t j = 0; j < n; j++) scores[j] = score_mapped(map, raw[j]);
    attention_row in = mechanism_row(m, scores, n, score_mapped(map, ceiling), scratch);
    return m->gain * mechanism_output(m, &in, values, NULL, scratch);
}

static double quarter_step(int k) { return exp_f64(k * 0x1.62e42fefa39efp-3); } /* 2^(k/4) */

enum { ANCHORS = 4, OFFSETS = 6 };

static void list_shifts(double anchors[ANCHORS], double offsets[OFFSETS], frame f, size_t n) {
    double log_n = log_f64((double)n);
    anchors[0] = f.ceiling, anchors[1] = f.floor, anchors[2] = (f.ceiling + f.floor) / 2, anchors[3] = 0;
    offsets[0] = 0, offsets[1] = log_n, offsets[2] = log_n + 4.6, offsets[3] = PI / 2, offsets[4] = 1;
    offsets[5] = 0x1p-20; /* 4.6: sigmoid 0.99; 2^-20: so that no row is 0/0 */
}

/* No shift matters to them. */
static bool is_still(const mechanism *m) { return is_soft(m) || m->claims & SHIFT_INVARIANT; }

static bool search_at(score_map *found, double scale, const mechanism *m, frame f, size_t n, map_trial *try,
                      void *context) {
    double anchors[ANCHORS], offsets[OFFSETS];
    list_shifts(anchors, offsets, f, n);
    for (size_t k = 0; k < (is_still(m) ? 1 : ANCHORS * OFFSETS); k++) {
        score_map map = {scale, anchors[k / OFFSETS], offsets[k % OFFSETS]};
        if (!try(&map, context)) continue;
        *found = map;
        return true;
    }
    return false;
}

/* From the smallest scale up; periodic formulas want their own, which depend on the range that the scores have. */
static bool search(score_map *found, const mechanism *m, frame f, size_t n, map_trial *try, void *context) {
    int step = mechanism_is_costly(m) ? 4 : 2;
    if (!strcmp(m->family, "periodic")) {
        double range = f.ceiling - f.floor;
        static const double turns[] = {PI / 2,
                                       PI / 5,
                                       PI / 10,
                                       PI / 4,
                                       PI,
                                       PI * (1 - 0x1p-4),
                                       PI * (1 - 0x1p-8),
                                       PI * (1 - 0x1p-12),
                                       PI * (1 - 0x1p-16)};
        for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
            if (search_at(found, turns[k] / range, m, f, n, try, context)) return true;
    }
    for (int k = LOW; k <= HIGH; k += step)
        if (search_at(found, quarter_step(k), m, f, n, try, context)) return true;
    return false;
}

bool mechanism_try_maps(score_map *found, const mechanism *m, double floor, double ceiling, size_t n, map_trial *try,
                        void *context) {
    frame f = {floor, ceiling};
    return (found->scale > 0 && search_at(found, found->scale, m, f, n, try, context)) ||
           search(found, m, f, n, try, context);
}

double mechanism_scale_step(const mechanism *m, int k) {
    int at = LOW + k * (mechanism_is_costly(m) ? 4 : 2);
    return at <= HIGH ? quarter_step(at) : 0;
}

/* ---- once and since ---- */

typedef struct trial {
    const mechanism *m;
    size_t n;
    double *raw, *values;
    frame f;
    arena *scratch;
} trial;

static bool row_is_right(trial *t, const score_map *map, bool target) {
    double out = output(t->m, t->raw, t->values, t->n, *map, t->f.ceiling, t->scratch);
    return target ? out >= 0.75 : out <= 0.25;
}

static bool try_once(const score_map *map, void *context) {
    trial *t = context;
    size_t n = t->n;
    /* Candidates: the first, the last, two, half, all but one, all. */
    for (int pattern = 0; pattern < 6; pattern++) {
        for (size_t j = 0; j < n; j++) {
            bool candidate = pattern == 0   ? j == 0
                             : pattern == 1 ? j == n - 1
                             : pattern == 2 ? j == 0 || j == n / 2
                             : pattern == 3 ? j < (n + 1) / 2
                             : pattern == 4 ? j != n / 2
                                            : true;
            t->raw[j] = t->values[j] = candidate;
        }
        if (!row_is_right(t, map, true)) return false;
    }
    memset(t->raw, 0, n * sizeof *t->raw); /* none: the output must stay 0 */
    memset(t->values, 0, n * sizeof *t->values);
    return row_is_right(t, map, false);
}

static bool try_since(const score_map *map, void *context) {
    trial *t = context;
    size_t n = t->n;
    for (int pattern = 0; pattern < 6; pattern++) {
        size_t nearest = 0;
        for (int value = 0; value < 2; value++) {
            for (size_t j = 0; j < n; j++) {
                bool candidate = pattern == 0   ? true
                                 : pattern == 1 ? j == 0
                                 : pattern == 2 ? j <= n / 2
                                 : pattern == 3 ? j == 0 || j == n - 1
                                 : pattern == 4 ? j + 2 <= n
                                                : j <= 1;
                t->raw[j] = (candidate ? (double)n : 0) + (double)j;
                t->values[j] =
                    candidate && !value; /* the others have the other value, but never without being candidates */
                if (candidate) nearest = j;
            }
            t->values[nearest] = value;
            if (!row_is_right(t, map, value)) return false;
        }
    }
    return true;
}

/* ---- count ---- */

static bool try_count(const score_map *map, void *context) {
    trial *t = context;
    size_t n = t->n, counts[] = {n, 1, n / 2, n - 1, 0};
    for (size_t j = 0; j < n; j++) t->raw[j] = 0;
    for (size_t c = 0; c < 5; c++)
        for (int right = 0; right < 2; right++) {
            for (size_t j = 0; j < n; j++) t->values[j] = right ? j >= n - counts[c] : j < counts[c];
            double out = output(t->m, t->raw, t->values, n, *map, 0, t->scratch);
            if (!(fabs((double)n * out - (double)counts[c]) < 0.5)) return false;
        }
    return true;
}

/* The constant score: a few, and the one at which all weights together are 1. */
static bool search_count(score_map *map, trial *t) {
    static const double constants[] = {0, 1, -1, PI / 2, 10};
    for (size_t k = 0; k < 5; k++) {
        *map = (score_map){0, 0, constants[k]};
        if (try_count(map, t)) return true;
    }
    double low = -50, high = 50;
    for (size_t j = 0; j < t->n; j++) t->raw[j] = 0, t->values[j] = 1;
    for (int step = 0; step < 70; step++) {
        *map = (score_map){0, 0, (low + high) / 2};
        *(output(t->m, t->raw, t->values, t->n, *map, 0, t->scratch) < 1 ? &low : &high) = map->offset;
    }
    return try_count(map, t);
}

/* ---- compare ---- */

/* Feature maps see the sum through the query, which a row of scores does not show: q = (x, -x), the sentinel's key is
   (K, -K) and that of the others (-K, K). In Hedgehog's features x and -x are there already. */
static bool has_features(const mechanism *m) {
    return !strcmp(m->name, "cosformer") || !strcmp(m->name, "linear") || !strcmp(m->name, "hedgehog");
}

static attention_row feature_row(const mechanism *m, double x, size_t n, arena *scratch) {
    const double sharp = 30;
    size_t size = strcmp(m->name, "hedgehog") ? 2 : 1;
    double *query = arena_alloc(scratch, 2, sizeof *query), *keys = arena_alloc(scratch, size * n, sizeof *keys);
    query[0] = x, query[1] = -x;
    for (size_t k = 0; k < size * n; k++) keys[k] = (k == 0 || (k > 1 && size == 2 && k % 2 == 1)) ? sharp : -sharp;
    return (attention_row){.n = n, .query = query, .keys = keys, .size = size, .position = n - 1};
}

attention_row mechanism_sentinel_row(const mechanism *m, double x, double others, double ceiling, size_t n,
                                     arena *scratch) {
    if (has_features(m)) return feature_row(m, x, n, scratch);
    double *scores = arena_alloc(scratch, n, sizeof *scores);
    for (size_t j = 0; j < n; j++) scores[j] = j ? others : x;
    return mechanism_row(m, scores, n, ceiling > others ? ceiling : others, scratch);
}

/* The sentinel has scale * y + anchor, the others offset. */
static double sentinel(trial *t, double y, const score_map *map) {
    arena_reset(t->scratch);
    double top = map->scale * 2 * (double)t->n + map->anchor;
    attention_row in = mechanism_sentinel_row(t->m, map->scale * y + map->anchor, map->offset, top, t->n, t->scratch);
    return t->m->gain * mechanism_output(t->m, &in, t->values, NULL, t->scratch);
}

/* *map = at scale 0, the anchor where the weight is 1/2. */
static void balance(score_map *map, trial *t, double others) {
    double low = -1e6, high = 1e6;
    for (int step = 0; step < 70; step++) {
        *map = (score_map){0, (low + high) / 2, others};
        *(sentinel(t, 0, map) < 0.5 ? &low : &high) = map->anchor;
    }
    map->anchor = (low + high) / 2;
}

double mechanism_half_level(const mechanism *m, double others, size_t n, const search_room *room) {
    score_map map;
    trial t = {.m = m, .n = n, .values = room->values, .scratch = room->scratch};
    for (size_t j = 0; j < n; j++) room->values[j] = j == 0;
    balance(&map, &t, others);
    return map.anchor;
}

static bool search_compare(score_map *map, trial *t) {
    static const double others[] = {0, -1, -10, 1};
    double n = (double)t->n, margins[] = {1, 2, n, 2 * n};
    for (size_t j = 0; j < t->n; j++) t->values[j] = j == 0;
    for (size_t o = 0; o < (has_features(t->m) || is_still(t->m) ? 1u : 4u); o++) {
        balance(map, t, others[o]);
        for (int k = LOW; k <= HIGH; k += mechanism_is_costly(t->m) ? 4 : 2) {
            bool right = true;
            map->scale = quarter_step(k);
            for (size_t c = 0; c < 4 && right; c++)
                right = sentinel(t, margins[c], map) >= 0.75 && sentinel(t, -margins[c], map) <= 0.25;
            if (right) return true;
        }
    }
    return false;
}

bool mechanism_works(score_map *map, const mechanism *m, head_kind kind, size_t n, const search_room *room) {
    if (n > room->longest)
        trap_raise(room->scratch->trap, TEMPER_RANGE, 0, 0, "mechanism: length %zu is too large", n);
    trial t = {.m = m, .n = n, .raw = room->raw, .values = room->values, .scratch = room->scratch};
    t.f = (frame){0, kind == HEAD_ONCE ? 1 : 2 * (double)n - 1};
    if (kind == HEAD_COUNT) return search_count(map, &t);
    if (kind == HEAD_COMPARE) return search_compare(map, &t);
    map_trial *try = kind == HEAD_ONCE ? try_once : try_since;
    return (map->scale > 0 && search_at(map, map->scale, m, t.f, n, try, &t)) || search(map, m, t.f, n, try, &t);
}

size_t mechanism_reach(score_map *map, const mechanism *m, head_kind kind, const size_t *lengths, size_t count,
                       const search_room *room) {
    size_t reach = 0;
    score_map next = {0, 0, 0};
    for (size_t k = 0; k < count; k++) {
        if (!mechanism_works(&next, m, kind, lengths[k], room)) break;
        *map = next;
        reach = lengths[k];
    }
    return reach;
}

/* ---- one key ---- */

/* The key's weight and the others' together, times the gain. */
static double measure(double *leak, const mechanism *m, size_t n, score_map map, arena *scratch) {
    arena_reset(scratch);
    double *scores = arena_alloc(scratch, n, sizeof *scores), *w = arena_alloc(scratch, n, sizeof *w);
    for (size_t j = 0; j < n; j++) scores[j] = score_mapped(map, j == 0);
    attention_row in = mechanism_row(m, scores, n, score_mapped(map, 1), scratch);
    mechanism_weights(w, m, &in, NULL, scratch);
    *leak = 0;
    for (size_t j = 1; j < n; j++) *leak += fabs(m->gain * w[j]);
    return m->gain * w[0];
}

void mechanism_row_errors(double *leak, double *gain_error, const mechanism *m, size_t n, score_map map,
                          arena *scratch) {
    *gain_error = fabs(1 - measure(leak, m, n, map, scratch));
}

typedef struct pick {
    const mechanism *m;
    size_t n;
    double e;
    arena *scratch;
} pick;

static bool try_pick(const score_map *map, void *context) {
    const pick *p = context;
    double leak, gain;
    mechanism_row_errors(&leak, &gain, p->m, p->n, *map, p->scratch);
    return leak <= p->e && gain <= p->e;
}

/* Where nothing normalises, an error is small only near one scale, which a grid misses: the one where the gain is 1 -
   e, with the bottom at 0. */
static bool search_gain(score_map *map, pick *p) {
    double low = quarter_step(LOW), high = 0x1p30, leak;
    for (int step = 0; step < 100; step++) {
        *map = (score_map){(low + high) / 2, 0, 0};
        *(measure(&leak, p->m, p->n, *map, p->scratch) < 1 - p->e * (1 - 0x1p-40) ? &low : &high) = map->scale;
    }
    map->scale = high;
    return try_pick(map, p);
}

double mechanism_least_scale(score_map *map, const mechanism *m, size_t n, double e, arena *scratch) {
    pick p = {m, n, e, scratch};
    frame f = {0, 1};
    score_map exact;
    double best = search_gain(&exact, &p) ? exact.scale : INFINITY;
    if (!search(map, m, f, n, try_pick, &p) || best < map->scale / 1.4142) {
        *map = exact;
        return best;
    }
    if (!strcmp(m->family, "periodic")) return map->scale;
    /* At this scale several shifts may do, at the one before none did: the best of them, between the two. */
    double anchors[ANCHORS], offsets[OFFSETS], found = map->scale;
    list_shifts(anchors, offsets, f, n);
    for (size_t k = 0; k < ANCHORS * OFFSETS; k++) {
        score_map high = {found, anchors[k / OFFSETS], offsets[k % OFFSETS]}, low = high, middle = high;
        if (!try_pick(&high, &p)) continue;
        low.scale = found / 1.4142;
        for (int step = 0; step < 40; step++) {
            middle.scale = (low.scale + high.scale) / 2;
            *(try_pick(&middle, &p) ? &high : &low) = middle;
        }
        if (high.scale < map->scale) *map = high;
        if (is_still(m)) break;
    }
    if (best < map->scale) *map = exact;
    return map->scale;
}

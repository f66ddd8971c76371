/* Part of execute_impl.h: strings of one length side by side. Number b of position i is at [i * lanes + b] of every row, so that nets
   and projections are those of one long tile, and heads go from position to position with all strings in step. It is no header
   of its own. */
#include "run/batch.h"

typedef struct side_by_side {
    runner r; /* tile and stride are N * lanes */
    execution e;
    runner one; /* one string, for peaked heads: tile and stride are N */
    const batch *b;
    size_t lanes;
    REAL *base;                    /* [channels][N] position features */
    REAL *state;                   /* [2 + width][lanes] of the head that is run */
    REAL *live_keys, *live_values; /* few keys: [2][query][lanes], [2][value][lanes] */
    REAL *worst;                   /* [lanes] */
} side_by_side;

/* ---- embedding ---- */

WIDE static void spread_base(side_by_side *w, uint32_t channel) {
    size_t lanes = w->lanes, size = w->r.size;
    for (size_t i = 0; i < size; i++) {
        REAL *restrict to = w->r.x + channel * w->r.stride + i * lanes, feature = w->base[channel * size + i];
        for (size_t b = 0; b < lanes; b++) to[b] = feature;
    }
}

static void embed_token(side_by_side *w, size_t at, uint32_t token) {
    const model_rows *rows = &w->r.m->embedding;
    const model_term *t = rows_begin_of(rows, token);
    for (size_t k = rows_size(rows, token); k-- > 0; t++) w->r.x[t->channel * w->r.stride + at] += (REAL)t->weight;
}

/* Lanes beyond count repeat the last string. */
static void embed_lanes(side_by_side *w, const uint32_t *const *letters, size_t count) {
    const temper_model *m = w->r.m;
    size_t lanes = w->lanes, size = w->r.size, n = w->b->n;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        if (!m->channels[c].position || (w->e.hard && m->channels[c].soft_only))
            memset(w->r.x + c * w->r.stride, 0, size * lanes * sizeof(REAL));
        else
            spread_base(w, c);
    }
    for (size_t b = 0; b < lanes; b++) {
        const uint32_t *word = letters[b < count ? b : count - 1];
        embed_token(w, b, model_start_token(m));
        for (size_t i = 1; i <= n; i++) embed_token(w, i * lanes + b, word[i - 1]);
        if (m->has_end) embed_token(w, (n + 1) * lanes + b, model_end_token(m));
    }
}

/* ---- heads: r->q, k, v hold all positions in the order of the string; r->out receives [value][N][lanes] ---- */

/* The k-th position in the head's order. */
static size_t visited(const head_state *s, size_t size, size_t k) { return s->forward ? size - 1 - k : k; }

WIDE static void uniform_lanes(side_by_side *w, const head_state *s, size_t width) {
    size_t lanes = w->lanes, size = w->r.size;
    for (size_t d = 0; d < width; d++) {
        REAL *restrict sum = w->state;
        for (size_t b = 0; b < lanes; b++) sum[b] = 0;
        for (size_t k = 0; k < size; k++) {
            size_t at = d * w->r.tile + visited(s, size, k) * lanes;
            const REAL *restrict v = w->r.v + at;
            REAL *restrict out = w->r.out + at, keys = (REAL)(k + !s->exclusive);
            if (s->exclusive) {
                for (size_t b = 0; b < lanes; b++) {
                    out[b] = k ? sum[b] / keys : 0;
                    sum[b] += v[b];
                }
                continue;
            }
            for (size_t b = 0; b < lanes; b++) {
                sum[b] += v[b];
                out[b] = sum[b] / keys;
            }
        }
    }
}

/* state: best, how many, then one row of sums at a time; the comparisons are made again for each. */
WIDE static void hard_scan_lanes(side_by_side *w, const head_state *s, size_t d) {
    size_t lanes = w->lanes, size = w->r.size;
    REAL *restrict best = w->state, *restrict many = w->state + lanes, *restrict sum = w->state + 2 * lanes;
    bool average = s->choice == TEMPER_CHOICE_AVERAGE, last = takes_last(s);
    for (size_t k = 0; k < size; k++) {
        size_t at = visited(s, size, k) * lanes;
        const REAL *restrict v = w->r.v + d * w->r.tile + at, *restrict score = w->r.logits + at;
        REAL *restrict out = w->r.out + d * w->r.tile + at;
        for (size_t b = 0; b < lanes && s->exclusive; b++) out[b] = k ? sum[b] / many[b] : 0;
        if (k == 0)
            for (size_t b = 0; b < lanes; b++) {
                best[b] = score[b];
                many[b] = 1;
                sum[b] = v[b];
            }
        else if (average)
            for (size_t b = 0; b < lanes; b++) {
                REAL keys = many[b] + 1, all = sum[b] + v[b]; /* both or neither: selected below, without branches */
                keys = score[b] == best[b] ? keys : many[b];
                all = score[b] == best[b] ? all : sum[b];
                many[b] = score[b] > best[b] ? 1 : keys;
                sum[b] = score[b] > best[b] ? v[b] : all;
                best[b] = score[b] > best[b] ? score[b] : best[b];
            }
        else if (last)
            for (size_t b = 0; b < lanes; b++) {
                sum[b] = score[b] >= best[b] ? v[b] : sum[b];
                best[b] = score[b] >= best[b] ? score[b] : best[b];
            }
        else
            for (size_t b = 0; b < lanes; b++) {
                sum[b] = score[b] > best[b] ? v[b] : sum[b];
                best[b] = score[b] > best[b] ? score[b] : best[b];
            }
        if (s->exclusive) continue;
        if (average)
            for (size_t b = 0; b < lanes; b++) out[b] = sum[b] / many[b];
        else
            for (size_t b = 0; b < lanes; b++) out[b] = sum[b];
    }
}

static void scan_lanes(side_by_side *w, const head_state *s, const model_head *h) {
    size_t lanes = w->lanes, numbers = w->r.size * lanes, width = h->value.count;
    constant_scores(&w->r, h, numbers);
    if (s->choice != TEMPER_CHOICE_SOFTMAX) {
        for (size_t d = 0; d < width; d++) hard_scan_lanes(w, s, d);
        return;
    }
    for (size_t k = 0; k < numbers; k++) w->r.logits[k] *= s->scale;
    for (size_t b = 0; b < lanes; b++) w->state[b] = -INFINITY;
    memset(w->state + lanes, 0, (1 + width) * lanes * sizeof *w->state);
    w->e.kernels->KERNEL_SCAN_LANES(w->state, w->r.out, w->r.logits, w->r.v, w->r.tile, w->r.size, lanes, width,
                                    s->exclusive, s->forward);
}

/* How many of the keys at `at` are not zero. */
WIDE static size_t count_live(side_by_side *w, size_t qs, size_t at) {
    size_t lanes = w->lanes, count = 0;
    REAL *restrict live = w->worst;
    for (size_t b = 0; b < lanes; b++) live[b] = 0;
    for (size_t d = 0; d < qs; d++) {
        const REAL *restrict k = w->r.k + d * w->r.tile + at;
        for (size_t b = 0; b < lanes; b++) live[b] = k[b] != 0 ? 1 : live[b];
    }
    for (size_t b = 0; b < lanes; b++) count += live[b] != 0;
    return count;
}

/* Takes the keys at `at` in. False if they are zero in some strings only, or more than two are not zero. */
static bool take_key_lanes(side_by_side *w, head_state *s, const model_head *h, size_t at) {
    size_t lanes = w->lanes, qs = h->query.count, vs = h->value.count, live = count_live(w, qs, at);
    s->seen++;
    if (live == 0) {
        for (size_t d = 0; d < vs; d++) {
            REAL *restrict sum = w->state + d * lanes;
            const REAL *restrict v = w->r.v + d * w->r.tile + at;
            for (size_t b = 0; b < lanes; b++) sum[b] += v[b];
        }
        return true;
    }
    if (live < lanes || s->live == 2) return false;
    for (size_t d = 0; d < qs; d++)
        memcpy(w->live_keys + (s->live * qs + d) * lanes, w->r.k + d * w->r.tile + at, lanes * sizeof(REAL));
    for (size_t d = 0; d < vs; d++)
        memcpy(w->live_values + (s->live * vs + d) * lanes, w->r.v + d * w->r.tile + at, lanes * sizeof(REAL));
    s->live++;
    return true;
}

/* few_keys_row for all strings; what is not live yet is left out. */
WIDE static void few_keys_row_lanes(side_by_side *w, const head_state *s, const model_head *h, size_t at) {
    size_t lanes = w->lanes, qs = h->query.count, zeros = s->seen - s->live;
    REAL *restrict best = w->worst, *few = w->r.few + at;
    for (size_t b = 0; b < lanes; b++) best[b] = zeros ? 0 : -INFINITY;
    for (size_t l = 0; l < s->live; l++) {
        REAL *restrict score = few + l * w->r.tile;
        for (size_t b = 0; b < lanes; b++) score[b] = 0;
        for (size_t d = 0; d < qs; d++) {
            const REAL *restrict q = w->r.q + d * w->r.tile + at, *restrict k = w->live_keys + (l * qs + d) * lanes;
            for (size_t b = 0; b < lanes; b++) score[b] += q[b] * k[b];
        }
        for (size_t b = 0; b < lanes; b++) {
            score[b] *= s->scale;
            best[b] = score[b] > best[b] ? score[b] : best[b];
        }
    }
    for (size_t l = 0; l < s->live; l++) {
        REAL *restrict score = few + l * w->r.tile;
        for (size_t b = 0; b < lanes; b++) score[b] -= best[b];
    }
    REAL *restrict other = few + 2 * w->r.tile, *restrict count = w->r.zeros + at;
    for (size_t b = 0; b < lanes; b++) {
        other[b] = zeros ? 0 - best[b] : -INFINITY;
        count[b] = (REAL)zeros;
    }
    for (size_t d = 0; d < h->value.count; d++)
        memcpy(w->r.out + d * w->r.tile + at, w->state + d * lanes, lanes * sizeof(REAL));
}

/* Weights of key l in the rows before `since` in the head's order are 0, in the others what few_keys_weights makes them. */
static void weigh_lanes(side_by_side *w, const head_state *s, size_t l, size_t since) {
    size_t lanes = w->lanes, before = since * lanes, after = (w->r.size - since) * lanes;
    REAL *row = w->r.few + l * w->r.tile, *weights = s->forward ? row : row + before;
    memset(s->forward ? row + after : row, 0, before * sizeof *row);
    if (s->choice == TEMPER_CHOICE_SOFTMAX)
        w->e.kernels->KERNEL_EXP(weights, weights, after);
    else
        for (size_t k = 0; k < after; k++) weights[k] = weights[k] == 0;
}

WIDE static void few_keys_blend(side_by_side *w, size_t vs) {
    size_t lanes = w->lanes, numbers = w->r.size * lanes;
    for (size_t d = 0; d < vs; d++)
        for (size_t i = 0; i < numbers; i += lanes) {
            const REAL *restrict w0 = w->r.few + i, *restrict w1 = w0 + w->r.tile, *restrict wz = w1 + w->r.tile;
            const REAL *restrict v0 = w->live_values + d * lanes, *restrict v1 = v0 + vs * lanes;
            const REAL *restrict zeros = w->r.zeros + i;
            REAL *restrict out = w->r.out + d * w->r.tile + i;
            for (size_t b = 0; b < lanes; b++) {
                REAL total = w0[b] + w1[b] + wz[b] * zeros[b];
                REAL quotient = (w0[b] * v0[b] + w1[b] * v1[b] + wz[b] * out[b]) / total;
                out[b] = total > 0 ? quotient : 0;
            }
        }
}

static bool few_keys_lanes(side_by_side *w, head_state *s, const model_head *h) {
    size_t lanes = w->lanes, size = w->r.size, qs = h->query.count, vs = h->value.count;
    memset(w->state, 0, vs * lanes * sizeof *w->state);
    memset(w->live_keys, 0, 2 * qs * lanes * sizeof *w->live_keys);
    memset(w->live_values, 0, 2 * vs * lanes * sizeof *w->live_values);
    size_t since[2] = {size, size};
    for (size_t k = 0; k < size; k++) {
        size_t at = visited(s, size, k) * lanes, live = s->live;
        if (s->exclusive) few_keys_row_lanes(w, s, h, at);
        if (!take_key_lanes(w, s, h, at)) return false;
        if (s->live > live) since[live] = k + s->exclusive;
        if (!s->exclusive) few_keys_row_lanes(w, s, h, at);
    }
    weigh_lanes(w, s, 0, since[0]);
    weigh_lanes(w, s, 1, since[1]);
    weigh_lanes(w, s, 2, 0);
    few_keys_blend(w, vs);
    return true;
}

/* Each string has its own peaks: out of the rows, through the plan, and back. */
static bool peaked_lanes(side_by_side *w, head_state *s, const model_head *h) {
    size_t lanes = w->lanes, size = w->r.size, vs = h->value.count;
    for (size_t b = 0; b < lanes; b++) {
        for (size_t k = 0; k < size; k++) {
            size_t at = visited(s, size, k) * lanes + b;
            for (size_t d = 0; d < 2; d++) {
                w->one.q[d * size + k] = w->r.q[d * w->r.tile + at];
                w->one.k[d * size + k] = w->r.k[d * w->r.tile + at];
            }
            for (size_t d = 0; d < vs; d++) w->one.v[d * size + k] = w->r.v[d * w->r.tile + at];
        }
        s->seen = s->peak = 0;
        if (!peaked_tile(&w->one, s, h, size)) return false;
        for (size_t d = 0; d < vs; d++)
            for (size_t k = 0; k < size; k++)
                w->r.out[d * w->r.tile + visited(s, size, k) * lanes + b] = w->one.out[d * size + k];
    }
    return true;
}

static bool plan_lanes(side_by_side *w, head_state *s, const model_head *h) {
    runner *r = &w->r;
    size_t numbers = r->size * w->lanes;
    s->seen = s->live = 0;
    project(r, r->v, &h->value, r->x, numbers, false);
    if (s->plan == PLAN_UNIFORM && (s->choice == TEMPER_CHOICE_SOFTMAX || s->choice == TEMPER_CHOICE_AVERAGE)) {
        uniform_lanes(w, s, h->value.count);
        return true;
    }
    project(r, r->k, &h->key, r->x, numbers, false);
    project(r, r->q, &h->query, r->x, s->plan == PLAN_SCAN ? 1 : numbers, false);
    switch (s->plan) {
    case PLAN_UNIFORM:
    case PLAN_SCAN: scan_lanes(w, s, h); return true;
    case PLAN_FEW_KEYS: return few_keys_lanes(w, s, h);
    case PLAN_PEAKED: return peaked_lanes(w, s, h);
    case PLAN_DENSE: break;
    }
    return false;
}

/* False also for NaN, which is what x - x is if x is not finite. */
static bool all_zero(const REAL x[8]) {
    bool all = true;
    for (size_t b = 0; b < 8; b++) all = all && x[b] == 0;
    return all;
}

/* record_margin for all strings; false if something is not finite. */
WIDE static bool record_lanes(side_by_side *w, const head_state *s, const model_head *h, uint32_t index) {
    size_t lanes = w->lanes, n = w->b->n, numbers = w->r.size * lanes;
    double tail = s->plan == PLAN_PEAKED && s->choice == TEMPER_CHOICE_SOFTMAX ? TAIL_BOUND : 0;
    bool boolean = has_boolean_values(h);
    REAL *restrict worst = w->worst, bad[8] = {0};
    for (size_t b = 0; b < lanes; b++) worst[b] = 0;
    for (uint32_t d = 0; d < h->value.count; d++) {
        const REAL *restrict out = w->r.out + d * w->r.tile;
        for (size_t k = 0; k < numbers; k += 8)
            for (size_t b = 0; b < 8; b++) bad[b] += out[k + b] - out[k + b];
        for (size_t i = 1; i <= n && boolean; i++)
            for (size_t b = 0; b < lanes; b++) {
                REAL off = distance(out[i * lanes + b]);
                worst[b] = off > worst[b] ? off : worst[b];
            }
    }
    double *restrict margins = w->b->margins + index * lanes;
    for (size_t b = 0; b < lanes; b++) margins[b] = boolean ? n ? worst[b] + tail : 0 : -1;
    return all_zero(bad);
}

static bool head_lanes(side_by_side *w, uint32_t layer, uint32_t head) {
    const model_head *h = &w->r.m->layers[layer].heads[head];
    uint32_t index = w->e.plan->head_start[layer] + head;
    head_state *s = &w->r.states[index];
    size_t lanes = w->lanes, last = w->r.size - 1;
    if (!plan_lanes(w, s, h)) return false;
    for (uint32_t d = 0; d < h->value.count && h->mask == TEMPER_MASK_ALL; d++)
        for (size_t i = 0; i < last; i++) /* every row sees the state after the last key */
            memcpy(w->r.out + d * w->r.tile + i * lanes, w->r.out + d * w->r.tile + last * lanes,
                   lanes * sizeof(REAL));
    if (!record_lanes(w, s, h, index)) return false;
    add_output(&w->r, h, w->r.delta, w->r.size * lanes);
    return true;
}

WIDE static bool read_lanes(side_by_side *w) {
    size_t numbers = w->r.size * w->lanes;
    REAL bad[8] = {0};
    const REAL *restrict answer = w->r.unit;
    unsigned char *restrict truth = w->b->truth;
    project_row(w->r.unit, &w->r.m->read, 0, w->r.x, w->r.stride, numbers);
    for (size_t k = 0; k < numbers; k += 8)
        for (size_t b = 0; b < 8; b++) bad[b] += answer[k + b] - answer[k + b];
    for (size_t k = 0; k < numbers; k++) truth[k] = answer[k] > (REAL)0.5;
    return all_zero(bad);
}

bool BATCH_RUN(void *batch_runner, const uint32_t *const *letters, size_t count) {
    side_by_side *w = batch_runner;
    runner *r = &w->r;
    size_t numbers = r->size * w->lanes;
    embed_lanes(w, letters, count);
    for (uint32_t layer = 0; layer < r->m->layer_count; layer++) {
        const model_layer *l = &r->m->layers[layer];
        if (l->head_count) {
            begin_sublayer(r, l, true);
            clear_delta(r, r->delta, numbers);
            for (uint32_t h = 0; h < l->head_count; h++)
                if (!head_lanes(w, layer, h)) return false;
            add_delta(r, r->x, r->delta, numbers);
        }
        net_tile(r, l, r->x, r->delta, numbers);
    }
    return read_lanes(w);
}

/* ---- set-up ---- */

static void find_base(side_by_side *w, arena *a) {
    const temper_model *m = w->r.m;
    size_t size = w->r.size;
    w->base = arena_alloc(a, m->channel_count * size, sizeof *w->base);
    for (uint32_t c = 0; c < m->channel_count; c++) {
        if (!m->channels[c].position) continue;
        expression_tile(w->r.feature, m->channels[c].position, 0, size, (double)w->b->n, (double)size,
                        w->r.feature_scratch);
        for (size_t i = 0; i < size; i++) w->base[c * size + i] = (REAL)w->r.feature[i];
    }
}

void *BATCH_NEW(const batch *b, const temper_model *m, const model_plan *plan, bool hard, arena *a) {
    side_by_side *w = arena_zalloc(a, 1, sizeof *w);
    size_t query = 1, value = 1;
    w->b = b;
    w->lanes = b->lanes;
    w->e = (execution){.model = m,
                       .plan = plan,
                       .kernels = kernels_select(),
                       .n = b->n,
                       .size = b->size,
                       .hard = hard,
                       .threads = 1,
                       .margins = arena_alloc(a, plan->head_start[m->layer_count], sizeof(double)),
                       .memory = a};
    w->r = (runner){.e = &w->e, .m = m, .size = b->size, .tile = b->size * b->lanes};
    prepare(&w->r, true);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            if (head->query.count > query) query = head->query.count;
            if (head->value.count > value) value = head->value.count;
        }
    w->one = w->r;
    w->one.tile = w->one.stride = b->size;
    w->one.q = arena_alloc(a, query * b->size, sizeof *w->one.q);
    w->one.k = arena_alloc(a, query * b->size, sizeof *w->one.k);
    w->one.v = arena_alloc(a, value * b->size, sizeof *w->one.v);
    w->one.out = arena_alloc(a, value * b->size, sizeof *w->one.out);
    w->state = arena_alloc(a, (2 + value) * b->lanes, sizeof *w->state);
    w->live_keys = arena_alloc(a, 2 * query * b->lanes, sizeof *w->live_keys);
    w->live_values = arena_alloc(a, 2 * value * b->lanes, sizeof *w->live_values);
    w->worst = arena_alloc(a, b->lanes, sizeof *w->worst);
    find_base(w, a);
    return w;
}

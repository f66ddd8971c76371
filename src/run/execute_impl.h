/* The body of execute_f64.c and execute_f32.c, which define REAL and the names of its kernels. It is no header of its own.

   x[c] is channel c along positions; a tile is a stretch of at most TILE positions of it. Heads that look forward are run on
   mirrored tiles, so that every head sees its keys in the order in which it may use them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/expression_tile.h"
#include "run/execute.h"
#include "run/forward.h"

/* What a head remembers of the keys before the current tile. */
typedef struct head_state {
    head_plan plan;
    temper_choice choice;
    bool forward, exclusive; /* looks at j > i, j >= i; leaves out j = i */
    REAL scale;
    size_t seen; /* keys in the state */
    SCAN scan;   /* softmax scan */
    REAL best;   /* hard scan: the best score so far */
    REAL best_count,
        *sums;   /* uniform: sums of all values; hard scan: of the best; few keys: of the keys that are zero */
    size_t live; /* few keys: how many are not zero */
    REAL *live_keys, *live_values; /* [2][query], [2][value] */
    REAL *keys, *values;           /* peaked: [2][N], [value][N] in the order seen */
    size_t peak;
} head_state;

typedef struct runner {
    const execution *e;
    const temper_model *m;
    size_t size, tile; /* N; the stride of tiles, TILE or N if that is less */
    REAL *x;           /* [channels][stride] */
    size_t stride;
    REAL *delta;           /* [channels][stride] */
    head_state *states;    /* [heads] */
    REAL *q, *k, *v, *out; /* tiles of one head: [rows][TILE] */
    REAL *logits;          /* [TILE] */
    REAL *few,
        *zeros; /* few keys: [3][TILE] weights of the two live keys and of the others; [TILE] how many others */
    REAL *unit; /* [TILE] */
    double *feature, *feature_scratch;
    uint32_t *written; /* channels a sublayer writes */
    unsigned char *is_written;
    size_t written_count;
} runner;

/* ---- embedding ---- */

static uint32_t token_at(const execution *e, size_t i) {
    if (i == 0) return model_start_token(e->model);
    return i <= e->n ? e->letters[i - 1] : model_end_token(e->model);
}

/* Position features are computed in f64 and stored in REAL. */
static void embed_tile(runner *r, REAL *x, size_t first, size_t count) {
    const execution *e = r->e;
    for (uint32_t c = 0; c < r->m->channel_count; c++) {
        const model_channel *channel = &r->m->channels[c];
        REAL *row = x + c * r->stride;
        if (!channel->position || (e->hard && channel->soft_only)) {
            memset(row, 0, count * sizeof *row);
            continue;
        }
        expression_tile(r->feature, channel->position, (double)first, count, (double)e->n, (double)e->size,
                        r->feature_scratch);
        for (size_t i = 0; i < count; i++) row[i] = (REAL)r->feature[i];
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t token = token_at(e, first + i);
        const model_term *t = rows_begin_of(&r->m->embedding, token);
        for (size_t k = rows_size(&r->m->embedding, token); k-- > 0; t++)
            x[t->channel * r->stride + i] += (REAL)t->weight;
    }
}

/* ---- rows on tiles ---- */

static void project_row(REAL *out, const model_rows *rows, size_t row, const REAL *x, size_t stride, size_t count) {
    for (size_t i = 0; i < count; i++) out[i] = 0;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        const REAL *c = x + rows->terms[k].channel * stride;
        REAL w = (REAL)rows->terms[k].weight;
        for (size_t i = 0; i < count; i++) out[i] += w * c[i];
    }
}

static void reverse(REAL *row, size_t count) {
    for (size_t i = 0, j = count; i + 1 < j; i++) {
        REAL t = row[i];
        row[i] = row[--j];
        row[j] = t;
    }
}

static void project(const runner *r, REAL *out, const model_rows *rows, const REAL *x, size_t count, bool mirrored) {
    for (uint32_t row = 0; row < rows->count; row++) {
        project_row(out + row * r->tile, rows, row, x, r->stride, count);
        if (mirrored) reverse(out + row * r->tile, count);
    }
}

/* ---- heads on tiles: r->q, k, v hold the tile in the head's order; r->out receives [value][count] ---- */

static void uniform_tile(runner *r, head_state *s, size_t width, size_t count) {
    for (size_t d = 0; d < width; d++) {
        REAL sum = s->sums[d];
        const REAL *v = r->v + d * r->tile;
        REAL *out = r->out + d * r->tile;
        for (size_t i = 0; i < count; i++) {
            size_t keys = s->seen + i + !s->exclusive;
            if (s->exclusive) out[i] = keys ? sum / (REAL)keys : 0;
            sum += v[i];
            if (!s->exclusive) out[i] = sum / (REAL)keys;
        }
        s->sums[d] = sum;
    }
    s->seen += count;
}

/* Leftmost or rightmost of equal scores: the first or the last key in the head's order, which is mirrored when it looks
   forward. */
static bool takes_last(const head_state *s) { return (s->choice == TEMPER_CHOICE_RIGHTMOST) != s->forward; }

static void hard_scan_tile(runner *r, head_state *s, size_t width, size_t count) {
    bool average = s->choice == TEMPER_CHOICE_AVERAGE, last = takes_last(s);
    for (size_t i = 0; i < count; i++) {
        for (int step = 0; step < 2; step++) {
            if ((step == 0) == s->exclusive) { /* read before or after taking key i in */
                for (size_t d = 0; d < width; d++) r->out[d * r->tile + i] = s->seen ? s->sums[d] / s->best_count : 0;
                continue;
            }
            REAL score = r->logits[i];
            if (s->seen == 0 || score > s->best || (score == s->best && !average && last)) {
                s->best = score;
                s->best_count = 1;
                for (size_t d = 0; d < width; d++) s->sums[d] = r->v[d * r->tile + i];
            } else if (score == s->best && average) {
                s->best_count += 1;
                for (size_t d = 0; d < width; d++) s->sums[d] += r->v[d * r->tile + i];
            }
            s->seen++;
        }
    }
}

/* scores = constant query times key */
static void constant_scores(runner *r, const model_head *h, size_t count) {
    for (size_t i = 0; i < count; i++) r->logits[i] = 0;
    for (uint32_t d = 0; d < h->query.count; d++) {
        REAL q = r->q[d * r->tile];
        for (size_t i = 0; i < count; i++) r->logits[i] += q * r->k[d * r->tile + i];
    }
}

static void scan_tile(runner *r, head_state *s, const model_head *h, size_t count) {
    constant_scores(r, h, count);
    if (s->choice != TEMPER_CHOICE_SOFTMAX) {
        hard_scan_tile(r, s, h->value.count, count);
        return;
    }
    for (size_t i = 0; i < count; i++) r->logits[i] *= s->scale;
    r->e->kernels->KERNEL_SCAN(&s->scan, r->out, r->logits, r->v, r->tile, count, h->value.count, s->exclusive);
}

/* Takes key i in: one of the few, or one more zero. False if there are more than two that are not zero. */
static bool take_key(runner *r, head_state *s, const model_head *h, size_t i) {
    size_t qs = h->query.count, vs = h->value.count;
    bool zero = true;
    for (size_t d = 0; d < qs; d++) zero = zero && r->k[d * r->tile + i] == 0;
    s->seen++;
    if (zero) {
        for (size_t d = 0; d < vs; d++) s->sums[d] += r->v[d * r->tile + i];
        return true;
    }
    if (s->live == 2) return false;
    for (size_t d = 0; d < qs; d++) s->live_keys[s->live * qs + d] = r->k[d * r->tile + i];
    for (size_t d = 0; d < vs; d++) s->live_values[s->live * vs + d] = r->v[d * r->tile + i];
    s->live++;
    return true;
}

static REAL live_score(const runner *r, const head_state *s, size_t qs, size_t which, size_t i) {
    REAL dot = 0;
    for (size_t d = 0; d < qs; d++) dot += r->q[d * r->tile + i] * s->live_keys[which * qs + d];
    return dot;
}

/* Row i over the keys of the state, the live ones by their scores, all others with score 0: what must be exponentiated, and
   the sums of the others as they are now. */
static void few_keys_row(runner *r, head_state *s, const model_head *h, size_t i) {
    size_t zeros = s->seen - s->live;
    REAL best = zeros ? 0 : -INFINITY, score[2] = {-INFINITY, -INFINITY};
    for (size_t l = 0; l < s->live; l++) {
        score[l] = live_score(r, s, h->query.count, l, i) * s->scale;
        if (score[l] > best) best = score[l];
    }
    for (size_t l = 0; l < 2; l++) r->few[l * r->tile + i] = l < s->live ? score[l] - best : -INFINITY;
    r->few[2 * r->tile + i] = zeros ? 0 - best : -INFINITY;
    r->zeros[i] = (REAL)zeros;
    for (size_t d = 0; d < h->value.count; d++) r->out[d * r->tile + i] = s->sums[d];
}

static void few_keys_weights(runner *r, const head_state *s, size_t count) {
    for (size_t l = 0; l < 3; l++) {
        REAL *w = r->few + l * r->tile;
        if (s->choice == TEMPER_CHOICE_SOFTMAX)
            r->e->kernels->KERNEL_EXP(w, w, count);
        else
            for (size_t i = 0; i < count; i++) w[i] = w[i] == 0;
    }
}

static bool few_keys_tile(runner *r, head_state *s, const model_head *h, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (s->exclusive) few_keys_row(r, s, h, i);
        if (!take_key(r, s, h, i)) return false;
        if (!s->exclusive) few_keys_row(r, s, h, i);
    }
    few_keys_weights(r, s, count);
    const REAL *w0 = r->few, *w1 = r->few + r->tile, *wz = r->few + 2 * r->tile;
    size_t vs = h->value.count;
    for (size_t d = 0; d < vs; d++) {
        REAL v0 = s->live_values[d], v1 = s->live_values[vs + d], *out = r->out + d * r->tile;
        for (size_t i = 0; i < count; i++) {
            REAL total = w0[i] + w1[i] + wz[i] * r->zeros[i];
            out[i] = total > 0 ? (w0[i] * v0 + w1[i] * v1 + wz[i] * out[i]) / total : 0;
        }
    }
    return true;
}

/* ---- peaked heads: keys (k0, k1) with k0 increasing and k1 convex over k0; for a query with q1 < 0 the score is concave ---- */

static REAL peak_score(const runner *r, const head_state *s, size_t i, size_t j) {
    return r->q[i] * s->keys[j] + r->q[r->tile + i] * s->keys[r->size + j];
}

/* Keeps keys in convex position; false if the newest breaks it. */
static bool take_peak_key(runner *r, head_state *s, size_t width, size_t i) {
    size_t j = s->seen++;
    REAL *k0 = s->keys, *k1 = s->keys + r->size;
    k0[j] = r->k[i];
    k1[j] = r->k[r->tile + i];
    for (size_t d = 0; d < width; d++) s->values[d * r->size + j] = r->v[d * r->tile + i];
    if (j < 1) return true;
    if (!(k0[j] > k0[j - 1])) return false;
    return j < 2 || (k1[j] - k1[j - 1]) * (k0[j - 1] - k0[j - 2]) > (k1[j - 1] - k1[j - 2]) * (k0[j] - k0[j - 1]);
}

/* The best key: a walk from the last row's peak, which has rarely moved far; else a bisection of the slopes. */
static size_t find_peak(const runner *r, head_state *s, size_t i) {
    size_t j = s->peak, last = s->seen - 1;
    if (j > last) j = last;
    for (int step = 0; step < 8; step++) {
        if (j < last && peak_score(r, s, i, j + 1) > peak_score(r, s, i, j))
            j++;
        else if (j > 0 && peak_score(r, s, i, j - 1) > peak_score(r, s, i, j))
            j--;
        else
            return j;
    }
    size_t lo = 0, hi = last; /* the peak is in lo..hi */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (peak_score(r, s, i, mid + 1) > peak_score(r, s, i, mid))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

enum { WINDOW = 4096 };

/* Only keys within TAIL + ln N of the peak's logit can change the result. */
static bool peaked_row(runner *r, head_state *s, const model_head *h, size_t i, double reach) {
    size_t width = h->value.count;
    if (s->seen == 0) {
        for (size_t d = 0; d < width; d++) r->out[d * r->tile + i] = 0;
        return true;
    }
    if (!(r->q[r->tile + i] < 0)) return false;
    size_t peak = s->peak = find_peak(r, s, i), first = peak, end = peak + 1;
    REAL best = peak_score(r, s, i, peak) * s->scale, weights[WINDOW], total = 0;
    while (first > 0 && best - peak_score(r, s, i, first - 1) * s->scale <= reach) first--;
    while (end < s->seen && best - peak_score(r, s, i, end) * s->scale <= reach) end++;
    if (end - first > WINDOW) return false;
    for (size_t j = first; j < end; j++) weights[j - first] = peak_score(r, s, i, j) * s->scale - best;
    if (s->choice == TEMPER_CHOICE_SOFTMAX)
        r->e->kernels->KERNEL_EXP(weights, weights, end - first);
    else
        for (size_t j = 0; j < end - first; j++) weights[j] = weights[j] == 0;
    for (size_t j = 0; j < end - first; j++) total += weights[j];
    for (size_t d = 0; d < width; d++) {
        REAL sum = 0;
        for (size_t j = first; j < end; j++) sum += weights[j - first] * s->values[d * r->size + j];
        r->out[d * r->tile + i] = sum / total;
    }
    return true;
}

static bool peaked_tile(runner *r, head_state *s, const model_head *h, size_t count) {
    double reach = s->choice == TEMPER_CHOICE_SOFTMAX ? TAIL_LOGIT + log((double)r->size) : 0;
    for (size_t i = 0; i < count; i++) {
        if (s->exclusive && !peaked_row(r, s, h, i, reach)) return false;
        if (!take_peak_key(r, s, h->value.count, i)) return false;
        if (!s->exclusive && !peaked_row(r, s, h, i, reach)) return false;
    }
    return true;
}

/* ---- a head on a tile ---- */

static bool has_boolean_values(const model_head *h) { return h->role != ROLE_NONE && h->role != ROLE_COUNT; }

/* Over letters only: sentinel rows are masked when they are rounded. */
static void record_margin(const runner *r, const model_head *h, double *margin, size_t first, size_t count) {
    bool boolean = has_boolean_values(h), finite = true;
    if (!boolean) *margin = -1;
    for (uint32_t d = 0; d < h->value.count; d++)
        for (size_t i = 0; i < count; i++) {
            double a = r->out[d * r->tile + i], off = fmin(fabs(a), fabs(a - 1));
            finite = finite && isfinite(a);
            if (boolean && off > *margin && first + i >= 1 && first + i <= r->e->n) *margin = off;
        }
    if (!finite) run_not_finite(r->e->memory->trap, first);
}

/* delta += output, from r->out (already in the order of positions) */
static void add_output(runner *r, const model_head *h, REAL *delta, size_t count) {
    for (uint32_t d = 0; d < h->value.count; d++) {
        const REAL *out = r->out + d * r->tile;
        for (uint32_t k = h->output.start[d]; k < h->output.start[d + 1]; k++) {
            REAL *to = delta + h->output.terms[k].channel * r->stride, w = (REAL)h->output.terms[k].weight;
            for (size_t i = 0; i < count; i++) to[i] += w * out[i];
        }
    }
}

static bool state_tile(runner *r, head_state *s, const model_head *h, const REAL *x, size_t count) {
    project(r, r->v, &h->value, x, count, s->forward);
    if (s->plan == PLAN_UNIFORM && (s->choice == TEMPER_CHOICE_SOFTMAX || s->choice == TEMPER_CHOICE_AVERAGE)) {
        uniform_tile(r, s, h->value.count, count);
        return true;
    }
    project(r, r->k, &h->key, x, count, s->forward);
    project(r, r->q, &h->query, x, count, s->forward);
    switch (s->plan) {
    case PLAN_UNIFORM:
    case PLAN_SCAN: scan_tile(r, s, h, count); return true;
    case PLAN_FEW_KEYS: return few_keys_tile(r, s, h, count);
    case PLAN_PEAKED: return peaked_tile(r, s, h, count);
    case PLAN_DENSE: break;
    }
    return false;
}

static bool head_tile(runner *r, uint32_t layer, uint32_t head, const REAL *x, REAL *delta, size_t first,
                      size_t count) {
    const model_head *h = &r->m->layers[layer].heads[head];
    uint32_t index = r->e->plan->head_start[layer] + head;
    head_state *s = &r->states[index];
    if (!state_tile(r, s, h, x, count)) return false;
    if (s->forward)
        for (uint32_t d = 0; d < h->value.count; d++) reverse(r->out + d * r->tile, count);
    record_margin(r, h, &r->e->margins[index], first, count);
    add_output(r, h, delta, count);
    return true;
}

/* ---- the feed-forward net on a tile ---- */

static void units_tile(runner *r, const model_layer *l, const REAL *x, REAL *delta, size_t count) {
    for (uint32_t u = 0; u < l->in.count; u++) {
        REAL bias = (REAL)l->bias[u], *h = r->unit;
        project_row(h, &l->in, u, x, r->stride, count);
        for (size_t i = 0; i < count; i++) {
            h[i] += bias; /* last: both units of a ramp subtract from the same sum */
            h[i] = h[i] > 0 ? h[i] : 0;
        }
        for (uint32_t k = l->out.start[u]; k < l->out.start[u + 1]; k++) {
            REAL *to = delta + l->out.terms[k].channel * r->stride, w = (REAL)l->out.terms[k].weight;
            for (size_t i = 0; i < count; i++) to[i] += w * h[i];
        }
    }
}

/* ---- channels that a sublayer writes ---- */

static void note_written(runner *r, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) {
        uint32_t c = rows->terms[k].channel;
        if (r->is_written[c]) continue;
        r->is_written[c] = 1;
        r->written[r->written_count++] = c;
    }
}

static void begin_sublayer(runner *r, const model_layer *l, bool heads) {
    r->written_count = 0;
    if (heads)
        for (uint32_t h = 0; h < l->head_count; h++) note_written(r, &l->heads[h].output);
    else
        note_written(r, &l->out);
    for (size_t k = 0; k < r->written_count; k++) r->is_written[r->written[k]] = 0;
}

static void clear_delta(runner *r, REAL *delta, size_t count) {
    for (size_t k = 0; k < r->written_count; k++) memset(delta + r->written[k] * r->stride, 0, count * sizeof *delta);
}

static void add_delta(runner *r, REAL *x, const REAL *delta, size_t count) {
    for (size_t k = 0; k < r->written_count; k++) {
        REAL *to = x + r->written[k] * r->stride;
        const REAL *from = delta + r->written[k] * r->stride;
        for (size_t i = 0; i < count; i++) to[i] += from[i];
    }
}

static void net_tile(runner *r, const model_layer *l, REAL *x, REAL *delta, size_t count) {
    begin_sublayer(r, l, false);
    clear_delta(r, delta, count);
    units_tile(r, l, x, delta, count);
    add_delta(r, x, delta, count);
}

static void read_tile(runner *r, const REAL *x, size_t first, size_t count) {
    project_row(r->unit, &r->m->read, 0, x, r->stride, count);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(r->unit[i])) run_not_finite(r->e->memory->trap, first + i);
        r->e->truth[first + i] = r->unit[i] > (REAL)0.5;
    }
}

/* ---- one way: a tile through all layers ---- */

static bool one_way(runner *r, bool forward) {
    size_t tiles = (r->size + TILE - 1) / TILE;
    for (size_t t = 0; t < tiles; t++) {
        /* mirrored runs begin with the tile at the end of the string */
        size_t end = forward ? r->size - t * r->tile : (t + 1) * r->tile < r->size ? (t + 1) * r->tile : r->size;
        size_t first = forward ? (end > TILE ? end - TILE : 0) : t * r->tile, count = end - first;
        embed_tile(r, r->x, first, count);
        for (uint32_t layer = 0; layer < r->m->layer_count; layer++) {
            const model_layer *l = &r->m->layers[layer];
            if (l->head_count) {
                begin_sublayer(r, l, true);
                clear_delta(r, r->delta, count);
                for (uint32_t h = 0; h < l->head_count; h++)
                    if (!head_tile(r, layer, h, r->x, r->delta, first, count)) return false;
                add_delta(r, r->x, r->delta, count);
            }
            net_tile(r, l, r->x, r->delta, count);
        }
        read_tile(r, r->x, first, count);
    }
    return true;
}

/* ---- both ways, or dense: layer by layer ---- */

/* `all` masks: every row sees the state after the last key. */
static bool all_keys(runner *r, uint32_t layer, uint32_t head) {
    const model_head *h = &r->m->layers[layer].heads[head];
    uint32_t index = r->e->plan->head_start[layer] + head;
    head_state *s = &r->states[index];
    size_t count = 0;
    for (size_t first = 0; first < r->size; first += TILE) {
        count = r->size - first < TILE ? r->size - first : TILE;
        if (!state_tile(r, s, h, r->x + first, count)) return false;
    }
    for (uint32_t d = 0; d < h->value.count; d++) {
        REAL *out = r->out + d * r->tile, answer = out[count - 1];
        for (size_t i = 0; i < r->tile; i++) out[i] = answer;
    }
    for (size_t first = 0; first < r->size; first += TILE) {
        count = r->size - first < TILE ? r->size - first : TILE;
        record_margin(r, h, &r->e->margins[index], first, count);
        add_output(r, h, r->delta + first, count);
    }
    return true;
}

typedef struct dense_job {
    const runner *r;
    REAL *out;
    const REAL *q, *kt, *vt;
    const size_t *first, *end;
    size_t query, value;
} dense_job;

enum { DENSE_ROWS = 252 }; /* the dense kernels like many rows at once, in multiples of 6 */

static void dense_part(void *context, size_t part) {
    const dense_job *j = context;
    size_t row = part * DENSE_ROWS, rows = j->r->size - row < DENSE_ROWS ? j->r->size - row : DENSE_ROWS;
    j->r->e->kernels->KERNEL_DENSE(j->out + row * j->value, j->q + row * j->query, j->kt, j->vt, j->r->size,
                                   j->first + row, j->end + row, rows, j->query, j->value);
}

static void key_ranges(size_t *first, size_t *end, temper_mask mask, size_t size) {
    for (size_t i = 0; i < size; i++) {
        first[i] = mask == TEMPER_MASK_AFTER ? i + 1 : mask == TEMPER_MASK_FROM ? i : 0;
        end[i] = mask == TEMPER_MASK_BEFORE ? i : mask == TEMPER_MASK_UP_TO ? i + 1 : size;
        if (first[i] > end[i]) first[i] = end[i];
    }
}

static void hard_dense_row(const dense_job *j, temper_choice choice, size_t i) {
    size_t size = j->r->size, chosen = SIZE_MAX;
    REAL best = -INFINITY, total = 0, *out = j->out + i * j->value;
    for (size_t d = 0; d < j->value; d++) out[d] = 0;
    for (size_t k = j->first[i]; k < j->end[i]; k++) {
        REAL dot = 0;
        for (size_t d = 0; d < j->query; d++) dot += j->q[i * j->query + d] * j->kt[d * size + k];
        bool better = chosen == SIZE_MAX || dot > best;
        if (better || (dot == best && choice == TEMPER_CHOICE_RIGHTMOST)) {
            best = dot;
            chosen = k;
            total = 1;
            for (size_t d = 0; d < j->value; d++) out[d] = j->vt[d * size + k];
        } else if (dot == best && choice == TEMPER_CHOICE_AVERAGE) {
            total += 1;
            for (size_t d = 0; d < j->value; d++) out[d] += j->vt[d * size + k];
        }
    }
    for (size_t d = 0; d < j->value && total > 0; d++) out[d] /= total;
}

static bool dense_head(runner *r, uint32_t layer, uint32_t head) {
    const model_head *h = &r->m->layers[layer].heads[head];
    uint32_t index = r->e->plan->head_start[layer] + head;
    const head_state *s = &r->states[index];
    arena *a = r->e->memory;
    size_t size = r->size, qs = h->query.count, vs = h->value.count;
    REAL *q = arena_alloc(a, size * qs, sizeof *q), *out = arena_alloc(a, size * vs, sizeof *out);
    REAL *kt = arena_alloc(a, size * qs, sizeof *kt), *vt = arena_alloc(a, size * vs, sizeof *vt);
    size_t *first = arena_alloc(a, size, sizeof *first), *end = arena_alloc(a, size, sizeof *end);
    REAL *row = arena_alloc(a, size, sizeof *row);
    bool soft = s->choice == TEMPER_CHOICE_SOFTMAX;
    for (uint32_t d = 0; d < qs; d++) {
        project_row(kt + d * size, &h->key, d, r->x, r->stride, size);
        project_row(row, &h->query, d, r->x, r->stride, size);
        for (size_t i = 0; i < size; i++) q[i * qs + d] = soft ? row[i] * s->scale : row[i];
    }
    for (uint32_t d = 0; d < vs; d++) project_row(vt + d * size, &h->value, d, r->x, r->stride, size);
    key_ranges(first, end, h->mask, size);
    dense_job job = {
        .r = r, .out = out, .q = q, .kt = kt, .vt = vt, .first = first, .end = end, .query = qs, .value = vs};
    if (soft)
        run_parallel(r->e->threads, (size + DENSE_ROWS - 1) / DENSE_ROWS, dense_part, &job);
    else
        for (size_t i = 0; i < size; i++) hard_dense_row(&job, s->choice, i);
    for (size_t t = 0; t < size; t += TILE) {
        size_t count = size - t < TILE ? size - t : TILE;
        for (size_t d = 0; d < vs; d++)
            for (size_t i = 0; i < count; i++) r->out[d * r->tile + i] = out[(t + i) * vs + d];
        record_margin(r, h, &r->e->margins[index], t, count);
        add_output(r, h, r->delta + t, count);
    }
    return true;
}

static bool whole_head(runner *r, uint32_t layer, uint32_t head) {
    const model_head *h = &r->m->layers[layer].heads[head];
    const head_state *s = &r->states[r->e->plan->head_start[layer] + head];
    if (s->plan == PLAN_DENSE) return dense_head(r, layer, head);
    if (h->mask == TEMPER_MASK_ALL) return all_keys(r, layer, head);
    size_t tiles = (r->size + TILE - 1) / TILE;
    for (size_t t = 0; t < tiles; t++) {
        size_t first = (s->forward ? tiles - 1 - t : t) * r->tile,
               count = r->size - first < TILE ? r->size - first : TILE;
        if (!head_tile(r, layer, head, r->x + first, r->delta + first, first, count)) return false;
    }
    return true;
}

static bool both_ways(runner *r) {
    for (size_t first = 0; first < r->size; first += TILE)
        embed_tile(r, r->x + first, first, r->size - first < TILE ? r->size - first : TILE);
    for (uint32_t layer = 0; layer < r->m->layer_count; layer++) {
        const model_layer *l = &r->m->layers[layer];
        begin_sublayer(r, l, true);
        clear_delta(r, r->delta, r->size);
        for (uint32_t h = 0; h < l->head_count; h++)
            if (!whole_head(r, layer, h)) return false;
        add_delta(r, r->x, r->delta, r->size);
        for (size_t first = 0; first < r->size; first += TILE)
            net_tile(r, l, r->x + first, r->delta + first, r->size - first < TILE ? r->size - first : TILE);
    }
    for (size_t first = 0; first < r->size; first += TILE)
        read_tile(r, r->x + first, first, r->size - first < TILE ? r->size - first : TILE);
    return true;
}

/* ---- set-up ---- */

static void prepare_head(runner *r, head_state *s, const model_head *h, head_plan plan) {
    const execution *e = r->e;
    arena *a = e->memory;
    size_t qs = h->query.count, vs = h->value.count;
    s->plan = plan;
    s->choice = e->hard ? h->hard_choice : h->choice;
    s->forward = h->mask == TEMPER_MASK_AFTER || h->mask == TEMPER_MASK_FROM;
    s->exclusive = h->mask == TEMPER_MASK_AFTER || h->mask == TEMPER_MASK_BEFORE;
    s->scale = 1;
    if (h->scale && s->choice == TEMPER_CHOICE_SOFTMAX)
        s->scale = (REAL)expression_eval(h->scale, 0, (double)e->n, (double)e->size);
    s->best = s->scan.m = -INFINITY;
    s->sums = arena_zalloc(a, vs, sizeof *s->sums);
    s->scan.v = arena_zalloc(a, vs, sizeof *s->scan.v);
    if (plan == PLAN_FEW_KEYS) {
        s->live_keys = arena_zalloc(a, 2 * qs, sizeof *s->live_keys);
        s->live_values = arena_zalloc(a, 2 * vs, sizeof *s->live_values);
    }
    if (plan == PLAN_PEAKED) {
        s->keys = arena_alloc(a, 2 * r->size, sizeof *s->keys);
        s->values = arena_alloc(a, vs * r->size, sizeof *s->values);
    }
}

static void prepare(runner *r, bool tiled) {
    const temper_model *m = r->m;
    const model_plan *plan = r->e->plan;
    arena *a = r->e->memory;
    size_t query = 1, value = 1, scratch = 1;
    r->stride = tiled ? r->tile : r->size;
    r->x = arena_alloc(a, m->channel_count * r->stride, sizeof *r->x);
    r->delta = arena_alloc(a, m->channel_count * r->stride, sizeof *r->delta);
    r->states = arena_zalloc(a, plan->head_start[m->layer_count], sizeof *r->states);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            uint32_t index = plan->head_start[l] + h;
            if (head->query.count > query) query = head->query.count;
            if (head->value.count > value) value = head->value.count;
            r->e->margins[index] = 0;
            prepare_head(r, &r->states[index], head, plan->heads[index]);
        }
    for (uint32_t c = 0; c < m->channel_count; c++)
        if (m->channels[c].position && expression_scratch(m->channels[c].position) > scratch)
            scratch = expression_scratch(m->channels[c].position);
    r->q = arena_alloc(a, query * r->tile, sizeof *r->q);
    r->k = arena_alloc(a, query * r->tile, sizeof *r->k);
    r->v = arena_alloc(a, value * r->tile, sizeof *r->v);
    r->out = arena_alloc(a, value * r->tile, sizeof *r->out);
    r->logits = arena_alloc(a, r->tile, sizeof *r->logits);
    r->few = arena_alloc(a, 3 * r->tile, sizeof *r->few);
    r->zeros = arena_alloc(a, r->tile, sizeof *r->zeros);
    r->unit = arena_alloc(a, r->tile, sizeof *r->unit);
    r->feature = arena_alloc(a, r->tile, sizeof *r->feature);
    r->feature_scratch = arena_alloc(a, scratch * r->tile, sizeof *r->feature_scratch);
    r->written = arena_alloc(a, m->channel_count, sizeof *r->written);
    r->is_written = arena_zalloc(a, m->channel_count, 1);
}

bool EXECUTE(execution *e) {
    runner r = {.e = e, .m = e->model, .size = e->size, .tile = e->size < TILE ? e->size : TILE};
    bool tiled = !e->plan->dense && !(e->plan->past && e->plan->future);
    prepare(&r, tiled);
    return tiled ? one_way(&r, e->plan->future) : both_ways(&r);
}

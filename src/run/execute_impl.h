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

WIDE static void project_row(REAL *out, const model_rows *rows, size_t row, const REAL *x, size_t stride,
                             size_t count) {
    const model_term *t = rows->terms + rows->start[row];
    size_t terms = rows_size(rows, row);
    if (terms == 0)
        for (size_t i = 0; i < count; i++) out[i] = 0;
    for (size_t k = 0; k < terms; k++) {
        const REAL *c = x + t[k].channel * stride;
        REAL w = (REAL)t[k].weight;
        if (k == 0)
            for (size_t i = 0; i < count; i++) out[i] = 0 + w * c[i]; /* sums begin at 0 everywhere: -0 becomes 0 */
        else
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

#include "run/execute_heads.h"

/* ---- a head on a tile ---- */

static bool has_boolean_values(const model_head *h) { return h->role != ROLE_NONE && h->role != ROLE_COUNT; }

/* From the nearest Boolean. Without branches: the compiler may not move a subtraction out of one. */
static inline REAL distance(REAL x) {
    REAL down = MAGNITUDE(x), up = MAGNITUDE(1 - x);
    return down < up ? down : up;
}

/* Over letters only: sentinel rows are masked when they are rounded. What a peaked head left out counts as error. */
WIDE static void record_margin(const runner *r, const model_head *h, uint32_t index, size_t first, size_t count) {
    const head_state *s = &r->states[index];
    double *margin = &r->e->margins[index];
    double tail = s->plan == PLAN_PEAKED && s->choice == TEMPER_CHOICE_SOFTMAX ? TAIL_BOUND : 0;
    bool boolean = has_boolean_values(h);
    size_t lo = first == 0, hi = first + count > r->e->n ? r->e->n + 1 - first : count; /* the letters of the tile */
    REAL largest = 0, bad = 0;
    for (uint32_t d = 0; d < h->value.count; d++) {
        const REAL *out = r->out + d * r->tile;
        for (size_t i = 0; i < count; i++) bad += out[i] - out[i]; /* NaN if something is not finite */
        for (size_t i = lo; i < hi && boolean; i++) {
            REAL off = distance(out[i]);
            largest = off > largest ? off : largest;
        }
    }
    if (!boolean)
        *margin = -1;
    else if (hi > lo && largest + tail > *margin)
        *margin = largest + tail;
    if (bad != 0) run_not_finite(r->e->memory->trap, first);
}

/* delta += output, from r->out (already in the order of positions) */
WIDE static void add_output(runner *r, const model_head *h, REAL *delta, size_t count) {
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
    project(r, r->q, &h->query, x, s->plan == PLAN_SCAN ? 1 : count, s->forward); /* scans: the same everywhere */
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
    record_margin(r, h, index, first, count);
    add_output(r, h, delta, count);
    return true;
}

/* ---- the feed-forward net on a tile ---- */

WIDE static void units_tile(runner *r, const model_layer *l, const REAL *x, REAL *delta, size_t count) {
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

WIDE static void add_delta(runner *r, REAL *x, const REAL *delta, size_t count) {
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
        record_margin(r, h, index, first, count);
        add_output(r, h, r->delta + first, count);
    }
    return true;
}

#include "run/execute_dense.h"

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

#include "run/execute_batch.h"

/* The body of stepper_f64.c and stepper_f32.c, which define REAL and the names of its functions: one step of every head, net and of
   the read-out. It is no header of its own. Weights are doubles in the program, as in the model, and are rounded where they are
   used. */
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "number/elementary.h"
#include "run/stepper_program.h"

#define HALF ((REAL)0.5)

/* ---- heads ---- */

typedef struct step {
    const stepper *s;
    step_work *w;
    REAL *state;
    const step_place *p;
    REAL *x; /* registers */
} step;

/* Sums of Booleans, and of attention outputs that are then rounded, are right in any order. */
static inline REAL dot(const REAL *x, const step_row *row) {
    const step_block *b = row->blocks;
    if (row->is_short) return (REAL)b->weight[0] * x[b->from[0]] + (REAL)b->weight[1] * x[b->from[1]];
    REAL sum = 0;
    for (size_t k = row->count; k > 0; k--, b++) {
        REAL left = (REAL)b->weight[0] * x[b->from[0]] + (REAL)b->weight[1] * x[b->from[1]];
        REAL right = (REAL)b->weight[2] * x[b->from[2]] + (REAL)b->weight[3] * x[b->from[3]];
        sum += left + right;
    }
    return sum;
}

static inline REAL decay(const step *t, REAL distance) {
    return distance < STEP_DECAYS ? (REAL)t->s->decay[(int)distance] : 0;
}

static void blame(const step *t, const step_head *h) {
    t->w->broken = true;
    t->w->culprit = h;
}

/* The class of the current row: its key is 0 or 1, or the head is not what its role says. */
static inline size_t class_of(const step *t, const step_head *h, REAL c) {
    if (c * (c - 1) != 0) blame(t, h);
    return c > HALF;
}

static inline void add_once(const step *t, const step_head *h) {
    REAL *state = t->state + h->state, c = dot(t->x, &h->key);
    size_t class = class_of(t, h, c);
    state[class] += 1;
    if (h->value_is_key) {
        state[2 + class] += c;
        return;
    }
    for (uint32_t d = 0; d < h->width; d++) state[2 + class * h->width + d] += dot(t->x, &h->values[d]);
}

/* out = (high + low_weight * low) / total */
static inline void blend(REAL *out, uint32_t width, const REAL *high, const REAL *low, REAL low_weight, REAL total) {
    if (width == 1)
        out[0] = total > 0 ? (high[0] + low_weight * low[0]) / total : 0;
    else
        for (uint32_t d = 0; d < width; d++) out[d] = total > 0 ? (high[d] + low_weight * low[d]) / total : 0;
}

static inline void read_once(const step *t, const step_head *h, REAL *out) {
    const REAL *state = t->state + h->state;
    REAL low = state[1] > 0 ? (REAL)t->p->once : 1;
    blend(out, h->width, state + 2 + h->width, state + 2, low, state[1] + low * state[0]);
}

static inline void add_nearest(const step *t, const step_head *h) {
    REAL *state = t->state + h->state, i = (REAL)t->p->i;
    size_t class = class_of(t, h, dot(t->x, &h->key));
    REAL *sum = &state[class], *at = &state[2 + class], *v = state + 4 + class * h->width;
    if (h->far) {
        if (*sum == 0) *at = i;
        REAL weight = decay(t, i - *at);
        *sum += weight;
        for (uint32_t d = 0; d < h->width; d++) v[d] += weight * dot(t->x, &h->values[d]);
        return;
    }
    REAL factor = decay(t, i - *at);
    *at = i;
    *sum = *sum * factor + 1;
    if (h->width == 1)
        v[0] = v[0] * factor + dot(t->x, &h->value);
    else
        for (uint32_t d = 0; d < h->width; d++) v[d] = v[d] * factor + dot(t->x, &h->values[d]);
}

static inline void read_nearest(const step *t, const step_head *h, REAL *out) {
    const REAL *state = t->state + h->state;
    REAL low = 1;
    if (state[1] > 0)
        low = state[0] > 0 ? decay(t, (REAL)t->p->size + (h->far ? state[2] - state[3] : state[3] - state[2])) : 0;
    blend(out, h->width, state + 4 + h->width, state + 4, low, state[1] + low * state[0]);
}

static inline void add_count(const step *t, const step_head *h) {
    REAL *sums = t->state + h->state;
    for (uint32_t d = 0; d < h->width; d++) sums[d] += dot(t->x, &h->values[d]);
}

static inline void read_count(const step *t, const step_head *h, REAL *out) {
    REAL keys = (REAL)(t->p->i + !h->before);
    const REAL *sums = t->state + h->state;
    for (uint32_t d = 0; d < h->width; d++) out[d] = keys > 0 ? sums[d] / keys : 0;
}

static inline void note_margin(const step *t, const step_head *h, const REAL *out) {
    if (t->s->hard || !t->p->is_letter) return;
    double *margin = &t->w->margins[h->number];
    for (uint32_t d = 0; d < h->width; d++) {
        REAL low = MAGNITUDE(out[d]), high = MAGNITUDE(out[d] - 1), off = low < high ? low : high;
        if (!(off <= *margin) && !isnan(*margin)) *margin = off;
    }
}

/* exp(16 N y + ln i) against i ones; in row 0 the sentinel is alone. */
static REAL sentinel_weight(const step *t, REAL y) {
    if (t->p->i == 0) return 1;
    if (!t->s->hard) return 1 / (1 + EXP((REAL)(-2 * MODEL_KAPPA * t->p->size) * y));
    return y > 0 ? 1 : y < 0 ? 0 : 1 / (REAL)(t->p->i + 1);
}

static inline void read_compare(const step *t, const step_head *h, REAL *out) {
    REAL weight = sentinel_weight(t, dot(t->x, &h->query));
    for (uint32_t d = 0; d < h->width; d++) out[d] = weight;
    note_margin(t, h, out);
}

/* The values at position j, which depend on j alone; mirrored that is N - 1 - i, here with i = 0. */
static const REAL *values_at(const step *t, const step_head *h, REAL j) {
    REAL *memo = (REAL *)t->w->memo + h->memo + ((uint64_t)j % STEP_MEMO) * (h->width + 1);
    if (memo[0] == j) return memo + 1;
    memo[0] = j;
    double i = t->s->mirrored ? 0 : j, size = t->s->mirrored ? j + 1 : 0;
    for (uint32_t d = 0; d < h->width; d++) {
        const model_term *term = rows_begin_of(&h->model->value, d);
        REAL sum = 0;
        for (size_t k = rows_size(&h->model->value, d); k-- > 0; term++)
            sum +=
                (REAL)term->weight * (REAL)expression_eval(t->s->model->channels[term->channel].position, i, 0, size);
        memo[1 + d] = sum;
    }
    return memo + 1;
}

static void read_lookup(const step *t, const step_head *h, REAL *out) {
    REAL place = HALF * dot(t->x, &h->query) * (REAL)(t->p->i + 1), peak = FLOOR(place + HALF), total = 0;
    for (uint32_t d = 0; d < h->width; d++) out[d] = 0;
    if (!(MAGNITUDE(place - peak) < (REAL)0x1p-6 && peak >= 0 && peak <= t->p->i)) {
        blame(t, h);
        return;
    }
    for (int off = -STEP_NEIGHBOURS; off <= STEP_NEIGHBOURS; off++) {
        REAL j = peak + (REAL)off, weight = (REAL)t->p->near[off < 0 ? -off : off];
        if (weight == 0 || j < 0 || j > t->p->i) continue;
        const REAL *values = values_at(t, h, j);
        total += weight;
        for (uint32_t d = 0; d < h->width; d++) out[d] += weight * values[d];
    }
    for (uint32_t d = 0; d < h->width; d++) out[d] /= total;
    note_margin(t, h, out);
}

static inline void run_once(const step *t, const step_head *h, REAL *out) {
    if (!h->before) add_once(t, h);
    read_once(t, h, out);
    if (h->before) add_once(t, h);
    note_margin(t, h, out);
}

static inline void run_nearest(const step *t, const step_head *h, REAL *out) {
    if (!h->before) add_nearest(t, h);
    read_nearest(t, h, out);
    if (h->before) add_nearest(t, h);
    note_margin(t, h, out);
}

static inline void run_count(const step *t, const step_head *h, REAL *out) {
    if (!h->before) add_count(t, h);
    read_count(t, h, out);
    if (h->before) add_count(t, h);
}

/* ---- layers ---- */

/* Where a head's values go: its own register, or the next places of the buffer. */
static inline REAL *target(REAL *x, REAL **out, const step_head *h) {
    if (h->direct) return &x[h->to];
    REAL *here = *out;
    *out += h->width;
    return here;
}

static void run_heads(const step *t, const step_layer *l) {
    REAL *x = t->x, *out = t->w->out;
    REAL odd = 0;
    for (size_t k = 0; k < l->boolean_count; k++) odd += MAGNITUDE(x[l->booleans[k]] * (x[l->booleans[k]] - 1));
    if (odd != 0) blame(t, l->heads); /* a NaN too */
    const step_head *h = l->heads;
    for (const step_head *end = l->heads + l->role_end[ROLE_ONCE]; h < end; h++) run_once(t, h, target(x, &out, h));
    for (const step_head *end = l->heads + l->role_end[ROLE_NEAREST]; h < end; h++)
        run_nearest(t, h, target(x, &out, h));
    for (const step_head *end = l->heads + l->role_end[ROLE_COUNT]; h < end; h++) run_count(t, h, target(x, &out, h));
    for (const step_head *end = l->heads + l->role_end[ROLE_COMPARE]; h < end; h++)
        read_compare(t, h, target(x, &out, h));
    for (const step_head *end = l->heads + l->role_end[ROLE_LOOKUP]; h < end; h++)
        read_lookup(t, h, target(x, &out, h));
    out = t->w->out; /* all heads of a layer read before any of them writes */
    for (size_t k = 0; k < l->output_count; k++)
        x[l->outputs[k].to] += (REAL)l->outputs[k].weight * out[l->outputs[k].from];
}

/* Without a branch: whether a unit is on is hard to predict. */
static inline REAL relu(REAL a) {
#ifdef __SSE2__
    return RELU_SSE2(a);
#else
    return a > 0 ? a : 0;
#endif
}

static inline REAL unit_value(const REAL *x, const step_unit *u) {
    REAL sum = dot(x, &u->in);
    return (REAL)u->weight * (relu(sum + (REAL)u->up) - relu(sum + (REAL)u->down));
}

static void run_units(const step *t, const step_layer *l) {
    REAL *hidden = t->w->hidden, *x = t->x;
    bool negative = false;
    if (l->direct) {
        for (const step_unit *u = l->units, *end = u + l->unit_count; u < end; u++) x[u->to] += unit_value(x, u);
    } else {
        for (size_t k = 0; k < l->unit_count; k++) hidden[k] = unit_value(x, &l->units[k]);
        for (size_t k = 0; k < l->unit_count; k++) x[l->units[k].to] += hidden[k];
    }
    for (size_t k = 0; k < l->cleared_count; k++) negative |= !(x[l->cleared[k]] >= 0);
    if (negative) blame(t, l->head_count ? l->heads : NULL);
}

/* ---- what stepper.c calls ---- */

bool STEP(const stepper *s, step_work *w, void *state, const step_place *p, uint32_t token) {
    REAL *x = w->x;
    step t = {s, w, state, p, x};
    memcpy(x, w->base, s->register_count * sizeof *x);
    for (size_t k = 0; k < s->feature_count; k++) x[s->features[k].channel] = (REAL)p->features[k];
    const model_term *term = rows_begin_of(&s->model->embedding, token);
    for (size_t k = rows_size(&s->model->embedding, token); k-- > 0; term++) x[term->channel] += (REAL)term->weight;
    for (uint32_t l = 0; l < s->layer_count; l++) {
        if (s->layers[l].head_count) run_heads(&t, &s->layers[l]);
        run_units(&t, &s->layers[l]);
    }
    return dot(x, &s->read) > HALF;
}

/* once: count0, count1, sums0[width], sums1[width]
   nearest: s0, s1, j0, j1, v0[width], v1[width] (weights relative to the key j_c, the last or first met of its class)
   count: sums[width] */
void STEP_START(const stepper *s, void *memory) {
    REAL *state = memory;
    memset(state, 0, s->state_count * sizeof *state);
    for (uint32_t l = 0; l < s->layer_count; l++)
        for (uint32_t k = 0; k < s->layers[l].head_count; k++) {
            const step_head *h = &s->layers[l].heads[k];
            if (h->role != ROLE_NEAREST) continue;
            state[h->state + 2] = state[h->state + 3] = h->far ? INFINITY : -INFINITY;
        }
}

void STEP_PREPARE(const stepper *s, step_work *w) {
    REAL *memo = w->memo, *base = w->base;
    for (size_t k = 0; k < s->memo_count; k++) memo[k] = -1;
    for (uint32_t k = 0; k < s->register_count; k++) base[k] = (REAL)s->base[k];
}

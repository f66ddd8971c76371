#include "run/stepper_program.h"

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "number/elementary.h"

size_t stepper_state_size(const stepper *s) { return s->state_count * sizeof(double); }

/* ---- states, one layout per role ---- */

/* once: count0, count1, sums0[width], sums1[width]
   nearest: s0, s1, j0, j1, v0[width], v1[width] (weights relative to the key j_c, the last or first met of its class)
   count: sums[width] */
void stepper_start(const stepper *s, double *state) {
    memset(state, 0, stepper_state_size(s));
    for (uint32_t l = 0; l < s->layer_count; l++)
        for (uint32_t k = 0; k < s->layers[l].head_count; k++) {
            const step_head *h = &s->layers[l].heads[k];
            if (h->role != ROLE_NEAREST) continue;
            state[h->state + 2] = state[h->state + 3] = h->far ? INFINITY : -INFINITY;
        }
}

void step_work_init(step_work *w, const stepper *s, arena *a) {
    w->x = arena_zalloc(a, s->register_count, sizeof *w->x);
    w->out = arena_zalloc(a, s->most_outputs, sizeof *w->out);
    w->hidden = arena_zalloc(a, s->most_units, sizeof *w->hidden);
    w->memo = arena_alloc(a, s->memo_count, sizeof *w->memo);
    for (size_t k = 0; k < s->memo_count; k++) w->memo[k] = -1;
    w->margins = arena_alloc(a, s->head_count, sizeof *w->margins);
    step_work_reset(w, s);
}

void step_work_reset(step_work *w, const stepper *s) {
    w->broken = false;
    w->culprit = NULL;
    for (uint32_t l = 0; l < s->layer_count; l++)
        for (uint32_t k = 0; k < s->layers[l].head_count; k++)
            w->margins[s->layers[l].heads[k].number] = s->layers[l].heads[k].role == ROLE_COUNT ? -1 : 0;
}

double step_work_margin(const step_work *w, const stepper *s) {
    double largest = 0;
    for (uint32_t k = 0; k < s->head_count; k++)
        if (!(w->margins[k] <= largest) && !isnan(largest)) largest = w->margins[k];
    return largest;
}

/* ---- places ---- */

void step_place_init(step_place *p, const stepper *s, arena *a) {
    *p = (step_place){.near = {1, 0, 0}};
    p->features = arena_zalloc(a, s->feature_count, sizeof *p->features);
}

void step_place_set(step_place *p, const stepper *s, size_t i, size_t n) {
    p->i = (double)i;
    p->size = (double)n + 1 + s->mirrored;
    p->is_letter = i > 0 && i <= n;
    p->once = s->decay[1] / p->size;
    if (s->has_lookup && !s->hard) {
        p->near[1] = exp_f64(-MODEL_KAPPA_LOOKUP * (p->size / (p->i + 1)));
        p->near[2] = exp_f64(-4 * MODEL_KAPPA_LOOKUP * (p->size / (p->i + 1)));
    }
    double position = s->mirrored ? p->size - 1 - p->i : p->i;
    for (size_t k = 0; k < s->feature_count; k++)
        p->features[k] = expression_eval(s->features[k].position, position, (double)n, p->size);
}

/* ---- heads ---- */

typedef struct step {
    const stepper *s;
    step_work *w;
    double *state;
    const step_place *p;
} step;

/* Sums of Booleans, and of attention outputs that are then rounded, are right in any order. */
static inline double dot(const double *x, const step_row *row) {
    const step_block *b = row->blocks;
    if (row->is_short) return b->weight[0] * x[b->from[0]] + b->weight[1] * x[b->from[1]];
    double sum = 0;
    for (size_t k = row->count; k > 0; k--, b++) {
        double left = b->weight[0] * x[b->from[0]] + b->weight[1] * x[b->from[1]];
        double right = b->weight[2] * x[b->from[2]] + b->weight[3] * x[b->from[3]];
        sum += left + right;
    }
    return sum;
}

static inline double decay(const step *t, double distance) {
    return distance < STEP_DECAYS ? t->s->decay[(int)distance] : 0;
}

static void blame(const step *t, const step_head *h) {
    t->w->broken = true;
    t->w->culprit = h;
}

/* The class of the current row: its key is 0 or 1, or the head is not what its role says. */
static inline size_t class_of(const step *t, const step_head *h, double c) {
    if (c * (c - 1) != 0) blame(t, h);
    return c > 0.5;
}

static inline void add_once(const step *t, const step_head *h) {
    double *state = t->state + h->state, c = dot(t->w->x, &h->key);
    size_t class = class_of(t, h, c);
    state[class] += 1;
    if (h->value_is_key) {
        state[2 + class] += c;
        return;
    }
    for (uint32_t d = 0; d < h->width; d++) state[2 + class * h->width + d] += dot(t->w->x, &h->values[d]);
}

/* out = (high + low_weight * low) / total */
static inline void blend(double *out, uint32_t width, const double *high, const double *low, double low_weight,
                         double total) {
    if (width == 1)
        out[0] = total > 0 ? (high[0] + low_weight * low[0]) / total : 0;
    else
        for (uint32_t d = 0; d < width; d++) out[d] = total > 0 ? (high[d] + low_weight * low[d]) / total : 0;
}

static inline void read_once(const step *t, const step_head *h, double *out) {
    const double *state = t->state + h->state;
    double low = state[1] > 0 ? t->p->once : 1;
    blend(out, h->width, state + 2 + h->width, state + 2, low, state[1] + low * state[0]);
}

static inline void add_nearest(const step *t, const step_head *h) {
    double *state = t->state + h->state, i = t->p->i;
    size_t class = class_of(t, h, dot(t->w->x, &h->key));
    double *sum = &state[class], *at = &state[2 + class], *v = state + 4 + class * h->width;
    if (h->far) {
        if (*sum == 0) *at = i;
        double weight = decay(t, i - *at);
        *sum += weight;
        for (uint32_t d = 0; d < h->width; d++) v[d] += weight * dot(t->w->x, &h->values[d]);
        return;
    }
    double factor = decay(t, i - *at);
    *at = i;
    *sum = *sum * factor + 1;
    if (h->width == 1)
        v[0] = v[0] * factor + dot(t->w->x, &h->value);
    else
        for (uint32_t d = 0; d < h->width; d++) v[d] = v[d] * factor + dot(t->w->x, &h->values[d]);
}

static inline void read_nearest(const step *t, const step_head *h, double *out) {
    const double *state = t->state + h->state;
    double low = 1;
    if (state[1] > 0)
        low = state[0] > 0 ? decay(t, t->p->size + (h->far ? state[2] - state[3] : state[3] - state[2])) : 0;
    blend(out, h->width, state + 4 + h->width, state + 4, low, state[1] + low * state[0]);
}

static inline void add_count(const step *t, const step_head *h) {
    double *sums = t->state + h->state;
    for (uint32_t d = 0; d < h->width; d++) sums[d] += dot(t->w->x, &h->values[d]);
}

static inline void read_count(const step *t, const step_head *h, double *out) {
    double keys = t->p->i + !h->before;
    const double *sums = t->state + h->state;
    for (uint32_t d = 0; d < h->width; d++) out[d] = keys > 0 ? sums[d] / keys : 0;
}

static inline void note_margin(const step *t, const step_head *h, const double *out) {
    if (t->s->hard || !t->p->is_letter) return;
    double *margin = &t->w->margins[h->number];
    for (uint32_t d = 0; d < h->width; d++) {
        double low = fabs(out[d]), high = fabs(out[d] - 1), off = low < high ? low : high;
        if (!(off <= *margin) && !isnan(*margin)) *margin = off;
    }
}

/* exp(16 N y + ln i) against i ones; in row 0 the sentinel is alone. */
static double sentinel_weight(const step *t, double y) {
    if (t->p->i == 0) return 1;
    if (!t->s->hard) return 1 / (1 + exp_f64(-2 * MODEL_KAPPA * t->p->size * y));
    return y > 0 ? 1 : y < 0 ? 0 : 1 / (t->p->i + 1);
}

static inline void read_compare(const step *t, const step_head *h, double *out) {
    double weight = sentinel_weight(t, dot(t->w->x, &h->query));
    for (uint32_t d = 0; d < h->width; d++) out[d] = weight;
    note_margin(t, h, out);
}

/* The values at position j, which depend on j alone; mirrored that is N - 1 - i, here with i = 0. */
static const double *values_at(const step *t, const step_head *h, double j) {
    double *memo = t->w->memo + h->memo + ((uint64_t)j % STEP_MEMO) * (h->width + 1);
    if (memo[0] == j) return memo + 1;
    memo[0] = j;
    double i = t->s->mirrored ? 0 : j, size = t->s->mirrored ? j + 1 : 0;
    for (uint32_t d = 0; d < h->width; d++) {
        const model_term *term = rows_begin_of(&h->model->value, d);
        double sum = 0;
        for (size_t k = rows_size(&h->model->value, d); k-- > 0; term++)
            sum += term->weight * expression_eval(t->s->model->channels[term->channel].position, i, 0, size);
        memo[1 + d] = sum;
    }
    return memo + 1;
}

static void read_lookup(const step *t, const step_head *h, double *out) {
    double place = 0.5 * dot(t->w->x, &h->query) * (t->p->i + 1), peak = floor(place + 0.5), total = 0;
    for (uint32_t d = 0; d < h->width; d++) out[d] = 0;
    if (!(fabs(place - peak) < 0x1p-6 && peak >= 0 && peak <= t->p->i)) {
        blame(t, h);
        return;
    }
    for (int off = -STEP_NEIGHBOURS; off <= STEP_NEIGHBOURS; off++) {
        double j = peak + off, weight = t->p->near[off < 0 ? -off : off];
        if (weight == 0 || j < 0 || j > t->p->i) continue;
        const double *values = values_at(t, h, j);
        total += weight;
        for (uint32_t d = 0; d < h->width; d++) out[d] += weight * values[d];
    }
    for (uint32_t d = 0; d < h->width; d++) out[d] /= total;
    note_margin(t, h, out);
}

static inline void run_once(const step *t, const step_head *h, double *out) {
    if (!h->before) add_once(t, h);
    read_once(t, h, out);
    if (h->before) add_once(t, h);
    note_margin(t, h, out);
}

static inline void run_nearest(const step *t, const step_head *h, double *out) {
    if (!h->before) add_nearest(t, h);
    read_nearest(t, h, out);
    if (h->before) add_nearest(t, h);
    note_margin(t, h, out);
}

static inline void run_count(const step *t, const step_head *h, double *out) {
    if (!h->before) add_count(t, h);
    read_count(t, h, out);
    if (h->before) add_count(t, h);
}

/* ---- layers ---- */

/* Where a head's values go: its own register, or the next places of the buffer. */
static inline double *target(double *x, double **out, const step_head *h) {
    if (h->direct) return &x[h->to];
    double *here = *out;
    *out += h->width;
    return here;
}

static void run_heads(const step *t, const step_layer *l) {
    double *x = t->w->x, *out = t->w->out;
    double odd = 0;
    for (size_t k = 0; k < l->boolean_count; k++) odd += fabs(x[l->booleans[k]] * (x[l->booleans[k]] - 1));
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
        x[l->outputs[k].to] += l->outputs[k].weight * out[l->outputs[k].from];
}

/* Without a branch: whether a unit is on is hard to predict. */
static inline double relu(double a) {
#ifdef __SSE2__
    return _mm_cvtsd_f64(_mm_max_sd(_mm_set_sd(a), _mm_setzero_pd()));
#else
    return a > 0 ? a : 0;
#endif
}

static inline double unit_value(const double *x, const step_unit *u) {
    double sum = dot(x, &u->in);
    return u->weight * (relu(sum + u->up) - relu(sum + u->down));
}

static void run_units(const step *t, const step_layer *l) {
    double *hidden = t->w->hidden, *x = t->w->x;
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

bool stepper_step(const stepper *s, step_work *w, double *state, const step_place *p, uint32_t token) {
    step t = {s, w, state, p};
    memcpy(w->x, s->base, s->register_count * sizeof *w->x);
    for (size_t k = 0; k < s->feature_count; k++) w->x[s->features[k].channel] = p->features[k];
    const model_term *term = rows_begin_of(&s->model->embedding, token);
    for (size_t k = rows_size(&s->model->embedding, token); k-- > 0; term++) w->x[term->channel] += term->weight;
    for (uint32_t l = 0; l < s->layer_count; l++) {
        if (s->layers[l].head_count) run_heads(&t, &s->layers[l]);
        run_units(&t, &s->layers[l]);
    }
    return dot(w->x, &s->read) > 0.5;
}

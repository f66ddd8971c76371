#include "limits/diagnose.h"

#include <string.h>

#include "run/dense_rounding.h"
#include "run/positions.h"

static const double OFF = 0.25; /* what a gate no longer rounds away */

typedef struct inquiry {
    const temper_model *m;
    const dense_setting *setting;
    double **ideal;  /* [heads] of [N][value_size]: outputs of hard choices in f64 */
    bool **lost;     /* [heads] of [N]: rows of a mean whose sums lost something; NULL for other heads */
    uint32_t *start; /* [layers] index of a layer's first head */
    arena *kept;
    bool found;
    uint32_t layer, head; /* from 0 */
    size_t row;
    temper_why why;
    const double *actual; /* [N][channels] what the head read; NULL: its inputs are above suspicion */
} inquiry;

static size_t index_of(const inquiry *q, const dense_view *v) { return q->start[v->layer] + v->head; }

/* ---- the ideal outputs ---- */

static void note_ideal(void *context, const dense_view *v) {
    inquiry *q = context;
    size_t count = v->size * v->h->value.count;
    double *copy = arena_alloc(q->kept, count, sizeof *copy);
    memcpy(copy, v->output, count * sizeof *copy);
    q->ideal[index_of(q, v)] = copy;
}

/* ---- one row, step by step ---- */

/* a * b and a + b without error, as pairs of doubles (fma is exact by definition, whatever the machine). */
typedef struct pair {
    double high, low;
} pair;

static pair pair_times(double a, double b) {
    double p = a * b;
    return (pair){p, fma(a, b, -p)};
}

static pair pair_plus(pair x, pair y) {
    double s = x.high + y.high, b = s - x.high, e = (x.high - (s - b)) + (y.high - b);
    e += x.low + y.low;
    double high = s + e;
    return (pair){high, e - (high - s)};
}

static pair pair_scale(pair x, double a) {
    pair p = pair_times(x.high, a);
    return pair_plus(p, (pair){x.low * a, 0});
}

/* The logit that the stored query, key and scale mean, to some 100 bits. */
static pair true_logit(const dense_view *v, size_t i, size_t j) {
    size_t qs = v->h->query.count;
    const double *q = v->query + i * qs, *k = v->key + j * qs;
    pair sum = {0, 0};
    for (size_t d = 0; d < qs; d++) sum = pair_plus(sum, pair_times(q[d], k[d]));
    return pair_scale(sum, v->scales[i]);
}

/* The logit as the run has it. */
static double rounded_logit(const dense_setting *s, const dense_view *v, size_t i, size_t j) {
    size_t qs = v->h->query.count;
    return times(s, v->scales[i], dot(s, v->query + i * qs, v->key + j * qs, qs));
}

/* Softmax in f64 over logits that are right or rounded, and whether any output is off. */
static bool is_off(const inquiry *q, const dense_view *v, size_t i, bool rounded) {
    size_t vs = v->h->value.count;
    key_range keys = mask_keys(v->h->mask, i, v->size);
    const double *ideal = q->ideal[index_of(q, v)] + i * vs;
    double total = 0, *sums = arena_zalloc(q->kept, vs, sizeof *sums);
    pair best = {-INFINITY, 0};
    for (size_t j = keys.first; j < keys.end; j++) {
        pair z = rounded ? (pair){rounded_logit(q->setting, v, i, j), 0} : true_logit(v, i, j);
        if (z.high > best.high || (z.high == best.high && z.low > best.low)) best = z;
    }
    for (size_t j = keys.first; j < keys.end; j++) {
        pair z = rounded ? (pair){rounded_logit(q->setting, v, i, j), 0} : true_logit(v, i, j);
        double weight = format_exp(&format_f64, (z.high - best.high) + (z.low - best.low));
        total += weight;
        for (size_t d = 0; d < vs; d++) sums[d] += weight * v->value[j * vs + d];
    }
    for (size_t d = 0; d < vs; d++)
        if (!(fabs(sums[d] / total - ideal[d]) < OFF)) return true;
    return false;
}

static bool are_finite(const double *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k])) return false;
    return true;
}

static bool overflows(const inquiry *q, const dense_view *v, size_t i) {
    size_t qs = v->h->query.count, vs = v->h->value.count;
    key_range keys = mask_keys(v->h->mask, i, v->size);
    if (!isfinite(v->scales[i]) || !are_finite(v->query + i * qs, qs)) return true;
    for (size_t j = keys.first; j < keys.end; j++)
        if (!are_finite(v->key + j * qs, qs) || !are_finite(v->value + j * vs, vs) ||
            !isfinite(rounded_logit(q->setting, v, i, j)))
            return true;
    return false;
}

static temper_why why_row(const inquiry *q, const dense_view *v, size_t i) {
    if (overflows(q, v, i)) return TEMPER_WHY_OVERFLOW;
    if (v->h->adaptive) return TEMPER_WHY_UNKNOWN;
    if (is_off(q, v, i, false)) return TEMPER_WHY_REPRESENTABILITY;
    if (is_off(q, v, i, true)) return TEMPER_WHY_LOST_TIE;
    return TEMPER_WHY_ABSORPTION;
}

/* ---- the run itself ---- */

/* A mean whose sums are exact is rounded twice. */
static void note_losses(inquiry *q, const dense_view *v) {
    const number_format *s = q->setting->storage, *a = q->setting->accumulation;
    double unit = ldexp(1, -s->precision) + ldexp(1, -a->precision);
    size_t vs = v->h->value.count;
    const double *ideal = q->ideal[index_of(q, v)];
    bool *lost = q->lost[index_of(q, v)] = arena_zalloc(q->kept, v->size, sizeof *lost);
    for (size_t k = 0; k < v->size * vs; k++)
        lost[k / vs] |= !(fabs(v->output[k] - ideal[k]) <= 2 * unit * fabs(ideal[k]) + s->least);
}

/* Comparisons and look-ups go by means of the layers below. */
static bool blame_mean(inquiry *q, const dense_view *v, size_t row) {
    if (v->h->role == ROLE_ONCE || v->h->role == ROLE_NEAREST || v->h->role == ROLE_MATCH) return false;
    for (uint32_t l = 0; l < v->layer; l++)
        for (uint32_t h = 0; h < q->m->layers[l].head_count; h++) {
            const bool *lost = q->lost[q->start[l] + h];
            if (!lost || !(lost[row] || (v->h->role == ROLE_BALANCE && lost[0]))) continue;
            q->layer = l;
            q->head = h;
            q->why = TEMPER_WHY_ABSORPTION;
            return true;
        }
    return false;
}

static void look_for_fault(void *context, const dense_view *v) {
    inquiry *q = context;
    size_t vs = v->h->value.count;
    if (q->found) return;
    if (v->h->role == ROLE_COUNT) note_losses(q, v);
    if (!head_is_boolean(v->h) && v->h->role != ROLE_NONE) return;
    const double *ideal = q->ideal[index_of(q, v)];
    for (size_t k = vs; k < v->size * vs && !q->found; k++) {
        if (fabs(v->output[k] - ideal[k]) < OFF) continue;
        q->found = true;
        q->layer = v->layer;
        q->head = v->head;
        q->row = k / vs;
        if (blame_mean(q, v, q->row)) return;
        q->why = why_row(q, v, q->row);
        if (q->why != TEMPER_WHY_REPRESENTABILITY) return;
        double *copy = arena_alloc(q->kept, v->size * q->m->channel_count, sizeof *copy);
        memcpy(copy, v->x, v->size * q->m->channel_count * sizeof *copy);
        q->actual = copy;
    }
}

/* ---- was it the gates below? ---- */

static void mark_read(bool *read, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) read[rows->terms[k].channel] = true;
}

/* A channel that is 0 or 1 at every position with hard choices must be so in the run. */
static void look_at_inputs(void *context, const dense_view *v) {
    inquiry *q = context;
    if (v->layer != q->layer || v->head != q->head) return;
    size_t channels = q->m->channel_count;
    bool *read = arena_zalloc(q->kept, channels, sizeof *read);
    mark_read(read, &v->h->query);
    mark_read(read, &v->h->key);
    mark_read(read, &v->h->value);
    for (size_t c = 0; c < channels; c++) {
        bool boolean = read[c] && !q->m->channels[c].position, differs = false;
        for (size_t j = 0; j < v->size && boolean; j++) {
            double x = v->x[j * channels + c];
            boolean = x == 0 || x == 1;
            differs |= q->actual[j * channels + c] != x;
        }
        if (boolean && differs) q->why = TEMPER_WHY_GATE;
    }
}

/* ---- all of it ---- */

static void run(inquiry *q, const dense_setting *s, void (*see)(void *, const dense_view *), dense_answer *answer,
                const uint32_t *letters, size_t n, arena *stream, arena *scratch) {
    dense_watch watch = {see, q};
    dense_setting watched = *s;
    watched.watch = &watch;
    arena_reset(stream);
    arena_reset(scratch);
    dense_run(answer, q->m, letters, n, &watched, stream, scratch);
}

diagnosis diagnose(const temper_model *m, const number_type *type, const uint32_t *letters, size_t n, size_t output,
                   size_t position, bool expected, arena *kept, arena *stream, arena *scratch) {
    dense_setting ideal = {.storage = &format_f64, .accumulation = &format_f64, .hard = true},
                  real = {.storage = type->storage, .accumulation = type->accumulation, .tile = type->tile};
    inquiry q = {.m = m, .setting = &real, .kept = kept};
    dense_answer answer;
    size_t heads = 0;
    arena_reset(kept);
    q.start = arena_zalloc(kept, (size_t)m->layer_count + 1, sizeof *q.start);
    for (uint32_t l = 0; l < m->layer_count; l++) q.start[l + 1] = (uint32_t)(heads += m->layers[l].head_count);
    q.ideal = arena_zalloc(kept, heads, sizeof *q.ideal);
    q.lost = arena_zalloc(kept, heads, sizeof *q.lost);
    run(&q, &ideal, note_ideal, &answer, letters, n, stream, scratch);
    if (answer.broken) return (diagnosis){.why = TEMPER_WHY_UNKNOWN};
    run(&q, &real, look_for_fault, &answer, letters, n, stream, scratch);
    if (answer.broken && !q.found)
        return (diagnosis){.why = TEMPER_WHY_OVERFLOW,
                           .layer = answer.layer < m->layer_count ? answer.layer + 1 : 0,
                           .head = answer.layer < m->layer_count ? answer.head + 1 : 0,
                           .row = answer.position};
    if (!q.found) /* no head was off, so what follows them was */
        return (diagnosis){.why = answer.truth[output * (n + 1 + m->has_end) + position] != expected
                                      ? TEMPER_WHY_GATE
                                      : TEMPER_WHY_UNKNOWN};
    diagnosis d = {.why = q.why, .layer = q.layer + 1, .head = q.head + 1, .row = q.row};
    if (!q.actual) return d;
    run(&q, &ideal, look_at_inputs, &answer, letters, n, stream, scratch);
    d.why = q.why;
    return d;
}

double diagnose_memory(const temper_model *m, size_t n) {
    double numbers = 4 * (double)m->channel_count;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            numbers += 2 * (double)m->layers[l].heads[h].value.count;
    return 8 * numbers * ((double)n + 2);
}

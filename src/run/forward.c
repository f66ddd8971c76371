#include "run/forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number/elementary.h"
#include "run/adaptive_doubt.h"
#include "run/positions.h"
#include "run/row_gap.h"

typedef struct forward {
    const temper_model *m;
    const uint32_t *letters;
    size_t n, size; /* N */
    bool hard;
    uint32_t layer, head; /* at work, from 0 */
    doubt doubt;
    arena *scratch; /* of one layer */
    temper_run *run;
    double *x, *delta; /* [N][channels] the residual stream, and what a sublayer adds to it */
} forward;

/* ---- embedding ---- */

static void embed(forward *f) {
    const temper_model *m = f->m;
    for (size_t i = 0; i < f->size; i++) {
        double *x = f->x + i * m->channel_count;
        for (uint32_t c = 0; c < m->channel_count; c++) {
            const model_channel *channel = &m->channels[c];
            bool silent = !channel->position || (f->hard && channel->soft_only);
            x[c] = silent ? 0 : expression_eval(channel->position, (double)i, (double)f->n, (double)f->size);
        }
        uint32_t token = position_token(m, f->letters, f->n, i);
        const model_term *t = rows_begin_of(&m->embedding, token);
        for (size_t k = rows_size(&m->embedding, token); k-- > 0; t++) x[t->channel] += t->weight;
    }
}

/* ---- rows of scores ---- */

/* out[N][rows] = rows applied to every position */
static void project(double *out, const forward *f, const model_rows *rows) {
    for (size_t i = 0; i < f->size; i++)
        for (uint32_t r = 0; r < rows->count; r++)
            out[i * rows->count + r] = rows_dot(rows, r, f->x + i * f->m->channel_count);
}

/* Scores of one row to weights (which sum to *total, not yet divided). */
static void choose(double *weights, double *total, const double *scores, key_range keys, temper_choice choice,
                   double scale) {
    double best = -INFINITY;
    *total = 0;
    if (keys.first >= keys.end) return;
    for (size_t j = keys.first; j < keys.end; j++)
        if (scores[j] > best) best = scores[j];
    size_t chosen = SIZE_MAX;
    for (size_t j = keys.first; j < keys.end; j++) {
        weights[j] = 0;
        if (choice == TEMPER_CHOICE_SOFTMAX) {
            weights[j] = exp_f64(scale * scores[j] - scale * best);
            *total += weights[j];
        } else if (scores[j] == best) {
            if (choice == TEMPER_CHOICE_AVERAGE)
                weights[j] = 1, *total += 1;
            else if (chosen == SIZE_MAX || choice == TEMPER_CHOICE_RIGHTMOST)
                chosen = j;
        }
    }
    if (chosen != SIZE_MAX) weights[chosen] = *total = 1;
}

/* ---- adaptive rows ---- */

/* Whether scores of keys k [N][size] that are equal could differ by so much. */
static bool rounding_explains(double gap, const double *q, const double *k, size_t size, key_range keys) {
    double largest = 0;
    for (size_t j = keys.first; j < keys.end; j++) {
        double total = 0;
        for (size_t d = 0; d < size; d++) total += fabs(q[d] * k[j * size + d]);
        if (!(total <= largest)) largest = total;
    }
    return !(gap > 4 * ((double)size + 2) * 0x1p-53 * largest);
}

/* Many doubts are about heads that nobody listens to, so the run goes on and looks at the end. A proof that covers the string has
   settled them all. */
static void report_doubt(const forward *f) {
    const doubt_place *d = &f->doubt.first;
    if (f->run->proved || !doubt_reaches(&f->doubt)) return;
    text t;
    text_init(&t, &f->run->memory);
    text_printf(&t,
                "head %u.%u at position %zu: the scores of positions %zu and %zu differ by %.3g, which rounding "
                "alone explains: an "
                "adaptive temperature takes it for a gap",
                d->layer + 1, d->head + 1, d->i, d->best, d->next, d->gap);
    f->run->warning = text_string(&t);
}

/* Scores of one row to weights as `choose` does: softmax with the scale divided by the row's own gap (model.h). */
static void choose_adaptive(forward *f, const model_head *h, double *weights, double *total, const double *scores,
                            const double *q, const double *k, const double *v, size_t i, key_range keys,
                            double scale) {
    *total = 0;
    if (keys.first >= keys.end) return;
    row_gap g = row_gap_find(scores, keys);
    if (g.next != SIZE_MAX && rounding_explains(g.gap, q, k, h->query.count, keys))
        doubt_row(&f->doubt, &(doubt_place){f->layer, f->head, i, g.best, g.next, g.gap}, v);
    double tilt = h->hard_choice == TEMPER_CHOICE_AVERAGE     ? 0
                  : h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? scale / (double)f->size
                                                              : -scale / (double)f->size;
    double best = -INFINITY;
    for (size_t j = keys.first; j < keys.end; j++) {
        double below =
            g.next == SIZE_MAX ? 0 : (scores[j] - scores[g.best]) / g.gap; /* in gaps: a tiny gap overflows nothing */
        weights[j] = scale * below + tilt * (double)j;
        if (weights[j] > best) best = weights[j];
    }
    for (size_t j = keys.first; j < keys.end; j++) {
        weights[j] = exp_f64(weights[j] - best);
        *total += weights[j];
    }
}

/* ---- one head ---- */

static void add_output(double *x, const model_head *h, const double *out) {
    for (uint32_t v = 0; v < h->value.count; v++) {
        const model_term *t = rows_begin_of(&h->output, v);
        for (size_t k = rows_size(&h->output, v); k-- > 0; t++) x[t->channel] += t->weight * out[v];
    }
}

/* delta += the head's output; x is only read */
static void run_head(forward *f, const model_head *h, head_trace *trace) {
    size_t size = f->size, qs = h->query.count, vs = h->value.count;
    temper_choice choice = f->hard ? h->hard_choice : h->choice;
    bool keep = f->run->captured;
    arena *a = keep ? &f->run->memory : f->scratch;
    double *q = arena_alloc(a, size * qs, sizeof *q), *k = arena_alloc(a, size * qs, sizeof *k);
    double *v = arena_alloc(a, size * vs, sizeof *v), *out = arena_alloc(a, size * vs, sizeof *out);
    double *scores = arena_alloc(a, keep ? size * size : size, sizeof *scores);
    double *weights = arena_alloc(a, keep ? size * size : size, sizeof *weights);
    project(q, f, &h->query);
    project(k, f, &h->key);
    project(v, f, &h->value);
    double scale =
        h->scale && choice == TEMPER_CHOICE_SOFTMAX ? expression_eval(h->scale, 0, (double)f->n, (double)size) : 1;
    trace->margin = head_is_boolean(h) ? 0 : -1;
    trace->scale = scale;
    for (size_t i = 0; i < size; i++) {
        key_range keys = mask_keys(h->mask, i, size);
        double *s = keep ? scores + i * size : scores, *w = keep ? weights + i * size : weights, total;
        if (keep)
            for (size_t j = 0; j < size; j++) s[j] = -INFINITY, w[j] = 0;
        for (size_t j = keys.first; j < keys.end; j++) {
            double dot = 0;
            for (size_t d = 0; d < qs; d++) dot += q[i * qs + d] * k[j * qs + d];
            s[j] = dot;
        }
        if (choice == TEMPER_CHOICE_SOFTMAX && h->adaptive)
            choose_adaptive(f, h, w, &total, s, q + i * qs, k, v, i, keys, scale);
        else
            choose(w, &total, s, keys, choice, scale);
        if (keys.first < keys.end && !(total > 0 && isfinite(total))) run_not_finite(f->scratch->trap, i);
        for (size_t d = 0; d < vs; d++) {
            double sum = 0;
            for (size_t j = keys.first; j < keys.end; j++) sum += w[j] * v[j * vs + d];
            sum = total > 0 ? sum / total : 0;
            out[i * vs + d] = sum;
            bool real = i >= 1 && i <= f->n;
            if (trace->margin >= 0 && real && !(distance_to_boolean(sum) <= trace->margin))
                trace->margin = distance_to_boolean(sum);
        }
        if (keep && total > 0)
            for (size_t j = keys.first; j < keys.end; j++) w[j] /= total;
        add_output(f->delta + i * f->m->channel_count, h, out + i * vs);
    }
    if (!keep) return;
    trace->query = q;
    trace->key = k;
    trace->value = v;
    trace->output = out;
    trace->scores = scores;
    trace->weights = weights;
}

/* ---- one layer ---- */

static void add_to(double *x, const double *delta, size_t count) {
    for (size_t k = 0; k < count; k++) x[k] += delta[k];
}

/* The bias is added last: a ramp's two units subtract different biases from the same sum. */
static void run_units(const model_layer *l, const double *x, double *delta) {
    for (uint32_t u = 0; u < l->in.count; u++) {
        double h = rows_dot(&l->in, u, x) + l->bias[u];
        if (!(h > 0)) continue;
        const model_term *t = rows_begin_of(&l->out, u);
        for (size_t k = rows_size(&l->out, u); k-- > 0; t++) delta[t->channel] += t->weight * h;
    }
}

static void keep_channels(forward *f, uint32_t layer) {
    if (!f->run->captured) return;
    size_t count = f->size * f->m->channel_count;
    double *copy = arena_alloc(&f->run->memory, count, sizeof *copy);
    if (count) memcpy(copy, f->x, count * sizeof *copy);
    f->run->channels[layer] = copy;
}

static void run_layer(forward *f, uint32_t layer) {
    const model_layer *l = &f->m->layers[layer];
    size_t channels = f->m->channel_count, count = f->size * channels;
    f->layer = layer;
    if (l->head_count) {
        memset(f->delta, 0, count * sizeof *f->delta);
        for (uint32_t h = 0; h < l->head_count; h++) {
            f->head = h;
            run_head(f, &l->heads[h], &f->run->heads[f->run->head_start[layer] + h]);
            doubt_through_head(&f->doubt, &l->heads[h]);
            arena_reset(f->scratch);
        }
        add_to(f->x, f->delta, count);
        doubt_apply(&f->doubt);
    }
    memset(f->delta, 0, count * sizeof *f->delta);
    for (size_t i = 0; i < f->size; i++) run_units(l, f->x + i * channels, f->delta + i * channels);
    add_to(f->x, f->delta, count);
    doubt_through_units(&f->doubt, l);
    doubt_apply(&f->doubt);
    keep_channels(f, layer + 1);
}

/* ---- the run ---- */

void run_prepare_capture(temper_run *r, const temper_model *m, bool capture) {
    arena *a = &r->memory;
    size_t heads = r->head_start[m->layer_count];
    r->captured = capture;
    r->query_size = arena_zalloc(a, heads, sizeof *r->query_size);
    r->value_size = arena_zalloc(a, heads, sizeof *r->value_size);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            r->query_size[r->head_start[l] + h] = m->layers[l].heads[h].query.count;
            r->value_size[r->head_start[l] + h] = m->layers[l].heads[h].value.count;
        }
    r->channels = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *r->channels);
}

/* What is neither a number nor finite has no truth value. */
static void read_out(forward *f) {
    for (size_t i = 0; i < f->size; i++) {
        double answer = rows_dot(&f->m->read, 0, f->x + i * f->m->channel_count);
        if (!isfinite(answer)) run_not_finite(f->scratch->trap, i);
        f->run->truth[i] = answer > 0.5;
    }
}

void forward_run(temper_run *r, const temper_model *m, const uint32_t *letters, size_t n, const temper_run_options *o,
                 arena *stream, arena *scratch) {
    forward f = {.m = m,
                 .letters = letters,
                 .n = n,
                 .size = n + 1 + m->has_end,
                 .hard = o->hard,
                 .scratch = scratch,
                 .run = r,
                 .doubt = {.m = m, .n = n, .size = n + 1 + m->has_end, .memory = stream}};
    run_prepare_capture(r, m, o->capture);
    f.x = arena_zalloc(stream, f.size * m->channel_count, sizeof *f.x);
    f.delta = arena_zalloc(stream, f.size * m->channel_count, sizeof *f.delta);
    embed(&f);
    keep_channels(&f, 0);
    for (uint32_t layer = 0; layer < m->layer_count; layer++) run_layer(&f, layer);
    read_out(&f);
    report_doubt(&f);
}

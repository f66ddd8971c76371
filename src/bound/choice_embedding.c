#include "bound/choice_embedding.h"

#include <math.h>

#include "model/expression_rational.h"

struct embedding_run {
    const temper_model *m;
    const number_format *storage, *accumulation;
    size_t n, size;
    double *weights; /* [channels][tokens] */
    double *most;    /* [channels]: of the start sentinel and the letters so far, where the length does not count */
    rational_pool pool;
    rational *r; /* [2] */
    arena *keep;
    double **lengths; /* what was found: [lengths][channels] */
    size_t count, capacity;
};

/* |stored - exact|, up. */
static double distance(embedding_run *w, double stored, double weight, const rational *feature) {
    rational_set_double(&w->r[1], weight);
    if (feature) rational_add(&w->r[1], &w->r[1], feature);
    return rational_distance(&w->r[1], stored);
}

/* The weights of a channel that can stand at position i: those of the letters, or of a sentinel. */
static double channel_at(embedding_run *w, uint32_t channel, const double *weights, size_t i) {
    const model_channel *c = &w->m->channels[channel];
    uint32_t letters = (uint32_t)w->m->letters.count;
    uint32_t first = i == 0 ? model_start_token(w->m) : i <= w->n ? 0 : model_end_token(w->m);
    uint32_t end = i >= 1 && i <= w->n ? letters : first + 1;
    double feature = 0, worst = 0;
    const rational *exact = NULL;
    if (c->position) {
        feature = format_round(w->storage, expression_eval(c->position, (double)i, (double)w->n, (double)w->size));
        if (!isfinite(feature)) return INFINITY;
        if (!c->soft_only) {
            if (!expression_rational(&w->r[0], c->position, i, w->n, w->size, &w->pool)) return INFINITY;
            exact = &w->r[0];
        }
    }
    for (uint32_t token = first; token < end; token++) {
        double weight = weights[token], rounded = format_round(w->storage, weight), stored = feature;
        if (token > first && weight == weights[token - 1]) continue;
        if (weight != 0)
            stored =
                c->position ? format_round(w->storage, format_round(w->accumulation, feature + rounded)) : rounded;
        if (!isfinite(stored)) return INFINITY;
        worst = fmax(worst, distance(w, stored, weight, exact));
    }
    return worst;
}

embedding_run *embedding_begin(const temper_model *m, const number_format *storage, const number_format *accumulation,
                               arena *keep) {
    embedding_run *w = arena_zalloc(keep, 1, sizeof *w);
    size_t tokens = m->letters.count + 2;
    *w = (embedding_run){.m = m, .storage = storage, .accumulation = accumulation, .keep = keep};
    rational_pool_init(&w->pool, keep);
    w->r = rational_array(&w->pool, 2);
    w->most = arena_zalloc(keep, m->channel_count, sizeof *w->most);
    w->weights = arena_zalloc(keep, m->channel_count * tokens, sizeof *w->weights);
    for (uint32_t token = 0; token < tokens; token++) {
        const model_term *t = rows_begin_of(&m->embedding, token);
        for (size_t k = rows_size(&m->embedding, token); k-- > 0; t++)
            w->weights[t->channel * tokens + token] = t->weight;
    }
    return w;
}

static bool is_whole(double x) { return fabs(x) <= 0x1p53 && x == floor(x); }

/* Whether the value in doubles is the true one: numbers, n, N and their sums and products, while they are short. */
static bool is_exact(const embedding_run *w, const expression *e) {
    switch (e->op) {
    case EXPR_CONSTANT:
    case EXPR_LENGTH:
    case EXPR_SIZE: return is_whole(expression_eval(e, 0, (double)w->n, (double)w->size));
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
        return is_exact(w, e->a) && is_exact(w, e->b) &&
               fabs(expression_eval(e, 0, (double)w->n, (double)w->size)) < 0x1p53;
    default: return false;
    }
}

/* i/t of a channel without weights in f64, as i/(2N): where both are whole numbers the quotient d is the nearest
   number of x = i/t. Then d t - i is a multiple of the last place of d, at most t/2 times: fma gives it exactly. It
   and what its quotient by t leaves over tell |d - x|, rounded up, as in rational_distance. False: not known this
   way. */
static bool share_error(const embedding_run *w, uint32_t c, const double *weights, double *worst) {
    const expression *feature = w->m->channels[c].position;
    if (w->m->channels[c].soft_only || w->storage->precision != 53) return false;
    if (feature->op != EXPR_DIV || feature->a->op != EXPR_I || expression_uses(feature->b, EXPR_I)) return false;
    double t = expression_eval(feature->b, 0, (double)w->n, (double)w->size), most = 0;
    if (!is_exact(w, feature->b) || t <= 0 || t > 0x1p30) return false;
    for (size_t token = 0; token < w->m->letters.count + 2; token++)
        if (weights[token] != 0) return false;
    for (size_t i = 0; i < w->size; i++) {
        double off = fabs(fma((double)i / t, t, -(double)i)), near = off / t;
        most = fmax(most, fma(near, t, -off) < 0 ? nextafter(near, INFINITY) : near);
    }
    *worst = most;
    return true;
}

static double channel_error(embedding_run *w, uint32_t c) {
    const expression *feature = w->m->channels[c].position;
    const double *weights = w->weights + c * (w->m->letters.count + 2);
    double worst = 0;
    if (feature && (expression_uses(feature, EXPR_LENGTH) || expression_uses(feature, EXPR_SIZE))) {
        if (share_error(w, c, weights, &worst)) return worst;
        for (size_t i = 0; i < w->size; i++) worst = fmax(worst, channel_at(w, c, weights, i));
        return worst;
    }
    if (feature || w->n <= 1) /* without a feature all letters' positions are alike */
        w->most[c] = fmax(w->most[c], channel_at(w, c, weights, w->n));
    return w->m->has_end ? fmax(w->most[c], channel_at(w, c, weights, w->n + 1)) : w->most[c];
}

const double *embedding_errors(embedding_run *w, size_t n) {
    while (w->count <= n) {
        double *out = arena_alloc(w->keep, w->m->channel_count, sizeof *out);
        w->n = w->count;
        w->size = w->n + 1 + w->m->has_end;
        for (uint32_t c = 0; c < w->m->channel_count; c++) out[c] = channel_error(w, c);
        array_push(w->keep, w->lengths, w->count, w->capacity, out);
    }
    return w->lengths[n];
}

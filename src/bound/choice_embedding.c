#include "bound/choice_embedding.h"

#include <math.h>

#include "model/expression_rational.h"

typedef struct embedding_work {
    const temper_model *m;
    const number_format *storage, *accumulation;
    size_t n, size;
    bool hard;
    rational_pool pool;
    rational *r; /* [3] */
} embedding_work;

/* |stored - exact|, up. */
static double distance(embedding_work *w, double stored, double weight, const rational *feature) {
    rational_set_double(&w->r[1], weight);
    if (feature) rational_add(&w->r[1], &w->r[1], feature);
    rational_set_double(&w->r[2], stored);
    rational_sub(&w->r[1], &w->r[1], &w->r[2]);
    rational_abs(&w->r[1], &w->r[1]);
    return rational_above(&w->r[1]);
}

/* The weights of a channel that can stand at position i: those of the letters, or of a sentinel. */
static double channel_at(embedding_work *w, uint32_t channel, const double *weights, size_t i) {
    const model_channel *c = &w->m->channels[channel];
    uint32_t letters = (uint32_t)w->m->letters.count;
    uint32_t first = i == 0 ? model_start_token(w->m) : i <= w->n ? 0 : model_end_token(w->m);
    uint32_t end = i >= 1 && i <= w->n ? letters : first + 1;
    double feature = 0, worst = 0;
    const rational *exact = NULL;
    bool has_feature = c->position && !(w->hard && c->soft_only);
    if (has_feature) {
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
                has_feature ? format_round(w->storage, format_round(w->accumulation, feature + rounded)) : rounded;
        if (!isfinite(stored)) return INFINITY;
        worst = fmax(worst, distance(w, stored, weight, exact));
    }
    return worst;
}

double *embedding_errors(const temper_model *m, size_t n, const number_format *storage,
                         const number_format *accumulation, bool hard, arena *keep, arena *scratch) {
    embedding_work w = {
        .m = m, .storage = storage, .accumulation = accumulation, .n = n, .size = n + 1 + m->has_end, .hard = hard};
    arena_reset(scratch);
    rational_pool_init(&w.pool, scratch);
    w.r = rational_array(&w.pool, 3);
    double *out = arena_zalloc(keep, m->channel_count, sizeof *out);
    double *weights = arena_alloc(scratch, m->letters.count + 2, sizeof *weights);
    for (uint32_t c = 0; c < m->channel_count; c++) {
        for (uint32_t token = 0; token < m->letters.count + 2; token++) {
            weights[token] = 0;
            const model_term *t = rows_begin_of(&m->embedding, token);
            for (size_t k = rows_size(&m->embedding, token); k-- > 0; t++)
                if (t->channel == c) weights[token] = t->weight;
        }
        bool varies = m->channels[c].position != NULL;
        for (size_t i = 0; i < w.size; i++) {
            if (!varies && i > 1 && i <= n) continue; /* all letters' positions are alike */
            out[c] = fmax(out[c], channel_at(&w, c, weights, i));
        }
    }
    return out;
}

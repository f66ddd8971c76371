#include "run/format_pass.h"

#include <string.h>

#include "run/positions.h"

/* A channel is the sum of a position feature and what the letter says, each stored before they are added. */
static void embed(format_pass *p) {
    const temper_model *m = p->m;
    for (size_t i = 0; i < p->size; i++) {
        double *x = p->x + i * m->channel_count;
        for (uint32_t c = 0; c < m->channel_count; c++) {
            const expression *e = m->channels[c].position;
            bool silent = !e || (p->s->hard && m->channels[c].soft_only);
            x[c] = silent ? 0 : stored(p, expression_eval(e, (double)i, (double)p->n, (double)p->size));
        }
        uint32_t token = position_token(m, p->letters, p->n, i);
        const model_term *t = rows_begin_of(&m->embedding, token);
        for (size_t k = rows_size(&m->embedding, token); k-- > 0; t++)
            x[t->channel] = stored(p, plus(p, x[t->channel], stored(p, t->weight)));
    }
}

/* A sublayer's output is stored, then added to the residual stream, which is stored. */
static void add_delta(format_pass *p) {
    for (size_t k = 0; k < p->size * p->m->channel_count; k++)
        p->x[k] = stored(p, plus(p, p->x[k], stored(p, p->delta[k])));
}

static void clear_delta(format_pass *p) { memset(p->delta, 0, p->size * p->m->channel_count * sizeof *p->delta); }

/* Hidden units are stored. NaN stays NaN. */
static void run_units(format_pass *p, const model_layer *l, const double *x, double *delta) {
    for (uint32_t u = 0; u < l->in.count; u++) {
        double h = plus(p, row_sum(p, &l->in, u, x), stored(p, l->bias[u]));
        if (!(h <= 0)) spread(p, delta, &l->out, u, stored(p, h));
    }
}

static bool run_layer(format_pass *p, uint32_t layer) {
    const model_layer *l = &p->m->layers[layer];
    size_t channels = p->m->channel_count;
    if (l->head_count) {
        clear_delta(p);
        for (uint32_t h = 0; h < l->head_count; h++) {
            if (!format_head(p, layer, h)) return false;
            arena_reset(p->scratch);
        }
        add_delta(p);
    }
    clear_delta(p);
    for (size_t i = 0; i < p->size; i++) run_units(p, l, p->x + i * channels, p->delta + i * channels);
    add_delta(p);
    return true;
}

static void read_out(format_pass *p) {
    format_answer *out = p->out;
    for (size_t i = 0; i < p->size; i++) {
        double answer = row_sum(p, &p->m->read, 0, p->x + i * p->m->channel_count);
        if (!isfinite(answer)) {
            out->broken = true;
            out->layer = p->m->layer_count;
            out->head = 0;
            out->position = i;
            return;
        }
        out->truth[i] = answer > 0.5;
    }
}

void format_run(format_answer *out, const temper_model *m, const uint32_t *letters, size_t n, const format_setting *s,
                arena *stream, arena *scratch) {
    format_pass p = {.m = m, .s = s, .letters = letters, .n = n, .size = n + 1 + m->has_end, .scratch = scratch};
    size_t heads = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) heads += m->layers[l].head_count;
    *out = (format_answer){.size = p.size};
    p.out = out;
    out->truth = arena_zalloc(stream, p.size, 1);
    out->margins = arena_zalloc(stream, heads, sizeof *out->margins);
    p.x = out->x = arena_zalloc(stream, p.size * m->channel_count, sizeof *p.x);
    p.delta = arena_zalloc(stream, p.size * m->channel_count, sizeof *p.delta);
    embed(&p);
    for (uint32_t layer = 0; layer < m->layer_count; layer++)
        if (!run_layer(&p, layer)) return;
    read_out(&p);
}

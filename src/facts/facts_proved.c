/* Facts about every string of one length, from the weights alone: the model is run once on sets of values (lattice.h)
   instead of values. This is "What is known of the hard model" of doc/theory.md with more than denominators: the
   grids of single rows and channels, and what ties. */
#include <math.h>

#include "model/expression_rational.h"
#include "facts/set_run.h"

void set_record(known *k, const spread *x) {
    int a = rational_grid(&x->a), g = rational_grid(&x->g);
    known_add_interval(k, &x->lo, &x->hi, a < g ? a : g);
}

static void record_channels(const set_run *p, known *to) {
    for (size_t i = 0; i < p->size; i++)
        for (uint32_t c = 0; c < p->m->channel_count; c++) set_record(&to[c], &p->x[i * p->m->channel_count + c]);
}

/* ---- embedding ---- */

static void embed_token(spread *to, const set_run *p, uint32_t token) {
    for (uint32_t c = 0; c < p->m->channel_count; c++) {
        rational_set_int(&p->r[0], 0);
        spread_set_constant(&to[c], &p->r[0]);
    }
    const model_term *t = rows_begin_of(&p->m->embedding, token);
    for (size_t k = rows_size(&p->m->embedding, token); k-- > 0; t++) {
        rational_set_double(&p->r[0], t->weight);
        spread_set_constant(&to[t->channel], &p->r[0]);
    }
}

static void embed(set_run *p) {
    const temper_model *m = p->m;
    uint32_t channels = m->channel_count;
    spread *token = spread_array(p->pool, channels), *letters = spread_array(p->pool, channels);
    for (uint32_t k = 0; k < m->letters.count; k++) {
        embed_token(k ? token : letters, p, k);
        for (uint32_t c = 0; k && c < channels; c++) spread_join(&letters[c], &token[c], &p->work);
    }
    for (size_t i = 0; i < p->size; i++) {
        bool letter = i >= 1 && i <= p->n;
        if (!letter) embed_token(token, p, i == 0 ? model_start_token(m) : model_end_token(m));
        for (uint32_t c = 0; c < channels; c++) {
            spread *to = &p->x[i * channels + c];
            spread_set(to, letter ? &letters[c] : &token[c]);
            if (!m->channels[c].position || m->channels[c].soft_only) continue;
            if (!expression_rational(&p->r[0], m->channels[c].position, i, p->n, p->size, p->pool))
                trap_raise(p->pool->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                           "the feature of channel %u is not a rational number at position %zu of length %zu", c, i,
                           p->n);
            spread_set_constant(p->one, &p->r[0]);
            spread_add(to, p->one, &p->work);
        }
    }
}

/* ---- the run ---- */

/* x += delta; delta = 0. Numbers that grow without end are refused here. */
static void add_delta(set_run *p) {
    rational_set_int(&p->r[0], 0);
    for (size_t k = 0; k < p->size * p->m->channel_count; k++) {
        spread_add(&p->x[k], &p->delta[k], &p->work);
        spread_set_constant(&p->delta[k], &p->r[0]);
        rational_require_short(p->pool, &p->x[k].a);
        rational_require_short(p->pool, &p->x[k].g);
    }
}

static void read_out(set_run *p) {
    const model_rows *read = &p->m->read;
    uint32_t channels = p->m->channel_count;
    size_t verdict = p->n == 0 ? 0 : p->m->at == TEMPER_AT_FIRST ? 1 : p->n;
    spread *y = spread_array(p->pool, 1);
    rational *half = &p->r[6], *distance = &p->r[7];
    for (size_t i = p->n ? 1 : 0; i <= p->n; i++) {
        rational_set_int(half, 0);
        spread_set_constant(y, half);
        for (uint32_t k = read->start[0]; k < read->start[1]; k++)
            spread_add_scaled(y, &p->x[i * channels + read->terms[k].channel], read->terms[k].weight, &p->work);
        rational_set_ratio(half, 1, 2);
        spread_distance(distance, y, half, &p->work);
        double margin = rational_below(distance);
        p->f->margin_everywhere = fmin(p->f->margin_everywhere, margin);
        if (i == verdict) p->f->margin = margin;
    }
}

static void prepare_lcm(set_run *p) {
    p->lcm = rational_array(p->pool, p->size + 1);
    rational_set_int(&p->lcm[0], 1);
    for (size_t t = 1; t <= p->size; t++) { /* lcm(a, b) = a b / gcd(a, b) */
        rational_set_int(&p->r[0], (long)t);
        rational_gcd(&p->r[1], &p->lcm[t - 1], &p->r[0]);
        rational_mul(&p->lcm[t], &p->lcm[t - 1], &p->r[0]);
        rational_div(&p->lcm[t], &p->lcm[t], &p->r[1]);
    }
}

facts *facts_proved(const subject_model *s, size_t n, rational_pool *pool, arena *keep) {
    const temper_model *m = s->model;
    set_run p = {.s = s, .m = m, .pool = pool, .n = n, .size = n + 1 + m->has_end};
    p.f = facts_new(s, n, keep);
    spread_work_init(&p.work, pool);
    p.r = rational_array(pool, 8);
    p.one = spread_array(pool, 1);
    p.x = spread_array(pool, p.size * m->channel_count);
    p.delta = spread_array(pool, p.size * m->channel_count);
    prepare_lcm(&p);
    embed(&p);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        record_channels(&p, p.f->layers[l].before);
        for (uint32_t h = 0; h < layer->head_count; h++) set_run_head(&p, &layer->heads[h], &p.f->layers[l].heads[h]);
        add_delta(&p);
        record_channels(&p, p.f->layers[l].middle);
        for (uint32_t b = 0; b < s->bundles[l].count; b++)
            set_run_bundle(&p, layer, &s->bundles[l].items[b], &p.f->layers[l].bundles[b]);
        add_delta(&p);
    }
    record_channels(&p, p.f->after);
    read_out(&p);
    facts_measure_features(p.f, s, pool);
    return p.f;
}

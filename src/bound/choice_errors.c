#include "bound/choice_work.h"

#include "bound/choice_embedding.h"

/* ---- beginning ---- */

static bool rows_are_finite(const model_rows *rows, const number_format *f) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (!isfinite(format_round(f, rows->terms[k].weight))) return false;
    return true;
}

/* The rounded rows of a bundle are multiples of each other as well. */
static bool bundles_are_kept(const model_layer *l, const bundle_list *bundles, const number_format *f) {
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].unit_count; k++) {
            const bundle_unit *u = &bundles->items[b].units[k];
            const model_term *s = rows_begin_of(&l->in, bundles->items[b].row), *t = rows_begin_of(&l->in, u->unit);
            for (size_t c = rows_size(&l->in, u->unit); c-- > 0; s++, t++)
                if (format_round(f, t->weight) != u->ratio * format_round(f, s->weight)) return false;
        }
    return true;
}

static bool weights_are_finite(const temper_model *m, const number_format *f) {
    bool ok = rows_are_finite(&m->embedding, f) && rows_are_finite(&m->read, f);
    for (uint32_t l = 0; l < m->layer_count && ok; l++) {
        const model_layer *layer = &m->layers[l];
        for (uint32_t h = 0; h < layer->head_count && ok; h++)
            ok = rows_are_finite(&layer->heads[h].query, f) && rows_are_finite(&layer->heads[h].key, f) &&
                 rows_are_finite(&layer->heads[h].value, f) && rows_are_finite(&layer->heads[h].output, f);
        ok = ok && rows_are_finite(&layer->in, f) && rows_are_finite(&layer->out, f);
        for (uint32_t u = 0; u < layer->in.count; u++) ok = ok && isfinite(format_round(f, layer->bias[u]));
    }
    return ok;
}

static void mark(unsigned char *written, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) written[rows->terms[k].channel] = 1;
}

bool recursion_begin(recursion *r, const hard_facts *f, const number_type *type, bool ascending, arena *keep,
                     arena *scratch) {
    const temper_model *m = f->s.model;
    *r = (recursion){.m = m, .f = f, .ascending = ascending, .keep = keep, .scratch = scratch};
    if (!weights_are_finite(m, type->storage)) return false;
    for (uint32_t l = 0; l < m->layer_count; l++)
        if (!bundles_are_kept(&m->layers[l], &f->s.bundles[l], type->storage)) return false;
    rounding_rules_init(&r->rules, type, ascending, keep);
    uint32_t heads = f->head_start[m->layer_count];
    r->share = ball_array(keep, heads);
    r->error = ball_array(keep, heads);
    r->logit = ball_array(keep, heads);
    r->off = ball_array(keep, heads);
    r->answer = ball_array(keep, 1);
    r->ties = arena_zalloc(keep, heads, sizeof *r->ties);
    unsigned char *written = arena_zalloc(keep, m->channel_count, 1);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        mark(written, &m->layers[l].out);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) mark(written, &m->layers[l].heads[h].output);
    }
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            r->ties[f->head_start[l] + h] =
                tie_break_find(m, &m->layers[l].heads[h], f->length, written, type->storage);
    return true;
}

/* ---- sums ---- */

void length_too_large(const at_length *w, uint32_t layer, uint32_t head) {
    if (w->r->too_large) return;
    w->r->too_large = true;
    w->r->layer = layer;
    w->r->head = head;
}

void length_add(const at_length *w, error_sum *s, double weight, const known *k, const ball *e) {
    ball_set_double(&w->x[0], known_size(k));
    error_sum_add(s, w->rules, weight, &w->x[0], e, k->grid);
}

/* Row of weights on the channels x. */
error_sum length_row(const at_length *w, const model_rows *rows, uint32_t row, const known *x) {
    error_sum s;
    error_sum_begin(&s, w->a);
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        uint32_t c = rows->terms[k].channel;
        length_add(w, &s, rows->terms[k].weight, &x[c], &w->e[c]);
    }
    return s;
}

int log2_of(double x) {
    int e;
    return frexp(x, &e) == 0.5 ? e - 1 : GRID_NONE;
}

/* ---- one length ---- */

static error_sum *begin_sums(const at_length *w, const known *x) {
    uint32_t count = w->r->m->channel_count;
    error_sum *s = arena_alloc(w->a, count, sizeof *s);
    for (uint32_t c = 0; c < count; c++) {
        error_sum_begin(&s[c], w->a);
        length_add(w, &s[c], 1, &x[c], &w->e[c]);
    }
    return s;
}

static void end_sums(const at_length *w, error_sum *sums, const ball *moves, const unsigned char *ramps,
                     uint32_t layer) {
    for (uint32_t c = 0; c < w->r->m->channel_count; c++) {
        if (sums[c].terms < 2) continue;
        if (moves) ball_add(sums[c].error, sums[c].error, &moves[c]); /* 0 where the sum is clean */
        error_sum_finish(&w->e[c], &sums[c], w->rules, SUM_CHANNEL);
        if (ramps && ramps[c]) ball_set_int(&w->e[c], 0);
        if (!error_sum_has_room(&sums[c], w->rules, SUM_CHANNEL)) length_too_large(w, layer + 1, 0);
    }
}

static void layer_through(const at_length *w, uint32_t layer) {
    const model_layer *l = &w->r->m->layers[layer];
    const layer_facts *f = &w->r->f->all->layers[layer];
    const bundle_list *bundles = &w->r->f->s.bundles[layer];
    uint32_t count = w->r->m->channel_count;
    error_sum *sums = begin_sums(w, f->before);
    for (uint32_t h = 0; h < l->head_count && !w->r->too_large; h++) head_errors(w, sums, layer, h);
    if (w->r->too_large) return;
    end_sums(w, sums, NULL, NULL, layer);
    uint32_t *writers = arena_zalloc(w->a, count, sizeof *writers);
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].channel_count; k++) writers[bundles->items[b].channels[k]]++;
    net_work n = {.l = l,
                  .f = f,
                  .to = begin_sums(w, f->middle),
                  .moves = ball_array(w->a, count),
                  .writers = writers,
                  .ramps = arena_zalloc(w->a, count, 1),
                  .layer = layer};
    for (uint32_t b = 0; b < bundles->count && !w->r->too_large; b++)
        net_errors(w, &n, &bundles->items[b], &f->bundles[b]);
    end_sums(w, n.to, n.moves, n.ramps, layer);
}

void recursion_run(recursion *r, size_t n) {
    const temper_model *m = r->m;
    arena_reset(r->scratch);
    at_length w = {.r = r, .rules = &r->rules, .n = n, .size = n + 1 + m->has_end, .a = r->scratch};
    double *off = embedding_errors(m, n, r->rules.storage, r->rules.accumulation, r->scratch);
    w.e = ball_array(w.a, m->channel_count);
    w.x = ball_array(w.a, 2);
    r->too_large = false;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        if (!isfinite(off[c])) length_too_large(&w, 0, 0);
        if (isfinite(off[c])) ball_set_double(&w.e[c], off[c]);
    }
    for (uint32_t l = 0; l < m->layer_count && !r->too_large; l++) layer_through(&w, l);
    if (r->too_large) return;
    r->channels = w.e;
    error_sum answer = length_row(&w, &m->read, 0, r->f->all->after);
    error_sum_finish(r->answer, &answer, &r->rules, SUM_PLAIN);
    if (!error_sum_has_room(&answer, &r->rules, SUM_PLAIN) || !ball_is_finite(r->answer)) length_too_large(&w, 0, 0);
}

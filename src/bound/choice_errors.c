#include "bound/choice_work.h"

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
    *r = (recursion){.m = m, .f = f, .type = type, .ascending = ascending, .keep = keep, .scratch = scratch};
    if (!weights_are_finite(m, type->storage)) return false;
    for (uint32_t l = 0; l < m->layer_count; l++)
        if (!bundles_are_kept(&m->layers[l], &f->s.bundles[l], type->storage)) return false;
    uint32_t heads = f->head_start[m->layer_count];
    r->share = ball_array(keep, heads);
    r->error = ball_array(keep, heads);
    r->logit = ball_array(keep, heads);
    r->off = ball_array(keep, heads);
    r->answer = ball_array(keep, 1);
    r->channels = ball_array(keep, m->channel_count);
    r->at = arena_zalloc(keep, 1, sizeof *r->at);
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

/* On paper: "Errors of sums". */
void length_add(const at_length *w, error_sum *s, double weight, const known *k, const ball *e) {
    const ball *size = b_double(w->b, known_size(k));
    const ball *most = b_is_zero(w->b, e) ? size : b_add(w->b, size, e);
    error_sum_add(s, &w->rules, weight, &(sum_term){size, most, e, k->grid});
}

error_sum length_row(const at_length *w, const model_rows *rows, uint32_t row, const known *x) {
    error_sum s = error_sum_begin(&w->rules);
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        uint32_t c = rows->terms[k].channel;
        length_add(w, &s, rows->terms[k].weight, &x[c], w->e[c]);
    }
    return s;
}

const ball *length_row_error(const at_length *w, const model_rows *rows, uint32_t row, const known *x, uint32_t layer,
                             uint32_t head) {
    error_sum s = length_row(w, rows, row, x);
    if (!error_sum_has_room(&s, &w->rules, SUM_STORED)) length_too_large(w, layer, head);
    return error_sum_finish(&s, &w->rules, SUM_STORED);
}

/* ---- one layer ---- */

static bool *written_by_heads(const at_length *w, const model_layer *l) {
    bool *written = arena_zalloc(w->a, w->r->m->channel_count, sizeof *written);
    for (uint32_t h = 0; h < l->head_count; h++) {
        const model_rows *out = &l->heads[h].output;
        for (uint32_t k = 0; k < out->start[out->count]; k++) written[out->terms[k].channel] = true;
    }
    return written;
}

static bool *written_by_units(const at_length *w, const model_layer *l) {
    bool *written = arena_zalloc(w->a, w->r->m->channel_count, sizeof *written);
    for (uint32_t k = 0; k < l->out.start[l->out.count]; k++) written[l->out.terms[k].channel] = true;
    return written;
}

/* Sums that have the channels x themselves, for those that are written. */
static error_sum *begin_sums(const at_length *w, const known *x, const bool *written) {
    uint32_t count = w->r->m->channel_count;
    error_sum *s = arena_alloc(w->a, count, sizeof *s);
    for (uint32_t c = 0; c < count; c++) {
        s[c] = error_sum_begin(&w->rules);
        if (written[c]) length_add(w, &s[c], 1, &x[c], w->e[c]);
    }
    return s;
}

/* On paper: "Errors of gates". */
static void end_sums(const at_length *w, error_sum *sums, const bool *written, const net_work *n, uint32_t layer) {
    for (uint32_t c = 0; c < w->r->m->channel_count; c++) {
        if (!written[c]) continue;
        if (n && n->moves[c])
            sums[c].error = b_add(w->b, sums[c].error, n->moves[c]); /* none where the sum is clean */
        bool exact = n && n->ramps[c];
        w->e[c] = exact ? w->b->zero : error_sum_finish(&sums[c], &w->rules, SUM_CHANNEL);
        if (!(exact ? sum_has_room(&w->rules, sums[c].size, w->b->s)
                    : error_sum_has_room(&sums[c], &w->rules, SUM_CHANNEL)))
            length_too_large(w, layer + 1, 0);
    }
}

void recursion_layer(recursion *r, uint32_t layer) {
    const at_length *w = r->at;
    const model_layer *l = &r->m->layers[layer];
    const layer_facts *f = &r->f->all->layers[layer];
    const bundle_list *bundles = &r->f->s.bundles[layer];
    uint32_t count = r->m->channel_count;
    if (r->too_large) return;
    const bool *written = written_by_heads(w, l);
    error_sum *sums = begin_sums(w, f->before, written);
    for (uint32_t h = 0; h < l->head_count && !r->too_large; h++) head_errors(w, sums, layer, h);
    if (r->too_large) return;
    end_sums(w, sums, written, NULL, layer);
    uint32_t *writers = arena_zalloc(w->a, count, sizeof *writers);
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].channel_count; k++) writers[bundles->items[b].channels[k]]++;
    written = written_by_units(w, l);
    net_work n = {.l = l,
                  .f = f,
                  .to = begin_sums(w, f->middle, written),
                  .moves = arena_zalloc(w->a, count, sizeof *n.moves),
                  .writers = writers,
                  .ramps = arena_zalloc(w->a, count, 1),
                  .layer = layer};
    for (uint32_t b = 0; b < bundles->count && !r->too_large; b++)
        net_errors(w, &n, &bundles->items[b], &f->bundles[b]);
    end_sums(w, n.to, written, &n, layer);
}

/* ---- one length ---- */

static const double *errors_of_embedding(recursion *r, size_t n) {
    if (!r->embed) r->embed = embedding_begin(r->m, r->type->storage, r->type->accumulation, r->keep);
    return embedding_errors(r->embed, n);
}

void recursion_start(recursion *r, size_t n, const double *errors) {
    const temper_model *m = r->m;
    at_length *w = r->at;
    if (!errors) errors = errors_of_embedding(r, n);
    arena_reset(r->scratch);
    *w = (at_length){.r = r, .b = &w->bounds, .n = n, .size = n + 1 + m->has_end, .a = r->scratch};
    (r->guess ? bounds_guess : bounds_init)(&w->bounds, r->type, r->ascending, w->size, w->a);
    w->rules = rounding_rules_of(w->b);
    w->e = arena_alloc(w->a, m->channel_count, sizeof *w->e);
    r->too_large = false;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        if (!isfinite(errors[c])) length_too_large(w, 0, 0);
        w->e[c] = errors[c] == 0 || !isfinite(errors[c]) ? w->b->zero : b_double(w->b, errors[c]);
    }
}

double recursion_channel(const recursion *r, uint32_t channel) {
    return r->too_large ? INFINITY : b_upper(r->at->b, r->at->e[channel]);
}

void recursion_settle(recursion *r, uint32_t channel) {
    if (!r->too_large) r->at->e[channel] = r->at->b->zero;
}

static const ball *answer_error(recursion *r) {
    const at_length *w = r->at;
    error_sum answer = length_row(w, &r->m->read, 0, r->f->all->after);
    const ball *error = error_sum_finish(&answer, &w->rules, SUM_PLAIN);
    if (!error_sum_has_room(&answer, &w->rules, SUM_PLAIN) || !b_is_finite(w->b, error)) length_too_large(w, 0, 0);
    return error;
}

double recursion_answer(recursion *r) {
    if (r->too_large) return INFINITY;
    const ball *error = answer_error(r);
    return r->too_large ? INFINITY : b_upper(r->at->b, error);
}

void recursion_run(recursion *r, size_t n) {
    recursion_start(r, n, NULL);
    for (uint32_t l = 0; l < r->m->layer_count && !r->too_large; l++) recursion_layer(r, l);
    if (r->too_large) return;
    for (uint32_t c = 0; c < r->m->channel_count; c++) ball_set(&r->channels[c], r->at->e[c]);
    ball_set(r->answer, answer_error(r));
}

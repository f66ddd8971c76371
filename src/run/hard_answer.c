#include "run/hard_answer.h"

#include "run/exact_run.h"
#include "run/guarded_run.h"
#include "run/positions.h"

/* ---- exact ---- */

typedef struct keeper {
    temper_run *r;
    const temper_model *m;
    size_t n;
    rational *work; /* [2] */
} keeper;

static double *rounded(arena *a, const rational *x, size_t count) {
    double *out = arena_alloc(a, count, sizeof *out);
    for (size_t k = 0; k < count; k++) out[k] = rational_to_double(&x[k]);
    return out;
}

static void keep_channels(void *context, uint32_t layer, int stage, const rational *x) {
    keeper *k = context;
    if (stage == 1) return;
    k->r->channels[layer + (stage == 2)] = rounded(&k->r->memory, x, k->r->size * k->r->channel_count);
}

static head_trace *trace_of(const keeper *k, uint32_t layer, uint32_t head) {
    return &k->r->heads[k->r->head_start[layer] + head];
}

static void keep_row(void *context, const exact_row *row) {
    keeper *k = context;
    head_trace *t = trace_of(k, row->layer, row->head);
    size_t size = k->r->size;
    double *scores = t->scores + row->i * size, *weights = t->weights + row->i * size;
    temper_choice choice = k->m->layers[row->layer].heads[row->head].hard_choice;
    for (size_t j = row->first; j < row->end; j++) {
        scores[j] = rational_to_double(&row->scores[j]);
        if (choice == TEMPER_CHOICE_AVERAGE && rational_equal(&row->scores[j], &row->scores[row->best]))
            weights[j] = 1 / (double)row->ties;
    }
    if (choice == TEMPER_CHOICE_LEFTMOST) weights[row->best] = 1;
    if (choice == TEMPER_CHOICE_RIGHTMOST) weights[row->last_best] = 1;
}

/* The larger of margin and the distance from x to 0 or 1, whichever is nearer. */
static double widened(double margin, const rational *x, rational *work) {
    rational_set_int(&work[1], 1);
    rational_sub(&work[0], x, &work[1]);
    return fmax(margin, fmin(fabs(rational_to_double(x)), fabs(rational_to_double(&work[0]))));
}

static void prepare_pairs(temper_run *r) {
    size_t pairs = r->size * r->size;
    for (head_trace *t = r->heads; t < r->heads + r->head_start[r->layer_count]; t++) {
        t->scores = arena_alloc(&r->memory, pairs, sizeof *t->scores);
        t->weights = arena_zalloc(&r->memory, pairs, sizeof *t->weights);
        for (size_t c = 0; c < pairs; c++) t->scores[c] = -INFINITY;
    }
}

static void keep_head(void *context, uint32_t layer, uint32_t head, const rational *query, const rational *key,
                      const rational *value, const rational *output) {
    keeper *k = context;
    const model_head *h = &k->m->layers[layer].heads[head];
    head_trace *t = trace_of(k, layer, head);
    size_t qs = h->query.count, vs = h->value.count, size = k->r->size;
    t->scale = 1;
    t->margin = head_is_boolean(h) ? 0 : -1;
    for (size_t c = vs; t->margin >= 0 && c < (k->n + 1) * vs; c++)
        t->margin = widened(t->margin, &output[c], k->work);
    if (!k->r->captured) return;
    t->query = rounded(&k->r->memory, query, size * qs);
    t->key = rounded(&k->r->memory, key, size * qs);
    t->value = rounded(&k->r->memory, value, size * vs);
    t->output = rounded(&k->r->memory, output, size * vs);
}

static void run_exact(temper_run *r, const temper_model *m, const uint32_t *letters, size_t n, bool capture,
                      rational_pool *pool, arena *scratch) {
    keeper k = {.r = r, .m = m, .n = n, .work = rational_array(pool, 2)};
    exact_observer observer = {.context = &k, .head = keep_head};
    if (capture) {
        observer.channels = keep_channels;
        observer.row = keep_row;
        prepare_pairs(r);
    }
    run_prepare_capture(r, m, capture);
    rational *answers = exact_run(m, letters, n, &observer, pool, scratch);
    rational_set_ratio(&k.work[0], 1, 2);
    for (size_t i = 0; i < r->output_count * r->size; i++) r->truth[i] = rational_cmp(&answers[i], &k.work[0]) > 0;
}

/* ---- guarded ---- */

static void run_guarded(temper_run *r, const temper_model *m, const uint32_t *letters, size_t n, rational_pool *pool,
                        arena *scratch) {
    size_t heads = r->head_start[m->layer_count];
    double *margins = arena_zalloc(&r->memory, heads, sizeof *margins);
    guarded_run(r->truth, margins, m, letters, n, pool, scratch);
    for (size_t h = 0; h < heads; h++) r->heads[h] = (head_trace){.margin = margins[h], .scale = 1};
}

void hard_answer(temper_run *r, hard_way way, const temper_model *m, const uint32_t *letters, size_t n,
                 const temper_run_options *o, rational_pool *pool, arena *scratch) {
    rational_pool_init(pool, scratch);
    if (way == WAY_EXACT)
        run_exact(r, m, letters, n, o->capture, pool, scratch);
    else
        run_guarded(r, m, letters, n, pool, scratch);
    rational_pool_clear(pool);
}

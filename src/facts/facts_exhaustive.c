#include "facts/facts_exhaustive.h"

#include <math.h>

#include "base/random.h"
#include "run/exact_run.h"

/* ---- all strings ---- */

void string_watch_step(string_watch *w, trap *t) {
    w->done++;
    if (w->progress && w->done % 64 == 0 && w->progress(w->context, w->done, w->total))
        trap_raise(t, TEMPER_LIMIT, 0, 0, "stopped after %llu of %llu strings", (unsigned long long)w->done,
                   (unsigned long long)w->total);
}

uint64_t strings_of_length(size_t letters, size_t n) {
    uint64_t count = 1;
    for (size_t k = 0; k < n && count < UINT64_MAX; k++)
        if (__builtin_mul_overflow(count, (uint64_t)letters, &count)) count = UINT64_MAX;
    return count;
}

uint64_t strings_up_to(size_t letters, size_t n) {
    uint64_t total = 0;
    for (size_t k = 0; k <= n && total < UINT64_MAX; k++)
        if (__builtin_add_overflow(total, strings_of_length(letters, k), &total)) total = UINT64_MAX;
    return total;
}

bool next_string(uint32_t *letters, size_t n, size_t letter_count) {
    for (size_t k = n; k-- > 0;) {
        if (++letters[k] < letter_count) return true;
        letters[k] = 0;
    }
    return false;
}

/* Long runs of one letter now and then, since they make ties. */
void random_string(uint32_t *letters, size_t n, size_t letter_count, uint64_t *state) {
    bool runs = random_next(state) % 4 == 0;
    for (size_t k = 0; k < n; k++)
        letters[k] =
            runs && k > 0 && random_next(state) % 8 ? letters[k - 1] : (uint32_t)(random_next(state) % letter_count);
}

/* ---- watching a run ---- */

typedef struct watcher {
    const subject_model *s;
    facts *f;
    rational *z, *t; /* work */
} watcher;

static void add_all(known *to, const rational *x, size_t rows, size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < columns; c++) known_add(&to[c], &x[i * columns + c]);
}

static void see_bundles(watcher *w, uint32_t layer, const rational *x) {
    const model_layer *l = &w->s->model->layers[layer];
    for (uint32_t b = 0; b < w->s->bundles[layer].count; b++) {
        uint32_t row = w->s->bundles[layer].items[b].row;
        for (size_t i = 0; i < w->f->size; i++) {
            rational_set_int(w->z, 0);
            for (uint32_t k = l->in.start[row]; k < l->in.start[row + 1]; k++) {
                rational_set_double(w->t, l->in.terms[k].weight);
                rational_add_product(w->z, w->t, &x[i * w->s->model->channel_count + l->in.terms[k].channel]);
            }
            bundle_facts_add(&w->f->layers[layer].bundles[b], &w->s->bundles[layer].items[b], w->z);
        }
    }
}

static void see_channels(void *context, uint32_t layer, int stage, const rational *x) {
    watcher *w = context;
    const temper_model *m = w->s->model;
    uint32_t next = stage == 0 ? 0 : layer + 1;
    known *to = stage == 1              ? w->f->layers[layer].middle
                : next < m->layer_count ? w->f->layers[next].before
                                        : w->f->after;
    add_all(to, x, w->f->size, m->channel_count);
    if (stage == 1) see_bundles(w, layer, x);
}

static void see_head(void *context, uint32_t layer, uint32_t head, const rational *query, const rational *key,
                     const rational *value, const rational *output) {
    watcher *w = context;
    const model_head *h = &w->s->model->layers[layer].heads[head];
    head_facts *f = &w->f->layers[layer].heads[head];
    add_all(f->query, query, w->f->size, h->query.count);
    add_all(f->key, key, w->f->size, h->key.count);
    add_all(f->value, value, w->f->size, h->value.count);
    add_all(f->output, output, w->f->size, h->value.count);
}

static void see_row(void *context, const exact_row *row) {
    watcher *w = context;
    head_facts *f = &w->f->layers[row->layer].heads[row->head];
    if (row->ties > 1) f->tieless = false;
    if (row->next == SIZE_MAX) return;
    f->uniform = false;
    rational_sub(w->z, &row->scores[row->best], &row->scores[row->next]);
    f->gap = fmin(f->gap, rational_below(w->z));
    f->log2_gap = fmin(f->log2_gap, rational_log2(w->z));
}

static void see_answers(watcher *w, const rational *y) {
    const temper_model *m = w->s->model;
    facts *f = w->f;
    size_t verdict = f->n == 0 ? 0 : m->at == TEMPER_AT_FIRST ? 1 : f->n;
    for (size_t i = f->n ? 1 : 0; i <= f->n; i++) {
        rational_set_ratio(w->t, 1, 2);
        rational_sub(w->z, &y[i], w->t);
        rational_abs(w->z, w->z);
        double margin = rational_below(w->z);
        f->margin_everywhere = fmin(f->margin_everywhere, margin);
        if (i == verdict) f->margin = fmin(f->margin, margin);
    }
}

/* `count` random strings, or all of them if it is 0. */
static facts *facts_of_runs(const subject_model *s, size_t n, uint64_t count, uint64_t seed, string_watch *watch,
                            arena *keep, arena *scratch) {
    rational_pool pool;
    watcher w = {.s = s, .f = facts_new(s, n, keep)};
    exact_observer observer = {.context = &w, .channels = see_channels, .head = see_head, .row = see_row};
    uint32_t *letters = arena_zalloc(keep, n, sizeof *letters);
    size_t letter_count = s->model->letters.count;
    for (uint64_t done = 0;;) {
        if (count) random_string(letters, n, letter_count, &seed);
        arena_reset(scratch);
        rational_pool_init(&pool, scratch);
        w.z = rational_array(&pool, 2);
        w.t = w.z + 1;
        see_answers(&w, exact_run(s->model, letters, n, &observer, &pool, scratch));
        string_watch_step(watch, scratch->trap);
        if (count ? ++done == count : !next_string(letters, n, letter_count)) break;
    }
    arena_reset(scratch);
    return w.f;
}

facts *facts_exhaustive(const subject_model *s, size_t n, string_watch *watch, arena *keep, arena *scratch) {
    return facts_of_runs(s, n, 0, 0, watch, keep, scratch);
}

facts *facts_sampled(const subject_model *s, size_t n, uint64_t count, uint64_t seed, string_watch *watch,
                     arena *keep, arena *scratch) {
    return facts_of_runs(s, n, count ? count : 1, seed, watch, keep, scratch);
}

/* Heads in given number formats. The order of every sum is that of the keys, j ascending, with the row's true maximum known before the
   first weight is made: two passes over a row. That is O(N) a row; a pass over the string replaces it where the bits are the same. */
#include <string.h>

#include "run/format_pass.h"
#include "run/row_gap.h"

/* Multiply-adds of a run: some minutes. */
static const double MOST_WORK = 0x1p34;

enum { MOST_CLASSES = 16 };

typedef struct head_work {
    format_pass *p;
    const model_head *h;
    temper_choice choice;
    double scale;
    uint32_t layer, head;
    size_t qs, vs;
    double *q, *k;   /* [N][query_size] stored */
    double *v;       /* [N][value_size] stored */
    double *margin;  /* of the head */
    double *weights; /* [N] of one row, or a class's logits */
    double *sums;    /* [value_size] */
    double *outputs; /* [N][value_size] stored; NULL: nobody looks */
    double total;    /* of the weights of a row */
    size_t *live;    /* [N] keys of a pass whose weights are not 0 */
} head_work;

static void spend(const head_work *w, double work) {
    w->p->out->work += work;
    if (w->p->out->work > MOST_WORK)
        trap_raise(w->p->scratch->trap, TEMPER_LIMIT, 0, 0,
                   "a run of length %zu in this number format takes more than %.3g multiply-adds", w->p->n,
                   MOST_WORK);
}

/* out[N][rows] = rows applied to every position, stored */
static double *project(const format_pass *p, const model_rows *rows) {
    double *out = arena_alloc(p->scratch, p->size * rows->count, sizeof *out);
    for (size_t i = 0; i < p->size; i++)
        for (uint32_t r = 0; r < rows->count; r++)
            out[i * rows->count + r] = stored(p, row_sum(p, rows, r, p->x + i * p->m->channel_count));
    return out;
}

static double score(const head_work *w, size_t i, size_t j) {
    const double *q = w->q + i * w->qs, *k = w->k + j * w->qs;
    double sum = 0;
    for (size_t d = 0; d < w->qs; d++) sum = plus(w->p, sum, times(w->p, q[d], k[d]));
    return sum;
}

static double softmax_weight(const head_work *w, double logit, double best) {
    return format_exp(w->p->s->accumulation, minus(w->p, logit, best));
}

/* ---- the end of a row ---- */

static void clear_sums(head_work *w) {
    w->total = 0;
    memset(w->sums, 0, w->vs * sizeof *w->sums);
}

/* The weight that multiplies values is stored, as a kernel hands it to its second matrix product; the one in the total is not. */
static void add_key(head_work *w, size_t j, double weight) {
    double narrow = stored(w->p, weight);
    w->total = plus(w->p, w->total, weight);
    for (size_t d = 0; d < w->vs; d++) w->sums[d] = plus(w->p, w->sums[d], times(w->p, narrow, w->v[j * w->vs + d]));
}

/* Sums to outputs, stored, and into the residual stream's delta. False if the weights have no finite sum. */
static bool end_row(head_work *w, size_t i, bool empty) {
    format_pass *p = w->p;
    if (!empty && !(w->total > 0 && isfinite(w->total))) {
        p->out->broken = true;
        p->out->layer = w->layer;
        p->out->head = w->head;
        p->out->position = i;
        return false;
    }
    for (size_t d = 0; d < w->vs; d++) {
        double out = empty ? 0 : stored(p, over(p, w->sums[d], w->total));
        bool real = i >= 1 && i <= p->n;
        if (*w->margin >= 0 && real && !(distance_to_boolean(out) <= *w->margin))
            *w->margin = distance_to_boolean(out);
        if (w->outputs) w->outputs[i * w->vs + d] = out;
        spread(p, p->delta + i * p->m->channel_count, &w->h->output, d, out);
    }
    return true;
}

/* ---- all pairs ---- */

/* Another kernel may differ in the last place of a logit: what if each does, in its own direction? */
static double shaken(const head_work *w, key_range keys, size_t j, double logit) {
    uint64_t mix = w->p->s->shake ^ ((uint64_t)w->layer << 48 | (uint64_t)w->head << 40 | j) * 0x9e3779b97f4a7c15u;
    mix = (mix ^ mix >> 29 ^ keys.end * 0xbf58476d1ce4e5b9u ^ keys.first) * 0x94d049bb133111ebu;
    unsigned turn = (unsigned)(mix >> 60) % 3;
    if (!w->p->s->shake || turn == 0 || !isfinite(logit)) return logit;
    return format_next(w->p->s->accumulation, logit, turn == 1);
}

static void shake_logits(const head_work *w, key_range keys) {
    double *s = w->weights, best = -INFINITY;
    for (size_t j = keys.first; j < keys.end; j++) {
        s[j] = shaken(w, keys, j, times(w->p, w->scale, s[j]));
        if (s[j] > best) best = s[j];
    }
    for (size_t j = keys.first; j < keys.end; j++) s[j] = softmax_weight(w, s[j], best);
}

/* weights: scores in, weights out */
static void choose(const head_work *w, key_range keys) {
    double *s = w->weights, best = -INFINITY;
    for (size_t j = keys.first; j < keys.end; j++)
        if (s[j] > best) best = s[j];
    if (w->choice == TEMPER_CHOICE_SOFTMAX && w->p->s->shake) {
        shake_logits(w, keys);
        return;
    }
    if (w->choice == TEMPER_CHOICE_SOFTMAX) {
        double most = times(w->p, w->scale, best);
        for (size_t j = keys.first; j < keys.end; j++) s[j] = softmax_weight(w, times(w->p, w->scale, s[j]), most);
        return;
    }
    size_t chosen = SIZE_MAX;
    for (size_t j = keys.first; j < keys.end; j++) {
        if (s[j] == best && (chosen == SIZE_MAX || w->choice == TEMPER_CHOICE_RIGHTMOST)) chosen = j;
        s[j] = s[j] == best;
    }
    if (w->choice == TEMPER_CHOICE_AVERAGE) return;
    for (size_t j = keys.first; j < keys.end; j++) s[j] = j == chosen;
}

/* The same for an adaptive head (model.h). */
static void choose_adaptive(const head_work *w, key_range keys) {
    const format_pass *p = w->p;
    row_gap g = row_gap_find(w->weights, keys);
    double *s = w->weights, top = s[g.best], best = -INFINITY;
    double tilt = w->h->hard_choice == TEMPER_CHOICE_AVERAGE ? 0 : over(p, w->scale, summed(p, (double)p->size));
    if (w->h->hard_choice == TEMPER_CHOICE_LEFTMOST) tilt = -tilt;
    double steep = g.next == SIZE_MAX ? 0 : over(p, w->scale, summed(p, g.gap));
    for (size_t j = keys.first; j < keys.end; j++) {
        s[j] = plus(p, times(p, steep, minus(p, s[j], top)), times(p, tilt, summed(p, (double)j)));
        s[j] = shaken(w, keys, j, s[j]);
        if (s[j] > best) best = s[j];
    }
    for (size_t j = keys.first; j < keys.end; j++) s[j] = softmax_weight(w, s[j], best);
}

static bool dense_row(head_work *w, size_t i) {
    key_range keys = mask_keys(w->h->mask, i, w->p->size);
    bool empty = keys.first >= keys.end;
    clear_sums(w);
    if (!empty) {
        for (size_t j = keys.first; j < keys.end; j++) w->weights[j] = score(w, i, j);
        if (w->choice == TEMPER_CHOICE_SOFTMAX && w->h->adaptive)
            choose_adaptive(w, keys);
        else
            choose(w, keys);
        for (size_t j = keys.first; j < keys.end; j++) add_key(w, j, w->weights[j]);
    }
    return end_row(w, i, empty);
}

/* The rows of one class, or all; refused before the first if that is too much. */
static bool dense_rows(head_work *w, const unsigned char *classes, unsigned char class) {
    double pairs = 0;
    for (size_t i = 0; i < w->p->size; i++) {
        key_range keys = mask_keys(w->h->mask, i, w->p->size);
        if ((!classes || classes[i] == class) && keys.first < keys.end) pairs += (double)(keys.end - keys.first);
    }
    spend(w, pairs * (double)(w->qs + w->vs + 1));
    for (size_t i = 0; i < w->p->size; i++)
        if ((!classes || classes[i] == class) && !dense_row(w, i)) return false;
    return true;
}

/* ---- passes ---- */

/* Rows with the same query, bit for bit, have the same logits. Going along the string with one query, a row has the sums of the row
   before and one more key, as long as the maximum stays; where it grows, the sums are made anew from the keys that count. A weight
   that is 0 adds nothing, and stays 0 when the maximum grows, so such keys are forgotten. All this in the order of the keys: the
   bits are those of all pairs. It needs finite logits and values (0 times infinity is NaN), and infinities in the format, so that a
   difference beyond the largest number still weighs 0.

   Masks that look forward meet the keys in the other order, so their sums must not depend on it: either there are none (leftmost and
   rightmost), or all weights are 0 or 1, and values are whole numbers that add up to at most 2^p. */
typedef struct scan {
    double best;
    size_t chosen; /* leftmost, rightmost */
    size_t live;   /* how many */
    bool empty, stale, descending;
} scan;

static bool is_unique(const head_work *w) {
    return w->choice == TEMPER_CHOICE_LEFTMOST || w->choice == TEMPER_CHOICE_RIGHTMOST;
}

static double scan_weight(const head_work *w, const scan *s, size_t j) {
    double logit = w->weights[j];
    return w->choice == TEMPER_CHOICE_SOFTMAX ? softmax_weight(w, logit, s->best) : logit == s->best;
}

static void scan_push(head_work *w, scan *s, size_t j) {
    double logit = w->weights[j];
    bool grows = s->empty || logit > s->best;
    bool latest = (w->choice == TEMPER_CHOICE_RIGHTMOST) != s->descending; /* of tied keys the last met is chosen */
    if (grows || (logit == s->best && latest)) s->chosen = j;
    s->stale |= grows;
    if (grows) s->best = logit;
    s->empty = false;
    if (is_unique(w)) return;
    double weight = scan_weight(w, s, j);
    if (weight == 0) return;
    w->live[s->live++] = j;
    if (!s->stale) add_key(w, j, weight);
}

static bool scan_row(head_work *w, scan *s, size_t i) {
    if (is_unique(w) && !s->empty) {
        clear_sums(w);
        add_key(w, s->chosen, 1);
    } else if (s->stale) {
        size_t kept = 0;
        clear_sums(w);
        spend(w, (double)s->live * (double)(w->vs + 1));
        for (size_t k = 0; k < s->live; k++) {
            double weight = scan_weight(w, s, w->live[k]);
            if (weight == 0) continue;
            add_key(w, w->live[k], weight);
            w->live[kept++] = w->live[k];
        }
        s->live = kept;
        s->stale = false;
    }
    return end_row(w, i, s->empty);
}

static bool any_order(const head_work *w, bool equal_logits) {
    if (is_unique(w)) return true;
    if (w->choice == TEMPER_CHOICE_SOFTMAX && !equal_logits) return false;
    double most = (double)((uint64_t)1 << w->p->s->accumulation->precision);
    for (size_t d = 0; d < w->vs; d++) {
        double sum = 0;
        for (size_t j = 0; j < w->p->size; j++) {
            double v = w->v[j * w->vs + d];
            sum += fabs(v);
            if (v != floor(v) || !(sum <= most)) return false;
        }
    }
    return true;
}

/* weights = the logits of the query at row i; false if no pass gives the bits of all pairs. */
static bool scan_prepare(head_work *w, scan *s, size_t i) {
    size_t size = w->p->size;
    bool equal = true;
    spend(w, (double)size * (double)(w->qs + w->vs + 1));
    for (size_t j = 0; j < size; j++) {
        double logit = score(w, i, j);
        if (w->choice == TEMPER_CHOICE_SOFTMAX) logit = times(w->p, w->scale, logit);
        if (!isfinite(logit)) return false;
        w->weights[j] = logit;
        equal &= logit == w->weights[0];
    }
    s->descending = w->h->mask == TEMPER_MASK_AFTER || w->h->mask == TEMPER_MASK_FROM;
    s->empty = true;
    clear_sums(w);
    return !s->descending || any_order(w, equal);
}

/* All rows whose class is that of row `first`. */
static bool scan_class(head_work *w, const unsigned char *classes, size_t first) {
    size_t size = w->p->size;
    unsigned char class = classes[first];
    scan s = {0};
    if (!scan_prepare(w, &s, first)) return dense_rows(w, classes, class);
    bool exclusive = w->h->mask == TEMPER_MASK_BEFORE || w->h->mask == TEMPER_MASK_AFTER;
    bool all = w->h->mask == TEMPER_MASK_ALL;
    for (size_t j = 0; all && j < size; j++) scan_push(w, &s, j);
    for (size_t step = 0; step < size; step++) {
        size_t i = s.descending ? size - 1 - step : step;
        if (!all && !exclusive) scan_push(w, &s, i);
        if (classes[i] == class && !scan_row(w, &s, i)) return false;
        if (!all && exclusive) scan_push(w, &s, i);
    }
    return true;
}

/* A class for each different query, if there are few; the first row of each in `first`. 0: there are many. */
static size_t find_classes(const head_work *w, unsigned char *classes, size_t first[MOST_CLASSES]) {
    size_t count = 0, bytes = w->qs * sizeof *w->q;
    for (size_t i = 0; i < w->p->size; i++) {
        size_t c = 0;
        while (c < count && bytes && memcmp(w->q + first[c] * w->qs, w->q + i * w->qs, bytes) != 0) c++;
        if (c == MOST_CLASSES) return 0;
        if (c == count) first[count++] = i;
        classes[i] = (unsigned char)c;
    }
    return count;
}

static bool may_scan(const head_work *w) {
    const format_setting *s = w->p->s;
    if (s->dense || s->shake || !s->accumulation->infinities ||
        (w->choice == TEMPER_CHOICE_SOFTMAX && w->h->adaptive) || !(w->scale >= 0))
        return false;
    for (size_t k = 0; k < w->p->size * w->vs; k++)
        if (!isfinite(w->v[k])) return false;
    return true;
}

/* ---- the head ---- */

static void show(const head_work *w) {
    const format_watch *watch = w->p->s->watch;
    format_view view = {.h = w->h,
                        .layer = w->layer,
                        .head = w->head,
                        .size = w->p->size,
                        .scale = w->scale,
                        .x = w->p->x,
                        .query = w->q,
                        .key = w->k,
                        .value = w->v,
                        .output = w->outputs};
    watch->see(watch->context, &view);
}

bool format_head(format_pass *p, uint32_t layer, uint32_t head) {
    const model_head *h = &p->m->layers[layer].heads[head];
    size_t first[MOST_CLASSES], count = 0, index = head;
    for (uint32_t l = 0; l < layer; l++) index += p->m->layers[l].head_count;
    head_work w = {
        .p = p, .h = h, .scale = 1, .layer = layer, .head = head, .qs = h->query.count, .vs = h->value.count};
    w.choice = p->s->hard ? h->hard_choice : h->choice;
    if (h->scale && w.choice == TEMPER_CHOICE_SOFTMAX)
        w.scale = summed(p, expression_eval(h->scale, 0, (double)p->n, (double)p->size));
    w.q = project(p, &h->query);
    w.k = project(p, &h->key);
    w.v = project(p, &h->value);
    w.weights = arena_alloc(p->scratch, p->size, sizeof *w.weights);
    w.sums = arena_alloc(p->scratch, w.vs, sizeof *w.sums);
    w.live = arena_alloc(p->scratch, p->size, sizeof *w.live);
    if (p->s->watch) w.outputs = arena_zalloc(p->scratch, p->size * w.vs, sizeof *w.outputs);
    w.margin = &p->out->margins[index];
    *w.margin = head_is_boolean(h) ? 0 : -1;
    if (may_scan(&w)) {
        unsigned char *classes = arena_alloc(p->scratch, p->size, 1);
        count = find_classes(&w, classes, first);
        for (size_t c = 0; c < count; c++)
            if (!scan_class(&w, classes, first[c])) return false;
    }
    if (count == 0 && !dense_rows(&w, NULL, 0)) return false;
    if (p->s->watch) show(&w);
    return true;
}

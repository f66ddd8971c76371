/* Facts from every string up to the length: a run of the hard model in rationals, and what is seen on the way. Used
   where there are at most STRINGS_MOST strings. */
#include <math.h>

#include "audit/audit_choices_facts.h"
#include "base/work.h"

typedef struct string_run {
    hard_choices *g;
    size_t n, positions;
    const uint32_t *letters;                /* [n] */
    rational *x;                            /* [N][channels] */
    rational *sum;                          /* [N][channels] what the heads of a layer add */
    rational *query, *key, *value, *output; /* [N][rows] of one head */
    rational *score;                        /* [N] */
    rational *half, *t;                     /* t[4] */
} string_run;

/* out[k] = row k of the matrix at the vector x. */
static void apply(rational *out, const exact_rows *m, const rational *x) {
    for (uint32_t r = 0; r < m->rows->count; r++) {
        rational_set_int(&out[r], 0);
        for (uint32_t k = m->rows->start[r]; k < m->rows->start[r + 1]; k++)
            rational_add_product(&out[r], &m->weights[k], &x[m->rows->terms[k].channel]);
    }
}

static void see_stage(const string_run *s, size_t stage) {
    extent *e = choices_stage(s->g, stage);
    for (size_t i = 0; i < s->positions; i++)
        for (size_t c = 0; c < s->g->channels; c++) {
            const rational *x = &s->x[i * s->g->channels + c];
            rational_require_short(&s->g->pool, x);
            extent_see(&e[c], x);
        }
}

static void embed(string_run *s) {
    hard_choices *g = s->g;
    const model_rows *rows = &g->model->embedding;
    for (size_t i = 0; i < s->positions; i++) {
        uint32_t token = i == 0      ? model_start_token(g->model)
                         : i <= s->n ? s->letters[i - 1]
                                     : model_end_token(g->model);
        rational *x = &s->x[i * g->channels];
        for (size_t c = 0; c < g->channels; c++) rational_set(&x[c], &g->features[i * g->channels + c]);
        for (uint32_t k = rows->start[token]; k < rows->start[token + 1]; k++)
            rational_add(&x[rows->terms[k].channel], &x[rows->terms[k].channel], &g->embedding.weights[k]);
    }
    see_stage(s, 0);
}

/* ---- a head ---- */

typedef struct chosen {
    size_t first, last, count; /* the keys with the best score */
} chosen;

/* The best keys of row i; the gap below them goes into the head's facts. */
static chosen choose(string_run *s, head_claim *f, size_t i, key_range keys) {
    uint32_t d = f->exact.head->query.count;
    chosen c = {0};
    rational *best = &s->t[0], *next = &s->t[1];
    bool differ = false;
    for (size_t j = keys.first; j < keys.end; j++) {
        rational_set_int(&s->score[j], 0);
        for (uint32_t r = 0; r < d; r++) rational_add_product(&s->score[j], &s->query[i * d + r], &s->key[j * d + r]);
        int order = c.count ? rational_cmp(&s->score[j], best) : 1;
        if (order > 0) {
            if (c.count) rational_set(next, best), differ = true;
            rational_set(best, &s->score[j]);
            c = (chosen){j, j, 1};
        } else if (order == 0) {
            c.last = j;
            c.count++;
        } else if (!differ || rational_cmp(&s->score[j], next) > 0) {
            rational_set(next, &s->score[j]);
            differ = true;
        }
    }
    if (c.count > 1) f->single = false;
    if (differ) {
        rational_sub(next, best, next);
        f->gap[s->n] = least_of(f->gap[s->n], rational_below(next));
    }
    return c;
}

static void attend(string_run *s, head_claim *f, size_t i) {
    const model_head *h = f->exact.head;
    uint32_t v = h->value.count;
    key_range keys = choices_keys(h->mask, i, s->positions);
    rational *out = &s->output[i * v];
    for (uint32_t r = 0; r < v; r++) rational_set_int(&out[r], 0);
    if (keys.first < keys.end) {
        chosen c = choose(s, f, i, keys);
        if (h->hard_choice == TEMPER_CHOICE_AVERAGE) {
            for (size_t j = c.first; j <= c.last; j++) {
                if (rational_cmp(&s->score[j], &s->score[c.first]) != 0) continue;
                for (uint32_t r = 0; r < v; r++) rational_add(&out[r], &out[r], &s->value[j * v + r]);
            }
            for (uint32_t r = 0; r < v; r++) rational_div_int(&out[r], &out[r], c.count);
        } else {
            size_t j = h->hard_choice == TEMPER_CHOICE_LEFTMOST ? c.first : c.last;
            for (uint32_t r = 0; r < v; r++) rational_set(&out[r], &s->value[j * v + r]);
        }
    }
    for (uint32_t r = 0; r < v; r++) extent_see(&f->output[r], &out[r]);
}

static void run_head(string_run *s, head_claim *f) {
    const exact_head *e = &f->exact;
    uint32_t d = e->head->query.count, v = e->head->value.count;
    size_t channels = s->g->channels;
    for (size_t i = 0; i < s->positions; i++) {
        const rational *x = &s->x[i * channels];
        apply(&s->query[i * d], &e->query, x);
        apply(&s->key[i * d], &e->key, x);
        apply(&s->value[i * v], &e->value, x);
        for (uint32_t r = 0; r < d; r++) {
            extent_see(&f->query[r], &s->query[i * d + r]);
            extent_see(&f->key[r], &s->key[i * d + r]);
        }
        for (uint32_t r = 0; r < v; r++) extent_see(&f->value[r], &s->value[i * v + r]);
    }
    for (size_t i = 0; i < s->positions; i++) {
        attend(s, f, i);
        for (uint32_t r = 0; r < v; r++)
            for (uint32_t k = e->head->output.start[r]; k < e->head->output.start[r + 1]; k++)
                rational_add_product(&s->sum[i * channels + e->head->output.terms[k].channel], &e->output.weights[k],
                                     &s->output[i * v + r]);
    }
}

static void run_heads(string_run *s, uint32_t l) {
    const hard_choices *g = s->g;
    size_t count = s->positions * g->channels;
    for (size_t k = 0; k < count; k++) rational_set_int(&s->sum[k], 0);
    for (size_t k = g->layer_heads[l]; k < g->layer_heads[l + 1]; k++) run_head(s, &g->heads[k]);
    for (size_t k = 0; k < count; k++) rational_add(&s->x[k], &s->x[k], &s->sum[k]);
    see_stage(s, 2 * (size_t)l + 1);
}

/* ---- the net ---- */

static void run_units(string_run *s, uint32_t l) {
    const hard_choices *g = s->g;
    const model_rows *to = &g->model->layers[l].out;
    rational *z = &s->t[2], *hidden = &s->t[3];
    for (size_t i = 0; i < s->positions; i++) {
        rational *x = &s->x[i * g->channels], *sum = &s->sum[i * g->channels];
        for (size_t c = 0; c < g->channels; c++) rational_set(&sum[c], &x[c]);
        for (size_t k = g->layer_bundles[l]; k < g->layer_bundles[l + 1]; k++) {
            bundle_claim *b = &g->bundles[k];
            apply(z, &b->row, x);
            bundle_see(b, z, z, exact_grid(z));
            for (size_t u = 0; u < b->count; u++) {
                rational_mul(hidden, &b->factor[u], z);
                rational_add(hidden, hidden, &b->bias[u]);
                if (rational_sign(hidden) <= 0) continue;
                const model_term *terms = rows_begin_of(to, b->units[u]);
                for (size_t t = 0; t < rows_size(to, b->units[u]); t++)
                    rational_add_product(&sum[terms[t].channel], &b->weight[u][t], hidden);
            }
        }
        for (size_t c = 0; c < g->channels; c++) rational_set(&x[c], &sum[c]);
    }
    see_stage(s, 2 * (size_t)l + 2);
}

/* ---- the read-out ---- */

static void read_out(string_run *s) {
    hard_choices *g = s->g;
    size_t verdict = s->n == 0 ? 0 : g->model->at == TEMPER_AT_FIRST ? 1 : s->n;
    for (size_t i = s->n == 0 ? 0 : 1; i <= s->n; i++) {
        rational *y = &s->t[2];
        apply(y, &g->read, &s->x[i * g->channels]);
        rational_sub(y, y, s->half);
        rational_abs(y, y);
        double away = rational_below(y);
        g->margin[s->n] = least_of(g->margin[s->n], away);
        if (i == verdict) g->verdict[s->n] = least_of(g->verdict[s->n], away);
    }
}

/* ---- all strings ---- */

static void allocate(string_run *s) {
    hard_choices *g = s->g;
    size_t positions = choices_positions(g, g->length), d = 0, v = 0;
    for (size_t k = 0; k < g->head_count; k++) {
        const model_head *h = g->heads[k].exact.head;
        d = h->query.count > d ? h->query.count : d;
        v = h->value.count > v ? h->value.count : v;
    }
    s->x = rational_array(&g->pool, positions * g->channels);
    s->sum = rational_array(&g->pool, positions * g->channels);
    s->query = rational_array(&g->pool, positions * d);
    s->key = rational_array(&g->pool, positions * d);
    s->value = rational_array(&g->pool, positions * v);
    s->output = rational_array(&g->pool, positions * v);
    s->score = rational_array(&g->pool, positions);
    s->half = rational_array(&g->pool, 1);
    rational_set_ratio(s->half, 1, 2);
    s->t = rational_array(&g->pool, 4);
}

/* The next string of the same length; false after the last, and all letters are 0 again. */
static bool next_string(uint32_t *letters, size_t n, size_t size) {
    size_t k = n;
    while (k > 0 && letters[k - 1] + 1 == size) letters[--k] = 0;
    if (k == 0) return false;
    letters[k - 1]++;
    return true;
}

static void check_work(const hard_choices *g) {
    double strings = 0, level = 1, each = 0;
    for (size_t n = 0; n <= g->length; n++, level *= (double)g->model->letters.count) strings += level;
    double positions = (double)choices_positions(g, g->length);
    for (const head_claim *f = g->heads; f < g->heads + g->head_count; f++) {
        const model_head *h = f->exact.head;
        each += positions * positions * (1 + h->query.count + h->value.count);
    }
    for (uint32_t l = 0; l < g->model->layer_count; l++)
        each += positions * (double)(g->channels + g->model->layers[l].in.count);
    if (strings * each > (double)work_limit((uint64_t)1 << 32))
        trap_raise_remedy(g->audit->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the model is too large to be run on all strings up to length %zu", g->length);
}

void choices_run_strings(hard_choices *g) {
    const temper_model *m = g->model;
    string_run s = {.g = g};
    check_work(g);
    allocate(&s);
    uint32_t *letters = arena_zalloc(g->audit->arena, g->length, sizeof *letters);
    s.letters = letters;
    for (s.n = 0; s.n <= g->length; s.n++) {
        s.positions = choices_positions(g, s.n);
        choices_features(g, s.n);
        do {
            embed(&s);
            for (uint32_t l = 0; l < m->layer_count; l++) {
                run_heads(&s, l);
                run_units(&s, l);
            }
            read_out(&s);
        } while (next_string(letters, s.n, m->letters.count));
        choices_tell(g, false, s.n);
    }
}

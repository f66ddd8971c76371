#include "run/exact_run.h"

#include <string.h>

#include "base/text.h"
#include "model/expression_rational.h"
#include "run/positions.h"
#include "run/run_work.h"

/* The library behind rationals gives up the process when memory runs out, so what a run holds is bounded beforehand:
   numbers that fit a word by their count, longer ones by their bits as they appear. */
static const double MOST_NUMBERS = 1 << 24;
static const uint64_t MOST_SCORES = (uint64_t)1 << 32; /* some minutes */
static const uint64_t MOST_BITS = (uint64_t)1 << 33;

enum { LABEL = 256 }; /* room for a label in a message */

typedef struct weights { /* a matrix with its weights as rationals */
    const model_rows *rows;
    rational *values; /* [terms] */
} weights;

typedef struct exact {
    const temper_model *m;
    const uint32_t *letters;
    size_t n, size; /* N */
    const exact_observer *observer;
    rational_pool *pool;
    arena *scratch;
    rational *x, *delta;             /* [N][channels] the residual stream, and what a sublayer adds to it */
    rational *q, *k, *v, *out;       /* of one head */
    rational *scores;                /* [N] of one row */
    rational *work;                  /* [1] */
    weights query, key, value, into; /* of one head, or of a layer's units: in (query) and out (into) */
    run_work told;
    uint64_t bits; /* of the long numbers in the residual stream's next state, and in a row of scores */
} exact;

/* ---- refusals ---- */

static const char *shown(char out[LABEL], const char *label, trap *t) {
    arena a;
    arena_init(&a, t);
    strncpy(out, text_escaped(&a, label, strlen(label), 24), LABEL - 1);
    out[LABEL - 1] = 0;
    arena_free(&a);
    return out;
}

void exact_require(const temper_model *m, trap *t) {
    static const struct {
        expression_op op;
        const char *name;
    } irrational[] = {{EXPR_LN, "ln"}, {EXPR_SQRT, "sqrt"}, {EXPR_COS, "cos"}, {EXPR_SIN, "sin"}};
    char label[LABEL];
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (m->layers[l].heads[h].hard_choice == TEMPER_CHOICE_SOFTMAX)
                trap_raise(t, TEMPER_UNSUPPORTED, 0, 0, "head %u.%u (%s) is a softmax that stands for no hard choice",
                           l + 1, h + 1, shown(label, m->layers[l].heads[h].label, t));
    for (uint32_t c = 0; c < m->channel_count; c++) {
        const model_channel *channel = &m->channels[c];
        if (!channel->position || channel->soft_only) continue;
        for (size_t k = 0; k < sizeof irrational / sizeof *irrational; k++)
            if (expression_uses(channel->position, irrational[k].op))
                trap_raise(t, TEMPER_UNSUPPORTED, 0, 0,
                           "the position feature of channel %u (%s) uses %s: its values are not rational", c,
                           shown(label, channel->label, t), irrational[k].name);
    }
}

static void require_cost(const exact *e, double numbers, double scores) {
    if (numbers > MOST_NUMBERS)
        trap_raise(e->scratch->trap, TEMPER_LIMIT, 0, 0,
                   "an exact run of length %zu keeps %.3g numbers of this model; the limit is %.3g", e->n, numbers,
                   MOST_NUMBERS);
    double most = (double)work_limit(MOST_SCORES);
    if (scores > most)
        trap_raise_remedy(e->scratch->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "an exact run of length %zu takes %.3g products for scores and averages; the limit is %.3g",
                          e->n, scores, most);
}

/* Accounts for a number that was just made. */
static void charge(exact *e, const rational *x) {
    rational_require_short(e->pool, x);
    unsigned long bits = rational_bits(x);
    if (bits > 62) e->bits += bits + 128;
    if (e->bits > MOST_BITS)
        trap_raise(e->scratch->trap, TEMPER_LIMIT, 0, 0,
                   "an exact run of length %zu needs more than %llu bits of numbers for this model", e->n,
                   (unsigned long long)MOST_BITS);
}

/* ---- matrices ---- */

static void load(weights *w, const model_rows *rows) {
    w->rows = rows;
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) rational_set_double(&w->values[k], rows->terms[k].weight);
}

static void add_term(rational *z, double weight, const rational *value, const rational *x) {
    if (rational_is_zero(x)) return;
    if (weight == 1)
        rational_add(z, z, x);
    else if (weight == -1)
        rational_sub(z, z, x);
    else
        rational_add_product(z, value, x);
}

/* z += row . x */
static void add_dot(rational *z, const weights *w, uint32_t row, const rational *x) {
    for (uint32_t k = w->rows->start[row]; k < w->rows->start[row + 1]; k++)
        add_term(z, w->rows->terms[k].weight, &w->values[k], &x[w->rows->terms[k].channel]);
}

/* z[channels] += row times a */
static void add_row(rational *z, const weights *w, uint32_t row, const rational *a) {
    for (uint32_t k = w->rows->start[row]; k < w->rows->start[row + 1]; k++)
        add_term(&z[w->rows->terms[k].channel], w->rows->terms[k].weight, &w->values[k], a);
}

static void set_zeros(rational *z, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!rational_is_zero(&z[k])) rational_set_int(&z[k], 0);
}

/* out[N][rows] = rows applied to every position */
static void project(rational *out, exact *e, const weights *w) {
    uint32_t count = w->rows->count;
    set_zeros(out, e->size * count);
    for (size_t i = 0; i < e->size; i++)
        for (uint32_t r = 0; r < count; r++) {
            add_dot(&out[i * count + r], w, r, e->x + i * e->m->channel_count);
            charge(e, &out[i * count + r]);
        }
}

/* ---- embedding ---- */

void exact_feature(rational *out, const temper_model *m, uint32_t channel, size_t i, size_t n, rational_pool *pool) {
    const model_channel *c = &m->channels[channel];
    char label[LABEL];
    if (expression_rational(out, c->position, i, n, n + 1 + m->has_end, pool)) return;
    trap_raise(pool->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
               "the position feature of channel %u (%s) divides by zero at position %zu of length %zu", channel,
               shown(label, c->label, pool->arena->trap), i, n);
}

static void embed(exact *e) {
    const temper_model *m = e->m;
    for (size_t i = 0; i < e->size; i++) {
        rational *x = e->x + i * m->channel_count;
        for (uint32_t c = 0; c < m->channel_count; c++) {
            const model_channel *channel = &m->channels[c];
            if (!channel->position || channel->soft_only) continue;
            exact_feature(&x[c], m, c, i, e->n, e->pool);
        }
        uint32_t token = position_token(m, e->letters, e->n, i);
        const model_term *t = rows_begin_of(&m->embedding, token);
        for (size_t k = rows_size(&m->embedding, token); k-- > 0; t++) {
            rational_set_double(&e->work[0], t->weight);
            rational_add(&x[t->channel], &x[t->channel], &e->work[0]);
        }
        for (uint32_t c = 0; c < m->channel_count; c++) charge(e, &x[c]);
    }
}

/* ---- one head ---- */

/* The scores of a row and what is largest among them. */
static void score(exact *e, const model_head *h, exact_row *row) {
    size_t qs = h->query.count, j = row->first;
    const rational *q = e->q + row->i * qs;
    bool silent = true;
    for (size_t d = 0; d < qs; d++) silent = silent && rational_is_zero(&q[d]);
    row->best = j;
    row->next = SIZE_MAX;
    row->last_best = row->end - 1;
    row->ties = row->end - j;
    set_zeros(e->scores + j, row->end - j);
    if (silent) return;
    uint64_t before = e->bits;
    for (; j < row->end; j++) {
        rational *s = &e->scores[j];
        for (size_t d = 0; d < qs; d++)
            if (!rational_is_zero(&q[d]) && !rational_is_zero(&e->k[j * qs + d]))
                rational_add_product(s, &q[d], &e->k[j * qs + d]);
        charge(e, s);
        int order = j == row->first ? 1 : rational_cmp(s, &e->scores[row->best]);
        if (order > 0) {
            if (j > row->first) row->next = row->best;
            row->best = row->last_best = j;
            row->ties = 1;
        } else if (order == 0) {
            row->last_best = j;
            row->ties++;
        } else if (row->next == SIZE_MAX || rational_cmp(s, &e->scores[row->next]) > 0) {
            row->next = j;
        }
    }
    e->bits = before;
}

/* out = the value that the head chooses */
static void choose(exact *e, const model_head *h, const exact_row *row, rational *out) {
    size_t vs = h->value.count;
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE || row->ties == 1) {
        size_t j = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? row->last_best : row->best;
        for (size_t d = 0; d < vs; d++) rational_set(&out[d], &e->v[j * vs + d]);
        return;
    }
    for (size_t j = row->best; j <= row->last_best; j++) {
        if (row->next != SIZE_MAX && !rational_equal(&e->scores[j], &e->scores[row->best])) continue;
        for (size_t d = 0; d < vs; d++)
            if (!rational_is_zero(&e->v[j * vs + d])) rational_add(&out[d], &out[d], &e->v[j * vs + d]);
    }
    for (size_t d = 0; d < vs; d++) rational_div_int(&out[d], &out[d], row->ties);
}

/* delta += the head's output; x is only read */
static void run_head(exact *e, uint32_t layer, uint32_t head) {
    const model_head *h = &e->m->layers[layer].heads[head];
    size_t vs = h->value.count;
    uint64_t before = e->bits;
    load(&e->query, &h->query);
    load(&e->key, &h->key);
    load(&e->value, &h->value);
    load(&e->into, &h->output);
    project(e->q, e, &e->query);
    project(e->k, e, &e->key);
    project(e->v, e, &e->value);
    set_zeros(e->out, e->size * vs);
    for (size_t i = 0; i < e->size; i++) {
        key_range keys = mask_keys(h->mask, i, e->size);
        rational *out = e->out + i * vs;
        exact_row row = {
            .layer = layer, .head = head, .i = i, .first = keys.first, .end = keys.end, .scores = e->scores};
        if (keys.first >= keys.end) continue;
        score(e, h, &row);
        choose(e, h, &row, out);
        for (uint32_t d = 0; d < vs; d++) {
            charge(e, &out[d]);
            add_row(e->delta + i * e->m->channel_count, &e->into, d, &out[d]);
        }
        if (e->observer && e->observer->row) e->observer->row(e->observer->context, &row);
        run_work_rows(&e->told, h->mask, i, i + 1, e->size);
    }
    run_work_head(&e->told, h->mask, e->size);
    if (e->observer && e->observer->head)
        e->observer->head(e->observer->context, layer, head, e->q, e->k, e->v, e->out);
    e->bits = before;
}

/* ---- one layer ---- */

/* x += delta, which becomes zero. */
static void apply_delta(exact *e) {
    e->bits = 0;
    for (size_t k = 0; k < e->size * e->m->channel_count; k++) {
        if (!rational_is_zero(&e->delta[k])) {
            rational_add(&e->x[k], &e->x[k], &e->delta[k]);
            rational_set_int(&e->delta[k], 0);
        }
        charge(e, &e->x[k]);
    }
}

static void run_units(exact *e, const model_layer *l, size_t i) {
    const rational *x = e->x + i * e->m->channel_count;
    rational *h = &e->work[0];
    for (uint32_t u = 0; u < l->in.count; u++) {
        rational_set_double(h, l->bias[u]);
        add_dot(h, &e->query, u, x);
        charge(e, h);
        if (rational_sign(h) > 0) add_row(e->delta + i * e->m->channel_count, &e->into, u, h);
    }
}

static void show_channels(const exact *e, uint32_t layer, int stage) {
    if (e->observer && e->observer->channels) e->observer->channels(e->observer->context, layer, stage, e->x);
}

static void run_layer(exact *e, uint32_t layer) {
    const model_layer *l = &e->m->layers[layer];
    for (uint32_t h = 0; h < l->head_count; h++) run_head(e, layer, h);
    if (l->head_count) apply_delta(e);
    show_channels(e, layer, 1);
    load(&e->query, &l->in);
    load(&e->into, &l->out);
    for (size_t i = 0; i < e->size; i++) run_units(e, l, i);
    apply_delta(e);
    show_channels(e, layer, 2);
}

/* ---- the run ---- */

static void raise_to(size_t *most, size_t count) {
    if (count > *most) *most = count;
}

static size_t terms(const model_rows *rows) { return rows->start[rows->count]; }

/* Everything a run needs is allocated here, once: arrays of the pool are not given back. */
static void prepare(exact *e) {
    const temper_model *m = e->m;
    size_t qs = 0, vs = 0, in = 0, key = 0, value = 0, out = 0;
    double products = 0, size = (double)e->size;
    raise_to(&in, terms(&m->read));
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        raise_to(&in, terms(&layer->in));
        raise_to(&out, terms(&layer->out));
        for (uint32_t k = 0; k < layer->head_count; k++) {
            const model_head *h = &layer->heads[k];
            raise_to(&qs, h->query.count);
            raise_to(&vs, h->value.count);
            raise_to(&in, terms(&h->query));
            raise_to(&key, terms(&h->key));
            raise_to(&value, terms(&h->value));
            raise_to(&out, terms(&h->output));
            products += size * size * (double)(h->query.count + h->value.count);
        }
    }
    require_cost(e, size * (2.0 * m->channel_count + 2 * (double)qs + 2 * (double)vs + 1 + m->read.count), products);
    e->x = rational_array(e->pool, e->size * m->channel_count);
    e->delta = rational_array(e->pool, e->size * m->channel_count);
    e->q = rational_array(e->pool, e->size * qs);
    e->k = rational_array(e->pool, e->size * qs);
    e->v = rational_array(e->pool, e->size * vs);
    e->out = rational_array(e->pool, e->size * vs);
    e->scores = rational_array(e->pool, e->size);
    e->work = rational_array(e->pool, 1);
    e->query.values = rational_array(e->pool, in);
    e->key.values = rational_array(e->pool, key);
    e->value.values = rational_array(e->pool, value);
    e->into.values = rational_array(e->pool, out);
}

rational *exact_run(const temper_model *m, const uint32_t *letters, size_t n, const exact_observer *observer,
                    rational_pool *pool, arena *scratch) {
    exact e = {.m = m,
               .letters = letters,
               .n = n,
               .size = n + 1 + m->has_end,
               .observer = observer,
               .pool = pool,
               .scratch = scratch};
    exact_require(m, scratch->trap);
    prepare(&e);
    run_work_pairs(&e.told, m, e.size, 20);
    embed(&e);
    show_channels(&e, 0, 0);
    for (uint32_t layer = 0; layer < m->layer_count; layer++) run_layer(&e, layer);
    rational *answers = rational_array(pool, m->read.count * e.size);
    load(&e.query, &m->read);
    for (uint32_t o = 0; o < m->read.count; o++)
        for (size_t i = 0; i < e.size; i++)
            add_dot(&answers[o * e.size + i], &e.query, o, e.x + i * m->channel_count);
    return answers;
}

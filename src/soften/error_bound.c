#include "soften/error_bound.h"

#include <float.h>
#include <stdlib.h>

#include "number/upward.h"

static const double UNIT =
    0x1p-52; /* twice the largest relative rounding error: what is left pays for higher orders */

/* What an operation can lose where its result is subnormal, however small its operands. */
static const double TINY = 0x1p-1074;

static double largest(const known *k) { return fmax(fabs(k->lo), fabs(k->hi)); }
static double width(const known *k) { return k->hi > k->lo ? sub_up(k->hi, k->lo) : 0; }

/* The exponent of the lowest bit of x. */
static int grid_of(double x) {
    int e;
    double m = frexp(x, &e);
    if (x == 0) return GRID_ANY;
    return e - 53 + __builtin_ctzll((unsigned long long)llabs((long long)ldexp(m, 53)));
}

/* Sums of multiples of 2^grid that stay below `magnitude` are exact in f64: neither subnormal nor infinite. */
static bool fits(double magnitude, int grid) {
    return grid >= -1000 && magnitude <= fmin(ldexp(1, 53 + grid), DBL_MAX);
}

/* ---- sums of products: rows of a matrix, and what is added to a channel ---- */

/* A sum under way: an upper bound of its error before rounding, of the sum of |terms|, and the grid they are on. */
typedef struct summing {
    double error, magnitude;
    int grid;
    unsigned terms;
    bool clean; /* no term is off */
} summing;

static void sum_begin(summing *s) { *s = (summing){.grid = GRID_ANY, .clean = true}; }

/* Adds weight * x, where |x| <= size and x is off by `error`. */
static void sum_add(summing *s, double weight, double size, double error, int grid) {
    if (error > 0) s->clean = false;
    s->error = up_add(s->error, up_mul(fabs(weight), error));
    s->magnitude = up_add(s->magnitude, up_mul(fabs(weight), up_add(size, error)));
    int g = size == 0 ? GRID_ANY : grid <= GRID_NONE ? GRID_NONE : grid_of(weight) + grid;
    if (size > 0 && g < s->grid) s->grid = g;
    s->terms++;
}

static bool sum_is_exact(const summing *s) { return s->clean && fits(s->magnitude, s->grid); }

static double sum_error(const summing *s) {
    if (sum_is_exact(s)) return 0;
    double rounding = up_add(up_mul((s->terms + 1) * UNIT, s->magnitude), (s->terms + 1) * TINY);
    return up_add(s->error, rounding);
}

static summing row_sum(const model_rows *rows, uint32_t row, const known *x, const double *channels) {
    summing s;
    sum_begin(&s);
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        uint32_t c = rows->terms[k].channel;
        sum_add(&s, rows->terms[k].weight, largest(&x[c]), channels[c], x[c].grid);
    }
    return s;
}

static double row_error(const model_rows *rows, uint32_t row, const known *x, const double *channels) {
    summing s = row_sum(rows, row, x, channels);
    return sum_error(&s);
}

double error_of_answer(const double *channels, const subject_model *s, const facts *f) {
    return row_error(&s->model->read, 0, f->after, channels);
}

/* ---- one head ---- */

/* The total variation between softmax and the hard choice, given how far differences of scores are off; theory section 1. */
static double variation_of(const head_setting *set, const head_facts *f, const model_head *h, double difference,
                           double others) {
    bool average = h->hard_choice == TEMPER_CHOICE_AVERAGE;
    double gap = f->gap, leak = 0, tie = 0;
    if (set->adaptive) {
        bool tells = difference == 0 || (f->tieless && gap > difference);
        if (!tells) return 1;
        double sharp = next_down(set->scale * (1 - 0x1p-40));
        if (average) return gap == INFINITY ? 0 : fmin(1, up_mul(others, up_exp(-sharp)));
        double each = up_exp(-next_down(sharp / next_up(others + 1)));
        return fmin(1, up_div(up_mul(2, each), sub_down(1, each)));
    }
    if (set->step > 0) { /* gaps are positive multiples of the step, each at most twice */
        if (!(set->step > difference) || !(gap >= set->step * (others + 1))) return 1;
        double next = up_exp(-next_down(set->scale * sub_down(set->step, difference)));
        double ratio = up_exp(-next_down(set->scale * set->step));
        return ratio < 1 ? fmin(1, up_div(up_mul(2, next), sub_down(1, ratio))) : 1;
    }
    if (gap < INFINITY) {
        if (!(gap > difference)) return 1;
        leak = up_mul(others, up_exp(-next_down(set->scale * sub_down(gap, difference))));
    }
    if (!f->tieless) tie = up_mul(set->scale, difference / 4); /* tanh x <= x */
    if (!average && !f->tieless) return 1;                     /* ties need a tie-break */
    return fmin(1, up_add(leak, tie));
}

/* What the mean adds to the error of the values it averages. */
static double mean_rounding(const known *value, const known *output, double error, double variation, double size) {
    double most = up_add(largest(value), error);
    if (!isfinite(up_mul(size, most))) return INFINITY; /* the sum of the values may overflow */
    if (variation == 0 && error == 0 && fits(up_mul(size, most), value->grid))
        return fits(largest(output), output->grid) ? 0 : up_mul(UNIT, most);
    return up_add(up_mul((8 * size + 64) * UNIT, most), (8 * size + 64) * TINY);
}

typedef struct score_error {
    double difference, magnitude;
    double query; /* the largest component: scales multiply it before the key does */
} score_error;

static score_error scores_error(const model_head *h, const head_facts *f, const known *x, const double *channels,
                                const head_setting *set, double size) {
    double difference = 0, magnitude = 0, query = 0;
    int grid = GRID_ANY;
    bool clean = true, constant = set->step == 0;
    for (uint32_t d = 0; d < h->query.count; d++) {
        double eq = row_error(&h->query, d, x, channels), ek = row_error(&h->key, d, x, channels);
        double q = up_add(largest(&f->query[d]), eq), k = up_add(largest(&f->key[d]), ek);
        if (eq > 0 || ek > 0) clean = false;
        query = fmax(query, q);
        if (q == 0 || (width(&f->key[d]) == 0 && ek == 0)) { /* adds the same to every score of a row */
            magnitude = up_add(magnitude, up_mul(q, k));
        } else {
            constant = false;
            magnitude = up_add(magnitude, up_mul(q, k));
            difference = up_add(difference, up_add(up_mul(eq, width(&f->key[d])), up_mul(q, up_mul(2, ek))));
        }
        bool none = f->query[d].grid <= GRID_NONE || f->key[d].grid <= GRID_NONE;
        int g = none ? GRID_NONE : f->query[d].grid + f->key[d].grid;
        if (q > 0 && k > 0 && g < grid) grid = g;
    }
    if (set->step > 0) {
        magnitude = up_add(magnitude, up_mul(set->step, size));
        if (grid_of(set->step) < grid) grid = grid_of(set->step);
    }
    if (constant)
        difference = 0; /* the same numbers give the same scores, whatever the rounding */
    else if (!(clean && fits(magnitude, grid)))
        difference =
            up_add(difference, up_mul(4 * (h->query.count + 6) * UNIT, magnitude) + 4 * (h->query.count + 6) * TINY);
    return (score_error){difference, magnitude, query};
}

static void head_through(summing *to, head_error *out, const model_head *h, const head_facts *f, const known *x,
                         const double *channels, const head_setting *set, double size) {
    score_error scores = scores_error(h, f, x, channels, set, size);
    out->difference = scores.difference;
    out->overflow = up_mul(set->scale, fmax(scores.magnitude, scores.query));
    if (set->adaptive) { /* the scale is divided by the gap that the row has */
        double gap = sub_down(f->gap, scores.difference);
        out->overflow = gap > 0 ? up_div(set->scale, gap) : 0; /* no gap: variation_of refuses it */
    }
    bool even = h->hard_choice == TEMPER_CHOICE_AVERAGE && f->gap == INFINITY && scores.difference == 0;
    out->variation = out->overflow < 0x1p900 ? (even ? 0 : variation_of(set, f, h, scores.difference, size - 1)) : 1;
    out->output = 0;
    for (uint32_t d = 0; d < h->value.count; d++) {
        double ev = row_error(&h->value, d, x, channels);
        double error = up_add(ev, up_mul(out->variation, width(&f->value[d])));
        error = up_add(error, mean_rounding(&f->value[d], &f->output[d], ev, out->variation, size));
        out->output = fmax(out->output, error);
        const model_term *t = rows_begin_of(&h->output, d);
        for (size_t k = rows_size(&h->output, d); k-- > 0; t++)
            sum_add(&to[t->channel], t->weight, largest(&f->output[d]), error, f->output[d].grid);
    }
}

/* ---- the feed-forward net ---- */

/* How far a bundle's function into its c-th channel moves when its input is off by `error`: only pieces that an input can get to
   count. */
static double bundle_moves(const bundle *b, uint32_t c, const bundle_facts *f, double error) {
    double slope = 0;
    if (error == 0) return 0;
    for (uint32_t p = 0; p <= b->corner_count; p++)
        if (f->distance[p] <= error) slope = fmax(slope, b->slopes[c * (b->corner_count + 1) + p]);
    return up_mul(slope, error);
}

/* Two units relu(z - c) - relu(z - c - 1), c > 0 a multiple of 1/2, that alone write to an empty channel: exactly 0 or 1 (times a power
   of two) in f64 for any input that stays out of (c, c + 1); doc/theory.md, section 2. */
static bool is_exact_ramp(const model_layer *l, const bundle *b, uint32_t channel, const bundle_facts *f,
                          double error, double size) {
    if (b->unit_count != 2 || b->units[0].ratio != 1 || b->units[1].ratio != 1) return false;
    double low = fmax(b->units[0].bias, b->units[1].bias), high = fmin(b->units[0].bias, b->units[1].bias);
    double weight = bundle_weight(l, &b->units[0], channel);
    int exponent;
    bool shape = low < 0 && floor(2 * low) == 2 * low && high == low - 1 && fabs(low) < 0x1p40 &&
                 weight == -bundle_weight(l, &b->units[1], channel) && fabs(frexp(weight, &exponent)) == 0.5 &&
                 abs(exponent) < 900;
    return shape && f->distance[1] >= error && size < 0x1p51;
}

/* What a unit's output is off by, and how large it gets. */
static summing unit_through(const bundle_unit *u, const bundle_facts *f, double error, double size) {
    summing h;
    sum_begin(&h);
    sum_add(&h, u->ratio, size, error, f->input.grid);
    sum_add(&h, u->bias, 1, 0, 0);
    return h;
}

/* `alone` marks the channels that are 0 and that only one bundle writes to. */
static void bundle_through(summing *to, const model_layer *l, const bundle *b, const bundle_facts *f, const known *x,
                           const double *channels, double *moves, const unsigned char *alone) {
    summing row = row_sum(&l->in, b->row, x, channels);
    double error = sum_error(&row), size = up_add(largest(&f->input), error);
    for (uint32_t k = 0; k < b->channel_count; k++) {
        uint32_t c = b->channels[k];
        if (alone[c] && is_exact_ramp(l, b, c, f, error, size)) continue;
        moves[c] = up_add(moves[c], bundle_moves(b, k, f, error));
        for (uint32_t u = 0; u < b->unit_count; u++) {
            double weight = bundle_weight(l, &b->units[u], c);
            if (weight == 0) continue;
            summing h = unit_through(&b->units[u], f, error, size);
            bool exact = sum_is_exact(&h);
            /* the unit's own row is a multiple of the bundle's: the same rounding, but for the ends of the range */
            double rounding = exact ? 0 : up_mul(2 * UNIT, h.magnitude) + (row.terms + 2) * TINY;
            if (!isfinite(up_mul(fabs(b->units[u].ratio), row.magnitude))) rounding = INFINITY;
            sum_add(&to[c], weight, h.magnitude, rounding, exact ? h.grid : GRID_NONE);
            if (error > 0) to[c].clean = false;
        }
    }
}

/* Channels that hold nothing yet and that one bundle writes to. */
static unsigned char *find_alone(const bundle_list *bundles, const known *x, const double *channels, uint32_t count,
                                 arena *a) {
    unsigned char *writers = arena_zalloc(a, count, 1);
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].channel_count; k++) {
            uint32_t c = bundles->items[b].channels[k];
            if (writers[c] < 2) writers[c]++;
        }
    for (uint32_t c = 0; c < count; c++)
        writers[c] = writers[c] == 1 && x[c].lo == 0 && x[c].hi == 0 && channels[c] == 0;
    return writers;
}

/* ---- one layer ---- */

static summing *begin_sums(const double *channels, const known *x, uint32_t count, arena *a) {
    summing *s = arena_alloc(a, count, sizeof *s);
    for (uint32_t c = 0; c < count; c++) {
        sum_begin(&s[c]);
        sum_add(&s[c], 1, largest(&x[c]), channels[c], x[c].grid);
    }
    return s;
}

void error_through_layer(double *channels, head_error *heads, const subject_model *s, const facts *f, uint32_t layer,
                         const head_setting *settings, arena *scratch) {
    const model_layer *l = &s->model->layers[layer];
    const layer_facts *known_of = &f->layers[layer];
    uint32_t count = s->model->channel_count;
    summing *sums = begin_sums(channels, known_of->before, count, scratch);
    for (uint32_t h = 0; h < l->head_count; h++)
        head_through(sums, &heads[h], &l->heads[h], &known_of->heads[h], known_of->before, channels, &settings[h],
                     (double)f->size);
    for (uint32_t c = 0; c < count; c++)
        if (sums[c].terms > 1) channels[c] = sum_error(&sums[c]);
    sums = begin_sums(channels, known_of->middle, count, scratch);
    double *moves = arena_zalloc(scratch, count, sizeof *moves);
    const unsigned char *alone = find_alone(&s->bundles[layer], known_of->middle, channels, count, scratch);
    for (uint32_t b = 0; b < s->bundles[layer].count; b++)
        bundle_through(sums, l, &s->bundles[layer].items[b], &known_of->bundles[b], known_of->middle, channels, moves,
                       alone);
    for (uint32_t c = 0; c < count; c++)
        if (sums[c].terms > 1) channels[c] = up_add(sum_error(&sums[c]), moves[c]);
}

#include "ordinary/lift/lift_margins.h"

#include <math.h>

#include "number/elementary.h"
#include "number/trig.h"

static double root(const lift *u) { return sqrt((double)u->m->head_size); }
double lift_sharp(const lift *u) { return (log_f64(lift_positions(u)) + LIFT_LEAST_KAPPA) * root(u); }
static double apart(const lift *u) { return LIFT_LEAST_KAPPA * root(u); }

static const float *place_of(const lift_head *h) {
    return h->product_count ? h->products[0].query.row : h->turn_count ? h->turns[0].key.row : h->values[0].value.row;
}

#define NEED(u, h, c, ...)                                                                                           \
    do {                                                                                                             \
        if (!(c)) lift_refuse(u, place_of(h), __VA_ARGS__);                                                          \
    } while (0)

/* The least cosine by which content is multiplied, over all distances. */
static double least_cosine(const lift *u, const lift_head *h) {
    double least = 1;
    for (size_t k = 0; u->frequencies && k < h->product_count; k++)
        least = fmin(least, cos_f64(u->frequencies[h->products[k].dimension % (u->m->head_size / 2)] *
                                    (lift_positions(u) - 1)));
    return least;
}

/* ---- once, means ---- */

static bool same_form(const lift_form *x, double by, const lift_form *y) {
    if (x->count != y->count || x->one / by != y->one) return false;
    for (size_t k = 0; k < x->count; k++)
        if (x->terms[k].channel != y->terms[k].channel || x->terms[k].weight / by != y->terms[k].weight) return false;
    return true;
}

static void check_once(const lift *u, lift_head *h) {
    const lift_product *p = &h->products[0];
    double grain = lift_grain(u, &p->key);
    bool empty = grain == 0; /* nothing is ever found */
    NEED(u, h, !p->query.count && p->query.one > 0, "the query of a head for once is not a constant");
    NEED(u, h, empty || p->query.one * grain * least_cosine(u, h) >= lift_sharp(u),
         "a head for once is not sharp enough");
    for (size_t v = 0; v < h->value_count; v++)
        if (empty ? lift_grain(u, &h->values[v].value) != 0 : !same_form(&p->key, grain, &h->values[v].value))
            lift_refuse(u, h->values[v].value.row, "the value of a head for once is not its key");
    h->content = 1;
}

/* Two logarithms that add up, since f16 holds only eleven bits of one. */
static void check_weighed(const lift *u, lift_head *h) {
    double log = 0;
    for (size_t k = 0; k < h->product_count; k++)
        log += h->products[k].query.one * h->products[k].key.terms[0].weight;
    h->weight = exp_f64(log / root(u));
    NEED(u, h, log >= 0 && h->weight <= 2 * lift_positions(u), "the start sentinel of a mean weighs too much");
    for (size_t v = 0; v < h->value_count; v++)
        if (lift_at_start(u, &h->values[v].value) != 0)
            lift_refuse(u, h->values[v].value.row, "a weighed mean counts the start sentinel");
}

const lift_value *lift_value_of(const lift *u, uint32_t column) {
    const lift_head *of = &u->heads[u->columns[column].head];
    for (size_t v = 0; v < of->value_count; v++)
        if (of->values[v].column == column) return &of->values[v];
    return NULL;
}

/* |y| is at least a half, divided by the number of positions: the value is whole on letters, its constant included,
   and whole and a half on the start sentinel. */
double lift_least_mean(const lift *u, uint32_t column) {
    const lift_value *v = lift_value_of(u, column);
    if (!v || !u->columns[column].mean) return 0;
    double grain = fabs(v->value.one), start = lift_at_start(u, &v->value);
    for (size_t k = 0; k < v->value.count; k++)
        if (v->value.terms[k].channel != u->start)
            grain = lift_common(grain, v->value.terms[k].weight * u->columns[v->value.terms[k].channel].grain);
    if (grain != 0 && start - grain * floor(start / grain) != grain / 2) return 0;
    return v->scale * (grain == 0 ? fabs(start) : grain / 2) / lift_positions(u);
}

double lift_most_mean(const lift *u, uint32_t column) {
    const lift_value *v = lift_value_of(u, column);
    double low, high;
    lift_range(u, &v->value, &low, &high);
    return v->scale * fmax(fabs(low), fabs(high));
}

static bool is_start_value(const lift *u, const lift_form *f) {
    return f->count == 1 && f->one == 0 && f->terms[0].channel == u->start && f->terms[0].weight == 1;
}

static void check_start_values(const lift *u, const lift_head *h) {
    for (size_t v = 0; v < h->value_count; v++)
        if (!is_start_value(u, &h->values[v].value))
            lift_refuse(u, h->values[v].value.row, "a head that asks the start sentinel reads something else");
}

static void check_compare(const lift *u, lift_head *h) {
    const lift_product *p = &h->products[0];
    bool fits = p->query.count == 1 && p->query.one == 0 && p->key.count == 1 && p->key.one == 0 &&
                p->key.terms[0].channel == u->start && p->query.terms[0].weight > 0 && p->key.terms[0].weight > 0;
    NEED(u, h, fits, "a head that compares does not have one mean, and the start sentinel as its key");
    uint32_t column = p->query.terms[0].channel;
    double factor = p->query.terms[0].weight * p->key.terms[0].weight * least_cosine(u, h);
    double least = lift_least_mean(u, column);
    NEED(u, h, least > 0, "a mean that is compared may be 0");
    NEED(u, h, factor * least >= lift_sharp(u), "a head that compares is not sharp enough");
    check_start_values(u, h);
    h->of = u->columns[column].head;
    h->content = 1;
}

/* ---- positions ---- */

double lift_turned(const lift_head *h, double distance) {
    double sum = 0;
    for (size_t k = 0; k < h->turn_count; k++) {
        const lift_turn *t = &h->turns[k];
        double angle = t->frequency * distance;
        sum += t->key_weight * (t->first * cos_f64(angle) - t->second * sin_f64(angle));
    }
    return sum;
}

/* Products from `first` on, with constant queries, whose keys add up to slope times the position. */
static double find_slope(const lift *u, const lift_head *h, size_t first, size_t end) {
    double *sum = arena_zalloc(u->arena, u->m->positions, sizeof *sum);
    for (size_t k = first; k < end; k++) {
        const lift_product *p = &h->products[k];
        const double *key = lift_place(u, &p->key);
        if (p->query.count || !key) lift_refuse(u, p->key.row, "a part of a score is no digit of the position");
        for (uint32_t i = 0; i < u->m->positions; i++) sum[i] += p->query.one * key[i];
    }
    double slope = u->m->positions > 1 ? sum[1] - sum[0] : 0;
    for (uint32_t i = 0; i < u->m->positions; i++)
        if (sum[i] != slope * i) lift_refuse(u, h->products[first].key.row, "digits do not add up to position %u", i);
    return slope;
}

/* The number that a column has at all positions from `from` on, whatever the letters are; NaN: there is none. */
static double constant_from(const lift *u, const lift_column *c, uint32_t from) {
    if (!c->place || from >= u->m->positions) return NAN;
    for (uint32_t i = from + 1; i < u->m->positions; i++)
        if (c->place[i] != c->place[from]) return NAN;
    return c->place[from];
}

/* A form at positions from `from` on: a number that all share, what the rest is a multiple of, and how large the form
   may be. */
static double base_from(const lift *u, const lift_form *f, uint32_t from, double *grain, double *most) {
    double base = f->one, low = 0, high = 0;
    *grain = 0;
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &u->columns[f->terms[k].channel];
        double w = f->terms[k].weight, x = constant_from(u, c, from);
        if (!isnan(x)) {
            base += w * x;
            continue;
        }
        *grain = lift_common(*grain, w * c->grain);
        low += w * (w > 0 ? c->low : c->high);
        high += w * (w > 0 ? c->high : c->low);
    }
    *most = fmax(fabs(base + low), fabs(base + high));
    return base;
}

/* Content in a row of a letter, by what keys are worth: at positions from `from` on they differ by multiples of
   `grain`. A position before these has a number of its own. */
typedef struct content {
    double grain;
    double most; /* in size */
    double varied[2],
        constant[2]; /* at positions 0 and 1, how far from the others: multiples of the first, and that */
    double fixed[2]; /* at these positions, if no letter matters there; else NaN */
} content;

static content content_from(const lift *u, const lift_head *h, uint32_t from) {
    content c = {0};
    for (size_t k = 0; k < h->content; k++) {
        const lift_product *p = &h->products[k];
        double q_grain, k_grain, q_most, k_most, q = base_from(u, &p->query, 1, &q_grain, &q_most);
        double base = base_from(u, &p->key, from, &k_grain, &k_most);
        double at[2] = {lift_at_start(u, &p->key), lift_at_first(u, &p->key)};
        c.grain = lift_common(c.grain, lift_common(q, q_grain) * k_grain);
        for (int i = 0; i < 2; i++)
            if (!isnan(at[i])) k_most = fmax(k_most, fabs(at[i]));
        c.most += q_most * k_most;
        for (int i = 0; i < 2; i++) {
            c.constant[i] += q * (at[i] - base);
            c.varied[i] = isnan(at[i]) ? NAN : lift_common(c.varied[i], q_grain * (at[i] - base));
            c.fixed[i] += p->query.count && at[i] != 0 ? NAN : p->query.one * at[i];
        }
    }
    return c;
}

/* By how much the largest content is above any other that is not as large. */
static double content_grain(const lift *u, const lift_head *h, double *most) {
    content c = content_from(u, h, 1);
    double grain = lift_common(lift_common(c.grain, c.varied[0]), c.constant[0]);
    content later = content_from(u, h, 2);
    *most = c.most;
    /* what was copied from one position before: the start sentinel's is at position 1, and position 0 has nothing */
    if (isnan(later.varied[1]) || isnan(later.fixed[0]) || isnan(later.fixed[1])) return grain;
    double shifted = lift_common(lift_common(later.grain, later.varied[1]), later.constant[1]);
    /* then it is behind position 1, by content or by being farther away */
    if (!h->last || later.fixed[1] < later.fixed[0] || u->m->positions < 2) return grain;
    return u->m->positions == 2 ? 0 : fmax(grain, shifted); /* of two positions the second is the one */
}

double lift_content_gap(const lift *u, const lift_head *h) {
    double most;
    return content_grain(u, h, &most);
}

/* Whether two products share a pair, which then mixes them a little. */
static double mixing(const lift *u, const lift_head *h) {
    uint32_t half = u->m->head_size / 2;
    double most = 0;
    for (size_t k = 0; u->frequencies && k < h->content; k++)
        for (size_t j = 0; j < k; j++)
            if (h->products[j].dimension % half == h->products[k].dimension % half)
                most = fmax(most, u->frequencies[h->products[k].dimension % half] * lift_positions(u));
    return most;
}

static void check_nearest(const lift *u, lift_head *h) {
    enum { DIGITS = 2 };
    double span, most, positions = lift_positions(u);
    bool ramp = h->turn_count > 0;
    NEED(u, h, ramp || h->product_count > DIGITS, "a score has no digits of the position");
    h->content = h->product_count - (ramp ? 0 : DIGITS);
    if (ramp) {
        double step = positions > 1 ? lift_turned(h, 1) - lift_turned(h, 0) : -apart(u), low = lift_turned(h, 0),
               high = low;
        for (double d = 1; d < positions; d++) {
            double x = lift_turned(h, d) - lift_turned(h, d - 1);
            NEED(u, h, fabs(x) >= apart(u) && (x < 0) == (step < 0), "nothing tells positions apart");
            low = fmin(low, lift_turned(h, d));
            high = fmax(high, lift_turned(h, d));
        }
        h->last = step < 0;
        span = high - low;
    } else {
        h->slope = find_slope(u, h, h->content, h->product_count);
        NEED(u, h, positions < 2 || fabs(h->slope) >= apart(u), "nothing tells positions apart");
        h->last = h->slope > 0;
        span = fabs(h->slope) * (positions - 1);
    }
    double grain = content_grain(u, h, &most), cosine = least_cosine(u, h);
    NEED(u, h, grain == 0 || grain - most * (1 - cosine + mixing(u, h)) - span >= apart(u),
         "content does not outweigh positions");
}

/* GPT-2: slope j + f(i, j), where f repeats after four positions. */
static void check_quarters(const lift *u, lift_head *h) {
    enum { PERIOD = 4, NEAR = 8 };
    double f[PERIOD][PERIOD] = {{0}}, most = 0;
    uint32_t positions = u->m->positions;
    h->slope = find_slope(u, h, 0, 2);
    for (size_t k = 2; k < h->product_count; k++) {
        const lift_product *p = &h->products[k];
        const double *query = lift_place(u, &p->query), *key = lift_place(u, &p->key);
        for (uint32_t i = PERIOD; i < positions; i++)
            if (query[i] != query[i % PERIOD] || key[i] != key[i % PERIOD])
                lift_refuse(u, p->key.row, "a part of a score does not repeat after %d positions", PERIOD);
        for (uint32_t i = 0; i < PERIOD && i < positions; i++)
            for (uint32_t j = 0; j < PERIOD && j < positions; j++) f[i][j] += query[i] * key[j];
    }
    for (uint32_t i = 0; i < PERIOD; i++)
        for (uint32_t j = 0; j < PERIOD; j++) most = fmax(most, fabs(f[i][j]));
    NEED(u, h, positions <= NEAR || h->slope * (NEAR - 1) - 2 * most >= apart(u), "no position before is found");
    for (uint32_t i = 1; i < positions && i < NEAR + PERIOD; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double gap = h->slope * ((double)i - 1 - j) + f[i % PERIOD][(i - 1) % PERIOD] - f[i % PERIOD][j % PERIOD];
            NEED(u, h, j + 1 == i || gap >= apart(u), "no position before is found");
        }
}

static void check_yesterday(const lift *u, lift_head *h) {
    double leak = 0;
    if (!h->turn_count) {
        check_quarters(u, h);
        return;
    }
    for (double d = 0; d < lift_positions(u); d++)
        if (d != 1) leak += exp_f64((lift_turned(h, d) - lift_turned(h, 1)) / root(u));
    NEED(u, h, leak <= exp_f64(-LIFT_LEAST_KAPPA), "no position before is found");
}

/* ---- waves ---- */

/* The start sentinel's key is not turned, and the query is, its constant part, too, if only a little. */
static double wave_at(const lift *u, const lift_head *h, double i) {
    double x = lift_turned(h, i);
    for (size_t k = 0; k < h->product_count; k++) {
        const lift_product *p = &h->products[k];
        double angle = u->frequencies[p->dimension % (u->m->head_size / 2)] * i;
        x += p->query.one * p->key.terms[0].weight * cos_f64(angle);
    }
    return x;
}

static void check_wave(const lift *u, lift_head *h) {
    bool fits = h->turn_count == 1 && h->product_count <= 1;
    for (size_t k = 0; k < h->product_count; k++) {
        const lift_product *p = &h->products[k];
        fits = fits && !p->query.count && p->key.count == 1 && p->key.one == 0 && p->key.terms[0].channel == u->start;
    }
    NEED(u, h, fits, "a head for a wave has more than one, or looks at more than the start sentinel");
    check_start_values(u, h);
    for (double i = 1; i < lift_positions(u); i++)
        NEED(u, h, fabs(wave_at(u, h, i)) >= lift_sharp(u), "a wave is not clear at position %.0f", i);
}

double *lift_wave_place(const lift *u, const lift_head *h) {
    double *x = arena_alloc(u->arena, u->m->positions, sizeof *x);
    for (uint32_t i = 0; i < u->m->positions; i++) x[i] = !i || wave_at(u, h, i) > 0;
    return x;
}

/* ---- look-ups ---- */

/* 1 at the first letter, and 0 elsewhere: the mean of it is 1 divided by the weights. */
static bool is_first(const lift *u, const lift_form *f) {
    const double *x = lift_place(u, f);
    for (uint32_t i = 0; x && i < u->m->positions; i++)
        if (x[i] != (i == 1)) return false;
    return x != NULL;
}

lift_number lift_number_of(const lift *u, const lift_form *value) {
    lift_form rest = *value;
    lift_number out = {0};
    rest.terms = arena_alloc(u->arena, value->count, sizeof *rest.terms);
    rest.count = 0;
    for (size_t k = 0; k < value->count; k++) {
        model_term plain = {value->terms[k].channel, 1};
        lift_form column = {.terms = &plain, .count = 1};
        if (is_first(u, &column))
            out.first += value->terms[k].weight;
        else
            rest.terms[rest.count++] = value->terms[k];
    }
    lift_range(u, &rest, &out.low, &out.high);
    return out;
}

/* Each query is one of two columns of one head; the keys add up to j and to its square. */
static void check_lookup(const lift *u, lift_head *h) {
    uint32_t positions = u->m->positions;
    double *place = arena_zalloc(u->arena, positions, sizeof *place);
    double *square = arena_zalloc(u->arena, positions, sizeof *square);
    h->number = h->inverse = UINT32_MAX;
    for (size_t k = 0; k < h->product_count; k++) {
        const lift_form *q = &h->products[k].query;
        const double *key = lift_place(u, &h->products[k].key);
        NEED(u, h, q->count == 1 && q->one == 0 && key,
             "a look-up has a query that is not one mean, or keys that are no positions");
        uint32_t column = q->terms[0].channel;
        const lift_column *c = &u->columns[column];
        NEED(u, h, c->mean && u->heads[c->head].role == LIFT_WEIGHED, "a look-up reads what is no weighed mean");
        bool inverse = is_first(u, &lift_value_of(u, column)->value) && q->terms[0].weight < 0;
        uint32_t *is = inverse ? &h->inverse : &h->number;
        NEED(u, h, *is == UINT32_MAX || *is == column, "a look-up reads more than two means");
        *is = column;
        double *to = inverse ? square : place;
        for (uint32_t j = 0; j < positions; j++) to[j] += q->terms[0].weight * key[j];
    }
    NEED(u, h, h->number != UINT32_MAX && h->inverse != UINT32_MAX, "a look-up reads less than two means");
    const lift_column *e = &u->columns[h->number], *d = &u->columns[h->inverse];
    NEED(u, h, e->head == d->head, "a look-up divides means of different heads");
    double slope = positions > 1 ? place[1] : 0, curve = positions > 1 ? -square[1] : 0;
    for (uint32_t j = 0; j < positions; j++)
        NEED(u, h, place[j] == slope * j && square[j] == -curve * j * j,
             "the keys of a look-up are not j and its square");
    NEED(u, h, slope * e->scale == 2 * curve * d->scale, "a look-up does not have twice the number");
    double grain = lift_grain(u, &lift_value_of(u, h->number)->value);
    NEED(u, h, grain == rint(grain), "a look-up is about a number that is not whole");
    h->of = e->head;
    NEED(u, h, curve * d->scale / (positions - 1 + u->heads[h->of].weight) * least_cosine(u, h) >= apart(u),
         "a look-up is not sharp enough");
    h->content = h->product_count;
}

/* ---- all ---- */

void lift_check_margins(const lift *u, lift_head *h) {
    switch (h->role) {
    case LIFT_MEAN: break;
    case LIFT_WEIGHED: check_weighed(u, h); break;
    case LIFT_ONCE: check_once(u, h); break;
    case LIFT_COMPARE: check_compare(u, h); break;
    case LIFT_NEAREST: check_nearest(u, h); break;
    case LIFT_YESTERDAY: check_yesterday(u, h); break;
    case LIFT_LOOKUP: check_lookup(u, h); break;
    case LIFT_WAVE: check_wave(u, h); break;
    }
}

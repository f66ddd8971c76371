/* Weighed means, and the look-ups that divide one by another (doc/ordinary.md, "Look-ups"). Numbers are counted in
   shares of one letter: the mean that is divided is the number that is looked up, and the other one is 1. */
#include <math.h>

#include "audit/ordinary/audit_ordinary_bounds.h"
#include "number/elementary.h"

/* ---- weighed means ---- */

typedef struct weighing {
    double off;   /* of the sentinel's weight beside a letter's, relative */
    double apart; /* of one letter's beside another's; 0: they are the same number */
} weighing;

static weighing weigh(const ordinary_bounding *b, const lift_head *h) {
    double off = ordinary_content_error(b, h, 0, h->product_count) / ordinary_root(b), stray = 0, size = 0;
    for (size_t k = 0; k < h->product_count; k++) {
        ordinary_row q = ordinary_row_bound(b, &h->products[k].query), x = ordinary_row_bound(b, &h->products[k].key);
        double zero = b->k.f16_cache && x.zero < F16_TINY ? 0 : b->k.f16_cache ? ordinary_f16_zero(x.zero) : x.zero;
        stray += (q.size * (1 + q.scale) + q.error) * zero;
        size += q.size * x.size;
    }
    size /= ordinary_root(b);
    double rounding = F32 * (16 + 4 * size);
    weighing w = {.off = (2.01 * off + rounding + 0x1p-40) * SLACK};
    if (stray > 0) w.apart = (2.01 * stray / ordinary_root(b) + rounding) * SLACK;
    NEED(b, h, size < 64 && w.off < 0x1p-11, "the weight of the start sentinel is not clear: off by %.3g", w.off);
    return w;
}

/* With an f16 cache letters must weigh the same power of two: what a sum is off is then rounded away, unless the sum
   is 0. Returns by how much the weight is none. */
static double f16_weight(const ordinary_bounding *b, const lift_head *h, const weighing *w) {
    double power = 1;
    while (power * 1.5 < h->weight) power *= 2;
    NEED(b, h, w->apart == 0, "letters do not weigh the same");
    NEED(b, h, h->weight <= 0x1p12, "the start sentinel of a mean weighs too much for f16");
    return (fabs(h->weight / power - 1) + w->off) * SLACK;
}

/* Where weights are f16, what a head says is rounded before it is mixed: by a share of the number, which look-ups
   count, by that of what it is off, and, if the number may be 0 or so small that f16 has fewer bits, by half the
   least number of f16. */
static double mixed_number(const ordinary_bounding *b, const lift_head *h, const lift_number *x, double off) {
    double weights = (ordinary_positions(b) - 1 + h->weight) * 1.002;
    bool sure = x->low == 0 && x->high == 0 && x->first != 0 && weights <= 0x1p13;
    return off * (1 + F16) + (sure ? 0 : F16_TINY * weights);
}

double ordinary_weighed_bound(ordinary_bounding *b, const lift_head *h) {
    double n = ordinary_positions(b), worst = 0;
    weighing w = weigh(b, h);
    for (size_t v = 0; v < h->value_count; v++) {
        const lift_value *x = &h->values[v];
        ordinary_row r = ordinary_row_bound(b, &x->value);
        lift_number number = lift_number_of(b->u, &x->value);
        double each = fmax(fabs(number.low), fabs(number.high)), first = fabs(number.first), size = each + first;
        double all = (n - 1) * each + first, e = (r.error + r.scale * r.size) * SLACK;
        /* values that are not 0, those that are, and the sentinel's as often as it weighs */
        double zeros = (n + 2 * h->weight) * r.zero, sums = (n + 16) * 1.01 * F32;
        ordinary_column_bound c = {.number = (all * (w.apart + sums) + (each > 0 ? n : 1) * e + zeros) * SLACK};
        if (b->k.f16_cache) {
            bool signs = number.low < 0 || number.first < 0;
            double wrong = f16_weight(b, h, &w), noise = ((signs ? 2 : 1) * size * wrong + 8 * zeros) * SLACK;
            NEED(b, h, all <= 2048, "its sums do not stay exact in f16");
            NEED(b, h, e < 0x1p-12 && noise < 0x1p-12,
                 "its sums are not rounded back: values are off by %.3g, and by %.3g where they are 0, the weight of "
                 "the start sentinel by %.3g of a power of two",
                 e, r.zero, wrong);
            c.number = ((signs ? 2 * size * wrong : 0) + all * sums + 8 * zeros) * SLACK;
        }
        c.error = x->scale * c.number * 1.01 / (1 + h->weight); /* no share is larger */
        c.relative = 16 * F32;
        if (b->k.f16_vectors) {
            c.number = mixed_number(b, h, &number, c.number) * SLACK;
            c.error = (c.error * (1 + F16) + x->scale * F16_TINY) * SLACK;
            c.relative += 1.01 * F16;
        }
        c.zero = c.error;
        b->columns[x->column] = c;
        worst = fmax(worst, c.error);
    }
    return worst;
}

/* ---- look-ups ---- */

/* One of the two means, as queries read it. */
typedef struct part {
    double least;    /* of what multiplies it */
    double mantissa; /* the same for all queries: they are one number times powers of two */
    double noise;    /* what is added to the column before it is read */
    double keys;     /* errors of keys, each times what multiplies it */
    double scale;    /* of the column */
    double sign;     /* of its products */
    double rest;     /* GPT-2: what the ground leaves, beside the weight; the same for all queries, too */
    bool asked;      /* by a query already */
} part;

static double key_error(const ordinary_bounding *b, const lift_form *f, bool *back) {
    ordinary_row r = ordinary_row_bound(b, f);
    const double *place = lift_place(b->u, f);
    double size = 0, grain = lift_grain(b->u, f);
    for (uint32_t j = 0; j < b->u->m->positions; j++) size = fmax(size, fabs(place[j])); /* no two digits are any */
    double off = fmin(r.error, r.zero + r.share * size);
    if (!b->k.f16_cache) return off * SLACK;
    if (ordinary_row_back(&r, r.scale, grain)) return ordinary_f16_zero(r.zero);
    *back = false;
    return ordinary_f16_error(size, off, r.scale, grain);
}

/* Queries stand alone in pairs that hardly turn: cosines of less than 2^-13 are 1, and what turns into the other
   dimensions is less than 2^-30 of products. */
static void check_pair(const ordinary_bounding *b, const lift_head *h, size_t k) {
    uint32_t half = b->u->m->head_size / 2, pair = h->products[k].dimension % half;
    if (!b->u->frequencies) return;
    NEED(b, h, b->u->frequencies[pair] * ordinary_positions(b) < 0x1p-15, "a pair of its queries turns");
    for (size_t j = 0; j < h->product_count; j++)
        NEED(b, h, j == k || h->products[j].dimension % half != pair, "two of its queries turn into each other");
}

/* No products of one mean cancel out: then what some of them add up to is no more than the whole, which is what
   roundings of sums are counted by. */
static void check_signs(const ordinary_bounding *b, const lift_head *h, const lift_product *p, double sign) {
    const double *place = lift_place(b->u, &p->key);
    for (uint32_t j = 0; j < b->u->m->positions; j++)
        NEED(b, h, sign * p->query.terms[0].weight * place[j] >= 0, "its products cancel out at position %u", j);
}

static void add_part(const ordinary_bounding *b, const lift_head *h, size_t k, part *x, bool *back) {
    const lift_product *p = &h->products[k];
    double row = p->query.terms[0].weight, w = fabs(row) * x->scale;
    int e;
    check_pair(b, h, k);
    NEED(b, h, !x->asked || fabs(frexp(row, &e)) == x->mantissa, "its queries are not one number");
    NEED(b, h, !x->asked || p->query.rest / row == x->rest, "its queries differ in their grounds");
    x->rest = p->query.rest / row;
    x->least = x->asked ? fmin(x->least, w) : w;
    x->asked = true;
    x->mantissa = fabs(frexp(row, &e));
    check_signs(b, h, p, x->sign);
    double noise = 0;
    if (b->u->m->architecture == ORDINARY_GPT2)
        noise = b->mean * (b->k.f16_vectors ? 2.01 : fabs(p->query.rest) / fabs(row) + 8 * F32);
    if (b->k.f16_vectors) noise += F16_TINY;
    if (b->k.f16_cache) noise += F16_TINY / fabs(row);
    x->noise = fmax(x->noise, noise);
    x->keys += w * key_error(b, &p->key, back);
}

/* How far a column of this size is off, relative, when it is asked for: f16 weights round it before it is mixed, and
   once more when it is read unless that rounds it back. */
static double asked(const ordinary_bounding *b, double size) {
    bool back = (b->common + b->own) * size + b->mean < 0x1p-12 * size;
    double share = 24 * F32;
    if (b->k.f16_vectors) share += b->common + (back ? 1.01 : 2.02) * F16;
    if (b->k.f16_cache) share += 1.01 * F16;
    return share;
}

double ordinary_lookup_leak(const ordinary_bounding *b, const lift_head *h) {
    const lift *u = b->u;
    const lift_value *number = lift_value_of(u, h->number);
    double n = ordinary_positions(b), last = n - 1, unit = 0, weights = (last + u->heads[h->of].weight) * 1.002;
    part e = {.scale = u->columns[h->number].scale, .sign = 1},
         one = {.scale = u->columns[h->inverse].scale, .sign = -1};
    bool back = true;
    for (size_t k = 0; k < h->product_count; k++) {
        const lift_form *q = &h->products[k].query;
        bool inverse = q->terms[0].channel == h->inverse;
        add_part(b, h, k, inverse ? &one : &e, &back);
        if (inverse) unit -= q->terms[0].weight * one.scale * lift_place(u, &h->products[k].key)[n > 1];
    }
    lift_number x = lift_number_of(u, &number->value);
    double most = last * fmax(fabs(x.low), fabs(x.high)) + fabs(x.first), far = fmax(most, last);
    NEED(b, h, b->common + b->own < 0x1p-13, "its norm is too far from the identity");
    NEED(b, h, n < 2 || unit > 0, "it has no unit");
    if (n < 2) return 0;
    if (b->k.f16_cache) NEED(b, h, fmin(e.least, one.least) / weights >= 0x1p-13, "a query has few bits in f16");
    /* by how much the place moves: a small number may be rounded twice, and moves less all the same */
    double few = fmin(most, b->mean * 0x1p13 * weights / e.scale);
    double second = asked(b, one.scale / weights) + b->columns[h->inverse].number + one.noise * weights / one.scale;
    NEED(b, h, second < 0x1p-8, "what divides its number is off by %.3g", second);
    double moved = fmax(few * (asked(b, 0) + second), most * (asked(b, most * e.scale / weights) + second));
    moved = 1.01 * (moved + b->columns[h->number].number + e.noise * weights / e.scale) * SLACK;
    /* what scores are off, a step of 1 being 1: roundings of products and of their sums, keys, and their norms */
    double roundings = 6 + 2 * ((double)h->product_count - 2) + (u->frequencies ? 0 : 6);
    double scale = b->k.f16_cache && back ? 0 : b->common;
    double off = (1.02 * F32 * roundings + scale) * far * far + 1.01 * (e.keys * most + one.keys) / unit;
    double worth = unit * (1 - 0x1p-8) / (ordinary_root(b) * weights), left = 1 - scale - 2 * (moved + off * SLACK),
           leak = 0;
    NEED(b, h, left > 0, "a place of up to %g may move by %.3g, and scores are off by %.3g of their steps", most,
         moved, off);
    for (double k = 1; k <= last; k++) {
        double gap = worth * (k * k * (1 - scale) - 2 * k * moved - 2 * off * SLACK) * (1 - 0x1p-40);
        leak += 2 * exp_f64(-gap) * SLACK;
        if (gap > 700) break; /* all others together are less than a share of the first */
    }
    return leak * (1 + 0x1p-20);
}

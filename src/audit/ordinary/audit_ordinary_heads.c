/* Heads: how far a score may be off, how much weight others get beside the right key, and so how far a value is off
   (doc/ordinary.md, "Heads that choose", "Means and comparisons", "Turning heads"). */
#include <math.h>

#include "audit/ordinary/audit_ordinary_bounds.h"
#include "number/elementary.h"
#include "number/format.h"
#include "number/trig.h"

static const double TRIG = 0x1p-22;  /* sines and cosines of a kernel */
static const double CLOSE = 0x1p-30; /* those of this file, of arguments below 2^20 */
static const double LEAST_GAP = 2;   /* below that nothing is summed up */

static double up_exp_of(double x) { return exp_f64(x) * (1 + 0x1p-50); }

/* What is left of a difference of ideal scores when the norm makes the whole query smaller. */
static double shrunk(const ordinary_bounding *b, double gap) { return gap - fabs(gap) * b->common * SLACK; }

/* How far the angle of a pair is off at a position, relative (3k + 4)u; and at the last. */
static double angle_error_at(const ordinary_bounding *b, uint32_t pair, double position) {
    return b->u->frequencies[pair] * position * (3.0 * pair + 4) * F32;
}

static double angle_error(const ordinary_bounding *b, uint32_t pair) {
    return angle_error_at(b, pair, ordinary_positions(b));
}

/* ---- one side of a product ---- */

typedef struct side {
    double size, error;
    double turned; /* a Llama: how far its pair turns over all positions */
} side;

/* Whether a query is rounded back by an f16 cache, the scale that all share included. */
static bool is_query_back(const ordinary_bounding *b, const lift_form *f, const ordinary_row *r, double relative) {
    return ordinary_row_back(r, relative + r->scale, lift_grain(b->u, f));
}

/* A query (whose scale is the same for all of a row, unless some are rounded back and this is not) or a key, after
   turning and rounding. */
static side side_of(const ordinary_bounding *b, const lift_form *f, uint32_t dimension, bool key) {
    const lift *u = b->u;
    ordinary_row r = ordinary_row_bound(b, f);
    side s = {.size = r.size, .error = r.error};
    double relative = key ? r.scale : 0;
    bool mean = false;
    for (size_t k = 0; k < f->count; k++) mean = mean || u->columns[f->terms[k].channel].mean;
    if (u->frequencies) {
        uint32_t pair = dimension % (u->m->head_size / 2);
        s.turned = u->frequencies[pair] * ordinary_positions(b);
        relative += s.turned * s.turned / 2 + angle_error(b, pair) + 2 * TRIG;
    }
    if (b->k.f16_cache) {
        bool back =
            !mean && (key ? ordinary_row_back(&r, relative, lift_grain(u, f)) : is_query_back(b, f, &r, relative));
        if (!back && !key) relative += r.scale;
        /* keys are rounded; queries are, or not */
        if (back)
            s.error = key ? ordinary_f16_zero(r.zero) : ordinary_back_error(s.error + relative * s.size, r.zero);
        else
            s.error = ordinary_f16_error(s.size, s.error, relative, mean ? 0 : lift_grain(u, f));
    } else {
        s.error += relative * s.size;
    }
    s.error *= SLACK;
    return s;
}

/* What two products of one pair make of each other when it turns: the query of one meets the key of the other. */
static double crossing(const ordinary_bounding *b, const lift_head *h, size_t k) {
    uint32_t half = b->u->m->head_size / 2;
    double sum = 0;
    for (size_t j = 0; b->u->frequencies && j < h->product_count; j++) {
        if (j == k || h->products[j].dimension % half != h->products[k].dimension % half) continue;
        side q = side_of(b, &h->products[k].query, h->products[k].dimension, false),
             x = side_of(b, &h->products[j].key, h->products[j].dimension, true);
        sum += (q.size + q.error) * (x.size + x.error) * (q.turned + TRIG);
    }
    return sum;
}

/* How far a score of content may be off, before it is divided: by all, by what differs from key to key, the query
   being the same, or from one key to another that is the same number. */
typedef enum which_error { OF_ALL, OF_KEYS, OF_SAME_KEYS } which_error;

/* How many products a score adds up: dimensions that are 0 add nothing, and round nothing. */
static double term_count(const ordinary_bounding *b, const lift_head *h) {
    return (double)(h->product_count + h->turn_count) * (b->u->frequencies ? 2 : 1);
}

static double content_error(const ordinary_bounding *b, const lift_head *h, size_t from, size_t to,
                            which_error which) {
    double error = 0;
    for (size_t k = from; k < to; k++) {
        const lift_product *p = &h->products[k];
        side q = side_of(b, &p->query, p->dimension, false), j = side_of(b, &p->key, p->dimension, true);
        double size = q.size * j.size;
        if (which != OF_SAME_KEYS) error += (q.size + q.error) * j.error;
        if (which == OF_ALL) error += j.size * q.error;
        error += (term_count(b, h) + 2) * 1.01 * F32 * (q.size + q.error) * (j.size + j.error);
        /* what turns into the other dimension of the pair, and is rounded there; between two keys half of what both
           are apart */
        double turn = which == OF_ALL ? 2 : 0.5 + 2 * F16;
        error += turn * size * q.turned * j.turned + 2 * TRIG * size * q.turned;
        error += (q.size + j.size) * q.turned * (TRIG + F16_TINY + F16 * j.turned);
        error += crossing(b, h, k);
    }
    return error * SLACK;
}

double ordinary_content_error(const ordinary_bounding *b, const lift_head *h, size_t from, size_t to) {
    return content_error(b, h, from, to, OF_ALL);
}

/* ---- values ---- */

/* The largest error of a value after the cache, and how large values are. */
static double value_error(const ordinary_bounding *b, const lift_head *h, double *size) {
    double worst = 0;
    *size = 0;
    for (size_t v = 0; v < h->value_count; v++) {
        ordinary_row r = ordinary_row_bound(b, &h->values[v].value);
        double e = (r.error + r.scale * r.size) * SLACK;
        double grain = lift_grain(b->u, &h->values[v].value);
        if (b->k.f16_cache && ordinary_row_back(&r, r.scale, grain))
            e = ordinary_f16_zero(r.zero); /* at 0; others are exact */
        else if (b->k.f16_cache)
            e = ordinary_f16_error(r.size, r.error, r.scale, grain);
        worst = fmax(worst, e);
        *size = fmax(*size, r.size);
    }
    return worst;
}

/* What the values of a head that chooses are off, if others get `leak` of the right key's weight. */
static double chosen_error(const ordinary_bounding *b, const lift_head *h, double leak) {
    double size, e = value_error(b, h, &size);
    NEED(b, h, leak < 0.25, "others get too much weight: %.3g", leak);
    /* the difference of two values is at most twice the size, and roundings at most what others add */
    double width = 0;
    for (size_t v = 0; v < h->value_count; v++) {
        double low, high;
        lift_range(b->u, &h->values[v].value, &low, &high);
        width = fmax(width, fmax(high - low, fmax(fabs(low), fabs(high))));
    }
    double share = b->k.f16_cache && leak >= 0x1p-13 ? F16 : 0;
    return (2.01 * leak * (width + e) + e + (4 * F32 + share) * (size + e)) * SLACK;
}

static void set_errors(ordinary_bounding *b, const lift_head *h, double error, double relative) {
    for (size_t v = 0; v < h->value_count; v++)
        b->columns[h->values[v].column] =
            (ordinary_column_bound){.error = error, .relative = relative, .zero = error};
}

/* ---- once ---- */

/* The value is the key, in units of what keys are multiples of. A key that is lower by some units has its share of
   the leak by as many powers, and so is worth no more than one that is lower by one. */
static double bound_once(ordinary_bounding *b, const lift_head *h) {
    const lift_product *p = &h->products[0];
    double off = content_error(b, h, 0, 1, OF_ALL) / ordinary_root(b),
           gap = shrunk(b, p->query.one * lift_grain(b->u, &p->key) / ordinary_root(b));
    double n = ordinary_positions(b), leak = n * up_exp_of(2 * off - gap) * SLACK;
    double size, e = value_error(b, h, &size);
    if (b->s->largest) size = fmin(size, b->s->largest[h - b->u->heads]);
    if (lift_grain(b->u, &p->key) == 0) leak = 0; /* all keys and values are 0 */
    NEED(b, h, leak < 0.25, "others get too much weight: %.3g", leak);
    if (!b->k.f16_cache) return (2.01 * leak * (1 + e) + e + (n + 8) * 1.01 * F32 * (size + e)) * SLACK;
    NEED(b, h, n * size <= 2048, "more candidates than f16 can add up");
    /* candidates' keys are rounded to the same number, so that their weights are 1 but for what turns: whole sums
       stay whole */
    ordinary_row key = ordinary_row_bound(b, &p->key), value = ordinary_row_bound(b, &h->values[0].value);
    double turn = 0, grain = lift_grain(b->u, &p->key);
    if (b->u->frequencies) {
        uint32_t pair = p->dimension % (b->u->m->head_size / 2);
        turn = b->u->frequencies[pair] * n;
        turn = turn * turn / 2 + angle_error(b, pair) + 2 * TRIG;
    }
    NEED(b, h, ordinary_f16_back(key.size, key.error, key.scale + turn, grain) || grain == 0,
         "its keys are not rounded back");
    NEED(b, h, ordinary_f16_back(value.size, value.error, value.scale, 1) || grain == 0,
         "its values are not rounded back");
    double differ = content_error(b, h, 0, 1, OF_SAME_KEYS) / ordinary_root(b), shares = 6 * differ;
    /* candidates so much alike, and others that add so little: f16 rounds every sum back, and only the sum of weights
       is off; a little further sums stay within ten units; else each sum, and each time that it is scaled down, may
       be rounded */
    double apart = 2 * (differ + leak) * SLACK;
    if (!(apart < 0x1p-12)) shares += (apart < 0x1p-10 ? fmin(20, 2.2 * n) : 2.2 * n) * F16;
    NEED(b, h, shares < 0x1p-3 && n * leak < 0x1p-3 && n * e < 0x1p-3, "candidates do not weigh the same");
    return (2.01 * leak * (1 + e) + e + (F16 + shares + (n + 8) * 1.01 * F32) * (size + e)) * SLACK;
}

/* ---- nearest ---- */

/* Keys of the same content are s, 2s, ... behind, others `ahead` and more. */
static double geometric(double s, double ahead) {
    return (up_exp_of(-s) + up_exp_of(-ahead)) / (1 - up_exp_of(-s)) * SLACK;
}

/* The numbers of f16 that a computed key may become. */
static void f16_range(double x, double off, double *low, double *high) {
    *low = format_round(&format_f16, x - off);
    *high = format_round(&format_f16, x + off);
}

/* The least and the largest product of numbers between these ends. */
static void product_range(double a, double b, double from, double to, double *low, double *high) {
    double x[4] = {a * from, a * to, b * from, b * to};
    *low = fmin(fmin(x[0], x[1]), fmin(x[2], x[3]));
    *high = fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

/* The least product of a number between these ends and one between those. */
static double least_product(const double ends[2], double from, double to) {
    double x = ends[from < 0] * from, y = ends[to < 0] * to;
    return x < y ? x : y;
}

/* The least step of a ramp from key to key, and its span from the first key to the last, over all rows, before it is
   divided: of the keys that f16 makes, since all of them go one way but not as far as exact ones. */
static double ramp_step(const ordinary_bounding *b, const lift_head *h, double *span) {
    const lift_turn *t = &h->turns[0];
    double n = ordinary_positions(b), length = hypot(t->first, t->second), least = INFINITY;
    double each = TRIG + CLOSE + 4 * F32 + ordinary_pin_error(b), sign = h->last ? 1 : -1;
    NEED(b, h, h->turn_count == 1 && t->first == 0, "its ramp is not one sine");
    *span = 0;
    double *low = arena_alloc(b->s->arena, 2 * (size_t)n, sizeof *low),
           *high = arena_alloc(b->s->arena, 2 * (size_t)n, sizeof *high),
           *from = arena_alloc(b->s->arena, 2 * (size_t)n, sizeof *from),
           *to = arena_alloc(b->s->arena, 2 * (size_t)n, sizeof *to);
    for (uint32_t j = 0; j < b->u->m->positions; j++) {
        double c[2] = {t->key_weight * cos_f64(t->frequency * j), t->key_weight * sin_f64(t->frequency * j)};
        double off = fabs(t->key_weight) * (angle_error_at(b, t->pair, j) + each + b->common);
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t at = 2 * j + k;
            low[at] = c[k] - off;
            high[at] = c[k] + off;
            if (b->k.f16_cache) f16_range(c[k], off, &low[at], &high[at]);
            if (!j) continue;
            from[at] = low[at] - high[at - 2];
            to[at] = high[at] - low[at - 2];
        }
    }
    for (uint32_t i = 1; i < b->u->m->positions; i++) {
        /* the query (0, s) turned by i */
        double q[2] = {-t->second * sin_f64(t->frequency * i), t->second * cos_f64(t->frequency * i)};
        double q_off = length * (angle_error_at(b, t->pair, i) + each) + F16_TINY;
        double ends[2][2], low_at, high_at, whole = 0;
        for (uint32_t k = 0; k < 2; k++) {
            double w = sign * q[k], at = q_off + (b->k.f16_cache ? F16 * (fabs(q[k]) + q_off) : 0);
            ends[k][0] = w - at;
            ends[k][1] = w + at;
            product_range(w - at, w + at, low[2 * i + k] - high[k], high[2 * i + k] - low[k], &low_at, &high_at);
            whole += high_at;
        }
        *span = fmax(*span, whole);
        for (uint32_t j = 1; j <= i; j++) {
            double step = least_product(ends[0], from[2 * j], to[2 * j]) +
                          least_product(ends[1], from[2 * j + 1], to[2 * j + 1]);
            if (step < least) least = step;
        }
    }
    /* products and sums of the dimensions that are not 0, twice */
    double sums = 2 * (term_count(b, h) + 4) * 1.01 * F32 * length * fabs(t->key_weight) * 1.5;
    *span = (*span * (1 + 0x1p-20) + sums) * SLACK;
    return least - sums - 0x1p-20 * fabs(least);
}

/* Whether all queries are one constant times a number each: all are rounded back, or none is rounded. What they are
   off is then a share of the whole score. */
static bool is_shared(const ordinary_bounding *b, const lift_head *h) {
    for (size_t k = 0; k < h->product_count; k++) {
        const lift_form *f = &h->products[k].query;
        ordinary_row r = ordinary_row_bound(b, f);
        if (f->count || (b->k.f16_cache && !is_query_back(b, f, &r, 0))) return false;
    }
    return true;
}

static double bound_nearest(ordinary_bounding *b, const lift_head *h) {
    enum { MOST_RAMP = 16385 }; /* every pair of positions is looked at */
    double r = ordinary_root(b), all = content_error(b, h, 0, h->content, OF_ALL) / r;
    /* keys that tie by different products feel the errors of different queries */
    double keys = h->content > 1 ? all : content_error(b, h, 0, h->content, OF_KEYS) / r;
    double worth = lift_content_gap(b->u, h) / r, s, span;
    if (h->turn_count) {
        NEED(b, h, b->u->m->positions <= MOST_RAMP, "its ramp has more pairs of positions than are audited");
        s = shrunk(b, ramp_step(b, h, &span) / r) - 2 * keys;
        span /= r;
    } else {
        bool shared = is_shared(b, h);
        double digits = content_error(b, h, h->content, h->product_count, shared ? OF_KEYS : OF_ALL) / r;
        double share = 1 - (ordinary_pin_error(b) + b->common) * SLACK;
        s = fabs(h->slope) / r * share - 2 * digits - 2 * keys;
        span = fabs(h->slope) / r * (ordinary_positions(b) - 1) + 2 * digits;
    }
    if (ordinary_positions(b) < 2) s = INFINITY; /* there is nothing beside the start sentinel */
    NEED(b, h, s >= LEAST_GAP, "neighbours are only %.3g apart", s);
    double ahead = worth == 0 ? INFINITY : shrunk(b, worth - span) - 2 * all;
    NEED(b, h, ahead >= LEAST_GAP, "content is only %.3g ahead", ahead);
    return chosen_error(b, h, geometric(s, ahead));
}

/* ---- yesterday ---- */

/* How far a score of pairs that turn may be off, before it is divided. */
static double turning_error(const ordinary_bounding *b, const lift_head *h) {
    double error = 0;
    for (size_t k = 0; k < h->turn_count; k++) {
        const lift_turn *t = &h->turns[k];
        double size = fabs(t->key_weight) * hypot(t->first, t->second);
        double each = angle_error(b, t->pair) + 2 * TRIG + ordinary_pin_error(b) + b->common + 8 * F32;
        if (b->k.f16_cache) each += 1.01 * F16;
        if (b->k.f16_cache) error += 2.01 * F16_TINY * (fabs(t->key_weight) + hypot(t->first, t->second));
        error += size * (2.01 * each + ((double)b->u->m->head_size + 4) * 1.01 * F32 * 2 + CLOSE * 4);
    }
    return error * SLACK;
}

static double bound_yesterday(ordinary_bounding *b, const lift_head *h) {
    double leak = 0, r = ordinary_root(b);
    if (h->turn_count) {
        double off = turning_error(b, h) / r;
        for (double d = 0; d < ordinary_positions(b); d++)
            if (d != 1) leak += up_exp_of((lift_turned(h, d) - lift_turned(h, 1)) / r + 2 * off);
        return chosen_error(b, h, leak * SLACK);
    }
    /* all pairs of positions with the same remainder by 4 are alike, and far ones are far behind */
    double off = content_error(b, h, 0, h->product_count, OF_ALL) / r, worst = 0;
    const double *query[2], *key[2];
    for (size_t k = 0; k < 2; k++) {
        query[k] = lift_place(b->u, &h->products[2 + k].query);
        key[k] = lift_place(b->u, &h->products[2 + k].key);
    }
    for (uint32_t i = 1; i < b->u->m->positions && i < 5; i++) {
        uint32_t last = b->u->m->positions - 1, row = last - (last - i) % 4; /* the longest row that is like i */
        double right = h->slope * (row - 1.0), sum = 0;
        for (size_t k = 0; k < 2; k++) right += query[k][row] * key[k][row - 1];
        for (uint32_t j = 0; j <= row; j++) {
            double score = h->slope * j;
            for (size_t k = 0; k < 2; k++) score += query[k][row] * key[k][j];
            if (j + 1 != row) sum += up_exp_of(2 * off - shrunk(b, (right - score) / r));
        }
        worst = fmax(worst, sum);
    }
    return chosen_error(b, h, worst * SLACK);
}

/* ---- waves ---- */

static double bound_wave(ordinary_bounding *b, const lift_head *h) {
    const lift_turn *t = &h->turns[0];
    double r = ordinary_root(b), n = ordinary_positions(b), k = fabs(t->key_weight),
           length = hypot(t->first, t->second), worst = 0;
    /* queries have the constant 1, and keys the start sentinel's, which f16 rounds as far */
    double scale = 2 * (ordinary_pin_error(b) + b->common) + 8 * F32;
    for (uint32_t i = 1; i < b->u->m->positions; i++) {
        double x = t->first * cos_f64(t->frequency * i) - t->second * sin_f64(t->frequency * i);
        double off = k * length * (t->frequency * i * (3.0 * t->pair + 4) * F32 + 2 * TRIG + CLOSE);
        double plus = 0, product = 0;
        for (size_t j = 0; j < h->product_count; j++) { /* a constant query, whose pair turns a little */
            const lift_product *p = &h->products[j];
            uint32_t pair = p->dimension % (b->u->m->head_size / 2);
            double part = p->query.one * p->key.terms[0].weight;
            plus += part * cos_f64(b->u->frequencies[pair] * i);
            product += fabs(part);
            off += fabs(part) * (angle_error_at(b, pair, i) + TRIG + CLOSE);
            if (b->k.f16_cache) off += (fabs(p->query.one) + fabs(p->key.terms[0].weight)) * F16_TINY;
        }
        double all = k * fabs(x) + product;
        off += all * (scale + ((double)b->u->m->head_size + 4) * 1.01 * F32 * 2 + (b->k.f16_cache ? 2.01 * F16 : 0));
        off += k * length * 4 * TRIG + (b->k.f16_cache ? (k + length) * F16_TINY : 0);
        double score = fabs(k * x * (t->key_weight > 0 ? 1 : -1) + plus) / r - off / r * SLACK;
        NEED(b, h, score >= LEAST_GAP, "its wave is not clear at position %u", i);
        worst = fmax(worst, n * up_exp_of(-score));
    }
    return chosen_error(b, h, worst * SLACK);
}

/* ---- means ---- */

static double bound_mean(ordinary_bounding *b, const lift_head *h) {
    double n = ordinary_positions(b), worst = 0;
    for (size_t v = 0; v < h->value_count; v++) {
        const lift_value *x = &h->values[v];
        ordinary_row r = ordinary_row_bound(b, &x->value);
        double e = (r.error + r.scale * r.size) * SLACK, grain = lift_grain(b->u, &x->value), scale = x->scale;
        ordinary_column_bound c = {.error = scale * (e + (n + 4) * 1.01 * F32 * (r.size + e)) * SLACK};
        if (b->k.f16_cache) {
            NEED(b, h, n * r.size <= 2048 * ordinary_lowest_bit(grain), "its sums do not stay exact in f16");
            NEED(b, h,
                 ordinary_f16_back(r.size, r.error, r.scale, grain) &&
                     n * ordinary_f16_zero(r.zero) < grain * 0x1p-17,
                 "its values are not exact enough: off by %.3g, and by %.3g where they are 0", e, r.zero);
            c = (ordinary_column_bound){.error = scale * 8 * ordinary_f16_zero(r.zero), .relative = F16 + 8 * F32};
        }
        if (b->k.f16_vectors) { /* rounded once more before they are mixed */
            c.error = (c.error * (1 + F16) + scale * F16_TINY) * SLACK;
            c.relative += 1.01 * F16;
        }
        c.zero = c.error;
        b->columns[x->column] = c;
        worst = fmax(worst, c.error);
    }
    return worst;
}

static double bound_compare(ordinary_bounding *b, const lift_head *h) {
    const lift_product *p = &h->products[0];
    uint32_t column = p->query.terms[0].channel;
    const ordinary_column_bound *c = &b->columns[column];
    double w = p->query.terms[0].weight, n = ordinary_positions(b), k = p->key.terms[0].weight;
    double relative = c->relative + b->own + 2 * b->common + 8 * F32, error = c->error;
    if (b->u->m->architecture == ORDINARY_GPT2)
        error += b->mean * (b->k.f16_vectors ? 2.01 : fabs(p->query.rest) / fabs(w) + 8 * F32);
    if (b->k.f16_vectors) relative += 1.01 * F16, error += F16_TINY;
    if (b->u->frequencies) {
        double phi = b->u->frequencies[p->dimension % (b->u->m->head_size / 2)] * n;
        relative += phi * phi + 4 * TRIG + 2 * angle_error(b, p->dimension % (b->u->m->head_size / 2));
    }
    if (b->k.f16_cache) relative += 1.01 * F16, error += F16_TINY / w;
    side key = side_of(b, &p->key, p->dimension, true);
    double least = lift_least_mean(b->u, column);
    double score = w * (least * (1 - relative * SLACK) - error * SLACK) * (k - key.error) / ordinary_root(b);
    score -= ((double)b->u->m->head_size + 4) * 1.01 * F32 * score;
    /* on the other positions the key is 0, but for what is off there, in both dimensions of a pair */
    ordinary_row row = ordinary_row_bound(b, &p->key);
    double stray = 2.01 * (b->k.f16_cache ? ordinary_f16_zero(row.zero) : row.zero),
           most = lift_most_mean(b->u, column) * (1 + relative) + error,
           others = w * most * stray / ordinary_root(b) * SLACK;
    NEED(b, h, score - others >= LEAST_GAP, "its sign is not clear: the score is only %.3g", score - others);
    return chosen_error(b, h, n * up_exp_of(2 * others - score) * SLACK);
}

/* Where weights are f16 the values of heads are rounded before they are mixed: numbers of f16 are rounded back, or
   their errors at most double, and what is 0 is rounded by a share of its error. */
static double mixed_error(const ordinary_bounding *b, const lift_head *h, double error) {
    double most = 0;
    for (size_t v = 0; b->k.f16_vectors && v < h->value_count; v++) {
        ordinary_row r = ordinary_row_bound(b, &h->values[v].value);
        double grain = lift_grain(b->u, &h->values[v].value), bit = ordinary_lowest_bit(grain);
        double rounding = F16 * (r.size + error) + F16_TINY;
        if (bit == 0 || ordinary_f16_back(r.size, error, 0, grain))
            rounding = F16 * error + F16_TINY;
        else if (bit >= 2 * F16_TINY && r.size <= 2048 * bit)
            rounding = fmin(rounding, error);
        most = fmax(most, rounding);
    }
    return (error + most) * SLACK;
}

double ordinary_head_bound(ordinary_bounding *b, const lift_head *h) {
    double error = 0;
    ordinary_check_half(b, h);
    switch (h->role) {
    case LIFT_ONCE: error = bound_once(b, h); break;
    case LIFT_NEAREST: error = bound_nearest(b, h); break;
    case LIFT_YESTERDAY: error = bound_yesterday(b, h); break;
    case LIFT_WAVE: error = bound_wave(b, h); break;
    case LIFT_COMPARE: error = bound_compare(b, h); break;
    case LIFT_MEAN: return bound_mean(b, h);
    case LIFT_WEIGHED: return ordinary_weighed_bound(b, h);
    case LIFT_LOOKUP: error = chosen_error(b, h, ordinary_lookup_leak(b, h)); break;
    }
    set_errors(b, h, mixed_error(b, h, error), 0);
    return error;
}

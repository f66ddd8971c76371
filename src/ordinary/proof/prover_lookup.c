/* Weighed means and the look-ups that divide them (doc/ordinary.md, "Look-ups"). */
#include <math.h>

#include "number/elementary.h"
#include "number/format.h"
#include "ordinary/proof/prover.h"

static bool is_half_cache(const prover *p) { return p->options.kv == ORDINARY_F16; }
static bool is_half_weights(const prover *p) { return p->options.weights == ORDINARY_F16; }
static double last_position(const prover *p) { return (double)p->positions - 1; }

/* ---- weighed means ---- */

/* How far a key of 0 on letters may be off, in a cache of f16 or not. */
static double stray_key(const proved_row *key, bool half) {
    if (!half) return key->zero;
    return key->zero < HALF_TINY ? 0 : up_mul(2, key->zero); /* f16 has nothing below that but 0 */
}

/* The start sentinel has a score of its own, and all letters have 0. */
bool prove_weighed(prover *p, const head_work *h, double error, proved_head *out) {
    double score = 0, stray[2] = {0}, size = 0;
    for (uint32_t r = 0; r < h->hint->rows; r++) {
        uint32_t d = h->hint->dimensions[r];
        const ideal_form *q = &h->query[d].form, *k = &h->key[d].form;
        if (q->count || q->one != q->start || k->count || k->one != 0)
            return prover_fail(p, "a weighed mean asks something else than the start sentinel");
        score += q->one * k->start;
        size = up_add(size, fabs(q->one * k->start));
        double query = up_add(h->query[d].size, prover_row_error(&h->query[d]));
        for (int half = 0; half < 2; half++)
            stray[half] = up_add(stray[half], up_mul(query, stray_key(&h->key[d], half)));
    }
    score /= h->root;
    size = up_div(size, h->root);
    if (!(score >= 0 && size < 64 && error < 0x1p-8))
        return prover_fail(p, "the score of a weighed mean is not clear");
    out->score = size;
    out->rounding = error;
    out->gap = score;
    out->leak = 0;
    h->weighed->weight = exp_f64(score);
    /* exp has 4u, and a score less the largest one is rounded; letters whose scores are the same number have the same
       share */
    double rounding = up_mul(UNIT, up_add(16, up_mul(4, size)));
    h->weighed->off = up_add(up_mul(2.01, error), up_add(0x1p-40, rounding));
    for (int half = 0; half < 2; half++)
        h->weighed->apart[half] = stray[half] == 0 ? 0 : up_add(up_mul(2.01, up_div(stray[half], h->root)), rounding);
    return true;
}

/* Without what lies on the first letter, and that. */
static double first_letter_part(const prover *p, const ideal_form *f, ideal_form *rest) {
    double part = 0;
    *rest = (ideal_form){.one = f->one};
    for (size_t k = 0; k < f->count; k++) {
        const ideal_node *n = &p->x->nodes[f->terms[k].node];
        bool first = n->kind == IDEAL_PLACE && n->values[1] != 0;
        for (size_t i = 2; first && i < p->positions; i++) first = n->values[i] == 0;
        if (first && p->positions > 1)
            part += f->terms[k].weight * n->values[1];
        else
            ideal_add_node(p->x, rest, f->terms[k].node, f->terms[k].weight);
    }
    ideal_finish(p->x, rest);
    return part;
}

/* An f16 cache: sums of whole numbers stay exact if letters weigh the same power of two, up to what f16 rounds away
   beside a sum that is not 0; a sum that is 0 again keeps what its parts are off. */
static bool is_power_in_half(prover *p, const weighed_mean *w, double *wrong) {
    int exponent;
    double power = frexp(w->weight, &exponent) > 0.75 ? 1 : 0.5; /* the nearest power of two, beside frexp's */
    *wrong = up_add(fabs(w->weight / ldexp(power, exponent) - 1), w->off);
    if (w->apart[1] > 0) return prover_fail(p, "letters of a weighed mean do not weigh the same");
    return w->weight <= 0x1p12 || prover_fail(p, "the start sentinel of a mean weighs too much for f16");
}

/* f16 weights round what a head says before it is mixed: by a share of the number, which look-ups count, by that of
   what it is off, and, if the number may be 0 or so small that f16 has fewer bits, by half the least number of f16.
   `first`: it is the number of the first letter alone. */
static double mixed_number(const prover *p, const weighed_mean *w, bool first, double off) {
    double weights = up_mul(up_add(last_position(p), w->weight), 1.002);
    return up_add(up_mul(off, 1 + HALF_UNIT), first && weights <= 0x1p13 ? 0 : up_mul(HALF_TINY, weights));
}

/* What letters add up to is off by so much, in units of the share of one letter. */
bool prove_weighed_value(prover *p, const proved_row *value, weighed_mean *w) {
    double n = (double)p->positions, e = prover_row_error(value), zero = value->zero, least, most;
    ideal_form rest;
    double part = first_letter_part(p, &value->form, &rest), first = fabs(part);
    ideal_letter_range(p->x, &rest, &least, &most);
    double of_letters = 1.01 * (n - 1) / (n - 1 + w->weight), of_first = 1.01 / (1 + w->weight);
    w->least = fmin(least, 0) * of_letters + fmin(part, 0) * of_first;
    w->most = fmax(most, 0) * of_letters + fmax(part, 0) * of_first;
    double each = fmax(fabs(least), fabs(most)), all = up_add(up_mul(n - 1, each), first);
    if (value->form.start != 0 || !ideal_is_whole(p->x, &value->form, 1))
        return prover_fail(p, "a weighed mean is not one of whole numbers on letters");
    /* values that are not 0 are off by e, others by `zero`, and the sentinel's counts as often as it weighs */
    double letters = each > 0 ? n : 1, others = up_mul(up_add(n, up_mul(2, w->weight)), zero), sums;
    sums = up_mul(all, up_add(w->apart[0], up_mul(n + 16, 1.01 * UNIT)));
    w->number_off[0] = up_add(sums, up_add(up_mul(letters, e), others));
    w->number_off[1] = 0;
    if (is_half_cache(p)) {
        double size = up_add(each, first), wrong;
        bool both_signs = least < 0 || part < 0;
        if (!(all <= 2048)) return prover_fail(p, "counts go beyond 2048, where sums of f16 are not exact");
        if (!is_power_in_half(p, w, &wrong)) return false;
        /* beside the first sum that is not 0 all of this has to vanish together */
        double noise = up_add(up_mul(both_signs ? 2 * size : size, wrong), up_mul(8, others));
        if (!(e < 0x1p-12 && noise < 0x1p-12))
            return prover_fail(p,
                               "sums of a count are not rounded back in f16: values are off by %.3g, and by %.3g "
                               "where they are 0, the weight of the start sentinel by %.3g of a power of two",
                               e, zero, wrong);
        sums = up_mul(all, up_mul(n + 16, 1.01 * UNIT));
        w->number_off[1] = up_add(sums, up_mul(8, others));
        if (both_signs) w->number_off[1] = up_add(w->number_off[1], up_mul(2 * size, wrong));
    }
    double *number = &w->number_off[is_half_cache(p)];
    if (is_half_weights(p)) *number = mixed_number(p, w, each == 0 && part != 0, *number);
    return true;
}

/* ---- look-ups ---- */

/* One of the two means: what it is off, beside what both share. Pairs of numbers: as computed with an f32 cache, and
   with one of f16. */
typedef struct divided {
    const weighed_mean *w; /* NULL: nothing is known yet */
    uint32_t column;       /* that queries read */
    double scale;          /* it holds so many times the mean */
    double column_error;
    double *sum;            /* [positions] what its products add up to */
    double least, mantissa; /* of weights */
    double ground;          /* GPT-2: its weight beside the query's, once one has `asked` */
    bool asked;
    double off[2];  /* of the numerator */
    double keys[2]; /* errors of keys, each times its weight */
} divided;

/* The mean that queries read, by the column that they read: another with the same ideal value may be off by more or
   less, and be larger or smaller. */
static bool find_mean(prover *p, ideal_node_id node, uint32_t column, double weight, divided *out) {
    const proved_column *c = &p->columns[column];
    int e;
    if (!c->weighed || p->weighed[c->weighed - 1].node != node || c->form.count != 1 || c->form.one != 0)
        return prover_fail(p, "a look-up reads what is no weighed mean");
    out->w = &p->weighed[c->weighed - 1];
    out->column = column;
    out->scale = fabs(c->form.terms[0].weight);
    out->column_error = c->error;
    out->least = fabs(weight);
    out->mantissa = fabs(frexp(weight, &e));
    return true;
}

/* Of a row that reads one column and the ground. */
static uint32_t column_of(const prover *p, const float *row) {
    uint32_t c = p->first;
    while (c + 1 < p->width && row[c] == 0) c++;
    return c;
}

/* How far a key is off beside the scale of its norm. */
static double key_error(const proved_row *key, bool half) {
    double by_share = up_add(key->zero, up_mul(key->share, key->size)), off = fmin(key->error, by_share);
    if (!half) return off;
    bool has = key->grid >= 2 * HALF_TINY && key->size <= 2048 * key->grid;
    double most =
        fmin(prover_row_error(key), up_add(key->zero, up_mul(up_add(key->share, key->relative), key->grid)));
    if (has && most < 0x1p-12 * key->grid) return up_mul(2, key->zero); /* rounded back, but for 0 */
    return prover_half(key->size, key->grid, up_add(off, up_mul(key->relative, key->size)));
}

static bool add_product(prover *p, const head_work *h, uint32_t d, divided *both, double *values) {
    const proved_row *q = &h->query[d], *k = &h->key[d];
    int e;
    bool fits = q->is_mean && q->form.count == 1 && q->form.one == 0 &&
                p->x->nodes[q->form.terms[0].node].kind == IDEAL_WEIGHED;
    if (!fits) return prover_fail(p, "a look-up asks something else than one weighed mean");
    if (!ideal_is_place(p->x, &k->form, values)) return prover_fail(p, "a key of a look-up is no position");
    double w = q->form.terms[0].weight;
    divided *x = &both[w < 0];
    const float *row = p->m->layers[h->hint->layer].query + ((size_t)h->hint->slot * p->m->head_size + d) * p->width;
    uint32_t column = column_of(p, row);
    if (!x->w && !find_mean(p, q->form.terms[0].node, column, w, x)) return false;
    if (x->column != column || x->w->node != q->form.terms[0].node || fabs(frexp(w, &e)) != x->mantissa)
        return prover_fail(p, "queries of a look-up are not one number times powers of two");
    double ground = p->m->architecture == ORDINARY_GPT2 ? prover_weight(p, row[GPT2_PINS - 1]) / w : 0;
    if (x->ground != ground && x->asked) return prover_fail(p, "queries of a look-up differ in their grounds");
    x->ground = ground;
    x->asked = true;
    x->least = fmin(x->least, fabs(w));
    for (size_t j = 0; j < p->positions; j++) {
        /* then what some products of a mean add up to is no more than all do, which roundings are counted by */
        if (values[j] < 0) return prover_fail(p, "products of a look-up cancel out");
        x->sum[j] += w * values[j];
    }
    /* what the query is off beside its column, in units of the numerator */
    double own = up_mul(fabs(w), up_div(x->column_error, x->scale));
    double rest = fmax(0, sub_up(up_mul(q->error, 1 + 0x1p-30), own * (1 - 0x1p-50)));
    double weights = up_add(last_position(p), up_mul(x->w->weight, 1.01));
    rest = up_mul(1.01, up_div(up_mul(rest, weights), fabs(w)));
    for (int half = 0; half < 2; half++) {
        x->off[half] = fmax(x->off[half], up_add(x->w->number_off[half], rest));
        x->keys[half] = up_add(x->keys[half], up_mul(fabs(w), key_error(k, half)));
    }
    return true;
}

/* Of a number of this size, beside what both queries share: once by f16 weights, if it is rounded back when it is
   read again, or twice; and by an f16 cache. Runtimes that have no f16 cache round no vectors either. */
static double query_share(const prover *p, double size, bool half) {
    double share = 24 * UNIT, noise = up_add(up_mul(up_add(p->norm_error, p->norm_own), size), p->mean_sure);
    bool back = noise < 0x1p-12 * size;
    if (is_half_weights(p) && half == is_half_cache(p))
        share = up_add(share, up_add(p->norm_error, (back ? 1.01 : 2.02) * HALF_UNIT));
    if (half) share = up_add(share, 1.01 * HALF_UNIT);
    return share;
}

static bool hardly_turns(const prover *p, const head_work *h, uint32_t d) {
    uint32_t half = p->m->head_size / 2, e = d < half ? d + half : d - half;
    if (p->m->architecture == ORDINARY_GPT2) return true;
    return h->query[e].is_zero && h->key[e].is_zero &&
           up_mul(prover_frequency(p, d % half), (double)p->positions) < 0x1p-15;
}

/* The largest number that is looked up, and the form that is added up. */
static double most_of(const prover *p, ideal_node_id node) {
    ideal_form rest;
    double least, most, first;
    first = fabs(first_letter_part(p, &p->x->forms[p->x->nodes[node].value], &rest));
    ideal_letter_range(p->x, &rest, &least, &most);
    return up_add(up_mul(last_position(p), fmax(fabs(least), fabs(most))), first);
}

static bool is_first_letter(const prover *p, ideal_node_id node) {
    ideal_form rest;
    const ideal_form *f = &p->x->forms[p->x->nodes[node].value];
    return first_letter_part(p, f, &rest) == 1 && rest.count == 0 && rest.one == 0 && f->start == 0;
}

/* The score is unit (2 e j - j^2) over the weights. */
typedef struct parabola {
    double unit, most, weights, roundings;
    bool back; /* an f16 cache rounds all keys back */
} parabola;

static double leak_of(prover *p, const head_work *h, const divided *e, const divided *one, const parabola *x,
                      bool half, proved_head *out) {
    double last = last_position(p);
    /* the number that is looked up: where it is small it may be rounded once more */
    double small = fmin(x->most, up_div(up_mul(up_mul(p->mean_sure, 0x1p14), x->weights), e->scale));
    double second = up_add(query_share(p, one->scale / x->weights, half), one->off[half]);
    if (!(second < 0x1p-8)) {
        prover_fail(p, "what divides the number of a look-up is off by %.3g", second);
        return INFINITY;
    }
    double moved = up_mul(small, up_add(query_share(p, 0, half), second));
    moved = fmax(moved, up_mul(x->most, up_add(query_share(p, x->most * e->scale / x->weights, half), second)));
    moved = up_mul(1.01, up_add(moved, e->off[half]));
    /* what scores are off, in units of a score of 1: sums, keys, and the scale of each key's norm */
    double far = fmax(x->most, last), square = up_mul(far, far);
    double off = up_mul(up_mul(1.02 * UNIT, x->roundings), square);
    off = up_add(off, up_div(up_mul(1.01, up_add(up_mul(e->keys[half], x->most), one->keys[half])), x->unit));
    double scale = half && x->back ? 0 : p->norm_error;
    off = up_add(off, up_mul(scale, square));
    double worth = next_down(x->unit * (1 - 0x1p-8) / up_mul(h->root, x->weights)), leak = 0;
    double left = next_down(next_down(1 - scale) - up_mul(2, up_add(moved, off)));
    out->score = fmax(out->score, up_mul(worth, square));
    out->rounding = fmax(out->rounding, up_mul(worth, off));
    out->gap = fmin(out->gap, worth * left);
    if (!(left > 0)) {
        prover_fail(p, "a place of up to %g may move by %.3g, and scores are off by %.3g of their steps", x->most,
                    moved, off);
        return INFINITY;
    }
    for (double k = 1; k <= fmax(last, 1); k++) {
        double gap = next_down(worth * next_down(k * k * (1 - scale) - up_add(up_mul(2 * k, moved), 2 * off)));
        leak = up_add(leak, up_mul(2, up_exp(-gap)));
        if (gap > 700) break; /* all that follow are together less than a share of the first */
    }
    return up_mul(leak, 1 + 0x1p-20);
}

bool prove_lookup(prover *p, const head_work *h, proved_head *out, ideal_form *number) {
    size_t n = p->positions;
    double *values = arena_alloc(p->arena, n, sizeof *values);
    divided both[2] = {{.sum = arena_zalloc(p->arena, n, sizeof *values)},
                       {.sum = arena_zalloc(p->arena, n, sizeof *values)}};
    for (uint32_t r = 0; r < h->hint->rows; r++) {
        uint32_t d = h->hint->dimensions[r];
        if (!hardly_turns(p, h, d)) return prover_fail(p, "a look-up stands in a pair that turns");
        if (is_half_cache(p) &&
            !(up_mul(1.01, up_add(h->query[d].size, prover_row_error(&h->query[d]))) <= HALF_MOST))
            return prover_fail(p, "a query is beyond f16");
        if (!add_product(p, h, d, both, values)) return false;
    }
    divided *e = &both[0], *one = &both[1];
    if (!e->w || !one->w || e->w->layer != one->w->layer || e->w->slot != one->w->slot ||
        !is_first_letter(p, one->w->node))
        return prover_fail(p, "a look-up does not divide two means of one head");
    parabola x = {.unit = n > 1 ? -one->sum[1] : 1, .most = most_of(p, e->w->node), .back = true};
    for (uint32_t r = 0; r < h->hint->rows; r++) {
        const proved_row *k = &h->key[h->hint->dimensions[r]];
        x.back = x.back && key_error(k, true) <= up_mul(2, k->zero);
    }
    for (size_t j = 0; j < n; j++)
        if (e->sum[j] != 2 * x.unit * (double)j || one->sum[j] != -x.unit * (double)j * (double)j)
            return prover_fail(p, "the keys of a look-up are not j and its square");
    if (!(x.unit > 0)) return prover_fail(p, "a look-up has no unit");
    x.weights = up_mul(up_add(last_position(p), up_mul(e->w->weight, 1 + e->w->off)), 1.001);
    /* in squares of the largest number: products add up to 3 of them, what some add up to is at most 2, the whole 1,
       and the division by the root counts 2; of a GPT-2 each query has a rounding of its own. What a Llama turns into
       the partners is rounded by no more than itself. */
    x.roundings = 3 + 2 * ((double)h->hint->rows - 2) + 1 + 2 + (p->m->architecture == ORDINARY_GPT2 ? 6 : 0);
    if (is_half_cache(p) && !(fmin(e->least, one->least) / x.weights >= 0x1p-13))
        return prover_fail(p, "a query of a look-up has fewer bits in f16");
    *number = p->x->forms[p->x->nodes[e->w->node].value];
    out->gap = INFINITY;
    out->leak = leak_of(p, h, e, one, &x, false, out);
    if (is_half_cache(p)) out->leak = fmax(out->leak, leak_of(p, h, e, one, &x, true, out));
    return isfinite(out->leak);
}

/* Weighed means and look-ups of doc/ordinary.md a second time ("Look-ups"). */
#include <math.h>

#include "ordinary_page_parts.h"

/* The score of a weighed mean: by how much the sentinel's share may be wrong beside a letter's, and those of two
   letters beside each other. */
typedef struct shares {
    real sentinel, letters;
} shares;

static shares read_shares(page_view *x, const lift_head *h) {
    real size = 0, stray = 0, root = sqrtl(x->u->m->head_size);
    for (size_t k = 0; k < h->product_count; k++) {
        page_row q = page_read_row(x, &h->products[k].query), key = page_read_row(x, &h->products[k].key);
        real left = key.zero; /* on letters the key is 0 */
        if (x->cache16) left = left < TINY ? 0 : page_zero_rounded(left);
        stray += left * (q.size + x->common * q.size + q.error);
        size += q.size * key.size;
    }
    size /= root;
    real roundings = (16 + 4 * size) * U;
    shares s = {.sentinel = 2.01L * page_score_off(x, h) + roundings + 0x1p-40L};
    if (stray != 0) s.letters = 2.01L * stray / root + roundings;
    page_ask(x, size < 64, "the score of a sentinel");
    page_ask(x, s.sentinel < 0x1p-11L, "the weight of a sentinel");
    return s;
}

/* How far the weight of the sentinel is from a power of two, at least 1. */
static real no_power(real weight) {
    real power = exp2l(ceill(log2l(weight / 1.5L)));
    return fabsl(weight / fmaxl(power, 1) - 1);
}

real page_weighed(page_view *x, const lift_head *h) {
    real n = x->u->m->positions, worst = 0, w = h->weight;
    shares s = read_shares(x, h);
    for (size_t k = 0; k < h->value_count; k++) {
        const lift_value *v = &h->values[k];
        page_row r = page_read_row(x, &v->value);
        lift_number number = lift_number_of(x->u, &v->value);
        real each = fmaxl(fabsl(number.low), fabsl(number.high)), sum = each * (n - 1) + fabsl(number.first);
        real e = x->common * r.size + r.error, zeros = r.zero * (n + 2 * w), roundings = 1.01L * U * (n + 16);
        real eta = sum * s.letters + sum * roundings + zeros + (each > 0 ? n * e : e);
        if (x->cache16) {
            real wrong = (each + fabsl(number.first)) * (no_power(w) + s.sentinel);
            bool both = number.low < 0 || number.first < 0;
            page_ask(x, s.letters == 0, "letters that weigh the same");
            page_ask(x, (both ? wrong * 2 : wrong) + 8 * zeros < 0x1p-12L, "sums that are rounded back");
            page_ask(x, w <= 4096, "a light sentinel");
            page_ask(x, sum <= 2048, "the sums of a weighed mean");
            page_ask(x, e < 0x1p-12L, "the values of a weighed mean");
            eta = sum * roundings + 8 * zeros + (both ? 2 * wrong : 0);
        }
        x->number[v->column] = eta;
        if (x->vectors16) {
            bool one = number.low == 0 && number.high == 0 && number.first != 0;
            real all = 1.002L * (n - 1 + w);
            x->number[v->column] += V * eta + (one && all <= 8192 ? 0 : all * TINY);
        }
        x->error[v->column] = 1.01L * v->scale * eta / (w + 1);
        x->relative[v->column] = 16 * U;
        if (x->vectors16) {
            x->error[v->column] += V * x->error[v->column] + TINY * v->scale;
            x->relative[v->column] += 1.01L * V;
        }
        x->zero[v->column] = x->error[v->column];
        worst = fmaxl(worst, x->error[v->column]);
    }
    return worst;
}

/* ---- look-ups ---- */

static real key_off(const page_view *x, const lift_form *f, bool *all_back) {
    page_row r = page_read_row(x, f);
    const double *place = lift_place(x->u, f);
    real size = 0, off = r.error;
    for (uint32_t j = 0; j < x->u->m->positions; j++)
        if (fabsl(place[j]) > size) size = fabsl(place[j]);
    if (r.zero + r.share * size < off) off = r.zero + r.share * size;
    if (!x->cache16) return off;
    if (page_row_is_back(&r, x->common, lift_grain(x->u, f))) return page_zero_rounded(r.zero);
    *all_back = false;
    return page_rounded(size, off, x->common, lift_grain(x->u, f));
}

/* What is asked of the queries of one mean, and what they are off. */
typedef struct queries {
    real least, noise, keys, unit;
} queries;

static bool is_whole_power(real x) { return x != 0 && log2l(fabsl(x)) == rintl(log2l(fabsl(x))); }

static queries read_queries(page_view *x, const lift_head *h, uint32_t column, real sign, bool *back) {
    const lift *u = x->u;
    queries out = {.least = INFINITY};
    uint32_t half = u->m->head_size / 2;
    const lift_form *before = NULL;
    for (size_t k = 0; k < h->product_count; k++) {
        const lift_product *p = &h->products[k];
        const lift_form *q = &p->query;
        if (q->terms[0].channel != column) continue;
        real w = q->terms[0].weight, noise = 0, scale = u->columns[column].scale;
        for (size_t j = 0; u->frequencies && j < h->product_count; j++)
            if (j != k) page_ask(x, h->products[j].dimension % half != p->dimension % half, "two queries of a pair");
        if (u->frequencies)
            page_ask(x, (real)u->frequencies[p->dimension % half] * u->m->positions < 0x1p-15L, "queries that turn");
        if (before) {
            page_ask(x, is_whole_power(w / before->terms[0].weight), "queries with other digits");
            page_ask(x, q->rest / q->terms[0].weight == before->rest / before->terms[0].weight, "other grounds");
        }
        before = q;
        const double *place = lift_place(u, &p->key);
        for (uint32_t j = 0; j < u->m->positions; j++)
            page_ask(x, sign * w * place[j] >= 0, "products that cancel out");
        if (u->m->architecture == ORDINARY_GPT2)
            noise = x->mean * (x->vectors16 ? 2.01L : fabsl(q->rest / w) + 8 * U);
        noise += (x->vectors16 ? TINY : 0) + (x->cache16 ? TINY / fabsl(w) : 0);
        out.noise = fmaxl(out.noise, noise);
        out.least = fminl(out.least, fabsl(w) * scale);
        out.keys += fabsl(w) * scale * key_off(x, &p->key, back);
        out.unit += fabsl(w) * scale * fabsl(place[u->m->positions > 1]);
    }
    return out;
}

/* How far a query is off, relative, beside what both share; `size` is that of the mean. */
static real query_share(const page_view *x, real size) {
    real share = 24 * U, off = x->common * size + x->own * size + x->mean;
    if (x->cache16) share += 1.01L * V;
    if (x->vectors16) share += x->common + 1.01L * V * (off < size / 4096 ? 1 : 2);
    return share;
}

real page_lookup_leak(page_view *x, const lift_head *h) {
    const lift *u = x->u;
    real n = u->m->positions, d = 1.002L * (n - 1 + u->heads[h->of].weight), leak = 0;
    real scales[2] = {u->columns[h->number].scale, u->columns[h->inverse].scale};
    bool back = true;
    queries e = read_queries(x, h, h->number, 1, &back), one = read_queries(x, h, h->inverse, -1, &back);
    lift_number number = lift_number_of(u, &lift_value_of(u, h->number)->value);
    real c = fmaxl(fabsl(number.low), fabsl(number.high)) * (n - 1) + fabsl(number.first), far = fmaxl(c, n - 1);
    page_ask(x, x->common + x->own < 0x1p-13L, "the norm of a look-up");
    page_ask(x, n < 2 || one.unit > 0, "a look-up without a unit");
    if (n < 2 || x->refused) return 0;
    if (x->cache16) page_ask(x, e.least >= d / 8192 && one.least >= d / 8192, "queries of few bits");
    /* the place moves; a mean so small that it is not rounded back is of a number of at most `small` */
    real small = fminl(c, x->mean * 8192 * d / scales[0]);
    real eta = x->number[h->inverse] + one.noise * d / scales[1] + query_share(x, scales[1] / d);
    page_ask(x, eta < 1 / 256.0L, "what a look-up divides by");
    real moved = fmaxl(small * (query_share(x, 0) + eta), c * (query_share(x, c * scales[0] / d) + eta));
    moved = 1.01L * (moved + x->number[h->number] + e.noise * d / scales[0]);
    real nu = x->cache16 && back ? 0 : x->common;
    real roundings = 3 + 2 * ((real)h->product_count - 2) + 1 + 2 + (u->m->architecture == ORDINARY_GPT2 ? 6 : 0);
    real b = (nu + 1.02L * U * roundings) * far * far + 1.01L * (e.keys * c + one.keys) / one.unit;
    page_ask(x, 1 - nu - 2 * moved - 2 * b > 0, "the place of a look-up");
    if (x->refused) return 0;
    real a = one.unit * (1 - 1 / 256.0L) / (sqrtl(u->m->head_size) * d);
    for (real k = n - 1; k > 0; k--) leak += expl(-a * (k * k * (1 - nu) - 2 * (k * moved + b)));
    return 2 * leak * (1 + 0x1p-20L);
}

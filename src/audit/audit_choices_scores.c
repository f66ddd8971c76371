/* How far logits are off (doc/certificate.md, "Errors of scores"), and tie-breaks by the position. */
#include <math.h>

#include "audit/audit_choices_errors.h"

/* ---- tie-breaks ---- */

static bool product_is_exact(double x, double y) {
    double z = x * y;
    return x == 0 || y == 0 || (isfinite(z) && fabs(z) >= 0x1p-900 && fma(x, y, -z) == 0);
}

static bool is_embedded(const temper_model *m, uint32_t channel) {
    for (uint32_t k = 0; k < m->embedding.start[m->embedding.count]; k++)
        if (m->embedding.terms[k].channel == channel) return true;
    return false;
}

static bool rows_write(const model_rows *rows, uint32_t channel) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (rows->terms[k].channel == channel) return true;
    return false;
}

static bool is_written(const temper_model *m, uint32_t channel) {
    for (uint32_t l = 0; l < m->layer_count; l++) {
        if (rows_write(&m->layers[l].out, channel)) return true;
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (rows_write(&m->layers[l].heads[h].output, channel)) return true;
    }
    return false;
}

static double feature_at(const hard_choices *g, const expression *x, size_t i, size_t n) {
    return expression_eval(x, (double)i, (double)n, (double)choices_positions(g, n));
}

/* What dimension d adds to score j is slope * j, exactly and in every step of the run; false if that is not
   certain. */
static bool is_slope(const hard_choices *g, const model_head *h, uint32_t d, double *query, double *slope) {
    const temper_model *m = g->model;
    const audit *a = g->audit;
    if (rows_size(&h->query, d) != 1 || rows_size(&h->key, d) != 1) return false;
    const model_term *q = rows_begin_of(&h->query, d), *k = rows_begin_of(&h->key, d);
    const model_channel *qc = &m->channels[q->channel], *kc = &m->channels[k->channel];
    if (!kc->soft_only || qc->soft_only || !qc->position || !kc->position) return false;
    if (is_embedded(m, q->channel) || is_embedded(m, k->channel)) return false;
    if (is_written(m, q->channel) || is_written(m, k->channel)) return false;
    if (!audit_is_stored(a, q->weight) || !audit_is_stored(a, k->weight)) return false;
    double f = feature_at(g, qc->position, 0, g->length), beta = feature_at(g, kc->position, 1, g->length);
    if (!isfinite(f) || !isfinite(beta)) return false;
    if (!product_is_exact(q->weight, f) || !product_is_exact(k->weight, beta)) return false;
    if (!audit_is_stored(a, f) || !audit_is_stored(a, q->weight * f)) return false;
    for (size_t n = 0; n <= g->length; n++)
        for (size_t i = 0; i < choices_positions(g, n); i++) {
            if (feature_at(g, qc->position, i, n) != f) return false;
            if (feature_at(g, kc->position, i, n) != beta * (double)i) return false;
        }
    for (size_t i = 1; i < choices_positions(g, g->length); i++) {
        double x = beta * (double)i;
        if (!product_is_exact(beta, (double)i) || !product_is_exact(k->weight, x)) return false;
        if (!audit_is_stored(a, x) || !audit_is_stored(a, k->weight * x)) return false;
    }
    *query = q->weight * f;
    *slope = *query * (k->weight * beta);
    return product_is_exact(*query, k->weight * beta);
}

tie_break slope_find(const hard_choices *g, const model_head *h) {
    tie_break t = {0};
    if (h->choice != TEMPER_CHOICE_SOFTMAX || h->adaptive || h->hard_choice == TEMPER_CHOICE_AVERAGE) return t;
    for (uint32_t d = 0; d < h->query.count; d++) {
        double query, slope;
        if (!is_slope(g, h, d, &query, &slope)) continue;
        t.found = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? slope > 0 : slope < 0;
        t.dimension = d;
        t.sigma = fabs(slope);
        t.query = fabs(query);
        break;
    }
    return t;
}

/* ---- scores ---- */

static double scale_of(const errors *e, const head_claim *f) {
    const model_head *h = f->exact.head;
    if (h->choice != TEMPER_CHOICE_SOFTMAX || !h->scale) return 1;
    double scale = format_round(e->t->sums, expression_eval(h->scale, 0, (double)e->n, (double)e->positions));
    if (!(scale > 0) || !isfinite(scale))
        audit_refuse(e->a, f->layer, f->number, "at length %zu its scale is not a positive number", e->n);
    return scale;
}

score_error score_find(errors *e, const head_claim *f, const tie_break *tie) {
    const model_head *h = f->exact.head;
    calculus *c = e->c;
    const extent *stage = choices_stage(e->g, 2 * ((size_t)f->layer - 1));
    score_error s = {.scale = scale_of(e, f), .tie = *tie};
    const ball *scale = num(c, s.scale), *size = e->zero, *off = e->zero, *keys = e->zero;
    const ball *growth = up(c, e->t->ua, (uint64_t)h->query.count + 4);
    if (!ball_is_at_most(growth, num(c, 2)))
        audit_refuse(e->a, f->layer, f->number, "at length %zu a score has too many terms for the type", e->n);
    const ball *grown = mul(c, growth, scale);
    bool constant = !tie->found, exact = true;
    int grid = tie->found ? grid_of_double(tie->sigma) : GRID_ZERO;
    if (tie->found) {
        size = mul(c, num(c, tie->sigma), num(c, (double)e->positions - 1));
        keys = over(c, size, num(c, tie->query));
    }
    for (uint32_t d = 0; d < h->query.count; d++) {
        if (tie->found && d == tie->dimension) {
            error_room(e, mul(c, grown, num(c, tie->query)), e->t->fa, f->layer, f->number, "a query");
            continue; /* all its numbers are exact */
        }
        const extent *q = &f->query[d], *k = &f->key[d];
        error_sum query_sum = sum_row(e, &h->query, d, stage, f->layer, f->number);
        error_sum key_sum = sum_row(e, &h->key, d, stage, f->layer, f->number);
        const ball *eq = sum_error(e, &query_sum, SUM_STORED), *ek = sum_error(e, &key_sum, SUM_STORED);
        const ball *query = add(c, num(c, q->size), eq), *key = add(c, num(c, k->size), ek);
        error_room(e, mul(c, grown, query), e->t->fa, f->layer, f->number, "a query");
        size = add(c, size, mul(c, query, key));
        keys = add(c, keys, key);
        bool eq_zero = error_is_zero(e, eq), ek_zero = error_is_zero(e, ek);
        exact = exact && eq_zero && ek_zero;
        if (q->size > 0 && k->size > 0) {
            int sum = q->grid == GRID_NONE || k->grid == GRID_NONE ? GRID_NONE : q->grid + k->grid;
            if (sum < grid) grid = sum;
        }
        if (error_is_zero(e, query) || (k->width == 0 && ek_zero)) continue;
        constant = false;
        const ball *wide = mul(c, eq, num(c, k->width)), *moved = mul(c, mul(c, num(c, 2), query), ek);
        off = add(c, off, add(c, wide, moved));
    }
    s.size = size;
    s.logit = mul(c, scale, size);
    error_room(e, mul(c, growth, size), e->t->fa, f->layer, f->number, "a score");
    error_room(e, mul(c, growth, s.logit), e->t->fa, f->layer, f->number, "a logit");
    uint64_t rows = h->query.count;
    const ball *twice = mul(c, num(c, 2), size), *least = over(c, sub(c, e->tau, num(c, e->t->ts)), scale);
    const ball *ulps = e->zero; /* a unit in the last place of two logits */
    bool moved = h->choice == TEMPER_CHOICE_SOFTMAX && !h->adaptive && !error_is_zero(e, size);
    if (moved)
        ulps = add(c, mul(c, mul(c, twice, up(c, e->t->ua, rows + 2)), sub(c, up(c, e->t->ua, 2), e->one)),
                   mul(c, num(c, 2), least));
    const ball *rounding = add(c, mul(c, twice, sub(c, up(c, e->t->ua, rows + (moved ? 4 : 2)), e->one)),
                               mul(c, num(c, 8 * (double)(rows + 2)), e->tau));
    if (s.scale < 0.25) /* what subnormal products and logits lose does not shrink with the scale */
        rounding = add(c, rounding, mul(c, num(c, 2 * (double)(rows + 2)), least));
    if (e->t->any_order) /* a query times the scale may be subnormal, and the loss is multiplied by keys */
        rounding = add(c, rounding, over(c, mul(c, mul(c, num(c, 2), e->tau), keys), scale));
    int power;
    bool doubles = frexp(s.scale, &power) == 0.5 && s.scale >= 1;
    s.tied = s.lost = add(c, off, rounding);
    /* Lambda = 2^k, k >= 0: if scores fit on 2^grid, logits fit on 2^(grid + k), since there is room for them */
    if (constant || (exact && doubles && error_fits(e, e->t->sums, size, grid))) {
        s.tied = s.lost = ulps;
    } else if (rows == 1 && !tie->found && exact) {
        s.tied = ulps;
        s.lost = rounding;
    }
    return s;
}

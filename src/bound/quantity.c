#include "bound/quantity.h"

#include <math.h>

/* X <= 2^(g+p) and 2^g >= t: every multiple of 2^g up to X is a number of the format. */
static bool holds(const bounds *b, const ball *size, int grid, const number_format *f) {
    return grid == GRID_OF_ZERO ||
           (ball_is_at_most(size, b_power_of_two(b, (long)grid + f->precision)) && grid >= grid_of(f->least));
}

static bool is_power_of_two(double x) {
    int e;
    return fabs(frexp(x, &e)) == 0.5;
}

bool quantity_fits(const bounds *b, const quantity *q, const ball *most) {
    return ball_is_at_most(b_add(b, q->size, q->error), most);
}

/* What f64 and one more rounding do to an expression. */
static const ball *expression_error(const bounds *b, const ball *size, const ball *unit, const ball *tiny) {
    const ball *factor = b_mul(b, b_more(b, b->v, 4), b_more(b, unit, 1));
    return b_add(b, b_mul(b, size, b_sub(b, factor, b->one)), tiny);
}

static quantity expression_quantity(const bounds *b, const feature_form *f, const number_format *in, const ball *unit,
                                    const ball *tiny) {
    quantity q = {.size = form_bound(b, f), .error = b->zero};
    q.gridded = form_grid(&q.grid, f);
    q.exact = q.gridded && holds(b, q.size, q.grid, in) &&
              (q.grid == GRID_OF_ZERO || ball_is_at_most(q.size, b_power_of_two(b, (long)q.grid + 53)));
    if (f->size == FORM_CEIL2 && q.gridded && q.grid >= grid_of(in->least)) q.exact = true; /* a power of two */
    if (!q.exact) q.error = expression_error(b, q.size, unit, tiny);
    return q;
}

quantity quantity_feature(const bounds *b, const feature_form *f) {
    return expression_quantity(b, f, b->s, b->unit_s, b->tiny_s);
}

quantity quantity_scale(const bounds *b, const feature_form *f) {
    return expression_quantity(b, f, b->a, b->unit_a, b->tiny_a);
}

quantity quantity_row(const bounds *b, const row_shape *row) {
    quantity q = {.size = b->zero, .error = b->zero, .gridded = true, .grid = GRID_OF_ZERO};
    bool exact = true;
    for (size_t k = 0; k < row->count; k++) {
        quantity x = quantity_feature(b, &row->terms[k].form);
        const ball *w = b_double(b, fabs(row->terms[k].weight));
        q.size = b_add(b, q.size, b_mul(b, w, x.size));
        q.error = b_add(b, q.error, b_mul(b, w, x.error));
        exact = exact && x.exact;
        q.gridded = q.gridded && x.gridded;
        int grid = x.gridded && x.grid != GRID_OF_ZERO ? x.grid + grid_of(row->terms[k].weight) : GRID_OF_ZERO;
        if (q.gridded && grid < q.grid) q.grid = grid;
    }
    /* A stored number times a power of two is one, whatever its digits. */
    bool scaled =
        row->count == 1 && is_power_of_two(row->terms[0].weight) && q.gridded && q.grid >= grid_of(b->s->least);
    q.exact = exact && q.gridded && (scaled || (holds(b, q.size, q.grid, b->s) && holds(b, q.size, q.grid, b->a)));
    if (q.exact) return q;
    const ball *factor = b_mul(b, b_more(b, b->unit_a, row->count + 1), b_more(b, b->unit_s, 1));
    const ball *rounding = b_mul(b, b_add(b, q.size, q.error), b_sub(b, factor, b->one));
    const ball *tiny = b_mul(b, b_int(b, (int64_t)row->count + 1), b_add(b, b->tiny_a, b->tiny_s));
    q.error = b_add(b, b_add(b, q.error, rounding), tiny);
    return q;
}

/* X, e_in and the grid of a product; the product's own rounding is the caller's. */
static quantity product(const bounds *b, const quantity *x, const quantity *y) {
    quantity q = {.size = b_mul(b, x->size, y->size)};
    q.error =
        b_add(b, b_add(b, b_mul(b, x->size, y->error), b_mul(b, y->size, x->error)), b_mul(b, x->error, y->error));
    q.gridded = x->gridded && y->gridded;
    q.grid = GRID_OF_ZERO;
    if (q.gridded && x->grid != GRID_OF_ZERO && y->grid != GRID_OF_ZERO) q.grid = x->grid + y->grid;
    q.exact = x->exact && y->exact;
    return q;
}

quantity quantity_score(const bounds *b, const quantity *queries, const quantity *keys, size_t count) {
    quantity q = {.size = b->zero, .error = b->zero, .gridded = true, .exact = true, .grid = GRID_OF_ZERO};
    for (size_t r = 0; r < count; r++) {
        quantity p = product(b, &queries[r], &keys[r]);
        q.size = b_add(b, q.size, p.size);
        q.error = b_add(b, q.error, p.error);
        q.exact = q.exact && p.exact;
        q.gridded = q.gridded && p.gridded;
        if (q.gridded && p.grid < q.grid) q.grid = p.grid;
    }
    q.exact = q.exact && q.gridded && holds(b, q.size, q.grid, b->a);
    if (q.exact) return q;
    const ball *factor = b_sub(b, b_more(b, b->unit_a, count + 1), b->one);
    const ball *tiny = b_mul(b, b_int(b, (int64_t)count + 1), b->tiny_a);
    q.error = b_add(b, b_add(b, q.error, b_mul(b, b_add(b, q.size, q.error), factor)), tiny);
    return q;
}

quantity quantity_logit(const bounds *b, const quantity *scale, const quantity *score) {
    quantity q = product(b, scale, score);
    q.exact = q.exact && q.gridded && holds(b, q.size, q.grid, b->a);
    if (!q.exact) q.error = b_add(b, b_add(b, q.error, b_mul(b, b_add(b, q.size, q.error), b->unit_a)), b->tiny_a);
    return q;
}

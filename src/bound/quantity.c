#include "bound/quantity.h"

#include <math.h>

/* X <= 2^(g+p) and 2^g >= t: every multiple of 2^g up to X is a number of the format. */
/* Coq: multiple_number. */
static bool holds(const bounds *b, const ball *size, int grid, const number_format *f) {
    return grid == GRID_OF_ZERO ||
           (ball_is_at_most(size, b_power_of_two(b, (long)grid + f->precision)) && grid >= grid_of(f->least));
}

static bool is_power_of_two(double x) {
    int e;
    return fabs(frexp(x, &e)) == 0.5;
}

/* Products with it lose nothing. */
static bool only_doubles(double x) { return is_power_of_two(x) && fabs(x) >= 1; }

bool quantity_fits(const quantity *q, const ball *most) { return ball_is_at_most(q->widest, most); }

static quantity exactly(quantity q) {
    q.exact = true;
    q.most = q.size;
    return q;
}

/* ---- features and scales ---- */

/* Coq: rounded_off; on paper: "Quantities", how often f64 rounds. */
static quantity expression_quantity(const bounds *b, const feature_form *f, const number_format *in) {
    quantity q = {.size = form_bound(b, f), .error = b->zero};
    q.gridded = form_grid(&q.grid, f);
    bool exact = q.gridded && holds(b, q.size, q.grid, in); /* so X <= 2^(g+53), too: no format has more digits */
    if (f->size == FORM_CEIL2 && q.gridded && q.grid >= grid_of(in->least)) exact = true; /* a power of two */
    if (exact) {
        q = exactly(q);
    } else {
        q.error = b_mul(b, q.size, b_sub(b, b_more(b, b->v, form_roundings(b, f)), b->one));
        q.most = f->size == FORM_SHARE ? q.size : b_add(b, q.size, q.error);
        if (in->precision != 53) {
            q.error = b_add(b, q.error, b_half(b, in, q.most));
            q.most = b_after(b, in, q.most);
        }
    }
    q.widest = q.most;
    return q;
}

quantity quantity_feature(const bounds *b, const feature_form *f) { return expression_quantity(b, f, b->s); }
quantity quantity_scale(const bounds *b, const feature_form *f) { return expression_quantity(b, f, b->a); }

/* ---- sums, one term after the other ---- */

typedef struct partial {
    const ball *size, *error; /* of the computed sum so far, and what was rounded */
    bool begun;
} partial;

/* Adds a computed product of this size; the first one loses nothing. */
/* Coq: rounded_off, abs_rnd_le. */
static void add_product(const bounds *b, partial *p, const ball *product) {
    if (!p->begun) {
        p->size = product;
        p->begun = true;
        return;
    }
    const ball *argument = b_add(b, p->size, product);
    p->error = b_add(b, p->error, b_half(b, b->a, argument));
    p->size = b_after(b, b->a, argument);
}

/* The product itself, unless it is exact. */
/* Coq: rounded_off, abs_rnd_le. */
static const ball *round_product(const bounds *b, partial *p, const ball *size, bool exact) {
    if (exact) return size;
    p->error = b_add(b, p->error, b_half(b, b->a, size));
    return b_after(b, b->a, size);
}

/* ---- rows ---- */

/* How many terms the head part of a row has, and its size H. */
/* On paper: "Quantities". */
static size_t head_part(const bounds *b, const row_shape *row, const ball **head) {
    size_t count = 0, booleans = 0, constants = 0, later = 0;
    const ball *sum = b->zero, *constant = b->one;
    int grid = GRID_OF_ZERO;
    *head = b->zero;
    for (size_t k = 0; k < row->count; k++) {
        const term_shape *t = &row->terms[k];
        bool boolean = t->form.size == FORM_BOOLEAN;
        if (k > count || (!boolean && t->form.size != FORM_CONSTANT)) {
            later += boolean;
            continue;
        }
        booleans += boolean;
        constants += !boolean;
        const ball *size = b_mul(b, b_double(b, fabs(t->weight)), b_double(b, fabs(t->form.c)));
        if (!boolean) constant = size;
        sum = b_add(b, sum, size);
        int g = grid_of(t->weight) + grid_of(t->form.c);
        if (g < grid) grid = g;
        count++;
    }
    if (!booleans || constants > 1 || later || !holds(b, sum, grid, b->s) || !holds(b, sum, grid, b->a)) return 0;
    *head = constant; /* the Boolean is 0 or 1, and so is the constant's share of it */
    return count;
}

/* Coq: sum_off, rounded_off, key_off; on paper: "Quantities", how they follow each other. */
static quantity row_rounded(const bounds *b, const row_shape *row, size_t head, quantity q) {
    partial p = {.size = q.size, .error = b->zero, .begun = head > 0}; /* q.size is H as yet */
    for (size_t k = head; k < row->count; k++) {
        const term_shape *t = &row->terms[k];
        quantity x = quantity_feature(b, &t->form);
        const ball *w = b_double(b, fabs(t->weight)), *size = b_mul(b, w, x.most);
        bool exact = t->form.size == FORM_BOOLEAN || only_doubles(t->weight);
        add_product(b, &p, round_product(b, &p, size, exact));
    }
    q.error = b_add(b, q.error, p.error);
    q.widest = b_max(b, q.widest, p.size);
    q.most = p.size;
    if (b->one_format) return q;
    q.error = b_add(b, q.error, b_half(b, b->s, p.size));
    q.most = b_after(b, b->s, p.size);
    return q;
}

/* Coq: sum_off, exact_tree, asc_exact; on paper: "Quantities", the head part. */
quantity quantity_row(const bounds *b, const row_shape *row, bool chooses) {
    quantity q = {.error = b->zero, .gridded = true, .grid = GRID_OF_ZERO};
    const ball *head_size = b->zero, *full = b->zero;
    size_t head = chooses ? head_part(b, row, &head_size) : 0;
    const ball *size = head_size;
    bool exact = true;
    for (size_t k = 0; k < row->count; k++) {
        quantity x = quantity_feature(b, &row->terms[k].form);
        const ball *w = b_double(b, fabs(row->terms[k].weight)), *term = b_mul(b, w, x.size);
        full = b_add(b, full, term);
        if (k >= head) size = b_add(b, size, term);
        q.error = b_add(b, q.error, b_mul(b, w, x.error));
        exact = exact && x.exact;
        q.gridded = q.gridded && x.gridded;
        int grid = x.gridded && x.grid != GRID_OF_ZERO ? x.grid + grid_of(row->terms[k].weight) : GRID_OF_ZERO;
        if (q.gridded && grid < q.grid) q.grid = grid;
    }
    bool one = row->count == 1 && is_power_of_two(row->terms[0].weight) && q.gridded &&
               q.grid >= grid_of(b->s->least); /* and so at least t_a, which is no larger */
    q.widest = full;
    if (exact && q.gridded && (one || (holds(b, full, q.grid, b->s) && holds(b, full, q.grid, b->a)))) {
        q.size = size;
        q = exactly(q);
    } else {
        q.size = head_size;
        q = row_rounded(b, row, head, q);
        q.size = size;
    }
    q.doubles = q.exact && row->count == 1 && row->terms[0].form.size == FORM_CONSTANT &&
                only_doubles(row->terms[0].weight * row->terms[0].form.c);
    return q;
}

/* ---- products and scores ---- */

/* X, e_in and the grid of a product; the product's own rounding is the caller's. */
/* Coq: product_off. */
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

/* Coq: product_off, sum_off, exact_tree; on paper: "Quantities", how they follow each other. */
quantity quantity_score(const bounds *b, const quantity *queries, const quantity *keys, size_t count) {
    quantity q = {.size = b->zero, .error = b->zero, .gridded = true, .exact = true, .grid = GRID_OF_ZERO};
    partial sum = {.size = b->zero, .error = b->zero};
    for (size_t r = 0; r < count; r++) {
        quantity p = product(b, &queries[r], &keys[r]);
        q.size = b_add(b, q.size, p.size);
        q.error = b_add(b, q.error, p.error);
        q.exact = q.exact && p.exact;
        q.gridded = q.gridded && p.gridded;
        if (q.gridded && p.grid < q.grid) q.grid = p.grid;
        const ball *size = b_mul(b, queries[r].most, keys[r].most);
        add_product(b, &sum, round_product(b, &sum, size, queries[r].doubles || keys[r].doubles));
    }
    q.exact = q.exact && q.gridded && holds(b, q.size, q.grid, b->a);
    q.most = q.exact ? q.size : sum.size;
    if (!q.exact) q.error = b_add(b, q.error, sum.error);
    q.widest = q.most;
    return q;
}

/* A product that is rounded once in the format of sums, unless it is exact. */
/* Coq: product_off, rounded_off. */
static quantity scaled_by(const bounds *b, const quantity *scale, const quantity *x, bool doubles) {
    quantity q = product(b, scale, x);
    const ball *argument = b_mul(b, scale->most, x->most);
    q.exact = q.exact && q.gridded && holds(b, q.size, q.grid, b->a);
    q.most = q.exact ? q.size : doubles ? argument : b_after(b, b->a, argument);
    if (!q.exact && !doubles) q.error = b_add(b, q.error, b_half(b, b->a, argument));
    q.widest = q.most;
    return q;
}

/* The queries are scaled first. */
/* On paper: "Quantities". */
static quantity logit_of_scaled_queries(const bounds *b, const quantity *scale, const quantity *queries,
                                        const quantity *keys, size_t count) {
    quantity *scaled = arena_alloc(b->arena, count, sizeof *scaled);
    const ball *widest = b->zero;
    for (size_t r = 0; r < count; r++) {
        scaled[r] = scaled_by(b, scale, &queries[r], queries[r].doubles);
        widest = b_max(b, widest, scaled[r].most);
    }
    quantity q = quantity_score(b, scaled, keys, count);
    q.widest = b_max(b, q.widest, widest);
    return q;
}

/* Coq: nearest_logit, by temperature; on paper: "Quantities", other keys and scales. */
quantity quantity_logit(const bounds *b, const quantity *scale, const quantity *queries, const quantity *keys,
                        size_t count) {
    quantity score = quantity_score(b, queries, keys, count);
    if (!scale) return score;
    quantity q = scaled_by(b, scale, &score, false);
    q.widest = b_max(b, q.widest, score.widest);
    if (b->ascending) return q;
    quantity other = logit_of_scaled_queries(b, scale, queries, keys, count);
    q.error = b_max(b, q.error, other.error);
    q.most = b_max(b, q.most, other.most);
    q.widest = b_max(b, q.widest, other.widest);
    q.exact = q.exact && other.exact;
    return q;
}

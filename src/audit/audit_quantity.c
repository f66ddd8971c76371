/* doc/certificate.md, "Quantities": sizes, errors and grids of features, rows, scores and logits. */
#include <math.h>

#include "audit/audit_bounds.h"

static bool is_exact(const quantity *q) { return ball_upper(q->error) == 0; }

static bool is_one(const ball *x) { return ball_lower(x) == 1 && ball_upper(x) == 1; }

static bool is_power_of_two(double x) {
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

static ball *copy_ball(audit_bounding *b, const ball *x) {
    ball *z = calc_ball(b->c);
    ball_set(z, x);
    return z;
}

static quantity make(audit_bounding *b, const ball *size, const ball *computed, const ball *error) {
    return (quantity){.size = copy_ball(b, size), .computed = copy_ball(b, computed), .error = copy_ball(b, error)};
}

static quantity make_nothing(audit_bounding *b) {
    const ball *zero = num(b->c, 0);
    quantity q = make(b, zero, zero, zero);
    q.nothing = true;
    return q;
}

/* X <= 2^(g + p) and 2^g >= t */
static bool reaches(audit_bounding *b, const ball *size, int grid, int precision, double least) {
    return ball_is_at_most(size, two_to(b->c, grid + precision)) && ldexp(1, grid) >= least;
}

static bool fits(audit_bounding *b, const quantity *q, const rounding *f) {
    return q->nothing || (q->on_grid && reaches(b, q->size, q->grid, f->precision, f->least));
}

/* A row, score or logit that is too large is noted: there may be another way (audit_lengths.c). */
static void need_at_most(audit_bounding *b, const ball *x, double largest, const char *what) {
    if (!ball_is_at_most(x, num(b->c, largest)) && !b->failure) b->failure = what;
}

/* ---- features and scales ---- */

static const double V = 0x1p-53;
enum { F64_PRECISION = 53 };

static int ceil_log2(double x) {
    int exponent;
    return frexp(x, &exponent) == 0.5 ? exponent - 1 : exponent;
}

/* C M^k */
static const ball *monomial(audit_bounding *b, double constant, uint64_t k) {
    return mul(b->c, num(b->c, fabs(constant)), power(b->c, num(b->c, b->a->positions), k));
}

/* Whether f64 may round numbers up to C M^k that are multiples of 2^grid. */
static uint64_t rounds(audit_bounding *b, double constant, uint64_t k, int grid) {
    return ball_is_at_most(monomial(b, constant, k), two_to(b->c, grid + F64_PRECISION)) ? 0 : 1;
}

/* The products C M, C M^2, ... up to C M^k, one after the other. */
static uint64_t rounds_up_to(audit_bounding *b, double constant, uint64_t k, int grid) {
    uint64_t sum = 0;
    for (uint64_t j = 1; j <= k; j++) sum += rounds(b, constant, j, grid);
    return sum;
}

uint64_t audit_roundings(audit_bounding *b, const feature *f) {
    int grid = f->constant ? audit_grid_of(f->constant) : 0;
    switch (f->kind) {
    case FEATURE_PLACE:
    case FEATURE_EDGE_SIZE: return rounds_up_to(b, f->constant, 1, grid);
    case FEATURE_SIZE: return rounds_up_to(b, f->constant, (uint64_t)f->power, grid);
    case FEATURE_SIZE_PLACE: return rounds_up_to(b, f->constant, 2, grid);
    case FEATURE_SIZE_SQUARE: return rounds_up_to(b, f->constant, 3, grid);
    case FEATURE_SHARE:
    case FEATURE_INVERSE:
    case FEATURE_EDGE_SHARE: return 1;
    case FEATURE_SMALL: return 1 + rounds(b, 1, 2, 0);
    case FEATURE_SQUARE: return 1 + 2 * rounds(b, 1, 2, 0);
    case FEATURE_NORMALISER: return 4;
    case FEATURE_WEIGHTED: return 1 + rounds_up_to(b, f->constant, 2, 0);
    case FEATURE_LOG: return 3;
    default: return 0;
    }
}

/* X and the grid. */
static const ball *ideal_size(audit_bounding *b, const feature *f, bool *on_grid, int *grid) {
    calculus *c = b->c;
    const ball *m = num(c, b->a->positions), *log = NULL;
    *on_grid = true;
    *grid = f->constant ? audit_grid_of(f->constant) : 0;
    switch (f->kind) {
    case FEATURE_CONSTANT: return monomial(b, f->constant, 0);
    case FEATURE_PLACE:
    case FEATURE_EDGE_SIZE: return monomial(b, f->constant, 1);
    case FEATURE_SIZE: return monomial(b, f->constant, (uint64_t)f->power);
    case FEATURE_SIZE_PLACE: return monomial(b, f->constant, 2);
    case FEATURE_SIZE_SQUARE: return monomial(b, f->constant, 3);
    case FEATURE_POWER:
        *grid = ceil_log2(f->constant) - ceil_log2(f->divisor);
        return over(c, mul(c, num(c, 2), monomial(b, f->constant, 1)), num(c, f->divisor));
    case FEATURE_STEPPED:
        *grid = 2;
        log = add(c, logarithm(c, m), num(c, f->constant));
        return add(c, log, num(c, 4));
    default: break;
    }
    *grid = 0;
    switch (f->kind) {
    case FEATURE_FIRST:
    case FEATURE_LAST:
    case FEATURE_LETTER:
    case FEATURE_RESIDUE: return num(c, 1);
    case FEATURE_CENTRED: return over(c, m, num(c, 2));
    case FEATURE_DIGIT: {
        const ball *half = over(c, m, num(c, 2 * f->divisor)), *most = num(c, (double)(f->modulus - 1));
        return f->modulus && ball_is_less(most, half) ? most : half;
    }
    default: break;
    }
    *on_grid = false;
    switch (f->kind) {
    case FEATURE_WEIGHTED: return monomial(b, f->constant, 2);
    case FEATURE_LOG: return add(c, logarithm(c, m), num(c, f->constant));
    default: return num(c, 1); /* quotients */
    }
}

/* The value of an expression, as it is stored in the format. */
static quantity expression_quantity(audit_bounding *b, const feature *f, const rounding *to) {
    calculus *c = b->c;
    bool on_grid;
    int grid;
    const ball *size = ideal_size(b, f, &on_grid, &grid);
    quantity q = make(b, size, size, num(c, 0));
    q.on_grid = on_grid;
    q.grid = grid;
    q.nothing = f->kind == FEATURE_CONSTANT && f->constant == 0;
    bool exact = f->kind == FEATURE_POWER
                     ? ldexp(1, grid) >= to->least /* a power of two */
                     : fits(b, &q, to) && (q.nothing || ball_is_at_most(size, two_to(c, grid + F64_PRECISION)));
    if (exact) return q;
    const ball *error = mul(c, size, sub(c, up(c, V, audit_roundings(b, f)), num(c, 1)));
    const ball *most = is_one(size) ? size : add(c, size, error); /* f64 rounds no quotient above 1 */
    if (to->precision != F64_PRECISION) {
        error = add(c, error, rounding_half(b, to, most));
        most = rounding_after(b, to, most);
    }
    ball_set(q.error, error);
    ball_set(q.computed, most);
    return q;
}

quantity audit_feature_quantity(audit_bounding *b, const feature *f) {
    rounding storage = rounding_storage(b->a);
    quantity q = expression_quantity(b, f, &storage);
    if (!ball_is_at_most(q.computed, num(b->c, storage.largest)))
        audit_refuse(b->a, b->layer, b->number, "a position feature may be beyond the largest number of the type");
    return q;
}

static quantity scale_quantity(audit_bounding *b, const expression *scale) {
    rounding sums = rounding_sums(b->a);
    feature f = audit_scale_of(scale);
    quantity q = expression_quantity(b, &f, &sums);
    need_at_most(b, q.computed, sums.largest, "a scale");
    return q;
}

/* ---- rows ---- */

static const content *content_at(const audit_bounding *b, const model_term *t) { return &b->a->channels[t->channel]; }

static bool is_constant(const content *c) { return c->feature.kind == FEATURE_CONSTANT; }
static bool is_boolean(const content *c) { return c->kind == HOLDS_EXACT && !is_constant(c); }

static quantity channel_quantity(audit_bounding *b, const content *c) {
    if (c->kind == HOLDS_FEATURE) return audit_feature_quantity(b, &c->feature);
    const ball *one = num(b->c, 1);
    quantity q = make(b, one, one, num(b->c, 0)); /* Boolean, or the constant 1 */
    q.on_grid = true;
    return q;
}

/* Adds w x to what is known of a sum: X, the errors of its terms, and its grid. */
static void add_term(audit_bounding *b, quantity *sum, const quantity *x, double weight) {
    if (x->nothing) return;
    const ball *w = num(b->c, fabs(weight));
    ball_add(sum->size, sum->size, mul(b->c, w, x->size));
    ball_add(sum->error, sum->error, mul(b->c, w, x->error));
    int grid = x->grid + audit_grid_of(weight);
    sum->grid = sum->nothing || grid < sum->grid ? grid : sum->grid;
    sum->on_grid = x->on_grid && (sum->nothing || sum->on_grid);
    sum->nothing = false;
}

/* The terms at the beginning of a key row that tell candidates from others: their number, and *size is what they add
   up to. 0: there is no such part. */
static size_t head_part(audit_bounding *b, const model_term *terms, size_t count, double *size) {
    size_t end = 0, booleans = 0, constants = 0;
    double constant = 0;
    rounding storage = rounding_storage(b->a), sums = rounding_sums(b->a);
    quantity sum = make_nothing(b);
    for (; end < count; end++) {
        const content *c = content_at(b, &terms[end]);
        if (!is_boolean(c) && !is_constant(c)) break;
        booleans += is_boolean(c);
        constants += is_constant(c);
        if (is_constant(c)) constant = terms[end].weight * c->feature.constant;
        quantity x = channel_quantity(b, c);
        add_term(b, &sum, &x, terms[end].weight);
    }
    *size = 0;
    for (size_t k = end; k < count; k++)
        if (is_boolean(content_at(b, &terms[k]))) return 0;
    if (booleans == 0 || constants > 1 || !fits(b, &sum, &storage) || !fits(b, &sum, &sums)) return 0;
    *size = constants ? fabs(constant) : 1;
    return end;
}

/* The roundings of a sum, term by term: `sum` is its size so far. */
typedef struct running {
    const ball *sum, *error;
    bool begun;
} running;

static void run_on(audit_bounding *b, running *r, const rounding *f, const ball *product, bool exactly) {
    if (!exactly) {
        r->error = add(b->c, r->error, rounding_half(b, f, product));
        product = rounding_after(b, f, product);
    }
    if (r->begun) {
        product = add(b->c, r->sum, product);
        r->error = add(b->c, r->error, rounding_half(b, f, product));
        product = rounding_after(b, f, product);
    }
    r->sum = product;
    r->begun = true;
}

static quantity row_quantity(audit_bounding *b, const model_rows *rows, size_t row, bool is_key) {
    calculus *c = b->c;
    rounding storage = rounding_storage(b->a), sums = rounding_sums(b->a);
    size_t count = rows_size(rows, row);
    const model_term *terms = rows_begin_of(rows, row);
    double head;
    size_t first = is_key ? head_part(b, terms, count, &head) : 0;
    if (!first) head = 0;
    quantity all = make_nothing(b); /* Z, and the sum of |w| e */
    running r = {.sum = num(c, head), .error = num(c, 0), .begun = first > 0};
    const ball *size = num(c, head);
    for (size_t k = 0; k < count; k++) {
        const content *x = content_at(b, &terms[k]);
        double w = fabs(terms[k].weight);
        quantity q = channel_quantity(b, x);
        add_term(b, &all, &q, terms[k].weight);
        if (k < first) continue;
        size = add(c, size, mul(c, num(c, w), q.size));
        run_on(b, &r, &sums, mul(c, num(c, w), q.computed), is_boolean(x) || (is_power_of_two(w) && w >= 1));
    }
    bool moved = count == 1 && is_power_of_two(terms[0].weight); /* times a power of two */
    /* what the storage format holds, sums hold, too */
    bool exact =
        is_exact(&all) &&
        (all.nothing || (moved ? all.on_grid && ldexp(1, all.grid) >= storage.least : fits(b, &all, &storage)));
    quantity q = make(b, size, size, num(c, 0));
    q.nothing = all.nothing;
    q.on_grid = all.on_grid;
    q.grid = all.grid;
    if (!exact) {
        const ball *error = add(c, all.error, r.error), *most = r.sum;
        need_at_most(b, r.sum, sums.largest, "a row");
        if (b->a->type.storage != b->a->type.sums) {
            error = add(c, error, rounding_half(b, &storage, most));
            most = rounding_after(b, &storage, most);
        }
        ball_set(q.error, error);
        ball_set(q.computed, most);
    }
    if (count == 1 && is_constant(content_at(b, terms))) {
        double value = terms[0].weight * content_at(b, terms)->feature.constant;
        q.shifts = is_power_of_two(value) && fabs(value) >= 1;
    }
    need_at_most(b, all.size, sums.largest, "a row");
    need_at_most(b, q.computed, sums.largest, "a row");
    need_at_most(b, q.computed, storage.largest, "a row");
    return q;
}

/* ---- scores and logits ---- */

/* The product of two quantities before it is rounded; .computed is that of the computed numbers. */
static quantity product_of(audit_bounding *b, const quantity *x, const quantity *y) {
    calculus *c = b->c;
    const ball *error =
        add(c, add(c, mul(c, x->size, y->error), mul(c, y->size, x->error)), mul(c, x->error, y->error));
    quantity z = make(b, mul(c, x->size, y->size), mul(c, x->computed, y->computed), error);
    z.nothing = x->nothing || y->nothing;
    z.on_grid = x->on_grid && y->on_grid;
    z.grid = x->grid + y->grid;
    return z;
}

static quantity score_quantity(audit_bounding *b, const quantity *query, const quantity *key, size_t count) {
    calculus *c = b->c;
    rounding sums = rounding_sums(b->a);
    quantity sum = make_nothing(b);
    running r = {.sum = num(c, 0), .error = num(c, 0)};
    bool exact = true;
    for (size_t k = 0; k < count; k++) {
        quantity x = product_of(b, &query[k], &key[k]);
        exact = exact && is_exact(&query[k]) && is_exact(&key[k]);
        add_term(b, &sum, &x, 1);
        run_on(b, &r, &sums, x.computed, query[k].shifts || key[k].shifts);
    }
    bool fine = exact && fits(b, &sum, &sums);
    ball_set(sum.computed, fine ? sum.size : r.sum);
    if (!fine) ball_add(sum.error, sum.error, r.error);
    need_at_most(b, sum.computed, sums.largest, "a score");
    return sum;
}

/* scale times x, rounded unless that is exact. */
static quantity scaled(audit_bounding *b, const quantity *scale, const quantity *x, bool exactly) {
    rounding sums = rounding_sums(b->a);
    quantity z = product_of(b, scale, x);
    if ((is_exact(scale) && is_exact(x) && fits(b, &z, &sums)) || exactly) return z;
    ball_set(z.error, add(b->c, z.error, rounding_half(b, &sums, z.computed)));
    ball_set(z.computed, rounding_after(b, &sums, z.computed));
    return z;
}

/* Kernels multiply scores by the scale, or queries before: these are changed. */
static quantity scaled_logit(audit_bounding *b, const model_head *h, quantity *query, const quantity *key,
                             size_t count) {
    quantity score = score_quantity(b, query, key, count);
    if (!h->scale) return score;
    quantity scale = scale_quantity(b, h->scale), logit = scaled(b, &scale, &score, false);
    if (!b->a->type.any_order) return logit;
    for (size_t k = 0; k < count; k++) {
        query[k] = scaled(b, &scale, &query[k], query[k].shifts);
        need_at_most(b, query[k].computed, b->a->type.fa, "a query");
    }
    quantity other = score_quantity(b, query, key, count);
    ball_max(logit.error, logit.error, other.error);
    ball_max(logit.computed, logit.computed, other.computed);
    return logit;
}

static quantity logit_quantity(audit_bounding *b, const model_head *h) {
    quantity query[HEAD_ROWS], key[HEAD_ROWS];
    for (size_t k = 0; k < h->query.count; k++) {
        query[k] = row_quantity(b, &h->query, k, false);
        key[k] = row_quantity(b, &h->key, k, true);
    }
    return scaled_logit(b, h, query, key, h->query.count);
}

/* Of a head that looks for patterns: a product with 1 of an exact number of size T, a multiple of a half, and the
   tie-break. */
static quantity pattern_logit(audit_bounding *b, const audit_head *f) {
    const ball *one = num(b->c, 1), *most = num(b->c, f->total_weight), *zero = num(b->c, 0);
    feature share = {.kind = FEATURE_SHARE};
    quantity query[2], key[2];
    query[0] = make(b, one, one, zero);
    query[0].shifts = true;
    query[1] = query[0];
    key[0] = make(b, most, most, zero); /* on a grid, which is of no use beside the tie-break */
    key[1] = audit_feature_quantity(b, &share);
    if (b->a->type.storage != b->a->type.sums) { /* a row is stored, too */
        rounding storage = rounding_storage(b->a);
        ball_add(key[1].error, key[1].error, rounding_half(b, &storage, key[1].computed));
        ball_set(key[1].computed, rounding_after(b, &storage, key[1].computed));
    }
    return scaled_logit(b, f->head, query, key, 2);
}

/* Of the end sentinel in such a head: its last key row, and 1 as query. All other keys are 0 there. */
static quantity end_logit(audit_bounding *b, const audit_head *f) {
    size_t last = f->head->query.count - 1;
    quantity query[1], key[1];
    query[0] = row_quantity(b, &f->head->query, last, false);
    key[0] = row_quantity(b, &f->head->key, last, false);
    return scaled_logit(b, f->head, query, key, 1);
}

/* How far a logit is off, with a unit in the last place. */
static const ball *off_by(audit_bounding *b, const quantity *logit) {
    calculus *c = b->c;
    rounding sums = rounding_sums(b->a);
    const ball *room = rounding_ulp(b, &sums, logit->computed);
    if (!audit_sheet_holds(&b->a->sheet, "pick_range", logit->computed, room) && !b->failure)
        b->failure = "a difference of logits";
    return add(c, logit->error, room);
}

/* X and eta of a head's logits. */
void audit_logit(audit *a, audit_head *f) {
    calculus *c = &a->calculus;
    audit_bounding b = {.a = a, .c = c, .layer = f->layer, .number = f->number};
    audit_give_type(&b);
    quantity logit = f->kind == KIND_MATCH ? pattern_logit(&b, f) : logit_quantity(&b, f->head);
    const ball *off = off_by(&b, &logit);
    if (f->kind == KIND_MATCH && f->end_weight > 0) { /* of two logits one at most is the sentinel's */
        quantity end = end_logit(&b, f);
        off = mul(c, num(c, 0.5), add(c, off, larger(c, off, off_by(&b, &end))));
    }
    f->failure = b.failure;
    f->logit = (quantity){.size = ball_array(a->arena, 1), .error = ball_array(a->arena, 1)};
    ball_set(f->logit.size, logit.size);
    ball_set(f->logit.error, off);
}

void audit_check_features(audit *a) {
    for (uint32_t k = 0; k < a->model->channel_count; k++) {
        const content *x = &a->channels[k];
        if (x->kind != HOLDS_FEATURE) continue;
        audit_bounding b = {.a = a, .c = &a->calculus};
        calc_begin(b.c);
        audit_feature_quantity(&b, &x->feature);
    }
}

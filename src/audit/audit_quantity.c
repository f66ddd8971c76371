/* doc/certificate.md, section 3: sizes, errors and grids of features, rows, scores and logits. */
#include <math.h>

#include "audit/audit_bounds.h"

/* 2^k as a test: X <= 2^(g + p) and 2^g >= t. */
static bool fits(bounds *b, const quantity *q, int precision, double least) {
    if (q->nothing) return true;
    return q->on_grid && ball_is_at_most(q->size, two_to(b->c, q->grid + precision)) && ldexp(1, q->grid) >= least;
}

static bool is_exact(const quantity *q) { return ball_upper(q->error) == 0; }

static quantity make(bounds *b, const ball *size, const ball *error) {
    quantity q = {.size = calc_ball(b->c), .error = calc_ball(b->c)};
    ball_set(q.size, size);
    ball_set(q.error, error);
    return q;
}

/* A row, score or logit that is too large is noted: there may be another way (audit_lengths.c). */
static void need_within(bounds *b, const quantity *q, double factor, double largest, const char *what) {
    const ball *most = mul(b->c, num(b->c, factor), add(b->c, q->size, q->error));
    if (!ball_is_at_most(most, num(b->c, largest)) && !b->failure) b->failure = what;
}

/* x ((1 + u)^k ... - 1): `factor` is what stands before the - 1. */
static const ball *share(bounds *b, const ball *x, const ball *factor) {
    return mul(b->c, x, sub(b->c, factor, num(b->c, 1)));
}

static const double V = 0x1p-53;

static int ceil_log2(double x) {
    int exponent;
    return frexp(x, &exponent) == 0.5 ? exponent - 1 : exponent;
}

quantity audit_feature_quantity(bounds *b, const feature *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *m = num(c, b->a->positions), *constant = num(c, fabs(f->constant)), *size = num(c, 1);
    bool on_grid = false;
    int grid = 0;
    switch (f->kind) {
    case FEATURE_CONSTANT: size = constant, on_grid = true; break;
    case FEATURE_FIRST:
    case FEATURE_LAST:
    case FEATURE_RESIDUE: on_grid = true; break;
    case FEATURE_PLACE:
    case FEATURE_EDGE_SIZE: size = mul(c, constant, m), on_grid = true; break;
    case FEATURE_SIZE: size = mul(c, constant, power(c, m, (uint64_t)f->power)), on_grid = true; break;
    case FEATURE_SIZE_PLACE: size = mul(c, constant, power(c, m, 2)), on_grid = true; break;
    case FEATURE_SIZE_SQUARE: size = mul(c, constant, power(c, m, 3)), on_grid = true; break;
    case FEATURE_WEIGHTED: size = mul(c, constant, power(c, m, 2)); break;
    case FEATURE_LOG: size = add(c, logarithm(c, m), constant); break;
    case FEATURE_STEPPED:
        size = add(c, add(c, logarithm(c, m), constant), num(c, 4));
        on_grid = true;
        grid = 2;
        break;
    case FEATURE_CENTRED: size = over(c, m, num(c, 2)), on_grid = true; break;
    case FEATURE_DIGIT:
        size = over(c, m, num(c, 2 * f->divisor));
        if (f->modulus && ball_is_less(num(c, (double)(f->modulus - 1)), size))
            size = num(c, (double)(f->modulus - 1));
        on_grid = true;
        break;
    case FEATURE_POWER: /* it is at least ceil2(C), and a power of two */
        size = over(c, mul(c, mul(c, num(c, 2), constant), m), num(c, f->divisor));
        on_grid = true;
        grid = ceil_log2(f->constant) - ceil_log2(f->divisor);
        break;
    default: break;
    }
    bool scaled = f->kind == FEATURE_CONSTANT || f->kind == FEATURE_PLACE || f->kind == FEATURE_EDGE_SIZE ||
                  f->kind == FEATURE_SIZE || f->kind == FEATURE_SIZE_PLACE || f->kind == FEATURE_SIZE_SQUARE;
    if (scaled && f->constant != 0) grid = audit_grid_of(f->constant);
    quantity q = make(b, size, num(c, 0));
    q.on_grid = on_grid;
    q.grid = grid;
    q.nothing = f->kind == FEATURE_CONSTANT && f->constant == 0;
    bool exact = f->kind == FEATURE_POWER ? ldexp(1, grid) >= t->ts : fits(b, &q, t->ps, t->ts) && fits(b, &q, 53, 0);
    if (!exact) ball_set(q.error, add(c, share(b, size, mul(c, up(c, V, 4), up(c, t->us, 1))), num(c, t->ts)));
    const ball *most = add(c, q.size, q.error);
    if (!ball_is_at_most(most, num(c, t->fs)))
        audit_refuse(b->a, b->layer, b->number, "a position feature may be beyond the largest number of the type");
    return q;
}

static quantity channel_quantity(bounds *b, const content *c) {
    if (c->kind == HOLDS_FEATURE) return audit_feature_quantity(b, &c->feature);
    quantity q = make(b, num(b->c, 1), num(b->c, 0)); /* Boolean */
    q.on_grid = true;
    return q;
}

/* The sum of products w x; adds up sizes, errors and grids. */
static void add_term(bounds *b, quantity *sum, const quantity *x, double weight) {
    if (x->nothing) return;
    const ball *w = num(b->c, fabs(weight));
    ball_add(sum->size, sum->size, mul(b->c, w, x->size));
    ball_add(sum->error, sum->error, mul(b->c, w, x->error));
    int grid = x->grid + audit_grid_of(weight);
    sum->grid = sum->nothing || grid < sum->grid ? grid : sum->grid;
    sum->on_grid = x->on_grid && (sum->nothing || sum->on_grid);
    sum->nothing = false;
}

static quantity row_quantity(bounds *b, const model_rows *rows, size_t row) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    quantity sum = make(b, num(c, 0), num(c, 0));
    size_t count = rows_size(rows, row);
    const model_term *terms = rows_begin_of(rows, row);
    sum.nothing = true;
    for (size_t k = 0; k < count; k++) {
        quantity x = channel_quantity(b, &b->a->channels[terms[k].channel]);
        add_term(b, &sum, &x, terms[k].weight);
    }
    int exponent;
    bool moved = count == 1 && fabs(frexp(terms[0].weight, &exponent)) == 0.5; /* times a power of two */
    bool exact = moved ? sum.nothing || (sum.on_grid && ldexp(1, sum.grid) >= t->ts)
                       : fits(b, &sum, t->pa, t->ta) && fits(b, &sum, t->ps, t->ts);
    if (!is_exact(&sum) || !exact) {
        const ball *with = add(c, sum.size, sum.error);
        const ball *grown = share(b, with, mul(c, up(c, t->ua, count + 1), up(c, t->us, 1)));
        const ball *small = mul(c, num(c, (double)(count + 1)), add(c, num(c, t->ta), num(c, t->ts)));
        ball_set(sum.error, add(c, sum.error, add(c, grown, small)));
    }
    need_within(b, &sum, 1, t->fs, "a row");
    need_within(b, &sum, 1, t->fa, "a row");
    return sum;
}

/* The product of two quantities, without rounding. */
static quantity product(bounds *b, const quantity *x, const quantity *y) {
    calculus *c = b->c;
    const ball *error =
        add(c, add(c, mul(c, x->size, y->error), mul(c, y->size, x->error)), mul(c, x->error, y->error));
    quantity z = make(b, mul(c, x->size, y->size), error);
    z.nothing = x->nothing || y->nothing;
    z.on_grid = x->on_grid && y->on_grid;
    z.grid = x->grid + y->grid;
    return z;
}

static quantity score_quantity(bounds *b, const model_head *h) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    quantity sum = make(b, num(c, 0), num(c, 0));
    bool exact = true;
    sum.nothing = true;
    for (size_t r = 0; r < h->query.count; r++) {
        quantity q = row_quantity(b, &h->query, r), k = row_quantity(b, &h->key, r), x = product(b, &q, &k);
        exact = exact && is_exact(&q) && is_exact(&k);
        add_term(b, &sum, &x, 1);
    }
    if (!exact || !fits(b, &sum, t->pa, t->ta)) {
        const ball *grown = share(b, add(c, sum.size, sum.error), up(c, t->ua, h->query.count + 1));
        ball_set(sum.error, add(c, sum.error, add(c, grown, num(c, (double)(h->query.count + 1) * t->ta))));
    }
    need_within(b, &sum, 1, t->fa, "a score");
    return sum;
}

static quantity scale_quantity(bounds *b, const expression *scale) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    feature f = audit_scale_of(scale);
    const ball *m = num(c, b->a->positions), *constant = num(c, f.constant);
    const ball *size =
        f.kind == FEATURE_LOG ? add(c, logarithm(c, m), constant) : mul(c, constant, power(c, m, (uint64_t)f.power));
    quantity q = make(b, size, num(c, 0));
    q.on_grid = f.kind == FEATURE_SIZE;
    q.grid = q.on_grid ? audit_grid_of(f.constant) : 0;
    if (!fits(b, &q, t->pa, t->ta) || !fits(b, &q, 53, 0))
        ball_set(q.error, add(c, share(b, size, mul(c, up(c, V, 4), up(c, t->ua, 1))), num(c, t->ta)));
    return q;
}

/* X and eta of a head's logits. */
void audit_logit(audit *a, head_facts *f) {
    calculus *c = &a->calculus;
    bounds b = {.a = a, .c = c, .layer = f->layer, .number = f->number};
    const type_facts *t = &a->type;
    calc_begin(c);
    quantity logit = score_quantity(&b, f->head);
    if (f->head->scale) {
        quantity scale = scale_quantity(&b, f->head->scale), x = product(&b, &scale, &logit);
        if (!is_exact(&scale) || !is_exact(&logit) || !fits(&b, &x, t->pa, t->ta))
            ball_set(x.error, add(c, x.error, add(c, mul(c, add(c, x.size, x.error), num(c, t->ua)), num(c, t->ta))));
        logit = x;
    }
    need_within(&b, &logit, 2, t->fa, "a difference of logits");
    const ball *room = add(c, mul(c, num(c, 2 * t->ua), add(c, logit.size, logit.error)), num(c, t->ta));
    f->failure = b.failure;
    f->logit = (quantity){.size = ball_array(a->arena, 1), .error = ball_array(a->arena, 1)};
    ball_set(f->logit.size, logit.size);
    ball_set(f->logit.error, add(c, logit.error, room));
}

void audit_check_features(audit *a) {
    calculus *c = &a->calculus;
    for (uint32_t k = 0; k < a->model->channel_count; k++) {
        const content *x = &a->channels[k];
        if (x->kind != HOLDS_FEATURE) continue;
        bounds b = {.a = a, .c = c};
        if (x->feature.kind == FEATURE_SIZE && x->feature.power != 1)
            audit_refuse(a, 0, 0, "channel %u: no position feature of this form is understood", k);
        calc_begin(c);
        audit_feature_quantity(&b, &x->feature);
    }
}

/* doc/certificate.md, "Softmax rows, with rounding", "Heads" and "Gates": how far the output of each head may be off,
   in balls, and whether gates repair it. */
#include <math.h>

#include "audit/audit_bounds.h"

static const double V = 0x1p-53;

#define NEED(b, condition, ...)                                                                                      \
    do {                                                                                                             \
        if (!(condition)) audit_refuse((b)->a, (b)->layer, (b)->number, __VA_ARGS__);                                \
    } while (0)

static const ball *positions(audit_bounding *b) { return num(b->c, b->a->positions); }
static const ball *minus_one(audit_bounding *b, const ball *x) { return sub(b->c, x, num(b->c, 1)); }
static const ball *one_minus(audit_bounding *b, const ball *x) { return sub(b->c, num(b->c, 1), x); }
static const ball *one_plus(audit_bounding *b, const ball *x) { return add(b->c, num(b->c, 1), x); }

static bool at_most(audit_bounding *b, const ball *x, double bound) { return ball_is_at_most(x, num(b->c, bound)); }
static bool at_least(audit_bounding *b, const ball *x, double bound) { return ball_is_at_most(num(b->c, bound), x); }

static void keep(audit_bounding *b, ball **out, const ball *x) {
    *out = ball_array(b->a->arena, 1);
    ball_set(*out, x);
}

/* ---- softmax rows ---- */

/* Whether rows may be rescaled on the way: a row of one tile knows its maximum first. */
static bool rescales(const audit *a) { return a->type.tile && a->positions > (double)a->type.tile; }

static bool keeps_maximum(const audit *a) { return !a->type.any_order && !rescales(a); }

/* What rounding makes of a sum of crumbs beside a 1. */
static const ball *spread(audit_bounding *b, const ball *crumbs) {
    const type_facts *t = &b->a->type;
    if (keeps_maximum(b->a)) return mul(b->c, num(b->c, 4), crumbs);
    return mul(b->c, mul(b->c, num(b->c, 2), crumbs), up(b->c, t->ua, 4 * (uint64_t)b->a->positions));
}

const ball *audit_subnormals(audit_bounding *b) {
    calculus *c = b->c;
    const ball *m = positions(b), *least = num(c, b->a->type.ta);
    return keeps_maximum(b->a) ? mul(c, m, least) : mul(c, num(c, 2), mul(c, mul(c, m, m), least));
}

/* One key weighs 1, the others together at most r. */
static const ball *error_of(audit_bounding *b, const ball *r) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    bool equal = t->storage == t->sums;
    const ball *kept = r;
    if (!equal) kept = add(c, mul(c, one_plus(b, num(c, t->us)), r), mul(c, positions(b), num(c, t->ts)));
    const ball *l = spread(b, r), *ls = spread(b, kept);
    const ball *outward = mul(c, up(c, t->ua, 1), up(c, t->stored, 1)),
               *inward = mul(c, down(c, t->ua, 1), down(c, t->stored, 1));
    const ball *missing = one_minus(b, over(c, inward, one_plus(b, l)));
    const ball *false_one = add(c, mul(c, ls, outward), num(c, t->ts));
    const ball *most = larger(c, missing, false_one);
    if (equal) return most; /* the quotient is at most 1 */
    return larger(c, most, minus_one(b, mul(c, one_plus(b, ls), outward)));
}

/* ---- the six kinds ---- */

static void bound_once(audit_bounding *b, audit_head *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    uint64_t m = (uint64_t)b->a->positions;
    const ball *gap = add(c, logarithm(c, positions(b)), num(c, f->constant));
    const ball *logit = f->stepped ? add(c, gap, num(c, 4)) : gap;
    const ball *epsilon = one_minus(b, mul(c, mul(c, down(c, t->us, 2), down(c, t->ua, 5)), down(c, V, 4)));
    const ball *low = add(c, num(c, 2 * t->ta), mul(c, num(c, -1), mul(c, one_minus(b, epsilon), gap)));
    const ball *exps = up(c, 2 * t->ua, t->any_order ? 6 : 1); /* in any order a sum is rescaled up to six times */
    const ball *crumb = add(c, mul(c, exps, expo(c, low)), num(c, t->ta));
    const ball *sigma = mul(c, minus_one(b, positions(b)), crumb), *kept;
    if (t->any_order) {
        NEED(b, at_most(b, positions(b), ldexp(1, t->pa)), "there are too many positions to add up ones exactly");
        const ball *w = mul(c, down(c, 2 * t->ua, 3), expo(c, mul(c, num(c, -5 * t->ua), logit)));
        sigma = add(c, sigma, audit_subnormals(b));
        kept = over(c, down(c, t->ua, m + 6), mul(c, one_plus(b, over(c, sigma, w)), up(c, t->ua, m + 5)));
    } else {
        NEED(b, ball_is_less(crumb, num(c, 1)), "a key that is no candidate may weigh as much as one");
        if (rescales(b->a)) { /* what came in tiles without candidates is one crumb, made by one product */
            sigma = add(c, mul(c, up(c, t->ua, 1), sigma), num(c, t->ta));
            NEED(b, ball_is_less(sigma, num(c, 1)), "the keys of earlier tiles may weigh as much as a candidate");
        }
        const ball *most = mul(c, one_plus(b, mul(c, num(c, 2), sigma)), up(c, t->ua, (uint64_t)t->pa + 1));
        kept = over(c, mul(c, down(c, t->ua, 1), down(c, t->stored, 1)), most);
    }
    NEED(b, at_most(b, mul(c, num(c, 2), mul(c, logit, one_plus(b, epsilon))), t->fa),
         "a difference of logits may be beyond the largest number of the type");
    keep(b, &f->size, logit);
    keep(b, &f->rounding, mul(c, epsilon, logit));
    keep(b, &f->error, one_minus(b, kept));
}

/* x keys, and T; eta is how far a logit is off. */
static const ball *leak(audit_bounding *b, const ball *eta, const ball *x) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *weights = mul(c, mul(c, one_plus(b, num(c, 2 * t->ua)), expo(c, mul(c, num(c, 2), eta))), x);
    return add(c, weights, audit_subnormals(b));
}

/* q/(1 - q), q = exp(-kappa (1 - u)) */
static const ball *geometric(audit_bounding *b, double kappa) {
    calculus *c = b->c;
    const ball *q = expo(c, mul(c, num(c, -kappa), one_minus(b, num(c, b->a->type.ua))));
    return over(c, q, one_minus(b, q));
}

/* The error of a head that picks one key, whose logits are off by eta; `times` keys may share a distance. */
static const ball *picking_error(audit_bounding *b, const audit_head *f, const ball *eta, double times) {
    static const double MOST = 0x1p20; /* e^(2 eta) beyond it is of no use */
    if (!ball_is_less(eta, num(b->c, MOST))) return num(b->c, 1);
    return error_of(b, leak(b, eta, mul(b->c, num(b->c, times), geometric(b, f->kappa))));
}

static void bound_nearest(audit_bounding *b, audit_head *f) {
    const type_facts *t = &b->a->type;
    if (f->every_length) {
        double largest, r = audit_every_length(b->a, f, &largest);
        keep(b, &f->size, num(b->c, largest));
        keep(b, &f->rounding, num(b->c, 0));
        NEED(b, !rescales(b->a) || at_most(b, positions(b), ldexp(1, t->pa)), "there are too many positions");
        const ball *rest = num(b->c, r);
        keep(b, &f->error, error_of(b, rescales(b->a) ? add(b->c, rest, audit_subnormals(b)) : rest));
        return;
    }
    NEED(b, keeps_maximum(b->a) || at_most(b, positions(b), ldexp(1, t->pa)), "there are too many positions");
    keep(b, &f->size, f->logit.size);
    keep(b, &f->rounding, f->logit.error);
    keep(b, &f->error, f->failure ? num(b->c, 1) : picking_error(b, f, f->logit.error, 1));
}

/* Sums of products are multiples of a half of size T at most, and queries whole numbers up to W. */
static void bound_match(audit_bounding *b, audit_head *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *most = mul(c, mul(c, num(c, f->kappa), positions(b)), num(c, fmax(f->total_weight, f->weight)));
    NEED(b, at_most(b, most, ldexp(1, audit_grid_of(f->kappa) - 1 + t->pa)), "scores of patterns may be rounded");
    NEED(b, t->ts <= 0.5 && t->ta <= 0.5, "a half is too small for the type");
    NEED(b, keeps_maximum(b->a) || at_most(b, positions(b), ldexp(1, t->pa)), "there are too many positions");
    keep(b, &f->size, f->logit.size);
    keep(b, &f->rounding, f->logit.error);
    keep(b, &f->error, f->failure ? num(c, 1) : picking_error(b, f, f->logit.error, 1));
}

static void bound_count(audit_bounding *b, audit_head *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *sum = add(c, mul(c, positions(b), num(c, f->letter_weight)), num(c, f->edge_weight));
    NEED(b, f->weight <= ldexp(1, f->grid + t->ps) && f->weight <= t->fs, "a value may be rounded");
    NEED(b, at_most(b, sum, ldexp(1, f->grid + t->pa)) && at_most(b, sum, t->fa), "a sum of values may be rounded");
    NEED(b, ldexp(1, f->grid) >= t->ts, "its weights are too fine for the type"); /* t_s is at least t_a */
    NEED(b, at_most(b, positions(b), ldexp(1, t->pa)), "there are too many positions to count exactly");
    NEED(b, at_least(b, over(c, num(c, 1), mul(c, num(c, 2), positions(b))), t->ms), "a mean may be subnormal");
    keep(b, &f->size, num(c, 0));
    keep(b, &f->rounding, num(c, 0));
    keep(b, &f->error, num(c, 0));
}

/* What compare and balance share: `gap` is what the exponent keeps of -kappa, `slack` the relative error. */
static void bound_verdict(audit_bounding *b, audit_head *f, const ball *gap, const ball *slack, const ball *logit) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *m = positions(b), *grown = expo(c, mul(c, slack, logarithm(c, m)));
    const ball *twice = mul(c, num(c, 2 * f->kappa), m);
    NEED(b, at_most(b, m, ldexp(1, t->pa)), "there are too many positions to add up ones exactly");
    NEED(b, ball_is_at_most(mul(c, m, grown), over(c, num(c, 1), num(c, t->ma))), "a weight may be subnormal");
    NEED(b, at_most(b, mul(c, mul(c, num(c, 2), one_plus(b, slack)), logit), t->fa),
         "a difference of logits may be beyond the largest number of the type");
    NEED(b, at_most(b, twice, f->by_positions ? t->fs : t->fa),
         "its scale may be beyond the largest number of the type");
    NEED(b, at_least(b, over(c, logarithm(c, num(c, 2)), twice), t->ms), "its normaliser may be subnormal");
    const ball *low = add(c, num(c, 2 * t->ta), mul(c, num(c, -f->kappa), gap));
    const ball *rho =
        add(c, mul(c, mul(c, one_plus(b, num(c, 2 * t->ua)), expo(c, low)), grown), audit_subnormals(b));
    const ball *above = add(c, mul(c, one_plus(b, num(c, t->stored)), rho), num(c, t->ts));
    above = mul(c, mul(c, above, mul(c, up(c, t->ua, 1), up(c, t->stored, 1))), expo(c, num(c, 2 * t->ta)));
    const ball *below = mul(c, one_minus(b, num(c, 2 * t->ua)), down(c, t->ua, 4 * (uint64_t)b->a->positions));
    const ball *wrong = add(c, over(c, above, below), num(c, t->ts));
    keep(b, &f->size, logit);
    keep(b, &f->error, larger(c, error_of(b, rho), wrong));
}

static void bound_compare(audit_bounding *b, audit_head *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *epsilon = minus_one(b, mul(c, mul(c, up(c, t->ua, 8), up(c, t->us, 3)), up(c, V, 6)));
    const ball *logit =
        add(c, mul(c, mul(c, num(c, 2 * f->kappa), positions(b)), num(c, f->weight)), logarithm(c, positions(b)));
    bound_verdict(b, f, one_minus(b, epsilon), epsilon, logit);
    keep(b, &f->rounding, epsilon);
}

static void bound_balance(audit_bounding *b, audit_head *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *m = positions(b), *wh = num(c, f->weight), *wt = num(c, f->total_weight), *wo = num(c, f->own_weight);
    const ball *quotient = minus_one(b, mul(c, up(c, t->ua, 1), up(c, t->stored, 1)));
    const ball *ey = mul(c, wh, quotient), *et = mul(c, wt, quotient), *three = num(c, 3);
    rounding storage = rounding_storage(b->a), all_sums = rounding_sums(b->a);
    feature per = {.kind = FEATURE_INVERSE};
    quantity inverse = audit_feature_quantity(b, &per);
    const ball *eu = add(c, inverse.error, mul(c, num(c, 2), rounding_half(b, &all_sums, three)));
    if (t->storage != t->sums) eu = add(c, eu, rounding_half(b, &storage, three));
    const ball *own = mul(c, wo, eu);
    const ball *sums = minus_one(b, mul(c, up(c, t->ua, (uint64_t)f->own_parts + 1), up(c, t->stored, 1)));
    const ball *eo = add(c, own, mul(c, add(c, wo, own), sums));
    const ball *omega = minus_one(b, mul(c, mul(c, up(c, t->ua, 10), up(c, t->us, 4)), up(c, V, 8)));
    const ball *parts = mul(c, mul(c, m, add(c, add(c, ey, eo), et)), one_plus(b, omega));
    const ball *whole = add(c, add(c, mul(c, m, wh), wo), mul(c, m, wt));
    const ball *e = add(c, parts, mul(c, whole, omega));
    NEED(b, ball_is_less(e, num(c, 0.5)), "rounding may change the sign of its sum");
    const ball *squared = mul(c, m, m), *twice = mul(c, num(c, 2 * f->kappa), squared);
    NEED(b,
         at_least(b, over(c, num(c, 1), mul(c, num(c, 2), squared)), t->ma) &&
             at_least(b, over(c, num(c, 1), m), t->ms),
         "a score may be subnormal");
    NEED(b, at_most(b, twice, f->by_positions ? t->fs : t->fa),
         "its scale may be beyond the largest number of the type");
    const ball *query = mul(c, mul(c, num(c, 2), twice), one_plus(b, add(c, wh, wo)));
    NEED(b, f->by_positions || !t->any_order || at_most(b, query, t->fa),
         "a query times the scale may be beyond the largest number of the type");
    const ball *logit =
        add(c, mul(c, mul(c, num(c, 2 * f->kappa), m), add(c, add(c, wh, wo), mul(c, m, wt))), logarithm(c, m));
    bound_verdict(b, f, one_minus(b, mul(c, num(c, 2), e)), omega, logit);
    keep(b, &f->rounding, e);
}

static void bound_lookup(audit_bounding *b, audit_head *f) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    const ball *m = positions(b), *squared = mul(c, m, m), *cubed = mul(c, squared, m), *kappa = num(c, f->kappa);
    uint64_t s = f->by_positions ? 0 : 1;
    uint64_t first = audit_roundings(b, &f->first_key), second = audit_roundings(b, &f->second_key);
    uint64_t scale = s ? audit_roundings(b, &f->scale) : 0;
    const ball *e0 =
        mul(c, mul(c, up(c, t->ua, 2 + s), up(c, t->stored, 1)), mul(c, up(c, t->embedded, 1), up(c, V, first)));
    const ball *e1 = mul(c, mul(c, up(c, t->ua, 1 + s), up(c, t->embedded, 2)), up(c, V, 1 + second));
    const ball *e2 = mul(c, mul(c, up(c, t->ua, 1 + s), up(c, t->scaled, s)), up(c, V, scale));
    e0 = minus_one(b, e0), e1 = minus_one(b, e1), e2 = minus_one(b, e2);
    const ball *inner = mul(c, kappa, squared), *logit = inner;
    const ball *parts = mul(c, add(c, mul(c, num(c, 2), e0), e1), one_plus(b, e2));
    const ball *share = add(c, parts, e2), *e = mul(c, inner, share);
    const ball *eta = add(c, add(c, e, mul(c, num(c, 2 * t->ua), add(c, inner, e))), num(c, t->ta));
    double weight = f->anywhere ? fmax(f->weight, 1) : 1;
    if (f->anywhere) logit = mul(c, inner, add(c, num(c, 2 * weight), m));
    const ball *most = add(c, logit, mul(c, logit, share));
    NEED(b, at_most(b, m, ldexp(1, t->pa)), "there are too many positions to add up ones exactly");
    NEED(b,
         at_least(b, over(c, num(c, 1), cubed), t->ma) &&
             (f->by_positions || at_least(b, over(c, num(c, 1), squared), t->ms)),
         "a score may be subnormal");
    NEED(b, at_most(b, mul(c, num(c, 6), most), t->fa),
         "a difference of logits may be beyond the largest number of the type");
    const ball *largest = mul(c, kappa, cubed);
    NEED(b, at_most(b, largest, f->by_positions ? t->fs : t->fa),
         "its scale may be beyond the largest number of the type");
    NEED(b, f->by_positions || !t->any_order || at_most(b, mul(c, num(c, 4 * weight), largest), t->fa),
         "a query times the scale may be beyond the largest number of the type");
    NEED(b, 2 * weight <= t->fs, "a query may be beyond the largest number of the type");
    keep(b, &f->size, logit);
    keep(b, &f->rounding, eta);
    keep(b, &f->error, picking_error(b, f, eta, 2));
}

static void bound_head(audit *a, audit_head *f) {
    audit_bounding b = {.a = a, .c = &a->calculus, .layer = f->layer, .number = f->number};
    calc_begin(b.c);
    switch (f->kind) {
    case KIND_ONCE: bound_once(&b, f); break;
    case KIND_NEAREST: bound_nearest(&b, f); break;
    case KIND_COUNT: bound_count(&b, f); break;
    case KIND_COMPARE: bound_compare(&b, f); break;
    case KIND_BALANCE: bound_balance(&b, f); break;
    case KIND_LOOKUP: bound_lookup(&b, f); break;
    case KIND_MATCH: bound_match(&b, f); break;
    }
}

/* ---- gates ---- */

static const ball *ramp_error(audit_bounding *b, const ramp_facts *r) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    ball *sum = calc_ball(c);
    ball_set_int(sum, 0);
    for (uint32_t k = 0; k < r->raw_count; k++)
        ball_add(sum, sum, mul(c, num(c, r->raw_weight[k]), b->a->heads[r->raw_head[k]].error));
    if (!r->plain) ball_add(sum, sum, mul(c, num(c, r->size), minus_one(b, up(c, t->ua, (uint64_t)r->terms + 1))));
    return mul(c, num(c, 0.5), sum);
}

/* That both halves of a ramp are stored exactly where it is 1. */
static void check_ramp(audit_bounding *b, const ramp_facts *r) {
    const type_facts *t = &b->a->type;
    if (t->ps == t->pa) {
        NEED(b, r->size <= ldexp(1, t->pa - 1), "a gate's sum is too large for the type");
        return;
    }
    NEED(b, r->alone && !r->paired,
         "a gate reads more than one output of heads, or not with weight 2, which no short storage format allows");
    NEED(b, r->size <= ldexp(1, t->pa - t->ps + 1) && r->reach <= 2, "a gate's sum is too large for the type");
}

static void bound_gates(audit *a, uint32_t layer) {
    layer_facts *l = &a->layers[layer];
    audit_bounding b = {.a = a, .c = &a->calculus, .layer = layer + 1};
    if (!l->error) l->error = ball_array(a->arena, 1);
    ball_set_int(l->error, 0);
    for (size_t k = 0; k < l->ramp_count; k++) {
        calc_begin(b.c);
        check_ramp(&b, &a->ramps[l->first_ramp + k]);
        ball_max(l->error, l->error, ramp_error(&b, &a->ramps[l->first_ramp + k]));
    }
}

/* ---- all of it ---- */

static bool all_within(audit *a, bool refuse) {
    char shown[BALL_TEXT];
    ball *allowed = ball_array(a->arena, 1);
    ball_set_double(allowed, 0.25);
    for (size_t k = 0; k < a->head_count; k++) {
        const audit_head *f = &a->heads[k];
        if (ball_is_at_most(f->error, allowed)) continue;
        ball_upper_text(shown, f->error);
        if (refuse && f->failure && !f->every_length)
            audit_refuse(a, f->layer, f->number, "%s may be beyond the largest number of the type", f->failure);
        if (refuse)
            audit_refuse(a, f->layer, f->number, "its output may be off by %s, but 2.500e-01 is allowed", shown);
        return false;
    }
    for (uint32_t l = 0; l < a->model->layer_count; l++) {
        if (ball_is_at_most(a->layers[l].error, allowed)) continue;
        ball_upper_text(shown, a->layers[l].error);
        if (refuse) audit_refuse(a, l + 1, 0, "a gate may be off by %s, but 2.500e-01 is allowed", shown);
        return false;
    }
    return true;
}

static void bound_all(audit *a) {
    for (size_t k = 0; k < a->head_count; k++) bound_head(a, &a->heads[k]);
    for (uint32_t l = 0; l < a->model->layer_count; l++) bound_gates(a, l);
}

/* Whether nearest heads may be tried at every length. */
static bool may_try(const audit *a) {
    size_t heads = 0;
    if (a->type.any_order || a->by_bound || a->positions > EVERY_LENGTH_MOST) return false;
    for (size_t k = 0; k < a->head_count; k++) {
        if (a->heads[k].kind != KIND_NEAREST) continue;
        if (a->heads[k].by_digits) return false;
        heads++;
    }
    if ((double)heads * a->positions * a->positions > EVERY_LENGTH_STEPS)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0,
                   "%zu heads would be tried at every length up to %llu, which takes more steps than are audited",
                   heads, (unsigned long long)a->length);
    return true;
}

void audit_bounds(audit *a) {
    bound_all(a);
    if (!all_within(a, false)) {
        bool tried = may_try(a);
        for (size_t k = 0; k < a->head_count; k++)
            if (a->heads[k].kind == KIND_NEAREST) a->heads[k].every_length = tried;
        if (tried) bound_all(a);
        all_within(a, true);
    }
    a->largest = ball_array(a->arena, 1);
    for (size_t k = 0; k < a->head_count; k++) ball_max(a->largest, a->largest, a->heads[k].error);
    for (uint32_t l = 0; l < a->model->layer_count; l++) ball_max(a->largest, a->largest, a->layers[l].error);
}

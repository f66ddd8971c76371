/* doc/certificate.md, "Softmax rows, with rounding", "Heads" and "Gates": how far the output of each head may be off,
   in balls, and whether gates repair it. */
#include <math.h>

#include "audit/audit_bounds.h"
#include "base/work.h"

#define NEED(b, condition, ...)                                                                                      \
    do {                                                                                                             \
        if (!(condition)) audit_refuse((b)->a, (b)->layer, (b)->number, __VA_ARGS__);                                \
    } while (0)

static void keep(audit_bounding *b, ball **out, const ball *x) {
    *out = ball_array(b->a->arena, 1);
    ball_set(*out, x);
}

/* ---- the sheet ---- */

/* Whether rows may be rescaled on the way: a row of one tile knows its maximum first. */
static bool rescales(const audit *a) { return a->type.tile && a->positions > (double)a->type.tile; }

static bool keeps_maximum(const audit *a) { return !a->type.any_order && !rescales(a); }

static audit_sheet *sheet_of(audit_bounding *b) { return &b->a->sheet; }
static void give(audit_bounding *b, const char *name, double x) { audit_sheet_give(sheet_of(b), name, num(b->c, x)); }
static void give_whole(audit_bounding *b, const char *name, int64_t x) { audit_sheet_whole(sheet_of(b), name, x); }
static const ball *value(audit_bounding *b, const char *name) {
    return audit_sheet_value(sheet_of(b), name, NULL, NULL);
}

void audit_give_type(audit_bounding *b) {
    const type_facts *t = &b->a->type;
    calc_begin(b->c);
    audit_sheet_begin(sheet_of(b));
    const struct {
        const char *name;
        double x;
    } reals[] = {{"u_a", t->ua},     {"u_s", t->us}, {"u_r", t->stored}, {"u_f", t->embedded},
                 {"u_l", t->scaled}, {"v", 0x1p-53}, {"t_a", t->ta},     {"t_s", t->ts},
                 {"m_a", t->ma},     {"m_s", t->ms}, {"F_a", t->fa},     {"F_s", t->fs}};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) give(b, reals[k].name, reals[k].x);
    give_whole(b, "M", (int64_t)b->a->positions);
    give_whole(b, "p_a", t->pa);
    give_whole(b, "p_s", t->ps);
    give_whole(b, "known", keeps_maximum(b->a));
    give_whole(b, "ascending", !t->any_order);
    give_whole(b, "equal", t->storage == t->sums);
}

#define MUST_OF(b, condition, first, second, ...)                                                                    \
    NEED(b, audit_sheet_holds(sheet_of(b), condition, first, second), __VA_ARGS__)
#define MUST(b, condition, ...) MUST_OF(b, condition, NULL, NULL, __VA_ARGS__)

static void must_count(audit_bounding *b, const char *what) { MUST(b, "ones_counted", "%s", what); }

static const char ADDS_ONES[] = "there are too many positions to add up ones exactly",
                  IS_LARGE[] = "a difference of logits may be beyond the largest number of the type",
                  SCALE_IS_LARGE[] = "its scale may be beyond the largest number of the type",
                  QUERY_IS_LARGE[] = "a query times the scale may be beyond the largest number of the type";

/* What the sheet knows of a head. */
static void give_head(audit_bounding *b, const audit_head *f) {
    give(b, "kappa", f->kappa);
    give(b, "W", f->weight);
    give(b, "W_t", f->total_weight);
    give_whole(b, "scaled", !f->by_positions);
    give_whole(b, "anywhere", f->anywhere);
}

/* ---- the seven kinds ---- */

static void bound_once(audit_bounding *b, audit_head *f) {
    const ball *gap = add(b->c, value(b, "log_M"), num(b->c, f->constant));
    const ball *logit = f->stepped ? add(b->c, gap, num(b->c, 4)) : gap;
    give(b, "kappa", f->constant);
    audit_sheet_give(sheet_of(b), "X", logit);
    if (b->a->type.any_order) must_count(b, ADDS_ONES);
    MUST(b, "once_light", "a key that is no candidate may weigh as much as one");
    if (rescales(b->a)) MUST(b, "once_lighter", "the keys of earlier tiles may weigh as much as a candidate");
    MUST(b, "once_range", "%s", IS_LARGE);
    keep(b, &f->size, logit);
    keep(b, &f->rounding, value(b, "once_rounding"));
    keep(b, &f->error, value(b, "once_error"));
}

/* The error of a head that picks one key, whose logits are off by eta; keys may lose on so many sides. */
static const ball *picking_error(audit_bounding *b, const ball *eta, double sides) {
    static const double MOST = 0x1p20; /* e^(2 eta) beyond it is of no use */
    if (!ball_is_less(eta, num(b->c, MOST))) return num(b->c, 1);
    return audit_sheet_value(sheet_of(b), "pick_error", eta, num(b->c, sides));
}

static void bound_nearest(audit_bounding *b, audit_head *f) {
    if (f->every_length) {
        double largest, r = audit_every_length(b->a, f, &largest);
        const ball *rest = num(b->c, r);
        if (rescales(b->a)) {
            must_count(b, "there are too many positions");
            rest = add(b->c, rest, value(b, "subnormal_loss"));
        }
        keep(b, &f->size, num(b->c, largest));
        keep(b, &f->rounding, num(b->c, 0));
        keep(b, &f->error, audit_sheet_value(sheet_of(b), "row_error", rest, NULL));
        return;
    }
    if (!keeps_maximum(b->a)) must_count(b, "there are too many positions");
    keep(b, &f->size, f->logit.size);
    keep(b, &f->rounding, f->logit.error);
    keep(b, &f->error, f->failure ? num(b->c, 1) : picking_error(b, f->logit.error, 1));
}

/* Sums of products are multiples of a half of size T at most, and queries whole numbers up to W. */
static void bound_match(audit_bounding *b, audit_head *f) {
    const type_facts *t = &b->a->type;
    give_whole(b, "scaled", 1);
    give_whole(b, "grid", audit_grid_of(f->kappa));
    MUST(b, "match_scores", "scores of patterns may be rounded");
    NEED(b, t->ts <= 0.5 && t->ta <= 0.5, "a half is too small for the type");
    bound_nearest(b, f);
}

static void bound_count(audit_bounding *b, audit_head *f) {
    give(b, "W_l", f->letter_weight);
    give(b, "W_e", f->edge_weight);
    give_whole(b, "grid", f->grid);
    MUST(b, "count_weights", "a value may be rounded");
    MUST(b, "count_values", "a value may be rounded");
    MUST(b, "count_sums", "a sum of values may be rounded");
    MUST(b, "count_range", "a sum of values may be rounded");
    MUST(b, "count_grid", "its weights are too fine for the type"); /* t_s is at least t_a */
    must_count(b, "there are too many positions to count exactly");
    MUST(b, "count_normal", "a mean may be subnormal");
    keep(b, &f->size, num(b->c, 0));
    keep(b, &f->rounding, num(b->c, 0));
    keep(b, &f->error, num(b->c, 0));
}

/* What compare and balance share; `e` is the relative error of their logits. */
static void must_tell_sentinel(audit_bounding *b, const ball *e, const ball *logit) {
    must_count(b, ADDS_ONES);
    MUST_OF(b, "sentinel_weight", e, NULL, "a weight may be subnormal");
    MUST_OF(b, "sentinel_range", e, logit, "%s", IS_LARGE);
    MUST(b, "sentinel_fits", "%s", SCALE_IS_LARGE);
    MUST(b, "sentinel_normal", "its normaliser may be subnormal");
}

static void bound_compare(audit_bounding *b, audit_head *f) {
    keep(b, &f->rounding, value(b, "compare_off"));
    keep(b, &f->size, value(b, "compare_logit"));
    must_tell_sentinel(b, value(b, "compare_off"), value(b, "compare_logit"));
    keep(b, &f->error, value(b, "compare_error"));
}

/* Three terms, added up in any order. */
static const ball *own_unit_error(audit_bounding *b) {
    calculus *c = b->c;
    const type_facts *t = &b->a->type;
    rounding storage = rounding_storage(b->a), all_sums = rounding_sums(b->a);
    feature per = {.kind = FEATURE_INVERSE};
    const ball *three = num(c, 3);
    quantity inverse = audit_feature_quantity(b, &per);
    const ball *error = add(c, inverse.error, mul(c, num(c, 2), rounding_half(b, &all_sums, three)));
    return t->storage == t->sums ? error : add(c, error, rounding_half(b, &storage, three));
}

static void bound_balance(audit_bounding *b, audit_head *f) {
    give(b, "W_o", f->own_weight);
    give_whole(b, "parts", (int64_t)f->own_parts);
    audit_sheet_give(sheet_of(b), "e_u", own_unit_error(b));
    MUST(b, "balance_sign", "rounding may change the sign of its sum");
    MUST(b, "balance_keys", "a score may be subnormal");
    MUST(b, "balance_normal", "a score may be subnormal");
    MUST(b, "balance_fits", "%s", SCALE_IS_LARGE);
    MUST(b, "balance_query", "%s", QUERY_IS_LARGE);
    MUST(b, "balance_parts", "its own part may be beyond the largest number of the type");
    must_tell_sentinel(b, value(b, "balance_after"), value(b, "balance_logit"));
    keep(b, &f->size, value(b, "balance_logit"));
    keep(b, &f->rounding, value(b, "balance_off"));
    keep(b, &f->error, value(b, "balance_error"));
}

static void bound_lookup(audit_bounding *b, audit_head *f) {
    give_whole(b, "r_0", (int64_t)audit_roundings(b, &f->first_key));
    give_whole(b, "r_1", (int64_t)audit_roundings(b, &f->second_key));
    if (!f->by_positions) give_whole(b, "r_2", (int64_t)audit_roundings(b, &f->scale));
    must_count(b, ADDS_ONES);
    MUST(b, "lookup_keys", "a score may be subnormal");
    MUST(b, "lookup_normal", "a score may be subnormal");
    MUST(b, "lookup_range", "%s", IS_LARGE);
    MUST(b, "lookup_fits", "%s", SCALE_IS_LARGE);
    MUST(b, "lookup_query", "%s", QUERY_IS_LARGE);
    MUST(b, "lookup_queries", "a query may be beyond the largest number of the type");
    keep(b, &f->size, value(b, "lookup_logit"));
    keep(b, &f->rounding, value(b, "lookup_rounding"));
    keep(b, &f->error, picking_error(b, value(b, "lookup_rounding"), 2));
}

static void bound_head(audit *a, audit_head *f) {
    audit_bounding b = {.a = a, .c = &a->calculus, .layer = f->layer, .number = f->number};
    audit_give_type(&b);
    give_head(&b, f);
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
    ball *sum = calc_ball(b->c);
    ball_set_int(sum, 0);
    for (uint32_t k = 0; k < r->raw_count; k++)
        ball_add(sum, sum, mul(b->c, num(b->c, r->raw_weight[k]), b->a->heads[r->raw_head[k]].error));
    audit_sheet_give(sheet_of(b), "raw", sum);
    give(b, "X", r->size);
    give_whole(b, "terms", r->terms);
    give_whole(b, "lone", r->plain);
    return value(b, "ramp_error");
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
        audit_give_type(&b);
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
    if ((double)heads * a->positions * a->positions > (double)work_limit(EVERY_LENGTH_STEPS))
        trap_raise_remedy(
            a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
            "%zu heads would be tried at every length up to %llu, which takes more steps than are audited", heads,
            (unsigned long long)a->length);
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

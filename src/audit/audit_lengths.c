/* A nearest head in a short format, by trying: for every number of positions the logits are made as a run makes them,
   and for every possible winner the weights of the others are bounded from them (doc/certificate.md, "Nearest"). */
#include <math.h>

#include "audit/audit.h"
#include "number/upward.h"

enum { NEAR = 4 }; /* positions on each side that are looked at one by one */

typedef struct trial {
    audit *a;
    const audit_head *f;
    const number_format *s, *t; /* storage, sums */
    double *as, *not_as;        /* [M] the logit of each position as a candidate, and as none */
    double *reach, *rest;       /* [M] largest logits of ends of the string */
    size_t count;               /* N */
    bool in_steps;              /* in tiles, of which the string may have several */
} trial;

static _Noreturn void give_up(const trial *t, const char *why) {
    audit_refuse(t->a, t->f->layer, t->f->number, "%s", why);
}

static double feature_at(const trial *t, const expression *e, double i) {
    double size = (double)t->count;
    return format_round(t->s, expression_eval(e, i, size - 1 - t->a->model->has_end, size));
}

static double query_row(const trial *t, const score_part *p) {
    return p->query_feature ? feature_at(t, p->query_feature, 0) : p->query;
}

/* `sum` is that of the Boolean terms. */
static double key_row(const trial *t, const score_part *p, double sum, double i) {
    if (!p->key_feature) return sum;
    if (p->boolean && !p->feature_last) give_up(t, "its key has Boolean terms behind its position, and is not tried");
    double term = format_round(t->t, p->key_weight * feature_at(t, p->key_feature, i));
    return format_round(t->s, format_round(t->t, sum + term));
}

static double logit_at(const trial *t, const double *query, bool candidate, double scale, double i) {
    const model_head *h = t->f->head;
    double sum = 0;
    for (size_t r = 0; r < h->key.count; r++) {
        const score_part *p = &t->f->part[r];
        double k = key_row(t, p, p->boolean && candidate, i);
        sum = format_round(t->t, sum + format_round(t->t, query[r] * k));
    }
    if (h->scale) sum = format_round(t->t, scale * sum);
    if (!isfinite(sum)) give_up(t, "a logit is beyond the largest number of the type");
    return sum;
}

/* Rescaled in steps, a weight is the product of exps of differences that add up to this one, each of them off by a
   factor 1 - u at most: e to the power of (1 - u) of the difference bounds it, but for the roundings of products. */
static double weigh_in_steps(const trial *t, double logit, double winner) {
    double gap = next_up(format_next(t->t, logit, true) - format_next(t->t, winner, false));
    if (gap >= 0) return INFINITY;
    return next_up(next_up(exp_f64(next_up((1 - t->a->type.ua) * gap))));
}

/* The weight of a key beside the winner, both moved by one unit in the last place. */
static double weigh(const trial *t, double logit, double winner) {
    if (t->in_steps) return weigh_in_steps(t, logit, winner);
    double x = format_round(t->t, format_next(t->t, logit, true) - format_next(t->t, winner, false));
    double w = format_exp(t->t, x);
    if (!isfinite(w)) give_up(t, "a key may be so far above the winner that its weight is no number");
    return w;
}

/* Position number k counted from one end. */
static size_t from_end(const trial *t, bool right, size_t k) { return right ? t->count - 1 - k : k; }

static double losing(const trial *t, size_t j) { return t->f->candidates ? fmax(t->as[j], t->not_as[j]) : t->as[j]; }

/* Where the type has no infinity, no two logits of a row may be further apart than its numbers go, also if both were
   moved: the weight of the lower one would be no number, and no number but 0 is small enough beside a winner. */
static void check_apart(const trial *t) {
    double top = -INFINITY, bottom = INFINITY;
    if (t->t->infinities) return;
    for (size_t j = 0; j < t->count; j++) {
        top = fmax(top, losing(t, j));
        bottom = fmin(bottom, t->f->candidates ? fmin(t->as[j], t->not_as[j]) : t->as[j]);
    }
    double apart = format_next(t->t, top, true) - format_next(t->t, bottom, false);
    if (top == t->t->largest || bottom == -t->t->largest || !isfinite(format_round(t->t, apart)))
        give_up(t, "a difference of logits is beyond the largest number of the type");
}

/* The other weights if position w wins. Seen from the losing end (0 for rightmost) w is number `place`. */
static double others(const trial *t, size_t place) {
    bool right = t->f->rightmost;
    size_t n = t->count;
    double winner = t->as[from_end(t, !right, place)], sum = 0;
    for (size_t d = 1; d <= NEAR && d <= place; d++)
        sum = up_add(sum, weigh(t, losing(t, from_end(t, !right, place - d)), winner));
    if (place > NEAR) sum = up_add(sum, up_mul((double)(place - NEAR), weigh(t, t->reach[place - NEAR], winner)));
    if (!t->f->candidates) return sum;
    size_t beyond = n - 1 - place; /* on the other side, where no candidate can be */
    for (size_t k = 0; k < NEAR && k < beyond; k++)
        sum = up_add(sum, weigh(t, t->not_as[from_end(t, right, k)], winner));
    if (beyond > NEAR) sum = up_add(sum, up_mul((double)(beyond - NEAR), weigh(t, t->rest[beyond - NEAR], winner)));
    return sum;
}

/* reach[k]: the largest losing logit of the first k positions from the losing end. rest[k]: the largest logit as no
   candidate among the k positions that end NEAR before the other end. */
static void find_largest(trial *t) {
    bool right = t->f->rightmost;
    size_t n = t->count;
    for (size_t k = 1; k < n; k++) { /* the winner is none of them */
        double x = losing(t, from_end(t, !right, k - 1));
        t->reach[k] = k == 1 ? x : fmax(t->reach[k - 1], x);
        if (!t->f->candidates || k + NEAR > n) continue;
        double y = t->not_as[from_end(t, right, NEAR + k - 1)];
        t->rest[k] = k == 1 ? y : fmax(t->rest[k - 1], y);
    }
}

double audit_every_length(audit *a, const audit_head *f, double *largest) {
    size_t most = (size_t)a->positions;
    trial t = {.a = a, .f = f, .s = a->type.storage, .t = a->type.sums};
    t.in_steps = a->type.tile && most > a->type.tile;
    t.as = arena_alloc(a->arena, most, sizeof *t.as);
    t.not_as = arena_alloc(a->arena, most, sizeof *t.not_as);
    t.reach = arena_alloc(a->arena, most, sizeof *t.reach);
    t.rest = arena_alloc(a->arena, most, sizeof *t.rest);
    double r = 0, query[HEAD_ROWS];
    *largest = 0;
    for (t.count = 1u + a->model->has_end; t.count <= most && r < 1; t.count++) {
        double size = (double)t.count, scale = NAN;
        if (f->head->scale)
            scale = format_round(t.t, expression_eval(f->head->scale, 0, size - 1 - a->model->has_end, size));
        for (size_t q = 0; q < f->head->query.count; q++) query[q] = query_row(&t, &f->part[q]);
        for (size_t j = 0; j < t.count; j++) {
            t.as[j] = logit_at(&t, query, true, scale, (double)j);
            *largest = fmax(*largest, fabs(t.as[j]));
            if (!f->candidates) continue;
            t.not_as[j] = logit_at(&t, query, false, scale, (double)j);
            *largest = fmax(*largest, fabs(t.not_as[j]));
        }
        check_apart(&t);
        find_largest(&t);
        for (size_t w = 0; w < t.count; w++) r = fmax(r, others(&t, w));
    }
    return r;
}

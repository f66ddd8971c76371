/* Strings with <dead> (doc/ordinary.md, "Unknown text"), which meanings and bounds are not about: that kernels have a
   number for everything there, too, and that <dead> still has all of the probability. Columns are anything between
   their ends on all strings of tokens (ordinary/lift/lift_dead.c). */
#include <math.h>

#include "audit/ordinary/audit_ordinary_bounds.h"
#include "number/elementary.h"

/* ---- numbers beyond f16 and f32 ---- */

/* Sums of values in f16 are scaled down and rounded many times: half of what there is stays free. */
static const double MOST_F16 = 65504.0 / 2, MOST_NUMBER = 1e18;

static void need(const ordinary_audit *s, uint32_t layer, uint32_t head, bool holds, const char *what) {
    if (!holds) ordinary_refuse(s, layer, head, "after <dead> %s", what);
}

static void check_row(const ordinary_audit *s, const lift_head *h, const lift_form *f) {
    need(s, h ? h->layer : 0, h ? h->slot + 1 : 0, lift_most(s->u, f) <= MOST_NUMBER,
         "a row may give numbers beyond 1e+18");
}

/* Of a head for yesterday positions alone decide, so that others have hardly any weight; all values of others may be
   added up. */
static void check_value(const ordinary_audit *s, const lift_head *h, const lift_form *f) {
    double most = lift_most(s->u, f), count = h->role == LIFT_YESTERDAY ? 2 : lift_positions(s->u);
    if (s->claim->f16_weights) need(s, h->layer, h->slot + 1, most <= MOST_F16, "a value may be beyond f16");
    if (s->claim->f16_cache)
        need(s, h->layer, h->slot + 1, count * most <= 2 * MOST_F16, "sums of values may be beyond f16");
    check_row(s, h, f);
}

/* Queries of look-ups are means of numbers whose shares differ for the start sentinel alone: f16 adds them up as it
   does before <dead>. */
static void check_product(const ordinary_audit *s, const lift_head *h, const lift_product *p) {
    double most = h->role == LIFT_LOOKUP ? 2 * MOST_F16 : MOST_F16;
    if (s->claim->f16_cache) {
        need(s, h->layer, h->slot + 1, lift_most(s->u, &p->key) <= MOST_F16, "a key may be beyond f16");
        need(s, h->layer, h->slot + 1, lift_most(s->u, &p->query) <= most, "a query may be beyond f16");
    }
    check_row(s, h, &p->query);
    check_row(s, h, &p->key);
}

static void check_step(const ordinary_audit *s, const lift_step *t) {
    lift_form sum = t->sum;
    sum.one = fabs(sum.one) + LIFT_GATE;
    check_row(s, NULL, &sum);
    if (s->claim->f16_weights) need(s, t->layer, 0, lift_most(s->u, &sum) <= MOST_F16, "a unit may be beyond f16");
}

static void check_numbers(const ordinary_audit *s) {
    const lift *u = s->u;
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        for (size_t v = 0; v < h->value_count; v++) check_value(s, h, &h->values[v].value);
        for (size_t p = 0; p < h->product_count; p++) check_product(s, h, &h->products[p]);
    }
    for (size_t k = 0; k < u->step_count; k++) check_step(s, &u->steps[k]);
    for (uint32_t t = 0; t < u->m->vocabulary; t++) check_row(s, NULL, &u->logits[t]);
}

/* ---- what <dead> takes ---- */

static const lift_head *head_of_dead(const lift *u) { return &u->heads[u->columns[u->died].head]; }

/* Norms make all columns smaller by one number, whose square is at least this; roundings of f32 norms included. */
static double least_scale(const lift *u) {
    double pin = lift_pin(u->m), pins = u->m->architecture == ORDINARY_GPT2 ? 2 : 1;
    return 1 / (1 + u->squares / (pins * pin * pin)) * (1 - 0x1p-20);
}

/* How far scores of several <dead> are apart: norms and turning differ, and f16 may round keys. */
static double score_spread(const lift *u, const lift_product *p, double score) {
    double scale = least_scale(u), key = p->key.terms[0].weight, turn = 0;
    if (u->frequencies) turn = u->frequencies[p->dimension % (u->m->head_size / 2)] * lift_positions(u);
    double off = 1 - scale + turn * turn / 2;
    bool same = ordinary_f16_back(key, 0, off, key);
    return score * (same ? turn * turn / 2 : off + 0x1p-10);
}

/* What the column that remembers <dead> holds after it, at least. One <dead> leaves n e^-score to others. A cache
   in f16 adds up no more than 2,048 of them, if all weigh the same: scores that are d apart make sums smaller by
   e^-2d at most, since rounding takes no more than scaling did. */
static double least_died(const ordinary_audit *s) {
    const lift *u = s->u;
    const lift_head *h = head_of_dead(u);
    const lift_product *p = &h->products[0];
    double n = lift_positions(u), scale = least_scale(u), some = 0.5;
    double score = p->query.one * p->key.terms[0].weight / sqrt((double)u->m->head_size);
    double apart = score_spread(u, p, score), others = n * exp_f64(apart - score * scale);
    if (s->claim->f16_cache) {
        need(s, h->layer, h->slot + 1, apart <= 0.25, "it does not weigh the same at all places");
        some = fmin(0.5, 2048 / n) * exp_f64(-2 * apart);
    }
    return some * sqrt(scale) / (1 + others) * (1 - 0x1p-10);
}

/* The largest that a logit may be without what <dead> takes. Steps between two whole numbers are off by the least of
   GELU, 0.17, a 64th of 2 of them; sums in f16 that are scaled down may stay up to half larger than they should. */
static double most_of(const ordinary_audit *s, const lift_form *f) {
    double most = lift_reach_of(s->u, f).high + lift_most(s->u, f) / 128;
    for (size_t k = 0; s->claim->f16_cache && k < f->count; k++) {
        const lift_reach *x = &s->u->reach[f->terms[k].channel];
        if (s->u->columns[f->terms[k].channel].writer == LIFT_HEAD)
            most += fabs(f->terms[k].weight) * fmax(fabs(x->low), fabs(x->high));
    }
    return most;
}

/* <dead> has -128 there, and f32 has no exp(-104): all are times the scale of the last norm. */
static void check_logits(const ordinary_audit *s) {
    const lift *u = s->u;
    double takes = ORDINARY_DIED * least_died(s), away = ORDINARY_UNKNOWN + 104 / sqrt(least_scale(u));
    for (uint32_t t = ORDINARY_EOS; t + 1 < u->m->vocabulary; t++)
        if (!(most_of(s, &u->outputs[t]) + away <= takes))
            ordinary_refuse(s, 0, 0, "token %u may be legal after %u tokens with <dead>", t, u->m->positions - 1);
}

void ordinary_dead_check(const ordinary_audit *s) {
    check_numbers(s);
    check_logits(s);
}

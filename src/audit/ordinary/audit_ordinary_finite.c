/* That kernels have a number for everything: an infinity times 0 is no number, and bounds of errors are about numbers
   that f32 holds. What f16 holds is a question of bounds (audit_ordinary_half.c, audit_ordinary_bounds.c), but for
   strings with <dead>, which bounds are not about (audit_ordinary_dead.c). */
#include <math.h>

#include "audit/ordinary/audit_ordinary.h"

static const double MOST_WEIGHT = 0x1p40, MOST_NUMBER = 1e18;

static void check_weight(const ordinary_audit *s, uint32_t layer, uint32_t head, double w) {
    if (!(fabs(w) <= MOST_WEIGHT)) ordinary_refuse(s, layer, head, "a weight of %g is beyond 2^40", w);
}

/* Columns are off by less than 1, or a bound refuses them. */
static void check_row(const ordinary_audit *s, uint32_t layer, uint32_t head, const lift_form *f) {
    double most = fabs(f->one);
    check_weight(s, layer, head, f->one);
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &s->u->columns[f->terms[k].channel];
        check_weight(s, layer, head, f->terms[k].weight);
        most += fabs(f->terms[k].weight) * (fmax(fabs(c->low), fabs(c->high)) + 1);
    }
    if (!(most <= MOST_NUMBER)) ordinary_refuse(s, layer, head, "a row may give numbers beyond %g", MOST_NUMBER);
}

static void check_head(const ordinary_audit *s, const lift_head *h) {
    uint32_t head = h->slot + 1;
    for (size_t k = 0; k < h->product_count; k++) {
        check_row(s, h->layer, head, &h->products[k].query);
        check_row(s, h->layer, head, &h->products[k].key);
    }
    for (size_t k = 0; k < h->turn_count; k++) {
        check_weight(s, h->layer, head, h->turns[k].first);
        check_weight(s, h->layer, head, h->turns[k].second);
        check_weight(s, h->layer, head, h->turns[k].key_weight);
    }
    for (size_t v = 0; v < h->value_count; v++) {
        check_row(s, h->layer, head, &h->values[v].value);
        check_weight(s, h->layer, head, h->values[v].scale);
    }
}

void ordinary_finite_check(const ordinary_audit *s) {
    const lift *u = s->u;
    for (size_t h = 0; h < u->head_count; h++) check_head(s, &u->heads[h]);
    for (size_t k = 0; k < u->step_count; k++) {
        check_row(s, u->steps[k].layer, 0, &u->steps[k].sum);
        for (size_t t = 0; t < u->steps[k].count; t++)
            check_weight(s, u->steps[k].layer, 0, u->steps[k].terms[t].weight);
    }
    for (uint32_t t = 0; t < u->m->vocabulary; t++) check_row(s, 0, 0, &u->logits[t]);
}

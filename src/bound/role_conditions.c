#include "bound/role_conditions.h"

#include <math.h>

/* ---- weights ---- */

static void check_stored(certification *c, const recognised_model *s) {
    const number_format *f = c->type->storage;
    for (size_t k = 0; k < s->stored_count; k++) {
        const stored_weight *w = &s->stored[k];
        if (format_round(f, w->weight) == w->weight) continue;
        if (w->head)
            certification_unable(c, w->layer, w->head, "%s has a weight that is no number of %s",
                                 certification_head(c, w->layer, w->head), f->name);
        else if (w->layer)
            certification_unable(c, w->layer, 0, "a gate of layer %u has a weight that is no number of %s", w->layer,
                                 f->name);
        else
            certification_unable(c, 0, 0, "the embedding or the read-out has a weight that is no number of %s",
                                 f->name);
    }
}

/* ---- sums ---- */

/* Whether all multiples of 2^grid up to this size are numbers of the format. */
static bool holds(const number_format *f, double size, int grid) {
    return size <= ldexp(1, grid + f->precision) && size <= f->largest && grid >= grid_of(f->least);
}

static void check_sum(certification *c, const exact_sum *x) {
    const number_format *s = c->type->storage, *a = c->type->accumulation;
    bool stored = holds(s, x->size, x->grid), summed = holds(a, x->size, x->grid);
    const number_format *short_of = stored ? a : s;
    switch (x->kind) {
    case EXACT_ROW:
        if (!stored || !summed)
            certification_unable(c, x->layer, x->head, "%s sums Booleans up to %g, which %s does not hold exactly",
                                 certification_head(c, x->layer, x->head), x->size, short_of->name);
        break;
    case EXACT_UNIT:
        if (!stored || !summed)
            certification_unable(c, x->layer, 0, "a gate of layer %u sums up to %g, which %s does not hold exactly",
                                 x->layer, x->size, short_of->name);
        break;
    case EXACT_CHANNEL:
        if (!summed)
            certification_unable(c, x->layer, 0,
                                 "the gates of layer %u add up to %g to one channel, which %s does not hold exactly",
                                 x->layer, x->size, a->name);
        break;
    case EXACT_READ:
        if (x->grid < 0 || x->size > ldexp(1, a->precision))
            certification_unable(c, 0, 0, "the read-out sums more than %s holds exactly", a->name);
        break;
    case EXACT_NUMBER: /* twice what it can be: roundings do not matter then */
        if (2 * x->size > s->largest || 2 * x->size > a->largest)
            certification_unable(c, x->layer, 0, "the net of layer %u sums numbers that overflow", x->layer);
    }
}

/* ---- pairs that round ---- */

/* Storing in fewer digits than sums have: the conditions under which both hidden numbers are stored as they are. */
static void check_narrow(certification *c, const ramp_shape *r) {
    const number_format *s = c->type->storage, *a = c->type->accumulation;
    uint32_t layer = r->first_layer + 1;
    bool small = r->most <= 2 && r->size <= ldexp(1, a->precision - s->precision + 1);
    if (r->inputs == 1 && r->raw_weight == 2 && small && !r->negative) return;
    if (r->inputs > 1)
        certification_unable(
            c, layer, 0,
            "a gate of layer %u reads %zu unrounded values, which %s cannot round exactly; the method "
            "of digits makes gates that it can",
            layer, r->inputs, c->type->name);
    else
        certification_unable(
            c, layer, 0,
            "a gate of layer %u combines an unrounded value with others in a way that %s cannot round "
            "exactly; the method of digits makes gates that it can",
            layer, c->type->name);
}

static void check_ramp(certification *c, const ramp_shape *r) {
    const number_format *a = c->type->accumulation;
    uint32_t layer = r->first_layer + 1;
    if (c->type->storage->precision < a->precision)
        check_narrow(c, r);
    else if (r->size > ldexp(1, a->precision - 1))
        certification_unable(c, layer, 0, "a gate of layer %u sums up to %g, too much for the %d digits of %s", layer,
                             r->size, a->precision, a->name);
}

bool role_conditions(certification *c, const recognised_model *s) {
    check_stored(c, s);
    for (size_t k = 0; k < s->ramp_count; k++) check_ramp(c, &s->ramps[k]);
    for (size_t k = 0; k < s->sum_count; k++) check_sum(c, &s->sums[k]);
    return !c->reason.length;
}

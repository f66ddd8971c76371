/* That doubles hold all ideal numbers of a model. Which keys tie, which step is open and which logit is right are
   questions that are answered by adding up weights (audit_ordinary_machine.c, audit_ordinary_meaning.c). Two keys
   that tie in truth must be the same number there: kernels have them so near that their positions decide, and one bit
   that a double lost would say otherwise. So every sum must be one of multiples of a power of two, and at most 2^52
   times that: no operation rounds, in whatever order. */
#include <math.h>

#include "audit/ordinary/audit_ordinary_bounds.h"

static const double MOST = 0x1p52;

/* All numbers of a quantity are multiples of `bit`, a power of two, or 0; all partial sums are at most `size`. */
typedef struct extent {
    double bit; /* infinity: all are 0 */
    double size;
} extent;

static extent extent_of_number(double x) {
    extent e = {INFINITY, fabs(x)};
    if (x != 0) e.bit = ordinary_lowest_bit(x);
    return e;
}

static extent times(extent x, extent y) {
    if (x.size == 0 || y.size == 0) return (extent){INFINITY, 0};
    return (extent){x.bit * y.bit, x.size * y.size};
}

static extent plus(extent x, extent y) { return (extent){fmin(x.bit, y.bit), x.size + y.size}; }

static bool is_held(extent e) { return e.size == 0 || e.size <= MOST * e.bit; }

/* Numbers of columns are sums of what steps write, or a head's values, of which one is taken. */
static extent extent_of_column(const lift *u, uint32_t c) {
    const lift_column *x = &u->columns[c];
    extent e = {x->grain != 0 ? ordinary_lowest_bit(x->grain) : INFINITY, fmax(fabs(x->low), fabs(x->high))};
    return e;
}

static extent extent_of_form(const lift *u, const lift_form *f) {
    extent all = extent_of_number(f->one);
    for (size_t k = 0; k < f->count; k++)
        all = plus(all, times(extent_of_number(f->terms[k].weight), extent_of_column(u, f->terms[k].channel)));
    return all;
}

static void need(const ordinary_audit *s, const lift_head *h, extent e) {
    if (!is_held(e))
        ordinary_refuse(s, h->layer, h->slot + 1, "its numbers have more bits than are added up exactly");
}

static void check_head(const ordinary_audit *s, const lift_head *h) {
    const lift *u = s->u;
    extent score = {INFINITY, 0};
    bool compares = h->role == LIFT_COMPARE; /* only the sign of its query counts */
    for (size_t k = 0; k < h->content && !compares; k++) {
        extent query = extent_of_form(u, &h->products[k].query), key = extent_of_form(u, &h->products[k].key);
        need(s, h, query);
        need(s, h, key);
        score = plus(score, times(query, key));
    }
    need(s, h, score);
    for (size_t v = 0; v < h->value_count; v++) {
        extent value = extent_of_form(u, &h->values[v].value);
        if (h->role == LIFT_MEAN) value.size *= lift_positions(u); /* they are added up */
        need(s, h, value);
    }
}

void ordinary_exact_check(const ordinary_audit *s) {
    const lift *u = s->u;
    for (size_t h = 0; h < u->head_count; h++) check_head(s, &u->heads[h]);
    for (uint32_t c = 0; c < u->column_count; c++)
        if (!u->columns[c].mean && !is_held(extent_of_column(u, c)))
            ordinary_refuse(s, 0, 0, "a column has more bits than are added up exactly");
    for (size_t k = 0; k < u->step_count; k++)
        if (!is_held(extent_of_form(u, &u->steps[k].sum)))
            ordinary_refuse(s, u->steps[k].layer, 0, "units %u and on have more bits than are added up exactly",
                            u->steps[k].unit + 1);
    for (uint32_t t = 0; t < u->m->vocabulary; t++)
        if (!is_held(extent_of_form(u, &u->logits[t])))
            ordinary_refuse(s, 0, 0, "the logit of token %u has more bits than are added up exactly", t);
}

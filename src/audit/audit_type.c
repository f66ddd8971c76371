/* The number type as the bounds see it, and single numbers on its grids. */
#include <math.h>

#include "audit/audit.h"

void audit_type_begin(audit *a, temper_type type) {
    type_facts *t = &a->type;
    t->type = number_type_of(type);
    if (!t->type || !t->type->storage) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "no certificate is about this type");
    t->storage = t->type->storage;
    t->sums = t->type->accumulation;
    t->any_order = !number_type_is_emulated(type);
    t->tile = t->type->tile;
    t->ps = t->storage->precision;
    t->pa = t->sums->precision;
    t->us = ldexp(1, -t->ps);
    t->ua = ldexp(1, -t->pa);
    t->ms = ldexp(1, 1 - t->storage->bias);
    t->ma = ldexp(1, 1 - t->sums->bias);
    t->ts = t->storage->least;
    t->ta = t->sums->least;
    t->fs = t->storage->largest;
    t->fa = t->sums->largest;
    bool equal = t->storage == t->sums;
    t->stored = equal ? 0 : t->us;
    t->embedded = t->ps == 53 ? 0 : t->us;
    t->scaled = t->pa == 53 ? 0 : t->ua;
    /* what the lemmas ask of a type: stored numbers are numbers of the format of sums, with room below them; the
       least normal ones likewise; logits that were moved from 0 weigh 1 */
    bool within = t->ps <= t->pa && t->fs <= t->fa && format_round(t->sums, t->fs) == t->fs;
    bool normal = t->ms >= t->ma, flat = !(t->any_order || t->tile) || 8 * t->ta <= t->ua;
    if (!within || !normal || !flat || !(equal || (t->ts >= 2 * t->ta && !t->any_order)))
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "no certificate is about this pair of number formats");
}

bool audit_is_stored(const audit *a, double x) { return format_round(a->type.storage, x) == x; }

int audit_grid_of(double x) {
    int e;
    double m = frexp(x, &e); /* |m| in [1/2, 1), at most 53 bits */
    int64_t whole = (int64_t)ldexp(m, 53);
    return e - 53 + __builtin_ctzll((uint64_t)whole);
}

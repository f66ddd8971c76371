#include "bound/bound_terms.h"

#include <math.h>

/* Arithmetic. */
static void begin_units(bounds *b) {
    b->unit_s = b_power_of_two(b, -b->s->precision);
    b->unit_a = b_power_of_two(b, -b->a->precision);
    b->v = b_power_of_two(b, -53);
    b->unit_stored = b->one_format ? b->zero : b->unit_s;
    b->unit_feature = b->s->precision == 53 ? b->zero : b->unit_s;
    b->unit_scale = b->a->precision == 53 ? b->zero : b->unit_a;
}

/* Arithmetic. */
static void begin(bounds *b, const number_type *type, bool ascending, uint64_t size, arena *a, bool guess) {
    *b = (bounds){.arena = a, .s = type->storage, .a = type->accumulation, .ascending = ascending, .size = size};
    b->guess = guess;
    b->tiled = type->tile && size > type->tile; /* one tile is a row that knows its maximum */
    b->one_format = b->s == b->a;
    b->pool = ball_pool_new(a);
    b->zero = b_int(b, 0);
    b->one = b_int(b, 1);
    b->quarter = b_power_of_two(b, -2);
    b->half = b_power_of_two(b, -1);
    b->m = b_int(b, (int64_t)size);
    b->log_m = b_log(b, b->m);
    b->tiny_s = b_double(b, b->s->least);
    b->tiny_a = b_double(b, b->a->least);
    b->normal_s = b_power_of_two(b, 1 - b->s->bias);
    b->normal_a = b_power_of_two(b, 1 - b->a->bias);
    b->most_s = b_double(b, b->s->largest);
    b->most_a = b_double(b, b->a->largest);
    begin_units(b);
}

void bounds_init(bounds *b, const number_type *type, bool ascending, uint64_t size, arena *a) {
    begin(b, type, ascending, size, a, false);
}

void bounds_guess(bounds *b, const number_type *type, bool ascending, uint64_t size, arena *a) {
    begin(b, type, ascending, size, a, true);
}

bool bounds_cover(const number_type *type, bool ascending) {
    const number_format *s = type->storage, *a = type->accumulation;
    bool contained = s->precision <= a->precision && s->least >= a->least && s->largest <= a->largest;
    /* a mean that is normal when it is stored was normal before; logits 0 that are moved weigh 1 */
    if (ldexp(s->least, s->precision) < ldexp(a->least, a->precision)) return false;
    if ((!ascending || type->tile) && 8 * a->least > ldexp(1, -a->precision)) return false;
    return contained && (s == a || (ascending && s->least >= 2 * a->least));
}

/* ---- one rounding ---- */

/* Coq: rnd_half. */
const ball *b_half(const bounds *b, const number_format *f, const ball *p) {
    if (ball_is_zero(p)) return b->zero;
    return b_add(b, b_power_of_two(b, ball_ceil_log2(p) - 1 - f->precision), b_double(b, f->least));
}

/* Coq: ulp_bound. */
const ball *b_ulp(const bounds *b, const number_format *f, const ball *p) {
    if (ball_is_zero(p)) return b_double(b, f->least);
    return b_add(b, b_power_of_two(b, ball_floor_log2(p) + 1 - f->precision), b_double(b, f->least));
}

/* Coq: abs_rnd_le, rnd_half; on paper: "One rounding", which bounds are known exactly. */
const ball *b_after(const bounds *b, const number_format *f, const ball *p) {
    return ball_is_number(p, f->precision, f->least) ? p : b_add(b, p, b_half(b, f, p));
}

/* Arithmetic. */
const ball *b_min(const bounds *b, const ball *x, const ball *y) {
    return b_neg(b, b_max(b, b_neg(b, x), b_neg(b, y)));
}

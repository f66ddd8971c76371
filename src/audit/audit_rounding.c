/* doc/certificate.md, "One rounding": what one rounding does to a number whose size is bounded. */
#include "audit/audit_bounds.h"

rounding rounding_storage(const audit *a) {
    const type_facts *t = &a->type;
    return (rounding){t->ps, t->us, t->ts, t->fs};
}

rounding rounding_sums(const audit *a) {
    const type_facts *t = &a->type;
    return (rounding){t->pa, t->ua, t->ta, t->fa};
}

static bool is_zero(const ball *p) { return ball_lower(p) == 0 && ball_upper(p) == 0; }

/* unit 2^k + least */
static const ball *at_binade(audit_bounding *b, const rounding *f, long k) {
    return add(b->c, mul(b->c, num(b->c, f->unit), two_to(b->c, k)), num(b->c, f->least));
}

const ball *rounding_half(audit_bounding *b, const rounding *f, const ball *p) {
    return is_zero(p) ? num(b->c, 0) : at_binade(b, f, ball_ceil_log2(p) - 1);
}

const ball *rounding_ulp(audit_bounding *b, const rounding *f, const ball *p) {
    return is_zero(p) ? num(b->c, f->least) : at_binade(b, f, ball_floor_log2(p) + 1);
}

const ball *rounding_after(audit_bounding *b, const rounding *f, const ball *p) {
    return ball_is_number(p, f->precision, f->least) ? p : add(b->c, p, rounding_half(b, f, p));
}

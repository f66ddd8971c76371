/* The letters of doc/certificate.md, "Notation", as balls, and arithmetic with them. Every result is a new ball in
   the arena of one attempt, so that formulas read as on the page.

   The same formulas can be guessed (bounds_guess): every "ball" then holds one double, computed to nearest. Nothing
   is proved by that; it is for searches that try many numbers before one of them is proved. Only the functions b_...
   may touch the balls of a guess. */
#ifndef BOUND_BOUND_TERMS_H
#define BOUND_BOUND_TERMS_H

#include "number/ball.h"
#include "number/grid.h"
#include "number/number_type.h"

typedef struct ball_pool ball_pool;
ball_pool *ball_pool_new(arena *a);

typedef struct bounds {
    arena *arena;
    ball_pool *pool; /* balls that are made and not used yet */
    bool guess;
    const number_format *s, *a; /* stored, summed */
    bool ascending, one_format; /* one_format: what is summed is stored as it is */
    bool tiled;                 /* ascending, but there may be several tiles of keys */
    bool close;                 /* sums are off by no more than their relative error, either: "Scales of one's own" */
    uint64_t size;              /* M */
    const ball *zero, *one, *quarter, *half;
    const ball *m, *log_m;           /* M, ln M */
    const ball *unit_s, *unit_a, *v; /* u_s, u_a, v */
    const ball *tiny_s, *tiny_a;     /* t: the least positive numbers */
    const ball *normal_s, *normal_a; /* m: the least normal ones */
    const ball *most_s, *most_a;     /* F: the largest ones */
    const ball *unit_stored;         /* u'_s: what storing a sum rounds */
    const ball *unit_feature;        /* u_e: what storing a feature rounds */
    const ball *unit_scale;          /* what rounding a scale does */
} bounds;

/* Whether the lemmas hold for such a type: "What is asked of a type". */
bool bounds_cover(const number_type *type, bool ascending);

void bounds_init(bounds *b, const number_type *type, bool ascending, uint64_t size, arena *a);
void bounds_guess(bounds *b, const number_type *type, bool ascending, uint64_t size, arena *a);

const ball *b_int(const bounds *b, int64_t x);
const ball *b_double(const bounds *b, double x);
const ball *b_power_of_two(const bounds *b, long k);
const ball *b_add(const bounds *b, const ball *x, const ball *y);
const ball *b_sub(const bounds *b, const ball *x, const ball *y);
const ball *b_mul(const bounds *b, const ball *x, const ball *y);
const ball *b_div(const bounds *b, const ball *x, const ball *y);
const ball *b_pow(const bounds *b, const ball *x, uint64_t k);
const ball *b_exp(const bounds *b, const ball *x);
const ball *b_max(const bounds *b, const ball *x, const ball *y);
const ball *b_neg(const bounds *b, const ball *x);
const ball *b_log(const bounds *b, const ball *x);

const ball *b_sqrt(const bounds *b, const ball *x); /* x > 0 */
const ball *b_abs(const bounds *b, const ball *x);
const ball *b_times(const bounds *b, int64_t k, const ball *x); /* k x */
const ball *b_shift(const bounds *b, const ball *x, long k);    /* x 2^k */
const ball *b_none(const bounds *b);                            /* no bound: not finite */

/* Whether it is certain; of a guess, whether it seems so. */
bool b_is_less(const bounds *b, const ball *x, const ball *y);
bool b_is_at_most(const bounds *b, const ball *x, const ball *y);
bool b_is_finite(const bounds *b, const ball *x);
bool b_is_zero(const bounds *b, const ball *x); /* exactly 0 */
double b_upper(const bounds *b, const ball *x);

const ball *b_grow(const bounds *b, const ball *unit, uint64_t k); /* (1 + unit)^k - 1 */
const ball *b_more(const bounds *b, const ball *unit, uint64_t k); /* (1 + unit)^k */

/* "One rounding": how far a number of size at most P is rounded, how far apart numbers of that size are, and how
   large it is then. */
const ball *b_half(const bounds *b, const number_format *f, const ball *p);
const ball *b_ulp(const bounds *b, const number_format *f, const ball *p);
const ball *b_after(const bounds *b, const number_format *f, const ball *p);

const ball *b_min(const bounds *b, const ball *x, const ball *y);

#endif

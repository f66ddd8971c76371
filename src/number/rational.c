#include "number/rational.h"

#include <mpfr.h>

/* FLINT 3 declares fmpq_get_mpfr only behind MPFR. */
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <float.h>
#include <math.h>

#include "number/exact_open.h"
#include "number/quick_ball.h"
#include "number/short_rational.h"

/* A rational is FLINT's fmpq under a name that needs none of its headers. FLINT 2 and 3 keep it alike. */
_Static_assert(sizeof(rational) == sizeof(fmpq) && sizeof(intptr_t) == sizeof(fmpz), "fmpq is two words");

static fmpq *q(rational *x) { return (fmpq *)(void *)x; }
static const fmpq *c(const rational *x) { return (const fmpq *)(const void *)x; }

/* ---- pools ---- */

struct rational_block {
    rational_block *next;
    size_t count;
    rational *numbers;
};

void rational_pool_init(rational_pool *p, arena *a) {
    p->arena = a;
    p->blocks = NULL;
    p->work = NULL;
}

static void clear_block(void *block) {
    rational_block *b = block;
    for (size_t k = 0; k < b->count; k++) fmpq_clear(q(&b->numbers[k]));
    b->count = 0;
}

void rational_pool_clear(rational_pool *p) {
    for (rational_block *b = p->blocks; b; b = b->next) clear_block(b);
    p->blocks = NULL;
    p->work = NULL;
}

void rational_open(arena *a) {
    const char *why;
    if (ball_is_quick()) trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "quick balls know no rationals");
    if (exact_open(&why)) return;
    trap_raise_hint(a->trap, TEMPER_UNSUPPORTED, 0, 0, "install FLINT, with Arb, GMP and MPFR, for exact numbers",
                    "exact numbers need FLINT, which does not load: %s", why);
}

rational *rational_array(rational_pool *p, size_t count) {
    rational_open(p->arena);
    rational_block *b = arena_alloc(p->arena, 1, sizeof *b);
    *b = (rational_block){.next = p->blocks, .numbers = arena_alloc(p->arena, count, sizeof *b->numbers)};
    arena_on_release(p->arena, clear_block, b);
    b->count = count;
    for (size_t k = 0; k < count; k++) fmpq_init(q(&b->numbers[k]));
    p->blocks = b;
    return b->numbers;
}

void rational_require_short(const rational_pool *p, const rational *x) {
    if (!short_is(x) && rational_bits(x) > RATIONAL_BITS)
        trap_raise(p->arena->trap, TEMPER_LIMIT, 0, 0,
                   "exact arithmetic needs numbers of more than %d bits for this model and length", RATIONAL_BITS);
}

/* ---- setting ---- */

void rational_set(rational *z, const rational *x) {
    if (short_is(z) && short_is(x))
        *z = *x;
    else
        fmpq_set(q(z), c(x));
}

void rational_set_int(rational *z, long x) {
    if (short_is(z) && x >= -SHORT_MOST && x <= SHORT_MOST)
        *z = (rational){(intptr_t)x, 1};
    else
        fmpq_set_si(q(z), x, 1);
}

void rational_swap(rational *x, rational *y) { fmpq_swap(q(x), q(y)); }
void rational_set_ratio(rational *z, long num, unsigned long den) { fmpq_set_si(q(z), num, den); }

void rational_set_double(rational *z, double x) {
    if (short_is(z) && fabs(x) < 0x1p30 && x == (double)(long)x) { /* a whole number, as most weights are */
        *z = (rational){(intptr_t)x, 1};
        return;
    }
    int exponent;
    double mantissa = frexp(x, &exponent); /* x = mantissa 2^exponent */
    fmpz_set_si(fmpq_numref(q(z)), (slong)ldexp(mantissa, 53));
    fmpz_one(fmpq_denref(q(z)));
    exponent -= 53;
    if (exponent >= 0)
        fmpq_mul_2exp(q(z), q(z), (ulong)exponent);
    else
        fmpq_div_2exp(q(z), q(z), (ulong)-exponent);
}

/* ---- arithmetic ---- */

static inline __attribute__((always_inline)) bool are_short(const rational *z, const rational *x, const rational *y) {
    return short_is(z) && short_is(x) && short_is(y);
}

void rational_add(rational *z, const rational *x, const rational *y) {
    if (!are_short(z, x, y) || !short_add(z, x, y, 1)) fmpq_add(q(z), c(x), c(y));
}

void rational_sub(rational *z, const rational *x, const rational *y) {
    if (!are_short(z, x, y) || !short_add(z, x, y, -1)) fmpq_sub(q(z), c(x), c(y));
}

void rational_mul(rational *z, const rational *x, const rational *y) {
    if (!are_short(z, x, y) || !short_mul(z, x->num, x->den, y->num, y->den)) fmpq_mul(q(z), c(x), c(y));
}

void rational_div(rational *z, const rational *x, const rational *y) {
    if (!are_short(z, x, y) || !short_div(z, x, y)) fmpq_div(q(z), c(x), c(y));
}

void rational_add_product(rational *z, const rational *x, const rational *y) {
    rational product = {0, 1};
    if (!are_short(z, x, y) || !short_mul(&product, x->num, x->den, y->num, y->den) || !short_add(z, z, &product, 1))
        fmpq_addmul(q(z), c(x), c(y));
}

void rational_neg(rational *z, const rational *x) {
    if (short_is(z) && short_is(x))
        *z = (rational){-x->num, x->den};
    else
        fmpq_neg(q(z), c(x));
}

void rational_abs(rational *z, const rational *x) {
    if (short_is(z) && short_is(x))
        *z = (rational){x->num < 0 ? -x->num : x->num, x->den};
    else
        fmpq_abs(q(z), c(x));
}

void rational_gcd(rational *z, const rational *x, const rational *y) {
    if (!are_short(z, x, y) || !short_divisor(z, x, y)) fmpq_gcd(q(z), c(x), c(y));
}

void rational_div_int(rational *z, const rational *x, unsigned long y) {
    rational by = {0, 1};
    if (y <= (uintptr_t)SHORT_MOST) {
        by.num = (intptr_t)y;
        rational_div(z, x, &by);
        return;
    }
    fmpz_t d;
    fmpz_init_set_ui(d, y);
    fmpq_div_fmpz(q(z), c(x), d);
    fmpz_clear(d);
}

void rational_floor(rational *z, const rational *x) {
    if (short_is(z) && short_is(x)) {
        *z = (rational){short_floor(x), 1};
        return;
    }
    fmpz_fdiv_q(fmpq_numref(q(z)), fmpq_numref(c(x)), fmpq_denref(c(x)));
    fmpz_one(fmpq_denref(q(z)));
}

/* ---- comparing ---- */

int rational_cmp(const rational *x, const rational *y) {
    if (short_is(x) && short_is(y)) return short_cmp(x, y);
    int order = fmpq_cmp(c(x), c(y));
    return (order > 0) - (order < 0);
}

int rational_sign(const rational *x) { return short_word(x->num) ? (x->num > 0) - (x->num < 0) : fmpq_sgn(c(x)); }

bool rational_equal(const rational *x, const rational *y) {
    if (short_is(x) && short_is(y)) return x->num == y->num && x->den == y->den;
    return fmpq_equal(c(x), c(y));
}

/* ---- to doubles ---- */

/* Both parts are doubles: one division, rounded to nearest. */
static bool is_small(const rational *x) {
    if (short_is(x) && sizeof(intptr_t) == 8)
        return (uint64_t)short_size(x->num) >> 53 == 0 && (uint64_t)x->den >> 53 == 0;
    return fmpz_bits(fmpq_numref(c(x))) <= 53 && fmpz_bits(fmpq_denref(c(x))) <= 53;
}

/* One of them. */
static double part_of(const intptr_t *x) {
    return short_word(*x) ? (double)*x : (double)fmpz_get_si((const fmpz *)(const void *)x);
}

static double quotient(const rational *x) { return part_of(&x->num) / part_of(&x->den); }

static bool is_power_of_two(const intptr_t *x) {
    if (short_word(*x)) return *x && (short_size(*x) & (short_size(*x) - 1)) == 0;
    const fmpz *z = (const fmpz *)(const void *)x;
    return fmpz_val2(z) + 1 == fmpz_bits(z);
}

static double rounded(const rational *x, mpfr_rnd_t towards) {
    mpfr_t f;
    mpfr_init2(f, 53);
    fmpq_get_mpfr(f, c(x), towards);
    double d = mpfr_get_d(f, towards);
    mpfr_clear(f);
    return d;
}

/* Among subnormal numbers, where rounding to 53 bits first would round twice. */
static double nearest_subnormal(const rational *x) {
    double lo = rounded(x, MPFR_RNDD), hi = rounded(x, MPFR_RNDU);
    if (lo == hi) return lo;
    rational below = {0, 1}, above = {0, 1};
    rational_set_double(&below, lo);
    rational_set_double(&above, hi);
    rational_sub(&below, x, &below);
    rational_sub(&above, &above, x);
    int order = rational_cmp(&below, &above);
    fmpq_clear(q(&below));
    fmpq_clear(q(&above));
    if (order == 0) return fmod(lo, 2 * DBL_TRUE_MIN) == 0 ? lo : hi;
    return order < 0 ? lo : hi;
}

double rational_to_double(const rational *x) {
    if (is_small(x)) return quotient(x);
    double d = rounded(x, MPFR_RNDN);
    return fabs(d) <= DBL_MIN ? nearest_subnormal(x) : d;
}

/* The sign of d - x, d the nearest double: d times the denominator, less the numerator, is a double, so fma gives it
   exactly. */
static double excess(const rational *x, double d) { return fma(d, part_of(&x->den), -part_of(&x->num)); }

/* Both are the nearest double on their side, so they never fall where x rises. */
double rational_below(const rational *x) {
    if (!is_small(x)) return rounded(x, MPFR_RNDD);
    double d = quotient(x);
    return excess(x, d) > 0 ? nextafter(d, -INFINITY) : d;
}

double rational_above(const rational *x) {
    if (!is_small(x)) return rounded(x, MPFR_RNDU);
    double d = quotient(x);
    return excess(x, d) < 0 ? nextafter(d, INFINITY) : d;
}

/* Where d is the nearest double of x = p/q, d q - p is a double r, and so is what the quotient r/q leaves over: both
   are found exactly. */
double rational_distance(const rational *x, double d) {
    if (is_small(x) && d == quotient(x)) {
        double off = fabs(excess(x, d)), den = part_of(&x->den), near = off / den;
        return fma(near, den, -off) < 0 ? nextafter(near, INFINITY) : near;
    }
    rational t = {0, 1};
    rational_set_double(&t, d);
    rational_sub(&t, &t, x);
    rational_abs(&t, &t);
    double above = rational_above(&t);
    fmpq_clear(q(&t));
    return above;
}

double rational_log2(const rational *x) {
    slong top, bottom;
    if (is_power_of_two(&x->num) && is_power_of_two(&x->den))
        return (double)fmpz_val2(fmpq_numref(c(x))) - (double)fmpz_val2(fmpq_denref(c(x)));
    double num = fmpz_get_d_2exp(&top, fmpq_numref(c(x))), den = fmpz_get_d_2exp(&bottom, fmpq_denref(c(x)));
    double log = (double)(top - bottom) + log2(fabs(num)) - log2(den);
    return log - 1e-9 * (1 + fabs(log)) / 2;
}

bool rational_to_int64(int64_t *k, const rational *x) {
    if (short_is(x) && x->den == 1) {
        *k = x->num;
        return true;
    }
    if (!fmpz_is_one(fmpq_denref(c(x))) || !fmpz_fits_si(fmpq_numref(c(x)))) return false;
    *k = fmpz_get_si(fmpq_numref(c(x)));
    return true;
}

bool rational_power_of_two_part(long *k, const rational *x) {
    if (fmpq_is_zero(c(x)) || !is_power_of_two(&x->den)) return false;
    ulong down = fmpz_val2(fmpq_denref(c(x)));
    *k = (long)fmpz_val2(fmpq_numref(c(x))) - (long)down;
    return true;
}

unsigned long rational_bits(const rational *x) {
    if (!short_is(x)) return fmpq_height_bits(c(x));
    unsigned long longer = short_size(x->num) > (uintptr_t)x->den ? short_size(x->num) : (uintptr_t)x->den;
    return 8 * sizeof longer - (unsigned)__builtin_clzl(longer); /* a denominator is at least 1 */
}

void rational_thread_end(void) {
    if (exact_is_open()) flint_cleanup();
}

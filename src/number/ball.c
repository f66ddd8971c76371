#include "number/ball.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number/quick_ball.h"

/* FLINT 3 contains Arb; before it Arb was a library of its own, whose headers stood elsewhere. */
#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

_Static_assert(sizeof(ball) == sizeof(arb_struct), "a ball has the size of the library's");
_Static_assert(_Alignof(arb_struct) <= _Alignof(ball), "and its alignment");

static arb_struct *q(ball *x) { return (arb_struct *)(void *)x; }
static const arb_struct *c(const ball *x) { return (const arb_struct *)(const void *)x; }

typedef struct ball_block {
    size_t count;
    ball *balls;
} ball_block;

static void clear_block(void *block) {
    ball_block *b = block;
    for (size_t k = 0; k < b->count; k++) arb_clear(q(&b->balls[k]));
    b->count = 0;
}

ball *ball_array(arena *a, size_t count) {
    if (ball_is_quick()) return arena_zalloc(a, count, sizeof(ball));
    rational_open(a);
    ball_block *b = arena_alloc(a, 1, sizeof *b);
    *b = (ball_block){.balls = arena_alloc(a, count, sizeof *b->balls)};
    arena_on_release(a, clear_block, b);
    b->count = count;
    for (size_t k = 0; k < count; k++) arb_init(q(&b->balls[k]));
    return b->balls;
}

/* Each of these asks first whether balls are quick now (quick_ball.h). */
#define QUICKLY(call)                                                                                                \
    do {                                                                                                             \
        if (ball_is_quick()) {                                                                                       \
            call;                                                                                                    \
            return;                                                                                                  \
        }                                                                                                            \
    } while (0)

void ball_set(ball *z, const ball *x) {
    QUICKLY(*z = *x);
    arb_set(q(z), c(x));
}
void ball_set_int(ball *z, int64_t x) {
    QUICKLY(quick_set_int(z, x));
    arb_set_si(q(z), x);
}
void ball_set_double(ball *z, double x) {
    QUICKLY(quick_set_double(z, x));
    arb_set_d(q(z), x);
}
void ball_set_rational(ball *z, const rational *x) {
    arb_set_fmpq(q(z), (const fmpq *)(const void *)x, BALL_BITS); /* rational.c says that they are alike */
}

void ball_add(ball *z, const ball *x, const ball *y) {
    QUICKLY(quick_add(z, x, y));
    arb_add(q(z), c(x), c(y), BALL_BITS);
}
void ball_sub(ball *z, const ball *x, const ball *y) {
    QUICKLY(quick_sub(z, x, y));
    arb_sub(q(z), c(x), c(y), BALL_BITS);
}
void ball_mul(ball *z, const ball *x, const ball *y) {
    QUICKLY(quick_mul(z, x, y));
    arb_mul(q(z), c(x), c(y), BALL_BITS);
}
void ball_div(ball *z, const ball *x, const ball *y) {
    QUICKLY(quick_div(z, x, y));
    arb_div(q(z), c(x), c(y), BALL_BITS);
}
void ball_neg(ball *z, const ball *x) {
    QUICKLY(quick_neg(z, x));
    arb_neg(q(z), c(x));
}
void ball_mul_2exp(ball *z, const ball *x, long k) {
    QUICKLY(quick_mul_2exp(z, x, k));
    arb_mul_2exp_si(q(z), c(x), k);
}
void ball_pow(ball *z, const ball *x, uint64_t k) {
    QUICKLY(quick_pow(z, x, k));
    arb_pow_ui(q(z), c(x), k, BALL_BITS);
}
void ball_exp(ball *z, const ball *x) {
    QUICKLY(quick_exp(z, x));
    arb_exp(q(z), c(x), BALL_BITS);
}
void ball_log(ball *z, const ball *x) {
    QUICKLY(quick_log(z, x));
    arb_log(q(z), c(x), BALL_BITS);
}
void ball_max(ball *z, const ball *x, const ball *y) {
    QUICKLY(quick_max(z, x, y));
    arb_max(q(z), c(x), c(y), BALL_BITS);
}

bool ball_is_less(const ball *x, const ball *y) { return ball_is_quick() ? quick_is_less(x, y) : arb_lt(c(x), c(y)); }
bool ball_is_at_most(const ball *x, const ball *y) {
    return ball_is_quick() ? quick_is_at_most(x, y) : arb_le(c(x), c(y));
}
bool ball_is_finite(const ball *x) { return ball_is_quick() ? quick_is_finite(x) : arb_is_finite(c(x)); }
bool ball_is_zero(const ball *x) { return ball_is_quick() ? quick_is_zero(x) : arb_is_zero(c(x)); }

double ball_upper(const ball *x) {
    if (ball_is_quick()) return quick_upper(x);
    arf_t end;
    arf_init(end);
    arb_get_ubound_arf(end, c(x), BALL_BITS);
    double d = arf_get_d(end, ARF_RND_CEIL);
    arf_clear(end);
    return d;
}

double ball_lower(const ball *x) {
    if (ball_is_quick()) return quick_lower(x);
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, c(x), BALL_BITS);
    double d = arf_get_d(end, ARF_RND_FLOOR);
    arf_clear(end);
    return d;
}

/* The k with 2^k <= |upper end| < 2^(k + 1), and whether it is 2^k. */
static long binade(const ball *x, bool *power) {
    if (ball_is_quick()) {
        double end = quick_upper(x), m;
        int exponent;
        m = frexp(end, &exponent);
        *power = !isfinite(end) || fabs(m) == 0.5;
        return isfinite(end) ? exponent - 1 : BALL_FAR;
    }
    arf_t end;
    arf_init(end);
    arb_get_ubound_arf(end, c(x), BALL_BITS);
    long k = arf_is_finite(end) ? arf_abs_bound_lt_2exp_si(end) - 1 : BALL_FAR;
    *power = k >= BALL_FAR || arf_cmpabs_2exp_si(end, k) == 0;
    arf_clear(end);
    return k < BALL_FAR ? k : BALL_FAR;
}

long ball_ceil_log2(const ball *x) {
    bool power;
    long k = binade(x, &power);
    return power ? k : k + 1;
}

long ball_floor_log2(const ball *x) {
    bool power;
    return binade(x, &power);
}

bool ball_is_number(const ball *x, int precision, double least) {
    if (ball_is_quick()) return quick_is_number(x, precision, least);
    if (!arb_is_exact(c(x)) || !arb_is_finite(c(x))) return false;
    if (arb_is_zero(c(x))) return true;
    fmpz_t odd, exponent;
    fmpz_init(odd);
    fmpz_init(exponent);
    arf_get_fmpz_2exp(odd, exponent, arb_midref(c(x))); /* x = odd 2^exponent */
    int grid;
    frexp(least, &grid);
    bool fits = (long)fmpz_bits(odd) <= precision && fmpz_cmp_si(exponent, grid - 1) >= 0;
    fmpz_clear(odd);
    fmpz_clear(exponent);
    return fits;
}

/* z = 10^k, as a ball. */
static void power_of_ten(arb_t z, long k) {
    fmpz_t ten;
    fmpz_init_set_ui(ten, 10);
    arb_set_fmpz(z, ten);
    arb_pow_ui(z, z, (ulong)(k < 0 ? -k : k), BALL_BITS);
    if (k < 0) arb_inv(z, z, BALL_BITS);
    fmpz_clear(ten);
}

/* The least whole number that is certainly not below the upper end of x / 10^(power - 3). */
static void scaled_ceiling(fmpz_t out, const arb_struct *x, long power, arb_t work) {
    arf_t end;
    arf_init(end);
    power_of_ten(work, 3 - power);
    arb_mul(work, work, x, BALL_BITS);
    arb_get_ubound_arf(end, work, BALL_BITS);
    arf_get_fmpz(out, end, ARF_RND_CEIL);
    arf_clear(end);
}

/* |upper end| of x is about m 2^e; numbers beyond these exponents are not printed, but called infinite, or
   1e-9999. */
enum { FAR = 30000 };

void ball_upper_text(char out[BALL_TEXT], const ball *x) {
    QUICKLY(strcpy(out, "inf"));
    if (arb_is_zero(c(x))) {
        strcpy(out, "0");
        return;
    }
    arf_t end;
    arf_init(end);
    arb_get_ubound_arf(end, c(x), BALL_BITS);
    bool finite = arf_is_finite(end), far = finite && arf_cmpabs_2exp_si(end, FAR) >= 0;
    bool near_zero = finite && arf_cmpabs_2exp_si(end, -FAR) <= 0;
    int sign = finite ? arf_sgn(end) : 0;
    long exponent = finite && !far && !near_zero ? arf_abs_bound_lt_2exp_si(end) : 0; /* |end| < 2^exponent */
    arf_clear(end);
    if (!finite || (far && sign > 0)) {
        strcpy(out, "inf");
        return;
    }
    if (far || near_zero) {
        strcpy(out, far ? "-1.000e+9000" : sign > 0 ? "1.000e-9000" : "0");
        return;
    }
    long power = (long)((double)exponent * 0.30102999566398) - 2; /* at most two below that of the leading digit */
    fmpz_t scaled;
    arb_t work;
    fmpz_init(scaled);
    arb_init(work);
    do /* the first power of ten whose four digits are enough */
        scaled_ceiling(scaled, c(x), power++, work);
    while (fmpz_cmpabs(scaled, (fmpz[]){9999}) > 0);
    power--;
    long digits = fmpz_get_si(scaled), size = digits < 0 ? -digits : digits;
    if (digits == 0)
        strcpy(out, "0"); /* the upper end of a negative number, rounded up */
    else
        snprintf(out, BALL_TEXT, "%s%ld.%03lde%c%02ld", digits < 0 ? "-" : "", size / 1000, size % 1000,
                 power < 0 ? '-' : '+', power < 0 ? -power : power);
    fmpz_clear(scaled);
    arb_clear(work);
}

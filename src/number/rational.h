/* Exact rational numbers of any size. rational.c is the only file that knows the library behind them (FLINT).

   A rational is 0 when its bytes are those of rational_array. Numbers are cleared when their arena is freed or reset,
   so that an error raised half-way leaks nothing. Outputs come first and may be one of the inputs. FLINT gives up the
   process when memory runs out, so callers cost their work first, and numbers longer than RATIONAL_BITS are
   refused. */
#ifndef NUMBER_RATIONAL_H
#define NUMBER_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct rational {
    intptr_t num, den; /* as the library keeps them */
} rational;

enum { RATIONAL_BITS = 1 << 18 };

typedef struct rational_block rational_block;

typedef struct rational_pool {
    arena *arena; /* of the arrays; must outlive the pool */
    rational_block *blocks;
    rational *work; /* kept by expression_rational */
} rational_pool;

void rational_pool_init(rational_pool *p, arena *a);
/* Clears every number now. Not needed before the arena is freed or reset, after which the pool must be begun anew. */
void rational_pool_clear(rational_pool *p);
rational *rational_array(rational_pool *p, size_t count); /* zeros */

/* Before the first number of an arena: makes sure that the library is there, or raises TEMPER_UNSUPPORTED. */
void rational_open(arena *a);

/* Raises TEMPER_LIMIT through the pool's arena if x has grown beyond RATIONAL_BITS. */
void rational_require_short(const rational_pool *p, const rational *x);

void rational_set(rational *z, const rational *x);
void rational_swap(rational *x, rational *y);
void rational_set_int(rational *z, long x);
void rational_set_ratio(rational *z, long num, unsigned long den);
void rational_set_double(rational *z, double x); /* exactly; x must be finite */

void rational_add(rational *z, const rational *x, const rational *y);
void rational_sub(rational *z, const rational *x, const rational *y);
void rational_mul(rational *z, const rational *x, const rational *y);
void rational_div(rational *z, const rational *x, const rational *y);         /* y != 0 */
void rational_add_product(rational *z, const rational *x, const rational *y); /* z += x y */
void rational_div_int(rational *z, const rational *x, unsigned long y);       /* y != 0 */
void rational_neg(rational *z, const rational *x);
void rational_abs(rational *z, const rational *x);
void rational_floor(rational *z, const rational *x);
/* The largest g >= 0 of which x and y are both multiples by integers; gcd(x, 0) = |x|. */
void rational_gcd(rational *z, const rational *x, const rational *y);

int rational_cmp(const rational *x, const rational *y);
int rational_sign(const rational *x);
static inline bool rational_is_zero(const rational *x) { return x->num == 0; }
static inline bool rational_is_one(const rational *x) { return x->num == 1 && x->den == 1; }
bool rational_equal(const rational *x, const rational *y);

/* Nearest, and outward. Beyond the range: infinities, or the largest finite number inward. */
double rational_to_double(const rational *x);
double rational_below(const rational *x);
double rational_above(const rational *x);
double rational_distance(const rational *x, double d); /* |x - d|, up */

/* log2 |x|: exact for powers of two, else a little less than the truth (by at most 1e-9 relative and absolute); x !=
   0. */
double rational_log2(const rational *x);

/* Whether x is an integer that fits; then *k. */
bool rational_to_int64(int64_t *k, const rational *x);

/* Whether x is m 2^k with m odd; then *k. False for 0, of which every 2^k is a divisor. */
bool rational_power_of_two_part(long *k, const rational *x);

unsigned long rational_bits(const rational *x); /* of the longer of numerator and denominator */

/* A thread that used rationals or balls ends: frees what the library keeps for it. */
void rational_thread_end(void);

#endif

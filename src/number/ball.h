/* Balls: a midpoint and a radius that encloses every rounding. So what is shown of a ball is a theorem about the
   number that it stands for. ball.c is the only file that knows the library behind them (Arb), and where FLINT 2 and
   3 differ.

   Outputs come first and may be one of the inputs. Everything is computed with BALL_BITS bits, which is plenty:
   the numbers here go into error bounds that are printed with four digits. Balls are cleared when their arena is
   freed or reset. */
#ifndef NUMBER_BALL_H
#define NUMBER_BALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "number/rational.h"

enum { BALL_BITS = 192 };

typedef struct ball {
    uint64_t words[6]; /* as the library keeps them */
} ball;

ball *ball_array(arena *a, size_t count); /* zeros */

void ball_set(ball *z, const ball *x);
void ball_set_int(ball *z, int64_t x);
void ball_set_double(ball *z, double x); /* exactly; x must be finite */
void ball_set_rational(ball *z, const rational *x);

void ball_add(ball *z, const ball *x, const ball *y);
void ball_sub(ball *z, const ball *x, const ball *y);
void ball_mul(ball *z, const ball *x, const ball *y);
void ball_div(ball *z, const ball *x, const ball *y); /* not finite if y may be 0 */
void ball_neg(ball *z, const ball *x);
void ball_mul_2exp(ball *z, const ball *x, long k); /* x 2^k, exactly */
void ball_pow(ball *z, const ball *x, uint64_t k);
void ball_exp(ball *z, const ball *x);
void ball_log(ball *z, const ball *x); /* not finite if x may be 0 or less */
void ball_max(ball *z, const ball *x, const ball *y);

/* Whether it is certain: false may mean that the balls overlap, or are not finite. */
bool ball_is_less(const ball *x, const ball *y);
bool ball_is_at_most(const ball *x, const ball *y);
bool ball_is_finite(const ball *x);
bool ball_is_zero(const ball *x); /* exactly 0 */

/* Outward, in double; infinite if the ball is. */
double ball_upper(const ball *x);
double ball_lower(const ball *x);

/* Of the upper end, which must be positive: the least k with end <= 2^k, and the largest k with 2^k <= end. BALL_FAR
   if the ball is not finite. */
enum { BALL_FAR = 1 << 20 };
long ball_ceil_log2(const ball *x);
long ball_floor_log2(const ball *x);

/* Whether the ball is a number of a format, if it is not too large: it has no radius and at most `precision`
   significant bits, and is 0 or a multiple of `least`, a power of two. */
bool ball_is_number(const ball *x, int precision, double least);

/* An upper bound in decimal with four significant digits, rounded up: "3.355e-04", "0" for an exact 0, "-1.250e+01",
   "inf" where there is no bound. The same for balls of the same number whose radii differ in the last bits. */
enum { BALL_TEXT = 48 };
void ball_upper_text(char out[BALL_TEXT], const ball *x);

#endif

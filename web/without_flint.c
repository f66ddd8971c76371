/* Stands in for src/number/rational.c and ball.c where FLINT has not been built: no number is ever made, so nothing is
   computed exactly and nothing is proved. What asks for one gets an error that says so; the rest cannot be reached. */
#include "base/arena.h"
#include "number/ball.h"
#include "number/rational.h"

static _Noreturn void refuse(arena *a) {
    trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0,
               "this build of temper has no exact arithmetic, so it proves nothing");
}

void rational_pool_init(rational_pool *p, arena *a) { *p = (rational_pool){.arena = a}; }
void rational_pool_clear(rational_pool *p) { (void)p; }
rational *rational_array(rational_pool *p, size_t count) {
    (void)count;
    refuse(p->arena);
}
ball *ball_array(arena *a, size_t count) {
    (void)count;
    refuse(a);
}
bool rational_exist(void) { return false; }
void rational_thread_end(void) {}

/* Without arrays of numbers there are no arguments for these. */
#define NEVER(type, name, ...)                                                                                       \
    type name(__VA_ARGS__) { __builtin_trap(); }
typedef const rational *qr;
typedef const ball *br;
NEVER(void, rational_require_short, const rational_pool *p, qr x)
NEVER(void, rational_set, rational *z, qr x)
NEVER(void, rational_swap, rational *x, rational *y)
NEVER(void, rational_set_int, rational *z, long x)
NEVER(void, rational_set_ratio, rational *z, long n, unsigned long d)
NEVER(void, rational_set_double, rational *z, double x)
NEVER(void, rational_add, rational *z, qr x, qr y)
NEVER(void, rational_sub, rational *z, qr x, qr y)
NEVER(void, rational_mul, rational *z, qr x, qr y)
NEVER(void, rational_div, rational *z, qr x, qr y)
NEVER(void, rational_add_product, rational *z, qr x, qr y)
NEVER(void, rational_div_int, rational *z, qr x, unsigned long y)
NEVER(void, rational_neg, rational *z, qr x)
NEVER(void, rational_abs, rational *z, qr x)
NEVER(void, rational_floor, rational *z, qr x)
NEVER(void, rational_gcd, rational *z, qr x, qr y)
NEVER(int, rational_cmp, qr x, qr y)
NEVER(int, rational_sign, qr x)
NEVER(bool, rational_equal, qr x, qr y)
NEVER(double, rational_to_double, qr x)
NEVER(double, rational_below, qr x)
NEVER(double, rational_above, qr x)
NEVER(double, rational_distance, qr x, double d)
NEVER(double, rational_log2, qr x)
NEVER(bool, rational_to_int64, int64_t *k, qr x)
NEVER(bool, rational_power_of_two_part, long *k, qr x)
NEVER(unsigned long, rational_bits, qr x)
NEVER(void, ball_set, ball *z, br x)
NEVER(void, ball_set_int, ball *z, int64_t x)
NEVER(void, ball_set_double, ball *z, double x)
NEVER(void, ball_set_rational, ball *z, qr x)
NEVER(void, ball_add, ball *z, br x, br y)
NEVER(void, ball_sub, ball *z, br x, br y)
NEVER(void, ball_mul, ball *z, br x, br y)
NEVER(void, ball_div, ball *z, br x, br y)
NEVER(void, ball_neg, ball *z, br x)
NEVER(void, ball_mul_2exp, ball *z, br x, long k)
NEVER(void, ball_pow, ball *z, br x, uint64_t k)
NEVER(void, ball_exp, ball *z, br x)
NEVER(void, ball_log, ball *z, br x)
NEVER(void, ball_max, ball *z, br x, br y)
NEVER(bool, ball_is_less, br x, br y)
NEVER(bool, ball_is_at_most, br x, br y)
NEVER(bool, ball_is_finite, br x)
NEVER(bool, ball_is_zero, br x)
NEVER(double, ball_upper, br x)
NEVER(double, ball_lower, br x)
NEVER(long, ball_ceil_log2, br x)
NEVER(long, ball_floor_log2, br x)
NEVER(bool, ball_is_number, br x, int precision, double least)
NEVER(void, ball_upper_text, char *out, br x)

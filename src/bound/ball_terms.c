/* Arithmetic with the balls of bound_terms.h, in balls or guessed in doubles: doc/certificate.md, "One rounding". */
#include <math.h>
#include <string.h>

#include "bound/bound_terms.h"
#include "number/elementary.h"

/* ---- making balls ---- */

enum { POOL = 64 }; /* balls made at a time */

struct ball_pool {
    ball *balls;
    size_t left;
};

ball_pool *ball_pool_new(arena *a) { return arena_zalloc(a, 1, sizeof(ball_pool)); }

static ball *fresh(const bounds *b) {
    if (b->pool->left == 0) {
        b->pool->balls = ball_array(b->arena, POOL);
        b->pool->left = POOL;
    }
    return &b->pool->balls[--b->pool->left];
}

static double guess_of(const ball *x) {
    double d;
    memcpy(&d, x->words, sizeof d);
    return d;
}

static const ball *guess(const bounds *b, double d) {
    ball *z = arena_alloc(b->arena, 1, sizeof *z);
    memcpy(z->words, &d, sizeof d);
    return z;
}

const ball *b_int(const bounds *b, int64_t x) {
    if (b->guess) return guess(b, (double)x);
    ball *z = fresh(b);
    ball_set_int(z, x);
    return z;
}

const ball *b_double(const bounds *b, double x) {
    if (b->guess) return guess(b, x);
    ball *z = fresh(b);
    ball_set_double(z, x);
    return z;
}

const ball *b_power_of_two(const bounds *b, long k) {
    if (b->guess) return guess(b, ldexp(1, (int)k));
    ball *z = fresh(b);
    ball_set_int(z, 1);
    ball_mul_2exp(z, z, k);
    return z;
}

const ball *b_none(const bounds *b) {
    if (b->guess) return guess(b, INFINITY);
    return b_div(b, b->one, b->zero);
}

/* ---- arithmetic ---- */

#define BINARY(name, operation, guessed)                                                                             \
    const ball *name(const bounds *b, const ball *x, const ball *y) {                                                \
        if (b->guess) {                                                                                              \
            double p = guess_of(x), q = guess_of(y);                                                                 \
            return guess(b, guessed);                                                                                \
        }                                                                                                            \
        ball *z = fresh(b);                                                                                          \
        operation(z, x, y);                                                                                          \
        return z;                                                                                                    \
    }
BINARY(b_add, ball_add, p + q)
BINARY(b_sub, ball_sub, p - q)
BINARY(b_mul, ball_mul, p *q)
BINARY(b_div, ball_div, p / q)
BINARY(b_max, ball_max, p > q ? p : q)
#undef BINARY

#define UNARY(name, operation, guessed)                                                                              \
    const ball *name(const bounds *b, const ball *x) {                                                               \
        if (b->guess) {                                                                                              \
            double p = guess_of(x);                                                                                  \
            return guess(b, guessed);                                                                                \
        }                                                                                                            \
        ball *z = fresh(b);                                                                                          \
        operation(z, x);                                                                                             \
        return z;                                                                                                    \
    }
UNARY(b_exp, ball_exp, exp_f64(p))
UNARY(b_log, ball_log, log_f64(p))
UNARY(b_neg, ball_neg, -p)
#undef UNARY

const ball *b_sqrt(const bounds *b, const ball *x) {
    if (b->guess) return guess(b, sqrt(guess_of(x)));
    return b_exp(b, b_shift(b, b_log(b, x), -1));
}

const ball *b_abs(const bounds *b, const ball *x) { return b_max(b, x, b_neg(b, x)); }

const ball *b_times(const bounds *b, int64_t k, const ball *x) { return b_mul(b, b_int(b, k), x); }

const ball *b_shift(const bounds *b, const ball *x, long k) {
    if (b->guess) return guess(b, ldexp(guess_of(x), (int)k));
    ball *z = fresh(b);
    ball_mul_2exp(z, x, k);
    return z;
}

const ball *b_pow(const bounds *b, const ball *x, uint64_t k) {
    if (b->guess) return guess(b, exp_f64((double)k * log_f64(guess_of(x))));
    ball *z = fresh(b);
    ball_pow(z, x, k);
    return z;
}

/* ku, where it is small, is nearly all of it, and 1 would swallow it. */
const ball *b_grow(const bounds *b, const ball *unit, uint64_t k) {
    if (b->guess) {
        double x = (double)k * guess_of(unit);
        return guess(b, x < 0x1p-10 ? x + x * x / 2 : exp_f64(x) - 1);
    }
    return b_sub(b, b_more(b, unit, k), b->one);
}

const ball *b_more(const bounds *b, const ball *unit, uint64_t k) { return b_pow(b, b_add(b, b->one, unit), k); }

/* ---- questions ---- */

bool b_is_less(const bounds *b, const ball *x, const ball *y) {
    return b->guess ? guess_of(x) < guess_of(y) : ball_is_less(x, y);
}

bool b_is_at_most(const bounds *b, const ball *x, const ball *y) {
    return b->guess ? guess_of(x) <= guess_of(y) : ball_is_at_most(x, y);
}

bool b_is_finite(const bounds *b, const ball *x) { return b->guess ? isfinite(guess_of(x)) : ball_is_finite(x); }

bool b_is_zero(const bounds *b, const ball *x) { return b->guess ? guess_of(x) == 0 : ball_is_zero(x); }

double b_upper(const bounds *b, const ball *x) { return b->guess ? guess_of(x) : ball_upper(x); }

/* Balls written like formulas. Results live in a pool that is used again from the start by calc_begin, so a formula
   of a hundred operations costs a hundred balls, however many heads there are. */
#ifndef AUDIT_AUDIT_CALCULUS_H
#define AUDIT_AUDIT_CALCULUS_H

#include "number/ball.h"

enum { CALC_CHUNK = 256 };

typedef struct calculus {
    arena *arena;
    ball **chunks;
    size_t count, capacity;
    size_t used; /* balls */
} calculus;

static inline void calc_init(calculus *c, arena *a) { *c = (calculus){.arena = a}; }
static inline void calc_begin(calculus *c) { c->used = 0; }

static inline ball *calc_ball(calculus *c) {
    if (c->used == CALC_CHUNK * c->count) {
        ball *fresh = ball_array(c->arena, CALC_CHUNK);
        array_push(c->arena, c->chunks, c->count, c->capacity, fresh);
    }
    size_t at = c->used++;
    return &c->chunks[at / CALC_CHUNK][at % CALC_CHUNK];
}

static inline const ball *num(calculus *c, double x) {
    ball *z = calc_ball(c);
    ball_set_double(z, x);
    return z;
}

#define CALC_BINARY(name, operation)                                                                                 \
    static inline const ball *name(calculus *c, const ball *x, const ball *y) {                                      \
        ball *z = calc_ball(c);                                                                                      \
        operation(z, x, y);                                                                                          \
        return z;                                                                                                    \
    }
CALC_BINARY(add, ball_add)
CALC_BINARY(sub, ball_sub)
CALC_BINARY(mul, ball_mul)
CALC_BINARY(over, ball_div)
CALC_BINARY(larger, ball_max)
#undef CALC_BINARY

static inline const ball *power(calculus *c, const ball *x, uint64_t k) {
    ball *z = calc_ball(c);
    ball_pow(z, x, k);
    return z;
}

static inline const ball *expo(calculus *c, const ball *x) {
    ball *z = calc_ball(c);
    ball_exp(z, x);
    return z;
}

static inline const ball *logarithm(calculus *c, const ball *x) {
    ball *z = calc_ball(c);
    ball_log(z, x);
    return z;
}

static inline const ball *two_to(calculus *c, long k) {
    ball *z = calc_ball(c);
    ball_set_int(z, 1);
    ball_mul_2exp(z, z, k);
    return z;
}

/* (1 + u)^k, and (1 - u)^k */
static inline const ball *up(calculus *c, double u, uint64_t k) { return power(c, add(c, num(c, 1), num(c, u)), k); }
static inline const ball *down(calculus *c, double u, uint64_t k) {
    return power(c, sub(c, num(c, 1), num(c, u)), k);
}

#endif

/* Upper bounds in doubles: every operation rounds up, so that a result is never below the true one. For numbers >= 0,
   infinity included; zero is kept exactly, because "no error at all" is worth knowing. */
#ifndef NUMBER_UPWARD_H
#define NUMBER_UPWARD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "number/elementary.h"

/* nextafter(x, INFINITY), in a third of its time: doubles of one sign are ordered as their bits are. */
static inline double next_up(double x) {
    int64_t bits;
    if (!(x < INFINITY)) return x; /* NaN, too */
    if (x == 0) return 0x1p-1074;
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? 1 : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline double next_down(double x) { return -next_up(-x); }

static inline double up_add(double a, double b) { return a == 0 ? b : b == 0 ? a : next_up(a + b); }
static inline double up_mul(double a, double b) { return a == 0 || b == 0 ? 0 : next_up(a * b); }
static inline double up_div(double a, double b) { return a == 0 ? 0 : next_up(a / b); }

/* exp errs by less than 0.55 units of the last place. */
static inline double up_exp(double x) { return next_up(next_up(exp_f64(x))); }

/* Differences, towards one side. */
static inline double sub_up(double a, double b) { return b == 0 ? a : next_up(a - b); }
static inline double sub_down(double a, double b) { return b == 0 ? a : next_down(a - b); }

/* The least and the greatest power of two beside x > 0. */
static inline double power_of_two_above(double x) {
    int e;
    double m = frexp(x, &e);
    return ldexp(1, m == 0.5 ? e - 1 : e);
}
static inline double power_of_two_below(double x) {
    int e;
    (void)frexp(x, &e);
    return ldexp(1, e - 1);
}

#endif

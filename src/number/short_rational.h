/* Rationals whose two numbers are one word each, as nearly all of a proof are: their arithmetic without a call of the
   library. A function says false where an operand or the result is longer; then nothing is changed, and the library
   has to do it. Results are in lowest terms with a positive denominator, as the library keeps them, so that both ways
   give the same words. */
#ifndef NUMBER_SHORT_RATIONAL_H
#define NUMBER_SHORT_RATIONAL_H

#include "number/rational.h"

typedef __int128 rational_wide;

/* The library keeps numbers up to this size in the word itself; in a longer one the word is an address, with the
   upper two bits 01. */
#define SHORT_MOST ((intptr_t)(INTPTR_MAX >> 1))

static inline bool short_word(intptr_t x) { return x >= -SHORT_MOST && x <= SHORT_MOST; }
static inline bool short_is(const rational *x) { return short_word(x->num) && short_word(x->den); }
static inline bool short_fits(rational_wide x) { return x >= -SHORT_MOST && x <= SHORT_MOST; }

static inline uintptr_t short_size(intptr_t x) { return x < 0 ? -(uintptr_t)x : (uintptr_t)x; }

/* gcd(x, 0) = x. */
static inline uintptr_t short_gcd(uintptr_t x, uintptr_t y) {
    while (y) {
        uintptr_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/* z = num/den in lowest terms; z is short. */
static inline bool short_put(rational *z, rational_wide num, rational_wide den) {
    if (!short_fits(num) || !short_fits(den)) return false;
    z->num = (intptr_t)num;
    z->den = (intptr_t)den;
    return true;
}

/* x + y or, with sign -1, x - y, all three short. For denominators b and d with gcd g, the sum is
   (a d/g + c b/g)/(b d/g), and what its parts have in common divides g. */
static inline bool short_add(rational *z, const rational *x, const rational *y, int sign) {
    intptr_t a = x->num, b = x->den, c = sign < 0 ? -y->num : y->num, d = y->den;
    if (d == 1) return short_put(z, a + (rational_wide)c * b, b);
    if (b == 1) return short_put(z, c + (rational_wide)a * d, d);
    intptr_t g = b == d ? b : (intptr_t)short_gcd((uintptr_t)b, (uintptr_t)d);
    if (g == 1) return short_put(z, (rational_wide)a * d + (rational_wide)c * b, (rational_wide)b * d);
    intptr_t other = d / g;
    rational_wide sum = (rational_wide)a * other + (rational_wide)c * (b / g);
    if (!short_fits(sum)) return false;
    intptr_t num = (intptr_t)sum, common = (intptr_t)short_gcd((uintptr_t)g, short_size(num));
    return short_put(z, num / common, (rational_wide)(b / common) * other);
}

/* (a/b)(c/d): what a and d, or c and b, have in common is all there is. */
static inline bool short_mul(rational *z, intptr_t a, intptr_t b, intptr_t c, intptr_t d) {
    intptr_t left = d == 1 ? 1 : (intptr_t)short_gcd((uintptr_t)d, short_size(a));
    intptr_t right = b == 1 ? 1 : (intptr_t)short_gcd((uintptr_t)b, short_size(c));
    return short_put(z, (rational_wide)(a / left) * (c / right), (rational_wide)(b / right) * (d / left));
}

/* x/y; y is not 0. */
static inline bool short_div(rational *z, const rational *x, const rational *y) {
    bool negative = y->num < 0;
    return short_mul(z, x->num, x->den, negative ? -y->den : y->den, negative ? -y->num : y->num);
}

/* gcd(a/b, c/d) = gcd(a, c)/lcm(b, d): a prime of b is none of a, so nothing is in common. */
static inline bool short_divisor(rational *z, const rational *x, const rational *y) {
    intptr_t b = x->den, d = y->den;
    rational_wide den = b == d ? b : (rational_wide)(b / (intptr_t)short_gcd((uintptr_t)b, (uintptr_t)d)) * d;
    return short_put(z, (rational_wide)short_gcd(short_size(x->num), short_size(y->num)), den);
}

/* The sign of x - y. */
static inline int short_cmp(const rational *x, const rational *y) {
    if (x->den == y->den) return (x->num > y->num) - (x->num < y->num);
    rational_wide left = (rational_wide)x->num * y->den, right = (rational_wide)y->num * x->den;
    return (left > right) - (left < right);
}

static inline intptr_t short_floor(const rational *x) {
    intptr_t whole = x->num / x->den;
    return whole - (x->num % x->den < 0);
}

#endif

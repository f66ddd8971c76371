/* Balls as two doubles, each rounded outward: what is shown of them is a theorem, too, but they are wider. They need
   no library, which takes longer to load than a short proof takes, so the proof of a short string is tried with them
   first (answer/proved.c).

   Between ball_quick_begin and ball_quick_end every ball that the thread makes is quick, and no other ball may be
   touched; rationals cannot be made. Quick balls are never printed: for a certificate they are no bound. */
#ifndef NUMBER_QUICK_BALL_H
#define NUMBER_QUICK_BALL_H

#include "number/ball.h"

void ball_quick_begin(void);
void ball_quick_end(void);
bool ball_is_quick(void);

void quick_set_int(ball *z, int64_t x);
void quick_set_double(ball *z, double x);
void quick_add(ball *z, const ball *x, const ball *y);
void quick_sub(ball *z, const ball *x, const ball *y);
void quick_mul(ball *z, const ball *x, const ball *y);
void quick_div(ball *z, const ball *x, const ball *y);
void quick_neg(ball *z, const ball *x);
void quick_mul_2exp(ball *z, const ball *x, long k);
void quick_pow(ball *z, const ball *x, uint64_t k);
void quick_exp(ball *z, const ball *x);
void quick_log(ball *z, const ball *x);
void quick_max(ball *z, const ball *x, const ball *y);

bool quick_is_less(const ball *x, const ball *y);
bool quick_is_at_most(const ball *x, const ball *y);
bool quick_is_finite(const ball *x);
bool quick_is_zero(const ball *x);
double quick_upper(const ball *x);
double quick_lower(const ball *x);
bool quick_is_number(const ball *x, int precision, double least);

#endif

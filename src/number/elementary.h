/* exp and log: the same bits on every IEEE machine and with every compiler, because they use only + - * in binary64
   and integer operations on the bits; no libm, no fused multiply-add. doc/numerics.md has the method.

   Largest errors measured against MPFR by tests/base/long-number.c, in units of the last place (the best is 0.5):

       exp_f64  0.5335   (0.546 by hand analysis; 0.5051 for subnormal results)
       log_f64  0.5038   (0.505 by hand analysis)
       exp_f32  0.5      all 2^32 arguments: correctly rounded
       log_f32  0.5      all 2^32 arguments: correctly rounded

   All are monotone. exp: -inf gives 0, underflow is gradual, overflow gives inf. log: 0 gives -inf, negative gives
   NaN, 1 gives +0. NaN gives the same NaN, quiet. */
#ifndef NUMBER_ELEMENTARY_H
#define NUMBER_ELEMENTARY_H

double exp_f64(double x);
double log_f64(double x);
float exp_f32(float x);
float log_f32(float x);

#endif

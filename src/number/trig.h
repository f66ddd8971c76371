/* sin and cos: the same bits on every IEEE machine, because they use only + - * in binary64; no libm. Largest error
   seen against 80-bit arithmetic by tests/base/t-trig.c: 0.79 units of the last place. Arguments beyond TRIG_LARGEST,
   where the reduction is no longer exact enough, and infinities give NaN. */
#ifndef NUMBER_TRIG_H
#define NUMBER_TRIG_H

#define TRIG_LARGEST 0x1p20

double sin_f64(double x);
double cos_f64(double x);

#endif

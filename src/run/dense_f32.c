/* The dense pass in f32: rounding is the machine's conversion to float. number/format.h says why computing in double
   first does no harm. */
#include "number/elementary.h"
#include "run/dense_work.h"

static inline double stored(const dense_setting *s, double x) {
    (void)s;
    return (float)x;
}

static inline double summed(const dense_setting *s, double x) {
    (void)s;
    return (float)x;
}

#include "run/dense_arithmetic.inc"

static inline double exp_summed(const dense_setting *s, double x) {
    (void)s;
    return exp_f32((float)x);
}

static inline double adaptive_logit(const dense_setting *s, double scale, double gap, double difference) {
    return times(s, gap == 0 ? 0 : over(s, scale, summed(s, gap)), difference);
}

static inline bool is_on(double unit) { return !(unit <= 0); }

#define DENSE_PASS dense_pass_f32
#include "run/dense_pass.inc"

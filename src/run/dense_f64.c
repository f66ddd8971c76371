/* The dense pass in f64: nothing is rounded but by the machine. */
#include "number/elementary.h"
#include "run/dense_work.h"

static inline double stored(const dense_setting *s, double x) {
    (void)s;
    return x;
}

static inline double summed(const dense_setting *s, double x) {
    (void)s;
    return x;
}

#include "run/dense_arithmetic.inc"

static inline double exp_summed(const dense_setting *s, double x) {
    (void)s;
    return exp_f64(x);
}

/* The difference is counted in gaps first, so that a tiny gap overflows nothing. */
static inline double adaptive_logit(const dense_setting *s, double scale, double gap, double difference) {
    (void)s;
    return gap == 0 ? 0 : scale * (difference / gap);
}

/* As the planned runs have it, what is not a number is off. */
static inline bool is_on(double unit) { return unit > 0; }

#define DENSE_PASS dense_pass_f64
#include "run/dense_pass.inc"

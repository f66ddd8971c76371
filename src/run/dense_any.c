/* The dense pass in any pair of formats. */
#include "run/dense_rounding.h"
#include "run/dense_work.h"

static inline double exp_summed(const dense_setting *s, double x) { return format_exp(s->accumulation, x); }

static inline double adaptive_logit(const dense_setting *s, double scale, double gap, double difference) {
    return times(s, gap == 0 ? 0 : over(s, scale, summed(s, gap)), difference);
}

/* What is not a number stays so, and ends the run where an answer depends on it. */
static inline bool is_on(double unit) { return !(unit <= 0); }

#define DENSE_PASS dense_pass_any
#include "run/dense_pass.inc"

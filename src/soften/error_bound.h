/* The error recursion (theory section 5.3): how far the soft model, run in f64, can be from the hard one, layer by layer and channel by
   channel, on every string of a length that the facts cover. Rounding is included: of features, scores, logits, exp, sums and
   outputs, in any order of summation; it is zero where all numbers are provably on a grid that f64 holds. */
#ifndef SOFTEN_ERROR_BOUND_H
#define SOFTEN_ERROR_BOUND_H

#include "facts/facts.h"

/* How a head is made soft. */
typedef struct head_setting {
    double scale; /* a power of two; of adaptive heads the numerator, which a row's own gap divides */
    double step;  /* the tie-break adds +- step j to the score: a power of two, or 0 */
    bool adaptive;
} head_setting;

/* What became of a head. */
typedef struct head_error {
    double difference; /* what a difference of two scores of a row can be off by */
    double variation;  /* of the weights: total variation from the hard choice; 1: nothing is known */
    double output;     /* the largest error of its outputs */
    double overflow;   /* the largest |logit| */
} head_error;

/* From the error of every channel before the layer to that after it, in place. `heads` has room for the layer's heads. */
void error_through_layer(double *channels, head_error *heads, const subject_model *s, const facts *f, uint32_t layer,
                         const head_setting *settings, arena *scratch);

/* The error of the read-out, from that of the channels at the end. */
double error_of_answer(const double *channels, const subject_model *s, const facts *f);

#endif

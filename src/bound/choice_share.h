/* How far a softmax mean of numbers from an interval of width 1 can be from their hard choice, given how far computed
   logits are off and how far scores are apart: doc/certificate.md, "Shares of a softmax row". */
#ifndef BOUND_CHOICE_SHARE_H
#define BOUND_CHOICE_SHARE_H

#include "bound/choice_sums.h"

typedef struct share_problem {
    const model_head *h;
    bool single; /* no two keys ever tie */
    double gap;
    double scale;                   /* Lambda, above 0 */
    double step;                    /* sigma of the tie-break; 0: there is none */
    const ball *tie_off, *lose_off; /* delta_T and delta_L, in scores */
    const ball *largest;            /* S: no score is larger */
} share_problem;

/* What is known of the weights of every row beyond their share: "Saturation". */
typedef enum row_peak {
    PEAK_SOFT,    /* nothing */
    PEAK_SILENT,  /* keys that lose weigh exactly 0 */
    PEAK_ONE_HOT, /* and one key weighs exactly 1 */
} row_peak;

row_peak share_peak(const share_problem *p, const rounding_rules *r);

/* D, for rows of b's size N. Not finite: an adaptive head whose gap is not known well enough. */
const ball *share_bound(const share_problem *p, const rounding_rules *r);

#endif

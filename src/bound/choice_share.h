/* The share D of doc/certificate.md 8.5: how far a softmax mean of numbers from an interval of width 1 can be from their hard choice, given
   how far computed logits are off and how far scores are apart. */
#ifndef BOUND_CHOICE_SHARE_H
#define BOUND_CHOICE_SHARE_H

#include "bound/choice_terms.h"

typedef struct share_problem {
    const model_head *h;
    size_t size; /* N */
    bool single; /* no two keys ever tie */
    double gap;
    double scale;                   /* Lambda, above 0 */
    double step;                    /* sigma of the tie-break; 0: there is none */
    const ball *tie_off, *lose_off; /* delta_T and delta_L, in scores */
    const ball *largest;            /* S: no score is larger */
} share_problem;

/* Not finite: an adaptive head whose gap is not known well enough. */
void share_bound(ball *out, const share_problem *p, const rounding_rules *r, arena *scratch);

#endif

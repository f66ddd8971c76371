/* Exact extremes of softmax over a box of scores: the least and the greatest sum_j w_j v_j, w_j proportional to
   count_j exp(s_j), where each score may be anything in [lo, hi] and each value anything in [vlo, vhi].

   With t the maximum, sum_j exp(s_j) (v_j - t) <= 0 everywhere in the box with equality at the optimum, and the sum
   is separable: a score is at its upper end where v_j > t and at its lower end where v_j < t. So for values sorted
   downward the maximum is the best of the cuts that put the first k scores at hi and the others at lo; the minimum
   likewise, upward. O(N log N). */
#ifndef NUMBER_SCORE_BOX_H
#define NUMBER_SCORE_BOX_H

#include "number/ball.h"

/* `count` keys that are alike. -INFINITY is a score: as hi of a key that is masked, as lo of one that may be as light
   as one likes. */
typedef struct score_box {
    double lo, hi;   /* lo <= hi < INFINITY */
    double vlo, vhi; /* finite, vlo <= vhi */
    uint64_t count;
} score_box;

/* Balls that contain the two extremes (infima and suprema where lo is -INFINITY). If every key is masked both are
   0. */
void score_box_extremes(ball *least, ball *greatest, const score_box *boxes, size_t size, arena *scratch);

#endif

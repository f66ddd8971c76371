/* The position that an AT node names: a sum of counts, in which #[true] is i and #>[true] is n + 1 - i. */
#ifndef LOGIC_PLACE_H
#define LOGIC_PLACE_H

#include "logic/formula.h"

/* e = (counts of one direction) + each * (the number of positions in that direction) + ends * (n + 1) + constant */
typedef struct place_sum {
    bool fits;    /* all numbers below fit in 64 bits */
    bool both;    /* it counts other things than `true` in both directions: there is no such form */
    bool future;  /* the counts are over j >= i; a place that counts nothing looks back */
    bool counts;  /* it counts something */
    int64_t each; /* of #[true], or of #>[true] where it looks forward */
    int64_t ends, constant;
    bool before, after; /* e is never above i; never below i. Both may be unknown */
} place_sum;

/* id is an AT node as it is written: its counts may look both ways. */
place_sum place_of_sum(const formula *f, node_id id);

/* Where an AT node itself looks: 'b' if it never reads a later position, 'f' if it never reads an earlier one, else
   '2'. */
char place_direction(const formula *f, node_id id);

#endif

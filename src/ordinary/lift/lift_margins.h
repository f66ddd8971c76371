/* Whether the numbers of a head make the choice that its form stands for. These are conditions for taking a head for
   what it is, in plain doubles; that all roundings of a runtime keep the choice is for proofs. */
#ifndef ORDINARY_LIFT_MARGINS_H
#define ORDINARY_LIFT_MARGINS_H

#include "ordinary/lift/lift.h"

/* Fills the numbers of the role. */
void lift_check_margins(const lift *u, lift_head *h);

/* [positions] of a wave head: 1 where it looks at the start sentinel. */
double *lift_wave_place(const lift *u, const lift_head *h);

#endif

/* What is compared: letters and outputs of both sides, how many strings, in which way. */
#ifndef CHECK_CHECK_PLAN_H
#define CHECK_CHECK_PLAN_H

#include "check/compare.h"

/* p->spec and p->model are given. From them: about, sides and members. */
void check_plan_sides(check_plan *p, arena *a, arena *scratch);

/* The same and all the rest. */
void check_plan_make(check_plan *p, const temper_check_options *o, arena *a, arena *scratch);

#endif

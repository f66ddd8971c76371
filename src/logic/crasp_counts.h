/* C-RASP's counts: linear sums by cases, since "P ? C1 : C2", min and max are not linear. The formula graph knows
   counts only inside comparisons, and there the cases turn into Boolean connectives. */
#ifndef LOGIC_CRASP_COUNTS_H
#define LOGIC_CRASP_COUNTS_H

#include "logic/value_cases.h"

enum { COUNTS_TERMS = 1 << 24 }; /* terms of all sums of one file */

typedef struct counts {
    cases by_case;    /* payloads are indices into sums */
    linear_sum *sums; /* different ones */
    size_t count, capacity;
    table index;
    size_t terms;
} counts;

void counts_init(counts *k, formula *f);

/* The place of the operation that follows, for messages. */
void counts_begin(counts *k, size_t line, size_t column);

case_id count_constant(counts *k, int64_t value);
/* Positions j <= i where the formula holds, or j < i. */
case_id count_positions(counts *k, node_id truth, bool strict);
case_id count_sum(counts *k, const case_id *parts, size_t count);
case_id count_scale(counts *k, case_id x, int64_t factor);
case_id count_extreme(counts *k, case_id x, case_id y, bool largest);
case_id count_choose(counts *k, node_id condition, case_id yes, case_id no);

bool count_is_constant(const counts *k, case_id x, int64_t *value);

node_id count_compare(counts *k, case_id x, compare_op op, case_id y);
/* The formula at the position whose number is x. */
node_id count_read(counts *k, node_id truth, case_id x);
node_id count_modulo(counts *k, case_id x, int64_t modulus, compare_op op, int64_t residue);

#endif

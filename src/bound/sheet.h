/* The sheet of inequalities (src/number/heads.sheet) with numbers put in: what the prover knows of a head is given by
   name, and what follows is asked by name. Every line is computed once. */
#ifndef BOUND_SHEET_H
#define BOUND_SHEET_H

#include "bound/bound_terms.h"
#include "bound/sheet_table.h"

typedef enum sheet_name sheet_name;

typedef struct sheet {
    const bounds *b;
    const ball *value[SHEET_COUNT]; /* NULL: not computed yet, or not given */
    int64_t whole[SHEET_COUNT];     /* flags, natural numbers and integers */
} sheet;

/* The constants of the type and the number of positions are given. */
void sheet_begin(sheet *x, const bounds *b);

void sheet_give(sheet *x, sheet_name name, const ball *value);
void sheet_give_double(sheet *x, sheet_name name, double value);
void sheet_give_whole(sheet *x, sheet_name name, int64_t value); /* also a flag: 0 or 1 */

const ball *sheet_value(sheet *x, sheet_name name);
const ball *sheet_value_of(sheet *x, sheet_name name, const ball *first, const ball *second);

/* Whether a condition is certain. */
bool sheet_holds(sheet *x, sheet_name name);
bool sheet_holds_of(sheet *x, sheet_name name, const ball *first, const ball *second);

#endif

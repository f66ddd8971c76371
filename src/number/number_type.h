/* What --type names: the format that numbers are stored in and the one that sums are made in. */
#ifndef NUMBER_NUMBER_TYPE_H
#define NUMBER_NUMBER_TYPE_H

#include "number/format.h"
#include "temper.h"

typedef struct number_type {
    const char *name;
    const number_format *storage, *accumulation; /* NULL: rationals */
} number_type;

/* NULL if there is no such type. */
const number_type *number_type_of(temper_type type);

/* Run with every rounding emulated, by the dense pass alone; the others have runners of their own. */
bool number_type_is_emulated(temper_type type);

#endif

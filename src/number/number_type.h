/* What --type names: the format that numbers are stored in and the one that sums are made in; and after @ how many
   keys a softmax takes at a time, as fused kernels do (doc/numerics.md, "Fused kernels"). */
#ifndef NUMBER_NUMBER_TYPE_H
#define NUMBER_NUMBER_TYPE_H

#include <stddef.h>

#include "number/format.h"
#include "temper.h"

typedef struct number_type {
    const char *name;
    const number_format *storage, *accumulation; /* NULL: rationals */
    size_t tile;                                 /* keys of a tile; 0: all keys of a row at once */
} number_type;

enum { NUMBER_TYPES = TEMPER_TYPE_BF16_F64 + 1 + 3 * TEMPER_TYPE_BF16_F64 }; /* three sizes of tiles, not of exact */

/* NULL if there is no such type. */
const number_type *number_type_of(temper_type type);

/* The same formats without tiles. */
temper_type number_type_plain(temper_type type);

/* Run with every rounding emulated, by the dense pass alone; the others have runners of their own. */
bool number_type_is_emulated(temper_type type);

#endif

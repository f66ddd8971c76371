/* What audit_quantity.c and audit_bounds.c share. */
#ifndef AUDIT_AUDIT_BOUNDS_H
#define AUDIT_AUDIT_BOUNDS_H

#include "audit/audit.h"

typedef struct bounds {
    audit *a;
    calculus *c;
    uint32_t layer, number; /* for messages */
    const char *failure;    /* what is too large; NULL: nothing */
} bounds;

quantity audit_feature_quantity(bounds *b, const feature *f);

#endif

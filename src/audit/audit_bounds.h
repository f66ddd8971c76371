/* What audit_rounding.c, audit_quantity.c and audit_bounds.c share. */
#ifndef AUDIT_AUDIT_BOUNDS_H
#define AUDIT_AUDIT_BOUNDS_H

#include "audit/audit.h"

typedef struct audit_bounding {
    audit *a;
    calculus *c;
    uint32_t layer, number; /* for messages */
    const char *failure;    /* what is too large; NULL: nothing */
} audit_bounding;

/* A number format as one rounding sees it. */
typedef struct rounding {
    int precision;
    double unit, least, largest;
} rounding;

/* Begins the sheet anew: the numbers of the type and of the length are given, nothing of a head. */
void audit_give_type(audit_bounding *b);

rounding rounding_storage(const audit *a);
rounding rounding_sums(const audit *a);

/* doc/certificate.md, "One rounding": the error of rounding a number of size at most p, the distance of its
   neighbours, and the size of what comes out. */
const ball *rounding_half(audit_bounding *b, const rounding *f, const ball *p);
const ball *rounding_ulp(audit_bounding *b, const rounding *f, const ball *p);
const ball *rounding_after(audit_bounding *b, const rounding *f, const ball *p);

/* How often f64 rounds the feature or scale, at worst. */
uint64_t audit_roundings(audit_bounding *b, const feature *f);
quantity audit_feature_quantity(audit_bounding *b, const feature *f);

#endif

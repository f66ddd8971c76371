/* The formulas of doc/certificate.md that several tests need, evaluated in long double and written from the page, not
   from src/bound. */
#ifndef TESTS_BOUND_PAGE_H
#define TESTS_BOUND_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "number/number_type.h"

typedef long double real;

typedef struct page {
    const number_format *s, *a;
    bool ascending;
    real us, ua, v, ts, ta;
    real stored, feature, scale; /* u'_s, u_e and that of scales */
    real m, crumbs;              /* M, T */
} page;

page page_of(temper_type type, uint64_t size);

real grow3(real x, real i, real y, real j, real z, real k); /* (1+x)^i (1+y)^j (1+z)^k - 1 */
real grow(const page *p, real i, real j, real k);           /* the same for u_a, u_s, v */
real half_of(const number_format *f, real p);
real ulp_of(const number_format *f, real p);
real page_error(const page *p, real rest); /* error(R) */
real page_share_error(const page *p, real kept,
                      real epsilon); /* compare and balance: `kept` is what is left of kappa */

#endif

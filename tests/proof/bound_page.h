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
    bool ascending, known; /* known: the maximum of a row is known before its sums are begun */
    bool close;            /* "Scales of one's own": sums by their relative error, where that is less */
    real us, ua, v, ts, ta;
    real stored, feature, scale; /* u'_s, u_e and that of scales */
    real m, subnormal_loss;      /* M, T */
} page;

/* Types in tiles, by their numbers: t-tiles compares the names. */
enum {
    F32_TILE64 = 14,
    BF16_F32_TILE64 = 15,
    BF16_TILE64 = 16,
    E4M3_TILE64 = 20,
    BF16_F32_TILE128 = 27,
    F16_F32_TILE128 = 29,
    F32_F64_TILE512 = 47
};

/* Every type of one row first, and of those in tiles one of each kind. */
enum { PAGE_TYPES = 19, PAGE_ROW_TYPES = 12 };
extern const temper_type page_types[PAGE_TYPES];

page page_of(temper_type type, uint64_t size);

real grow3(real x, real i, real y, real j, real z, real k); /* (1+x)^i (1+y)^j (1+z)^k - 1 */
real grow(const page *p, real i, real j, real k);           /* the same for u_a, u_s, v */
real half_of(const number_format *f, real p);
real ulp_of(const number_format *f, real p);
real page_growth(const page *p);           /* of a sum of weights, at most */
real page_error(const page *p, real rest); /* error(R) */
real page_share_error(const page *p, real kept,
                      real epsilon); /* compare and balance: `kept` is what is left of kappa */

#endif

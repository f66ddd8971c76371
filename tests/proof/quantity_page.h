/* doc/certificate.md, "Quantities", in long double and written from the page: what is known of a number, and of
   sums and products of such numbers. */
#ifndef TESTS_QUANTITY_PAGE_H
#define TESTS_QUANTITY_PAGE_H

#include <stddef.h>

#include "bound_page.h"

typedef struct part {
    real x, y, e; /* X, Y, e */
    bool nothing, gridded, constant;
    int grid;
} part;

/* A sum, term by term. */
typedef struct running {
    real sum, error;
    bool begun;
} running;

int page_grid(real x); /* the largest g with x a multiple of 2^g */
bool page_is_power(real x);
real page_after(const number_format *f, real p);
bool page_fits(const part *q, const number_format *f);

/* A value of an expression, stored in the format; and C*N^k or C*i*N^(k-1). */
part page_value(real x, bool gridded, int grid, int roundings, bool power, const number_format *f);
part page_product(const page *p, real c, int k, const number_format *f);

void page_add(part *sum, const part *x, double weight);
void page_run(running *r, const number_format *f, real product, bool exact);

/* Where long doubles are not exact: whether they show too much or too little. A bound lies between what both ways
   find, and they differ only next to numbers of a format. */
void page_round(bool up);

/* `scale` NULL: none. *large: something is too large for the type. At most 16 rows. */
part page_logit(const page *p, const part *scale, const part *query, const part *key, size_t count, bool *large);

/* "Match": the logit of patterns of size T with the scale C*N. */
part page_pattern(const page *p, real total, real c, bool *large);

/* The same where the sentinel is the end, with the weight M = edge: the eta of two logits of which one may be its. */
part page_pattern_end(const page *p, real total, real edge, real c, bool *large);

#endif

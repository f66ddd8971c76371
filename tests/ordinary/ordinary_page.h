/* The bounds of doc/ordinary.md a second time, in long doubles: what an audit of an ordinary transformer must find of
   each head and of the logits. They have no slack; where sums of means or of candidates are as large as f16 holds, to
   the letter, the slack of the audit makes it refuse. */
#ifndef TESTS_ORDINARY_PAGE_H
#define TESTS_ORDINARY_PAGE_H

#include "ordinary/lift/lift.h"

typedef long double real;

typedef struct ordinary_page {
    const char *refused; /* why nothing is proved; NULL: it is */
    real *errors;        /* [heads] of values, or of means */
    real logits;
} ordinary_page;

/* Both columns of the page's table of kernels; the larger bound counts. */
ordinary_page ordinary_page_bounds(const lift *u, bool f16_weights, bool f16_cache, arena *a);

/* ---- its parts ---- */

/* What is known of columns before a layer, and of the norm that is being read. */
typedef struct page_view {
    const lift *u;
    bool vectors16, cache16, norms32;
    real *error, *relative, *zero; /* [columns] zero: where the ideal number is 0 */
    real *number;                  /* [columns] of weighed means: eta of the page */
    real imbalance, common, own, mean, sum;
    const char *refused;
} page_view;

typedef struct page_row {
    real size, error, own, zero; /* own: its roundings; zero: off where the ideal number is 0 */
    real share;                  /* or off by zero and this share of the ideal number */
} page_row;

void page_norm(page_view *x, uint32_t layer, bool net);
page_row page_read_row(const page_view *x, const lift_form *f);
real page_head(page_view *x, const lift_head *h);
void page_net(page_view *x, uint32_t layer, arena *a);
real page_embedding(const lift *u);
bool page_is_back(real size, real error, real relative, real grain);
/* A row that is as large as f16 holds, to the letter, is beyond it, as the slack of the audit makes it. */
void page_be_strict(bool strict);
real page_rounded(real size, real error, real relative, real grain);

#endif

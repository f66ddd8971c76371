/* What the files of the page's bounds share (ordinary_page.h). */
#ifndef TESTS_ORDINARY_PAGE_PARTS_H
#define TESTS_ORDINARY_PAGE_PARTS_H

#include "ordinary_page.h"

/* u and v of the page, and half the least number of f16. */
static const real U = 0x1p-24L, V = 0x1p-11L, TINY = 0x1p-25L;

void page_ask(page_view *x, bool ok, const char *why);
bool page_row_is_back(const page_row *r, real relative, real grain);

/* A 0 that is off, after f16: below half its least number nothing is left, or as much again. */
real page_zero_rounded(real zero);

/* How far a score may be off by all its products. */
real page_score_off(const page_view *x, const lift_head *h);

/* Weighed means write their columns, and how far their sums are off; the leak of a look-up. */
real page_weighed(page_view *x, const lift_head *h);
real page_lookup_leak(page_view *x, const lift_head *h);

#endif

/* The bounds of doc/stock.md a second time, in long doubles: what an audit of an ordinary transformer must find of each
   head and of the logits. They have no slack; where sums of means or of candidates are as large as f16 holds, to the
   letter, the slack of the audit makes it refuse. */
#ifndef TESTS_STOCK_PAGE_H
#define TESTS_STOCK_PAGE_H

#include "model/stock_undo.h"

typedef long double real;

typedef struct stock_page {
    const char *refused; /* why nothing is proved; NULL: it is */
    real *errors;        /* [heads] of values, or of means */
    real logits;
} stock_page;

/* Both columns of the page's table of kernels; the larger bound counts. */
stock_page stock_page_bounds(const undo *u, bool f16_weights, bool f16_cache, arena *a);

#endif

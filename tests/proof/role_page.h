/* What doc/certificate.md, "Heads", says of each kind of head, in long double and written from the page: its
   conditions, and its bounds. Nearest heads are not here; their bounds are in their rows. */
#ifndef TESTS_ROLE_PAGE_H
#define TESTS_ROLE_PAGE_H

#include "bound_page.h"
#include "recognise/recognised_model.h"

typedef bool condition(const page *p, const head_shape *s);

bool page_counts(const page *p); /* M ones are added up exactly */
condition page_count_holds, page_compare_holds, page_compare_holds_hard, page_balance_holds, page_lookup_holds,
    page_lookup_holds_hard;

/* The certificate's X, E and D. holds: all conditions but that on D. */
typedef struct page_bounds {
    real logit, rounding, error;
    bool holds;
} page_bounds;

page_bounds page_bounds_of(const page *p, const head_shape *s);

#endif

/* A set of rationals that a quantity can take, over all strings of a length: those of { a + k g : k integer }
   within [lo, hi]. Sums, products and unions of such sets stay such sets, a little larger. Two members differ by a
   multiple of g: this makes a gap provable. And a keeps what denominators alone forget: that (2c - 1)/(2N) is
   never 0. */
#ifndef FACTS_LATTICE_H
#define FACTS_LATTICE_H

#include "number/rational.h"

typedef struct spread {
    rational a, g, lo, hi; /* g >= 0; g = 0: the constant a */
} spread;

/* Numbers to work with: one set for a whole computation. */
typedef struct spread_work {
    rational *r; /* [8] */
} spread_work;

spread *spread_array(rational_pool *p, size_t count); /* the constant 0 each */
void spread_work_init(spread_work *w, rational_pool *p);

void spread_set(spread *z, const spread *x);
void spread_set_constant(spread *z, const rational *x);
void spread_join(spread *z, const spread *x, const spread_work *w);                      /* z or x */
void spread_join_or_set(spread *z, const spread *x, bool fresh, const spread_work *w);   /* x; else z or x */
void spread_add(spread *z, const spread *x, const spread_work *w);                       /* z + x */
void spread_add_scaled(spread *z, const spread *x, double weight, const spread_work *w); /* z + weight x */
void spread_add_product(spread *z, const spread *x, const spread *y, const spread_work *w);

static inline bool spread_is_constant(const spread *x) { return rational_is_zero(&x->g); }
static inline bool spread_is_zero(const spread *x) { return rational_is_zero(&x->g) && rational_is_zero(&x->a); }

/* The number of members, `most` + 1 if there are more. */
size_t spread_count(const spread *x, size_t most, const spread_work *w);
/* The k-th member from below. */
void spread_member(rational *out, const spread *x, size_t k, const spread_work *w);

/* A lower bound of |member| over the members that are not 0; 0 if 0 is the only one. */
void spread_least(rational *out, const spread *x, const spread_work *w);

void spread_set_difference(spread *z, const spread *x, const spread *y); /* x - y, z another */

/* The least |member - point|. */
void spread_distance(rational *out, const spread *x, const rational *point, const spread_work *w);

#endif

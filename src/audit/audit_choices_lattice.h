/* Sets of rationals {a + k g : k whole} within [lo, hi], g >= 0; g = 0 is the constant a = lo = hi. Every operation
   gives a set that holds all results. Ends follow interval arithmetic and are not moved inward (doc/certificate.md,
   "Facts about the hard model"). */
#ifndef AUDIT_AUDIT_CHOICES_LATTICE_H
#define AUDIT_AUDIT_CHOICES_LATTICE_H

#include "number/rational.h"

typedef struct lattice {
    rational a, g, lo, hi;
} lattice;

typedef struct lattice_work {
    rational *t; /* [8] */
} lattice_work;

void lattice_work_init(lattice_work *w, rational_pool *pool);
lattice *lattice_array(rational_pool *pool, size_t count); /* {0} */

void lattice_set(lattice *z, const lattice *x);
void lattice_set_number(lattice *z, const rational *x);
void lattice_set_zero(lattice *z);
bool lattice_equal(const lattice *x, const lattice *y);
bool lattice_is_zero(const lattice *x);

/* z may be x, and y. */
void lattice_add(lattice *z, const lattice *x, const lattice *y);
void lattice_sub(lattice *z, const lattice *x, const lattice *y, lattice_work *w);
void lattice_mul(lattice *z, const lattice *x, const lattice *y, lattice_work *w);
void lattice_scale(lattice *z, const lattice *x, const rational *c, lattice_work *w);
void lattice_join(lattice *z, const lattice *x, const lattice *y, lattice_work *w);

/* A lower bound of the sizes of members that are not 0; 0 if there is none such. */
void lattice_least(rational *out, const lattice *x, lattice_work *w);
/* A lower bound of the members' distances from c. */
void lattice_distance(rational *out, const lattice *x, const rational *c, lattice_work *w);
/* How many members there are, at most `most`; more: most + 1. *first is the least. */
uint64_t lattice_members(rational *first, const lattice *x, uint64_t most, lattice_work *w);

/* x mod g in [0, g); x itself if g is 0. */
void rational_mod(rational *z, const rational *x, const rational *g, lattice_work *w);

#endif

/* Small groups of permutations: all elements, the derived series, and each abelian quotient as a sum of counters.
   Products go from left to right: x*y does x first. */
#ifndef AUTOMATA_GROUP_H
#define AUTOMATA_GROUP_H

#include "base/table.h"

#include <stdint.h>

enum {
    GROUP_ORDER_LIMIT = 8192,     /* elements that are listed, to find out whether the group is solvable */
    GROUP_WORK_LIMIT = 1 << 22,   /* elements times degree */
    GROUP_COMPILE_LIMIT = 1 << 10 /* elements of a group that becomes counters */
};

typedef struct group {
    uint32_t degree;
    uint32_t order;
    uint32_t *scratch;  /* [degree] for products */
    uint32_t *elements; /* [order][degree]; element 0 is the identity */
    table index;        /* permutation -> element */
} group;

/* One quotient of the derived series, H/K with K the commutators of H: a sum of cyclic groups. */
typedef struct group_stage {
    uint32_t order;           /* of H */
    uint32_t coset_count;     /* H/K; coset 0 is K */
    uint32_t *coset_of;       /* [group order] of elements of H; UINT32_MAX for others */
    uint32_t *representative; /* [coset_count] an element of each coset; the identity in coset 0 */
    uint32_t factor_count;
    uint32_t *moduli;    /* [factor_count] */
    uint32_t *exponents; /* [coset_count][factor_count]: adding them modulo `moduli` multiplies cosets */
} group_stage;

typedef struct group_series {
    uint32_t stage_count;
    group_stage *stages;
    uint32_t core_order; /* of the last subgroup, which is its own commutators: 1 iff the group is solvable */
} group_series;

/* How many elements are listed of a group of this degree. */
uint64_t group_most(uint32_t degree);

/* generators: [count][degree]. false: more elements than the limits allow; then only degree is set. */
bool group_generate(group *out, const uint32_t *generators, size_t count, uint32_t degree, arena *a);

static inline const uint32_t *group_element(const group *g, uint32_t x) {
    return g->elements + (size_t)x * g->degree;
}
uint32_t group_product(const group *g, uint32_t x, uint32_t y);
uint32_t group_inverse(const group *g, uint32_t x);
uint32_t group_find(const group *g, const uint32_t *permutation); /* UINT32_MAX: no element */

void group_derive(group_series *out, const group *g, arena *a);

/* A name such as "S3" or "Z2 x Z2", or "a group of order 12" where order, elements' orders and commutators do not
   settle it. */
const char *group_name(const group *g, arena *a);

/* A name for the subgroup that equals its commutators: "A5", or by its order. */
const char *group_core_name(uint32_t order, arena *a);

#endif

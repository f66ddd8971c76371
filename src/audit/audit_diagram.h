/* Decision diagrams with numbers at the leaves, ordered, reduced and shared: two functions of the same variables are
   equal iff they are the same node. Boolean functions have the leaves 0 and 1. The auditor gives every channel such a
   diagram: its value on letters, as a function of the letter and of what heads found.

   Nothing here recurses on the depth of a diagram. Leaves are exact: a sum that is no double is refused, and so are
   diagrams that grow beyond DIAGRAM_NODES, times the effort. */
#ifndef AUDIT_AUDIT_DIAGRAM_H
#define AUDIT_AUDIT_DIAGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "number/ieee.h"

typedef uint32_t dd; /* a node; 0 and 1 are the leaves 0 and 1 */

enum { DIAGRAM_NODES = 1 << 22 };
#define DIAGRAM_STEPS ((uint64_t)1 << 30)

typedef enum dd_op { DD_AND, DD_OR, DD_XOR, DD_ADD } dd_op;

typedef struct dd_node {
    uint32_t var; /* DD_LEAF: a leaf */
    dd lo, hi;    /* leaf: the two halves of the double's bits */
} dd_node;

#define DD_LEAF UINT32_MAX

typedef struct dd_cached {
    uint32_t op_one; /* op + 1; 0: empty */
    dd f, g, result;
} dd_cached;

typedef struct dd_frame {
    dd f, g, lo;
    uint32_t var;
    bool second;
} dd_frame;

typedef struct diagram {
    arena *arena;
    trap *trap;
    dd_node *nodes;
    size_t count, capacity;
    uint32_t *slots; /* node + 1, open addressing */
    size_t slot_count;
    uint64_t *stamp; /* [capacity] the pass that wrote memo */
    dd *memo;
    size_t memo_capacity;
    uint64_t pass;
    dd_cached *cache;
    size_t cache_count;
    dd_frame *frames;
    size_t frame_capacity;
    dd *stack;
    size_t stack_capacity;
    uint32_t vars;
    size_t most; /* nodes, by the effort of base/work.h; and so many steps */
    uint64_t steps, most_steps;
} diagram;

void diagram_init(diagram *d, arena *a);
uint32_t dd_new_vars(diagram *d, uint32_t count); /* the first of `count` new ones, which come last in the order */

dd dd_number(diagram *d, double value);
dd dd_variable(diagram *d, uint32_t var);
static inline bool dd_is_leaf(const diagram *d, dd f) { return d->nodes[f].var == DD_LEAF; }
static inline double dd_value(const diagram *d, dd leaf) {
    uint64_t bits = (uint64_t)d->nodes[leaf].hi << 32 | d->nodes[leaf].lo;
    return f64_from_bits(bits);
}

dd dd_apply(diagram *d, dd_op op, dd f, dd g);
dd dd_not(diagram *d, dd f); /* of a Boolean one */
static inline dd dd_and(diagram *d, dd f, dd g) { return dd_apply(d, DD_AND, f, g); }
static inline dd dd_or(diagram *d, dd f, dd g) { return dd_apply(d, DD_OR, f, g); }
static inline dd dd_xor(diagram *d, dd f, dd g) { return dd_apply(d, DD_XOR, f, g); }
static inline dd dd_add(diagram *d, dd f, dd g) { return dd_apply(d, DD_ADD, f, g); }

/* Every leaf x replaced by fn(x). */
dd dd_map(diagram *d, dd f, double (*fn)(void *context, double x), void *context);
dd dd_times(diagram *d, dd f, double factor); /* refused if a product is no double */

/* The sum of weight[k] * f[k]. If `least` <= `most` are given (not NaN), values of the sum at or below `least` need
   not be told apart, nor those at or above `most`: they come out as some number beyond. This is what keeps a gate of
   many inputs small. */
dd dd_sum(diagram *d, const dd *f, const double *weight, size_t count, double least, double most);

/* The different leaves' values, ascending, in arena a. */
double *dd_leaves(diagram *d, dd f, size_t *count, arena *a);
void dd_range(diagram *d, dd f, double *low, double *high); /* of its leaves */
bool dd_is_boolean(diagram *d, dd f);
bool dd_implies(diagram *d, dd f, dd g);   /* Boolean ones */
double dd_at_zero(const diagram *d, dd f); /* where all variables are 0 */
bool dd_depends(diagram *d, dd f, uint32_t var);

/* A function of a number 0 ... count - 1 that is written in binary in `bits` variables from `var` on, the first the
   most significant; codes from count on mean count - 1, so that every code means a number. 1 for the sorted members,
   else 0. */
dd dd_members(diagram *d, uint32_t var, uint32_t bits, uint64_t count, const uint32_t *members, size_t member_count);
/* branch[k] where the number is k; the branches depend on variables behind these only. */
dd dd_select(diagram *d, uint32_t var, uint32_t bits, uint64_t count, const dd *branch);
uint32_t dd_bits(uint64_t count); /* variables that such a number needs */

#endif

/* The net of a layer while it is read: its units (recognise_units.c), what those of one group add together
   (unit_groups.c), and what channels hold after it (recognise_nets.c). */
#ifndef RECOGNISE_NET_WORK_H
#define RECOGNISE_NET_WORK_H

#include "recognise/recognise_work.h"

typedef enum unit_kind { UNIT_CLEARS, UNIT_EXACT, UNIT_RAMP, UNIT_SECOND, UNIT_OWN, UNIT_COPY } unit_kind;

/* A unit's sum on letters: terms that differ from letter to letter or string to string, and a constant. */
typedef struct unit_sum {
    unit_kind kind;
    uint32_t group; /* units with equal terms */
    double constant;
    double start, end; /* the sum on sentinels; of a ramp its largest value */
    fn condition;      /* own part */
} unit_sum;

typedef struct addition {
    uint32_t channel, unit;
    double weight;
    uint32_t group;
} addition;

typedef struct term_group {
    const count_term *terms; /* sorted by first variable */
    size_t count;
} term_group;

typedef struct net {
    recognising *w;
    const model_layer *l;
    unit_sum *units; /* [units] */
    term_group *groups;
    size_t group_count, group_capacity;
    table group_index;
    addition *additions;
    size_t addition_count, addition_capacity;
    uint32_t *ramps;
    size_t ramp_count;
} net;

static inline const content *net_input(const net *n, const model_term *t) { return &n->w->now[t->channel]; }

/* What the unit is, and its sum. */
void read_unit(net *n, uint32_t u);

/* Sum of |weights| and |bias|, with its grid: doubles hold every sum of some of them. */
double unit_size(net *n, uint32_t u, double bias, int *grid);

/* The term of an own part or a copy that is no Boolean. */
const model_term *number_term(const net *n, uint32_t u);

/* What units with equal terms add to a channel together, as a function that may have the leaf FN_BAD. */
fn add_group(net *n, const addition *parts, size_t count);

#endif

/* Functions of the letter at a position and of finitely many variables, as shared, ordered, reduced decision
   diagrams. A variable has the values 0 ... size - 1: the letter, a remainder, or a Boolean. A node lists runs of
   values with equal continuations, so that a class of letters costs as many runs as it has gaps, however large the
   alphabet. Leaves are numbers; a Boolean function has the leaves 0 and 1. Equal functions are the same node. */
#ifndef RECOGNISE_DECISION_H
#define RECOGNISE_DECISION_H

#include <stdbool.h>

#include "base/table.h"

typedef uint32_t fn; /* a node; 0 is none */
enum { FN_FALSE = 1, FN_TRUE = 2, FN_BAD = 3 /* a leaf for what must not happen */ };

enum {
    DECISION_LETTER = 0,        /* the first variable */
    DECISION_LEAF = UINT32_MAX, /* the "variable" of a leaf */
    DECISION_NODES = 1 << 19,   /* more are refused with TEMPER_LIMIT, */
    DECISION_RUNS = 1 << 22,    /* as are more runs, */
    DECISION_DEPTH = 10000,     /* and paths that ask about more variables: recursion is as deep */
    DECISION_STATES = 1 << 18   /* partial sums of one gate */
};

typedef struct decision_run {
    uint32_t end; /* the first value after the run */
    fn to;
} decision_run;

typedef struct decision_node {
    uint32_t variable, count; /* of runs */
    uint32_t depth;
    bool boolean, letters; /* leaves are 0 and 1; at most the letter is asked about */
    const decision_run *runs;
    double value; /* of a leaf */
} decision_node;

typedef struct decision_memo {
    fn a, b, c, result;
} decision_memo;

typedef struct decisions {
    arena *arena;
    decision_node *nodes; /* nodes[0] is not used */
    size_t count, capacity, runs;
    uint32_t *sizes; /* of the variables */
    size_t variables, variable_capacity;
    table index, leaves;
    decision_memo *memo;
    size_t memo_size;
    decision_run *work; /* runs of the nodes being made */
    size_t work_count, work_capacity;
} decisions;

void decisions_init(decisions *d, uint32_t letters, arena *a);

static inline const decision_node *decision_at(const decisions *d, fn f) { return &d->nodes[f]; }
static inline bool fn_is_leaf(const decisions *d, fn f) { return d->nodes[f].variable == DECISION_LEAF; }
static inline bool fn_is_boolean(const decisions *d, fn f) { return d->nodes[f].boolean; }

uint32_t decision_variable(decisions *d, uint32_t size);
fn fn_number(decisions *d, double x);

/* The runs may have equal neighbours; all nodes below must ask about later variables. */
fn fn_node(decisions *d, uint32_t variable, const decision_run *runs, size_t count);

/* 1 where the variable has a value from `first` to the one before `end`. */
fn fn_range(decisions *d, uint32_t variable, uint32_t first, uint32_t end);
fn fn_variable(decisions *d, uint32_t variable); /* a Boolean one */

fn fn_not(decisions *d, fn x);
fn fn_and(decisions *d, fn x, fn y);
fn fn_or(decisions *d, fn x, fn y);
fn fn_xor(decisions *d, fn x, fn y);
fn fn_add(decisions *d, fn x, fn y); /* raises TEMPER_LIMIT where doubles do not hold a sum */
fn fn_ite(decisions *d, fn x, fn yes, fn no);
fn fn_times(decisions *d, fn x, double factor); /* exactly */
fn fn_equal(decisions *d, fn x, double value);  /* where the number is this one */
fn fn_above(decisions *d, fn x, double value);

/* AND or OR of many: the later its first variable, the earlier a function is put in. `parts` is sorted. */
fn fn_and_all(decisions *d, fn *parts, size_t count);
fn fn_or_all(decisions *d, fn *parts, size_t count);
fn fn_add_all(decisions *d, fn *parts, size_t count); /* overwrites parts */

/* The least and largest leaf of a function of the letter alone. */
void fn_extremes(const decisions *d, fn x, double *least, double *most);

/* a + b and a * b if doubles hold them, else TEMPER_LIMIT through the arena's trap. */
double exact_add(arena *a, double x, double y);
double exact_mul(arena *a, double x, double y);

#endif

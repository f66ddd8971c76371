/* Undone transformers that no lowering made: random columns, heads of every role but waves, and steps.
   Everything is within what the audit says that it understands, so that it must understand it; forms have other
   weights, units and constants than a lowering would write. */
#ifndef TESTS_ORDINARY_MADE_H
#define TESTS_ORDINARY_MADE_H

#include "ordinary/lift/lift.h"
#include "test.h"

typedef struct made_shape {
    uint32_t letters, positions, layers;
    bool counts;  /* means of any sign, and comparisons of them; look-ups */
    bool bounded; /* means that only go up, or only go down */
    bool any;     /* also what only a machine can follow: keys of several numbers, the first of some patterns */
    bool mirrored;
} made_shape;

typedef struct made_column {
    bool boolean; /* 0 or 1, and 0 on the start sentinel */
    bool copy;    /* of what another column was one position before */
    bool known;   /* the audit must see what it means */
    double start;
} made_column;

typedef struct ordinary_made {
    lift u;
    struct ordinary_model m;
    made_column *about; /* [columns] */
} ordinary_made;

ordinary_made *ordinary_made_random(test_random *r, const made_shape *s, arena *a);

/* Every output reads one column, drawn at random. */
void ordinary_made_reads(ordinary_made *x, test_random *r, arena *a);

#endif

/* The zoo: what can stand where softmax stands. One row of one table per mechanism: its published formula, its
   published defaults, what is claimed of it. doc/zoo.md has a section on each.

   A mechanism turns what a head knows about a row into weights. Most need the row's scores only; others see two rows
   of scores, all rows at once, query and keys, or the values. Masked keys take no part at all: they get weight 0 and
   do not count in n, the minimum or any sum. A row without keys is all zeros. Where a formula divides by a sum that
   is 0 the weights are NaN: that is what it says.

   A score, query, key or value that is infinite or NaN makes all weights NaN, and the output: a key that must not be
   seen is to be masked. Finite scores of any size have the weights of the formula, with three exceptions: periodic
   formulas refuse (NaN) beyond 2^20, where sines of rounded numbers say nothing; the polynomials that are not
   normalised overflow to infinity, as they must; and what is made of query and keys is NaN where a product of theirs
   overflows or all features underflow. */
#ifndef LAB_MECHANISM_H
#define LAB_MECHANISM_H

#include "base/arena.h"

#include <stdbool.h>

typedef enum mechanism_input {
    INPUT_SCORES,  /* one row of scores */
    INPUT_TWO,     /* two rows of scores: scores and second */
    INPUT_MATRIX,  /* scores of all queries: [queries][n] */
    INPUT_VECTORS, /* query and keys */
    INPUT_VALUES   /* scores, and the values enter the formula: attend, not only weigh */
} mechanism_input;

typedef struct attention_row {
    size_t n;             /* keys */
    const bool *masked;   /* [n], true: left out; NULL: none is */
    const double *scores; /* [n]; INPUT_MATRIX: [queries][n] */
    const double *second; /* [n], INPUT_TWO */
    const double *query;  /* [size], INPUT_VECTORS */
    const double *keys;   /* [n][size] */
    size_t size;
    size_t queries;      /* INPUT_MATRIX */
    size_t position;     /* of the query among the keys: row of the matrix, distance in cosFormer */
    const size_t *place; /* [n] positions of the keys; NULL: 0 ... n-1. Set where masked keys were taken out. */
} attention_row;

enum { MECHANISM_PARAMETERS = 4 };

typedef struct mechanism_parameter {
    const char *name;
    double fallback, least, most; /* published default, and what makes sense */
} mechanism_parameter;

/* What is claimed of the weights of any row: checked by tests/lab/t-attention.c and by the lab. */
enum {
    SUMS_TO_ONE = 1 << 0,       /* else sums vary */
    CAN_BE_ZERO = 1 << 1,       /* exactly, in real arithmetic, for some row */
    CAN_BE_BELOW = 1 << 2,      /* negative */
    SHIFT_INVARIANT = 1 << 3,   /* adding a constant to all scores changes nothing */
    CAN_DIVIDE_BY_ZERO = 1 << 4 /* some rows have no weights: 0/0 */
};

typedef struct mechanism mechanism;
struct mechanism {
    const char *name, *family, *formula;
    const char *source; /* arXiv id, or what is known */
    const char *note;   /* where sources disagree, or what a reader should know; "" */
    mechanism_input input;
    unsigned claims;
    mechanism_parameter parameters[MECHANISM_PARAMETERS]; /* those with a name */
    /* w [n] from a row without masked keys, n >= 1; p: one value per parameter. */
    void (*weigh)(double *w, const attention_row *in, const double *p, arena *scratch);
    /* For INPUT_VALUES: the output from values [n]; else NULL and it is the sum of w v. */
    double (*attend)(const double *values, const attention_row *in, const double *p, arena *scratch);
    double gain; /* what an output projection has to multiply by at the default parameters, 1 for most */
};

size_t mechanism_count(void);
const mechanism *mechanism_at(size_t k);
const mechanism *mechanism_find(const char *name); /* NULL if there is none */

/* Fills p with the defaults; returns how many parameters there are. */
size_t mechanism_defaults(double p[MECHANISM_PARAMETERS], const mechanism *m);

/* Weights [n] of a row, masked keys included (as 0). p NULL: defaults. */
void mechanism_weights(double *w, const mechanism *m, const attention_row *in, const double *p, arena *scratch);

/* The head's output for scalar values [n]. */
double mechanism_output(const mechanism *m, const attention_row *in, const double *values, const double *p,
                        arena *scratch);

/* ---- for the families ---- */

/* A family is an array of rows in its own file, ended by a row without a name; mechanism.c lists the families. */
extern const mechanism softmax_family[], periodic_family[], pointwise_family[], sparse_family[], kernel_family[],
    matrix_family[];

/* In their rows: nothing to set; and the last row. */
#define NO_PARAMETERS                                                                                                \
    {                                                                                                                \
        { NULL, 0, 0, 0 }                                                                                            \
    }
#define MECHANISM_END                                                                                                \
    { NULL, NULL, NULL, NULL, NULL, INPUT_SCORES, 0, NO_PARAMETERS, NULL, NULL, 0 }

double row_largest(const double *s, size_t n);
double row_least(const double *s, size_t n);
double row_sum(const double *s, size_t n); /* from the left */
/* w = softmax(b s), stable: b may be large. w may be s. */
void row_softmax(double *w, const double *s, size_t n, double b);
/* w /= sum of w; NaN if that is 0. */
void row_normalise(double *w, size_t n);

/* Affine-scaled attention's gate and running average (rho 0.9, from 0). */
double affine_gate(double x);
double affine_average(double average, double alpha);
/* lambda_init of a layer, from 0. */
double differential_lambda(double depth);
/* The fitted polynomial of adaptive temperature: the inverse temperature for a row of entropy h. */
double adaptive_scale(double h);

#endif

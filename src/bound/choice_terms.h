/* Errors of sums in a number format, in balls: the rules of doc/certificate.md 8.3 that rows, channels and units share. */
#ifndef BOUND_CHOICE_TERMS_H
#define BOUND_CHOICE_TERMS_H

#include "number/ball.h"
#include "number/number_type.h"
#include "facts/facts.h"

/* A format pair, and the constants of the formulas. */
typedef struct rounding_rules {
    const number_format *storage, *accumulation;
    ball *step;    /* 1 + u of the accumulation format */
    ball *storing; /* u_s', 0 if the formats are equal */
    ball *tiny;    /* tau */
    ball *unit;    /* u */
    ball *t;       /* [6] work */
} rounding_rules;

void rounding_rules_init(rounding_rules *r, const number_type *type, bool ascending, arena *a);

/* A sum under way. */
typedef struct error_sum {
    ball *error, *size, *ideal; /* E, S and T */
    int grid;
    unsigned terms;
    bool clean;
} error_sum;

void error_sum_begin(error_sum *s, arena *a);
/* weight times a quantity of size x and error e. */
void error_sum_add(error_sum *s, const rounding_rules *r, double weight, const ball *x, const ball *e, int grid);
/* The same where the computed quantity can get as large as `most`, and only part of that, e, is to be counted as error. */
void error_sum_add_part(error_sum *s, const rounding_rules *r, double weight, const ball *x, const ball *most,
                        const ball *e, int grid);

typedef enum sum_use { SUM_PLAIN, SUM_STORED, SUM_CHANNEL } sum_use;

bool error_sum_is_exact(const error_sum *s, const rounding_rules *r, sum_use use);
void error_sum_finish(ball *out, const error_sum *s, const rounding_rules *r, sum_use use);
/* Whether nothing can overflow. */
bool error_sum_has_room(const error_sum *s, const rounding_rules *r, sum_use use);

bool ball_is_zero(const ball *x);
bool ball_fits(const ball *size, int grid, const number_format *f, const rounding_rules *r);
bool ball_has_room(const ball *size, const number_format *f, const rounding_rules *r);

/* Adds to *error what storing a number of size at most `size` + error costs: by its rounding, and no more than `near`, its distance from a number
   that the format holds (NULL: none is known). */
void add_storing(ball *error, const ball *size, const ball *near, const rounding_rules *r);

/* z = (1 + u)^k - 1 */
void rounding_factor(ball *z, const rounding_rules *r, uint64_t k);

/* z += k tau */
void add_tiny(ball *z, const rounding_rules *r, uint64_t k);

int double_grid(double x); /* the largest k such that x is a multiple of 2^k; GRID_ANY for 0 */
bool format_holds(const number_format *f, double x);
int format_least_exponent(const number_format *f);

#endif

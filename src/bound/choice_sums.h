/* Errors of sums in a number format: doc/certificate.md, "Errors of sums". Rows, channels, units and the read-out are
   such sums. */
#ifndef BOUND_CHOICE_SUMS_H
#define BOUND_CHOICE_SUMS_H

#include "bound/bound_terms.h"
#include "facts/facts.h"

/* The letters of the page that only hard choices have. */
typedef struct rounding_rules {
    const bounds *b;
    const ball *storing; /* u_s': 0 if the formats are equal */
    const ball *tau;     /* what an operation can lose where its result is next to 0 */
    double silence;      /* z: logits that are so much below the largest weigh exactly 0 */
} rounding_rules;

rounding_rules rounding_rules_of(const bounds *b);

/* A sum under way. */
typedef struct error_sum {
    const ball *error, *size, *ideal; /* E, S and T */
    int grid;
    unsigned terms;
    bool clean;
} error_sum;

/* What is added: `size` bounds the exact quantity, `most` the computed one, and `error` is the part of their distance
   to be counted. */
typedef struct sum_term {
    const ball *size, *most, *error;
    int grid;
} sum_term;

error_sum error_sum_begin(const rounding_rules *r);
void error_sum_add(error_sum *s, const rounding_rules *r, double weight, const sum_term *t);

/* What becomes of a sum. A channel is stored twice: what a sublayer adds, and the sum with what was there. */
typedef enum sum_use { SUM_PLAIN, SUM_STORED, SUM_CHANNEL } sum_use;

bool error_sum_is_exact(const error_sum *s, const rounding_rules *r, sum_use use);
const ball *error_sum_finish(const error_sum *s, const rounding_rules *r, sum_use use);
/* Whether nothing can overflow and the bound holds; without it there is no proof. */
bool error_sum_has_room(const error_sum *s, const rounding_rules *r, sum_use use);

/* fits(f, S, g): every multiple of 2^grid of size at most `size` is a number of the format. */
bool sum_fits(const rounding_rules *r, const ball *size, int grid, const number_format *f);

/* size <= F/2 */
bool sum_has_room(const rounding_rules *r, const ball *size, const number_format *f);

/* (1 + u)^k <= 2: as far as rounding errors may grow. */
bool growth_is_small(const rounding_rules *r, uint64_t k);

/* store(error, size, near); near NULL: no number is known that the format holds. */
const ball *stored_error(const rounding_rules *r, const ball *error, const ball *size, const ball *near);

/* Multiples of 2^grid times a number on the grid of `weight`. */
int grid_times(int grid, double weight);
int double_grid(double x); /* the largest k such that x is a multiple of 2^k; GRID_ANY for 0 */
int log2_of(double x);     /* k if x is 2^k, else GRID_NONE */
bool format_holds(const number_format *f, double x);
int format_least_exponent(const number_format *f);

#endif

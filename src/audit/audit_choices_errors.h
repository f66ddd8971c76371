/* The error recursion of doc/certificate.md, "Errors of sums" to "When hard choices are proved", one length at a
   time: how far computed numbers are from the hard model's. */
#ifndef AUDIT_AUDIT_CHOICES_ERRORS_H
#define AUDIT_AUDIT_CHOICES_ERRORS_H

#include "audit/audit_choices_facts.h"

typedef struct errors {
    hard_choices *g;
    audit *a;
    calculus *c; /* begun anew for each length */
    const type_facts *t;
    size_t n, positions;
    const ball *zero, *one, *tau, *more; /* tau, and u_s' */
    const ball **channel;                /* [channels] e_c */
    double *worst;                       /* [channels] of the embedding so far; NULL: of nothing yet */
    rational *t2;                        /* [2] scratch */
    double silence;                      /* z of "Saturation" */
} errors;

/* ---- sums (choices_sums.c) ---- */

typedef struct error_sum {
    const ball *error, *size, *ideal; /* E, S and T */
    int grid;
    bool clean;
    size_t terms;
    uint32_t layer, head; /* for messages; head 0: none */
} error_sum;

error_sum sum_begin(errors *e, uint32_t layer, uint32_t head);
/* Adds weight times a number of size x, computed y, off by `error`, on the grid. */
void sum_term(errors *e, error_sum *s, double weight, const ball *x, const ball *y, const ball *error, int grid);
/* The same for a fact: y = x + error. */
void sum_fact(errors *e, error_sum *s, double weight, const extent *x, const ball *error);
/* All terms of a row over channels as they are at a stage. */
error_sum sum_row(errors *e, const model_rows *rows, size_t row, const extent *stage, uint32_t layer, uint32_t head);

typedef enum sum_kind { SUM_PLAIN, SUM_STORED, SUM_CHANNEL } sum_kind;
bool sum_is_exact(errors *e, const error_sum *s, bool stored);
const ball *sum_error(errors *e, const error_sum *s, sum_kind kind); /* raises where there is no room */

bool error_is_zero(const errors *e, const ball *x);
bool error_fits(const errors *e, const number_format *f, const ball *size, int grid);
const ball *error_store(errors *e, const ball *eta, const ball *size, const ball *near); /* near NULL: unknown */
void error_room(const errors *e, const ball *size, double largest, uint32_t layer, uint32_t head, const char *what);
bool error_grows_little(const errors *e, uint64_t roundings); /* (1 + u)^roundings <= 2 */
const ball *error_least(errors *e, const ball *x, const ball *y);
int grid_of_double(double x); /* GRID_ZERO for 0 */

/* ---- what heads do (choices_scores.c, choices_shares.c) ---- */

typedef struct tie_break {
    bool found;
    uint32_t dimension;
    double sigma; /* > 0 */
    double query; /* |w_q f_q| */
} tie_break;

tie_break slope_find(const hard_choices *g, const model_head *h);

typedef struct score_error {
    double scale;             /* Lambda */
    const ball *size, *logit; /* S, and Lambda S */
    const ball *tied, *lost;  /* delta_T and delta_L */
    tie_break tie;
} score_error;

score_error score_find(errors *e, const head_claim *f, const tie_break *tie);
const ball *share_find(errors *e, const head_claim *f, const score_error *s); /* D */
double share_silence(const errors *e);
/* Whether one key of every row weighs exactly 1, and the others exactly 0. */
bool share_is_one_hot(errors *e, const head_claim *f, const score_error *s);

void choices_embedding(errors *e);             /* fills channel */
void choices_gates(errors *e, uint32_t layer); /* layer from 0 */

#endif

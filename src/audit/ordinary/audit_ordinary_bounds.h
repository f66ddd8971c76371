/* How far any run is from the ideal numbers (doc/ordinary.md, "What is assumed of kernels"). Bounds are doubles from
   0 on; each formula of at most 2^14 operations is made larger by SLACK, which is more than its own roundings. */
#ifndef AUDIT_AUDIT_ORDINARY_BOUNDS_H
#define AUDIT_AUDIT_ORDINARY_BOUNDS_H

#include <math.h>

#include "audit/ordinary/audit_ordinary.h"

static const double F32 = 0x1p-24, F16 = 0x1p-11, F16_TINY = 0x1p-25, F16_MOST = 65504, SLACK = 1 + 0x1p-36;

/* The two columns of the page's table. */
typedef struct ordinary_kernels {
    bool f16_vectors; /* vectors may be rounded to f16 before they are multiplied with weights */
    bool f16_cache;
    bool f32_norms;
} ordinary_kernels;

typedef struct ordinary_column_bound {
    double error;    /* |computed - ideal| is at most error + relative |ideal| */
    double relative; /* of means */
    double zero;     /* |computed| is at most this where the ideal number is 0 */
    double number;   /* of weighed means: how far the sum is off, in units of the share of one letter */
} ordinary_column_bound;

typedef struct ordinary_bounding {
    ordinary_audit *s;
    const lift *u;
    ordinary_kernels k;
    ordinary_column_bound *columns;
    double imbalance; /* GPT-2: the sum of all columns is at most this */
    /* of the norm before what is being read */
    double common, own; /* all columns are multiplied by one number 1 +- common, each by its own 1 +- own */
    double mean;        /* GPT-2: the mean is at most this */
    double sum;         /* the sizes of all columns together */
} ordinary_bounding;

/* Of the size of a head; and how many positions there are. */
static inline double ordinary_root(const ordinary_bounding *b) { return sqrt((double)b->u->m->head_size); }
static inline double ordinary_positions(const ordinary_bounding *b) { return (double)b->u->m->positions; }

/* A row: the size of its ideal number, and how far the computed one may be off beside `scale` times that. */
typedef struct ordinary_row {
    double size, error;
    double scale;   /* what all columns of the norm share */
    double rounded; /* the part of `error` that is this row's own roundings */
    double zero;    /* how far it may be off where the ideal number is 0 */
    double share;   /* it is off by no more than zero + share of the ideal number; infinite: not known */
} ordinary_row;

/* Whether f16 rounds back all numbers of a row that are not 0, if they are off by `relative` of themselves, too. */
bool ordinary_row_back(const ordinary_row *r, double relative, double grain);

ordinary_row ordinary_row_bound(const ordinary_bounding *b, const lift_form *f);

/* How far the constant 1 is off, beside the scale that all share. */
double ordinary_pin_error(const ordinary_bounding *b);

/* The largest power of two that x is a multiple of; 0 for 0. Multiples of x have as many bits as they are larger than
   this, not than x. */
double ordinary_lowest_bit(double x);

/* Numbers that are multiples of `grain`, off by `error` and by `relative` of themselves, and rounded to f16: whether
   those that are not 0 are rounded back. Half the distance of numbers of f16 is 2^-12 of a number at least. */
bool ordinary_f16_back(double size, double error, double relative, double grain);

/* How far such numbers are off if they are rounded, or not, and need not be rounded back: a number of f16 is rounded
   by no more than it is off. grain 0: any numbers. */
double ordinary_f16_error(double size, double error, double relative, double grain);

/* How far 0 is off after it was rounded to f16. Rounding adds a share of the error or half the least number of
   f16, but never more than the error itself, since 0 is a number of f16. */
double ordinary_f16_zero(double zero);

/* The larger of two errors: of a number that is not rounded, and of 0, which is. */
double ordinary_back_error(double plain, double zero);

void ordinary_norm(ordinary_bounding *b, uint32_t layer, bool net);
double ordinary_head_bound(ordinary_bounding *b, const lift_head *h);

/* How far a score of these products may be off, before it is divided. */
double ordinary_content_error(const ordinary_bounding *b, const lift_head *h, size_t from, size_t to);

/* audit_ordinary_lookup.c: fills the columns of a weighed mean, and returns the largest error; of a look-up, what
   other positions weigh together beside the right one. */
double ordinary_weighed_bound(ordinary_bounding *b, const lift_head *h);
double ordinary_lookup_leak(const ordinary_bounding *b, const lift_head *h);

/* Errors of the columns that the steps of a layer write, and of the sum of all columns. */
void ordinary_net(ordinary_bounding *b, uint32_t layer);

/* A GPT-2: what the columns may add up to where a token and a position are added. */
double ordinary_embedding(const lift *u);

/* A head that does not keep to a condition. */
#define REFUSE(b, h, ...) ordinary_refuse((b)->s, (h)->layer, (h)->slot + 1, __VA_ARGS__)
#define NEED(b, h, c, ...)                                                                                           \
    do {                                                                                                             \
        if (!(c)) REFUSE(b, h, __VA_ARGS__);                                                                         \
    } while (0)

/* An f16 cache has infinities instead of these, and what is added up in f16 has them, too: all values, in the worst
   case. Two numbers of a pair may turn into one. */
void ordinary_check_half(const ordinary_bounding *b, const lift_head *h);

#endif

/* What format_run.c and format_heads.c share: a run at work, and its arithmetic. Each rounding of a run is one of these functions:

       stored  to the storage format: what a kernel writes to memory, and what was there before it began
       plus, minus, times, over  in the accumulation format: what a kernel keeps in registers */
#ifndef RUN_FORMAT_PASS_H
#define RUN_FORMAT_PASS_H

#include "run/format_run.h"

typedef struct format_pass {
    const temper_model *m;
    const format_setting *s;
    const uint32_t *letters;
    size_t n, size; /* N */
    double *x;      /* [N][channels] stored */
    double *delta;  /* [N][channels] what a sublayer adds, being summed */
    arena *scratch; /* of one head */
    format_answer *out;
} format_pass;

static inline double stored(const format_pass *p, double x) { return format_round(p->s->storage, x); }
static inline double summed(const format_pass *p, double x) { return format_round(p->s->accumulation, x); }

static inline double plus(const format_pass *p, double a, double b) { return summed(p, a + b); }
static inline double minus(const format_pass *p, double a, double b) { return summed(p, a - b); }
static inline double times(const format_pass *p, double a, double b) { return summed(p, a * b); }
static inline double over(const format_pass *p, double a, double b) { return summed(p, a / b); }

/* The dot product of a row of weights, stored as they are used, with a position's channels: terms in order, from 0. */
static inline double row_sum(const format_pass *p, const model_rows *rows, size_t row, const double *x) {
    double sum = 0;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        sum = plus(p, sum, times(p, stored(p, rows->terms[k].weight), x[rows->terms[k].channel]));
    return sum;
}

/* delta += weight * value, along a row of weights */
static inline void spread(const format_pass *p, double *delta, const model_rows *rows, size_t row, double value) {
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        double *to = &delta[rows->terms[k].channel];
        *to = plus(p, *to, times(p, stored(p, rows->terms[k].weight), value));
    }
}

/* delta += one head's output; false if the run broke there. */
bool format_head(format_pass *p, uint32_t layer, uint32_t head);

#endif

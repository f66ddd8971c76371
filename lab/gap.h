/* The parts of `temper lab gap`. */
#ifndef LAB_GAP_H
#define LAB_GAP_H

#include "lab/lab.h"

/* How scores are drawn; all but the last have one maximum. */
typedef enum score_kind {
    GAUSSIAN,
    HEAVY,
    NEAR_2, /* Gaussian, and one other score 10^-2 below the best */
    NEAR_5,
    NEAR_8,
    ADVERSARIAL,      /* all others 1 below */
    ADVERSARIAL_NEAR, /* all others 10^-4 below */
    TIED,             /* every eighth is best */
    SCORE_KINDS
} score_kind;

extern const char *const score_kind_names[SCORE_KINDS];

typedef struct score_row {
    double *scores;  /* [n] */
    size_t n, ties;  /* how many attain the maximum */
    double top, gap; /* the maximum, and what the next different score lies below it: exact differences of doubles */
} score_row;

void gap_draw(score_row *row, lab *l, score_kind kind, size_t n, arena *a);

/* Weights [n] of softmax in f64, and their total variation from the uniform choice among the best: computed from the
   weights, not from R. */
void gap_soften(double *w, const score_row *row, double scale);
double gap_measure(const double *w, const score_row *row);

/* R = sum over the others of exp(-scale (top - s)), in double. */
double gap_rest(const score_row *row, double scale);

void gap_law(lab *l, arena *scratch);    /* measured error beside R/(t+R) and (N-t)e^{-scale gap} */
void gap_curves(lab *l, arena *scratch); /* error by gap and by length at given scales */
void gap_scale(lab *l, arena *scratch);  /* the scale that an error needs, by distribution and length */
void gap_ties(lab *l, arena *scratch);   /* tied maxima whose scores are a little off */
void gap_format(lab *l, arena *scratch); /* below which gap rounding decides, by number format */

#endif

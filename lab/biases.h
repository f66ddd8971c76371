/* The parts of `temper lab schedules --bias`: what operators need of a term of a logit that depends on the distance
   d = i - j of query and key (ALiBi's slopes, the waves of rotary positions), how far a term goes, and models that
   run with it. doc/lab.md, "Biases". */
#ifndef LAB_BIASES_H
#define LAB_BIASES_H

#include "lab/lab.h"
#include "model/expression.h"

typedef enum biased_kind { BIASED_ONCE, BIASED_SINCE, BIASED_YESTERDAY, BIASED_COMPARE, BIASED } biased_kind;

extern const char *const biased_names[BIASED];
extern const char *const biased_formulas[BIASED]; /* over the letters a, b, c */

/* A logit is content(i, n) c_j + bias(i - j): c_j is 1 where the key is one that the head looks for. */
typedef struct biased_head {
    const char *bias;           /* an expression of d, n and N */
    const char *content;        /* an expression of i, n and N: the base times a factor */
    const expression *of_d;     /* the bias, with d in the place of i */
    const expression *contents; /* the content */
} biased_head;

/* Reads both. What a user writes, of d or of (i - j). Raises TEMPER_FORMAT or TEMPER_RANGE. */
biased_head biased_read(const char *bias, const char *content, arena *a);

/* The text with "(N - 1 - i)" for d: the bias of the last row as a feature of the key. */
const char *biased_feature(const biased_head *h, arena *a);

/* ---- the law, in real arithmetic (bias_law.c) ---- */

/* The largest n <= most such that at each length up to n the last row of every string is decided rightly, with the
   biases as doubles: every comparison is rounded to the unsafe side first, so this is proved. *every: it holds at
   every length, which is proved as well. */
double bias_law(const biased_head *h, biased_kind op, size_t most, bool *every, arena *scratch);

/* Strings of n letters (0, 1, 2: a, b, c) on which the operator is hardest; out[n]. False: there is no such one. */
enum { BIAS_WORST = 8 };
bool bias_worst(uint32_t *out, const biased_head *h, biased_kind op, size_t n, size_t which, arena *scratch);

/* ---- models (bias_models.c) ---- */

typedef struct biased_model biased_model;
biased_model *biased_make(const biased_head *h, biased_kind op, temper_type type, arena *a);
/* Whether the last position is decided rightly; a string that the run refuses, because a number overflows, is not. */
bool biased_right(const biased_model *m, const uint32_t *letters, size_t n, trap *t);

#endif

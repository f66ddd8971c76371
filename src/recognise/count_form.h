/* What each position adds to a sum of counts, as a number: a function of the letter, and functions of other things,
   each times a weight above 0. Equal forms are one: f and "not f" never stand beside each other, since [not f] = 1 -
   [f]. Sums of ten thousand counts stay lists of ten thousand terms. */
#ifndef RECOGNISE_COUNT_FORM_H
#define RECOGNISE_COUNT_FORM_H

#include "recognise/decision.h"

typedef uint32_t count_id; /* a form; 0 is the form that is 0 everywhere */

typedef struct count_term {
    fn f; /* Boolean, asking about more than the letter */
    double weight;
} count_term;

typedef struct count_form {
    fn letters; /* numbers, by the letter alone */
    size_t count;
    const count_term *terms; /* ascending by f */
} count_form;

typedef struct count_forms {
    decisions *d;
    arena *arena;
    count_form *forms;
    size_t count, capacity;
    table index;
} count_forms;

void count_forms_init(count_forms *c, decisions *d);

static inline const count_form *count_at(const count_forms *c, count_id id) { return &c->forms[id]; }

/* The form of sum weight * f over Boolean functions; the terms are work. */
count_id count_from_terms(count_forms *c, count_term *terms, size_t count);

/* The same form with few conditions: those that exclude each other, or of which one always holds, are one. */
count_id count_merge(count_forms *c, count_id x);

/* factor x + y */
count_id count_combine(count_forms *c, count_id x, double factor, count_id y);

bool count_is_whole(const count_forms *c, count_id x);

/* The greatest whole number that divides every weight; the form divided by it. 0 for the form 0. */
double count_divisor(const count_forms *c, count_id x);
count_id count_divide(count_forms *c, count_id x, double divisor);

/* Bounds of what a position adds: perhaps not attained. */
void count_extremes(const count_forms *c, count_id x, double *least, double *most);

/* Where every position adds 0 or at least `step` (at most -step if step < 0): the condition that it does not add 0. 0
   if this cannot be seen. */
fn count_some(count_forms *c, count_id x, double step);

#endif

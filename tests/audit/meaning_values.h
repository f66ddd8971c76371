/* The value of the auditor's diagrams on all strings up to a length. Every variable stands for a question about
   positions (audit_meaning.h); here each question is answered by its definition, so every diagram has a value at
   every position of every string. */
#ifndef TESTS_MEANING_VALUES_H
#define TESTS_MEANING_VALUES_H

#include "audit/audit_meaning.h"

/* A position of a string. */
typedef struct meaning_point {
    const uint32_t *word; /* [n] */
    size_t n, i;          /* i from 1 */
    size_t first;         /* the point of i = 1 of the same string */
} meaning_point;

typedef struct meaning_values {
    meaning *m;
    arena *arena;
    const meaning_point *points;
    size_t count;
    double **known; /* [nodes] values at all points; NULL: not made yet */
    size_t known_count;
} meaning_values;

/* All positions of all strings of 1 to `longest` letters; *count of them. */
const meaning_point *meaning_points(size_t *count, uint32_t letters, size_t longest, arena *a);

/* [points] what the diagram is there. */
const double *meaning_values_of(meaning_values *v, dd f);

/* Of a diagram that asks for nothing but remainders of one count. */
double meaning_value_at_count(const meaning *m, dd f, int64_t count);

#endif

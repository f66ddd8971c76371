/* The certificate of a model without Boolean channels: what is kept of every length, and the file (doc/certificate.md 8.1). */
#ifndef BOUND_CHOICE_FILE_H
#define BOUND_CHOICE_FILE_H

#include "bound/choice_errors.h"

typedef struct general_results {
    ball **share, **error; /* [heads][length + 1] */
    ball *logit, *off;     /* [heads], the largest of all lengths */
    ball *answer;          /* [length + 1] */
} general_results;

void general_results_begin(general_results *g, const hard_facts *f, arena *a);
void general_results_take(general_results *g, const recursion *r, size_t n);

/* Writes the file; the verdict is then "proved". */
void general_write(certification *c, const hard_facts *f, const general_results *g, bool everywhere);

#endif

/* The certificate of a model without Boolean channels: what is kept of every length, and the file
   (doc/certificate.md, "The file for hard choices"). */
#ifndef BOUND_CHOICE_FILE_H
#define BOUND_CHOICE_FILE_H

#include "bound/choice_errors.h"

typedef struct choice_results {
    ball **share, **error; /* [heads][length + 1] */
    ball *logit, *off;     /* [heads], the largest of all lengths */
    ball *answer;          /* [length + 1] */
} choice_results;

void choice_results_begin(choice_results *g, const hard_facts *f, arena *a);
void choice_results_take(choice_results *g, const recursion *r, size_t n);

/* Writes the file; the verdict is then "proved". */
void choice_file_write(certification *c, const hard_facts *f, const choice_results *g, bool everywhere);

#endif

/* The tie-break of a softmax head that stands for leftmost or rightmost: a dimension that adds a multiple of the
   position to every score, and nothing in the hard model (doc/certificate.md, "Errors of scores"). */
#ifndef BOUND_CHOICE_TIE_BREAK_H
#define BOUND_CHOICE_TIE_BREAK_H

#include "model/model.h"
#include "number/format.h"

typedef struct tie_break {
    uint32_t row; /* of query and key */
    double step;  /* sigma > 0 of each position; 0: there is none */
    double query; /* the size of the query's row */
} tie_break;

/* For all lengths up to `length`. `written` marks the channels that heads or units write. */
tie_break tie_break_find(const temper_model *m, const model_head *h, size_t length, const unsigned char *written,
                         const number_format *storage);

#endif

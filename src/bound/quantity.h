/* Quantities of doc/certificate.md, section 3: how large a number is, how far from its ideal value a run may compute it, and the grid
   its ideal values lie on; features, rows, scores, scales, logits. */
#ifndef BOUND_QUANTITY_H
#define BOUND_QUANTITY_H

#include "bound/feature_bound.h"

typedef struct quantity {
    const ball *size, *error; /* X, e */
    bool gridded, exact;      /* exact: e = 0 */
    int grid;
} quantity;

/* A term of a row: a weight, and what the channel holds. Boolean channels have the form FORM_BOOLEAN. */
typedef struct term_shape {
    feature_form form;
    double weight;
} term_shape;

typedef struct row_shape {
    size_t count;
    const term_shape *terms;
} row_shape;

quantity quantity_feature(const bounds *b, const feature_form *f);
quantity quantity_scale(const bounds *b, const feature_form *f);
quantity quantity_row(const bounds *b, const row_shape *row);
quantity quantity_score(const bounds *b, const quantity *queries, const quantity *keys, size_t count);
quantity quantity_logit(const bounds *b, const quantity *scale, const quantity *score);

/* Whether X + e is certainly at most `most`. */
bool quantity_fits(const bounds *b, const quantity *q, const ball *most);

#endif

/* Quantities of doc/certificate.md, "Quantities": how large a number is, how large a run may compute it and how far
   from its ideal value, and the grid that its ideal values lie on; features, rows, scores, scales, logits. */
#ifndef BOUND_QUANTITY_H
#define BOUND_QUANTITY_H

#include "bound/feature_bound.h"
#include "recognise/recognised_model.h"

typedef struct quantity {
    const ball *size, *most, *error; /* X, Y, e */
    const ball *widest;              /* the largest number on the way to it */
    bool gridded, exact;             /* exact: e = 0 and Y = X */
    bool doubles; /* a constant, plus or minus a power of two from 1 on: products with it are exact */
    int grid;
} quantity;

quantity quantity_feature(const bounds *b, const feature_form *f);
quantity quantity_scale(const bounds *b, const feature_form *f);

/* chooses: a key row of a nearest head, whose Boolean terms add up to a Boolean, or with a constant to the constant
   or 0. */
quantity quantity_row(const bounds *b, const row_shape *row, bool chooses);
quantity quantity_score(const bounds *b, const quantity *queries, const quantity *keys, size_t count);

/* Of all ways to make it; `scale` is NULL where there is none. */
quantity quantity_logit(const bounds *b, const quantity *scale, const quantity *queries, const quantity *keys,
                        size_t count);

/* Whether the computed number, and those on the way to it, are certainly at most `most`. */
bool quantity_fits(const quantity *q, const ball *most);

#endif

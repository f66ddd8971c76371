/* What is known of a position feature or a scale by its form: its size, its grid, and how often f64 rounds when it
   evaluates it (doc/certificate.md, "Quantities"). */
#ifndef BOUND_FEATURE_BOUND_H
#define BOUND_FEATURE_BOUND_H

#include "bound/bound_terms.h"
#include "recognise/position_form.h"

/* A bound of its size at M. */
const ball *form_bound(const bounds *b, const feature_form *f);

/* Its grid; false if it has none. */
bool form_grid(int *grid, const feature_form *f);

/* How many roundings f64 makes, at most, at every N <= M. */
uint64_t form_roundings(const bounds *b, const feature_form *f);

/* C N^power, of which every product may round: [C M] + [C M^2] + ... */
uint64_t power_roundings(const bounds *b, double c, int power);

#endif

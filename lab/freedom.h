/* Degrees of freedom of a head (2507.03340): N(lambda) = tr S (S + lambda I)^-1, S the covariance of the head's
   feature map. From a sample of J tokens it is the same trace with the Gram matrix G_ij = K(x_i, x_j)/J in the place
   of S. */
#ifndef LAB_FREEDOM_H
#define LAB_FREEDOM_H

#include "base/arena.h"

/* tr G (G + lambda I)^-1 for a symmetric positive semidefinite G [J][J], lambda > 0, by a Cholesky factorisation.
   Raises TEMPER_RANGE if G + lambda I is not positive. */
double freedom_of_gram(const double *gram, size_t count, double lambda, arena *scratch);

/* The Gram matrix of the softmax kernel, exp(x_i.x_j/sqrt d)/J, on tokens [count][size]: what positive random
   features exp(z.x/d^(1/4) - |x|^2/(2 sqrt d)) give in the mean over Gaussian z. Raises TEMPER_RANGE if an entry
   overflows. */
double *freedom_gram(const double *tokens, size_t count, size_t size, arena *a);

/* How many features the third theorem asks for: (4N/t) ln(64 N/(delta t)). */
double freedom_features(double freedom, double t, double delta);

#endif

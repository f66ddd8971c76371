#include "lab/freedom.h"

#include "number/elementary.h"

#include <math.h>
#include <string.h>

/* tr G (G + l)^-1 = J - l tr (G + l)^-1, and with G + l = C C^T the trace of the inverse is the sum of squares of
   C^-1. */
double freedom_of_gram(const double *gram, size_t count, double lambda, arena *scratch) {
    double *c = arena_alloc(scratch, count * count + 1, sizeof *c), *x = arena_alloc(scratch, count + 1, sizeof *x);
    memcpy(c, gram, count * count * sizeof *c);
    for (size_t i = 0; i < count; i++) {
        c[i * count + i] += lambda;
        for (size_t j = 0; j <= i; j++) {
            double sum = c[i * count + j];
            for (size_t k = 0; k < j; k++) sum -= c[i * count + k] * c[j * count + k];
            if (j < i)
                c[i * count + j] = sum / c[j * count + j];
            else if (sum > 0)
                c[i * count + i] = sqrt(sum);
            else
                trap_raise(scratch->trap, TEMPER_RANGE, 0, 0, "degrees of freedom: the matrix is not positive");
        }
    }
    double trace = 0;
    for (size_t column = 0; column < count; column++) {
        for (size_t i = column; i < count; i++) {
            double sum = i == column ? 1 : 0;
            for (size_t k = column; k < i; k++) sum -= c[i * count + k] * x[k];
            x[i] = sum / c[i * count + i];
            trace += x[i] * x[i];
        }
    }
    return (double)count - lambda * trace;
}

double *freedom_gram(const double *tokens, size_t count, size_t size, arena *a) {
    double *gram = arena_alloc(a, count * count + 1, sizeof *gram);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double sum = 0;
            for (size_t c = 0; c < size; c++) sum += tokens[i * size + c] * tokens[j * size + c];
            gram[i * count + j] = exp_f64(sum / sqrt((double)size)) / (double)count;
            if (!isfinite(gram[i * count + j]))
                trap_raise(a->trap, TEMPER_RANGE, 0, 0,
                           "degrees of freedom: tokens %zu and %zu have too large a score", i, j);
        }
    return gram;
}

double freedom_features(double freedom, double t, double delta) {
    return 4 * freedom / t * log_f64(64 * freedom / (delta * t));
}

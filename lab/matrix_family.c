/* Mechanisms that need the scores of all queries at once. */
#include "lab/mechanism.h"

#include "number/elementary.h"

#include <float.h>
#include <math.h>

/* The matrix less the largest score of each row: what is taken out of a row cancels, and differences that overflow
   are as good as the largest number. */
static double *level_rows(const attention_row *in, arena *scratch) {
    size_t n = in->n;
    double *s = arena_alloc(scratch, in->queries * n, sizeof *s);
    for (size_t i = 0; i < in->queries; i++) {
        double top = row_largest(in->scores + i * n, n);
        for (size_t j = 0; j < n; j++) {
            double below = in->scores[i * n + j] - top;
            s[i * n + j] = below > -DBL_MAX / 8 ? below : -DBL_MAX / 8;
        }
    }
    return s;
}

/* Rows, columns, rows, ... of exp(S) made to sum to 1, in logarithms: log K = S - f_i - g_j. An odd number of steps
   ends on rows. The last step is a quotient, so that its sums are 1 also where a logarithm is lost in a large
   score. */
static void sinkhorn(double *w, const attention_row *in, const double *p, arena *scratch) {
    size_t rows = in->queries, n = in->n, steps = (size_t)p[0];
    double *f = arena_zalloc(scratch, rows, sizeof *f), *g = arena_zalloc(scratch, n, sizeof *g);
    double *most = arena_alloc(scratch, n, sizeof *most), *sum = arena_alloc(scratch, n, sizeof *sum);
    const double *all = level_rows(in, scratch), *own = all + in->position * n;
    for (size_t step = 0; step < steps; step++) {
        if (step % 2 == 0) {
            for (size_t i = 0; i < rows; i++) {
                const double *s = all + i * n;
                double top = -INFINITY, total = 0;
                for (size_t j = 0; j < n; j++)
                    if (s[j] - g[j] > top) top = s[j] - g[j];
                for (size_t j = 0; j < n; j++) total += exp_f64(s[j] - g[j] - top);
                f[i] = top + log_f64(total);
                for (size_t j = 0; step + 1 == steps && i == in->position && j < n; j++)
                    w[j] = exp_f64(s[j] - g[j] - top) / total;
            }
            continue;
        }
        for (size_t j = 0; j < n; j++) most[j] = -INFINITY, sum[j] = 0;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < n; j++)
                if (all[i * n + j] - f[i] > most[j]) most[j] = all[i * n + j] - f[i];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < n; j++) sum[j] += exp_f64(all[i * n + j] - f[i] - most[j]);
        for (size_t j = 0; j < n; j++) g[j] = most[j] + log_f64(sum[j]);
        for (size_t j = 0; step + 1 == steps && j < n; j++)
            w[j] = exp_f64(own[j] - f[in->position] - most[j]) / sum[j];
    }
}

const mechanism matrix_family[] = {
    {"sinkhorn",
     "matrix",
     "exp(S), rows and columns normalised in turn",
     "2110.11773",
     "Scripts use 3 steps (text) and 7 (sets); 1 step is softmax, an odd number ends on rows.",
     INPUT_MATRIX,
     SUMS_TO_ONE | SHIFT_INVARIANT,
     {{"steps", 3, 1, 1000}},
     sinkhorn,
     NULL,
     1},
    MECHANISM_END,
};

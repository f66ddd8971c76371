/* Mechanisms that need the scores of all queries at once. */
#include "attention/mechanism.h"

#include "number/elementary.h"

#include <math.h>

/* Rows, columns, rows, ... of exp(S) made to sum to 1, in logarithms: log K = S - f_i - g_j. An odd number of steps ends on rows. */
static void sinkhorn(double *w, const attention_row *in, const double *p, arena *scratch) {
    size_t rows = in->queries, n = in->n;
    double *f = arena_zalloc(scratch, rows, sizeof *f), *g = arena_zalloc(scratch, n, sizeof *g);
    double *most = arena_alloc(scratch, n, sizeof *most), *sum = arena_alloc(scratch, n, sizeof *sum);
    for (size_t step = 0; step < (size_t)p[0]; step++) {
        if (step % 2 == 0) {
            for (size_t i = 0; i < rows; i++) {
                const double *s = in->scores + i * n;
                double top = -INFINITY, total = 0;
                for (size_t j = 0; j < n; j++)
                    if (s[j] - g[j] > top) top = s[j] - g[j];
                for (size_t j = 0; j < n; j++) total += exp_f64(s[j] - g[j] - top);
                f[i] = top + log_f64(total);
            }
            continue;
        }
        for (size_t j = 0; j < n; j++) most[j] = -INFINITY, sum[j] = 0;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < n; j++)
                if (in->scores[i * n + j] - f[i] > most[j]) most[j] = in->scores[i * n + j] - f[i];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < n; j++) sum[j] += exp_f64(in->scores[i * n + j] - f[i] - most[j]);
        for (size_t j = 0; j < n; j++) g[j] = most[j] + log_f64(sum[j]);
    }
    for (size_t j = 0; j < n; j++) w[j] = exp_f64(in->scores[in->position * n + j] - f[in->position] - g[j]);
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

/* Choices: weights that are exactly zero off a set of keys. */
#include "base/random.h"
#include "lab/mechanism.h"

#include "number/elementary.h"

#include <math.h>
#include <stdlib.h>

static int descending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

/* The projection onto the simplex: with the scores sorted, the threshold after the last k with 1 + k s_k > s_1 + ...
   + s_k. Scores less their largest: what is below -1 can have no weight. */
static void sparsemax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    double most = row_largest(in->scores, in->n), sum = 0, tau = 0;
    double *sorted = arena_alloc(scratch, in->n, sizeof *sorted);
    size_t count = 0;
    for (size_t j = 0; j < in->n; j++)
        if (in->scores[j] - most > -1) sorted[count++] = in->scores[j] - most;
    qsort(sorted, count, sizeof *sorted, descending);
    for (size_t k = 0; k < count; k++) {
        sum += sorted[k];
        if (1 + (double)(k + 1) * sorted[k] > sum) tau = (sum - 1) / (double)(k + 1);
    }
    for (size_t j = 0; j < in->n; j++) {
        double y = in->scores[j] - most - tau;
        w[j] = y > 0 ? y : 0;
    }
}

/* a = 1.5, where the threshold solves a quadratic equation: with x = (s - largest)/2 sorted and k of them kept, sum
   (x - tau)^2 = 1 gives tau = mean - sqrt((1 - sum (x - mean)^2)/k), and k is the last with tau <= x_k. */
static double three_halves_threshold(const attention_row *in, double most, arena *scratch) {
    double *sorted = arena_alloc(scratch, in->n, sizeof *sorted), mean = 0, spread = 0, tau = -1;
    size_t count = 0;
    for (size_t j = 0; j < in->n; j++)
        if (in->scores[j] - most > -2) sorted[count++] = 0.5 * (in->scores[j] - most);
    qsort(sorted, count, sizeof *sorted, descending);
    for (size_t k = 0; k < count; k++) { /* running mean and sum of squares about it */
        double size = (double)(k + 1), step = sorted[k] - mean;
        mean += step / size;
        spread += step * (sorted[k] - mean);
        if (spread > 1) break;
        double candidate = mean - sqrt((1 - spread) / size);
        if (candidate > sorted[k]) break;
        tau = candidate;
    }
    return tau;
}

/* [(a-1) s - tau]_+^(1/(a-1)), tau by bisection in [M - 1, M], where M is the largest (a-1) s: the sum falls from >=
   1 to 0. The rest of the bisection is spread over all weights. */
static void entmax(double *w, const attention_row *in, const double *p, arena *scratch) {
    double a = p[0] - 1, most = row_largest(in->scores, in->n), low = -1, high = 0;
    if (a == 0.5) low = high = three_halves_threshold(in, most, scratch);
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high), sum = 0;
        if (middle == low || middle == high) break;
        for (size_t j = 0; j < in->n && sum < 1; j++) {
            double y = a * (in->scores[j] - most) - middle;
            if (y > 0) sum += a == 1 ? y : exp_f64(log_f64(y) / a);
        }
        if (sum < 1)
            high = middle;
        else
            low = middle;
    }
    for (size_t j = 0; j < in->n; j++) {
        double y = a * (in->scores[j] - most) - low;
        w[j] = y <= 0 ? 0 : a == 0.5 ? y * y : a == 1 ? y : exp_f64(log_f64(y) / a);
    }
    row_normalise(w, in->n);
}

static void hardmax_average(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    double most = row_largest(in->scores, in->n);
    size_t ties = 0;
    for (size_t j = 0; j < in->n; j++) ties += in->scores[j] == most;
    for (size_t j = 0; j < in->n; j++) w[j] = in->scores[j] == most ? 1 / (double)ties : 0;
}

static void hardmax_leftmost(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    size_t best = 0;
    for (size_t j = 0; j < in->n; j++) {
        w[j] = 0;
        if (in->scores[j] > in->scores[best]) best = j;
    }
    w[best] = 1;
}

static void hardmax_rightmost(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    size_t best = 0;
    for (size_t j = 0; j < in->n; j++) {
        w[j] = 0;
        if (in->scores[j] >= in->scores[best]) best = j;
    }
    w[best] = 1;
}

/* Softmax on the k largest scores; of equal ones the leftmost are kept. */
static void top_k(double *w, const attention_row *in, const double *p, arena *scratch) {
    size_t n = in->n, k = p[0] < (double)n ? (size_t)p[0] : n;
    double *sorted = arena_alloc(scratch, n, sizeof *sorted), most, sum = 0;
    for (size_t j = 0; j < n; j++) sorted[j] = in->scores[j];
    qsort(sorted, n, sizeof *sorted, descending);
    double last = sorted[k - 1];
    size_t above = 0;
    while (above < k && sorted[above] > last) above++;
    size_t equal = k - above; /* places left for scores equal to the last one kept */
    most = sorted[0];
    for (size_t j = 0; j < n; j++) {
        bool kept = in->scores[j] > last || (in->scores[j] == last && equal > 0);
        if (in->scores[j] == last && equal > 0) equal--;
        w[j] = kept ? exp_f64(in->scores[j] - most) : 0;
        sum += w[j];
    }
    for (size_t j = 0; j < n; j++) w[j] /= sum;
}

/* ---- Gumbel ---- */

/* The share of draws in which s_j - ln(-ln u_j) is the largest. */
static void gumbel(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    uint64_t state = (uint64_t)p[0];
    size_t draws = (size_t)p[1];
    for (size_t j = 0; j < in->n; j++) w[j] = 0;
    for (size_t k = 0; k < draws; k++) {
        size_t best = 0;
        double most = -INFINITY;
        for (size_t j = 0; j < in->n; j++) {
            double u = ((double)(random_next(&state) >> 12) + 0.5) * 0x1p-52;
            double y = in->scores[j] - log_f64(-log_f64(u));
            if (y > most) best = j, most = y;
        }
        w[best] += 1;
    }
    for (size_t j = 0; j < in->n; j++) w[j] /= (double)draws;
}

const mechanism sparse_family[] = {
    {"sparsemax", "sparse", "[s_i - tau]_+, tau such that the sum is 1", "1602.02068", "alpha-entmax with alpha = 2.",
     INPUT_SCORES, SUMS_TO_ONE | CAN_BE_ZERO | SHIFT_INVARIANT, NO_PARAMETERS, sparsemax, NULL, 1},
    {"entmax",
     "sparse",
     "[(a-1) s_i - tau]_+^(1/(a-1)), tau such that the sum is 1",
     "1905.05702",
     "",
     INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | SHIFT_INVARIANT,
     {{"a", 1.5, 1.01, 10}},
     entmax,
     NULL,
     1},
    {"top-k",
     "sparse",
     "softmax on the k largest scores, 0 elsewhere",
     "folklore",
     "No default is published; of equal scores the leftmost are kept.",
     INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | SHIFT_INVARIANT,
     {{"k", 8, 1, 1e9}},
     top_k,
     NULL,
     1},
    {"gumbel",
     "sparse",
     "1 at argmax(s_i + Gumbel noise), averaged over draws",
     "folklore",
     "Random, but reproducible from its seed; the frequency is softmax.",
     INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO,
     {{"seed", 1, 0, 0x1p53}, {"draws", 1, 1, 1e9}},
     gumbel,
     NULL,
     1},
    {"hardmax-leftmost", "hard", "1 at the leftmost largest score", "Transformer Cookbook", "", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | SHIFT_INVARIANT, NO_PARAMETERS, hardmax_leftmost, NULL, 1},
    {"hardmax-rightmost", "hard", "1 at the rightmost largest score", "Transformer Cookbook", "", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | SHIFT_INVARIANT, NO_PARAMETERS, hardmax_rightmost, NULL, 1},
    {"hardmax-average", "hard", "1/t at each of the t largest scores", "Transformer Cookbook", "", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | SHIFT_INVARIANT, NO_PARAMETERS, hardmax_average, NULL, 1},
    MECHANISM_END,
};

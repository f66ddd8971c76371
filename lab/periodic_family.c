/* Periodic functions of the scores (2108.07153), with the optional normalisation of the row before them. */
#include "lab/mechanism.h"

#include "number/elementary.h"
#include "number/trig.h"

#include <math.h>

#define QUARTER_PI 0x1.921fb54442d18p-1

/* w = the scores, or with p[0] != 0 the scores less their mean over sqrt(variance + 1e-5). */
static void prepare(double *w, const attention_row *in, const double *p) {
    double mean = 0, variance = 0, n = (double)in->n;
    for (size_t j = 0; j < in->n; j++) w[j] = in->scores[j];
    if (p[0] == 0) return;
    mean = row_sum(w, in->n) / n;
    for (size_t j = 0; j < in->n; j++) variance += (w[j] - mean) * (w[j] - mean);
    double scale = isfinite(variance) ? 1 / sqrt(variance / n + 1e-5) : NAN;
    for (size_t j = 0; j < in->n; j++) w[j] = (w[j] - mean) * scale;
}

static void sin_softmax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    prepare(w, in, p);
    for (size_t j = 0; j < in->n; j++) w[j] = sin_f64(w[j]);
    row_softmax(w, w, in->n, 1);
}

static void square_sines(double *w, const attention_row *in, const double *p, double shift) {
    prepare(w, in, p);
    for (size_t j = 0; j < in->n; j++) {
        double y = sin_f64(w[j] + shift);
        w[j] = y * y;
    }
    row_normalise(w, in->n);
}

static void sin2max(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    square_sines(w, in, p, 0);
}

static void sin2max_shifted(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    square_sines(w, in, p, QUARTER_PI);
}

static void cosmax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    prepare(w, in, p);
    for (size_t j = 0; j < in->n; j++) w[j] = cos_f64(w[j]);
    row_normalise(w, in->n);
}

static void sirenmax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    prepare(w, in, p);
    for (size_t j = 0; j < in->n; j++) {
        double y = sin_f64(w[j]);
        w[j] = (1 + y) / (2 - 2 * y);
    }
    row_normalise(w, in->n);
}

static void sinmax_ten(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    prepare(w, in, p);
    for (size_t j = 0; j < in->n; j++) w[j] = 1 + sin_f64(10 * w[j]);
    row_normalise(w, in->n);
}

static void sinmax_plain(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    prepare(w, in, p);
    for (size_t j = 0; j < in->n; j++) w[j] = sin_f64(w[j]);
    row_normalise(w, in->n);
}

#define PRENORM                                                                                                      \
    {                                                                                                                \
        { "prenorm", 0, 0, 1 }                                                                                       \
    }

const mechanism periodic_family[] = {
    {"sin-softmax", "periodic", "softmax(sin s)", "2108.07153", "", INPUT_SCORES, SUMS_TO_ONE, PRENORM, sin_softmax,
     NULL, 1},
    {"sin2max", "periodic", "sin^2(s_i) / sum", "2108.07153", "", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | CAN_DIVIDE_BY_ZERO, PRENORM, sin2max, NULL, 1},
    {"sin2max-shifted", "periodic", "sin^2(s_i + pi/4) / sum", "2108.07153", "", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | CAN_DIVIDE_BY_ZERO, PRENORM, sin2max_shifted, NULL, 1},
    {"cosmax", "periodic", "cos(s_i) / sum", "2108.07153", "The sum can vanish.", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | CAN_BE_BELOW | CAN_DIVIDE_BY_ZERO, PRENORM, cosmax, NULL, 1},
    {"sirenmax", "periodic", "f_i / sum, f = (1 + sin s) / (2 - 2 sin s)", "2108.07153", "f = tan^2(pi/4 + s/2)/2.",
     INPUT_SCORES, SUMS_TO_ONE | CAN_BE_ZERO | CAN_DIVIDE_BY_ZERO, PRENORM, sirenmax, NULL, 1},
    {"sinmax-ten", "periodic", "(1 + sin 10 s_i) / sum", "2108.07153",
     "The authors' demonstration; their module has sin s (sinmax-plain).", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | CAN_DIVIDE_BY_ZERO, PRENORM, sinmax_ten, NULL, 1},
    {"sinmax-plain", "periodic", "sin(s_i) / sum", "2108.07153",
     "The authors' module; their demonstration has 1 + sin 10 s (sinmax-ten). The sum can vanish.", INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | CAN_BE_BELOW | CAN_DIVIDE_BY_ZERO, PRENORM, sinmax_plain, NULL, 1},
    MECHANISM_END,
};

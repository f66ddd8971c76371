/* Another function in the place of exp: powers, polynomials, sigmoid, ReLU; normalised by their sum, by n or not at
   all. */
#include "lab/mechanism.h"

#include "number/elementary.h"

#include <math.h>

/* x^p for a whole p >= 0 by multiplication, else exp(p ln x). */
static double power(double x, double p) {
    if (p < 0 || p > 64 || p != floor(p)) return exp_f64(p * log_f64(x));
    double y = 1;
    for (int k = 0; k < (int)p; k++) y *= x;
    return y;
}

/* ---- scaled signed averaging ---- */

/* By differences of logarithms, so that no power overflows. */
static void ssa(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    for (size_t j = 0; j < in->n; j++) {
        double x = in->scores[j], l = p[1] * log_f64(1 + p[0] * fabs(x));
        w[j] = x < 0 ? -l : l;
    }
    row_softmax(w, w, in->n, 1);
}

/* ---- polynomials ---- */

static void polynomial(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double root = sqrt((double)in->n);
    for (size_t j = 0; j < in->n; j++) w[j] = power(in->scores[j], p[0]) / root;
}

static void polynomial_square(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double root = sqrt((double)in->n);
    for (size_t j = 0; j < in->n; j++) w[j] = (in->scores[j] + p[0]) * (in->scores[j] + p[0]) / root;
}

/* A power of two near the largest |score|; 1 if all are 0. */
static int exponent_of(const double *s, size_t n) {
    double most = row_largest(s, n), least = row_least(s, n);
    int e = 0;
    frexp(most > -least ? most : -least, &e);
    return e;
}

/* A power of two taken out of all scores cancels, and no power over- or underflows without it. */
static void polynomial_normalised(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    int e = exponent_of(in->scores, in->n);
    for (size_t j = 0; j < in->n; j++) w[j] = power(ldexp(in->scores[j], -e), p[0]);
    row_normalise(w, in->n);
}

/* ---- Taylor ---- */

/* f_k(x)/t^k, t a power of two. */
static double taylor_of(double x, double order, double t) {
    double y = 1, unit = 1;
    for (int k = (int)order; k > 0; k--) y = (unit /= t) + x / t / k * y;
    return y;
}

/* 1 while 64th powers of the scores are numbers; else so that they become so. */
static double taylor_unit(const attention_row *in) {
    int e = exponent_of(in->scores, in->n);
    return e < 15 ? 1 : ldexp(1, e < 1023 ? e : 1023);
}

static void taylor(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double unit = taylor_unit(in);
    for (size_t j = 0; j < in->n; j++) w[j] = taylor_of(in->scores[j], p[0], unit);
    row_normalise(w, in->n);
}

static void margin_taylor(double *w, const attention_row *in, const double *p, arena *scratch) {
    double *f = arena_alloc(scratch, in->n, sizeof *f), *before = arena_alloc(scratch, in->n, sizeof *before),
           sum = 0, unit = taylor_unit(in);
    for (size_t j = 0; j < in->n; j++) {
        f[j] = taylor_of(in->scores[j], p[1], unit);
        before[j] = sum;
        sum += f[j];
    }
    double after = 0; /* sums of the others without a subtraction */
    for (size_t j = in->n; j-- > 0;) {
        double own = taylor_of(in->scores[j] - p[0], p[1], unit);
        w[j] = own / (before[j] + after + own);
        after += f[j];
    }
}

/* ---- not normalised ---- */

static void sigmoid(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double bias = -p[0] * log_f64((double)in->n);
    for (size_t j = 0; j < in->n; j++) {
        double x = in->scores[j] + bias, e = exp_f64(-fabs(x));
        w[j] = (x < 0 ? e : 1) / (1 + e);
    }
}

static void relu_n(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    for (size_t j = 0; j < in->n; j++) w[j] = in->scores[j] > 0 ? in->scores[j] / (double)in->n : 0;
}

/* e^s - 1; near 0 by the series, where it cancels. */
static double less_one(double s) {
    if (fabs(s) > 0x1p-5) return exp_f64(s) - 1;
    double y = 1;
    for (int k = 9; k > 1; k--) y = 1 + s / k * y;
    return s * y;
}

/* The authors' code multiplies all by e^-M, M the largest score, before it adds eps to the sum. Up to M = 1 the same
   is had with eps e^M. */
static void softpick(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double most = row_largest(in->scores, in->n), sum = 0;
    double shrink = most > 1 ? exp_f64(-most) : 1;
    for (size_t j = 0; j < in->n; j++) {
        double y = most > 1 ? exp_f64(in->scores[j] - most) - shrink : less_one(in->scores[j]);
        sum += fabs(y);
        w[j] = y > 0 ? y : 0;
    }
    sum += most > 1 ? p[0] : p[0] * exp_f64(most);
    for (size_t j = 0; j < in->n; j++) w[j] /= sum;
}

const mechanism pointwise_family[] = {
    {"ssa",
     "pointwise",
     "(1 + b|s_i|)^(p sgn s_i) / sum",
     "2508.14685",
     "The paper calls p n. Defaults are one implementer's; p = 2 is also used.",
     INPUT_SCORES,
     SUMS_TO_ONE,
     {{"b", 0.8, 1e-9, 1e9}, {"p", 1.5, 1, 1e6}},
     ssa,
     NULL,
     1},
    {"polynomial",
     "pointwise",
     "s_i^p / sqrt n",
     "2410.18613",
     "One note's reading; p = 3 from memory. Another lists x^2 and (x+b)^2: polynomial-square.",
     INPUT_SCORES,
     CAN_BE_ZERO | CAN_BE_BELOW,
     {{"p", 3, 1, 64}},
     polynomial,
     NULL,
     1},
    {"polynomial-square",
     "pointwise",
     "(s_i + b)^2 / sqrt n",
     "2410.18613",
     "The other note's reading; b = 0 is its x^2.",
     INPUT_SCORES,
     CAN_BE_ZERO,
     {{"b", 0, -1e9, 1e9}},
     polynomial_square,
     NULL,
     1},
    {"polynomial-normalised",
     "pointwise",
     "s_i^p / sum_j s_j^p",
     "2410.18613",
     "Not in the paper: the relative-margin law needs the sum.",
     INPUT_SCORES,
     SUMS_TO_ONE | CAN_BE_ZERO | CAN_BE_BELOW | CAN_DIVIDE_BY_ZERO,
     {{"p", 3, 1, 64}},
     polynomial_normalised,
     NULL,
     1},
    {"taylor",
     "pointwise",
     "f_k(s_i) / sum, f_k(z) = sum_{m <= k} z^m/m!, k even",
     "2011.11538",
     "",
     INPUT_SCORES,
     SUMS_TO_ONE,
     {{"k", 2, 2, 64}},
     taylor,
     NULL,
     1},
    {"soft-margin-taylor",
     "pointwise",
     "f_k(s_i - m) / (sum_{j != i} f_k(s_j) + f_k(s_i - m))",
     "2011.11538",
     "m = 0.6, k = 4 as its users set them.",
     INPUT_SCORES,
     0,
     {{"m", 0.6, 0, 100}, {"k", 4, 2, 64}},
     margin_taylor,
     NULL,
     1},
    {"sigmoid",
     "pointwise",
     "1 / (1 + exp(-s_i + c ln n))",
     "2409.04431",
     "The bias -ln n is from memory, supported by configurations.",
     INPUT_SCORES,
     0,
     {{"c", 1, -100, 100}},
     sigmoid,
     NULL,
     1},
    {"relu-n", "pointwise", "relu(s_i) / n", "2309.08586", "", INPUT_SCORES, CAN_BE_ZERO, NO_PARAMETERS, relu_n, NULL,
     1},
    {"softpick",
     "pointwise",
     "relu(e^{s_i} - 1) / (sum_j |e^{s_j} - 1| + eps e^M)",
     "2504.20966",
     "eps as in the authors' code, which adds it after a shift by the largest score M.",
     INPUT_SCORES,
     CAN_BE_ZERO,
     {{"eps", 1e-8, 0, 1}},
     softpick,
     NULL,
     1},
    MECHANISM_END,
};

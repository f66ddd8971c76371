/* Mechanisms that see query and keys: kernels of their distance, features, several signals. */
#include "lab/mechanism.h"

#include "number/elementary.h"
#include "number/trig.h"

#include <math.h>
#include <string.h>

#define HALF_PI 0x1.921fb54442d18p+0

static double dot(const double *x, const double *y, size_t size) {
    double sum = 0;
    for (size_t c = 0; c < size; c++) sum += x[c] * y[c];
    return sum;
}

static double key_place(const attention_row *in, size_t j) { return (double)(in->place ? in->place[j] : j); }

/* ---- integral ---- */

/* The vectors hold S signals of equal size, one after the other; the mean of their scores is the score. */
static void integral(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    for (size_t j = 0; j < in->n; j++) w[j] = dot(in->query, in->keys + j * in->size, in->size) / p[0];
    row_softmax(w, w, in->n, 1);
}

/* ---- SOFT ---- */

/* exp(-|x - y|^2 / (2 sqrt d)): both scaled by d^(-1/4). */
static double gauss(const double *x, const double *y, size_t size) {
    double sum = 0;
    for (size_t c = 0; c < size; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return exp_f64(-sum / (2 * sqrt((double)size)));
}

static void soft_exact(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    for (size_t j = 0; j < in->n; j++) w[j] = gauss(in->query, in->keys + j * in->size, in->size);
}

/* out = x y, all [m][m]. */
static void multiply(double *out, const double *x, const double *y, size_t m) {
    memset(out, 0, m * m * sizeof *out);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++)
            for (size_t j = 0; j < m; j++) out[i * m + j] += x[i * m + k] * y[k * m + j];
}

/* V <- 2V - VAV, 20 times, from A over the square of the largest row sum: from there on it never diverges. (With
   twice that, the limit of what can converge, a single landmark gives 0.) It is the inverse only where A is not too
   ill-conditioned. */
static double *newton_inverse(const double *a, size_t m, arena *scratch) {
    double *v = arena_alloc(scratch, m * m, sizeof *v), *t = arena_alloc(scratch, m * m, sizeof *t),
           *u = arena_alloc(scratch, m * m, sizeof *u), most = 0;
    for (size_t i = 0; i < m; i++) {
        double sum = row_sum(a + i * m, m);
        if (sum > most) most = sum;
    }
    for (size_t k = 0; k < m * m; k++) v[k] = a[k] / (most * most);
    for (int step = 0; step < 20; step++) {
        multiply(t, a, v, m);
        multiply(u, v, t, m);
        for (size_t k = 0; k < m * m; k++) v[k] = 2 * v[k] - u[k];
    }
    return v;
}

/* Landmarks are means of segments of the keys. w = K(q, L) V K(L, keys), V the inverse of K(L, L) + 0.01 I. */
static void landmarks(double *w, const attention_row *in, const double *p, arena *scratch, bool symmetric) {
    size_t n = in->n, d = in->size, m = p[0] < (double)n ? (size_t)p[0] : n;
    double *marks = arena_zalloc(scratch, m * d, sizeof *marks), *a = arena_alloc(scratch, m * m, sizeof *a);
    for (size_t k = 0; k < m; k++) {
        size_t from = k * n / m, to = (k + 1) * n / m;
        for (size_t j = from; j < to; j++)
            for (size_t c = 0; c < d; c++) marks[k * d + c] += in->keys[j * d + c] / (double)(to - from);
    }
    double *root = arena_alloc(scratch, m, sizeof *root);
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) a[i * m + k] = gauss(marks + i * d, marks + k * d, d);
        root[i] = symmetric ? 1 / sqrt(row_sum(a + i * m, m)) : 1;
        a[i * m + i] += 0.01;
    }
    const double *v = newton_inverse(a, m, scratch);
    double *left = arena_zalloc(scratch, m, sizeof *left);
    for (size_t i = 0; i < m; i++) {
        double x = gauss(in->query, marks + i * d, d) * root[i];
        for (size_t k = 0; k < m; k++) left[k] += x * v[i * m + k] * root[k];
    }
    for (size_t j = 0; j < n; j++) {
        w[j] = 0;
        for (size_t k = 0; k < m; k++) w[j] += left[k] * gauss(marks + k * d, in->keys + j * d, d);
    }
}

static void soft_landmark(double *w, const attention_row *in, const double *p, arena *scratch) {
    landmarks(w, in, p, scratch, false);
}

static void soft_landmark_norm(double *w, const attention_row *in, const double *p, arena *scratch) {
    landmarks(w, in, p, scratch, true);
}

/* ---- features ---- */

static double relu(double x) { return x > 0 ? x : 0; }

/* The length that the angles are divided by is that of the whole row, masked keys included: their places tell. */
static void cosformer(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double sum = 0, length = (double)in->position + 1;
    for (size_t j = 0; j < in->n; j++)
        if (key_place(in, j) + 1 > length) length = key_place(in, j) + 1;
    for (size_t j = 0; j < in->n; j++) {
        double x = 0;
        for (size_t c = 0; c < in->size; c++) x += relu(in->query[c]) * relu(in->keys[j * in->size + c]);
        sum += w[j] = x * cos_f64(HALF_PI * ((double)in->position - key_place(in, j)) / length);
    }
    if (sum < p[0]) sum = p[0];
    for (size_t j = 0; j < in->n; j++) w[j] /= sum;
}

static double elu_plus_one(double x) { return x > 0 ? x + 1 : exp_f64(x); }

static void linear(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    for (size_t j = 0; j < in->n; j++) {
        w[j] = 0;
        for (size_t c = 0; c < in->size; c++)
            w[j] += elu_plus_one(in->query[c]) * elu_plus_one(in->keys[j * in->size + c]);
    }
    row_normalise(w, in->n);
}

/* softmax([2x, -2x]) over the 2 size entries. */
static void features(double *out, const double *x, size_t size) {
    for (size_t c = 0; c < size; c++) {
        out[c] = 2 * x[c];
        out[size + c] = -2 * x[c];
    }
    row_softmax(out, out, 2 * size, 1);
}

static void hedgehog(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    double *q = arena_alloc(scratch, 2 * in->size, sizeof *q), *k = arena_alloc(scratch, 2 * in->size, sizeof *k);
    features(q, in->query, in->size);
    for (size_t j = 0; j < in->n; j++) {
        features(k, in->keys + j * in->size, in->size);
        w[j] = dot(q, k, 2 * in->size);
    }
    row_normalise(w, in->n);
}

const mechanism kernel_family[] = {
    {"integral",
     "kernel",
     "softmax((1/S) sum_s q_s.k_js)",
     "2508.18387",
     "",
     INPUT_VECTORS,
     SUMS_TO_ONE,
     {{"S", 8, 1, 1024}},
     integral,
     NULL,
     1},
    {"soft", "kernel", "exp(-|q - k_j|^2 / (2 sqrt d)), q = k shared", "2110.11945", "", INPUT_VECTORS, 0,
     NO_PARAMETERS, soft_exact, NULL, 1},
    {"soft-landmark",
     "kernel",
     "K(q,L) (K(L,L) + 0.01)^-1 K(L,k_j), Newton 20 steps",
     "2110.11945",
     "Landmarks are means of segments.",
     INPUT_VECTORS,
     CAN_BE_ZERO | CAN_BE_BELOW,
     {{"landmarks", 49, 1, 1024}},
     soft_landmark,
     NULL,
     1},
    {"soft-landmark-norm",
     "kernel",
     "K(q,L) D^-1/2 (K(L,L) + 0.01)^-1 D^-1/2 K(L,k_j)",
     "2207.03341",
     "D: row sums of K(L,L).",
     INPUT_VECTORS,
     CAN_BE_ZERO | CAN_BE_BELOW,
     {{"landmarks", 49, 1, 1024}},
     soft_landmark_norm,
     NULL,
     1},
    {"cosformer",
     "kernel",
     "relu(q).relu(k_j) cos(pi(i-j)/(2m)) / max(sum, eps)",
     "2202.08791",
     "",
     INPUT_VECTORS,
     CAN_BE_ZERO,
     {{"eps", 1e-6, 0, 1}},
     cosformer,
     NULL,
     1},
    {"linear", "kernel", "f(q).f(k_j) / sum, f = elu + 1", "2006.16236",
     "The usual form; formula and id from memory.", INPUT_VECTORS, SUMS_TO_ONE, NO_PARAMETERS, linear, NULL, 1},
    {"hedgehog", "kernel", "f(q).f(k_j) / sum, f(x) = softmax([2x, -2x])", "2402.04347",
     "W at its initial value, the identity.", INPUT_VECTORS, SUMS_TO_ONE, NO_PARAMETERS, hedgehog, NULL, 1},
    MECHANISM_END,
};

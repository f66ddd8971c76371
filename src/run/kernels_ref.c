/* The kernels in plain C: what every other table must equal bit for bit (fma is exact by definition, so it may come
   from the C library). Written for reading, one key or position at a time. */
#include <math.h>
#include "number/elementary.h"
#include "number/ieee.h"
#include "run/kernels.h"
#include "run/kernels_shape.h"

static void exp_all_f64(double *out, const double *x, size_t n) {
    for (size_t k = 0; k < n; k++) out[k] = exp_f64(x[k]);
}

static void exp_all_f32(float *out, const float *x, size_t n) {
    for (size_t k = 0; k < n; k++) out[k] = exp_fast_f32(x[k]);
}

static void exp_down_all_f64(double *out, const double *x, size_t n) {
    for (size_t k = 0; k < n; k++) out[k] = exp_fast_f64(x[k]);
}

/* ---- scans ---- */

/* With m' = max(m, l) one of exp(m - m') and exp(l - m') is 1 and the other exp(-|l - m|): `keep` multiplies the
   state, `weight` the new value. A logit of -inf weighs 0, also in an empty state. */
static void scan_values_f64(scan_f64 *state, double *out, const double *logits, const double *values, size_t stride,
                            size_t n, size_t width, bool exclusive) {
    double m = state->m, s = state->s;
    for (size_t i = 0; i < n; i++) {
        double l = logits[i];
        double x = l == -f64_infinity() ? l : -fabs(l - m);
        double e = exp_fast_f64(x);
        double keep = l > m ? e : 1.0, weight = l > m ? 1.0 : e;
        double before = s;
        s = fma(s, keep, weight);
        m = l > m ? l : m;
        double divisor = exclusive ? before : s;
        if (divisor == 0) divisor = 1.0;
        for (size_t d = 0; d < width; d++) {
            double v = state->v[d];
            state->v[d] = fma(v, keep, weight * values[d * stride + i]);
            out[d * stride + i] = (exclusive ? v : state->v[d]) / divisor;
        }
    }
    state->m = m;
    state->s = s;
}

static void scan_values_f32(scan_f32 *state, float *out, const float *logits, const float *values, size_t stride,
                            size_t n, size_t width, bool exclusive) {
    float m = state->m, s = state->s;
    for (size_t i = 0; i < n; i++) {
        float l = logits[i];
        float x = l == -f32_infinity() ? l : -fabsf(l - m);
        float e = exp_fast_f32(x);
        float keep = l > m ? e : 1.0f, weight = l > m ? 1.0f : e;
        float before = s;
        s = fmaf(s, keep, weight);
        m = l > m ? l : m;
        float divisor = exclusive ? before : s;
        if (divisor == 0) divisor = 1.0f;
        for (size_t d = 0; d < width; d++) {
            float v = state->v[d];
            state->v[d] = fmaf(v, keep, weight * values[d * stride + i]);
            out[d * stride + i] = (exclusive ? v : state->v[d]) / divisor;
        }
    }
    state->m = m;
    state->s = s;
}

static void scan_lanes_f64(double *state, double *out, const double *logits, const double *values, size_t stride,
                           size_t n, size_t lanes, size_t width, bool exclusive, bool backward) {
    for (size_t b = 0; b < lanes; b++) {
        double *m = state + b, *s = state + lanes + b, *v = state + 2 * lanes + b;
        for (size_t k = 0; k < n; k++) {
            size_t at = (backward ? n - 1 - k : k) * lanes + b;
            double l = logits[at];
            double x = l == -f64_infinity() ? l : -fabs(l - *m);
            double e = exp_fast_f64(x);
            double keep = l > *m ? e : 1, weight = l > *m ? 1 : e;
            double divisor = *s;
            *s = fma(*s, keep, weight);
            *m = l > *m ? l : *m;
            if (!exclusive) divisor = *s;
            if (divisor == 0) divisor = 1;
            for (size_t d = 0; d < width; d++) {
                double before = v[d * lanes];
                v[d * lanes] = fma(before, keep, weight * values[d * stride + at]);
                out[d * stride + at] = (exclusive ? before : v[d * lanes]) / divisor;
            }
        }
    }
}

static void scan_lanes_f32(float *state, float *out, const float *logits, const float *values, size_t stride,
                           size_t n, size_t lanes, size_t width, bool exclusive, bool backward) {
    for (size_t b = 0; b < lanes; b++) {
        float *m = state + b, *s = state + lanes + b, *v = state + 2 * lanes + b;
        for (size_t k = 0; k < n; k++) {
            size_t at = (backward ? n - 1 - k : k) * lanes + b;
            float l = logits[at];
            float x = l == -f32_infinity() ? l : -fabsf(l - *m);
            float e = exp_fast_f32(x);
            float keep = l > *m ? e : 1, weight = l > *m ? 1 : e;
            float divisor = *s;
            *s = fmaf(*s, keep, weight);
            *m = l > *m ? l : *m;
            if (!exclusive) divisor = *s;
            if (divisor == 0) divisor = 1;
            for (size_t d = 0; d < width; d++) {
                float before = v[d * lanes];
                v[d * lanes] = fmaf(before, keep, weight * values[d * stride + at]);
                out[d * stride + at] = (exclusive ? before : v[d * lanes]) / divisor;
            }
        }
    }
}

/* ---- dense ---- */

static double sum_lanes_f64(const double *lane) { return (lane[0] + lane[2]) + (lane[1] + lane[3]); }

static float sum_lanes_f32(const float *lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double score_f64(const double *q, const double *key, size_t stride, size_t size) {
    double score = size > 0 ? q[0] * key[0] : 0;
    for (size_t c = 1; c < size; c++) score = fma(q[c], key[c * stride], score);
    return score;
}

static float score_f32(const float *q, const float *key, size_t stride, size_t size) {
    float score = size > 0 ? q[0] * key[0] : 0;
    for (size_t c = 1; c < size; c++) score = fmaf(q[c], key[c * stride], score);
    return score;
}

enum { CHUNK = 16 };

/* One row, up to CHUNK components of the values, keys first .. end-1 in blocks. */
static void attend_f64(double *out, const double *q, const double *kt, const double *vt, size_t stride, size_t first,
                       size_t end, size_t block, size_t size, size_t width) {
    double m = -f64_infinity(), weights[LANES_F64] = {0}, sums[CHUNK][LANES_F64] = {0};
    for (size_t start = first; start < end;) {
        size_t stop = (start / block + 1) * block;
        if (stop > end) stop = end;
        double before = m, p[BLOCK_F64] = {0};
        for (size_t j = start; j < stop; j++) {
            p[j - start] = score_f64(q, kt + j, stride, size);
            m = p[j - start] > m ? p[j - start] : m;
        }
        double base = m == -f64_infinity() ? 0 : m;
        double keep = exp_fast_f64(before - base);
        for (size_t lane = 0; lane < LANES_F64; lane++) {
            weights[lane] *= keep;
            for (size_t d = 0; d < width; d++) sums[d][lane] *= keep;
        }
        for (size_t j = start; j < stop; j++) {
            size_t lane = j % LANES_F64;
            double weight = exp_fast_f64(p[j - start] - base);
            weights[lane] += weight;
            for (size_t d = 0; d < width; d++) sums[d][lane] = fma(weight, vt[d * stride + j], sums[d][lane]);
        }
        start = stop;
    }
    double total = sum_lanes_f64(weights);
    for (size_t d = 0; d < width; d++) out[d] = total == 0 ? 0 : sum_lanes_f64(sums[d]) / total;
}

static void dense_rows_f64(double *out, const double *q, const double *kt, const double *vt, size_t stride,
                           const size_t *first, const size_t *end, size_t rows, size_t size, size_t width) {
    size_t block = block_vectors(size, width) * LANES_F64;
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < width; d += CHUNK)
            attend_f64(out + r * width + d, q + r * size, kt, vt + d * stride, stride, first[r], end[r], block, size,
                       width - d < CHUNK ? width - d : CHUNK);
}

/* One row, up to CHUNK components of the values, keys first .. end-1 in blocks. */
static void attend_f32(float *out, const float *q, const float *kt, const float *vt, size_t stride, size_t first,
                       size_t end, size_t block, size_t size, size_t width) {
    float m = -f32_infinity(), weights[LANES_F32] = {0}, sums[CHUNK][LANES_F32] = {0};
    for (size_t start = first; start < end;) {
        size_t stop = (start / block + 1) * block;
        if (stop > end) stop = end;
        float before = m, p[BLOCK_F32] = {0};
        for (size_t j = start; j < stop; j++) {
            p[j - start] = score_f32(q, kt + j, stride, size);
            m = p[j - start] > m ? p[j - start] : m;
        }
        float base = m == -f32_infinity() ? 0 : m;
        float keep = exp_fast_f32(before - base);
        for (size_t lane = 0; lane < LANES_F32; lane++) {
            weights[lane] *= keep;
            for (size_t d = 0; d < width; d++) sums[d][lane] *= keep;
        }
        for (size_t j = start; j < stop; j++) {
            size_t lane = j % LANES_F32;
            float weight = exp_fast_f32(p[j - start] - base);
            weights[lane] += weight;
            for (size_t d = 0; d < width; d++) sums[d][lane] = fmaf(weight, vt[d * stride + j], sums[d][lane]);
        }
        start = stop;
    }
    float total = sum_lanes_f32(weights);
    for (size_t d = 0; d < width; d++) out[d] = total == 0 ? 0 : sum_lanes_f32(sums[d]) / total;
}

static void dense_rows_f32(float *out, const float *q, const float *kt, const float *vt, size_t stride,
                           const size_t *first, const size_t *end, size_t rows, size_t size, size_t width) {
    size_t block = block_vectors(size, width) * LANES_F32;
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < width; d += CHUNK)
            attend_f32(out + r * width + d, q + r * size, kt, vt + d * stride, stride, first[r], end[r], block, size,
                       width - d < CHUNK ? width - d : CHUNK);
}

const kernels kernels_reference = {
    .name = "reference",
    .exp_f64 = exp_all_f64,
    .exp_f32 = exp_all_f32,
    .scan_f64 = scan_values_f64,
    .scan_f32 = scan_values_f32,
    .scan_lanes_f64 = scan_lanes_f64,
    .scan_lanes_f32 = scan_lanes_f32,
    .dense_f64 = dense_rows_f64,
    .dense_f32 = dense_rows_f32,
    .exp_down_f64 = exp_down_all_f64,
    .exp_down_f32 = exp_all_f32,
};

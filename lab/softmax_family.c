/* Softmax and what keeps its exponential: other temperatures, other bases, factors around it. */
#include "lab/mechanism.h"

#include "number/elementary.h"

#include <math.h>

#define LN2 0x1.62e42fefa39efp-1

static void softmax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    row_softmax(w, in->scores, in->n, 1 / p[0]);
}

static void ssmax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    row_softmax(w, in->scores, in->n, p[0] * log_f64((double)in->n));
}

static void log_n(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    ssmax(w, in, &(double){1}, scratch);
}

static void focal_learned(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double tau = p[0] < p[1] ? p[1] : p[0] > p[2] ? p[2] : p[0];
    row_softmax(w, in->scores, in->n, 1 / tau);
}

/* ---- adaptive temperature ---- */

double adaptive_scale(double h) {
    if (!(h > 0.5)) return 1;
    double b = (((-0.037 * h + 0.481) * h - 2.3) * h + 4.917) * h - 1.791;
    return b > 1 ? b : 1;
}

static void adaptive(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    double h = 0;
    row_softmax(w, in->scores, in->n, 1);
    for (size_t j = 0; j < in->n; j++) h -= w[j] * log_f64(w[j] + 1e-9);
    row_softmax(w, in->scores, in->n, adaptive_scale(h));
}

/* ---- Self-Adjust ---- */

static void self_adjust(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    row_softmax(w, in->scores, in->n, 1);
    for (size_t j = 0; j < in->n; j++) w[j] *= in->scores[j];
}

static void self_adjust_normalised(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    double low = row_least(in->scores, in->n), high = row_largest(in->scores, in->n);
    if (low > 0) low = 0;
    if (high < 0) high = 0;
    row_softmax(w, in->scores, in->n, 1);
    double unit = isfinite(high - low) ? 1 : 0.5; /* halves, where the range overflows */
    for (size_t j = 0; j < in->n; j++) w[j] *= (unit * in->scores[j] - unit * low) / (unit * high - unit * low);
}

/* ---- affine-scaled ---- */

double affine_gate(double x) {
    double y = 0.1 * x + 0.5;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

double affine_average(double average, double alpha) { return 0.9 * average + (1 - 0.9) * alpha; }

static void affine(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double beta = (p[1] - p[0]) / (double)in->n;
    row_softmax(w, in->scores, in->n, 1);
    for (size_t j = 0; j < in->n; j++) w[j] = p[0] * w[j] + beta;
}

/* ---- with a sink ---- */

static void plus_one(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double most = row_largest(in->scores, in->n), sum;
    if (p[0] > most) most = p[0];
    sum = exp_f64(p[0] - most);
    for (size_t j = 0; j < in->n; j++) sum += w[j] = exp_f64(in->scores[j] - most);
    for (size_t j = 0; j < in->n; j++) w[j] /= sum;
}

/* ---- two maps ---- */

double differential_lambda(double depth) { return 0.8 - 0.6 * exp_f64(-0.3 * depth); }

static void differential(double *w, const attention_row *in, const double *p, arena *scratch) {
    double lambda = differential_lambda(p[0]), *other = arena_alloc(scratch, in->n, sizeof *other);
    row_softmax(w, in->scores, in->n, 1);
    row_softmax(other, in->second, in->n, 1);
    for (size_t j = 0; j < in->n; j++) w[j] -= lambda * other[j];
}

static void cog(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    for (size_t j = 0; j < in->n; j++) w[j] = fabs(in->scores[j]);
    row_softmax(w, w, in->n, 1);
    for (size_t j = 0; j < in->n; j++) w[j] *= (in->scores[j] > 0) - (in->scores[j] < 0);
}

/* ---- Softermax ---- */

static void softermax(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    double top = ceil(row_largest(in->scores, in->n));
    for (size_t j = 0; j < in->n; j++) w[j] = exp_f64((in->scores[j] - top) * LN2);
    row_normalise(w, in->n);
}

/* The nearest multiple of 2^-bits, at most `most`; ties go up, as an adder of half a unit does it. */
static double fixed(double x, int bits, double most) {
    double y = ldexp(floor(ldexp(x, bits) + 0.5), -bits);
    return y < most ? y : most;
}

/* 2^(quarters/4) to 2^-15, ties up; quarters <= 7 so that it is below 2^(2), and 0 below 2^-16. */
static double quarter_power(long quarters) {
    static const double root[4] = {1, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0, 0x1.ae89f995ad3adp+0};
    if (quarters < -100) return 0;
    long whole = quarters >= 0 ? quarters / 4 : -((3 - quarters) / 4);
    return fixed(ldexp(root[quarters - 4 * whole], (int)whole), 15, 2 - 0x1p-15);
}

/* Scores in Q(6,2), powers in Q(1,15), their sum in Q(10,6), its reciprocal and the weights in Q(1,7). */
static void softermax_fixed(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    bool ceiling = p[0] != 0;
    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < in->n; j++) {
        double s = fixed(in->scores[j], 2, 31.75);
        w[j] = s < -32 ? -32 : s;
        if (w[j] > most) most = w[j];
    }
    most = ceiling ? ceil(most) : floor(most);
    for (size_t j = 0; j < in->n; j++) sum += w[j] = quarter_power((long)(4 * (w[j] - most)));
    sum = fixed(sum, 6, 1024 - 0x1p-6);
    double reciprocal = fixed(1 / sum, 7, 2 - 0x1p-7);
    for (size_t j = 0; j < in->n; j++) w[j] = fixed(w[j] * reciprocal, 7, 2 - 0x1p-7);
}

/* ---- LASER ---- */

static void laser_weights(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)p;
    (void)scratch;
    row_softmax(w, in->scores, in->n, 1);
}

/* ln sum e^(s + v) - ln sum e^s, each with its own shift: the largest value may be one whose weight underflows. */
static double laser(const double *values, const attention_row *in, const double *p, arena *scratch) {
    double *joint = arena_alloc(scratch, in->n, sizeof *joint), top = row_largest(in->scores, in->n), plain = 0,
           sum = 0;
    (void)p;
    for (size_t j = 0; j < in->n; j++) {
        plain += exp_f64(in->scores[j] - top);
        joint[j] = (in->scores[j] - top) + values[j];
    }
    double most = row_largest(joint, in->n);
    for (size_t j = 0; j < in->n; j++) sum += exp_f64(joint[j] - most);
    return most + (log_f64(sum) - log_f64(plain));
}

/* ---- soft margins ---- */

/* Every weight has its own denominator, in which its own term is made smaller. */
static void soft_margin(double *w, const attention_row *in, const double *p, arena *scratch) {
    (void)scratch;
    double most = row_largest(in->scores, in->n), factor = exp_f64(-p[0]), sum = 0;
    for (size_t j = 0; j < in->n; j++) sum += w[j] = exp_f64(in->scores[j] - most);
    for (size_t j = 0; j < in->n; j++) {
        double own = w[j] * factor, others = sum - w[j];
        if (others < 0.5 * w[j]) { /* the difference has lost bits */
            others = 0;
            for (size_t k = 0; k < in->n; k++)
                if (k != j) others += exp_f64(in->scores[k] - most);
        }
        w[j] = own / (others + own);
    }
}

const mechanism softmax_family[] = {
    {"softmax",
     "softmax",
     "exp(s_i/T) / sum_j exp(s_j/T)",
     "standard",
     "",
     INPUT_SCORES,
     SUMS_TO_ONE | SHIFT_INVARIANT,
     {{"temperature", 1, 1e-9, 1e9}},
     softmax,
     NULL,
     1},
    {"log-n", "softmax", "softmax(s ln n)", "Chiang & Cholak 2022", "SSMax with s = 1.", INPUT_SCORES,
     SUMS_TO_ONE | SHIFT_INVARIANT, NO_PARAMETERS, log_n, NULL, 1},
    {"ssmax",
     "softmax",
     "n^(s z_i) / sum_j n^(s z_j) = softmax(s ln n z)",
     "2501.19399",
     "s is learned: 0.168 at the start in code, 0.43 in the caption of the first figure.",
     INPUT_SCORES,
     SUMS_TO_ONE | SHIFT_INVARIANT,
     {{"s", 0.168, 0, 100}},
     ssmax,
     NULL,
     1},
    {"focal",
     "softmax",
     "softmax(s/t), t < 1",
     "2511.06818",
     "",
     INPUT_SCORES,
     SUMS_TO_ONE | SHIFT_INVARIANT,
     {{"t", 0.4, 1e-9, 1}},
     softmax,
     NULL,
     1},
    {"focal-learned",
     "softmax",
     "softmax(s/tau), tau = clip(mean(X w), tmin, tmax)",
     "2511.06818",
     "The sources read give no values for tmin and tmax; those here are ours.",
     INPUT_SCORES,
     SUMS_TO_ONE | SHIFT_INVARIANT,
     {{"mean", 1, -1e9, 1e9}, {"tmin", 0.1, 1e-9, 1e9}, {"tmax", 10, 1e-9, 1e9}},
     focal_learned,
     NULL,
     1},
    {"softermax", "softmax", "2^(s_i - ceil max) / sum", "2103.09301",
     "In real arithmetic softmax(s ln 2), with ceiling or floor.", INPUT_SCORES, SUMS_TO_ONE | SHIFT_INVARIANT,
     NO_PARAMETERS, softermax, NULL, 1},
    {"softermax-fixed",
     "softmax",
     "the same: s in Q(6,2), 2^x in Q(1,15), sum in Q(10,6), 1/sum and w in Q(1,7)",
     "2103.09301",
     "The note's reading: ceiling of the maximum. Rounded to nearest, saturated; the powers exact before rounding.",
     INPUT_SCORES,
     CAN_BE_ZERO,
     {{"ceiling", 1, 0, 1}},
     softermax_fixed,
     NULL,
     1},
    {"softermax-floor",
     "softmax",
     "the same with floor max",
     "2103.09301",
     "The reading of one implementation: floor.",
     INPUT_SCORES,
     CAN_BE_ZERO,
     {{"ceiling", 0, 0, 1}},
     softermax_fixed,
     NULL,
     1},
    {"adaptive", "softmax", "softmax(b(H) s), H the entropy of softmax(s), b = max(1, polynomial) for H > 1/2",
     "2410.01104", "", INPUT_SCORES, SUMS_TO_ONE | SHIFT_INVARIANT, NO_PARAMETERS, adaptive, NULL, 1},
    {"self-adjust", "softmax", "s_i softmax(s)_i", "2502.18277", "", INPUT_SCORES, CAN_BE_ZERO | CAN_BE_BELOW,
     NO_PARAMETERS, self_adjust, NULL, 1},
    {"self-adjust-normalised", "softmax", "(s_i - min(m,0)) / (max(M,0) - min(m,0)) softmax(s)_i", "2502.18277",
     "0/0 when all scores are 0.", INPUT_SCORES, CAN_BE_ZERO | CAN_DIVIDE_BY_ZERO, NO_PARAMETERS,
     self_adjust_normalised, NULL, 1},
    {"affine",
     "softmax",
     "alpha softmax(s)_i + (average - alpha)/n",
     "2602.23057",
     "alpha = clip(0.1 x + 0.5, 0, 1) of the query; average: its running mean. The sum is the average whatever alpha "
     "is, though the "
     "paper says that it varies from query to query.",
     INPUT_SCORES,
     CAN_BE_ZERO | CAN_BE_BELOW | SHIFT_INVARIANT,
     {{"alpha", 0.5, 0, 1}, {"average", 0.5, 0, 1}},
     affine,
     NULL,
     2},
    {"softmax-plus-one",
     "softmax",
     "exp(s_i) / (sum_j exp(s_j) + exp(c))",
     "2602.23057 (Eq. 2, 3)",
     "",
     INPUT_SCORES,
     0,
     {{"c", 0, -1e9, 1e9}},
     plus_one,
     NULL,
     1},
    {"differential",
     "softmax",
     "softmax(s)_i - lambda softmax(s')_i, lambda = 0.8 - 0.6 exp(-0.3 depth)",
     "2410.05258",
     "",
     INPUT_TWO,
     CAN_BE_ZERO | CAN_BE_BELOW | SHIFT_INVARIANT,
     {{"depth", 0, 0, 1000}},
     differential,
     NULL,
     1.25},
    {"cog", "softmax", "sgn(s_i) softmax(|s|)_i", "2411.07176", "", INPUT_SCORES, CAN_BE_ZERO | CAN_BE_BELOW,
     NO_PARAMETERS, cog, NULL, 1},
    {"soft-margin",
     "softmax",
     "exp(s_i - m) / (sum_{j != i} exp(s_j) + exp(s_i - m))",
     "2011.11538",
     "No default margin in the sources read; 0.6 is that of users of the Taylor form.",
     INPUT_SCORES,
     SHIFT_INVARIANT,
     {{"m", 0.6, 0, 100}},
     soft_margin,
     NULL,
     1},
    {"laser", "softmax", "log sum_j softmax(s)_j exp(v_j)", "2411.03493",
     "Weights as softmax; the values enter the formula.", INPUT_VALUES, SUMS_TO_ONE | SHIFT_INVARIANT, NO_PARAMETERS,
     laser_weights, laser, 1},
    MECHANISM_END,
};

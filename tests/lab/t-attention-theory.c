/* Theory about the mechanisms: bounds over boxes of scores, degrees of freedom, norms. */
#include "lab/box_extremes.h"
#include "lab/freedom.h"
#include "lab/mechanism.h"
#include "test.h"

#include <math.h>
#include <string.h>

static arena memory;

static double uniform(test_random *r) { return ldexp((double)(random_u64(r) >> 11), -53); }

static double normal(test_random *r) { return sqrt(-2 * log(1 - uniform(r))) * cos(8 * atan(1.0) * uniform(r)); }

static bool near(double x, double y) { return fabs(x - y) <= 1e-11 * fmax(1, fabs(y)); }

/* ---- C21: score boxes against all corners ---- */

static long double apply(const weight_box *box, double s) {
    if (box->function == BOX_EXP) return expl(s);
    if (box->function == BOX_POWER_OF_TWO) return exp2l(s);
    return powl(1 + (long double)box->b * fabsl((long double)s), s < 0 ? -(long double)box->p : (long double)box->p);
}

static void test_boxes(test_random *r) {
    unsigned rounds = (unsigned)(600 * test_effort()) + 30;
    for (unsigned round = 0; round < rounds; round++) {
        size_t n = 1 + random_below(r, 9);
        double lo[9], hi[9], c[9];
        weight_box box = {n,
                          lo,
                          hi,
                          (box_function)(round % 3),
                          0.1 + (double)random_below(r, 20) / 10,
                          1 + (double)random_below(r, 4) / 2};
        for (size_t j = 0; j < n; j++) {
            lo[j] = (double)random_below(r, 401) / 20 - 10;
            hi[j] = random_below(r, 4) ? lo[j] + (double)random_below(r, 200) / 20 : lo[j];
            c[j] = random_below(r, 3) ? (double)random_below(r, 200) / 10 - 10 : (double)random_below(r, 3);
        }
        arena_reset(&memory);
        box_bound least = weight_box_least(&box, c, &memory), most = weight_box_greatest(&box, c, &memory);
        long double low = INFINITY, high = -INFINITY, low_w = 1, high_w = 0;
        for (unsigned corner = 0; corner < 1u << n; corner++) {
            long double num = 0, den = 0, first = 0;
            for (size_t j = 0; j < n; j++) {
                long double f = apply(&box, corner >> j & 1 ? hi[j] : lo[j]);
                num += c[j] * f, den += f;
                if (j == 0) first = f;
            }
            low = fminl(low, num / den), high = fmaxl(high, num / den);
            low_w = fminl(low_w, first / den), high_w = fmaxl(high_w, first / den);
        }
        long double slack = 1e-17L * (1 + fabsl(low) + fabsl(high));
        CHECK(least.below <= low + slack && low - slack <= least.above && least.above - least.below < 1e-12,
              "box least [%.17g, %.17g], corners %.17Lg", least.below, least.above, low);
        CHECK(most.below <= high + slack && high - slack <= most.above && most.above - most.below < 1e-12,
              "box greatest [%.17g, %.17g], corners %.17Lg", most.below, most.above, high);
        box_bound w = weight_box_weight(&box, 0, &memory);
        CHECK(w.below <= low_w + slack && low_w - w.below < 1e-12L && high_w - slack <= w.above &&
                  w.above - high_w < 1e-12L,
              "box weight [%.17g, %.17g], corners [%.17Lg, %.17Lg]", w.below, w.above, low_w, high_w);
        /* nothing inside goes beyond */
        for (int k = 0; k < 10; k++) {
            long double num = 0, den = 0;
            for (size_t j = 0; j < n; j++) {
                long double f = apply(&box, lo[j] + (hi[j] - lo[j]) * (double)random_below(r, 1001) / 1000);
                num += c[j] * f, den += f;
            }
            CHECK(num / den >= least.below - slack && num / den <= most.above + slack, "a point beyond the bounds");
        }
    }
    double lo[2] = {-2000, -2000}, hi[2] = {0, 2000}, c[2] = {1, -1}; /* everything but one weight underflows */
    weight_box box = {2, lo, hi, BOX_EXP, 0, 0};
    box_bound least = weight_box_least(&box, c, &memory), most = weight_box_greatest(&box, c, &memory);
    CHECK(least.below == -1 && most.above == 1, "wide boxes: [%g, %g]", least.below, most.above);
    trap t, *outer = memory.trap;
    memory.trap = &t;
    hi[0] = -3000;
    if (!trap_set(&t, NULL)) {
        weight_box_least(&box, c, &memory);
        CHECK(false, "an empty interval was taken");
    } else {
        CHECK(t.error.code == TEMPER_RANGE, "%s", t.error.text);
    }
    memory.trap = outer;
}

/* ---- degrees of freedom against eigenvalues ---- */

static void test_freedom(test_random *r) {
    enum { J = 8, D = 3 };
    for (int round = 0; round < 60; round++) {
        double tokens[J * D], a[J][J], lambda = ldexp(1, -(int)random_below(r, 12)), want = 0;
        for (size_t k = 0; k < J * D; k++) tokens[k] = (double)random_below(r, 200) / 100 - 1;
        if (round % 3 == 0) memcpy(tokens + D, tokens, D * sizeof *tokens);
        double *gram = freedom_gram(tokens, J, D, &memory);
        for (size_t i = 0; i < J * J; i++) {
            double sum = 0;
            for (size_t c = 0; c < D; c++) sum += tokens[i / J * D + c] * tokens[i % J * D + c];
            CHECK(near(gram[i], exp(sum / sqrt(D)) / J), "Gram matrix: %g", gram[i]);
        }
        memcpy(a, gram, sizeof a);
        for (int sweep = 0; sweep < 30; sweep++) /* Jacobi rotations */
            for (size_t p = 0; p < J; p++)
                for (size_t q = p + 1; q < J; q++) {
                    if (fabs(a[p][q]) < 1e-300) continue;
                    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]),
                           t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
                    double c = 1 / hypot(t, 1), s = t * c;
                    for (size_t k = 0; k < J; k++) {
                        double x = a[k][p], y = a[k][q];
                        a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
                    }
                    for (size_t k = 0; k < J; k++) {
                        double x = a[p][k], y = a[q][k];
                        a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
                    }
                }
        for (size_t k = 0; k < J; k++) want += a[k][k] / (a[k][k] + lambda);
        double got = freedom_of_gram(gram, J, lambda, &memory);
        CHECK(fabs(got - want) < 1e-9, "degrees of freedom %.15g, eigenvalues say %.15g", got, want);
    }
    CHECK(near(freedom_features(2, 0.5, 0.1), 16 * log(64 * 2 / 0.05)), "features");
}

/* softmax+1 in a box: one more key, score c, coefficient 0. Values in intervals: lower ends below, upper ends
   above. */
static void test_box_uses(test_random *r) {
    enum { N = 5 };
    const mechanism *m = mechanism_find("softmax-plus-one");
    for (int round = 0; round < 300; round++) {
        double lo[N + 1], hi[N + 1], c[N + 1] = {0}, low[N], high[N], sink = normal(r);
        for (size_t j = 0; j < N; j++) {
            lo[j] = 2 * normal(r), hi[j] = lo[j] + uniform(r);
            low[j] = normal(r), high[j] = low[j] + uniform(r);
        }
        lo[N] = hi[N] = sink;
        weight_box with_sink = {N + 1, lo, hi, BOX_EXP, 0, 0}, plain = {N, lo, hi, BOX_EXP, 0, 0};
        memcpy(c, low, sizeof low);
        arena_reset(&memory);
        double least = INFINITY, most = -INFINITY, below = INFINITY, above = -INFINITY;
        box_bound sink_least = weight_box_least(&with_sink, c, &memory),
                  sink_most = weight_box_greatest(&with_sink, c, &memory),
                  value_least = weight_box_least(&plain, low, &memory),
                  value_most = weight_box_greatest(&plain, high, &memory);
        for (unsigned corner = 0; corner < 1u << N; corner++) {
            double s[N], w[N], v[N];
            for (size_t j = 0; j < N; j++) s[j] = corner >> j & 1 ? hi[j] : lo[j];
            attention_row in = {.n = N, .scores = s};
            mechanism_weights(w, m, &in, &sink, &memory);
            double out = 0;
            for (size_t j = 0; j < N; j++) out += w[j] * low[j];
            least = fmin(least, out), most = fmax(most, out);
            mechanism_weights(w, mechanism_find("softmax"), &in, NULL, &memory);
            for (int k = 0; k < 4; k++) { /* any values of the intervals */
                out = 0;
                for (size_t j = 0; j < N; j++) {
                    v[j] = k == 0 ? low[j] : k == 1 ? high[j] : low[j] + (high[j] - low[j]) * uniform(r);
                    out += w[j] * v[j];
                }
                below = fmin(below, out), above = fmax(above, out);
            }
        }
        CHECK(fabs(sink_least.below - least) < 1e-12 && fabs(sink_most.above - most) < 1e-12,
              "a sink in the box: [%g, %g], corners [%g, %g]", sink_least.below, sink_most.above, least, most);
        CHECK(fabs(value_least.below - below) < 1e-12 && fabs(value_most.above - above) < 1e-12,
              "values in intervals: [%g, %g], corners [%g, %g]", value_least.below, value_most.above, below, above);
    }
}

/* Positive random features exp(z.x/d^(1/4) - |x|^2/(2 sqrt d)) have the softmax kernel exp(x.y/sqrt d) as their mean
   product. */
static void test_random_features(test_random *r) {
    enum { D = 3, DRAWS = 200000 };
    double x[2 * D], quarter = pow(D, -0.25), sum = 0, square = 0, norm[2] = {0};
    for (size_t c = 0; c < 2 * D; c++)
        x[c] = (double)random_below(r, 200) / 100 + (c % 2 ? 0.1 : -2), norm[c / D] += x[c] * x[c];
    for (int k = 0; k < DRAWS; k++) {
        double a = -norm[0] / (2 * sqrt(D)), b = -norm[1] / (2 * sqrt(D));
        for (size_t c = 0; c < D; c++) {
            double z = normal(r);
            a += z * x[c] * quarter, b += z * x[D + c] * quarter;
        }
        sum += exp(a + b), square += exp(2 * (a + b));
    }
    double mean = sum / DRAWS, error = sqrt((square / DRAWS - mean * mean) / DRAWS);
    double want = 2 * freedom_gram(x, 2, D, &memory)[1]; /* it divides by the number of tokens */
    CHECK(fabs(mean - want) < 5 * error, "random features: %g +- %g, kernel %g", mean, error, want);
}

/* Theorem 4.1 of 2410.18613 as a note has it: |softmax(A)|_F <= sqrt N, and the norm of its Jacobian is at most 2
   sqrt N. */
static void test_norms(test_random *r) {
    double largest = 0;
    for (int round = 0; round < 300; round++) {
        enum { MOST = 20 };
        double s[MOST], w[MOST], square = 0, jacobian = 0, spread = ldexp(1, (int)random_below(r, 8));
        size_t n = 1 + random_below(r, MOST);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) s[j] = spread * normal(r);
            mechanism_weights(w, mechanism_find("softmax"), &(attention_row){.n = n, .scores = s}, NULL, &memory);
            for (size_t j = 0; j < n; j++) {
                square += w[j] * w[j];
                for (size_t k = 0; k < n; k++) jacobian += pow((j == k ? w[j] : 0) - w[j] * w[k], 2);
            }
        }
        CHECK(square <= (double)n * (1 + 1e-12) && jacobian <= 4 * (double)n, "norms: %g and %g, n %zu", sqrt(square),
              sqrt(jacobian), n);
        largest = fmax(largest, square / (double)n);
    }
    CHECK(largest > 0.9, "norms: the bound is nearly attained: %g", largest);
}

int main(void) {
    trap t;
    test_random r = test_seed(53);
    arena_init(&memory, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        test_boxes(&r);
        test_box_uses(&r);
        test_freedom(&r);
        test_random_features(&r);
        test_norms(&r);
        trap_clear(&t);
    }
    arena_free(&memory);
    return test_finish("t-attention-theory");
}

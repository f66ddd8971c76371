/* What doc/zoo.md states of the mechanisms as hard choices, each statement as a check: closed forms of leak and gain,
   exact cases, impossible ones. Setting: a unique largest score M, the others M - g, length n. */
#include "lab/mechanism.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MOST = 4096 };

static arena memory;
static double scores[MOST], weights[MOST];

static void weigh(const char *name, size_t n, const double *p) {
    const mechanism *m = mechanism_find(name);
    attention_row in = {.n = n, .scores = scores, .second = scores};
    if (!CHECK(m, "no mechanism %s", name)) return;
    mechanism_weights(weights, m, &in, p, &memory);
}

/* The first score is `top`, the n - 1 others are `rest`. */
static void choose(const char *name, size_t n, double top, double rest, const double *p) {
    scores[0] = top;
    for (size_t j = 1; j < n; j++) scores[j] = rest;
    weigh(name, n, p);
}

static double leak(size_t n) {
    double sum = 0;
    for (size_t j = 1; j < n; j++) sum += fabs(weights[j]);
    return sum;
}

static bool near(double x, double y) { return fabs(x - y) <= 1e-11 * fmax(1, fabs(y)); }

static const size_t lengths[] = {2, 3, 10, 100, 1000, 4000};
#define EACH_LENGTH(n) for (size_t k_ = 0, n = 0; k_ < 6 && (n = lengths[k_], true); k_++)

/* C1: softmax's law, and the gap that an error needs. */
static void test_softmax(void) {
    EACH_LENGTH(n) for (double b = 0.25; b < 64; b *= 2) {
        double g = 1.5, r = ((double)n - 1) * exp(-b * g);
        choose("softmax", n, 3, 3 - g, (double[]){1 / b});
        CHECK(near(leak(n), r / (1 + r)), "softmax n %zu b %g", n, b);
        double e = 0.01, need = log(((double)n - 1) * (1 - e) / e);
        choose("softmax", n, need, 0, NULL);
        CHECK(near(leak(n), e), "softmax: gap for error %g at n %zu gives %g", e, n, leak(n));
        choose("focal", n, 0.4 * need, 0, NULL);
        CHECK(near(leak(n), e), "focal: t ln(...) at n %zu gives %g", n, leak(n));
    }
}

/* C2: leak of SSMax and of log n attention; the worst length for s g >= 2 is 2. */
static void test_ssmax(void) {
    for (double sg = 0.25; sg < 6; sg *= 1.5) {
        double worst = 0;
        size_t at = 0;
        for (size_t n = 2; n <= 4000; n += n < 50 ? 1 : 97) {
            double r = ((double)n - 1) * pow((double)n, -sg);
            choose("ssmax", n, 2 * sg, sg, (double[]){1});
            CHECK(near(leak(n), r / (1 + r)), "ssmax n %zu sg %g", n, sg);
            choose("log-n", n, sg, 0, NULL);
            CHECK(near(leak(n), r / (1 + r)), "log-n n %zu sg %g", n, sg);
            if (leak(n) > worst) worst = leak(n), at = n;
        }
        if (sg >= 2) CHECK(at == 2, "ssmax: worst length %zu for sg %g", at, sg);
        if (sg > 1 && sg < 2)
            CHECK(fabs((double)at - sg / (sg - 1)) <= 1, "ssmax: worst length %zu, not %g", at, sg / (sg - 1));
        double e = worst;
        if (sg >= 2) CHECK(near(pow(2, -sg), e / (1 - e)), "ssmax: uniform error %g", e);
    }
    double last = 0;
    EACH_LENGTH(n) {
        choose("log-n", n, 1, 0, NULL);
        if (n >= 1000) CHECK(fabs(leak(n) - 0.5) < 1e-3, "sg = 1: leak %g", leak(n));
        choose("log-n", n, 0.8, 0, NULL);
        CHECK(leak(n) > last, "sg < 1: leak grows to 1, %g", leak(n));
        last = leak(n);
    }
}

/* C3: normalised Self-Adjust is no worse than softmax when M >= 0; corner rows. */
static void test_self_adjust(test_random *r) {
    double soft[64];
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + random_below(r, 60);
        for (size_t j = 0; j < n; j++) scores[j] = (double)random_below(r, 2000) / 100 - 10;
        scores[random_below(r, n)] = 10.25;
        weigh("softmax", n, NULL);
        memcpy(soft, weights, n * sizeof *soft);
        weigh("self-adjust-normalised", n, NULL);
        for (size_t j = 0; j < n; j++) {
            CHECK(weights[j] <= soft[j] && weights[j] >= 0, "self-adjust: weight %zu above softmax", j);
            if (scores[j] == 10.25) CHECK(weights[j] == soft[j], "self-adjust: gain");
        }
        for (size_t j = 0; j < n; j++) scores[j] -= 11; /* M < 0 */
        weigh("self-adjust-normalised", n, NULL);
        double sum = row_sum(weights, n), whole = row_sum(soft, n);
        CHECK(sum < whole || n == 1, "self-adjust: M < 0 shrinks, %g", sum);
    }
    choose("self-adjust-normalised", 7, 2, 2, NULL);
    CHECK(near(weights[3], 1.0 / 7), "equal, positive: uniform");
    choose("self-adjust-normalised", 7, -2, -2, NULL);
    CHECK(weights[3] == 0, "equal, negative: zero");
    choose("self-adjust-normalised", 7, 0, 0, NULL);
    CHECK(isnan(weights[3]), "equal, zero: 0/0");
    choose("self-adjust-normalised", 7, 1, -3, NULL);
    CHECK(weights[3] == 0, "the minimum has weight 0");
    choose("self-adjust", 7, -1, -3, NULL);
    CHECK(weights[0] < 0, "plain: negative");
}

/* C4: SSA by relative margin, centred, and its limit softmax. */
static void test_ssa(void) {
    double p = 1.5, b = 0.8;
    EACH_LENGTH(n) {
        double M = 5, g = 2, R = ((double)n - 1) * pow((M - g) / M, p), beta = 1e9;
        choose("ssa", n, beta * M, beta * (M - g), NULL);
        CHECK(fabs(leak(n) - R / (1 + R)) < 1e-6, "ssa: positive distractors, n %zu", n);
        for (beta = 1; beta < 1e6; beta *= 10) {
            double Q = ((double)n - 1) * pow(1 + b * beta * g / 2, -2 * p);
            choose("ssa", n, beta * g / 2, -beta * g / 2, NULL);
            CHECK(near(leak(n), Q / (1 + Q)), "ssa: centred, n %zu scale %g", n, beta);
        }
        double e = 0.01, scale = (pow(((double)n - 1) * (1 - e) / e, 1 / (2 * p)) - 1) / (b * g / 2);
        choose("ssa", n, scale * g / 2, -scale * g / 2, NULL);
        CHECK(near(leak(n), e), "ssa: the scale (n/e)^(1/2p), n %zu", n);
    }
    double soft[5], m = 1e7;
    for (size_t j = 0; j < 5; j++) scores[j] = (double)j * 0.7 - 1;
    weigh("softmax", 5, NULL);
    memcpy(soft, weights, sizeof soft);
    weigh("ssa", 5, (double[]){1 / m, m});
    for (size_t j = 0; j < 5; j++) CHECK(fabs(weights[j] - soft[j]) < 1e-6, "ssa with b = 1/m, p = m: softmax");
}

/* C5: the sum of affine-scaled attention is the running average, whatever alpha is; a negative example. */
static void test_affine(void) {
    double average = 0;
    for (int k = 0; k < 50; k++) {
        double alpha = affine_gate(k % 13 - 6.0);
        average = affine_average(average, alpha);
        choose("affine", 11, k * 0.3, 1, (double[]){alpha, average});
        CHECK(near(row_sum(weights, 11), average), "affine: sum %g, average %g", row_sum(weights, 11), average);
    }
    choose("affine", 2, 50, 0, (double[]){0.64, 0.4});
    CHECK(near(weights[1], -0.12) && near(weights[0], 0.52), "affine: %g %g", weights[0], weights[1]);
    CHECK(affine_gate(-9) == 0 && affine_gate(9) == 1 && affine_gate(0) == 0.5 && near(affine_gate(2), 0.7) &&
              near(affine_gate(-3), 0.2),
          "gate: clip(0.1 x + 0.5, 0, 1)");
    average = 0; /* of one alpha, from 0: alpha (1 - 0.9^k) */
    for (int k = 1; k < 40; k++) {
        average = affine_average(average, 0.8);
        CHECK(near(average, 0.8 * (1 - pow(0.9, k))), "running average %g", average);
    }
    EACH_LENGTH(n) {
        choose("affine", n, 1000, 0, (double[]){0.3, 0.7});
        CHECK(near(leak(n), 0.4 * ((double)n - 1) / (double)n), "affine: off-target mass %g", leak(n));
        choose("affine", n, 1000, 0, (double[]){0.7, 0.7});
        CHECK(leak(n) == 0 && near(weights[0] / 0.7, 1), "affine: alpha = average");
    }
}

/* C6: sin-softmax never gets beyond its cap; the shifted square of sines is exact on +-pi/4; siren's identity. */
static void test_periodic(test_random *r) {
    double quarter = atan(1.0);
    EACH_LENGTH(n) {
        double cap = 1 / (1 + ((double)n - 1) * exp(-2));
        for (double b = 0.1; b < 1e5; b *= 1.7) {
            for (size_t j = 0; j < n; j++) scores[j] = ((double)random_below(r, 2001) / 1000 - 1) * b;
            weigh("sin-softmax", n, NULL);
            CHECK(row_largest(weights, n) <= cap * (1 + 1e-12), "sin-softmax: weight above its cap, n %zu", n);
        }
        choose("sin-softmax", n, 2 * quarter, -2 * quarter, NULL);
        CHECK(near(weights[0], cap), "sin-softmax: the cap is attained");
        for (size_t t = 1; t <= n; t += 1 + n / 3) {
            for (size_t j = 0; j < n; j++) scores[j] = j < t ? quarter : -quarter;
            weigh("sin2max-shifted", n, NULL);
            CHECK(near(weights[0], 1 / (double)t) && (t == n || weights[n - 1] < 1e-30),
                  "sin2max-shifted: average of %zu", t);
        }
    }
    for (double s = -1.5; s < 1.5; s += 0.01) {
        double f = tan(quarter + s / 2) * tan(quarter + s / 2) / 2;
        choose("sirenmax", 2, s, 0, NULL);
        CHECK(near(weights[0], f / (f + 0.5)), "siren: tan^2 at %g", s);
    }
    double close[2]; /* quadratic: ten times closer to pi/2, a hundred times the odds */
    for (int k = 0; k < 2; k++) {
        choose("sirenmax", 2, 2 * quarter - (k ? 1e-4 : 1e-3), 0, NULL);
        close[k] = weights[0] / weights[1];
    }
    CHECK(fabs(close[1] / close[0] - 100) < 0.1, "siren: odds grow by %g", close[1] / close[0]);
}

/* C7, C27: polynomials. */
static void test_polynomial(void) {
    EACH_LENGTH(n) for (double p = 1; p < 6; p++) {
        double top = pow((double)n, 1 / (2 * p));
        choose("polynomial", n, top, 0, &p);
        CHECK(near(weights[0], 1) && leak(n) == 0, "polynomial: exact on {0, n^(1/2p)}");
        choose("polynomial", n, 2 * top, 0, &p);
        CHECK(near(weights[0], pow(2, p)), "polynomial: the gain is wrong for any other M");
        double M = 4, g = 1;
        choose("polynomial-normalised", n, M, M - g, &p);
        CHECK(near(weights[0], 1 / (1 + ((double)n - 1) * pow(1 - g / M, p))), "normalised polynomial: mass");
        choose("polynomial-normalised", n, 1e6 * M, 1e6 * (M - g), &p);
        CHECK(near(weights[0], 1 / (1 + ((double)n - 1) * pow(1 - g / M, p))),
              "normalised polynomial: scale changes nothing");
    }
}

/* C8: sigmoid needs a known level: the gap, and that k matches count k. */
static void test_sigmoid(void) {
    size_t n = 1000;
    double e = 0.01, up = log((1 - e) / e), down = -log(((double)n - 1) / e - 1), gap = up - down;
    CHECK(fabs(gap - 16.11) < 0.01, "sigmoid: gap %g", gap);
    CHECK(fabs(log(((double)n - 1) * (1 - e) / e) - 11.50) < 0.01, "softmax: gap");
    choose("sigmoid", n, up + log((double)n), down + log((double)n), NULL);
    CHECK(near(1 - weights[0], e) && near(leak(n), e), "sigmoid: both errors are e, %g %g", 1 - weights[0], leak(n));
    choose("sigmoid", n, 0.99 * up + log((double)n), 0.99 * down + log((double)n), NULL);
    CHECK(leak(n) > e && 1 - weights[0] > e, "sigmoid: with less both fail");
    for (size_t j = 0; j < n; j++) scores[j] = (j < 37 ? 40 : -40) + log((double)n);
    weigh("sigmoid", n, NULL);
    CHECK(near(row_sum(weights, n), 37), "sigmoid counts: %g", row_sum(weights, n));
}

/* C9: sparsemax and entmax give the exact average of k ties if and only if g >= k^(1-a)/(a-1). */
static void test_entmax(void) {
    double alphas[] = {1.25, 1.5, 1.75, 2, 3};
    for (size_t c = 0; c < 5; c++)
        for (size_t ties = 1; ties <= 9; ties += 2)
            for (int side = -1; side <= 1; side += 2) {
                double a = alphas[c], g = pow((double)ties, 1 - a) / (a - 1) * (1 + side * 1e-6);
                for (size_t j = 0; j < 20; j++) scores[j] = j < ties ? 1 : 1 - g;
                weigh("entmax", 20, &a);
                bool exact = weights[19] == 0 && near(weights[0], 1 / (double)ties);
                /* just inside, the others have (c g 1e-6)^(1/(a-1)), which underflows nowhere here but may be tiny */
                CHECK(exact == (side > 0) || (a < 1.5 && side < 0), "entmax %g, %zu ties, side %d: %g", a, ties, side,
                      weights[19]);
                if (a == 2) {
                    weigh("sparsemax", 20, NULL);
                    CHECK((weights[19] == 0) == (side > 0), "sparsemax, %zu ties, side %d", ties, side);
                }
            }
    double a = 1.25; /* the steep power: look further inside */
    scores[0] = 1;
    for (size_t j = 1; j < 20; j++) scores[j] = 1 - 4 * 0.9;
    weigh("entmax", 20, &a);
    CHECK(weights[19] > 0, "entmax 1.25 below its gap");
}

/* C10, C11, C13. */
static void test_rectified(void) {
    double none = 0;
    EACH_LENGTH(n) for (double M = 0.5; M < 30; M *= 2) {
        choose("softpick", n, M, 0, &none);
        CHECK(weights[0] == 1 && leak(n) == 0, "softpick: exact on {0, M}");
        choose("softpick", n, M, -1000, &none);
        CHECK(near(weights[0], (exp(M) - 1) / (exp(M) + (double)n - 2)), "softpick: gain with very negative others");
        choose("relu-n", n, (double)n, -M, NULL);
        CHECK(weights[0] == 1 && leak(n) == 0, "relu/n: exact at M = n");
        choose("relu-n", n, (double)n + 1, -M, NULL);
        CHECK(weights[0] != 1, "relu/n: only there");
        choose("relu-n", n, (double)n, M, NULL);
        CHECK(leak(n) > 0, "relu/n: and only with others <= 0");
        double g = 3;
        choose("softmax-plus-one", n, M, M - g, NULL);
        CHECK(near(weights[0], 1 / (1 + exp(-M) + ((double)n - 1) * exp(-g))), "softmax+1: gain");
    }
}

/* C14: the Taylor polynomial of degree 2 is at least 1/2 and rises again below -1. */
static void test_taylor(void) {
    EACH_LENGTH(n) {
        double e = 0.01, scale = 0;
        for (double low = -3; low <= 0; low += 0.25) {
            choose("taylor", n, 40, low, NULL);
            double f = 1 + 40 + 800, R = ((double)n - 1) * (1 + low + low * low / 2) / f;
            CHECK(near(leak(n), R / (1 + R)) && 1 + low + low * low / 2 >= 0.5, "taylor: f_2 >= 1/2");
        }
        while (choose("taylor", n, scale, -1, NULL), leak(n) > e) scale += 0.25;
        double want = sqrt((double)(n - 1) * (1 - e) / e - 1) - 1; /* 1 + M + M^2/2 = (n-1)(1-e)/(2e) */
        CHECK(fabs(scale - want) <= 0.26, "taylor: M ~ sqrt(n/e): %g, not %g", scale, want);
    }
    choose("taylor", 2, 0, -1, NULL);
    double lowest = weights[1];
    choose("taylor", 2, 0, -2, NULL);
    CHECK(weights[1] > lowest, "taylor: rises again below -1");
}

/* C15: Softermax in real arithmetic is softmax at ln 2. In fixed point small weights are 0 and long averages
   vanish. */
static void test_softermax(test_random *r) {
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + random_below(r, 50);
        double soft[50];
        for (size_t j = 0; j < n; j++) scores[j] = (double)random_below(r, 4000) / 100 - 20;
        weigh("softmax", n, (double[]){1 / log(2)});
        memcpy(soft, weights, n * sizeof *soft);
        weigh("softermax", n, NULL);
        for (size_t j = 0; j < n; j++) CHECK(fabs(weights[j] - soft[j]) < 1e-13, "softermax = softmax at ln 2");
    }
    EACH_LENGTH(n) {
        double e = 0.01;
        choose("softermax", n, log2(((double)n - 1) * (1 - e) / e), 0, NULL);
        CHECK(near(leak(n), e), "softermax: needs log2");
    }
    choose("softermax-fixed", 10, 8, 0, NULL);
    CHECK(weights[5] == 0, "fixed point: exact zeros");
    choose("softermax-fixed", 128, 1, 1, NULL);
    CHECK(weights[0] == 0.0078125, "1/128 is the last average that is right");
    choose("softermax-fixed", 300, 1, 1, NULL);
    CHECK(row_sum(weights, 300) == 0, "an average of 300 is nothing at all");
}

/* C16, C1: scale sharpens softmax; it does nothing to homogeneous kernels. cosFormer is exact for one-hot keys with
   one match. */
static void test_kernels(test_random *r) {
    enum { N = 20, D = 6 };
    double q[D], scaled[D], keys[N * D], before[N], after[N];
    const mechanism *cosformer = mechanism_find("cosformer");
    for (int round = 0; round < 200; round++) {
        for (size_t c = 0; c < D; c++) q[c] = (double)random_below(r, 100) / 10 - 2, scaled[c] = 1000 * q[c];
        q[0] = 3, scaled[0] = 3000; /* or no feature at all */
        for (size_t k = 0; k < N * D; k++) keys[k] = (double)random_below(r, 100) / 10 - 2;
        attention_row in = {.n = N, .query = q, .keys = keys, .size = D, .position = random_below(r, N)};
        mechanism_weights(before, cosformer, &in, NULL, &memory);
        in.query = scaled;
        mechanism_weights(after, cosformer, &in, NULL, &memory);
        for (size_t j = 0; j < N; j++) CHECK(near(before[j], after[j]), "cosformer: scaling q changes nothing");
        size_t match = random_below(r, N);
        memset(keys, 0, sizeof keys);
        memset(q, 0, sizeof q);
        for (size_t j = 0; j < N; j++) keys[j * D + (j == match ? 0 : 1 + random_below(r, D - 1))] = 1;
        q[0] = 1;
        in.query = q;
        mechanism_weights(before, cosformer, &in, NULL, &memory);
        for (size_t j = 0; j < N; j++) CHECK(near(before[j], j == match), "cosformer: one-hot keys");
        /* SOFT: a token's own weight is always 1. */
        in.query = keys + in.position * D;
        mechanism_weights(before, mechanism_find("soft"), &in, NULL, &memory);
        CHECK(before[in.position] == 1, "soft: self weight");
    }
    double last = 2;
    for (double b = 1; b < 100; b *= 2) {
        choose("softmax", 100, b, 0, NULL);
        CHECK(leak(100) < last, "softmax: leak falls with the scale");
        last = leak(100);
    }
}

/* SOFT's exact kernel is positive; the low-rank version is not. */
static void test_low_rank(test_random *r) {
    enum { N = 12, D = 2 };
    double keys[N * D], w[N], few = 3;
    bool exact = false, low_rank = false, norm = false;
    for (int round = 0; round < 200; round++) {
        for (size_t k = 0; k < N * D; k++) keys[k] = (double)random_below(r, 600) / 100 - 3;
        attention_row in = {.n = N, .query = keys, .keys = keys, .size = D};
        mechanism_weights(w, mechanism_find("soft"), &in, NULL, &memory);
        exact = exact || row_least(w, N) < 0;
        mechanism_weights(w, mechanism_find("soft-landmark"), &in, &few, &memory);
        low_rank = low_rank || row_least(w, N) < -1e-6;
        mechanism_weights(w, mechanism_find("soft-landmark-norm"), &in, &few, &memory);
        norm = norm || row_least(w, N) < -1e-6;
    }
    CHECK(!exact && low_rank && norm, "soft: negative weights in the low-rank versions only: %d %d %d", exact,
          low_rank, norm);
}

/* Hedgehog: with a sharp query and keys below 0 it is softmax at scale 4; with a fixed key range only the query's
   scale is limited. */
static void test_hedgehog(void) {
    const mechanism *m = mechanism_find("hedgehog");
    double q = 60, keys[8], soft[8], w[8];
    for (size_t j = 0; j < 8; j++) keys[j] = -12 - 0.6 * (double)j, scores[j] = 4 * keys[j];
    weigh("softmax", 8, NULL);
    memcpy(soft, weights, sizeof soft);
    attention_row in = {.n = 8, .query = &q, .keys = keys, .size = 1};
    mechanism_weights(w, m, &in, NULL, &memory);
    for (size_t j = 0; j < 8; j++)
        CHECK(fabs(w[j] - soft[j]) < 1e-12, "hedgehog = softmax(4k): %g, %g", w[j], soft[j]);
    keys[0] = 1; /* keys in [0, 1]: however large the query, the ratio stays below 2 */
    for (size_t j = 1; j < 8; j++) keys[j] = 0;
    mechanism_weights(w, m, &in, NULL, &memory);
    CHECK(w[0] / w[1] < 2, "hedgehog: bounded features, ratio %g", w[0] / w[1]);
}

/* C17: two queries on one key get half each; permutations are reached. */
static void test_sinkhorn(void) {
    const mechanism *m = mechanism_find("sinkhorn");
    double two[4] = {40, 0, 40, 0}, w[3], steps = 41;
    attention_row in = {.n = 2, .queries = 2, .scores = two};
    for (in.position = 0; in.position < 2; in.position++) {
        mechanism_weights(w, m, &in, &steps, &memory);
        CHECK(near(w[0], 0.5) && near(w[1], 0.5), "sinkhorn: two queries, one key: %g %g", w[0], w[1]);
    }
    double any[9] = {0.3, -1, 2, 1.5, 0, 0.7, -2, 1, 0.1}, column[3] = {0};
    in = (attention_row){.n = 3, .queries = 3, .scores = any};
    for (in.position = 0; in.position < 3; in.position++) {
        mechanism_weights(w, m, &in, (double[]){501}, &memory);
        CHECK(near(row_sum(w, 3), 1), "sinkhorn: rows sum to 1");
        for (size_t j = 0; j < 3; j++) column[j] += w[j];
    }
    for (size_t j = 0; j < 3; j++)
        CHECK(near(column[j], 1), "sinkhorn: columns sum to 1 in the limit: %g", column[j]);
    double three[9] = {0, 30, 0, 30, 0, 0, 0, 0, 30};
    static const size_t image[3] = {1, 0, 2};
    in = (attention_row){.n = 3, .queries = 3, .scores = three};
    for (in.position = 0; in.position < 3; in.position++) {
        mechanism_weights(w, m, &in, NULL, &memory);
        CHECK(w[image[in.position]] > 1 - 1e-12, "sinkhorn: a permutation");
        steps = 1;
        mechanism_weights(w, m, &in, &steps, &memory);
        memcpy(scores, three + 3 * in.position, 3 * sizeof *scores);
        weigh("softmax", 3, NULL);
        for (size_t j = 0; j < 3; j++) CHECK(near(w[j], weights[j]), "sinkhorn: one step is softmax");
    }
}

/* C18, C20, C26, top-k. */
static void test_others(void) {
    EACH_LENGTH(n) {
        const mechanism *m = mechanism_find("differential");
        static double flat[MOST];
        double lambda = differential_lambda(0), depth = 3;
        scores[0] = 1000;
        for (size_t j = 1; j < n; j++) scores[j] = 0;
        attention_row in = {.n = n, .scores = scores, .second = flat};
        mechanism_weights(weights, m, &in, NULL, &memory);
        CHECK(near(leak(n), lambda * ((double)n - 1) / (double)n), "differential: one-hot minus uniform leaves %g",
              leak(n));
        mechanism_weights(weights, m, &in, &depth, &memory);
        CHECK(near(row_sum(weights, n), 1 - differential_lambda(3)), "differential: sum 1 - lambda");

        static double values[MOST];
        for (double range = 1; range < 20; range *= 2) {
            double g = 12;
            choose("softmax", n, g, 0, NULL);
            double l = leak(n);
            for (size_t j = 0; j < n; j++) values[j] = j ? range : 0;
            attention_row row = {.n = n, .scores = scores};
            double out = mechanism_output(mechanism_find("laser"), &row, values, NULL, &memory);
            CHECK(fabs(out - log1p(l * expm1(range))) < 1e-9, "laser: upward error %g, n %zu", out, n);
            double e = 1e-3, need = log((double)n) + range + log(1 / e);
            scores[0] = need;
            out = mechanism_output(mechanism_find("laser"), &row, values, NULL, &memory);
            CHECK(out <= e * (1 + 1e-9), "laser: enough gap, error %g", out);
        }
    }
    choose("cog", 5, 3, -9, NULL);
    CHECK(fabs(weights[1]) > fabs(weights[0]) && weights[1] < 0, "cog: a large negative score wins");
    choose("top-k", 9, 3, 2.5, (double[]){1});
    CHECK(weights[0] == 1 && leak(9) == 0, "top-1 is exact");
    choose("hardmax-average", 9, 1, 1, NULL);
    CHECK(near(weights[4], 1.0 / 9), "hardmax");
    CHECK(fabs(adaptive_scale(4.41) - 2.42) < 0.005 && adaptive_scale(6) == 1 && adaptive_scale(8) == 1 &&
              adaptive_scale(0.5) == 1,
          "adaptive temperature: peak %g", adaptive_scale(4.41));
    for (double h = 0; h < 12; h += 0.01) CHECK(adaptive_scale(h) <= adaptive_scale(4.41) + 1e-3, "adaptive: peak");
}

/* C24: the frequency of Gumbel's argmax is softmax. */
static void test_gumbel(void) {
    double soft[5], draws = floor(100000 * fmin(1, test_effort() * 2)), p[2] = {7, draws};
    for (size_t j = 0; j < 5; j++) scores[j] = (double)j * 0.5 - 0.4 * (double)(j * j % 3);
    weigh("softmax", 5, NULL);
    memcpy(soft, weights, sizeof soft);
    weigh("gumbel", 5, p);
    for (size_t j = 0; j < 5; j++)
        CHECK(fabs(weights[j] - soft[j]) < 5 * sqrt(soft[j] / draws), "gumbel: %g, softmax %g", weights[j], soft[j]);
    memcpy(soft, weights, sizeof soft);
    weigh("gumbel", 5, p);
    CHECK(!memcmp(soft, weights, sizeof soft), "gumbel: the same seed, the same weights");
    p[0] = 8;
    weigh("gumbel", 5, p);
    CHECK(memcmp(soft, weights, sizeof soft), "gumbel: another seed, other weights");
}

/* Ties of whole scores broken by +-1/(j+1): average-hard becomes left- and rightmost. */
static void test_cookbook(test_random *r) {
    double plain[40], broken[40];
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + random_below(r, 40);
        bool right = round % 2;
        for (size_t j = 0; j < n; j++) plain[j] = 2 * (double)random_below(r, 4);
        memcpy(scores, plain, n * sizeof *plain);
        weigh(right ? "hardmax-rightmost" : "hardmax-leftmost", n, NULL);
        memcpy(broken, weights, n * sizeof *broken);
        for (size_t j = 0; j < n; j++) scores[j] = plain[j] + (right ? -1 : 1) / ((double)j + 1);
        weigh("hardmax-average", n, NULL);
        CHECK(!memcmp(broken, weights, n * sizeof *broken), "hardmax: ties broken by 1/(j+1), n %zu", n);
    }
}

/* Softmax's law at the mean of the signals' gaps. */
static void test_integral(test_random *r) {
    enum { S = 8, N = 50 };
    double query[S], keys[N * S] = {0};
    for (int round = 0; round < 50; round++) {
        double gap = 0;
        for (size_t c = 0; c < S; c++) {
            query[c] = (double)random_below(r, 100) / 10;
            keys[c] = (double)random_below(r, 40) / 10;
            gap += query[c] * keys[c] / S;
        }
        attention_row in = {.n = N, .query = query, .keys = keys, .size = S};
        mechanism_weights(weights, mechanism_find("integral"), &in, NULL, &memory);
        double R = (N - 1) * exp(-gap);
        CHECK(near(leak(N), R / (1 + R)), "integral: mean gap %g, leak %g", gap, leak(N));
    }
}

int main(void) {
    trap t;
    test_random r = test_seed(43);
    arena_init(&memory, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        test_softmax();
        test_ssmax();
        test_self_adjust(&r);
        test_ssa();
        test_affine();
        test_periodic(&r);
        test_polynomial();
        test_sigmoid();
        test_entmax();
        test_rectified();
        test_taylor();
        test_softermax(&r);
        test_kernels(&r);
        test_low_rank(&r);
        test_hedgehog();
        test_sinkhorn();
        test_others();
        test_gumbel();
        test_cookbook(&r);
        test_integral(&r);
        trap_clear(&t);
    }
    arena_free(&memory);
    return test_finish("t-attention-facts");
}

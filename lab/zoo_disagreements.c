/* Where sources disagree on a formula or a statement: both readings side by side, and which behaves as claimed. */
#include "lab/mechanism.h"
#include "lab/mechanism_search.h"
#include "lab/zoo.h"
#include "number/elementary.h"

#include <math.h>

typedef struct table_row {
    const char *subject, *reading, *other, *found;
} table_row;

static double leak_of(const char *name, size_t n, double scale, double anchor, const double *p, arena *scratch) {
    const mechanism *m = mechanism_find(name);
    double *scores = arena_alloc(scratch, n, sizeof *scores), *w = arena_alloc(scratch, n, sizeof *w), leak = 0;
    for (size_t j = 0; j < n; j++) scores[j] = scale * ((j == 0) - anchor);
    attention_row in = mechanism_row(m, scores, n, scale * (1 - anchor), scratch);
    mechanism_weights(w, m, &in, p, scratch);
    for (size_t j = 1; j < n; j++) leak += fabs(w[j]);
    return leak;
}

/* The scale test: does a larger scale sharpen? */
static void scale_test(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"mechanism", LAB_TEXT, "name"},
        {"leak_1", LAB_NUMBER, "leak of a key with score 3 among 63 with 2, times 1"},
        {"leak_10", LAB_NUMBER, "times 10"},
        {"leak_100", LAB_NUMBER, "times 100"}};
    static const char *const names[] = {"softmax", "softermax", "sparsemax", "cosformer", "polynomial-normalised",
                                        "linear",  "ssa",       "taylor"};
    lab_table *t = LAB_TABLE(l, "scale-test", "Scaling all scores: softmax sharpens, homogeneous kernels do not",
                             columns, SIZE_MAX);
    double first[8] = {0}, last[8] = {0};
    for (size_t k = 0; k < 8; k++) {
        lab_put_text(t, names[k]);
        for (int power = 0; power < 3; power++) {
            arena_reset(scratch);
            double leak = leak_of(names[k], 64, power == 0 ? 1 : power == 1 ? 10 : 100, -2, NULL, scratch);
            lab_put_number(t, leak);
            if (power == 0) first[k] = leak;
            last[k] = leak;
        }
    }
    bool fine = last[0] < 1e-12 && last[2] == 0 && fabs(last[3] - first[3]) < 1e-9 &&
                fabs(last[4] - first[4]) < 1e-9 && last[5] > 0.9 && last[6] > 0.9 && last[7] > 0.9;
    lab_claim_add(l, fine,
                  "Softmax's leak falls with the scale; that of homogeneous kernels does not change, and linear, SSA "
                  "and Taylor attention only reach the relative margin",
                  "scale 100: softmax %.1g, cosFormer %.3f (from %.3f), x³ %.3f, linear %.3f, SSA %.3f, Taylor %.3f",
                  last[0], last[3], first[3], last[4], last[5], last[6], last[7]);
}

void zoo_disagreements(lab *l, arena *scratch) {
    static const lab_column columns[] = {{"subject", LAB_TEXT, "what the sources disagree on"},
                                         {"reading", LAB_TEXT, "one"},
                                         {"other_reading", LAB_TEXT, "the other"},
                                         {"found", LAB_TEXT, "here"}};
    static const table_row rows[] = {
        {"sinmax (2108.07153)", "1 + sin 10s, demonstration", "sin s, module",
         "The first is a normaliser (non-negative, defined but for all-zero rows) that can choose; the second turns "
         "negative and its sum can vanish."},
        {"Softermax (2103.09301)", "ceiling of the maximum, note", "floor, one implementation",
         "The same in real arithmetic. In the fixed-point widths both give zeros; with the floor powers reach almost "
         "2, and the weights of equal keys vanish at half as many keys."},
        {"polynomial attention (2410.18613)", "sᵖ/√n", "(s+b)²/√n",
         "Neither normalises; both choose exactly between 0 and one known height. The even power cannot be "
         "negative."},
        {"affine-scaled (2602.23057)", "sum over keys varies with the query", "sum is the running average",
         "The second follows from the formulas: the sum is the average for every alpha."},
        {"linear risk (2509.21936)", "L/nu", "(L-1)/nu",
         "Both: without and with weights that sum to one. L/((L-1)nu) was not found."},
        {"long prompts (2512.11784)", "bound c ln L/Lᶜ′ for all L", "fails at L = 1",
         "At L = 1 the bound is 0 and the error is not."},
        {"Hedgehog (2402.04347)", "bounded features, so sharpness is limited", "-",
         "Only while keys are bounded: with keys below 0 and a large query its weights are softmax(4k), at any "
         "sharpness."},
        {"SSMax (2501.19399)", "s = 0.168 at the start, code", "s = 0.43, figure",
         "The scale asked of the scores is inverse to s; nothing else changes."}};
    lab_table *t = LAB_TABLE(l, "disagreements", "Where sources disagree", columns, SIZE_MAX);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lab_put_text(t, rows[k].subject);
        lab_put_text(t, rows[k].reading);
        lab_put_text(t, rows[k].other);
        lab_put_text(t, rows[k].found);
    }
    arena_reset(scratch);

    /* sinmax: an exact choice with 1 + sin 10s; a sum that vanishes with sin s. */
    double quarter = 0x1.921fb54442d18p-2 / 2.5; /* pi/20 */
    double chosen = leak_of("sinmax-ten", 100, 2 * quarter, 0.5, NULL, scratch);
    double scores[2] = {1, -1}, w[2];
    mechanism_weights(w, mechanism_find("sinmax-plain"), &(attention_row){.n = 2, .scores = scores}, NULL, scratch);
    lab_claim_add(l, chosen < 1e-9 && !isfinite(w[0]), "Of the two sinmax formulas only 1 + sin 10s is a normaliser",
                  "1 + sin 10s on scores +-pi/20: leak %.1g at n = 100; sin s on (1, -1): weights %s", chosen,
                  isfinite(w[0]) ? "finite" : "0/0");

    /* Softermax: how many equal keys keep a sum below saturation. */
    size_t keys[2];
    for (int ceiling = 0; ceiling < 2; ceiling++) {
        size_t n = 1;
        for (; n <= 4096; n++) { /* scores 0.75 among equals: 2^(0.75 - ceiling or floor) each */
            arena_reset(scratch);
            double *s = arena_alloc(scratch, n, sizeof *s), *v = arena_alloc(scratch, n, sizeof *v), p = ceiling;
            for (size_t j = 0; j < n; j++) s[j] = 0.75;
            mechanism_weights(v, mechanism_find("softermax-fixed"), &(attention_row){.n = n, .scores = s}, &p,
                              scratch);
            if (v[0] == 0) break;
        }
        keys[ceiling] = n;
    }
    lab_claim_add(l, keys[0] < 512 && keys[1] < 512,
                  "Softermax's fixed-point weights vanish for a few hundred equal keys, with ceiling and with floor",
                  "all weights are 0 from %zu equal keys (ceiling) and %zu (floor)", keys[1], keys[0]);

    /* Affine: the sum for many alphas. */
    double worst = 0, sums[3] = {0, 1, 2}, out[3];
    for (double alpha = 0; alpha <= 1; alpha += 0.125) {
        double p[2] = {alpha, 0.375};
        mechanism_weights(out, mechanism_find("affine"), &(attention_row){.n = 3, .scores = sums}, p, scratch);
        worst = fmax(worst, fabs(row_sum(out, 3) - 0.375));
    }
    lab_claim_add(l, worst < 1e-15,
                  "Affine-scaled weights sum to the running average for every query, contrary to the paper's words",
                  "largest difference %.1g", worst);

    /* Hedgehog is softmax(4k) for keys below 0, and blunt for keys in [0, 1]. */
    double keys_below[4] = {-10, -10.5, -11, -12}, query = 50, hedge[4], soft[4], difference = 0;
    const mechanism *m = mechanism_find("hedgehog");
    mechanism_weights(hedge, m, &(attention_row){.n = 4, .query = &query, .keys = keys_below, .size = 1}, NULL,
                      scratch);
    row_softmax(soft, keys_below, 4, 4);
    for (size_t j = 0; j < 4; j++) difference = fmax(difference, fabs(hedge[j] - soft[j]));
    double keys_above[2] = {1, 0};
    mechanism_weights(hedge, m, &(attention_row){.n = 2, .query = &query, .keys = keys_above, .size = 1}, NULL,
                      scratch);
    lab_claim_add(l, difference < 1e-12 && hedge[0] / hedge[1] < 2,
                  "Hedgehog's sharpness is limited for keys in a fixed range, and is softmax(4k) for keys below 0",
                  "keys 1 and 0: ratio %.3f however large the query; below -10: %.1g from softmax(4k)",
                  hedge[0] / hedge[1], difference);

    /* Polynomials: both have gain 1 at one height and 2^p at twice that; only the odd one has a sign. SSMax: s times
       the scale is one number. */
    double cube[2][2], off = 0, needs[2];
    static const char *const powers[2] = {"polynomial", "polynomial-square"};
    for (size_t k = 0; k < 2; k++) {
        double height = exp_f64(log_f64(4096) / (k ? 4 : 6)), gain[2], row[4096] = {0}, weights[4096];
        for (size_t twice = 0; twice < 2; twice++) {
            row[0] = height * (double)(1 + twice), row[1] = -row[0];
            mechanism_weights(weights, mechanism_find(powers[k]), &(attention_row){.n = 4096, .scores = row}, NULL,
                              scratch);
            gain[twice] = weights[0], cube[k][twice] = weights[1];
        }
        off = fmax(off, fabs(gain[0] - 1) + fabs(gain[1] - (k ? 4 : 8)));
    }
    lab_claim_add(
        l, off < 1e-12 && cube[0][0] < 0 && cube[1][0] > 0,
        "Neither reading of polynomial attention normalises; both are exact at one height, and only the odd power "
        "tells a score from its negative",
        "gain 1 at the 2p-th root of n, 8 and 4 at twice that, to %.1g; the negative score has %.0f and %.0f", off,
        cube[0][0], cube[1][0]);
    for (size_t k = 0; k < 2; k++) {
        double s = k ? 0.43 : 0.168, low = 0, high = 1000;
        for (int step = 0; step < 60; step++) {
            double middle = (low + high) / 2;
            arena_reset(scratch);
            *(leak_of("ssmax", 64, middle, 0, &s, scratch) > 0.01 ? &low : &high) = middle;
        }
        needs[k] = high * s;
    }
    lab_claim_add(l, fabs(needs[0] / needs[1] - 1) < 1e-9,
                  "SSMax's s = 0.168 and s = 0.43 differ by the scale they ask for only",
                  "for 1 %% at n = 64, scale times s is %.6f and %.6f", needs[0], needs[1]);
    scale_test(l, scratch);
}

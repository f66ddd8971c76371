/* Rows that no formula was made for: infinite and NaN, -0, equal, single, empty, huge, subnormal, long ones. And what
   the table claims of the weights, both ways: what can happen is seen, what cannot is not. */
#include "lab/mechanism.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 8 };

static arena memory;

static double uniform(test_random *r) { return ldexp((double)(random_u64(r) >> 11), -53); }

/* The row as any mechanism takes it: scores are first coordinates of keys, and rows of the matrix. */
static attention_row make_row(const mechanism *m, const double *scores, size_t n) {
    attention_row in = {.n = n, .scores = scores, .position = n ? n - 1 : 0};
    if (m->input == INPUT_TWO) in.second = scores;
    if (m->input == INPUT_MATRIX) in.queries = 1, in.position = 0;
    if (m->input != INPUT_VECTORS) return in;
    in.size = WIDE;
    double *query = arena_zalloc(&memory, WIDE, sizeof *query),
           *keys = arena_zalloc(&memory, n * WIDE + 1, sizeof *keys);
    query[0] = 1;
    for (size_t j = 0; j < n; j++) keys[j * WIDE] = scores[j];
    in.query = query, in.keys = keys;
    return in;
}

static bool is(const mechanism *m, const char *name) { return !strcmp(m->name, name); }

/* ---- rows ---- */

static void check_refused(const mechanism *m, double bad, size_t at) {
    double scores[5] = {1, 2, 0.5, -1, 2}, w[5] = {9, 9, 9, 9, 9}, values[5] = {1, 0, 1, 0, 1};
    bool masked[5] = {false};
    scores[at] = bad;
    attention_row in = make_row(m, scores, 5);
    mechanism_weights(w, m, &in, NULL, &memory);
    for (size_t j = 0; j < 5; j++) CHECK(isnan(w[j]), "%s: %g at %zu, w[%zu] = %g", m->name, bad, at, j, w[j]);
    CHECK(isnan(mechanism_output(m, &in, values, NULL, &memory)), "%s: output with %g", m->name, bad);
    masked[at] = true;
    in.masked = masked;
    mechanism_weights(w, m, &in, NULL, &memory);
    double out = mechanism_output(m, &in, values, NULL, &memory);
    CHECK(w[at] == 0 && isfinite(out), "%s: %g masked, weight %g, output %g", m->name, bad, w[at], out);
    for (size_t j = 0; j < 5; j++) CHECK(isfinite(w[j]), "%s: %g masked, w[%zu] = %g", m->name, bad, j, w[j]);
    in = make_row(m, (double[]){1, 2, 0.5, -1, 2}, 5);
    values[at] = bad;
    CHECK(isnan(mechanism_output(m, &in, values, NULL, &memory)), "%s: output of a value %g", m->name, bad);
}

/* Also in what is not the row's own scores: the second map, the query, other queries' rows. */
static void check_refused_beside(double bad) {
    double fine[4] = {1, 2, 3, 4}, spoilt[4] = {1, 2, bad, 4}, w[2];
    attention_row rows[] = {{.n = 2, .scores = fine, .second = spoilt + 1},
                            {.n = 2, .scores = spoilt, .queries = 2, .position = 0},
                            {.n = 2, .keys = fine, .query = spoilt + 1, .size = 2}};
    static const char *const names[] = {"differential", "sinkhorn", "hedgehog"};
    for (size_t k = 0; k < 3; k++) {
        mechanism_weights(w, mechanism_find(names[k]), &rows[k], NULL, &memory);
        CHECK(isnan(w[0]) && isnan(w[1]), "%s: %g beside the row gives %g %g", names[k], bad, w[0], w[1]);
    }
}

/* What is said of finite scores of any size in mechanism.h. */
static bool may_fail(const mechanism *m, double most) {
    if (!strcmp(m->family, "periodic")) return most > 0x1p20;
    if (is(m, "polynomial") || is(m, "polynomial-square")) return most > 1e100;
    if (is(m, "linear") || is(m, "hedgehog")) return most > 700; /* products overflow, features underflow */
    return m->input == INPUT_VECTORS && most > 1e300;
}

static void check_finite(const mechanism *m, const double *scores, size_t n, const char *what) {
    double *w = malloc(n * sizeof *w), *values = malloc(n * sizeof *values), sum = 0, most = 0;
    attention_row in = make_row(m, scores, n);
    for (size_t j = 0; j < n; j++) most = fmax(most, fabs(scores[j])), values[j] = (double)(j % 2);
    mechanism_weights(w, m, &in, NULL, &memory);
    bool whole = true;
    for (size_t j = 0; j < n; j++) whole = whole && isfinite(w[j]), sum += w[j];
    /* 0/0 is what these say of rows of zeros, of cosines and of cubes that cancel */
    bool cancels = !strcmp(m->family, "periodic") || is(m, "polynomial-normalised");
    bool excused = may_fail(m, most) || (m->claims & CAN_DIVIDE_BY_ZERO && (most < 1e-100 || cancels));
    CHECK(whole || excused, "%s: %s, n = %zu, not finite", m->name, what, n);
    if (whole && m->claims & SUMS_TO_ONE)
        CHECK(fabs(sum - 1) < 1e-9, "%s: %s, n = %zu, sum %.17g", m->name, what, n, sum);
    double out = mechanism_output(m, &in, values, NULL, &memory);
    if (whole) CHECK(isfinite(out), "%s: %s, n = %zu, output %g", m->name, what, n, out);
    free(w);
    free(values);
}

static void check_rows(const mechanism *m, test_random *r) {
    static const double huge[] = {1e308, -1e308, DBL_MAX, -DBL_MAX, 1e155, -1e200, 1e21, 3e5, -2e4};
    static const double tiny[] = {5e-324, -5e-324, 0.0, -0.0, DBL_MIN, -DBL_MIN, 1e-160, 1e-200};
    static const double bad[] = {INFINITY, -INFINITY, NAN};
    for (size_t k = 0; k < 3; k++)
        for (size_t at = 0; at < 5; at++) check_refused(m, bad[k], at);
    for (int round = 0; round < 60; round++) {
        double scores[12];
        size_t n = 1 + random_below(r, 12);
        arena_reset(&memory);
        for (size_t j = 0; j < n; j++) scores[j] = huge[random_below(r, sizeof huge / sizeof *huge)];
        check_finite(m, scores, n, "huge");
        for (size_t j = 0; j < n; j++) scores[j] = tiny[random_below(r, sizeof tiny / sizeof *tiny)];
        check_finite(m, scores, n, "tiny");
        for (size_t j = 0; j < n; j++)
            scores[j] = random_below(r, 2) ? tiny[random_below(r, 8)] : huge[random_below(r, 9)];
        check_finite(m, scores, n, "tiny and huge");
        double level = round % 2 ? tiny[random_below(r, 8)] : (uniform(r) - 0.5) * 100;
        for (size_t j = 0; j < n; j++) scores[j] = level;
        check_finite(m, scores, n, "all equal");
        scores[0] = huge[random_below(r, 9)];
        check_finite(m, scores, 1, "one entry");
    }
    double one = 3, w = 7;
    attention_row in = make_row(m, &one, 0);
    mechanism_weights(&w, m, &in, NULL, &memory);
    CHECK(w == 7 && mechanism_output(m, &in, &one, NULL, &memory) == 0, "%s: an empty row", m->name);
    size_t n = 100000;
    double *scores = malloc(n * sizeof *scores);
    for (size_t j = 0; j < n; j++) scores[j] = (uniform(r) - 0.5) * 20;
    arena_reset(&memory);
    check_finite(m, scores, n, "long");
    free(scores);
}

/* The sign of a zero is no sign. */
static void check_zeros(const mechanism *m) {
    double plus[4] = {0, 1, 2, 0}, minus[4] = {-0.0, 1, 2, -0.0}, v[4], w[4];
    attention_row in = make_row(m, plus, 4);
    mechanism_weights(v, m, &in, NULL, &memory);
    in = make_row(m, minus, 4);
    mechanism_weights(w, m, &in, NULL, &memory);
    for (size_t j = 0; j < 4; j++) CHECK(v[j] == w[j], "%s: -0 weighs %g, 0 weighs %g", m->name, w[j], v[j]);
}

/* Where a range or a product of finite scores overflows, what comes out is still right. */
static void test_overflow(void) {
    double w[3];
    mechanism_weights(w, mechanism_find("self-adjust-normalised"),
                      &(attention_row){.n = 3, .scores = (double[]){1.5e308, -1.5e308, 1.5e308}}, NULL, &memory);
    CHECK(w[0] == 0.5 && w[1] == 0 && w[2] == 0.5, "self-adjust-normalised: %g %g %g", w[0], w[1], w[2]);
    mechanism_weights(w, mechanism_find("polynomial-normalised"),
                      &(attention_row){.n = 3, .scores = (double[]){1e300, 3e300, 0}}, NULL, &memory);
    CHECK(fabs(w[0] - 1.0 / 28) < 1e-15 && fabs(w[1] - 27.0 / 28) < 1e-15, "x^3/sum: %g %g", w[0], w[1]);
    mechanism_weights(w, mechanism_find("polynomial-normalised"),
                      &(attention_row){.n = 3, .scores = (double[]){1e-300, 3e-300, 0}}, NULL, &memory);
    CHECK(fabs(w[0] - 1.0 / 28) < 1e-15 && fabs(w[1] - 27.0 / 28) < 1e-15, "x^3/sum, small: %g %g", w[0], w[1]);
    mechanism_weights(w, mechanism_find("taylor"), &(attention_row){.n = 3, .scores = (double[]){1e300, -3e300, 0}},
                      NULL, &memory);
    CHECK(fabs(w[0] - 0.1) < 1e-15 && fabs(w[1] - 0.9) < 1e-15 && w[2] == 0, "taylor: %g %g %g", w[0], w[1], w[2]);
    mechanism_weights(w, mechanism_find("soft-margin-taylor"),
                      &(attention_row){.n = 3, .scores = (double[]){1e300, 3e300, 0}}, NULL, &memory);
    CHECK(fabs(w[0] - 1.0 / 82) < 1e-15 && fabs(w[1] - 81.0 / 82) < 1e-15, "soft-margin-taylor: %g %g", w[0], w[1]);
    mechanism_weights(w, mechanism_find("ssmax"),
                      &(attention_row){.n = 3, .scores = (double[]){1.5e308, -1.5e308, 0}}, (double[]){0}, &memory);
    CHECK(w[0] == w[1] && w[1] == w[2], "ssmax with s = 0: %g %g %g", w[0], w[1], w[2]);
    mechanism_weights(w, mechanism_find("softmax-plus-one"), &(attention_row){.n = 2, .scores = (double[]){3, -3}},
                      (double[]){1e9}, &memory);
    CHECK(w[0] == 0 && w[1] == 0, "a sink that takes all: %g %g", w[0], w[1]);
    /* the sum of the others is lost in the sum of all */
    mechanism_weights(w, mechanism_find("soft-margin"), &(attention_row){.n = 2, .scores = (double[]){40, 0}},
                      (double[]){100}, &memory);
    CHECK(fabs(w[0] * exp(60) - 1) < 1e-12, "soft-margin: %g, not e^-60", w[0]);
    row_softmax(w, (double[]){2000, 0, 1000}, 3, -1); /* a negative scale: the least score is the shift */
    CHECK(w[0] == 0 && w[1] == 1 && w[2] == 0, "negative scale: %g %g %g", w[0], w[1], w[2]);
    /* The largest value has no weight: the output is the other one's. */
    double out = mechanism_output(mechanism_find("laser"), &(attention_row){.n = 2, .scores = (double[]){0, -5000}},
                                  (double[]){1, 2000}, NULL, &memory);
    CHECK(out == 1, "laser: %g", out);
    for (int prenorm = 0; prenorm < 2; prenorm++) {
        mechanism_weights(w, mechanism_find("sin-softmax"),
                          &(attention_row){.n = 2, .scores = (double[]){1e160, 2e160}}, (double[]){prenorm}, &memory);
        CHECK(isnan(w[0]) && isnan(w[1]), "sin-softmax refuses: %g %g", w[0], w[1]);
    }
}

/* Exponents at which a last bit of the threshold is much: the sum is one, the order that of the scores, ties are
   equal. */
static void test_steep_entmax(test_random *r) {
    const mechanism *m = mechanism_find("entmax");
    for (int round = 0; round < 300; round++) {
        double a = round % 3 ? 1.01 + 9 * uniform(r) : 10, scores[20], w[20], sum = 0;
        size_t n = 1 + random_below(r, 20);
        for (size_t j = 0; j < n; j++) scores[j] = random_below(r, 3) ? uniform(r) * 2 / (a - 1) : 1 / a;
        arena_reset(&memory);
        mechanism_weights(w, m, &(attention_row){.n = n, .scores = scores}, &a, &memory);
        for (size_t j = 0; j < n; j++) {
            sum += w[j];
            for (size_t k = 0; k < n; k++)
                CHECK(scores[j] < scores[k] ? w[j] <= w[k] : scores[j] > scores[k] || w[j] == w[k],
                      "entmax %g: %g weighs %g, %g weighs %g", a, scores[j], w[j], scores[k], w[k]);
        }
        CHECK(fabs(sum - 1) < 1e-12, "entmax %g: sum %.17g", a, sum);
    }
}

/* ---- claims ---- */

typedef struct seen {
    bool zero, above, below, varies, undefined;
} seen;

static void look(seen *s, const mechanism *m, const attention_row *in, const double *p, bool moderate) {
    double w[16], sum = 0;
    mechanism_weights(w, m, in, p, &memory);
    for (size_t j = 0; j < in->n; j++) {
        if (!isfinite(w[j])) {
            s->undefined = true;
            return;
        }
    }
    for (size_t j = 0; j < in->n; j++) {
        sum += w[j];
        s->zero = s->zero || fabs(w[j]) < 1e-17;
        s->above = s->above || w[j] > 0;
        s->below = s->below || w[j] < 0;
        if (moderate && !(m->claims & CAN_BE_ZERO))
            CHECK(w[j] != 0, "%s: a zero that is not claimed, n = %zu", m->name, in->n);
        if (!moderate && !(m->claims & CAN_BE_ZERO))
            CHECK(fabs(w[j]) >= 1e-17, "%s: a zero that is not claimed", m->name);
    }
    s->varies = s->varies || fabs(sum - 1) > 1e-3;
}

static void check_claims(const mechanism *m, test_random *r) {
    double half_pi = 2 * atan(1.0);
    double special[][2] = {{0, 0},
                           {1, -1},
                           {half_pi, half_pi},
                           {half_pi, -half_pi},
                           {0, 2 * half_pi},
                           {-half_pi / 10, -half_pi / 10},
                           {half_pi / 2, -half_pi / 2},
                           {5, -9},
                           {-2, -2},
                           {0, -half_pi}};
    seen s = {0};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
        arena_reset(&memory);
        attention_row in = make_row(m, special[k], 2);
        look(&s, m, &in, NULL, false);
    }
    for (int k = 0; k < 200; k++) {
        double scores[256], second[16], p[MECHANISM_PARAMETERS];
        size_t n = 1 + random_below(r, 12);
        arena_reset(&memory);
        for (size_t j = 0; j < 256; j++) scores[j] = 4 * (uniform(r) + uniform(r) + uniform(r)) - 6;
        for (size_t j = 0; j < n; j++) second[j] = 6 * uniform(r);
        attention_row in = make_row(m, scores, n);
        if (m->input == INPUT_TWO) in.second = second;
        if (m->input == INPUT_MATRIX) in.queries = n, in.position = k % n;
        double query[WIDE], keys[16 * WIDE];
        if (m->input == INPUT_VECTORS) {
            for (size_t c = 0; c < WIDE; c++) query[c] = scores[200 + c];
            for (size_t c = 0; c < n * WIDE; c++) keys[c] = 3 * uniform(r) - 1.5;
            in.query = query, in.keys = keys, in.size = m->parameters[0].name && is(m, "integral") ? WIDE : 2;
        }
        mechanism_defaults(p, m);
        if (is(m, "affine") && k % 2) p[0] = uniform(r), p[1] = uniform(r);
        if (!strncmp(m->name, "soft-landmark", 13) && k % 2) p[0] = 2;
        look(&s, m, &in, p, true);
    }
    bool zero = m->claims & CAN_BE_ZERO, below = m->claims & CAN_BE_BELOW, sums = m->claims & SUMS_TO_ONE,
         divides = m->claims & CAN_DIVIDE_BY_ZERO;
    /* Weights that depend continuously on the row and have both signs vanish in between. */
    CHECK(s.zero || (s.above && s.below) || !zero, "%s: no zero was seen", m->name);
    CHECK(s.below == below, "%s: negative weights are %sclaimed, and %sseen", m->name, below ? "" : "not ",
          s.below ? "" : "not ");
    CHECK(s.varies == !sums, "%s: a sum of one is %sclaimed, other sums are %sseen", m->name, sums ? "" : "not ",
          s.varies ? "" : "not ");
    /* sin^2(s + pi/4) vanishes only between two doubles. */
    if (!is(m, "sin2max-shifted"))
        CHECK(s.undefined == divides, "%s: 0/0 is %sclaimed, and %sseen", m->name, divides ? "" : "not ",
              s.undefined ? "" : "not ");
}

int main(void) {
    trap t;
    test_random r = test_seed(47);
    arena_init(&memory, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        for (size_t k = 0; k < mechanism_count(); k++) {
            check_rows(mechanism_at(k), &r);
            check_zeros(mechanism_at(k));
            check_claims(mechanism_at(k), &r);
        }
        check_refused_beside(INFINITY);
        check_refused_beside(-INFINITY);
        check_refused_beside(NAN);
        test_overflow();
        test_steep_entmax(&r);
        trap_clear(&t);
    }
    arena_free(&memory);
    return test_finish("t-attention-rows");
}

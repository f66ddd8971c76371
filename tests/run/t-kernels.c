/* The kernels: AVX2 and AVX-512 against the reference bit for bit, dense attention against softmax in long double,
   and the fast exps against exp_f64. t-kernels-scan.c has the scans. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels_compare.h"
#include "number/elementary.h"
#include "number/ieee.h"
#include "run/kernels.h"
#include "run/kernels_select.h"
#include "test.h"

enum { KEYS_LIMIT = 1700, SIZE_LIMIT = 70, ROWS_LIMIT = 40 };

/* ---- exp ---- */

/* Error of y against exp(x) in units of the last place of the exact result; exp_f64 is good to 2^-52 of it. */
static double ulps_f32(float x, float y) {
    double exact = exp_f64(x);
    int e;
    frexp(exact, &e);
    return fabs(y - exact) / ldexp(1, e - 24 > -149 ? e - 24 : -149);
}

/* Floats from -88 to 0: every one below -2^-20 in the long test, each 11th in the normal one; those closer to 0,
   where the result hardly differs from 1, by larger steps. */
static void check_exp_f32(const kernels *k) {
    static float x[4096], y[4096];
    double worst = 0, worst_at = 0;
    uint32_t bits = 0x80000000u, step = test_effort() >= 10 ? 1 : test_effort() >= 1 ? 11 : 101;
    while (bits < 0xc2b00000u) {
        size_t n = 0;
        for (; n < 4096 && bits < 0xc2b00000u; n++) {
            x[n] = f32_from_bits(bits);
            bits += bits < 0xb5800000u ? 4099 * step : step;
        }
        k->exp_f32(y, x, n);
        for (size_t i = 0; i < n; i++) {
            if (x[i] >= -87.683f) {
                double error = fabs((double)y[i] - exp_f64(x[i]));
                /* 2^-24 of the result is at most its ulp: a cheap test first */
                if (error > 0.9 * 0x1p-24 * y[i] || y[i] < 0x1p-125f) {
                    error = ulps_f32(x[i], y[i]);
                    if (error > worst) worst = error, worst_at = x[i];
                }
            } else if (x[i] < -87.684f && y[i] != 0) {
                worst = INFINITY, worst_at = x[i];
            }
        }
    }
    CHECK(worst < 1, "exp_f32 is wrong by %.4f ulp at %a (%s)", worst, worst_at, k->name);
    if (getenv("TEMPER_TEST_VERBOSE")) printf("exp_f32: %.4f ulp at %a\n", worst, worst_at);
}

static double ulps_f64(double x, double y) {
    long double exact = expl((long double)x);
    int e;
    frexpl(exact, &e);
    return (double)(fabsl(y - exact) / ldexpl(1, e - 53 > -1074 ? e - 53 : -1074));
}

static void check_exps(const kernels *k, const kernels *ref, test_random *r) {
    static double x[1000], a[1000], b[1000];
    static float x32[1000], a32[1000], b32[1000];
    static const double corners[] = {0,
                                     -0.0,
                                     -1e-300,
                                     -5e-324,
                                     -708.39,
                                     -708.3964185322641,
                                     -708.75,
                                     -745.133,
                                     -745.134,
                                     -INFINITY,
                                     -0.34657359027997,
                                     -87.68,
                                     -87.34,
                                     -88,
                                     -104,
                                     NAN,
                                     709.78,
                                     709.79,
                                     88.72,
                                     88.73,
                                     INFINITY,
                                     1e300,
                                     -1e300,
                                     89};
    double worst = 0, worst_at = 0, worst_down = 0, down_at = 0;
    int rounds = (int)(30 * test_effort()) + 1;
    for (int round = 0; round < rounds; round++) {
        size_t n = round ? 1 + random_below(r, 1000) : 1000, at = 0;
        for (size_t i = 0; i < n; i++) {
            double range = (double[]){1, 30, 90, 800, 1000}[random_below(r, 5)];
            x[i] =
                random_below(r, 8) ? uniform(r) * range : corners[random_below(r, sizeof corners / sizeof *corners)];
            x32[i] = (float)x[i];
        }
        k->exp_f64(a, x, n);
        for (size_t i = 0; i < n; i++) b[i] = exp_f64(x[i]);
        CHECK(same_f64(a, b, n, &at), "exp_f64(%a) = %a, exp_f64 says %a", x[at], a[at], b[at]);
        k->exp_f32(a32, x32, n), ref->exp_f32(b32, x32, n);
        CHECK(same_f32(a32, b32, n, &at), "exp_f32(%a) = %a, reference %a", x32[at], a32[at], b32[at]);
        for (size_t i = 0; i < n; i++) {
            double big = exp_f64(x32[i]);
            if (isnan(x32[i]))
                CHECK(isnan(a32[i]), "exp_f32(nan) = %a", a32[i]);
            else if (x32[i] > 0 && big < 0x1.fffffep+127 && ulps_f32(x32[i], a32[i]) > worst)
                worst = ulps_f32(x32[i], a32[i]), worst_at = x32[i];
            if (big > 0x1.fffffffp+127) CHECK(isinf(a32[i]), "exp_f32(%a) = %a", x32[i], a32[i]);
        }
        for (size_t i = 0; i < n; i++) {
            if (x[i] > 0) x[i] = -x[i];
            if (x32[i] > 0) x32[i] = -x32[i];
        }
        k->exp_down_f64(a, x, n), ref->exp_down_f64(b, x, n);
        CHECK(same_f64(a, b, n, &at), "exp_down_f64(%a) = %a, reference %a", x[at], a[at], b[at]);
        k->exp_down_f32(a32, x32, n), ref->exp_f32(b32, x32, n);
        CHECK(same_f32(a32, b32, n, &at), "exp_down_f32(%a) = %a, exp_f32 %a", x32[at], a32[at], b32[at]);
        for (size_t i = 0; i < n; i++) {
            if (x[i] < -708.75)
                CHECK(a[i] == 0, "exp_down_f64(%a) = %a", x[i], a[i]);
            else if (x[i] == 0)
                CHECK(a[i] == 1, "exp_down_f64(%a) = %a", x[i], a[i]);
            else if (x[i] > -708.7 && ulps_f64(x[i], a[i]) > worst_down)
                worst_down = ulps_f64(x[i], a[i]), down_at = x[i];
        }
    }
    CHECK(worst < 1, "exp_f32 is wrong by %.4f ulp at %a", worst, worst_at);
    CHECK(worst_down < 1, "exp_down_f64 is wrong by %.4f ulp at %a", worst_down, down_at);
    if (getenv("TEMPER_TEST_VERBOSE")) printf("exp_f32 > 0: %.4f, exp_down_f64: %.4f ulp\n", worst, worst_down);
}

/* ---- dense ---- */

typedef struct problem {
    size_t keys, stride, rows, size, width;
    double q[ROWS_LIMIT * SIZE_LIMIT], kt[SIZE_LIMIT * KEYS_LIMIT], vt[SIZE_LIMIT * KEYS_LIMIT];
    float q32[ROWS_LIMIT * SIZE_LIMIT], kt32[SIZE_LIMIT * KEYS_LIMIT], vt32[SIZE_LIMIT * KEYS_LIMIT];
    size_t first[ROWS_LIMIT], end[ROWS_LIMIT];
} problem;

static void make_problem(problem *p, test_random *r, bool wild) {
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 8, 9, 13, 16};
    p->keys = random_below(r, 3) ? random_below(r, 90) : random_below(r, KEYS_LIMIT - 8);
    p->stride = p->keys + (random_below(r, 2) ? random_below(r, 8) : 0);
    p->rows = random_below(r, random_below(r, 2) ? 9 : ROWS_LIMIT);
    p->size = sizes[random_below(r, 12)];
    p->width = sizes[random_below(r, 12)];
    if (random_below(r, 25) == 0) p->size = 62 + random_below(r, 8), p->rows %= 9;
    if (random_below(r, 25) == 0) p->width = 62 + random_below(r, 8), p->rows %= 9;
    if (random_below(r, 60) == 0) p->size = 64; /* known to the compiler, for enough rows to pack */
    double scale = (double[]){0, 1e-3, 1, 1, 1, 30, 1e4}[random_below(r, 7)];
    bool ties = random_below(r, 5) == 0, corners = random_below(r, 2), ones = random_below(r, 8) == 0;
    for (size_t i = 0; i < p->rows * p->size; i++) {
        p->q[i] = scale * (corners ? draw(r, wild && random_below(r, 50) == 0) : uniform(r));
        p->q[i] = p->q32[i] = (float)p->q[i];
    }
    for (size_t i = 0; i < p->size * p->stride; i++)
        p->kt[i] = p->kt32[i] = (float)(ties ? (double)random_below(r, 2) : corners ? draw(r, wild) : uniform(r));
    for (size_t i = 0; i < p->width * p->stride; i++)
        p->vt[i] = p->vt32[i] = (float)(ones ? 1 : corners ? draw(r, wild) : uniform(r));
    uint64_t mode = random_below(r, 5);
    size_t shift = random_below(r, p->keys + 1), window = 1 + random_below(r, 40);
    if (random_below(r, 3) == 0) shift = 192 * (1 + random_below(r, 9)) - random_below(r, 40); /* where blocks end */
    for (size_t i = 0; i < p->rows; i++) {
        size_t last = i + shift < p->keys ? i + shift : p->keys;
        size_t a = random_below(r, p->keys + 1), b = random_below(r, p->keys + 1);
        p->first[i] = mode == 0 ? 0 : mode == 1 ? 0 : mode == 2 ? (last > window ? last - window : 0) : a;
        p->end[i] = mode == 0 ? p->keys : mode <= 2 ? last : mode == 3 ? b : p->keys;
    }
}

/* |error| <= bound * (the sum of weight * |value|): softmax's own measure of its terms. The score is off by at most
   (size + 1) roundings of the sum of |q k|, the rest by the roundings of a sum of `keys` terms. */
static void check_against_long_double(const problem *p, const double *out, double unit, double flush) {
    for (size_t i = 0; i < p->rows; i++) {
        static long double score[KEYS_LIMIT];
        long double m = -INFINITY, magnitude = 0, total = 0;
        for (size_t j = p->first[i]; j < p->end[i]; j++) {
            long double absolute = 0;
            score[j] = 0;
            for (size_t c = 0; c < p->size; c++) {
                long double term = (long double)p->q[i * p->size + c] * p->kt[c * p->stride + j];
                score[j] += term;
                absolute += fabsl(term);
            }
            if (score[j] > m) m = score[j];
            if (absolute > magnitude) magnitude = absolute;
        }
        double off = (double)magnitude * (double)(p->size + 2) * unit; /* of a score and of the maximum */
        if (off > 0.1) continue;
        for (size_t j = p->first[i]; j < p->end[i]; j++) total += score[j] = expl(score[j] - m);
        for (size_t d = 0; d < p->width; d++) {
            long double sum = 0, absolute = 0, largest = 0;
            for (size_t j = p->first[i]; j < p->end[i]; j++) {
                long double v = p->vt[d * p->stride + j];
                sum += score[j] * v;
                absolute += score[j] * fabsl(v);
                if (fabsl(v) > largest) largest = fabsl(v);
            }
            long double exact = total == 0 ? 0 : sum / total;
            long double bound = total == 0 ? 0
                                           : absolute / total * (5 * off + (double)(p->keys / 8 + 20) * 2 * unit) +
                                                 flush * (double)p->keys * (largest + 1);
            double got = out[i * p->width + d];
            CHECK(fabsl(got - exact) <= bound, "row %zu of %zu, component %zu: %.17g, exact %.17Lg, bound %.3Lg (%s)",
                  i, p->rows, d, got, exact, bound, unit > 1e-10 ? "f32" : "f64");
        }
    }
}

/* In memory of exactly that size, so that the address sanitizer sees reading beyond the end. */
static void *copy(const void *data, size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) exit(2);
    return memcpy(memory, data, bytes);
}

static void check_dense(const kernels *k, const kernels *ref, problem *p, test_random *r, bool wild) {
    static double a[ROWS_LIMIT * SIZE_LIMIT], b[ROWS_LIMIT * SIZE_LIMIT];
    static float a32[ROWS_LIMIT * SIZE_LIMIT], b32[ROWS_LIMIT * SIZE_LIMIT];
    make_problem(p, r, wild);
    size_t n = p->rows * p->width, at = 0;
    ref->dense_f64(b, p->q, p->kt, p->vt, p->stride, p->first, p->end, p->rows, p->size, p->width);
    ref->dense_f32(b32, p->q32, p->kt32, p->vt32, p->stride, p->first, p->end, p->rows, p->size, p->width);
    double *kt = copy(p->kt, p->size * p->stride * sizeof *kt), *vt = copy(p->vt, p->width * p->stride * sizeof *vt);
    float *kt32 = copy(p->kt32, p->size * p->stride * sizeof *kt32);
    float *vt32 = copy(p->vt32, p->width * p->stride * sizeof *vt32);
    k->dense_f64(a, p->q, kt, vt, p->stride, p->first, p->end, p->rows, p->size, p->width);
    k->dense_f32(a32, p->q32, kt32, vt32, p->stride, p->first, p->end, p->rows, p->size, p->width);
    free(kt), free(vt), free(kt32), free(vt32);
    CHECK(same_f64(a, b, n, &at), "dense_f64 keys %zu rows %zu size %zu width %zu: out[%zu] %a, reference %a",
          p->keys, p->rows, p->size, p->width, at, a[at], b[at]);
    CHECK(same_f32(a32, b32, n, &at), "dense_f32 keys %zu rows %zu size %zu width %zu: out[%zu] %a, reference %a",
          p->keys, p->rows, p->size, p->width, at, a32[at], b32[at]);
    if (p->rows) { /* a row alone, and a part of the rows, as in the whole */
        size_t row = random_below(r, p->rows), count = random_below(r, p->rows - row + 1);
        k->dense_f64(a, p->q + row * p->size, p->kt, p->vt, p->stride, p->first + row, p->end + row, count, p->size,
                     p->width);
        k->dense_f32(a32, p->q32 + row * p->size, p->kt32, p->vt32, p->stride, p->first + row, p->end + row, count,
                     p->size, p->width);
        CHECK(same_f64(a, b + row * p->width, count * p->width, &at) &&
                  same_f32(a32, b32 + row * p->width, count * p->width, &at),
              "dense: rows %zu to %zu alone differ", row, row + count);
    }
    if (wild) return;
    check_against_long_double(p, b, 0x1p-53, 1e-307);
    for (size_t i = 0; i < n; i++) a[i] = b32[i];
    check_against_long_double(p, a, 0x1p-24, 1e-37);
}

/* More rows than the fast kernel takes at once, and scales at which its estimate of the scores meets squares that
   vanish. */
static void check_chunks(const kernels *k, const kernels *ref, test_random *r, size_t rows, size_t size, size_t width,
                         double query, double key) {
    enum { KEYS = 60 };
    double *q = calloc(rows * size, sizeof *q), *kt = calloc(size * KEYS, sizeof *kt),
           *vt = calloc(width * KEYS, sizeof *vt);
    double *a = calloc(rows * width, sizeof *a), *b = calloc(rows * width, sizeof *b);
    float *q32 = calloc(rows * size, sizeof *q32), *kt32 = calloc(size * KEYS, sizeof *kt32);
    float *vt32 = calloc(width * KEYS, sizeof *vt32);
    float *a32 = calloc(rows * width, sizeof *a32), *b32 = calloc(rows * width, sizeof *b32);
    size_t *first = calloc(rows, sizeof *first), *end = calloc(rows, sizeof *end), at = 0;
    if (!q || !kt || !vt || !a || !b || !q32 || !kt32 || !vt32 || !a32 || !b32 || !first || !end) exit(2);
    for (size_t i = 0; i < rows; i++) end[i] = i % 5 ? KEYS : random_below(r, KEYS + 1);
    for (size_t i = 0; i < rows * size; i++) q32[i] = (float)(q[i] = query * uniform(r));
    for (size_t i = 0; i < size * KEYS; i++) kt32[i] = (float)(kt[i] = key * uniform(r));
    for (size_t i = 0; i < width * KEYS; i++) vt32[i] = (float)(vt[i] = uniform(r));
    k->dense_f64(a, q, kt, vt, KEYS, first, end, rows, size, width);
    ref->dense_f64(b, q, kt, vt, KEYS, first, end, rows, size, width);
    CHECK(same_f64(a, b, rows * width, &at), "dense_f64 of %zu rows, %g x %g: out[%zu] %a, reference %a", rows, query,
          key, at, a[at], b[at]);
    k->dense_f32(a32, q32, kt32, vt32, KEYS, first, end, rows, size, width);
    ref->dense_f32(b32, q32, kt32, vt32, KEYS, first, end, rows, size, width);
    CHECK(same_f32(a32, b32, rows * width, &at), "dense_f32 of %zu rows: out[%zu] %a, reference %a", rows, at,
          (double)a32[at], (double)b32[at]);
    free(q), free(kt), free(vt), free(a), free(b), free(q32), free(kt32), free(vt32), free(a32), free(b32);
    free(first), free(end);
}

/* Rows of the four masks of a string, strict or not, and rows without keys only: every number of rows in a group.
   What no row sees is NaN. */
static void check_masks(const kernels *k, const kernels *ref, test_random *r, size_t rows, int mask) {
    enum { MOST = 48, SIZE = 5 };
    double q[MOST * SIZE], kt[SIZE * MOST], vt[SIZE * MOST], a[MOST * SIZE], b[MOST * SIZE];
    float q32[MOST * SIZE], kt32[SIZE * MOST], vt32[SIZE * MOST], a32[MOST * SIZE], b32[MOST * SIZE];
    size_t first[MOST], end[MOST], at = 0;
    bool none = random_below(r, 4) == 0;
    for (size_t i = 0; i < rows; i++) {
        first[i] = none ? i : mask == 0 ? 0 : mask == 1 ? 0 : mask == 2 ? i : i + 1;
        end[i] = none ? i / 2 : mask == 0 ? i : mask == 1 ? i + 1 : rows;
    }
    for (size_t i = 0; i < MOST * SIZE; i++) {
        bool seen = i % MOST < rows && !none && !(mask == 0 && i % MOST == rows - 1) && !(mask == 3 && i % MOST == 0);
        q32[i] = (float)(q[i] = draw(r, false));
        kt32[i] = (float)(kt[i] = seen ? draw(r, false) : NAN);
        vt32[i] = (float)(vt[i] = seen ? draw(r, false) : NAN);
    }
    k->dense_f64(a, q, kt, vt, MOST, first, end, rows, SIZE, SIZE);
    ref->dense_f64(b, q, kt, vt, MOST, first, end, rows, SIZE, SIZE);
    CHECK(same_f64(a, b, rows * SIZE, &at), "%s: mask %d of %zu rows in f64: out[%zu] %a, reference %a", k->name,
          mask, rows, at, a[at], b[at]);
    k->dense_f32(a32, q32, kt32, vt32, MOST, first, end, rows, SIZE, SIZE);
    ref->dense_f32(b32, q32, kt32, vt32, MOST, first, end, rows, SIZE, SIZE);
    CHECK(same_f32(a32, b32, rows * SIZE, &at), "%s: mask %d of %zu rows in f32: out[%zu] %a, reference %a", k->name,
          mask, rows, at, (double)a32[at], (double)b32[at]);
    for (size_t i = 0; i < rows * SIZE; i++)
        CHECK(!isnan(b[i]) && !isnan(b32[i]), "mask %d of %zu rows: row %zu has seen a key that it should not", mask,
              rows, i / SIZE);
}

/* Rows that end, or begin, at each place around the end of a block. */
static void check_block_ends(const kernels *k, const kernels *ref, test_random *r, bool begins) {
    enum { ROWS = 16, KEYS = 1552, SIZE = 2 };
    static double q[ROWS * SIZE], kt[SIZE * KEYS], vt[SIZE * KEYS], a[ROWS * SIZE], b[ROWS * SIZE];
    static float q32[ROWS * SIZE], kt32[SIZE * KEYS], vt32[SIZE * KEYS], a32[ROWS * SIZE], b32[ROWS * SIZE];
    for (size_t i = 0; i < ROWS * SIZE; i++) q32[i] = (float)(q[i] = uniform(r));
    for (size_t i = 0; i < SIZE * KEYS; i++)
        kt32[i] = (float)(kt[i] = uniform(r)), vt32[i] = (float)(vt[i] = uniform(r));
    for (size_t offset = 0; offset < 32; offset++) {
        size_t first[ROWS] = {0}, end[ROWS], at = 0;
        for (size_t i = 0; i < ROWS; i++) {
            first[i] = begins ? 768 - 24 + offset + i : 0;
            end[i] = begins ? KEYS : 768 - 24 + offset + i;
        }
        k->dense_f64(a, q, kt, vt, KEYS, first, end, ROWS, SIZE, SIZE);
        ref->dense_f64(b, q, kt, vt, KEYS, first, end, ROWS, SIZE, SIZE);
        CHECK(same_f64(a, b, ROWS * SIZE, &at), "%s: f64, offset %zu: out[%zu] %a, reference %a", k->name, offset, at,
              a[at], b[at]);
        k->dense_f32(a32, q32, kt32, vt32, KEYS, first, end, ROWS, SIZE, SIZE);
        ref->dense_f32(b32, q32, kt32, vt32, KEYS, first, end, ROWS, SIZE, SIZE);
        CHECK(same_f32(a32, b32, ROWS * SIZE, &at), "%s: f32, offset %zu: out[%zu] %a, reference %a", k->name, offset,
              at, (double)a32[at], (double)b32[at]);
    }
}

/* More rows and keys than a kernel has room for: what it notes between is right. Some rows have no keys, some begin
   late. The reference does a few of the rows, alone. */
static void check_many(const kernels *k, const kernels *ref, test_random *r, size_t size) {
    enum { ROWS = 600, KEYS = 1700, WIDTH = 64 };
    double *q = calloc(ROWS * size, sizeof *q), *kt = calloc(size * KEYS, sizeof *kt);
    double *vt = calloc(WIDTH * KEYS, sizeof *vt), *a = calloc(ROWS * WIDTH, sizeof *a), b[WIDTH];
    float *q32 = calloc(ROWS * size, sizeof *q32), *kt32 = calloc(size * KEYS, sizeof *kt32);
    float *vt32 = calloc(WIDTH * KEYS, sizeof *vt32), *a32 = calloc(ROWS * WIDTH, sizeof *a32), b32[WIDTH];
    size_t first[ROWS], end[ROWS], at = 0;
    if (!q || !kt || !vt || !a || !q32 || !kt32 || !vt32 || !a32) exit(2);
    for (size_t i = 0; i < ROWS; i++) {
        first[i] = i % 3 ? 0 : random_below(r, KEYS + 1);
        end[i] = i % 7 ? KEYS - random_below(r, 80) : random_below(r, KEYS + 1);
        if (i / 8 % 10 == 0) first[i] = 1536 + i % 40; /* groups that begin after four blocks */
    }
    for (size_t i = 0; i < ROWS * size; i++) q32[i] = (float)(q[i] = uniform(r));
    for (size_t i = 0; i < size * KEYS; i++) kt32[i] = (float)(kt[i] = uniform(r));
    for (size_t i = 0; i < WIDTH * KEYS; i++) vt32[i] = (float)(vt[i] = uniform(r));
    k->dense_f64(a, q, kt, vt, KEYS, first, end, ROWS, size, WIDTH);
    k->dense_f32(a32, q32, kt32, vt32, KEYS, first, end, ROWS, size, WIDTH);
    for (size_t i = random_below(r, 8); i < ROWS; i += 1 + random_below(r, 24)) {
        ref->dense_f64(b, q + i * size, kt, vt, KEYS, first + i, end + i, 1, size, WIDTH);
        CHECK(same_f64(a + i * WIDTH, b, WIDTH, &at), "%s: row %zu of many, f64, size %zu: out[%zu] %a, reference %a",
              k->name, i, size, at, a[i * WIDTH + at], b[at]);
        ref->dense_f32(b32, q32 + i * size, kt32, vt32, KEYS, first + i, end + i, 1, size, WIDTH);
        CHECK(same_f32(a32 + i * WIDTH, b32, WIDTH, &at), "%s: row %zu of many, f32, size %zu: out[%zu] %a, not %a",
              k->name, i, size, at, (double)a32[i * WIDTH + at], (double)b32[at]);
    }
    free(q), free(kt), free(vt), free(a), free(q32), free(kt32), free(vt32), free(a32);
}

static void check_table(const kernels *k, const kernels *ref, problem *p, test_random *r) {
    check_exp_f32(k);
    check_exps(k, ref, r);
    int rounds = (int)(250 * test_effort()) + 1;
    for (int i = 0; i < rounds; i++) check_dense(k, ref, p, r, i % 4 == 3);
    check_chunks(k, ref, r, 2100, 2, 1, 1, 1);
    check_chunks(k, ref, r, 300, 3, 64, 5, 1);
    check_many(k, ref, r, 3);
    check_many(k, ref, r, 40);
    for (int e = 500; e < 560; e += 10)
        for (int up = 0; up < 40; up += 8) {
            check_chunks(k, ref, r, 20, 8, 8, ldexp(1, -e), ldexp(1, e - 30 + up));
            check_chunks(k, ref, r, 20, 8, 8, ldexp(1, e - 30 + up), ldexp(1, -e));
        }
    for (int e = 60; e < 84; e += 4) /* likewise in f32 */
        for (int up = 0; up < 24; up += 6) {
            check_chunks(k, ref, r, 20, 8, 8, ldexp(1, -e), ldexp(1, e - 10 + up));
            check_chunks(k, ref, r, 20, 8, 8, ldexp(1, e - 10 + up), ldexp(1, -e));
        }
    for (int scale = 4; scale < 480; scale += 4) check_chunks(k, ref, r, 20, scale % 3 ? 1 : 8, 8, scale, 1);
    for (size_t rows = 16; rows < 36; rows++)
        for (int strict = 0; strict < 4; strict++) check_masks(k, ref, r, rows, strict);
    for (int begins = 0; begins < 2; begins++) check_block_ends(k, ref, r, begins);
}

int main(void) {
    test_random r = test_seed(20240611);
    const kernels *tables[KERNELS_MOST];
    size_t count = kernels_list(tables);
    problem *p = calloc(1, sizeof *p);
    if (!p) return 2;
    for (size_t k = count > 1 ? 1 : 0; k < count; k++) check_table(tables[k], &kernels_reference, p, &r);
    free(p);
    return test_finish("t-kernels");
}

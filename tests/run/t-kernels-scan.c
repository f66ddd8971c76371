/* Scans: AVX2 and AVX-512 against the reference bit for bit, against dense attention and against themselves cut
   differently; the quotients of AVX-512 against divisions. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "kernels_compare.h"
#include "run/kernels.h"
#include "run/kernels_select.h"
#include "test.h"

enum { SCAN_LIMIT = 1200, WIDTH_LIMIT = 20 };

typedef struct string {
    size_t n, stride, width;
    double logits[SCAN_LIMIT], values[WIDTH_LIMIT * SCAN_LIMIT];
    float logits32[SCAN_LIMIT], values32[WIDTH_LIMIT * SCAN_LIMIT];
} string;

static void make_string(string *s, test_random *r, bool wild) {
    s->n = random_below(r, random_below(r, 2) ? 20 : SCAN_LIMIT);
    s->stride = s->n + random_below(r, SCAN_LIMIT - s->n + 1);
    s->width = random_below(r, WIDTH_LIMIT);
    double scale = (double[]){0, 1, 3, 50, 1000, 1e6}[random_below(r, 6)];
    double none = (double)random_below(r, 3) * 0.4;
    bool rising = random_below(r, 4) == 0, ones = random_below(r, 6) == 0;
    size_t silent = random_below(r, 4) == 0 ? random_below(r, 200) : 0; /* positions before the first logit */
    for (size_t i = 0; i < s->n; i++) {
        double l = scale * (rising ? (double)i / 100 : draw(r, wild && random_below(r, 10) == 0));
        if (fabs(uniform(r)) < none || i < silent) l = -INFINITY;
        s->logits[i] = s->logits32[i] = (float)l;
    }
    for (size_t i = 0; i < s->width * s->stride; i++)
        s->values[i] = s->values32[i] = (float)(ones ? 1 : draw(r, wild && random_below(r, 30) == 0));
}

/* All n positions, cut at random (whole tiles if `cuts` is NULL). */
static void scan_f64_cut(const kernels *k, const string *s, double *out, scan_f64 *state, bool exclusive,
                         test_random *cuts) {
    for (size_t i = 0, step; i < s->n; i += step) {
        step = cuts ? 1 + random_below(cuts, random_below(cuts, 2) ? 5 : TILE) : TILE;
        if (step > s->n - i) step = s->n - i;
        k->scan_f64(state, out + i, s->logits + i, s->values + i, s->stride, step, s->width, exclusive);
    }
}

static void scan_f32_cut(const kernels *k, const string *s, float *out, scan_f32 *state, bool exclusive,
                         test_random *cuts) {
    for (size_t i = 0, step; i < s->n; i += step) {
        step = cuts ? 1 + random_below(cuts, random_below(cuts, 2) ? 5 : TILE) : TILE;
        if (step > s->n - i) step = s->n - i;
        k->scan_f32(state, out + i, s->logits32 + i, s->values32 + i, s->stride, step, s->width, exclusive);
    }
}

/* Row i of dense attention with the logits as one-component keys is position i of the scan. */
static void check_scan_against_dense(const kernels *k, const string *s, const double *out, bool exclusive) {
    double one = 1, row[WIDTH_LIMIT];
    for (size_t i = 0; i < s->n; i += 1 + i / 4) {
        size_t first = 0, end = exclusive ? i : i + 1;
        k->dense_f64(row, &one, s->logits, s->values, s->stride, &first, &end, 1, 1, s->width);
        for (size_t d = 0; d < s->width; d++) {
            double largest = 0;
            for (size_t j = 0; j < end; j++) largest = fmax(largest, fabs(s->values[d * s->stride + j]));
            double bound = largest * (double)(s->n + 10) * 0x1p-51, got = out[d * s->stride + i];
            CHECK(fabs(got - row[d]) <= bound, "scan at %zu of %zu, component %zu: %.17g, dense %.17g", i, s->n, d,
                  got, row[d]);
        }
    }
}

static void check_scan(const kernels *k, const kernels *ref, string *s, test_random *r, bool wild) {
    static double a[WIDTH_LIMIT * SCAN_LIMIT], b[WIDTH_LIMIT * SCAN_LIMIT];
    static float a32[WIDTH_LIMIT * SCAN_LIMIT], b32[WIDTH_LIMIT * SCAN_LIMIT];
    make_string(s, r, wild);
    bool exclusive = random_below(r, 2);
    for (int cut = 0; cut < 2; cut++) {
        double va[WIDTH_LIMIT] = {0}, vb[WIDTH_LIMIT] = {0};
        float va32[WIDTH_LIMIT] = {0}, vb32[WIDTH_LIMIT] = {0};
        scan_f64 sa = {-INFINITY, 0, va}, sb = {-INFINITY, 0, vb};
        scan_f32 sa32 = {-INFINITY, 0, va32}, sb32 = {-INFINITY, 0, vb32};
        scan_f64_cut(k, s, a, &sa, exclusive, cut ? r : NULL);
        scan_f64_cut(ref, s, b, &sb, exclusive, cut ? r : NULL);
        scan_f32_cut(k, s, a32, &sa32, exclusive, cut ? r : NULL);
        scan_f32_cut(ref, s, b32, &sb32, exclusive, cut ? r : NULL);
        size_t at = 0;
        bool same = same_f64(&sa.s, &sb.s, 1, &at) && same_f64(&sa.m, &sb.m, 1, &at) &&
                    same_f64(va, vb, s->width, &at) && same_f32(va32, vb32, s->width, &at);
        for (size_t d = 0; d < s->width && same; d++)
            same = same_f64(a + d * s->stride, b + d * s->stride, s->n, &at) &&
                   same_f32(a32 + d * s->stride, b32 + d * s->stride, s->n, &at);
        CHECK(same, "scan of %zu, width %zu, exclusive %d, cut %d: differs from the reference at %zu", s->n, s->width,
              exclusive, cut, at);
    }
    if (!wild) check_scan_against_dense(k, s, a, exclusive);
}

/* A whole number v < s whose quotient v / s is as close to half-way between two doubles as any: v 2^54 = (2m + 1) s +
   delta. s is odd and has 53 digits; 0 if v / s would have fewer than 54. */
static double nearly_half(uint64_t s, uint64_t delta) {
    uint64_t v = delta;
    for (int i = 0; i < 54; i++) v = v % 2 ? (v + s) / 2 : v / 2;
    return v >= s / 2 ? (double)v : 0;
}

/* v / s of a state that no position changes, for any v and s: nearly half-way between two doubles, and where a
   remainder would be no double. */
static void check_quotients(const kernels *k, test_random *r, bool odd) {
    enum { N = 64, WIDTH = 8 };
    static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, 0x1p-960, 0x1p-1022, 0x1p-1074, DBL_MAX};
    static const double sums[] = {0, 1, 2, 0x1p70, NAN, INFINITY, 0x1p-1074};
    double logits[N], values[WIDTH * N] = {0}, out[WIDTH * N], v[WIDTH], start[WIDTH];
    for (size_t i = 0; i < N; i++) logits[i] = -INFINITY;
    uint64_t digits = random_u64(r) >> 11 | 1ull << 52 | 1;
    if (random_below(r, 8) == 0) digits = (1ull << 53) - 1;
    int down = (int)random_below(r, odd && random_below(r, 2) ? 1060 : 53);
    double s = ldexp((double)digits, -down);
    if (odd && random_below(r, 4) == 0) s = sums[random_below(r, sizeof sums / sizeof *sums)];
    for (size_t d = 0; d < WIDTH; d++) {
        uint64_t near = 1 + 2 * random_below(r, 4);
        v[d] = ldexp(nearly_half(digits, random_below(r, 2) ? near : digits - near), -down);
        if (odd) v[d] = ldexp(v[d], random_below(r, 2) ? 0 : 500 - (int)random_below(r, 1600));
        if (random_below(r, 2)) v[d] = -v[d];
        if (odd && random_below(r, 4) == 0) v[d] = special[random_below(r, sizeof special / sizeof *special)];
        start[d] = v[d];
    }
    scan_f64 state = {0, s, v};
    k->scan_f64(&state, out, logits, values, N, N, WIDTH, false);
    for (size_t d = 0; d < WIDTH; d++)
        for (size_t i = d; i < N; i += 21) {
            double sum = start[d] + 0.0, want = sum / (s == 0 ? 1 : s);
            size_t at = 0;
            CHECK(same_f64(&out[d * N + i], &want, 1, &at), "%s: %a / %a is %a, not %a", k->name, sum, s,
                  out[d * N + i], want);
        }
}

/* Strings side by side give the bits of each scanned alone. */
static void check_lanes(const kernels *k, const kernels *ref, string *s, test_random *r, bool wild) {
    enum { MOST = 24 };
    static double logits[MOST * SCAN_LIMIT], values[MOST * SCAN_LIMIT], out[MOST * SCAN_LIMIT];
    static float logits32[MOST * SCAN_LIMIT], values32[MOST * SCAN_LIMIT], out32[MOST * SCAN_LIMIT];
    size_t lanes = 8 * (1 + random_below(r, 3)), width = random_below(r, 4), n = random_below(r, 100);
    size_t stride = n * lanes + random_below(r, 20);
    bool exclusive = random_below(r, 2), backward = random_below(r, 2);
    double state[(2 + 3) * MOST] = {0};
    float state32[(2 + 3) * MOST] = {0};
    if (width * stride > MOST * SCAN_LIMIT) return;
    do make_string(s, r, wild);
    while (s->n < lanes + n || s->width < width);
    for (size_t b = 0; b < lanes; b++) { /* string b: n positions from b on */
        state[b] = state32[b] = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            logits[i * lanes + b] = logits32[i * lanes + b] = s->logits32[b + i];
            for (size_t d = 0; d < width; d++)
                values[d * stride + i * lanes + b] = values32[d * stride + i * lanes + b] =
                    s->values32[d * s->stride + b + i];
        }
    }
    k->scan_lanes_f64(state, out, logits, values, stride, n, lanes, width, exclusive, backward);
    k->scan_lanes_f32(state32, out32, logits32, values32, stride, n, lanes, width, exclusive, backward);
    for (size_t b = 0; b < lanes; b++) {
        double row[SCAN_LIMIT], value[SCAN_LIMIT], want[SCAN_LIMIT], v = 0;
        float row32[SCAN_LIMIT], value32[SCAN_LIMIT], want32[SCAN_LIMIT], v32 = 0;
        bool same = true;
        for (size_t d = 0; d < width && same; d++) {
            scan_f64 one = {-INFINITY, 0, &v};
            scan_f32 one32 = {-INFINITY, 0, &v32};
            v = v32 = 0;
            for (size_t i = 0; i < n; i++) {
                size_t at = backward ? n - 1 - i : i;
                row[i] = row32[i] = s->logits32[b + at];
                value[i] = value32[i] = s->values32[d * s->stride + b + at];
            }
            ref->scan_f64(&one, want, row, value, n, n, 1, exclusive);
            ref->scan_f32(&one32, want32, row32, value32, n, n, 1, exclusive);
            size_t x = 0;
            for (size_t i = 0; i < n; i++) {
                size_t at = d * stride + (backward ? n - 1 - i : i) * lanes + b;
                same = same && same_f64(out + at, want + i, 1, &x) && same_f32(out32 + at, want32 + i, 1, &x);
            }
            same = same && same_f64(&state[(2 + d) * lanes + b], &v, 1, &x) && same_f64(&state[b], &one.m, 1, &x) &&
                   same_f64(&state[lanes + b], &one.s, 1, &x) && same_f32(&state32[(2 + d) * lanes + b], &v32, 1, &x);
        }
        CHECK(same, "string %zu of %zu, length %zu, width %zu, exclusive %d, backward %d (%s)", b, lanes, n, width,
              exclusive, backward, k->name);
    }
}

static void check_table(const kernels *k, const kernels *ref, string *s, test_random *r) {
    int rounds = (int)(250 * test_effort()) + 1;
    for (int i = 0; i < rounds; i++) check_scan(k, ref, s, r, i % 4 == 3);
    for (int i = 0; i < 4 * rounds; i++) check_quotients(k, r, i % 4 == 3);
    for (int i = 0; i < rounds; i++) check_lanes(k, ref, s, r, i % 4 == 3);
}

int main(void) {
    test_random r = test_seed(20240612);
    const kernels *tables[KERNELS_MOST];
    size_t count = kernels_list(tables);
    string *s = calloc(1, sizeof *s);
    if (!s) return 2;
    for (size_t k = count > 1 ? 1 : 0; k < count; k++) check_table(tables[k], &kernels_reference, s, &r);
    free(s);
    return test_finish("t-kernels-scan");
}

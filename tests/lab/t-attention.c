/* Every mechanism against its textbook formula, written again in 80-bit arithmetic without looking at the first;
   masks; and what the table claims of the weights. */
#include "lab/mechanism.h"
#include "number/elementary.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

enum { MOST = 40, WIDE = 8, LONG = 2600 };

typedef struct row {
    attention_row in;
    double scores[MOST * MOST], second[MOST], query[WIDE], keys[MOST * WIDE];
    bool masked[MOST];
} row;

static double uniform(test_random *r) { return ldexp((double)(random_u64(r) >> 11), -53); }

/* Scores with corners: ties, zeros, whole numbers, large and tiny ones. */
static double draw(test_random *r) {
    static const double corners[] = {0, 1, -1, 2, 3, 5, -2, 0.5, 10, -10, 30, 1e-3, 1e-9};
    if (random_below(r, 3) == 0) return corners[random_below(r, sizeof corners / sizeof *corners)];
    return (uniform(r) - 0.5) * ldexp(1, (int)random_below(r, 6));
}

static void draw_row(row *x, const mechanism *m, test_random *r) {
    size_t n = 1 + random_below(r, random_below(r, 4) ? 8 : MOST);
    memset(x, 0, sizeof *x);
    x->in = (attention_row){.n = n,
                            .position = random_below(r, n),
                            .queries = m->input == INPUT_MATRIX ? n : 0,
                            .size = strcmp(m->name, "integral") ? 1 + random_below(r, WIDE) : WIDE};
    bool same = random_below(r, 6) == 0, positive = random_below(r, 3) == 0;
    for (size_t k = 0; k < n * n; k++) {
        x->scores[k] = same && k % n ? x->scores[k - k % n] : draw(r);
        if (positive) x->scores[k] = fabs(x->scores[k]);
    }
    for (size_t k = 0; k < n; k++) x->second[k] = draw(r);
    for (size_t k = 0; k < WIDE; k++) x->query[k] = draw(r) / 4;
    for (size_t k = 0; k < n * WIDE; k++) x->keys[k] = draw(r) / 4;
    if (random_below(r, 4) == 0) memcpy(x->query, x->keys + x->in.position * x->in.size, x->in.size * sizeof(double));
    x->in.scores = x->scores;
    if (m->input == INPUT_TWO) x->in.second = x->second;
    if (m->input == INPUT_VECTORS) x->in.query = x->query, x->in.keys = x->keys;
}

/* ---- second implementations: w[j] for all j ---- */

static real biggest(const double *s, size_t n) {
    real m = s[0];
    for (size_t j = 1; j < n; j++) m = fmaxl(m, s[j]);
    return m;
}

static void plain_softmax(real *w, const double *s, size_t n, real b) {
    for (size_t i = 0; i < n; i++) {
        real sum = 0;
        for (size_t j = 0; j < n; j++) sum += expl(b * ((real)s[j] - (real)s[i]));
        w[i] = 1 / sum;
    }
}

static void over_sum(real *w, size_t n) {
    real sum = 0;
    for (size_t j = n; j-- > 0;) sum += w[j];
    for (size_t j = 0; j < n; j++) w[j] /= sum;
}

static real taylor_terms(real x, int order) {
    real sum = 0;
    for (int k = 0; k <= order; k++) sum += powl(x, k) / tgammal(k + 1);
    return sum;
}

static void periodic(real *w, const attention_row *in, const char *name, bool prenorm) {
    real mean = 0, square = 0;
    for (size_t j = 0; j < in->n; j++) mean += in->scores[j] / (real)in->n;
    for (size_t j = 0; j < in->n; j++) square += powl(in->scores[j] - mean, 2) / (real)in->n;
    for (size_t j = 0; j < in->n; j++) {
        real s = prenorm ? (in->scores[j] - mean) / sqrtl(square + 1e-5L) : in->scores[j];
        if (!strcmp(name, "sin-softmax")) w[j] = expl(sinl(s));
        if (!strcmp(name, "sin2max")) w[j] = (1 - cosl(2 * s)) / 2;
        if (!strcmp(name, "sin2max-shifted")) w[j] = (1 + sinl(2 * s)) / 2;
        if (!strcmp(name, "cosmax")) w[j] = cosl(s);
        if (!strcmp(name, "sirenmax")) w[j] = (1 + sinl(s)) / (2 - 2 * sinl(s));
        if (!strcmp(name, "sinmax-ten")) w[j] = 1 + sinl(10 * s);
        if (!strcmp(name, "sinmax-plain")) w[j] = sinl(s);
    }
    over_sum(w, in->n);
}

/* By bisection, though sparsemax (a = 2) and 1.5-entmax are implemented by sorting. */
static void entmax_by_bisection(real *w, const double *s, size_t n, real a) {
    real top = (a - 1) * biggest(s, n), low = top - 1, high = top;
    for (int k = 0; k < 66; k++) {
        real tau = (low + high) / 2, sum = 0;
        for (size_t j = 0; j < n; j++) sum += powl(fmaxl((a - 1) * s[j] - tau, 0), 1 / (a - 1));
        *(sum < 1 ? &high : &low) = tau;
    }
    for (size_t j = 0; j < n; j++) w[j] = powl(fmaxl((a - 1) * s[j] - low, 0), 1 / (a - 1));
}

static real distance_kernel(const real *x, const real *y, size_t d) {
    real sum = 0;
    for (size_t c = 0; c < d; c++) sum += powl((x[c] - y[c]) * powl((real)d, -0.25L), 2);
    return expl(-sum / 2);
}

/* Gauss-Jordan. */
static void invert(real *a, real *out, size_t m) {
    for (size_t k = 0; k < m * m; k++) out[k] = k % (m + 1) == 0;
    for (size_t k = 0; k < m; k++) {
        size_t pivot = k;
        for (size_t i = k; i < m; i++)
            if (fabsl(a[i * m + k]) > fabsl(a[pivot * m + k])) pivot = i;
        for (size_t j = 0; j < m; j++) {
            real t = a[k * m + j];
            a[k * m + j] = a[pivot * m + j], a[pivot * m + j] = t;
            t = out[k * m + j], out[k * m + j] = out[pivot * m + j], out[pivot * m + j] = t;
        }
        real d = a[k * m + k];
        for (size_t j = 0; j < m; j++) a[k * m + j] /= d, out[k * m + j] /= d;
        for (size_t i = 0; i < m; i++) {
            real f = i == k ? 0 : a[i * m + k];
            for (size_t j = 0; j < m; j++) a[i * m + j] -= f * a[k * m + j], out[i * m + j] -= f * out[k * m + j];
        }
    }
}

/* What 20 Newton steps from A/r^2 give in closed form: A^-1 (1 - E), E = (1 - A^2/r^2)^(2^20) by squaring. */
static void newton_limit(real *out, real *a, size_t m) {
    static real e[MOST * MOST], t[MOST * MOST];
    real r = 0;
    for (size_t i = 0; i < m; i++) {
        real sum = 0;
        for (size_t j = 0; j < m; j++) sum += a[i * m + j];
        r = fmaxl(r, sum);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            e[i * m + j] = i == j;
            for (size_t k = 0; k < m; k++) e[i * m + j] -= a[i * m + k] * a[k * m + j] / (r * r);
        }
    for (int step = 0; step < 20; step++) {
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++) {
                t[i * m + j] = 0;
                for (size_t k = 0; k < m; k++) t[i * m + j] += e[i * m + k] * e[k * m + j];
            }
        memcpy(e, t, m * m * sizeof *e);
    }
    invert(a, t, m);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            out[i * m + j] = t[i * m + j];
            for (size_t k = 0; k < m; k++) out[i * m + j] -= t[i * m + k] * e[k * m + j];
        }
}

static void landmark(real *w, const attention_row *in, size_t m, bool norm) {
    static real marks[MOST * WIDE], a[MOST * MOST], inverse[MOST * MOST];
    real sums[MOST] = {0}, q[WIDE], k[WIDE];
    size_t d = in->size, n = in->n;
    if (m > n) m = n;
    for (size_t t = 0; t < m; t++) {
        size_t from = t * n / m, to = (t + 1) * n / m;
        for (size_t c = 0; c < d; c++) {
            marks[t * d + c] = 0;
            for (size_t j = from; j < to; j++) marks[t * d + c] += in->keys[j * d + c];
            marks[t * d + c] /= (real)(to - from);
        }
    }
    for (size_t s = 0; s < m; s++)
        for (size_t t = 0; t < m; t++) {
            a[s * m + t] = distance_kernel(marks + s * d, marks + t * d, d);
            sums[s] += a[s * m + t];
        }
    for (size_t s = 0; s < m; s++) a[s * m + s] += 0.01L;
    newton_limit(inverse, a, m);
    for (size_t c = 0; c < d; c++) q[c] = in->query[c];
    for (size_t j = 0; j < n; j++) {
        w[j] = 0;
        for (size_t c = 0; c < d; c++) k[c] = in->keys[j * d + c];
        for (size_t s = 0; s < m; s++)
            for (size_t t = 0; t < m; t++)
                w[j] += distance_kernel(q, marks + s * d, d) * inverse[s * m + t] *
                        distance_kernel(marks + t * d, k, d) / (norm ? sqrtl(sums[s] * sums[t]) : 1);
    }
}

static void plain_sinkhorn(real *w, const attention_row *in, int steps) {
    static real k[MOST * MOST];
    size_t n = in->n, rows = in->queries;
    for (size_t c = 0; c < rows * n; c++) k[c] = expl(in->scores[c]);
    for (int step = 0; step < steps; step++) {
        if (step % 2 == 0) {
            for (size_t i = 0; i < rows; i++) over_sum(k + i * n, n);
            continue;
        }
        for (size_t j = 0; j < n; j++) {
            real sum = 0;
            for (size_t i = 0; i < rows; i++) sum += k[i * n + j];
            for (size_t i = 0; i < rows; i++) k[i * n + j] /= sum;
        }
    }
    memcpy(w, k + in->position * n, n * sizeof *w);
}

/* Integers throughout: units of 2^-2, 2^-15, 2^-6, 2^-7. */
static void integer_softermax(real *w, const attention_row *in, bool ceiling) {
    static long s[LONG], u[LONG];
    long most = -1000, top;
    long long sum = 0;
    for (size_t j = 0; j < in->n; j++) {
        double q = floor(in->scores[j] * 4 + 0.5);
        s[j] = q > 127 ? 127 : q < -128 ? -128 : (long)q;
        if (s[j] > most) most = s[j];
    }
    top = ceiling ? (long)ceill(most / 4.0L) : (long)floorl(most / 4.0L);
    for (size_t j = 0; j < in->n; j++) {
        real y = floorl(powl(2, s[j] / 4.0L - top) * 32768 + 0.5L);
        u[j] = y > 65535 ? 65535 : (long)y;
        sum += u[j];
    }
    sum = (sum + 256) / 512; /* 2^-15 to 2^-6 */
    if (sum > 65535) sum = 65535;
    long long reciprocal = (2 * 8192 + sum) / (2 * sum); /* 128 * 64 / sum, to the nearest */
    if (reciprocal > 255) reciprocal = 255;
    for (size_t j = 0; j < in->n; j++) {
        long long y = (u[j] * reciprocal + 16384) / 32768;
        w[j] = (y > 255 ? 255 : y) / 128.0L;
    }
}

static void plain_feature(real *out, const double *x, size_t d) {
    real sum = 0;
    for (size_t c = 0; c < d; c++) sum += expl(2 * (real)x[c]) + expl(-2 * (real)x[c]);
    for (size_t c = 0; c < d; c++) out[c] = expl(2 * (real)x[c]) / sum, out[d + c] = expl(-2 * (real)x[c]) / sum;
}

/* False: there is no second formula for it here. */
static bool plain(real *w, const mechanism *m, const attention_row *in, const double *p) {
    const double *s = in->scores;
    size_t n = in->n;
    const char *name = m->name;
    if (!strcmp(m->family, "periodic")) {
        periodic(w, in, name, p[0] != 0);
    } else if (!strcmp(name, "softmax") || !strcmp(name, "focal")) {
        plain_softmax(w, s, n, 1 / (real)p[0]);
    } else if (!strcmp(name, "log-n")) {
        for (size_t i = 0; i < n; i++) {
            w[i] = 0;
            for (size_t j = 0; j < n; j++) w[i] += powl(n, (real)s[j] - s[i]);
            w[i] = 1 / w[i];
        }
    } else if (!strcmp(name, "ssmax")) {
        for (size_t i = 0; i < n; i++) {
            w[i] = 0;
            for (size_t j = 0; j < n; j++) w[i] += powl(n, (real)p[0] * ((real)s[j] - s[i]));
            w[i] = 1 / w[i];
        }
    } else if (!strcmp(name, "focal-learned")) {
        plain_softmax(w, s, n, 1 / fminl(fmaxl(p[0], p[1]), p[2]));
    } else if (!strcmp(name, "softermax")) {
        for (size_t i = 0; i < n; i++) w[i] = exp2l((real)s[i] - biggest(s, n));
        over_sum(w, n);
    } else if (!strncmp(name, "softermax-", 10)) {
        integer_softermax(w, in, p[0] != 0);
    } else if (!strcmp(name, "adaptive")) {
        real h = 0, b = 1;
        plain_softmax(w, s, n, 1);
        for (size_t j = 0; j < n; j++) h -= w[j] * logl(w[j] + 1e-9L);
        if (h > 0.5L) b = fmaxl(1, -0.037L * powl(h, 4) + 0.481L * powl(h, 3) - 2.3L * h * h + 4.917L * h - 1.791L);
        plain_softmax(w, s, n, b);
    } else if (!strcmp(name, "self-adjust")) {
        plain_softmax(w, s, n, 1);
        for (size_t j = 0; j < n; j++) w[j] *= s[j];
    } else if (!strcmp(name, "self-adjust-normalised")) {
        real low = 0, high = 0;
        plain_softmax(w, s, n, 1);
        for (size_t j = 0; j < n; j++) low = fminl(low, s[j]), high = fmaxl(high, s[j]);
        for (size_t j = 0; j < n; j++) w[j] *= (s[j] - low) / (high - low);
    } else if (!strcmp(name, "affine")) {
        plain_softmax(w, s, n, 1);
        for (size_t j = 0; j < n; j++) w[j] = p[0] * w[j] + (p[1] - (real)p[0]) / (real)n;
    } else if (!strcmp(name, "softmax-plus-one")) {
        for (size_t i = 0; i < n; i++) {
            w[i] = expl((real)p[0] - s[i]);
            for (size_t j = 0; j < n; j++) w[i] += expl((real)s[j] - s[i]);
            w[i] = 1 / w[i];
        }
    } else if (!strcmp(name, "differential")) {
        real other[MOST];
        plain_softmax(w, s, n, 1);
        plain_softmax(other, in->second, n, 1);
        for (size_t j = 0; j < n; j++) w[j] -= (0.8L - 0.6L * expl(-0.3L * p[0])) * other[j];
    } else if (!strcmp(name, "cog")) {
        for (size_t i = 0; i < n; i++) w[i] = expl(fabsl(s[i]));
        over_sum(w, n);
        for (size_t i = 0; i < n; i++) w[i] = s[i] > 0 ? w[i] : s[i] < 0 ? -w[i] : 0;
    } else if (!strcmp(name, "soft-margin")) {
        for (size_t i = 0; i < n; i++) {
            real sum = 0;
            for (size_t j = 0; j < n; j++) sum += j == i ? 0 : expl((real)s[j] - s[i] + p[0]);
            w[i] = 1 / (1 + sum);
        }
    } else if (!strcmp(name, "laser")) {
        plain_softmax(w, s, n, 1);
    } else if (!strcmp(name, "ssa")) {
        for (size_t i = 0; i < n; i++)
            w[i] = s[i] < 0 ? 1 / powl(1 - (real)p[0] * s[i], p[1]) : powl(1 + (real)p[0] * s[i], p[1]);
        over_sum(w, n);
    } else if (!strcmp(name, "polynomial")) {
        for (size_t i = 0; i < n; i++) w[i] = powl(s[i], p[0]) / sqrtl((real)n);
    } else if (!strcmp(name, "polynomial-square")) {
        for (size_t i = 0; i < n; i++)
            w[i] = ((real)s[i] * s[i] + 2 * (real)p[0] * s[i] + (real)p[0] * p[0]) / sqrtl((real)n);
    } else if (!strcmp(name, "polynomial-normalised")) {
        for (size_t i = 0; i < n; i++) w[i] = powl(s[i], p[0]);
        over_sum(w, n);
    } else if (!strcmp(name, "taylor")) {
        for (size_t i = 0; i < n; i++) w[i] = taylor_terms(s[i], (int)p[0]);
        over_sum(w, n);
    } else if (!strcmp(name, "soft-margin-taylor")) {
        for (size_t i = 0; i < n; i++) {
            real own = taylor_terms((real)s[i] - p[0], (int)p[1]), sum = own;
            for (size_t j = 0; j < n; j++) sum += j == i ? 0 : taylor_terms(s[j], (int)p[1]);
            w[i] = own / sum;
        }
    } else if (!strcmp(name, "sigmoid")) {
        for (size_t i = 0; i < n; i++) w[i] = 1 / (1 + powl(n, p[0]) * expl(-(real)s[i]));
    } else if (!strcmp(name, "relu-n")) {
        for (size_t i = 0; i < n; i++) w[i] = fmaxl(s[i], 0) / (real)n;
    } else if (!strcmp(name, "softpick")) {
        real sum = p[0] * expl(biggest(s, n));
        for (size_t j = 0; j < n; j++) sum += fabsl(expm1l(s[j]));
        for (size_t j = 0; j < n; j++) w[j] = fmaxl(expm1l(s[j]), 0) / sum;
    } else if (!strcmp(name, "sparsemax")) {
        entmax_by_bisection(w, s, n, 2);
    } else if (!strcmp(name, "entmax")) {
        entmax_by_bisection(w, s, n, p[0]);
    } else if (!strcmp(name, "top-k")) {
        real sum = 0;
        for (size_t i = 0; i < n; i++) {
            size_t before = 0; /* in the order of scores, then of places */
            for (size_t j = 0; j < n; j++) before += s[j] > s[i] || (s[j] == s[i] && j < i);
            sum += w[i] = before < (size_t)p[0] ? expl((real)s[i] - biggest(s, n)) : 0;
        }
        for (size_t i = 0; i < n; i++) w[i] /= sum;
    } else if (!strncmp(name, "hardmax-", 8)) {
        size_t first = n, last = 0, ties = 0;
        for (size_t j = 0; j < n; j++)
            if (s[j] == (double)biggest(s, n)) first = first == n ? j : first, last = j, ties++;
        for (size_t j = 0; j < n; j++)
            w[j] = !strcmp(name, "hardmax-leftmost")    ? j == first
                   : !strcmp(name, "hardmax-rightmost") ? j == last
                                                        : (s[j] == (double)biggest(s, n)) / (real)ties;
    } else if (!strcmp(name, "integral")) {
        double mean[MOST];
        size_t part = in->size / (size_t)p[0];
        for (size_t j = 0; j < n; j++) {
            real sum = 0;
            for (size_t signal = 0; signal < (size_t)p[0]; signal++)
                for (size_t c = signal * part; c < (signal + 1) * part; c++)
                    sum += (real)in->query[c] * in->keys[j * in->size + c] / p[0];
            mean[j] = (double)sum;
        }
        plain_softmax(w, mean, n, 1);
    } else if (!strcmp(name, "soft")) {
        real q[WIDE], k[WIDE];
        for (size_t j = 0; j < n; j++) {
            for (size_t c = 0; c < in->size; c++) q[c] = in->query[c], k[c] = in->keys[j * in->size + c];
            w[j] = distance_kernel(q, k, in->size);
        }
    } else if (!strncmp(name, "soft-landmark", 13)) {
        landmark(w, in, (size_t)p[0], name[13] != 0);
    } else if (!strcmp(name, "cosformer")) {
        real sum = 0, length = (real)(in->position + 1 > n ? in->position + 1 : n);
        for (size_t j = 0; j < n; j++) {
            w[j] = 0;
            for (size_t c = 0; c < in->size; c++)
                w[j] += fmaxl(in->query[c], 0) * fmaxl(in->keys[j * in->size + c], 0);
            sum += w[j] *= cosl(acosl(-1) * ((real)in->position - (real)j) / (2 * length));
        }
        for (size_t j = 0; j < n; j++) w[j] /= fmaxl(sum, p[0]);
    } else if (!strcmp(name, "linear")) {
        for (size_t j = 0; j < n; j++) {
            w[j] = 0;
            for (size_t c = 0; c < in->size; c++) {
                real q = in->query[c], k = in->keys[j * in->size + c];
                w[j] += (q > 0 ? q + 1 : expl(q)) * (k > 0 ? k + 1 : expl(k));
            }
        }
        over_sum(w, n);
    } else if (!strcmp(name, "hedgehog")) {
        real q[2 * WIDE], k[2 * WIDE];
        plain_feature(q, in->query, in->size);
        for (size_t j = 0; j < n; j++) {
            plain_feature(k, in->keys + j * in->size, in->size);
            w[j] = 0;
            for (size_t c = 0; c < 2 * in->size; c++) w[j] += q[c] * k[c];
        }
        over_sum(w, n);
    } else if (!strcmp(name, "sinkhorn")) {
        plain_sinkhorn(w, in, (int)p[0]);
    } else {
        return false;
    }
    return true;
}

/* ---- comparison ---- */

/* How much of the difference the formula's own conditioning explains: where a sum of signed terms nearly cancels, or
   a function has a steep place, weights of the two ways may differ by so much more than the last bit. */
static real tolerance(const mechanism *m, const real *w, size_t n) {
    real size = 1;
    for (size_t j = 0; j < n; j++) size = fmaxl(size, fabsl(w[j]));
    bool landmarks = !strncmp(m->name, "soft-landmark", 13);
    bool steep = !strcmp(m->family, "periodic") || !strcmp(m->name, "polynomial-normalised");
    return size * (landmarks ? 1e-9L : steep ? 1e-11L * size : 2e-14L * (real)n + 1e-13L);
}

static void compare(const mechanism *m, const row *x, const double *p, arena *a) {
    real want[MOST];
    double got[MOST];
    mechanism_weights(got, m, &x->in, p, a);
    if (!plain(want, m, &x->in, p)) return;
    real allowed = tolerance(m, want, x->in.n);
    /* A row of equal scores less its mean is 0 or what rounding left of it. */
    if (!strcmp(m->family, "periodic") && p[0] != 0 &&
        row_largest(x->scores, x->in.n) == row_least(x->scores, x->in.n))
        return;
    bool defined = true;
    for (size_t j = 0; j < x->in.n; j++) defined = defined && isfinite((double)want[j]) && fabsl(want[j]) < 1e6L;
    if (!defined) { /* a sum that vanishes: only claimed of some */
        CHECK(m->claims & CAN_DIVIDE_BY_ZERO || !strcmp(m->name, "polynomial"), "%s: not defined, n = %zu, s = %g %g",
              m->name, x->in.n, x->scores[0], x->scores[1]);
        return;
    }
    for (size_t j = 0; j < x->in.n; j++)
        if (!CHECK(fabsl(got[j] - want[j]) <= allowed,
                   "%s, n = %zu, w[%zu] = %.17g, not %.17g (s = %.17g, allowed %.3g)", m->name, x->in.n, j, got[j],
                   (double)want[j], x->scores[j], (double)allowed))
            return;
}

/* ---- claims ---- */

static void check_claims(const mechanism *m, const row *x, const double *w) {
    double sum = 0;
    bool below = false, defined = true;
    for (size_t j = 0; j < x->in.n; j++) {
        sum += w[j];
        below = below || w[j] < 0;
        defined = defined && isfinite(w[j]) && fabs(w[j]) < 1e6;
    }
    if (!defined) return;
    if (m->claims & SUMS_TO_ONE) CHECK(fabs(sum - 1) < 1e-9, "%s: sum %.17g, n = %zu", m->name, sum, x->in.n);
    if (!(m->claims & CAN_BE_BELOW)) CHECK(!below, "%s: a negative weight, n = %zu", m->name, x->in.n);
}

static void check_shift(const mechanism *m, row *x, const double *p, double shift, arena *a, bool *moved) {
    double before[MOST], after[MOST], most = 0;
    mechanism_weights(before, m, &x->in, p, a);
    for (size_t k = 0; k < x->in.n * (x->in.queries ? x->in.queries : 1); k++) x->scores[k] += shift;
    mechanism_weights(after, m, &x->in, p, a);
    for (size_t j = 0; j < x->in.n; j++) most = fmax(most, fabs(before[j] - after[j]));
    if (m->claims & SHIFT_INVARIANT)
        CHECK(most < 1e-12, "%s is not shift-invariant: %g", m->name, most);
    else if (!(most < 1e-3))
        *moved = true;
}

/* Masked keys take no part: the weights are those of the row without them. */
static void check_mask(const mechanism *m, row *x, const double *p, test_random *r, arena *a) {
    double w[MOST], v[MOST];
    row y = *x;
    size_t n = x->in.n, kept = 0;
    if (!strcmp(m->name, "cosformer")) return; /* places count: see below */
    for (size_t j = 0; j < n; j++) x->masked[j] = random_below(r, 3) == 0;
    for (size_t j = 0; j < n; j++) {
        if (x->masked[j]) continue;
        for (size_t i = 0; i < (x->in.queries ? n : 1); i++) y.scores[i * n + kept] = x->scores[i * n + j];
        y.second[kept] = x->second[j];
        memcpy(y.keys + kept * x->in.size, x->keys + j * x->in.size, x->in.size * sizeof(double));
        kept++;
    }
    for (size_t i = 0; x->in.queries && i < n; i++)
        memmove(y.scores + i * kept, y.scores + i * n, kept * sizeof(double));
    y.in.n = kept;
    y.in.scores = y.scores;
    if (y.in.second) y.in.second = y.second;
    if (y.in.keys) y.in.keys = y.keys, y.in.query = y.query;
    x->in.masked = x->masked;
    mechanism_weights(w, m, &x->in, p, a);
    mechanism_weights(v, m, &y.in, p, a);
    double values[MOST], kept_values[MOST];
    for (size_t j = 0, k = 0; j < n; j++) {
        values[j] = x->masked[j] ? 1e9 : (double)j / 7;
        if (!x->masked[j]) kept_values[k] = values[j];
        double want = x->masked[j] ? 0 : v[k++];
        CHECK(w[j] == want || (isnan(w[j]) && isnan(want)), "%s: masked row differs at %zu", m->name, j);
    }
    double one = mechanism_output(m, &x->in, values, p, a), two = mechanism_output(m, &y.in, kept_values, p, a);
    CHECK(one == two || (isnan(one) && isnan(two)), "%s: masked output %g, not %g", m->name, one, two);
}

static void run_mechanism(const mechanism *m, test_random *r, arena *a) {
    unsigned rounds = (unsigned)(400 * test_effort()) + 20;
    if (!strncmp(m->name, "soft-landmark", 13)) rounds = rounds / 8 + 3;
    bool moved = false;
    double p[MECHANISM_PARAMETERS];
    for (unsigned k = 0; k < rounds; k++) {
        row x;
        double w[MOST];
        arena_reset(a);
        draw_row(&x, m, r);
        mechanism_defaults(p, m);
        if (k % 3 == 1) { /* other parameters */
            if (!strcmp(m->family, "periodic")) p[0] = 1;
            if (!strcmp(m->name, "entmax")) p[0] = 1.1 + uniform(r) * 2;
            if (!strcmp(m->name, "softmax") || !strcmp(m->name, "ssmax") || !strcmp(m->name, "focal"))
                p[0] = 0.05 + uniform(r);
            if (!strcmp(m->name, "focal-learned")) p[0] = draw(r);
            if (!strcmp(m->name, "top-k")) p[0] = 1 + (double)random_below(r, 9);
            if (!strcmp(m->name, "sinkhorn")) p[0] = 1 + (double)random_below(r, 9);
            if (!strcmp(m->name, "taylor")) p[0] = 4;
            if (!strncmp(m->name, "polynomial", 10)) p[0] = 2;
            if (!strcmp(m->name, "ssa")) p[0] = 0.1 + uniform(r), p[1] = 2;
            if (!strcmp(m->name, "affine")) p[0] = uniform(r), p[1] = uniform(r);
            if (!strncmp(m->name, "soft-landmark", 13)) p[0] = 1 + (double)random_below(r, 6);
            if (!strcmp(m->name, "differential")) p[0] = (double)random_below(r, 20);
            if (!strcmp(m->name, "softmax-plus-one") || !strcmp(m->name, "sigmoid")) p[0] = draw(r);
            if (!strcmp(m->name, "soft-margin")) p[0] = 2 * uniform(r);
            if (!strcmp(m->name, "soft-margin-taylor"))
                p[0] = 2 * uniform(r), p[1] = 2 + 2 * (double)random_below(r, 3);
            if (!strcmp(m->name, "softpick")) p[0] = uniform(r);
            if (!strcmp(m->name, "cosformer")) p[0] = 0.05 + uniform(r) / 2;
            if (!strcmp(m->name, "integral")) p[0] = ldexp(1, (int)random_below(r, 4));
        }
        compare(m, &x, p, a);
        mechanism_weights(w, m, &x.in, p, a);
        if (!m->attend) { /* the output is the sum of w v */
            double values[MOST], out = 0, size = 0;
            for (size_t j = 0; j < x.in.n; j++) {
                values[j] = draw(r);
                out += w[j] * values[j], size += fabs(w[j] * values[j]);
            }
            double got = mechanism_output(m, &x.in, values, p, a);
            if (isfinite(size)) CHECK(fabs(got - out) <= 1e-14 * size, "%s: output %g, not %g", m->name, got, out);
        }
        bool on_columns = m->input == INPUT_MATRIX && fmod(p[0], 2) == 0; /* rows sum to one after rows */
        if (!on_columns) check_claims(m, &x, w);
        if (m->input != INPUT_VECTORS) check_shift(m, &x, p, k % 2 ? 1 : -2.5, a, &moved);
        check_mask(m, &x, p, r, a);
    }
    if (m->input != INPUT_VECTORS && strcmp(m->name, "gumbel") && !(m->claims & SHIFT_INVARIANT))
        CHECK(moved, "%s: no shift changed anything, yet it is not claimed to be invariant", m->name);
}

static void test_laser(test_random *r, arena *a) {
    const mechanism *m = mechanism_find("laser");
    for (int k = 0; k < 300; k++) {
        row x;
        real w[MOST], sum = 0;
        double values[MOST];
        draw_row(&x, m, r);
        for (size_t j = 0; j < x.in.n; j++) values[j] = draw(r) * (k % 7 ? 1 : 100);
        plain_softmax(w, x.scores, x.in.n, 1);
        for (size_t j = 0; j < x.in.n; j++) sum += w[j] * expl(values[j]);
        double got = mechanism_output(m, &x.in, values, NULL, a);
        CHECK(fabsl(got - logl(sum)) < 1e-12L * (1 + fabsl(logl(sum))), "laser: %.17g, not %.17g", got,
              (double)logl(sum));
    }
}

/* Scores beyond what Q(6,2) holds, and rows so long that the sum saturates: all bits. */
static void test_fixed_point(test_random *r, arena *a) {
    static double scores[LONG], w[LONG];
    static real want[LONG];
    for (int k = 0; k < 400; k++) {
        size_t n = 1 + random_below(r, k % 8 ? 60 : LONG);
        double wide = ldexp(1, (int)random_below(r, 8)), level = k % 3 ? 0 : (uniform(r) - 0.5) * 100,
               ceiling = k % 2;
        for (size_t j = 0; j < n; j++) scores[j] = level + (k % 5 ? (uniform(r) - 0.5) * wide : 0);
        attention_row in = {.n = n, .scores = scores};
        mechanism_weights(w, mechanism_find("softermax-fixed"), &in, &ceiling, a);
        integer_softermax(want, &in, k % 2);
        for (size_t j = 0; j < n; j++)
            if (!CHECK(w[j] == (double)want[j], "softermax-fixed, n = %zu, w[%zu] = %g, not %g (s = %g)", n, j, w[j],
                       (double)want[j], scores[j]))
                break;
    }
}

/* cosFormer's cosine uses the places in the whole row, also when keys between are masked. */
static void test_places(arena *a) {
    double query[1] = {1}, keys[4] = {1, 1, 1, 1}, w[4];
    bool masked[4] = {false, true, true, false};
    attention_row in = {.n = 4, .masked = masked, .query = query, .keys = keys, .size = 1, .position = 3};
    mechanism_weights(w, mechanism_find("cosformer"), &in, NULL, a);
    double far = cos(acos(-1) * 3 / 8), near = 1;
    CHECK(fabs(w[0] - far / (far + near)) < 1e-14 && w[1] == 0 && fabs(w[3] - near / (far + near)) < 1e-14,
          "cosformer with masked keys: %g %g %g %g", w[0], w[1], w[2], w[3]);
    masked[1] = false, masked[3] = true; /* the query's own place counts in the length, though its key does not */
    mechanism_weights(w, mechanism_find("cosformer"), &in, NULL, a);
    double second = cos(acos(-1) / 4);
    CHECK(fabs(w[0] - far / (far + second)) < 1e-14 && fabs(w[1] - second / (far + second)) < 1e-14,
          "cosformer without its own key: %g %g", w[0], w[1]);
    size_t place[4] = {2, 5, 6, 7}; /* keys that had been taken out before */
    in.place = place, in.position = 7;
    mechanism_weights(w, mechanism_find("cosformer"), &in, NULL, a);
    double five = cos(acos(-1) * 5 / 16), two = cos(acos(-1) * 2 / 16);
    CHECK(fabs(w[0] - five / (five + two)) < 1e-14 && fabs(w[1] - two / (five + two)) < 1e-14,
          "cosformer at places 2 and 5 of 8: %g %g", w[0], w[1]);
    attention_row none = {.n = 4, .masked = (bool[4]){true, true, true, true}, .scores = keys};
    for (size_t k = 0; k < mechanism_count(); k++) {
        attention_row in_none = none;
        if (mechanism_at(k)->input == INPUT_VECTORS) in_none.query = query, in_none.keys = keys, in_none.size = 1;
        if (mechanism_at(k)->input == INPUT_TWO) in_none.second = keys;
        double v[4] = {9, 9, 9, 9};
        mechanism_weights(v, mechanism_at(k), &in_none, NULL, a);
        CHECK(v[0] == 0 && v[3] == 0 && mechanism_output(mechanism_at(k), &in_none, keys, NULL, a) == 0,
              "%s: a row without keys", mechanism_at(k)->name);
    }
}

static void test_table(void) {
    size_t count = mechanism_count();
    CHECK(count >= 45, "%zu mechanisms", count);
    for (size_t k = 0; k < count; k++) {
        const mechanism *m = mechanism_at(k);
        double p[MECHANISM_PARAMETERS];
        size_t parameters = mechanism_defaults(p, m);
        CHECK(mechanism_find(m->name) == m && *m->formula && *m->source && m->note && m->gain > 0, "%s: row",
              m->name);
        for (size_t c = 0; c < parameters; c++)
            CHECK(m->parameters[c].least <= p[c] && p[c] <= m->parameters[c].most, "%s: default of %s", m->name,
                  m->parameters[c].name);
    }
    CHECK(!mechanism_find("none") && !mechanism_at(count), "outside the table");
}

int main(void) {
    trap t;
    arena a;
    test_random r = test_seed(41);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        test_table();
        for (size_t k = 0; k < mechanism_count(); k++) run_mechanism(mechanism_at(k), &r, &a);
        test_laser(&r, &a);
        test_fixed_point(&r, &a);
        test_places(&a);
        trap_clear(&t);
    }
    arena_free(&a);
    return test_finish("t-attention");
}

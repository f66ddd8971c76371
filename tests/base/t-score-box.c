/* Exact extremes of softmax over boxes of scores and values: against all vertices, evaluated in balls too; against
   random points of the box in long double, which never lie outside; and corners of the format of the input. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number/score_box.h"
#include "test.h"

enum { MOST = 9 };

typedef struct fixture {
    trap trap;
    arena memory, scratch;
} fixture;

static void show(char out[1024], const score_box *b, size_t n) {
    size_t used = 0;
    out[0] = 0;
    for (size_t j = 0; j < n && used < 900; j++)
        used += (size_t)snprintf(out + used, 1024 - used, " [%g, %g] x %llu: [%g, %g]", b[j].lo, b[j].hi,
                                 (unsigned long long)b[j].count, b[j].vlo, b[j].vhi);
}

/* One vertex: bit j of `high` puts score j at hi, `upper` all values at vhi. False: no key has a weight. */
static bool vertex(ball *out, const score_box *b, size_t n, unsigned high, bool upper, arena *a) {
    ball *t = ball_array(a, 4), *weight = t, *total = t + 1, *sum = t + 2, *x = t + 3;
    double shift = -INFINITY;
    for (size_t j = 0; j < n; j++) shift = fmax(shift, high >> j & 1 ? b[j].hi : b[j].lo);
    if (shift == -INFINITY) return false;
    for (size_t j = 0; j < n; j++) {
        double score = high >> j & 1 ? b[j].hi : b[j].lo;
        if (score == -INFINITY || b[j].count == 0) continue;
        ball_set_double(weight, score);
        ball_set_double(x, shift);
        ball_sub(weight, weight, x);
        ball_exp(weight, weight);
        ball_set_int(x, (int64_t)b[j].count);
        ball_mul(weight, weight, x);
        ball_add(total, total, weight);
        ball_set_double(x, upper ? b[j].vhi : b[j].vlo);
        ball_mul(x, x, weight);
        ball_add(sum, sum, x);
    }
    ball_div(out, sum, total);
    return ball_is_finite(out);
}

/* Both enclose the same number: they overlap, and are so narrow that this says something. */
static bool same(const ball *x, const ball *y) {
    double size = fmax(1e-300, fmax(fabs(ball_upper(x)), fabs(ball_upper(y))));
    return !ball_is_less(x, y) && !ball_is_less(y, x) && ball_upper(x) - ball_lower(x) <= 0x1p-40 * size;
}

static void against_vertices(fixture *f, const score_box *b, size_t n) {
    char text[1024];
    show(text, b, n);
    arena_reset(&f->memory);
    arena_reset(&f->scratch);
    ball *e = ball_array(&f->memory, 5), *least = e, *greatest = e + 1, *low = e + 2, *high = e + 3, *x = e + 4;
    score_box_extremes(least, greatest, b, n, &f->scratch);
    bool found = false;
    for (unsigned v = 0; v < 1u << n; v++) {
        if (!vertex(x, b, n, v, true, &f->scratch)) continue;
        ball_set(high, x);
        vertex(low, b, n, v, false, &f->scratch);
        if (!found) {
            ball *first = ball_array(&f->memory, 2);
            ball_set(&first[0], low);
            ball_set(&first[1], high);
            e = first;
        } else {
            ball_max(&e[1], &e[1], high);
            ball_neg(low, low);
            ball_neg(&e[0], &e[0]);
            ball_max(&e[0], &e[0], low);
            ball_neg(&e[0], &e[0]);
        }
        found = true;
    }
    if (!found) {
        CHECK(ball_upper(least) == 0 && ball_lower(least) == 0 && ball_upper(greatest) == 0, "masked:%s", text);
        return;
    }
    CHECK(same(greatest, &e[1]), "greatest %.17g, by vertices %.17g:%s", ball_upper(greatest), ball_upper(&e[1]),
          text);
    CHECK(same(least, &e[0]), "least %.17g, by vertices %.17g:%s", ball_lower(least), ball_lower(&e[0]), text);
}

static double pick(test_random *r, double lo, double hi) {
    return lo + (hi - lo) * ((double)random_below(r, 1025) / 1024);
}

/* Points of the box are not beyond the extremes. */
static void against_points(fixture *f, test_random *r, const score_box *b, size_t n) {
    char text[1024];
    show(text, b, n);
    arena_reset(&f->memory);
    arena_reset(&f->scratch);
    ball *e = ball_array(&f->memory, 2);
    score_box_extremes(&e[0], &e[1], b, n, &f->scratch);
    for (int k = 0; k < 20; k++) {
        double score[MOST], shift = -INFINITY;
        long double sum = 0, total = 0;
        for (size_t j = 0; j < n; j++) {
            score[j] = b[j].hi == -INFINITY ? -INFINITY : pick(r, fmax(b[j].lo, b[j].hi - 50), b[j].hi);
            if (b[j].count) shift = fmax(shift, score[j]);
        }
        if (shift == -INFINITY) return;
        for (size_t j = 0; j < n; j++) {
            long double weight = (long double)b[j].count * expl((long double)score[j] - shift);
            total += weight;
            sum += weight * pick(r, b[j].vlo, b[j].vhi);
        }
        long double room = 1e-12L * (1 + fabsl(sum / total));
        CHECK(sum / total <= (long double)ball_upper(&e[1]) + room &&
                  sum / total >= (long double)ball_lower(&e[0]) - room,
              "a point gives %Lg, the extremes are %g and %g:%s", sum / total, ball_lower(&e[0]), ball_upper(&e[1]),
              text);
    }
}

static double dyadic(test_random *r) { return ((double)random_below(r, 129) - 64) / 16; }

static void fill(score_box *b, size_t n, test_random *r) {
    double size = ldexp(1, (int)random_below(r, 12) - 4);
    int kind = (int)random_below(r, 6);
    for (size_t j = 0; j < n; j++) {
        double mid = dyadic(r) * size, half = random_below(r, 3) ? fabs(dyadic(r)) * size : 0;
        double value = kind == 0 ? (double)random_below(r, 2) : dyadic(r), width = kind == 1 ? fabs(dyadic(r)) : 0;
        b[j] = (score_box){mid - half, mid + half, value, value + width, 1};
        if (kind == 2) b[j].count = random_below(r, 4);
        if (kind == 3 && random_below(r, 3) == 0) b[j].lo = -INFINITY;
        if (kind == 3 && random_below(r, 3) == 0) b[j].lo = b[j].hi = -INFINITY;
        if (kind == 4) b[j].lo += 1e300, b[j].hi += 1e300; /* far from 0, where boxes become points */
        if (kind == 5) b[j].lo *= 1e5, b[j].hi *= 1e5;
    }
}

/* One winner and r times the weight of it in others: r/(1 + r). */
static void check_known(fixture *f) {
    arena_reset(&f->memory);
    arena_reset(&f->scratch);
    ball *e = ball_array(&f->memory, 2);
    score_box b[2] = {{0, 0, 0, 0, 1}, {-INFINITY, -700, 1, 1, UINT64_C(1) << 40}};
    score_box_extremes(&e[0], &e[1], b, 2, &f->scratch);
    double r = ldexp(exp(-700), 40);
    CHECK(fabs(ball_upper(&e[1]) / r - 1) < 1e-10 && ball_upper(&e[0]) == 0, "%g", ball_upper(&e[1]));
    score_box_extremes(&e[0], &e[1], b, 0, &f->scratch);
    CHECK(ball_upper(&e[0]) == 0 && ball_upper(&e[1]) == 0, "no keys");
}

int main(void) {
    fixture f;
    test_random r = test_seed(5);
    arena_init(&f.memory, &f.trap);
    arena_init(&f.scratch, &f.trap);
    if (trap_set(&f.trap, NULL)) {
        CHECK(false, "an error was raised: %s", f.trap.error.text);
        return test_finish("t-score-box");
    }
    check_known(&f);
    int rounds = (int)(1200 * test_effort());
    for (int k = 0; k < rounds; k++) {
        score_box b[MOST];
        size_t n = 1 + random_below(&r, k % 8 == 0 ? MOST : 6);
        fill(b, n, &r);
        against_vertices(&f, b, n);
        against_points(&f, &r, b, n);
    }
    arena_free(&f.memory);
    arena_free(&f.scratch);
    return test_finish("t-score-box");
}

/* What operators need of a scale, and up to which length a schedule gives it. */
#include "lab/schedules.h"

#include "number/elementary.h"

#include <math.h>
#include <string.h>

const char *const operator_names[SCHEDULED] = {"once", "since, yesterday", "compare", "balance", "look-up"};
const char *const operator_needs[SCHEDULED] = {"ln n", "n", "n", "n²", "n³"};

/* SSMax: its published start and the value of its first figure. YaRN is for more than L = 4096 positions, and its
   square is that of a factor on queries and keys each. Llama-4's depends on the query's position. */
const schedule schedules[] = {
    {"constant", "1", false, false, "constant"},
    {"Llama-4", "1 + 0.1*ln(1 + floor((i + 1)/8192))", true, false, "llama4"},
    {"YaRN", "(0.1*ln(max(N/4096, 1)) + 1)*(0.1*ln(max(N/4096, 1)) + 1)", false, false, "yarn"},
    {"SSMax, s = 0.168", "0.168*ln(N)", false, false, NULL},
    {"SSMax, s = 0.43", "0.43*ln(N)", false, false, NULL},
    {"log n", "ln(N)", false, false, "log"},
    {"linear", "N", false, false, "linear"},
    {"n log n", "N*ln(N)", false, false, NULL},
    {"adaptive", "1", false, true, NULL},
    {"adaptive, log n", "ln(N)", false, true, NULL},
};
const size_t schedule_count = sizeof schedules / sizeof *schedules;

/* ---- needs ---- */

/* x in (0, 1) where a falling function of x passes 3/4. */
static double solve(double (*share)(double r, double n), double n) {
    double low = 0, high = 1;
    for (int step = 0; step < 80; step++) {
        double middle = (low + high) / 2;
        *(share(middle, n) >= 0.75 ? &low : &high) = middle;
    }
    return low;
}

/* since: the nearest of n candidates, all others with the wrong value, and the start sentinel, N + n steps below: r =
   exp(-scale/N). */
static double nearest_share(double r, double n) {
    double far = n * log_f64(r) < -700 ? 0 : exp_f64(n * log_f64(r));
    double candidates = r < 1 - 0x1p-30 ? (1 - far) / (1 - r) : n;
    return 1 / (candidates + far * far * r);
}

/* look-up: all neighbours of the count on both sides wrong, the count in the middle of the row: r =
   exp(-scale/N^3). */
static double peak_share(double r, double n) {
    double others = 0, step = 1, count = floor(n / 2);
    for (double d = 1; d <= n - count && d <= 128 && step > 1e-30; d++) {
        step = exp_f64(d * d * log_f64(r));
        others += d <= count ? 2 * step : step;
    }
    return 1 / (1 + others);
}

/* Both for rows so long that their ends do not matter: 1 - r = 3/4, and 1 + 2r + 2r^4 + ... = 4/3. t-lab compares
   them with the rows. */
static const double long_nearest = 0x1.62e42fefa39efp+0, long_peak = 0x1.cbdb647b74240p+0;

double operator_scale(operator_kind op, double n) {
    double size = n + 1, ln3 = log_f64(3);
    switch (op) {
    case SCHEDULED_ONCE: return log_f64(3 * n); /* n others, 0 against 1 */
    case SCHEDULED_SINCE:                       /* steps of 1/N */
        return size * (n > 600 ? long_nearest : -log_f64(solve(nearest_share, n)));
    case SCHEDULED_COMPARE: return 2 * size * ln3;              /* sigmoid(scale y), |y| = 1/(2N) */
    case SCHEDULED_BALANCE: return 2 * (n + 2) * (n + 1) * ln3; /* the same over N, N = n + 2 */
    case SCHEDULED_LOOKUP:                                      /* steps of 1/N^3 */
        return size * size * size * (n > 128 ? long_peak : -log_f64(solve(peak_share, n)));
    case SCHEDULED: break;
    }
    return NAN;
}

double operator_adaptive(operator_kind op, double n) {
    double size = n + 1;
    switch (op) {
    case SCHEDULED_ONCE:
    case SCHEDULED_COMPARE: return log_f64(3 * n); /* one sentinel, n others */
    case SCHEDULED_BALANCE: return log_f64(3 * n);
    case SCHEDULED_SINCE: return operator_scale(op, n) / size;
    case SCHEDULED_LOOKUP: return operator_scale(op, n) / (size * size * size);
    case SCHEDULED: break;
    }
    return NAN;
}

static double needed(const schedule *s, operator_kind op, double n) {
    return s->adaptive ? operator_adaptive(op, n) : operator_scale(op, n);
}

/* ---- reach ---- */

/* A row of once asks the same in every string, and is the last one of a shorter string: the last row is enough. The
   other operators ask for the same steps of 1/N or so in every row, and a scale that grows along the rows is least in
   the first. */
double schedule_at(const expression *factor, operator_kind op, double n) {
    double size = op == SCHEDULED_BALANCE ? n + 2 : n + 1;
    return expression_eval(factor, op == SCHEDULED_ONCE ? n : 1, n, size);
}

static bool carries(const schedule *s, const expression *factor, operator_kind op, double base, double n) {
    return base * schedule_at(factor, op, n) >= needed(s, op, n);
}

/* Every length up to 4096, then steps of a thousandth, and every boundary of Llama-4's steps among the first: between
   them the factor is constant or smooth. The first failure is then found exactly by halving. */
double schedule_reach(const schedule *s, const expression *factor, operator_kind op, double base, double most) {
    double good = 0;
    for (double n = 1; n <= most;) {
        if (!carries(s, factor, op, base, n)) {
            double bad = n;
            while (bad - good > 1) {
                double middle = floor((good + bad) / 2);
                *(carries(s, factor, op, base, middle) ? &good : &bad) = middle;
            }
            return good;
        }
        good = n;
        double next = n < 4096 ? n + 1 : floor(n * 1.001);
        double edge = floor((n + 1) / 8192 + 1) * 8192 - 2; /* the last n before a step */
        n = s->per_row && n < edge && edge < next ? edge : next;
    }
    return most;
}

double schedule_base(const schedule *s, const expression *factor, operator_kind op, double n) {
    double base = 0;
    for (double k = 1; k <= n; k++) base = fmax(base, needed(s, op, k) / schedule_at(factor, op, k));
    return base;
}

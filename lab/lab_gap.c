/* temper lab gap: how far softmax is from a hard choice, by gap, temperature, length and scores; and where rounding
   takes over. */
#include "lab/gap.h"

#include "number/elementary.h"

#include <math.h>

const char *const score_kind_names[SCORE_KINDS] = {"Gaussian",          "heavy-tailed",   "near tie, 10⁻²",
                                                   "near tie, 10⁻⁵",    "near tie, 10⁻⁸", "adversarial",
                                                   "adversarial, 10⁻⁴", "exact ties"};

static void measure_top(score_row *row) {
    double next = -INFINITY;
    row->top = -INFINITY;
    row->ties = 0;
    for (size_t j = 0; j < row->n; j++) row->top = fmax(row->top, row->scores[j]);
    for (size_t j = 0; j < row->n; j++) {
        if (row->scores[j] == row->top)
            row->ties++;
        else
            next = fmax(next, row->scores[j]);
    }
    row->gap = row->top - next;
}

void gap_draw(score_row *row, lab *l, score_kind kind, size_t n, arena *a) {
    double *s = arena_alloc(a, n, sizeof *s);
    *row = (score_row){.scores = s, .n = n};
    for (size_t j = 0; j < n; j++) s[j] = kind == HEAVY ? 1 / lab_uniform(l) : lab_normal(l);
    measure_top(row);
    size_t best = 0;
    while (s[best] != row->top) best++;
    size_t other = (best + 1 + lab_random(l) % (n - 1)) % n;
    double top = row->top;
    switch (kind) {
    case GAUSSIAN:
    case HEAVY:
    case SCORE_KINDS: break;
    case NEAR_2: s[other] = top - 0.01; break;
    case NEAR_5: s[other] = top - 0.00001; break;
    case NEAR_8: s[other] = top - 0.00000001; break;
    case ADVERSARIAL: /* all others as near as the gap allows */
        for (size_t j = 0; j < n; j++) s[j] = j == best;
        break;
    case ADVERSARIAL_NEAR:
        for (size_t j = 0; j < n; j++) s[j] = j == best ? 1 : 1 - 0.0001;
        break;
    case TIED: /* every eighth, and the rest at least 1/2 below */
        for (size_t j = 0; j < n; j++) s[j] = j % 8 == 0 ? top : fmin(s[j], top - 0.5);
        break;
    }
    measure_top(row);
}

void gap_soften(double *w, const score_row *row, double scale) {
    double sum = 0;
    for (size_t j = 0; j < row->n; j++) sum += w[j] = exp_f64(scale * (row->scores[j] - row->top));
    for (size_t j = 0; j < row->n; j++) w[j] /= sum;
}

double gap_measure(const double *w, const score_row *row) {
    double sum = 0, share = 1 / (double)row->ties;
    for (size_t j = 0; j < row->n; j++) sum += row->scores[j] == row->top ? fabs(w[j] - share) : w[j];
    return sum / 2;
}

double gap_rest(const score_row *row, double scale) {
    double rest = 0;
    for (size_t j = 0; j < row->n; j++)
        if (row->scores[j] != row->top) rest += exp_f64(-scale * (row->top - row->scores[j]));
    return rest;
}

static const lab_part parts[] = {{.run = gap_law, .weight = 3300},
                                 {.run = gap_curves, .weight = 650},
                                 {.run = gap_scale, .weight = 1000},
                                 {.run = gap_ties, .weight = 300},
                                 {.run = gap_format, .weight = 1300}};

const lab_experiment lab_gap = {"gap", &prose_gap, NULL, parts, sizeof parts / sizeof *parts};

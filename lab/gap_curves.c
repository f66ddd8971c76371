/* The error of softmax by gap and by length, at given scales. */
#include "lab/gap.h"

#include "number/elementary.h"

#include <math.h>

/* The total variation that is measured, and how far it lies beyond the law, in units of what rounding explains: N
   units of the last place of 1, and of the law for every unit of the exponent (gap_law proves it for each row). */
static double softmax_error(const score_row *row, double scale, double *beyond, arena *scratch) {
    double *w = arena_alloc(scratch, row->n, sizeof *w), rest = gap_rest(row, scale),
           law = rest / ((double)row->ties + rest), unit = 0x1p-53 * (double)(row->n + 8);
    gap_soften(w, row, scale);
    double error = gap_measure(w, row);
    *beyond = fmax(*beyond, (error - law) / (unit * (1 + 2 * law * scale * row->gap)));
    return error;
}

enum { GAPS = 15, SCALES = 4, LENGTHS = 8, ROWS = 9 };

/* Smaller errors are drawn here. */
static const double picture_floor = 1e-9;

static const double scales[SCALES] = {10, 1000, 1e5, 1e7};
static const char *const scale_names[SCALES] = {"Λ = 10", "Λ = 10³", "Λ = 10⁵", "Λ = 10⁷"};

/* A Gaussian row with a second score 10^-k below the best, N = 1,024. */
static void near_ties(lab *l, lab_table *t, double *x, double (*y)[GAPS], size_t *below, double *beyond,
                      arena *scratch) {
    for (size_t g = 0; g < GAPS; g++) {
        score_row row;
        double gap = exp_f64(-log_f64(10) * (double)(GAPS - 1 - g) / 2), top;
        arena_reset(scratch);
        gap_draw(&row, l, GAUSSIAN, 1024, scratch);
        top = row.top;
        size_t best = 0;
        while (row.scores[best] != top) best++;
        for (size_t j = 0; j < row.n; j++) row.scores[j] = fmin(row.scores[j], top - gap);
        row.scores[best] = top;
        row.scores[best ? 0 : 1] = top - gap;
        row.gap = top - row.scores[best ? 0 : 1];
        row.ties = 1;
        x[g] = gap;
        for (size_t s = 0; s < SCALES; s++) {
            double error = softmax_error(&row, scales[s], beyond, scratch), pair = exp_f64(-scales[s] * row.gap),
                   least = pair / (1 + pair);
            y[s][g] = fmax(error, picture_floor);
            *below += error < least * (1 - 0x1p-40) - 0x1p-40;
            lab_put_text(t, "near tie");
            lab_put_count(t, row.n);
            lab_put_number(t, row.gap);
            lab_put_number(t, scales[s]);
            lab_put_number(t, error);
        }
    }
}

static const double fixed_scale = 16;

/* The mean over some rows of each kind. */
static void by_length(lab *l, lab_table *t, double *x, double (*y)[LENGTHS], size_t lengths, double *beyond,
                      arena *scratch) {
    for (size_t k = 0; k < SCORE_KINDS; k++)
        for (size_t a = 0; a < lengths; a++) {
            size_t n = (size_t)1 << (2 * a + 2);
            double sum = 0;
            for (size_t r = 0; r < ROWS; r++) {
                score_row row;
                arena_reset(scratch);
                gap_draw(&row, l, (score_kind)k, n, scratch);
                double error = softmax_error(&row, fixed_scale, beyond, scratch);
                sum += error;
                lab_put_text(t, score_kind_names[k]);
                lab_put_count(t, n);
                lab_put_number(t, row.gap);
                lab_put_number(t, fixed_scale);
                lab_put_number(t, error);
            }
            x[a] = (double)n;
            y[k][a] = fmax(sum / ROWS, picture_floor);
        }
}

void gap_curves(lab *l, arena *scratch) {
    static const lab_column columns[] = {{"scores", LAB_TEXT, "how they are drawn"},
                                         {"n", LAB_COUNT, "scores in the row"},
                                         {"gap", LAB_NUMBER, "from the maximum to the next"},
                                         {"scale", LAB_NUMBER, "Λ"},
                                         {"error", LAB_NUMBER, "total variation"}};
    lab_table *t = LAB_TABLE(l, "curves", "Error by gap and by length", columns, 0);
    double x[GAPS], y[SCALES][GAPS], n[LENGTHS], z[SCORE_KINDS][LENGTHS], beyond = -INFINITY;
    size_t below = 0, lengths = l->quick ? 5 : LENGTHS;
    near_ties(l, t, x, y, &below, &beyond, scratch);
    by_length(l, t, n, z, lengths, &beyond, scratch);
    chart_series by_gap[SCALES], by_n[SCORE_KINDS];
    for (size_t s = 0; s < SCALES; s++)
        by_gap[s] = (chart_series){scale_names[s], x, y[s], GAPS, DRAW_LINE | DRAW_MARKERS, (int)s + 1};
    for (size_t k = 0; k < SCORE_KINDS; k++)
        by_n[k] = (chart_series){score_kind_names[k], n, z[k], lengths, DRAW_LINE | DRAW_MARKERS, (int)k + 1};
    chart_panel panels[] = {{"Near ties, 1,024 scores",
                             {"gap γ", SCALE_LOG, 0, 0, NULL, 0},
                             {"total variation", SCALE_LOG, 4e-10, 3, NULL, 0},
                             by_gap,
                             SCALES,
                             NULL,
                             0},
                            {"Scale 16, mean of 9 rows",
                             {"scores in the row", SCALE_LOG, 0, 0, NULL, 0},
                             {"total variation", SCALE_LOG, 4e-10, 3, NULL, 0},
                             by_n,
                             SCORE_KINDS,
                             NULL,
                             0}};
    chart c = {
        .title = "A gap below 1/Λ is no gap, and at a fixed scale the length counts",
        .caption =
            "Left: the best score and one that lies γ = 10⁰ … 10⁻⁷ below, the others further. To the "
            "left of γ = 1/Λ softmax "
            "splits its weight between the two. Right: at a fixed scale the error of adversarial rows grows with "
            "the number of scores; a near tie is as bad at every length; heavy-tailed rows are decided by their gap. "
            "Errors below 10⁻⁹ are drawn at 10⁻⁹.",
        .panels = panels,
        .panel_count = 2,
        .columns = 2,
        .panel_width = 235,
        .panel_height = 210};
    lab_figure_add(l, "curves", &c);
    lab_about(l, "curves");
    lab_claim_add(l, below == 0,
                  "No scale does better than exp(−Λγ)/(1+exp(−Λγ)): near ties need a scale of some 1/γ",
                  "%zu of %d rows below it", below, GAPS * SCALES);
    lab_claim_add(l, beyond <= 1, "Measured errors never exceed the law R/(t+R) by more than rounding",
                  "rows of up to %g scores: at most %.2f of (N + 8) units of the last place", n[lengths - 1], beyond);
    bool grows = true;
    for (size_t a = 1; a < lengths; a++) grows = grows && z[ADVERSARIAL][a] > z[ADVERSARIAL][a - 1];
    lab_claim_add(l, grows, "At a fixed scale the error of adversarial rows grows with the length",
                  "from %.2g at %g scores to %.2g at %g", z[ADVERSARIAL][0], n[0], z[ADVERSARIAL][lengths - 1],
                  n[lengths - 1]);
}

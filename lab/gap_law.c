/* Softmax in f64 beside the exact law, whose value is enclosed by balls; the scale an error needs; ties that are a
   little off. */
#include "lab/gap.h"

#include "number/ball.h"
#include "number/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the law ----

   The row is computed as x_j = scale (s_j - top), w_j = exp(x_j)/sum: every operation in f64 with unit u = 2^-53,
   sums from left to right. With z_j the exact exp(-scale (top - s_j)) and S their sum, the computed numerator is z_j
   (1 + e_j) with

       |e_j| <= exp(a_j)(1 + 2u) - 1,   a_j = 3u scale (top - s_j)      (two roundings of x_j; exp errs by less than
       0.55 ulp)

   the sum of the numerators errs by a relative g = N u/(1 - N u) more, the quotient by u, and what underflows by
   2^-1074. With E the mean of the e_j under the exact weights, the computed weights differ from the exact ones by, in
   total variation, at most

       B = ((1 + E)(1 + u)/((1 - E)(1 - g)) - 1)/2 + N 2^-1073

   Everything is evaluated in balls, the differences of computed weights and uniform ones too: nothing in the
   comparison is rounded. */

typedef struct law_balls {
    ball *x, *y, *rest, *sum, *errors, *law, *bound, *rounding, *measured, *output, *target, *one;
} law_balls;

typedef struct law_seen {
    double law, bound, rounding, measured, output; /* upper ends */
    bool within, bounded, output_within;
} law_seen;

static void new_balls(law_balls *b, arena *a) {
    ball *all = ball_array(a, 12);
    *b = (law_balls){all,     all + 1, all + 2, all + 3, all + 4,  all + 5,
                     all + 6, all + 7, all + 8, all + 9, all + 10, all + 11};
    ball_set_int(b->one, 1);
}

/* b->rest = R, b->errors = sum of z_j e_j, b->law, b->bound */
static void enclose_law(law_balls *b, const score_row *row, double scale) {
    double unit = 0x1p-53;
    ball_set_int(b->rest, 0);
    ball_set_double(b->errors, 2 * unit * (double)row->ties);
    for (size_t j = 0; j < row->n; j++) {
        if (row->scores[j] == row->top) continue;
        ball_set_double(b->x, row->top);
        ball_set_double(b->y, row->scores[j]);
        ball_sub(b->x, b->x, b->y);
        ball_set_double(b->y, scale);
        ball_mul(b->x, b->x, b->y);
        double far = ball_upper(b->x);
        ball_neg(b->y, b->x);
        ball_exp(b->y, b->y);
        ball_add(b->rest, b->rest, b->y);
        /* exp(a)(1 + 2u) - 1 <= 4a + 4u while a <= 1; beyond distance 1000 both z_j and z_j e_j are below 2^-700 */
        if (far > 1000) {
            ball_set_double(b->y, 0x1p-700);
        } else {
            ball_set_double(b->x, 4 * (3 * unit * far) + 4 * unit);
            ball_mul(b->y, b->y, b->x);
        }
        ball_add(b->errors, b->errors, b->y);
    }
    ball_set_int(b->x, (int64_t)row->ties);
    ball_add(b->sum, b->x, b->rest);
    ball_div(b->law, b->rest, b->sum);
    ball_set_double(
        b->x, -scale); /* the bound: the gap is a difference of two scores, rounded once: one double less is safe */
    ball_set_double(b->y, row->gap * (1 - 0x1p-52));
    ball_mul(b->x, b->x, b->y);
    ball_exp(b->x, b->x);
    ball_set_int(b->y, (int64_t)(row->n - row->ties));
    ball_mul(b->bound, b->x, b->y);
}

static void enclose_rounding(law_balls *b, size_t n) {
    double unit = 0x1p-53, g = (double)n * unit / (1 - (double)n * unit) * (1 + 0x1p-50);
    ball_div(b->x, b->errors, b->sum); /* E */
    ball_add(b->y, b->one, b->x);
    ball_sub(b->x, b->one, b->x);
    ball_set_double(b->rounding, 1 + 2 * unit);
    ball_mul(b->y, b->y, b->rounding);
    ball_set_double(b->rounding, g);
    ball_sub(b->rounding, b->one, b->rounding);
    ball_mul(b->x, b->x, b->rounding);
    ball_div(b->y, b->y, b->x);
    ball_sub(b->y, b->y, b->one);
    ball_mul_2exp(b->y, b->y, -1);
    ball_set_double(b->x, (double)n * 0x1p-1073);
    ball_add(b->rounding, b->y, b->x);
}

static void set_absolute(ball *z, ball *scratch) {
    ball_neg(scratch, z);
    ball_max(z, z, scratch);
}

/* Half the sum of |w_j - uniform_j|, and |sum w_j v_j - mean of v over the ties|, of the computed weights. */
static void enclose_measured(law_balls *b, const score_row *row, const double *w, const double *values) {
    ball_set_int(b->measured, 0);
    ball_set_int(b->output, 0);
    ball_set_int(b->target, 0);
    for (size_t j = 0; j < row->n; j++) {
        bool tied = row->scores[j] == row->top;
        ball_set_double(b->x, w[j]);
        ball_set_double(b->y, values[j]);
        if (tied) ball_add(b->target, b->target, b->y);
        ball_mul(b->y, b->x, b->y);
        ball_add(b->output, b->output, b->y);
        if (tied) {
            ball_set_int(b->y, (int64_t)row->ties);
            ball_div(b->y, b->one, b->y);
            ball_sub(b->x, b->x, b->y);
        }
        set_absolute(b->x, b->y);
        ball_add(b->measured, b->measured, b->x);
    }
    ball_mul_2exp(b->measured, b->measured, -1);
    ball_set_int(b->x, (int64_t)row->ties);
    ball_div(b->target, b->target, b->x);
    ball_sub(b->output, b->output, b->target);
    set_absolute(b->output, b->x);
}

static void compare(law_seen *seen, law_balls *b, const score_row *row, double scale, double *w,
                    const double *values) {
    gap_soften(w, row, scale);
    enclose_law(b, row, scale);
    enclose_rounding(b, row->n);
    enclose_measured(b, row, w, values);
    *seen = (law_seen){.law = ball_upper(b->law),
                       .bound = fmin(ball_upper(b->bound), 1),
                       .rounding = ball_upper(b->rounding),
                       .measured = ball_upper(b->measured),
                       .output = ball_upper(b->output)};
    ball_sub(b->x, b->measured, b->law);
    set_absolute(b->x, b->y);
    seen->within = ball_is_at_most(b->x, b->rounding);
    ball_add(b->x, b->bound, b->rounding);
    seen->bounded = ball_is_at_most(b->measured, b->x);
    ball_add(b->x, b->law, b->rounding); /* values are between 0 and 1 */
    ball_add(b->x, b->x, b->rounding);
    seen->output_within = ball_is_at_most(b->output, b->x);
}

enum { SCALES = 35, MOST_LENGTHS = 8 };

/* 2^-2 ... 2^32; heavy-tailed rows, whose gaps are in the thousands, 2^-20 ... 2^14 */
static int first_scale(size_t kind) { return kind == HEAVY ? -20 : -2; }

typedef struct law_points {
    double x[SCALES], law[SCALES], bound[SCALES], measured[SCALES];
} law_points;

/* Below this a picture shows nothing: 2^-53 and its neighbours. */
static const double picture_floor = 1e-17;

static void draw_law(lab *l, const law_points *points, size_t n) {
    chart_panel panels[SCORE_KINDS];
    chart_series series[SCORE_KINDS][3];
    text caption;
    for (size_t k = 0; k < SCORE_KINDS; k++) {
        const law_points *p = &points[k];
        series[k][0] = (chart_series){"bound (N−t)·exp(−Λγ)", p->x, p->bound, SCALES, DRAW_LINE | DRAW_DASHED, 2};
        series[k][1] = (chart_series){"law R/(t+R)", p->x, p->law, SCALES, DRAW_LINE, 1};
        series[k][2] = (chart_series){"measured", p->x, p->measured, SCALES, DRAW_MARKERS, 3};
        panels[k] = (chart_panel){score_kind_names[k],
                                  {"scale Λ", SCALE_LOG, 0.8 * p->x[0], 2 * p->x[SCALES - 1], NULL, 0},
                                  {"total variation", SCALE_LOG, picture_floor, 4, NULL, 0},
                                  series[k],
                                  3,
                                  NULL,
                                  0};
    }
    text_init(&caption, &l->memory);
    text_printf(
        &caption,
        "Distance of softmax from the hard choice, one row of %zu scores for each kind. Triangles are computed in "
        "f64. Heavy-tailed scores have gaps of thousands, and their panel begins at smaller scales. "
        "Where the law falls below 10⁻¹⁶, what is measured is 0 or rounding. A smaller gap moves the curve to the "
        "right and changes nothing else; exact ties cost nothing; against adversarial scores the bound is the law.",
        n);
    chart c = {.title = "Softmax keeps to the law R/(t+R), whatever the scores",
               .caption = text_string(&caption),
               .panels = panels,
               .panel_count = SCORE_KINDS,
               .columns = 4,
               .panel_width = 175,
               .panel_height = 170,
               .shared_y = true,
               .legend = true};
    lab_figure_add(l, "law", &c);
}

static size_t list_lengths(size_t out[MOST_LENGTHS], const lab *l) {
    static const size_t lengths[] = {2, 9, 64, 512, 4096};
    size_t count = l->quick ? 3 : 5;
    memcpy(out, lengths, count * sizeof *out);
    return count;
}

void gap_law(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"scores", LAB_TEXT, "how they are drawn"},
        {"n", LAB_COUNT, "scores in the row"},
        {"ties", LAB_COUNT, "scores that attain the maximum"},
        {"gap", LAB_NUMBER, "from the maximum to the next"},
        {"scale", LAB_NUMBER, "Λ"},
        {"measured", LAB_NUMBER, "total variation of the computed weights from the hard choice"},
        {"law", LAB_NUMBER, "R/(t+R), an upper end that is at most 2^-150 too large"},
        {"bound", LAB_NUMBER, "(N-t)exp(-scale gap), at most 1"},
        {"rounding", LAB_NUMBER, "by how much measured and law may differ, proved"},
        {"output", LAB_NUMBER, "error of the mean of random values between 0 and 1"}};
    lab_table *t = LAB_TABLE(l, "law", "Measured error, law and bound", columns, 0);
    law_points points[SCORE_KINDS];
    size_t lengths[MOST_LENGTHS], count = list_lengths(lengths, l), repeats = l->quick ? 1 : 3, rows = 0, outside = 0,
                                  beyond = 0, outputs = 0;
    double largest = 0, tightest = 0;
    for (size_t k = 0; k < SCORE_KINDS; k++)
        for (size_t a = 0; a < count; a++)
            for (size_t r = 0; r < repeats; r++) {
                score_row row;
                law_balls b;
                arena_reset(scratch);
                new_balls(&b, scratch);
                gap_draw(&row, l, (score_kind)k, lengths[a], scratch);
                double *w = arena_alloc(scratch, row.n, sizeof *w), *v = arena_alloc(scratch, row.n, sizeof *v);
                for (size_t j = 0; j < row.n; j++) v[j] = lab_uniform(l);
                for (size_t s = 0; s < SCALES; s++) {
                    law_seen seen;
                    double scale = ldexp(1, (int)s + first_scale(k));
                    compare(&seen, &b, &row, scale, w, v);
                    rows++;
                    outside += !seen.within;
                    beyond += !seen.bounded;
                    outputs += !seen.output_within;
                    largest = fmax(largest, fabs(seen.measured - seen.law));
                    tightest = fmax(tightest, fabs(seen.measured - seen.law) / seen.rounding);
                    if (a + 1 == count && r == 0) {
                        points[k].x[s] = scale;
                        points[k].law[s] = seen.law >= picture_floor ? seen.law : NAN;
                        points[k].bound[s] = seen.bound >= picture_floor ? seen.bound : NAN;
                        points[k].measured[s] = seen.measured >= picture_floor ? seen.measured : NAN;
                    }
                    lab_put_text(t, score_kind_names[k]);
                    lab_put_count(t, row.n);
                    lab_put_count(t, row.ties);
                    lab_put_number(t, row.gap);
                    lab_put_number(t, scale);
                    lab_put_number(t, seen.measured);
                    lab_put_number(t, seen.law);
                    lab_put_number(t, seen.bound);
                    lab_put_number(t, seen.rounding);
                    lab_put_number(t, seen.output);
                }
                lab_progress(l, k * count * repeats + a * repeats + r, SCORE_KINDS * count * repeats);
            }
    draw_law(l, points, lengths[count - 1]);
    lab_about(l, "law");
    lab_claim_add(
        l, outside == 0,
        "The measured total variation is the law R/(t+R), up to a rounding error that is proved for each row",
        "%zu rows of up to %zu scores, compared in ball arithmetic: %zu outside; largest difference %.2g, at "
        "most %.2f of what the proof allows",
        rows, lengths[count - 1], outside, largest, tightest);
    lab_claim_add(l, beyond == 0, "It never exceeds the bound (N−t)·exp(−Λγ) by more than that rounding",
                  "%zu of %zu rows beyond", beyond, rows);
    lab_claim_add(l, outputs == 0, "The error of an averaged value is at most the law times the values' range",
                  "random values between 0 and 1: %zu of %zu rows beyond", outputs, rows);
}

/* ---- the scale that an error needs ---- */

static const double wanted = 0.01;

/* The least scale with R/(t+R) <= wanted: the law falls with the scale. */
static double needed_scale(const score_row *row) {
    double low = 0, high = 1, limit = wanted / (1 - wanted) * (double)row->ties;
    while (gap_rest(row, high) > limit) high *= 2;
    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;
        *(gap_rest(row, middle) > limit ? &low : &high) = middle;
    }
    return high;
}

static int by_size(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *x, size_t count) {
    qsort(x, count, sizeof *x, by_size);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

enum { MOST_POINTS = 12, REPEATS = 15 };

static void draw_scale(lab *l, const double *x, double (*scale)[MOST_POINTS], double (*gap)[MOST_POINTS],
                       size_t count) {
    chart_series series[2][SCORE_KINDS];
    for (size_t k = 0; k < SCORE_KINDS; k++) {
        series[0][k] = (chart_series){score_kind_names[k], x, gap[k], count, DRAW_LINE | DRAW_MARKERS, (int)k + 1};
        series[1][k] = (chart_series){score_kind_names[k], x, scale[k], count, DRAW_LINE | DRAW_MARKERS, (int)k + 1};
    }
    chart_panel panels[] = {{"The gap",
                             {"scores in the row", SCALE_LOG, 0, 0, NULL, 0},
                             {"gap γ (median)", SCALE_LOG, 0, 0, NULL, 0},
                             series[0],
                             SCORE_KINDS,
                             NULL,
                             0},
                            {"The scale needed",
                             {"scores in the row", SCALE_LOG, 0, 0, NULL, 0},
                             {"scale Λ (median)", SCALE_LOG, 0, 0, NULL, 0},
                             series[1],
                             SCORE_KINDS,
                             NULL,
                             0}};
    chart c = {.title = "Which scale brings the error to 1 %? It follows the gap",
               .caption = "Medians of 15 rows. Gaussian gaps shrink slowly with the length, heavy-tailed ones grow, "
                          "so a longer row is "
                          "easier. Near ties ask for some units over the gap at every length. The length itself "
                          "enters by its logarithm: see adversarial.",
               .panels = panels,
               .panel_count = 2,
               .columns = 2,
               .panel_width = 235,
               .panel_height = 210};
    lab_figure_add(l, "scale", &c);
}

void gap_scale(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"scores", LAB_TEXT, "how they are drawn"},
        {"n", LAB_COUNT, "scores in the row"},
        {"gap", LAB_NUMBER, "median over 15 rows"},
        {"scale", LAB_NUMBER, "the least with a total variation of 1 %, median"},
        {"by_bound", LAB_NUMBER, "ln(99(N-t)/t)/gap, which the bound asks for, median"}};
    lab_table *t = LAB_TABLE(l, "scale", "The scale that an error of 1 % needs", columns, SIZE_MAX);
    double x[MOST_POINTS], scale[SCORE_KINDS][MOST_POINTS], gap[SCORE_KINDS][MOST_POINTS], adversarial = 0;
    size_t count = l->quick ? 5 : 8, rows = 0, short_of = 0;
    for (size_t k = 0; k < SCORE_KINDS; k++)
        for (size_t a = 0; a < count; a++) {
            size_t n = (size_t)1 << (l->quick ? 2 * a + 2 : 2 * a + 1);
            if (n == 2) n = 3;
            double gaps[REPEATS], needs[REPEATS], asks[REPEATS];
            for (size_t r = 0; r < REPEATS; r++) {
                score_row row;
                arena_reset(scratch);
                gap_draw(&row, l, (score_kind)k, n, scratch);
                gaps[r] = row.gap;
                needs[r] = needed_scale(&row);
                asks[r] = log_f64((double)(n - row.ties) * (1 - wanted) / wanted / (double)row.ties) / row.gap;
                rows++;
                short_of += needs[r] > asks[r] * (1 + 0x1p-40);
                if (k == ADVERSARIAL) adversarial = fmax(adversarial, fabs(needs[r] / asks[r] - 1));
            }
            x[a] = (double)n;
            gap[k][a] = median(gaps, REPEATS);
            scale[k][a] = median(needs, REPEATS);
            lab_put_text(t, score_kind_names[k]);
            lab_put_count(t, n);
            lab_put_number(t, gap[k][a]);
            lab_put_number(t, scale[k][a]);
            lab_put_number(t, median(asks, REPEATS));
            lab_progress(l, k * count + a, SCORE_KINDS * count);
        }
    draw_scale(l, x, scale, gap, count);
    lab_about(l, "scale");
    lab_claim_add(l, short_of == 0, "A scale of (ln((N−t)/t) + ln 99)/γ always brings the error to 1 %",
                  "%zu of %zu rows need more", short_of, rows);
    lab_claim_add(l, adversarial < 1e-9, "Against adversarial scores nothing less does",
                  "largest relative difference %.2g", adversarial);
    lab_claim_add(l, scale[HEAVY][count - 1] < scale[HEAVY][0] && scale[GAUSSIAN][count - 1] > scale[GAUSSIAN][0],
                  "With heavy-tailed scores longer rows need a smaller scale, with Gaussian ones a larger",
                  "from %g to %g scores: %.3g to %.3g, and %.3g to %.3g", x[0], x[count - 1], scale[HEAVY][0],
                  scale[HEAVY][count - 1], scale[GAUSSIAN][0], scale[GAUSSIAN][count - 1]);
}

/* ---- ties that are a little off ---- */

/* tanh(x/2), no cancellation: expm1 by its series where x is small. */
static double half_tanh(double x) {
    if (x < 0x1p-10) return x / 2 - x * x * x / 24;
    double e = exp_f64(-x);
    return (1 - e) / (1 + e);
}

/* t tied scores, of which `up` are eta too large and the others eta too small, and n - t others, gap below and eta
   too large. */
static double tie_error(size_t n, size_t t, size_t up, double scale, double eta, double gap) {
    double high = (double)up, low = (double)(t - up) * exp_f64(-2 * scale * eta),
           others = (double)(n - t) * exp_f64(-scale * gap), sum = high + low + others;
    double share = 1 / (double)t, per_high = 1 / sum, per_low = exp_f64(-2 * scale * eta) / sum;
    return (fabs(per_high - share) * (double)up + fabs(per_low - share) * (double)(t - up) + others / sum) / 2;
}

void gap_ties(lab *l, arena *scratch) {
    enum { POINTS = 15, TIES = 3, N = 1024 };
    static const size_t ties[TIES] = {2, 16, 256};
    static const char *const names[TIES] = {"2 ties", "16 ties", "256 ties"};
    static const lab_column columns[] = {{"ties", LAB_COUNT, "t of 1,024 scores"},
                                         {"scale", LAB_NUMBER, "Λ; the gap is 1"},
                                         {"scale_times_error", LAB_NUMBER, "Λη"},
                                         {"measured", LAB_NUMBER, "total variation with the worst choice of signs"},
                                         {"bound", LAB_NUMBER, "th + (1 - th) q/(1 + q)"}};
    lab_table *table = LAB_TABLE(l, "ties", "Ties whose scores are off by up to η", columns, 0);
    double x[POINTS], y[TIES][POINTS], limit[POINTS], closest = 0;
    size_t beyond = 0;
    (void)scratch;
    for (size_t c = 0; c < 2 * TIES * POINTS; c++) { /* at scale 8 the scores below the ties count, too */
        size_t k = c / POINTS % TIES, p = c % POINTS;
        double scale = c < TIES * POINTS ? 64 : 8, gap = 1, product = exp_f64(log_f64(10) * ((double)p / 4 - 2.5)),
               eta = product / scale, worst = 0;
        for (size_t up = 1; up < ties[k]; up++) worst = fmax(worst, tie_error(N, ties[k], up, scale, eta, gap));
        double th = half_tanh(product),
               q = (double)(N - ties[k]) / (double)ties[k] * exp_f64(-scale * (gap - 2 * eta));
        double bound = isfinite(q) ? th + (1 - th) * q / (1 + q) : 1;
        x[p] = product;
        if (k == 0) limit[p] = th;
        if (scale == 64) y[k][p] = worst;
        beyond += worst > bound * (1 + 0x1p-40);
        closest = fmax(closest, worst / bound);
        lab_put_count(table, ties[k]);
        lab_put_number(table, scale);
        lab_put_number(table, product);
        lab_put_number(table, worst);
        lab_put_number(table, bound);
    }
    chart_series series[TIES + 1];
    series[0] = (chart_series){"tanh(Λη/2)", x, limit, POINTS, DRAW_LINE | DRAW_DASHED | DRAW_FAINT, 0};
    for (size_t k = 0; k < TIES; k++)
        series[k + 1] = (chart_series){names[k], x, y[k], POINTS, DRAW_LINE | DRAW_MARKERS, (int)k + 1};
    chart_panel panel = {"",
                         {"scale times error of a score, Λη", SCALE_LOG, 0, 0, NULL, 0},
                         {"total variation", SCALE_LOG, 0, 0, NULL, 0},
                         series,
                         TIES + 1,
                         NULL,
                         0};
    chart c = {
        .title = "Ties survive only while Λη is small",
        .caption =
            "Tied scores that are wrong by up to η, with the signs that hurt most, at scale 64 and gap 1. A larger "
            "scale, which every other row wants, tears the tie apart.",
        .panels = &panel,
        .panel_count = 1,
        .columns = 1,
        .panel_width = 285,
        .panel_height = 210};
    lab_figure_add(l, "ties", &c);
    lab_about(l, "ties");
    lab_claim_add(l, beyond == 0,
                  "With tied maxima off by η the error is at most th + (1−th)·q/(1+q), th = tanh(Λη/2), q = "
                  "((N−t)/t)·exp(−Λ(γ−2η))",
                  "%zu of %d beyond, at scales 64 and 8", beyond, 2 * TIES * POINTS);
    lab_claim_add(l, closest > 0.99, "Some errors come as near to it as 1 %", "largest ratio %.4f", closest);
}

/* The mechanisms' properties; leak and gain error by gap and length; the scale that an error needs. */
#include "lab/mechanism_search.h"
#include "lab/zoo.h"
#include "number/elementary.h"

#include <math.h>
#include <string.h>

/* ---- properties ---- */

enum { ROWS = 40, WIDEST = 12 };

typedef struct seen {
    bool sum_varies, zero, below, shifts;
    double worst_sum; /* distance of a sum from 1 */
} seen;

/* Random rows, and rows that show a zero, where a formula has one. */
static void look(seen *s, lab *l, const mechanism *m, arena *scratch) {
    static const double special[][3] = {
        {0, 1, 2}, {-1, 2, 0.5}, {0x1.921fb54442d18p+0, 0, -0x1.921fb54442d18p+0}, {5, -5, -9}, {1, 1, 1}};
    enum { SPECIAL = sizeof special / sizeof *special };
    for (size_t k = 0; k < ROWS + SPECIAL; k++) {
        double scores[WIDEST], w[WIDEST], moved[WIDEST], sum = 0, most = 0;
        size_t n = k < SPECIAL ? 3 : 2 + lab_random(l) % (WIDEST - 1);
        for (size_t j = 0; j < n; j++) scores[j] = k < SPECIAL ? special[k][j] : 3 * lab_normal(l);
        arena_reset(scratch);
        double ceiling = row_largest(scores, n);
        attention_row in = mechanism_row(m, scores, n, ceiling, scratch);
        if (m->input == INPUT_TWO) { /* not the same map twice */
            double *second = arena_alloc(scratch, n, sizeof *second);
            for (size_t j = 0; j < n; j++) second[j] = scores[n - 1 - j];
            in.second = second;
        }
        mechanism_weights(w, m, &in, NULL, scratch);
        bool defined = true;
        for (size_t j = 0; j < n; j++) defined = defined && isfinite(w[j]) && fabs(w[j]) < 1e6;
        if (!defined) continue;
        for (size_t j = 0; j < n; j++) {
            sum += w[j];
            s->zero = s->zero || fabs(w[j]) < 1e-25;
            s->below = s->below || w[j] < 0;
        }
        s->worst_sum = fmax(s->worst_sum, fabs(sum - 1));
        for (size_t j = 0; j < n; j++) scores[j] += 1.25;
        in = mechanism_row(m, scores, n, ceiling, scratch); /* SOFT: its query stays where it was */
        if (m->input == INPUT_TWO) in.second = scores;
        mechanism_weights(moved, m, &in, NULL, scratch);
        for (size_t j = 0; j < n && m->input != INPUT_TWO; j++) most = fmax(most, fabs(w[j] - moved[j]));
        s->shifts = s->shifts || !(most < 1e-9);
    }
    s->sum_varies = s->worst_sum > 1e-9;
}

void zoo_properties(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"mechanism", LAB_TEXT, "name"},
        {"family", LAB_TEXT, "file that holds it"},
        {"formula", LAB_TEXT, "weights, published defaults"},
        {"source", LAB_TEXT, "arXiv id"},
        {"sum_is_one", LAB_FLAG, "claimed: weights of every row sum to 1"},
        {"zero", LAB_FLAG, "claimed: a weight can be exactly 0"},
        {"negative", LAB_FLAG, "claimed: a weight can be negative"},
        {"shift_invariant", LAB_FLAG, "claimed: a constant added to all scores changes nothing"},
        {"zero_seen", LAB_FLAG, "a weight below 1e-25 in size was seen, defaults"},
        {"negative_seen", LAB_FLAG, "a negative weight was seen, defaults"},
        {"worst_sum", LAB_NUMBER, "largest distance of a sum from 1 that was seen"}};
    lab_table *t =
        LAB_TABLE(l, "mechanisms", "The mechanisms and what is claimed of their weights", columns, SIZE_MAX);
    size_t wrong = 0, count = mechanism_count();
    const char *worst = "";
    for (size_t k = 0; k < count; k++) {
        const mechanism *m = mechanism_at(k);
        seen s = {0};
        look(&s, l, m, scratch);
        bool sums = m->claims & SUMS_TO_ONE, zero = m->claims & CAN_BE_ZERO, below = m->claims & CAN_BE_BELOW,
             shift = m->claims & SHIFT_INVARIANT;
        /* "can" is shown by one row; "cannot" is refuted by one. Zeros by coincidence (differential, affine) or by
           rounding are no refutation. */
        bool bad = (sums && s.sum_varies) || (!below && s.below) || (shift && s.shifts);
        if (bad) wrong++, worst = m->name;
        lab_put_text(t, m->name);
        lab_put_text(t, m->family);
        lab_put_text(t, m->formula);
        lab_put_text(t, m->source);
        lab_put_flag(t, sums);
        lab_put_flag(t, zero);
        lab_put_flag(t, below);
        lab_put_flag(t, shift);
        lab_put_flag(t, s.zero);
        lab_put_flag(t, s.below);
        lab_put_number(t, s.worst_sum);
    }
    lab_claim_add(l, wrong == 0, "Sum, sign and shift invariance of all mechanisms are as the table claims",
                  "%zu mechanisms, %d rows each, %zu wrong%s%s", count, ROWS, wrong, wrong ? ": " : "", worst);
}

/* ---- leak ---- */

static const char *const shown_leaks[][6] = {
    {"softmax", "log-n", "ssmax", "focal", "adaptive", "softermax"},
    {"ssa", "taylor", "sigmoid", "softpick", "polynomial-normalised", "soft-margin-taylor"},
    {"sparsemax", "entmax", "top-k", "self-adjust-normalised", "softmax-plus-one", "hardmax-average"},
    {"sin-softmax", "sirenmax", "cosmax", "linear", "hedgehog", "cosformer"}};
static const char *const leak_titles[] = {"Softmax and its temperatures", "Another function for exp",
                                          "Sparse and adjusted", "Periodic and kernels"};

enum { FIXED_LENGTH = 256, FIXED_GAP = 8 };

/* Leak against length at one gap, or against the gap at one length. */
static void draw_leak(lab *l, const lab_table *t, bool by_gap) {
    enum { PANELS = 4, LINES = 6, POINTS = 16 };
    chart_series series[PANELS][LINES];
    chart_panel panels[PANELS];
    for (size_t p = 0; p < PANELS; p++) {
        for (size_t s = 0; s < LINES; s++) {
            double *x = arena_alloc(&l->memory, POINTS, sizeof *x), *y = arena_alloc(&l->memory, POINTS, sizeof *y);
            size_t count = 0;
            for (size_t r = 0; r < lab_rows(t) && count < POINTS; r++) {
                uint64_t n = lab_cell_at(t, r, 1)->count;
                double gap = lab_cell_at(t, r, 2)->number;
                if (strcmp(lab_cell_at(t, r, 0)->text, shown_leaks[p][s]) ||
                    (by_gap ? n != FIXED_LENGTH
                            : gap != FIXED_GAP || n == 8192)) /* its marker would touch 10,000's */
                    continue;
                x[count] = by_gap ? gap : (double)n;
                y[count++] = fmax(lab_cell_at(t, r, 3)->number, 1e-6);
            }
            series[p][s] = (chart_series){shown_leaks[p][s], x, y, count, DRAW_LINE | DRAW_MARKERS, 0};
        }
        panels[p] = (chart_panel){leak_titles[p],
                                  {by_gap ? "gap g" : "length n", SCALE_LOG, 0, 0, NULL, 0},
                                  {"leak", SCALE_LOG, 1e-6, 10, NULL, 0},
                                  series[p],
                                  LINES,
                                  NULL,
                                  0};
    }
    chart c = {by_gap ? "Leak against the gap: one key has score g, 255 others have 0"
                      : "Leak against length: one key has score 8, the others 0",
               "Published defaults, no change of scale. Values below 10⁻⁶, exact zeros among them, are drawn at "
               "10⁻⁶; mechanisms that do not "
               "normalise can leak more than 1.",
               panels,
               PANELS,
               2,
               225,
               170,
               true,
               false};
    lab_figure_add(l, by_gap ? "gap" : "leak", &c);
}

void zoo_leak(lab *l, arena *scratch) {
    static const lab_column columns[] = {{"mechanism", LAB_TEXT, "name"},
                                         {"n", LAB_COUNT, "keys"},
                                         {"gap", LAB_NUMBER, "score of one key; the others have 0"},
                                         {"leak", LAB_NUMBER, "sum of |w| over the others"},
                                         {"gain_error", LAB_NUMBER, "|1 - w| of the key"}};
    static const size_t all_lengths[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 10000};
    size_t lengths = l->quick ? 9 : 14;
    double worst = 0, worst_upper = -1;
    lab_table *t = LAB_TABLE(
        l, "leak", "Leak and gain error of one key with score g among n with 0, published defaults", columns, 0);
    for (size_t k = 0; k < mechanism_count(); k++) {
        const mechanism *m = mechanism_at(k);
        for (size_t j = 0; j < lengths; j++) {
            size_t n = all_lengths[j];
            if (mechanism_is_costly(m) && n > (l->quick ? 32 : 256)) break;
            for (double g = 0.5; g <= 64; g *= 2) {
                double leak, gain;
                mechanism_row_errors(&leak, &gain, m, n, (score_map){g, 0, 0}, scratch);
                lab_put_text(t, m->name);
                lab_put_count(t, n);
                lab_put_number(t, g);
                lab_put_number(t, leak);
                lab_put_number(t, gain);
                if (strcmp(m->name, "softmax")) continue;
                double r = ((double)n - 1) * exp_f64(-g), law = r / (1 + r);
                worst = fmax(worst, fabs(leak - law) / law);
                worst_upper = fmax(worst_upper, (leak - law) / law);
            }
        }
    }
    lab_claim_add(l, worst < 1e-12,
                  "Softmax's leak is r/(1+r) with r = (n−1)e⁻ᵇᵍ, and never above it but by rounding",
                  "largest relative difference %.2g, largest excess %.2g, n to %zu, b g to 64", worst, worst_upper,
                  all_lengths[lengths - 1]);

    draw_leak(l, t, false);
    draw_leak(l, t, true);
}

/* ---- required scale ---- */

/* The sum of squares left by the best line through (x, y), relative to the y. */
static double line_rest(const double *x, const double *y, size_t count) {
    double n = (double)count, mx = row_sum(x, count) / n, my = row_sum(y, count) / n, sxx = 0, sxy = 0, rest = 0;
    for (size_t k = 0; k < count; k++) sxx += (x[k] - mx) * (x[k] - mx), sxy += (x[k] - mx) * (y[k] - my);
    for (size_t k = 0; k < count; k++) {
        double d = y[k] - my - sxy / sxx * (x[k] - mx);
        rest += d * d;
    }
    return rest;
}

/* b at lengths 16, 64, 256, ...: linear in ln n, or a power of n, whichever fits better. */
static const char *growth_of(const double *b, size_t count) {
    double x[8], logs[8], level[8];
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(b[k])) return "impossible";
        x[k] = (double)k, logs[k] = log_f64(b[k]), level[k] = b[k] / b[count - 1];
    }
    double ratio = b[count - 1] / b[0];
    if (ratio < 0.97) return "falls";
    if (ratio < 1.03) return "bounded";
    return line_rest(x, level, count) < line_rest(x, logs, count) ? "log n" : "power of n";
}

static const char *const shown_scales[][6] = {
    {"softmax", "log-n", "focal", "adaptive", "softermax", "softmax-plus-one"},
    {"sigmoid", "ssa", "taylor", "relu-n", "polynomial", "polynomial-square"},
    {"sparsemax", "entmax", "hedgehog", "top-k", "integral", "self-adjust-normalised"}};
static const char *const scale_titles[] = {"Softmax and its temperatures", "Another function for exp",
                                           "Sparse, kernels, adjusted"};

void zoo_scale(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"mechanism", LAB_TEXT, "name"},
        {"error", LAB_NUMBER, "leak and gain error are both at most this"},
        {"n", LAB_COUNT, "keys"},
        {"scale", LAB_NUMBER, "smallest scale of scores 0 and 1 that does it, best shift; infinite: none up to 2^30"},
        {"softmax_law", LAB_NUMBER, "ln((n-1)(1-e)/e)"}};
    static const lab_column summary[] = {{"mechanism", LAB_TEXT, "name"},
                                         {"growth", LAB_TEXT, "of the scale for error 0.01 with the length"},
                                         {"scale_at_16", LAB_NUMBER, "for error 0.01"},
                                         {"scale_at_longest", LAB_NUMBER, "for error 0.01"},
                                         {"longest", LAB_COUNT, "that was tried"}};
    static const size_t all_lengths[] = {4, 16, 64, 256, 1024, 4096, 10000};
    static const double errors[] = {0.25, 0.01};
    size_t lengths = l->quick ? 4 : 7;
    lab_table *t = LAB_TABLE(l, "scale", "The scale that an error needs, by length", columns, 0);
    lab_table *s = LAB_TABLE(l, "growth", "How the scale for error 0.01 grows with the length", summary, SIZE_MAX);
    double worst = 0;
    size_t impossible = 0;
    for (size_t k = 0; k < mechanism_count(); k++) {
        const mechanism *m = mechanism_at(k);
        for (size_t e = 0; e < 2; e++) {
            double scales[8], last = NAN;
            size_t count = 0, longest = 0;
            for (size_t j = 0; j < lengths; j++) {
                size_t n = all_lengths[j];
                score_map map;
                if (mechanism_is_costly(m) && n > (l->quick ? 16 : 64)) break;
                double b = mechanism_least_scale(&map, m, n, errors[e], scratch),
                       law = log_f64(((double)n - 1) * (1 - errors[e]) / errors[e]);
                lab_put_text(t, m->name);
                lab_put_number(t, errors[e]);
                lab_put_count(t, n);
                lab_put_number(t, b);
                lab_put_number(t, law);
                if (j > 0 && count < 8 && all_lengths[j] != 10000) scales[count++] = b;
                longest = n, last = b;
                if (!strcmp(m->name, "softmax")) worst = fmax(worst, fabs(b / law - 1));
            }
            if (e == 0) continue;
            const char *growth = count >= 3                    ? growth_of(scales, count)
                                 : isfinite(scales[count - 1]) ? "not enough lengths"
                                                               : "impossible";
            impossible += !strcmp(growth, "impossible");
            lab_put_text(s, m->name);
            lab_put_text(s, growth);
            lab_put_number(s, scales[0]);
            lab_put_number(s, last);
            lab_put_count(s, longest);
        }
        lab_progress(l, k, mechanism_count());
    }
    lab_claim_add(l, worst < 1e-6, "Softmax needs exactly b g = ln((n-1)(1-e)/e)", "largest relative difference %.2g",
                  worst);
    static const char *const expected[][2] = {{"softmax", "log n"},
                                              {"log-n", "falls"},
                                              {"focal", "log n"},
                                              {"sigmoid", "log n"},
                                              {"ssa", "power of n"},
                                              {"taylor", "power of n"},
                                              {"relu-n", "power of n"},
                                              {"sparsemax", "bounded"},
                                              {"entmax", "bounded"},
                                              {"sin-softmax", "impossible"},
                                              {"hardmax-average", "bounded"}};
    size_t right = 0, total = sizeof expected / sizeof *expected;
    for (size_t k = 0; k < total; k++)
        for (size_t r = 0; r < lab_rows(s); r++)
            right += !strcmp(lab_cell_at(s, r, 0)->text, expected[k][0]) &&
                     !strcmp(lab_cell_at(s, r, 1)->text, expected[k][1]);
    lab_claim_add(l, right == total,
                  "The scale grows with ln n for softmax, Focal and sigmoid, falls for log n attention (SSMax), is a "
                  "power of n for SSA, Taylor and ReLU/n, bounded for sparsemax, entmax and "
                  "hardmax, and no scale is enough for sin-softmax",
                  "%zu of %zu as stated; %zu of %zu mechanisms are impossible at error 0.01", right, total,
                  impossible, lab_rows(s));

    enum { PANELS = 3, LINES = 6 };
    chart_series series[PANELS][LINES];
    chart_panel panels[PANELS];
    for (size_t p = 0; p < PANELS; p++) {
        for (size_t k = 0; k < LINES; k++) {
            double *x = arena_alloc(&l->memory, lengths, sizeof *x), *y = arena_alloc(&l->memory, lengths, sizeof *y);
            size_t count = 0;
            for (size_t r = 0; r < lab_rows(t); r++) {
                if (strcmp(lab_cell_at(t, r, 0)->text, shown_scales[p][k]) || lab_cell_at(t, r, 1)->number != 0.01)
                    continue;
                x[count] = (double)lab_cell_at(t, r, 2)->count;
                y[count++] = lab_cell_at(t, r, 3)->number;
            }
            series[p][k] = (chart_series){shown_scales[p][k], x, y, count, DRAW_LINE | DRAW_MARKERS, 0};
        }
        panels[p] = (chart_panel){scale_titles[p],
                                  {"length n", SCALE_LOG, 0, 0, NULL, 0},
                                  {"scale needed", SCALE_LOG, 0.5, l->quick ? 500 : 2e4, NULL, 0},
                                  series[p],
                                  LINES,
                                  NULL,
                                  0};
    }
    chart c = {
        "The scale that error 1 % needs, by length",
        "Scores 1 for one key and 0 for the others, times the scale; the shift is the best for each mechanism. "
        "Mechanisms that are not drawn cannot do it at any scale, or are alike to one that is.",
        panels,
        PANELS,
        2,
        200,
        180,
        true,
        false};
    lab_figure_add(l, "scale", &c);
}

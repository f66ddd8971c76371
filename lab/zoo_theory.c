/* Theory about these mechanisms: risk of regression, the limit of long prompts, degrees of freedom, bounds over
   boxes. */
#include "lab/freedom.h"
#include "lab/mechanism.h"
#include "lab/box_extremes.h"
#include "lab/mechanism_model.h"
#include "lab/zoo.h"
#include "number/elementary.h"

#include <math.h>
#include <string.h>

/* ---- boxes ---- */

static double box_value(const weight_box *b, double s) {
    double y = b->function == BOX_EXP            ? s
               : b->function == BOX_POWER_OF_TWO ? s * 0x1.62e42fefa39efp-1
                                                 : b->p * log_f64(1 + b->b * fabs(s)) * (s < 0 ? -1 : 1);
    return exp_f64(y);
}

void zoo_boxes(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"function", LAB_TEXT, "in the place of exp"},
        {"n", LAB_COUNT, "keys"},
        {"boxes", LAB_COUNT, "random ones"},
        {"inside", LAB_COUNT, "boxes whose extremes over all 2ⁿ corners lie within the bounds"},
        {"widest", LAB_NUMBER, "largest distance between the bounds of an extreme: rounding"}};
    static const char *const names[] = {"exp", "2ˣ", "SSA"};
    lab_table *t = LAB_TABLE(l, "boxes", "Exact bounds over boxes of scores, against all corners", columns, SIZE_MAX);
    size_t boxes = l->quick ? 40 : 400, wrong = 0, total = 0;
    double widest_of_all = 0;
    for (size_t f = 0; f < 3; f++)
        for (size_t n = 2; n <= 9; n++) {
            size_t inside = 0;
            double widest = 0;
            for (size_t k = 0; k < boxes; k++) {
                double lo[9], hi[9], c[9], low = INFINITY, high = -INFINITY;
                weight_box b = {n, lo, hi, (box_function)f, 0.8, 1.5};
                for (size_t j = 0; j < n; j++) {
                    lo[j] = 3 * lab_normal(l);
                    hi[j] = lo[j] + 4 * lab_uniform(l);
                    c[j] = lab_random(l) % 3 ? lab_normal(l) : (double)(lab_random(l) % 2);
                }
                arena_reset(scratch);
                box_bound least = weight_box_least(&b, c, scratch), most = weight_box_greatest(&b, c, scratch);
                for (unsigned corner = 0; corner < 1u << n; corner++) {
                    double num = 0, den = 0;
                    for (size_t j = 0; j < n; j++) {
                        double y = box_value(&b, corner >> j & 1 ? hi[j] : lo[j]);
                        num += c[j] * y, den += y;
                    }
                    low = fmin(low, num / den), high = fmax(high, num / den);
                }
                double slack = 1e-14; /* of the corners' own rounding */
                inside += low >= least.below - slack && low <= least.above + slack && high >= most.below - slack &&
                          high <= most.above + slack;
                widest = fmax(widest, fmax(least.above - least.below, most.above - most.below));
            }
            lab_put_text(t, names[f]);
            lab_put_count(t, n);
            lab_put_count(t, boxes);
            lab_put_count(t, inside);
            lab_put_number(t, widest);
            wrong += boxes - inside, total += boxes;
            widest_of_all = fmax(widest_of_all, widest);
        }
    lab_claim_add(l, wrong == 0 && widest_of_all < 1e-12,
                  "Over a box of scores the extremes lie at threshold vertices, for exp, 2ˣ and SSA",
                  "%zu boxes of up to 9 keys, %zu outside; bounds at most %.1g apart", total, wrong, widest_of_all);
}

/* ---- single-location regression (2509.21936) ---- */

typedef struct risks {
    double softmax, direct, blunt, sharp, linear, centred;
} risks;

static double square_distance(const double *w, size_t L) {
    double sum = 0;
    for (size_t j = 0; j < L; j++) sum += (w[j] - (j == 0)) * (w[j] - (j == 0));
    return sum;
}

/* y = z_e, z normal, e the first; scores chi_l ~ N(sqrt(nu) [l = e], 1). The risk of weights w is the mean of sum
   (w_l - [l = e])^2. Linear weights a + b chi, and b (chi - mean) + 1/L, each with the best constants for the sample:
   both are least squares. */
static risks sample_risks(lab *l, size_t L, double nu, size_t draws) {
    double root = sqrt(nu), soft = 0, direct = 0, blunt = 0, sharp = 0, sx = 0, sxx = 0, sxt = 0, cxx = 0, cxt = 0,
           N = (double)draws * (double)L;
    double chi[64], w[64];
    for (size_t k = 0; k < draws; k++) {
        double mean = 0;
        for (size_t j = 0; j < L; j++) {
            chi[j] = lab_normal(l) + (j == 0 ? root : 0);
            mean += chi[j] / (double)L;
        }
        row_softmax(w, chi, L, root); /* the Bayes posterior of the location */
        soft += 1 - w[0];
        direct += square_distance(w, L);
        row_softmax(w, chi, L, root * 0.7);
        blunt += square_distance(w, L);
        row_softmax(w, chi, L, root * 1.4);
        sharp += square_distance(w, L);
        for (size_t j = 0; j < L; j++) {
            double c = chi[j] - mean;
            sx += chi[j], sxx += chi[j] * chi[j];
            cxx += c * c;
        }
        sxt += chi[0];
        cxt += chi[0] - mean;
    }
    /* Targets: [l = e], mean 1/L. */
    double mx = sx / N, vx = sxx / N - mx * mx, cov = sxt / N - mx / (double)L, vt = (1 - 1 / (double)L) / (double)L;
    double linear = (double)L * (vt - cov * cov / vx);
    double centred = (double)L * (vt - (cxt / N) * (cxt / N) / (cxx / N));
    double N1 = (double)draws;
    return (risks){soft / N1, direct / N1, blunt / N1, sharp / N1, linear, centred};
}

/* E[1 - p_e] for L = 2: the difference d of the scores times sqrt(nu) is normal with mean nu and variance 2 nu, and 1
   - p = 1/(1 + e^d). Trapezoids. */
static double two_location_risk(double nu) {
    double sum = 0, sigma = sqrt(2 * nu), step = 0.01;
    for (double u = -30; u <= 30; u += step) {
        double d = nu + sigma * u, e = exp_f64(-fabs(d));
        sum += exp_f64(-u * u / 2) * (d > 0 ? e : 1) / (1 + e);
    }
    return sum * step / 0x1.40d931ff62706p+1; /* sqrt(2 pi) */
}

void zoo_regression(lab *l, arena *scratch) {
    (void)scratch;
    static const lab_column columns[] = {
        {"L", LAB_COUNT, "locations"},
        {"nu", LAB_NUMBER, "signal"},
        {"softmax", LAB_NUMBER, "risk at the Bayes scale, 1 - E[p], sampled"},
        {"softmax_direct", LAB_NUMBER, "the same as the mean of the sum of (w − [l = e])²"},
        {"softmax_blunt", LAB_NUMBER, "that at 0.7 of the Bayes scale"},
        {"softmax_sharp", LAB_NUMBER, "that at 1.4 of it"},
        {"linear", LAB_NUMBER, "risk of the best a + b chi, sampled"},
        {"linear_law", LAB_NUMBER, "L(L−1)/(ν(L−1) + L²)"},
        {"linear_sum_one", LAB_NUMBER, "risk of the best 1/L + b(chi - mean), sampled"},
        {"sum_one_law", LAB_NUMBER, "(L−1)/(ν + L)"}};
    static const size_t sizes[] = {2, 3, 5};
    static const double signals[] = {0.5, 1, 2, 4, 8, 16, 32};
    enum { SIZES = 3, SIGNALS = 7 };
    lab_table *t =
        LAB_TABLE(l, "regression", "Single-location regression: the risk of softmax and of linear attention", columns,
                  SIZE_MAX);
    size_t draws = l->quick ? 40000 : 400000;
    double worst = 0, worst_centred = 0, worst_direct = 0, two = 0, x[SIGNALS], y[3][SIZES][SIGNALS];
    bool softmax_wins = true, bayes = true;
    for (size_t s = 0; s < SIZES; s++)
        for (size_t k = 0; k < SIGNALS; k++) {
            double L = (double)sizes[s], nu = signals[k];
            risks r = sample_risks(l, sizes[s], nu, draws);
            double law = L * (L - 1) / (nu * (L - 1) + L * L), centred = (L - 1) / (nu + L);
            worst = fmax(worst, fabs(r.linear - law));
            worst_centred = fmax(worst_centred, fabs(r.centred - centred));
            softmax_wins = softmax_wins && r.softmax < r.linear && r.softmax < r.centred;
            worst_direct = fmax(worst_direct, fabs(r.direct - r.softmax));
            if (nu <= 8)
                bayes = bayes && r.direct < r.blunt && r.direct < r.sharp; /* beyond, too few draws are wrong */
            if (sizes[s] == 2) two = fmax(two, fabs(r.direct - two_location_risk(nu)));
            lab_put_count(t, sizes[s]);
            lab_put_number(t, nu);
            lab_put_number(t, r.softmax);
            lab_put_number(t, r.direct);
            lab_put_number(t, r.blunt);
            lab_put_number(t, r.sharp);
            lab_put_number(t, r.linear);
            lab_put_number(t, law);
            lab_put_number(t, r.centred);
            lab_put_number(t, centred);
            x[k] = nu;
            y[0][s][k] = r.softmax, y[1][s][k] = r.linear, y[2][s][k] = r.centred;
        }
    lab_claim_add(l, worst < 0.01, "The best linear weights a + b χ have risk L(L−1)/(ν(L−1) + L²)",
                  "largest difference %.4f over %zu draws each", worst, draws);
    lab_claim_add(l, worst_centred < 0.01, "Linear weights that sum to one have risk (L−1)/(ν + L)",
                  "largest difference %.4f", worst_centred);
    lab_claim_add(l, worst_direct < 0.01 && two < 0.01,
                  "At the Bayes scale, the scores' own √ν, softmax's risk is 1 − E[p]",
                  "mean squares sampled beside it: largest difference %.4f; from a quadrature for two locations %.4f",
                  worst_direct, two);
    lab_claim_add(l, bayes, "No other scale has less risk (Proposition 4.2: the posterior is the best)",
                  "0.7 and 1.4 of it have more for all ν up to 8");
    lab_claim_add(l, softmax_wins, "Softmax at the Bayes scale has less risk than either", "at all %d points",
                  SIZES * SIGNALS);
    double slope = (log_f64(two_location_risk(400)) - log_f64(two_location_risk(200))) / 200;
    lab_claim_add(l, fabs(slope + 0.25) < 0.005, "For two locations softmax's risk falls like exp(−ν/4)",
                  "measured exponent %.4f between ν = 200 and 400, by quadrature", slope);
    lab_note_add(l, &prose_zoo_two_asymptotes_for_linear_attention, NULL);

    chart_series series[SIZES][3];
    chart_panel panels[SIZES];
    static const char *const titles[] = {"L = 2", "L = 3", "L = 5"};
    static const char *const names[] = {"softmax", "a + b χ", "sum one"};
    for (size_t s = 0; s < SIZES; s++) {
        for (size_t k = 0; k < 3; k++)
            series[s][k] = (chart_series){names[k], x, y[k][s], SIGNALS, DRAW_LINE | DRAW_MARKERS, 0};
        panels[s] = (chart_panel){titles[s],
                                  {"signal ν", SCALE_LOG, 0, 0, NULL, 0},
                                  {"risk", SCALE_LOG, 1e-5, 2, NULL, 0},
                                  series[s],
                                  3,
                                  NULL,
                                  0};
    }
    chart c = {"Finding one location: softmax against linear attention",
               "Mean square risk of predicting the value at one hidden location among L, from scores with signal ν "
               "there: softmax at the Bayes scale, and linear attention with weights a + b χ of the scores χ, or "
               "made to sum to one.",
               panels,
               SIZES,
               3,
               165,
               165,
               true,
               false};
    lab_figure_add(l, "regression", &c);
}

/* ---- long prompts (2512.11784) ---- */

/* The mean over softmax(z x_j) of tokens x_j. */
static double prompt_output(const double *tokens, size_t n, double z) {
    double most = -INFINITY, sum = 0, out = 0;
    for (size_t j = 0; j < n; j++) most = fmax(most, z * tokens[j]);
    for (size_t j = 0; j < n; j++) {
        double e = exp_f64(z * tokens[j] - most);
        sum += e, out += e * tokens[j];
    }
    return out / sum;
}

static double hyperbolic_tangent(double z) {
    double e = exp_f64(2 * z);
    return (e - 1) / (e + 1);
}

void zoo_prompts(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"tokens", LAB_TEXT, "distribution"},
        {"L", LAB_COUNT, "prompt length"},
        {"z", LAB_NUMBER, "query"},
        {"limit", LAB_NUMBER, "m + G z for Gaussian tokens, tanh z for Rademacher ones"},
        {"rmse", LAB_NUMBER, "over the repeats"},
        {"predicted", LAB_NUMBER, "√(exp(z²)(1 + z²)/L), of importance sampling, for Gaussian tokens"}};
    static const size_t sizes[] = {1, 10, 100, 1000, 10000};
    static const double queries[] = {0.5, 1};
    lab_table *t =
        LAB_TABLE(l, "prompts", "How fast attention over random tokens reaches its limit", columns, SIZE_MAX);
    size_t repeats = l->quick ? 240 : 1000;
    double *tokens = arena_alloc(&l->memory, 10000, sizeof *tokens), last[2][2] = {{0}}, first[2][2] = {{0}},
           bias = 0, off = 0, x[5], y[4][5];
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t q = 0; q < 2; q++)
            for (size_t s = 0; s < 5; s++) {
                double z = queries[q], limit = kind ? hyperbolic_tangent(z) : z, square = 0, mean = 0;
                for (size_t k = 0; k < repeats; k++) {
                    for (size_t j = 0; j < sizes[s]; j++)
                        tokens[j] = kind ? (lab_random(l) >> 63 ? 1 : -1) : lab_normal(l);
                    double out = prompt_output(tokens, sizes[s], z);
                    square += (out - limit) * (out - limit);
                    mean += out / (double)repeats;
                }
                double rmse = sqrt(square / (double)repeats);
                lab_put_text(t, kind ? "Rademacher" : "Gaussian");
                lab_put_count(t, sizes[s]);
                lab_put_number(t, z);
                lab_put_number(t, limit);
                lab_put_number(t, rmse);
                lab_put_number(t, kind ? NAN : sqrt(exp_f64(z * z) * (1 + z * z) / (double)sizes[s]));
                x[s] = (double)sizes[s], y[2 * kind + q][s] = rmse;
                if (s == 1) first[kind][q] = rmse;
                if (s == 4) last[kind][q] = rmse;
                if (s == 4 && !kind) off = fmax(off, fabs(rmse / sqrt(exp_f64(z * z) * (1 + z * z) / 1e4) - 1));
                if (s == 4 && kind) bias = fmax(bias, fabs(mean - limit));
            }
    arena_reset(scratch);
    bool falls = true;
    for (size_t k = 0; k < 4; k++) falls = falls && last[k / 2][k % 2] < first[k / 2][k % 2] / 8;
    lab_claim_add(l, falls, "For Gaussian tokens attention over a long prompt tends to m + G z",
                  "rmse at z = 1/2 falls from %.3f (L = 10) to %.3f (L = 10⁴)", first[0][0], last[0][0]);
    lab_claim_add(l, off < (l->quick ? 0.18 : 0.1),
                  "It gets there as importance sampling does: rmse √(exp(z²)(1 + z²)/L)",
                  "at L = 10⁴, z = 1/2 and 1, %zu repeats: off by at most %.0f %%", repeats, 100 * off);
    lab_claim_add(l, bias < 0.01, "Rademacher tokens give tanh z, not z",
                  "means at L = 10⁴ within %.4f of tanh z, %.2f away from z = 1", bias, 1 - hyperbolic_tangent(1));
    lab_claim_add(l, y[0][0] > 0.5, "The bound c ln L/Lᶜ′ of Proposition 3.1 is 0 at L = 1, where the error is not",
                  "rmse %.2f at L = 1", y[0][0]);
    static const char *const names[] = {"Gaussian, z = 1/2", "Gaussian, z = 1", "Rademacher, z = 1/2",
                                        "Rademacher, z = 1"};
    chart_series series[4];
    for (size_t k = 0; k < 4; k++) series[k] = (chart_series){names[k], x, y[k], 5, DRAW_LINE | DRAW_MARKERS, 0};
    chart_panel panel = {"",
                         {"prompt length L", SCALE_LOG, 0, 0, NULL, 0},
                         {"root mean square error", SCALE_LOG, 0, 0, NULL, 0},
                         series,
                         4,
                         NULL,
                         0};
    chart c = {"Long random prompts reach their limit like 1/√L",
               "Root mean square distance of softmax attention over L random tokens with query z from its limit: m + "
               "Gz for Gaussian tokens, tanh z for ±1 (Rademacher).",
               &panel,
               1,
               1,
               265,
               210,
               false,
               false};
    lab_figure_add(l, "prompts", &c);
}

/* ---- degrees of freedom (2507.03340) ---- */

enum { TOKENS = 128, HEADS = 4, KINDS = HEADS + 2 };

/* The keys of heads of compiled models on a random string, whose 127 letters and start make 128 keys, and Gaussian
   ones. */
static const double *make_tokens(size_t *size, lab *l, size_t kind, const search_room *room, arena *memory) {
    static const char *const formulas[HEADS] = {"#[a] >= #[b]", "O a", "b S a", "#[a] >= #[b]"};
    static const head_role roles[HEADS] = {ROLE_COUNT, ROLE_ONCE, ROLE_NEAREST, ROLE_COMPARE};
    if (kind >= HEADS) {
        *size = kind == HEADS ? 4 : 16;
        double *out = arena_alloc(&l->memory, TOKENS * *size, sizeof *out);
        for (size_t k = 0; k < TOKENS * *size; k++) out[k] = lab_normal(l);
        return out;
    }
    uint32_t *letters = arena_alloc(&l->memory, TOKENS, sizeof *letters);
    for (size_t j = 0; j < TOKENS; j++) letters[j] = (uint32_t)(lab_random(l) % 4);
    double *level = arena_zalloc(&l->memory, TOKENS + 2, sizeof *level);
    model_maps maps = {.level = level, .uniform = level};
    model_case c = {zoo_model(l, formulas[kind], NULL), TOKENS - 1, 1, letters, NULL, memory};
    return mechanism_model_keys(size, &c, 0, roles[kind], &maps, room, &l->memory);
}

void zoo_freedom(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"head", LAB_TEXT, "whose keys"},
        {"log2_lambda", LAB_NUMBER, "ridge"},
        {"freedom", LAB_NUMBER, "tr G (G + lambda)^-1 over 128 keys"},
        {"features", LAB_NUMBER, "4N/t ln(64N/(delta t)) at t = 1/2, delta = 0.1"},
        {"share", LAB_NUMBER, "round(N/t) at t = 1/2: the head's features in practice"}};
    static const char *const names[] = {"count, #[a]",           "once, O a",       "since, b S a",
                                        "compare, #[a] >= #[b]", "Gaussian, d = 4", "Gaussian, d = 16"};
    lab_table *t = LAB_TABLE(l, "freedom", "Degrees of freedom of heads", columns, SIZE_MAX);
    double x[8], y[KINDS][8], at_eight[KINDS];
    bool bounded = true, grows = true;
    arena *memory = zoo_arena(l);
    search_room room = {NULL, arena_alloc(&l->memory, TOKENS + 2, sizeof(double)), TOKENS + 2, scratch};
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t size = 0;
        const double *tokens = make_tokens(&size, l, kind, &room, memory);
        if (!tokens) trap_raise(l->trap, TEMPER_RANGE, 0, 0, "lab zoo: no head for %s", names[kind]);
        arena_reset(scratch);
        double *gram = freedom_gram(tokens, TOKENS, size, scratch), before = 0;
        for (size_t k = 0; k < 8; k++) {
            double lambda = ldexp(1, -2 * (int)k), n = freedom_of_gram(gram, TOKENS, lambda, scratch);
            lab_put_text(t, names[kind]);
            lab_put_number(t, -2 * (double)k);
            lab_put_number(t, n);
            lab_put_number(t, freedom_features(n, 0.5, 0.1));
            lab_put_number(t, floor(n / 0.5 + 0.5));
            x[k] = lambda, y[kind][k] = n;
            grows = grows && n >= before;
            before = n;
            if (k == 4) at_eight[kind] = n;
        }
        if (kind < HEADS && kind != 2) bounded = bounded && before <= (kind ? 2 : 1) + 1e-9;
    }
    lab_claim_add(l, bounded && grows,
                  "Of compiled heads a count has at most 1 degree of freedom, once and compare at most 2: the number "
                  "of different keys",
                  "at lambda = 2^-8: count %.2f, once %.2f, since %.2f, compare %.2f; Gaussian keys %.1f (d = 4) and "
                  "%.1f (d = 16) of %d",
                  at_eight[0], at_eight[1], at_eight[2], at_eight[3], at_eight[4], at_eight[5], TOKENS);
    chart_series series[KINDS];
    for (size_t k = 0; k < KINDS; k++) series[k] = (chart_series){names[k], x, y[k], 8, DRAW_LINE | DRAW_MARKERS, 0};
    /* Series end where lambda is least, on the left: turn them round so that names stand at the right. */
    chart_panel panel = {"",
                         {"ridge λ", SCALE_LOG, 0, 0, NULL, 0},
                         {"degrees of freedom", SCALE_LOG, 0, 0, NULL, 0},
                         series,
                         KINDS,
                         NULL,
                         0};
    for (size_t k = 0; k < 4; k++) {
        double swap = x[k];
        x[k] = x[7 - k], x[7 - k] = swap;
        for (size_t kind = 0; kind < KINDS; kind++)
            swap = y[kind][k], y[kind][k] = y[kind][7 - k], y[kind][7 - k] = swap;
    }
    chart c = {"How many features would do for a head",
               "tr G(G + λ)⁻¹ of the softmax kernel's Gram matrix G on the 128 keys of heads of compiled models on a "
               "random string, and on Gaussian keys: about as many random "
               "features do for a linear head. Compiled heads have few degrees of freedom, random keys many.",
               &panel,
               1,
               1,
               265,
               210,
               false,
               false};
    lab_figure_add(l, "freedom", &c);
}

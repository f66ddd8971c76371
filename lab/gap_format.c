/* The gap below which rounding, not temperature, decides, by number format.

   A row of 16 scores between 1 and 2: the best, one that lies a gap g below it, and others further below. The scale
   is as the law wants it for that gap, (ln 16 + 8)/g rounded up to a power of two, so in real arithmetic the error is
   below e^-8 whatever g. What a format with p bits makes of it depends on how a score is stored:

       one number      key = score, rounded to storage. The spacing there is 2^(1-p): two scores can become one number
       if g is at most
                       the spacing, never if it is more, and their order is kept. So the threshold is the spacing
                       itself.
       three parts     score = a + b 2^-p + c 2^-2p with parts stored and the powers in the query (as the digits of
       compiled heads), summed in the format of
                       sums. What is left out is at most 2^-(3p+1); two roundings of sums, each at most half a spacing
                       S, make the rest: no
                       wrong order if g > 2 (S + 2^-(3p+1)).

   Scale and logits are as a runner makes them (doc/numerics.md): score and logit in the format of sums, exp of the
   difference from the best, weights summed there. */
#include "lab/gap.h"

#include "number/elementary.h"
#include "number/number_type.h"

#include <math.h>

enum { KEYS = 16, MOST_STEPS = 128, TYPES = 10 };

static const temper_type types[TYPES] = {
    TEMPER_TYPE_F64,  TEMPER_TYPE_F32,      TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,      TEMPER_TYPE_BF16_F32,
    TEMPER_TYPE_BF16, TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,    TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_E5M2};

static double power(int e) { return ldexp(1, e); }

/* A score: high + low, so that f64 too has something to round. */
typedef struct wide {
    double high, low;
} wide;

static double score_in_one(const number_type *t, wide s) {
    return format_round(t->accumulation, format_round(t->storage, s.high + s.low));
}

static double score_in_parts(const number_type *t, wide s) {
    int p = t->storage->precision;
    double left = s.high + s.low, sum = 0;
    for (int part = 0; part < 3; part++) {
        double key = format_round(t->storage, left * power(p * part)), query = power(-p * part);
        sum = format_round(t->accumulation, sum + format_round(t->accumulation, key * query));
        left -= key * query; /* exact: what rounding to p bits drops */
    }
    return sum;
}

/* The total variation of the computed weights from all on key 0; 1 where they are not numbers. */
static double row_error(const number_type *t, const double *scores, double scale) {
    const number_format *f = t->accumulation;
    double logits[KEYS], best = -INFINITY, total = 0, w[KEYS], right = 0;
    for (size_t j = 0; j < KEYS; j++) {
        logits[j] = format_round(f, scale * scores[j]);
        if (!(logits[j] <= best)) best = logits[j]; /* NaN stays */
    }
    for (size_t j = 0; j < KEYS; j++)
        total = format_round(f, total + (w[j] = format_exp(f, format_round(f, logits[j] - best))));
    right = format_round(f, w[0] / total);
    return right >= 0 && right <= 1 ? 1 - right : 1;
}

typedef struct outcome {
    double worst;   /* error */
    bool undecided; /* some score is not below the best one's */
} outcome;

/* The least power of two that is at least (ln 16 + 8)/g. */
static double scale_for(double g) {
    double need = (log_f64(KEYS) + 8) / g, scale = 1;
    while (scale < need) scale *= 2;
    return scale;
}

static outcome try_gap(lab *l, const number_type *t, bool parts, double g, size_t trials) {
    outcome o = {0, false};
    double scale = format_round(t->accumulation, scale_for(g));
    for (size_t r = 0; r < trials; r++) {
        double computed[KEYS];
        double top = 1 + lab_uniform(l), low = t->storage->precision == 53 ? (lab_uniform(l) - 0.5) * 0x1p-52 : 0;
        if (r % 4 == 0) { /* halfway between two stored numbers, where rounding to even hurts most */
            double spacing = power(1 - t->storage->precision);
            if (t->storage->precision < 5) top = 1 + (double)(r / 4 % (1u << (t->storage->precision - 1))) * spacing;
            top = 1 + (floor((top - 1) / spacing) + (parts ? 0 : 0.5)) * spacing;
            if (t->storage->precision == 53) top = 1 + floor((top - 1) / spacing) * spacing, low = spacing / 2;
        }
        for (size_t j = 0; j < KEYS; j++) {
            double below = j == 0 ? 0 : j == 1 ? g : g * (1 + 3 * lab_uniform(l));
            wide s = {top, low - below};
            if (t->storage->precision < 53) s = (wide){top - below, 0};
            computed[j] = parts ? score_in_parts(t, s) : score_in_one(t, s);
            o.undecided |= j > 0 && !(computed[j] < computed[0]);
        }
        o.worst = fmax(o.worst, row_error(t, computed, scale));
    }
    return o;
}

static double predicted(const number_type *t, bool parts) {
    double storage = power(1 - t->storage->precision), sums = power(1 - t->accumulation->precision);
    return parts ? 2 * (sums + power(-3 * t->storage->precision - 1)) : storage;
}

static const double picture_floor = 2e-7;

typedef struct curve {
    double x[MOST_STEPS], y[MOST_STEPS];
    size_t count;
    double threshold; /* the largest gap at which an order was lost; 0: none */
    bool beyond;      /* lost above the prediction */
} curve;

static void follow(curve *c, lab *l, const number_type *t, bool parts, size_t trials) {
    double limit = predicted(t, parts);
    int last = parts ? 30 : t->storage->precision + 4;
    *c = (curve){.count = 0};
    for (int half = 0; half <= 2 * last; half++) { /* 1/4, 3/16, 1/8, ... */
        double g = (half % 2 ? 0.75 : 1) * power(-half / 2 - 2);
        outcome o = try_gap(l, t, parts, g, trials);
        if (o.undecided && g > c->threshold) c->threshold = g;
        c->beyond |= o.undecided && g > limit;
        if (half % 2 == 0 && c->count < MOST_STEPS) {
            c->x[c->count] = g;
            c->y[c->count++] = fmax(o.worst, picture_floor); /* what is rounded to no error at all */
        }
    }
}

static void draw(lab *l, const curve (*curves)[2]) {
    static const char *const labels[TYPES] = {"f64",  "f32",      "f16/f32", "f16",      "bf16/f32",
                                              "bf16", "e4m3/f32", "e4m3",    "e5m2/f32", "e5m2"};
    chart_series lines[TYPES], dots[2];
    chart_rule rules[TYPES];
    const char *names[TYPES];
    double bound_x[TYPES], parts_x[TYPES], y[TYPES];
    size_t count = 0;
    for (size_t k = 0; k < TYPES; k++) {
        const number_type *t = number_type_of(types[k]);
        const curve *one = &curves[k][0];
        names[TYPES - 1 - k] = labels[k];
        y[k] = (double)(TYPES - 1 - k);
        bound_x[k] = one->threshold;
        parts_x[k] = curves[k][1].count ? curves[k][1].threshold : NAN;
        if (t->storage != t->accumulation) continue; /* the storage alone decides: the same curve */
        lines[count] = (chart_series){labels[k], one->x, one->y, one->count, DRAW_LINE, (int)count + 1};
        rules[count++] = (chart_rule){true, predicted(t, false), ""};
    }
    dots[0] = (chart_series){"one stored number", bound_x, y, TYPES, DRAW_MARKERS, 7};
    dots[1] = (chart_series){"sum of three parts", parts_x, y, TYPES, DRAW_MARKERS, 8};
    chart_panel panels[] = {{"Error at the law's scale",
                             {"gap, of scores between 1 and 2", SCALE_LOG, 0x1p-57, 0.7, NULL, 0},
                             {"largest error", SCALE_LOG, 1e-7, 3, NULL, 0},
                             lines,
                             count,
                             rules,
                             count},
                            {"Below this gap rounding decides",
                             {"gap", SCALE_LOG, 0x1p-57, 0.7, NULL, 0},
                             {"", SCALE_NAMES, 0, 0, names, TYPES},
                             dots,
                             2,
                             NULL,
                             0}};
    chart c = {.title = "Below a gap that the number format sets, no temperature helps",
               .caption = "Left: the largest error among rows of 16 scores, each stored as one number, at the scale "
                          "that the law asks for; in real "
                          "arithmetic it is below e⁻⁸ for every "
                          "gap. Dotted: the predicted gap, one spacing of stored numbers; from there to the left "
                          "scores tie or change places. Right: "
                          "the largest gap at which that was seen (squares). Kept in three parts and summed in f32, "
                          "as compiled heads do with digits, "
                          "scores of short formats are told apart at much smaller gaps (crosses).",
               .panels = panels,
               .panel_count = 2,
               .columns = 2,
               .panel_width = 275,
               .panel_height = 220,
               .legend = true};
    lab_figure_add(l, "formats", &c);
}

void gap_format(lab *l, arena *scratch) {
    static const lab_column columns[] = {
        {"format", LAB_TEXT, "storage/sums"},
        {"score", LAB_TEXT, "one number or three parts"},
        {"threshold", LAB_NUMBER, "the largest gap seen at which scores tied or changed places"},
        {"predicted", LAB_NUMBER, "the gap above which they cannot"},
        {"ratio", LAB_NUMBER, "threshold/predicted"}};
    lab_table *table =
        LAB_TABLE(l, "formats", "The gap below which rounding decides, scores between 1 and 2", columns, SIZE_MAX);
    curve(*curves)[2] = arena_zalloc(&l->memory, TYPES, sizeof *curves);
    size_t trials = l->quick ? 60 : 600, beyond = 0, loose = 0, ones = 0;
    double bf16 = 0, bf16_f32 = 0;
    (void)scratch;
    for (size_t k = 0; k < TYPES; k++) {
        const number_type *t = number_type_of(types[k]);
        for (size_t parts = 0; parts < 2; parts++) {
            if (parts && t->storage == t->accumulation) continue; /* gains nothing */
            curve *c = &curves[k][parts];
            follow(c, l, t, parts, trials);
            double limit = predicted(t, parts);
            beyond += c->beyond;
            ones += !parts;
            loose += !parts && c->threshold != limit;
            if (types[k] == TEMPER_TYPE_BF16 && !parts) bf16 = c->threshold;
            if (types[k] == TEMPER_TYPE_BF16_F32 && parts) bf16_f32 = c->threshold;
            lab_put_text(table, t->name);
            lab_put_text(table, parts ? "three parts" : "one number");
            lab_put_number(table, c->threshold);
            lab_put_number(table, limit);
            lab_put_number(table, c->threshold / limit);
        }
        lab_progress(l, k, TYPES);
    }
    draw(l, (const curve(*)[2])curves);
    lab_about(l, "formats");
    lab_claim_add(l, beyond == 0, "Above the predicted gap no two scores tie or change places in any format",
                  "%d formats, %zu rows at each of up to 120 gaps: %zu formats beyond", TYPES, trials, beyond);
    lab_claim_add(l, loose == 0,
                  "A score stored as one number of p bits between 1 and 2 is lost at a gap of exactly 2¹⁻ᵖ, at "
                  "any temperature",
                  "%zu of %zu formats agree", ones - loose, ones);
    lab_claim_add(l, bf16_f32 > 0 && bf16_f32 < bf16 / 10000,
                  "Three bf16 parts summed in f32 hold gaps ten thousand times smaller than one bf16 number",
                  "thresholds %.3g and %.3g", bf16_f32, bf16);
}

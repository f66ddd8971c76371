/* Languages that no formula has: how formulas that approximate them degrade, hard transformers of the gallery that
   have them, and those softened - with the temperature that theory proves for a length, and with wrong ones. */
#include "lab/language_sample.h"
#include "lab/wrong_scales.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

typedef enum outside_way {
    WAY_HARD,
    WAY_CONSTANT, /* scales of at most 4 */
    WAY_LOG,      /* at most ln N + 8 */
    WAY_FROZEN,   /* as for strings of FROZEN_AT letters */
    WAY_SOFT,     /* proved up to a length; beyond it, the scale of that length */
    OUTSIDE_WAYS
} outside_way;

static const char *const way_names[OUTSIDE_WAYS] = {"hard", "constant", "log n", "frozen at 16", "softened"};
enum { FROZEN_AT = 16, LANGUAGES_MOST = 8, LENGTHS_MOST = 16 };

/* All pairs of positions are looked at, and a proof takes the square of the length for every length. */
static size_t proved_length(bool quick) { return quick ? 32 : 256; }
static size_t longest(bool quick) { return quick ? 256 : 1000; }

/* Some gap of the model shrinks with the length: doc/gallery.md. Others have gaps of 1, of which the tie-break takes
   at most half up to the proved length. */
static bool gaps_shrink(const language *g) { return !strcmp(g->gallery, "dyck-2"); }

/* With a gap of 1/2 a scale of ln N + 8 leaves an error of at most sqrt(N) e^-4, which is below 1/4 to here. */
enum { LOG_IS_ENOUGH = 128 };

/* ---- models ---- */

static void free_model(void *model) { temper_model_free(model); }

static const wrong_scale wrong_scales[OUTSIDE_WAYS] = {
    [WAY_CONSTANT] = {.at_most = "4"},
    [WAY_LOG] = {.at_most = "ln(N) + 8"},
    [WAY_FROZEN] = {.frozen_at = FROZEN_AT},
};

static temper_model *soften(const temper_model *hard, bool quick, arena *scratch) {
    temper_model *m;
    temper_error e;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = proved_length(quick)};
    if (temper_soften(&m, NULL, hard, &o, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, m);
    return m;
}

/* The smallest part of the proved scale that a head is left with. */
static double part_left(const temper_model *m, const temper_model *soft, size_t n) {
    double size = (double)(n + 1 + m->has_end), least = 1;
    for (uint32_t k = 0; k < m->layer_count; k++)
        for (uint32_t h = 0; h < m->layers[k].head_count; h++) {
            const model_head *x = &m->layers[k].heads[h], *y = &soft->layers[k].heads[h];
            if (!x->scale) continue;
            double part =
                expression_eval(x->scale, 0, (double)n, size) / expression_eval(y->scale, 0, (double)n, size);
            if (part < least) least = part;
        }
    return least;
}

/* For each length and way: strings, wrong answers, and the part of the proved scale that is left. */
void outside_measure(text *result, lab *l, const language *g, const size_t *lengths, size_t length_count,
                     arena *scratch) {
    temper_model *models[OUTSIDE_WAYS];
    temper_error e;
    if (temper_gallery_model(&models[WAY_HARD], g->gallery, &e)) trap_reraise(l->trap, &e);
    arena_on_release(scratch, free_model, models[WAY_HARD]);
    models[WAY_SOFT] = soften(models[WAY_HARD], l->quick, scratch);
    for (size_t way = WAY_CONSTANT; way < WAY_SOFT; way++)
        models[way] = model_with_wrong_scale(models[WAY_SOFT], &wrong_scales[way], scratch);
    for (size_t j = 0; j < length_count && lengths[j] <= longest(l->quick); j++) {
        sample x;
        sample_make(&x, l, g, lengths[j], STRINGS, scratch);
        for (size_t way = 0; way < OUTSIDE_WAYS; way++) {
            lab_bytes_count(result, x.count);
            lab_bytes_count(result, sample_wrong(&x, models[way], way == WAY_HARD, l));
            lab_bytes_number(result, way == WAY_HARD ? 1 : part_left(models[way], models[WAY_SOFT], lengths[j]));
            lab_progress(l, j * OUTSIDE_WAYS + way, LENGTHS_MOST * OUTSIDE_WAYS);
        }
    }
}

/* ---- the report ---- */

typedef struct story { /* of a language */
    const language *g;
    double x[LENGTHS_MOST], y[OUTSIDE_WAYS][LENGTHS_MOST];
    size_t points, first_wrong[OUTSIDE_WAYS];
} story;

typedef struct totals {
    size_t hard, hard_wrong, proved, proved_wrong, beyond, beyond_wrong, kept, kept_wrong, near, near_wrong;
} totals;

static void read_story(story *s, totals *sum, lab *l, lab_table *t, const size_t *lengths, size_t length_count,
                       lab_reader *r) {
    for (size_t j = 0; j < length_count && lengths[j] <= longest(l->quick); j++) {
        size_t n = lengths[j];
        s->x[s->points] = (double)n;
        for (size_t way = 0; way < OUTSIDE_WAYS; way++) {
            size_t strings = lab_read_below(r, STRINGS + 1), wrong = lab_read_below(r, strings + 1);
            double left = lab_read_number(r);
            s->y[way][s->points] = strings ? 1 - (double)wrong / (double)strings : NAN;
            if (wrong && !s->first_wrong[way]) s->first_wrong[way] = n;
            bool proved = n <= proved_length(l->quick);
            if (way == WAY_HARD) sum->hard += strings, sum->hard_wrong += wrong;
            if (way == WAY_SOFT && proved) sum->proved += strings, sum->proved_wrong += wrong;
            if (way == WAY_SOFT && !proved) sum->beyond += strings, sum->beyond_wrong += wrong;
            if (way != WAY_HARD && way != WAY_SOFT && left >= 1 && proved)
                sum->kept += strings, sum->kept_wrong += wrong;
            if (way == WAY_LOG && !gaps_shrink(s->g) && proved && n <= LOG_IS_ENOUGH)
                sum->near += strings, sum->near_wrong += wrong;
            lab_put_text(t, s->g->name);
            lab_put_text(t, s->g->gallery);
            lab_put_count(t, n);
            lab_put_text(t, way_names[way]);
            lab_put_count(t, strings);
            lab_put_count(t, wrong);
            lab_put_number(t, left);
        }
        s->points++;
    }
}

static void draw_soft(lab *l, const story *stories, size_t count) {
    chart_panel panels[LANGUAGES_MOST];
    chart_series series[LANGUAGES_MOST][OUTSIDE_WAYS - 1];
    chart_rule rule = {true, (double)proved_length(l->quick), ""};
    text caption;
    text_init(&caption, &l->memory);
    text_printf(
        &caption,
        "Hard transformers of the gallery, softened with the scales that are proved up to %zu letters (dotted; "
        "beyond it they keep the scale of that length), and with scales held down: at most 4, at most ln N + 8, "
        "or as for 16 letters. Share of 32 strings that are decided as the oracle does, half of them members or a "
        "letter away from one. Dyck-2 has gaps of 1/N, the others, up to the dotted line, of ½ and more.",
        proved_length(l->quick));
    for (size_t k = 0; k < count; k++) {
        for (size_t way = 1; way < OUTSIDE_WAYS; way++)
            series[k][way - 1] = (chart_series){way_names[way],           stories[k].x,
                                                stories[k].y[way],        stories[k].points,
                                                DRAW_LINE | DRAW_MARKERS, way == WAY_SOFT ? 1 : (int)way + 1};
        panels[k] = (chart_panel){stories[k].g->name,
                                  {"length", SCALE_LOG, 7, 1.4 * (double)longest(l->quick), NULL, 0},
                                  {"accuracy", SCALE_LINEAR, 0.4, 1.05, NULL, 0},
                                  series[k],
                                  OUTSIDE_WAYS - 1,
                                  &rule,
                                  1};
    }
    chart c = {.title = "Beyond the logic: softened transformers, and wrong temperatures",
               .caption = text_string(&caption),
               .panels = panels,
               .panel_count = count,
               .columns = 3,
               .panel_width = 215,
               .panel_height = 165,
               .shared_y = true,
               .legend = true};
    lab_figure_add(l, "softened", &c);
}

static void claim_soft(lab *l, const story *stories, size_t count, const totals *sum) {
    size_t lost = 0, shrinking = 0, shrinking_lost = 0;
    text firsts;
    text_init(&firsts, &l->memory);
    for (size_t k = 0; k < count; k++) {
        const story *s = &stories[k];
        lost += s->first_wrong[WAY_CONSTANT] > 0;
        shrinking += gaps_shrink(s->g);
        shrinking_lost += gaps_shrink(s->g) && s->first_wrong[WAY_LOG];
        text_printf(&firsts, "%s%s:", k ? "; " : "", s->g->name);
        for (size_t way = WAY_CONSTANT; way < OUTSIDE_WAYS; way++)
            text_printf(&firsts, "%s %s %zu", way == WAY_CONSTANT ? "" : ",", way_names[way], s->first_wrong[way]);
    }
    lab_about(l, "softened");
    lab_claim_add(l, sum->hard_wrong == 0 && sum->hard > 0,
                  "Hard transformers of the gallery have languages that no formula here has",
                  "%zu wrong of %zu strings up to length %zu, %zu languages", sum->hard_wrong, sum->hard,
                  longest(l->quick), count);
    lab_claim_add(l, sum->proved_wrong == 0 && sum->proved > 0,
                  "Softened with the gaps that are proved they decide every string up to that length as before",
                  "%zu wrong of %zu strings up to length %zu; beyond it, to length %zu, %zu wrong of %zu",
                  sum->proved_wrong, sum->proved, proved_length(l->quick), longest(l->quick), sum->beyond_wrong,
                  sum->beyond);
    lab_claim_add(l, sum->kept_wrong == 0 && sum->kept > 0,
                  "A wrong temperature does no harm where every head still has the scale that is proved",
                  "%zu wrong of %zu answers", sum->kept_wrong, sum->kept);
    lab_claim_add(l, lost == count && shrinking > 0 && shrinking_lost == shrinking,
                  "A constant scale loses every one of them, and log n the one whose gaps shrink as 1/N (dyck-2)",
                  "first length with a wrong answer, 0: none to %zu letters: %s", longest(l->quick),
                  text_string(&firsts));
    lab_claim_add(
        l, sum->near_wrong == 0 && sum->near > 0,
        "Where gaps are at least ½ (palindrome, copy) log n is enough while √N·e⁻⁴ is below ¼: to 128 letters",
        "%zu wrong of %zu answers", sum->near_wrong, sum->near);
}

/* How formulas that approximate degrade. */
static chart_series follow_formula(lab *l, const language *g, const lab_table *t) {
    double *x = arena_alloc(&l->memory, LENGTHS_MOST, sizeof *x),
           *y = arena_alloc(&l->memory, LENGTHS_MOST, sizeof *y);
    size_t points = 0;
    for (size_t r = 0; r < lab_rows(t) && points < LENGTHS_MOST; r++)
        if (!strcmp(lab_cell_at(t, r, 0)->text, g->name) && !strcmp(lab_cell_at(t, r, 2)->text, "formula")) {
            x[points] = (double)lab_cell_at(t, r, 1)->count;
            y[points++] = 1 - (double)lab_cell_at(t, r, 5)->count / (double)lab_cell_at(t, r, 3)->count;
        }
    return (chart_series){g->name, x, y, points, DRAW_LINE | DRAW_MARKERS, 0};
}

void outside_report(lab *l, const size_t *lengths, size_t length_count, const lab_table *accuracy,
                    lab_reader *results) {
    static const lab_column columns[] = {
        {"language", LAB_TEXT, "name"},
        {"model", LAB_TEXT, "of the gallery"},
        {"length", LAB_COUNT, "of the longest strings"},
        {"by", LAB_TEXT, "hard, or softened: with which temperature"},
        {"strings", LAB_COUNT, "tried"},
        {"wrong", LAB_COUNT, "answers that are not the oracle's"},
        {"scale_left", LAB_NUMBER, "of the scale that is proved, in the worst head"}};
    lab_table *t = LAB_TABLE(l, "gallery", "Transformers of languages that no formula has", columns, 0);
    chart_series series[16];
    story *stories = arena_zalloc(&l->memory, LANGUAGES_MOST, sizeof *stories);
    totals sum = {0};
    size_t series_count = 0, count = 0;
    for (size_t k = 0; k < language_count(); k++) {
        const language *g = &language_suite[k];
        if (g->class_ != CLASS_OUTSIDE) continue;
        if (series_count < sizeof series / sizeof *series) series[series_count++] = follow_formula(l, g, accuracy);
        if (!g->gallery || count == LANGUAGES_MOST) continue;
        stories[count].g = g;
        read_story(&stories[count++], &sum, l, t, lengths, length_count, &results[k]);
    }
    chart_panel p = {"",
                     {"length", SCALE_LOG, 7, 1.4e3, NULL, 0},
                     {"accuracy of the formula", SCALE_LINEAR, 0.3, 1.04, NULL, 0},
                     series,
                     series_count,
                     NULL,
                     0};
    chart c = {.title = "Formulas that approximate",
               .caption =
                   "Share of strings that the approximating formula, and with it every model compiled from it, "
                   "decides as the oracle of a language that no formula has. Half of the strings are members or one "
                   "letter away from one.",
               .panels = &p,
               .panel_count = 1,
               .panel_width = 270,
               .panel_height = 210};
    lab_figure_add(l, "outside", &c);
    draw_soft(l, stories, count);
    claim_soft(l, stories, count, &sum);
}

/* temper lab languages: formulas, hard and soft models on the suite of languages, with the right scales and with
   wrong ones. */
#include "lab/language_sample.h"
#include "lab/wrong_scales.h"
#include "model/model.h"
#include "number/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- schedules ---- */

/* A wrong schedule lowers the scales of heads that need more and leaves the others alone. */
typedef enum schedule {
    SCHEDULE_RIGHT,
    SCHEDULE_CONSTANT, /* at most 4 */
    SCHEDULE_LOG,      /* at most ln N + 8 */
    SCHEDULE_LINEAR,   /* at most 16 N */
    SCHEDULE_SQUARE,   /* at most 16 N² */
    SCHEDULE_FROZEN,   /* as for strings of length 64 */
    SCHEDULES
} schedule;

static const char *const schedule_names[SCHEDULES] = {"right", "constant", "log n", "n", "n²", "frozen at 64"};
enum { FROZEN_LENGTH = 64 };

/* What each schedule leaves of the scales that are right. */
static const wrong_scale wrong_scales[SCHEDULES] = {
    [SCHEDULE_CONSTANT] = {.at_most = "4"},           [SCHEDULE_LOG] = {.at_most = "ln(N) + 8"},
    [SCHEDULE_LINEAR] = {.at_most = "16*N"},          [SCHEDULE_SQUARE] = {.at_most = "16*N*N"},
    [SCHEDULE_FROZEN] = {.frozen_at = FROZEN_LENGTH},
};

/* ---- what theory says of a length ---- */

typedef enum prediction {
    PREDICT_RIGHT, /* every head is within 1/4: all answers are right */
    PREDICT_OPEN,
    PREDICT_WRONG /* some head gets its worst rows wrong by far */
} prediction;

static const char *const prediction_names[] = {"right", "open", "wrong"};

static prediction judge(bool safe, bool broken) {
    return safe ? PREDICT_RIGHT : broken ? PREDICT_WRONG : PREDICT_OPEN;
}

/* The scale L of a head against what doc/theory.md, "Heads", asks of it, with N positions: - once: a single hit among
   N has the share 1/(1 + (N-1)e^-L); - nearest: scores 1/N apart; the winner's share against all the rest is 1 -
   e^(-L/N); - compare: the worst sum is 1/(2N) from 0, and the bonus ln n is made for the scale 16 N; - look-up:
   weights e^(-g d^2) at distance d, g = L/N^3; remainders average out once exp(-pi^2/(4g)) is below rounding. A gate
   may read all heads of a layer before they are rounded: their errors add up to 1/4 at most, so each may have `share`
   of it. */
static prediction predict_head(const model_head *h, size_t n, double size, double share) {
    if (!h->scale) return PREDICT_RIGHT;
    double scale = expression_eval(h->scale, 0, (double)n, size), most = share / 4, x;
    switch (h->role) {
    case ROLE_ONCE: x = (size - 1) * exp_f64(-scale); return judge(x / (1 + x) <= most, x > 3);
    case ROLE_MATCH:
    case ROLE_NEAREST: x = exp_f64(-scale / size); return judge(x <= most, x > 0.9 && size > 32);
    case ROLE_COMPARE:
        x = scale / (2 * size) + (scale / (16 * size) - 1) * log_f64((double)(n ? n : 1));
        return judge(1 / (1 + exp_f64(x)) <= most, x < -1);
    case ROLE_LOOKUP:
        x = scale / (size * size * size);
        return judge(2 * exp_f64(-x) / (1 - exp_f64(-x)) <= most, x < 0.05);
    case ROLE_BALANCE:
        x = scale / (16 * size * size); /* 1 is right */
        return judge(x >= 1, x < 0.02);
    default: return PREDICT_OPEN;
    }
}

static prediction predict(const temper_model *m, size_t n) {
    prediction worst = PREDICT_RIGHT;
    for (uint32_t k = 0; k < m->layer_count; k++)
        for (uint32_t h = 0; h < m->layers[k].head_count; h++) {
            prediction p = predict_head(&m->layers[k].heads[h], n, (double)(n + 1 + m->has_end),
                                        1 / (double)m->layers[k].head_count);
            if (p > worst) worst = p;
        }
    return worst;
}

/* ---- models ---- */

static void free_spec(void *spec) { temper_spec_free(spec); }
static void free_model(void *model) { temper_model_free(model); }

typedef struct subject {
    const language *g;
    temper_spec *spec;
    temper_model *hard, *soft[SCHEDULES];
} subject;

static void make_subject(subject *s, const language *g, arena *scratch) {
    temper_error e;
    temper_spec_options o = {.alphabet = g->alphabet, .empty = g->empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
    memset(s, 0, sizeof *s);
    s->g = g;
    if (temper_spec_parse(&s->spec, g->formula, strlen(g->formula), &o, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_spec, s->spec);
    if (temper_build(&s->hard, s->spec, NULL, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, s->hard);
    temper_model *right;
    if (temper_soften(&right, NULL, s->hard, &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE}, &e))
        trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, right);
    for (size_t k = 0; k < SCHEDULES; k++)
        s->soft[k] = k == SCHEDULE_RIGHT ? right : model_with_wrong_scale(right, &wrong_scales[k], scratch);
}

/* ---- strings ---- */

static size_t wrong_by_formula(const sample *x, const subject *s, lab *l) {
    size_t wrong = 0;
    for (size_t k = 0; k < x->count; k++) {
        int accept;
        temper_error e;
        if (temper_spec_eval(&accept, NULL, s->spec, x->letters[k], x->n[k], &e)) trap_reraise(l->trap, &e);
        wrong += (accept != 0) != x->has[k];
    }
    return wrong;
}

/* ---- the experiment ---- */

enum { LENGTHS_MOST = 16, WAYS = 2 + SCHEDULES /* formula, hard, then soft by schedules */ };

typedef struct totals {
    uint64_t strings[LENGTHS_MOST], wrong[LENGTHS_MOST];
} totals;

typedef struct findings {
    size_t lengths[LENGTHS_MOST], length_count;
    totals of[CLASSES][WAYS];
    uint64_t strings, formula_wrong, hard_wrong, right_wrong; /* of languages that have a formula */
    uint64_t safe_runs, safe_wrong;                           /* wrong schedules where they should not matter */
    size_t due, due_met;                                      /* languages that a schedule should break, and did */
    const char *unmet;
    size_t survived[CLASSES][SCHEDULES], members_of[CLASSES];
    uint64_t outside_wrong;
} findings;

static const char *way_name(size_t way) { return way == 0 ? "formula" : way == 1 ? "hard" : schedule_names[way - 2]; }

/* Wrong scales make look-ups wide, so that all pairs of positions count: how many strings of the sample are run. */
static size_t affordable(const subject *s, size_t way, size_t n, size_t count) {
    if (way < 3 || n < 256) return count;
    for (uint32_t k = 0; k < s->hard->layer_count; k++)
        for (uint32_t h = 0; h < s->hard->layers[k].head_count; h++)
            if (s->hard->layers[k].heads[h].role == ROLE_LOOKUP) return n > 2048 ? 0 : 8;
    return count;
}

static size_t list_lengths(size_t lengths[LENGTHS_MOST], bool quick) {
    static const size_t all[] = {8, 16, 32, 64, 128, 256, 500, 1000, 3000, 10000, 30000, 100000};
    size_t count = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all && all[k] <= (quick ? 1000u : 100000u); k++)
        lengths[count++] = all[k];
    return count;
}

/* Oracles of languages outside take the square of the length. */
static bool is_tried(const language *g, size_t n) { return g->class_ != CLASS_OUTSIDE || n <= 2048; }

/* ---- a cell: one language ---- */

/* Where a schedule should be wrong and the sample has no wrong answer, more strings are tried. True if one is
   found. */
static bool search(lab *l, const language *g, const temper_model *m, size_t n, size_t count, arena *scratch) {
    enum { TURNS = 32 };
    size_t wrong = 0;
    for (size_t turn = 0; turn < TURNS && !wrong; turn++) {
        sample x;
        sample_make(&x, l, g, n, count, scratch);
        wrong = sample_wrong(&x, m, false, l);
    }
    return wrong > 0;
}

/* For each length that is tried and each way: strings, and if there are any, members, wrong answers, prediction.
   Then, for each wrong schedule, the length at which a search found a wrong answer; 0: none, or there was no need. */
static void measure(text *result, lab *l, const language *g, const size_t *lengths, size_t length_count,
                    arena *scratch) {
    subject s;
    bool outside = g->class_ == CLASS_OUTSIDE, met[SCHEDULES] = {false};
    size_t due[SCHEDULES] = {0},
           due_count[SCHEDULES] = {0}; /* the last length, and how many strings are affordable */
    make_subject(&s, g, scratch);
    for (size_t j = 0; j < length_count; j++) {
        sample x;
        size_t n = lengths[j], count = n > 20000 ? 8 : n > 2000 || (l->quick && !outside) ? 16 : STRINGS;
        if (!is_tried(g, n)) continue;
        sample_make(&x, l, g, n, count, scratch);
        for (size_t way = 0; way < WAYS; way++) {
            x.count = affordable(&s, way, n, count);
            lab_bytes_count(result, x.count);
            if (!x.count) continue;
            const temper_model *m = way < 2 ? s.hard : s.soft[way - 2];
            size_t wrong = way == 0 ? wrong_by_formula(&x, &s, l) : sample_wrong(&x, m, way == 1, l);
            prediction p = way < 2 ? PREDICT_RIGHT : predict(m, n);
            lab_bytes_count(result, sample_members(&x));
            lab_bytes_count(result, wrong);
            lab_bytes_count(result, (uint64_t)p);
            if (way > 2 && wrong) met[way - 2] = true;
            if (way > 2 && p == PREDICT_WRONG) due[way - 2] = n, due_count[way - 2] = x.count;
        }
        lab_progress(l, j + 1, length_count + 1);
    }
    for (size_t k = 1; k < SCHEDULES && !outside; k++) {
        bool found = due[k] && !met[k] && search(l, g, s.soft[k], due[k], due_count[k], scratch);
        lab_bytes_count(result, found ? due[k] : 0);
    }
}

static size_t count_cells(bool quick) {
    (void)quick;
    return language_count();
}

static void run_cell(text *result, lab *l, size_t cell, arena *scratch) {
    const language *g = &language_suite[cell];
    size_t lengths[LENGTHS_MOST], length_count = list_lengths(lengths, l->quick);
    measure(result, l, g, lengths, length_count, scratch);
    if (g->gallery) outside_measure(result, l, g, lengths, length_count, scratch);
}

/* ---- all languages ---- */

static void look_at(lab *l, findings *f, lab_table *t, lab_table *summary, const language *g, lab_reader *r) {
    bool outside = g->class_ == CLASS_OUTSIDE;
    size_t first_wrong[WAYS] = {0};
    bool due[SCHEDULES] = {false}, met[SCHEDULES] = {false};
    for (size_t j = 0; j < f->length_count; j++) {
        size_t n = f->lengths[j];
        if (!is_tried(g, n)) continue;
        for (size_t way = 0; way < WAYS; way++) {
            size_t count = lab_read_below(r, STRINGS + 1);
            if (!count) continue;
            size_t members = lab_read_below(r, count + 1), wrong = lab_read_below(r, count + 1);
            prediction p = (prediction)lab_read_below(r, PREDICT_WRONG + 1);
            if (wrong && !first_wrong[way]) first_wrong[way] = n;
            f->of[g->class_][way].strings[j] += count;
            f->of[g->class_][way].wrong[j] += wrong;
            lab_put_text(t, g->name);
            lab_put_count(t, n);
            lab_put_text(t, way_name(way));
            lab_put_count(t, count);
            lab_put_count(t, members);
            lab_put_count(t, wrong);
            lab_put_text(t, outside ? "" : prediction_names[p]);
            if (outside) {
                if (way == 0) f->outside_wrong += wrong;
                continue;
            }
            if (way == 0) f->strings += count, f->formula_wrong += wrong;
            if (way == 1) f->hard_wrong += wrong;
            if (way == 2) f->right_wrong += wrong;
            if (way > 2 && p == PREDICT_RIGHT) f->safe_runs += count, f->safe_wrong += wrong;
            if (way > 2 && p == PREDICT_WRONG) due[way - 2] = true;
            if (way > 2 && wrong) met[way - 2] = true;
        }
    }
    for (size_t k = 1; k < SCHEDULES && !outside; k++) {
        size_t found = lab_read_below(r, f->lengths[f->length_count - 1] + 1);
        if (!found) continue;
        met[k] = true;
        if (!first_wrong[2 + k]) first_wrong[2 + k] = found;
    }
    f->members_of[g->class_]++;
    lab_put_text(summary, g->name);
    lab_put_text(summary, language_class_names[g->class_]);
    lab_put_text(summary, g->about);
    for (size_t way = 0; way < WAYS; way++) {
        lab_put_count(summary, first_wrong[way]);
        if (way >= 2) f->survived[g->class_][way - 2] += !first_wrong[way];
    }
    for (size_t k = 1; k < SCHEDULES; k++) {
        f->due += due[k];
        f->due_met += due[k] && met[k];
        if (due[k] && !met[k] && !f->unmet) {
            text name;
            text_init(&name, &l->memory);
            text_printf(&name, "; the first that did not: %s with %s", g->name, schedule_names[k]);
            f->unmet = text_string(&name);
        }
    }
}

static void draw_accuracy(lab *l, const findings *f) {
    chart_panel panels[CLASSES];
    chart_series series[CLASSES][SCHEDULES];
    for (size_t c = 0; c < CLASSES; c++) {
        for (size_t place = 0; place < SCHEDULES; place++) {
            size_t k = (place + 1) % SCHEDULES; /* the right one last, so that it lies on top */
            double *x = arena_alloc(&l->memory, f->length_count, sizeof *x),
                   *y = arena_alloc(&l->memory, f->length_count, sizeof *y);
            const totals *t = &f->of[c][2 + k];
            for (size_t j = 0; j < f->length_count; j++) {
                x[j] = (double)f->lengths[j];
                y[j] = t->strings[j] ? 1 - (double)t->wrong[j] / (double)t->strings[j] : NAN;
            }
            series[c][place] =
                (chart_series){schedule_names[k], x, y, f->length_count, DRAW_LINE | DRAW_MARKERS, (int)k + 1};
        }
        panels[c] = (chart_panel){language_class_names[c],
                                  {"length", SCALE_LOG, 6, 1.5 * (double)f->lengths[f->length_count - 1], NULL, 0},
                                  {"accuracy", SCALE_LINEAR, 0.4, 1.05, NULL, 0},
                                  c == CLASS_OUTSIDE ? &series[c][SCHEDULES - 1] : series[c],
                                  c == CLASS_OUTSIDE ? 1 : SCHEDULES,
                                  NULL,
                                  0};
    }
    chart c = {.title = "Which languages survive which schedule",
               .caption =
                   "Share of strings that soft models decide as the languages' own oracles, over all languages of "
                   "a class: members, strings that just miss, and needles in hay. A schedule bounds the scale "
                   "of every head; heads that need less keep theirs. Once survives log n; yesterday, since and "
                   "counting need n (sums that look both ways n²); remainders need n³, that is logits of n². "
                   "Outside, the formula itself is an approximation, whatever the schedule.",
               .panels = panels,
               .panel_count = CLASSES,
               .columns = 3,
               .panel_width = 215,
               .panel_height = 165,
               .shared_y = true,
               .legend = true};
    lab_figure_add(l, "accuracy", &c);
}

/* Classes whose soft models were run, with the right schedule, at the longest length. */
static size_t classes_at_the_end(const findings *f) {
    size_t count = 0;
    for (size_t c = 0; c < CLASS_OUTSIDE; c++) count += f->of[c][2 + SCHEDULE_RIGHT].strings[f->length_count - 1] > 0;
    return count;
}

static void claim(lab *l, const findings *f) {
    lab_claim_add(l,
                  language_count() >= 60 && classes_at_the_end(f) == CLASS_OUTSIDE &&
                      f->lengths[f->length_count - 1] >= (l->quick ? 1000u : 100000u),
                  "The suite has at least 60 languages, and soft models of every class are run to the longest length",
                  "%zu languages; %zu classes at length %zu", language_count(), classes_at_the_end(f),
                  f->lengths[f->length_count - 1]);
    lab_claim_add(l, f->formula_wrong == 0, "Every formula agrees with its language's oracle",
                  "%llu wrong of %llu strings up to length %zu, %zu languages", (unsigned long long)f->formula_wrong,
                  (unsigned long long)f->strings, f->lengths[f->length_count - 1],
                  language_count() - f->members_of[CLASS_OUTSIDE]);
    lab_claim_add(l, f->hard_wrong == 0 && f->right_wrong == 0,
                  "Hard models, and soft ones with the right schedule, are right at every length",
                  "hard: %llu wrong, soft: %llu wrong, of %llu strings", (unsigned long long)f->hard_wrong,
                  (unsigned long long)f->right_wrong, (unsigned long long)f->strings);
    lab_claim_add(l, f->safe_wrong == 0 && f->safe_runs > 0,
                  "A wrong schedule does no harm where every head still has the scale that theory asks for",
                  "%llu wrong of %llu answers", (unsigned long long)f->safe_wrong, (unsigned long long)f->safe_runs);
    lab_claim_add(l, f->due_met == f->due && f->due > 0,
                  "A wrong schedule fails by the length at which theory has a head's worst row wrong",
                  "%zu of %zu pairs of a language and a schedule have wrong answers%s", f->due_met, f->due,
                  f->unmet ? f->unmet : "");
    lab_claim_add(l, f->survived[CLASS_ONCE][SCHEDULE_LOG] == f->members_of[CLASS_ONCE],
                  "Scales of log n carry every language of once", "%zu of %zu languages without a wrong answer",
                  f->survived[CLASS_ONCE][SCHEDULE_LOG], f->members_of[CLASS_ONCE]);
    size_t linear = f->survived[CLASS_YESTERDAY][SCHEDULE_LINEAR] + f->survived[CLASS_SINCE][SCHEDULE_LINEAR],
           near = f->members_of[CLASS_YESTERDAY] + f->members_of[CLASS_SINCE],
           log = f->survived[CLASS_YESTERDAY][SCHEDULE_LOG] + f->survived[CLASS_SINCE][SCHEDULE_LOG];
    lab_claim_add(l, linear == near && log == 0,
                  "Yesterday and since need scales of n: n carries them all, log n none",
                  "n: %zu of %zu languages, log n: %zu", linear, near, log);
    size_t square = f->survived[CLASS_MODULAR][SCHEDULE_SQUARE], all = f->survived[CLASS_MODULAR][SCHEDULE_RIGHT];
    lab_claim_add(l, all == f->members_of[CLASS_MODULAR] && square < all,
                  "Remainders of counts need more than scales of n² (n³: logits of n²)",
                  "right: %zu of %zu languages, n²: %zu, n: %zu", all, f->members_of[CLASS_MODULAR], square,
                  f->survived[CLASS_MODULAR][SCHEDULE_LINEAR]);
    lab_claim_add(l, f->outside_wrong > 0, "Approximations of languages outside are wrong on some strings",
                  "%llu wrong answers over %zu languages", (unsigned long long)f->outside_wrong,
                  f->members_of[CLASS_OUTSIDE]);
}

static void run(lab *l, arena *scratch) {
    static const lab_column columns[] = {{"language", LAB_TEXT, "name"},
                                         {"length", LAB_COUNT, "of the longest strings"},
                                         {"by", LAB_TEXT, "the formula, the hard model, or the soft one's schedule"},
                                         {"strings", LAB_COUNT, "tried"},
                                         {"members", LAB_COUNT, "of them in the language"},
                                         {"wrong", LAB_COUNT, "answers that are not the oracle's"},
                                         {"predicted", LAB_TEXT, "right, wrong on some string, or open"}};
    static const lab_column summary_columns[] = {{"language", LAB_TEXT, "name"},
                                                 {"class", LAB_TEXT, "what its formula uses"},
                                                 {"strings_with", LAB_TEXT, "the definition"},
                                                 {"formula", LAB_COUNT, "first length with a wrong answer; 0: none"},
                                                 {"hard", LAB_COUNT, "the same"},
                                                 {"right", LAB_COUNT, "soft, the compiler's scales"},
                                                 {"constant", LAB_COUNT, "scales at most 4"},
                                                 {"log_n", LAB_COUNT, "scales at most ln N + 8"},
                                                 {"linear", LAB_COUNT, "scales at most 16 N"},
                                                 {"square", LAB_COUNT, "scales at most 16 N²"},
                                                 {"frozen", LAB_COUNT, "scales as for length 64"}};
    findings *f = arena_zalloc(&l->memory, 1, sizeof *f);
    lab_reader *results = arena_alloc(scratch, language_count(), sizeof *results); /* of all cells */
    f->length_count = list_lengths(f->lengths, l->quick);
    lab_table *t = LAB_TABLE(l, "accuracy", "Answers by language, length and schedule", columns, 0);
    lab_table *summary =
        LAB_TABLE(l, "suite", "The suite, and the first length with a wrong answer", summary_columns, SIZE_MAX);
    for (size_t k = 0; k < language_count(); k++) {
        results[k] = lab_cell_read(l, k);
        look_at(l, f, t, summary, &language_suite[k], &results[k]);
    }
    draw_accuracy(l, f);
    outside_report(l, f->lengths, f->length_count, t, results);
    lab_about(l, "accuracy");
    for (size_t k = 0; k < language_count(); k++) lab_read_end(&results[k]);
    claim(l, f);
}

static const lab_part parts[] = {{run, 60000, NULL, count_cells, run_cell}};

const lab_experiment lab_languages = {"languages", &prose_languages, NULL, parts, sizeof parts / sizeof *parts};

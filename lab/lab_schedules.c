/* temper lab schedules: which operators the scales of real long-context models can carry, and how far. */
#include "lab/schedules.h"

#include "number/elementary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Stands for every length. */
static const double every = 1e15;

typedef struct plan {
    const expression *factor;
    double reach[SCHEDULED], reach_64[SCHEDULED]; /* with the base of d = 128 and d = 64 */
    double base[SCHEDULED], trained[SCHEDULED];   /* the least base up to the trained length, and how far it goes */
    bool endless[SCHEDULED];                      /* some base carries every length */
} plan;

/* Whether the base that length n needs stays bounded: it does if it does not grow by as much as 1 % from 10^9 to
   10^15 letters. Needs and schedules are products of powers and logarithms, so it then falls or stays, and growth by
   a logarithm's ratio shows. */
static bool is_endless(const schedule *s, const plan *p, operator_kind op) {
    double at[2];
    for (size_t k = 0; k < 2; k++) {
        double n = k ? every : 1e9, need = s->adaptive ? operator_adaptive(op, n) : operator_scale(op, n);
        at[k] = need / schedule_at(p->factor, op, n);
    }
    return at[1] <= at[0] * 1.01;
}

static void study(plan *p, lab *l, const schedule *s) {
    double trained = l->quick ? 1024 : SCHEDULE_TRAINED;
    p->factor = expression_make(&l->memory, "%s", s->factor);
    for (size_t k = 0; k < SCHEDULED; k++) {
        operator_kind op = (operator_kind)k;
        p->reach[k] = schedule_reach(s, p->factor, op, SCHEDULE_BASE, every);
        p->reach_64[k] = schedule_reach(s, p->factor, op, 8, every);
        p->base[k] = schedule_base(s, p->factor, op, trained);
        p->trained[k] = schedule_reach(s, p->factor, op, p->base[k] * (1 + 0x1p-40), every);
        p->endless[k] = is_endless(s, p, op);
    }
}

/* ---- tables ---- */

static void length_text(char out[32], double n) {
    if (n >= every)
        snprintf(out, 32, "every");
    else if (n >= 1e7)
        print_to(out, 32, "%.1e", n);
    else
        print_to(out, 32, "%.0f", n);
}

static void put_tables(lab *l, const plan *plans) {
    static const lab_column reach[] = {{"schedule", LAB_TEXT, "of the scale"},
                                       {"once", LAB_TEXT, "largest length"},
                                       {"since", LAB_TEXT, "and yesterday"},
                                       {"compare", LAB_TEXT, "counts over one range"},
                                       {"balance", LAB_TEXT, "counts that look both ways"},
                                       {"lookup", LAB_TEXT, "residues of counts"}};
    static const lab_column data[] = {
        {"schedule", LAB_TEXT, "of the scale"},
        {"factor", LAB_TEXT, "of the base, N = n + 1 positions, i the row"},
        {"operator", LAB_TEXT, "that the head computes"},
        {"needs", LAB_TEXT, "growth of the scale it needs"},
        {"reach", LAB_NUMBER, "largest length with base sqrt(128); 1e15: every length"},
        {"reach_64", LAB_NUMBER, "the same with base sqrt(64)"},
        {"trained_base", LAB_NUMBER, "the least base that carries all lengths up to the trained one"},
        {"trained_reach", LAB_NUMBER, "how far that base goes"},
        {"endless", LAB_FLAG, "some base carries every length"}};
    struct {
        const char *name, *title;
        size_t offset;
    } views[] = {
        {"production", "Largest length carried with production base scales (q·k/√128)", offsetof(plan, reach)},
        {"trained", "Largest length carried with the best constant factor for the trained length",
         offsetof(plan, trained)}};
    for (size_t v = 0; v < 2; v++) {
        lab_table *t = LAB_TABLE(l, views[v].name, views[v].title, reach, SIZE_MAX);
        for (size_t k = 0; k < schedule_count; k++) {
            const double *n = (const double *)(const void *)((const char *)&plans[k] + views[v].offset);
            lab_put_text(t, schedules[k].name);
            for (size_t op = 0; op < SCHEDULED; op++) {
                char length[32];
                length_text(length, n[op]);
                lab_put_text(t, length);
            }
        }
    }
    lab_table *t = LAB_TABLE(l, "reach", "Schedules and operators", data, 0);
    for (size_t k = 0; k < schedule_count; k++)
        for (size_t op = 0; op < SCHEDULED; op++) {
            lab_put_text(t, schedules[k].name);
            lab_put_text(t, schedules[k].factor);
            lab_put_text(t, operator_names[op]);
            lab_put_text(t, operator_needs[op]);
            lab_put_number(t, plans[k].reach[op]);
            lab_put_number(t, plans[k].reach_64[op]);
            lab_put_number(t, plans[k].base[op]);
            lab_put_number(t, plans[k].trained[op]);
            lab_put_flag(t, plans[k].endless[op]);
        }
}

/* ---- figures ---- */

/* Scales that models are trained with. */
static bool is_production(const schedule *s) {
    static const char *const names[] = {"constant",         "Llama-4",         "YaRN",
                                        "SSMax, s = 0.168", "SSMax, s = 0.43", "log n"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(s->name, names[k])) return true;
    return false;
}

enum { POINTS = 27 };

static chart_series need_series(lab *l, const double *x, operator_kind op) {
    static const char *const names[SCHEDULED] = {"needed: once", "needed: since", "needed: compare",
                                                 "needed: balance", "needed: look-up"};
    double *y = arena_alloc(&l->memory, POINTS, sizeof *y);
    for (size_t p = 0; p < POINTS; p++) y[p] = operator_scale(op, x[p]);
    return (chart_series){names[op], x, y, POINTS, DRAW_LINE | DRAW_DASHED | DRAW_FAINT, 0};
}

/* What is needed and what is given, by length: production schedules, then those that grow. */
static void draw_scales(lab *l, const plan *plans) {
    double x[POINTS];
    chart_series series[2][SCHEDULED + 16];
    size_t count[2] = {0, 0};
    for (size_t p = 0; p < POINTS; p++) x[p] = floor(exp_f64(log_f64(2) * (double)p * 0.75) + 0.001);
    for (size_t k = 0; k < schedule_count; k++) {
        if (schedules[k].adaptive) continue;
        double *y = arena_alloc(&l->memory, POINTS, sizeof *y);
        for (size_t p = 0; p < POINTS; p++) y[p] = SCHEDULE_BASE * schedule_at(plans[k].factor, SCHEDULED_ONCE, x[p]);
        size_t panel = is_production(&schedules[k]) ? 0 : 1;
        series[panel][count[panel]++] = (chart_series){schedules[k].name, x, y, POINTS, DRAW_LINE, (int)(k % 6) + 1};
    }
    series[0][count[0]++] = need_series(l, x, SCHEDULED_ONCE);
    series[0][count[0]++] = need_series(l, x, SCHEDULED_SINCE);
    for (size_t op = 0; op < SCHEDULED; op++) series[1][count[1]++] = need_series(l, x, (operator_kind)op);
    chart_panel panels[] = {{"Production schedules",
                             {"letters", SCALE_LOG, 1, 0x1p19, NULL, 0},
                             {"scale", SCALE_LOG, 0.8, 300, NULL, 0},
                             series[0],
                             count[0],
                             NULL,
                             0},
                            {"Schedules that grow",
                             {"letters", SCALE_LOG, 1, 0x1p19, NULL, 0},
                             {"scale", SCALE_LOG, 0.8, 1e18, NULL, 0},
                             series[1],
                             count[1],
                             NULL,
                             0}};
    chart c = {.title = "What operators need of a softmax scale, and what schedules give",
               .caption = "Dashed: the least scale with which an operator is decided rightly on the worst string of "
                          "that length. Coloured: schedules "
                          "with the base √128. A schedule carries an operator as long as its line is above. "
                          "Production schedules stay above once, "
                          "which needs ln n (a constant one up to 27,312 letters); since, which needs n, passes all "
                          "of them within 26 letters.",
               .panels = panels,
               .panel_count = 2,
               .columns = 2,
               .panel_width = 230,
               .panel_height = 290};
    lab_figure_add(l, "scales", &c);
}

static void draw_reach(lab *l, const plan *plans) {
    const char **names = arena_alloc(&l->memory, schedule_count, sizeof *names);
    chart_panel panels[SCHEDULED];
    chart_series series[SCHEDULED][2];
    for (size_t k = 0; k < schedule_count; k++) names[schedule_count - 1 - k] = schedules[k].name;
    for (size_t op = 0; op < SCHEDULED; op++) {
        double *x = arena_alloc(&l->memory, schedule_count, sizeof *x),
               *y = arena_alloc(&l->memory, schedule_count, sizeof *y),
               *line_x = arena_alloc(&l->memory, 3 * schedule_count, sizeof *x),
               *line_y = arena_alloc(&l->memory, 3 * schedule_count, sizeof *y);
        for (size_t k = 0; k < schedule_count; k++) {
            x[k] = fmin(fmax(plans[k].reach[op], 0.7), 2e6); /* every: beyond the right edge */
            y[k] = (double)(schedule_count - 1 - k);
            line_x[3 * k] = 0.7, line_x[3 * k + 1] = x[k], line_x[3 * k + 2] = NAN;
            line_y[3 * k] = line_y[3 * k + 1] = line_y[3 * k + 2] = y[k];
            if (plans[k].reach[op] >= every) x[k] = NAN;
        }
        series[op][0] = (chart_series){"", line_x, line_y, 3 * schedule_count, DRAW_LINE, (int)op + 1};
        series[op][1] = (chart_series){"", x, y, schedule_count, DRAW_MARKERS, (int)op + 1};
        panels[op] = (chart_panel){operator_names[op],
                                   {"length", SCALE_LOG, 0.7, 2e6, NULL, 0},
                                   {"", SCALE_NAMES, 0, 0, names, schedule_count},
                                   series[op],
                                   2,
                                   NULL,
                                   0};
    }
    chart c = {.title = "How far each schedule carries each operator, with production base scales",
               .caption = "The largest length at which the worst string is still decided rightly, base √128; a line "
                          "to the right edge: every length; "
                          "at the left edge: not even one letter. Adaptive divides by each row's own gap.",
               .panels = panels,
               .panel_count = SCHEDULED,
               .columns = SCHEDULED,
               .panel_width = 116,
               .panel_height = 200,
               .shared_y = true};
    lab_figure_add(l, "reach", &c);
}

/* ---- models ---- */

typedef struct tally {
    size_t compared, agree, random_strings, random_wrong, longs, longs_right;
} tally;

/* The model is right at `reach` and wrong one letter later. */
static void run_model(tally *c, lab *l, lab_table *t, const schedule *s, operator_kind op, double base, double reach,
                      const char *setting, arena *scratch) {
    size_t n = (size_t)reach, count = l->quick ? 5 : 40;
    arena_reset(scratch);
    trial_model *m = trial_make(l, s, op, base, scratch);
    bool right = trial_worst(m, n, scratch), after = trial_worst(m, n + 1, scratch);
    size_t wrong = trial_random(m, l, 1, n < 2000 ? n : 2000, count, scratch);
    c->compared++;
    c->agree += right && !after;
    c->random_strings += count;
    c->random_wrong += wrong;
    lab_put_text(t, s->name);
    lab_put_text(t, operator_names[op]);
    lab_put_text(t, setting);
    lab_put_number(t, base);
    lab_put_count(t, n);
    lab_put_flag(t, right);
    lab_put_flag(t, after);
    lab_put_count(t, wrong);
}

/* Where every length is carried, long strings are right, the worst and random ones. */
static void run_long(tally *c, lab *l, lab_table *t, const schedule *s, operator_kind op, double base, size_t n,
                     const char *setting, arena *scratch) {
    arena_reset(scratch);
    trial_model *m = trial_make(l, s, op, base, scratch);
    bool right = trial_worst(m, n, scratch), after = trial_worst(m, n + 1, scratch);
    size_t wrong = trial_random(m, l, 1, n < 2000 ? n : 2000, l->quick ? 2 : 10, scratch);
    c->longs++;
    c->longs_right += right && after && wrong == 0;
    lab_put_text(t, s->name);
    lab_put_text(t, operator_names[op]);
    lab_put_text(t, setting);
    lab_put_number(t, base);
    lab_put_count(t, n);
    lab_put_flag(t, right);
    lab_put_flag(t, after);
    lab_put_count(t, wrong);
}

static void run_models(tally *c, lab *l, const plan *plans, arena *scratch) {
    static const lab_column columns[] = {{"schedule", LAB_TEXT, "of all heads but counts"},
                                         {"operator", LAB_TEXT, "two heads of it, joined by and"},
                                         {"setting", LAB_TEXT, "how the base was chosen"},
                                         {"base", LAB_NUMBER, "scale at factor 1"},
                                         {"predicted", LAB_COUNT, "largest length"},
                                         {"right", LAB_FLAG, "on the worst string of that length"},
                                         {"right_after", LAB_FLAG, "with one letter more"},
                                         {"random_wrong", LAB_COUNT, "random strings up to that length"}};
    lab_table *t = LAB_TABLE(l, "models", "Compiled models at these schedules", columns, 80);
    for (size_t k = 0; k < schedule_count; k++)
        for (size_t o = 0; o < SCHEDULED; o++) {
            operator_kind op = (operator_kind)o;
            /* adaptive heads look at all pairs */
            double most = schedules[k].adaptive ? 1000 : l->quick ? 3000 : 100000;
            /* a look-up's worst count needs room for its neighbours */
            double first = op == SCHEDULED_LOOKUP ? 9 : 2, limit = op == SCHEDULED_LOOKUP ? 600 : most;
            double small = op == SCHEDULED_LOOKUP ? 30 : 50,
                   base = schedule_base(&schedules[k], plans[k].factor, op, small),
                   reach = schedule_reach(&schedules[k], plans[k].factor, op, base * (1 + 0x1p-40), every);
            bool can = trial_can(&schedules[k], op, plans[k].reach[op]),
                 can_short = trial_can(&schedules[k], op, reach);
            if (can && plans[k].reach[op] >= first && plans[k].reach[op] <= limit)
                run_model(c, l, t, &schedules[k], op, SCHEDULE_BASE, plans[k].reach[op], "√128", scratch);
            if (can_short && reach >= first && reach <= limit)
                run_model(c, l, t, &schedules[k], op, base * (1 + 0x1p-40), reach, "the least for short strings",
                          scratch);
            if (can && plans[k].reach[op] >= every)
                run_long(c, l, t, &schedules[k], op, SCHEDULE_BASE, (size_t)limit, "√128, every length", scratch);
            if (op == SCHEDULED_ONCE && plans[k].trained[op] >= every)
                run_long(c, l, t, &schedules[k], op, plans[k].base[op] * (1 + 0x1p-40), (size_t)most,
                         "the least for the trained length", scratch);
            lab_progress(l, 50 + 50 * (k * SCHEDULED + o) / (schedule_count * SCHEDULED), 100);
        }
}

static const plan *plan_of(const plan *plans, const char *name) {
    for (size_t k = 0; k < schedule_count; k++)
        if (!strcmp(schedules[k].name, name)) return &plans[k];
    return NULL;
}

static void claim(lab *l, const plan *plans, const tally *c) {
    double since = 0, compare = 0;
    bool once = true, none = true;
    for (size_t k = 0; k < schedule_count; k++) {
        const plan *p = &plans[k];
        if (!is_production(&schedules[k])) continue;
        since = fmax(since, p->reach[SCHEDULED_SINCE]);
        compare = fmax(compare, p->reach[SCHEDULED_COMPARE]);
        if (strcmp(schedules[k].name, "constant") != 0) once = once && p->reach[SCHEDULED_ONCE] >= every;
        for (size_t op = SCHEDULED_SINCE; op < SCHEDULED; op++) none = none && !p->endless[op];
    }
    const plan *constant = plan_of(plans, "constant"), *linear = plan_of(plans, "linear"),
               *n_log_n = plan_of(plans, "n log n"), *adaptive = plan_of(plans, "adaptive"),
               *both = plan_of(plans, "adaptive, log n"), *llama = plan_of(plans, "Llama-4");
    lab_about(l, "reach");
    lab_claim_add(
        l, once,
        "With production base scales Llama-4's, YaRN's, SSMax's and the log n schedule carry once at every length",
        "a constant scale ends at %.0f letters; with half the head size (base 8) at %.0f, Llama-4's at %.0f",
        constant->reach[SCHEDULED_ONCE], constant->reach_64[SCHEDULED_ONCE], llama->reach_64[SCHEDULED_ONCE]);
    lab_claim_add(l, since < 100 && compare < 100,
                  "None of them carries since, yesterday or a comparison of counts over 100 letters",
                  "the best ends at %.0f (since) and %.0f (compare)", since, compare);
    lab_claim_add(l, none,
                  "No constant factor changes that: with any, each of them ends at some length for since, compare, "
                  "balance and look-up",
                  "from 10⁹ to 10¹⁵ letters the factor that since needs grows %.3g-fold even by log n",
                  operator_scale(SCHEDULED_SINCE, every) / operator_scale(SCHEDULED_SINCE, 1e9) * log_f64(1e9) /
                      log_f64(every));
    lab_claim_add(l,
                  linear->reach[SCHEDULED_SINCE] >= every && linear->reach[SCHEDULED_COMPARE] >= every &&
                      !linear->endless[SCHEDULED_BALANCE] && !n_log_n->endless[SCHEDULED_LOOKUP],
                  "A linear scale carries since and compare at every length, but neither it nor n log n carries "
                  "balance (n²) or look-up (n³)",
                  "linear: balance to %.0f, look-up to %.0f letters", linear->reach[SCHEDULED_BALANCE],
                  linear->reach[SCHEDULED_LOOKUP]);
    bool all = true;
    for (size_t op = 0; op < SCHEDULED; op++) all = all && both->endless[op];
    lab_claim_add(l,
                  all && adaptive->reach[SCHEDULED_SINCE] >= every && adaptive->reach[SCHEDULED_LOOKUP] >= every &&
                      !adaptive->endless[SCHEDULED_ONCE],
                  "Dividing by each row's own gap carries since and look-up at every length, not once: that needs ln "
                  "n as well, and both together carry all",
                  "adaptive: once to %.0f letters", adaptive->reach[SCHEDULED_ONCE]);
    lab_about(l, "scales");
    lab_claim_add(l, c->agree == c->compared && c->compared > 0,
                  "Compiled models with these schedules are right on the worst string of the predicted length and "
                  "wrong with one letter more",
                  "%zu of %zu models agree", c->agree, c->compared);
    lab_claim_add(l, c->random_wrong == 0, "They are right on every random string up to it", "%zu strings, %zu wrong",
                  c->random_strings, c->random_wrong);
    lab_claim_add(
        l, c->longs == c->longs_right && c->longs > 0,
        "Where an operator is carried at every length, with production base scales or, for once, the least base "
        "for the trained length, long strings are decided rightly",
        "%zu of %zu models, %d letters (adaptive: 1000, look-up: 600)", c->longs_right, c->longs,
        l->quick ? 3000 : 100000);
}

static void run(lab *l) {
    arena *scratch = arena_alloc(&l->memory, 1, sizeof *scratch);
    plan *plans = arena_zalloc(&l->memory, schedule_count, sizeof *plans);
    tally c = {0};
    arena_init(scratch, l->trap);
    arena_on_release(&l->memory, (void (*)(void *))arena_free, scratch);
    for (size_t k = 0; k < schedule_count; k++) {
        study(&plans[k], l, &schedules[k]);
        lab_progress(l, 50 * (k + 1) / schedule_count, 100);
    }
    draw_reach(l, plans);
    draw_scales(l, plans);
    put_tables(l, plans);
    run_models(&c, l, plans, scratch);
    claim(l, plans, &c);
    lab_note_add(l, &prose_schedules_in_plain_words, lab_text(l, "%.0f", plans[0].reach[SCHEDULED_ONCE]));
    lab_note_add(l, &prose_schedules_how_the_base_is_chosen, lab_text(l, "%d", l->quick ? 1024 : SCHEDULE_TRAINED));
    lab_progress(l, 100, 100);
}

const lab_experiment lab_schedules = {"schedules", &prose_schedules, run, NULL, 0};

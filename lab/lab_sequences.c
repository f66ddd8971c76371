/* temper lab sequences: what comes next, and what to write. Sizes and proved lengths of the suite of sequence tasks,
   where number formats break, and accuracy under right and wrong schedules. */
#include "lab/lab.h"
#include "lab/sequences.h"
#include "lab/wrong_scales.h"
#include "limits/adversary.h"

#include <math.h>
#include <string.h>

/* ---- schedules and number formats ---- */

enum { SCHEDULES = 5, FROZEN_LENGTH = 64 };
static const char *const schedule_names[SCHEDULES] = {"right", "constant", "log n", "n", "frozen at 64"};
static const wrong_scale wrong_scales[SCHEDULES] = {
    {0}, {.at_most = "4"}, {.at_most = "ln(N) + 8"}, {.at_most = "16*N"}, {.frozen_at = FROZEN_LENGTH}};

enum { TYPES = 5 };
static const temper_type types[TYPES] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16_F32,
                                         TEMPER_TYPE_F16};

enum { LENGTHS = 6 };
static const size_t all_lengths[LENGTHS] = {16, 32, 64, 128, 256, 1000};
static size_t length_count(bool quick) { return quick ? LENGTHS - 1 : LENGTHS; }

/* ---- a cell: one task ---- */

static void free_spec(void *spec) { temper_spec_free(spec); }
static void free_model(void *model) { temper_model_free(model); }

static temper_model *make_model(const sequence_task *t, arena *scratch) {
    temper_error e;
    temper_spec *spec;
    temper_model *made;
    const char *letters[32];
    size_t count = strlen(t->alphabet);
    for (size_t k = 0; k < count; k++) letters[k] = arena_copy(scratch, t->alphabet + k, 1);
    temper_spec_options o = {.letters = letters, .letter_count = count};
    if (temper_spec_parse(&spec, t->text, strlen(t->text), &o, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_spec, spec);
    if (temper_build(&made, spec, &(temper_build_options){.method = TEMPER_METHOD_TEMPERATURE}, &e))
        trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, made);
    return made;
}

typedef struct tally {
    uint64_t answers, wrong;
} tally;

/* Every position of a string counts: the set of legal letters with the end, or what is written. */
static void compare(tally *out, const sequence_task *t, const temper_model *m, const char *w, size_t n,
                    arena *scratch) {
    temper_error e;
    temper_run *run;
    uint32_t *letters = arena_alloc(scratch, n, sizeof *letters);
    bool *right = arena_alloc(scratch, n + 1, sizeof *right);
    for (size_t i = 0; i < n; i++) letters[i] = (uint32_t)(strchr(t->alphabet, w[i]) - t->alphabet);
    if (temper_model_run(&run, m, letters, n, &(temper_run_options){.unchecked = 1, .threads = 1}, &e))
        trap_reraise(scratch->trap, &e);
    sequence_right(right, t, m, run, w, n, scratch);
    for (size_t i = t->next ? 0 : 1; i <= n; i++) out->answers++, out->wrong += !right[i];
    temper_run_free(run);
}

static void measure_accuracy(text *result, lab *l, const sequence_task *t, const temper_model *right,
                             arena *scratch) {
    const temper_model *models[SCHEDULES];
    for (size_t k = 0; k < SCHEDULES; k++)
        models[k] = k ? model_with_wrong_scale(right, &wrong_scales[k], scratch) : right;
    for (size_t j = 0; j < length_count(l->quick); j++) {
        size_t n = all_lengths[j], strings = l->quick || n > 500 ? 6 : 18;
        tally tallies[SCHEDULES] = {{0}};
        char *w = arena_alloc(scratch, n + 1, 1);
        for (size_t s = 0; s < strings; s++) {
            sequence_string(w, n, t, (unsigned)(s % 3), &l->random);
            for (size_t k = 0; k < SCHEDULES; k++) compare(&tallies[k], t, models[k], w, n, scratch);
        }
        for (size_t k = 0; k < SCHEDULES; k++) {
            lab_bytes_count(result, tallies[k].answers);
            lab_bytes_count(result, tallies[k].wrong);
        }
        lab_progress(l, j + 1, LENGTHS + TYPES);
    }
}

/* A shortest string with a wrong answer; 0: none was found. */
static size_t find_break(lab *l, const temper_model *m, temper_type type, size_t proved, uint64_t seed,
                         arena *scratch) {
    wrong_answer found;
    bool stopped;
    adversary_options o = {
        .longest = l->quick ? 1000 : 4000, .budget = l->quick ? 15000000 : 300000000, .seed = seed};
    if (proved < o.longest) o.near = proved + 1;
    return adversary_search(&found, &stopped, m, type, &o, scratch) ? found.n : 0;
}

/* The largest growth of all heads. */
static temper_growth growth_of(const temper_model *m, arena *scratch) {
    temper_growth most = TEMPER_GROWTH_NONE;
    for (size_t l = 1; l <= temper_model_about(m).layers; l++)
        for (size_t h = 1; h <= temper_model_layer(m, l).heads; h++) {
            temper_head_info head;
            temper_error e;
            if (temper_model_head(&head, m, l, h, &e)) trap_reraise(scratch->trap, &e);
            if (head.growth > most) most = head.growth;
        }
    return most;
}

static size_t count_cells(bool quick) {
    (void)quick;
    return sequence_count();
}

static void run_cell(text *result, lab *l, size_t cell, arena *scratch) {
    const sequence_task *t = &sequence_suite[cell];
    temper_model *m = make_model(t, scratch);
    temper_model_info about = temper_model_about(m);
    lab_bytes_count(result, about.layers);
    lab_bytes_count(result, about.heads);
    lab_bytes_count(result, (uint64_t)growth_of(m, scratch));
    measure_accuracy(result, l, t, m, scratch);
    uint64_t seed = lab_random(l);
    for (size_t k = 0; k < TYPES; k++) {
        temper_proof proof;
        temper_error e;
        if (temper_model_proof(&proof, m, types[k], 0, &e)) trap_reraise(scratch->trap, &e);
        bool proved = proof.claim != TEMPER_CLAIM_NONE;
        lab_bytes_count(result, proved ? proof.length + 1 : 0);
        lab_bytes_count(result, k ? find_break(l, m, types[k], proved ? proof.length : 0, seed, scratch) : 0);
        lab_progress(l, LENGTHS + k + 1, LENGTHS + TYPES);
    }
}

/* ---- all tasks ---- */

typedef struct outcome {
    size_t layers, heads;
    temper_growth growth;
    tally accuracy[LENGTHS][SCHEDULES];
    size_t proved[TYPES]; /* one more than the length; 0: none */
    size_t wrong[TYPES];  /* 0: none found */
} outcome;

static outcome *collect(lab *l) {
    outcome *all = arena_zalloc(&l->memory, sequence_count(), sizeof *all);
    for (size_t t = 0; t < sequence_count(); t++) {
        lab_reader r = lab_cell_read(l, t);
        all[t].layers = lab_read_count(&r);
        all[t].heads = lab_read_count(&r);
        all[t].growth = (temper_growth)lab_read_below(&r, TEMPER_GROWTH_SQUARE + 1);
        for (size_t j = 0; j < length_count(l->quick); j++)
            for (size_t k = 0; k < SCHEDULES; k++) {
                all[t].accuracy[j][k].answers = lab_read_count(&r);
                all[t].accuracy[j][k].wrong = lab_read_below(&r, all[t].accuracy[j][k].answers + 1);
            }
        for (size_t k = 0; k < TYPES; k++) {
            all[t].proved[k] = lab_read_count(&r);
            all[t].wrong[k] = lab_read_count(&r);
        }
        lab_read_end(&r);
    }
    return all;
}

/* The name of a length that is proved, or of none. */
static const char *proved_text(lab *l, size_t one_more) {
    if (!one_more) return "none";
    return one_more > TEMPER_LONGEST ? "2^40" : lab_text(l, "%zu", one_more - 1);
}

static void tabulate_needs(lab *l, const outcome *all) {
    static const lab_column columns[] = {
        {"task", LAB_TEXT, "name"},
        {"kind", LAB_TEXT, "next: what comes; transduce: what is written"},
        {"layers", LAB_COUNT, "of the soft model"},
        {"heads", LAB_COUNT, "of all layers"},
        {"growth", LAB_TEXT, "of the largest logit"},
        {"proved_f64", LAB_TEXT, "length up to which every answer is proved"},
        {"proved_f32", LAB_TEXT, "the same"},
        {"proved_bf16_f32", LAB_TEXT, "the same"},
        {"proved_f16_f32", LAB_TEXT, "the same"},
        {"proved_f16", LAB_TEXT, "the same"},
        {"wrong_f32", LAB_COUNT, "shortest string with a wrong answer; 0: none found"},
        {"wrong_bf16_f32", LAB_COUNT, "the same"},
        {"wrong_f16_f32", LAB_COUNT, "the same"},
        {"wrong_f16", LAB_COUNT, "the same"}};
    lab_table *t = LAB_TABLE(l, "needs", "What each task needs, and where number formats break", columns, SIZE_MAX);
    for (size_t k = 0; k < sequence_count(); k++) {
        lab_put_text(t, sequence_suite[k].name);
        lab_put_text(t, sequence_suite[k].next ? "next" : "transduce");
        lab_put_count(t, all[k].layers);
        lab_put_count(t, all[k].heads);
        lab_put_text(t, temper_growth_name(all[k].growth));
        for (size_t j = 0; j < TYPES; j++) lab_put_text(t, proved_text(l, all[k].proved[j]));
        for (size_t j = 1; j < TYPES; j++) lab_put_count(t, all[k].wrong[j]);
    }
}

static void tabulate_accuracy(lab *l, const outcome *all) {
    static const lab_column columns[] = {{"task", LAB_TEXT, "name"},
                                         {"length", LAB_COUNT, "of the strings"},
                                         {"schedule", LAB_TEXT, "of the scales"},
                                         {"answers", LAB_COUNT, "positions that were looked at"},
                                         {"wrong", LAB_COUNT, "of them with another answer than the oracle's"}};
    lab_table *t = LAB_TABLE(l, "accuracy", "Answers by task, length and schedule", columns, 0);
    for (size_t k = 0; k < sequence_count(); k++)
        for (size_t j = 0; j < length_count(l->quick); j++)
            for (size_t s = 0; s < SCHEDULES; s++) {
                lab_put_text(t, sequence_suite[k].name);
                lab_put_count(t, all_lengths[j]);
                lab_put_text(t, schedule_names[s]);
                lab_put_count(t, all[k].accuracy[j][s].answers);
                lab_put_count(t, all[k].accuracy[j][s].wrong);
            }
}

/* A row for each task: markers where a format is proved, and where it is wrong. */
static void draw_needs(lab *l, const outcome *all) {
    size_t tasks = sequence_count();
    const char **names = arena_alloc(&l->memory, tasks, sizeof *names);
    for (size_t k = 0; k < tasks; k++)
        names[tasks - 1 - k] = lab_text(l, "%s (%zu/%zu, %s)", sequence_suite[k].name, all[k].layers, all[k].heads,
                                        temper_growth_name(all[k].growth));
    chart_series series[2 * (TYPES - 1)];
    chart_panel panels[TYPES - 1];
    for (size_t j = 1; j < TYPES; j++) {
        double *proved = arena_alloc(&l->memory, tasks, sizeof *proved),
               *wrong = arena_alloc(&l->memory, tasks, sizeof *wrong), *y = arena_alloc(&l->memory, tasks, sizeof *y);
        for (size_t k = 0; k < tasks; k++) {
            proved[k] = all[k].proved[j] > 1 ? (double)(all[k].proved[j] - 1) : NAN;
            wrong[k] = all[k].wrong[j] ? (double)all[k].wrong[j] : NAN;
            y[k] = (double)(tasks - 1 - k);
        }
        chart_series *s = &series[2 * (j - 1)];
        s[0] = (chart_series){"proved to", proved, y, tasks, DRAW_MARKERS, 1};
        s[1] = (chart_series){"wrong answer found at", wrong, y, tasks, DRAW_MARKERS, 2};
        panels[j - 1] = (chart_panel){temper_type_name(types[j]),
                                      {"length", SCALE_LOG, 1, 1e8, NULL, 0},
                                      {"", SCALE_NAMES, -0.5, (double)tasks - 0.5, names, tasks},
                                      s,
                                      2,
                                      NULL,
                                      0};
    }
    chart c = {.title = "What sequence tasks need, and where number formats stop",
               .caption =
                   "Each task with its layers, heads and the growth of its largest logit. Left to right: the length "
                   "to which every answer is proved right in a format, and the shortest string with a wrong "
                   "answer that a search found.",
               .panels = panels,
               .panel_count = TYPES - 1,
               .columns = TYPES - 1,
               .panel_width = 150,
               .panel_height = 14.0 * (double)tasks,
               .shared_y = true,
               .legend = true};
    lab_figure_add(l, "needs", &c);
}

static void draw_accuracy(lab *l, const outcome *all) {
    static const char *const titles[] = {"what comes next", "what to write"};
    chart_series series[2][SCHEDULES];
    chart_panel panels[2];
    size_t lengths = length_count(l->quick);
    for (size_t side = 0; side < 2; side++) {
        for (size_t place = 0; place < SCHEDULES; place++) {
            size_t s = (place + 1) % SCHEDULES; /* the right one last, so that it lies on top */
            double *x = arena_alloc(&l->memory, lengths, sizeof *x), *y = arena_alloc(&l->memory, lengths, sizeof *y);
            for (size_t j = 0; j < lengths; j++) {
                tally sum = {0};
                for (size_t k = 0; k < sequence_count(); k++)
                    if ((sequence_suite[k].next == NULL) == (side == 1)) {
                        sum.answers += all[k].accuracy[j][s].answers;
                        sum.wrong += all[k].accuracy[j][s].wrong;
                    }
                x[j] = (double)all_lengths[j];
                y[j] = 1 - (double)sum.wrong / (double)sum.answers;
            }
            series[side][place] =
                (chart_series){schedule_names[s], x, y, lengths, DRAW_LINE | DRAW_MARKERS, (int)s + 1};
        }
        panels[side] = (chart_panel){titles[side],
                                     {"length", SCALE_LOG, 12, 1.3 * (double)all_lengths[lengths - 1], NULL, 0},
                                     {"accuracy", SCALE_LINEAR, 0, 1.05, NULL, 0},
                                     series[side],
                                     SCHEDULES,
                                     NULL,
                                     0};
    }
    chart c = {.title = "Sequence tasks under right and wrong schedules",
               .caption =
                   "Share of positions at which the soft model says what the task's own program says: the whole "
                   "set of legal letters, or the letter to write. A schedule bounds the scale of every head; "
                   "heads that need less keep theirs.",
               .panels = panels,
               .panel_count = 2,
               .columns = 2,
               .panel_width = 215,
               .panel_height = 165,
               .shared_y = true,
               .legend = true};
    lab_figure_add(l, "accuracy", &c);
}

static void claim(lab *l, const outcome *all) {
    size_t large = 0, unproved = 0, false_proofs = 0, harmed = 0;
    tally right = {0};
    for (size_t k = 0; k < sequence_count(); k++) {
        large += all[k].layers > sequence_suite[k].layers || all[k].heads > sequence_suite[k].heads;
        unproved += all[k].proved[0] == 0;
        for (size_t j = 0; j < TYPES; j++) false_proofs += all[k].wrong[j] && all[k].wrong[j] < all[k].proved[j];
        size_t last = length_count(l->quick) - 1;
        harmed += all[k].growth != TEMPER_GROWTH_NONE && all[k].accuracy[last][1].wrong > 0;
        for (size_t j = 0; j <= last; j++) {
            right.answers += all[k].accuracy[j][0].answers;
            right.wrong += all[k].accuracy[j][0].wrong;
        }
    }
    lab_about(l, "accuracy");
    lab_claim_add(l, right.wrong == 0, "With the right schedule every answer is that of the task's own program",
                  "%llu wrong of %llu positions, %zu tasks", (unsigned long long)right.wrong,
                  (unsigned long long)right.answers, sequence_count());
    lab_claim_add(l, 2 * harmed > sequence_count(), "A constant scale harms most tasks",
                  "%zu of %zu tasks have wrong answers at length %zu", harmed, sequence_count(),
                  all_lengths[length_count(l->quick) - 1]);
    lab_about(l, "needs");
    lab_claim_add(l, large == 0, "No task takes more layers or heads than the suite says", "%zu do", large);
    lab_claim_add(l, unproved == 0, "Every task is proved in f64", "%zu are not", unproved);
    lab_claim_add(l, false_proofs == 0, "No wrong answer was found at a length that is proved", "%zu were",
                  false_proofs);
}

static void run(lab *l, arena *scratch) {
    (void)scratch;
    const outcome *all = collect(l);
    tabulate_needs(l, all);
    tabulate_accuracy(l, all);
    draw_needs(l, all);
    draw_accuracy(l, all);
    claim(l, all);
}

static const lab_part parts[] = {{run, 30000, NULL, count_cells, run_cell}};

const lab_experiment lab_sequences = {"sequences", &prose_sequences, NULL, parts, sizeof parts / sizeof *parts};

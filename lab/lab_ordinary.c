/* temper lab ordinary: a S b as ordinary transformers. How much weight a head may give to wrong positions, by the
   proof, for every length; and where an emulator of llama.cpp's kernels first gives a wrong answer. */
#include "lab/lab.h"

#include <math.h>
#include <string.h>

#include "ordinary/run/ordinary_run.h"
#include "ordinary/proof/ordinary_proof.h"

enum { SETTINGS = 4, MOST_LENGTHS = 9, SEARCH_FROM = 1480, SEARCH_TO = 1600 };

static const struct {
    const char *name;
    enum ordinary_architecture architecture;
    enum ordinary_number kv;
    enum ordinary_positions positions;
} settings[SETTINGS] = {
    {"GPT-2, f16 cache", ORDINARY_GPT2, ORDINARY_F16, ORDINARY_POSITIONS_AUTO},
    {"Llama, ramp, f16 cache", ORDINARY_LLAMA, ORDINARY_F16, ORDINARY_POSITIONS_RAMP},
    {"Llama, ramp, f32 cache", ORDINARY_LLAMA, ORDINARY_F32, ORDINARY_POSITIONS_RAMP},
    {"Llama, digits, f16 cache", ORDINARY_LLAMA, ORDINARY_F16, ORDINARY_POSITIONS_DIGITS},
};

/* One model: its proof, or its answers on b c b c ... */
typedef struct study {
    size_t setting, length;
    bool emulate;
    bool proved;
    double leak;  /* of the worst head, at most; NaN: not proved */
    size_t wrong; /* the first letter with a wrong answer; 0: none */
} study;

static void prove(study *s, entry *e, const struct ordinary_model *m, const temper_model *hard,
                  const temper_spec *read, const struct ordinary_options *o) {
    ordinary_proof p = ordinary_prove(&e->memory, m, hard, read, o);
    s->proved = p.proved;
    s->leak = p.proved ? 0 : NAN;
    for (size_t k = 0; p.proved && k < p.details->head_count; k++) s->leak = fmax(s->leak, p.details->heads[k].leak);
}

/* The nearest letter that is no a is the letter itself, and the one before says the opposite. */
static void emulate(study *s, entry *e, const struct ordinary_model *m, const struct ordinary_options *o) {
    const uint32_t b = ORDINARY_LETTERS + 1, c = ORDINARY_LETTERS + 2;
    struct ordinary_kernel kernel = {.f16_cache = o->kv == ORDINARY_F16, .fused = true};
    size_t n = o->length;
    uint32_t *ids = arena_zalloc(&e->memory, n + 1, sizeof *ids);
    float *logits = arena_alloc(&e->memory, (n + 1) * m->vocabulary, sizeof *logits);
    for (size_t i = 1; i <= n; i++) ids[i] = i % 2 ? b : c;
    ordinary_run(logits, ordinary_runner_new(&e->memory, m, &kernel), ids, n + 1, &e->scratch);
    for (size_t i = 1; i <= n && !s->wrong; i++)
        if ((logits[i * m->vocabulary + ORDINARY_EOS] > -64) != (ids[i] == b)) s->wrong = i;
}

static void free_spec(void *spec) { temper_spec_free(spec); }

static void study_model(entry *e, void *context) {
    study *s = context;
    static const char *const abc[] = {"a", "b", "c"};
    temper_error why;
    temper_spec *spec;
    const temper_spec *read;
    struct ordinary_options o = {.architecture = settings[s->setting].architecture,
                                 .length = s->length,
                                 .kv = settings[s->setting].kv,
                                 .positions = settings[s->setting].positions,
                                 .unchecked = true};
    if (temper_spec_parse(&spec, "a S b", 5, &(temper_spec_options){.letters = abc, .letter_count = 3}, &why))
        trap_reraise(e->trap, &why);
    entry_on_leaving(e, free_spec, spec);
    const temper_model *hard = ordinary_hard_model(e, spec, &read);
    const struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &o);
    if (s->emulate)
        emulate(s, e, m, &o);
    else
        prove(s, e, m, hard, read, &o);
}

static study look(lab *l, size_t setting, size_t length, bool emulate_it) {
    study s = {.setting = setting, .length = length, .emulate = emulate_it, .leak = NAN};
    temper_error why;
    if (entry_run(&why, study_model, &s)) trap_reraise(l->trap, &why);
    return s;
}

static study first_failure(lab *l) {
    study s = {.wrong = 0};
    for (size_t n = SEARCH_FROM; n <= SEARCH_TO && !s.wrong; n++) s = look(l, 1, n, true);
    return s;
}

static void draw(lab *l, const double *x, double y[SETTINGS][MOST_LENGTHS], size_t count, const study *failure) {
    chart_series series[SETTINGS];
    for (size_t s = 0; s < SETTINGS; s++)
        series[s] = (chart_series){settings[s].name, x, y[s], count, DRAW_LINE | DRAW_MARKERS, (int)s + 1};
    const chart_rule rule = {true, (double)failure->length, "f16 ramp: first wrong answer"};
    chart_panel panel = {"a S b",
                         {"letters", SCALE_LOG, 0, 0, NULL, 0},
                         {"leak of the worst head, at most", SCALE_LOG, 1e-10, 0.1, NULL, 0},
                         series,
                         SETTINGS,
                         &rule,
                         1};
    chart c = {
        .title = "What heads of ordinary transformers may leak",
        .caption =
            "Proved bounds of the weight that a head gives to wrong positions, in any run that keeps to the table of "
            "doc/ordinary.md. A line ends where nothing is proved. The vertical line is the shortest model of the "
            "search "
            "that an emulator of llama.cpp finds wrong, with the ramp and an f16 cache.",
        .panels = &panel,
        .panel_count = 1,
        .columns = 1,
        .panel_width = 420,
        .panel_height = 240};
    lab_figure_add(l, "leaks", &c);
}

static void run(lab *l) {
    static const lab_column columns[] = {{"setting", LAB_TEXT, "architecture, positions and cache"},
                                         {"letters", LAB_COUNT, "of the longest string"},
                                         {"proved", LAB_FLAG, "every answer, for every string"},
                                         {"leak", LAB_NUMBER, "of the worst head, at most"}};
    static const size_t lengths[MOST_LENGTHS] = {64, 128, 255, 512, 1024, 1492, 1493, 2048, 4096};
    size_t count = l->quick ? MOST_LENGTHS - 1 : MOST_LENGTHS;
    double x[MOST_LENGTHS], y[SETTINGS][MOST_LENGTHS], worst = 0;
    bool to_last = false, beyond = true;
    lab_about(l, "leaks");
    lab_table *t = LAB_TABLE(l, "leaks", "Leaks by length and setting", columns, SIZE_MAX);
    for (size_t s = 0; s < SETTINGS; s++)
        for (size_t k = 0; k < count; k++) {
            study found = look(l, s, lengths[k], false);
            x[k] = (double)lengths[k];
            y[s][k] = found.leak;
            if (found.proved) worst = fmax(worst, found.leak);
            if (s == 1 && lengths[k] == 1492) to_last = found.proved;
            if (s == 1 && lengths[k] > 1492 && found.proved) beyond = false;
            lab_put_text(t, settings[s].name);
            lab_put_count(t, lengths[k]);
            lab_put_flag(t, found.proved);
            lab_put_number(t, found.leak);
            lab_progress(l, s * count + k, SETTINGS * count + 4);
        }
    study failure = first_failure(l);
    lab_claim_add(l, to_last && beyond,
                  "A Llama's ramp is proved for 1,492 letters with an f16 cache, and for no longer string",
                  "1,492: %s, longer: %s", to_last ? "proved" : "not proved", beyond ? "not proved" : "proved");
    lab_claim_add(l, failure.wrong > 0 && failure.length > 1492 && failure.length < 2 * 1492,
                  "An emulator of llama.cpp errs beyond that, before twice the length",
                  "%zu letters: wrong after %zu", failure.length, failure.wrong);
    lab_claim_add(l, worst < 0.01, "Where it is proved, no head gives a hundredth of its weight to wrong positions",
                  "at most %.2g", worst);
    draw(l, x, y, count, &failure);
}

const lab_experiment lab_ordinary = {"ordinary", &prose_ordinary, run, NULL, 0};

/* Tables of a user's scales (temper lab schedules --scale): every cell is run once more, with a model that is
   scaled by temper_model_with_scale (once, since) and not by the lab: right at its length, and wrong, or refused,
   with one letter more. Llama 4's, SSMax's and a constant scale agree with the published rows. The law is compared
   with every row of every length. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/schedules.h"
#include "number/number_type.h"
#include "temper_lab.h"
#include "test.h"

static const char *const SCALES[] = {"ln(N)/2",   "sqrt(N)", "N", "1", "4", "1 + 0.1*ln(1 + floor((i + 1)/8192))",
                                     "0.43*ln(N)"};
enum { COUNT = sizeof SCALES / sizeof *SCALES };

static size_t compared, ended;

/* The worst strings: needles at both ends; the nearest of n candidates, and every other position, as temper limits
   finds it. */
static bool worst(char *w, size_t n, size_t op, size_t which) {
    memset(w, 'c', n);
    w[n] = 0;
    if (op == SCHEDULED_ONCE) w[0] = 'a', w[n - 1] = 'b';
    if (op == SCHEDULED_SINCE && which == 0) w[n - 1] = 'a';
    for (size_t j = which - 1; op == SCHEDULED_SINCE && which > 0 && j < n; j += 2) w[j] = 'a';
    return which < (op == SCHEDULED_SINCE ? 3 : 1);
}

/* 1: right at every letter, 0: wrong or refused. */
static int run(const temper_model *m, const temper_spec *spec, const char *w, temper_type type) {
    uint32_t *letters;
    size_t n;
    temper_run *r;
    temper_error e;
    int accept = 0, got = 0;
    unsigned char *want = malloc(strlen(w) + 1);
    temper_run_options o = {.unchecked = 1, .type = type, .threads = 1};
    CHECK(temper_model_encode(&letters, &n, m, w, strlen(w), &e) == TEMPER_OK, "%s", e.text);
    CHECK(want && temper_spec_eval(&accept, want, spec, letters, n, &e) == TEMPER_OK, "%s", e.text);
    if (temper_model_run(&r, m, letters, n, &o, &e) == TEMPER_OK) {
        got = memcmp(temper_run_output(r, 0) + 1, want, n) == 0;
        temper_run_free(r);
    }
    free(want);
    temper_free(letters);
    return got;
}

static void check_cell(const temper_schedule_row *row, size_t op, double base, temper_type type) {
    static const char *const formulas[] = {"O a & O b", "(b S a) & (d S a)"};
    const temper_schedule_cell *c = &row->cells[op];
    temper_spec *spec;
    temper_model *m, *scaled;
    temper_error e;
    char factor[200], *w = malloc(c->reach + 2);
    snprintf(factor, sizeof factor, "%.17g*(%s)", base, row->factor);
    temper_spec_options o = {.alphabet = "abcd", .at = TEMPER_AT_LAST};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_scale scale = {.scale = factor};
    if (!CHECK(w && temper_spec_parse(&spec, formulas[op], strlen(formulas[op]), &o, &e) == TEMPER_OK &&
                   temper_build(&m, spec, &build, &e) == TEMPER_OK &&
                   temper_model_with_scale(&scaled, m, &scale, 1, &e) == TEMPER_OK,
               "%s: %s", factor, e.text))
        return;
    bool right = true;
    for (size_t k = 0; c->reach && worst(w, c->reach, op, k); k++)
        CHECK(run(scaled, spec, w, type), "%s in %s: %zu letters are wrong", factor, temper_type_name(type),
              c->reach);
    for (size_t k = 0; worst(w, c->reach + 1, op, k); k++) right = right && run(scaled, spec, w, type);
    if (c->ends && c->reach >= 5)
        CHECK(!right, "%s in %s: %zu letters are right", factor, temper_type_name(type), c->reach + 1);
    compared++;
    ended += c->ends;
    temper_model_free(m);
    temper_model_free(scaled);
    temper_spec_free(spec);
    free(w);
}

static void check_table(temper_type type, size_t head) {
    temper_schedules *all;
    temper_error e;
    temper_schedule_options o = {.scales = SCALES, .count = COUNT, .published = 1, .head_size = head, .type = type};
    if (!CHECK(temper_schedules_find(&all, &o, &e) == TEMPER_OK, "%s: %s", temper_type_name(type), e.text)) return;
    CHECK(temper_schedules_count(all) == COUNT + 8, "%zu rows", temper_schedules_count(all));
    for (size_t k = 0; k < temper_schedules_count(all); k++) {
        temper_schedule_row row = temper_schedules_at(all, k);
        for (size_t op = 0; op < 2; op++) check_cell(&row, op, sqrt((double)head), type);
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            const temper_schedule_cell *c = &row.cells[op];
            /* in f64 the law is what happens, but at lengths of a letter or two where no worst string exists */
            if (type == TEMPER_TYPE_F64 && c->ends && c->law > 3)
                CHECK((double)c->reach == c->law, "%s, %s: right to %zu, the law says %g", row.name,
                      temper_schedule_operator(op), c->reach, c->law);
            CHECK(c->ends || c->reach >= 200, "%s, %s: nothing wrong to %zu", row.name, temper_schedule_operator(op),
                  c->reach);
        }
    }
    static const size_t alike[][2] = {{3, COUNT}, {5, COUNT + 1}, {6, COUNT + 4}, {2, COUNT + 6}};
    for (size_t k = 0; k < 4; k++) /* one's own and the published one */
        for (size_t op = 0; op < TEMPER_SCHEDULED; op++) {
            temper_schedule_row x = temper_schedules_at(all, alike[k][0]), y = temper_schedules_at(all, alike[k][1]);
            CHECK(x.cells[op].ends == y.cells[op].ends && x.cells[op].reach == y.cells[op].reach &&
                      x.cells[op].law == y.cells[op].law,
                  "%s is not %s: %s", x.name, y.name, temper_schedule_operator(op));
        }
    char *svg = NULL;
    CHECK(temper_schedules_draw(&svg, all, &e) == TEMPER_OK && strstr(svg, "sqrt(N)"), "the figure");
    temper_free(svg);
    temper_schedules_free(all);
}

/* ---- the law ---- */

/* A factor that vanishes, in a row or at a length far behind those that are run, carries nothing there: its law ends
   before `gap`. */
typedef struct late_gap {
    const char *factor;
    double gap;
} late_gap;

static const late_gap LATE[] = {{"N*[n != 5003]*100", 5003},    {"N*[i < 6000]*100", 6000},
                                {"N*100*[n < 123456]", 123456}, {"N*100*(1 - [i = 7001])", 7001},
                                {"100*min(N, 200000)", 2e8},    {"N*100*[(n % 7919) != 1]", 7920}};

static void check_late_gaps(arena *a) {
    for (size_t k = 0; k < sizeof LATE / sizeof *LATE; k++)
        for (size_t op = SCHEDULED_SINCE; op < SCHEDULED; op++) {
            double law = schedule_law(expression_make(a, "%s", LATE[k].factor), (operator_kind)op, 11.3, 1e15);
            CHECK(law < LATE[k].gap, "%s, %s: carried to %g by the law", LATE[k].factor, operator_names[op], law);
        }
    static const char *const row[] = {"N*[i < 6000]*100"}; /* as a user sees it */
    temper_schedules *all;
    temper_error e;
    temper_schedule_options o = {.scales = row, .count = 1};
    if (!CHECK(temper_schedules_find(&all, &o, &e) == TEMPER_OK, "%s", e.text)) return;
    for (size_t op = 0; op < TEMPER_SCHEDULED; op++)
        CHECK(isfinite(temper_schedules_at(all, 0).cells[op].law), "%s: every", operator_names[op]);
    temper_schedules_free(all);
}

/* Every row of every length up to the law is carried, and one beyond it is not, or nothing was looked at there. */
static void check_law(const char *factor, double base, arena *a) {
    enum { FAR = 5000, ROWS = 150 };
    const expression *e = expression_make(a, "%s", factor);
    for (size_t op = 0; op < SCHEDULED; op++) {
        double law = schedule_law(e, (operator_kind)op, base, 1e15), wrong = INFINITY;
        for (double n = 1; n <= FAR && n < wrong; n++) {
            double first = op == SCHEDULED_ONCE ? n : 1, size = n + (op == SCHEDULED_BALANCE ? 2 : 1);
            double need = operator_scale((operator_kind)op, n);
            for (double i = first; i <= (n < ROWS ? n : first) && n < wrong; i++)
                if (!(base * expression_eval(e, i, n, size) >= need)) wrong = n;
        }
        CHECK(law < wrong, "%s, %s: carried to %g by the law, not at %g", factor, operator_names[op], law, wrong);
        bool ends = law + 1 == wrong, looked = wrong > ROWS && law >= ROWS;
        CHECK(ends || looked, "%s, %s: carried to %g by the law, first not at %g", factor, operator_names[op], law,
              wrong);
    }
}

/* A cell ends where strings of one letter more are wrong: random ones that are shorter must not end it. */
static void check_random_lengths(arena *a, arena *scratch) {
    static const schedule gap = {.name = "gap", .factor = "N*100*(1 - [n < 60])"};
    lab l = {.trap = a->trap, .random = 1};
    trial_model *m = trial_make(&l, &gap, SCHEDULED_SINCE, 11.3, a);
    CHECK(trial_random(m, &l, 68, 68, 100, scratch) == 0, "strings of 68 letters are wrong");
    CHECK(trial_random(m, &l, 1, 68, 100, scratch) > 0, "no string of up to 68 letters is wrong");
}

static void check_laws(void) {
    static const char *const more[] = {"1 + 3*[n % 3 = 1]", "200/i",      "N - i",     "floor(N/10)*10", "ceil2(N)/N",
                                       "N*(2 - n)*(2 - n)", "5 + cos(n)", "ln(N - n)", "max(40 - N, 2)"};
    trap t;
    arena a, scratch;
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s", t.error.text);
        return;
    }
    arena_init(&a, &t);
    arena_init(&scratch, &t);
    check_random_lengths(&a, &scratch);
    check_late_gaps(&a);
    for (size_t k = 0; k < COUNT; k++) check_law(SCALES[k], 11.3, &a);
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) check_law(more[k], 11.3, &a);
    arena_free(&scratch);
    arena_free(&a);
}

static void refusals(void) {
    static const char *const bad[] = {"0 - N", "1/0", "ln(", "j", "ln(N - n - 1)"};
    temper_schedules *all;
    temper_error e;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK(temper_schedules_find(&all, &(temper_schedule_options){.scales = &bad[k], .count = 1}, &e) !=
                      TEMPER_OK &&
                  !all,
              "%s is a scale", bad[k]);
    CHECK(temper_schedules_find(&all, &(temper_schedule_options){.type = TEMPER_TYPE_EXACT}, &e) == TEMPER_RANGE,
          "exact");
}

/* Since with a linear scale in bf16/f32: this table, temper limits and the proof meet between 84 and 85 letters. */
static void check_since(void) {
    static const char *const scale[] = {"8*N"};
    temper_schedules *all;
    temper_error e;
    temper_schedule_options o = {.scales = scale, .count = 1, .base = 1, .type = TEMPER_TYPE_BF16_F32};
    if (!CHECK(temper_schedules_find(&all, &o, &e) == TEMPER_OK, "%s", e.text)) return;
    temper_schedule_cell c = temper_schedules_at(all, 0).cells[SCHEDULED_SINCE];
    CHECK(c.reach == 84 && c.ends, "since in bf16/f32: right to %zu", c.reach);
    temper_schedules_free(all);
}

int main(void) {
    check_since();
    check_table(TEMPER_TYPE_F64, 128);
    check_table(TEMPER_TYPE_BF16_F32, 64);
    if (test_effort() > 1) check_table(temper_type_tiled(TEMPER_TYPE_BF16_F32, 128), 64);
    refusals();
    check_laws();
    CHECK(compared >= 60 && ended >= 20, "%zu cells were run, %zu end", compared, ended);
    return test_finish("t-own-schedules");
}

/* Tables of a user's scales (temper lab schedules --scale): every cell is run once more, with a model that is
   scaled by temper_model_with_scale (once, since) and not by the lab: right at its length, and wrong, or refused,
   with one letter more. Llama 4's, SSMax's and a constant scale agree with the published rows. */
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

/* The worst string: needles at both ends, or the nearest of n candidates. */
static void worst(char *w, size_t n, size_t op) {
    memset(w, 'c', n);
    if (op == SCHEDULED_ONCE) w[0] = 'a', w[n - 1] = 'b';
    if (op == SCHEDULED_SINCE) w[n - 1] = 'a';
    w[n] = 0;
}

/* 1: right, 0: wrong or refused. */
static int run(const temper_model *m, const temper_spec *spec, const char *w, temper_type type) {
    uint32_t *letters;
    size_t n;
    temper_run *r;
    temper_error e;
    int want = 0, got = 0;
    temper_run_options o = {.unchecked = 1, .type = type, .threads = 1};
    CHECK(temper_model_encode(&letters, &n, m, w, strlen(w), &e) == TEMPER_OK, "%s", e.text);
    CHECK(temper_spec_eval(&want, NULL, spec, letters, n, &e) == TEMPER_OK, "%s", e.text);
    if (temper_model_run(&r, m, letters, n, &o, &e) == TEMPER_OK) {
        got = temper_run_about(r).accept == want;
        temper_run_free(r);
    }
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
    worst(w, c->reach, op);
    if (c->reach)
        CHECK(run(scaled, spec, w, type), "%s in %s: %zu letters are wrong", factor, temper_type_name(type),
              c->reach);
    worst(w, c->reach + 1, op);
    if (c->ends && c->reach >= 5)
        CHECK(!run(scaled, spec, w, type), "%s in %s: %zu letters are right", factor, temper_type_name(type),
              c->reach + 1);
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

int main(void) {
    check_table(TEMPER_TYPE_F64, 128);
    check_table(TEMPER_TYPE_BF16_F32, 64);
    if (test_effort() > 1) check_table(temper_type_tiled(TEMPER_TYPE_BF16_F32, 128), 64);
    refusals();
    CHECK(compared >= 60 && ended >= 20, "%zu cells were run, %zu end", compared, ended);
    return test_finish("t-own-schedules");
}

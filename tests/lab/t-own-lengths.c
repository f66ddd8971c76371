/* Answers at given lengths (temper lab schedules --at). A yes: all strings of short lengths, and hard and random
   ones of longer ones, are right at every letter, in the type; scales lie near what the operator needs. A no: the
   string is read back from its repetitions and run once more, at all letters; of once and since by a model that is
   scaled by temper_model_with_scale. In f64 an answer is open only near the scale that is needed in real arithmetic.
   One row of a run is that row of the whole run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/schedules.h"
#include "number/number_type.h"
#include "run/dense.h"
#include "temper_lab.h"
#include "test.h"

static size_t answers[3];

/* ---- a no ---- */

/* "(ab)^2 c^7 a" */
static uint32_t *expand(const char *shown, size_t n) {
    uint32_t *w = malloc((n + 1) * sizeof *w);
    size_t at = 0;
    while (w && *shown && at <= n) {
        bool many = *shown == '(';
        const char *word = shown + many;
        size_t length = many ? strcspn(word, ")") : 1, count = 1;
        shown = word + length + many;
        char *end;
        if (*shown == '^') count = (size_t)strtoull(shown + 1, &end, 10), shown = end;
        while (*shown == ' ') shown++;
        for (size_t k = 0; k < count * length && at <= n; k++) w[at++] = (uint32_t)(word[k % length] - 'a');
    }
    CHECK(at == n, "'%s' has %zu letters, not %zu", shown, at, n);
    return w;
}

static bool is_wrong_again(const temper_length_row *row, size_t op, double base, temper_type type) {
    const temper_length_cell *c = &row->cells[op];
    temper_spec *spec;
    temper_model *m, *scaled;
    temper_run *r;
    temper_error e;
    char factor[200];
    int accept;
    bool wrong = true;
    temper_spec_options o = {.alphabet = "abcd", .at = TEMPER_AT_LAST};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_run_options run = {.unchecked = 1, .type = type, .threads = 1};
    snprintf(factor, sizeof factor, "%.17g*(%s)", base, row->factor);
    temper_scale scale = {.scale = factor};
    if (!CHECK(temper_spec_parse(&spec, c->formula, strlen(c->formula), &o, &e) == TEMPER_OK &&
                   temper_build(&m, spec, &build, &e) == TEMPER_OK &&
                   temper_model_with_scale(&scaled, m, &scale, 1, &e) == TEMPER_OK,
               "%s: %s", factor, e.text))
        return false;
    uint32_t *w = expand(c->string, row->length);
    unsigned char *truth = malloc(row->length);
    if (w && truth && temper_spec_eval(&accept, truth, spec, w, row->length, &e) == TEMPER_OK &&
        temper_model_run(&r, scaled, w, row->length, &run, &e) == TEMPER_OK) {
        wrong = temper_run_output(r, 0)[c->letter] != truth[c->letter - 1];
        temper_run_free(r);
    }
    free(w);
    free(truth);
    temper_model_free(m);
    temper_model_free(scaled);
    temper_spec_free(spec);
    return wrong;
}

/* ---- a yes ---- */

static void check_yes(const temper_length_row *row, operator_kind op, double base, temper_type type, arena *a) {
    arena *scratch = arena_alloc(a, 1, sizeof *scratch);
    lab l = {.trap = a->trap, .random = 1};
    schedule s = {.name = "own", .factor = row->factor};
    arena_init(scratch, a->trap);
    arena_on_release(a, (void (*)(void *))arena_free, scratch);
    trial_model *m = trial_make_in(&l, &s, op, base, type, a);
    bool right = row->length <= 5 ? trial_all(m, row->length, scratch) : trial_worst(m, row->length, scratch);
    CHECK(right && trial_random(m, &l, row->length, row->length, 8, scratch) == 0,
          "%.17g*(%s), %s at %zu in %s: proved, and wrong", base, row->factor, operator_names[op], row->length,
          temper_type_name(type));
    CHECK(row->cells[op].error <= 0.25, "an error of %g", row->cells[op].error);
}

/* ---- near what is needed ---- */

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,      TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,     TEMPER_TYPE_F16_F32,  TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_BF16_F64};
static const char *const FORMS[] = {"%.17g", "%.17g*ln(N)/ln(%zu)", "%.17g*N/%zu", "%.17g*(2 - i/%zu)"};

static void check_scale(test_random *r, temper_type type, size_t n, operator_kind op, double of_need, arena *a) {
    char factor[100];
    size_t form = random_below(r, 4), size = n + 1 + (op == SCHEDULED_BALANCE);
    double c = operator_scale(op, (double)n) * of_need;
    snprintf(factor, sizeof factor, FORMS[form], c, form == 3 ? n : size);
    const char *const scales[] = {factor};
    temper_schedule_options o = {.scales = scales, .count = 1, .base = 1, .type = type};
    temper_lengths *all;
    temper_error e;
    if (!CHECK(temper_lengths_find(&all, &o, &n, 1, &e) == TEMPER_OK, "%s: %s", factor, e.text)) return;
    temper_length_row row = temper_lengths_at(all, 0);
    for (size_t k = 0; k < SCHEDULED; k++) {
        const temper_length_cell *cell = &row.cells[k];
        answers[cell->answer]++;
        if (cell->answer == TEMPER_LENGTH_YES) check_yes(&row, (operator_kind)k, 1, type, a);
        if (cell->answer == TEMPER_LENGTH_NO && k <= SCHEDULED_SINCE)
            CHECK(is_wrong_again(&row, k, 1, type), "%s, %s at %zu in %s: %s is right", factor, operator_names[k], n,
                  temper_type_name(type), cell->string);
        CHECK((cell->answer == TEMPER_LENGTH_OPEN) == (cell->why != NULL), "%s: no reason", factor);
    }
    if (type == TEMPER_TYPE_F64 && n > 40 && form < 3) {
        temper_length_answer found = row.cells[op].answer;
        bool open = of_need > 0.999 && of_need < (op == SCHEDULED_ONCE ? 1.001 : op == SCHEDULED_SINCE ? 1.2 : 1.4);
        CHECK(open || found == (of_need < 1 ? TEMPER_LENGTH_NO : TEMPER_LENGTH_YES),
              "%s, %s at %zu, %g of what is needed: answer %d, %s", factor, operator_names[op], n, of_need, found,
              row.cells[op].why ? row.cells[op].why : "");
    }
    temper_lengths_free(all);
    arena_reset(a);
}

/* ---- one row ---- */

static void check_rows(test_random *r, arena *a) {
    enum { LONGEST = 40 };
    lab l = {.trap = a->trap};
    for (size_t k = 0; k < sizeof TYPES / sizeof *TYPES; k++)
        for (size_t op = 0; op < SCHEDULED; op++) {
            const temper_model *m = trial_build(&l, trial_formula((operator_kind)op), a);
            const number_type *type = number_type_of(TYPES[k]);
            uint32_t w[LONGEST];
            size_t n = 1 + random_below(r, LONGEST), row = 1 + random_below(r, n);
            for (size_t j = 0; j < n; j++) w[j] = (uint32_t)random_below(r, 4);
            dense_setting s = {.storage = type->storage, .accumulation = type->accumulation, .tile = type->tile};
            dense_answer whole, one;
            arena *scratch = arena_alloc(a, 1, sizeof *scratch);
            arena_init(scratch, a->trap);
            arena_on_release(a, (void (*)(void *))arena_free, scratch);
            dense_run(&whole, m, w, n, &s, a, scratch);
            s.row = row;
            dense_run(&one, m, w, n, &s, a, scratch);
            const double *x = whole.x + row * m->channel_count, *y = one.x + row * m->channel_count;
            CHECK(whole.broken || one.broken || !memcmp(x, y, m->channel_count * sizeof *x),
                  "%s in %s: row %zu of %zu differs", operator_names[op], type->name, row, n);
            CHECK(whole.broken || whole.truth[row] == one.truth[row], "%s: its answer differs", operator_names[op]);
        }
    arena_reset(a);
}

static void refusals(void) {
    static const struct {
        const char *scale, *says;
        size_t n;
    } bad[] = {
        {"ln(n - 5)", "minus infinity at n = 5: there ln(n - 5) is the logarithm of 0", 5},
        {"ln(N - n - 2)", "not a number (NaN) at n = 3: there ln(N - n - 2) is the logarithm of a number below 0", 3},
        {"1 + 2/(n - 7)", "infinite at n = 7: there 2/(n - 7) divides by 0", 7},
        {"3 - i", "is -1 at n = 8 and i = 4", 8},
        {"llama5", "there is no schedule 'llama5'", 8},
        {"yarn:", "there is no schedule", 8},
        {"ssmax", "there is no schedule", 8},
        {"2", "the length 0", 0}};
    temper_lengths *all;
    temper_error e;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        temper_schedule_options o = {.scales = &bad[k].scale, .count = 1, .base = 5};
        CHECK(temper_lengths_find(&all, &o, &bad[k].n, 1, &e) != TEMPER_OK && strstr(e.text, bad[k].says), "%s: %s",
              bad[k].scale, e.text);
    }
}

static void names(arena *a) {
    static const char *const same[][2] = {{"llama4", "Llama-4"}, {"yarn", "YaRN"},    {"yarn:4", "YaRN:4"},
                                          {"log", "log n"},      {"log2", "log2(N)"}, {"ssmax:2", "SSMax:2"}};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        CHECK(!strcmp(schedule_factor(same[k][0], a), schedule_factor(same[k][1], a)), "%s: %s, %s: %s", same[k][0],
              schedule_factor(same[k][0], a), same[k][1], schedule_factor(same[k][1], a));
}

int main(void) {
    test_random r = test_seed(1);
    trap t;
    arena a;
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s", t.error.text);
        return test_finish("t-own-lengths");
    }
    arena_init(&a, &t);
    static const double of_need[] = {0.3, 0.95, 0.9995, 1.0005, 1.1, 1.25, 1.45, 1.6, 2.5, 6};
    for (size_t turn = 0; turn < 12 * test_effort() + 1; turn++) {
        check_rows(&r, &a);
        for (size_t k = 0; k < 10; k++) {
            temper_type type = TYPES[turn % 3 ? random_below(&r, sizeof TYPES / sizeof *TYPES) : 0];
            size_t n = turn % 2 ? 1 + random_below(&r, 5) : 6 + random_below(&r, turn % 4 ? 60 : 300);
            check_scale(&r, type, n, (operator_kind)random_below(&r, SCHEDULED), of_need[k], &a);
        }
    }
    refusals();
    names(&a);
    CHECK(answers[TEMPER_LENGTH_YES] > 50 && answers[TEMPER_LENGTH_NO] > 50, "%zu yes, %zu no, %zu open",
          answers[TEMPER_LENGTH_YES], answers[TEMPER_LENGTH_NO], answers[TEMPER_LENGTH_OPEN]);
    arena_free(&a);
    return test_finish("t-own-lengths");
}

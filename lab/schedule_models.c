/* Compiled models whose heads run at another schedule. The formulas join two heads of an operator by a conjunction
   whose ramp turns where the two errors add up to 1/2, so that they are wrong exactly when each head's output falls
   below 3/4, on the worst string. */
#include "lab/schedules.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial_model {
    operator_kind op;
    temper_spec *spec;
    temper_model *model;
    temper_type type;
};

static const char *const formulas[SCHEDULED] = {"O a & O b", "(b S a) & (d S a)", "#[a] >= #[b] & #[a] >= #[d]",
                                                "#[a] >= #>[b] & #[a] >= #>[d]", "#[a] % 3 = 1 & #[b] % 3 = 1"};

/* A factor that depends on the row must be in a query that is a constant otherwise; or the string is so short that it
   is 1 in every row. */
static bool has_plain_query(operator_kind op) { return op == SCHEDULED_ONCE || op == SCHEDULED_SINCE; }

bool trial_can(const schedule *s, operator_kind op, double n) {
    return !s->per_row || has_plain_query(op) || n < SCHEDULE_TRAINED - 4;
}

static void free_trial(void *what) {
    trial_model *t = what;
    temper_model_free(t->model);
    temper_spec_free(t->spec);
}

static void check(lab *l, temper_status status, const temper_error *err) {
    if (status != TEMPER_OK) trap_reraise(l->trap, err);
}

static bool starts(const char *string, const char *with) { return !strncmp(string, with, strlen(with)); }

/* Scales of the operator's heads; the constant query, if the factor depends on the row; the normaliser ln(i) over the
   scale. */
static void reschedule(temper_model *m, const schedule *s, operator_kind op, double base, trap *t) {
    m->memory.trap = t;
    for (uint32_t k = 0; k < m->layer_count; k++)
        for (uint32_t h = 0; h < m->layers[k].head_count; h++) {
            model_head *head = &m->layers[k].heads[h];
            if (head->role == ROLE_COUNT) continue;
            head->scale = expression_make(&m->memory, "%.17g*(%s)", base, s->per_row ? "1" : s->factor);
            head->role = ROLE_NONE;
            head->adaptive = s->adaptive;
            if (s->adaptive)
                head->hard_choice = TEMPER_CHOICE_AVERAGE; /* since: its tie-break is a score like any other */
        }
    for (uint32_t k = 0; k < m->channel_count; k++) {
        model_channel *c = &m->channels[k];
        if (s->per_row && has_plain_query(op) && !strcmp(c->label, "one"))
            c->position = expression_make(&m->memory, "%s", s->factor);
        if (!starts(c->label, "ln(")) continue;
        if (s->adaptive) /* a row's own gap must be that of its count */
            c->position = expression_make(&m->memory, "0");
        else
            c->position = expression_make(&m->memory, "%sln(max(i, 1))/(%.17g*(%s))",
                                          op == SCHEDULED_BALANCE ? "N*" : "", base, s->per_row ? "1" : s->factor);
    }
    model_check(m, t);
    model_seal(m);
}

trial_model *trial_make(lab *l, const schedule *s, operator_kind op, double base, arena *a) {
    return trial_make_in(l, s, op, base, TEMPER_TYPE_F64, a);
}

trial_model *trial_make_in(lab *l, const schedule *s, operator_kind op, double base, temper_type type, arena *a) {
    trial_model *t = arena_zalloc(a, 1, sizeof *t);
    temper_error err;
    temper_spec_options o = {.alphabet = "abcd", .at = TEMPER_AT_LAST};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    t->op = op;
    t->type = type;
    arena_on_release(a, free_trial, t);
    check(l, temper_spec_parse(&t->spec, formulas[op], strlen(formulas[op]), &o, &err), &err);
    check(l, temper_build(&t->model, t->spec, &build, &err), &err);
    reschedule(t->model, s, op, base, l->trap);
    return t;
}

/* Whether the model's answer is this one; none is given where a number overflows. */
static bool answers(const trial_model *t, const uint32_t *letters, size_t n, bool right, arena *scratch) {
    temper_run *run = NULL;
    temper_error err;
    temper_run_options o = {.unchecked = 1, .threads = 1, .type = t->type};
    temper_status status = temper_model_run(&run, t->model, letters, n, &o, &err);
    if (status == TEMPER_RANGE) return false;
    if (status != TEMPER_OK) trap_reraise(scratch->trap, &err);
    bool accept = temper_run_about(run).accept;
    temper_run_free(run);
    return accept == right;
}

static bool truth(const trial_model *t, const uint32_t *letters, size_t n, arena *scratch) {
    temper_error err;
    int accept = 0;
    if (temper_spec_eval(&accept, NULL, t->spec, letters, n, &err) != TEMPER_OK) trap_reraise(scratch->trap, &err);
    return accept;
}

bool trial_worst(trial_model *t, size_t n, arena *scratch) {
    uint32_t *w = arena_alloc(scratch, n, sizeof *w);
    size_t ones = 3 * (n / 9) + 1;
    for (size_t j = 0; j < n; j++) w[j] = 2; /* c */
    if (t->op == SCHEDULED_ONCE) w[0] = 0, w[n - 1] = 1;
    if (t->op == SCHEDULED_SINCE) w[n - 1] = 0;
    if (t->op == SCHEDULED_LOOKUP)
        for (size_t j = 0; j < ones && 2 * j + 1 < n; j++) w[2 * j] = 0, w[2 * j + 1] = 1;
    return answers(t, w, n, truth(t, w, n, scratch), scratch);
}

bool trial_all(trial_model *t, size_t n, arena *scratch) {
    uint32_t w[8];
    for (size_t number = 0; number < (size_t)1 << 2 * n; number++) {
        for (size_t j = 0; j < n; j++) w[j] = (uint32_t)(number >> 2 * j & 3);
        if (!answers(t, w, n, truth(t, w, n, scratch), scratch)) return false;
    }
    return true;
}

size_t trial_random(trial_model *t, lab *l, size_t least, size_t n, size_t count, arena *scratch) {
    uint32_t *w = arena_alloc(scratch, n, sizeof *w);
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++) {
        size_t length = least + lab_random(l) % (n - least + 1), common = lab_random(l) % 4;
        for (size_t j = 0; j < length; j++)
            w[j] = (uint32_t)(lab_random(l) % 8 ? common
                                                : lab_random(l) % 4); /* few letters beside one: near the edge */
        wrong += !answers(t, w, length, truth(t, w, length, scratch), scratch);
    }
    return wrong;
}

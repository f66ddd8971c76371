/* Compiled models whose heads run at another schedule. The formulas join two heads of an operator by a conjunction
   whose ramp turns where the two errors add up to 1/2, so that they are wrong exactly when each head's output falls
   below 3/4, on the worst string. */
#include "lab/schedules.h"

#include "model/model.h"
#include "number/number_type.h"
#include "run/run_string.h"

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

typedef struct built {
    temper_spec *spec;
    temper_model *model;
} built;

static void free_built(void *what) {
    built *b = what;
    temper_model_free(b->model);
    temper_spec_free(b->spec);
}

static built *build(lab *l, const char *formula, arena *a) {
    temper_spec_options o = {.alphabet = "abcd", .at = TEMPER_AT_LAST};
    temper_build_options by = {.method = TEMPER_METHOD_TEMPERATURE};
    built *b = arena_zalloc(a, 1, sizeof *b);
    temper_error err;
    arena_on_release(a, free_built, b);
    check(l, temper_spec_parse(&b->spec, formula, strlen(formula), &o, &err), &err);
    check(l, temper_build(&b->model, b->spec, &by, &err), &err);
    return b;
}

const temper_model *trial_build(lab *l, const char *formula, arena *a) { return build(l, formula, a)->model; }

trial_model *trial_make_in(lab *l, const schedule *s, operator_kind op, double base, temper_type type, arena *a) {
    trial_model *t = arena_zalloc(a, 1, sizeof *t);
    const built *b = build(l, formulas[op], a);
    *t = (trial_model){op, b->spec, b->model, type};
    reschedule(t->model, s, op, base, l->trap);
    return t;
}

static const unsigned char *truth(const trial_model *t, const uint32_t *letters, size_t n, arena *scratch) {
    temper_error err;
    int accept = 0;
    unsigned char *each = arena_alloc(scratch, n, 1);
    if (temper_spec_eval(&accept, each, t->spec, letters, n, &err) != TEMPER_OK) trap_reraise(scratch->trap, &err);
    return each;
}

/* Whether the model is right at every letter; no answer is given where a number overflows. */
static bool is_right(const trial_model *t, const uint32_t *letters, size_t n, arena *scratch) {
    temper_run *run = NULL;
    temper_error err;
    temper_run_options o = {.unchecked = 1, .threads = 1, .type = t->type};
    temper_status status = temper_model_run(&run, t->model, letters, n, &o, &err);
    if (status == TEMPER_RANGE) return false;
    if (status != TEMPER_OK) trap_reraise(scratch->trap, &err);
    bool same = memcmp(temper_run_output(run, 0) + 1, truth(t, letters, n, scratch), n) == 0;
    temper_run_free(run);
    return same;
}

/* ---- strings ---- */

enum { A, B, C, D };

/* So many of a letter. */
static void put(uint32_t *w, size_t *at, uint32_t letter, size_t count) {
    while (count-- > 0) w[(*at)++] = letter;
}

size_t trial_strings(operator_kind op) { return op == SCHEDULED_SINCE ? 3 : op == SCHEDULED_COMPARE ? 2 : 1; }

size_t trial_string(uint32_t *w, operator_kind op, size_t which, size_t n, size_t row) {
    size_t at = 0, ones = 3 * (row / 9) + 1;
    for (size_t j = 0; j < n; j++) w[j] = C;
    if (op == SCHEDULED_ONCE) w[0] = A, w[row - 1] = B;
    if (op == SCHEDULED_SINCE && which == 0) w[row - 1] = A;
    for (size_t j = which - 1; op == SCHEDULED_SINCE && which > 0 && j < n; j += 2) w[j] = A;
    if (op == SCHEDULED_COMPARE && which == 1) {
        put(w, &at, A, row / 3), put(w, &at, B, row / 3), put(w, &at, D, row / 3);
        row = at ? at : row;
    }
    for (size_t j = 0; op == SCHEDULED_LOOKUP && j < ones && 2 * j + 1 < row; j++) w[2 * j] = A, w[2 * j + 1] = B;
    return row;
}

bool trial_worst(trial_model *t, size_t n, arena *scratch) {
    uint32_t *w = arena_alloc(scratch, n, sizeof *w);
    for (size_t k = 0; k < trial_strings(t->op); k++) {
        trial_string(w, t->op, k, n, n);
        if (!is_right(t, w, n, scratch)) return false;
    }
    return true;
}

const char *trial_formula(operator_kind op) { return formulas[op]; }

/* As temper_model_run, but where that looks at all pairs the one row is enough. */
bool trial_wrong_at(trial_model *t, const uint32_t *letters, size_t n, size_t row, arena *scratch) {
    temper_run *run = NULL;
    temper_error err;
    bool right = truth(t, letters, n, scratch)[row - 1], unplanned = false;
    temper_run_options o = {.unchecked = 1, .type = t->type};
    run_request q = {.model = t->model, .letters = letters, .n = n, .options = &o, .unplanned = &unplanned};
    temper_status status = number_type_is_emulated(t->type) ? TEMPER_OK : run_string(&run, &q, &err);
    if (status == TEMPER_RANGE) return true;
    if (status != TEMPER_OK) trap_reraise(scratch->trap, &err);
    if (run) {
        bool wrong = temper_run_output(run, 0)[row] != right;
        temper_run_free(run);
        return wrong;
    }
    const number_type *type = number_type_of(t->type);
    dense_setting s = {.storage = type->storage, .accumulation = type->accumulation, .tile = type->tile, .row = row};
    dense_answer a;
    arena *work = arena_alloc(scratch, 1, sizeof *work);
    arena_init(work, scratch->trap);
    arena_on_release(scratch, (void (*)(void *))arena_free, work);
    dense_run(&a, t->model, letters, n, &s, scratch, work);
    return a.broken || a.truth[row] != right;
}

bool trial_all(trial_model *t, size_t n, arena *scratch) {
    uint32_t w[8];
    for (size_t number = 0; number < (size_t)1 << 2 * n; number++) {
        for (size_t j = 0; j < n; j++) w[j] = (uint32_t)(number >> 2 * j & 3);
        if (!is_right(t, w, n, scratch)) return false;
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
        wrong += !is_right(t, w, length, scratch);
    }
    return wrong;
}

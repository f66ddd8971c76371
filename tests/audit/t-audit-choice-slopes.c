/* Tie-breaks by the position as the auditor finds them (slope_cases.h). */
#include "audit/audit_choices_errors.h"
#include "base/entry.h"
#include "slope_cases.h"

typedef struct finding {
    const temper_model *m;
    const slope_shape *s;
    tie_break found;
} finding;

static void find(entry *e, void *context) {
    finding *f = context;
    audit *a = arena_zalloc(&e->memory, 1, sizeof *a);
    *a = (audit){.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .model = f->m, .length = f->s->length};
    audit_type_begin(a, f->s->type);
    hard_choices g;
    choices_begin(&g, a);
    f->found = slope_find(&g, &f->m->layers[1].heads[1]);
}

static slope_answer ask(const temper_model *m, const slope_shape *s) {
    temper_error e = {0};
    finding f = {.m = m, .s = s};
    CHECK(entry_run(&e, find, &f) == TEMPER_OK, "%s", e.text);
    return (slope_answer){f.found.found, f.found.dimension, f.found.sigma, f.found.query};
}

int main(void) {
    slope_cases(ask);
    return test_finish("t-audit-choice-slopes");
}

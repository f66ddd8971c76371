/* Tie-breaks by the position as the prover finds them (slope_cases.h); and a number of a model that is infinite in
   the type, wherever it stands, so that nothing is said. */
#include <string.h>

#include "base/entry.h"
#include "bound/choice_errors.h"
#include "number/number_type.h"
#include "slope_cases.h"

typedef struct finding {
    const temper_model *m;
    const slope_shape *s;
    tie_break found;
    size_t numbers; /* that were made infinite, and noticed */
} finding;

static bool begin(recursion *r, entry *e, const finding *f, hard_facts *all) {
    return recursion_begin(r, all, number_type_of(f->s->type), false, &e->memory, &e->scratch);
}

static void find(entry *e, void *context) {
    finding *f = context;
    hard_facts all;
    recursion r;
    hard_facts_begin(&all, f->m, f->s->length, &e->memory);
    if (CHECK(begin(&r, e, f, &all), "the model is infinite in the type")) f->found = r.ties[all.head_start[1] + 1];
}

static slope_answer ask(const temper_model *m, const slope_shape *s) {
    temper_error e = {0};
    finding f = {.m = m, .s = s};
    CHECK(entry_run(&e, find, &f) == TEMPER_OK, "%s", e.text);
    return (slope_answer){f.found.step > 0, f.found.row, f.found.step, f.found.query};
}

/* ---- numbers beyond the type ---- */

static void put(entry *e, finding *f, hard_facts *all, const double *at) {
    double old = *at, large = 0x1p200;
    double *place;
    recursion r;
    memcpy(&place, &at, sizeof place);
    *place = large;
    CHECK(!begin(&r, e, f, all), "number %zu is not looked at", f->numbers);
    *place = old;
    f->numbers++;
}

static void put_rows(entry *e, finding *f, hard_facts *all, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) put(e, f, all, &rows->terms[k].weight);
}

static void put_all(entry *e, void *context) {
    finding *f = context;
    hard_facts all;
    hard_facts_begin(&all, f->m, f->s->length, &e->memory);
    put_rows(e, f, &all, &f->m->embedding);
    put_rows(e, f, &all, &f->m->read);
    for (uint32_t l = 0; l < f->m->layer_count; l++) {
        const model_layer *layer = &f->m->layers[l];
        for (uint32_t h = 0; h < layer->head_count; h++) {
            put_rows(e, f, &all, &layer->heads[h].query);
            put_rows(e, f, &all, &layer->heads[h].key);
            put_rows(e, f, &all, &layer->heads[h].value);
            put_rows(e, f, &all, &layer->heads[h].output);
        }
        put_rows(e, f, &all, &layer->in);
        put_rows(e, f, &all, &layer->out);
        for (uint32_t u = 0; u < layer->in.count; u++) put(e, f, &all, &layer->bias[u]);
    }
}

static slope_answer put_numbers(const temper_model *m, const slope_shape *s) {
    temper_error e = {0};
    finding f = {.m = m, .s = s};
    CHECK(entry_run(&e, put_all, &f) == TEMPER_OK && f.numbers > 40, "%zu numbers: %s", f.numbers, e.text);
    return ask(m, s);
}

static bool first = true;

static slope_answer ask_once(const temper_model *m, const slope_shape *s) {
    slope_answer found = first ? put_numbers(m, s) : ask(m, s);
    first = false;
    return found;
}

int main(void) {
    slope_cases(ask_once);
    return test_finish("t-choice-slopes");
}

#include "facts/facts_cost.h"

#include <math.h>

#include "base/entry.h"
#include "number/elementary.h"
#include "run/exact_run.h"

/* Errors of one length: sums over rows, channels and units, in balls. */
static double cost_of_errors(const temper_model *m) {
    enum { HEAD = 10 };
    double rows = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        rows += m->channel_count + m->layers[l].in.count;
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            rows += 2.0 * m->layers[l].heads[h].query.count + m->layers[l].heads[h].value.count + HEAD;
    }
    return 10 * rows;
}

/* Steps go on to grow by the factor that twice the length made, which is at least 2. */
double facts_cost_at(const facts_cost *c, const temper_model *m, size_t length) {
    double doublings = log_f64(fmax((double)length, 1) / fmax((double)c->length, 1)) / log_f64(2);
    double factor = c->half > 0 ? fmax(c->steps / c->half, 2) : 2;
    return c->steps * exp_f64(doublings * log_f64(factor)) + (double)(length + 1) * cost_of_errors(m);
}

facts_cost facts_cost_find(const temper_model *m, size_t most, arena *work, arena *scratch) {
    enum { TENTH = 1 << 18 };
    subject_model s;
    facts_cost out = {0};
    double *steps = arena_zalloc(work, most + 1, sizeof *steps);
    exact_require(m, work->trap);
    subject_model_init(&s, m, work);
    facts_run *run = facts_run_begin(&s, 0, work);
    for (size_t n = 0; n <= most && out.steps <= TENTH; n++) {
        arena_reset(scratch);
        facts_run_next(run, scratch);
        steps[n] = facts_run_steps(run);
        out = (facts_cost){n, steps[n], steps[n / 2]};
    }
    arena_reset(scratch);
    return out;
}

/* ---- the public function ---- */

typedef struct cost_call {
    double *steps;
    const temper_model *model;
    size_t length;
} cost_call;

static void find(entry *e, void *context) {
    enum { SAMPLE = 96 };
    const cost_call *c = context;
    facts_cost found = facts_cost_find(c->model, c->length < SAMPLE ? c->length : SAMPLE, &e->memory, &e->scratch);
    *c->steps = facts_cost_at(&found, c->model, c->length);
}

temper_status temper_choices_cost(double *steps, const temper_model *model, size_t length, temper_error *err) {
    cost_call call = {steps, model, length};
    return entry_run(err, find, &call);
}

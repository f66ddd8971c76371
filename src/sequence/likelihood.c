/* The probability of a string, and how far it may be off (doc/sequence.md, "Probabilities"). */
#include <float.h>
#include <math.h>

#include "base/entry.h"
#include "model/model.h"
#include "number/upward.h"

/* Below this a logit means never: exp is 0, and no probability that a text can say is so small. */
static const double NEVER = -1000;

double temper_probability(double logit) { return exp_f64(logit); }

/* Logits are multiples of a power of two, at most 2^-30; so they were rounded by at most half of it. */
static double rounding(const temper_model *m) {
    int grid = -30;
    for (uint32_t k = 0; k < m->logits.start[m->logits.count]; k++) {
        double w = m->logits.terms[k].weight;
        while (w != 0 && grid > -1074 && ldexp(rint(ldexp(w, -grid)), grid) != w) grid--;
    }
    return ldexp(1, grid - 1);
}

/* The largest row: its number of terms, and the sum of their sizes. */
static void largest_row(const temper_model *m, double *terms, double *sum) {
    *terms = *sum = 0;
    for (uint32_t r = 0; r < m->logits.count; r++) {
        double here = 0;
        for (uint32_t k = m->logits.start[r]; k < m->logits.start[r + 1]; k++)
            here = up_add(here, fabs(m->logits.terms[k].weight));
        if (here > *sum) *sum = here;
        if (rows_size(&m->logits, r) > *terms) *terms = (double)rows_size(&m->logits, r);
    }
}

double temper_model_logit_error(const temper_model *m, temper_type type) {
    if (!model_has_logits(m) || (type != TEMPER_TYPE_F64 && type != TEMPER_TYPE_F32)) return INFINITY;
    double half = rounding(m), terms, sum;
    largest_row(m, &terms, &sum);
    /* log of a quotient that was rounded, and the log itself: 1024 is larger than every log */
    double error = up_add(half, 1024 * DBL_EPSILON);
    bool exact = type == TEMPER_TYPE_F64 && sum < ldexp(half, 53);
    if (exact) return error;
    double unit = type == TEMPER_TYPE_F32 ? FLT_EPSILON : DBL_EPSILON;
    return up_add(error, up_mul(up_mul(terms + 2, unit), sum));
}

typedef struct likelihood_call {
    temper_likelihood *out;
    const temper_model *model;
    const uint32_t *letters;
    size_t n;
    const temper_run_options *options;
} likelihood_call;

static void drop_run(void *run) { temper_run_free(run); }

static void find(entry *e, void *context) {
    const likelihood_call *c = context;
    temper_run *run;
    temper_error error;
    if (!model_has_logits(c->model))
        trap_raise_hint(e->trap, TEMPER_UNSUPPORTED, 0, 0, "give the specification a line 'probabilities'",
                        "the model has no probabilities");
    if (temper_model_run(&run, c->model, c->letters, c->n, c->options, &error) != TEMPER_OK)
        trap_reraise(e->trap, &error);
    entry_on_leaving(e, drop_run, run);
    temper_likelihood out = {.proved = temper_run_about(run).proved};
    double step = temper_model_logit_error(c->model, temper_run_about(run).type);
    if (!temper_run_logits(run, 0) || isinf(step))
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "probabilities are computed in f64 and f32");
    for (size_t i = 0; i <= c->n; i++) {
        size_t output = i < c->n ? c->letters[i] : c->model->letters.count;
        double logit = temper_run_logits(run, output)[i];
        if (logit < NEVER || !temper_run_output(run, output)[i]) {
            out.log_probability = -INFINITY;
            break;
        }
        out.log_probability += logit;
        /* the sum is rounded by at most half a unit of its last place */
        out.error = up_add(out.error, up_add(step, up_mul(fabs(out.log_probability), DBL_EPSILON)));
    }
    if (isinf(out.log_probability)) out.error = 0;
    *c->out = out;
}

temper_status temper_model_likelihood(temper_likelihood *out, const temper_model *model, const uint32_t *letters,
                                      size_t n, const temper_run_options *options, temper_error *err) {
    likelihood_call call = {out, model, letters, n, options};
    *out = (temper_likelihood){0};
    return entry_run(err, find, &call);
}

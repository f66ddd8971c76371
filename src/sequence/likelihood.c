/* The probability of a string, and how far it may be off (doc/sequence.md, "Probabilities"). */
#include <float.h>
#include <math.h>

#include "answer/proved.h"
#include "base/entry.h"
#include "number/upward.h"

/* Below this a logit means never, if logits are CLOSE to what they stand for: exp is 0, and where logits are proved
   the source gives no probability below 2^-1022, whose logarithm is -708.4. */
static const double NEVER = -1000, CLOSE = 1;

double temper_probability(double logit) { return exp_f64(logit); }

typedef struct error_call {
    double out;
    const temper_model *model;
    temper_type type;
} error_call;

static void find_error(entry *e, void *context) {
    error_call *c = context;
    c->out = proved_logit_error(c->model, c->type, false, e->trap);
}

double temper_model_logit_error(const temper_model *m, temper_type type) {
    error_call call = {INFINITY, m, type};
    return entry_run(NULL, find_error, &call) == TEMPER_OK ? call.out : INFINITY;
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
    temper_run_info about = temper_run_about(run);
    bool hard = c->options && c->options->hard;
    double step = proved_logit_error(c->model, about.type, hard, e->trap);
    temper_likelihood out = {.proved = about.proved && about.claim != TEMPER_CLAIM_CHOICES && step <= CLOSE};
    if (!temper_run_logits(run, 0) || (about.type != TEMPER_TYPE_F64 && about.type != TEMPER_TYPE_F32))
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

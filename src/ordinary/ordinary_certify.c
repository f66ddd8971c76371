/* temper_certify_stock: the verdict on a setting. */
#include "ordinary/proof/ordinary_longest.h"

typedef struct ordinary_call {
    temper_stock_verdict *out;
    const temper_spec *spec;
    const temper_stock_options *options;
} ordinary_call;

static void certify(entry *e, void *context) {
    const ordinary_call *c = context;
    struct ordinary_options o = ordinary_options_of(c->options, e->trap);
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model_for(e, c->spec, &o, &read);
    bool longest = o.length == 0;
    if (longest) o.length = ORDINARY_LENGTH_LIMIT;
    ordinary_reach r = longest ? ordinary_prove_longest(&e->memory, hard, read, &o)
                               : ordinary_prove_length(&e->memory, hard, read, &o);
    *c->out = ordinary_verdict_of(&r);
    if (!longest && !r.proved) c->out->shorter = ordinary_prove_shorter(&e->memory, hard, read, &o);
}

temper_status temper_certify_stock(temper_stock_verdict *out, const temper_spec *spec,
                                   const temper_stock_options *options, temper_error *err) {
    ordinary_call call = {out, spec, options};
    return entry_run(err, certify, &call);
}

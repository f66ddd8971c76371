/* temper_certify_stock: the verdict on a setting. */
#include "ordinary/proof/ordinary_longest.h"

typedef struct stock_call {
    temper_stock_verdict *out;
    const temper_spec *spec;
    const temper_stock_options *options;
} stock_call;

static void certify(entry *e, void *context) {
    const stock_call *c = context;
    struct stock_options o = stock_options_of(c->options, e->trap);
    const temper_spec *read;
    const temper_model *hard = stock_hard_model_for(e, c->spec, &o, &read);
    bool longest = o.length == 0;
    if (longest) o.length = STOCK_LENGTH_LIMIT;
    stock_reach r =
        longest ? stock_prove_longest(&e->memory, hard, read, &o) : stock_prove_length(&e->memory, hard, read, &o);
    *c->out = stock_verdict_of(&r);
    if (!longest && !r.proved) c->out->shorter = stock_prove_shorter(&e->memory, hard, read, &o);
}

temper_status temper_certify_stock(temper_stock_verdict *out, const temper_spec *spec,
                                   const temper_stock_options *options, temper_error *err) {
    stock_call call = {out, spec, options};
    return entry_run(err, certify, &call);
}

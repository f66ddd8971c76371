/* From a hard model to a soft one: by its formula for every length, or by a search up to one. */
#include "build/build.h"
#include "model/model_spec.h"
#include "recognise/recognise.h"
#include "soften/soften.h"

typedef struct soften_call {
    temper_model *again; /* the hard model, without patterns; NULL: as it is */
    temper_model **out;
    temper_soften_report *report;
    const temper_model *hard;
    const temper_soften_options *options;
} soften_call;

static bool has_patterns(const temper_model *m) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (m->layers[l].heads[h].role == ROLE_MATCH) return true;
    return false;
}

/* Heads that look for patterns have a temperature by every method. By positions a model that is the formula it
   carries is built again without them; others keep them. */
static const temper_model *without_patterns(const temper_model *hard, temper_method method, temper_model **again,
                                            entry *e) {
    if (method != TEMPER_METHOD_POSITIONS || !has_patterns(hard)) return hard;
    const temper_spec *spec = model_spec(hard, &e->memory);
    const recognition *r = spec ? recognise(hard, NULL, true, &e->memory) : NULL;
    if (!r || !recognition_model(r) || !recognition_is_formula(r, NULL)) return hard;
    entry_on_leaving(e, build_drop, again);
    build_hard(again, spec, false, (match_use){0}, TEMPER_TYPE_F64, e);
    return *again;
}

static void soften(entry *e, void *context) {
    soften_call *c = context;
    const temper_soften_options *o = c->options;
    temper_model *m = entry_model(e);
    if (o->length && c->hard->kind != TEMPER_KIND_ACCEPTOR)
        trap_raise_hint(
            e->trap, TEMPER_UNSUPPORTED, 0, 0,
            "a compiled one needs no length: its formula knows scales for all lengths",
            "a model with several outputs is not softened for a length: there the margin of one answer is "
            "proved, not of several");
    if (o->length) {
        soften_by_search(m, c->report, c->hard, o, e);
        model_check(m, e->trap);
        model_seal(m);
    } else {
        if (o->adaptive || o->gap != TEMPER_GAP_PROVED)
            trap_raise(e->trap, TEMPER_RANGE, 0, 0, "a gap and adaptive scales need a length");
        const temper_model *hard = without_patterns(c->hard, o->method, &c->again, e);
        soften_by_roles(m, hard, o->method, build_digits(o->method, o->digits), e);
        build_finish(m, e->trap);
        if (c->report) *c->report = (temper_soften_report){0};
    }
    *c->out = m;
}

temper_status temper_soften(temper_model **out, temper_soften_report *report, const temper_model *hard,
                            const temper_soften_options *options, temper_error *err) {
    soften_call call = {NULL, out, report, hard, options};
    *out = NULL;
    return entry_run(err, soften, &call);
}

/* From a specification to a transformer: the whole compiler, pass by pass. */
#include "compile/compile.h"
#include "soften/soften.h"

/* A type that is not given, for the method of digits. */
static const temper_type DIGITS_DEFAULT = TEMPER_TYPE_BF16;

static temper_type digits_of(temper_method method, temper_type given) {
    return method == TEMPER_METHOD_DIGITS && given == TEMPER_TYPE_F64 ? DIGITS_DEFAULT : given;
}

static void finish(temper_model *m, trap *t) {
    model_check(m, t);
    model_seal(m);
}

typedef struct build_call {
    temper_model **out;
    const temper_spec *spec;
    temper_method method;
    temper_type digits;
} build_call;

static void build(entry *e, void *context) {
    const build_call *c = context;
    const temper_spec *spec = c->spec;
    bool soft = c->method != TEMPER_METHOD_HARD;
    gate_limits gates = gates_for(c->digits, e->trap);
    normal_form normal;
    draft d;
    uint32_t *channel_of;
    temper_model *hard = soft ? entry_passing_model(e) : entry_model(e);
    model_settings_of(hard, spec);
    formula_simplify(&normal, &spec->graph, spec->root, spec->letters.count, &e->memory);
    const char *const *labels = normal_labels(&normal, spec, &e->memory, &e->scratch);
    draft_from_normal(&d, &normal, spec, gates, labels, &e->memory);
    model_from_draft(hard, &d, &channel_of, &e->memory);
    model_list_parts(hard, spec, &normal, &d, channel_of, &e->memory, &e->scratch);
    finish(hard, e->trap);
    if (!soft) {
        *c->out = hard;
        return;
    }
    temper_model *made = entry_model(e);
    soften_by_roles(made, hard, c->method, c->digits, e);
    finish(made, e->trap);
    *c->out = made;
}

temper_status temper_build(temper_model **out, const temper_spec *spec, const temper_build_options *options,
                           temper_error *err) {
    static const temper_build_options defaults;
    const temper_build_options *o = options ? options : &defaults;
    build_call call = {out, spec, o->method, digits_of(o->method, o->digits)};
    *out = NULL;
    return entry_run(err, build, &call);
}

typedef struct soften_call {
    temper_model **out;
    temper_soften_report *report;
    const temper_model *hard;
    const temper_soften_options *options;
} soften_call;

static void soften(entry *e, void *context) {
    const soften_call *c = context;
    const temper_soften_options *o = c->options;
    temper_model *m = entry_model(e);
    if (o->length) {
        soften_by_search(m, c->report, c->hard, o, e);
        model_check(m, e->trap);
        model_seal(m);
    } else {
        if (o->adaptive || o->gap != TEMPER_GAP_PROVED)
            trap_raise(e->trap, TEMPER_RANGE, 0, 0, "a gap and adaptive scales need a length");
        soften_by_roles(m, c->hard, o->method, digits_of(o->method, o->digits), e);
        finish(m, e->trap);
        if (c->report) *c->report = (temper_soften_report){0};
    }
    *c->out = m;
}

temper_status temper_soften(temper_model **out, temper_soften_report *report, const temper_model *hard,
                            const temper_soften_options *options, temper_error *err) {
    soften_call call = {out, report, hard, options};
    *out = NULL;
    return entry_run(err, soften, &call);
}

/* From a specification to a transformer: the whole compiler, pass by pass. */
#include "compile/compile.h"
#include "compile/expand.h"
#include "compile/next_outputs.h"
#include "recognise/recognise.h"
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

/* What the passes after the normal form share. */
typedef struct normal_spec {
    const temper_spec *spec;
    normal_form form;
    const char *const *labels;
} normal_spec;

/* Normal form to hard model: lowering and packing. Returns whether it has sums. */
static bool make_hard(temper_model *m, const normal_spec *s, gate_limits gates, entry *e) {
    draft d;
    uint32_t *channel_of;
    model_settings_of(m, s->spec);
    draft_from_normal(&d, &s->form, s->spec, gates, s->labels, &e->memory);
    model_from_draft(m, &d, &channel_of, &e->memory);
    model_list_parts(m, s->spec, &s->form, &d, channel_of, &e->memory, &e->scratch);
    finish(m, e->trap);
    return d.has_sums;
}

/* Sums stand for disjunctions only if no two operands ever hold together. The compiler has shown it by rules on
   texts; the prover must be able to show it from the weights. Where it is not, gates take the place of all sums. */
static gate_limits provable_gates(const normal_spec *s, gate_limits gates, entry *e) {
    if (!gates.sums) return gates;
    temper_model *trial = entry_passing_model(e);
    if (!make_hard(trial, s, gates, e)) return gates;
    const recognition *r = recognise(trial, s->spec, true, &e->memory);
    gates.sums = recognition_study(r) && recognition_is_formula(r, NULL);
    return gates;
}

static void build(entry *e, void *context) {
    const build_call *c = context;
    bool soft = c->method != TEMPER_METHOD_HARD;
    const temper_spec *source = c->spec;
    if (source->whole)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "one output of a specification is not built alone: build the whole");
    if (!spec_output_count(source)) source = entry_next_spec(e, source, true);
    spec_expansion plain;
    spec_expand(&plain, source, true, &e->memory, &e->scratch);
    normal_spec s = {.spec = plain.spec};
    formula_simplify(&s.form, s.spec, &e->memory);
    s.labels = normal_labels(&s.form, s.spec, &e->memory, &e->scratch);
    gate_limits gates = provable_gates(&s, gates_for(c->digits, e->trap), e);
    temper_model *hard = soft ? entry_passing_model(e) : entry_model(e);
    make_hard(hard, &s, gates, e);
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
    if (o->length && c->hard->kind != TEMPER_KIND_ACCEPTOR)
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "a model with several outputs is not softened for a length");
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

/* From a specification to a transformer: the whole compiler, pass by pass. */
#include "build/build.h"

#include <string.h>

#include "compile/compile.h"
#include "compile/next_outputs.h"
#include "compile/regular_expand.h"
#include "model/model_spec.h"
#include "recognise/recognise.h"
#include "soften/soften.h"

/* A type that is not given, for the method of digits. */
static const temper_type DIGITS_DEFAULT = TEMPER_TYPE_BF16;

temper_type build_digits(temper_method method, temper_type given) {
    return method == TEMPER_METHOD_DIGITS && given == TEMPER_TYPE_F64 ? DIGITS_DEFAULT : given;
}

void build_finish(temper_model *m, trap *t) {
    model_check(m, t);
    model_seal(m);
}

typedef struct build_call {
    temper_model **out;
    temper_model **keep; /* where the hard model of a soft one goes; NULL: nowhere */
    const temper_spec *spec;
    temper_method method;
    temper_type digits;
    bool whole;
    bool single_steps;
    temper_model *hard; /* on the way; NULL: there is none */
} build_call;

/* What the passes after the normal form share. */
typedef struct normal_spec {
    const temper_spec *source; /* as it was given */
    const temper_spec *spec;   /* with formulas for its languages */
    const char *expansion;     /* these formulas, if the source is one language; else NULL */
    normal_form form;
    const char *const *labels;
    bool has_patterns;   /* it has MATCH nodes */
    temper_model **made; /* the last model that was lowered, or NULL */
} normal_spec;

void build_drop(void *model) {
    temper_model **m = model;
    temper_model_free(*m);
    *m = NULL;
}

/* Normal form to hard model, *s->made: lowering and packing. Returns whether it has sums. */
static bool lower(const normal_spec *s, gate_limits gates, entry *e) {
    draft d;
    uint32_t *channel_of;
    build_drop(s->made);
    temper_model *m = *s->made = model_new(e->trap);
    if (s->expansion) m->expansion = arena_copy(&m->memory, s->expansion, strlen(s->expansion));
    model_settings_of(m, s->spec);
    model_share_spec(m, s->source);
    draft_from_normal(&d, &s->form, s->spec, gates, s->labels, &e->memory);
    model_from_draft(m, &d, &channel_of, &e->memory);
    model_list_parts(m, s->spec, &s->form, &d, channel_of, &e->memory, &e->scratch);
    build_finish(m, e->trap);
    return d.has_sums;
}

/* Lowers; whether the prover can show, from the weights, that the model is the formula. Without sums and patterns
   there is nothing that need be shown. */
static bool lower_and_show(const normal_spec *s, gate_limits gates, entry *e) {
    if (!lower(s, gates, e) && !s->has_patterns) return true;
    const recognition *r = recognise(*s->made, s->spec, true, &e->memory);
    return recognition_model(r) && recognition_is_formula(r, NULL);
}

static void simplify(normal_spec *s, match_use use, entry *e) {
    s->form = (normal_form){0};
    formula_simplify(&s->form, s->spec, use, &e->memory);
    s->labels = normal_labels(&s->form, s->spec, &e->memory, &e->scratch);
    s->has_patterns = false;
    const unsigned char *marks = normal_reachable(&s->form, &e->memory);
    for (node_id id = 1; id < s->form.graph.count; id++)
        if (marks[id] && formula_at(&s->form.graph, id)->op == OP_MATCH) s->has_patterns = true;
}

/* Sums stand for disjunctions only if no two operands ever hold together. The compiler has shown it by rules on
   texts; the prover must be able to show it from the weights. Where it is not, gates take the place of all sums; and
   where heads that look for patterns are not understood, other heads take theirs. */
static void lower_provably(normal_spec *s, match_use use, gate_limits gates, entry *e) {
    gate_limits plain = gates;
    plain.sums = false;
    for (;; use = (match_use){0}) {
        simplify(s, use, e);
        if (gates.sums && lower_and_show(s, gates, e)) return;
        if (lower_and_show(s, plain, e) || !s->has_patterns) return;
    }
}

void build_hard(temper_model **made, const temper_spec *spec, bool whole, match_use use, temper_type digits,
                entry *e) {
    regular_expansion plain;
    regular_expand(&plain, spec, !whole, &e->memory, &e->scratch);
    normal_spec s = {.source = spec, .spec = plain.spec, .made = made};
    if (spec->kind == TEMPER_KIND_ACCEPTOR && plain.count == 1 && plain.languages[0].source == spec->root)
        s.expansion = regular_expansion_text(&plain, plain.spec->root, &e->memory);
    lower_provably(&s, use, gates_for(digits, e->trap), e);
}

static void build(entry *e, void *context) {
    build_call *c = context;
    const temper_spec *source = c->spec;
    if (source->whole)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "one output of a specification is not built alone: build the whole");
    if (!spec_output_count(source)) source = entry_next_spec(e, source, true);
    bool match = c->method != TEMPER_METHOD_POSITIONS && c->digits == TEMPER_TYPE_F64;
    entry_on_leaving(e, build_drop, &c->hard);
    build_hard(&c->hard, source, c->whole, (match_use){match, match && !c->single_steps}, c->digits, e);
    temper_model **to = c->out;
    if (c->method != TEMPER_METHOD_HARD) {
        temper_model *soft = entry_model(e);
        soften_by_roles(soft, c->hard, c->method, c->digits, e);
        build_finish(soft, e->trap);
        *c->out = soft;
        to = c->keep;
    }
    if (!to) return;
    *to = c->hard;
    c->hard = NULL;
}

temper_status temper_build(temper_model **out, const temper_spec *spec, const temper_build_options *options,
                           temper_error *err) {
    static const temper_build_options defaults;
    const temper_build_options *o = options ? options : &defaults;
    build_call call = {.out = out,
                       .keep = o->hard,
                       .spec = spec,
                       .method = o->method,
                       .digits = build_digits(o->method, o->digits),
                       .whole = o->whole};
    *out = NULL;
    if (o->hard) *o->hard = NULL;
    return entry_run(err, build, &call);
}

temper_status build_with_single_steps(temper_model **out, const temper_spec *spec, temper_error *err) {
    build_call call = {.out = out, .spec = spec, .single_steps = true};
    *out = NULL;
    return entry_run(err, build, &call);
}

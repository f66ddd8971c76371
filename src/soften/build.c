/* From a specification to a transformer: the whole compiler, pass by pass. */
#include <string.h>

#include "compile/compile.h"
#include "compile/regular_expand.h"
#include "compile/next_outputs.h"
#include "model/model_spec.h"
#include "recognise/recognise.h"
#include "soften/build.h"
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

static void drop_model(void *model) {
    temper_model **m = model;
    temper_model_free(*m);
    *m = NULL;
}

/* Normal form to hard model, *s->made: lowering and packing. Returns whether it has sums. */
static bool lower(const normal_spec *s, gate_limits gates, entry *e) {
    draft d;
    uint32_t *channel_of;
    drop_model(s->made);
    temper_model *m = *s->made = model_new(e->trap);
    if (s->expansion) m->expansion = arena_copy(&m->memory, s->expansion, strlen(s->expansion));
    model_settings_of(m, s->spec);
    model_share_spec(m, s->source);
    draft_from_normal(&d, &s->form, s->spec, gates, s->labels, &e->memory);
    model_from_draft(m, &d, &channel_of, &e->memory);
    model_list_parts(m, s->spec, &s->form, &d, channel_of, &e->memory, &e->scratch);
    finish(m, e->trap);
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

/* A specification as a hard model, *made. whole: for whole strings only; use: of heads that look for patterns, where
   they can be proved. */
static void build_hard(temper_model **made, const temper_spec *spec, bool whole, match_use use, temper_type digits,
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
    bool soft = c->method != TEMPER_METHOD_HARD;
    const temper_spec *source = c->spec;
    if (source->whole)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "one output of a specification is not built alone: build the whole");
    if (!spec_output_count(source)) source = entry_next_spec(e, source, true);
    bool match = c->method != TEMPER_METHOD_POSITIONS && c->digits == TEMPER_TYPE_F64;
    entry_on_leaving(e, drop_model, &c->hard);
    build_hard(&c->hard, source, c->whole, (match_use){match, match && !c->single_steps}, c->digits, e);
    if (!soft) {
        *c->out = c->hard;
        c->hard = NULL;
        return;
    }
    temper_model *made = entry_model(e);
    soften_by_roles(made, c->hard, c->method, c->digits, e);
    finish(made, e->trap);
    *c->out = made;
}

temper_status temper_build(temper_model **out, const temper_spec *spec, const temper_build_options *options,
                           temper_error *err) {
    static const temper_build_options defaults;
    const temper_build_options *o = options ? options : &defaults;
    build_call call = {out, spec, o->method, digits_of(o->method, o->digits), o->whole, false, NULL};
    *out = NULL;
    return entry_run(err, build, &call);
}

temper_status build_with_single_steps(temper_model **out, const temper_spec *spec, temper_error *err) {
    build_call call = {out, spec, TEMPER_METHOD_HARD, TEMPER_TYPE_F64, false, true, NULL};
    *out = NULL;
    return entry_run(err, build, &call);
}

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
    entry_on_leaving(e, drop_model, again);
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
        soften_by_roles(m, hard, o->method, digits_of(o->method, o->digits), e);
        finish(m, e->trap);
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

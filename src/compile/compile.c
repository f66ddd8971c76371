/* Formula to hard-attention transformer: the list of passes. */
#include <string.h>

#include "compile/draft.h"
#include "logic/formula_print.h"
#include "model/safe_length.h"

enum { LABEL_LENGTH = 72 };

/* A short label, made in `scratch` and copied: formulas may have a million subformulas. */
static const char *label_of(const char *prefix, const formula *f, const alphabet *letters, node_id id, arena *keep,
                            arena *scratch) {
    text t;
    arena_reset(scratch);
    text_init(&t, scratch);
    text_puts(&t, prefix);
    formula_label(&t, f, letters, id, LABEL_LENGTH);
    return arena_copy(keep, text_string(&t), t.length);
}

/* Each normal node is called by the first source node it stands for, or stands for the negation of, else by its own text. */
static const char **label_nodes(const normal_form *normal, const temper_spec *spec, arena *a, arena *scratch) {
    const formula *g = &normal->graph;
    const char **labels = arena_zalloc(a, g->count, sizeof *labels);
    node_id *from = arena_zalloc(a, g->count, sizeof *from);
    for (node_id id = 1; id < spec->graph.count; id++)
        if (normal->of[id] && !from[normal->of[id]]) from[normal->of[id]] = id;
    for (node_id id = 1; id < g->count; id++) {
        bool negated = formula_at(g, id)->op == OP_NOT;
        node_id x = negated ? formula_kid(g, id, 0) : id;
        if (negated && from[id] && !from[x])
            labels[x] = label_of("not ", &spec->graph, &spec->letters, from[id], a, scratch);
        if (from[id])
            labels[id] = label_of("", &spec->graph, &spec->letters, from[id], a, scratch);
        else if (!labels[id])
            labels[id] = label_of("", g, &spec->letters, id, a, scratch);
    }
    return labels;
}

/* Counts are numbers, and a negation is a sign in front of its operand's channel. */
static bool is_listed(formula_op op) { return op != OP_COUNT_PAST && op != OP_COUNT_FUTURE && op != OP_NOT; }

/* Where each subformula of the source is made, for explain. */
static void fill_parts(temper_model *m, const temper_spec *spec, const normal_form *normal, const draft *d,
                       const uint32_t *channel_of, arena *memory, arena *scratch) {
    const formula *f = &spec->graph;
    unsigned char *marks = formula_reachable(f, spec->root, memory);
    size_t capacity = 0;
    for (node_id id = 1; id <= spec->root; id++) {
        if (!marks[id] || !normal->of[id] || !is_listed(f->nodes[id].op)) continue;
        bool negated = formula_at(&normal->graph, normal->of[id])->op == OP_NOT;
        node_id to = negated ? formula_kid(&normal->graph, normal->of[id], 0) : normal->of[id];
        const draft_place *place = &d->places[to];
        model_part part = {.formula = label_of("", f, &spec->letters, id, &m->memory, scratch),
                           .layer = place->layer,
                           .head = place->head,
                           .channel = -1};
        if (place->channel >= 0 && !negated && !d->channels[place->channel].raw)
            part.channel =
                channel_of[place->channel]; /* a value that is only read unrounded has no channel of its own */
        array_push(&m->memory, m->parts, m->part_count, capacity, part);
    }
}

static void fill_settings(temper_model *m, const temper_spec *spec) {
    alphabet_copy(&m->letters, &m->memory, &spec->letters);
    m->source = arena_copy(&m->memory, spec->source, spec->source_length);
    m->syntax = spec->syntax;
    m->at = spec->at;
    m->accepts_empty = spec->accepts_empty;
    m->method = TEMPER_METHOD_HARD;
}

/* Sums of a gate's inputs are whole numbers up to their count: a format counts to 2^p. */
static gate_limits limits_of(temper_type type, trap *t) {
    const digit_format *f = digit_format_of(type);
    if (!f) trap_raise(t, TEMPER_RANGE, 0, 0, "gates can be made for numbers stored in f32, bf16, f16, e4m3 or e5m2");
    return (gate_limits){0, (size_t)1 << digit_storage(f)->precision};
}

typedef struct compile_call {
    temper_model **out;
    const temper_spec *spec;
    const temper_type *type; /* gates for its storage format; NULL: fused ones */
} compile_call;

static void compile(entry *e, void *context) {
    const compile_call *c = context;
    const temper_spec *spec = c->spec;
    gate_limits gates = c->type ? limits_of(*c->type, e->trap) : GATES_FUSED;
    normal_form normal;
    draft d;
    uint32_t *channel_of;
    temper_model *m = entry_model(e);
    fill_settings(m, spec);
    formula_simplify(&normal, &spec->graph, spec->root, spec->letters.count, &e->memory);
    const char *const *labels = (const char *const *)label_nodes(&normal, spec, &e->memory, &e->scratch);
    draft_from_normal(&d, &normal, spec, gates, labels, &e->memory);
    model_from_draft(m, &d, &channel_of, &e->memory);
    fill_parts(m, spec, &normal, &d, channel_of, &e->memory, &e->scratch);
    model_check(m, e->trap);
    model_set_safe_length(m);
    model_seal(m);
    *c->out = m;
}

temper_status temper_compile(temper_model **out, const temper_spec *spec, temper_error *err) {
    compile_call call = {out, spec, NULL};
    *out = NULL;
    return entry_run(err, compile, &call);
}

temper_status temper_compile_for(temper_model **out, const temper_spec *spec, temper_type type, temper_error *err) {
    compile_call call = {out, spec, &type};
    *out = NULL;
    return entry_run(err, compile, &call);
}

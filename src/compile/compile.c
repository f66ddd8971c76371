/* What the passes from a formula to a hard transformer need besides: settings, labels, the list of parts. */
#include "compile/compile.h"

#include <string.h>

#include "logic/formula_print.h"

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

const char *const *normal_labels(const normal_form *normal, const temper_spec *spec, arena *a, arena *scratch) {
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
    return (const char *const *)labels;
}

/* Counts are numbers, and a negation is a sign in front of its operand's channel. */
static bool is_listed(formula_op op) { return op != OP_COUNT_PAST && op != OP_COUNT_FUTURE && op != OP_NOT; }

void model_list_parts(temper_model *m, const temper_spec *spec, const normal_form *normal, const draft *d,
                      const uint32_t *channel_of, arena *memory, arena *scratch) {
    const formula *f = &spec->graph;
    unsigned char *marks = spec_outputs_reachable(spec, memory);
    size_t capacity = 0;
    for (node_id id = 1; id < f->count; id++) {
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

void model_settings_of(temper_model *m, const temper_spec *spec) {
    alphabet_copy(&m->letters, &m->memory, &spec->letters);
    m->source = arena_copy(&m->memory, spec->source, spec->source_length);
    m->syntax = spec->syntax;
    m->kind = spec->kind;
    if (m->kind != TEMPER_KIND_ACCEPTOR) {
        m->output_names = arena_alloc(&m->memory, spec->output_count, sizeof *m->output_names);
        for (size_t k = 0; k < spec->output_count; k++)
            m->output_names[k] = arena_copy(&m->memory, spec->outputs[k].name, strlen(spec->outputs[k].name));
    }
    m->at = spec->at;
    m->accepts_empty = spec->accepts_empty;
    m->method = TEMPER_METHOD_HARD;
}

/* Sums of a gate's inputs are whole numbers up to their count: a format counts to 2^p. */
gate_limits gates_for(temper_type type, trap *t) {
    if (type == TEMPER_TYPE_F64) return GATES_FUSED;
    const digit_format *f = digit_format_of(type);
    if (!f) trap_raise(t, TEMPER_RANGE, 0, 0, "gates can be made for numbers stored in f32, bf16, f16, e4m3 or e5m2");
    return (gate_limits){0, (size_t)1 << digit_storage(f)->precision, false};
}

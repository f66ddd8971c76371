#include "compile/expand.h"

#include <string.h>

#include "automata/dfa_reverse.h"

enum {
    FORWARD_STATES = 1024, /* of an automaton that is compiled */
    REVERSE_STATES = 64,   /* of one that reads backwards; at least, ... */
    REVERSE_FACTOR = 4     /* ... or so many times those of the one that reads forwards */
};

typedef struct expander {
    const temper_spec *source;
    formula *g; /* the new graph */
    node_id *of;
    spec_expansion *out;
    size_t capacity;
    bool prefixes;
    arena *arena, *scratch;
} expander;

static linear_sum copied_sum(expander *x, node_id id) {
    const formula *f = &x->source->graph;
    linear_sum sum;
    sum_init(&sum, x->arena, formula_at(f, id)->constant);
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++)
        if (!sum_add_count(&sum, x->of[formula_kid(f, id, k)], formula_weight(f, id, k)))
            trap_raise(x->arena->trap, TEMPER_LIMIT, f->notes[id].line, f->notes[id].column,
                       "a coefficient that does not fit in 64 bits, after equal counts were added up");
    return sum;
}

/* A specification is one language if its root is, it is read at the last position and its text says nothing else. */
static bool is_one_language(const temper_spec *s) {
    return s->graph.nodes[s->root].op == OP_MATCHES && s->at == TEMPER_AT_LAST &&
           (s->syntax == TEMPER_SYNTAX_REGEX || s->syntax == TEMPER_SYNTAX_DFA);
}

static const dfa *backwards(expander *x, const dfa *d) {
    uint32_t most = REVERSE_FACTOR * d->state_count;
    if (most < REVERSE_STATES) most = REVERSE_STATES;
    arena_reset(x->scratch);
    return dfa_reverse(x->arena, d, most, x->scratch);
}

static _Noreturn void refuse(expander *x, node_id id, const char *why, bool solvable) {
    const formula *f = &x->source->graph;
    trap_raise(x->arena->trap, solvable ? TEMPER_LIMIT : TEMPER_UNSUPPORTED, f->notes[id].line, f->notes[id].column,
               "no transformer of constant depth: %s", why);
}

static node_id expand_language(expander *x, node_id id) {
    const formula *f = &x->source->graph;
    const dfa *d = f->languages[f->nodes[id].set].automaton;
    expanded_language l = {.language = f->nodes[id].set, .source = id};
    const dfa *back = !x->prefixes && id == x->source->root && is_one_language(x->source) ? backwards(x, d) : NULL;
    if (d->state_count > FORWARD_STATES && !back)
        trap_raise(x->arena->trap, TEMPER_LIMIT, f->notes[id].line, f->notes[id].column,
                   "the language's automaton has %u states, and at most %d are compiled", d->state_count,
                   FORWARD_STATES);
    l.root = portfolio_expand(x->g, d, back, &x->source->letters, &l.choice, x->arena, x->scratch);
    if (!l.root) refuse(x, id, l.choice.report.refusal, !strstr(l.choice.report.refusal, "not solvable"));
    x->out->reverse = l.choice.reverse;
    array_push(x->arena, x->out->languages, x->out->count, x->capacity, l);
    return l.root;
}

static node_id copied_node(expander *x, node_id id) {
    const formula *f = &x->source->graph;
    const formula_node *n = formula_at(f, id);
    node_id kid[2] = {0};
    for (size_t k = 0; k < n->kid_count && k < 2; k++) kid[k] = x->of[formula_kid(f, id, k)];
    switch (n->op) {
    case OP_LETTERS: return formula_letter_set(x->g, &f->sets[n->set]);
    case OP_MATCHES: return expand_language(x, id);
    case OP_COMPARE: {
        linear_sum sum = copied_sum(x, id);
        return formula_compare(x->g, &sum, n->compare);
    }
    case OP_MODULO: {
        linear_sum sum = copied_sum(x, id);
        return formula_modulo(x->g, &sum, n->modulus, n->compare, n->residue);
    }
    case OP_ATTEND: return formula_attend(x->g, n->choice, n->mask, kid[0], kid[1]);
    case OP_RECALL:
    case OP_AND:
    case OP_OR: {
        node_id *kids = arena_alloc(x->arena, (size_t)n->kid_count + 1, sizeof *kids);
        for (size_t k = 0; k < n->kid_count; k++) kids[k] = x->of[formula_kid(f, id, k)];
        if (n->op == OP_RECALL) return formula_recall(x->g, n->choice, n->mask, kids, n->kid_count);
        return formula_nary(x->g, n->op, kids, n->kid_count);
    }
    default: break;
    }
    if (n->kid_count == 0) return formula_atom(x->g, n->op);
    return n->kid_count == 1 ? formula_unary(x->g, n->op, kid[0]) : formula_binary(x->g, n->op, kid[0], kid[1]);
}

static bool has_languages(const temper_spec *spec, const unsigned char *marks) {
    for (node_id id = 1; id < spec->graph.count; id++)
        if (marks[id] && spec->graph.nodes[id].op == OP_MATCHES) return true;
    return false;
}

void spec_expand(spec_expansion *out, const temper_spec *spec, bool prefixes, arena *a, arena *scratch) {
    temper_spec *made = arena_alloc(a, 1, sizeof *made);
    *made = *spec;
    *out = (spec_expansion){.spec = made};
    unsigned char *marks = spec_outputs_reachable(spec, a);
    if (!has_languages(spec, marks)) return;
    expander x = {
        .source = spec, .g = &made->graph, .out = out, .prefixes = prefixes, .arena = a, .scratch = scratch};
    formula_init(&made->graph, a);
    x.of = arena_zalloc(a, spec->graph.count, sizeof *x.of);
    for (node_id id = 1; id < spec->graph.count; id++) {
        if (!marks[id]) continue;
        x.of[id] = copied_node(&x, id);
        const formula_note *note = &spec->graph.notes[id];
        if (note->line) formula_note_place(&made->graph, x.of[id], note->line, note->column);
        if (note->name) formula_note_name(&made->graph, x.of[id], note->name);
    }
    made->root = x.of[spec->root]; /* of an acceptor */
    made->outputs = arena_alloc(a, spec->output_count, sizeof *made->outputs);
    for (size_t k = 0; k < spec->output_count; k++) {
        made->outputs[k] = spec->outputs[k];
        made->outputs[k].root = x.of[spec->outputs[k].root];
    }
    made->views = NULL; /* they are of the source */
    if (out->reverse) made->at = TEMPER_AT_FIRST;
    made->node_count = 0;
    marks = spec_outputs_reachable(made, a);
    for (size_t k = 0; k < made->graph.count; k++) made->node_count += marks[k];
}

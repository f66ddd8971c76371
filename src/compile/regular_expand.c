#include "compile/regular_expand.h"

#include <string.h>

#include "automata/dfa_reverse.h"
#include "base/work.h"
#include "logic/core.h"
#include "logic/formula_print.h"

enum { FORWARD_STATES = 1024 }; /* of an automaton that is compiled */

typedef struct expander {
    const temper_spec *source;
    formula *g;       /* the new graph */
    node_id *of;      /* [source nodes] */
    node_id *node_of; /* [languages] the node that stands for it; 0: nothing reads it */
    regular_expansion *out;
    size_t capacity;
    bool prefixes;
    arena *arena, *scratch;
} expander;

static const dfa *backwards(expander *x, const dfa *d) {
    arena_reset(x->scratch);
    return dfa_reverse(x->arena, d, dfa_reverse_limit(d), x->scratch);
}

/* A group that is not solvable is a theorem; all else is a limit of the work that is done here. */
static _Noreturn void refuse(expander *x, node_id id, const cascade_report *report) {
    const formula_note *at = &x->source->graph.notes[id];
    if (report->impossible)
        trap_raise(x->arena->trap, TEMPER_UNSUPPORTED, at->line, at->column, "no transformer of constant depth: %s",
                   report->refusal);
    trap_raise_remedy(x->arena->trap, TEMPER_LIMIT, at->line, at->column, TEMPER_REMEDY_EFFORT,
                      "too much work to compile it here: %s", report->refusal);
}

/* The languages that are made together: the sets of states of one automaton that something reads, else the language
   alone, whose set is what its automaton accepts. */
typedef struct language_group {
    const dfa *d;
    uint32_t *languages; /* [sets.count] */
    state_sets sets;
} language_group;

static language_group group_of(expander *x, uint32_t language) {
    const formula *f = &x->source->graph;
    const formula_language *l = &f->languages[language];
    language_group out = {.d = l->kind == LANGUAGE_STATES ? l->machine : l->automaton};
    const unsigned char **holds = arena_alloc(x->arena, f->language_count, sizeof *holds);
    out.languages = arena_alloc(x->arena, f->language_count, sizeof *out.languages);
    for (uint32_t k = 0; k < f->language_count; k++) {
        const formula_language *m = &f->languages[k];
        bool together = l->kind == LANGUAGE_STATES && m->machine == l->machine && x->node_of[k];
        if (k != language && !together) continue;
        out.languages[out.sets.count] = k;
        holds[out.sets.count++] = l->kind == LANGUAGE_STATES ? m->states : l->automaton->accepts;
    }
    out.sets.holds = holds;
    return out;
}

/* `raised`: by the limits of the effort. False: the choice's report says why not. */
static bool find_formulas(expander *x, node_id *roots, regular_choice *choice, const language_group *g,
                          const dfa *back, bool rest, bool raised) {
    uint64_t most = work_limit_if(raised, FORWARD_STATES);
    const dfa *d = rest || g->d->state_count > most ? NULL : g->d;
    cascade_options options = {.letters = &x->source->letters, .raised = raised};
    if (d || back) return regular_choose(roots, x->g, d, g->sets, back, options, choice, x->arena, x->scratch);
    text why;
    text_init(&why, x->arena);
    text_printf(&why, "the language's automaton has %u states, and at most %llu are compiled", g->d->state_count,
                (unsigned long long)most);
    if (x->prefixes && spec_is_language(x->source)) text_puts(&why, ", unless it answers for whole strings only");
    choice->report = (cascade_report){.refusal = text_string(&why)};
    return false;
}

static node_id expand_language(expander *x, node_id id) {
    const formula *f = &x->source->graph;
    bool rest = core_at(f, id).forward;
    language_group g = group_of(x, f->nodes[id].set);
    expanded_regular l = {0};
    const dfa *back = NULL;
    if (rest)
        back = f->languages[f->nodes[id].set].reversed;
    else if (!x->prefixes && id == x->source->root && spec_is_language(x->source))
        back = backwards(x, g.d);
    node_id *roots = arena_alloc(x->arena, g.sets.count, sizeof *roots);
    if (!find_formulas(x, roots, &l.choice, &g, back, rest, false) &&
        (l.choice.report.impossible || !work_is_raised() ||
         !find_formulas(x, roots, &l.choice, &g, back, rest, true)))
        refuse(x, id, &l.choice.report);
    x->out->reverse = l.choice.reverse;
    for (size_t k = 0; k < g.sets.count; k++) {
        l.language = g.languages[k];
        l.source = x->node_of[l.language];
        l.root = x->of[l.source] = roots[k];
        array_push(x->arena, x->out->languages, x->out->count, x->capacity, l);
    }
    return x->of[id];
}

static bool is_language(const formula *f, node_id id) { return core_at(f, id).kind == CORE_LANGUAGE; }

/* [languages] the nodes that stand for them; NULL: there are none. */
static node_id *language_nodes(const temper_spec *spec, const unsigned char *marks, arena *a) {
    const formula *f = &spec->graph;
    node_id *out = arena_zalloc(a, f->language_count, sizeof *out);
    bool any = false;
    for (node_id id = 1; id < f->count; id++) {
        if (!marks[id] || !is_language(f, id)) continue;
        out[f->nodes[id].set] = id;
        any = true;
    }
    return any ? out : NULL;
}

void regular_expand(regular_expansion *out, const temper_spec *spec, bool prefixes, arena *a, arena *scratch) {
    temper_spec *made = arena_alloc(a, 1, sizeof *made);
    *made = *spec;
    *out = (regular_expansion){.spec = made};
    unsigned char *marks = spec_outputs_reachable(spec, a);
    node_id *nodes = language_nodes(spec, marks, a);
    if (!nodes) return;
    expander x = {.source = spec,
                  .g = &made->graph,
                  .node_of = nodes,
                  .out = out,
                  .prefixes = prefixes,
                  .arena = a,
                  .scratch = scratch};
    formula_init(&made->graph, a);
    x.of = arena_zalloc(a, spec->graph.count, sizeof *x.of);
    for (node_id id = 1; id < spec->graph.count; id++) {
        if (!marks[id]) continue;
        if (!x.of[id])
            x.of[id] = is_language(&spec->graph, id) ? expand_language(&x, id)
                                                     : formula_copy_node(x.g, &spec->graph, id, x.of);
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
    made->scores = arena_alloc(a, spec->score_count, sizeof *made->scores);
    for (size_t k = 0; k < spec->score_count; k++) {
        made->scores[k] = spec->scores[k];
        made->scores[k].root = x.of[spec->scores[k].root];
    }
    made->views = NULL; /* they are of the source */
    if (out->reverse) made->at = TEMPER_AT_FIRST;
    made->node_count = 0;
    marks = spec_outputs_reachable(made, a);
    for (size_t k = 0; k < made->graph.count; k++) made->node_count += marks[k];
}

const char *regular_expansion_text(const regular_expansion *x, node_id root, arena *a) {
    temper_spec e = *x->spec;
    text t;
    e.root = root;
    e.kind = TEMPER_KIND_ACCEPTOR;
    e.output_count = 0;
    text_init(&t, a);
    spec_print_formula(&t, &e);
    while (t.length && t.data[t.length - 1] == '\n') t.data[--t.length] = 0;
    return text_string(&t);
}

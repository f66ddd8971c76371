#include "bound/next_proof.h"

#include <string.h>

#include "base/entry.h"
#include "decide/formula_dfa.h"
#include "logic/core.h"

static void release_spec(void *spec) { temper_spec_free(spec); }
static void release_arena(void *what) { arena_free(what); }

const temper_spec *read_formula_text(const temper_model *m, const char *formula_text, arena *a) {
    temper_spec_options o = {.syntax = TEMPER_SYNTAX_SPEC,
                             .letters = m->letters.letters,
                             .letter_count = m->letters.count,
                             .tokens = m->letters.tokens,
                             .at = m->at,
                             .empty = m->accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
    temper_spec *spec;
    temper_error why;
    temper_status status = temper_spec_parse(&spec, formula_text, strlen(formula_text), &o, &why);
    if (status == TEMPER_NO_MEMORY) trap_reraise(a->trap, &why);
    if (status != TEMPER_OK) return NULL;
    arena_on_release(a, release_spec, spec);
    return spec;
}

typedef struct work {
    const temper_model *m;
    const temper_spec *spec;
    recognition *recognition;
    arena *arena, *scratch;
    const dfa *language;
    unsigned char *alive;  /* [states] */
    const dfa **automata;  /* [outputs] */
    output_proof *outputs; /* [outputs] */
    const char *why;
    uint64_t spent; /* steps, on tables */
} work;

/* ---- sources that have an automaton ---- */

/* Positions that are computed have no coordinate. */
static bool has_coordinate(formula_op op) {
    core c = core_of(op);
    return c.kind != CORE_AT && !(c.kind == CORE_LANGUAGE && c.forward);
}

/* Coordinates of what is neither attention nor a language. */
static bool has_plain_coordinate(formula_op op) {
    core_kind kind = core_of(op).kind;
    return has_coordinate(op) && kind != CORE_LANGUAGE && kind != CORE_ATTEND && kind != CORE_MATCH;
}

static bool weighs_down(const formula *f, node_id sum, size_t count) { return formula_weight(f, sum, count) < 0; }

/* Sums that a coordinate holds: "Regular languages". */
static bool has_small_sums(const formula *f, node_id id) {
    enum { MOST = 1 << 16 };
    const formula_node *n = formula_at(f, id);
    if (n->op == OP_MODULO) return n->modulus <= MOST;
    if (n->op != OP_COMPARE) return true;
    for (size_t k = 1; k < n->kid_count; k++)
        if (weighs_down(f, id, k) != weighs_down(f, id, 0)) return false;
    return n->constant < MOST && n->constant > -MOST;
}

bool has_progression(const formula *f, node_id root, arena *a) {
    node_id back, forward;
    const unsigned char *marks = formula_reachable(f, root, a);
    if (formula_directions(f, root, &back, &forward) & 2) return false;
    for (node_id id = 1; id <= root; id++)
        if (marks[id] && !has_plain_coordinate(formula_at(f, id)->op)) return false;
    return true;
}

/* "Language models": it looks one way, and is read at the end of that way. */
static const char *obstacle_of(const work *w) {
    const formula *f = &w->spec->graph;
    node_id back, forward;
    unsigned looks = formula_directions(f, w->spec->root, &back, &forward);
    bool first = w->spec->at == TEMPER_AT_FIRST;
    if (looks & (first ? 1 : 2))
        return first ? "its source looks back, and is read at the first position; say it with operators that look "
                       "forward"
                     : "its source looks forward, and is read at the last position; say it with operators that look "
                       "back, or as a regular expression";
    const unsigned char *marks = formula_reachable(f, w->spec->root, w->scratch);
    for (node_id id = 1; id <= w->spec->root; id++) {
        if (!marks[id]) continue;
        if (!has_coordinate(formula_at(f, id)->op))
            return "its source has an operator that no automaton follows, as reads at computed positions; O, S, Y, "
                   "counts and attention have one";
        if (!has_small_sums(f, id))
            return "its source compares counts without a finite automaton, and has no line viable that settles what "
                   "comes next";
    }
    return NULL;
}

/* ---- automata ---- */

/* Letters of one class have one automaton. */
static const dfa *automaton_of(work *w, size_t output) {
    dfa d = *w->language;
    if (output == w->m->letters.count) return w->language;
    uint32_t c = d.class_of[output];
    for (size_t k = 0; k < output; k++)
        if (d.class_of[k] == c) return w->automata[k];
    d.accepts = arena_alloc(w->scratch, d.state_count, sizeof *d.accepts);
    for (uint32_t q = 0; q < d.state_count; q++) d.accepts[q] = w->alive[d.next[(size_t)q * d.class_count + c]];
    return dfa_minimise(w->scratch, &d);
}

/* ---- outputs ---- */

static bool fail(work *w, const char *why) {
    text t;
    text_init(&t, w->arena);
    text_printf(&t, "what comes next in its source was not shown to be its outputs: %s", why);
    w->why = text_string(&t);
    return false;
}

enum { TABLES = 8 }; /* all outputs together may take the work of so many that are as large as one may be */

static bool prove_output(work *w, size_t output) {
    const dfa *d = w->automata[output] = automaton_of(w, output);
    output_proof *out = &w->outputs[output];
    if (d->accepts[d->start] != recognition_empty(w->recognition, output))
        return fail(w, "one is wrong before the first letter");
    for (size_t k = 0; k < output; k++)
        if (w->automata[k] == d && recognition_same_output(w->recognition, k, output)) {
            *out = w->outputs[k];
            return true;
        }
    out->formula = recognition_formula(w->recognition, output);
    if (!out->formula) return fail(w, "a formula is too large to write down");
    const temper_spec *e = read_formula_text(w->m, out->formula, w->arena);
    if (!e) return fail(w, "a formula cannot be written as a text");
    table_limits limits = language_table_allowed();
    uint64_t left = TABLES * limits.work - w->spent;
    if (limits.work > left) limits.work = left;
    out->rows = language_table_of(&e->graph, e->root, d, false, &limits, w->arena);
    w->spent += out->rows.work < left ? out->rows.work : left;
    return !out->rows.why_not || fail(w, out->rows.why_not);
}

static void prove_outputs(void *context) {
    work *w = context;
    const char *obstacle = obstacle_of(w);
    if (obstacle) {
        fail(w, obstacle);
        return;
    }
    w->language = spec_dfa(w->scratch, w->spec, NULL);
    w->alive = dfa_alive(w->scratch, w->language);
    for (size_t k = 0; k < model_output_count(w->m); k++)
        if (!prove_output(w, k)) return;
}

output_proof *next_proofs(const temper_model *m, const temper_spec *spec, recognition *r, const char **why,
                          arena *a) {
    work w = {.m = m, .spec = spec, .recognition = r, .arena = a};
    trap inner, *outer = a->trap;
    temper_error error;
    w.scratch = arena_alloc(a, 1, sizeof *w.scratch);
    arena_init(w.scratch, outer);
    arena_on_release(a, release_arena, w.scratch);
    w.automata = arena_zalloc(a, model_output_count(m), sizeof *w.automata);
    w.outputs = arena_zalloc(a, model_output_count(m), sizeof *w.outputs);
    a->trap = w.scratch->trap = &inner;
    bool done = trap_attempt(&inner, &error, prove_outputs, &w);
    a->trap = w.scratch->trap = outer;
    if (!done && error.code == TEMPER_NO_MEMORY) trap_reraise(outer, &error);
    if (!done) fail(&w, error.text);
    *why = w.why;
    return w.why ? NULL : w.outputs;
}

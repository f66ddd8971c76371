/* What the normal form made simpler than it was written, in words: temper_spec_simplified. */
#include "base/entry.h"
#include "base/text.h"
#include "compile/normal_form.h"
#include "logic/core.h"
#include "logic/formula_print.h"

enum { LABEL = 60 };

typedef struct teller {
    const temper_spec *spec;
    const formula *source;
    const normal_form *form;
    text *out;
} teller;

static formula_op normal_op(const teller *t, node_id id) {
    node_id x = t->form->of[id];
    const formula *g = &t->form->graph;
    if (x && formula_at(g, x)->op == OP_NOT) x = formula_kid(g, x, 0);
    return x ? formula_at(g, x)->op : OP_COUNT_OF_OPERATORS;
}

static bool is_true(const teller *t, node_id id) {
    return t->form->of[id] && formula_at(&t->form->graph, t->form->of[id])->op == OP_TRUE;
}

static bool is_false(const teller *t, node_id id) {
    return t->form->of[id] && formula_at(&t->form->graph, t->form->of[id])->op == OP_FALSE;
}

static void label(const teller *t, node_id id) { formula_label(t->out, t->source, &t->spec->letters, id, LABEL); }

static void quoted(const teller *t, const char *before, node_id id, const char *after) {
    text_puts(t->out, before);
    label(t, id);
    text_puts(t->out, after);
}

/* Two operands, and yet one head that only asks whether there is such a position. */
static void tell_nearest(const teller *t, node_id id, const char *simple, bool negated) {
    node_id phi = formula_kid(t->source, id, 0), psi = formula_kid(t->source, id, 1);
    node_id x = t->form->of[id];
    const formula *g = &t->form->graph;
    if (formula_at(g, x)->op == OP_NOT) x = formula_kid(g, x, 0);
    const formula_node *n = formula_at(g, x);
    if (n->op != OP_ATTEND || n->choice != TEMPER_CHOICE_AVERAGE) return;
    label(t, id);
    quoted(t, simple, psi, ": ");
    if (!negated && is_true(t, phi))
        quoted(t, "'", phi, "' always holds\n");
    else if (negated && is_false(t, phi))
        quoted(t, "'", phi, "' never holds\n");
    else {
        quoted(t, negated ? "no position has both '" : "every position has '", phi, negated ? "' and '" : "' or '");
        quoted(t, "", psi, "' in this alphabet\n");
    }
}

/* No head at all. */
static void tell_constant(const teller *t, node_id id) {
    if (!is_true(t, id) && !is_false(t, id)) return;
    label(t, id);
    text_puts(t->out, is_true(t, id) ? " is always true in this alphabet\n" : " is never true in this alphabet\n");
}

static void tell_node(const teller *t, node_id id) {
    static const char *const ranges[2][2] = {{" is O ", " is H "}, {" is F ", " is G "}};
    core c = core_at(t->source, id);
    if (c.kind == CORE_SINCE && c.all == c.beyond) tell_nearest(t, id, ranges[c.forward][c.all], c.all);
    if (c.kind == CORE_LETTERS || c.kind == CORE_RANGE) tell_constant(t, id);
}

typedef struct simplified_call {
    char **out;
    const temper_spec *spec;
} simplified_call;

static bool has_language(const formula *f, const unsigned char *marks) {
    for (node_id id = 1; id < f->count; id++)
        if (marks[id] && core_at(f, id).kind == CORE_LANGUAGE) return true;
    return false;
}

static void tell(entry *e, void *context) {
    const simplified_call *c = context;
    const formula *source = &c->spec->graph;
    unsigned char *marks = spec_outputs_reachable(c->spec, &e->memory);
    text out;
    text_init(&out, &e->scratch);
    if (!has_language(source, marks)) {
        normal_form form = {0};
        formula_simplify(&form, c->spec, (match_use){0}, &e->memory);
        teller t = {c->spec, source, &form, &out};
        for (node_id id = 1; id < source->count; id++)
            if (marks[id] && form.of[id] && normal_op(&t, id) != OP_COUNT_OF_OPERATORS) tell_node(&t, id);
    }
    *c->out = entry_hand_out(e, text_string(&out), out.length);
}

temper_status temper_spec_simplified(char **out, const temper_spec *spec, temper_error *err) {
    simplified_call call = {out, spec};
    *out = NULL;
    return entry_run(err, tell, &call);
}

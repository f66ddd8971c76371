#include "compile/portfolio.h"

#include "compile/draft.h"

#include <string.h>

formula_size formula_measure(const formula *f, node_id root, size_t letters, arena *scratch) {
    normal_form normal;
    draft d;
    temper_spec spec = {.graph = *f, .root = root, .at = TEMPER_AT_LAST};
    spec.letters.count = letters;
    formula_simplify(&normal, &spec, scratch);
    const char **labels = arena_alloc(scratch, normal.graph.count, sizeof *labels);
    for (size_t k = 0; k < normal.graph.count; k++) labels[k] = "";
    draft_from_normal(&d, &normal, &spec, GATES_FUSED, (const char *const *)labels, scratch);
    formula_size size = {.layers = d.layer_count};
    for (uint32_t k = 1; k <= d.layer_count; k++) {
        size.heads += d.layers[k].head_count;
        size.units += d.layers[k].unit_count;
    }
    return size;
}

node_id portfolio_make(formula *f, const dfa *d, automaton_route route, cascade_options options,
                       cascade_report *report, arena *a) {
    switch (route) {
    case ROUTE_CASCADE: return cascade_from_dfa(f, d, options, report, a);
    case ROUTE_ORDERED: return ordered_from_dfa(f, d, options.future, report, a);
    case ROUTE_COUNTS: return counts_from_dfa(f, d, options.future, report, a);
    }
    return 0;
}

static bool smaller(formula_size x, formula_size y) {
    if (x.layers != y.layers) return x.layers < y.layers;
    if (x.heads != y.heads) return x.heads < y.heads;
    return x.units < y.units;
}

typedef struct contest {
    portfolio_choice best;
    bool any;
    const char *refusal; /* of the first construction that was refused */
    const alphabet *letters;
    arena *keep, *scratch;
} contest;

/* What a cascade may take when there is another formula already: larger ones rarely win, and take long to make. */
enum { MANY_TERMS = 1000, MANY_CHAINS = 500, MANY_STATES = 64, FEW_LAYERS = 3 };

static void compete(contest *c, const dfa *d, automaton_route route, cascade_options options) {
    formula f;
    cascade_report report = {0};
    arena_reset(c->scratch);
    formula_init(&f, c->scratch);
    options.letters = c->letters;
    if (c->any) options.term_limit = MANY_TERMS, options.chains.limit = MANY_CHAINS;
    node_id root = portfolio_make(&f, d, route, options, &report, c->scratch);
    if (!root) {
        if (report.refusal && !c->refusal) c->refusal = arena_copy(c->keep, report.refusal, strlen(report.refusal));
        return;
    }
    formula_size size = formula_measure(&f, root, d->letter_count, c->scratch);
    if (c->any && !smaller(size, c->best.size)) return;
    c->any = true;
    c->best = (portfolio_choice){.route = route, .reverse = options.future, .options = options, .size = size};
}

static void compete_all(contest *c, const dfa *d, bool future) {
    compete(c, d, ROUTE_COUNTS, (cascade_options){.future = future});
    compete(c, d, ROUTE_ORDERED, (cascade_options){.future = future});
    if (c->any && c->best.size.layers <= FEW_LAYERS && d->state_count > MANY_STATES) return;
    for (unsigned k = 0; k < 4; k++)
        compete(c, d, ROUTE_CASCADE,
                (cascade_options){.future = future, .chains = {.split = k & 1, .prefer_keep = k >> 1}});
}

node_id portfolio_expand(formula *f, const dfa *d, const dfa *backwards, const alphabet *letters,
                         portfolio_choice *choice, arena *a, arena *scratch) {
    contest c = {.letters = letters, .keep = a, .scratch = scratch};
    compete_all(&c, d, false);
    if (backwards) compete_all(&c, backwards, true);
    *choice = c.best;
    if (c.any)
        return portfolio_make(f, choice->reverse ? backwards : d, choice->route, choice->options, &choice->report, a);
    choice->report.refusal = c.refusal;
    return 0;
}

#include "compile/regular_choose.h"

#include "compile/draft.h"
#include "decide/language_table.h"

#include <string.h>

formula_size formulas_measure(const formula *f, const node_id *roots, size_t count, size_t letters, arena *scratch) {
    normal_form normal;
    draft d;
    temper_spec spec = {.graph = *f, .kind = TEMPER_KIND_NEXT, .output_count = count, .at = TEMPER_AT_LAST};
    spec.letters.count = letters;
    spec.outputs = arena_zalloc(scratch, count, sizeof *spec.outputs);
    for (size_t k = 0; k < count; k++) spec.outputs[k] = (spec_output){.name = "", .root = roots[k]};
    formula_simplify(&normal, &spec, (match_use){true, true}, scratch);
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

bool regular_make(node_id *roots, formula *f, const dfa *d, state_sets sets, automaton_route route,
                  cascade_options options, cascade_report *report, arena *a) {
    switch (route) {
    case ROUTE_CASCADE: return cascade_from_dfa(roots, f, d, sets, options, report, a);
    case ROUTE_ORDERED: return ordered_from_dfa(roots, f, d, sets, options, report, a);
    case ROUTE_WORDS: return words_from_dfa(roots, f, d, sets, options, report, a);
    case ROUTE_COUNTS: return counts_from_dfa(roots, f, d, sets, options.future, report, a);
    }
    return false;
}

enum { CANDIDATES = 14 };

/* Heads that look further back are proved for fewer letters in f32; states that are seen from several places take
   conditions that provers need long for, or too long, as those of words read from the right do. */
static const words_limits WORDS = {.steps = 7, .places = 1};

typedef struct contest {
    regular_choice all[CANDIDATES]; /* in no order */
    size_t count;
    size_t here;         /* candidates of this direction */
    bool hurry;          /* as if there were one already */
    const char *refusal; /* of the first construction that was refused, or found that there is none */
    bool impossible;
    cascade_options given; /* letters and limits, of all */
    arena *keep, *scratch;
} contest;

/* What a cascade may take when there is another formula already: larger ones rarely win, and take long to make. From
   the right there mostly is one. */
enum { MANY_TERMS = 1000, MANY_CHAINS = 500, MUCH_WORK = 1 << 18, MANY_STATES = 64, FEW_LAYERS = 3 };

static void compete(contest *c, const dfa *d, state_sets sets, automaton_route route, cascade_options options) {
    formula f;
    cascade_report report = {0};
    arena_reset(c->scratch);
    formula_init(&f, c->scratch);
    node_id *roots = arena_zalloc(c->scratch, sets.count, sizeof *roots);
    options.letters = c->given.letters;
    options.raised = c->given.raised;
    if (c->here || c->hurry) {
        options.term_limit = MANY_TERMS * sets.count;
        options.chains.limit = MANY_CHAINS;
        options.chains.work = MUCH_WORK;
    }
    if (!regular_make(roots, &f, d, sets, route, options, &report, c->scratch)) {
        if (report.refusal && (!c->refusal || (report.impossible && !c->impossible)))
            c->refusal = arena_copy(c->keep, report.refusal, strlen(report.refusal));
        c->impossible = c->impossible || report.impossible;
        return;
    }
    formula_size size = formulas_measure(&f, roots, sets.count, d->letter_count, c->scratch);
    c->all[c->count++] =
        (regular_choice){.route = route, .reverse = options.future, .options = options, .size = size};
    c->here++;
}

static size_t smallest(const contest *c) {
    size_t best = 0;
    for (size_t k = 1; k < c->count; k++)
        if (size_is_smaller(c->all[k].size, c->all[best].size)) best = k;
    return best;
}

/* A contest of its own for each direction, so that a language which is known to be read from the right gets the
   formula that was compiled, without the other direction's constructions. */
static void compete_all(contest *c, const dfa *d, state_sets sets, bool future) {
    c->here = 0;
    compete(c, d, sets, ROUTE_COUNTS, (cascade_options){.future = future});
    compete(c, d, sets, ROUTE_ORDERED, (cascade_options){.future = future});
    if (!future) compete(c, d, sets, ROUTE_WORDS, (cascade_options){.words = WORDS});
    bool few = false;
    for (size_t k = c->count - c->here; k < c->count; k++) few |= c->all[k].size.layers <= FEW_LAYERS;
    if (few && d->state_count > MANY_STATES) return;
    for (unsigned k = 0; k < 4; k++)
        compete(c, d, sets, ROUTE_CASCADE,
                (cascade_options){.future = future, .chains = {.split = k & 1, .prefer_keep = k >> 1}});
}

/* What a table may take before another formula is tried: two tenths of a second, and few rows for a state. */
static table_limits limits_for(const dfa *d) {
    return (table_limits){(uint64_t)3 << 26, 24 * (size_t)d->state_count + 1024};
}

static bool is_provable(const contest *c, const regular_choice *x, const dfa *d, state_sets sets) {
    formula f;
    cascade_report report;
    node_id root;
    dfa language = *d;
    arena_reset(c->scratch);
    formula_init(&f, c->scratch);
    language.accepts = arena_alloc(c->scratch, d->state_count, 1);
    memcpy(language.accepts, sets.holds[0], d->state_count);
    table_limits limits = limits_for(d);
    return regular_make(&root, &f, d, sets, x->route, x->options, &report, c->scratch) &&
           !language_table_of(&f, root, &language, x->reverse, &limits, c->scratch).why_not;
}

/* The smallest one of a single set that a certificate can hold the table of; if there is none, the smallest. Where a
   cascade wanders too much, the other cascades of its direction do so, too. */
static regular_choice best_provable(contest c, const dfa *d, state_sets sets, const dfa *backwards,
                                    state_sets of_backwards) {
    regular_choice first = c.all[smallest(&c)];
    bool wanders[2] = {false, false};
    while (c.count && sets.count == 1) {
        size_t k = smallest(&c);
        regular_choice x = c.all[k];
        c.all[k] = c.all[--c.count];
        if (x.route == ROUTE_CASCADE && wanders[x.reverse]) continue;
        if (is_provable(&c, &x, x.reverse ? backwards : d, x.reverse ? of_backwards : sets)) return x;
        if (x.route == ROUTE_CASCADE) wanders[x.reverse] = true;
    }
    return first;
}

bool regular_choose(node_id *roots, formula *f, const dfa *d, state_sets sets, const dfa *backwards,
                    cascade_options options, regular_choice *choice, arena *a, arena *scratch) {
    contest c = {.given = options, .keep = a, .scratch = scratch};
    const unsigned char *accepts = backwards ? backwards->accepts : NULL;
    state_sets of_backwards = {&accepts, 1};
    if (d) compete_all(&c, d, sets, false);
    c.hurry = true;
    if (backwards) compete_all(&c, backwards, of_backwards, true);
    c.hurry = false;
    if (backwards && !c.count) {
        if (!c.impossible) c.refusal = NULL; /* of a hurry */
        compete_all(&c, backwards, of_backwards, true);
    }
    *choice = (regular_choice){.report = {.refusal = c.refusal, .impossible = c.impossible}};
    if (!c.count) return false;
    *choice = best_provable(c, d, sets, backwards, of_backwards);
    return regular_make(roots, f, choice->reverse ? backwards : d, choice->reverse ? of_backwards : sets,
                        choice->route, choice->options, &choice->report, a);
}

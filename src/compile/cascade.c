#include "automata/cycle_witness.h"
#include "base/work.h"
#include "compile/cascade_group.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dfa_sinks(uint32_t *dead, uint32_t *win, const dfa *d, state_sets sets) {
    *dead = *win = UINT32_MAX;
    for (uint32_t q = 0; q < d->state_count; q++) {
        bool stays = true;
        size_t in = 0;
        for (uint32_t c = 0; c < d->class_count && stays; c++) stays = dfa_next(d, q, c) == q;
        for (size_t k = 0; k < sets.count; k++) in += sets.holds[k][q];
        if (stays && in == sets.count) *win = q;
        if (stays && in == 0) *dead = q;
    }
}

/* ---- levels ---- */

static uint32_t chosen_option(const void *context, choice_id leaf) {
    const chain_level *l = context;
    return leaf == l->diagrams.any ? UINT32_MAX : chain_chosen(l, leaf);
}

/* v = Y(!key S reset to v), where key is any reset; if nothing is kept, Y(reset to v) is enough. */
static void plain_level(emitter *e, node_id *values, const chain_level *l, const term_list *resets, bool keeps) {
    term_list all = {0};
    for (uint32_t v = 0; v < l->value_count; v++) terms_join(e, &all, &resets[v]);
    node_id same = not_node(e, terms_node(e, &all));
    for (uint32_t v = 0; v < l->value_count; v++) {
        if (v == l->first) continue;
        node_id reset = terms_node(e, &resets[v]);
        values[v] = formula_unary(e->f, e->yesterday, keeps ? formula_binary(e->f, e->since, same, reset) : reset);
    }
}

__attribute__((format(printf, 3, 4))) static bool refuse(cascade_report *r, arena *a, const char *format, ...) {
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    r->refusal = arena_copy(a, line, strlen(line));
    return false;
}

static bool refuse_more(cascade_report *r, arena *a, const char *what, uint64_t most, const char *of) {
    return refuse(r, a, "%s more than %llu %s", what, (unsigned long long)most, of);
}

/* "words 'a', 'ab'": what generates the permutations of a component. */
static const char *generators_text(emitter *e, uint32_t component, const alphabet *letters) {
    enum { MOST = 3 };
    class_word words[MOST];
    text t;
    text_init(&t, e->arena);
    if (!letters) return "words";
    size_t count = generating_words(words, MOST, e->c->s, component, e->arena);
    text_puts(&t, count == 1 ? "the word" : "the words");
    for (size_t k = 0; k < count; k++)
        text_printf(&t, "%s '%s'", k ? k + 1 == count ? " and" : "," : "",
                    class_word_text(&words[k], e->d, letters, e->arena));
    return text_string(&t);
}

static const char *cycle_text(emitter *e, uint32_t component, const alphabet *letters) {
    enum { SHOWN = 8 };
    cycle_witness w;
    text t;
    if (!letters) return NULL;
    cycle_find(&w, e->c->s, component, e->arena);
    if (!w.state_count) return NULL;
    text_init(&t, e->arena);
    text_printf(&t, "'%s' leads state ", class_word_text(&w.word, e->d, letters, e->arena));
    for (uint32_t k = 0; k < w.state_count && k < SHOWN; k++) text_printf(&t, "%u to ", w.states[k]);
    text_printf(&t, "%s%u", w.state_count > SHOWN ? "... to " : "", w.states[0]);
    return text_string(&t);
}

static bool group_level(emitter *e, node_id *values, const chain_level *l, const term_list *conditions, bool keeps,
                        const cascade_options *options, cascade_level *about, cascade_report *report) {
    const alphabet *letters = options->letters;
    group g;
    group_series series;
    const skeleton *s = e->c->s;
    uint32_t set = s->first_member[l->component];
    if (!group_generate(&g, l->moves, l->move_count, l->value_count, e->arena))
        return refuse(report, e->arena, "%s permute the states %s in more than %llu ways, which are too many to list",
                      generators_text(e, l->component, letters), state_set_text(s, set, e->arena),
                      (unsigned long long)group_most(l->value_count));
    group_derive(&series, &g, e->arena);
    about->group_order = g.order;
    about->group = group_name(&g, e->arena);
    about->why = cycle_text(e, l->component, letters);
    report->impossible = series.core_order > 1;
    if (report->impossible)
        return refuse(report, e->arena,
                      "%s permute the states %s as %s, of order %u, which is not solvable: it has the perfect "
                      "subgroup %s, of order %u",
                      generators_text(e, l->component, letters), state_set_text(s, set, e->arena), about->group,
                      g.order, group_core_name(series.core_order, e->arena), series.core_order);
    uint64_t most = work_limit_if(options->raised, GROUP_COMPILE_LIMIT);
    if (g.order > most)
        return refuse(report, e->arena, "%s permute the states %s as a group of order %u; at most %llu are compiled",
                      generators_text(e, l->component, letters), state_set_text(s, set, e->arena), g.order,
                      (unsigned long long)most);
    group_level_values(e, values, l, &g, &series, conditions, conditions + chain_keep(l) + 1, keeps);
    return true;
}

static bool make_level(emitter *e, uint32_t k, const cascade_options *options, cascade_report *report) {
    const chain_level *l = &e->c->levels[k];
    term_list *conditions = terms_of(e, &l->diagrams, l->action, l->diagrams.option_count, chosen_option, l);
    bool keeps = conditions[chain_keep(l)].count > 0;
    e->values[k] = arena_zalloc(e->arena, l->value_count, sizeof **e->values);
    report->levels[k] = (cascade_level){.values = l->value_count, .group_order = 1};
    if (l->move_count) return group_level(e, e->values[k], l, conditions, keeps, options, &report->levels[k], report);
    plain_level(e, e->values[k], l, conditions, keeps);
    return true;
}

/* ---- the answer ---- */

enum { NO, YES };

static uint32_t yes_only(const void *context, choice_id leaf) {
    const choice_diagrams *d = context;
    return choices_allows(d, leaf, NO) ? UINT32_MAX : 0;
}

typedef enum fate { FATE_REJECT, FATE_ACCEPT, FATE_DEAD, FATE_WIN, FATE_COUNT } fate;

typedef struct sinks {
    uint32_t dead, win;
} sinks;

static fate fate_of(const unsigned char *holds, uint32_t to, sinks s) {
    return to == s.dead ? FATE_DEAD : to == s.win ? FATE_WIN : holds[to] ? FATE_ACCEPT : FATE_REJECT;
}

/* A condition on the state before and the letter here: wanted[fate] is YES, NO or 2 for either. */
static node_id condition_of(emitter *e, const unsigned char wanted[FATE_COUNT], const unsigned char *holds, sinks s) {
    const chains *c = e->c;
    choice_diagrams d;
    choices_init(&d, 2, e->arena);
    choice_id of[3] = {choices_one(&d, NO), choices_one(&d, YES), d.any};
    choice_id *roots = arena_alloc(e->arena, e->d->class_count, sizeof *roots);
    choice_id *cells = arena_alloc(e->arena, c->leaf_count, sizeof *cells);
    for (uint32_t a = 0; a < e->d->class_count; a++) {
        for (size_t k = 0; k < c->leaf_count; k++)
            cells[k] = of[wanted[fate_of(holds, dfa_next(e->d, chain_state(c, c->leaves[k]), a), s)]];
        roots[a] = chains_diagram(c, &d, cells, e->arena);
    }
    choices_unite(&d, roots, e->d->class_count);
    term_list *yes = terms_of(e, &d, roots, 1, yes_only, &d);
    return terms_node(e, yes);
}

static node_id both(emitter *e, formula_op op, node_id x, node_id y) {
    node_id kids[2] = {x, y};
    return formula_nary(e->f, op, kids, 2);
}

/* What happens after a sink is entered does not matter, so levels may say anything then:

       no sink                    accept
       dead only                  accept & !O bad
       dead and win               O(win & !Y O bad) | (accept & !O bad) */
static void answer(emitter *e, node_id *roots, state_sets sets, sinks s) {
    static const unsigned char accepts[] = {NO, YES, 2, 2}, dies[] = {NO, NO, YES, 2}, wins[] = {NO, NO, NO, YES};
    const unsigned char *any = sets.holds[0]; /* for conditions that only ask for sinks */
    for (size_t k = 0; k < sets.count && !e->over; k++) roots[k] = condition_of(e, accepts, sets.holds[k], s);
    if (e->over || s.dead == UINT32_MAX) return;
    node_id bad = formula_unary(e->f, e->once, condition_of(e, dies, any, s));
    for (size_t k = 0; k < sets.count; k++) roots[k] = both(e, OP_AND, roots[k], not_node(e, bad));
    if (e->over || s.win == UINT32_MAX) return;
    node_id before = formula_unary(e->f, e->yesterday, bad);
    node_id there = condition_of(e, wins, any, s);
    node_id won = both(e, OP_AND, there, not_node(e, before));
    won = formula_unary(e->f, e->once, won);
    for (size_t k = 0; k < sets.count; k++) roots[k] = both(e, OP_OR, won, roots[k]);
}

static state_sets complement(state_sets sets, uint32_t states, arena *a) {
    const unsigned char **holds = arena_alloc(a, sets.count, sizeof *holds);
    for (size_t k = 0; k < sets.count; k++) {
        unsigned char *others = arena_alloc(a, states, 1);
        for (uint32_t q = 0; q < states; q++) others[q] = !sets.holds[k][q];
        holds[k] = others;
    }
    return (state_sets){holds, sets.count};
}

/* The levels of the live states, with a value for each tile. */
static bool make_levels(emitter *e, const unsigned char *live, cascade_options options, cascade_report *report) {
    const dfa *d = e->d;
    skeleton *s = arena_zalloc(e->arena, 1, sizeof *s);
    chains *c = arena_zalloc(e->arena, 1, sizeof *c);
    uint64_t sets = work_limit_if(options.raised, SKELETON_SET_LIMIT);
    uint64_t work = work_limit_if(options.raised, SKELETON_WORK);
    if (!options.chains.limit) options.chains.limit = (uint32_t)work_limit_if(options.raised, CHAIN_LIMIT);
    if (!options.chains.work) options.chains.work = work_limit_if(options.raised, CHAIN_WORK);
    if (!skeleton_build(s, d, live, sets, work, e->arena))
        return s->over_work ? refuse_more(report, e->arena, "the skeleton would take", work, "steps to make")
                            : refuse_more(report, e->arena, "words lead to", sets, "sets of states");
    if (!chains_build(c, s, d->start, options.chains, e->arena))
        return c->over_work
                   ? refuse_more(report, e->arena, "the cascade would take", options.chains.work, "steps to make")
                   : refuse_more(report, e->arena, "the cascade would have", options.chains.limit, "chains");
    e->c = c;
    e->values = arena_zalloc(e->arena, (size_t)c->level_count + 1, sizeof *e->values);
    report->level_count = c->level_count;
    report->levels = arena_zalloc(e->arena, (size_t)c->level_count + 1, sizeof *report->levels);
    for (uint32_t k = 0; k < c->level_count && !e->over; k++)
        if (!make_level(e, k, &options, report)) return false;
    return true;
}

static bool emit(emitter *e, node_id *roots, state_sets sets, cascade_options options, cascade_report *report,
                 sinks ends) {
    const dfa *d = e->d;
    unsigned char *live = arena_zalloc(e->arena, d->state_count, 1);
    for (uint32_t q = 0; q < d->state_count; q++) report->live_states += live[q] = q != ends.dead && q != ends.win;
    if (!live[d->start]) {
        for (size_t k = 0; k < sets.count; k++)
            roots[k] = formula_atom(e->f, sets.holds[k][d->start] ? OP_TRUE : OP_FALSE);
        return true;
    }
    if (!make_levels(e, live, options, report)) return false;
    if (!e->over) answer(e, roots, sets, ends);
    if (!e->over) return true;
    return refuse(report, e->arena, "the cascade's conditions would have more than %zu conjunctions", e->term_limit);
}

bool cascade_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, cascade_options options,
                      cascade_report *report, arena *a) {
    sinks ends;
    dfa_sinks(&ends.dead, &ends.win, d, sets);
    bool flip = ends.dead == UINT32_MAX && ends.win != UINT32_MAX;
    emitter e = emitter_for(f, d, options.future, a);
    e.term_limit = options.term_limit ? options.term_limit : work_limit_if(options.raised, CASCADE_TERM_LIMIT);
    *report = (cascade_report){0};
    if (flip) {
        ends = (sinks){ends.win, UINT32_MAX};
        sets = complement(sets, d->state_count, a);
    }
    bool made = emit(&e, roots, sets, options, report, ends);
    report->term_count = e.term_count;
    for (size_t k = 0; made && flip && k < sets.count; k++) roots[k] = not_node(&e, roots[k]);
    return made;
}

bool cascade_states(emitter *e, node_id *at, uint32_t count, uint32_t never, cascade_options options) {
    cascade_report report = {0};
    unsigned char *live = arena_zalloc(e->arena, e->d->state_count, 1);
    for (uint32_t q = 0; q < e->d->state_count; q++) live[q] = q != never;
    if (!make_levels(e, live, options, &report) || e->over) return false;
    choice_id *cells = arena_alloc(e->arena, e->c->leaf_count, sizeof *cells);
    choice_id *roots = arena_alloc(e->arena, e->d->class_count, sizeof *roots);
    for (uint32_t q = 0; q < count && !e->over; q++) {
        choice_diagrams d;
        choices_init(&d, 2, e->arena);
        choice_id no = choices_one(&d, NO), yes = choices_one(&d, YES);
        for (size_t k = 0; k < e->c->leaf_count; k++) cells[k] = chain_state(e->c, e->c->leaves[k]) == q ? yes : no;
        choice_id root = chains_diagram(e->c, &d, cells, e->arena);
        for (uint32_t a = 0; a < e->d->class_count; a++) roots[a] = root; /* whatever letter comes */
        at[q] = terms_node(e, terms_of(e, &d, roots, 1, yes_only, &d));
    }
    return !e->over;
}

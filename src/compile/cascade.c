#include "automata/cycle_witness.h"
#include "compile/cascade_group.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dfa_sinks(uint32_t *dead, uint32_t *win, const dfa *d) {
    *dead = *win = UINT32_MAX;
    for (uint32_t q = 0; q < d->state_count; q++) {
        bool stays = true;
        for (uint32_t c = 0; c < d->class_count && stays; c++) stays = dfa_next(d, q, c) == q;
        if (stays && d->accepts[q]) *win = q;
        if (stays && !d->accepts[q]) *dead = q;
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
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    r->refusal = arena_copy(a, line, strlen(line));
    return false;
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
                        const alphabet *letters, cascade_level *about, cascade_report *report) {
    group g;
    group_series series;
    const skeleton *s = e->c->s;
    uint32_t set = s->first_member[l->component];
    if (!group_generate(&g, l->moves, l->move_count, l->value_count, e->arena))
        return refuse(report, e->arena, "%s permute the states %s in more than %d ways, which are too many to list",
                      generators_text(e, l->component, letters), state_set_text(s, set, e->arena), GROUP_ORDER_LIMIT);
    group_derive(&series, &g, e->arena);
    about->group_order = g.order;
    about->group = group_name(&g, e->arena);
    about->why = cycle_text(e, l->component, letters);
    if (series.core_order > 1)
        return refuse(report, e->arena,
                      "%s permute the states %s as %s, of order %u, which is not solvable: it has the perfect "
                      "subgroup %s, of order %u",
                      generators_text(e, l->component, letters), state_set_text(s, set, e->arena), about->group,
                      g.order, group_core_name(series.core_order, e->arena), series.core_order);
    if (g.order > GROUP_COMPILE_LIMIT)
        return refuse(report, e->arena, "%s permute the states %s as a group of order %u; at most %d are compiled",
                      generators_text(e, l->component, letters), state_set_text(s, set, e->arena), g.order,
                      GROUP_COMPILE_LIMIT);
    group_level_values(e, values, l, &g, &series, conditions, conditions + chain_keep(l) + 1, keeps);
    return true;
}

static bool make_level(emitter *e, uint32_t k, const alphabet *letters, cascade_report *report) {
    const chain_level *l = &e->c->levels[k];
    term_list *conditions = terms_of(e, &l->diagrams, l->action, l->diagrams.option_count, chosen_option, l);
    bool keeps = conditions[chain_keep(l)].count > 0;
    e->values[k] = arena_zalloc(e->arena, l->value_count, sizeof **e->values);
    report->levels[k] = (cascade_level){.values = l->value_count, .group_order = 1};
    if (l->move_count) return group_level(e, e->values[k], l, conditions, keeps, letters, &report->levels[k], report);
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

static fate fate_of(const dfa *d, uint32_t state, uint32_t letter, uint32_t dead, uint32_t win) {
    uint32_t to = dfa_next(d, state, letter);
    return to == dead ? FATE_DEAD : to == win ? FATE_WIN : d->accepts[to] ? FATE_ACCEPT : FATE_REJECT;
}

/* A condition on the state before and the letter here: wanted[fate] is YES, NO or 2 for either. */
static node_id condition_of(emitter *e, const unsigned char wanted[FATE_COUNT], uint32_t dead, uint32_t win) {
    const chains *c = e->c;
    choice_diagrams d;
    choices_init(&d, 2, e->arena);
    choice_id of[3] = {choices_one(&d, NO), choices_one(&d, YES), d.any};
    choice_id *roots = arena_alloc(e->arena, e->d->class_count, sizeof *roots);
    choice_id *cells = arena_alloc(e->arena, c->leaf_count, sizeof *cells);
    for (uint32_t a = 0; a < e->d->class_count; a++) {
        for (size_t k = 0; k < c->leaf_count; k++)
            cells[k] = of[wanted[fate_of(e->d, chain_state(c, c->leaves[k]), a, dead, win)]];
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
static node_id answer(emitter *e, uint32_t dead, uint32_t win) {
    static const unsigned char accepts[] = {NO, YES, 2, 2}, dies[] = {NO, NO, YES, 2}, wins[] = {NO, NO, NO, YES};
    node_id accept = condition_of(e, accepts, dead, win);
    if (e->over || dead == UINT32_MAX) return accept;
    node_id bad = formula_unary(e->f, e->once, condition_of(e, dies, dead, win));
    node_id alive = both(e, OP_AND, accept, not_node(e, bad));
    if (e->over || win == UINT32_MAX) return alive;
    node_id before = formula_unary(e->f, e->yesterday, bad);
    node_id won = both(e, OP_AND, condition_of(e, wins, dead, win), not_node(e, before));
    return both(e, OP_OR, formula_unary(e->f, e->once, won), alive);
}

static const dfa *complement(const dfa *d, arena *a) {
    dfa *out = arena_alloc(a, 1, sizeof *out);
    *out = *d;
    out->accepts = arena_alloc(a, d->state_count, 1);
    for (uint32_t q = 0; q < d->state_count; q++) out->accepts[q] = !d->accepts[q];
    return out;
}

static node_id emit(emitter *e, cascade_options options, cascade_report *report, uint32_t dead, uint32_t win) {
    const dfa *d = e->d;
    unsigned char *live = arena_zalloc(e->arena, d->state_count, 1);
    skeleton *s = arena_zalloc(e->arena, 1, sizeof *s);
    chains *c = arena_zalloc(e->arena, 1, sizeof *c);
    for (uint32_t q = 0; q < d->state_count; q++) report->live_states += live[q] = q != dead && q != win;
    if (!live[d->start]) return formula_atom(e->f, d->accepts[d->start] ? OP_TRUE : OP_FALSE);
    if (!skeleton_build(s, d, live, SKELETON_SET_LIMIT, e->arena)) {
        refuse(report, e->arena, "words lead to more than %d sets of states", SKELETON_SET_LIMIT);
        return 0;
    }
    if (!chains_build(c, s, d->start, options.chains, e->arena)) {
        refuse(report, e->arena, "the cascade would have more than %d chains", CHAIN_LIMIT);
        return 0;
    }
    e->c = c;
    e->values = arena_zalloc(e->arena, (size_t)c->level_count + 1, sizeof *e->values);
    report->level_count = c->level_count;
    report->levels = arena_zalloc(e->arena, (size_t)c->level_count + 1, sizeof *report->levels);
    for (uint32_t k = 0; k < c->level_count && !e->over; k++)
        if (!make_level(e, k, options.letters, report)) return 0;
    node_id root = e->over ? 0 : answer(e, dead, win);
    if (!e->over) return root;
    refuse(report, e->arena, "the cascade's conditions would have more than %zu conjunctions", e->term_limit);
    return 0;
}

node_id cascade_from_dfa(formula *f, const dfa *d, cascade_options options, cascade_report *report, arena *a) {
    uint32_t dead, win;
    dfa_sinks(&dead, &win, d);
    bool flip = dead == UINT32_MAX && win != UINT32_MAX;
    emitter e = emitter_for(f, flip ? complement(d, a) : d, options.future, a);
    if (options.term_limit) e.term_limit = options.term_limit;
    *report = (cascade_report){0};
    if (flip) dead = win, win = UINT32_MAX;
    node_id root = emit(&e, options, report, dead, win);
    report->term_count = e.term_count;
    return root && flip ? not_node(&e, root) : root;
}

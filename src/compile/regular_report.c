/* How the regular languages of a specification become formulas, for people. */
#include "base/entry.h"
#include "compile/regular_expand.h"

#include <stdlib.h>
#include <string.h>

struct temper_routes {
    arena memory;
    temper_route_info *rows;
    size_t count;
};

static const char *route_name(const regular_choice *c) {
    static const char *const names[] = {"cascade", "partial order", "counts", "words"};
    return names[c->route];
}

/* Groups belong to the language, not to the route: they are those of its cascade, whatever route was taken. */
static void tell_groups(temper_route_info *out, const dfa *d, const alphabet *letters, arena *keep, arena *scratch) {
    formula f;
    cascade_report report;
    text groups, why;
    arena_reset(scratch);
    formula_init(&f, scratch);
    text_init(&groups, keep);
    text_init(&why, keep);
    node_id root;
    const unsigned char *accepts = d->accepts;
    cascade_options options = {.letters = letters};
    cascade_from_dfa(&root, &f, d, (state_sets){&accepts, 1}, options, &report, scratch);
    for (uint32_t k = 0; report.levels && k < report.level_count; k++) {
        const cascade_level *l = &report.levels[k];
        if (l->group_order < 2) continue;
        text_printf(&groups, "%s%s", groups.length ? ", " : "", l->group);
        if (l->why && !why.length) text_puts(&why, l->why);
    }
    out->groups = text_string(&groups);
    out->why = text_string(&why);
}

typedef struct routes_call {
    temper_routes **out;
    const temper_spec *spec;
} routes_call;

static void free_routes(void *routes) { temper_routes_free(routes); }

static void find(entry *e, void *context) {
    const routes_call *c = context;
    const formula *g = &c->spec->graph;
    regular_expansion plain;
    temper_routes *r = caller_alloc(e->trap, 1, sizeof *r);
    memset(r, 0, sizeof *r);
    arena_init(&r->memory, e->trap);
    entry_on_failure(e, free_routes, r);
    if (!spec_output_count(c->spec)) spec_need_acceptor(c->spec, e->trap);
    regular_expand(&plain, c->spec, true, &e->memory, &e->scratch);
    r->rows = arena_zalloc(&r->memory, plain.count + 1, sizeof *r->rows);
    for (size_t k = 0; k < plain.count; k++) {
        const expanded_regular *l = &plain.languages[k];
        const formula_language *source = &g->languages[l->language];
        temper_route_info *row = &r->rows[r->count++];
        row->language = text_escaped(&r->memory, source->source, source->source_length, 0);
        const dfa *automaton = source->reversed ? source->reversed : source->automaton;
        row->states = automaton->state_count;
        row->route = route_name(&l->choice);
        row->reverse = l->choice.reverse;
        row->levels = l->choice.report.level_count;
        row->layers = l->choice.size.layers;
        row->heads = l->choice.size.heads;
        tell_groups(row, automaton, &c->spec->letters, &r->memory, &e->scratch);
    }
    r->memory.trap = NULL;
    *c->out = r;
}

temper_status temper_routes_find(temper_routes **out, const temper_spec *spec, temper_error *err) {
    routes_call call = {out, spec};
    *out = NULL;
    return entry_run(err, find, &call);
}

void temper_routes_free(temper_routes *routes) {
    if (!routes) return;
    arena_free(&routes->memory);
    free(routes);
}

size_t temper_routes_count(const temper_routes *routes) { return routes->count; }

temper_route_info temper_routes_at(const temper_routes *routes, size_t row) {
    return row < routes->count ? routes->rows[row]
                               : (temper_route_info){.language = "", .route = "", .groups = "", .why = ""};
}

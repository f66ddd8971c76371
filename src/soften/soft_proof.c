#include "soften/soft_proof.h"

#include "base/entry.h"
#include "facts/facts_exhaustive.h"

static bool is_below(const ball *error, double margin, ball *t) {
    if (margin == INFINITY) return true;
    ball_set_double(t, margin);
    return ball_is_less(error, t);
}

/* A model records one error and one margin, so the largest error of all lengths must be below the least margin. */
static soft_proof prove(const hard_facts *f, arena *keep, arena *scratch) {
    soft_proof out = {.proved = true, .every_position = true};
    double verdict = INFINITY, everywhere = INFINITY;
    size_t worst = 0;
    recursion r;
    if (!recursion_begin(&r, f, number_type_of(TEMPER_TYPE_F64), false, keep, scratch)) return (soft_proof){0};
    ball *t = ball_array(keep, 1);
    for (size_t n = 0; n <= f->length; n++) {
        recursion_run(&r, n);
        if (r.too_large || !is_below(r.answer, f->margin[n], t)) return (soft_proof){.fails = n};
        out.every_position = out.every_position && is_below(r.answer, f->margin_everywhere[n], t);
        if (ball_upper(r.answer) > out.error) {
            out.error = ball_upper(r.answer);
            worst = n;
        }
        verdict = fmin(verdict, f->margin[n]);
        everywhere = fmin(everywhere, f->margin_everywhere[n]);
    }
    out.every_position = out.every_position && out.error < everywhere;
    out.margin = out.every_position ? everywhere : verdict;
    return out.error < out.margin ? out : (soft_proof){.fails = worst};
}

/* Facts of a way that the search did not take. */
typedef struct other_facts {
    scale_search *g;
    bool strings;
    facts **found; /* [length + 1] */
} other_facts;

static void find_others(void *context) {
    other_facts *o = context;
    scale_search *g = o->g;
    string_watch silent = {0};
    facts_run *run = o->strings ? NULL : facts_run_begin(&g->s, 0, g->keep);
    for (size_t n = 0; n <= g->o->length; n++) {
        arena_reset(g->scratch);
        o->found[n] =
            o->strings ? facts_exhaustive(&g->s, n, &silent, g->keep, g->scratch) : facts_run_next(run, g->keep);
    }
}

/* With facts by strings, or by sets; facts that cannot be found prove nothing. */
static soft_proof prove_by(scale_search *g, const soft_model *soft, bool strings) {
    hard_facts f;
    facts **found = g->facts;
    if (strings != (g->o->gap == TEMPER_GAP_EXHAUSTIVE)) {
        temper_error why;
        other_facts o = {g, strings, arena_zalloc(g->keep, g->o->length + 1, sizeof *o.found)};
        trap outer = *g->trap; /* its frame goes on after this attempt */
        bool done = trap_attempt(g->trap, &why, find_others, &o);
        *g->trap = outer;
        if (!done) {
            if (why.code == TEMPER_NO_MEMORY) trap_reraise(g->trap, &why);
            return (soft_proof){0};
        }
        found = o.found;
    }
    soft_facts_find(&f, soft, g->hard, found, g->o->length, g->keep, g->scratch);
    f.strings = strings;
    return prove(&f, g->keep, g->scratch);
}

/* As doc/certificate.md, "Facts about the hard model", says: sets where they prove every position, else strings where
   they prove more. All strings were run for the search if it was asked to, be they more than a certificate may
   have. */
soft_proof soft_proof_find(scale_search *g, const soft_model *soft) {
    soft_proof sets = prove_by(g, soft, false);
    bool strings = g->o->gap == TEMPER_GAP_EXHAUSTIVE || hard_facts_by_strings(g->hard, g->o->length);
    if ((sets.proved && sets.every_position) || !strings) return sets;
    soft_proof all = prove_by(g, soft, true);
    return all.proved && (all.every_position || !sets.proved) ? all : sets;
}

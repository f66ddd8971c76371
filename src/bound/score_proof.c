#include "bound/score_proof.h"

#include <math.h>
#include <string.h>

#include "bound/next_proof.h"
#include "compile/weighted_machine.h"
#include "decide/formula_dfa.h"

typedef struct work {
    const temper_model *m;
    const temper_spec *spec;
    bool viable;
    recognition *recognition;
    arena *arena, *scratch;
    rational_pool *pool;
    letter_odds odds;
    size_t outputs;
    ball **off;   /* [outputs] */
    ball *number; /* two, for what is being computed */
    score_proofs *out;
} work;

enum { SET_OUTPUTS = 6 }; /* of a source without an automaton, as in next_outputs.c */

/* They live as long as the arena of the proofs: the numbers of the pool are freed with the scratch memory. */
typedef struct score_memory {
    arena scratch;
    rational_pool pool;
} score_memory;

static void release_arena(void *what) { arena_free(what); }

/* ---- values against probabilities ---- */

/* How far a value is from the logarithm of a probability, which is not 0. */
static void look_at_value(work *w, size_t output, double value, const rational *chance) {
    ball *x = &w->number[0], *y = &w->number[1];
    ball_set_rational(x, chance);
    ball_log(x, x);
    ball_set_double(y, value);
    ball_sub(x, x, y);
    ball_neg(y, x);
    ball_max(x, x, y);
    ball_max(w->off[output], w->off[output], x);
}

static const char *compare(work *w, size_t output, double value, const rational *chance) {
    if (isnan(value)) return "doubles do not hold a logit before the first letter";
    if (!rational_is_zero(chance))
        look_at_value(w, output, value, chance);
    else if (value != LOGIT_NEVER)
        return "the logit of what never comes is not -1024";
    return NULL;
}

static const char *compare_all(work *w, const logit_reading *values, const rational *chances) {
    const char *why = NULL;
    for (size_t k = 0; k < w->outputs && values->possible; k++)
        for (size_t v = 0; v < values->counts[k] && !why; v++) why = compare(w, k, values->values[k][v], &chances[k]);
    return why;
}

static const char *compare_start(work *w, const rational *chances) {
    const char *why = NULL;
    for (size_t k = 0; k < w->outputs && !why; k++)
        why = compare(w, k, recognition_logit_at_start(w->recognition, k), &chances[k]);
    return why;
}

/* ---- sources that have an automaton ---- */

/* The words after which this score holds. */
static const dfa *automaton_of(const work *w, const weighted_machine *machine, uint32_t score) {
    dfa d = *machine->d;
    d.accepts = arena_alloc(w->scratch, d.state_count, 1);
    for (uint32_t q = 0; q < d.state_count; q++) d.accepts[q] = machine->row[q] == score;
    return dfa_minimise(w->scratch, &d);
}

static const char *prove_score(work *w, const weighted_machine *machine, uint32_t score) {
    score_proof *out = &w->out->all[score];
    const rational *chances = machine->rows[score];
    const char *why = NULL;
    logit_reading found;
    double *logits = arena_alloc(w->scratch, w->outputs, sizeof *logits);
    chances_logits(logits, chances, w->outputs);
    if (!recognition_logits_near(w->recognition, &found, logits, &why)) return why;
    out->formula = found.formula;
    if (!out->formula) return "a formula is too large to write down";
    const temper_spec *e = read_formula_text(w->m, out->formula, w->arena);
    if (!e) return "a formula cannot be written as a text";
    table_limits limits = language_table_allowed();
    out->rows = language_table_of(&e->graph, e->root, automaton_of(w, machine, score), false, &limits, w->arena);
    if (out->rows.why_not) {
        text t;
        text_init(&t, w->arena);
        text_printf(&t, "the logits were not shown to be a row of its source's probabilities where that holds: %s",
                    out->rows.why_not);
        return text_string(&t);
    }
    return compare_all(w, &found, chances);
}

static const char *prove_by_states(work *w) {
    weighted_machine machine;
    const dfa *d = spec_dfa(w->scratch, w->spec, NULL);
    weighted_machine_make(&machine, w->spec, d, dfa_alive(w->scratch, d), &w->odds, w->pool, w->scratch);
    w->out->count = machine.row_count;
    w->out->all = arena_zalloc(w->arena, machine.row_count, sizeof *w->out->all);
    const char *why = NULL;
    for (uint32_t k = 0; k < machine.row_count && !why; k++) why = prove_score(w, &machine, k);
    return why ? why : compare_start(w, machine.rows[machine.row[machine.d->start]]);
}

/* ---- sources that say what is viable ---- */

static const char *prove_by_sets(work *w) {
    bool hold[SET_OUTPUTS] = {0};
    rational *chances = rational_array(w->pool, w->outputs);
    if (w->odds.has_memory || w->outputs > SET_OUTPUTS) return "its probabilities are not of the form of its source";
    for (size_t set = 0; set < (size_t)1 << w->outputs; set++) {
        logit_reading found;
        const char *why = NULL;
        for (size_t k = 0; k < w->outputs; k++) hold[k] = set >> k & 1;
        if (!recognition_logits_where(w->recognition, &found, hold, &why)) return why;
        if (!found.possible) continue;
        if (!letter_odds_chances(chances, hold, w->outputs - 1, &w->odds, w->pool) && set)
            return "somewhere everything that is legal has the weight 0";
        why = compare_all(w, &found, chances);
        if (why) return why;
    }
    for (size_t k = 0; k < w->outputs; k++) hold[k] = recognition_empty(w->recognition, k);
    letter_odds_chances(chances, hold, w->outputs - 1, &w->odds, w->pool);
    return compare_start(w, chances);
}

/* ---- all of it ---- */

static void prove(void *context) {
    work *w = context;
    if (!w->spec->probabilities.is_said) {
        w->out->why_not = "its source says no probabilities";
        return;
    }
    letter_odds_read(&w->odds, w->spec, w->pool, w->scratch);
    w->out->why_not = w->viable ? prove_by_sets(w) : prove_by_states(w);
}

score_proofs *score_proofs_of(const temper_model *m, const temper_spec *spec, bool viable, recognition *r, arena *a) {
    work w = {.m = m, .spec = spec, .viable = viable, .recognition = r, .arena = a};
    trap inner, *outer = a->trap;
    temper_error error;
    w.outputs = model_output_count(m);
    w.out = arena_zalloc(a, 1, sizeof *w.out);
    w.off = arena_alloc(a, w.outputs, sizeof *w.off);
    for (size_t k = 0; k < w.outputs; k++) w.off[k] = ball_array(a, 1);
    w.out->off = w.off;
    w.number = ball_array(a, 2);
    score_memory *memory = arena_alloc(a, 1, sizeof *memory);
    w.scratch = &memory->scratch;
    w.pool = &memory->pool;
    arena_init(w.scratch, outer);
    arena_on_release(a, release_arena, w.scratch);
    rational_pool_init(w.pool, w.scratch);
    a->trap = w.scratch->trap = &inner;
    bool done = trap_attempt(&inner, &error, prove, &w);
    a->trap = w.scratch->trap = outer;
    if (!done && error.code == TEMPER_NO_MEMORY) trap_reraise(outer, &error);
    if (!done) w.out->why_not = arena_copy(a, error.text, strlen(error.text));
    return w.out;
}

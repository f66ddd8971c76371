#include "compile/next_outputs.h"

#include <string.h>

#include "compile/regular_expand.h"
#include "compile/viable_test.h"
#include "compile/weighted_machine.h"
#include "decide/formula_dfa.h"
#include "decide/letter_classes.h"
#include "decide/progression.h"
#include "logic/formula_eval.h"
#include "logic/spec_parse.h"

typedef struct maker {
    temper_spec *s;
    bool causal; /* the language's formula looks back only and is read at the last position */
    bool test;
    const dfa *d;         /* of the language; NULL: it has none */
    unsigned char *alive; /* [states] something can still be accepted */
    const dfa *viable;    /* of the line `viable`, if it has one */
    spec_output *outputs; /* the candidate that is being made */
    arena *keep, *work, *scratch;
    temper_error why; /* of the attempt that failed */
} maker;

static size_t output_count(const maker *m) { return m->s->letters.count + 1; }
static size_t end_output(const maker *m) { return m->s->letters.count; }

/* Runs body(context); false: it raised an error, which m->why has. */
static bool attempt(maker *m, void (*body)(void *), void *context) {
    trap inner, *outer = m->keep->trap;
    m->keep->trap = m->work->trap = m->scratch->trap = &inner;
    bool done = trap_attempt(&inner, &m->why, body, context);
    m->keep->trap = m->work->trap = m->scratch->trap = outer;
    if (!done && m->why.code == TEMPER_NO_MEMORY) trap_reraise(outer, &m->why);
    return done;
}

/* ---- the automaton ---- */

static void find_automaton(void *context) {
    maker *m = context;
    m->d = dfa_copy(m->keep, spec_dfa(m->work, m->s, NULL));
}

/* Read as a language of its own: what is viable, of which the empty prefix is taken from the language. */
static void find_viable(void *context) {
    maker *m = context;
    temper_spec *s = m->s;
    m->viable = formula_dfa(m->work, &s->graph, s->viable, &s->letters, (uint32_t)s->letters.count, TEMPER_AT_LAST,
                            m->alive[m->d->start], NULL);
}

/* What can still be accepted, as an automaton of its own. */
static dfa *prefixes_of(const maker *m, arena *a) {
    dfa all = *m->d;
    all.accepts = m->alive;
    return dfa_minimise(a, &all);
}

/* ---- the outputs ---- */

static const char *output_label(const maker *m, size_t k) {
    text t;
    text_init(&t, m->keep);
    if (k == end_output(m))
        text_puts(&t, "end");
    else
        text_printf(&t, "next '%s'",
                    text_escaped(m->work, m->s->letters.letters[k], strlen(m->s->letters.letters[k]), 40));
    return text_string(&t);
}

static void begin_outputs(maker *m) {
    m->outputs = arena_zalloc(m->keep, output_count(m), sizeof *m->outputs);
    for (size_t k = 0; k < output_count(m); k++) {
        spec_output *x = &m->outputs[k];
        x->name = k == end_output(m) ? "" : m->s->letters.letters[k];
        if (k == end_output(m))
            x->accepts_empty = m->s->accepts_empty;
        else if (m->d)
            x->accepts_empty = m->alive[dfa_next(m->d, m->d->start, m->d->class_of[k])];
    }
}

/* Legal letters by the states of an automaton whose accepting states are those that are alive. */
static void legal_by_states(maker *m, const dfa *d, const unsigned char *alive) {
    node_id *of_class = arena_zalloc(m->work, d->class_count, sizeof *of_class);
    for (size_t k = 0; k < end_output(m); k++) {
        uint32_t c = d->class_of[k];
        if (!of_class[c]) {
            unsigned char *states = arena_alloc(m->keep, d->state_count, 1);
            for (uint32_t q = 0; q < d->state_count; q++) states[q] = alive[dfa_next(d, q, c)];
            of_class[c] = formula_states(&m->s->graph, d, states, output_label(m, k));
        }
        m->outputs[k].root = of_class[c];
    }
}

/* Legal letters: what holds after one more letter. */
static void legal_by_progression(maker *m, node_id viable) {
    formula *f = &m->s->graph;
    uint32_t classes, letters = (uint32_t)m->s->letters.count;
    uint32_t *class_of = formula_letter_classes(&classes, f, viable, letters, m->work);
    node_id *of_class = arena_zalloc(m->work, classes, sizeof *of_class);
    unsigned char *first = arena_zalloc(m->work, classes, 1);
    for (uint32_t k = 0; k < letters; k++) {
        uint32_t c = class_of[k];
        if (!of_class[c]) {
            of_class[c] = formula_after(f, viable, k, m->work);
            formula_eval(&first[c], f, viable, &k, 1, m->work);
        }
        m->outputs[k].root = of_class[c];
        m->outputs[k].accepts_empty = first[c];
    }
}

/* ---- the candidates, of which the smallest is taken ---- */

static void all_by_states(void *context) {
    maker *m = context;
    begin_outputs(m);
    legal_by_states(m, m->d, m->alive);
    m->outputs[end_output(m)].root =
        formula_states(&m->s->graph, m->d, m->d->accepts, output_label(m, end_output(m)));
}

/* The language's own formula for the end, the automaton of its prefixes for the letters. */
static void end_by_formula(void *context) {
    maker *m = context;
    begin_outputs(m);
    const dfa *d = dfa_copy(m->keep, prefixes_of(m, m->work));
    legal_by_states(m, d, d->accepts);
    m->outputs[end_output(m)].root = m->s->root;
}

/* Whether the language has every prefix of its strings, but perhaps the empty one, which a setting decides about. */
static bool is_prefix_closed(const maker *m, const dfa *prefixes) {
    const temper_spec *s = m->s;
    if (s->accepts_empty == m->alive[m->d->start]) return dfa_equal(prefixes, m->d);
    const dfa *d = formula_dfa(m->work, &s->graph, s->root, &s->letters, (uint32_t)s->letters.count, s->at,
                               m->alive[m->d->start], NULL);
    return dfa_equal(prefixes, d);
}

static void all_by_progression(void *context) {
    maker *m = context;
    begin_outputs(m);
    legal_by_progression(m, m->s->root);
    m->outputs[end_output(m)].root = m->s->root;
}

static void legal_by_viable(void *context) {
    maker *m = context;
    begin_outputs(m);
    legal_by_progression(m, m->s->viable);
    m->outputs[end_output(m)].root = m->s->root;
}

typedef struct trial {
    maker *m;
    formula_size size;
} trial;

static void measure(void *context) {
    trial *t = context;
    maker *m = t->m;
    temper_spec with = *m->s;
    regular_expansion plain;
    with.outputs = m->outputs;
    with.output_count = output_count(m);
    regular_expand(&plain, &with, true, m->work, m->scratch);
    node_id *roots = arena_alloc(m->work, output_count(m), sizeof *roots);
    for (size_t k = 0; k < output_count(m); k++) roots[k] = plain.spec->outputs[k].root;
    arena_reset(m->scratch);
    t->size = formulas_measure(&plain.spec->graph, roots, output_count(m), with.letters.count, m->scratch);
}

typedef struct contest {
    spec_output *best;
    formula_size size;
    temper_error why; /* the first refusal */
} contest;

static void compete(maker *m, contest *c, void (*make)(void *)) {
    trial t = {.m = m};
    bool made = attempt(m, make, m) && attempt(m, measure, &t);
    if (!made && c->why.code == TEMPER_OK) c->why = m->why;
    if (!made || (c->best && !size_is_smaller(t.size, c->size))) return;
    c->best = m->outputs;
    c->size = t.size;
}

static bool is_one_language(const maker *m) { return formula_at(&m->s->graph, m->s->root)->op == OP_MATCHES; }

static void choose(maker *m) {
    contest c = {0};
    bool plain = m->causal && !is_one_language(m);
    if (plain && is_prefix_closed(m, prefixes_of(m, m->work))) compete(m, &c, all_by_progression);
    if (plain && m->viable) compete(m, &c, legal_by_viable);
    if (plain) compete(m, &c, end_by_formula);
    compete(m, &c, all_by_states);
    if (!c.best) trap_reraise(m->keep->trap, &c.why);
    m->s->outputs = c.best;
}

/* ---- probabilities ---- */

static _Noreturn void refuse_probabilities(const maker *m, temper_status code, const char *why) {
    const spec_probabilities *p = &m->s->probabilities;
    trap_raise(m->keep->trap, code, p->line, p->column, "%s", why);
}

static void add_score(maker *m, node_id root, bool empty, const rational *chances) {
    double *kept = arena_alloc(m->keep, output_count(m), sizeof *kept);
    chances_logits(kept, chances, output_count(m));
    m->s->scores[m->s->score_count++] = (spec_score){root, empty, kept};
}

/* Outputs and scores are sets of states of one machine, which knows how likely everything is. */
static void outputs_by_weights(maker *m, const letter_odds *w, rational_pool *pool) {
    temper_spec *s = m->s;
    weighted_machine p;
    weighted_machine_make(&p, s, m->d, m->alive, w, pool, m->work);
    const dfa *d = dfa_copy(m->keep, p.d);
    begin_outputs(m);
    for (size_t k = 0; k < output_count(m); k++) {
        unsigned char *states = arena_alloc(m->keep, d->state_count, 1);
        for (uint32_t q = 0; q < d->state_count; q++)
            states[q] = k == end_output(m) ? m->d->accepts[p.state[q]]
                                           : m->alive[dfa_next(m->d, p.state[q], m->d->class_of[k])];
        m->outputs[k].root = formula_states(&s->graph, d, states, output_label(m, k));
    }
    s->scores = arena_zalloc(m->keep, p.row_count, sizeof *s->scores);
    for (uint32_t r = 0; r < p.row_count; r++) {
        unsigned char *states = arena_alloc(m->keep, d->state_count, 1);
        text name;
        text_init(&name, m->keep);
        text_printf(&name, "probabilities %u", r + 1);
        for (uint32_t q = 0; q < d->state_count; q++) states[q] = p.row[q] == r;
        add_score(m, formula_states(&s->graph, d, states, text_string(&name)), p.row[d->start] == r, p.rows[r]);
    }
    s->outputs = m->outputs;
}

/* Without an automaton: a score for each set of outputs that may be the legal one. */
enum { SCORED_OUTPUTS = 6 };

static void score_by_subsets(maker *m, const letter_odds *w, rational_pool *pool) {
    temper_spec *s = m->s;
    formula *f = &s->graph;
    size_t count = output_count(m), sets = (size_t)1 << (count > SCORED_OUTPUTS ? 0 : count);
    if (w->has_memory)
        refuse_probabilities(m, TEMPER_UNSUPPORTED,
                             "of a language that compares counts only weights of letters can be used");
    if (count > SCORED_OUTPUTS)
        refuse_probabilities(m, TEMPER_LIMIT,
                             "a language that compares counts can have probabilities over 5 letters at most");
    rational *chances = rational_array(pool, count);
    bool legal[SCORED_OUTPUTS];
    s->scores = arena_zalloc(m->keep, sets, sizeof *s->scores);
    for (size_t set = 0; set < sets; set++) {
        node_id root = formula_atom(f, OP_TRUE);
        bool empty = true;
        for (size_t k = 0; k < count; k++) {
            const spec_output *x = &s->outputs[k];
            legal[k] = set >> k & 1;
            root = logic_and(f, root, legal[k] ? x->root : logic_not(f, x->root));
            empty = empty && legal[k] == x->accepts_empty;
        }
        if (!empty && formula_at(f, root)->op == OP_FALSE) continue;
        if (!letter_odds_chances(chances, legal, count - 1, w, pool) && set)
            refuse_probabilities(m, TEMPER_RANGE, "somewhere everything that is legal has the weight 0");
        add_score(m, root, empty, chances);
    }
}

static void add_probabilities(maker *m) {
    rational_pool *pool = arena_alloc(m->work, 1, sizeof *pool);
    letter_odds w;
    rational_pool_init(pool, m->work);
    letter_odds_read(&w, m->s, pool, m->work);
    if (m->d)
        outputs_by_weights(m, &w, pool);
    else
        score_by_subsets(m, &w, pool);
}

/* ---- what the text must say ---- */

static const char *word_text(const maker *m, const uint32_t *word, size_t n) {
    text t;
    text_init(&t, m->work);
    for (size_t k = 0; k < n; k++)
        text_printf(&t, "%s%s", k && m->s->letters.tokens ? " " : "", m->s->letters.letters[word[k]]);
    return text_escaped(m->work, text_string(&t), t.length, 60);
}

/* A line `viable` beside a language that has an automaton must say the same. */
static void compare_viable(maker *m) {
    const formula_note *note = &m->s->graph.notes[m->s->viable];
    uint32_t *word;
    size_t n;
    m->viable = NULL;
    if (!attempt(m, find_viable, m)) {
        if (m->test) viable_test(m->s, NULL, m->d, m->alive, m->scratch);
        return;
    }
    if (dfa_same_language(&word, &n, m->viable, prefixes_of(m, m->work), m->work)) return;
    trap_raise_hint(
        m->keep->trap, TEMPER_RANGE, note->line, note->column,
        "leave the line out: the language has an automaton, which says what can be completed",
        dfa_accepts(m->viable, word, n)
            ? "the line 'viable' is not right: '%s' is viable, but no string of the language begins with it"
            : "the line 'viable' is not right: '%s' begins a string of the language, but is not viable",
        word_text(m, word, n));
}

static void need_viable(const maker *m) {
    trap *t = m->keep->trap;
    if (!m->s->viable && m->why.remedy == TEMPER_REMEDY_EFFORT)
        trap_raise_remedy(t, m->why.code, m->why.line, m->why.column, m->why.remedy,
                          "what can be completed is not known without a line 'viable': %.150s", m->why.text);
    if (!m->s->viable)
        trap_raise_hint(t, m->why.code, m->why.line, m->why.column,
                        "say what every prefix of a member keeps, in a line such as viable H(#[a] >= #[b])",
                        "what can be completed is not known: %.150s", m->why.text);
    if (!m->causal)
        trap_raise_hint(t, TEMPER_UNSUPPORTED, m->why.line, m->why.column,
                        "use operators that look back, and read it at the last position",
                        "what may end must be known from what was read: %.150s", m->why.text);
}

static void release_arena(void *what) { arena_free(what); }

void spec_make_outputs(temper_spec *s, next_report *r, bool test, arena *scratch) {
    arena *work = arena_alloc(&s->memory, 1, sizeof *work);
    arena_init(work, s->memory.trap);
    arena_on_release(&s->memory, release_arena, work); /* if an error is raised; else it is empty by then */
    maker m = {.s = s, .test = test, .keep = &s->memory, .work = work, .scratch = scratch};
    *r = (next_report){0};
    if (s->letters.count + 1 > SPEC_OUTPUTS)
        trap_raise(s->memory.trap, TEMPER_LIMIT, 0, 0,
                   "a language model has at most %d letters, and this one has %zu", SPEC_OUTPUTS - 1,
                   (size_t)s->letters.count);
    node_id back, forward;
    m.causal = s->at == TEMPER_AT_LAST && !(formula_directions(&s->graph, s->root, &back, &forward) & 2);
    if (attempt(&m, find_automaton, &m)) {
        m.alive = dfa_alive(m.keep, m.d);
        if (s->viable) compare_viable(&m);
        if (!s->probabilities.is_said) choose(&m);
    } else {
        need_viable(&m);
        legal_by_viable(&m);
        s->outputs = m.outputs;
        if (test) {
            node_id *legal = arena_alloc(work, s->letters.count, sizeof *legal);
            for (size_t k = 0; k < s->letters.count; k++) legal[k] = s->outputs[k].root;
            r->tested = viable_test(s, legal, NULL, NULL, scratch);
        }
    }
    s->output_count = output_count(&m);
    if (s->probabilities.is_said) add_probabilities(&m);
    r->automaton = m.d;
    spec_make_views(s);
    arena_free(work);
}

/* ---- a copy with outputs ---- */

static void release_spec(void *spec) { temper_spec_free(spec); }

static void need_no_transducer(const temper_spec *spec, trap *t) {
    if (spec->whole) trap_raise(t, TEMPER_RANGE, 0, 0, "one output of a specification has no outputs of its own");
    if (spec->kind == TEMPER_KIND_TRANSDUCER)
        trap_raise(t, TEMPER_UNSUPPORTED, 0, 0, "a transducer writes strings: no letter comes next in them");
}

/* The text read again, as a language model. */
static temper_spec *read_again(const temper_spec *spec, trap *t) {
    temper_spec_options o = {.syntax = spec->syntax,
                             .letters = (const char *const *)spec->letters.letters,
                             .letter_count = spec->letters.count,
                             .tokens = spec->letters.tokens,
                             .other = alphabet_other(&spec->letters),
                             .at = spec->at,
                             .empty = spec->accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT,
                             .kind = TEMPER_KIND_NEXT};
    temper_spec *made;
    temper_error error;
    if (temper_spec_parse(&made, spec->source, spec->source_length, &o, &error) != TEMPER_OK) trap_reraise(t, &error);
    return made;
}

static void fill(temper_spec *made, next_report *r, bool test, entry *e) {
    made->memory.trap = e->trap;
    spec_make_outputs(made, r, test, &e->scratch);
    made->memory.trap = NULL;
}

const temper_spec *entry_next_spec(entry *e, const temper_spec *spec, bool test) {
    next_report r;
    need_no_transducer(spec, e->trap);
    temper_spec *made = read_again(spec, e->trap);
    entry_on_leaving(e, release_spec, made);
    fill(made, &r, test, e);
    return made;
}

typedef struct next_call {
    temper_spec **out;
    temper_next_info *info;
    const temper_spec *spec;
} next_call;

static void make_next(entry *e, void *context) {
    const next_call *c = context;
    next_report r;
    need_no_transducer(c->spec, e->trap);
    temper_spec *made = read_again(c->spec, e->trap);
    entry_on_failure(e, release_spec, made);
    fill(made, &r, true, e);
    if (c->info)
        *c->info = (temper_next_info){.states = r.automaton ? r.automaton->state_count : 0, .tested = r.tested};
    *c->out = made;
}

temper_status temper_spec_next(temper_spec **out, temper_next_info *info, const temper_spec *spec,
                               temper_error *err) {
    next_call call = {out, info, spec};
    *out = NULL;
    if (info) *info = (temper_next_info){0};
    return entry_run(err, make_next, &call);
}

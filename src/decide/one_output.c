/* Whether a transducer writes one thing at every position of every string: decided by the automaton of the strings
   with a place where no output holds, or several do, where there is such an automaton; else tried on strings. */
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "base/random.h"
#include "decide/formula_dfa.h"
#include "logic/formula_eval.h"
#include "logic/written.h"

enum { SHORT_STRINGS = 4000, RANDOM_STRINGS = 200, RANDOM_LENGTH = 100 };

typedef struct inquiry {
    const temper_spec *s;
    temper_one_output *out;
    arena *memory, *scratch;
    dfa *automaton;
    trap inner;
} inquiry;

/* ---- by its automaton ---- */

static void make_automaton(void *context) {
    inquiry *q = context;
    const temper_spec *s = q->s;
    q->automaton = formula_dfa(q->memory, &s->graph, s->unclear_so_far, &s->letters, (uint32_t)s->letters.count,
                               TEMPER_AT_LAST, false, NULL);
}

/* False: it has none, or one that is too large; why stands in q->inner. */
static bool has_automaton(inquiry *q) {
    trap *outer = q->memory->trap;
    q->memory->trap = &q->inner;
    bool made = trap_attempt(&q->inner, NULL, make_automaton, q);
    q->memory->trap = outer;
    temper_status code = q->inner.error.code;
    if (!made && code != TEMPER_UNSUPPORTED && code != TEMPER_LIMIT) trap_reraise(outer, &q->inner.error);
    return made;
}

/* ---- what is wrong with a string ---- */

static void keep_string(inquiry *q, const uint32_t *word, size_t n, size_t position, entry *e) {
    const temper_spec *s = q->s;
    temper_one_output *out = q->out;
    text string, why;
    text_init(&string, q->memory);
    text_init(&why, q->memory);
    for (size_t k = 0; k < n; k++)
        text_printf(&string, "%s%s", k && s->letters.tokens ? " " : "", s->letters.letters[word[k]]);
    const char **names = arena_alloc(q->memory, s->output_count, sizeof *names);
    node_id *roots = arena_alloc(q->memory, s->output_count, sizeof *roots);
    for (size_t k = 0; k < s->output_count; k++) {
        names[k] = s->outputs[k].name;
        roots[k] = s->outputs[k].root;
    }
    unsigned char *truth = arena_alloc(q->memory, s->output_count * n, 1);
    formula_eval_roots(truth, &s->graph, roots, s->output_count, word, n, q->memory);
    written_refusal(&why, names, s->output_count, truth + position - 1, n, position);
    out->answer = TEMPER_ONE_REFUTED;
    out->length = n;
    out->position = position;
    char *copy = entry_hand_out(e, text_string(&string), string.length);
    entry_on_failure(e, free, copy);
    out->why = entry_hand_out(e, text_string(&why), why.length);
    out->string = copy;
}

/* The first position that is not clear; 0: there is none. */
static size_t unclear_at(const inquiry *q, const uint32_t *word, size_t n) {
    unsigned char *truth = arena_alloc(q->scratch, n, 1);
    formula_eval(truth, &q->s->graph, q->s->unclear, word, n, q->scratch);
    const unsigned char *found = n ? memchr(truth, 1, n) : NULL;
    return found ? (size_t)(found - truth) + 1 : 0;
}

static void decide(inquiry *q, entry *e) {
    const dfa *d = q->automaton;
    dfa nothing = *d;
    nothing.accepts = arena_zalloc(q->memory, d->state_count, sizeof *nothing.accepts);
    uint32_t *word;
    size_t n;
    if (dfa_same_language(&word, &n, d, &nothing, q->memory)) {
        q->out->answer = TEMPER_ONE_PROVED;
        return;
    }
    size_t position = unclear_at(q, word, n);
    if (!position)
        trap_raise(e->trap, TEMPER_FORMAT, 0, 0, "the automaton of a transducer disagrees with its formulas");
    keep_string(q, word, n, position, e);
}

/* ---- by trying strings ---- */

static bool next_word(uint32_t *word, size_t n, size_t letters) {
    while (n > 0) {
        if (++word[n - 1] < letters) return true;
        word[--n] = 0;
    }
    return false;
}

static bool try_string(inquiry *q, const uint32_t *word, size_t n, entry *e) {
    arena_reset(q->scratch);
    size_t position = unclear_at(q, word, n);
    q->out->tested++;
    if (position) keep_string(q, word, n, position, e);
    return position != 0;
}

/* Letters that change now and then, by turns often and seldom. */
static void draw_word(uint32_t *word, size_t n, size_t letters, uint64_t *seed) {
    uint64_t stay = random_next(seed) % 8;
    for (size_t k = 0; k < n; k++)
        word[k] = k && random_next(seed) % 8 < stay ? word[k - 1] : (uint32_t)(random_next(seed) % letters);
}

static void try_strings(inquiry *q, entry *e) {
    size_t letters = q->s->letters.count, count = 1;
    uint32_t *word = arena_zalloc(q->memory, RANDOM_LENGTH, sizeof *word);
    uint64_t seed = 0;
    for (size_t n = 1; n <= RANDOM_LENGTH && (count *= letters) <= SHORT_STRINGS; n++) {
        memset(word, 0, n * sizeof *word);
        do
            if (try_string(q, word, n, e)) return;
        while (next_word(word, n, letters));
    }
    for (size_t k = 0; k < RANDOM_STRINGS; k++) {
        size_t n = 1 + random_next(&seed) % RANDOM_LENGTH;
        draw_word(word, n, letters, &seed);
        if (try_string(q, word, n, e)) return;
    }
    q->out->answer = TEMPER_ONE_TESTED;
    q->out->why = entry_hand_out(e, q->inner.error.text, strlen(q->inner.error.text));
}

/* ---- the public function ---- */

typedef struct one_call {
    temper_one_output *out;
    const temper_spec *spec;
} one_call;

static void look(entry *e, void *context) {
    const one_call *c = context;
    inquiry q = {.s = c->spec, .out = c->out, .memory = &e->memory, .scratch = &e->scratch};
    if (c->spec->kind != TEMPER_KIND_TRANSDUCER || !c->spec->unclear)
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "only a transducer writes one thing at each position");
    if (has_automaton(&q))
        decide(&q, e);
    else
        try_strings(&q, e);
}

temper_status temper_spec_one_output(temper_one_output *out, const temper_spec *spec, temper_error *err) {
    one_call call = {out, spec};
    memset(out, 0, sizeof *out);
    temper_status status = entry_run(err, look, &call);
    if (status) memset(out, 0, sizeof *out);
    return status;
}

void temper_one_output_clear(temper_one_output *out) {
    if (!out) return;
    free(out->string);
    free(out->why);
    memset(out, 0, sizeof *out);
}

/* Strings out of a language model. The transformer is asked at every step; where strings are counted, an automaton
   chooses the letters and the transformer must agree. */
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "base/random.h"
#include "base/work.h"
#include "decide/formula_dfa.h"
#include "model/model_spec.h"
#include "sequence/string_counts.h"
#include "sequence/walk.h"

enum { TRIES_DEFAULT = 1000, LENGTH_DEFAULT = 100 };

struct temper_sampler {
    arena memory;
    walk walk;
    temper_sampling by;
    size_t length, letters, tries;
    uint64_t seed;
    string_counts counts; /* by strings */
    uint32_t *word;
    uint32_t *options; /* [letters + 1] */
};

/* 0 .. limit - 1, each equally likely. */
static uint64_t below(uint64_t *seed, uint64_t limit) {
    uint64_t most = UINT64_MAX - UINT64_MAX % limit, x;
    do x = random_next(seed);
    while (x >= most);
    return x % limit;
}

/* ---- letter by letter ---- */

/* A letter, or the number of letters for the end; UINT32_MAX: nothing is legal. */
static uint32_t choose(temper_sampler *s) {
    size_t count = 0;
    for (uint32_t k = 0; k <= s->letters; k++)
        if (walk_output(&s->walk, k)) s->options[count++] = k;
    return count ? s->options[below(&s->seed, count)] : UINT32_MAX;
}

/* The same, as likely as the model says. */
static uint32_t choose_by_weights(temper_sampler *s) {
    double total = 0, sum = 0;
    for (uint32_t k = 0; k <= s->letters; k++)
        if (walk_output(&s->walk, k)) total += temper_probability(walk_logit(&s->walk, k));
    double at = (double)(random_next(&s->seed) >> 11) * 0x1p-53 * total;
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k <= s->letters && !(sum > at); k++) {
        double p = walk_output(&s->walk, k) ? temper_probability(walk_logit(&s->walk, k)) : 0;
        sum += p;
        if (p > 0) last = k;
    }
    return last;
}

/* False: it had not ended where it had to stop. The end is not forced there, which would make the longest strings
   more likely than they are. */
static bool draw_letters(temper_sampler *s, trap *t) {
    for (;;) {
        uint32_t next = s->by == TEMPER_SAMPLING_WEIGHTS ? choose_by_weights(s) : choose(s);
        if (next == UINT32_MAX) return false;
        if (next == s->letters) return true;
        if (s->walk.length == s->length) return false;
        walk_push(&s->walk, next, t);
    }
}

/* What needs a thousand tries is told of. */
static void trying(const temper_sampler *s, size_t turn) {
    if (turn == 1023) work_begin("trying to draw a string", s->tries);
    work_at(turn);
}

static void draw_by_letters(temper_sampler *s, trap *t) {
    for (size_t turn = 0; turn < s->tries; turn++) {
        walk_restart(&s->walk, t);
        if (turn % 1024 == 1023) trying(s, turn);
        if (draw_letters(s, t)) return;
        if (s->walk.length == 0) trap_raise(t, TEMPER_RANGE, 0, 0, "the language has no strings");
    }
    trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "a larger length, more tries, or strings of one length by counting",
                    "none of %zu strings came to an end within %zu letters", s->tries, s->length);
}

/* ---- by counting ---- */

static _Noreturn void disagree(size_t n, trap *t) {
    trap_raise(t, TEMPER_RANGE, 0, 0,
               "the model does not compute the specification that it carries: it does not go on after %zu letters of "
               "a string",
               n);
}

static void draw_by_counts(temper_sampler *s, trap *t) {
    string_counts_draw(s->word, &s->counts, &s->seed);
    walk_restart(&s->walk, t);
    for (size_t k = 0; k < s->length; k++) {
        if (!walk_output(&s->walk, s->word[k])) disagree(k, t);
        walk_push(&s->walk, s->word[k], t);
    }
    if (!walk_output(&s->walk, s->letters)) disagree(s->length, t);
}

static void prepare_counts(temper_sampler *s, entry *e) {
    const temper_spec *spec = model_spec(s->walk.model, &e->memory);
    if (!spec)
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0,
                   "strings are counted by the model's specification, which it lacks");
    const dfa *d = dfa_copy(&s->memory, spec_dfa(&e->memory, spec, NULL));
    string_counts_make(&s->counts, d, s->length, &s->memory);
    if (!string_counts_any(&s->counts))
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the language has no string of %zu letters", s->length);
    s->word = arena_alloc(&s->memory, s->length + 1, sizeof *s->word);
}

/* ---- the public functions ---- */

void temper_sampler_free(temper_sampler *s) {
    if (!s) return;
    arena_free(&s->memory);
    free(s);
}

static void drop(void *sampler) { temper_sampler_free(sampler); }

typedef struct open_call {
    temper_sampler **out;
    const temper_model *model;
    temper_sample_options options;
} open_call;

static void open_sampler(entry *e, void *context) {
    const open_call *c = context;
    const temper_sample_options *o = &c->options;
    if (o->by > TEMPER_SAMPLING_LAST_) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "there is no such way to sample");
    temper_sampler *s = caller_alloc(e->trap, 1, sizeof *s);
    memset(s, 0, sizeof *s);
    arena_init(&s->memory, e->trap);
    entry_on_failure(e, drop, s);
    s->by = o->by;
    s->length = o->length || o->by == TEMPER_SAMPLING_STRINGS ? o->length : LENGTH_DEFAULT;
    s->tries = o->tries ? o->tries : TRIES_DEFAULT;
    s->seed = o->seed;
    s->letters = c->model->letters.count;
    s->options = arena_alloc(&s->memory, s->letters + 1, sizeof *s->options);
    walk_open(&s->walk, c->model, &o->run, &s->memory);
    if (s->by == TEMPER_SAMPLING_WEIGHTS && !model_has_logits(c->model))
        trap_raise_hint(e->trap, TEMPER_UNSUPPORTED, 0, 0, "give the specification a line 'probabilities'",
                        "the model has no probabilities");
    if (s->by == TEMPER_SAMPLING_STRINGS) prepare_counts(s, e);
    s->memory.trap = NULL;
    *c->out = s;
}

temper_status temper_sampler_open(temper_sampler **out, const temper_model *model,
                                  const temper_sample_options *options, temper_error *err) {
    open_call call = {.out = out, .model = model};
    if (options) call.options = *options;
    *out = NULL;
    return entry_run(err, open_sampler, &call);
}

typedef struct draw_call {
    uint32_t **letters;
    size_t *n;
    int *proved;
    temper_sampler *sampler;
} draw_call;

static void draw(entry *e, void *context) {
    const draw_call *c = context;
    temper_sampler *s = c->sampler;
    if (s->by == TEMPER_SAMPLING_STRINGS)
        draw_by_counts(s, e->trap);
    else
        draw_by_letters(s, e->trap);
    size_t n = s->walk.length;
    *c->letters = caller_alloc(e->trap, n + 1, sizeof **c->letters);
    if (n) memcpy(*c->letters, s->walk.word, n * sizeof **c->letters);
    *c->n = n;
    if (c->proved) *c->proved = s->walk.proved;
}

temper_status temper_sampler_draw(uint32_t **letters, size_t *n, int *proved, temper_sampler *sampler,
                                  temper_error *err) {
    draw_call call = {letters, n, proved, sampler};
    *letters = NULL;
    *n = 0;
    return entry_run(err, draw, &call);
}

/* temper_ordinary_limits: how far an ordinary transformer is proved, and where an emulator of its runtimes errs. */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/work.h"
#include "ordinary/ordinary.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary/run/ordinary_answer.h"
#include "ordinary/proof/ordinary_longest.h"

enum { DEFAULT_MOST = 2048, STRINGS = 4 };

typedef struct search {
    const temper_model *hard;
    const temper_spec *read;
    struct ordinary_options options;
    uint64_t random;
    arena *memory, *scratch; /* of one length */
    arena rooms[2];          /* of one length */
    size_t position;         /* of a wrong answer */
    bool wrong;
    uint64_t pairs, most_pairs; /* of positions of all strings so far, and if no answer is wrong */
} search;

/* Letters of a string that is hard to tell apart: two by turns; anything; runs; one letter among others. */
static void make_string(search *s, uint32_t *w, size_t n, size_t kind) {
    uint32_t letters = (uint32_t)s->hard->letters.count, run = 0, letter = 0;
    for (size_t k = 0; k < n; k++) {
        if (kind == 1 || run == 0) {
            letter = (uint32_t)(random_next(&s->random) % letters);
            run = kind == 2 ? 1 + (uint32_t)(random_next(&s->random) % 40) : 1;
        }
        run--;
        w[k] = kind == 3 && random_next(&s->random) % 16 ? 0 : letter;
        if (kind == 0 && letters > 1) w[k] = letters - 2 + k % 2;
    }
}

static bool run_string(search *s, const ordinary_answers *answers, const ordinary_runner *r, const uint32_t *w,
                       size_t n) {
    temper_error e;
    const struct ordinary_model *m = answers->m;
    uint32_t *tokens = arena_alloc(s->memory, n + 1, sizeof *tokens);
    float *logits = arena_alloc(s->memory, (n + 1) * m->vocabulary, sizeof *logits);
    tokens[0] = ORDINARY_BOS;
    for (size_t k = 0; k < n; k++) tokens[k + 1] = ORDINARY_LETTERS + w[m->mirrored ? n - 1 - k : k];
    if (temper_spec_eval_outputs(answers->truth, answers->read, w, n, &e) != TEMPER_OK)
        trap_reraise(s->memory->trap, &e);
    ordinary_run(logits, r, tokens, n + 1, s->scratch);
    for (size_t row = 0; row <= n; row++) {
        if (ordinary_answer_is_right(answers, logits + row * m->vocabulary, row, n)) continue;
        s->wrong = true;
        s->position = row;
        return false;
    }
    return true;
}

static void tell(const search *s) {
    work_begin("running strings until an answer is wrong", s->most_pairs);
    work_at(s->pairs);
}

static void try_strings(void *context) {
    search *s = context;
    size_t n = s->options.length;
    const struct ordinary_model *m = ordinary_from_model(s->memory, s->hard, &s->options);
    ordinary_answers answers = {m, s->read, s->hard->kind, arena_alloc(s->memory, s->hard->read.count * n, 1)};
    uint32_t *w = arena_alloc(s->memory, n, sizeof *w);
    for (size_t k = 0; k < STRINGS; k++) {
        tell(s); /* a long string tells of itself */
        struct ordinary_kernel kernel = {.f16_weights = s->options.weights == ORDINARY_F16,
                                         .f16_cache = s->options.kv == ORDINARY_F16,
                                         .fused = k % 2 == 0};
        make_string(s, w, n, k);
        if (!run_string(s, &answers, ordinary_runner_new(s->memory, m, &kernel), w, n)) return;
        s->pairs += (uint64_t)n * n;
    }
}

/* Tries the length of the options. False: no such model can be made, and *why has the reason. */
static bool try_length(search *s, temper_error *why) {
    trap inner;
    s->memory = &s->rooms[0];
    s->scratch = &s->rooms[1];
    s->wrong = false;
    arena_init(s->memory, &inner);
    arena_init(s->scratch, &inner);
    bool done = trap_attempt(&inner, why, try_strings, s);
    arena_free(s->memory);
    arena_free(s->scratch);
    return done;
}

typedef struct limits_call {
    temper_ordinary_limit *out;
    const temper_ordinary *x;
    size_t most;
} limits_call;

static size_t next_length(size_t n, size_t from, size_t most) {
    n += n == from ? 1 : n / 16 + 1;
    return n < most ? n : most;
}

static uint64_t pairs_of_all(size_t from, size_t most) {
    uint64_t pairs = 0;
    for (size_t n = from;; n = next_length(n, from, most)) {
        pairs += STRINGS * (uint64_t)n * n;
        if (n == most) return pairs;
    }
}

/* What is proved, the next length, and then lengths that grow by a sixteenth. */
static void find_wrong(search *s, temper_ordinary_limit *out, size_t most, trap *t) {
    size_t from = out->proved.length ? out->proved.length : 8;
    from = from < most ? from : most;
    s->most_pairs = pairs_of_all(from, most);
    for (size_t n = from;;) {
        temper_error why;
        s->options.length = n;
        if (!try_length(s, &why)) {
            if (why.code == TEMPER_NO_MEMORY) trap_reraise(t, &why);
            snprintf(out->note, sizeof out->note, "%.190s", why.text);
            return;
        }
        if (s->wrong) {
            out->found = 1;
            out->wrong = n;
            out->position = s->position;
            return;
        }
        out->tried = n;
        if (n == most) return;
        n = next_length(n, from, most);
    }
}

static void limits(entry *e, void *context) {
    const limits_call *c = context;
    struct ordinary_options o = c->x->options;
    search s = {.random = 1 + c->x->made.options.seed, .hard = c->x->hard.model, .read = c->x->read};
    size_t most = c->most ? c->most : DEFAULT_MOST;
    if (most > ORDINARY_LENGTH_LIMIT) most = ORDINARY_LENGTH_LIMIT;
    o.length = ORDINARY_LENGTH_LIMIT;
    ordinary_reach r = ordinary_prove_longest(&e->memory, s.hard, s.read, &o);
    *c->out = (temper_ordinary_limit){.proved = ordinary_verdict_of(&r)};
    s.options = o;
    s.options.unchecked = true;
    find_wrong(&s, c->out, most, e->trap);
}

temper_status temper_ordinary_limits(temper_ordinary_limit *out, const temper_ordinary *x, size_t most,
                                     temper_error *err) {
    limits_call call = {out, x, most};
    return entry_run(err, limits, &call);
}

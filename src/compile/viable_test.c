#include "compile/viable_test.h"

#include <string.h>

#include "base/random.h"
#include "logic/formula_eval.h"

enum { SHORT_STRINGS = 3000, SHORT_LENGTH = 12, RANDOM_STRINGS = 150, RANDOM_LENGTH = 60, LETTERS_TRIED = 64 };

typedef struct trial {
    const temper_spec *s;
    const node_id *legal;
    const dfa *d;
    const unsigned char *alive;
    node_id *kinds; /* the different formulas among legal */
    size_t kind_count;
    arena *scratch;
    unsigned char *end, *viable, *next; /* [RANDOM_LENGTH] */
    unsigned char *legal_some;
    size_t prefixes;
} trial;

static const char *word_text(const trial *t, const uint32_t *word, size_t n) {
    text out;
    text_init(&out, t->scratch);
    for (size_t k = 0; k < n; k++)
        text_printf(&out, "%s%s", k && t->s->letters.tokens ? " " : "", t->s->letters.letters[word[k]]);
    return text_escaped(t->scratch, text_string(&out), out.length, 60);
}

static _Noreturn void contradict(const trial *t, const uint32_t *word, size_t n, const char *what) {
    const formula_note *note = &t->s->graph.notes[t->s->viable];
    trap_raise_hint(t->scratch->trap, TEMPER_RANGE, note->line, note->column,
                    "viable must hold of exactly the prefixes that some string of the language begins with",
                    "the line 'viable' is not right: '%s' %s", word_text(t, word, n), what);
}

static void eval(const trial *t, unsigned char *out, node_id root, const uint32_t *word, size_t n) {
    formula_eval(out, &t->s->graph, root, word, n, t->scratch);
}

/* One string, at each of its prefixes but those that other strings have tried (the first `known`). */
static void try_string(trial *t, const uint32_t *word, size_t n, size_t known) {
    uint32_t state = t->d ? t->d->start : 0;
    eval(t, t->viable, t->s->viable, word, n);
    if (t->d) {
        for (size_t i = 0; i < n; i++) {
            state = dfa_next(t->d, state, t->d->class_of[word[i]]);
            if (i < known || t->viable[i] == t->alive[state]) continue;
            contradict(t, word, i + 1,
                       t->viable[i] ? "is viable, but no string of the language begins with it"
                                    : "begins a string of the language, but is not viable");
        }
        return;
    }
    eval(t, t->end, t->s->root, word, n);
    memset(t->legal_some, 0, n);
    for (size_t k = 0; k < t->kind_count; k++) {
        eval(t, t->next, t->kinds[k], word, n);
        for (size_t i = 0; i < n; i++) t->legal_some[i] |= t->next[i];
    }
    for (size_t i = known; i < n; i++) {
        if (t->end[i] && !t->viable[i]) contradict(t, word, i + 1, "is in the language, but is not viable");
        if (t->legal_some[i] && !t->viable[i])
            contradict(t, word, i + 1, "is not viable, but becomes it after one more letter");
        if (t->viable[i] && !t->end[i] && !t->legal_some[i])
            contradict(t, word, i + 1, "is viable, but is not in the language, and no letter can follow it");
    }
}

/* Formulas that occur for several letters are evaluated once. */
static void find_kinds(trial *t) {
    size_t letters = t->s->letters.count;
    t->kinds = arena_alloc(t->scratch, letters, sizeof *t->kinds);
    for (size_t k = 0; k < letters && !t->d; k++) {
        bool known = false;
        for (size_t i = 0; i < t->kind_count && !known; i++) known = t->kinds[i] == t->legal[k];
        if (!known) t->kinds[t->kind_count++] = t->legal[k];
    }
}

/* Short strings by length, so that the first contradiction is a shortest one. */
static void try_short(trial *t, arena *strings) {
    size_t letters = t->s->letters.count < LETTERS_TRIED ? t->s->letters.count : LETTERS_TRIED, total = 1;
    uint32_t word[SHORT_LENGTH];
    for (size_t n = 1; n <= SHORT_LENGTH && total * letters <= SHORT_STRINGS; n++) {
        total *= letters;
        for (size_t k = 0; k < total; k++) {
            size_t rest = k;
            for (size_t i = n; i-- > 0; rest /= letters) word[i] = (uint32_t)(rest % letters);
            try_string(t, word, n, n - 1);
            arena_reset(strings);
        }
        t->prefixes += total;
    }
}

/* Half of them stay viable where they can, since a random letter soon leaves what is. */
static void try_random(trial *t, arena *strings) {
    uint64_t seed = 1;
    uint32_t word[RANDOM_LENGTH];
    for (size_t k = 0; k < RANDOM_STRINGS; k++) {
        size_t n = 1 + random_next(&seed) % RANDOM_LENGTH;
        for (size_t i = 0; i < n; i++) {
            word[i] = (uint32_t)(random_next(&seed) % t->s->letters.count);
            for (size_t turn = 0; k % 2 && turn < 4; turn++) {
                eval(t, t->viable, t->s->viable, word, i + 1);
                arena_reset(strings);
                if (t->viable[i]) break;
                word[i] = (uint32_t)(random_next(&seed) % t->s->letters.count);
            }
        }
        try_string(t, word, n, 0);
        arena_reset(strings);
        t->prefixes += n;
    }
}

static void release(void *what) { arena_free(what); }

size_t viable_test(const temper_spec *s, const node_id *legal, const dfa *d, const unsigned char *alive,
                   arena *scratch) {
    arena_reset(scratch);
    arena *strings = arena_alloc(scratch, 1, sizeof *strings);
    arena_init(strings, scratch->trap);
    arena_on_release(scratch, release, strings);
    trial t = {.s = s, .legal = legal, .d = d, .alive = alive, .scratch = scratch};
    t.end = arena_alloc(scratch, RANDOM_LENGTH, 1);
    t.viable = arena_alloc(scratch, RANDOM_LENGTH, 1);
    t.next = arena_alloc(scratch, RANDOM_LENGTH, 1);
    t.legal_some = arena_alloc(scratch, RANDOM_LENGTH, 1);
    find_kinds(&t);
    t.scratch = strings;
    try_short(&t, strings);
    try_random(&t, strings);
    return t.prefixes;
}

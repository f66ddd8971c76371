/* The auditor's automaton of a formula, which says what comes next in a language model: on all short words it accepts
   what the second oracle says of the formula. Random formulas that look one way, and written ones with many sets
   of letters and with regular languages. Automata are the least ones, so equal languages have equal automata. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_language.h"
#include "base/entry.h"
#include "corpus.h"
#include "logic/formula_eval.h"
#include "random_formula.h"
#include "reference.h"

enum { LONGEST = 5 };

static arena memory;
static trap failure;

typedef struct subject {
    const temper_spec *spec;
    const char *name;
    bool forward, empty;
    const automaton *made;
    temper_error error;
} subject;

static void made(void *context) {
    subject *x = context;
    const formula *f = &x->spec->graph;
    const automaton **languages = arena_zalloc(&memory, f->language_count, sizeof *languages);
    for (size_t k = 0; k < f->language_count; k++) {
        const formula_language *l = &f->languages[k];
        languages[k] = automaton_from_regex(
            &memory, audit_regex_read(&memory, l->source, l->source_length, &x->spec->letters), x->forward);
    }
    x->made = language_automaton(x->spec, x->forward, x->empty, languages, &memory);
}

static bool make(subject *x) {
    trap inside;
    memory.trap = &inside;
    bool done = trap_attempt(&inside, &x->error, made, x);
    memory.trap = &failure;
    return done;
}

static bool accepts(const automaton *x, const uint32_t *word, size_t n) {
    uint32_t state = 0;
    for (size_t k = 0; k < n; k++) state = x->next[(size_t)state * x->classes + x->class_of[word[k]]];
    return x->accepts[state];
}

static bool holds(const subject *x, const uint32_t *word, size_t n) {
    unsigned char truth[LONGEST];
    if (n == 0) return x->empty;
    if (x->spec->graph.language_count)
        formula_eval(truth, &x->spec->graph, x->spec->root, word, n, &memory);
    else
        reference_eval(truth, &x->spec->graph, x->spec->root, word, n);
    return truth[x->forward ? 0 : n - 1];
}

static void check_words(const subject *x) {
    size_t letters = x->spec->letters.count;
    for (size_t n = 0, count = 1; n <= LONGEST && count <= 1500; n++, count *= letters) {
        uint32_t word[LONGEST + 1] = {0};
        do
            if (!CHECK(accepts(x->made, word, n) == holds(x, word, n), "%s: %zu letters, %u %u %u %u %u", x->name, n,
                       word[0], word[1], word[2], word[3], word[4]))
                return;
        while (corpus_next_word(word, n, letters));
    }
}

static void check_least(const subject *x) {
    const automaton *least = automaton_least(&memory, x->made, x->spec->letters.count);
    CHECK(least->states == x->made->states && least->classes == x->made->classes, "%s: not the least automaton",
          x->name);
}

/* ---- written ones ---- */

static const struct {
    const char *source;
    temper_at at;
} WRITTEN[] = {
    {"alphabet a b c d\na | b | c\n", TEMPER_AT_LAST},
    {"alphabet a b c d e\nH (a | b | c | d)\n", TEMPER_AT_LAST},
    {"alphabet a b c d e f\nO (a & !b & !c) | O (d & !e)\n", TEMPER_AT_LAST},
    {"alphabet a b\ntrue\n", TEMPER_AT_LAST},
    {"alphabet a b\nfirst\n", TEMPER_AT_LAST},
    {"alphabet a b\nlast\n", TEMPER_AT_FIRST},
    {"alphabet a b c d\nF (a | b | c)\n", TEMPER_AT_FIRST},
    {"alphabet a b c\n/(ab)*c?/ & !/c/\n", TEMPER_AT_LAST},
    {"alphabet a b c d\n/[ab]*/ | /[bc]*/ | /[cd]*/ | O d\n", TEMPER_AT_LAST},
    {"alphabet a b c\nO /ab/ & Y /[ab]+c*/\n", TEMPER_AT_LAST},
    {"alphabet a b c\n#[a] % 3 = 1 & #[b] >= 2\n", TEMPER_AT_LAST},
    {"alphabet a b c d\n(a U b) | X (c | d)\n", TEMPER_AT_FIRST},
    {"alphabet a b c\nrightmost[j<i, a | b] b\n", TEMPER_AT_LAST},
    {"alphabet a b c\nleftmost[j<=i, a | b] b & Y true\n", TEMPER_AT_LAST},
    {"alphabet a b c\nrightmost[j<i, letter is letter] Y a\n", TEMPER_AT_LAST},
    {"alphabet a b c\nleftmost[j>i, a | b] X b\n", TEMPER_AT_FIRST},
};

static void check_written(void) {
    for (size_t k = 0; k < 2 * (sizeof WRITTEN / sizeof *WRITTEN); k++) {
        temper_spec *spec = NULL;
        temper_error e;
        temper_spec_options o = {.at = WRITTEN[k / 2].at};
        const char *source = WRITTEN[k / 2].source;
        if (!CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK, "%s: %s", source, e.text))
            continue;
        subject x = {.spec = spec, .name = source, .forward = o.at == TEMPER_AT_FIRST, .empty = k % 2};
        if (CHECK(make(&x), "%s: %s", source, x.error.text)) {
            check_words(&x);
            check_least(&x);
        }
        arena_reset(&memory);
        temper_spec_free(spec);
    }
}

/* ---- random ones ---- */

static size_t followed;

static void check_random(test_random *r) {
    random_shape shape = {.letters = 1 + (unsigned)random_below(r, 4), .size = 1 + random_below(r, 7), .depth = 4};
    shape.past = random_below(r, 3);
    shape.future = !shape.past;
    shape.modulo = random_below(r, 2);
    shape.mixed_attend = random_below(r, 2);
    shape.attend = !random_below(r, 4);
    temper_spec *spec = random_spec(r, &shape, shape.past ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
    subject x = {.spec = spec, .name = "a random formula", .forward = shape.future, .empty = random_below(r, 2)};
    if (make(&x)) {
        check_words(&x);
        check_least(&x);
        followed++;
    } else {
        CHECK(x.error.code == TEMPER_RANGE || x.error.code == TEMPER_LIMIT, "%s", x.error.text);
    }
    arena_reset(&memory);
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(2213);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    check_written();
    size_t trials = 150 + (size_t)(600 * test_effort());
    for (size_t k = 0; k < trials; k++) check_random(&r);
    CHECK(followed > trials / 2, "%zu of %zu were followed", followed, trials);
    arena_free(&memory);
    trap_clear(&failure);
    return test_finish("t-audit-formula-automaton");
}

/* Strings side by side against each alone: truth at every position and margins, bit for bit, in f64 and f32, hard and
   soft, for any company; and many strings of mixed lengths, odd ones among them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "corpus.h"
#include "random_formula.h"
#include "run/batch.h"
#include "proved.h"

enum { LONGEST_WORD = 300 };

static unsigned long plans_seen[PLAN_DENSE + 1], batches_run;

/* `count` random strings of length n at once, and each alone. False after a failed check. */
static bool compare_lanes(const char *name, batch *b, const temper_model *m, const model_plan *plan, size_t count,
                          const temper_run_options *o, test_random *r) {
    static uint32_t words[BATCH_MOST][LONGEST_WORD];
    const uint32_t *letters[BATCH_MOST] = {0};
    for (size_t k = 0; k < count; k++) {
        random_word(words[k], b->n, (unsigned)m->letters.count, r);
        letters[k] = words[k];
    }
    if (!CHECK(batch_run(b, letters, count), "%s: length %zu has no batch", name, b->n)) return false;
    batches_run++;
    for (size_t k = 0; k < count; k++) {
        temper_run *run;
        temper_error e;
        if (!CHECK(!temper_model_run(&run, m, words[k], b->n, o, &e), "%s: %s", name, e.text)) return false;
        bool truth = true, margins = true;
        for (size_t i = 0; i < b->size; i++) truth &= b->truth[i * b->lanes + k] == temper_run_about(run).truth[i];
        for (uint32_t l = 0; l < m->layer_count; l++)
            for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
                double got = b->margins[(plan->head_start[l] + h) * b->lanes + k],
                       want = temper_run_head(run, l + 1, h + 1).error;
                margins &= memcmp(&got, &want, sizeof got) == 0;
            }
        temper_run_free(run);
        if (!CHECK(truth && margins, "%s%s%s: string %zu of %zu of length %zu: %s differ", name,
                   o->hard ? " (hard)" : "", o->type == TEMPER_TYPE_F32 ? " (f32)" : "", k, count, b->n,
                   truth ? "margins" : "answers"))
            return false;
    }
    return true;
}

static size_t some_length(test_random *r, size_t most) {
    size_t n = random_below(r, random_below(r, 3) ? 20 : 120);
    return n > most ? most : n;
}

static void compare_options(const char *name, const temper_model *m, const temper_run_options *o, test_random *r) {
    size_t proved = proved_lengths(m, o->type, false);
    size_t n = some_length(r, proved ? proved - 1 : 0);
    trap t;
    arena a;
    model_plan plan;
    batch b;
    if (proved == 0) return;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    plan_make(&plan, m, o->hard, &a);
    for (uint32_t h = 0; h < plan.head_start[m->layer_count]; h++) plans_seen[plan.heads[h]]++;
    if (batch_lanes(&plan, n + 1 + m->has_end)) {
        batch_init(&b, m, &plan, n, 1 + random_below(r, 2 * BATCH_MOST), o->hard, o->type, &a);
        bool ok = compare_lanes(name, &b, m, &plan, 1 + random_below(r, b.lanes), o, r);
        if (ok) compare_lanes(name, &b, m, &plan, 1 + random_below(r, 4), o, r); /* the same memory again */
    }
    arena_free(&a);
    trap_clear(&t);
}

static void compare_model(const char *name, const temper_model *m, test_random *r) {
    compare_options(name, m, &(temper_run_options){0}, r);
    compare_options(name, m, &(temper_run_options){.hard = 1}, r);
    compare_options(name, m, &(temper_run_options){.type = TEMPER_TYPE_F32}, r);
}

/* Mixed lengths, short and long; sometimes a letter that there is not. */
static void compare_many(const char *name, const temper_model *m, test_random *r) {
    enum { STRINGS = 150 };
    static uint32_t words[STRINGS][LONGEST_WORD];
    const uint32_t *letters[STRINGS];
    size_t lengths[STRINGS];
    unsigned char accept[STRINGS];
    temper_error e;
    size_t bad = random_below(r, 3) ? STRINGS : random_below(r, STRINGS);
    temper_run_options o = {.hard = random_below(r, 2),
                            .type = random_below(r, 2) ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64,
                            .threads = 1 + (unsigned)random_below(r, 3)};
    for (size_t k = 0; k < STRINGS; k++) {
        lengths[k] = random_below(r, 4) ? random_below(r, 6) : random_below(r, LONGEST_WORD + 1);
        random_word(words[k], lengths[k], (unsigned)m->letters.count, r);
        letters[k] = words[k];
    }
    if (bad < STRINGS && lengths[bad]) words[bad][random_below(r, lengths[bad])] = (uint32_t)m->letters.count;
    temper_status status = temper_model_run_many(accept, m, letters, lengths, STRINGS, &o, &e);
    bool odd = false;
    for (size_t k = 0; k < STRINGS && !odd; k++) {
        temper_run *run;
        temper_error alone;
        temper_status one = temper_model_run(&run, m, letters[k], lengths[k], &o, &alone);
        odd = one != TEMPER_OK && one != TEMPER_LIMIT;
        if (odd)
            CHECK(status == one && strcmp(alone.text, e.text) == 0, "%s: '%s', alone '%s'", name, e.text, alone.text);
        else if (status == TEMPER_OK)
            CHECK(accept[k] == (one ? 2 : temper_run_about(run).accept), "%s: string %zu of length %zu: %d", name, k,
                  lengths[k], accept[k]);
        temper_run_free(run);
    }
    CHECK(odd || status == TEMPER_OK, "%s: %s", name, e.text);
}

static void compare_spec(const char *name, const temper_spec *spec, test_random *r) {
    agree_set s;
    temper_model *trial;
    if (temper_build(&trial, spec, NULL, NULL) == TEMPER_LIMIT) return; /* numbers that only the evaluator can take */
    temper_model_free(trial);
    if (agree_compile(&s, name, spec)) {
        compare_model(name, s.hard, r);
        for (int k = 0; k < 2; k++) compare_model(name, s.soft[k], r);
        compare_many(name, s.soft[random_below(r, 2)], r);
    }
    agree_free(&s);
}

static void test_corpus(void) {
    test_random r = test_seed(61);
    for (size_t k = 0; k < corpus_size(); k++) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        if (spec) compare_spec(corpus_at(k)->name, spec, &r);
        temper_spec_free(spec);
    }
}

static void test_random_formulas(void) {
    test_random r = test_seed(62);
    size_t formulas = (size_t)(200 * test_effort());
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 20),
                              .depth = 1 + random_below(&r, 6),
                              .past = random_below(&r, 4) > 0,
                              .future = random_below(&r, 4) > 0,
                              .counting = random_below(&r, 2),
                              .modulo = random_below(&r, 3) == 0,
                              .places = random_below(&r, 3) == 0,
                              .mixed_attend = random_below(&r, 4) == 0};
        temper_spec *spec = random_spec(&r, &shape, random_below(&r, 2) ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
        char name[40];
        snprintf(name, sizeof name, "random formula %zu", k);
        compare_spec(name, spec, &r);
        temper_spec_free(spec);
    }
}

int main(void) {
    test_corpus();
    test_random_formulas();
    for (int plan = 0; plan < PLAN_DENSE; plan++)
        CHECK(plans_seen[plan] > 0, "no %s head was run side by side", plan_name((head_plan)plan));
    CHECK(batches_run > 200, "only %lu batches", batches_run);
    return test_finish("t-batch");
}

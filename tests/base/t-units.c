/* Units of a check: they cover every string once; done in any order, from any journal, they give what temper_check
   gives; and a unit's bytes are the same whichever worker does it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/journal.h"
#include "check/sample.h"
#include "check/units.h"
#include "agree.h"
#include "corpus.h"
#include "random_formula.h"

/* In arena a, which the caller frees. */
static void make_units(unit_plan *p, arena *a, size_t letters, size_t longest, uint64_t random, unit_sizes sizes) {
    trap t;
    arena_init(a, &t);
    if (trap_set(&t, NULL)) abort();
    units_make(p, letters, longest, random, sizes, a);
    trap_clear(&t);
}

/* Strings of the lengths from `shortest` to `longest`; *last: of the longest. */
static uint64_t count_strings(uint64_t *last, size_t letters, size_t shortest, size_t longest) {
    uint64_t strings = 0;
    *last = 1;
    for (size_t n = 0; n <= longest; n++) {
        if (n && letters > 1) *last *= letters;
        if (n >= shortest) strings += *last;
    }
    return strings;
}

/* Layers follow each other, and their units have all strings. */
static void check_cover(size_t letters, size_t longest, uint64_t random, unit_sizes sizes) {
    arena a;
    unit_plan p;
    uint64_t total = 0, covered = 0, last;
    size_t n = 0;
    make_units(&p, &a, letters, longest, random, sizes);
    for (size_t k = 0; k < p.layer_count; k++) {
        const unit_layer *l = &p.layers[k];
        uint64_t strings = count_strings(&last, letters, l->shortest, l->longest);
        CHECK(l->shortest == n && l->longest >= n && (l->units == 1 || l->shortest == l->longest),
              "layer %zu: lengths %zu to %zu after %zu", k, l->shortest, l->longest, n);
        CHECK(l->prefixes * l->below == strings, "layer %zu: %llu prefixes of %llu", k,
              (unsigned long long)l->prefixes, (unsigned long long)l->below);
        n = l->longest + 1;
        total += strings;
    }
    CHECK(n == longest + 1, "%zu letters up to %zu: ended before %zu", letters, longest, n);
    for (uint64_t k = 0; k < p.exhaustive + p.random; k++) {
        const unit_layer *l = units_layer(&p, k);
        CHECK((l == NULL) == (k >= p.exhaustive) && (!l || (k >= l->first && k < l->first + l->units)), "unit %llu",
              (unsigned long long)k);
        CHECK(units_strings(&p, k) > 0, "unit %llu is empty", (unsigned long long)k);
        covered += units_strings(&p, k);
    }
    CHECK(covered == total + random, "%zu letters up to %zu: %llu of %llu strings", letters, longest,
          (unsigned long long)covered, (unsigned long long)(total + random));
    arena_free(&a);
}

static void test_cover(void) {
    test_random r = test_seed(3);
    for (size_t k = 0; k < 500; k++) {
        size_t letters = random_below(&r, 7), longest = letters > 1 ? random_below(&r, 8) : random_below(&r, 200);
        if (letters == 0) longest = 0;
        unit_sizes sizes = {1 + random_below(&r, 40), 1 + random_below(&r, 3000)};
        check_cover(letters, longest, random_below(&r, 3) ? random_below(&r, 10000) : 0, sizes);
    }
    /* large ones are not too many, and can be planned */
    static const size_t large[][2] = {{2, 60}, {3, 38}, {26, 13}, {1000, 6}, {1, 3000000}, {5000000, 2}};
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        arena a;
        unit_plan p;
        make_units(&p, &a, large[k][0], large[k][1], (uint64_t)1 << 60, (unit_sizes){1 << 13, 1 << 18});
        CHECK(p.exhaustive < 1 << 22 && p.random <= 1 << 20, "%zu letters up to %zu: %llu units", large[k][0],
              large[k][1], (unsigned long long)p.exhaustive);
        arena_free(&a);
    }
}

static bool same_result(const temper_check_result *a, const temper_check_result *b) {
    return a->strings == b->strings && a->agreed == b->agreed && !memcmp(&a->margin, &b->margin, sizeof a->margin) &&
           a->counterexample_length == b->counterexample_length && a->position == b->position && a->left == b->left &&
           a->right == b->right && a->left_value == b->left_value && a->right_value == b->right_value &&
           !a->counterexample == !b->counterexample &&
           (!a->counterexample ||
            !memcmp(a->counterexample, b->counterexample, a->counterexample_length * sizeof *a->counterexample));
}

/* Units in random order by two workers, some of them twice; needless ones are left out now and then. */
static void do_units(const char *name, const temper_job *job, temper_journal *journal, test_random *r) {
    temper_worker *workers[2] = {0};
    temper_error e;
    uint64_t units = temper_job_about(job).units, *order = malloc((units + 1) * sizeof *order);
    CHECK(!temper_worker_open(&workers[0], job, 1, &e) && !temper_worker_open(&workers[1], job, 3, &e), "%s: %s",
          name, e.text);
    for (uint64_t k = 0; k < units; k++) {
        uint64_t other = random_below(r, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (uint64_t k = 0; k < units && workers[0] && workers[1]; k++) {
        unsigned char *result[2] = {0};
        size_t size[2];
        if (temper_journal_about(journal).complete && random_below(r, 2)) break;
        for (int w = 0; w < (random_below(r, 4) ? 1 : 2); w++) {
            temper_worker *by = workers[(w + k) % 2];
            if (CHECK(!temper_worker_run(&result[w], &size[w], by, order[k], &e), "%s: unit %llu: %s", name,
                      (unsigned long long)order[k], e.text))
                CHECK(!temper_journal_add(journal, order[k], result[w], size[w], &e), "%s: %s", name, e.text);
        }
        temper_free(result[0]);
        temper_free(result[1]);
    }
    free(order);
    temper_worker_free(workers[0]);
    temper_worker_free(workers[1]);
}

/* The least units that temper makes, so that short strings have several. */
static void compare_units(const char *name, const temper_spec *spec, const temper_model *model,
                          const temper_check_options *options, test_random *r, size_t *several) {
    temper_check_result want, got;
    temper_error e;
    temper_job *job;
    temper_journal *journal = NULL;
    if (!CHECK(!temper_check(&want, spec, model, options, &e), "%s: %s", name, e.text)) return;
    if (CHECK(!temper_check_job(&job, spec, model, options, &e), "%s: %s", name, e.text) &&
        CHECK(!temper_journal_open(&journal, NULL, job, &e), "%s: %s", name, e.text)) {
        *several += temper_job_about(job).units > 2;
        CHECK(temper_job_about(job).total >= want.strings, "%s: total", name);
        CHECK(temper_check_merge(&got, job, journal, &e) == TEMPER_RANGE && !got.counterexample,
              "%s: nothing is done yet", name);
        do_units(name, job, journal, r);
        if (CHECK(!temper_check_merge(&got, job, journal, &e), "%s: %s", name, e.text))
            CHECK(same_result(&got, &want),
                  "%s: %llu strings, agreed %d, length %zu, margin %a; temper_check %llu, %d, %zu, %a", name,
                  (unsigned long long)got.strings, got.agreed, got.counterexample_length, got.margin,
                  (unsigned long long)want.strings, want.agreed, want.counterexample_length, want.margin);
        temper_check_clear(&got);
    }
    temper_journal_close(journal, NULL);
    temper_job_free(job);
    temper_check_clear(&want);
}

/* Both directions and both at once, equal and unequal pairs, with random strings behind. */
static void test_pairs(void) {
    static const char *const pairs[][2] = {
        {"#[a] >= 13", "#[a] >= 14"},
        {"#[b] >= 9 & Y Y Y a", "#[b] >= 10 & Y Y Y a"},
        {"(a S b) & #[a] % 3 = 1", "(a S b) & #[a] % 3 = 1"},
        {"#>[b] >= 12", "#>[b] >= 13"},
        {"F(b & #>[b] >= 6 & X X X X X X X a)", "F(b & #>[b] >= 7 & X X X X X X X a)"},
        {"(a U b) & #>[a] % 3 = 1", "(a U b) & #>[a] % 3 = 1"},
        {"#[b] + #>[b] >= 12", "#[b] + #>[b] >= 13"},
        {"F a & O b & #[a] = #>[b]", "F a & O b & #[a] = #>[b]"},
        {"#[a] >= 20", "#[a] >= 21"}};
    test_random r = test_seed(11);
    size_t several = 0, count = sizeof pairs / sizeof *pairs;
    for (size_t k = 0; k < count; k++)
        for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_POSITIONS; method++) {
            temper_spec *said = spec_of(pairs[k][0], "ab", TEMPER_AT_LAST),
                        *made = spec_of(pairs[k][1], "ab", TEMPER_AT_LAST);
            temper_model *model = made ? model_of(made, method) : NULL;
            bool back_and_forth = strstr(pairs[k][0], "F a & O") || strstr(pairs[k][0], "+");
            temper_check_options options = {
                .exhaustive = back_and_forth ? 13 : 15, .random = 2500, .length = 40, .seed = k};
            if (said && model) compare_units(pairs[k][0], said, model, &options, &r, &several);
            temper_model_free(model);
            temper_spec_free(made);
            temper_spec_free(said);
        }
    CHECK(several == 3 * count, "only %zu of %zu have several units", several, 3 * count);
}

static void test_random_pairs(void) {
    test_random r = test_seed(12);
    size_t pairs = (size_t)(60 * test_effort()), several = 0;
    for (size_t k = 0; k < pairs; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 2 + random_below(&r, 10),
                              .depth = 1 + random_below(&r, 5),
                              .past = true,
                              .future = random_below(&r, 2),
                              .counting = random_below(&r, 2),
                              .modulo = random_below(&r, 4) == 0};
        temper_spec *left = random_spec(&r, &shape, TEMPER_AT_LAST), *right = random_spec(&r, &shape, TEMPER_AT_LAST);
        temper_model *model = right ? model_of(right, (temper_method)random_below(&r, 3)) : NULL;
        temper_check_options options = {.exhaustive = corpus_length(shape.letters, 3000, 12),
                                        .random = random_below(&r, 2) * 1500,
                                        .length = 30,
                                        .seed = k};
        char name[40];
        snprintf(name, sizeof name, "random pair %zu", k);
        if (model && left) compare_units(name, random_below(&r, 2) ? left : right, model, &options, &r, &several);
        temper_model_free(model);
        temper_spec_free(left);
        temper_spec_free(right);
    }
}

/* Every part of a job has a say in its digest; threads have none. */
static void test_digest(void) {
    static const struct {
        const char *formula, *alphabet;
        temper_at at;
        temper_method method;
        temper_check_options options;
    } jobs[] = {
        {"O a", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5}},
        {"O b", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5}},
        {"O a", "ba", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5}},
        {"O a", "abc", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5}},
        {"O a", "ab", TEMPER_AT_FIRST, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5}},
        {"O a", "ab", 0, TEMPER_METHOD_POSITIONS, {.exhaustive = 5}},
        {"O a", "ab", 0, TEMPER_METHOD_HARD, {.exhaustive = 5}},
        {"O a", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 6}},
        {"O a", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5, .random = 10, .length = 20}},
        {"O a", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5, .random = 10, .length = 21}},
        {"O a", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5, .random = 11, .length = 20}},
        {"O a", "ab", 0, TEMPER_METHOD_TEMPERATURE, {.exhaustive = 5, .random = 10, .length = 20, .seed = 1}}};
    enum { JOBS = sizeof jobs / sizeof *jobs };
    char digests[JOBS][65];
    for (size_t k = 0; k < JOBS; k++) {
        temper_spec *spec = spec_of(jobs[k].formula, jobs[k].alphabet, jobs[k].at);
        temper_model *model = spec ? model_of(spec, jobs[k].method) : NULL;
        temper_job *job, *again;
        temper_error e;
        temper_check_options threads = jobs[k].options;
        threads.threads = 3;
        if (!model || !CHECK(!temper_check_job(&job, spec, model, &jobs[k].options, &e) &&
                                 !temper_check_job(&again, spec, model, &threads, &e),
                             "%s", e.text))
            return;
        snprintf(digests[k], sizeof digests[k], "%s", temper_job_about(job).digest);
        CHECK(strlen(digests[k]) == 64 && !strcmp(digests[k], temper_job_about(again).digest), "job %zu: %s", k,
              digests[k]);
        for (size_t l = 0; l < k; l++) CHECK(strcmp(digests[k], digests[l]) != 0, "jobs %zu and %zu", l, k);
        temper_job_free(job);
        temper_job_free(again);
        temper_model_free(model);
        temper_spec_free(spec);
    }
}

/* Bytes that no unit makes are refused, whatever they are. */
static void test_wrong_bytes(void) {
    test_random r = test_seed(8);
    temper_spec *said = spec_of("O a", "ab", 0), *made = spec_of("O b", "ab", 0);
    temper_model *model = made ? model_of(made, TEMPER_METHOD_TEMPERATURE) : NULL;
    temper_check_options options = {.exhaustive = 5};
    temper_job *job = NULL;
    temper_worker *worker = NULL;
    temper_error e;
    unsigned char *right;
    size_t size;
    if (!said || !model || !CHECK(!temper_check_job(&job, said, model, &options, &e), "%s", e.text) ||
        !CHECK(!temper_worker_open(&worker, job, 1, &e) && !temper_worker_run(&right, &size, worker, 0, &e), "%s",
               e.text))
        return;
    for (size_t k = 0; k < 300; k++) {
        unsigned char bytes[128];
        size_t length = random_below(&r, 3) ? size : random_below(&r, sizeof bytes);
        temper_journal *journal;
        temper_check_result result;
        for (size_t b = 0; b < length; b++) bytes[b] = b < size ? right[b] : (unsigned char)random_below(&r, 256);
        if (length) bytes[random_below(&r, length)] = (unsigned char)random_below(&r, 256);
        if (!CHECK(!temper_journal_open(&journal, NULL, job, &e), "%s", e.text)) break;
        CHECK(!temper_journal_add(journal, 0, bytes, length, &e), "%s", e.text);
        temper_status status = temper_check_merge(&result, job, journal, &e);
        CHECK(status == TEMPER_FORMAT || (!status && length >= 17), "%zu bytes: %s", length, e.text);
        temper_check_clear(&result);
        temper_journal_close(journal, NULL);
    }
    unsigned char *none;
    CHECK(temper_worker_run(&none, &size, worker, temper_job_about(job).units, &e) == TEMPER_RANGE && !none, "%s",
          e.text);
    temper_free(right);
    temper_worker_free(worker);
    temper_job_free(job);
    temper_model_free(model);
    temper_spec_free(said);
    temper_spec_free(made);
}

int main(void) {
    test_cover();
    test_pairs();
    test_random_pairs();
    test_digest();
    test_wrong_bytes();
    return test_finish("t-units");
}

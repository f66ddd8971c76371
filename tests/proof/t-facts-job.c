/* Facts of hard choices as a job (src/facts/facts_job.h): its units in any order, by workers that go on and workers
   that begin anew, give what a run over all lengths gives, bit for bit; so do soften and certify with its journal.
   Journals of another model or length, or with something missing, are refused, and what cannot be found is said as
   it is without a job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts_job.h"
#include "facts/facts_lengths.h"
#include "facts_equal.h"
#include "feature_model.h"
#include "random_model.h"

static size_t lengths, failures;

/* All units, in an order of their own; now and then by a new worker. */
static bool do_units(temper_journal *journal, const temper_job *job, test_random *r) {
    uint64_t count = temper_job_about(job).units, order[64];
    temper_worker *w = NULL;
    temper_error e;
    bool done = CHECK(count >= 1 && count <= 64, "%llu units", (unsigned long long)count);
    for (uint64_t k = 0; k < count; k++) order[k] = k;
    for (uint64_t k = count; k > 1 && random_below(r, 2); k--) {
        uint64_t other = random_below(r, k), unit = order[k - 1];
        order[k - 1] = order[other];
        order[other] = unit;
    }
    for (uint64_t k = 0; k < count && done; k++) {
        unsigned char *result;
        size_t size;
        if (w && random_below(r, 4) == 0) {
            temper_worker_free(w);
            w = NULL;
        }
        done = w || CHECK(temper_worker_open(&w, job, 1, &e) == TEMPER_OK, "%s", e.text);
        done = done && CHECK(temper_worker_run(&result, &size, w, order[k], &e) == TEMPER_OK, "%s", e.text);
        if (!done) break;
        done = CHECK(temper_journal_add(journal, order[k], result, size, &e) == TEMPER_OK, "%s", e.text);
        temper_free(result);
    }
    temper_worker_free(w);
    return done;
}

typedef struct both_ways {
    const temper_model *model;
    const temper_journal *journal;
    size_t length;
    const char *source;
    arena keep;
    trap trap;
    bool journalled;
    facts **found[2];
    subject_model s;
} both_ways;

static void find(void *context) {
    both_ways *b = context;
    facts **out = arena_zalloc(&b->keep, b->length + 1, sizeof *out);
    if (b->journalled)
        facts_job_take(out, &b->s, b->journal, 0, b->length, &b->keep);
    else
        facts_lengths_find(out, &b->s, 0, b->length, 1, NULL, NULL, &b->keep);
    b->found[b->journalled] = out;
}

static void begin(void *context) {
    both_ways *b = context;
    subject_model_init(&b->s, b->model, &b->keep);
}

/* The same facts, or the same error. */
static void compare(both_ways *b) {
    temper_error why[2] = {{0}, {0}};
    bool done[2];
    arena_init(&b->keep, &b->trap);
    trap_attempt(&b->trap, NULL, begin, b);
    for (int k = 0; k < 2; k++) {
        b->journalled = k;
        done[k] = trap_attempt(&b->trap, &why[k], find, b);
    }
    CHECK(done[0] == done[1] && why[0].code == why[1].code && strcmp(why[0].text, why[1].text) == 0,
          "'%s', by the journal '%s'\n%s", why[0].text, why[1].text, b->source);
    failures += !done[0];
    for (size_t n = 0; n <= b->length && done[0] && done[1]; n++, lengths++)
        if (!facts_are_equal(b->source, &b->s, b->found[0][n], b->found[1][n])) break;
    arena_free(&b->keep);
}

/* ---- what is made of them ---- */

static bool same_text(const temper_model *x, const temper_model *y) {
    char *a = NULL, *b = NULL;
    size_t m = 0, n = 0;
    temper_error e;
    bool same = temper_model_print(&a, &m, x, &e) == TEMPER_OK && temper_model_print(&b, &n, y, &e) == TEMPER_OK &&
                m == n && memcmp(a, b, m) == 0;
    temper_free(a);
    temper_free(b);
    return same;
}

static char *certificate_text(const temper_model *soft, size_t length, const temper_journal *journal) {
    temper_certify_options o = {.length = length, .threads = 1, .facts = journal};
    temper_certificate *c = NULL;
    temper_error e;
    char *out = NULL;
    size_t size;
    if (CHECK(temper_certify(&c, soft, NULL, 0, &o, &e) == TEMPER_OK, "%s", e.text) &&
        temper_certificate_about(c).verdict == TEMPER_PROVED)
        temper_certificate_print(&out, &size, c, &e);
    temper_certificate_free(c);
    return out;
}

static void check_certificate(const temper_model *soft, size_t length, test_random *r) {
    temper_job *job;
    temper_journal *journal = NULL;
    temper_error e;
    if (!CHECK(temper_choices_job(&job, soft, length, &e) == TEMPER_OK, "%s", e.text)) return;
    if (CHECK(temper_journal_open(&journal, NULL, job, &e) == TEMPER_OK, "%s", e.text) && do_units(journal, job, r)) {
        char *plain = certificate_text(soft, length, NULL), *kept = certificate_text(soft, length, journal);
        CHECK(plain && kept && strcmp(plain, kept) == 0, "the certificate with a journal is another");
        temper_free(plain);
        temper_free(kept);
    }
    temper_journal_close(journal, NULL);
    temper_job_free(job);
}

static void check_soften(const temper_model *hard, const temper_journal *journal, size_t length, test_random *r) {
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = length, .threads = 1};
    temper_model *plain = NULL, *kept = NULL;
    temper_error e[2];
    temper_status a = temper_soften(&plain, NULL, hard, &o, &e[0]);
    o.facts = journal;
    temper_status b = temper_soften(&kept, NULL, hard, &o, &e[1]);
    CHECK(a == b && (a ? strcmp(e[0].text, e[1].text) == 0 : same_text(plain, kept)), "soften with a journal: %d, %d",
          (int)a, (int)b);
    if (plain) check_certificate(plain, length, r);
    temper_model_free(plain);
    temper_model_free(kept);
}

/* ---- refusals ---- */

static void check_refusals(const temper_model *hard, const temper_model *other, size_t length) {
    temper_job *job;
    temper_journal *journal = NULL;
    temper_error e;
    temper_model *soft = NULL;
    if (!CHECK(temper_choices_job(&job, hard, length, &e) == TEMPER_OK, "%s", e.text)) return;
    if (CHECK(temper_journal_open(&journal, NULL, job, &e) == TEMPER_OK, "%s", e.text)) {
        temper_soften_options o = {
            .method = TEMPER_METHOD_TEMPERATURE, .length = length, .threads = 1, .facts = journal};
        CHECK(temper_soften(&soft, NULL, hard, &o, &e) == TEMPER_RANGE && strstr(e.text, "not complete"),
              "an empty journal: %s", e.text);
        CHECK(temper_job_run(NULL, journal, 2, NULL, NULL, &e) == TEMPER_OK, "%s", e.text);
        CHECK(temper_soften(&soft, NULL, other, &o, &e) == TEMPER_RANGE && strstr(e.text, "another job"),
              "the journal of another model: %s", e.text);
        o.length = length + 1;
        CHECK(temper_soften(&soft, NULL, hard, &o, &e) == TEMPER_RANGE, "the journal of a shorter length: %s",
              e.text);
        o.length = length - 1;
        CHECK(temper_soften(&soft, NULL, hard, &o, &e) == TEMPER_OK, "the journal of a longer length: %s", e.text);
        temper_model_free(soft);
    }
    temper_journal_close(journal, NULL);
    temper_job_free(job);
    CHECK(temper_choices_job(&job, hard, 16385, &e) == TEMPER_LIMIT && !job, "16,385 letters");
}

/* Threads do what is left, each units in a row, whatever was done before. */
static void check_threads(const temper_model *m, size_t length, test_random *r) {
    for (unsigned threads = 1; threads < 6; threads++) {
        temper_job *job;
        temper_journal *journal = NULL;
        temper_worker *w = NULL;
        temper_error e;
        if (!CHECK(temper_choices_job(&job, m, length, &e) == TEMPER_OK, "%s", e.text)) return;
        bool open = CHECK(temper_journal_open(&journal, NULL, job, &e) == TEMPER_OK, "%s", e.text) &&
                    CHECK(temper_worker_open(&w, job, 1, &e) == TEMPER_OK, "%s", e.text);
        uint64_t units = temper_job_about(job).units, mostly = random_below(r, 5);
        for (uint64_t k = 0; open && k < units; k++) {
            unsigned char *result;
            size_t size;
            if (random_below(r, 4) >= mostly || temper_worker_run(&result, &size, w, k, &e)) continue;
            CHECK(temper_journal_add(journal, k, result, size, &e) == TEMPER_OK, "%s", e.text);
            temper_free(result);
        }
        if (open && CHECK(temper_job_run(NULL, journal, threads, NULL, NULL, &e) == TEMPER_OK, "%s", e.text) &&
            CHECK(temper_journal_about(journal).complete, "%u threads, %llu units: some are left", threads,
                  (unsigned long long)units)) {
            both_ways b = {.model = m, .journal = journal, .length = length, .source = "in threads"};
            compare(&b);
        }
        temper_worker_free(w);
        temper_journal_close(journal, NULL);
        temper_job_free(job);
    }
}

/* What a journal goes by: version, rules, length, units and the model. Whoever changes what facts are changes the
   rules' number, here, too: journals of other rules are those of another job. */
static void check_digest(const temper_model *m, size_t length) {
    enum { RULES = 1 };
    temper_job *job;
    temper_error e;
    char *model, head[200], hex[SHA256_HEX + 1];
    size_t size;
    if (!CHECK(temper_choices_job(&job, m, length, &e) == TEMPER_OK, "%s", e.text)) return;
    CHECK(temper_model_print(&model, &size, m, &e) == TEMPER_OK, "%s", e.text);
    for (int rules = RULES - 1; model && rules <= RULES + 1; rules++) {
        sha256 h;
        unsigned char digest[SHA256_SIZE];
        snprintf(head, sizeof head, "temper facts %s %d %zu %llu\n", temper_version(), rules, length,
                 (unsigned long long)temper_job_about(job).units);
        sha256_start(&h);
        sha256_add(&h, head, strlen(head));
        sha256_add(&h, model, size);
        sha256_finish(digest, &h);
        sha256_hex(hex, digest);
        CHECK((strcmp(hex, job->digest) == 0) == (rules == RULES), "rules %d", rules);
    }
    temper_free(model);
    temper_job_free(job);
}

static void check_model(const char *source, const temper_model *m, size_t length, test_random *r, bool further) {
    temper_job *job;
    temper_journal *journal = NULL;
    temper_error e;
    if (!CHECK(temper_choices_job(&job, m, length, &e) == TEMPER_OK, "%s", e.text)) return;
    if (CHECK(temper_journal_open(&journal, NULL, job, &e) == TEMPER_OK, "%s", e.text) && do_units(journal, job, r)) {
        both_ways b = {.model = m, .journal = journal, .length = length, .source = source};
        compare(&b);
        if (further) check_soften(m, journal, length, r);
    }
    temper_journal_close(journal, NULL);
    temper_job_free(job);
}

int main(void) {
    static const char *const names[] = {"dyck-2", "parity", "palindrome", "two-averages", "best-prefix"};
    static char source[RANDOM_MODEL_TEXT];
    test_random r = test_seed(5120);
    temper_model *gallery[5] = {0};
    temper_error e;
    for (size_t k = 0; k < 5; k++) {
        if (!CHECK(temper_gallery_model(&gallery[k], names[k], &e) == TEMPER_OK, "%s", e.text)) continue;
        check_model(names[k], gallery[k], k == 0 ? 80 : 40, &r, true);
        check_threads(gallery[k], k == 0 ? 200 : 60, &r);
        check_digest(gallery[k], 40);
    }
    if (gallery[0] && gallery[1]) check_refusals(gallery[1], gallery[0], 20);
    for (size_t k = 0; k < (size_t)(20 * test_effort()); k++) {
        random_model_options kind = {
            .average = random_below(&r, 4) > 0, .fractions = random_below(&r, 3) == 0, .small = true, .varied = true};
        temper_model *m = random_model(source, &r, &kind);
        if (m) check_model(source, m, random_below(&r, 24), &r, false);
        temper_model_free(m);
    }
    temper_model *wild =
        model_from("temper-model 1\nmethod hard\nalphabet \"a\"\nchannel 0 \"\" position \"1/(6 - i)\"\n"
                   "embed \"a\"\nembed start\nembed end\nread 0:1\n");
    if (wild) check_model("a feature without a value", wild, 30, &r, true);
    CHECK(!wild || failures > 0, "nothing failed");
    temper_model_free(wild);
    for (size_t k = 0; k < 5; k++) temper_model_free(gallery[k]);
    printf("%zu lengths, %zu models without facts\n", lengths, failures);
    return test_finish("t-facts-job");
}

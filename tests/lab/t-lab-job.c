/* The lab as a job: the same bytes with any number of threads, from any part of a journal, with experiments that a
   folder has already, and seed by seed in a sweep; results that are not those of the job are refused or read, but
   never break anything. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/journal.h"
#include "lab/lab.h"
#include "test.h"

static char folder[TEST_FOLDER], path[64];

/* JSON and report of experiment `index`, freed with temper_free; NULL: it could not be made. */
static char *text_of(const temper_job *job, const temper_journal *j, size_t index, temper_error *e) {
    temper_lab_kept kept;
    char *json = NULL, *report = NULL, *both = NULL;
    if (temper_lab_take(&kept, job, j, index, e)) return NULL;
    if (CHECK(kept.lab && !temper_lab_report(&report, &json, kept.lab, e), "%s", e->text)) {
        both = malloc(strlen(json) + strlen(report) + 1);
        strcat(strcpy(both, json), report);
    }
    temper_free(json);
    temper_free(report);
    temper_lab_free(kept.lab);
    return both;
}

/* As above, of a job that is run with a journal of that name (NULL: none). */
static char *run_job(const temper_job *job, const char *journal, unsigned threads) {
    temper_journal *j;
    temper_error e;
    int stopped;
    if (!CHECK(!temper_journal_open(&j, journal, job, &e), "%s", e.text)) return NULL;
    CHECK(!temper_job_run(&stopped, j, threads, NULL, NULL, &e) && !stopped && temper_journal_about(j).complete, "%s",
          e.text);
    char *made = text_of(job, j, 0, &e);
    CHECK(made, "%s", e.text);
    CHECK(!temper_journal_close(j, &e), "%s", e.text);
    return made;
}

static void check_same(const char *expected, char *got, const char *when, size_t number) {
    CHECK(expected && got && !strcmp(expected, got), "%s %zu: %.60s instead of %.60s", when, number,
          got ? got : "nothing", expected ? expected : "nothing");
    free(got);
}

/* ---- threads and journals ---- */

static const char *const gap_name[] = {"gap"}, *const two_names[] = {"schedules", "gap"};

static void test_journals(void) {
    test_random r = test_seed(0x1ab0b);
    temper_lab_job_options o = {.seed = 4, .quick = 1}, other = {.seed = 5, .quick = 1};
    temper_job *job, *another;
    temper_journal *j;
    temper_error e;
    char *bytes = NULL;
    size_t length = 0, rounds = (size_t)(4 * test_effort()) + 4;
    if (!CHECK(!temper_lab_job(&job, gap_name, 1, &o, &e), "%s", e.text)) return;
    CHECK(temper_lab_job_count(job) == 1 && temper_job_about(job).units > 2 &&
              !strcmp(temper_job_about(job).name, "lab"),
          "job");
    char *expected = run_job(job, NULL, 1);
    for (unsigned threads = 2; threads <= 5; threads += 3)
        check_same(expected, run_job(job, NULL, threads), "threads", threads);
    snprintf(path, sizeof path, "%s/journal", folder);
    check_same(expected, run_job(job, path, 2), "journal", 0);
    CHECK(!temper_file_read(&bytes, &length, path, &e), "%s", e.text);
    for (size_t k = 0; bytes && k < rounds; k++) {
        size_t header = strcspn(bytes, "\n") + 1, at = header + random_below(&r, length - header), left = length;
        char kept = bytes[at];
        if (k % 2) left = at;
        bytes[at] ^= k % 2 ? 0 : (char)(1 << random_below(&r, 8));
        CHECK(!temper_file_write(path, bytes, left, &e), "%s", e.text);
        bytes[at] = kept;
        check_same(expected, run_job(job, path, 1 + (unsigned)random_below(&r, 3)), "damaged journal", k);
    }
    CHECK(!temper_lab_job(&another, gap_name, 1, &other, &e) &&
              strcmp(temper_job_about(job).digest, temper_job_about(another).digest) &&
              temper_journal_open(&j, path, another, &e) == TEMPER_RANGE && strstr(e.text, "another job"),
          "another seed: %s", e.text);
    temper_job_free(another);
    unlink(path);
    temper_free(bytes);
    free(expected);
    temper_job_free(job);
}

/* Stopped midway, what is done stays. */
static int stop_midway(void *context, uint64_t done, uint64_t total) {
    (void)context;
    return done > total * 3 / 4;
}

static void test_stop(void) {
    temper_lab_job_options o = {.seed = 4, .quick = 1};
    temper_job *job;
    temper_journal *j;
    temper_error e;
    int stopped = 0;
    temper_lab_kept kept;
    if (!CHECK(!temper_lab_job(&job, gap_name, 1, &o, &e) && !temper_journal_open(&j, NULL, job, &e), "%s", e.text))
        return;
    CHECK(!temper_job_run(&stopped, j, 1, stop_midway, NULL, &e) && stopped && !temper_journal_about(j).complete &&
              j->first_unknown > 0,
          "stopped with %llu units done: %s", (unsigned long long)j->first_unknown, e.text);
    CHECK(temper_lab_take(&kept, job, j, 0, &e) == TEMPER_RANGE && strstr(e.text, "not done yet"), "%s", e.text);
    temper_journal_close(j, NULL);
    temper_job_free(job);
}

/* ---- a folder ---- */

static void remove_files(void) {
    char file[400];
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        snprintf(file, sizeof file, "%s/%s", folder, f->d_name);
        if (f->d_name[0] != '.') unlink(file);
    }
    if (d) closedir(d);
}

static void test_kept(void) {
    temper_lab_job_options plain = {.seed = 4, .quick = 1}, o = {.seed = 4, .quick = 1, .folder = folder};
    temper_lab_options single = {.seed = 4, .quick = 1, .threads = 1};
    temper_lab_kept kept;
    temper_job *job, *without;
    temper_journal *j;
    temper_error e;
    uint64_t unit;
    CHECK(!temper_lab_keep(&kept, "gap", folder, &single, &e) && kept.lab && kept.claims > 0, "%s", e.text);
    temper_lab_free(kept.lab);
    size_t claims = kept.claims;
    if (!CHECK(!temper_lab_job(&job, two_names, 2, &o, &e) && !temper_lab_job(&without, two_names, 2, &plain, &e) &&
                   !temper_journal_open(&j, NULL, job, &e),
               "%s", e.text))
        return;
    CHECK(!strcmp(temper_job_about(job).digest, temper_job_about(without).digest),
          "the folder is no part of the digest");
    CHECK(!temper_job_run(NULL, j, 2, NULL, NULL, &e) && temper_journal_about(j).complete, "%s", e.text);
    CHECK(j->results[0].bytes && !j->results[1].bytes, "gap is not run again");
    CHECK(!temper_lab_take(&kept, job, j, 1, &e) && !kept.lab && kept.claims == claims, "gap is kept: %s", e.text);
    CHECK(!temper_lab_take(&kept, job, j, 0, &e) && kept.lab, "schedules is not: %s", e.text);
    temper_lab_free(kept.lab);
    temper_journal_close(j, NULL);
    temper_job_free(job);
    temper_job_free(without);
    CHECK(!temper_lab_keep(&kept, "schedules", folder, &single, &e) && !kept.lab, "the job has written it: %s",
          e.text);
    if (!CHECK(!temper_lab_job(&job, two_names, 2, &o, &e) && !temper_journal_open(&j, NULL, job, &e), "%s", e.text))
        return;
    CHECK(temper_journal_about(j).complete && !temper_journal_next(&unit, j), "nothing is left to do");
    temper_journal_close(j, NULL);
    temper_job_free(job);
    remove_files();
    o.folder = "/nowhere/at/all";
    if (!CHECK(!temper_lab_job(&job, gap_name, 1, &o, &e) && !temper_journal_open(&j, NULL, job, &e), "%s", e.text))
        return;
    CHECK(temper_job_run(NULL, j, 2, NULL, NULL, &e) == TEMPER_IO && strstr(e.text, "cannot make the folder"), "%s",
          e.text);
    temper_journal_close(j, NULL);
    temper_job_free(job);
}

/* ---- sweeps ---- */

static void test_sweep(void) {
    temper_lab_job_options o = {.seed = 7, .seeds = 2, .quick = 1};
    temper_lab_options single = {.quick = 1, .threads = 1};
    temper_job *job;
    temper_journal *j;
    temper_error e;
    temper_lab *sweep = NULL, *alone = NULL;
    if (!CHECK(!temper_lab_job(&job, two_names, 2, &o, &e) && !temper_journal_open(&j, NULL, job, &e), "%s", e.text))
        return;
    CHECK(temper_lab_job_count(job) == 4, "four runs");
    CHECK(!temper_job_run(NULL, j, 2, NULL, NULL, &e), "%s", e.text);
    size_t expected = 0;
    for (size_t k = 0; k < 4; k++) {
        temper_lab_kept kept;
        temper_lab_claim a, b;
        single.seed = 7 + k / 2;
        if (!CHECK(!temper_lab_take(&kept, job, j, k, &e) && !temper_lab_run(&alone, two_names[k % 2], &single, &e),
                   "%s", e.text))
            continue;
        CHECK(temper_lab_claims(alone) == kept.claims, "run %zu: %zu claims, not %zu", k, kept.claims,
              temper_lab_claims(alone));
        for (size_t c = 0; c < kept.claims; c++)
            CHECK(!temper_lab_claim_at(&a, kept.lab, c, &e) && !temper_lab_claim_at(&b, alone, c, &e) &&
                      !strcmp(a.text, b.text) && !strcmp(a.measured, b.measured) && a.holds == b.holds,
                  "run %zu, claim %zu: %s instead of %s", k, c, a.measured, b.measured);
        if (k < 2) expected += kept.claims;
        temper_lab_free(kept.lab);
        temper_lab_free(alone);
    }
    if (CHECK(!temper_lab_sweep(&sweep, job, j, &e), "%s", e.text)) {
        char *report = NULL, *json = NULL;
        temper_lab_claim c;
        CHECK(temper_lab_claims(sweep) == expected, "%zu claims, not %zu", temper_lab_claims(sweep), expected);
        for (size_t k = 0; k < temper_lab_claims(sweep); k++)
            CHECK(!temper_lab_claim_at(&c, sweep, k, &e) && c.holds && !strcmp(c.measured, "with 2 of 2 seeds"),
                  "%s: %s", c.text, c.measured);
        CHECK(!temper_lab_report(&report, &json, sweep, &e) &&
                  strstr(json, "\"seed\":7,\"seeds\":2,\"quick\":true") &&
                  strstr(report, "temper lab schedules gap --seeds 7-8 --quick -o DIR"),
              "%s", report ? report : e.text);
        temper_free(report);
        temper_free(json);
    }
    temper_lab_free(sweep);
    temper_journal_close(j, NULL);
    temper_job_free(job);
    o.seeds = UINT64_MAX;
    CHECK(temper_lab_job(&job, two_names, 2, &o, &e) == TEMPER_LIMIT && !job, "too many seeds: %s", e.text);
    o = (temper_lab_job_options){.seed = UINT64_MAX, .seeds = 2};
    CHECK(temper_lab_job(&job, two_names, 2, &o, &e) == TEMPER_LIMIT && !job, "no seed behind the last: %s", e.text);
    CHECK(temper_lab_job(&job, two_names, 0, NULL, &e) == TEMPER_RANGE && !job, "no experiment: %s", e.text);
}

/* Results that are made here: one claim holds always, one does not with seeds 2 and 4, and one is made with seed 3
   only. */
static void put_claims(lab *l, text *bytes, uint64_t seed) {
    lab_claim_add(l, true, "always", "%llu", (unsigned long long)seed);
    lab_claim_add(l, seed % 2 == 1, "at odd seeds", "%llu", (unsigned long long)seed);
    if (seed == 3) lab_claim_add(l, false, "three", "at last");
    lab_contents_put(bytes, l);
}

static void add_claims(temper_journal *j, uint64_t seed) {
    trap t;
    temper_error e;
    lab *l = calloc(1, sizeof *l);
    arena_init(&l->memory, &t);
    l->claims_only = true;
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s", t.error.text);
    } else {
        text bytes;
        text_init(&bytes, &l->memory);
        put_claims(l, &bytes, seed);
        CHECK(!temper_journal_add(j, seed - 1, (const unsigned char *)bytes.data, bytes.length, &e), "%s", e.text);
    }
    arena_free(&l->memory);
    free(l);
}

static void test_failing_sweep(void) {
    static const temper_lab_claim expected[] = {{"schedules: always", "with 5 of 5 seeds", 1},
                                                {"schedules: at odd seeds", "with 3 of 5 seeds; not with 2 4", 0},
                                                {"schedules: three", "with 0 of 1 seeds; not with 3", 0}};
    temper_lab_job_options o = {.seed = 1, .seeds = 5};
    temper_job *job;
    temper_journal *j;
    temper_error e;
    temper_lab *sweep = NULL;
    if (!CHECK(!temper_lab_job(&job, two_names, 1, &o, &e) && !temper_journal_open(&j, NULL, job, &e), "%s", e.text))
        return;
    for (uint64_t seed = 5; seed > 0; seed--) add_claims(j, seed);
    if (CHECK(!temper_lab_sweep(&sweep, job, j, &e) && temper_lab_claims(sweep) == 3, "%s", e.text)) {
        for (size_t k = 0; k < 3; k++) {
            temper_lab_claim c;
            CHECK(!temper_lab_claim_at(&c, sweep, k, &e) && !strcmp(c.text, expected[k].text) &&
                      !strcmp(c.measured, expected[k].measured) && c.holds == expected[k].holds,
                  "%s: %s", c.text, c.measured);
        }
        CHECK(!temper_lab_holds(sweep), "the sweep fails");
    }
    temper_lab_free(sweep);
    temper_journal_close(j, NULL);
    temper_job_free(job);
}

/* ---- results that are none ---- */

/* Adds all results of a complete journal but one, which is changed. */
static void try_change(const temper_job *job, const temper_journal *whole, test_random *r, size_t *refused) {
    temper_journal *j;
    temper_error e;
    uint64_t changed = random_below(r, job->units);
    if (!CHECK(!temper_journal_open(&j, NULL, job, &e), "%s", e.text)) return;
    for (uint64_t k = 0; k < job->units; k++) {
        const journal_result *right = &whole->results[k];
        size_t size = right->size, at = size ? random_below(r, size) : 0;
        unsigned char *bytes = malloc(size + 9);
        memcpy(bytes, right->bytes, size);
        if (k == changed) switch (random_below(r, 4)) {
            case 0: size = at; break;
            case 1: memset(bytes + size, 0, 8), size += 8; break;
            case 2: /* where a count is, as large as can be */
                at = at / 8 * 8;
                memset(bytes + at, random_below(r, 2) ? 255 : 127, size - at < 8 ? size - at : 8);
                break;
            default: bytes[at] ^= (unsigned char)(1 << random_below(r, 8));
            }
        CHECK(!temper_journal_add(j, k, bytes, size, &e), "%s", e.text);
        free(bytes);
    }
    temper_lab_kept kept;
    temper_status status = temper_lab_take(&kept, job, j, 0, &e);
    CHECK(status == TEMPER_OK || status == TEMPER_FORMAT, "unit %llu: %d %s", (unsigned long long)changed,
          (int)status, e.text);
    *refused += status != TEMPER_OK;
    temper_lab_free(kept.lab);
    temper_journal_close(j, NULL);
}

static void test_changed_results(void) {
    static const char *const zoo[] = {"zoo"};
    test_random r = test_seed(0x1abbad);
    temper_lab_job_options o = {.seed = 2, .quick = 1};
    temper_job *job;
    temper_journal *j;
    temper_error e;
    size_t rounds = (size_t)(40 * test_effort()) + 10, refused = 0;
    if (!CHECK(!temper_lab_job(&job, zoo, 1, &o, &e) && !temper_journal_open(&j, NULL, job, &e), "%s", e.text))
        return;
    CHECK(!temper_job_run(NULL, j, 2, NULL, NULL, &e), "%s", e.text);
    for (size_t k = 0; k < rounds; k++) try_change(job, j, &r, &refused);
    CHECK(refused > rounds / 4, "%zu of %zu changed results are refused", refused, rounds);
    temper_journal_close(j, NULL);
    temper_job_free(job);
}

/* ---- bytes ---- */

/* Put and read; then, cut short, it must raise. */
static void check_bytes(arena *a, uint64_t k, double x, test_random *r) {
    text bytes;
    text_init(&bytes, a);
    lab_bytes_count(&bytes, k);
    lab_bytes_number(&bytes, x);
    lab_bytes_text(&bytes, "text");
    lab_reader whole = {(const unsigned char *)bytes.data, bytes.length, a}, cut = whole;
    uint64_t count = lab_read_count(&whole);
    double y = lab_read_number(&whole);
    CHECK(count == k && !memcmp(&x, &y, sizeof x) && !strcmp(lab_read_text(&whole), "text"), "%llu, %g",
          (unsigned long long)k, x);
    lab_read_end(&whole);
    cut.left = random_below(r, bytes.length);
    lab_read_count(&cut);
    lab_read_number(&cut);
    lab_read_text(&cut);
    CHECK(false, "a part of %zu bytes was taken for all", bytes.length);
}

/* Numbers of all sizes come back, and every end that is cut off is noticed. */
static void test_bytes(void) {
    static const uint64_t counts[] = {UINT64_MAX, 127, 128, 0};
    test_random r = test_seed(0x1abb);
    trap t;
    arena a;
    size_t volatile refused = 0;
    arena_init(&a, &t);
    for (size_t turn = 0; turn < 300; turn++) {
        arena_reset(&a);
        if (trap_set(&t, NULL)) {
            CHECK(t.error.code == TEMPER_FORMAT, "%s", t.error.text);
            refused++;
        } else {
            check_bytes(&a, turn < 4 ? counts[turn] : random_u64(&r) >> random_below(&r, 64),
                        turn % 5 ? (double)(int64_t)random_u64(&r) / 7 : -0.0, &r);
        }
    }
    CHECK(refused == 300, "%zu of 300 are refused", refused);
    refused = 0;
    if (trap_set(&t, NULL)) {
        refused = 1;
    } else {
        lab_reader long_ = {(const unsigned char *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &a};
        lab_read_count(&long_);
    }
    CHECK(refused, "a count of more than 64 bits");
    arena_free(&a);
}

int main(void) {
    if (!test_folder(folder)) return test_finish("t-lab-job");
    test_bytes();
    test_journals();
    test_stop();
    test_kept();
    test_sweep();
    test_failing_sweep();
    test_changed_results();
    CHECK(rmdir(folder) == 0, "files are left in %s", folder);
    return test_finish("t-lab-job");
}

/* Journals: what was added is found again after any crash, damage costs records but never makes one up, and other
   jobs, other files and a second writer are refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/journal.h"
#include "test.h"

enum { UNITS = 40, LONGEST = 50 };

/* The result of a unit: some bytes that depend on its number; a few are empty. */
static size_t result_of(unsigned char *out, uint64_t unit) {
    test_random r = {.state = unit * 2654435761u + 1};
    size_t size = random_below(&r, 5) ? random_below(&r, LONGEST) : 0;
    for (size_t k = 0; k < size; k++) out[k] = (unsigned char)random_below(&r, 256);
    return size;
}

static void *open_state(const temper_job *job, unsigned threads, arena *a) {
    (void)job;
    (void)threads;
    return arena_alloc(a, 1, 1);
}

static void close_state(void *state) { (void)state; }

static bool run_unit(text *out, void *state, uint64_t unit, const job_watch *watch) {
    unsigned char bytes[LONGEST];
    (void)state;
    text_add(out, (const char *)bytes, result_of(bytes, unit));
    return !watch->tick(watch->context, 1);
}

static uint64_t all_needed(const temper_job *job, uint64_t unit, const unsigned char *result, size_t size) {
    (void)unit;
    (void)result;
    (void)size;
    return job->units;
}

static uint64_t weight_one(const temper_job *job, uint64_t unit) {
    (void)job;
    (void)unit;
    return 1;
}

static const job_kind kind = {"test", open_state, close_state, run_unit, all_needed, weight_one, NULL, NULL};

static temper_job job_of(char digit, uint64_t units) {
    temper_job job = {.kind = &kind, .units = units, .narrow = units / 2, .total = units};
    memset(job.digest, digit, SHA256_HEX);
    return job;
}

static char path[64];

static temper_journal *open_or_say(const temper_job *job, const char *when) {
    temper_journal *j;
    temper_error e;
    CHECK(!temper_journal_open(&j, path, job, &e), "%s: %s", when, e.text);
    return j;
}

static bool add_unit(temper_journal *j, uint64_t unit) {
    unsigned char bytes[LONGEST];
    temper_error e;
    size_t size = result_of(bytes, unit);
    return CHECK(!temper_journal_add(j, unit, bytes, size, &e), "unit %llu: %s", (unsigned long long)unit, e.text);
}

/* Every known result is the right one; how many there are. */
static size_t count_known(const temper_journal *j, const char *when) {
    size_t known = 0;
    for (uint64_t k = 0; k < j->job->units; k++) {
        unsigned char bytes[LONGEST];
        size_t size = result_of(bytes, k);
        const journal_result *r = &j->results[k];
        if (!r->bytes) continue;
        known++;
        CHECK(r->size == size && !memcmp(r->bytes, bytes, size), "%s: unit %llu", when, (unsigned long long)k);
    }
    return known;
}

static void close_journal(temper_journal *j) {
    temper_error e;
    CHECK(!temper_journal_close(j, &e), "close: %s", e.text);
}

/* A full journal in random order, with some units twice. */
static void fill(const temper_job *job, test_random *r) {
    temper_journal *j;
    uint64_t order[UNITS];
    unlink(path);
    if (!(j = open_or_say(job, "new"))) return;
    for (size_t k = 0; k < UNITS; k++) {
        size_t other = random_below(r, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (size_t k = 0; k < UNITS; k++) {
        add_unit(j, order[k]);
        if (random_below(r, 4) == 0) add_unit(j, order[random_below(r, k + 1)]);
        CHECK(!temper_journal_about(j).complete == (k + 1 < UNITS), "complete after %zu", k + 1);
    }
    close_journal(j);
}

static char *read_file(size_t *length) {
    char *bytes;
    temper_error e;
    CHECK(!temper_file_read(&bytes, length, path, &e), "%s", e.text);
    return bytes;
}

static void write_file(const char *bytes, size_t length) {
    FILE *f = fopen(path, "wb");
    if (CHECK(f != NULL, "write")) {
        fwrite(bytes, 1, length, f);
        fclose(f);
    }
}

/* Cut anywhere, a byte changed anywhere, rubbish at the end: what is left is right, and after adding the rest all is
   there. */
static void test_damage(void) {
    test_random r = test_seed(5);
    temper_job job = job_of('7', UNITS);
    size_t rounds = (size_t)(60 * test_effort()) + 20, lost = 0;
    for (size_t k = 0; k < rounds; k++) {
        size_t length, header, at;
        char when[80];
        fill(&job, &r);
        char *bytes = read_file(&length);
        if (!bytes) return;
        header = strcspn(bytes, "\n") + 1;
        at = random_below(&r, length);
        switch (random_below(&r, 3)) {
        case 0:
            snprintf(when, sizeof when, "cut at %zu of %zu", at, length);
            write_file(bytes, at);
            break;
        case 1:
            at = header + at % (length - header);
            snprintf(when, sizeof when, "byte %zu of %zu changed", at, length);
            bytes[at] = (char)(bytes[at] ^ (char)(1u << random_below(&r, 8)));
            write_file(bytes, length);
            break;
        default:
            snprintf(when, sizeof when, "the last %zu bytes repeated", length - at);
            write_file(bytes, length);
            FILE *f = fopen(path, "ab");
            fwrite(bytes + at, 1, length - at, f);
            fclose(f);
        }
        temper_journal *j = open_or_say(&job, when);
        if (j) {
            uint64_t unit;
            size_t known = count_known(j, when);
            CHECK(known == temper_journal_about(j).kept, "%s: %zu known, %llu kept", when, known,
                  (unsigned long long)temper_journal_about(j).kept);
            lost += UNITS - known;
            while (temper_journal_next(&unit, j)) add_unit(j, unit);
            CHECK(temper_journal_about(j).complete, "%s: not complete", when);
            close_journal(j);
        }
        if ((j = open_or_say(&job, "again"))) {
            CHECK(count_known(j, when) == UNITS && temper_journal_about(j).dropped == 0 &&
                      temper_journal_about(j).complete,
                  "%s: %zu units after repair, %llu bytes dropped", when, count_known(j, when),
                  (unsigned long long)temper_journal_about(j).dropped);
            close_journal(j);
        }
        temper_free(bytes);
    }
    CHECK(lost > 0, "damage was done");
}

/* One file, one job, one writer. */
static void test_refusals(void) {
    test_random r = test_seed(6);
    temper_job job = job_of('7', UNITS), other = job_of('8', UNITS), more = job_of('7', UNITS + 1);
    temper_journal *j, *second;
    temper_error e;
    fill(&job, &r);
    CHECK(temper_journal_open(&second, path, &other, &e) == TEMPER_RANGE && strstr(e.text, "another job"), "%s",
          e.text);
    CHECK(temper_journal_open(&second, path, &more, &e) == TEMPER_RANGE && strstr(e.text, "41"), "%s", e.text);
    j = open_or_say(&job, "whole after refusals");
    CHECK(j && temper_journal_about(j).kept == UNITS, "all there");
    CHECK(temper_journal_open(&second, path, &job, &e) == TEMPER_IO && strstr(e.text, "in use"), "%s", e.text);
    unsigned char wrong[LONGEST + 1] = {1};
    CHECK(temper_journal_add(j, 3, wrong, sizeof wrong, &e) == TEMPER_FORMAT && strstr(e.text, "unit 3"), "%s",
          e.text);
    CHECK(temper_journal_add(j, UNITS, wrong, 1, &e) == TEMPER_RANGE, "%s", e.text);
    CHECK(temper_journal_about(j).kept == UNITS && count_known(j, "after wrong ones") == UNITS, "all there");
    close_journal(j);

    static const char *const files[] = {"not a journal at all\n", "temper-journal 2 test 77 40 0\n",
                                        "temper-journal 1 tes\n", "x"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        size_t length;
        write_file(files[k], strlen(files[k]));
        CHECK(temper_journal_open(&second, path, &job, &e) == TEMPER_FORMAT && strstr(e.text, "not a journal"),
              "'%s': %s", files[k], e.text);
        char *bytes = read_file(&length);
        CHECK(bytes && length == strlen(files[k]) && !memcmp(bytes, files[k], length), "'%s' is left alone",
              files[k]);
        temper_free(bytes);
    }
    CHECK(temper_journal_open(&second, "/dev/null", &job, &e) == TEMPER_IO, "%s", e.text);
    CHECK(temper_journal_open(&second, "/nowhere/at/all", &job, &e) == TEMPER_IO, "%s", e.text);
    close_journal(NULL);
}

/* Two different results of one unit in a file: one is wrong, and nobody knows which. */
static void test_contradiction(void) {
    temper_job job = job_of('7', UNITS);
    temper_journal *j;
    temper_error e;
    size_t header, first, second;
    char *a, *b;
    unlink(path);
    if ((j = open_or_say(&job, "one"))) temper_journal_add(j, 5, (const unsigned char *)"x", 1, &e);
    close_journal(j);
    a = read_file(&first);
    unlink(path);
    if ((j = open_or_say(&job, "two"))) temper_journal_add(j, 5, (const unsigned char *)"y", 1, &e);
    close_journal(j);
    b = read_file(&second);
    if (!a || !b) return;
    header = strcspn(a, "\n") + 1;
    FILE *f = fopen(path, "ab");
    fwrite(a + header, 1, first - header, f);
    fclose(f);
    CHECK(temper_journal_open(&j, path, &job, &e) == TEMPER_FORMAT && strstr(e.text, "two different"), "%s", e.text);
    temper_free(a);
    temper_free(b);
}

typedef struct brake {
    uint64_t stop_at;
} brake;

static int stop_late(void *context, uint64_t done, uint64_t total) {
    const brake *b = context;
    CHECK(done <= total, "%llu of %llu", (unsigned long long)done, (unsigned long long)total);
    return b->stop_at && done >= b->stop_at;
}

/* Stopped again and again, with any number of threads: at the end all units are there, each written once. */
static void test_run(void) {
    temper_job job = job_of('7', UNITS);
    for (unsigned threads = 1; threads <= 4; threads++) {
        unlink(path);
        int stopped = 1;
        size_t rounds = 0, lines = 0, length;
        uint64_t kept = 0;
        for (; stopped && rounds < 100; rounds++) {
            temper_journal *j = open_or_say(&job, "run");
            temper_error e;
            if (!j) return;
            CHECK(temper_journal_about(j).kept >= kept, "nothing is lost");
            kept = temper_journal_about(j).kept;
            brake b = {rounds < 5 ? kept + 1 + rounds : 0};
            CHECK(!temper_job_run(&stopped, j, threads, stop_late, &b, &e), "run: %s", e.text);
            CHECK(stopped || (temper_journal_about(j).complete && count_known(j, "run") == UNITS), "%u threads",
                  threads);
            close_journal(j);
        }
        char *bytes = read_file(&length);
        for (size_t k = 0; bytes && k < length; k++) lines += bytes[k] == '\n';
        CHECK(rounds > 1 && lines == UNITS + 1, "%u threads: %zu rounds, %zu lines", threads, rounds, lines);
        temper_free(bytes);
    }
}

/* A result of some megabytes, beside short ones. */
static void test_long(void) {
    enum { LONG = 5000000 };
    temper_job job = job_of('9', UNITS);
    temper_error e;
    unsigned char *bytes = malloc(LONG);
    unlink(path);
    temper_journal *j = open_or_say(&job, "long");
    if (!bytes || !j) return;
    for (size_t k = 0; k < LONG; k++) bytes[k] = (unsigned char)(k * k >> 7);
    CHECK(!temper_journal_add(j, 3, bytes, LONG, &e), "%s", e.text);
    add_unit(j, 4);
    CHECK(temper_journal_add(j, 5, bytes, (size_t)JOB_LONGEST_RESULT + 1, &e) == TEMPER_LIMIT, "too long");
    close_journal(j);
    if (!(j = open_or_say(&job, "long, again"))) return;
    CHECK(temper_journal_about(j).kept == 2 && temper_journal_about(j).dropped == 0 && j->results[3].size == LONG &&
              !memcmp(j->results[3].bytes, bytes, LONG),
          "a long result is read back");
    close_journal(j);
    free(bytes);
}

int main(void) {
    snprintf(path, sizeof path, "/tmp/t-journal-%ld", (long)getpid());
    test_damage();
    test_refusals();
    test_contradiction();
    test_run();
    test_long();
    unlink(path);
    return test_finish("t-journal");
}

/* No result depends on the number of threads: facts of many lengths by several threads are those of one run, bit for
   bit; so are softened models and certificates; and an error, or a stop, is that of the shortest length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "facts/facts_lengths.h"
#include "facts_equal.h"
#include "feature_model.h"
#include "test.h"

static const unsigned THREADS[] = {2, 3, 7};
static size_t compared, split;

static bool note_last(void *context, size_t done) {
    *(size_t *)context = done;
    return false;
}

static void compare(const char *source, const temper_model *m, size_t longest, size_t threads) {
    size_t last = 0;
    trap t;
    arena one, many;
    temper_error e;
    arena_init(&one, &t);
    arena_init(&many, &t);
    if (trap_set(&t, &e)) {
        CHECK(e.code == TEMPER_LIMIT, "%s\n%s", e.text, source);
    } else {
        subject_model s;
        subject_model_init(&s, m, &one);
        facts **found = arena_zalloc(&many, longest + 1, sizeof *found);
        facts_run *run = facts_run_begin(&s, 0, &one);
        CHECK(facts_lengths_find(found, &s, 0, longest, THREADS[threads], note_last, &last, &many), "%s", source);
        CHECK(last == longest + 1, "of %zu lengths %zu were reported\n%s", longest + 1, last, source);
        split += facts_lengths_threads(m, 0, longest, THREADS[threads]) > 1;
        for (size_t n = 0; n <= longest; n++, compared++)
            if (!facts_are_equal(source, &s, facts_run_next(run, &one), found[n])) break;
        trap_clear(&t);
    }
    arena_free(&many);
    arena_free(&one);
}

/* The model and its certificate, as bytes. */
static void make_both(char **model, size_t *model_size, char **proof, size_t *proof_size, const temper_model *hard,
                      unsigned threads, temper_error *e) {
    temper_model *soft = NULL;
    temper_certificate *c = NULL;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 110, .threads = threads};
    temper_certify_options p = {.length = 110, .threads = threads};
    *model = *proof = NULL;
    if (temper_soften(&soft, NULL, hard, &o, e) || temper_model_print(model, model_size, soft, e) ||
        temper_certify(&c, soft, NULL, 0, &p, e) || temper_certificate_print(proof, proof_size, c, e))
        *proof_size = 0;
    temper_certificate_free(c);
    temper_model_free(soft);
}

static size_t proofs, audits;

/* One thread and several accept what is right, and refuse the same edit with the same words. */
static void compare_audits(const char *name, const char *model, size_t size, const char *proof, size_t length) {
    temper_error e[3];
    char *edited = malloc(length + 1);
    memcpy(edited, proof, length + 1);
    char *digit = strstr(edited, "\"gap\": [");
    for (; digit && (*digit < '1' || *digit > '8'); digit++) continue;
    if (digit) ++*digit;
    for (unsigned k = 0; k < 3; k++) {
        temper_audit_options o = {.threads = k ? k + 2 : 1};
        CHECK(!temper_audit(proof, length, model, size, &o, &e[k]), "%s: %s", name, e[k].text);
        CHECK(!digit || (temper_audit(edited, length, model, size, &o, &e[k]) == TEMPER_RANGE &&
                         !strcmp(e[0].text, e[k].text)),
              "%s: %s, then %s", name, e[0].text, e[k].text);
    }
    audits += digit != NULL;
    free(edited);
}

static void compare_files(const char *name, const temper_model *hard) {
    char *model[2], *proof[2];
    size_t size[2] = {0}, length[2] = {0};
    temper_error e[2];
    for (size_t k = 0; k < 2; k++) make_both(&model[k], &size[k], &proof[k], &length[k], hard, k ? 3 : 1, &e[k]);
    CHECK(size[0] == size[1] && !model[0] == !model[1] && (!model[0] || memcmp(model[0], model[1], size[0]) == 0),
          "%s: another model", name);
    CHECK(length[0] == length[1] && (!length[0] || memcmp(proof[0], proof[1], length[0]) == 0),
          "%s: another certificate", name);
    CHECK(e[0].code == e[1].code && strcmp(e[0].text, e[1].text) == 0, "%s: %s, with threads %s", name, e[0].text,
          e[1].text);
    proofs += length[0] > 0;
    if (length[0]) compare_audits(name, model[0], size[0], proof[0], length[0]);
    for (size_t k = 0; k < 2; k++) {
        temper_free(model[k]);
        temper_free(proof[k]);
    }
}

static void test_gallery(size_t longest) {
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info about;
        temper_model *hard;
        temper_error e;
        if (!CHECK(temper_gallery_about(&about, k, &e) == TEMPER_OK, "%s", e.text)) continue;
        if (!CHECK(temper_gallery_model(&hard, about.name, &e) == TEMPER_OK, "%s", e.text)) continue;
        compare(about.name, hard, longest, k % 3);
        static const char *const files = " first palindrome dyck-1 "; /* the last two read the length */
        char word[64];
        snprintf(word, sizeof word, " %s ", about.name);
        if (test_effort() > 1 || strstr(files, word)) compare_files(about.name, hard);
        temper_model_free(hard);
    }
}

static void test_features(size_t models, size_t longest) {
    test_random r = test_seed(77);
    trap errors;
    arena a;
    arena_init(&a, &errors);
    if (trap_set(&errors, NULL)) {
        CHECK(false, "%s", errors.error.text);
    } else {
        for (size_t k = 0; k < models; k++) {
            text t;
            temper_error e;
            temper_model *m = NULL;
            arena_reset(&a);
            text_init(&t, &a);
            feature_model_text(&t, &r);
            if (!temper_model_read(&m, text_string(&t), t.length, &e)) compare(text_string(&t), m, longest, k % 3);
            temper_model_free(m);
        }
        trap_clear(&errors);
    }
    arena_free(&a);
}

/* A feature that has no value at the lengths 70 and 90. */
static const char BROKEN[] =
    "temper-model 1\nmethod hard\nsyntax spec\nsource \"\"\nalphabet \"a\" \"b\"\ntokens no\nat last\n"
    "empty reject\nend no\nchannel 0 \"one\" position \"1\"\nchannel 1 \"a\"\nchannel 2 \"x\" "
    "position \"1/(n - 70) + 1/(n - 90)\"\nchannel 3 \"out\"\nembed \"a\" 1:1\nembed \"b\"\n"
    "embed start\nembed end\nlayer 1\nhead \"h\" mask j<=i choice average\n  query 0:1\n"
    "  key 2:1\n  value 1:1\n  output 3:1\nread 3:1\n";

static uint64_t last_done; /* what stop_late was told last */

static int stop_late(void *context, uint64_t done, uint64_t total) {
    (void)total;
    (*(size_t *)context)++;
    last_done = done;
    return done > 5;
}

static void test_errors(void) {
    temper_model *m = NULL, *soft;
    temper_error one = {0}, many = {0}, stopped = {0};
    if (!CHECK(!temper_model_read(&m, BROKEN, strlen(BROKEN), &one), "%s", one.text)) return;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 120, .threads = 1};
    CHECK(temper_soften(&soft, NULL, m, &o, &one) == TEMPER_UNSUPPORTED && strstr(one.text, "length 70"), "%s",
          one.text);
    for (size_t k = 0; k < 3; k++) {
        o.threads = THREADS[k];
        CHECK(temper_soften(&soft, NULL, m, &o, &many) == one.code && !strcmp(one.text, many.text), "%s", many.text);
    }
    temper_model_free(m);
    if (!CHECK(!temper_gallery_model(&m, "dyck-1", &one), "%s", one.text)) return;
    /* Only the calling thread tells how far it is. On a busy machine the others may have done everything before. */
    size_t told = 0;
    for (size_t k = 0; k < 50 && !told; k++) {
        size_t calls = 0;
        last_done = 0;
        o = (temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE,
                                    .length = 120,
                                    .threads = 3,
                                    .progress = stop_late,
                                    .context = &calls};
        temper_status status = temper_soften(&soft, NULL, m, &o, &stopped);
        if (!status) temper_model_free(soft);
        CHECK(status == (last_done > 5 ? TEMPER_LIMIT : TEMPER_OK) && (!status || strstr(stopped.text, "stopped")),
              "%zu calls: %s", calls, stopped.text);
        told = calls;
    }
    CHECK(told > 0, "never told");
    temper_model_free(m);
}

/* ---- memory ---- */

static char *tight_model, *tight_proof;
static size_t tight_size, tight_length;

static temper_status soften_tightly(const temper_model *hard, unsigned threads, temper_error *e) {
    temper_model *soft = NULL;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 150, .threads = threads};
    temper_status status = temper_soften(&soft, NULL, hard, &o, e);
    temper_model_free(soft);
    return status;
}

static temper_status audit_tightly(const temper_model *hard, unsigned threads, temper_error *e) {
    temper_audit_options o = {.threads = threads};
    (void)hard;
    return temper_audit(tight_proof, tight_length, tight_model, tight_size, &o, e);
}

/* Where there is memory for one run and a half (blocks of an arena double), it is enough, however many threads
   begin. */
static void test_tight(const char *name, const temper_model *hard,
                       temper_status (*work)(const temper_model *, unsigned, temper_error *)) {
    temper_error e;
    size_t limit = 1 << 18;
    temper_limit_memory(limit);
    while (work(hard, 1, &e) && limit < (size_t)1 << 32) temper_limit_memory(limit += limit / 4);
    temper_limit_memory(limit += limit / 4); /* for what is kept of each part */
    CHECK(limit > 1 << 18 && limit < (size_t)1 << 32, "%s: %zu bytes", name, limit);
    temper_limit_memory(limit += limit / 2);
    for (unsigned threads = 2; threads <= 16; threads *= 2)
        CHECK(!work(hard, threads, &e), "%s: %zu bytes are too few for %u threads: %s", name, limit, threads, e.text);
    temper_limit_memory(0);
}

static void test_memory(void) {
    temper_model *hard;
    temper_error e;
    if (!CHECK(!temper_gallery_model(&hard, "dyck-1", &e), "%s", e.text)) return;
    make_both(&tight_model, &tight_size, &tight_proof, &tight_length, hard, 1, &e);
    test_tight("soften", hard, soften_tightly);
    if (CHECK(tight_length > 0, "%s", e.text)) test_tight("audit", hard, audit_tightly);
    temper_free(tight_model);
    temper_free(tight_proof);
    temper_model_free(hard);
}

/* The audit tells of its progress, from the first length to the last, and stops when it is told to. */
typedef struct watch {
    uint64_t last, total;
    bool rising;
    uint64_t stop;
} watch;

static int look(void *context, uint64_t done, uint64_t total) {
    watch *w = context;
    w->rising = w->rising && done > w->last;
    w->last = done;
    w->total = total;
    return w->stop && done >= w->stop;
}

static void test_audit(void) {
    temper_model *hard, *soft = NULL;
    temper_error e;
    char *model = NULL, *proof = NULL;
    size_t size = 0, length = 0;
    if (!CHECK(!temper_gallery_model(&hard, "parity", &e), "%s", e.text)) return;
    make_both(&model, &size, &proof, &length, hard, 2, &e);
    if (CHECK(length > 0, "%s", e.text)) {
        watch w = {.rising = true};
        temper_audit_options o = {.progress = look, .context = &w};
        CHECK(!temper_audit(proof, length, model, size, &o, &e) && w.rising && w.last == w.total &&
                  w.total == 2 * 111,
              "%llu of %llu: %s", (unsigned long long)w.last, (unsigned long long)w.total, e.text);
        w = (watch){.rising = true, .stop = 40};
        CHECK(temper_audit(proof, length, model, size, &o, &e) == TEMPER_LIMIT && w.last == 40, "%s", e.text);
        CHECK(!temper_audit(proof, length, model, size, NULL, &e), "%s", e.text);
    }
    temper_free(model);
    temper_free(proof);
    temper_model_free(soft);
    temper_model_free(hard);
}

int main(void) {
    double effort = test_effort();
    test_gallery(effort > 9 ? 300 : 70);
    test_features((size_t)(6 * effort), 70);
    test_errors();
    test_audit();
    test_memory();
    CHECK(compared > 500 && split > 5 && proofs > 2 && audits > 1, "%zu lengths, %zu times by threads, %zu proofs",
          compared, split, proofs);
    return test_finish("t-facts-threads");
}

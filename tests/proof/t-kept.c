/* What a proof found out about a model is kept with it, for the next one, in whatever thread. So one model is asked
   by many threads at once, with copies made of it on the way, with too little memory and with other efforts; each
   answer must be that of a fresh model that nobody else asks. Build it with -fsanitize=thread, too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temper.h"
#include "test.h"

typedef struct source {
    const char *text;
    temper_spec_options options;
    temper_method method;
    int whole;
} source;

static const source sources[] = {
    {"a S b", {.alphabet = "abc"}, TEMPER_METHOD_TEMPERATURE, 1},
    {"#[a] > #[b] | H(c -> O a)", {.alphabet = "abc"}, TEMPER_METHOD_POSITIONS, 1},
    {"O(a & Y(b & Y c))", {.alphabet = "abc"}, TEMPER_METHOD_TEMPERATURE, 1},
    {"(a|b)*abc", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abc"}, TEMPER_METHOD_TEMPERATURE, 1},
    {"/(ab|c)*/ & O a", {.alphabet = "abc"}, TEMPER_METHOD_TEMPERATURE, 0},
    {"(aa|b)*", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "ab"}, TEMPER_METHOD_HARD, 0},
    {"O(a & Y b)", {.alphabet = "ab", .kind = TEMPER_KIND_NEXT}, TEMPER_METHOD_TEMPERATURE, 0}};
enum { SOURCES = sizeof sources / sizeof *sources };

static temper_model *make(const source *s) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_error e;
    temper_build_options o = {.method = s->method, .whole = s->whole};
    CHECK(!temper_spec_parse(&spec, s->text, strlen(s->text), &s->options, &e) && !temper_build(&m, spec, &o, &e),
          "%s: %s", s->text, e.text);
    temper_spec_free(spec);
    return m;
}

/* ---- one question, and its answer as a text ---- */

enum { QUESTIONS = 9, ANSWER = 6000 };

/* Its certificate, or why there is none. */
static temper_status certify(char out[ANSWER], const temper_model *m, temper_type type, size_t length) {
    temper_certificate *c = NULL;
    temper_error e;
    temper_certify_options o = {.length = length, .type = type, .threads = 1};
    temper_status status = temper_certify(&c, m, NULL, 0, &o, &e);
    char *text = NULL;
    size_t size;
    snprintf(out, ANSWER, "error %s", e.text);
    if (!status) {
        temper_certificate_info about = temper_certificate_about(c);
        snprintf(out, ANSWER, "unable %s %s", about.reason, about.note);
        if (about.verdict == TEMPER_PROVED && !(status = temper_certificate_print(&text, &size, c, &e)))
            snprintf(out, ANSWER, "%s", text);
    }
    temper_free(text);
    temper_certificate_free(c);
    return status;
}

static temper_status run(char out[ANSWER], const temper_model *m) {
    static const uint32_t word[] = {0, 1, 1, 0, 1, 0, 0, 1};
    temper_run *r = NULL;
    temper_error e;
    temper_run_options o = {.unchecked = 1};
    temper_status status = temper_model_run(&r, m, word, 8, &o, &e);
    snprintf(out, ANSWER, "error %s", e.text);
    if (!status)
        snprintf(out, ANSWER, "accept %d proved %d", temper_run_about(r).accept, (int)temper_run_about(r).proved);
    temper_run_free(r);
    return status;
}

static temper_status prove(char out[ANSWER], const temper_model *m, temper_type type, int hard) {
    temper_proof p = {0};
    temper_error e;
    temper_status status = temper_model_proof(&p, m, type, hard, &e);
    snprintf(out, ANSWER, "error %s", e.text);
    if (!status) snprintf(out, ANSWER, "claim %d length %zu: %s", (int)p.claim, p.length, p.obstacle);
    return status;
}

static temper_status heads(char out[ANSWER], const temper_model *m) {
    temper_error e;
    temper_status status = TEMPER_OK;
    *out = 0;
    for (size_t layer = 1; layer <= temper_model_about(m).layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(m, layer).heads && !status; head++) {
            temper_head_info h;
            size_t used = strlen(out);
            status = temper_model_head(&h, m, layer, head, &e);
            if (!status) snprintf(out + used, ANSWER - used, "%d %g %s;", (int)h.growth, h.bound, h.role);
        }
    return status;
}

/* Of a copy with other scales, and of what the text says. */
static temper_status ask_copy(char out[ANSWER], const temper_model *m, bool scaled) {
    temper_model *copy = NULL;
    char *text = NULL;
    size_t length = 0;
    temper_scale scale = {.scale = "2x"};
    temper_status status;
    if (scaled && temper_model_about(m).method != TEMPER_METHOD_HARD) {
        status = temper_model_with_scale(&copy, m, &scale, 1, NULL);
    } else {
        status = temper_model_print(&text, &length, m, NULL);
        if (!status) status = temper_model_read(&copy, text, length, NULL);
    }
    if (!status) status = certify(out, copy, TEMPER_TYPE_F64, 50);
    temper_free(text);
    temper_model_free(copy);
    return status;
}

static temper_status ask(char out[ANSWER], const temper_model *m, size_t question) {
    *out = 0;
    switch (question) {
    case 0: return certify(out, m, TEMPER_TYPE_F64, 1000);
    case 1: return certify(out, m, TEMPER_TYPE_F32, 100);
    case 2: return certify(out, m, TEMPER_TYPE_BF16_F32, 20);
    case 3: return run(out, m);
    case 4: return prove(out, m, TEMPER_TYPE_F32, 0);
    case 5: return prove(out, m, TEMPER_TYPE_F64, 1);
    case 6: return heads(out, m);
    case 7: return ask_copy(out, m, true);
    default: return ask_copy(out, m, false);
    }
}

static char wanted[SOURCES][QUESTIONS][ANSWER];

static void find_wanted(void) {
    for (size_t s = 0; s < SOURCES; s++)
        for (size_t q = 0; q < QUESTIONS; q++) {
            temper_model *m = make(&sources[s]);
            CHECK(m && !ask(wanted[s][q], m, q), "%s, question %zu: %s", sources[s].text, q, wanted[s][q]);
            temper_model_free(m);
        }
}

/* ---- many threads ---- */

enum { THREADS = 8 };

static temper_model *shared[SOURCES];
static volatile int starved; /* memory is short now and then */

typedef struct worker {
    pthread_t thread;
    test_random random;
    size_t rounds, asked, without_memory;
    char wrong[ANSWER];
} worker;

/* Only one thread may count checks, so the first difference is kept. */
static void *work(void *context) {
    worker *w = context;
    char *answer = malloc(ANSWER);
    for (size_t k = 0; answer && k < w->rounds && !*w->wrong; k++) {
        size_t s = (size_t)random_below(&w->random, SOURCES), q = (size_t)random_below(&w->random, QUESTIONS);
        temper_status status = ask(answer, shared[s], q);
        w->asked++;
        if (status == TEMPER_NO_MEMORY && starved)
            w->without_memory++;
        else if (status || strcmp(answer, wanted[s][q]))
            snprintf(w->wrong, ANSWER, "%s, question %zu: %.2000s instead of %.2000s", sources[s].text, q, answer,
                     wanted[s][q]);
    }
    free(answer);
    return NULL;
}

static void ask_in_threads(test_random *r, size_t rounds) {
    static worker workers[THREADS];
    for (size_t s = 0; s < SOURCES; s++) shared[s] = make(&sources[s]);
    for (size_t k = 0; k < THREADS; k++) {
        workers[k] = (worker){.rounds = rounds, .random = {random_u64(r) | 1}};
        CHECK(!pthread_create(&workers[k].thread, NULL, work, &workers[k]), "thread %zu", k);
    }
    if (starved) {
        for (size_t k = 0; k < 20 * rounds; k++) temper_limit_memory(random_below(r, 2) ? 0 : 20000 + k * 4000);
        temper_limit_memory(0);
    }
    for (size_t k = 0; k < THREADS; k++) {
        pthread_join(workers[k].thread, NULL);
        CHECK(!*workers[k].wrong && workers[k].asked == rounds, "thread %zu: %s", k, workers[k].wrong);
    }
    for (size_t s = 0; s < SOURCES; s++) temper_model_free(shared[s]);
}

/* ---- too little memory, half way ---- */

/* A fresh model that is asked with less memory than that takes: it answers as others as soon as there is enough, also
   what the first question has left behind. Returns whether memory was short. */
static bool check_bytes(const source *from, char (*want)[ANSWER], size_t bytes, char answer[ANSWER]) {
    temper_model *m = make(from);
    temper_limit_memory(bytes);
    temper_status status = certify(answer, m, TEMPER_TYPE_F64, 1000);
    temper_limit_memory(0);
    CHECK(status == TEMPER_NO_MEMORY || (!status && !strcmp(answer, want[0])), "%s, %zu bytes: %s", from->text, bytes,
          answer);
    for (int q = 1; q >= 0; q--)
        CHECK(!ask(answer, m, (size_t)q) && !strcmp(answer, want[q]), "%s, question %d after %zu bytes: %s",
              from->text, q, bytes, answer);
    temper_model_free(m);
    return status == TEMPER_NO_MEMORY;
}

static void check_memory(void) {
    char *answer = malloc(ANSWER);
    size_t step = test_effort() < 1 ? 3 : 12; /* a budget is by so much of itself larger than the last */
    for (size_t s = 0; answer && s < SOURCES; s++) {
        size_t failed = 0, bytes = 10000;
        for (; check_bytes(&sources[s], wanted[s], bytes, answer); bytes += bytes / step) failed++;
        CHECK(failed > 3, "%s: memory was short %zu times", sources[s].text, failed);
    }
    free(answer);
}

/* ---- other efforts ---- */

/* A language whose formula takes more than the usual work to be shown: who raises the limit hears another claim of
   the same model. */
static void check_effort(void) {
    static const source hard = {"word ([a-z]+ ){0,60}otherword",
                                {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abcdefghijklmnopqrstuvwxyz "},
                                TEMPER_METHOD_TEMPERATURE,
                                1};
    temper_model *m = make(&hard);
    for (int effort = 1; m && effort <= 4; effort += 3) {
        temper_certificate *c = NULL;
        temper_certify_options o = {.length = 10};
        temper_limit_work(effort);
        CHECK(!temper_certify(&c, m, NULL, 0, &o, NULL) &&
                  temper_certificate_about(c).claim == (effort == 1 ? TEMPER_CLAIM_CHOICES : TEMPER_CLAIM_FORMULA),
              "effort %d: claim %d", effort, c ? (int)temper_certificate_about(c).claim : -1);
        temper_certificate_free(c);
    }
    temper_limit_work(1);
    temper_model_free(m);
}

int main(void) {
    test_random r = test_seed(7);
    double rounds = 20 * test_effort();
    find_wanted();
    ask_in_threads(&r, rounds < 4 ? 4 : (size_t)rounds);
    starved = 1;
    ask_in_threads(&r, rounds < 4 ? 4 : (size_t)rounds);
    check_memory();
    if (test_effort() >= 1) check_effort();
    return test_finish("t-kept");
}

/* Limits of work: what is impossible and what is only too much are told apart, more effort raises the limits, and
   what the usual limits are enough for stays as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "regular_languages.h"
#include "test.h"

static temper_spec *parse_as(const char *text, const temper_spec_options *o) {
    temper_spec *spec = NULL;
    temper_error e;
    CHECK(!temper_spec_parse(&spec, text, strlen(text), o, &e), "%s: %s", text, e.text);
    return spec;
}

static temper_spec *parse(const char *text, temper_syntax syntax) {
    return parse_as(text, &(temper_spec_options){.syntax = syntax});
}

static void check_limit(void) {
    static const double efforts[] = {0, 0.5, 1, 1.5, 10, 1000, 1e9};
    static const uint64_t limits[] = {4000, 4000, 4000, 6000, 40000, 4000000, 4000000};
    for (size_t k = 0; k < sizeof efforts / sizeof *efforts; k++) {
        temper_limit_work(efforts[k]);
        CHECK(work_limit(4000) == limits[k], "effort %g: %llu", efforts[k], (unsigned long long)work_limit(4000));
        CHECK(work_limit_if(false, 4000) == 4000 && work_is_raised() == (efforts[k] > 1), "effort %g", efforts[k]);
    }
    temper_limit_work(1);
}

/* The start of permutations of the states: letter a swaps the first two, b leads them round. */
static temper_spec *symmetric_group(unsigned degree) {
    char table[600] = "start 0\naccept 0\n";
    for (unsigned q = 0; q < degree; q++)
        snprintf(table + strlen(table), sizeof table - strlen(table), "%u a %u\n%u b %u\n", q, q < 2 ? 1 - q : q, q,
                 (q + 1) % degree);
    return parse(table, TEMPER_SYNTAX_DFA);
}

static void check_impossible(void) {
    static const struct {
        unsigned degree;
        double effort;
        temper_status status;
        const char *part;
    } all[] = {
        {4, 1, TEMPER_OK, ""},
        {5, 1, TEMPER_UNSUPPORTED, "no transformer of constant depth"},
        {5, 100, TEMPER_UNSUPPORTED, "as S5, of order 120, which is not solvable"},
        {8, 1, TEMPER_LIMIT, "too much work to compile it here"},
        {8, 1, TEMPER_LIMIT, "in more than 8192 ways, which are too many to list"},
        {8, 5, TEMPER_UNSUPPORTED, "as S8, of order 40320, which is not solvable"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (all[k].degree > 5 && all[k].effort > 1 && test_effort() < 1) continue; /* a second */
        temper_spec *spec = symmetric_group(all[k].degree);
        temper_model *m = NULL;
        temper_error e = {0};
        temper_limit_work(all[k].effort);
        temper_status status = spec ? temper_build(&m, spec, NULL, &e) : TEMPER_OK;
        CHECK(status == all[k].status && strstr(e.text, all[k].part), "S%u, effort %g: %d, %s", all[k].degree,
              all[k].effort, status, e.text);
        CHECK((e.remedy == TEMPER_REMEDY_EFFORT) == (status == TEMPER_LIMIT), "S%u, effort %g: remedy %d",
              all[k].degree, all[k].effort, (int)e.remedy);
        temper_model_free(m);
        temper_spec_free(spec);
    }
    temper_limit_work(1);
}

/* 2,048 states, of which 1,024 are compiled: with more effort they are, and the model is right at every prefix. */
static void check_raised(void) {
    enum { BACK = 10, LONG = 60 };
    temper_spec *spec = parse("(a|b)*a(a|b){10}", TEMPER_SYNTAX_REGEX);
    temper_model *m = NULL;
    temper_run *run = NULL;
    temper_error e = {0};
    test_random r = test_seed(341);
    if (!spec) return;
    CHECK(temper_build(&m, spec, NULL, &e) == TEMPER_LIMIT && e.remedy == TEMPER_REMEDY_EFFORT, "%s", e.text);
    CHECK(strstr(e.text, "has 2048 states, and at most 1024 are compiled"), "%s", e.text);
    temper_limit_work(4);
    if (CHECK(!temper_build(&m, spec, NULL, &e), "%s", e.text))
        for (int trial = 0; trial < 20; trial++) {
            uint32_t w[LONG];
            for (size_t k = 0; k < LONG; k++) w[k] = (uint32_t)random_below(&r, 2);
            if (!CHECK(!temper_model_run(&run, m, w, LONG, NULL, &e), "%s", e.text)) break;
            const unsigned char *truth = temper_run_about(run).truth;
            for (size_t k = 0; k < LONG; k++)
                CHECK(truth[k + 1] == (k >= BACK && w[k - BACK] == 0), "trial %d, letter %zu", trial, k + 1);
            temper_run_free(run);
        }
    temper_limit_work(1);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* The model of every language of the corpus that is small enough to be quick. */
static void check_same(void) {
    for (size_t k = 0; k < regular_count(); k += test_effort() < 1 ? 9 : 3) {
        const regular_language *l = regular_at(k);
        char *text[2] = {NULL, NULL};
        bool ascii = !strcmp(l->alphabet, "ascii");
        if (!l->regex) continue;
        for (int raised = 0; raised < 2; raised++) {
            temper_limit_work(raised ? 50 : 1);
            temper_spec *spec = parse_as(l->regex, &(temper_spec_options){.syntax = TEMPER_SYNTAX_REGEX,
                                                                          .alphabet = ascii ? NULL : l->alphabet,
                                                                          .ascii = ascii});
            temper_model *m = NULL;
            size_t length;
            if (spec && !temper_build(&m, spec, NULL, NULL)) temper_model_print(&text[raised], &length, m, NULL);
            temper_model_free(m);
            temper_spec_free(spec);
        }
        CHECK(!text[0] || (text[1] && !strcmp(text[0], text[1])), "%s: another model with more effort", l->name);
        temper_free(text[0]);
        temper_free(text[1]);
    }
    temper_limit_work(1);
}

/* Of 3,316 states, which read from the right take more work than is allowed: some seconds. */
static void check_words(void) {
    static const char text[] = "word ([a-zA-Z0-9]+ ){0,300}otherword";
    temper_spec *spec = test_effort() < 5 ? NULL : parse(text, TEMPER_SYNTAX_REGEX);
    temper_model *m = NULL;
    temper_error e = {0};
    if (!spec) return;
    CHECK(temper_build(&m, spec, &(temper_build_options){.whole = 1}, &e) == TEMPER_LIMIT, "%s", e.text);
    CHECK(strstr(e.text, "too much work to compile it here: the cascade would "), "%s", e.text);
    temper_spec_free(spec);
}

/* What is being done is there to be seen, and moves. */
static void check_now(void) {
    temper_spec *spec = parse("(a|b)*a(a|b){6}", TEMPER_SYNTAX_REGEX);
    temper_work now = temper_work_now();
    CHECK(!strcmp(now.what, "deriving the regular expression") && now.done > 0 && now.done < now.most, "%s: %llu",
          now.what, (unsigned long long)now.done);
    temper_spec_free(spec);
}

/* What a long run tells: steps counted beforehand, and all of them done at its end. */
static void check_run(const char *formula, const temper_run_options *o, size_t n) {
    temper_spec *spec = parse(formula, TEMPER_SYNTAX_SPEC);
    temper_model *m = NULL;
    temper_run *run = NULL;
    temper_error e = {0};
    test_random r = test_seed(342);
    uint32_t *w = calloc(n, sizeof *w);
    for (size_t k = 0; k < n; k++) w[k] = (uint32_t)random_below(&r, 2);
    if (spec && CHECK(!temper_build(&m, spec, NULL, &e), "%s", e.text) &&
        CHECK(!temper_model_run(&run, m, w, n, o, &e), "%s, %zu letters: %s", formula, n, e.text)) {
        temper_work now = temper_work_now();
        CHECK(!strcmp(now.what, "running the string") && now.counted, "%s, %zu letters: %s", formula, n, now.what);
        double part = now.most ? (double)now.done / (double)now.most : 0;
        CHECK(part > 0.98 && part < 1.02, "%s, %zu letters: %llu steps of %llu", formula, n,
              (unsigned long long)now.done, (unsigned long long)now.most);
    }
    temper_run_free(run);
    temper_model_free(m);
    temper_spec_free(spec);
    free(w);
}

static void check_runs(void) {
    static const char deep[] =
        "alphabet a b\nO (a & Y O (b & Y O (a & Y O (b & Y O (a & Y O (b & Y O (a & Y b)))))))";
    if (test_effort() < 1) return; /* each takes the half of a second that nobody is told of */
    check_run(deep, NULL, 2000000);
    check_run(deep, &(temper_run_options){.dense = 1}, 8000);
    check_run("alphabet a b\nat last\nO a & F b", NULL, 1200000); /* layer by layer; a short run tells nothing */
}

int main(void) {
    check_limit();
    check_impossible();
    check_raised();
    check_same();
    check_words();
    check_now();
    check_runs();
    return test_finish("t-work");
}

#define _POSIX_C_SOURCE 200809L
/* Limits: what the search finds is wrong when it is run again, known first wrong lengths are found, no certificate is
   contradicted, the reason is the right one, and the same table comes out in whatever order the units are done. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "limits/string_trial.h"
#include "limits/word_runs.h"
#include "random_formula.h"
#include "run/run_string.h"

/* The answer at the position of the row is not the formula's, or there is none. */
static bool is_wrong_again(const temper_spec *spec, const temper_model *m, const temper_limits_row *r) {
    temper_run *run;
    temper_error e;
    temper_run_options o = {.type = r->type, .unchecked = 1, .threads = 2};
    unsigned char *truth = calloc(r->wrong + 1, 1);
    int accept;
    if (temper_spec_eval(&accept, truth, spec, r->letters, r->wrong, &e)) abort();
    int expected = r->position ? truth[r->position - 1] : accept;
    free(truth);
    temper_status status = temper_model_run(&run, m, r->letters, r->wrong, &o, &e);
    if (status) return status == TEMPER_RANGE; /* overflow */
    int given = temper_run_about(run).truth[r->position];
    temper_run_free(run);
    return given != expected;
}

static void check_row(const char *name, const temper_spec *spec, const temper_model *m, const temper_limits_row *r) {
    const char *method = temper_method_name(r->method), *type = temper_type_name(r->type);
    if (!r->found) {
        CHECK(r->swept <= r->tried && !*r->string && !r->letters, "%s by %s in %s: nothing found", name, method,
              type);
        return;
    }
    CHECK(r->claim == TEMPER_CLAIM_NONE || r->proved < r->wrong,
          "%s by %s in %s: proved to %zu, and wrong at %zu: %s", name, method, type, r->proved, r->wrong, r->string);
    CHECK(is_wrong_again(spec, m, r), "%s by %s in %s: %s is right at position %zu", name, method, type, r->string,
          r->position);
    CHECK(r->position <= r->wrong && r->wrong <= r->tried && *temper_why_name(r->why), "%s: %s", name, r->string);
}

/* ---- lengths that are known, with the reason (tests/run/t-format-limits.c has them by rounding alone) ---- */

static const struct known {
    const char *formula;
    temper_method method;
    temper_type type;
    size_t first;
    temper_why why;
} known[] = {
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16, 85, TEMPER_WHY_REPRESENTABILITY},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16, 682, TEMPER_WHY_LOST_TIE},
    {"a S b", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16, 128, TEMPER_WHY_LOST_TIE},
    {"a S b", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16_F32, 257, TEMPER_WHY_REPRESENTABILITY},
    {"a S b", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_F16, 1024, TEMPER_WHY_LOST_TIE},
    {"a S b", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_E4M3_F32, 5, TEMPER_WHY_REPRESENTABILITY},
    {"Y a", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16_F32, 257, TEMPER_WHY_REPRESENTABILITY},
    {"#[a] % 2 = 1", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_BF16, 12, TEMPER_WHY_LOST_TIE},
    {"#[a] % 2 = 1", TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16, 15, TEMPER_WHY_OVERFLOW},
    {"#[a] >= #[b]", TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16, 258, TEMPER_WHY_ABSORPTION},
};

static void test_known(void) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct known *x = &known[k];
        if (x->first > 500 && test_effort() < 1) continue;
        temper_spec *spec = spec_of(x->formula, "abc", TEMPER_AT_LAST);
        temper_model *m = spec ? model_of(spec, x->method) : NULL;
        temper_limits_case c = {m, x->type};
        temper_limits_options o = {.effort = x->why == TEMPER_WHY_ABSORPTION ? 0.4 : 0.1, .seed = 1};
        temper_limits *limits = NULL;
        temper_error e;
        if (m && CHECK(!temper_limits_find(&limits, &c, 1, &o, &e), "%s: %s", x->formula, e.text)) {
            temper_limits_row r = temper_limits_at(limits, 0);
            CHECK(r.found && r.wrong <= x->first, "%s by %s in %s: wrong at %zu is known, found %zu", x->formula,
                  temper_method_name(x->method), temper_type_name(x->type), x->first, r.found ? r.wrong : 0);
            CHECK(r.why == x->why && r.layer > 0, "%s by %s in %s: %s in head %zu.%zu", x->formula,
                  temper_method_name(x->method), temper_type_name(x->type), temper_why_name(r.why), r.layer, r.head);
            check_row(x->formula, spec, m, &r);
        }
        temper_limits_free(limits);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

/* ---- any formula ---- */

static void test_random_formulas(void) {
    static const temper_type types[] = {TEMPER_TYPE_F32,      TEMPER_TYPE_BF16_F32, TEMPER_TYPE_BF16,
                                        TEMPER_TYPE_F16,      TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,
                                        TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_E5M2};
    enum { TYPES = sizeof types / sizeof *types };
    test_random r = test_seed(5);
    size_t formulas = (size_t)(8 * test_effort()) + 1, found = 0;
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 2 + random_below(&r, 7),
                              .depth = 1 + random_below(&r, 4),
                              .past = true,
                              .future = random_below(&r, 3) == 0,
                              .counting = random_below(&r, 3) == 0,
                              .modulo = random_below(&r, 5) == 0,
                              .places = random_below(&r, 5) == 0};
        temper_spec *spec = random_spec(&r, &shape, TEMPER_AT_LAST);
        temper_model *m = spec ? model_of(spec, (temper_method)(1 + random_below(&r, 2))) : NULL;
        temper_limits_case cases[TYPES];
        temper_limits_options o = {.effort = 0.004, .seed = k};
        temper_limits *limits = NULL;
        temper_error e;
        char *printed = NULL;
        for (size_t t = 0; t < TYPES; t++) cases[t] = (temper_limits_case){m, types[t]};
        if (m && !temper_spec_print(&printed, spec, &e) &&
            CHECK(!temper_limits_find(&limits, cases, TYPES, &o, &e), "%s: %s", printed, e.text))
            for (size_t t = 0; t < TYPES; t++) {
                temper_limits_row row = temper_limits_at(limits, t);
                found += (size_t)row.found;
                check_row(printed, spec, m, &row);
            }
        temper_free(printed);
        temper_limits_free(limits);
        temper_model_free(m);
        temper_spec_free(spec);
    }
    CHECK(formulas < 10 || found > formulas / 2, "only %zu wrong answers in %zu formulas", found, formulas);
}

/* ---- units ---- */

typedef struct pair {
    temper_spec *spec;
    temper_model *models[2];
    temper_limits_case cases[4];
} pair;

static bool make_pair(pair *p) {
    *p = (pair){.spec = spec_of("a S b", "abc", TEMPER_AT_LAST)};
    for (size_t k = 0; k < 2 && p->spec; k++) p->models[k] = model_of(p->spec, (temper_method)(k + 1));
    for (size_t k = 0; k < 4; k++)
        p->cases[k] = (temper_limits_case){p->models[k % 2], k < 2 ? TEMPER_TYPE_BF16 : TEMPER_TYPE_F32};
    return p->models[0] && p->models[1];
}

static void free_pair(pair *p) {
    temper_model_free(p->models[0]);
    temper_model_free(p->models[1]);
    temper_spec_free(p->spec);
}

static char *table_text(const temper_limits *l, temper_limits_format format) {
    char *printed;
    size_t length;
    return temper_limits_print(&printed, &length, l, format, NULL) ? NULL : printed;
}

/* In random order, some twice, by two workers, through a file that is opened again half way. */
static void test_units(void) {
    test_random r = test_seed(3);
    char path[] = "/tmp/temper-limits-XXXXXX";
    int file = mkstemp(path);
    pair p;
    temper_limits_options o = {.effort = 0.01, .seed = 7};
    temper_limits *want = NULL, *got = NULL;
    temper_job *job = NULL;
    temper_journal *journal = NULL;
    temper_worker *workers[2] = {NULL, NULL};
    temper_error e;
    if (file >= 0) close(file);
    remove(path);
    if (!make_pair(&p) || !CHECK(!temper_limits_find(&want, p.cases, 4, &o, &e), "%s", e.text) ||
        !CHECK(!temper_limits_job(&job, p.cases, 4, &o, &e), "%s", e.text) ||
        !CHECK(!temper_journal_open(&journal, path, job, &e), "%s", e.text))
        return;
    CHECK(temper_limits_merge(&got, job, journal, &e) == TEMPER_RANGE && !got, "nothing is done yet");
    size_t units = (size_t)temper_job_about(job).units, left = units;
    bool *done = calloc(units, sizeof *done);
    for (size_t k = 0; k < 2; k++) CHECK(!temper_worker_open(&workers[k], job, 1, &e), "%s", e.text);
    while (left > 0) {
        size_t unit = random_below(&r, units), size;
        unsigned char *result;
        if (!CHECK(!temper_worker_run(&result, &size, workers[random_below(&r, 2)], unit, &e), "%s", e.text)) break;
        CHECK(!temper_journal_add(journal, unit, result, size, &e), "unit %zu: %s", unit, e.text);
        temper_free(result);
        left -= !done[unit];
        done[unit] = true;
        if (left == units / 2) {
            CHECK(!temper_journal_close(journal, &e) && !temper_journal_open(&journal, path, job, &e), "%s", e.text);
            CHECK(temper_journal_about(journal).kept == units - left, "%llu kept",
                  (unsigned long long)temper_journal_about(journal).kept);
        }
    }
    if (CHECK(!temper_limits_merge(&got, job, journal, &e), "%s", e.text)) {
        char *a = table_text(want, TEMPER_LIMITS_JSON), *b = table_text(got, TEMPER_LIMITS_JSON);
        CHECK(a && b && !strcmp(a, b), "%s\ninstead of %s", b, a);
        temper_free(a);
        temper_free(b);
    }
    temper_worker_free(workers[0]);
    temper_worker_free(workers[1]);
    temper_journal_close(journal, NULL);
    remove(path);
    free(done);
    temper_limits_free(want);
    temper_limits_free(got);
    temper_job_free(job);
    free_pair(&p);
}

/* Everything that results depend on is in the digest; damaged results are refused. */
static void test_digest_and_bytes(void) {
    test_random r = test_seed(9);
    pair p;
    temper_limits_options options[] = {{.effort = 0.003, .seed = 1},
                                       {.effort = 0.004, .seed = 1},
                                       {.effort = 0.003, .seed = 2},
                                       {.effort = 0.003, .seed = 1, .length = 100}};
    char digests[6][65];
    size_t count = 0;
    temper_error e;
    if (!make_pair(&p)) return;
    for (size_t k = 0; k < 6; k++) {
        temper_job *job;
        if (!CHECK(!temper_limits_job(&job, p.cases + (k == 4), k == 5 ? 3 : 2, &options[k < 4 ? k : 0], &e), "%s",
                   e.text))
            continue;
        snprintf(digests[count], sizeof digests[0], "%s", temper_job_about(job).digest);
        for (size_t l = 0; l < count; l++)
            CHECK(strcmp(digests[l], digests[count]) != 0, "jobs %zu and %zu", l, count);
        count++;
        temper_job_free(job);
    }
    temper_job *job;
    temper_worker *worker;
    unsigned char *right[2];
    size_t sizes[2];
    if (!CHECK(!temper_limits_job(&job, p.cases, 1, &options[0], &e) && !temper_worker_open(&worker, job, 1, &e),
               "%s", e.text))
        return;
    for (uint64_t unit = 0; unit < 2; unit++)
        CHECK(!temper_worker_run(&right[unit], &sizes[unit], worker, unit, &e), "%s", e.text);
    for (size_t k = 0; k < 400; k++) {
        temper_journal *journal;
        temper_limits *limits = NULL;
        size_t hurt = random_below(&r, 2), length = random_below(&r, 3) ? sizes[hurt] : random_below(&r, sizes[hurt]);
        unsigned char *bytes = calloc(sizes[hurt] + 1, 1);
        memcpy(bytes, right[hurt], sizes[hurt]);
        bytes[random_below(&r, length + 1)] = (unsigned char)random_below(&r, 256);
        if (!CHECK(!temper_journal_open(&journal, NULL, job, &e), "%s", e.text)) break;
        temper_journal_add(journal, hurt, bytes, length, &e);
        temper_journal_add(journal, 1 - hurt, right[1 - hurt], sizes[1 - hurt], &e);
        temper_status status = temper_limits_merge(&limits, job, journal, &e);
        CHECK(status == TEMPER_OK || status == TEMPER_FORMAT, "%zu bytes: %s", length, e.text);
        for (size_t i = 0; limits && temper_limits_at(limits, 0).letters && i < temper_limits_at(limits, 0).wrong;
             i++)
            if (!CHECK(temper_limits_at(limits, 0).letters[i] < 3, "letter %u",
                       temper_limits_at(limits, 0).letters[i]))
                break;
        temper_limits_free(limits);
        temper_journal_close(journal, NULL);
        free(bytes);
    }
    temper_free(right[0]);
    temper_free(right[1]);
    temper_worker_free(worker);
    temper_job_free(job);
    free_pair(&p);
}

/* ---- text ---- */

static void test_word_runs(void) {
    test_random r = test_seed(2);
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    for (size_t k = 0; k < 3000; k++) {
        uint32_t word[200];
        size_t n = random_below(&r, 200), period = 1 + random_below(&r, 12);
        word_run *runs;
        for (size_t i = 0; i < n; i++)
            word[i] = i < period || random_below(&r, 30) == 0 ? (uint32_t)random_below(&r, 3) : word[i - period];
        size_t count = word_runs_of(&runs, word, n, &a);
        uint32_t *again = word_runs_expand(runs, count, n, &a);
        CHECK(memcmp(again, word, n * sizeof *word) == 0 && count <= n, "%zu letters, period %zu", n, period);
        arena_reset(&a);
    }
    arena_free(&a);
    trap_clear(&t);
}

static size_t count_of(const char *in, const char *part) {
    size_t count = 0;
    for (const char *at = in; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

static int stop(void *context, uint64_t done, uint64_t total) {
    (void)context, (void)done, (void)total;
    return 1;
}

static void test_print(void) {
    pair p;
    temper_limits_options o = {.effort = 0.003, .seed = 1};
    temper_limits *limits;
    temper_error e;
    char *picture;
    if (!make_pair(&p) || !CHECK(!temper_limits_find(&limits, p.cases, 4, &o, &e), "%s", e.text)) return;
    char *csv = table_text(limits, TEMPER_LIMITS_CSV), *json = table_text(limits, TEMPER_LIMITS_JSON);
    CHECK(count_of(csv, "\r\n") == 5 && count_of(csv, "bf16,") == 2 && strstr(csv, "f32,positions,"), "%s", csv);
    CHECK(count_of(json, "\"type\":") == 4 && strstr(json, "\"source\":\"a S b\"") &&
              strstr(json, "\"first_wrong\":85,"),
          "%s", json);
    if (CHECK(!temper_draw_limits(&picture, limits, "a < b", &e), "%s", e.text)) {
        CHECK(strstr(picture, "a &lt; b") && count_of(picture, "<g>") == 4 && strstr(picture, "none to ") &&
                  strstr(picture, "representability, 1.1"),
              "%s", picture);
        temper_free(picture);
    }
    temper_free(csv);
    temper_free(json);
    temper_limits_free(limits);
    temper_limits_case none = {p.models[0], TEMPER_TYPE_EXACT};
    CHECK(temper_limits_find(&limits, &none, 1, &o, &e) == TEMPER_RANGE && !limits, "exact: %s", e.text);
    CHECK(temper_limits_find(&limits, NULL, 0, &o, &e) == TEMPER_RANGE && !limits, "no rows: %s", e.text);
    o.progress = stop;
    CHECK(temper_limits_find(&limits, p.cases, 4, &o, &e) == TEMPER_LIMIT && !limits, "stopped: %s", e.text);
    free_pair(&p);
}

/* ---- costs ---- */

/* In f32 the plan of a look-up does not hold for long strings: all pairs are looked at, or nothing where that costs
   more than is left of the budget. */
static void test_unplanned(void) {
    enum { FIRST = 3000, LAST = 6000 };
    static uint32_t word[LAST];
    temper_spec *spec = spec_of("#[a] % 3 = 1", "ab", TEMPER_AT_LAST);
    temper_model *m = spec ? model_of(spec, TEMPER_METHOD_TEMPERATURE) : NULL;
    temper_run_options options = {.type = TEMPER_TYPE_F32, .unchecked = 1, .threads = 1};
    run_request q = {.model = m, .letters = word, .options = &options, .way = WAY_FAST};
    test_random r = test_seed(8);
    temper_error e;
    temper_run *planned = NULL, *whole = NULL;
    bool unplanned = false;
    if (!m) return;
    for (size_t k = 0; k < LAST; k++) word[k] = (uint32_t)random_below(&r, 2);
    q.n = FIRST / 10;
    q.unplanned = &unplanned;
    CHECK(!run_string(&planned, &q, &e) && planned && !unplanned, "a plan holds for %zu letters", q.n);
    for (q.n = FIRST; q.n < LAST && !unplanned; q.n += 300) {
        temper_run_free(planned);
        CHECK(!run_string(&planned, &q, &e) && !planned == unplanned, "a run, or no plan, of %zu letters", q.n);
    }
    q.n -= 300;
    q.unplanned = NULL;
    CHECK(unplanned && !run_string(&whole, &q, &e) && whole, "all pairs of %zu letters", q.n);
    trap t;
    arena a;
    double margin;
    arena_init(&a, &t);
    for (int rich = 0; rich < 2; rich++) {
        adversary_options o = {.longest = LAST, .budget = rich ? 10000000000 : 10000000, .seed = 1};
        trial x;
        trial_start(&x, m, TEMPER_TYPE_F32, &o, &a);
        bool wrong = trial_is_wrong(&x, &margin, word, FIRST / 10);
        CHECK(!wrong && x.skipped == 0 && x.unplanned == SIZE_MAX, "a short string is run");
        double before = trial_cost(&x, q.n), spent = x.spent;
        wrong = trial_is_wrong(&x, &margin, word, q.n);
        CHECK(wrong == x.found && x.unplanned == q.n && trial_cost(&x, q.n) > 10 * before,
              "the trial learns the costs of %zu letters", q.n);
        CHECK(x.skipped == !rich && x.best.tried == (rich ? q.n : FIRST / 10), "budget %d: %zu skipped, %zu tried",
              rich, x.skipped, x.best.tried);
        CHECK(x.spent > spent && x.spent <= x.budget, "%g spent of %g", x.spent, x.budget);
    }
    CHECK(!atomic_load(m->memo), "a search asks for no proof");
    arena_free(&a);
    temper_run_free(planned);
    temper_run_free(whole);
    temper_model_free(m);
    temper_spec_free(spec);
}

int main(void) {
    test_unplanned();
    test_word_runs();
    test_print();
    test_digest_and_bytes();
    test_units();
    test_random_formulas();
    test_known();
    return test_finish("t-limits");
}

/* The lab: what is written reads back, hostile texts included; the same seed gives the same bytes; a claim that fails
   is told. And mechanisms in the place of hard choices: what the search says is true. */
#define _POSIX_C_SOURCE 200809L
#include "base/json_read.h"
#include "lab/lab.h"
#include "lab/schedules.h"
#include "lab/mechanism_search.h"
#include "in_arena.h"
#include "test.h"
#include "xml_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the framework ---- */

static const char hostile[] = "a,b \"quoted\"\nline | *star* <tag> \\ é";

static void fill(lab *l) {
    static const lab_column columns[] = {{"name", LAB_TEXT, "a text"},
                                         {"x", LAB_NUMBER, "a number"},
                                         {"k", LAB_COUNT, "a count"},
                                         {"b", LAB_FLAG, "a flag"}};
    lab_table *t = LAB_TABLE(l, "data", "Some | data", columns, 2);
    static const double numbers[] = {0.1, INFINITY, NAN, -0.0, 1e-300};
    for (size_t k = 0; k < 5; k++) {
        lab_put_text(t, k == 1 ? hostile : "plain");
        lab_put_number(t, numbers[k]);
        lab_put_count(t, UINT64_MAX - k);
        lab_put_flag(t, k % 2);
    }
    double x[3] = {1, 10, 100}, y[3] = {1, NAN, 3};
    chart_series s = {"series <&>", x, y, 3, DRAW_LINE | DRAW_MARKERS, 0};
    chart_panel p = {"panel", {"x", SCALE_LOG, 0, 0, NULL, 0}, {"y", SCALE_LINEAR, 0, 0, NULL, 0}, &s, 1, NULL, 0};
    chart c = {.title = "A figure", .caption = hostile, .panels = &p, .panel_count = 1};
    lab_figure_add(l, "figure", &c);
    lab_about(l, "figure");
    lab_claim_add(l, true, "one holds", "measured %d", 7);
    lab_about(l, "");
    lab_claim_add(l, l->quick, "quick only | and <this>", "%s", hostile);
    static const lab_prose note = {"A note", "seed {}"};
    lab_note_add(l, &note, lab_text(l, "%llu", (unsigned long long)l->seed));
}

static const lab_prose plain_prose = {"A plain experiment", "Nothing is claimed."}, no_prose = {"", ""};
static const lab_experiment plain = {"plain", &plain_prose, fill, NULL, 0};

static void wrong_type(lab *l) {
    static const lab_column columns[] = {{"x", LAB_NUMBER, ""}};
    lab_put_text(LAB_TABLE(l, "t", "t", columns, 1), "no number");
}

static void half_row(lab *l) {
    static const lab_column columns[] = {{"x", LAB_NUMBER, ""}, {"y", LAB_NUMBER, ""}};
    lab_put_number(LAB_TABLE(l, "t", "t", columns, 1), 1);
}

static void test_framework(void) {
    trap t;
    lab *l = calloc(1, sizeof *l);
    arena_init(&l->memory, &t);
    l->seed = 5;
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        lab_run(l, &plain);
        CHECK(!lab_holds(l), "a failed claim");
        const char *csv = lab_csv(&l->memory, l->tables[0]);
        CHECK(!strncmp(csv,
                       "name,x,k,b\nplain,0.1,18446744073709551615,0\n\"a,b \"\"quoted\"\"\nline | *star* <tag> \\ "
                       "é\",inf,18446744073709551614,1\nplain,nan,",
                       110),
              "csv: %s", csv);
        CHECK(strstr(csv, "\nplain,-0,18446744073709551612,1\nplain,1e-300,"), "csv: %s", csv);
        const char *json = lab_json(&l->memory, l), *md = lab_markdown(&l->memory, l);
        CHECK(strstr(json, "\"seed\":5,\"quick\":false,\"holds\":false") &&
                  strstr(json, "[\"plain\",null,18446744073709551613,false]") && strstr(json, "\"Infinity\"") &&
                  strstr(json, "\\\"quoted\\\"\\n"),
              "json: %s", json);
        CHECK(strstr(md, "2 claims, 1 of which does not hold") && strstr(md, "quick only \\| and \\<this\\>") &&
                  strstr(md, "**no**") && strstr(md, "![A figure](plain-figure.svg)") &&
                  strstr(md, "The first of 5 rows") && strstr(md, "temper lab plain --seed 5 -o DIR"),
              "markdown: %s", md);
        const char *part = lab_section(&l->memory, l), *fault;
        size_t texts;
        fault = xml_fault(part, &texts);
        CHECK(!fault, "the part of the page: %s", fault);
        CHECK(!strstr(part, "<tag>") && strstr(part, "&lt;tag&gt;") && strstr(part, "url(#plain-figure-area0)") &&
                  strstr(part, " id=\"plain-figure-area0\"") && strstr(part, "does not hold"),
              "part: %s", part);
        CHECK(strstr(part, "one holds") < strstr(part, "</figure>") &&
                  strstr(part, "</figure>") < strstr(part, "quick only"),
              "claims stand with their figures");
        const char *parts[32];
        lab_outcome outcomes[32] = {{2, 1}};
        for (size_t k = 0; lab_experiments[k]; k++) parts[k] = part;
        const char *page = lab_page(&l->memory, parts, outcomes, 5, false);
        const char *root = strstr(page, "<html");
        fault = root ? xml_fault(root, &texts) : "no root";
        CHECK(!fault && strstr(page, "1 does not hold") && strstr(page, "temper lab all --seed 5 -o DIR"), "page: %s",
              fault);
        trap_clear(&t);
    }
    arena_free(&l->memory);
    free(l);
}

static void lost_claim(lab *l) {
    lab_about(l, "no such figure");
    lab_claim_add(l, true, "lost", "nothing");
    lab_section(&l->memory, l);
}

static void check_refused(void (*run)(lab *l)) {
    trap t;
    lab l = {.seed = 1};
    lab_experiment bad = {"bad", &no_prose, run, NULL, 0};
    arena_init(&l.memory, &t);
    if (trap_set(&t, NULL)) {
        CHECK(t.error.code == TEMPER_RANGE, "%s", t.error.text);
    } else {
        lab_run(&l, &bad);
        CHECK(false, "a table with a wrong cell was taken");
    }
    arena_free(&l.memory);
}

static void test_random_numbers(void) {
    lab l = {.seed = 3};
    double sum = 0, square = 0;
    size_t count = 200000;
    lab_reseed(&l, 1);
    uint64_t first = lab_random(&l);
    for (size_t k = 0; k < count; k++) {
        double x = lab_normal(&l), u = lab_uniform(&l);
        sum += x, square += x * x;
        if (!(u > 0 && u < 1)) CHECK(false, "uniform %g", u);
    }
    CHECK(fabs(sum / (double)count) < 0.01 && fabs(square / (double)count - 1) < 0.02, "normal: mean %g, square %g",
          sum / (double)count, square / (double)count);
    lab_reseed(&l, 1);
    CHECK(lab_random(&l) == first, "the same part, the same numbers");
    lab_reseed(&l, 2);
    CHECK(lab_random(&l) != first, "another part, other numbers");
}

/* ---- the public side ---- */

static int stop(void *context, uint64_t done, uint64_t total) {
    (void)context;
    (void)total;
    return done > 0;
}

/* The same bytes without units of work: no cell is read back, nothing is done in another thread or order. */
static void check_at_once(const char *name, const temper_lab_options *o, const char *report, const char *json) {
    trap t;
    lab *l = calloc(1, sizeof *l);
    arena_init(&l->memory, &t);
    l->seed = o->seed;
    l->quick = o->quick;
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s: %s", name, t.error.text);
    } else {
        lab_run(l, lab_experiment_find(name));
        CHECK(!strcmp(lab_json(&l->memory, l), json) && !strcmp(lab_markdown(&l->memory, l), report),
              "%s: the same seed, the same bytes", name);
        trap_clear(&t);
    }
    arena_free(&l->memory);
    free(l);
}

static bool is_among(const char *name, const char *const *names) {
    while (*names && strcmp(name, *names) != 0) names++;
    return *names != NULL;
}

/* tests/cli/lab.sh runs every experiment once, under sanitizers, too, and tests/mpi/ranks.sh by threads and by ranks.
   Here the quick ones are run twice more, and in `make test-long` all of them. */
static bool is_run_here(const char *name) {
    static const char *const quick[] = {"gap", "schedules", NULL};
    static const char *const slow[] = {"languages", "sequences", "precision", "zoo", "ordinary", NULL};
    if (test_effort() > 1) return true;
    return test_effort() < 1 ? is_among(name, quick) : !is_among(name, slow);
}

static void test_public(void) {
    temper_error e;
    temper_lab *one = NULL;
    temper_lab_info about;
    temper_lab_options quick = {.seed = 9, .quick = 1, .threads = 3};
    CHECK(temper_lab_count() >= 1 && !temper_lab_about(&about, 0, &e) &&
              temper_lab_about(&about, 1000, &e) == TEMPER_RANGE,
          "list");
    CHECK(temper_lab_run(&one, "no such\n", &quick, &e) == TEMPER_RANGE && !one && strstr(e.text, "'no such\\n'"),
          "%s", e.text);
    quick.progress = stop;
    CHECK(temper_lab_run(&one, "zoo", &quick, &e) == TEMPER_LIMIT && !one, "stopped");
    quick.progress = NULL;
    for (size_t x = 0; x < temper_lab_count(); x++) {
        char *json = NULL, *report = NULL;
        if (!CHECK(!temper_lab_about(&about, x, &e), "%s", e.text) || !is_run_here(about.name)) continue;
        if (!CHECK(!temper_lab_run(&one, about.name, &quick, &e), "%s", e.text)) continue;
        temper_lab_claim c;
        for (size_t k = 0; k < temper_lab_claims(one); k++)
            CHECK(!temper_lab_claim_at(&c, one, k, &e) && c.holds, "%s: %s: %s", about.name, c.text, c.measured);
        CHECK(temper_lab_claims(one) > 0 && temper_lab_holds(one) &&
                  temper_lab_claim_at(&c, one, 1000, &e) == TEMPER_RANGE,
              "claims");
        CHECK(!temper_lab_report(&report, &json, one, &e), "%s", e.text);
        check_at_once(about.name, &quick, report, json);
        temper_free(json);
        temper_free(report);
        temper_lab_free(one);
        one = NULL;
    }
}

/* ---- outcomes that are kept ---- */

static bool is_kept(const lab_experiment *e, uint64_t seed, bool quick, const char *folder) {
    trap t;
    arena a;
    lab_outcome o;
    arena_init(&a, &t);
    volatile bool kept = false;
    if (trap_set(&t, NULL))
        CHECK(false, "raised: %s", t.error.text);
    else
        kept = lab_is_kept(&o, e, seed, quick, folder, &a) && o.claims == 2 && o.failed == 1;
    arena_free(&a);
    return kept;
}

/* Every byte of every file counts, the stamp's own too. */
static void test_stamps(void) {
    static const char *const files[] = {"plain.stamp",    "plain.json",       "plain.md",
                                        "plain-data.csv", "plain-figure.svg", "plain-part.html"};
    test_random source = test_seed(0x5eed1ab);
    char folder[TEST_FOLDER], path[80];
    trap t;
    lab l = {.seed = 5};
    if (!test_folder(folder)) return;
    CHECK(!is_kept(&plain, 5, false, folder), "an empty folder");
    arena_init(&l.memory, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        lab_run(&l, &plain);
        lab_keep(&l, folder, &l.memory);
        trap_clear(&t);
    }
    arena_free(&l.memory);
    static const lab_experiment other = {"other", &no_prose, fill, NULL, 0};
    CHECK(is_kept(&plain, 5, false, folder) && !is_kept(&plain, 6, false, folder) &&
              !is_kept(&plain, 5, true, folder) && !is_kept(&other, 5, false, folder),
          "only this run is kept");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char *bytes = NULL;
        size_t length;
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        if (!CHECK(!temper_file_read(&bytes, &length, path, NULL), "%s is missing", files[k])) continue;
        for (size_t turn = 0; turn < 6; turn++) {
            size_t at = turn == 0 ? 0 : turn == 1 ? length - 1 : random_below(&source, length);
            bytes[at] ^= 1;
            CHECK(!temper_file_write(path, bytes, length, NULL) && !is_kept(&plain, 5, false, folder),
                  "%s changed at %zu", files[k], at);
            bytes[at] ^= 1;
        }
        CHECK(!temper_file_write(path, bytes, length / 2, NULL) && !is_kept(&plain, 5, false, folder), "half of %s",
              files[k]);
        unlink(path);
        CHECK(!is_kept(&plain, 5, false, folder), "without %s", files[k]);
        CHECK(!temper_file_write(path, bytes, length, NULL) && is_kept(&plain, 5, false, folder), "%s as before",
              files[k]);
        temper_free(bytes);
    }
    temper_error e;
    temper_lab_options o = {.seed = 5};
    CHECK(temper_lab_page(folder, &o, &e) == TEMPER_FORMAT && strstr(e.text, "was not run with seed 5"), "%s",
          e.text);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        unlink(path);
    }
    rmdir(folder);
}

/* ---- schedules: needs against rows written down as the theory has them ---- */

/* The right value's share of a row: logits and whether each key has the right value. */
static double share(operator_kind op, size_t n, double scale) {
    double right = 0, all = 0, size = (double)n + 1;
    if (op == SCHEDULED_ONCE) return exp(scale) / (exp(scale) + (double)n);
    if (op == SCHEDULED_COMPARE) return 1 / (1 + exp(-scale / (2 * size)));
    if (op == SCHEDULED_BALANCE) return 1 / (1 + exp(-scale / (2 * ((double)n + 2) * size)));
    for (size_t j = 0; j <= n; j++) {
        double c = (double)(n / 2), x = (double)j;
        double score = op == SCHEDULED_SINCE ? (j > 0) + x / size : (2 * c * x - x * x) / (size * size * size);
        double best = op == SCHEDULED_SINCE ? 1 + (double)n / size : c * c / (size * size * size);
        double w = exp(scale * (score - best));
        all += w;
        if (op == SCHEDULED_SINCE ? j == n : j == n / 2) right += w;
    }
    return right / all;
}

static void test_schedules(arena *a) {
    test_random source = test_seed(0x5eed1ac);
    static const size_t lengths[] = {2, 3, 7, 16, 33, 128, 129, 500, 600, 601, 2000};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t o = 0; o < SCHEDULED; o++) {
            size_t n = lengths[k];
            double got = share((operator_kind)o, n, operator_scale((operator_kind)o, (double)n));
            CHECK(fabs(got - 0.75) < 1e-10, "%s at %zu: %.17g", operator_names[o], n, got);
        }
    for (size_t s = 0; s < schedule_count; s++) { /* reach: all lengths, one by one */
        const expression *factor = expression_make(a, "%s", schedules[s].factor);
        for (size_t o = 0; o < SCHEDULED; o++) {
            operator_kind op = (operator_kind)o;
            double base = 1 + (double)random_below(&source, 1000) / 50, most = 9000, n = 0;
            while (n < most && base * schedule_at(factor, op, n + 1) >=
                                   (schedules[s].adaptive ? operator_adaptive(op, n + 1) : operator_scale(op, n + 1)))
                n++;
            double got = schedule_reach(&schedules[s], factor, op, base, most);
            CHECK(got == n, "%s, %s, base %g: %g, not %g", schedules[s].name, operator_names[o], base, got, n);
        }
    }
}

/* ---- mechanisms in the place of a hard choice ---- */

static void test_mechanism_search(void) {
    enum { LONGEST = 64 };
    trap t;
    arena a;
    double raw[LONGEST], values[LONGEST];
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
        arena_free(&a);
        return;
    }
    search_room room = {raw, values, LONGEST, &a};
    static const size_t lengths[] = {2, 5, 20, 64};
    for (size_t k = 0; k < 4; k++) {
        size_t n = lengths[k];
        score_map map = {0, 0, 0};
        const mechanism *soft = mechanism_find("softmax");
        /* once: t = 1 needs e^b/(e^b + n - 1) >= 3/4 */
        CHECK(mechanism_works(&map, soft, HEAD_ONCE, n, &room), "softmax: once at %zu", n);
        CHECK(map.scale >= log(3 * ((double)n - 1)) && map.scale < 1.5 * log(3 * ((double)n - 1)) + 0.1,
              "softmax: once at %zu with %g", n, map.scale);
        map.scale = 0;
        CHECK(mechanism_works(&map, soft, HEAD_SINCE, n, &room) && map.scale < 2.1, "softmax: since at %zu with %g",
              n, map.scale);
        CHECK(mechanism_works(&map, soft, HEAD_COMPARE, n, &room) && map.scale >= log(3) && map.scale < 1.6 &&
                  fabs(map.anchor - log((double)n - 1)) < 1e-6,
              "softmax: compare at %zu with %g, ln(n-1) = %g", n, map.scale, map.anchor);
        CHECK(mechanism_works(&map, soft, HEAD_COUNT, n, &room), "softmax: count at %zu", n);
        CHECK(!mechanism_works(&map, mechanism_find("sin-softmax"), HEAD_ONCE, 40, &room), "sin-softmax cannot");
        CHECK(!mechanism_works(&map, mechanism_find("relu-n"), HEAD_SINCE, n, &room), "relu-n cannot");
        CHECK(!mechanism_works(&map, mechanism_find("hardmax-leftmost"), HEAD_COUNT, n, &room),
              "a unique choice does not average");
        double e = 0.01, law = log(((double)n - 1) * (1 - e) / e);
        CHECK(fabs(mechanism_least_scale(&map, soft, n, e, &a) / law - 1) < 1e-9, "softmax: scale at %zu", n);
        CHECK(isinf(mechanism_least_scale(&map, mechanism_find("sin-softmax"), n < 20 ? 20 : n, e, &a)),
              "sin-softmax: no scale");
        if (n >= 5) { /* shorter ones gain from a shift */
            double got = mechanism_least_scale(&map, mechanism_find("relu-n"), n, e, &a), want = (double)n * 0.99;
            CHECK(fabs(got / want - 1) < 1e-6, "relu/n needs M = n: %g, not %g", got, want);
        }
        double got = mechanism_least_scale(&map, mechanism_find("polynomial"), n, e, &a),
               want = pow((double)n, 1.0 / 6) * pow(0.99, 1.0 / 3);
        CHECK(got <= want * (1 + 1e-6) && got > want / 3, "s^3/sqrt n needs n^(1/6): %g, not %g", got, want);
    }
    trap_clear(&t);
    arena_free(&a);
}

int main(void) {
    test_framework();
    check_refused(wrong_type);
    check_refused(half_row);
    check_refused(lost_claim);
    test_random_numbers();
    test_public();
    test_stamps();
    test_in_arena(test_schedules);
    test_mechanism_search();
    return test_finish("t-lab");
}

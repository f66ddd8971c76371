/* The lab: what is written reads back, hostile texts included; the same seed gives the same bytes; a claim that fails is told. And stand-ins for
   hard choices: what the search says is true. */
#include "base/json_read.h"
#include "lab/lab.h"
#include "lab/stand_in.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    lab_claim_add(l, true, "one holds", "measured %d", 7);
    lab_claim_add(l, l->quick, "quick only | and <this>", "%s", hostile);
    lab_note_add(l, "A note", "seed %llu", (unsigned long long)l->seed);
}

static const lab_experiment plain = {"plain", "A plain experiment", "Nothing is claimed.", fill};

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
        trap_clear(&t);
    }
    arena_free(&l->memory);
    free(l);
}

static void check_refused(void (*run)(lab *l)) {
    trap t;
    lab l = {.seed = 1};
    lab_experiment bad = {"bad", "", "", run};
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

static void test_public(void) {
    temper_error e;
    temper_lab *one = NULL, *two = NULL;
    temper_lab_info about;
    temper_lab_options quick = {.seed = 9, .quick = 1};
    CHECK(temper_lab_count() >= 1 && !temper_lab_about(&about, 0, &e) &&
              temper_lab_about(&about, 1000, &e) == TEMPER_RANGE,
          "list");
    CHECK(temper_lab_run(&one, "no such\n", &quick, &e) == TEMPER_RANGE && !one && strstr(e.text, "'no such\\n'"),
          "%s", e.text);
    quick.progress = stop;
    CHECK(temper_lab_run(&one, "zoo", &quick, &e) == TEMPER_LIMIT && !one, "stopped");
    quick.progress = NULL;
    char *json[2] = {NULL, NULL}, *report[2] = {NULL, NULL};
    if (CHECK(!temper_lab_run(&one, "zoo", &quick, &e) && !temper_lab_run(&two, "zoo", &quick, &e), "%s", e.text)) {
        for (size_t k = 0; k < temper_lab_claims(one); k++) {
            temper_lab_claim c;
            CHECK(!temper_lab_claim_at(&c, one, k, &e) && c.holds, "zoo: %s: %s", c.text, c.measured);
        }
        temper_lab_claim c;
        CHECK(temper_lab_holds(one) && temper_lab_claim_at(&c, one, 1000, &e) == TEMPER_RANGE, "claims");
        CHECK(!temper_lab_report(&report[0], &json[0], one, &e) && !temper_lab_report(&report[1], &json[1], two, &e),
              "%s", e.text);
        CHECK(!strcmp(json[0], json[1]) && !strcmp(report[0], report[1]), "the same seed, the same bytes");
    }
    for (int k = 0; k < 2; k++) temper_free(json[k]), temper_free(report[k]);
    temper_lab_free(one);
    temper_lab_free(two);
}

/* ---- stand-ins ---- */

static void test_stand_ins(void) {
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
    stand_in_room room = {raw, values, LONGEST, &a};
    static const size_t lengths[] = {2, 5, 20, 64};
    for (size_t k = 0; k < 4; k++) {
        size_t n = lengths[k];
        score_map map = {0, 0, 0};
        const mechanism *soft = mechanism_find("softmax");
        /* once: t = 1 needs e^b/(e^b + n - 1) >= 3/4 */
        CHECK(stand_in_works(&map, soft, HEAD_ONCE, n, &room), "softmax: once at %zu", n);
        CHECK(map.scale >= log(3 * ((double)n - 1)) && map.scale < 1.5 * log(3 * ((double)n - 1)) + 0.1,
              "softmax: once at %zu with %g", n, map.scale);
        map.scale = 0;
        CHECK(stand_in_works(&map, soft, HEAD_SINCE, n, &room) && map.scale < 2.1, "softmax: since at %zu with %g", n,
              map.scale);
        CHECK(stand_in_works(&map, soft, HEAD_COMPARE, n, &room) && map.scale >= log(3) && map.scale < 1.6 &&
                  fabs(map.anchor - log((double)n - 1)) < 1e-6,
              "softmax: compare at %zu with %g, ln(n-1) = %g", n, map.scale, map.anchor);
        CHECK(stand_in_works(&map, soft, HEAD_COUNT, n, &room), "softmax: count at %zu", n);
        CHECK(!stand_in_works(&map, mechanism_find("sin-softmax"), HEAD_ONCE, 40, &room), "sin-softmax cannot");
        CHECK(!stand_in_works(&map, mechanism_find("relu-n"), HEAD_SINCE, n, &room), "relu-n cannot");
        CHECK(!stand_in_works(&map, mechanism_find("hardmax-leftmost"), HEAD_COUNT, n, &room),
              "a unique choice does not average");
        double e = 0.01, law = log(((double)n - 1) * (1 - e) / e);
        CHECK(fabs(stand_in_scale(&map, soft, n, e, &a) / law - 1) < 1e-9, "softmax: scale at %zu", n);
        CHECK(isinf(stand_in_scale(&map, mechanism_find("sin-softmax"), n < 20 ? 20 : n, e, &a)),
              "sin-softmax: no scale");
        if (n >= 5) { /* shorter ones gain from a shift */
            double got = stand_in_scale(&map, mechanism_find("relu-n"), n, e, &a), want = (double)n * 0.99;
            CHECK(fabs(got / want - 1) < 1e-6, "relu/n needs M = n: %g, not %g", got, want);
        }
        double got = stand_in_scale(&map, mechanism_find("polynomial"), n, e, &a),
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
    test_random_numbers();
    test_public();
    test_stand_ins();
    return test_finish("t-lab");
}

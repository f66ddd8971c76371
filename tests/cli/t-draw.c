/* Pictures: SVG is well-formed XML whatever the letters are; the terminal picture shows the weights of the run. */
#include "draw/chart.h"
#include "draw/chart_marks.h"
#include "draw/label.h"
#include "draw/svg.h"
#include "test.h"
#include "xml_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

static void test_writer(void) {
    test_random r = test_seed(11);
    static const char pool[] = "<>&\"'ab ]\x01\x1b\x7f\xc3\xa9\xff\xef\xbf\xbe\xcc\x81/=\n\t";
    for (unsigned round = 0; round < 300; round++) {
        trap t;
        arena a;
        arena_init(&a, &t);
        if (trap_set(&t, NULL)) {
            CHECK(false, "raised: %s", t.error.text);
            arena_free(&a);
            return;
        }
        char hostile[41];
        size_t length = random_below(&r, 40);
        for (size_t k = 0; k < length; k++) hostile[k] = pool[random_below(&r, sizeof pool - 1)];
        hostile[length] = 0;
        svg s;
        svg_begin(&s, &a, 10, 20.5, hostile);
        markup_open(&s, "g");
        markup_string(&s, "id", hostile);
        svg_label(&s, -1.005, NAN, 1e300, "end", hostile);
        svg_title(&s, hostile);
        const char *out = svg_finish(&s);
        size_t texts;
        const char *fault = xml_fault(out, &texts);
        CHECK(!fault && texts == 1, "%s in %s", fault ? fault : "wrong texts", out);
        arena_free(&a);
        trap_clear(&t);
    }
}

static void check_number(arena *a, double x, int digits, const char *expected) {
    text t;
    text_init(&t, a);
    label_number(&t, x, digits);
    CHECK(!strcmp(text_string(&t), expected), "label_number(%a, %d) = %s, not %s", x, digits, text_string(&t),
          expected);
}

static void check_cut(arena *a, const char *string, double room, const char *expected) {
    const char *cut = label_cut(a, string, room, label_columns, "~");
    CHECK(!strcmp(cut, expected), "label_cut(%s, %g) = %s, not %s", string, room, cut, expected);
}

static void test_labels(void) {
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
        arena_free(&a);
        return;
    }
    check_number(&a, 0.1, 0, "0.1");
    check_number(&a, 1.0 / 3, 0, "0.3333333333333333");
    check_number(&a, 1e-300, 0, "1e-300");
    check_number(&a, -0.0, 0, "-0");
    check_number(&a, 12345.678, 3, "1.23e+04");
    check_number(&a, INFINITY, 3, "inf");
    check_number(&a, NAN, 0, "NaN");
    check_cut(&a, "request", 7, "request");
    check_cut(&a, "request", 4, "req~");
    check_cut(&a, "request", 1, "r");
    check_cut(&a, "漢字漢字", 5, "漢字~");
    check_cut(&a, "e\u0301e\u0301e\u0301", 2, "e\u0301~");
    CHECK(label_width("e\u0301漢", label_columns) == 3, "width of a combining and a wide character");
    CHECK(!strcmp(label_shown(&a, "\u0301"), "\u25CC\u0301"), "combining character alone");
    const char *lines[3];
    size_t count = label_wrap(lines, 3, &a, "aaa bbb ccc ddddddddd eee fff", 8, label_columns, "~");
    CHECK(count == 3 && !strcmp(lines[0], "aaa bbb") && !strcmp(lines[1], "ccc dddd") &&
              !strcmp(lines[2], "ddddd e~"),
          "wrapped into %zu: %s | %s | %s", count, lines[0], lines[1], lines[2]);
    CHECK(label_wrap(lines, 3, &a, "", 8, label_columns, "~") == 1 && !*lines[0], "nothing is one empty line");
    arena_free(&a);
    trap_clear(&t);
}

/* ---- charts ---- */

static void check_ticks(double least, double most, bool log, size_t most_ticks) {
    double ticks[CHART_TICKS];
    size_t count = chart_ticks(ticks, least, most, log, most_ticks);
    CHECK(count >= 2 && count <= most_ticks, "ticks %g..%g: %zu of %zu", least, most, count, most_ticks);
    for (size_t k = 0; k < count; k++) {
        CHECK(ticks[k] >= least - 1e-6 * (most - least) && ticks[k] <= most * (1 + 1e-6) + 1e-6 * (most - least),
              "tick %g outside %g..%g", ticks[k], least, most);
        if (k) CHECK(ticks[k] > ticks[k - 1], "ticks in order");
    }
}

static void check_tick_label(arena *a, double x, bool powers, const char *expected) {
    text t;
    text_init(&t, a);
    chart_tick_label(&t, x, powers);
    CHECK(!strcmp(text_string(&t), expected), "tick %g: %s, not %s", x, text_string(&t), expected);
}

static void check_chart(arena *a, test_random *r) {
    enum { POINTS = 12, SERIES = 5, PANELS = 3 };
    static const char *const names[] = {"<one>", "two & \"three\"", "", "four"};
    static double x[PANELS][SERIES][POINTS], y[PANELS][SERIES][POINTS];
    chart_series series[PANELS][SERIES];
    chart_panel panels[PANELS];
    chart_rule rule = {random_below(r, 2), 3, "a <rule>"};
    for (size_t p = 0; p < PANELS; p++) {
        for (size_t s = 0; s < SERIES; s++) {
            for (size_t k = 0; k < POINTS; k++) {
                static const double odd[] = {NAN, INFINITY, 0, -5, 1e300, 1e-300};
                x[p][s][k] = random_below(r, 9) ? (double)random_below(r, 100) : odd[random_below(r, 6)];
                y[p][s][k] = random_below(r, 9) ? ldexp(1, (int)random_below(r, 20) - 10) : odd[random_below(r, 6)];
            }
            series[p][s] = (chart_series){s == 0 ? "first <&>" : "series",
                                          x[p][s],
                                          y[p][s],
                                          random_below(r, POINTS + 1),
                                          (unsigned)random_below(r, 32),
                                          (int)random_below(r, 12)};
        }
        panels[p] = (chart_panel){"panel <\x01>",
                                  {"x", (chart_scale)random_below(r, 3), 0, 0, names, 4},
                                  {"y & z", (chart_scale)random_below(r, 3), 0, 0, names, 4},
                                  series[p],
                                  SERIES,
                                  &rule,
                                  random_below(r, 2)};
    }
    chart c = {"A <title> & more", "caption",         panels, random_below(r, PANELS + 1), random_below(r, 4), 0, 0,
               random_below(r, 2), random_below(r, 2)};
    size_t texts;
    const char *out = chart_svg(a, &c), *fault = xml_fault(out, &texts);
    CHECK(!fault && !strstr(out, "nan") && !strstr(out, "inf\""), "%s in a chart",
          fault ? fault : "a number that is none");
}

static size_t times(const char *in, const char *what) {
    size_t count = 0;
    for (; (in = strstr(in, what)); in += strlen(what)) count++;
    return count;
}

/* Markers can be told apart without colour; names can be read on white. */
static void check_marks(arena *a) {
    const char *seen[CHART_COLOURS];
    for (size_t k = 0; k < CHART_COLOURS; k++) {
        svg s;
        chart_series series = {"x", NULL, NULL, 0, DRAW_MARKERS, 0};
        svg_begin(&s, a, 10, 10, "");
        chart_put_marker(&s, chart_marker(&series, k), 5, 5, 3, (svg_colour){0, 0, 0});
        seen[k] = svg_finish(&s);
        for (size_t j = 0; j < k; j++) CHECK(strcmp(seen[j], seen[k]) != 0, "markers %zu and %zu are one", j, k);
        for (unsigned style = 0; style <= DRAW_FAINT; style += DRAW_FAINT) {
            series.style = DRAW_MARKERS | style;
            svg_colour c = chart_text_colour(&series, k);
            double light = 0.2126 * pow(c.red / 255.0, 2.2) + 0.7152 * pow(c.green / 255.0, 2.2) +
                           0.0722 * pow(c.blue / 255.0, 2.2);
            CHECK(1.05 / (light + 0.05) >= 4.5, "name %zu: contrast %g", k, 1.05 / (light + 0.05));
        }
    }
}

/* Series that coincide are drawn inside each other; a legend has every name of every panel once. */
static void check_overlaps(arena *a) {
    static const double x[] = {1, 2, 3}, y[] = {1, 2, 3}, z[] = {1, 2, 2.5};
    chart_series series[] = {{"under", x, y, 3, DRAW_LINE | DRAW_MARKERS, 1},
                             {"over", x, y, 3, DRAW_LINE | DRAW_MARKERS, 2},
                             {"apart", x, z, 3, DRAW_LINE | DRAW_DASHED, 3}};
    chart_panel panels[] = {{.x = {"", SCALE_LINEAR, 0, 4, NULL, 0},
                             .y = {"", SCALE_LINEAR, 0, 4, NULL, 0},
                             .series = series,
                             .series_count = 2},
                            {.x = {"", SCALE_LINEAR, 0, 4, NULL, 0},
                             .y = {"", SCALE_LINEAR, 0, 4, NULL, 0},
                             .series = series + 1,
                             .series_count = 2}};
    chart_point under[3] = {{1, 1, true, true, 0}, {20, 2, true, true, 0}, {9, 9, false, false, 0}},
                over[2] = {{1, 2, true, true, 0}, {9, 9, true, true, 0}};
    chart_series low = {.count = 3, .style = DRAW_MARKERS}, line = {.count = 2},
                 high = {.count = 2, .style = DRAW_MARKERS};
    chart_find_overlaps((chart_point *const[]){under, over}, (const chart_series *const[]){&low, &line}, 2);
    CHECK(under[0].under == 0, "a line hides no marker");
    chart_find_overlaps((chart_point *const[]){under, over}, (const chart_series *const[]){&low, &high}, 2);
    CHECK(under[0].under == 1 && under[1].under == 0 && under[2].under == 0 && over[0].under == 0, "overlaps");
    const char *out = chart_svg(a, &(chart){.panels = panels, .panel_count = 2, .columns = 2, .legend = true});
    CHECK(times(out, ">over</text>") == 1 && times(out, ">under</text>") == 1 && times(out, ">apart</text>") == 1,
          "names of the legend");
    CHECK(times(out, "stroke-width=\"3\"") == 2 && times(out, "r=\"4.2\"") == 3,
          "what lies under is wider: %zu lines, %zu markers", times(out, "stroke-width=\"3\""),
          times(out, "r=\"4.2\""));
    CHECK(times(out, "stroke-dasharray") == 2, "a dashed line, also in the legend: %zu",
          times(out, "stroke-dasharray"));
}

static void test_charts(void) {
    test_random r = test_seed(12);
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
        arena_free(&a);
        return;
    }
    for (size_t most = 4; most < 12; most++) {
        check_ticks(0, 1, false, most);
        check_ticks(-3.7, 1234, false, most);
        check_ticks(1e-9, 2.5e-9, false, most);
        check_ticks(0.5, 32, true, most);
        check_ticks(1, 1e4, true, most);
        check_ticks(1e-300, 1e300, true, most);
    }
    double ticks[CHART_TICKS];
    CHECK(chart_ticks(ticks, 0, 1, false, 6) == 6 && ticks[3] == 0.6, "0, 0.2, ..., 1");
    check_tick_label(&a, 10000, true, "10⁴");
    check_tick_label(&a, 0.001, true, "10⁻³");
    check_tick_label(&a, 1, true, "1");
    check_tick_label(&a, 20000, false, "20000");
    check_tick_label(&a, 0.25, false, "0.25");
    check_tick_label(&a, -3, false, "−3");
    check_tick_label(&a, 5e7, false, "5·10⁷");
    for (int round = 0; round < 200; round++) {
        double at[12];
        size_t count = 1 + random_below(&r, 12);
        double wanted = 0;
        for (size_t k = 0; k < count; k++) at[k] = wanted += (double)random_below(&r, 3) * 4;
        chart_spread(at, count, 10, 0, 150);
        for (size_t k = 0; k < count; k++)
            CHECK(at[k] >= -1e-6 && at[k] <= 150 + 1e-6 && (k == 0 || at[k] - at[k - 1] >= 9.99), "labels %zu at %g",
                  k, at[k]);
        check_chart(&a, &r);
    }
    check_marks(&a);
    check_overlaps(&a);
    double big[1] = {1};
    chart_series many = {"", big, big, (size_t)1 << 40, 0, 0};
    chart_panel panel = {.series = &many, .series_count = 1};
    trap inner, *outer = a.trap;
    a.trap = &inner;
    if (!trap_set(&inner, NULL)) {
        chart_svg(&a, &(chart){.panels = &panel, .panel_count = 1});
        CHECK(false, "too many points");
    } else {
        CHECK(inner.error.code == TEMPER_LIMIT, "%s", inner.error.text);
    }
    a.trap = outer;
    arena_free(&a);
    trap_clear(&t);
}

/* ---- whole pictures ---- */

typedef struct picture {
    temper_spec *spec;
    temper_model *hard, *model;
    temper_run *run;
    uint32_t *letters;
    size_t n;
} picture;

static void picture_free(picture *p) {
    temper_free(p->letters);
    temper_run_free(p->run);
    if (p->model != p->hard) temper_model_free(p->model);
    temper_model_free(p->hard);
    temper_spec_free(p->spec);
}

static bool picture_make(picture *p, const char *formula, const temper_spec_options *options, temper_method method,
                         const char *string) {
    temper_error e;
    memset(p, 0, sizeof *p);
    temper_run_options capture = {.capture = 1};
    bool ok = !temper_spec_parse(&p->spec, formula, strlen(formula), options, &e) &&
              !temper_build(&p->hard, p->spec, NULL, &e);
    p->model = p->hard;
    if (ok && method != TEMPER_METHOD_HARD)
        ok = !temper_soften(&p->model, NULL, p->hard, &(temper_soften_options){.method = method}, &e);
    ok = ok && !temper_model_encode(&p->letters, &p->n, p->model, string, strlen(string), &e) &&
         !temper_model_run(&p->run, p->model, p->letters, p->n, &capture, &e);
    CHECK(ok, "%s on %s: %s", formula, string, e.text);
    if (!ok) picture_free(p);
    return ok;
}

static void test_golden(void) {
    picture p;
    if (!picture_make(&p, "O a", &(temper_spec_options){.alphabet = "ab"}, TEMPER_METHOD_HARD, "bab")) return;
    temper_error e;
    char *out;
    CHECK(!temper_draw_terminal(&out, p.model, p.run, p.letters, NULL, &e), "%s", e.text);
    const char *expected = "1.1  O a\n"
                           "  once: keys j <= i, average\n"
                           "     0 1 2 3\n"
                           "     ^ b a b\n"
                           "0 ^  @\n"
                           "1 b  # #\n"
                           "2 a  . . @\n"
                           "3 b  . . @ .\n"
                           "\n"
                           "weight 0 .:-=+*#%@ 1   blank: masked\n";
    CHECK(!strcmp(out, expected), "got\n%s", out);
    temper_free(out);
    picture_free(&p);
}

static const char *line_after(const char *at) {
    at = strchr(at, '\n');
    return at ? at + 1 : "";
}

/* Every cell of a one-head terminal picture against the weights, by thresholds written out. */
static void compare_cells(const picture *p, const char *formula, size_t layer, size_t head) {
    static const double least[] = {0,          0.00390625, 0.03515625, 0.09765625, 0.19140625,
                                   0.31640625, 0.47265625, 0.66015625, 0.87890625};
    temper_error e;
    char *out;
    temper_draw_options options = {.layer = layer, .head = head, .width = 200};
    if (!CHECK(!temper_draw_terminal(&out, p->model, p->run, p->letters, &options, &e), "%s", e.text)) return;
    size_t size = temper_run_about(p->run).size;
    const double *weights = temper_run_head(p->run, layer, head).weights,
                 *scores = temper_run_head(p->run, layer, head).scores;
    const char *row = strstr(out, "\n0 ^") ? strstr(out, "\n0 ^") + 1 : strstr(out, "\n 0 ^") + 1;
    size_t margin = size > 10 ? 6 : 5;
    for (size_t i = 0; i < size; i++, row = line_after(row)) {
        size_t length = strcspn(row, "\n");
        for (size_t j = 0; j < size; j++) {
            double w = weights[i * size + j];
            size_t level = 0;
            while (level < 8 && w >= least[level + 1]) level++;
            bool masked = isinf(scores[i * size + j]);
            char expected = masked ? ' ' : ".:-=+*#%@"[level];
            char shown = margin + 2 * j < length ? row[margin + 2 * j] : ' ';
            CHECK(shown == expected, "%s head %zu.%zu cell %zu,%zu weight %g: '%c' not '%c'\n%s", formula, layer,
                  head, i, j, w, shown, expected, out);
        }
    }
    temper_free(out);
}

static void test_pictures(void) {
    static const char *const formulas[] = {"O a",          "a S b",       "Y a",
                                           "X b",          "a U b",       "#[a] >= #[b]",
                                           "#[a] % 3 = 1", "F (a & X b)", "O (a & Y (b S a)) | #[a & Y b] > 2"};
    static const char *const strings[] = {"", "a", "abba", "bbabaabbabab"};
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        for (size_t s = 0; s < 4; s++) {
            picture p;
            temper_method method = (temper_method)((k + s) % 3);
            if (!picture_make(&p, formulas[k], &(temper_spec_options){.alphabet = "ab"}, method, strings[s]))
                continue;
            temper_model_info about = temper_model_about(p.model);
            for (size_t layer = 1; layer <= about.layers; layer++)
                for (size_t head = 1; head <= temper_model_layer(p.model, layer).heads; head++)
                    compare_cells(&p, formulas[k], layer, head);
            char *out;
            temper_error e;
            size_t texts;
            if (CHECK(!temper_draw_svg(&out, p.model, p.run, p.letters, NULL, &e), "%s", e.text)) {
                const char *fault = xml_fault(out, &texts);
                CHECK(!fault, "%s on %s: %s", formulas[k], strings[s], fault);
                /* two titles a panel, number and letter on both axes, and six in the legend at least */
                CHECK(texts >= about.heads * (2 + 3 * temper_run_about(p.run).size) + 6, "%s: %zu texts", formulas[k],
                      texts);
                temper_free(out);
            }
            picture_free(&p);
        }
    }
}

static void test_hostile(void) {
    static const temper_spec_options options = {
        .alphabet = "<&\"> ]]> <!-- &amp; ' \u0301 漢字 a_very_long_token_indeed", .tokens = 1};
    picture p;
    if (!picture_make(&p, "O ('<&\">' & Y ('<!--' | '&amp;')) | #['漢字'] > #['\u0301']", &options,
                      TEMPER_METHOD_TEMPERATURE, "<!-- <&\"> ]]> &amp; \u0301 ' 漢字 a_very_long_token_indeed <&\">"))
        return;
    char *out;
    temper_error e;
    size_t texts;
    if (CHECK(!temper_draw_svg(&out, p.model, p.run, p.letters, NULL, &e), "%s", e.text)) {
        const char *fault = xml_fault(out, &texts);
        CHECK(!fault, "%s in\n%s", fault, out);
        CHECK(strstr(out, "a_very_long_token_indeed") != NULL, "the whole token is in a tooltip");
        temper_free(out);
    }
    for (size_t width = 1; width < 120; width += 7) {
        temper_draw_options o = {.width = width, .colour = (int)(width % 2)};
        if (!CHECK(!temper_draw_terminal(&out, p.model, p.run, p.letters, &o, &e), "%s", e.text)) continue;
        for (const char *at = out; *at; at = line_after(at)) {
            char line[4096];
            size_t length = strcspn(at, "\n");
            if (o.colour || length >= sizeof line) continue;
            memcpy(line, at, length);
            line[length] = 0;
            double columns = label_width(line, label_columns);
            CHECK(columns <= (width < 40 ? 40 : (double)width), "line of %g columns for %zu: %s", columns, width,
                  line);
        }
        temper_free(out);
    }
    picture_free(&p);
}

static void test_limits(void) {
    static char string[601];
    memset(string, 'a', 600);
    picture p;
    char *out;
    temper_error e;
    size_t texts;
    temper_spec_options options = {.alphabet = "ab"};
    if (picture_make(&p, "O a", &options, TEMPER_METHOD_HARD, string)) {
        CHECK(temper_draw_svg(&out, p.model, p.run, p.letters, NULL, &e) == TEMPER_LIMIT && !out, "600 letters");
        CHECK(!temper_draw_terminal(&out, p.model, p.run, p.letters, NULL, &e), "%s", e.text);
        CHECK(out && strstr(out, "601 positions: each cell shows the largest weight of "), "blocks are announced\n%s",
              out);
        temper_free(out);
        picture_free(&p);
    }
    string[500] = 0;
    if (picture_make(&p, "O a & Y a", &options, TEMPER_METHOD_TEMPERATURE, string)) {
        CHECK(!temper_draw_svg(&out, p.model, p.run, p.letters, NULL, &e), "%s", e.text);
        CHECK(out && !xml_fault(out, &texts) && strlen(out) < 4 << 20, "500 letters");
        temper_free(out);
        temper_draw_options odd = {.layer = 99};
        CHECK(temper_draw_svg(&out, p.model, p.run, p.letters, &odd, &e) == TEMPER_RANGE && !out, "layer 99");
        odd = (temper_draw_options){.layer = 1, .head = 99};
        CHECK(temper_draw_terminal(&out, p.model, p.run, p.letters, &odd, &e) == TEMPER_RANGE && !out, "head 99");
        odd = (temper_draw_options){.head = 99};
        CHECK(temper_draw_terminal(&out, p.model, p.run, p.letters, &odd, &e) == TEMPER_RANGE && !out, "head 99");
        temper_run *bare;
        temper_run_options plain = {0};
        if (CHECK(!temper_model_run(&bare, p.model, p.letters, p.n, &plain, &e), "%s", e.text)) {
            CHECK(temper_draw_svg(&out, p.model, bare, p.letters, NULL, &e) == TEMPER_RANGE && !out,
                  "nothing captured");
            temper_run_free(bare);
        }
        picture_free(&p);
    }
    if (picture_make(&p, "a", &options, TEMPER_METHOD_TEMPERATURE, "ab")) {
        CHECK(!temper_draw_svg(&out, p.model, p.run, p.letters, NULL, &e) && !xml_fault(out, &texts), "no heads");
        temper_free(out);
        CHECK(!temper_draw_terminal(&out, p.model, p.run, p.letters, NULL, &e) && *out, "no heads");
        temper_free(out);
        picture_free(&p);
    }
}

/* Memory may run out at any allocation: a status and no picture. */
static void test_no_memory(void) {
    picture p;
    if (!picture_make(&p, "a S b", &(temper_spec_options){.alphabet = "ab"}, TEMPER_METHOD_TEMPERATURE, "abbab"))
        return;
    for (unsigned what = 0; what < 2; what++) {
        bool done = false;
        for (unsigned long k = 1; !done && k < 1000; k++) {
            char *out;
            temper_error e;
            arena_fail_after(k);
            temper_status status = what ? temper_draw_svg(&out, p.model, p.run, p.letters, NULL, &e)
                                        : temper_draw_terminal(&out, p.model, p.run, p.letters, NULL, &e);
            arena_fail_after(0);
            done = status == TEMPER_OK;
            CHECK(done || (status == TEMPER_NO_MEMORY && !out), "allocation %lu: %s", k, e.text);
            temper_free(out);
        }
        CHECK(done, "it ends");
    }
    picture_free(&p);
}

int main(void) {
    test_writer();
    test_labels();
    test_charts();
    test_golden();
    test_pictures();
    test_hostile();
    test_limits();
    test_no_memory();
    return test_finish("t-draw");
}

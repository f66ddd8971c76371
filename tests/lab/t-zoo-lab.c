/* The lab's parts about mechanisms, gaps and schedules: published factors written again in C, compiled models with a
   mechanism in the place of softmax against the project's own runner, errors of softmax against the law. */
#include "lab/gap.h"
#include "lab/schedules.h"
#include "lab/mechanism_model.h"
#include "lab/zoo.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- schedules ---- */

static double factor_of(const char *name, double i, double N) {
    if (!strcmp(name, "Llama-4")) return 1 + 0.1 * log(1 + floor((i + 1) / 8192));
    if (!strcmp(name, "YaRN")) return N <= 4096 ? 1 : pow(0.1 * log(N / 4096) + 1, 2);
    if (!strcmp(name, "SSMax, s = 0.168")) return 0.168 * log(N);
    if (!strcmp(name, "SSMax, s = 0.43")) return 0.43 * log(N);
    if (!strcmp(name, "log n") || !strcmp(name, "adaptive, log n")) return log(N);
    if (!strcmp(name, "linear")) return N;
    if (!strcmp(name, "n log n")) return N * log(N);
    return !strcmp(name, "constant") || !strcmp(name, "adaptive") ? 1 : NAN;
}

static void test_factors(arena *a) {
    static const double lengths[] = {1, 2, 50, 4095, 4096, 5000, 8189, 8190, 8191, 8192, 16383, 1e5, 1e9};
    CHECK(schedule_count == 10, "%zu schedules", schedule_count);
    for (size_t s = 0; s < schedule_count; s++) {
        const expression *factor = expression_make(a, "%s", schedules[s].factor);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            double n = lengths[k], want = factor_of(schedules[s].name, n, n + 1),
                   got = schedule_at(factor, SCHEDULED_ONCE, n), first = schedule_at(factor, SCHEDULED_SINCE, n);
            CHECK(fabs(got - want) <= 1e-13 * want, "%s at %g: %.17g, not %.17g", schedules[s].name, n, got, want);
            if (schedules[s].per_row)
                CHECK(first == 1, "%s: its first row has %g", schedules[s].name, first);
            else
                CHECK(first == got, "%s: rows differ", schedules[s].name);
        }
    }
}

/* ---- models ---- */

enum { N = 12, STRINGS = 60 };

static void test_models(lab *l, test_random *r) {
    static const struct {
        const char *formula;
        double scale; /* right for softmax: any that is large enough */
    } models[] = {{"O a", 8},          {"O a & O b", 10},   {"b S a", 8},
                  {"#[a] >= #[b]", 8}, {"H (a | Y b)", 10}, {"O (a & (b S c))", 12}};
    double values[N + 2], raw[N + 2], level[N + 3], uniform[N + 3] = {0};
    arena *memory = zoo_arena(l), *scratch = zoo_arena(l);
    search_room room = {raw, values, N + 2, scratch};
    const mechanism *soft = mechanism_find("softmax"), *hard = mechanism_find("hardmax-average"),
                    *sine = mechanism_find("sin-softmax");
    level[0] = level[1] = 0;
    for (size_t keys = 2; keys < N + 3; keys++) {
        level[keys] = keys <= N + 2 ? mechanism_half_level(soft, 0, keys, &room) : 0;
        CHECK(fabs(level[keys] - log((double)keys - 1)) < 1e-9, "the sentinel of %zu keys needs ln %zu, not %g", keys,
              keys - 1, level[keys]);
    }
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        const temper_spec *spec;
        uint32_t letters[N * STRINGS];
        bool truth[STRINGS];
        model_case c = {zoo_model(l, models[k].formula, &spec), N, STRINGS, letters, truth, memory};
        for (size_t j = 0; j < N * STRINGS; j++)
            letters[j] = (uint32_t)(random_below(r, 3) ? j / N % 4 : random_below(r, 4));
        double s = models[k].scale;
        model_maps sharp = {{s, 0, 0}, {s, 0, 0}, s, 0, level, uniform},
                   blunt = {{0.1, 0, 0}, {0.01, 0, 0}, 0.01, 0, level, uniform};
        size_t wrong = 0, blunt_wrong = 0, hard_wrong = 0, sine_wrong = 0;
        for (size_t w = 0; w < STRINGS; w++) {
            temper_run *run = NULL;
            temper_error e;
            if (!CHECK(!temper_model_run(&run, c.model, letters + w * N, N, NULL, &e), "%s", e.text)) return;
            truth[w] = temper_run_about(run).accept;
            temper_run_free(run);
            wrong += mechanism_model_answer(&c, w, soft, &sharp, &room) != truth[w];
            hard_wrong += mechanism_model_answer(&c, w, hard, &sharp, &room) != truth[w];
            blunt_wrong += mechanism_model_answer(&c, w, soft, &blunt, &room) != truth[w];
            sine_wrong += mechanism_model_answer(&c, w, sine, &sharp, &room) != truth[w];
        }
        CHECK(wrong == 0, "%s with softmax: %zu of %d strings differ from the runner", models[k].formula, wrong,
              STRINGS);
        if (!strstr(models[k].formula, "#")) /* its sentinel is level with the others only at ln n */
            CHECK(hard_wrong == 0, "%s with average-hard attention: %zu wrong", models[k].formula, hard_wrong);
        if (k < 3)
            CHECK(blunt_wrong > 0 && sine_wrong > 0, "%s: too small a scale has %zu wrong, sines %zu",
                  models[k].formula, blunt_wrong, sine_wrong);
    }
}

/* ---- gaps ---- */

static void test_gaps(lab *l) {
    arena *a = zoo_arena(l);
    static const double gaps[SCORE_KINDS] = {
        [NEAR_2] = 1e-2, [NEAR_5] = 1e-5, [NEAR_8] = 1e-8, [ADVERSARIAL] = 1, [ADVERSARIAL_NEAR] = 1e-4};
    for (size_t kind = 0; kind < SCORE_KINDS; kind++)
        for (size_t n = 2; n < 300; n += 1 + n / 2)
            for (double scale = 0.25; scale < 1e6; scale *= 8) {
                score_row row;
                arena_reset(a);
                gap_draw(&row, l, (score_kind)kind, n, a);
                double *w = arena_alloc(a, n, sizeof *w);
                long double rest = 0, all = 0, apart = 0;
                for (size_t j = 0; j < n; j++) {
                    long double z = expl((long double)scale * ((long double)row.scores[j] - row.top));
                    all += z;
                    if (row.scores[j] != row.top) rest += z;
                }
                gap_soften(w, &row, scale);
                for (size_t j = 0; j < n; j++)
                    apart += fabsl(w[j] - (row.scores[j] == row.top ? 1.0L / row.ties : 0)) / 2;
                CHECK(fabsl(apart - rest / all) < 1e-13L && fabsl(gap_measure(w, &row) - apart) < 1e-13L,
                      "%s, n %zu, scale %g: %.17Lg, law %.17Lg", score_kind_names[kind], n, scale, apart, rest / all);
                CHECK(fabsl(gap_rest(&row, scale) / (row.ties + gap_rest(&row, scale)) - rest / all) < 1e-13L,
                      "rest");
                if (gaps[kind] > 0 && n > 2)
                    CHECK(row.gap <= gaps[kind] * (1 + 1e-6), "%s: gap %g", score_kind_names[kind], row.gap);
                if (kind == TIED)
                    CHECK(row.ties == (n + 7) / 8 && (row.gap >= 0.49999 || row.ties == n), "ties %zu of %zu",
                          row.ties, n);
            }
}

int main(void) {
    trap t;
    lab l = {.seed = 4};
    test_random r = test_seed(59);
    arena_init(&l.memory, &t);
    l.trap = &t;
    lab_reseed(&l, 1);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        test_factors(&l.memory);
        test_models(&l, &r);
        test_gaps(&l);
        trap_clear(&t);
    }
    arena_free(&l.memory);
    return test_finish("t-zoo-lab");
}

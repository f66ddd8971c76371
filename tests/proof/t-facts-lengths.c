/* What is found for one length after the other, by short ways, is what every length gives by itself, the long way
   (plain_facts.h), bit for bit: the gallery, random models, and models made of features that the short ways are for.
   TEMPER_TEST_EFFORT goes with the length, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "facts_equal.h"
#include "feature_model.h"
#include "plain_facts.h"
#include "random_model.h"
#include "run/exact_run.h"

static size_t compared, stopped; /* lengths, and models that were too large for the long way */

/* Lengths from `first` on; those that `step` leaves out are run, not compared. */
static void compare(const char *source, const temper_model *m, size_t first, size_t longest, size_t step) {
    trap t;
    arena keep, one, scratch;
    temper_error e;
    arena_init(&keep, &t);
    arena_init(&one, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, &e)) {
        CHECK(e.code == TEMPER_LIMIT, "%s\n%s", e.text, source);
        stopped++;
    } else {
        subject_model s;
        subject_model_init(&s, m, &keep);
        facts_run *run = facts_run_begin(&s, first, &keep);
        for (size_t n = first; n <= longest; n++) {
            arena_reset(&one);
            const facts *found = facts_run_next(run, &one);
            if ((n - first) % step && n != longest) continue;
            rational_pool pool;
            arena_reset(&scratch);
            rational_pool_init(&pool, &scratch);
            if (!facts_are_equal(source, &s, found, plain_facts(&s, n, &pool, &one))) break;
            compared++;
        }
        trap_clear(&t);
    }
    arena_free(&keep);
    arena_free(&one);
    arena_free(&scratch);
}

static void test_features(test_random *r, size_t models, size_t longest) {
    trap errors;
    arena a;
    temper_error e;
    arena_init(&a, &errors);
    if (!trap_set(&errors, &e)) {
        for (size_t k = 0; k < models; k++) {
            text t;
            arena_reset(&a);
            text_init(&t, &a);
            feature_model_text(&t, r);
            temper_model *m = model_from(text_string(&t));
            if (m) compare(text_string(&t), m, k % 4 ? 0 : random_below(r, 9), longest, 1);
            temper_model_free(m);
        }
        trap_clear(&errors);
    } else {
        CHECK(false, "%s", e.text);
    }
    arena_free(&a);
}

static void test_gallery(size_t longest) {
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info about;
        temper_model *hard;
        temper_error e;
        if (!CHECK(temper_gallery_about(&about, k, &e) == TEMPER_OK, "%s", e.text)) continue;
        if (!CHECK(temper_gallery_model(&hard, about.name, &e) == TEMPER_OK, "%s", e.text)) continue;
        compare(about.name, hard, 0, longest, longest > 40 ? 1 : 3);
        temper_model_free(hard);
    }
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* All lengths up to one of an entry of the gallery, both ways; what each takes. */
static void measure(const char *name, size_t longest) {
    temper_model *hard;
    temper_error e;
    trap t;
    arena keep, one;
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK, "%s", e.text)) return;
    arena_init(&keep, &t);
    arena_init(&one, &t);
    if (trap_set(&t, &e)) {
        CHECK(false, "%s: %s", name, e.text);
    } else {
        subject_model s;
        double short_way = 0, long_way = 0;
        subject_model_init(&s, hard, &keep);
        facts_run *run = facts_run_begin(&s, 0, &keep);
        for (size_t n = 0; n <= longest; n++) {
            rational_pool pool;
            double start = seconds();
            const facts *found = facts_run_next(run, &keep);
            double middle = seconds();
            arena_reset(&one);
            rational_pool_init(&pool, &one);
            const facts *plain = plain_facts(&s, n, &pool, &one);
            short_way += middle - start;
            long_way += seconds() - middle;
            if (!facts_are_equal(name, &s, found, plain)) break;
        }
        printf("%-16s %zu letters: %.3f s instead of %.1f s, %.0f times as fast\n", name, longest, short_way,
               long_way, long_way / short_way);
        trap_clear(&t);
    }
    arena_free(&keep);
    arena_free(&one);
    temper_model_free(hard);
}

/* With the argument "gallery": only that, every length up to 200. With "speed", a length and names: what they take both
   ways, in seconds of processor time. */
int main(int argc, char **argv) {
    test_random r = test_seed(4011);
    double effort = test_effort();
    if (argc > 2 && strcmp(argv[1], "speed") == 0) {
        plain_facts_most = 1e300;
        for (int k = 3; k < argc; k++) measure(argv[k], (size_t)strtoul(argv[2], NULL, 10));
        return test_finish("t-facts-lengths");
    }
    if (argc > 1 && strcmp(argv[1], "gallery") == 0) {
        test_gallery(200);
        return test_finish("t-facts-lengths");
    }
    size_t models = (size_t)(36 * effort);
    char source[RANDOM_MODEL_TEXT];
    for (size_t k = 0; k < models; k++) {
        random_model_options kind = {.average = random_below(&r, 4) > 0,
                                     .fractions = random_below(&r, 3) == 0,
                                     .small = random_below(&r, 2),
                                     .varied = random_below(&r, 4) > 0,
                                     .extreme = random_below(&r, 6) == 0};
        temper_model *m = random_model(source, &r, &kind);
        if (m) compare(source, m, k % 4 ? 0 : random_below(&r, 5), 12, 1);
        temper_model_free(m);
    }
    test_features(&r, models, 14);
    test_gallery(effort < 1 ? 12 : effort > 9 ? 200 : 18);
    printf("facts of %zu lengths; %zu models were left at one\n", compared, stopped);
    CHECK(compared > 8 * models, "only %zu lengths of %zu models", compared, 2 * models);
    return test_finish("t-facts-lengths");
}

/* temper_soften_explain against what it explains: temper_soften does the length that works and refuses the next one,
   and its message names the head; the witness, run by itself, has the gap that was said, in that row; more bits, and
   what strings show of the gap, are as doc/soften.md has them for the models of the gallery that stop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "random_model.h"
#include "test.h"

static bool can_soften(const temper_model *hard, size_t n, temper_error *e) {
    temper_model *soft = NULL;
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = n};
    bool can = temper_soften(&soft, NULL, hard, &o, e) == TEMPER_OK;
    temper_model_free(soft);
    return can;
}

/* The measured gap of the witness is the difference of the two scores. */
static void check_witness(const char *name, const temper_model *hard, const temper_soften_limit *l) {
    const uint32_t *strings[] = {l->witness};
    temper_gap_options o = {.strings = strings, .lengths = &l->witness_length, .string_count = 1};
    temper_gap *gap = NULL;
    temper_error e;
    if (!CHECK(temper_gap_find(&gap, hard, &o, &e) == TEMPER_OK, "%s: %s", name, e.text)) return;
    double seen = temper_gap_at(gap, l->layer, l->head, l->witness_length).measured;
    CHECK(fabs(seen - l->log2_seen) < 1e-6, "%s: the witness has the gap 2^%g, not 2^%g", name, seen, l->log2_seen);
    CHECK(seen >= l->log2_gap - 1e-6, "%s: the witness 2^%g is below the proof's 2^%g", name, seen, l->log2_gap);
    temper_gap_free(gap);
    long long a = 0, b = 1, c = 0, d = 1;
    if (*l->score && *l->other_score && sscanf(l->score, "%lld/%lld", &a, &b) &&
        sscanf(l->other_score, "%lld/%lld", &c, &d))
        CHECK(fabsl(log2l((long double)a / b - (long double)c / d) - l->log2_seen) < 1e-6L, "%s: scores %s and %s",
              name, l->score, l->other_score);
    CHECK(l->key != l->other_key && l->key <= l->witness_length + 1 && l->position <= l->witness_length + 1,
          "%s: keys", name);
}

static temper_soften_limit explain(const char *name, const temper_model *hard, size_t n) {
    temper_soften_limit l = {0};
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = n};
    temper_error e;
    CHECK(temper_soften_explain(&l, hard, &o, &e) == TEMPER_OK, "%s: %s", name, e.text);
    return l;
}

static void check_model(const char *name, const temper_model *hard, size_t n) {
    temper_soften_limit l = explain(name, hard, n);
    temper_error e = {0};
    if (l.obstacle == TEMPER_OBSTACLE_NONE) {
        CHECK(can_soften(hard, n, &e), "%s: length %zu was said to work: %s", name, n, e.text);
        return;
    }
    CHECK(l.fails <= n && (l.fails == l.works + 1 || l.fails == 0), "%s: works %zu, fails %zu", name, l.works,
          l.fails);
    if (l.fails > 1) CHECK(can_soften(hard, l.works, &e), "%s: length %zu: %s", name, l.works, e.text);
    if (!CHECK(!can_soften(hard, l.fails ? l.fails : 1, &e), "%s: length %zu works", name, l.fails)) return;
    char head[32];
    snprintf(head, sizeof head, "head %zu.%zu ", l.layer, l.head);
    if (l.head && l.fails) CHECK(strncmp(e.text, head, strlen(head)) == 0, "%s: %sis not in: %s", name, head, e.text);
    if (l.head && l.witness_length != SIZE_MAX) check_witness(name, hard, &l);
}

/* An entry of the gallery, with a row of a query that reads one channel more (NULL: as it is): the start sentinel,
   whose row has one key. So it decides as before, and denominators are not bounded. */
static temper_model *entry_with(const char *name, const char *query, const char *other) {
    temper_model *hard = NULL, *edited = NULL;
    temper_error e;
    char *printed = NULL, *at = NULL;
    size_t length;
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK, "%s", e.text) || !query) return hard;
    if (CHECK(temper_model_print(&printed, &length, hard, &e) == TEMPER_OK, "%s", e.text))
        at = strstr(printed, query);
    if (CHECK(at, "%s has no %s", name, query)) {
        static char source[1 << 13];
        snprintf(source, sizeof source, "%.*s%s%s", (int)(at - printed), printed, other, at + strlen(query));
        char *digest = strstr(source, "\ndigest ");
        if (digest) digest[1] = 0;
        edited = model_from(source);
    }
    temper_free(printed);
    temper_model_free(hard);
    return edited;
}

static void check_gallery(void) {
    static const struct {
        const char *name;
        size_t works;
        bool exponential;
        const char *query, *other;
    } stops[] = {{"two-averages", 27, true, NULL, NULL},
                 {"tied", 27, false, "query 8:1", "query 1:1 8:1"},
                 {"best-prefix", 21, false, "query 7:1", "query 1:1 7:1"}};
    for (size_t k = 0; k < 3; k++) {
        temper_model *hard = entry_with(stops[k].name, stops[k].query, stops[k].other);
        if (!hard) continue;
        temper_soften_limit l = explain(stops[k].name, hard, 32);
        CHECK(l.obstacle == TEMPER_OBSTACLE_GAP && l.works == stops[k].works && l.layer == 3 && l.head == 1 &&
                  !l.gates && !l.exponential == !stops[k].exponential && l.bits > 53 && l.bits < 64,
              "%s: %s, works %zu, head %zu.%zu, gates %d, exponential %d, bits %g", stops[k].name,
              temper_obstacle_name(l.obstacle), l.works, l.layer, l.head, l.gates, l.exponential, l.bits);
        check_witness(stops[k].name, hard, &l);
        temper_model_free(hard);
    }
    temper_model *fine;
    temper_error e;
    if (CHECK(temper_gallery_model(&fine, "dyck-1", &e) == TEMPER_OK, "%s", e.text)) {
        check_model("dyck-1", fine, 20);
        temper_model_free(fine);
    }
}

/* A majority that may be exactly one half. */
static void check_margin(void) {
    temper_model *m =
        model_from("temper-model 1\nalphabet \"a\" \"b\"\nempty accept\nchannel 0 \"a\"\nchannel 1 \"share\"\n"
                   "embed \"a\" 0:1\nembed \"b\"\nembed start\nembed end\nlayer 1\n"
                   "head \"share\" mask j<=i choice average\n  value 0:1\n  output 1:1\nread 1:1\n");
    if (!m) return;
    temper_soften_limit l = explain("a half", m, 9);
    CHECK(l.obstacle == TEMPER_OBSTACLE_MARGIN && l.fails == l.works + 1 && l.head == 0, "a half: %s at %zu",
          temper_obstacle_name(l.obstacle), l.fails);
    temper_model_free(m);
}

/* What is said of a length that has not been tried, against what it takes. */
static void check_cost(const char *name) {
    trap t;
    arena a;
    temper_error e;
    temper_model *hard = NULL;
    double about = 0, longer = 0;
    enum { LENGTH = 300 };
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK &&
                   temper_choices_cost(&about, hard, LENGTH, &e) == TEMPER_OK &&
                   temper_choices_cost(&longer, hard, 4 * LENGTH, &e) == TEMPER_OK,
               "%s", e.text))
        return;
    arena_init(&a, &t);
    if (!trap_set(&t, &e)) {
        subject_model s;
        subject_model_init(&s, hard, &a);
        facts_run *run = facts_run_begin(&s, 0, &a);
        for (size_t n = 0; n <= LENGTH; n++) facts_run_next(run, &a);
        double steps = facts_run_steps(run);
        CHECK(about > steps / 3 && about < 12 * steps + 600.0 * LENGTH && longer > 3.5 * about,
              "%s: %g steps, about %g, then %g", name, steps, about, longer);
        trap_clear(&t);
    } else {
        CHECK(false, "%s: %s", name, e.text);
    }
    arena_free(&a);
    temper_model_free(hard);
}

int main(void) {
    test_random r = test_seed(2121);
    static char source[RANDOM_MODEL_TEXT];
    size_t models = (size_t)(40 * test_effort()), stopped = 0;
    check_gallery();
    check_margin();
    check_cost("dyck-2");
    check_cost("copy");
    check_cost("parity");
    for (size_t k = 0; k < models; k++) {
        random_model_options kind = {
            .average = random_below(&r, 4) > 0, .small = true, .varied = random_below(&r, 2)};
        temper_model *hard = random_model(source, &r, &kind);
        if (hard) check_model(source, hard, 1 + random_below(&r, 6));
        stopped += hard != NULL;
        temper_model_free(hard);
    }
    CHECK(stopped > models / 2, "only %zu models", stopped);
    CHECK(strcmp(temper_obstacle_name(TEMPER_OBSTACLE_LOGITS), "logits") == 0 &&
              !*temper_obstacle_name((temper_obstacle)9),
          "names");
    return test_finish("t-soften-limit");
}

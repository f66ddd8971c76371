#include "soft_agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "run/exact_run.h"

static const char *shown(const uint32_t *word, size_t n) {
    static char out[300];
    size_t k = 0;
    for (; k < n && k + 2 < sizeof out; k++) out[k] = (char)(word[k] < 26 ? 'a' + word[k] : '?');
    out[k] = 0;
    return out;
}

/* The exact read-outs of a string, outward as intervals; and what is true. */
typedef struct exact_answers {
    double *low, *high; /* [N] */
    unsigned char *truth;
} exact_answers;

static bool run_exactly(exact_answers *out, const temper_model *m, const uint32_t *word, size_t n) {
    trap t;
    arena a;
    rational_pool pool;
    temper_error e;
    arena_init(&a, &t);
    rational_pool_init(&pool, &a);
    if (trap_set(&t, &e)) {
        rational_pool_clear(&pool);
        arena_free(&a);
        return CHECK(false, "exact run of '%s': %s", shown(word, n), e.text);
    }
    const rational *y = exact_run(m, word, n, NULL, &pool, &a);
    rational *half = rational_array(&pool, 1);
    rational_set_ratio(half, 1, 2);
    for (size_t i = 0; i < n + 1 + m->has_end; i++) {
        out->low[i] = rational_below(&y[i]);
        out->high[i] = rational_above(&y[i]);
        out->truth[i] = rational_cmp(&y[i], half) > 0;
    }
    rational_pool_clear(&pool);
    arena_free(&a);
    trap_clear(&t);
    return true;
}

static double read_out(const temper_model *m, const temper_run *r, size_t i) {
    return rows_dot(&m->read, 0, temper_run_channels(r, m->layer_count, i));
}

/* One string: exact = floating hard = soft, within the bound. */
static bool agrees(soft_totals *sum, const char *name, const temper_model *hard, const temper_model *soft,
                   const temper_soften_report *report, const uint32_t *word, size_t n) {
    double low[260], high[260];
    unsigned char truth[260];
    exact_answers exact = {low, high, truth};
    temper_run *r;
    temper_error e;
    temper_run_options o = {.capture = 1};
    size_t verdict = n == 0 ? 0 : hard->at == TEMPER_AT_FIRST ? 1 : n;
    if (!run_exactly(&exact, hard, word, n)) return false;
    if (!CHECK(temper_model_run(&r, soft, word, n, &o, &e) == TEMPER_OK, "%s on '%s': %s", name, shown(word, n),
               e.text))
        return false;
    bool ok = CHECK(temper_run_about(r).proved, "%s on '%s': not proved", name, shown(word, n));
    ok &= CHECK(temper_run_about(r).accept == truth[verdict], "%s on '%s': soft says %d, exact %d", name,
                shown(word, n), temper_run_about(r).accept, truth[verdict]);
    for (size_t i = n ? 1 : 0; i <= n && ok; i++) {
        if (!report->every_position && i != verdict) continue;
        double y = read_out(soft, r, i), off = fmax(y - low[i], high[i] - y);
        ok &= CHECK(off <= report->error + (high[i] - low[i]), "%s on '%s' at %zu: off by %g, proved %g", name,
                    shown(word, n), i, off, report->error);
        ok &= CHECK(temper_run_about(r).truth[i] == truth[i], "%s on '%s' at %zu: soft says %d", name, shown(word, n),
                    i, temper_run_about(r).truth[i]);
        ok &= CHECK(
            fmin(fabs(low[i] - 0.5), fabs(high[i] - 0.5)) >= report->margin * (1 - 1e-12) - (high[i] - low[i]),
            "%s on '%s' at %zu: the margin is smaller than the proved %g", name, shown(word, n), i, report->margin);
        if (report->error > 0) sum->worst = fmax(sum->worst, (off - (high[i] - low[i])) / report->error);
    }
    temper_run_free(r);
    /* as it is run every day: by plan, not captured */
    o = (temper_run_options){0};
    if (CHECK(temper_model_run(&r, soft, word, n, &o, &e) == TEMPER_OK, "%s on '%s': %s", name, shown(word, n),
              e.text)) {
        ok &= CHECK(temper_run_about(r).accept == truth[verdict], "%s on '%s': planned soft run says %d, exact %d",
                    name, shown(word, n), temper_run_about(r).accept, truth[verdict]);
        temper_run_free(r);
    }
    sum->strings++;
    return ok;
}

/* The floating hard run agrees with the exact one, or says that it cannot tell. */
bool soft_agree_hard(soft_totals *sum, const char *name, const temper_model *hard, const uint32_t *word, size_t n) {
    temper_run *exact, *floating;
    temper_error e;
    temper_run_options o = {.hard = 1, .type = TEMPER_TYPE_EXACT};
    if (!CHECK(temper_model_run(&exact, hard, word, n, &o, &e) == TEMPER_OK, "%s on '%s': %s", name, shown(word, n),
               e.text))
        return false;
    o.type = TEMPER_TYPE_F64;
    bool ok = true;
    temper_status status = temper_model_run(&floating, hard, word, n, &o, &e);
    if (status != TEMPER_OK) {
        ok &= CHECK(status == TEMPER_UNSUPPORTED && *e.text, "%s on '%s': %s", name, shown(word, n), e.text);
        sum->untold++;
    } else {
        for (size_t i = 0; i <= n; i++)
            ok &= CHECK(temper_run_about(floating).truth[i] == temper_run_about(exact).truth[i],
                        "%s on '%s' at %zu: floating hard run differs", name, shown(word, n), i);
        ok &= CHECK(temper_run_about(floating).proved, "%s on '%s': floating hard run is not proved", name,
                    shown(word, n));
        temper_run_free(floating);
        sum->told++;
    }
    temper_run_free(exact);
    return ok;
}

/* All strings to length `all`, then random ones to `length`. */
static void compare(soft_totals *sum, const char *name, const temper_model *hard, const temper_model *soft,
                    const temper_soften_report *report, size_t all, size_t length, size_t random, test_random *r) {
    uint32_t word[256] = {0};
    size_t letters = hard->letters.count;
    for (size_t n = 0; n <= all; n++) {
        memset(word, 0, sizeof word);
        for (size_t k;;) {
            if (!agrees(sum, name, hard, soft, report, word, n)) return;
            for (k = n; k > 0 && ++word[k - 1] == letters; k--) word[k - 1] = 0;
            if (k == 0) break;
        }
    }
    for (size_t k = 0; k < random && length > all; k++) {
        size_t n = k % 3 ? all + 1 + random_below(r, length - all) : length;
        bool runs = random_below(r, 2);
        for (size_t i = 0; i < n; i++)
            word[i] = runs && i && random_below(r, 8) ? word[i - 1] : (uint32_t)random_below(r, letters);
        if (!agrees(sum, name, hard, soft, report, word, n)) return;
    }
}

/* A refusal names a head and a length, or says that the margin is missing. */
static void check_refusal(const char *name, temper_status status, const temper_error *e) {
    CHECK(status == TEMPER_LIMIT && strstr(e->text, "length"), "%s: refused with %s: %s", name,
          temper_status_name(status), e->text);
}

bool soft_agree(soft_totals *sum, const char *name, const temper_model *hard, const temper_soften_options *o,
                size_t all, size_t random, test_random *r) {
    temper_model *soft = NULL;
    temper_soften_report report;
    temper_error e;
    temper_status status = temper_soften(&soft, &report, hard, o, &e);
    if (status != TEMPER_OK) {
        check_refusal(name, status, &e);
        sum->refused++;
        return false;
    }
    sum->proved++;
    sum->everywhere += report.every_position != 0;
    CHECK(report.error < report.margin, "%s: error %g, margin %g", name, report.error, report.margin);
    compare(sum, name, hard, soft, &report, all < o->length ? all : o->length, o->length, random, r);
    temper_run *run;
    uint32_t word[256] = {0};
    temper_run_options options = {0};
    status = temper_model_run(&run, soft, word, o->length + 1, &options, &e);
    if (!CHECK(status == TEMPER_LIMIT, "%s: runs beyond its length", name)) temper_run_free(run);
    temper_model_free(soft);
    return true;
}

void soft_totals_print(const char *what, const soft_totals *t) {
    printf("%s: %zu proved (%zu at every position), %zu refused, %zu strings, largest error/bound %.3g; floating "
           "hard runs: %zu decided, "
           "%zu could not tell\n",
           what, t->proved, t->everywhere, t->refused, t->strings, t->worst, t->told, t->untold);
}

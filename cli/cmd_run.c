/* temper run: the transformer's answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "escape.h"
#include "json.h"
#include "subject.h"

typedef struct runner {
    session *session;
    const temper_model *model;
    temper_model_info info;
    double *margins; /* per head, the largest over all strings; -1: none seen */
    size_t strings;
    bool warned;
} runner;

static void gather_margins(runner *r, const temper_run *run) {
    size_t at = 0;
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer_heads(r->model, layer); head++, at++) {
            double margin = temper_run_margin(run, layer, head);
            if (margin > r->margins[at]) r->margins[at] = margin;
        }
}

static void warn_once(runner *r, size_t n) {
    if (r->warned) return;
    r->warned = true;
    message_warning(r->session, "length %zu is beyond the safe length %zu%s%s%s: answers there are unproved", n,
                    r->info.safe_length, *r->info.safe_reason ? " (" : "", r->info.safe_reason,
                    *r->info.safe_reason ? ")" : "");
}

/* One string; false if the output is broken. */
static bool run_line(runner *r, const line *l) {
    session *s = r->session;
    answer a = {0};
    temper_error err;
    uint32_t *letters = NULL;
    unsigned char *truth = NULL;
    temper_run *run = NULL;
    if (!subject_encode(&letters, &a.n, &err, s, NULL, r->model, l)) {
        a.error = err.text;
        return answer_print(s, l, &a);
    }
    char origin[40];
    place at = {line_origin(origin, l), l->is_input ? l->number : 0, 0, NULL, 0};
    temper_run_options o = {.hard = is_given(s, OPT_HARD), .unchecked = is_given(s, OPT_UNCHECKED)};
    if (is_given(s, OPT_PER_POSITION) && !(truth = malloc(a.n + 1))) {
        a.error = "out of memory";
        message_print(s, EXIT_LIMIT, &at, a.error, NULL);
    } else if (temper_model_run(&run, r->model, letters, a.n, &o, &err) != TEMPER_OK) {
        a.error = err.text;
        message_print(s, exit_code_of(err.code), &at, err.text, err.hint);
    } else {
        a.accept = temper_run_accept(run);
        a.unproved = !temper_run_proved(run);
        if (a.unproved) warn_once(r, a.n);
        for (size_t k = 0; truth && k < a.n; k++) truth[k] = temper_run_truth(run, k + 1) != 0;
        if (r->margins) gather_margins(r, run);
        r->strings++;
    }
    a.truth = truth;
    bool ok = answer_print(s, l, &a);
    temper_run_free(run);
    free(truth);
    temper_free(letters);
    return ok;
}

static void print_margin(const runner *r, size_t layer, size_t head, double margin) {
    temper_head_info about;
    if (temper_model_head(&about, r->model, layer, head, NULL) != TEMPER_OK) return;
    if (r->session->json) {
        json j;
        json_open(&j, stdout);
        json_count(&j, "layer", layer);
        json_count(&j, "head", head);
        json_text(&j, "label", about.label);
        if (margin < 0)
            json_null(&j, "error");
        else
            json_real(&j, "error", margin);
        json_real(&j, "bound", about.bound);
        json_close(&j);
        return;
    }
    char name[48], error[32] = "-", bound[32] = "-";
    snprintf(name, sizeof name, "%zu.%zu", layer, head);
    if (margin >= 0) {
        snprintf(error, sizeof error, "%.3g", margin);
        snprintf(bound, sizeof bound, "%.3g", about.bound);
    }
    printf("%-8s %10s %10s  ", name, error, bound);
    show_write(stdout, about.label, strlen(about.label), 60);
    putchar('\n');
}

static void print_margins(const runner *r) {
    if (!r->session->json)
        printf("\nlargest error before rounding over %zu string%s; - where nothing is rounded\n%-8s %10s %10s  "
               "computes\n",
               r->strings, r->strings == 1 ? "" : "s", "head", "error", "bound");
    size_t at = 0;
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer_heads(r->model, layer); head++, at++)
            print_margin(r, layer, head, r->margins[at]);
}

static void run_all(session *s, const subject *x, lines *in) {
    runner r = {.session = s, .model = x->model};
    line l;
    temper_model_about(&r.info, x->model);
    if (is_given(s, OPT_MARGINS)) {
        r.margins = malloc((r.info.heads + 1) * sizeof *r.margins);
        for (size_t k = 0; r.margins && k < r.info.heads; k++) r.margins[k] = -1;
        if (!r.margins) {
            message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
            return;
        }
    }
    for (bool on = true; on && lines_next(&l, in);) on = run_line(&r, &l);
    if (r.margins && !s->quiet) print_margins(&r);
    free(r.margins);
}

void cmd_run(session *s) {
    subject x;
    lines *in = malloc(sizeof *in);
    if (!in) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return;
    }
    if (subject_model(&x, s) && lines_start(in, s, x.first)) {
        run_all(s, &x, in);
        lines_stop(in);
    }
    free(in);
    subject_free(&x);
}

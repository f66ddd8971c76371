/* temper next: what may come after a prefix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "next_answer.h"
#include "remedy_words.h"
#include "run_settings.h"
#include "stream_input.h"
#include "subject.h"

typedef struct asker {
    session *session;
    const temper_model *model;
    bool warned, warned_claim;
} asker;

typedef struct place_in_run {
    const temper_run *run;
    size_t position;
} place_in_run;

static int holds_in_run(const void *from, size_t output) {
    const place_in_run *p = from;
    return temper_run_output(p->run, output)[p->position] != 0;
}

static double logit_in_run(const void *from, size_t output) {
    const place_in_run *p = from;
    const double *logits = temper_run_logits(p->run, output);
    return logits ? logits[p->position] : NAN;
}

static void warn(asker *a, const temper_run_info *about, size_t n) {
    session *s = a->session;
    if (about->claim == TEMPER_CLAIM_NONE && !a->warned) {
        temper_proof proof;
        temper_run_options o = run_settings(s);
        a->warned = true;
        if (!is_done(temper_model_proof(&proof, a->model, o.type, o.hard, NULL)))
            proof = (temper_proof){.obstacle = "nothing is known"};
        warn_unproved(s, a->model, &proof, n);
    }
    if (about->claim == TEMPER_CLAIM_CHOICES && *temper_model_about(a->model).source && !a->warned_claim) {
        a->warned_claim = true;
        warn_of_choices(s);
    }
}

static void print_error(const asker *a, const line *l, const char *error) {
    if (a->session->quiet) return;
    if (a->session->json) {
        json j;
        json_open(&j, stdout);
        json_bytes(&j, "prefix", l->bytes, l->length);
        json_text(&j, "error", error);
        json_close(&j);
        return;
    }
    fputs("error\t", stdout);
    escape_write(stdout, l->bytes, l->length, 0);
    putchar('\n');
}

static void print_answer(const asker *a, const line *l, const next_answer *x) {
    session *s = a->session;
    if (s->quiet) {
        if (!next_is_alive(x)) session_fail(s, EXIT_NO);
    } else if (s->json) {
        json j;
        json_open(&j, stdout);
        json_bytes(&j, "prefix", l->bytes, l->length);
        next_json(&j, x);
        json_close(&j);
    } else {
        next_print(x);
        putchar('\t');
        escape_write(stdout, l->bytes, l->length, 0);
        putchar('\n');
    }
}

static bool ask(asker *a, const line *l) {
    session *s = a->session;
    uint32_t *letters = NULL;
    size_t n;
    temper_error err;
    temper_run *run = NULL;
    char origin[40];
    place at = {line_origin(origin, l), l->input ? l->number : 0, 0, NULL, 0};
    temper_run_options o = run_settings(s);
    if (!subject_encode(&letters, &n, &err, s, NULL, a->model, l)) {
        print_error(a, l, err.text);
    } else if (temper_model_run(&run, a->model, letters, n, &o, &err) != TEMPER_OK) {
        print_error(a, l, err.text);
        message_print(s, exit_code_of(err.code), &at, err.text, error_hint(&err));
    } else {
        temper_run_info about = temper_run_about(run);
        warn(a, &about, n);
        if (*about.warning) message_warning(s, "%s: %s", at.name, about.warning);
        place_in_run here = {run, n};
        double off = temper_model_logit_error(a->model, about.type);
        print_answer(a, l, &(next_answer){a->model, holds_in_run, logit_in_run, &here, about.claim, off});
    }
    temper_run_free(run);
    temper_free(letters);
    return output_is_fine(s);
}

static void ask_all(session *s, const subject *x) {
    asker a = {.session = s, .model = x->model};
    lines *in = malloc(sizeof *in);
    line l;
    if (!in) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return;
    }
    if (lines_start(in, s, x->first)) {
        while (lines_next(&l, in) && ask(&a, &l)) continue;
        lines_stop(in);
    }
    free(in);
}

static void ask_stream(session *s, const subject *x) {
    temper_stream *stream;
    temper_error err;
    temper_run_options o = run_settings(s);
    if (s->opt.count > x->first) {
        message_usage(s, "letters come from standard input", "--stream takes no strings");
        return;
    }
    if (temper_stream_open(&stream, x->model, &o, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    stream_input(s, x->model, &o, stream);
    temper_stream_free(stream);
}

void cmd_next(session *s) {
    subject x;
    if (subject_language_model(&x, s)) {
        if (is_given(s, OPT_STREAM))
            ask_stream(s, &x);
        else
            ask_all(s, &x);
    }
    subject_free(&x);
}

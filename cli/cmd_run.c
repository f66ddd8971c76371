/* temper run: the transformer's answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remedy_words.h"
#include "answer.h"
#include "escape.h"
#include "json.h"
#include "run_settings.h"
#include "stream_input.h"
#include "subject.h"

typedef struct runner {
    session *session;
    const temper_model *model;
    temper_model_info info;
    double *errors; /* per head, the largest over all strings; -1: none seen */
    size_t strings;
    bool warned, warned_claim, warned_positions;
    bool proof_known;   /* `proof` is filled */
    temper_proof proof; /* in the type that is run */
} runner;

static void gather_errors(runner *r, const temper_run *run) {
    size_t at = 0;
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(r->model, layer).heads; head++, at++) {
            double worst = temper_run_head(run, layer, head).error;
            if (worst > r->errors[at]) r->errors[at] = worst;
        }
}

/* The proved length costs a little time, so it is found where it is told. */
static const temper_proof *proof_of(runner *r) {
    temper_run_options o = run_settings(r->session);
    if (!r->proof_known && !is_done(temper_model_proof(&r->proof, r->model, o.type, o.hard, NULL)))
        r->proof = (temper_proof){.obstacle = "nothing is known"};
    r->proof_known = true;
    return &r->proof;
}

static void warn_once(runner *r, size_t n) {
    if (r->warned) return;
    r->warned = true;
    warn_unproved(r->session, r->model, proof_of(r), n);
}

/* A model that carries a specification is expected to compute it. */
static void warn_of_claim(runner *r, temper_claim claim) {
    if (r->warned_claim || claim != TEMPER_CLAIM_CHOICES || !*r->info.source) return;
    r->warned_claim = true;
    warn_of_choices(r->session);
}

/* A proof may be of verdicts only. The run knows what is proved of its length, which costs far less than to find the
   longest. False, with what is wrong: the truth at every position is asked for and not proved. */
static bool claims_positions(runner *r, const temper_run *run, temper_error *err) {
    static const char why[] = "only the verdict is proved of this model, not the truth at every position";
    temper_run_info about = temper_run_about(run);
    if (!is_given(r->session, OPT_PER_POSITION) || !about.proved || about.every_position) return true;
    if (run_settings(r->session).unchecked) {
        if (!r->warned_positions) message_warning(r->session, "%s", why);
        r->warned_positions = true;
        return true;
    }
    *err = (temper_error){.code = TEMPER_LIMIT, .remedy = TEMPER_REMEDY_UNCHECKED};
    snprintf(err->text, sizeof err->text, "%s", why);
    return false;
}

/* What the run says of the string, beside its verdict. */
typedef struct told {
    unsigned char *truth; /* [n] at each position */
    const char **texts;   /* [n] what is written there */
    char *written;
} told;

static void told_free(told *t) {
    free(t->truth);
    free(t->texts);
    temper_free(t->written);
}

/* False: there is no memory. */
static bool tell_positions(told *t, const runner *r, const temper_run *run, size_t n) {
    bool writes = r->info.kind == TEMPER_KIND_TRANSDUCER;
    if (!is_given(r->session, OPT_PER_POSITION)) return true;
    if (writes && !(t->texts = malloc((n + 1) * sizeof *t->texts))) return false;
    if (!writes && !(t->truth = malloc(n + 1))) return false;
    for (size_t k = 0; k < n; k++)
        if (writes)
            t->texts[k] = temper_model_output_name(r->model, (size_t)temper_run_written(run, k + 1));
        else
            t->truth[k] = temper_run_about(run).truth[k + 1] != 0;
    return true;
}

/* Of a run that is done: fills what is told, or says in a what is wrong. A transducer writes nothing at all where it
   does not know what to write. */
static bool tell(told *t, answer *a, const runner *r, const temper_run *run, temper_error *err) {
    if (r->info.kind == TEMPER_KIND_TRANSDUCER &&
        temper_run_write(&t->written, &a->written_length, run, r->model, err) != TEMPER_OK)
        return false;
    if (!tell_positions(t, r, run, a->n)) {
        *err = (temper_error){.code = TEMPER_NO_MEMORY, .text = "out of memory"};
        return false;
    }
    a->accept = temper_run_about(run).accept;
    a->truth = t->truth;
    a->texts = t->texts;
    a->written = t->written;
    return true;
}

/* One string; false if the output is broken. */
static bool run_line(runner *r, const line *l) {
    session *s = r->session;
    answer a = {0};
    temper_error err;
    uint32_t *letters = NULL;
    told t = {0};
    temper_run *run = NULL;
    if (!subject_encode(&letters, &a.n, &err, s, NULL, r->model, l)) {
        a.error = err.text;
        return answer_print(s, l, &a);
    }
    char origin[40];
    place at = {line_origin(origin, l), l->input ? l->number : 0, 0, NULL, 0};
    temper_run_options o = run_settings(s);
    if (temper_model_run(&run, r->model, letters, a.n, &o, &err) != TEMPER_OK || !claims_positions(r, run, &err) ||
        !tell(&t, &a, r, run, &err)) {
        a.error = err.text;
        message_print(s, exit_code_of(err.code), &at, err.text, error_hint(&err));
    } else {
        a.claim = temper_run_about(run).claim;
        if (a.claim == TEMPER_CLAIM_NONE) warn_once(r, a.n);
        warn_of_claim(r, a.claim);
        if (*temper_run_about(run).warning) message_warning(s, "%s: %s", at.name, temper_run_about(run).warning);
        if (r->errors) gather_errors(r, run);
        r->strings++;
    }
    bool ok = answer_print(s, l, &a);
    temper_run_free(run);
    told_free(&t);
    temper_free(letters);
    return ok;
}

/* ---- many short strings ---- */

/* Lines that are waiting in the input buffer are run together; their answers are printed in order. */
enum { BATCH = 4096 };

typedef struct waiting {
    line line; /* a copy */
    uint32_t *letters;
    size_t n;
    char *error; /* the letters could not be read */
} waiting;

typedef struct batch {
    waiting *items; /* [BATCH] */
    const uint32_t **letters;
    size_t *lengths;
    unsigned char *accept;
    size_t count;
} batch;

static bool batch_start(batch *b) {
    b->count = 0;
    b->items = calloc(BATCH, sizeof *b->items);
    b->letters = calloc(BATCH, sizeof *b->letters);
    b->lengths = calloc(BATCH, sizeof *b->lengths);
    b->accept = calloc(BATCH, 1);
    return b->items && b->letters && b->lengths && b->accept;
}

static void batch_stop(batch *b) {
    free(b->items);
    free(b->letters);
    free(b->lengths);
    free(b->accept);
}

static char *copy_text(const char *bytes, size_t length) {
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, bytes, length);
    copy[length] = 0;
    return copy;
}

static void item_clear(waiting *w) {
    free((void *)(uintptr_t)w->line.bytes);
    temper_free(w->letters);
    free(w->error);
}

/* False if memory is short; the line is then run alone. */
static bool batch_add(runner *r, batch *b, const line *l) {
    waiting w = {.line = *l};
    temper_error err;
    if (!(w.line.bytes = copy_text(l->bytes, l->length))) return false;
    if (!subject_encode(&w.letters, &w.n, &err, r->session, NULL, r->model, l))
        w.error = copy_text(err.text, strlen(err.text));
    if (!w.letters && !w.error) { /* no memory for the message: the line is run alone, and says it again */
        item_clear(&w);
        return false;
    }
    b->items[b->count++] = w;
    return true;
}

/* What run_many answers is proved: by the proof of the model, or string by string beyond it. */
static temper_claim batch_claim(runner *r, size_t n) {
    const temper_proof *p = proof_of(r);
    return p->claim != TEMPER_CLAIM_NONE && n <= p->length ? p->claim : TEMPER_CLAIM_CHOICES;
}

static bool batch_run(runner *r, batch *b) {
    temper_error err;
    temper_run_options o = run_settings(r->session);
    bool on = true;
    size_t used = 0;
    for (size_t k = 0; k < b->count; k++)
        if (!b->items[k].error) {
            b->letters[used] = b->items[k].letters;
            b->lengths[used++] = b->items[k].n;
        }
    bool ran = temper_model_run_many(b->accept, r->model, b->letters, b->lengths, used, &o, &err) == TEMPER_OK;
    used = 0;
    for (size_t k = 0; k < b->count; k++) {
        waiting *w = &b->items[k];
        answer a = {.error = w->error, .n = w->n};
        unsigned char accept = w->error || !ran ? 0 : b->accept[used];
        used += !w->error;
        a.accept = accept == 1;
        if (on && !w->error && (!ran || accept == 2))
            on = run_line(r, &w->line); /* says what is wrong */
        else if (on) {
            if (!w->error) warn_of_claim(r, a.claim = batch_claim(r, w->n));
            on = answer_print(r->session, &w->line, &a);
        }
        item_clear(w);
    }
    b->count = 0;
    return on;
}

/* Strings that need more than a verdict, or a warning, are run one by one. */
static bool run_lines(runner *r, lines *in) {
    session *s = r->session;
    bool alone = r->errors || is_given(s, OPT_PER_POSITION) || run_settings(s).unchecked ||
                 r->info.kind != TEMPER_KIND_ACCEPTOR,
         on = true;
    batch b = {0};
    line l;
    if (!alone && !batch_start(&b)) alone = true;
    while (on && lines_next(&l, in)) {
        if (alone || (!b.count && !lines_ready(in)) || !batch_add(r, &b, &l)) {
            if (b.count) on = batch_run(r, &b);
            if (on) on = run_line(r, &l);
        } else if (b.count == BATCH || !lines_ready(in)) {
            on = batch_run(r, &b);
        }
    }
    batch_stop(&b);
    return on;
}

static void print_error(const runner *r, size_t layer, size_t head, double worst) {
    temper_head_info about;
    if (!is_done(temper_model_head(&about, r->model, layer, head, NULL))) return;
    if (r->session->json) {
        json j;
        json_open(&j, stdout);
        json_count(&j, "layer", layer);
        json_count(&j, "head", head);
        json_text(&j, "label", about.label);
        if (worst < 0)
            json_null(&j, "error");
        else
            json_real(&j, "error", worst);
        json_real(&j, "bound", about.bound);
        json_close(&j);
        return;
    }
    char name[48], error[32] = "-", bound[32] = "-";
    snprintf(name, sizeof name, "%zu.%zu", layer, head);
    if (worst >= 0) {
        temper_real_format(error, sizeof error, "%.3g", worst);
        if (!r->info.rescaled) temper_real_format(bound, sizeof bound, "%.3g", about.bound);
    }
    printf("%-8s %10s %10s  ", name, error, bound);
    show_write(stdout, about.label, strlen(about.label), 60);
    putchar('\n');
}

static void print_errors(const runner *r) {
    if (!r->session->json)
        printf("\nlargest error before rounding over %zu string%s, beside its bound in exact arithmetic; - where "
               "nothing is rounded\n%-8s %10s %10s  computes\n",
               r->strings, r->strings == 1 ? "" : "s", "head", "error", "bound");
    size_t at = 0;
    for (size_t layer = 1; layer <= r->info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(r->model, layer).heads; head++, at++)
            print_error(r, layer, head, r->errors[at]);
}

/* Whether the model has answers at every position. */
static bool has_positions(runner *r) {
    session *s = r->session;
    if (!is_given(s, OPT_PER_POSITION)) return true;
    if (r->info.whole) {
        temper_error err = {.remedy = TEMPER_REMEDY_PREFIXES};
        message_print(s, EXIT_LIMIT, NULL,
                      "the model reads its language from the right: it answers for whole strings only",
                      error_hint(&err));
        return false;
    }
    return true;
}

static void run_all(session *s, const subject *x, lines *in) {
    runner r = {.session = s, .model = x->model};
    r.info = temper_model_about(x->model);
    if (!has_positions(&r)) return;
    if (is_given(s, OPT_ERRORS)) {
        r.errors = malloc((r.info.heads + 1) * sizeof *r.errors);
        for (size_t k = 0; r.errors && k < r.info.heads; k++) r.errors[k] = -1;
        if (!r.errors) {
            message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
            return;
        }
    }
    run_lines(&r, in);
    if (r.errors && !s->quiet) print_errors(&r);
    free(r.errors);
}

/* Standard input is the only string there is. */
static bool streams_alone(session *s, const subject *x) {
    size_t strings = s->opt.count - x->first;
    const argument *a = s->opt.arguments + x->first;
    if (strings > 1 || (strings == 1 && (a->literal || strcmp(a->text, "-") != 0)))
        message_usage(s, "letters come from standard input", "--stream takes no strings");
    else if (is_given(s, OPT_PER_POSITION))
        message_usage(s, "--stream prints an answer after every letter",
                      "--stream and --per-position exclude each other");
    else
        return true;
    return false;
}

static void run_stream(session *s, const subject *x) {
    runner r = {.session = s, .model = x->model, .strings = 1};
    temper_stream *stream;
    temper_error err;
    temper_run_options o = run_settings(s);
    if (temper_stream_open(&stream, x->model, &o, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    stream_input(s, x->model, &o, stream);
    r.info = temper_model_about(x->model);
    if (is_given(s, OPT_ERRORS) && !s->quiet && (r.errors = malloc((r.info.heads + 1) * sizeof *r.errors))) {
        size_t at = 0;
        for (size_t layer = 1; layer <= r.info.layers; layer++)
            for (size_t head = 1; head <= temper_model_layer(r.model, layer).heads; head++, at++)
                r.errors[at] = temper_stream_error(stream, layer, head);
        print_errors(&r);
    }
    free(r.errors);
    temper_stream_free(stream);
}

void cmd_run(session *s) {
    subject x;
    if (is_given(s, OPT_STREAM)) {
        if (subject_model(&x, s) && streams_alone(s, &x)) run_stream(s, &x);
        subject_free(&x);
        return;
    }
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

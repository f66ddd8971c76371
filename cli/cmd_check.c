/* temper check: formula, hard transformer and soft transformer compared on all short and many random strings; two
   specifications compared on all strings. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job_runner.h"
#include "outputs_show.h"
#include "proof_show.h"
#include "report.h"
#include "subject.h"

enum { DEFAULT_RANDOM = 1000, DEFAULT_LENGTH = 200 };

/* What was asked for, or what is affordable for the classes of letters and proved for the model. */
static void plan(temper_check_options *o, const session *s, const temper_model *model, const temper_proof *proof,
                 size_t classes) {
    o->seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1;
    o->random = is_given(s, OPT_RANDOM) ? s->opt.value[OPT_RANDOM].number : DEFAULT_RANDOM;
    temper_model_info info = temper_model_about(model);
    /* a model that was not made for a length is compared as it is */
    bool promised =
        proof->claim == TEMPER_CLAIM_FORMULA || proof->claim == TEMPER_CLAIM_VIABLE || info.output_margin > 0;
    size_t most = promised ? proof->length : SIZE_MAX;
    o->length = DEFAULT_LENGTH < most ? DEFAULT_LENGTH : most;
    if (is_given(s, OPT_LENGTH)) o->length = s->opt.value[OPT_LENGTH].number;
    size_t affordable = exhaustive_default(classes);
    o->exhaustive = affordable < most ? affordable : most;
    if (is_given(s, OPT_EXHAUSTIVE)) o->exhaustive = s->opt.value[OPT_EXHAUSTIVE].number;
}

static const char *verdict(int value, size_t position) {
    return position ? (value ? "true" : "false") : (value ? "accept" : "reject");
}

static void say_agreed(report *out, const temper_check_result *r, const temper_check_options *o,
                       temper_method method) {
    report_say(out, "agreed\t{strings} strings\t{method}: all up to length {exhaustive}");
    if (r->stand_for > 2 * (double)r->strings)
        report_say(out, " over {classes} classes of letters, which stand for {stand_for:.3g}");
    if (o->random) report_say(out, ", {random} random up to length {length}");
    if (method != TEMPER_METHOD_HARD && r->margin > 0)
        report_say(out, "; largest error before rounding {margin:.3g}");
}

/* The counterexample, by its letters, and what the two sides say of it. */
static void add_difference(report *out, const temper_check_result *r, const char *string, const char *output) {
    bool at_place = r->position || output;
    report_text(out, "counterexample", string);
    report_count(out, "position", r->position);
    if (output) report_text(out, "output", output);
    report_text(out, "left", r->left);
    report_count(out, "left_value", (uint64_t)r->left_value);
    report_text(out, "right", r->right);
    report_count(out, "right_value", (uint64_t)r->right_value);
    report_word(out, "left says", verdict(r->left_value, at_place));
    report_word(out, "right says", verdict(r->right_value, at_place));
    report_spoken_count(out, "letters", r->counterexample_length);
    report_say(out, "counterexample\t{counterexample}\t{method}: ");
    if (!*string) report_say(out, "on the empty string ");
    if (r->position) report_say(out, "at position {position} ");
    if (output && *string && !r->position) report_say(out, "before the first letter ");
    if (output) report_say(out, "of output '{output}' ");
    report_say(out,
               "the {left} says {left says}, the {right} {right says} (length {letters}, after {strings} strings)");
}

static void print_result(const session *s, const temper_check_result *r, const temper_check_options *o,
                         temper_method method, const temper_proof *proof, const char *string, const char *output) {
    report out = {0};
    report_text(&out, "method", temper_method_name(method));
    report_flag(&out, "agreed", r->agreed);
    report_count(&out, "strings", r->strings);
    report_count(&out, "exhaustive", o->exhaustive);
    report_count(&out, "classes", r->classes);
    report_real(&out, "stand_for", r->stand_for);
    report_count(&out, "random", o->random);
    report_count(&out, "length", o->length);
    report_count(&out, "seed", o->seed);
    report_real(&out, "margin", r->margin);
    report_proof(&out, "proved_length", proof, TEMPER_TYPE_F64);
    if (r->agreed) say_agreed(&out, r, o, method);
    if (r->counterexample) add_difference(&out, r, string, output);
    report_print(&out, s);
}

/* The comparison as a job, done by this process or by many. *mine: this process has the result. */
static temper_status do_check(temper_check_result *r, bool *mine, session *s, const temper_spec *spec,
                              const temper_model *model, const temper_check_options *o, progress *bar,
                              temper_error *err) {
    temper_job *job;
    temper_journal *journal = NULL;
    temper_status status = temper_check_job(&job, spec, model, o, err);
    if (!status) status = run_job(&journal, s, job, bar, err);
    *mine = !status && journal;
    if (*mine) status = temper_check_merge(r, job, journal, err);
    if (journal) {
        temper_status closed = temper_journal_close(journal, status ? NULL : err);
        if (!status) status = closed;
    }
    temper_job_free(job);
    return status;
}

/* One comparison; false after an error. After the last one comes what is known of the outputs. */
static bool compare(session *s, const temper_spec *spec, const temper_model *model, bool last) {
    temper_check_options o = {0};
    temper_check_result r = {0};
    temper_model_info info;
    temper_proof proof;
    temper_error err;
    progress bar;
    bool mine;
    size_t classes;
    info = temper_model_about(model);
    if (!proof_find(&proof, s, model, TEMPER_TYPE_F64)) return false;
    if (temper_check_classes(&classes, spec, model, &err)) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    plan(&o, s, model, &proof, classes);
    if (info.rescaled)
        message_warning(s, "the softmax scales are those of --scale: nothing is proved of this model");
    else if (proof.claim == TEMPER_CLAIM_NONE)
        message_warning(s, "no length is proved of this model (%s); it is checked as it is", proof.obstacle);
    progress_start(&bar, temper_method_name(info.method), !s->quiet && isatty(STDERR_FILENO));
    temper_status status = do_check(&r, &mine, s, spec, model, &o, &bar, &err);
    progress_clear(&bar);
    if (status != TEMPER_OK) {
        temper_check_clear(&r);
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    if (!mine) return true;
    if (!r.agreed) session_fail(s, EXIT_NO);
    char *string = r.counterexample ? letters_text(model, r.counterexample, r.counterexample_length) : NULL;
    const char *output = info.kind == TEMPER_KIND_ACCEPTOR ? NULL : temper_model_output_name(model, r.output);
    if (!s->quiet) print_result(s, &r, &o, info.method, &proof, string ? string : "", output);
    free(string);
    temper_check_clear(&r);
    if (last) one_output_line(s, spec);
    return output_is_fine(s);
}

/* A formula alone: compared with the hard model, with the soft one of a method, or with those of two. */
static void check_formula(session *s, subject *x) {
    bool one = is_given(s, OPT_HARD) || is_given(s, OPT_METHOD);
    temper_method method = is_given(s, OPT_HARD) ? TEMPER_METHOD_HARD : subject_method(s);
    if (subject_build(x, s, method, !one) && compare(s, x->spec, x->model, one) && !one &&
        subject_soften(x, s, TEMPER_METHOD_POSITIONS))
        compare(s, x->spec, x->model, true);
}

/* ---- --against ---- */

/* Where an error of the comparison is: in the first specification, if that fails alone, too. */
static void tell_error(session *s, const subject *x, const subject *y, const temper_error *err) {
    temper_difference d;
    temper_error alone;
    const subject *at = temper_spec_compare(&d, x->spec, x->spec, &alone) ? x : y;
    temper_difference_clear(&d);
    message_error(s, err, at->name, at->source, at->length);
}

static void print_same(const session *s, const temper_difference *d) {
    report r = {0};
    report_flag(&r, "same", d->same);
    report_count(&r, "states", d->left_states);
    report_count(&r, "against_states", d->right_states);
    if (d->same) {
        report_say(&r, "same\tstrings of every length\tthe minimal automaton has {states} state");
        if (d->left_states != 1) report_say(&r, "s");
    } else {
        report_text(&r, "counterexample", d->string);
        report_count(&r, "length", d->length);
        report_flag(&r, "accept", d->left);
        report_flag(&r, "against_accept", d->right);
        report_word(&r, "left says", verdict(d->left, 0));
        report_word(&r, "right says", verdict(d->right, 0));
        report_say(&r, "counterexample\t{counterexample}\tthe specification says {left says}, the one of --against "
                       "{right says} (length {length}, none is shorter)");
    }
    report_print(&r, s);
}

/* Decides whether two specifications are the same, without any transformer. */
static void decide(session *s) {
    static const option_id strings[] = {OPT_EXHAUSTIVE, OPT_RANDOM, OPT_LENGTH,  OPT_HARD,
                                        OPT_METHOD,     OPT_SCALE,  OPT_JOURNAL, OPT_THREADS};
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        if (is_given(s, strings[k])) {
            message_usage(s, "it looks at automata, not at strings and transformers",
                          "--%s cannot be given with --against", option_table[strings[k]].name);
            return;
        }
    if (s->runner) {
        message_usage(s, "temper does it", "temper-mpi does not do check --against");
        return;
    }
    subject x = {0}, y = {0};
    temper_difference d;
    temper_error err;
    if (subject_formula(&x, s) && subject_against(&y, s)) {
        if (temper_spec_compare(&d, x.spec, y.spec, &err)) {
            tell_error(s, &x, &y, &err);
        } else {
            if (!d.same) session_fail(s, EXIT_NO);
            if (!s->quiet) print_same(s, &d);
        }
        temper_difference_clear(&d);
    }
    subject_free(&x);
    subject_free(&y);
}

void cmd_check(session *s) {
    subject x = {0};
    if (s->opt.count > 1) {
        message_usage(s, "check makes its own strings: --exhaustive, --random, --length",
                      "check takes one MODEL and no strings");
        return;
    }
    if (is_given(s, OPT_AGAINST)) {
        decide(s);
        return;
    }
    if (is_given(s, OPT_HARD) && (is_given(s, OPT_METHOD) || is_given(s, OPT_SCALE))) {
        message_usage(s, NULL, "--hard and --%s exclude each other", is_given(s, OPT_METHOD) ? "method" : "scale");
        return;
    }
    if (is_given(s, OPT_HARD) && s->opt.count) {
        message_usage(s, NULL, "--hard cannot be given with a MODEL: its hard choices are always compared");
        return;
    }
    if (is_given(s, OPT_JOURNAL) && !s->opt.count && !is_given(s, OPT_HARD) && !is_given(s, OPT_METHOD)) {
        message_usage(s, "give --method, --hard or a MODEL",
                      "a journal is of one comparison, and a formula is checked by two methods");
        return;
    }
    if (subject_pair(&x, s)) {
        if (x.model)
            compare(s, x.spec, x.model, true);
        else
            check_formula(s, &x);
    }
    subject_free(&x);
}

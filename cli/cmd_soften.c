/* temper soften: any hard-attention transformer to a soft one. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choices_job.h"
#include "cost_show.h"
#include "limit_show.h"
#include "model_output.h"
#include "proof_show.h"
#include "progress.h"
#include "real.h"
#include "report.h"
#include "subject.h"

/* ---- --gap ---- */

/* A plain decimal number: digits, one point, an exponent. */
static bool read_decimal(double *out, const char *text, size_t length) {
    char copy[64];
    if (!length || length >= sizeof copy || strspn(text, "0123456789.eE+-") < length) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (!strchr("0123456789.", copy[0])) return false;
    return temper_real_read(out, copy) && isfinite(*out);
}

/* 0.03125, 1/32 or 2^-5; false unless it is a positive number that a double holds with full precision. */
static bool read_gap_value(double *out, const char *text) {
    size_t slash = strcspn(text, "/");
    if (strncmp(text, "2^", 2) == 0) {
        const char *digits = text + 2 + (text[2] == '-');
        if (!*digits || strlen(digits) > 4 || digits[strspn(digits, "0123456789")]) return false;
        *out = ldexp(1, text[2] == '-' ? -atoi(digits) : atoi(digits));
    } else if (text[slash]) {
        const char *below = text + slash + 1;
        double a, b;
        if (!read_decimal(&a, text, slash) || !read_decimal(&b, below, strlen(below)) || b == 0) return false;
        *out = a / b;
    } else if (!read_decimal(out, text, strlen(text))) {
        return false;
    }
    return *out > 0 && isnormal(*out);
}

static bool read_gap(temper_soften_options *o, session *s) {
    const char *text = s->opt.value[OPT_GAP].text;
    o->gap = TEMPER_GAP_PROVED;
    if (!text || strcmp(text, "proved") == 0) return true;
    o->gap = TEMPER_GAP_EXHAUSTIVE;
    if (strcmp(text, "exhaustive") == 0) return true;
    o->gap = TEMPER_GAP_GIVEN;
    if (read_gap_value(&o->gap_value, text)) return true;
    message_usage(s, "such as --gap exhaustive, --gap 0.25, --gap 1/12 or --gap 2^-10",
                  "--gap: '%.40s' is not proved, exhaustive or a positive number", text);
    return false;
}

static const char *gap_name(temper_gap_source gap) {
    return gap == TEMPER_GAP_PROVED ? "proved" : gap == TEMPER_GAP_EXHAUSTIVE ? "exhaustive" : "given";
}

/* ---- what came out ---- */

typedef struct result {
    const char *path, *gap_text; /* of -o and --gap */
    size_t bytes;
    temper_model *model;
    bool own_scales; /* those of the formula, by temper_soften */
    const temper_soften_options *options;
    temper_soften_report report;
    temper_proof proof; /* in f64 */
} result;

static void add_gap(report *out, const result *r) {
    const temper_soften_report *p = &r->report;
    if (r->own_scales) {
        report_text(out, "gap", "formula");
        report_say(out, ", by the scales of the formula");
        return;
    }
    report_text(out, "gap", gap_name(r->options->gap));
    if (r->options->gap == TEMPER_GAP_GIVEN) {
        report_real(out, "gap_value", r->options->gap_value);
        report_word(out, "given", r->gap_text);
        report_say(out, "; the gap {given} was given");
    } else {
        report_real(out, "error", p->error);
        report_real(out, "margin", p->margin);
        report_flag(out, "every_position", p->every_position);
        report_say(out, ": error <= {below} < margin {above}");
    }
    if (!p->layer) return;
    report_real(out, "log2_scale", p->log2_scale);
    report_count(out, "scale_layer", p->layer);
    report_count(out, "scale_head", p->head);
    report_say(out, "; largest scale 2^{scale} (head {scale_layer}.{scale_head})");
}

static void print_result(const session *s, const result *r) {
    const temper_soften_report *p = &r->report;
    char error[32], margin[32];
    real scale = real_of("%.2f", ceil(p->log2_scale * 100 - 1e-6) / 100 + 0.0);
    report out = {0};
    report_text(&out, "file", r->path);
    report_count(&out, "bytes", r->bytes);
    report_text(&out, "method", temper_method_name(temper_model_about(r->model).method));
    report_flag(&out, "adaptive", r->options->adaptive);
    report_proof(&out, "proved_length", &r->proof, TEMPER_TYPE_F64);
    report_word(&out, "below", bound_show(error, p->error, true));
    report_word(&out, "above", bound_show(margin, p->margin, false));
    report_word(&out, "scale", scale.text);
    report_say(&out, r->options->adaptive ? "{file:path}: {method} (adaptive), {proved_length}"
                                          : "{file:path}: {method}, {proved_length}");
    add_gap(&out, r);
    report_print(&out, s);
}

static void deliver(session *s, result *r) {
    bool given = !r->own_scales && r->options->gap == TEMPER_GAP_GIVEN;
    bool to_file = r->path && strcmp(r->path, "-") != 0;
    if (given && (!to_file || s->quiet))
        message_warning(s, "the gap %s was given, so softening proves nothing of the soft model", r->gap_text);
    if (!to_file) {
        model_output_print(s, r->model, "soft", false);
    } else if (model_output_write(&r->bytes, s, r->model, r->path) && !s->quiet &&
               proof_find(&r->proof, s, r->model, TEMPER_TYPE_F64)) {
        print_result(s, r);
    }
}

/* ---- the command ---- */

/* Every head has a role that was proved: the formula it was compiled from knows its scales, for all lengths. */
static bool knows_scales(const temper_model *model) {
    temper_model_info info;
    temper_proof exact; /* with rationals: what the hard choices are, whatever any number format makes of them */
    info = temper_model_about(model);
    if (info.method != TEMPER_METHOD_HARD ||
        !is_done(temper_model_proof(&exact, model, TEMPER_TYPE_EXACT, 1, NULL)) ||
        (exact.claim != TEMPER_CLAIM_FORMULA && exact.claim != TEMPER_CLAIM_VIABLE))
        return false;
    for (size_t layer = 1; layer <= info.layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++) {
            temper_head_info about;
            if (!is_done(temper_model_head(&about, model, layer, head, NULL)) || !*about.role) return false;
        }
    return true;
}

static bool is_consistent(session *s, const temper_soften_options *o) {
    if (o->adaptive && o->method != TEMPER_METHOD_TEMPERATURE)
        message_usage(s, NULL, "--adaptive and --method %s exclude each other: only a scale can be adaptive",
                      temper_method_name(o->method));
    else if (o->method == TEMPER_METHOD_DIGITS && is_given(s, OPT_LENGTH))
        message_usage(s, "without --length, formulas and models compiled for a format can be softened by digits",
                      "--method digits is for heads that the compiler made, and has no length to prove");
    else if (is_given(s, OPT_LENGTH) && !s->opt.value[OPT_LENGTH].number)
        message_usage(s, NULL, "--length 0 leaves only the empty string: soften needs a length of at least 1");
    else if (is_given(s, OPT_JOURNAL) && !is_given(s, OPT_LENGTH))
        message_usage(s, NULL, "--journal keeps what is found of every length up to --length N, which is not given");
    else if (s->opt.count > (has_formula(s) ? 0 : 1))
        message_usage(s, "temper gap MODEL STRING... measures on strings", "soften takes one MODEL and no strings");
    else
        return true;
    return false;
}

static bool journal_is_of_use(session *s, const temper_soften_options *o) {
    if (!is_given(s, OPT_JOURNAL) || o->gap != TEMPER_GAP_EXHAUSTIVE) return true;
    message_usage(s, NULL, "--journal keeps what is proved of lengths, and --gap exhaustive runs strings");
    return false;
}

static void soften(session *s, const temper_model *hard, const temper_soften_options *o) {
    result r = {.path = s->opt.value[OPT_OUTPUT].text, .gap_text = s->opt.value[OPT_GAP].text, .options = o};
    temper_error err;
    temper_status status;
    if (!is_given(s, OPT_LENGTH)) {
        r.own_scales = !is_given(s, OPT_GAP) && !o->adaptive && knows_scales(hard);
        if (!r.own_scales) {
            message_usage(s, "give the longest string it must be right on, such as --length 32",
                          "soften needs --length N");
            return;
        }
        temper_soften_options own = {.method = o->method};
        if (!subject_digits(&own.digits, s)) return;
        status = temper_soften(&r.model, NULL, hard, &own, &err);
    } else {
        progress bar;
        temper_soften_options full = *o;
        if (o->gap != TEMPER_GAP_EXHAUSTIVE) cost_show(s, "soften", hard, (size_t)s->opt.value[OPT_LENGTH].number, 1);
        progress_start(&bar, "soften", !s->quiet && isatty(STDERR_FILENO));
        if (o->gap != TEMPER_GAP_EXHAUSTIVE) bar.unit = "lengths";
        full.length = (size_t)s->opt.value[OPT_LENGTH].number;
        full.progress = progress_step;
        full.context = &bar;
        full.threads = (unsigned)s->opt.value[OPT_THREADS].number;
        choices_job facts;
        if (!choices_job_run(&facts, s, hard, full.length, &bar)) return;
        full.facts = facts.journal;
        status = temper_soften(&r.model, &r.report, hard, &full, &err);
        progress_clear(&bar);
        if (!choices_job_end(&facts, s)) {
            temper_model_free(r.model);
            return;
        }
    }
    if (status == TEMPER_OK) {
        deliver(s, &r);
    } else {
        message_error(s, &err, NULL, NULL, 0);
        if (status == TEMPER_LIMIT && is_given(s, OPT_WHY) && is_given(s, OPT_LENGTH)) {
            temper_soften_options why = *o;
            why.length = (size_t)s->opt.value[OPT_LENGTH].number;
            limit_show(s, hard, &why);
        }
    }
    temper_model_free(r.model);
}

void cmd_soften(session *s) {
    subject x = {0};
    temper_soften_options o = {.method = subject_method(s), .adaptive = is_given(s, OPT_ADAPTIVE)};
    if (is_consistent(s, &o) && read_gap(&o, s) && journal_is_of_use(s, &o) && subject_hard(&x, s))
        soften(s, x.model, &o);
    subject_free(&x);
}

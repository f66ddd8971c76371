/* temper certify: a proof for every string up to a length, in a number format. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choices_job.h"
#include "cost_show.h"
#include "escape.h"
#include "json.h"
#include "picture_file.h"
#include "model_output.h"
#include "progress.h"
#include "proof_show.h"
#include "ordinary_settings.h"
#include "subject.h"

/* The model and the bytes that the claim is about; without a file the text form. */
typedef struct work {
    subject x;
    char *bytes;
    size_t size;
    temper_certify_options options;
    temper_certificate *certificate;
    char *json; /* of a proof */
    size_t json_length;
    char *string; /* with a wrong answer */
} work;

/* The bytes are read once, and the model from them: what is certified is what was hashed. */
static bool read_bytes(work *w, session *s) {
    temper_error err;
    if (!s->opt.count) return true;
    const char *path = s->opt.arguments[0].text;
    temper_model_free(w->x.model);
    w->x.model = NULL;
    if (temper_file_read(&w->bytes, &w->size, path, &err) == TEMPER_OK &&
        temper_model_read(&w->x.model, w->bytes, w->size, &err) == TEMPER_OK)
        return true;
    message_error(s, &err, path, NULL, 0);
    return false;
}

static bool is_consistent(session *s) {
    if (s->opt.count > (has_formula(s) ? 0 : 1))
        message_usage(s, "-o CERTIFICATE writes the proof to a file", "certify takes one MODEL and no strings");
    else if (s->opt.value[OPT_TYPE].number == TEMPER_TYPE_EXACT + 1)
        message_usage(s, "such as --type f32 or --type bf16/f32",
                      "--type exact has no rounding: a certificate is for a floating-point type");
    else
        return true;
    return false;
}

static const char *verdict_name(temper_verdict v) {
    return v == TEMPER_PROVED ? "proved" : v == TEMPER_REFUTED ? "refuted" : "unable";
}

static bool has_outputs(const work *w) { return temper_model_about(w->x.model).kind != TEMPER_KIND_ACCEPTOR; }

/* ---- output ---- */

static void print_json(const work *w, const char *path) {
    const temper_certificate *k = w->certificate;
    temper_certificate_info about = temper_certificate_about(k);
    temper_verdict v = about.verdict;
    temper_fault f = about.fault;
    json j;
    json_open(&j, stdout);
    json_text(&j, "verdict", verdict_name(v));
    json_count(&j, "length", w->options.length);
    json_text(&j, "type", temper_type_name(w->options.type));
    if (v == TEMPER_PROVED) {
        json_text(&j, "claim", temper_claim_name(about.claim));
        json_flag(&j, "every_position", about.every_position);
        if (*about.note) json_text(&j, "note", about.note);
        if (*about.read_off) json_text(&j, "read_off", about.read_off);
        json_text(&j, "error", about.error);
        json_text(&j, "allowed", about.allowed);
        if (*about.logits) {
            json_text(&j, "logits", about.logits);
            json_text(&j, "log_probabilities", *about.log_probabilities ? about.log_probabilities : "not proved");
            if (*about.logits_note) json_text(&j, "logits_note", about.logits_note);
        }
        json_begin(&j, "heads", '[');
        for (size_t h = 0; h < about.heads; h++) {
            temper_certified_head x;
            if (!is_done(temper_certificate_head(&x, k, h, NULL))) continue;
            json_begin(&j, NULL, '{');
            json_count(&j, "layer", x.layer);
            json_count(&j, "head", x.head);
            json_text(&j, "label", x.label);
            json_text(&j, "kind", x.kind);
            json_text(&j, "by", x.by);
            json_text(&j, "logit", x.logit);
            json_text(&j, "rounding", x.rounding);
            json_text(&j, "error", x.error);
            json_end(&j, '}');
        }
        json_end(&j, ']');
        if (path) json_text(&j, "file", path);
    } else {
        json_text(&j, "reason", about.reason);
        json_count(&j, "layer", f.layer);
        json_count(&j, "head", f.head);
        if (v == TEMPER_REFUTED) {
            json_text(&j, "string", w->string);
            json_count(&j, "string_length", f.n);
            json_count(&j, "position", f.position);
            if (has_outputs(w)) json_text(&j, "output", temper_model_output_name(w->x.model, f.output));
        }
    }
    json_close(&j);
}

static void print_heads(const temper_certificate *k) {
    size_t count = temper_certificate_about(k).heads;
    for (size_t h = 0; h < count; h++) {
        temper_certified_head x;
        if (!is_done(temper_certificate_head(&x, k, h, NULL))) continue;
        printf("head %zu.%zu\t%s\t%s\terror <= %s\tlogits <= %s\t", x.layer, x.head, x.kind, x.by, x.error, x.logit);
        show_write(stdout, x.label, strlen(x.label), 0);
        putchar('\n');
    }
}

/* Why it is not its source that was proved, and the formula that was read off the weights: a line for each of its
   lines. */
static void print_read_off(const temper_certificate *k) {
    temper_certificate_info about = temper_certificate_about(k);
    if (*about.note) printf("note\t%s\n", about.note);
    for (const char *at = about.read_off; *at;) {
        size_t length = strcspn(at, "\n");
        fputs("read off\t", stdout);
        show_write(stdout, at, length, 0);
        putchar('\n');
        at += length + (at[length] != 0);
    }
}

static void print_logits(const temper_certificate_info *about) {
    if (*about->log_probabilities)
        printf(
            "logits\twithin %s of the logarithms of its source's probabilities; what never comes has probability 0\n",
            about->log_probabilities);
    else if (*about->logits)
        printf("logits\tnot part of the claim (%s); within %s of what their rows say\n", about->logits_note,
               about->logits);
}

static void print_lines(const work *w) {
    const temper_certificate *k = w->certificate;
    temper_certificate_info about = temper_certificate_about(k);
    temper_fault f = about.fault;
    switch (about.verdict) {
    case TEMPER_PROVED:
        printf("proved\t%s: every string up to length %zu in %s%s\tlargest error %s of %s allowed\n",
               about.claim == TEMPER_CLAIM_CHOICES ? "the model's own hard choices" : temper_claim_name(about.claim),
               w->options.length, temper_type_name(w->options.type), about.every_position ? "" : ", the verdict only",
               about.error, about.allowed);
        print_logits(&about);
        print_read_off(k);
        print_heads(k);
        break;
    case TEMPER_REFUTED:
        fputs("refuted\t", stdout);
        escape_write(stdout, w->string, strlen(w->string), 60);
        printf("\tin %s ", temper_type_name(w->options.type));
        if (has_outputs(w)) {
            const char *name = temper_model_output_name(w->x.model, f.output);
            fputs("output '", stdout);
            escape_write(stdout, name, strlen(name), 40);
            printf("' at position %zu is wrong (length %zu); %s\n", f.position, f.n, about.reason);
        } else {
            printf("the answer at position %zu is wrong (length %zu); %s\n", f.position, f.n, about.reason);
        }
        break;
    case TEMPER_UNABLE:
        printf("unable\tlength %zu in %s: %s\n", w->options.length, temper_type_name(w->options.type), about.reason);
    }
}

static void deliver(work *w, session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    temper_verdict v = temper_certificate_about(w->certificate).verdict;
    bool to_screen = path && strcmp(path, "-") == 0;
    if (v == TEMPER_PROVED && path && !to_screen && !file_write(s, path, w->json, w->json_length)) return;
    if (v != TEMPER_PROVED) session_fail(s, v == TEMPER_REFUTED ? EXIT_NO : EXIT_LIMIT);
    if (v == TEMPER_PROVED && to_screen)
        fwrite(w->json, 1, w->json_length, stdout);
    else if (!s->quiet && s->json)
        print_json(w, path);
    else if (!s->quiet)
        print_lines(w);
}

/* ---- the command ---- */

/* Without --length: the longest there is, and at 0 what stands in the way. */
static bool find_length(work *w, session *s) {
    if (is_given(s, OPT_LENGTH)) {
        w->options.length = (size_t)s->opt.value[OPT_LENGTH].number;
        return true;
    }
    temper_proof p;
    if (!proof_find(&p, s, w->x.model, w->options.type)) return false;
    w->options.length = p.length;
    return true;
}

/* Heads without a role make a proof of hard choices, length by length. */
static bool has_roles(const temper_model *model) {
    temper_head_info about;
    for (size_t layer = 1; layer <= temper_model_about(model).layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++)
            if (is_done(temper_model_head(&about, model, layer, head, NULL)) && !*about.role) return false;
    return true;
}

static void certify(work *w, session *s) {
    temper_error err;
    progress bar;
    bool roles = has_roles(w->x.model);
    if (roles && is_given(s, OPT_JOURNAL)) {
        message_usage(s, "without --journal it takes no longer",
                      "--journal keeps what is found of hard choices, and the heads of this model have roles");
        return;
    }
    if (!roles) cost_show(s, "certify", w->x.model, w->options.length, 1);
    progress_start(&bar, "certify", !s->quiet && isatty(STDERR_FILENO));
    w->options.search = 1;
    w->options.progress = progress_step;
    w->options.context = &bar;
    w->options.threads = (unsigned)s->opt.value[OPT_THREADS].number;
    bar.unit = "steps";
    choices_job facts;
    if (!choices_job_run(&facts, s, w->x.model, w->options.length, &bar)) return;
    w->options.facts = facts.journal;
    temper_status status = temper_certify(&w->certificate, w->x.model, w->bytes, w->size, &w->options, &err);
    progress_clear(&bar);
    if (!choices_job_end(&facts, s)) return;
    if (status == TEMPER_OK && temper_certificate_about(w->certificate).verdict == TEMPER_PROVED)
        status = temper_certificate_print(&w->json, &w->json_length, w->certificate, &err);
    if (status != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    temper_fault f = temper_certificate_about(w->certificate).fault;
    if (f.letters) w->string = letters_text(w->x.model, f.letters, f.n);
    if (f.letters && !w->string) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return;
    }
    deliver(w, s);
}

void cmd_certify(session *s) {
    work w = {0};
    if (is_given(s, OPT_AS)) {
        if (is_given(s, OPT_JOURNAL))
            message_usage(s, NULL, "--journal keeps what is found of hard choices, and --as asks for none");
        else
            ordinary_certify(s);
        return;
    }
    if (!ordinary_settings_check(s)) return;
    if (is_given(s, OPT_TYPE)) w.options.type = (temper_type)(s->opt.value[OPT_TYPE].number - 1);
    if (is_consistent(s) && subject_model(&w.x, s) && read_bytes(&w, s) && find_length(&w, s)) certify(&w, s);
    temper_certificate_free(w.certificate);
    temper_free(w.json);
    temper_free(w.bytes);
    free(w.string);
    subject_free(&w.x);
}

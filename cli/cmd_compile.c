/* temper compile: a formula to a model file, or to a dump of the stages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_output.h"
#include "outputs_show.h"
#include "proof_show.h"
#include "report.h"
#include "subject.h"

enum { DUMP_FORMULA = 1, DUMP_HARD = 2, DUMP_SOFT = 4 };

/* formula,hard,soft in any order */
static bool read_dump(int *out, session *s) {
    static const char *const names[] = {"formula", "hard", "soft"};
    const char *p = s->opt.value[OPT_DUMP].text;
    *out = 0;
    if (!p) return true;
    for (;;) {
        size_t length = strcspn(p, ","), k = 0;
        while (k < 3 && !(strlen(names[k]) == length && memcmp(names[k], p, length) == 0)) k++;
        if (k == 3) {
            message_usage(s, "a list such as --dump formula,soft", "--dump: '%.*s' is not one of formula, hard, soft",
                          (int)(length < 40 ? length : 40), p);
            return false;
        }
        *out |= 1 << k;
        if (!p[length]) return true;
        p += length + 1;
    }
}

static bool print_dumps(session *s, const subject *x, int dump) {
    bool titled = (dump & (dump - 1)) != 0; /* a single dump is printed bare, so that it can be read back */
    if (dump & DUMP_FORMULA) {
        char *text;
        temper_error err;
        if (temper_spec_print(&text, x->spec, &err) != TEMPER_OK) {
            message_error(s, &err, NULL, NULL, 0);
            return false;
        }
        stage_print(s, "formula", text, strlen(text), titled);
        temper_free(text);
    }
    if ((dump & DUMP_HARD) && !model_output_print(s, x->hard, "hard", titled)) return false;
    return !(dump & DUMP_SOFT) || model_output_print(s, x->model, "soft", titled);
}

static void print_summary(session *s, const temper_model *model, const char *path, size_t bytes) {
    temper_proof proof;
    report r = {0};
    if (!proof_find(&proof, s, model, TEMPER_TYPE_F64)) return;
    temper_model_info info = temper_model_about(model);
    report_text(&r, "file", path);
    report_count(&r, "bytes", bytes);
    report_text(&r, "method", temper_method_name(info.method));
    if (info.method == TEMPER_METHOD_DIGITS) report_text(&r, "digits", temper_type_name(info.digits));
    report_count(&r, "layers", info.layers);
    report_count(&r, "heads", info.heads);
    report_count(&r, "channels", info.channels);
    report_count(&r, "hidden", info.hidden);
    report_count(&r, "parameters", info.parameters);
    report_proof(&r, "proved_length", &proof, TEMPER_TYPE_F64);
    report_say(&r,
               info.layers == 1 ? "{file:path}: {method}, {layers} layer" : "{file:path}: {method}, {layers} layers");
    report_say(&r, info.heads == 1 ? ", {heads} head" : ", {heads} heads");
    report_say(&r, ", {channels} channels, {parameters} parameters; {proved_length}");
    report_print(&r, s);
}

static bool write_model(session *s, const temper_model *model, const char *path, bool summary) {
    size_t bytes;
    if (!model_output_write(&bytes, s, model, path)) return false;
    if (summary) print_summary(s, model, path, bytes);
    return true;
}

/* A model of the gallery is there already, and hard. */
static void compile_gallery(session *s) {
    static const option_id others[] = {OPT_FORMULA,  OPT_FILE,   OPT_REGEX,  OPT_DFA,        OPT_SYNTAX,
                                       OPT_ALPHABET, OPT_ASCII,  OPT_TOKENS, OPT_AT,         OPT_EMPTY,
                                       OPT_METHOD,   OPT_DIGITS, OPT_DUMP,   OPT_IGNORE_CASE};
    const char *path = s->opt.value[OPT_OUTPUT].text;
    temper_model *model;
    temper_error err;
    char hint[240];
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (is_given(s, others[k])) {
            message_usage(s, NULL, "--gallery and --%s exclude each other", option_table[others[k]].name);
            return;
        }
    if (s->opt.count) {
        message_usage(s, "the model file goes after -o", "compile takes no further arguments");
        return;
    }
    if (temper_gallery_model(&model, s->opt.value[OPT_GALLERY].text, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return;
    }
    bool to_file = path && strcmp(path, "-") != 0;
    bool ok = to_file ? write_model(s, model, path, !s->quiet) : model_output_print(s, model, "hard", false);
    if (ok && !s->quiet && !s->json) {
        snprintf(hint, sizeof hint, "temper soften %.150s -o soft.temper --length 20 makes a softmax model of it",
                 to_file ? path : "FILE");
        message_print(s, EXIT_FINE, NULL, "this model is hard: its heads choose the largest scores", hint);
    }
    temper_model_free(model);
}

void cmd_compile(session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    bool to_stdout = path && strcmp(path, "-") == 0;
    int dump;
    subject x = {0};
    if (is_given(s, OPT_GALLERY)) {
        compile_gallery(s);
        return;
    }
    if (!has_formula(s)) {
        message_usage(s, "temper compile -f 'O a' -o model.temper",
                      "compile needs a formula: -f FORMULA or -F FILE, or a model: --gallery NAME");
        return;
    }
    if (s->opt.count) {
        message_usage(s, "the formula goes after -f, the model file after -o", "compile takes no further arguments");
        return;
    }
    if (!read_dump(&dump, s)) return;
    if ((dump & DUMP_SOFT) && is_given(s, OPT_HARD)) {
        message_usage(s, NULL, "--dump soft and --hard exclude each other");
        return;
    }
    if (subject_model(&x, s) && (!path || to_stdout || write_model(s, x.model, path, !dump && !s->quiet))) {
        if (dump) print_dumps(s, &x, dump);
        if (to_stdout || (!path && !dump))
            model_output_print(s, x.model, is_given(s, OPT_HARD) ? "hard" : "soft", false);
        one_output_warn(s, x.spec);
    }
    subject_free(&x);
}

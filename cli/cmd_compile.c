/* temper compile: a formula to a model file, or to a dump of the stages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "json.h"
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

static void print_stage(session *s, const char *name, const char *text, size_t length, bool titled) {
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "stage", name);
        json_bytes(&j, "text", text, length);
        json_close(&j);
        return;
    }
    if (titled) printf("== %s ==\n", name);
    fwrite(text, 1, length, stdout);
    if (length && text[length - 1] != '\n') putchar('\n');
}

static bool print_model(session *s, const temper_model *model, const char *name, bool titled) {
    char *text;
    size_t length;
    temper_error err;
    if (temper_model_print(&text, &length, model, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    print_stage(s, name, text, length, titled);
    temper_free(text);
    return true;
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
        print_stage(s, "formula", text, strlen(text), titled);
        temper_free(text);
    }
    if ((dump & DUMP_HARD) && !print_model(s, x->hard, "hard", titled)) return false;
    return !(dump & DUMP_SOFT) || print_model(s, x->model, "soft", titled);
}

static void print_summary(const session *s, const temper_model *model, const char *path, size_t bytes) {
    temper_model_info info;
    temper_model_about(&info, model);
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "file", path);
        json_count(&j, "bytes", bytes);
        json_text(&j, "method", temper_method_name(info.method));
        json_count(&j, "layers", info.layers);
        json_count(&j, "heads", info.heads);
        json_count(&j, "channels", info.channels);
        json_count(&j, "hidden", info.hidden);
        json_count(&j, "parameters", info.parameters);
        if (info.safe_length == SIZE_MAX)
            json_null(&j, "safe_length");
        else
            json_count(&j, "safe_length", info.safe_length);
        json_close(&j);
        return;
    }
    show_write(stdout, path, strlen(path), 0);
    printf(": %s, %zu layer%s, %zu head%s, %zu channels, %zu parameters\n", temper_method_name(info.method),
           info.layers, info.layers == 1 ? "" : "s", info.heads, info.heads == 1 ? "" : "s", info.channels,
           info.parameters);
}

static bool write_model(session *s, const temper_model *model, const char *path, bool summary) {
    char *text;
    size_t length;
    temper_error err;
    if (temper_model_print(&text, &length, model, &err) != TEMPER_OK) {
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    temper_status status = temper_file_write(path, text, length, &err);
    temper_free(text);
    if (status != TEMPER_OK)
        message_error(s, &err, NULL, NULL, 0);
    else if (summary)
        print_summary(s, model, path, length);
    return status == TEMPER_OK;
}

void cmd_compile(session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    bool to_stdout = path && strcmp(path, "-") == 0;
    int dump;
    subject x = {0};
    if (!has_formula(s)) {
        message_usage(s, "temper compile -f 'O a' -o model.temper", "compile needs a formula: -f FORMULA or -F FILE");
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
        if (to_stdout || (!path && !dump)) print_model(s, x.model, is_given(s, OPT_HARD) ? "hard" : "soft", false);
    }
    subject_free(&x);
}

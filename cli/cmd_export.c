/* temper export: a folder for other runtimes, or only the ONNX graph, or with --as an ordinary GPT-2 or Llama. */
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "json.h"
#include "proof_show.h"
#include "ordinary_settings.h"
#include "subject.h"

static bool ends_in_onnx(const char *path) {
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".onnx") == 0;
}

/* patterns,channels,heads in any order */
static bool read_outputs(unsigned *out, session *s) {
    static const char *const names[] = {"patterns", "channels", "heads"};
    static const unsigned bits[] = {TEMPER_EXPORT_PATTERNS, TEMPER_EXPORT_CHANNELS, TEMPER_EXPORT_HEADS};
    const char *p = s->opt.value[OPT_OUTPUTS].text;
    *out = 0;
    if (!p) return true;
    for (;;) {
        size_t length = strcspn(p, ","), k = 0;
        while (k < 3 && !(strlen(names[k]) == length && memcmp(names[k], p, length) == 0)) k++;
        if (k == 3) {
            message_usage(s, "a list such as --outputs patterns,channels",
                          "--outputs: '%.*s' is not one of patterns, channels, heads",
                          (int)(length < 40 ? length : 40), p);
            return false;
        }
        *out |= bits[k];
        if (!p[length]) return true;
        p += length + 1;
    }
}

static bool read_options(temper_export_options *o, session *s) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    if (!path || strcmp(path, "-") == 0) {
        message_usage(s, "such as temper export m.temper -o out/", "export needs a folder: -o FOLDER");
        return false;
    }
    *o = (temper_export_options){.unchecked = is_given(s, OPT_UNCHECKED),
                                 .certificate = s->opt.value[OPT_CERTIFICATE].text,
                                 .seed = is_given(s, OPT_SEED) ? s->opt.value[OPT_SEED].number : 1};
    if (is_given(s, OPT_TYPE)) o->type = (temper_type)(s->opt.value[OPT_TYPE].number - 1);
    if (o->type != TEMPER_TYPE_F64 && o->type != TEMPER_TYPE_F32) {
        message_usage(s, "PyTorch converts the model to other types: model.to(torch.bfloat16)",
                      "--type: the ONNX graph is f64 or f32");
        return false;
    }
    if (ends_in_onnx(path) && o->certificate) {
        message_usage(s, "-o FOLDER writes one", "--certificate needs a folder, and '%.60s' is a file", path);
        return false;
    }
    return read_outputs(&o->outputs, s);
}

static void report(session *s, const temper_model *model, const temper_export_options *o, const char *path) {
    const char *type = o->type == TEMPER_TYPE_F32 ? "f32" : "f64";
    temper_model_info info = temper_model_about(model);
    temper_proof proof;
    if (!proof_find(&proof, s, model, o->type)) return;
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, ends_in_onnx(path) ? "file" : "folder", path);
        json_text(&j, "type", type);
        json_text(&j, "method", temper_method_name(info.method));
        json_count(&j, "layers", info.layers);
        json_count(&j, "heads", info.heads);
        json_count(&j, "channels", info.channels);
        proof_json(&j, "proved_length", &proof, o->type);
        json_close(&j);
        return;
    }
    show_write(stdout, path, strlen(path), 0);
    printf(": %s, %zu layer%s, %zu head%s, %zu channel%s, ONNX in %s; ", temper_method_name(info.method), info.layers,
           info.layers == 1 ? "" : "s", info.heads, info.heads == 1 ? "" : "s", info.channels,
           info.channels == 1 ? "" : "s", type);
    proof_print(&proof, o->type);
    putchar('\n');
}

/* ---- --as ---- */

static bool check_as(session *s) {
    if (!ordinary_settings_check(s)) return false;
    if (is_given(s, OPT_AS) && !is_given(s, OPT_LENGTH)) {
        message_usage(s, "such as --length 256", "--as needs the longest string: --length N");
        return false;
    }
    if (!is_given(s, OPT_AS) && is_given(s, OPT_LENGTH)) {
        message_usage(s, "such as temper export -F f.spec --as gpt2 --length 256 -o out/", "--length goes with --as");
        return false;
    }
    return true;
}

static void report_ordinary(session *s, const temper_ordinary_options *o, const temper_ordinary *made,
                            const char *path) {
    temper_ordinary_info about = temper_ordinary_about(made), *info = &about;
    const char *name = o->architecture == TEMPER_ORDINARY_GPT2 ? "gpt2" : "llama";
    if (s->json) {
        json j;
        json_open(&j, stdout);
        json_text(&j, "folder", path);
        json_text(&j, "as", name);
        json_count(&j, "length", o->length);
        json_text(&j, "weights", o->weights_f16 ? "f16" : "f32");
        json_text(&j, "kv", o->cache_f32 ? "f32" : "f16");
        json_count(&j, "layers", info->layers);
        json_count(&j, "heads", info->heads);
        json_count(&j, "width", info->width);
        json_count(&j, "hidden", info->hidden);
        json_count(&j, "vocabulary", info->vocabulary);
        json_flag(&j, "mirrored", info->mirrored);
        json_flag(&j, "only_gguf", info->only_gguf);
        json_flag(&j, "every_letter", info->every_letter);
        ordinary_verdict_json(&j, &info->proof);
        json_close(&j);
        return;
    }
    show_write(stdout, path, strlen(path), 0);
    printf(": %s for up to %zu letters, %zu layer%s of %zu heads, width %zu, weights %s, cache %s; %s\n", name,
           o->length, info->layers, info->layers == 1 ? "" : "s", info->heads, info->width,
           o->weights_f16 ? "f16" : "f32", o->cache_f32 ? "f32" : "f16",
           info->proof.proved ? "proved" : "not proved");
    if (!info->proof.proved) ordinary_reason_print(&info->proof);
    if (info->mirrored) puts("mirrored: feed every string from right to left");
    if (info->every_letter) puts("what may come next is not known: every letter is legal");
    if (info->only_gguf) puts("only GGUF: Hugging Face and ONNX cannot hold its frequencies");
}

static void export_as(session *s) {
    subject x = {0};
    temper_error err;
    temper_ordinary *made = NULL;
    const char *path = s->opt.value[OPT_OUTPUT].text;
    temper_ordinary_options o = ordinary_settings(s);
    if (!path || strcmp(path, "-") == 0 || ends_in_onnx(path)) {
        message_usage(s, "such as temper export -F f.spec --as gpt2 --length 256 -o out/",
                      "export --as needs a folder: -o FOLDER");
        return;
    }
    if (subject_formula(&x, s)) {
        if (s->opt.count > x.first)
            message_usage(s, "the folder goes after -o", "export takes no further arguments");
        else if (!is_done(temper_ordinary_build(&made, x.spec, &o, &err)) ||
                 !is_done(temper_ordinary_write(made, path, &err)))
            message_error(s, &err, NULL, NULL, 0);
        else if (!s->quiet)
            report_ordinary(s, &o, made, path);
    }
    temper_ordinary_free(made);
    subject_free(&x);
}

void cmd_export(session *s) {
    subject x = {0};
    temper_export_options o;
    temper_error err;
    const char *path = s->opt.value[OPT_OUTPUT].text;
    if (!check_as(s)) return;
    if (is_given(s, OPT_AS)) {
        export_as(s);
        return;
    }
    if (!read_options(&o, s)) return;
    if (is_given(s, OPT_HARD) && !has_formula(s)) {
        message_usage(s, "temper compile --hard writes one",
                      "--hard goes with a formula; a MODEL is exported as it is");
        return;
    }
    if (subject_model(&x, s)) {
        if (s->opt.count > x.first)
            message_usage(s, "the folder goes after -o", "export takes no further arguments");
        else if ((ends_in_onnx(path) ? temper_export_onnx : temper_export)(path, x.model, &o, &err) != TEMPER_OK)
            message_error(s, &err, err.line ? o.certificate : NULL, NULL, 0);
        else if (!s->quiet)
            report(s, x.model, &o, path);
    }
    subject_free(&x);
}

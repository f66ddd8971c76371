/* temper import: a model file from the weights of elsewhere. */
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "json.h"
#include "model_output.h"

static void print_json(const temper_model_info *info, const char *path, size_t bytes) {
    json j;
    json_open(&j, stdout);
    json_text(&j, "file", path);
    json_count(&j, "bytes", bytes);
    json_text(&j, "method", temper_method_name(info->method));
    json_count(&j, "layers", info->layers);
    json_count(&j, "heads", info->heads);
    json_count(&j, "channels", info->channels);
    json_count(&j, "hidden", info->hidden);
    json_count(&j, "parameters", info->parameters);
    json_close(&j);
}

static void print_line(const temper_model_info *info, const char *path) {
    show_write(stdout, path, strlen(path), 0);
    printf(": %s, %zu layer%s, %zu head%s, %zu channels, %zu unit%s, %zu parameters\n",
           temper_method_name(info->method), info->layers, info->layers == 1 ? "" : "s", info->heads,
           info->heads == 1 ? "" : "s", info->channels, info->hidden, info->hidden == 1 ? "" : "s", info->parameters);
}

static void deliver(session *s, const temper_model *model) {
    const char *path = s->opt.value[OPT_OUTPUT].text;
    temper_model_info info;
    size_t bytes;
    info = temper_model_about(model);
    if (!path || strcmp(path, "-") == 0) {
        model_output_print(s, model, info.method == TEMPER_METHOD_HARD ? "hard" : "soft", false);
    } else if (model_output_write(&bytes, s, model, path) && !s->quiet) {
        if (s->json)
            print_json(&info, path, bytes);
        else
            print_line(&info, path);
    }
}

/* The message names its file; a place in the settings is shown with its line. */
static void complain(session *s, const temper_error *err, const char *config) {
    char *text = NULL;
    size_t length = 0;
    if (err->line && config && !is_done(temper_file_read(&text, &length, config, NULL))) text = NULL;
    message_error(s, err, NULL, text, length);
    temper_free(text);
}

/* Plain weights, which say too little by themselves. */
static bool is_safetensors(const char *path) {
    static const char ending[] = ".safetensors";
    size_t length = strlen(path), size = sizeof ending - 1;
    return length >= size && strcmp(path + length - size, ending) == 0;
}

void cmd_import(session *s) {
    temper_model *model;
    temper_error err;
    const char *weights = s->opt.count ? s->opt.arguments[0].text : "";
    bool ordinary = s->opt.count == 1 && !is_safetensors(weights);
    if (s->opt.count != 2 && !ordinary) {
        message_usage(s, "such as temper import weights.safetensors config.json -o m.temper",
                      "import takes WEIGHTS and CONFIG, or a folder or GGUF file of export --as");
        return;
    }
    const char *config = ordinary ? NULL : s->opt.arguments[1].text;
    if (temper_model_import(&model, weights, config, &err) == TEMPER_OK)
        deliver(s, model);
    else
        complain(s, &err, config);
    temper_model_free(model);
}

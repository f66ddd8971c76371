#include "model_argument.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "picture_file.h"
#include "scale.h"

/* The text of a model file, for the line of a message; NULL if it is not one that can be read again. */
static char *model_text(size_t *length, const char *path) {
    char *text;
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return NULL;
    return is_done(temper_file_read(&text, length, path, NULL)) ? text : NULL;
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_file_in(char *out, size_t size, const char *folder, const char *name) {
    struct stat st;
    int used = snprintf(out, size, "%s/%s", folder, name);
    return used > 0 && (size_t)used < size && stat(out, &st) == 0;
}

/* A model file, or what export wrote: the weights of a folder; or the hard model that the weights of an ordinary
   transformer stand for, a folder with a GGUF file or that file alone. */
static temper_status load_model(temper_model **out, session *s, const char *path, temper_error *err) {
    char inside[4096];
    bool folder = is_folder(path);
    if (path_ends(path, ".gguf") || (folder && is_file_in(inside, sizeof inside, path, "model.gguf"))) {
        temper_status status = temper_model_import(out, path, NULL, err);
        if (status == TEMPER_OK && !s->quiet)
            message_warning(s,
                            "the answers are those of the hard-attention transformer that these weights stand for");
        return status;
    }
    if (folder && is_file_in(inside, sizeof inside, path, "model.safetensors")) path = inside;
    return temper_model_load(out, path, err);
}

bool model_argument_read(temper_model **out, session *s, const char *path) {
    temper_error err;
    temper_status status = load_model(out, s, path, &err);
    if (status == TEMPER_OK) return other_model(out, s) && scale_model(out, s);
    if (status == TEMPER_IO) { /* the message has the path */
        if (!*err.hint)
            snprintf(err.hint, sizeof err.hint, "%s",
                     is_folder(path) ? "this folder holds no model.safetensors and no model.gguf"
                                     : "the first argument is a MODEL file; a formula goes after -f");
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    size_t length = 0;
    char *text = err.line ? model_text(&length, path) : NULL;
    message_error(s, &err, path, text, length);
    temper_free(text);
    return false;
}

bool model_argument_refuse(session *s, bool with_formula) {
    static const option_id own[] = {OPT_SYNTAX, OPT_AT,          OPT_EMPTY,  OPT_ALPHABET, OPT_ASCII,
                                    OPT_TOKENS, OPT_IGNORE_CASE, OPT_METHOD, OPT_DIGITS};
    for (size_t k = with_formula ? 3 : 0; k < sizeof own / sizeof *own; k++)
        if (is_given(s, own[k]) &&
            !(own[k] >= OPT_METHOD && own[k] <= OPT_DIGITS && s->opt.command_bit == FOR_SOFTEN)) {
            message_usage(s, "it was fixed when the model was compiled", "--%s cannot be given with a MODEL",
                          option_table[own[k]].name);
            return false;
        }
    return true;
}

bool model_argument_path(const char **out, session *s) {
    if (s->opt.count == 0) {
        message_usage(s, "give -f FORMULA, -F FILE, or a MODEL file made by temper compile",
                      "%s needs a formula or a model", s->opt.command);
        return false;
    }
    *out = s->opt.arguments[0].text;
    if (strcmp(*out, "-") == 0 && !s->opt.arguments[0].literal) {
        message_usage(s, "give -f FORMULA, -F FILE, or a MODEL file before the -", "%s needs a formula or a model",
                      s->opt.command);
        return false;
    }
    return true;
}

#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "model_argument.h"
#include "picture_file.h"
#include "scale.h"

char *letters_text(const temper_model *model, const uint32_t *letters, size_t n) {
    temper_model_info info = temper_model_about(model);
    size_t size = 1;
    for (size_t k = 0; k < n; k++) size += strlen(temper_model_letter(model, letters[k])) + 1;
    char *out = malloc(size), *p = out;
    if (!out) return NULL;
    for (size_t k = 0; k < n; k++) {
        if (info.tokens && k) *p++ = ' ';
        const char *letter = temper_model_letter(model, letters[k]);
        size_t length = strlen(letter);
        memcpy(p, letter, length);
        p += length;
    }
    *p = 0;
    return out;
}

/* The model's letters, an array of malloc; NULL if memory is short. */
static const char **model_letters(const temper_model *model) {
    size_t count = temper_model_about(model).letters;
    const char **letters = malloc((count + 1) * sizeof *letters);
    for (size_t k = 0; letters && k < count; k++) letters[k] = temper_model_letter(model, k);
    return letters;
}

/* What a model that reads its language from the right was made from: there, the truth at a position is about a
   prefix. */
static temper_status language_of(subject *x, const temper_model_info *info, temper_error *err) {
    const char **letters = model_letters(x->model);
    temper_spec_options o = {.syntax = info->syntax,
                             .letters = letters,
                             .letter_count = letters ? info->letters : 0,
                             .tokens = info->tokens};
    temper_status status = temper_spec_parse(&x->spec, info->source, strlen(info->source), &o, err);
    free(letters);
    return status;
}

/* The specification that the model carries; as the model means it, or as it was written. */
static bool own_formula(subject *x, session *s, bool as_written) {
    temper_model_info info = temper_model_about(x->model);
    temper_error err;
    if (!*info.source) {
        message_usage(s, "give the formula with -f or -F", "the model carries no specification");
        return false;
    }
    temper_status status = temper_model_spec(&x->spec, x->model, &err);
    if (status == TEMPER_OK && as_written && info.whole) {
        temper_spec_free(x->spec);
        status = language_of(x, &info, &err);
    }
    if (status == TEMPER_OK) return true;
    if (status == TEMPER_FORMAT)
        message_usage(s, "give the formula with -f or -F",
                      "the model's specification has another alphabet than the model");
    else
        message_error(s, &err, "the model's specification", info.source, strlen(info.source));
    return false;
}

bool subject_against(subject *out, session *s) {
    const char *given = s->opt.value[OPT_AGAINST].text;
    temper_spec_options o = given_options(s);
    temper_error err;
    char folder[4096];
    *out = (subject){.name = "--against", .source = given, .length = strlen(given)};
    o.syntax = TEMPER_SYNTAX_SPEC;
    if (path_ends(given, ".temper") || path_ends(given, ".safetensors"))
        return model_argument_read(&out->model, s, given) && own_formula(out, s, true);
    if (syntax_of_path(&o.syntax, given)) {
        out->name = given;
        if (temper_file_read(&out->text, &out->length, given, &err) != TEMPER_OK) {
            message_error(s, &err, NULL, NULL, 0);
            return false;
        }
        out->source = out->text;
    }
    given_folder(&o, folder, out->text ? given : NULL);
    if (temper_spec_parse(&out->spec, out->source, out->length, &o, &err) == TEMPER_OK) return true;
    message_error(s, &err, out->name, out->source, out->length);
    return false;
}

temper_method subject_method(const session *s) { /* choices are numbered as methods are */
    return is_given(s, OPT_METHOD) ? (temper_method)s->opt.value[OPT_METHOD].number : TEMPER_METHOD_TEMPERATURE;
}

bool subject_digits(temper_type *out, session *s) {
    static const temper_type types[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_BF16, TEMPER_TYPE_F16,
                                        TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2, TEMPER_TYPE_F32}; /* 0: not given */
    *out = types[s->opt.value[OPT_DIGITS].number];
    if (!is_given(s, OPT_DIGITS) || subject_method(s) == TEMPER_METHOD_DIGITS) return true;
    message_usage(s, NULL, "--digits needs --method digits");
    return false;
}

/* The outputs of a language model; what is only tested is said. */
static bool add_outputs(subject *x, session *s) {
    temper_error err;
    temper_next_info info;
    temper_spec *next;
    if (temper_spec_about(x->spec).kind != TEMPER_KIND_NEXT) return true;
    if (temper_spec_next(&next, &info, x->spec, &err) != TEMPER_OK) {
        message_error(s, &err, x->name, x->source, x->length);
        return false;
    }
    temper_spec_free(x->spec);
    x->spec = next;
    if (info.tested)
        message_warning(s, "the line 'viable' was tested on %zu prefixes, which does not prove it", info.tested);
    return true;
}

bool subject_is_whole(const session *s) {
    return !is_given(s, OPT_PER_POSITION) && !is_given(s, OPT_STREAM) && s->opt.command_bit != FOR_EXPORT;
}

/* hard: where the hard model of a soft one goes; NULL: nowhere. */
static bool build(temper_model **out, temper_model **hard, subject *x, session *s, temper_method method) {
    temper_error err;
    temper_type digits;
    if (!subject_digits(&digits, s) || !add_outputs(x, s)) return false;
    temper_build_options o = {.method = method, .whole = subject_is_whole(s), .hard = hard};
    if (subject_method(s) == TEMPER_METHOD_DIGITS) o.digits = digits;
    if (temper_build(out, x->spec, &o, &err) == TEMPER_OK) return true;
    message_error(s, &err, x->name, x->source, x->length);
    return false;
}

bool subject_compile(subject *x, session *s) { return build(&x->hard, NULL, x, s, TEMPER_METHOD_HARD); }

bool subject_build(subject *x, session *s, temper_method method, bool keep_hard) {
    if (!build(&x->model, keep_hard ? &x->hard : NULL, x, s, method)) return false;
    if (method == TEMPER_METHOD_HARD) x->hard = x->model;
    return method == TEMPER_METHOD_HARD || scale_model(&x->model, s);
}

bool subject_soften(subject *x, session *s, temper_method method) {
    temper_error err;
    temper_soften_options o = {.method = method};
    temper_model_free(x->model);
    x->model = NULL;
    if (temper_soften(&x->model, NULL, x->hard, &o, &err) == TEMPER_OK) return scale_model(&x->model, s);
    message_error(s, &err, NULL, NULL, 0);
    return false;
}

/* -f or -F, parsed; or MODEL, read, and then there is no specification. */
static bool parse_or_read(subject *out, session *s) {
    *out = (subject){0};
    if (has_formula(s)) {
        temper_spec_options o = given_options(s);
        return given_parse(out, s, &o);
    }
    const char *path;
    out->first = 1;
    return model_argument_path(&path, s) && model_argument_refuse(s, false) &&
           model_argument_read(&out->model, s, path);
}

bool subject_formula(subject *out, session *s) {
    return parse_or_read(out, s) && (out->spec || own_formula(out, s, true));
}

bool subject_model(subject *out, session *s) {
    if (has_formula(s) && is_given(s, OPT_HARD) && (is_given(s, OPT_METHOD) || is_given(s, OPT_SCALE))) {
        *out = (subject){0};
        message_usage(s, NULL, "--hard and --%s exclude each other: the hard transformer has no softmax",
                      is_given(s, OPT_METHOD) ? "method" : "scale");
        return false;
    }
    temper_method method = is_given(s, OPT_HARD) ? TEMPER_METHOD_HARD : subject_method(s);
    return parse_or_read(out, s) && (out->model || subject_build(out, s, method, is_given(s, OPT_DUMP)));
}

bool subject_language_model(subject *out, session *s) {
    if (!subject_model(out, s)) return false;
    if (temper_model_about(out->model).kind == TEMPER_KIND_NEXT) return true;
    message_usage(s, "compile its specification with a line 'next'", "the model does not say what comes next");
    return false;
}

bool subject_hard(subject *out, session *s) {
    return parse_or_read(out, s) && (out->model || subject_build(out, s, TEMPER_METHOD_HARD, false));
}

/* A soft model that still knows its hard one: there is something to compare without a formula. */
static bool is_two_models(const temper_model *model, const temper_model_info *info) {
    if (info->method == TEMPER_METHOD_HARD) return false;
    for (size_t layer = 1; layer <= info->layers; layer++)
        for (size_t head = 1; head <= temper_model_layer(model, layer).heads; head++) {
            temper_head_info h;
            if (!is_done(temper_model_head(&h, model, layer, head, NULL)) || h.hard_choice == TEMPER_CHOICE_SOFTMAX)
                return false;
        }
    return true;
}

static bool find_pair(subject *out, session *s) {
    *out = (subject){0};
    if (s->opt.count == 0 && has_formula(s)) return subject_formula(out, s);
    const char *path;
    out->first = 1;
    if (!model_argument_path(&path, s) || !model_argument_refuse(s, has_formula(s)) ||
        !model_argument_read(&out->model, s, path))
        return false;
    temper_model_info info = temper_model_about(out->model);
    if (!has_formula(s)) return (!*info.source && is_two_models(out->model, &info)) || own_formula(out, s, false);
    const char **letters = model_letters(out->model);
    temper_spec_options o = given_options(s);
    o.letters = letters;
    o.letter_count = letters ? info.letters : 0;
    o.tokens |= info.tokens;
    bool ok = given_parse(out, s, &o);
    free(letters);
    return ok;
}

bool subject_pair(subject *out, session *s) {
    return find_pair(out, s) && (!out->spec || !out->model || add_outputs(out, s));
}

/* How many strings of at most `length` letters there are; UINT64_MAX if that many or more. */
static uint64_t count_strings(size_t letters, size_t length) {
    uint64_t total = 1, power = 1;
    if (letters <= 1) return letters ? (uint64_t)length + 1 : 1;
    for (size_t k = 0; k < length; k++) {
        if (power > UINT64_MAX / letters) return UINT64_MAX;
        power *= letters;
        if (total > UINT64_MAX - power) return UINT64_MAX;
        total += power;
    }
    return total;
}

size_t exhaustive_default(size_t letters) {
    enum { LENGTH = 6, STRINGS = 20000 };
    size_t length = LENGTH;
    while (length && count_strings(letters, length) > STRINGS) length--;
    return length;
}

void subject_free(subject *x) {
    if (x->hard != x->model) temper_model_free(x->hard);
    temper_model_free(x->model);
    temper_spec_free(x->spec);
    temper_free(x->text);
    free(x->marked);
}

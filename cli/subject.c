#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "examples_list.h"
#include "picture_file.h"
#include "scale.h"

static const option_id texts[] = {OPT_FORMULA, OPT_FILE, OPT_REGEX, OPT_DFA};
enum { TEXTS = sizeof texts / sizeof *texts };

bool has_formula(const session *s) {
    for (size_t k = 0; k < TEXTS; k++)
        if (is_given(s, texts[k])) return true;
    return false;
}

/* What a file is, by how its name ends; false: nothing that is known. */
static bool syntax_of_path(temper_syntax *out, const char *path) {
    static const struct {
        const char *end;
        temper_syntax syntax;
    } known[] = {{".spec", TEMPER_SYNTAX_SPEC},   {".crasp", TEMPER_SYNTAX_CRASP}, {".brasp", TEMPER_SYNTAX_BRASP},
                 {".regex", TEMPER_SYNTAX_REGEX}, {".dfa", TEMPER_SYNTAX_DFA},     {".jff", TEMPER_SYNTAX_DFA}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!path_ends(path, known[k].end)) continue;
        *out = known[k].syntax;
        return true;
    }
    return false;
}

static temper_syntax syntax_of(const session *s) {
    const char *path = s->opt.value[OPT_FILE].text;
    temper_syntax syntax = TEMPER_SYNTAX_SPEC;
    if (is_given(s, OPT_REGEX)) return TEMPER_SYNTAX_REGEX;
    if (is_given(s, OPT_DFA)) return TEMPER_SYNTAX_DFA;
    if (is_given(s, OPT_SYNTAX)) return (temper_syntax)(s->opt.value[OPT_SYNTAX].number - 1);
    if (path) syntax_of_path(&syntax, path);
    return syntax;
}

/* The options about the specification. */
static temper_spec_options spec_options(const session *s) {
    temper_spec_options o = {0};
    o.syntax = syntax_of(s);
    o.alphabet = s->opt.value[OPT_ALPHABET].text;
    o.ascii = is_given(s, OPT_ASCII);
    o.tokens = is_given(s, OPT_TOKENS);
    o.other = s->opt.value[OPT_OTHER].text;
    if (is_given(s, OPT_AT)) o.at = s->opt.value[OPT_AT].number == 1 ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    if (is_given(s, OPT_EMPTY))
        o.empty = s->opt.value[OPT_EMPTY].number == 1 ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT;
    if (s->opt.command_bit & FOR_LANGUAGE_MODEL) o.kind = TEMPER_KIND_NEXT;
    return o;
}

static const char *option_shown(option_id id) {
    return id == OPT_FORMULA ? "-f" : id == OPT_FILE ? "-F" : id == OPT_REGEX ? "--regex" : "--dfa";
}

/* One text, and nothing that says the same in another way. */
static bool check_given(session *s) {
    option_id first = OPTION_COUNT;
    for (size_t k = 0; k < TEXTS; k++) {
        if (!is_given(s, texts[k])) continue;
        if (first != OPTION_COUNT) {
            message_usage(s, NULL, "%s and %s are both given; one specification at a time", option_shown(first),
                          option_shown(texts[k]));
            return false;
        }
        first = texts[k];
    }
    if (is_given(s, OPT_SYNTAX) && (first == OPT_REGEX || first == OPT_DFA)) {
        message_usage(s, NULL, "%s and --syntax exclude each other", option_shown(first));
        return false;
    }
    if (is_given(s, OPT_ALPHABET) && is_given(s, OPT_ASCII)) {
        message_usage(s, "leave one of them out", "--alphabet and --ascii exclude each other");
        return false;
    }
    const char *alphabet = s->opt.value[OPT_ALPHABET].text;
    if (alphabet && !alphabet[strspn(alphabet, " \t")]) {
        message_usage(s, "such as --alphabet abc", "--alphabet names no letters");
        return false;
    }
    const char *comma = alphabet ? strchr(alphabet, ',') : NULL;
    bool between = alphabet && alphabet[0] && alphabet[1] == ' ' && alphabet[2] > ' ' && !alphabet[3];
    if (between && !is_given(s, OPT_TOKENS) && !s->quiet)
        message_warning(s, "the blank in --alphabet is a letter, too: --alphabet %c%c has two letters", alphabet[0],
                        alphabet[2]);
    if (comma && comma > alphabet && comma[1] && !s->quiet)
        message_warning(s, "the comma in --alphabet is a letter, too: --alphabet abc has three letters");
    size_t width = alphabet ? strlen(alphabet) : 0;
    if (width > 2 && alphabet[0] == '[' && alphabet[width - 1] == ']' && strchr(alphabet, '-')) {
        message_usage(s, "such as --alphabet abc; --ascii has all printable characters",
                      "--alphabet '%.40s' is no class: letters are written out", alphabet);
        return false;
    }
    size_t dash = alphabet ? strcspn(alphabet, "-") : 0;
    if (alphabet && dash == 1 && alphabet[1] && alphabet[2] && !alphabet[3] && !s->quiet)
        message_warning(s, "the dash in --alphabet is a letter, too: letters are written out, as in --alphabet abc");
    return true;
}

/* Files that the text names are relative to the folder it lies in; the text of -f lies here. */
static void set_folder(temper_spec_options *o, char folder[4096], const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (slash && length < 4096) {
        memcpy(folder, path, length);
        folder[length] = 0;
        o->folder = length ? folder : "/";
    } else {
        o->folder = ".";
    }
}

static bool is_there(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

/* --ignore-case: (?i) before an expression, but behind (?&). */
static bool mark_case(subject *x, session *s, const temper_spec_options *o) {
    static const char mark[] = "(?i)";
    if (!is_given(s, OPT_IGNORE_CASE)) return true;
    if (o->syntax != TEMPER_SYNTAX_REGEX) {
        message_usage(s, "in a formula write /(?i)abc/",
                      "--ignore-case is for a regular expression, --regex or a file .regex");
        return false;
    }
    size_t before = strncmp(x->source, "(?&)", 4) ? 0 : 4;
    x->marked = malloc(x->length + sizeof mark);
    if (!x->marked) {
        message_error(s, &(temper_error){.code = TEMPER_NO_MEMORY, .text = "out of memory"}, NULL, NULL, 0);
        return false;
    }
    memcpy(x->marked, x->source, before);
    memcpy(x->marked + before, mark, strlen(mark));
    memcpy(x->marked + before + strlen(mark), x->source + before, x->length - before);
    x->source = x->marked;
    x->length += strlen(mark);
    x->marked[x->length] = 0;
    return true;
}

/* A text that is no formula, but would be a regular expression with something in it that only those have. */
static bool is_expression(const subject *x, const temper_error *err, const temper_spec_options *given) {
    temper_spec_options o = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = given->alphabet, .tokens = given->tokens};
    temper_spec *spec = NULL;
    if (given->syntax != TEMPER_SYNTAX_SPEC || err->code != TEMPER_SYNTAX || x->length > 60) return false;
    if (!strpbrk(x->source, "*+?.\\{^$") || strpbrk(x->source, "#'\"\n>=&/@ ")) return false;
    temper_status status = temper_spec_parse(&spec, x->source, x->length, &o, NULL);
    temper_spec_free(spec);
    return status == TEMPER_OK;
}

/* Commands whose strings tell whether a letter is missing. */
enum { SILENT = FOR_EVAL | FOR_RUN | FOR_SHOW | FOR_LANGUAGE_MODEL | FOR_AUTOMATON | FOR_GAP };

/* The given text is kept, for messages of later stages. */
static bool parse_given(subject *x, session *s, temper_spec_options *o) {
    temper_error err;
    char folder[4096];
    if (!check_given(s)) return false;
    const char *path = is_given(s, OPT_DFA) ? s->opt.value[OPT_DFA].text : s->opt.value[OPT_FILE].text;
    bool is_regex = is_given(s, OPT_REGEX);
    x->source = s->opt.value[is_regex ? OPT_REGEX : OPT_FORMULA].text;
    x->name = path ? path : is_regex ? "regex" : "formula";
    if (!path) x->length = strlen(x->source);
    const char *example = path && !is_there(path) ? examples_text(&x->length, path) : NULL;
    if (example && !s->quiet) message_warning(s, "there is no file %s here: this is the example of that name", path);
    if (path && !example && temper_file_read(&x->text, &x->length, path, &err) != TEMPER_OK) {
        if (!*err.hint)
            snprintf(err.hint, sizeof err.hint, "%s",
                     is_given(s, OPT_DFA)
                         ? "--dfa takes the file of an automaton: temper examples door.dfa shows one"
                         : "-F takes a file, such as temper examples prints; a formula goes after -f");
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    if (path) x->source = example ? example : x->text;
    if (!mark_case(x, s, o)) return false;
    set_folder(o, folder, path);
    if (temper_spec_parse(&x->spec, x->source, x->length, o, &err) == TEMPER_OK) {
        if (!(s->opt.command_bit & SILENT) && o->syntax == TEMPER_SYNTAX_SPEC) note_one_letter(s, x->spec);
        return true;
    }
    if (x->model && err.code == TEMPER_RANGE && o->syntax <= TEMPER_SYNTAX_BRASP) { /* --alphabet cannot help */
        alphabet_hint(err.hint, NULL, x->model);
        err.remedy = TEMPER_REMEDY_NONE;
    }
    if (!path && !*err.hint && !err.remedy && s->opt.count && err.column > x->length && !strchr(x->source, ' '))
        snprintf(err.hint, sizeof err.hint, "a formula with blanks stands in quotes: -f '%.40s %.40s'", x->source,
                 s->opt.arguments[0].text);
    if (!path && is_expression(x, &err, o)) {
        snprintf(err.hint, sizeof err.hint, "for a regular expression write --regex '%.60s', or /%.60s/ in a formula",
                 x->source, x->source);
        err.remedy = TEMPER_REMEDY_NONE;
    }
    message_error(s, &err, x->name, x->source, x->length);
    return false;
}

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

static bool read_model(temper_model **out, session *s, const char *path) {
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

/* A model brings its own alphabet, reading position and method: options that would change them are refused. */
static bool refuse_for_model(session *s, bool with_formula) {
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

static bool model_path(const char **out, session *s) {
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

bool subject_formula(subject *out, session *s) {
    *out = (subject){0};
    if (has_formula(s)) {
        temper_spec_options o = spec_options(s);
        return parse_given(out, s, &o);
    }
    const char *path;
    out->first = 1;
    return model_path(&path, s) && refuse_for_model(s, false) && read_model(&out->model, s, path) &&
           own_formula(out, s, true);
}

bool subject_against(subject *out, session *s) {
    const char *given = s->opt.value[OPT_AGAINST].text;
    temper_spec_options o = spec_options(s);
    temper_error err;
    char folder[4096];
    *out = (subject){.name = "--against", .source = given, .length = strlen(given)};
    o.syntax = TEMPER_SYNTAX_SPEC;
    if (path_ends(given, ".temper") || path_ends(given, ".safetensors"))
        return read_model(&out->model, s, given) && own_formula(out, s, true);
    if (syntax_of_path(&o.syntax, given)) {
        out->name = given;
        if (temper_file_read(&out->text, &out->length, given, &err) != TEMPER_OK) {
            message_error(s, &err, NULL, NULL, 0);
            return false;
        }
        out->source = out->text;
    }
    set_folder(&o, folder, out->text ? given : NULL);
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

bool subject_compile(subject *x, session *s) {
    temper_error err;
    temper_type type;
    temper_build_options o = {.method = TEMPER_METHOD_HARD, .whole = subject_is_whole(s)};
    if (!subject_digits(&type, s) || !add_outputs(x, s)) return false;
    if (subject_method(s) == TEMPER_METHOD_DIGITS) o.digits = type;
    if (temper_build(&x->hard, x->spec, &o, &err) == TEMPER_OK) return true;
    message_error(s, &err, x->name, x->source, x->length);
    return false;
}

bool subject_soften(subject *x, session *s, temper_method method) {
    temper_error err;
    temper_soften_options o = {.method = method};
    if (!subject_digits(&o.digits, s)) return false;
    if (temper_soften(&x->model, NULL, x->hard, &o, &err) == TEMPER_OK) return scale_model(&x->model, s);
    message_error(s, &err, NULL, NULL, 0);
    return false;
}

bool subject_model(subject *out, session *s) {
    *out = (subject){0};
    if (!has_formula(s)) {
        const char *path;
        out->first = 1;
        return model_path(&path, s) && refuse_for_model(s, false) && read_model(&out->model, s, path);
    }
    if (is_given(s, OPT_HARD) && (is_given(s, OPT_METHOD) || is_given(s, OPT_SCALE))) {
        message_usage(s, NULL, "--hard and --%s exclude each other: the hard transformer has no softmax",
                      is_given(s, OPT_METHOD) ? "method" : "scale");
        return false;
    }
    temper_spec_options o = spec_options(s);
    if (!parse_given(out, s, &o)) return false;
    if (!subject_compile(out, s)) return false;
    if (is_given(s, OPT_HARD)) {
        out->model = out->hard;
        return true;
    }
    return subject_soften(out, s, subject_method(s));
}

bool subject_language_model(subject *out, session *s) {
    if (!subject_model(out, s)) return false;
    if (temper_model_about(out->model).kind == TEMPER_KIND_NEXT) return true;
    message_usage(s, "compile its specification with a line 'next'", "the model does not say what comes next");
    return false;
}

bool subject_hard(subject *out, session *s) {
    *out = (subject){0};
    if (!has_formula(s)) {
        const char *path;
        out->first = 1;
        return model_path(&path, s) && refuse_for_model(s, false) && read_model(&out->model, s, path);
    }
    temper_spec_options o = spec_options(s);
    if (!parse_given(out, s, &o) || !subject_compile(out, s)) return false;
    out->model = out->hard;
    return true;
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
    if (!model_path(&path, s) || !refuse_for_model(s, has_formula(s)) || !read_model(&out->model, s, path))
        return false;
    temper_model_info info = temper_model_about(out->model);
    if (!has_formula(s)) return (!*info.source && is_two_models(out->model, &info)) || own_formula(out, s, false);
    const char **letters = model_letters(out->model);
    temper_spec_options o = spec_options(s);
    o.letters = letters;
    o.letter_count = letters ? info.letters : 0;
    o.tokens |= info.tokens;
    bool ok = parse_given(out, s, &o);
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

/* Bad input: every specification, model file, import and certificate of tests/bad is refused with exactly the
   message that stands there. A file's name begins with the kind of its cases.

       t-bad                   checks them
       t-bad --update          writes the messages of today into the files
       t-bad --write FOLDER    writes each case as files: NAME.spec, NAME.options, NAME.expect */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "addressed.h"
#include "case_file.h"
#include "temper.h"
#include "tensor_text.h"
#include "test.h"

enum { PATH_SIZE = 256 };

/* Where the files of the cases are, for texts that name files and for what is read from files. */
static char room[TEST_FOLDER];

typedef struct outcome {
    temper_status status;
    temper_error error;
    bool made; /* something came out of it */
} outcome;

/* ---- what a case asks for ---- */

static temper_spec_options options_of(const test_case *c, temper_syntax syntax) {
    static char alphabet[sizeof c->words];
    temper_spec_options o = {
        .syntax = syntax, .tokens = case_word(c, "tokens") != NULL, .ascii = case_word(c, "ascii") != NULL};
    const char *word = case_word(c, "alphabet");
    if (word) o.alphabet = strcpy(alphabet, word);
    if ((word = case_word(c, "at"))) o.at = !strcmp(word, "first") ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    if ((word = case_word(c, "empty"))) o.empty = !strcmp(word, "accept") ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT;
    if (case_word(c, "folder")) o.folder = room;
    return o;
}

static void parse(outcome *out, const test_case *c, temper_syntax syntax) {
    temper_spec_options o = options_of(c, syntax);
    temper_spec *spec = NULL;
    out->status = temper_spec_parse(&spec, c->input[0].text, c->input[0].length, &o, &out->error);
    out->made = spec != NULL;
    temper_spec_free(spec);
}

static void of_spec(outcome *out, const test_case *c) { parse(out, c, TEMPER_SYNTAX_SPEC); }

static void of_crasp(outcome *out, const test_case *c) { parse(out, c, TEMPER_SYNTAX_CRASP); }

static void of_brasp(outcome *out, const test_case *c) { parse(out, c, TEMPER_SYNTAX_BRASP); }

static void of_regex(outcome *out, const test_case *c) { parse(out, c, TEMPER_SYNTAX_REGEX); }

static void of_dfa(outcome *out, const test_case *c) { parse(out, c, TEMPER_SYNTAX_DFA); }

/* A specification that parses, but of which no language model is made. */
static void of_next(outcome *out, const test_case *c) {
    temper_spec *spec = NULL, *next = NULL;
    temper_error e = {0};
    if (CHECK(temper_spec_parse(&spec, c->input[0].text, c->input[0].length, NULL, &e) == TEMPER_OK, "%s:%zu: %s: %s",
              c->file, c->line, c->name, e.text))
        out->status = temper_spec_next(&next, NULL, spec, &out->error);
    out->made = next != NULL;
    temper_spec_free(spec);
    temper_spec_free(next);
}

static void of_model(outcome *out, const test_case *c) {
    temper_model *model = NULL;
    out->status = temper_model_read(&model, c->input[0].text, c->input[0].length, &out->error);
    out->made = model != NULL;
    temper_model_free(model);
}

static void path_of(char path[PATH_SIZE], const test_case *c, const char *extension) {
    snprintf(path, PATH_SIZE, "%s/%s%s", room, c->name, extension);
}

static void of_import(outcome *out, const test_case *c) {
    char weights[PATH_SIZE], config[PATH_SIZE];
    path_of(weights, c, ".safetensors");
    path_of(config, c, ".json");
    temper_model *model = NULL;
    out->status = temper_model_import(&model, weights, config, &out->error);
    out->made = model != NULL;
    temper_model_free(model);
}

/* The model first, then its certificate. */
static void of_certificate(outcome *out, const test_case *c) {
    const case_input *model = &c->input[0], *certificate = &c->input[1];
    out->status = temper_audit(certificate->text, certificate->length, model->text, model->length, NULL, &out->error);
}

/* ---- inputs that are made ---- */

static void tensors(test_case *c, size_t which) {
    size_t size = 0;
    char *file = tensor_text_file(&size, c->name, c->input[which].text, c->input[which].length);
    if (!file) return;
    free(c->input[which].text);
    c->input[which] = (case_input){file, size};
}

static void make_tensors(test_case *c) { tensors(c, 0); }

/* In a certificate $SHA256 and $BYTES name the model that stands before it. */
static void make_certificate(test_case *c) {
    const case_input *model = &c->input[0];
    char hex[SHA256_HEX + 1];
    sha256_of(hex, model->text, model->length);
    case_input made = {0};
    FILE *out = open_memstream(&made.text, &made.length);
    for (const char *at = c->input[1].text; *at;)
        if (!strncmp(at, "$SHA256", 7)) {
            fputs(hex, out);
            at += 7;
        } else if (!strncmp(at, "$BYTES", 6)) {
            fprintf(out, "%zu", model->length);
            at += 6;
        } else
            putc(*at++, out);
    fclose(out);
    free(c->input[1].text);
    c->input[1] = made;
}

typedef struct bad_kind {
    const char *name;                    /* the file's name begins with it */
    const char *extensions[CASE_INPUTS]; /* of the files that --write makes of the inputs */
    void (*make)(test_case *c);          /* NULL: the inputs are what is written */
    void (*run)(outcome *out, const test_case *c);
} bad_kind;

static const bad_kind kinds[] = {
    {"spec", {".spec", NULL}, NULL, of_spec},
    {"crasp", {".crasp", NULL}, NULL, of_crasp},
    {"brasp", {".brasp", NULL}, NULL, of_brasp},
    {"regex", {".regex", NULL}, NULL, of_regex},
    {"dfa", {".dfa", NULL}, NULL, of_dfa},
    {"next", {".next", NULL}, NULL, of_next},
    {"model", {".temper", NULL}, NULL, of_model},
    {"safetensors", {".safetensors", NULL}, make_tensors, of_model},
    {"import", {".safetensors", ".json"}, make_tensors, of_import},
    {"certificate", {".model", ".certificate"}, make_certificate, of_certificate},
};

/* ---- files of cases ---- */

static const bad_kind *kind_of(const char *path) {
    const char *name = strrchr(path, '/') + 1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strlen(kinds[k].name) == strcspn(name, "-.") && !strncmp(name, kinds[k].name, strcspn(name, "-.")))
            return &kinds[k];
    CHECK(false, "%s is of no kind that is known", path);
    return NULL;
}

static void write_file(const char *folder, const char *name, const char *extension, const char *text, size_t length) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, extension);
    FILE *f = fopen(path, "wb");
    if (CHECK(f != NULL, "cannot write %s", path)) {
        fwrite(text, 1, length, f);
        CHECK(!fclose(f), "cannot write %s", path);
    }
}

/* What one refusal says: "LINE:COLUMN: CODE: TEXT" and a line "hint: ...". A path in `room` is its file alone. */
static void words_of(char *got, size_t size, const outcome *out) {
    const temper_error *e = &out->error;
    const char *at = strstr(e->text, room);
    size_t before = at ? (size_t)(at - e->text) : 0;
    snprintf(got, size, "%zu:%zu: %s: %.*s%s\n%s%s%s", e->line, e->column, temper_status_name(e->code), (int)before,
             e->text, at ? at + strlen(room) + 1 : e->text, *e->hint ? "hint: " : "", e->hint, *e->hint ? "\n" : "");
}

static case_input tight_copy(const case_input *in) {
    if (!in->text) return *in;
    case_input copy = {malloc(in->length + !in->length), in->length};
    memcpy(copy.text, in->text, in->length);
    return copy;
}

static char *check_case(const test_case *c, const bad_kind *kind, bool update) {
    char got[1024];
    outcome out = {0};
    test_case tight = *c; /* no byte behind an input is its own */
    for (size_t k = 0; k < CASE_INPUTS; k++) tight.input[k] = tight_copy(&c->input[k]);
    kind->run(&out, &tight);
    for (size_t k = 0; k < CASE_INPUTS; k++) free(tight.input[k].text);
    CHECK(!out.made, "%s:%zu: %s gives something", c->file, c->line, c->name);
    if (!CHECK(out.status != TEMPER_OK, "%s:%zu: %s is not refused", c->file, c->line, c->name)) return NULL;
    CHECK(out.status == out.error.code, "%s: the status returned is not the error's", c->name);
    words_of(got, sizeof got, &out);
    if (update) return strdup(got);
    CHECK(!strcmp(c->expect, got), "%s:%zu: %s\nexpected: %sgot:      %s(build/tests/t-bad --update writes it)",
          c->file, c->line, c->name, c->expect, got);
    return NULL;
}

static void write_case(const test_case *c, const bad_kind *kind, const char *folder) {
    for (size_t k = 0; k < CASE_INPUTS; k++)
        if (kind->extensions[k] && c->input[k].text)
            write_file(folder, c->name, kind->extensions[k], c->input[k].text, c->input[k].length);
    char words[sizeof c->words] = "";
    case_other_words(words, c);
    if (*words) write_file(folder, c->name, ".options", words, strlen(words));
    if (c->expect) write_file(folder, c->name, ".expect", c->expect, strlen(c->expect));
}

/* The inputs of all files are made and written first, since some name files of others. */
static void run_files(const glob_t *paths, const char *folder, bool update) {
    case_file *files = calloc(paths->gl_pathc + 1, sizeof *files);
    bool ok = true;
    for (size_t k = 0; k < paths->gl_pathc; k++) {
        const bad_kind *kind = kind_of(paths->gl_pathv[k]);
        ok = kind && case_file_read(&files[k], paths->gl_pathv[k]) && ok;
        for (size_t i = 0; ok && i < files[k].count; i++) {
            test_case *c = &files[k].cases[i];
            ok = CHECK(!kind->extensions[1] || c->input[1].text, "%s:%zu: its second input is missing", c->file,
                       c->line);
            if (ok && kind->make) kind->make(c);
            write_case(c, kind, folder);
        }
    }
    for (size_t k = 0; ok && folder == room && k < paths->gl_pathc; k++) {
        char **said = calloc(files[k].count + 1, sizeof *said);
        for (size_t i = 0; i < files[k].count; i++)
            if (!files[k].cases[i].base)
                said[i] = check_case(&files[k].cases[i], kind_of(paths->gl_pathv[k]), update);
        if (update) case_file_update(&files[k], paths->gl_pathv[k], said);
        for (size_t i = 0; i < files[k].count; i++) free(said[i]);
        free(said);
    }
    for (size_t k = 0; k < paths->gl_pathc; k++) case_file_free(&files[k]);
    free(files);
}

static void empty_room(void) {
    char pattern[PATH_SIZE];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*", room);
    if (!glob(pattern, 0, NULL, &found))
        for (size_t k = 0; k < found.gl_pathc; k++) remove(found.gl_pathv[k]);
    globfree(&found);
    remove(room);
}

int main(int count, char **words) {
    bool update = count > 1 && !strcmp(words[1], "--update"), write = count > 2 && !strcmp(words[1], "--write");
    glob_t paths;
    if (!CHECK(!glob("tests/bad/*.cases", 0, NULL, &paths), "no tests/bad/*.cases")) return test_finish("bad");
    if (write)
        run_files(&paths, words[2], false);
    else if (test_folder(room)) {
        run_files(&paths, room, update);
        empty_room();
    }
    globfree(&paths);
    return test_finish("bad");
}

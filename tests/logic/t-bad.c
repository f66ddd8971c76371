/* Bad input: every specification, model file, import and certificate in tests/bad is refused with exactly the message
   of its .expect file. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "temper.h"

enum { PATH_SIZE = 1024, OPTION_SIZE = 1024 };

/* A whole file, NUL-terminated, or NULL. */
static char *slurp(const char *folder, const char *stem, const char *extension, size_t *length) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s%s", folder, stem, extension);
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t capacity = 1 << 16, n = 0, got;
    char *data = malloc(capacity);
    while ((got = fread(data + n, 1, capacity - n - 1, f)) > 0) {
        n += got;
        if (capacity - n - 1 == 0) data = realloc(data, capacity *= 2);
    }
    fclose(f);
    data[n] = 0;
    if (length) *length = n;
    return data;
}

/* Words of NAME.options: tokens alphabet=... at=first at=last empty=accept empty=reject ascii folder=...; an
   alphabet with blanks is not possible. */
static void read_options(temper_spec_options *o, char *words) {
    for (char *w = strtok(words, " \n"); w; w = strtok(NULL, " \n")) {
        if (!strcmp(w, "tokens"))
            o->tokens = 1;
        else if (!strncmp(w, "alphabet=", 9))
            o->alphabet = w + 9;
        else if (!strcmp(w, "at=first") || !strcmp(w, "at=last"))
            o->at = w[3] == 'f' ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
        else if (!strcmp(w, "empty=accept") || !strcmp(w, "empty=reject"))
            o->empty = w[6] == 'a' ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT;
        else if (!strcmp(w, "ascii"))
            o->ascii = 1;
        else if (!strncmp(w, "folder=", 7))
            o->folder = w + 7;
        else
            CHECK(false, "unknown option %s", w);
    }
}

/* Refused, with the message of the .expect file. */
static void check_message(const char *folder, const char *name, const char *stem, temper_status status,
                          const temper_error *e) {
    char got[1024], *expect = slurp(folder, stem, ".expect", NULL);
    if (CHECK(status != TEMPER_OK, "%s is not refused", name)) {
        snprintf(got, sizeof got, "%zu:%zu: %s: %s\n%s%s%s", e->line, e->column, temper_status_name(e->code), e->text,
                 *e->hint ? "hint: " : "", e->hint, *e->hint ? "\n" : "");
        CHECK(status == e->code, "%s: the status returned is not the error's", name);
        CHECK(expect && !strcmp(expect, got), "%s\nexpected: %sgot:      %s", name, expect ? expect : "(no file)\n",
              got);
    }
    free(expect);
}

static void check_file(const char *folder, const char *name, const char *dot, temper_syntax syntax) {
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - name), name);
    size_t length = 0;
    char *source = slurp(folder, name, "", &length), *words = slurp(folder, stem, ".options", NULL);
    temper_spec_options o = {.syntax = syntax};
    if (words) read_options(&o, words);
    temper_spec *spec = NULL;
    temper_error e = {0};
    if (CHECK(source != NULL, "cannot read %s", name))
        check_message(folder, name, stem, temper_spec_parse(&spec, source, length, &o, &e), &e);
    CHECK(!spec, "%s gives a specification", name);
    temper_spec_free(spec);
    free(source);
    free(words);
}

/* A specification that parses, but of which no language model is made. */
static void check_next(const char *folder, const char *name, const char *dot) {
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - name), name);
    size_t length = 0;
    char *source = slurp(folder, name, "", &length);
    temper_spec *spec = NULL, *next = NULL;
    temper_error e = {0};
    if (CHECK(source && temper_spec_parse(&spec, source, length, NULL, &e) == TEMPER_OK, "%s: %s", name, e.text))
        check_message(folder, name, stem, temper_spec_next(&next, NULL, spec, &e), &e);
    CHECK(!next, "%s gives a language model", name);
    temper_spec_free(spec);
    free(source);
}

static void check_model(const char *folder, const char *name, const char *dot) {
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - name), name);
    size_t length = 0;
    char *source = slurp(folder, name, "", &length);
    temper_model *model = NULL;
    temper_error e = {0};
    if (CHECK(source != NULL, "cannot read %s", name))
        check_message(folder, name, stem, temper_model_read(&model, source, length, &e), &e);
    CHECK(!model, "%s gives a model", name);
    temper_model_free(model);
    free(source);
}

/* import-NAME.expect: the files import-NAME.safetensors and import-NAME.json, or in place of one of them the good
   import-plain. */
static void check_import(const char *folder, const char *name, const char *dot) {
    static const char *const extensions[] = {".safetensors", ".json"};
    char stem[PATH_SIZE], paths[2][PATH_SIZE + 32];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - name), name);
    for (int k = 0; k < 2; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%s%s", folder, stem, extensions[k]);
        if (access(paths[k], R_OK)) snprintf(paths[k], sizeof paths[k], "%s/import-plain%s", folder, extensions[k]);
    }
    temper_model *model = NULL;
    temper_error e = {0};
    temper_status status = temper_model_import(&model, paths[0], paths[1], &e);
    size_t length = strlen(folder) + 1; /* messages begin with the path */
    if (!strncmp(e.text, folder, length - 1)) memmove(e.text, e.text + length, strlen(e.text + length) + 1);
    check_message(folder, name, stem, status, &e);
    CHECK(!model, "%s gives a model", name);
    temper_model_free(model);
}

/* audit-NAME.certificate, audited against audit-NAME.model or, if there is none, the good audit-plain.model. */
static void check_certificate(const char *folder, const char *name, const char *dot) {
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - name), name);
    size_t length = 0, size = 0;
    char *certificate = slurp(folder, name, "", &length), *model = slurp(folder, stem, ".model", &size);
    if (!model) model = slurp(folder, "audit-plain", ".model", &size);
    temper_error e = {0};
    if (CHECK(certificate && model, "cannot read %s or its model", name))
        check_message(folder, name, stem, temper_audit(certificate, length, model, size, &e), &e);
    free(certificate);
    free(model);
}

int main(void) {
    const char *folder = getenv("TEMPER_TEST_DIR");
    if (!folder) folder = "tests/bad";
    DIR *d = opendir(folder);
    if (!CHECK(d != NULL, "cannot open %s", folder)) return test_finish("bad");
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot) continue;
        if (!strcmp(dot, ".spec")) check_file(folder, e->d_name, dot, TEMPER_SYNTAX_SPEC);
        if (!strcmp(dot, ".crasp")) check_file(folder, e->d_name, dot, TEMPER_SYNTAX_CRASP);
        if (!strcmp(dot, ".brasp")) check_file(folder, e->d_name, dot, TEMPER_SYNTAX_BRASP);
        if (!strcmp(dot, ".regex")) check_file(folder, e->d_name, dot, TEMPER_SYNTAX_REGEX);
        if (!strcmp(dot, ".dfa")) check_file(folder, e->d_name, dot, TEMPER_SYNTAX_DFA);
        if (!strcmp(dot, ".next")) check_next(folder, e->d_name, dot);
        if (!strcmp(dot, ".certificate")) check_certificate(folder, e->d_name, dot);
        bool import = !strncmp(e->d_name, "import-", 7);
        if (import && !strcmp(dot, ".expect")) check_import(folder, e->d_name, dot);
        if (import) continue;
        if (!strcmp(dot, ".temper") || !strcmp(dot, ".safetensors")) check_model(folder, e->d_name, dot);
    }
    closedir(d);
    return test_finish("bad");
}

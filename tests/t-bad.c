/* Bad input: every specification in tests/bad is refused with exactly the message of its .expect file. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Words of NAME.options: tokens alphabet=... at=first at=last empty=accept; an alphabet with blanks is not possible. */
static void read_options(temper_spec_options *o, char *words) {
    for (char *w = strtok(words, " \n"); w; w = strtok(NULL, " \n")) {
        if (!strcmp(w, "tokens"))
            o->tokens = 1;
        else if (!strncmp(w, "alphabet=", 9))
            o->alphabet = w + 9;
        else if (!strcmp(w, "at=first") || !strcmp(w, "at=last"))
            o->at = w[3] == 'f' ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
        else if (!strcmp(w, "empty=accept"))
            o->empty = TEMPER_EMPTY_ACCEPT;
        else
            CHECK(false, "unknown option %s", w);
    }
}

static void check_file(const char *folder, const char *name, const char *dot, temper_syntax syntax) {
    char stem[PATH_SIZE], got[1024];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot - name), name);
    size_t length = 0;
    char *source = slurp(folder, name, "", &length), *expect = slurp(folder, stem, ".expect", NULL);
    char *words = slurp(folder, stem, ".options", NULL);
    temper_spec_options o = {.syntax = syntax};
    if (words) read_options(&o, words);
    temper_spec *spec = NULL;
    temper_error e;
    temper_status status = source ? temper_spec_parse(&spec, source, length, &o, &e) : TEMPER_IO;
    if (CHECK(source && status != TEMPER_OK, "%s is not refused", name)) {
        snprintf(got, sizeof got, "%zu:%zu: %s: %s\n%s%s%s", e.line, e.column, temper_status_name(e.code), e.text,
                 *e.hint ? "hint: " : "", e.hint, *e.hint ? "\n" : "");
        CHECK(status == e.code && !spec, "%s: the status returned is not the error's", name);
        CHECK(expect && !strcmp(expect, got), "%s\nexpected: %sgot:      %s", name, expect ? expect : "(no file)\n",
              got);
    }
    temper_spec_free(spec);
    free(source);
    free(expect);
    free(words);
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
    }
    closedir(d);
    return test_finish("bad");
}

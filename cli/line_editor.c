#define _POSIX_C_SOURCE 200809L
#include "line_editor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tab ---- */

static editor_candidate *offered; /* readline's functions are handed nothing of ours */
static size_t next_offered;
typedef char *generator(const char *text, int again);
typedef char **completer(const char *text, int start, int end);
static char **(*make_matches)(const char *text, generator *generate);

/* The next candidate that begins with the text, from malloc. */
static char *generate(const char *text, int again) {
    size_t length = strlen(text);
    if (!again) next_offered = 0;
    for (const char *word; (word = offered(next_offered));) {
        next_offered++;
        if (strncmp(word, text, length) == 0) return strdup(word);
    }
    return NULL;
}

/* Names of files elsewhere, as readline does by itself. */
static char **complete(const char *text, int start, int end) {
    (void)end;
    return start == 0 ? make_matches(text, generate) : NULL;
}

static void set_completion(void *library, editor_candidate *candidate) {
    void *matches = dlsym(library, "rl_completion_matches"),
         *variable = dlsym(library, "rl_attempted_completion_function");
    if (!matches || !variable) return;
    completer *own = complete;
    offered = candidate;
    memcpy(&make_matches, &matches, sizeof matches);
    memcpy(variable, &own, sizeof own);
}

/* libedit has the functions of readline under the same names. */
void editor_open(line_editor *out, editor_candidate *candidate) {
    static const char *const libraries[] = {"libreadline.so.8", "libreadline.so", "libedit.so.2", "libedit.so.0"};
    *out = (line_editor){0};
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
        void *library = dlopen(libraries[k], RTLD_LAZY | RTLD_LOCAL);
        if (!library) continue;
        void *read = dlsym(library, "readline"), *remember = dlsym(library, "add_history");
        if (read && remember) {
            out->library = library; /* ISO C knows no cast from an object to a function */
            memcpy(&out->read, &read, sizeof read);
            memcpy(&out->remember, &remember, sizeof remember);
            set_completion(library, candidate);
            return;
        }
        dlclose(library);
    }
}

/* A byte 0 would end the line for whoever reads it as a string. */
static char *plain_line(const char *prompt) {
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    for (;;) {
        fputs(prompt, stdout);
        fflush(stdout);
        length = getline(&line, &size, stdin);
        if (length < 0 || !memchr(line, 0, (size_t)length)) break;
        puts("a line with a byte 0 cannot be typed here; temper run - takes it from standard input");
    }
    if (length < 0) {
        free(line);
        return NULL;
    }
    if (length && line[length - 1] == '\n') line[--length] = 0;
    if (length && line[length - 1] == '\r') line[length - 1] = 0;
    return line;
}

char *editor_line(const line_editor *e, const char *prompt) {
    if (!e->library) return plain_line(prompt);
    char *line = e->read(prompt);
    if (line && *line) e->remember(line);
    return line;
}

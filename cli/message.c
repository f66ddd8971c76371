#include "message.h"

#include "remedy_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "json.h"

int exit_code_of(temper_status status) {
    switch (status) {
    case TEMPER_OK: return EXIT_FINE;
    case TEMPER_SYNTAX:
    case TEMPER_RANGE:
    case TEMPER_FORMAT: return EXIT_INPUT;
    case TEMPER_IO: return EXIT_IO;
    case TEMPER_UNSUPPORTED:
    case TEMPER_LIMIT:
    case TEMPER_NO_MEMORY: return EXIT_LIMIT;
    }
    return EXIT_LIMIT;
}

bool output_is_fine(session *s) {
    if (!ferror(stdout)) return true;
    if (!s->write_error) s->write_error = errno ? errno : EIO;
    return false;
}

bool output_flush(session *s) {
    if (fflush(stdout) && !s->write_error) s->write_error = errno;
    return output_is_fine(s);
}

/* As char_show, but a tab keeps to one column so that the caret below can be placed. */
static int show_cell(char out[24], size_t *size, const char *bytes, size_t length) {
    if (bytes[0] == '\t') {
        *size = 1;
        strcpy(out, " ");
        return 1;
    }
    return char_show(out, size, bytes, length, false);
}

/* The line with a caret under the column; a long line is cut on both sides to what fits around the caret. */
static void print_caret(const session *s, const place *at) {
    enum { BEFORE = 44, TOTAL = 72, RING = 64 };
    size_t starts[RING], count = 0, offset = 0; /* byte offsets of the last RING characters before the caret */
    char cell[24];
    size_t size;
    for (size_t column = 1; column < at->column && offset < at->length; column++) {
        starts[count++ % RING] = offset;
        show_cell(cell, &size, at->bytes + offset, at->length - offset);
        offset += size;
    }
    size_t first = offset, lead = 0;
    for (size_t back = 1; back <= count && back <= RING; back++) {
        size_t start = starts[(count - back) % RING];
        size_t width = (size_t)show_cell(cell, &size, at->bytes + start, at->length - start);
        if (lead + width > BEFORE) break;
        lead += width;
        first = start;
    }
    fputs("    ", stderr);
    size_t used = lead;
    if (first > 0) {
        fputs("...", stderr);
        used += 3;
        lead += 3;
    }
    size_t k = first;
    while (k < at->length) {
        size_t width = (size_t)show_cell(cell, &size, at->bytes + k, at->length - k);
        if (k >= offset) {
            if (used + width > TOTAL && k > offset) break;
            used += width;
        }
        fputs(cell, stderr);
        k += size;
    }
    fputs(k < at->length ? "...\n    " : "\n    ", stderr);
    fprintf(stderr, "%*s%s\n", (int)lead, "", s->colour_err ? "\033[1;31m^\033[0m" : "^");
}

static void print_json(int exit_code, const place *at, const char *text, const char *hint) {
    json j;
    json_open(&j, stderr);
    json_text(&j, "error", text);
    if (at && at->name) json_text(&j, "where", at->name);
    if (at && at->line) json_count(&j, "line", at->line);
    if (at && at->column) json_count(&j, "column", at->column);
    if (hint && *hint) json_text(&j, "hint", hint);
    json_count(&j, "exit", (uint64_t)exit_code);
    json_close(&j);
}

void message_print(session *s, int exit_code, const place *at, const char *text, const char *hint) {
    char typed[600], typed_hint[600];
    session_fail(s, exit_code);
    output_flush(s); /* answers and messages keep their order */
    if (s->at_prompt) text = words_at_prompt(typed, sizeof typed, text);
    if (s->at_prompt && hint) hint = words_at_prompt(typed_hint, sizeof typed_hint, hint);
    if (s->json) {
        print_json(exit_code, at, text, hint);
        return;
    }
    fputs("temper: ", stderr);
    if (at && at->name) {
        show_write(stderr, at->name, strlen(at->name), 120);
        if (at->line) fprintf(stderr, ":%zu", at->line);
        if (at->line && at->column) fprintf(stderr, ":%zu", at->column);
        fputs(": ", stderr);
    }
    show_write(stderr, text, strlen(text), 0);
    putc('\n', stderr);
    if (at && at->length && at->column) print_caret(s, at);
    if (hint && *hint) {
        fputs("hint: ", stderr);
        show_write(stderr, hint, strlen(hint), 0);
        putc('\n', stderr);
    }
}

void message_error(session *s, const temper_error *err, const char *name, const char *text, size_t length) {
    place at = {name, err->line, err->column, NULL, 0};
    if (text && err->line) {
        const char *p = text, *end = text + length;
        for (size_t line = 1; p && line < err->line; line++) {
            p = memchr(p, '\n', (size_t)(end - p));
            if (p) p++;
        }
        if (p) {
            const char *stop = memchr(p, '\n', (size_t)(end - p));
            at.bytes = p;
            at.length = (size_t)((stop ? stop : end) - p);
            if (at.length && p[at.length - 1] == '\r') at.length--;
        }
    }
    const char *hint = error_hint(err);
    if (!*hint && err->code == TEMPER_IO && strncmp(err->text, "cannot write ", 13) == 0)
        hint = "name a file, in a folder that is there and that you may write to";
    message_print(s, exit_code_of(err->code), &at, err->text, hint);
}

void message_usage(session *s, const char *hint, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    message_print(s, EXIT_INPUT, NULL, text, hint);
}

void message_warning(session *s, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char typed[600];
    const char *shown = s->at_prompt ? words_at_prompt(typed, sizeof typed, text) : text;
    output_flush(s);
    if (s->json) {
        json j;
        json_open(&j, stderr);
        json_text(&j, "warning", shown);
        json_close(&j);
        return;
    }
    fputs("temper: warning: ", stderr);
    show_write(stderr, shown, strlen(shown), 0);
    putc('\n', stderr);
}

static bool short_of_memory;

bool is_done(temper_status status) {
    if (status == TEMPER_NO_MEMORY) short_of_memory = true;
    return status == TEMPER_OK;
}

bool memory_was_short(void) { return short_of_memory; }

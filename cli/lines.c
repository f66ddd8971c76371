#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heartbeat.h"

static bool is_input(const argument *a) { return !a->literal && strcmp(a->text, "-") == 0; }

bool lines_start(lines *in, session *s, size_t first) {
    in->session = s;
    in->next = in->first = first;
    in->in_input = in->ended = false;
    in->line_number = in->capacity = in->at = in->filled = in->asked = 0;
    in->line = NULL;
    size_t inputs = 0;
    for (size_t k = first; k < s->opt.count; k++) inputs += is_input(&s->opt.arguments[k]);
    if (first >= s->opt.count) {
        message_usage(s, "give strings as arguments ('' is the empty string), or - for the lines of standard input",
                      "%s needs a string", s->opt.command);
        return false;
    }
    if (inputs > 1) {
        message_usage(s, "after -- a dash is a string", "- is given twice, but standard input can be read only once");
        return false;
    }
    heartbeat_count("answered");
    return true;
}

/* More bytes in the buffer; false at the end. What has been answered goes out before we may have to wait. */
static bool fill(lines *in) {
    if (in->ended) return false;
    if (!output_flush(in->session)) return false;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, in->buffer, sizeof in->buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            char text[200];
            snprintf(text, sizeof text, "cannot read standard input: %s", strerror(errno));
            message_print(in->session, EXIT_IO, NULL, text, NULL);
        }
        in->at = 0;
        in->filled = got > 0 ? (size_t)got : 0;
        in->ended = got <= 0;
        return got > 0;
    }
}

/* Adds to the line; false if memory is short. */
static bool keep(lines *in, size_t *length, const char *bytes, size_t count) {
    if (*length + count > in->capacity) {
        size_t capacity = in->capacity ? in->capacity : 256;
        while (capacity < *length + count) capacity *= 2;
        char *bigger = realloc(in->line, capacity);
        if (!bigger) return false;
        in->line = bigger;
        in->capacity = capacity;
    }
    if (count) memcpy(in->line + *length, bytes, count); /* an empty first line has no memory yet */
    *length += count;
    return true;
}

static const char TOO_LONG[] = "the line is longer than the limit of 64 MiB";
_Static_assert(LINE_LIMIT == 64 << 20, "the message names the limit");

/* The next line without its end (\n or \r\n). Of a line beyond the limit only the beginning is kept. */
static bool next_line(line *out, lines *in) {
    size_t length = 0;
    bool started = false;
    const char *cut = NULL;
    for (;;) {
        if (in->at == in->filled && !fill(in)) break;
        started = true;
        const char *from = in->buffer + in->at;
        size_t left = in->filled - in->at;
        const char *end = memchr(from, '\n', left);
        size_t count = end ? (size_t)(end - from) : left;
        in->at += count + (end != NULL);
        size_t room = (size_t)LINE_LIMIT + 1 - length; /* one more for the \r */
        if (count > room) cut = TOO_LONG;
        if (!cut && !keep(in, &length, from, count)) cut = "out of memory for the line";
        if (end) break;
    }
    if (!started) return false;
    if (length && in->line[length - 1] == '\r') length--;
    if (length > LINE_LIMIT) cut = TOO_LONG;
    *out = (line){in->line ? in->line : "", length, ++in->line_number, true, cut};
    return true;
}

bool lines_next(line *out, lines *in) {
    heartbeat_at("strings", in->asked++, 0);
    for (;;) {
        if (in->in_input) {
            if (next_line(out, in)) return true;
            in->in_input = false;
        }
        if (in->next >= in->session->opt.count) return false;
        const argument *a = &in->session->opt.arguments[in->next++];
        if (!is_input(a)) {
            *out = (line){a->text, strlen(a->text), in->next - in->first, false, NULL};
            return true;
        }
        in->in_input = true;
    }
}

void lines_stop(lines *in) {
    heartbeat_count(NULL);
    free(in->line);
}

bool lines_ready(const lines *in) {
    return in->in_input && in->at < in->filled && memchr(in->buffer + in->at, '\n', in->filled - in->at);
}

const char *line_origin(char out[40], const line *l) {
    if (l->is_input)
        strcpy(out, "standard input");
    else
        snprintf(out, 40, "string %zu", l->number);
    return out;
}

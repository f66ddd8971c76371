#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heartbeat.h"

static bool is_input(const argument *a) { return !a->literal && strcmp(a->text, "-") == 0; }

static void start(lines *in, session *s, size_t first) {
    in->session = s;
    in->next = in->first = first;
    in->in_input = in->has_input = false;
    in->line_number = in->capacity = in->asked = 0;
    in->line = NULL;
    in->from.fd = -1;
}

bool lines_start(lines *in, session *s, size_t first) {
    start(in, s, first);
    size_t inputs = 0;
    for (size_t k = first; k < s->opt.count; k++) inputs += is_input(&s->opt.arguments[k]);
    if (first >= s->opt.count) {
        message_usage(s, "give strings as arguments ('' is the empty string), or - for the lines of standard input",
                      "%s needs a string", s->opt.command);
        return false;
    }
    in->has_input = inputs > 0;
    if (inputs > 1) {
        message_usage(s, "after -- a dash is a string", "- is given twice, but standard input can be read only once");
        return false;
    }
    heartbeat_count("answered");
    return true;
}

/* For who watches: of a file its bytes are counted, since nobody knows how many lines it has. */
static void tell(const lines *in) {
    const input *from = &in->from;
    if (in->in_input && from->size)
        heartbeat_at("bytes", from->read - (from->filled - from->at), from->size);
    else
        heartbeat_at("strings", in->asked, in->has_input ? 0 : in->session->opt.count - in->first);
}

bool lines_of_file(lines *in, session *s, const char *path) {
    start(in, s, s->opt.count);
    in->in_input = in->has_input = input_open(&in->from, s, path);
    if (in->in_input) heartbeat_count("answered");
    return in->in_input;
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

/* The next line without its end. Of a line beyond the limit only the beginning is kept. */
static bool next_line(line *out, lines *in) {
    input *from = &in->from;
    size_t length = 0;
    bool started = false, ended = false;
    const char *cut = NULL;
    while (!ended && (from->at < from->filled || input_more(from))) {
        started = true;
        const char *bytes = from->buffer + from->at;
        size_t left = from->filled - from->at;
        const char *end = memchr(bytes, '\n', left);
        size_t count = end ? (size_t)(end - bytes) : left;
        ended = end != NULL;
        from->at += count + ended;
        size_t room = (size_t)LINE_LIMIT + 1 - length; /* one more for the \r */
        if (count > room) cut = TOO_LONG;
        if (!cut && !keep(in, &length, bytes, count)) cut = "out of memory for the line";
    }
    if (!started) return false;
    if (ended && length && in->line[length - 1] == '\r') length--;
    if (length > LINE_LIMIT) cut = TOO_LONG;
    *out = (line){in->line ? in->line : "", length, ++in->line_number, from->name, cut};
    return true;
}

bool lines_next(line *out, lines *in) {
    tell(in);
    in->asked++;
    for (;;) {
        if (in->in_input) {
            if (next_line(out, in)) return true;
            in->in_input = false;
        }
        if (in->next >= in->session->opt.count) return false;
        const argument *a = &in->session->opt.arguments[in->next++];
        if (!is_input(a)) {
            *out = (line){a->text, strlen(a->text), in->next - in->first, NULL, NULL};
            return true;
        }
        in->in_input = input_open(&in->from, in->session, "-");
        tell(in); /* before the first line is read */
    }
}

void lines_stop(lines *in) {
    heartbeat_count(NULL);
    input_close(&in->from);
    free(in->line);
}

bool lines_ready(const lines *in) {
    const input *from = &in->from;
    return in->in_input && from->at < from->filled && memchr(from->buffer + from->at, '\n', from->filled - from->at);
}

const char *line_origin(char out[40], const line *l) {
    if (l->input) return l->input;
    snprintf(out, 40, "string %zu", l->number);
    return out;
}

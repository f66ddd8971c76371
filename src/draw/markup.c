#include "draw/markup.h"

#include <string.h>

void markup_escape(text *t, const char *bytes) {
    size_t length = strlen(bytes);
    for (size_t k = 0; k < length;) {
        uint32_t code;
        size_t size = utf8_decode(&code, bytes + k, length - k);
        if (size == 0 || code < 0x20 || code == 0x7F || code == 0xFFFE || code == 0xFFFF)
            text_puts(t, "\uFFFD");
        else if (code == '&')
            text_puts(t, "&amp;");
        else if (code == '<')
            text_puts(t, "&lt;");
        else if (code == '>')
            text_puts(t, "&gt;");
        else if (code == '"')
            text_puts(t, "&quot;");
        else
            text_add(t, bytes + k, size);
        k += size ? size : 1;
    }
}

static void leave_tag(markup *m) {
    if (m->in_tag) text_puts(&m->out, m->is_empty ? "/>\n" : ">");
    m->in_tag = m->is_empty = false;
}

static void begin_tag(markup *m, const char *name) {
    leave_tag(m);
    text_putc(&m->out, '<');
    text_puts(&m->out, name);
    m->in_tag = true;
}

void markup_open(markup *m, const char *name) {
    if (m->depth == MARKUP_DEPTH) trap_raise(m->out.arena->trap, TEMPER_LIMIT, 0, 0, "nested too deeply");
    begin_tag(m, name);
    m->open[m->depth++] = name;
}

void markup_empty(markup *m, const char *name) {
    begin_tag(m, name);
    m->is_empty = true;
}

const char *markup_close(markup *m) {
    leave_tag(m);
    const char *name = m->open[--m->depth];
    text_puts(&m->out, "</");
    text_puts(&m->out, name);
    text_putc(&m->out, '>');
    return name;
}

void markup_string(markup *m, const char *name, const char *value) {
    text_printf(&m->out, " %s=\"", name);
    markup_escape(&m->out, value);
    text_putc(&m->out, '"');
}

void markup_put(markup *m, const char *bytes) {
    leave_tag(m);
    markup_escape(&m->out, bytes);
}

void markup_raw(markup *m, const char *bytes) {
    leave_tag(m);
    text_puts(&m->out, bytes);
}

#include "draw/html.h"
#include "draw/svg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char html_newline[] = "&#10;";

static void leave_tag(html *h) {
    if (h->in_tag) text_puts(&h->out, h->is_empty ? "/>\n" : ">");
    h->in_tag = h->is_empty = false;
}

static void begin_tag(html *h, const char *name) {
    leave_tag(h);
    text_putc(&h->out, '<');
    text_puts(&h->out, name);
    h->in_tag = true;
}

void html_open(html *h, const char *name) {
    if (h->depth == HTML_DEPTH) trap_raise(h->out.arena->trap, TEMPER_LIMIT, 0, 0, "page nested too deeply");
    begin_tag(h, name);
    h->open[h->depth++] = name;
}

/* Line breaks only where they are not shown. */
static bool is_block(const char *name) {
    static const char *const blocks[] = {"tr",      "table",  "div",  "p",    "section", "figure", "h1",  "h2",
                                         "h3",      "dt",     "dd",   "dl",   "thead",   "tbody",  "pre", "title",
                                         "header",  "main",   "ul",   "li",   "details", "footer", "nav", "summary",
                                         "caption", "script", "head", "body", "style",   "html"};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        if (!strcmp(name, blocks[k])) return true;
    return false;
}

void html_close(html *h) {
    leave_tag(h);
    const char *name = h->open[--h->depth];
    text_puts(&h->out, "</");
    text_puts(&h->out, name);
    text_putc(&h->out, '>');
    if (is_block(name)) text_putc(&h->out, '\n');
}

void html_empty(html *h, const char *name) {
    begin_tag(h, name);
    h->is_empty = true;
}

void html_string(html *h, const char *name, const char *value) {
    text_printf(&h->out, " %s=\"", name);
    svg_escape(&h->out, value);
    text_putc(&h->out, '"');
}

/* Only our own short words and numbers come here, so a fixed buffer holds them. */
static void print(char out[160], const char *format, va_list list) { vsnprintf(out, 160, format, list); }

void html_format(html *h, const char *name, const char *format, ...) {
    char value[160];
    va_list list;
    va_start(list, format);
    print(value, format, list);
    va_end(list);
    html_string(h, name, value);
}

void html_put(html *h, const char *bytes) {
    leave_tag(h);
    svg_escape(&h->out, bytes);
}

void html_print(html *h, const char *format, ...) {
    char value[160];
    va_list list;
    va_start(list, format);
    print(value, format, list);
    va_end(list);
    html_put(h, value);
}

void html_raw(html *h, const char *bytes) {
    leave_tag(h);
    text_puts(&h->out, bytes);
}

void html_element(html *h, const char *name, const char *class_name, const char *bytes) {
    html_open(h, name);
    if (class_name) html_string(h, "class", class_name);
    html_put(h, bytes);
    html_close(h);
}

void html_title_begin(html *h) {
    text_puts(&h->out, " title=\"");
    h->in_tag = false; /* what is put now belongs to the attribute */
}

void html_title_end(html *h) {
    text_putc(&h->out, '"');
    h->in_tag = true;
}

void html_number(html *h, double x, int digits) {
    leave_tag(h);
    label_number(&h->out, x, digits);
}

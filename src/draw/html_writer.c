#include "draw/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char html_newline[] = "&#10;";

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
    if (is_block(markup_close(h))) text_putc(&h->out, '\n');
}

/* Only our own short words and numbers come here, so a fixed buffer holds them. */
static void print(char out[160], const char *format, va_list list) { print_list(out, 160, format, list); }

void html_format(html *h, const char *name, const char *format, ...) {
    char value[160];
    va_list list;
    va_start(list, format);
    print(value, format, list);
    va_end(list);
    markup_string(h, name, value);
}

void html_print(html *h, const char *format, ...) {
    char value[160];
    va_list list;
    va_start(list, format);
    print(value, format, list);
    va_end(list);
    markup_put(h, value);
}

void html_element(html *h, const char *name, const char *class_name, const char *bytes) {
    markup_open(h, name);
    if (class_name) markup_string(h, "class", class_name);
    markup_put(h, bytes);
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
    markup_raw(h, "");
    label_number(&h->out, x, digits);
}

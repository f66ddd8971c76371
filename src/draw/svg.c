#include "draw/svg.h"

#include <math.h>
#include <string.h>

void svg_coordinate(text *t, double x) {
    if (!(fabs(x) < 1e12)) x = 0; /* a coordinate that is no number would make the whole file invalid */
    long long hundredths = llround(x * 100);
    if (hundredths < 0) text_putc(t, '-');
    unsigned long long size = (unsigned long long)(hundredths < 0 ? -hundredths : hundredths);
    text_printf(t, "%llu", size / 100);
    unsigned rest = (unsigned)(size % 100);
    if (rest % 10)
        text_printf(t, ".%02u", rest);
    else if (rest)
        text_printf(t, ".%u", rest / 10);
}

void svg_escape(text *t, const char *bytes) {
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

static void leave_tag(svg *s) {
    if (s->in_tag) text_putc(&s->out, '>');
    s->in_tag = false;
}

void svg_open(svg *s, const char *name) {
    leave_tag(s);
    if (s->depth == SVG_DEPTH) trap_raise(s->out.arena->trap, TEMPER_LIMIT, 0, 0, "picture nested too deeply");
    s->open[s->depth++] = name;
    text_putc(&s->out, '<');
    text_puts(&s->out, name);
    s->in_tag = true;
}

void svg_close(svg *s) {
    const char *name = s->open[--s->depth];
    if (s->in_tag)
        text_puts(&s->out, "/>");
    else
        text_printf(&s->out, "</%s>", name);
    s->in_tag = false;
    if (strcmp(name, "title") && strcmp(name, "tspan")) text_putc(&s->out, '\n');
}

void svg_string(svg *s, const char *name, const char *value) {
    text_printf(&s->out, " %s=\"", name);
    svg_escape(&s->out, value);
    text_putc(&s->out, '"');
}

void svg_number(svg *s, const char *name, double value) {
    text_printf(&s->out, " %s=\"", name);
    svg_coordinate(&s->out, value);
    text_putc(&s->out, '"');
}

void svg_fill(svg *s, svg_colour colour) {
    text_printf(&s->out, " fill=\"#%02x%02x%02x\"", colour.red, colour.green, colour.blue);
}

void svg_content(svg *s, const char *bytes) {
    leave_tag(s);
    svg_escape(&s->out, bytes);
}

void svg_title(svg *s, const char *bytes) {
    svg_open(s, "title");
    svg_content(s, bytes);
    svg_close(s);
}

void svg_rect(svg *s, double x, double y, double width, double height) {
    svg_open(s, "rect");
    svg_number(s, "x", x);
    svg_number(s, "y", y);
    svg_number(s, "width", width);
    svg_number(s, "height", height);
}

void svg_label_open(svg *s, double x, double y, double size, const char *anchor) {
    svg_open(s, "text");
    svg_number(s, "x", x);
    svg_number(s, "y", y);
    svg_number(s, "font-size", size);
    if (strcmp(anchor, "start")) svg_string(s, "text-anchor", anchor);
}

void svg_label(svg *s, double x, double y, double size, const char *anchor, const char *bytes) {
    svg_label_open(s, x, y, size, anchor);
    svg_content(s, bytes);
    svg_close(s);
}

void svg_begin(svg *s, arena *a, double width, double height, const char *title) {
    text_init(&s->out, a);
    s->depth = 0;
    s->in_tag = false;
    text_puts(&s->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    svg_open(s, "svg");
    svg_string(s, "xmlns", "http://www.w3.org/2000/svg");
    svg_number(s, "width", width);
    svg_number(s, "height", height);
    text_puts(&s->out, " viewBox=\"0 0 ");
    svg_coordinate(&s->out, width);
    text_putc(&s->out, ' ');
    svg_coordinate(&s->out, height);
    text_putc(&s->out, '"');
    svg_string(s, "font-family", "sans-serif");
    svg_string(s, "fill", "#222222");
    svg_string(s, "role", "img");
    leave_tag(s);
    text_putc(&s->out, '\n');
    svg_title(s, title);
    svg_rect(s, 0, 0, width, height);
    svg_string(s, "fill", "#ffffff");
    svg_close(s);
}

const char *svg_finish(svg *s) {
    while (s->depth > 0) svg_close(s);
    return text_string(&s->out);
}

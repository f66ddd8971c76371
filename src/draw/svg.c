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

void svg_close(svg *s) {
    const char *name = s->open[s->depth - 1];
    if (s->in_tag) {
        text_puts(&s->out, "/>");
        s->in_tag = false;
        s->depth--;
    } else {
        markup_close(s);
    }
    if (strcmp(name, "title") && strcmp(name, "tspan")) text_putc(&s->out, '\n');
}

void svg_number(svg *s, const char *name, double value) {
    text_printf(&s->out, " %s=\"", name);
    svg_coordinate(&s->out, value);
    text_putc(&s->out, '"');
}

void svg_fill(svg *s, svg_colour colour) {
    text_printf(&s->out, " fill=\"#%02x%02x%02x\"", colour.red, colour.green, colour.blue);
}

void svg_stroke(svg *s, svg_colour colour, double width) {
    text_printf(&s->out, " stroke=\"#%02x%02x%02x\"", colour.red, colour.green, colour.blue);
    svg_number(s, "stroke-width", width);
}

void svg_title(svg *s, const char *bytes) {
    markup_open(s, "title");
    markup_put(s, bytes);
    svg_close(s);
}

void svg_rect(svg *s, double x, double y, double width, double height) {
    markup_open(s, "rect");
    svg_number(s, "x", x);
    svg_number(s, "y", y);
    svg_number(s, "width", width);
    svg_number(s, "height", height);
}

void svg_label_open(svg *s, double x, double y, double size, const char *anchor) {
    markup_open(s, "text");
    svg_number(s, "x", x);
    svg_number(s, "y", y);
    svg_number(s, "font-size", size);
    if (strcmp(anchor, "start")) markup_string(s, "text-anchor", anchor);
}

void svg_label(svg *s, double x, double y, double size, const char *anchor, const char *bytes) {
    svg_label_open(s, x, y, size, anchor);
    markup_put(s, bytes);
    svg_close(s);
}

void svg_begin(svg *s, arena *a, double width, double height, const char *title) {
    *s = (svg){0};
    text_init(&s->out, a);
    text_puts(&s->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    markup_open(s, "svg");
    markup_string(s, "xmlns", "http://www.w3.org/2000/svg");
    svg_number(s, "width", width);
    svg_number(s, "height", height);
    text_puts(&s->out, " viewBox=\"0 0 ");
    svg_coordinate(&s->out, width);
    text_putc(&s->out, ' ');
    svg_coordinate(&s->out, height);
    text_putc(&s->out, '"');
    markup_string(s, "font-family", "sans-serif");
    markup_string(s, "fill", "#222222");
    markup_string(s, "role", "img");
    markup_raw(s, "\n");
    svg_title(s, title);
    svg_rect(s, 0, 0, width, height);
    markup_string(s, "fill", "#ffffff");
    svg_close(s);
}

const char *svg_finish(svg *s) {
    while (s->depth > 0) svg_close(s);
    return text_string(&s->out);
}

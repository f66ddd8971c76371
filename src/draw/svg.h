/* A small SVG writer: elements, attributes, escaped text. It keeps the stack of open elements, so what it writes is
   well-formed XML whatever the text holds. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "base/text.h"

enum { SVG_DEPTH = 16 };

typedef struct svg {
    text out;
    const char *open[SVG_DEPTH]; /* names of open elements */
    size_t depth;
    bool in_tag; /* attributes may still be added to the innermost */
} svg;

typedef struct svg_colour {
    unsigned char red, green, blue;
} svg_colour;

/* Opens the document and its root element, with a white page of that size and a title for readers and tools. */
void svg_begin(svg *s, arena *a, double width, double height, const char *title);
/* Closes whatever is open. */
const char *svg_finish(svg *s);

void svg_open(svg *s, const char *name);
void svg_close(svg *s);

/* Attributes of the element just opened. Numbers are written with at most two decimals. */
void svg_string(svg *s, const char *name, const char *value);
void svg_number(svg *s, const char *name, double value);
void svg_fill(svg *s, svg_colour colour);

void svg_content(svg *s, const char *bytes); /* escaped text inside the innermost element */
void svg_title(svg *s, const char *bytes);   /* <title>: the tooltip of the innermost element */

void svg_rect(svg *s, double x, double y, double width, double height); /* open: add attributes, then svg_close */

/* A whole <text> element; anchor is start, middle or end; more attributes through svg_label_open. */
void svg_label(svg *s, double x, double y, double size, const char *anchor, const char *bytes);
void svg_label_open(svg *s, double x, double y, double size, const char *anchor);

/* User text for XML and HTML, content or attribute in double quotes. XML 1.0 allows tab, line breaks and everything
   from blank on except surrogates and two non-characters; what it does not allow becomes U+FFFD. */
void svg_escape(text *t, const char *bytes);

/* A coordinate as it is written, for path data. */
void svg_coordinate(text *t, double x);

#endif

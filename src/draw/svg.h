/* SVG pictures: the writer of markup with what pictures need. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "draw/markup.h"

typedef markup svg;

typedef struct svg_colour {
    unsigned char red, green, blue;
} svg_colour;

/* Opens the document and its root element, with a white page of that size and a title for readers and tools. */
void svg_begin(svg *s, arena *a, double width, double height, const char *title);
/* Closes whatever is open. */
const char *svg_finish(svg *s);

/* An element without content ends in "/>". Elements begin with markup_open. */
void svg_close(svg *s);

/* Attributes of the element just opened. Numbers are written with at most two decimals. */
void svg_number(svg *s, const char *name, double value);
void svg_fill(svg *s, svg_colour colour);
void svg_stroke(svg *s, svg_colour colour, double width);

void svg_title(svg *s, const char *bytes); /* <title>: the tooltip of the innermost element */

void svg_rect(svg *s, double x, double y, double width, double height); /* open: add attributes, then svg_close */

/* A whole <text> element; anchor is start, middle or end; more attributes through svg_label_open. */
void svg_label(svg *s, double x, double y, double size, const char *anchor, const char *bytes);
void svg_label_open(svg *s, double x, double y, double size, const char *anchor);

/* A coordinate as it is written, for path data. */
void svg_coordinate(text *t, double x);

#endif

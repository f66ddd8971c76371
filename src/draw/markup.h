/* What SVG pictures and HTML pages are written with: elements, attributes, escaped text. The writer keeps the
   stack of open elements, so what it writes is well-formed XML whatever the text holds. */
#ifndef DRAW_MARKUP_H
#define DRAW_MARKUP_H

#include "base/text.h"

enum { MARKUP_DEPTH = 16 };

typedef struct markup {
    text out;
    const char *open[MARKUP_DEPTH]; /* names of open elements */
    size_t depth;
    bool in_tag;   /* attributes may still be added to the element that was begun last, ... */
    bool is_empty; /* ... which has no content and needs no end */
} markup;

void markup_open(markup *m, const char *name);
/* Begins an element without content. Attributes may follow; it ends by itself. */
void markup_empty(markup *m, const char *name);
/* Ends the innermost element, and says its name. */
const char *markup_close(markup *m);

/* An attribute of the element just begun. */
void markup_string(markup *m, const char *name, const char *value);
/* Text inside the innermost element: escaped, and as it is (style, script and what is made of numbers). */
void markup_put(markup *m, const char *bytes);
void markup_raw(markup *m, const char *bytes);

/* User text, for content or for an attribute in double quotes. XML 1.0 allows tab, line breaks and everything from
   blank on except surrogates and two non-characters; what it does not allow becomes U+FFFD. */
void markup_escape(text *t, const char *bytes);

#endif

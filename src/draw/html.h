/* The HTML page of a run: the writer of markup with what pages need, and what the files html_*.c share. */
#ifndef DRAW_HTML_H
#define DRAW_HTML_H

#include "draw/heat_map.h"
#include "draw/markup.h"

typedef markup html;

void html_close(html *h);

/* An attribute as printf makes it, for what holds no user text. */
void html_format(html *h, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

void html_print(html *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A whole element with text; class may be NULL. */
void html_element(html *h, const char *name, const char *class_name, const char *bytes);

/* A tooltip written piece by piece: open, put, newline, close. */
void html_title_begin(html *h);
void html_title_end(html *h);
extern const char html_newline[]; /* for markup_raw inside a tooltip */

/* A number: exact (the fewest digits that read back), or short for cells. */
void html_number(html *h, double x, int digits);

/* ---- what the page is about ---- */

/* A subformula: its truth, and where the model makes it. At least one of the two is known. */
typedef struct truth_row {
    const char *label;          /* as it may be shown */
    const unsigned char *truth; /* [n] by the formula's own semantics; NULL: the formula is not known */
    bool placed;                /* the model says where it is made: */
    size_t layer;
    long head, channel; /* -1: none */
} truth_row;

typedef struct html_page {
    html out;
    heat_map map;
    arena *arena;
    const temper_model *model;
    const temper_run *run, *hard; /* hard may be NULL, or the run itself */
    bool is_hard;                 /* the run chose hard */
    bool whole;                   /* all layers and heads were asked for */
    bool is_part;                 /* not a page, but a part of one: without script, names and links */
    const char **letters;         /* [N] as shown */
    truth_row *rows;
    size_t row_count, rows_left_out;
    bool compiled;      /* the model says where it makes its formula */
    size_t differences; /* places where formula and model disagree */
    bool broken;        /* a weight is not a number */
} html_page;

/* The position whose truth is the answer. */
size_t html_verdict_position(const html_page *p);

/* html_truth.c: finds the rows; then the table of the string, its subformulas and the answer */
void html_find_rows(html_page *p);
void html_put_string(html_page *p);

/* html_heads.c: layers, their heads as heat maps */
void html_fit(html_page *p);
void html_put_legend(html_page *p);
void html_put_layers(html_page *p);

/* html_packed.c: attributes of the table's body, from which the script makes the cells of a large head */
void html_put_packed(html_page *p, const heat_panel *panel);

/* html_channels.c: the residual stream after a layer (0: the embedding), folded away */
bool html_has_channels(const html_page *p);
void html_put_channels(html_page *p, size_t layer);

/* Column headings of a table over positions (or blocks of them): letter and number. */
void html_put_columns(html_page *p, size_t cells, size_t block);

/* html_assets.c: what src/draw/page has: the style of a page, or of a part of one, and the script */
const char *html_style(arena *a, bool is_part);
const char *html_script(void);
enum { HTML_SHADES = 17 };

/* html_summary.c: the string as a heading shows it; the specification if it is one short line, else NULL */
const char *html_string_text(const html_page *p);
const char *html_short_source(const html_page *p);
void html_put_heading(html_page *p);
void html_put_words(html_page *p); /* the formula as a sentence, where the model carries one */
void html_put_verdict(html_page *p);
void html_put_summary(html_page *p);

#endif

/* Charts as SVG: one or more panels with axes (linear, logarithmic, or names), series of lines, steps and markers,
   and each series' name beside its end rather than in a legend. Colours are told apart by the colour-blind, and
   markers differ too, so that a chart reads in grey. Series that coincide are drawn inside each other. Text stays
   text. Sizes are meant for print: one panel in a column of 8 cm, three across a page of 17 cm, with ticks of 6
   points or more.

   A chart is data: fill the structures, call chart_svg. Points that are not finite, or not positive on a logarithmic
   axis, are left out and break the line. Everything is borrowed until chart_svg returns. */
#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "base/text.h"

typedef enum chart_scale { SCALE_LINEAR, SCALE_LOG, SCALE_NAMES } chart_scale;

typedef struct chart_axis {
    const char *label;
    chart_scale scale;
    double least, most;       /* both 0: from the data, widened to whole ticks */
    const char *const *names; /* SCALE_NAMES: coordinates 0, 1, 2, ... are shown as these */
    size_t name_count;
} chart_axis;

/* How a series is drawn; combined with |. Without any: a line. */
enum {
    DRAW_LINE = 1,
    DRAW_STEPS = 2,
    DRAW_MARKERS = 4,
    DRAW_DASHED = 8,
    DRAW_FAINT = 16 /* grey, behind the others */
};

typedef struct chart_series {
    const char *name;    /* beside its end; "" for none */
    const double *x, *y; /* [count] */
    size_t count;
    unsigned style;
    int colour; /* 0: by its place in the panel; k: the k-th of the palette, so that panels agree */
} chart_series;

/* A straight line across the panel with a note: a limit, a law. */
typedef struct chart_rule {
    bool vertical;
    double at;
    const char *note;
} chart_rule;

typedef struct chart_panel {
    const char *title;
    chart_axis x, y;
    const chart_series *series;
    size_t series_count;
    const chart_rule *rules;
    size_t rule_count;
} chart_panel;

typedef struct chart {
    const char *title;   /* above all panels */
    const char *caption; /* below, wrapped; "" for none */
    const chart_panel *panels;
    size_t panel_count, columns;      /* panels in a row; 0: as many as fit */
    double panel_width, panel_height; /* of the area inside the axes; 0: chosen */
    bool shared_y;                    /* all panels have the same y axis: only the first of a row shows it */
    bool legend;                      /* all names above, each once, instead of beside the ends */
} chart;

enum { CHART_COLOURS = 8 };

/* The picture, in the arena. Raises TEMPER_LIMIT beyond some millions of points. */
const char *chart_svg(arena *a, const chart *c);

/* ---- shared with tests ---- */

/* Ticks of an axis from least to most: at most `most_ticks` round numbers (1, 2, 5 times powers of ten; decades or
   1-2-5 on a logarithmic axis). Returns how many are in ticks[0...]; the array holds CHART_TICKS. */
enum { CHART_TICKS = 128 };
size_t chart_ticks(double ticks[CHART_TICKS], double least, double most, bool log, size_t most_ticks);

/* Moves labels of height `height`, wanted at at[0..count), apart inside [top, bottom], in their order; the least
   possible shift for groups that touch. */
void chart_spread(double *at, size_t count, double height, double top, double bottom);

/* "10⁴", "0.01", "2.5": short for an axis; with `powers` numbers beyond 1 and 10 are written as powers of ten. */
void chart_tick_label(text *t, double x, bool powers);

#endif

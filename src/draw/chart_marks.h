/* The marks of a chart: colours, markers, lines, and how series that run over each other stay visible. */
#ifndef DRAW_CHART_MARKS_H
#define DRAW_CHART_MARKS_H

#include "draw/chart.h"
#include "draw/svg.h"

svg_colour chart_colour(const chart_series *s, size_t k);      /* of the k-th series of a panel */
svg_colour chart_text_colour(const chart_series *s, size_t k); /* the same, dark enough to be read on white */
size_t chart_marker(const chart_series *s, size_t k);          /* shape, for chart_put_marker */

void chart_straight(svg *s, double x1, double y1, double x2, double y2, svg_colour c,
                    double width); /* open: add attributes, then svg_close */

/* Eight shapes by turns, four filled, four that differ from them without colour too. */
void chart_put_marker(svg *s, size_t shape, double x, double y, double r, svg_colour c);

/* A point in user units; `shown` is false where the series is broken. */
typedef struct chart_point {
    double x, y;
    bool shown, marked; /* marked: inside the panel */
    unsigned under;     /* how many series are drawn over it at the same place */
} chart_point;

/* Counts them: points[k][series[k]->count] of some series in the order they are drawn. Lines hide lines and markers
   hide markers. Long series are left as they are. */
void chart_find_overlaps(chart_point *const *points, const chart_series *const *series, size_t count);

/* The line and the markers of a series. Where it lies under others it is wider, so that it shows on both sides. */
void chart_put_marks(svg *out, arena *a, const chart_series *s, size_t k, const chart_point *points);

#endif

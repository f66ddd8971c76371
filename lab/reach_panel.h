/* How far operators are carried, as one panel of a chart: a row a schedule or a bias. */
#ifndef LAB_REACH_PANEL_H
#define LAB_REACH_PANEL_H

#include "draw/chart.h"
#include "temper_lab.h"

/* Of the operator number op, by its name: n cells, the first on top; names are from below. No line is longer than the
   edge. */
chart_panel reach_panel(arena *a, const char *name, size_t op, const temper_schedule_cell *const *cells,
                        const char **names, size_t n, double edge);

#endif

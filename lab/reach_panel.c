/* Lengths that were run and are the last right ones, those beyond which nothing was run, and the law. */
#include "lab/reach_panel.h"

#include <math.h>

static const double LEFT = 0.7; /* of the axis, and of what carries no letter */

chart_panel reach_panel(arena *a, const char *name, size_t op, const temper_schedule_cell *const *cells,
                        const char **names, size_t n, double edge) {
    chart_series *series = arena_alloc(a, 3, sizeof *series);
    double *line_x = arena_alloc(a, 3 * n, sizeof *line_x), *line_y = arena_alloc(a, 3 * n, sizeof *line_y);
    double *end = arena_alloc(a, n, sizeof *end), *law = arena_alloc(a, n, sizeof *law),
           *y = arena_alloc(a, n, sizeof *y);
    for (size_t k = 0; k < n; k++) {
        const temper_schedule_cell *c = cells[k];
        double reach = fmax((double)c->reach, LEFT);
        y[k] = (double)(n - 1 - k);
        end[k] = c->ends ? reach : NAN;
        law[k] = isfinite(c->law) ? fmin(fmax(c->law, LEFT), edge) : NAN;
        line_x[3 * k] = LEFT;
        line_x[3 * k + 1] = !c->ends && !isfinite(c->law) ? edge : reach;
        line_x[3 * k + 2] = NAN;
        line_y[3 * k] = line_y[3 * k + 1] = line_y[3 * k + 2] = y[k];
    }
    series[0] = (chart_series){"", line_x, line_y, 3 * n, DRAW_LINE, (int)op + 1};
    series[1] = (chart_series){"", law, y, n, DRAW_MARKERS | DRAW_FAINT, 0};
    series[2] = (chart_series){"", end, y, n, DRAW_MARKERS, (int)op + 1};
    return (chart_panel){
        name, {"length", SCALE_LOG, LEFT, edge, NULL, 0}, {"", SCALE_NAMES, 0, 0, names, n}, series, 3, NULL, 0};
}

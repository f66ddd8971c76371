#include "draw/chart.h"

#include "draw/chart_marks.h"
#include "draw/label.h"
#include "number/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 2000000, CAPTION_LINES = 6, TITLE_LINES = 2 };

/* Lengths in user units (pixels at 96 to the inch). */
static const double page_width = 960, edge = 14, gap = 24, title_size = 15, panel_title_size = 13, label_size = 12,
                    tick_size = 11, name_size = 11.5, shared_left = 6, legend_line = 20;

typedef struct scaled {
    const chart_axis *axis;
    double least, most; /* of the data, or given */
    double from, to;    /* in user units */
    bool vertical;
    double ticks[CHART_TICKS];
    size_t tick_count;
} scaled;

typedef struct box {
    double left, right, top, bottom; /* room around the area inside the axes */
} box;

typedef struct drawing {
    svg out;
    arena *arena;
    const chart *chart;
    double width, height; /* of a panel's area */
    box margin;           /* the largest of all panels, so that areas line up */
    size_t columns;
    double step, extra; /* from panel to panel; how much wider the first of a row is */
    bool powers[2];     /* some panel has powers of ten on its x or y axis: others that can have them, too */
} drawing;

/* ---- scales ---- */

static bool fits(const chart_axis *axis, double x) { return isfinite(x) && (axis->scale != SCALE_LOG || x > 0); }

static double place(const scaled *s, double x) {
    double low = s->least, high = s->most;
    if (s->axis->scale == SCALE_LOG) x = log_f64(x), low = log_f64(low), high = log_f64(high);
    double part = high > low ? (x - low) / (high - low) : 0.5;
    return s->from + part * (s->to - s->from);
}

static void widen(scaled *s, double x) {
    if (!fits(s->axis, x)) return;
    if (x < s->least) s->least = x;
    if (x > s->most) s->most = x;
}

/* The range of an axis; whole ticks at the ends where the data say. */
static void set_range(scaled *s, const drawing *d, const chart_panel *p, bool vertical) {
    const chart_axis *axis = s->axis = vertical ? &p->y : &p->x;
    size_t most_ticks = (size_t)(vertical ? d->height / 26 : d->width / (axis->scale == SCALE_LOG ? 32 : 40));
    s->vertical = vertical;
    s->least = INFINITY, s->most = -INFINITY;
    if (axis->scale == SCALE_NAMES) {
        s->least = -0.5, s->most = (double)axis->name_count - 0.5;
        s->tick_count = axis->name_count;
        for (size_t k = 0; k < s->tick_count; k++) s->ticks[k] = (double)k;
        return;
    }
    bool given = axis->least != 0 || axis->most != 0;
    if (given) {
        s->least = axis->least, s->most = axis->most;
    } else {
        for (size_t k = 0; k < p->series_count; k++)
            for (size_t j = 0; j < p->series[k].count; j++)
                if (fits(&p->x, p->series[k].x[j]) && fits(&p->y, p->series[k].y[j]))
                    widen(s, vertical ? p->series[k].y[j] : p->series[k].x[j]);
        for (size_t k = 0; k < p->rule_count; k++)
            if (p->rules[k].vertical != vertical) widen(s, p->rules[k].at);
        if (!(s->least <= s->most))
            s->least = axis->scale == SCALE_LOG ? 1 : 0, s->most = axis->scale == SCALE_LOG ? 10 : 1;
        if (s->least == s->most) {
            if (axis->scale == SCALE_LOG)
                s->least /= 2, s->most *= 2;
            else
                s->least -= 0.5, s->most += 0.5;
        }
    }
    s->tick_count = chart_ticks(s->ticks, s->least, s->most, axis->scale == SCALE_LOG, most_ticks);
    if (given || s->tick_count < 2) return;
    if (axis->scale == SCALE_LINEAR) { /* out to the next tick */
        double step = s->ticks[1] - s->ticks[0], first = s->ticks[0], last = s->ticks[s->tick_count - 1];
        if (s->least < first - step * 1e-6) s->least = first - step;
        if (s->most > last + step * 1e-6) s->most = last + step;
        s->tick_count = chart_ticks(s->ticks, s->least, s->most, false, most_ticks + 2);
    } else { /* a little air */
        double air = exp_f64(0.03 * log_f64(s->most / s->least));
        s->least /= air, s->most *= air;
    }
}

static bool has_powers(const scaled *s) {
    return s->axis->scale == SCALE_LOG && s->tick_count &&
           (s->ticks[s->tick_count - 1] > 9999 || s->ticks[0] < 0.002);
}

/* Powers of ten only. */
static bool is_decimal(const scaled *s) {
    bool decades = s->axis->scale == SCALE_LOG && s->tick_count > 1;
    for (size_t k = 1; k < s->tick_count; k++) decades = decades && s->ticks[k] > 9.9 * s->ticks[k - 1];
    return decades;
}

static const char *tick_text(const drawing *d, const scaled *s, size_t k) {
    text t;
    if (s->axis->scale == SCALE_NAMES) return s->axis->names[k];
    text_init(&t, d->arena);
    chart_tick_label(&t, s->ticks[k], has_powers(s) || (d->powers[s->vertical] && is_decimal(s)));
    return text_string(&t);
}

static double ems(const char *string) { return label_width(string, label_ems); }

/* ---- room ---- */

static bool is_labelled(const drawing *d, const chart_series *s) {
    return !d->chart->legend && s->name && *s->name && s->count;
}

static void measure_panel(box *m, const drawing *d, const chart_panel *p) {
    scaled y;
    double widest = 0, names = 0;
    set_range(&y, d, p, true);
    for (size_t k = 0; k < y.tick_count; k++) widest = fmax(widest, ems(tick_text(d, &y, k)) * tick_size);
    for (size_t k = 0; k < p->series_count; k++)
        if (is_labelled(d, &p->series[k])) names = fmax(names, ems(p->series[k].name) * name_size + 12);
    m->left = fmax(m->left, widest + 10 + (p->y.label && *p->y.label ? label_size + 6 : 0));
    m->right = fmax(m->right, names + 4);
    m->top = fmax(m->top, p->title && *p->title ? panel_title_size + 10 : 6);
    m->bottom = fmax(m->bottom, tick_size + 10 + (p->x.label && *p->x.label ? label_size + 6 : 0));
}

/* ---- series ---- */

static void place_series(chart_point *out, const chart_panel *p, const chart_series *s, const scaled *x,
                         const scaled *y) {
    for (size_t j = 0; j < s->count; j++) {
        chart_point *o = &out[j];
        o->shown = fits(&p->x, s->x[j]) && fits(&p->y, s->y[j]);
        if (!o->shown) continue;
        o->x = place(x, s->x[j]), o->y = place(y, s->y[j]);
        o->marked = o->x >= x->from - 1 && o->x <= x->to + 1 && o->y <= y->from + 1 && o->y >= y->to - 1;
    }
}

/* Faint ones first, the others in their order. */
static void put_series(drawing *d, const chart_panel *p, const scaled *x, const scaled *y) {
    size_t count = 0;
    size_t *order = arena_alloc(d->arena, p->series_count + 1, sizeof *order);
    const chart_series **series = arena_alloc(d->arena, p->series_count + 1, sizeof *series);
    chart_point **points = arena_alloc(d->arena, p->series_count + 1, sizeof *points);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < p->series_count; k++)
            if (((p->series[k].style & DRAW_FAINT) == 0) == (pass == 1)) order[count++] = k;
    for (size_t k = 0; k < count; k++) {
        const chart_series *s = series[k] = &p->series[order[k]];
        points[k] = arena_zalloc(d->arena, s->count + 1, sizeof **points);
        place_series(points[k], p, s, x, y);
    }
    chart_find_overlaps(points, series, count);
    for (size_t k = 0; k < count; k++) chart_put_marks(&d->out, d->arena, series[k], order[k], points[k]);
}

/* ---- names beside the ends ---- */

typedef struct end_label {
    size_t series;
    double at; /* where the series ends, then where its name goes */
} end_label;

static int by_height(const void *x, const void *y) {
    const end_label *a = x, *b = y;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : (a->series > b->series) - (a->series < b->series);
}

static double inside(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void put_names(drawing *d, const chart_panel *p, const scaled *x, const scaled *y) {
    end_label *labels = arena_alloc(d->arena, p->series_count + 1, sizeof *labels);
    double *ends_x = arena_zalloc(d->arena, p->series_count + 1, sizeof *ends_x);
    double *wanted = arena_alloc(d->arena, p->series_count + 1, sizeof *wanted);
    size_t count = 0;
    for (size_t k = 0; k < p->series_count; k++) {
        const chart_series *s = &p->series[k];
        if (!is_labelled(d, s)) continue;
        size_t last = s->count;
        while (last > 0 && !(fits(&p->x, s->x[last - 1]) && fits(&p->y, s->y[last - 1]))) last--;
        if (last == 0) continue;
        labels[count] = (end_label){k, inside(place(y, s->y[last - 1]), y->to, y->from)};
        ends_x[k] = inside(place(x, s->x[last - 1]), x->from, x->to);
        count++;
    }
    qsort(labels, count, sizeof *labels, by_height);
    for (size_t k = 0; k < count; k++) wanted[k] = labels[k].at;
    chart_spread(wanted, count, name_size + 1.5, y->to + 2, y->from - 2);
    for (size_t k = 0; k < count; k++) {
        const chart_series *s = &p->series[labels[k].series];
        svg_colour c = chart_text_colour(s, labels[k].series);
        double end = ends_x[labels[k].series];
        if (fabs(wanted[k] - labels[k].at) > 3 || end < x->to - 4) { /* a thin line to the end it belongs to */
            chart_straight(&d->out, end + 4, labels[k].at, x->to + 6, wanted[k], c, 0.5);
            markup_string(&d->out, "stroke-opacity", "0.6");
            svg_close(&d->out);
        }
        svg_label_open(&d->out, x->to + 8, wanted[k] + name_size * 0.35, name_size, "start");
        svg_fill(&d->out, c);
        markup_put(&d->out, s->name);
        svg_close(&d->out);
    }
}

/* ---- a panel ---- */

/* Every which tick of an x axis can have a label so that none touches the next. */
static size_t label_step(const drawing *d, const scaled *x) {
    for (size_t every = 1;; every++) {
        double end = -INFINITY; /* of the last label */
        bool touch = false;
        for (size_t k = 0; k < x->tick_count && !touch; k += every) {
            double at = place(x, x->ticks[k]), half = ems(tick_text(d, x, k)) * tick_size * 0.47;
            touch = at - half < end + 4;
            end = at + half;
        }
        if (!touch) return every;
    }
}

static void put_axes(drawing *d, const chart_panel *p, const scaled *x, const scaled *y, bool first) {
    static const svg_colour grid = {228, 228, 228}, dark = {60, 60, 60};
    svg *s = &d->out;
    for (size_t k = 0; k < y->tick_count; k++) {
        double at = place(y, y->ticks[k]);
        chart_straight(s, x->from, at, x->to, at, grid, 0.8);
        svg_close(s);
        if (first) svg_label(s, x->from - 5, at + tick_size * 0.35, tick_size, "end", tick_text(d, y, k));
    }
    size_t every = label_step(d, x);
    for (size_t k = 0; k < x->tick_count; k++) {
        double at = place(x, x->ticks[k]);
        chart_straight(s, at, y->from, at, y->to, grid, 0.8);
        svg_close(s);
        if (k % every == 0) svg_label(s, at, y->from + tick_size + 5, tick_size, "middle", tick_text(d, x, k));
    }
    chart_straight(s, x->from, y->from, x->to, y->from, dark, 1);
    svg_close(s);
    chart_straight(s, x->from, y->from, x->from, y->to, dark, 1);
    svg_close(s);
    if (p->x.label && *p->x.label)
        svg_label(s, (x->from + x->to) / 2, y->from + tick_size + label_size + 11, label_size, "middle", p->x.label);
    if (first && p->y.label && *p->y.label) {
        double cx = x->from - d->margin.left + label_size, cy = (y->from + y->to) / 2;
        text turn;
        text_init(&turn, d->arena);
        text_puts(&turn, "rotate(-90 ");
        svg_coordinate(&turn, cx);
        text_putc(&turn, ' ');
        svg_coordinate(&turn, cy);
        text_putc(&turn, ')');
        svg_label_open(s, cx, cy, label_size, "middle");
        markup_string(s, "transform", text_string(&turn));
        markup_put(s, p->y.label);
        svg_close(s);
    }
}

static void put_rules(drawing *d, const chart_panel *p, const scaled *x, const scaled *y) {
    static const svg_colour dark = {90, 90, 90};
    for (size_t k = 0; k < p->rule_count; k++) {
        const chart_rule *r = &p->rules[k];
        if (!fits(r->vertical ? &p->x : &p->y, r->at)) continue;
        double at = place(r->vertical ? x : y, r->at);
        if (r->vertical)
            chart_straight(&d->out, at, y->from, at, y->to, dark, 1);
        else
            chart_straight(&d->out, x->from, at, x->to, at, dark, 1);
        markup_string(&d->out, "stroke-dasharray", "2 3");
        svg_close(&d->out);
        if (!r->note || !*r->note) continue;
        double width = ems(r->note) * tick_size;
        bool left = r->vertical && at + 4 + width > x->to; /* no room on the right */
        svg_label_open(&d->out, r->vertical ? at + (left ? -4 : 4) : x->from + 4,
                       r->vertical ? y->to + tick_size : at - 3, tick_size, left ? "end" : "start");
        svg_fill(&d->out, dark);
        markup_put(&d->out, r->note);
        svg_close(&d->out);
    }
}

static void put_panel(drawing *d, const chart_panel *p, size_t number, double left, double top, bool first) {
    scaled x, y;
    svg *s = &d->out;
    set_range(&x, d, p, false);
    set_range(&y, d, p, true);
    x.from = left + (first ? d->margin.left : shared_left), x.to = x.from + d->width;
    y.to = top + d->margin.top, y.from = y.to + d->height;
    markup_open(s, "g");
    if (p->title && *p->title) {
        svg_label_open(s, x.from, y.to - 6, panel_title_size, "start");
        markup_string(s, "font-weight", "bold");
        markup_put(s, label_cut(d->arena, p->title, (d->width + d->margin.right + gap - 6) / panel_title_size / 1.08,
                                label_ems, "…"));
        svg_close(s);
    }
    put_axes(d, p, &x, &y, first);
    text id, reference;
    text_init(&id, d->arena);
    text_printf(&id, "area%zu", number);
    text_init(&reference, d->arena);
    text_printf(&reference, "url(#%s)", text_string(&id));
    markup_open(s, "clipPath");
    markup_string(s, "id", text_string(&id));
    svg_rect(s, x.from - 4, y.to - 4, d->width + 8, d->height + 8);
    svg_close(s);
    svg_close(s);
    markup_open(s, "g");
    markup_string(s, "clip-path", text_string(&reference));
    put_series(d, p, &x, &y);
    svg_close(s);
    put_rules(d, p, &x, &y);
    put_names(d, p, &x, &y);
    svg_close(s);
}

/* ---- the page ---- */

static bool is_named_before(const chart *c, size_t panel, size_t series) {
    const char *name = c->panels[panel].series[series].name;
    for (size_t n = 0; n <= panel; n++)
        for (size_t k = 0; k < (n < panel ? c->panels[n].series_count : series); k++)
            if (c->panels[n].series[k].name && !strcmp(c->panels[n].series[k].name, name)) return true;
    return false;
}

/* Every name once, in the order of panels and series. With `out` NULL it is only measured; the return value is the
   number of lines. */
static size_t put_legend(const drawing *d, svg *out, double room, double top) {
    const chart *c = d->chart;
    double at = edge;
    size_t lines = 0;
    for (size_t n = 0; n < c->panel_count; n++)
        for (size_t k = 0; k < c->panels[n].series_count; k++) {
            const chart_series *s = &c->panels[n].series[k];
            double width = legend_line + 5 + ems(s->name ? s->name : "") * name_size;
            if (!s->name || !*s->name || is_named_before(c, n, k)) continue;
            if (!lines || at + width > edge + room) at = edge, lines++;
            if (out) {
                double y = top + (double)(lines - 1) * (name_size + 6), middle = y - name_size * 0.35;
                svg_colour colour = chart_colour(s, k);
                if (s->style & (DRAW_LINE | DRAW_STEPS) || !(s->style & DRAW_MARKERS)) {
                    chart_straight(out, at, middle, at + legend_line, middle, colour, 2);
                    if (s->style & DRAW_DASHED) markup_string(out, "stroke-dasharray", "5 3");
                    svg_close(out);
                }
                if (s->style & DRAW_MARKERS)
                    chart_put_marker(out, chart_marker(s, k), at + legend_line / 2, middle, 3.5, colour);
                svg_label_open(out, at + legend_line + 5, y, name_size, "start");
                svg_fill(out, chart_text_colour(s, k));
                markup_put(out, s->name);
                svg_close(out);
            }
            at += width + 16;
        }
    return lines;
}

static void lay_out(drawing *d) {
    const chart *c = d->chart;
    d->width = c->panel_width > 0 ? c->panel_width : c->panel_count > 1 ? 240 : 340;
    d->height = c->panel_height > 0 ? c->panel_height : c->panel_count > 1 ? 190 : 240;
    for (size_t k = 0; k < c->panel_count; k++)
        for (int vertical = 0; vertical < 2; vertical++) {
            scaled s;
            set_range(&s, d, &c->panels[k], vertical);
            d->powers[vertical] |= has_powers(&s);
        }
    for (size_t k = 0; k < c->panel_count; k++) measure_panel(&d->margin, d, &c->panels[k]);
    double one = (c->shared_y ? shared_left : d->margin.left) + d->width + d->margin.right,
           extra = c->shared_y ? d->margin.left - shared_left : 0;
    double across = floor((page_width - 2 * edge + gap - extra) / (one + gap));
    d->step = one + gap;
    d->extra = extra;
    d->columns = c->columns ? c->columns : across < 1 ? 1 : (size_t)across;
    if (d->columns > c->panel_count) d->columns = c->panel_count ? c->panel_count : 1;
}

const char *chart_svg(arena *a, const chart *c) {
    drawing d = {.arena = a, .chart = c};
    size_t points = 0;
    for (size_t k = 0; k < c->panel_count; k++)
        for (size_t j = 0; j < c->panels[k].series_count; j++) points += c->panels[k].series[j].count;
    if (points > MOST_POINTS) trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "chart: %zu points are too many", points);
    for (size_t k = 0; k < c->panel_count; k++)
        if (c->panels[k].x.name_count > CHART_TICKS || c->panels[k].y.name_count > CHART_TICKS)
            trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "chart: an axis has too many names");
    lay_out(&d);
    double tall = d.margin.top + d.height + d.margin.bottom;
    size_t rows = (c->panel_count + d.columns - 1) / d.columns;
    double width = 2 * edge + d.extra + (double)d.columns * d.step - gap, room = width - 2 * edge;
    const char *title[TITLE_LINES], *caption[CAPTION_LINES];
    /* Bold is wider than the measure. */
    size_t titles = c->title && *c->title
                        ? label_wrap(title, TITLE_LINES, a, c->title, room / title_size / 1.08, label_ems, "…")
                        : 0;
    size_t captions = c->caption && *c->caption
                          ? label_wrap(caption, CAPTION_LINES, a, c->caption, room / label_size, label_ems, "…")
                          : 0;
    size_t legends = c->legend ? put_legend(&d, NULL, room, 0) : 0;
    double above = edge + (double)titles * (title_size + 4) + (titles ? 6 : 0),
           head = above + (legends ? (double)legends * (name_size + 6) + 4 : 0);
    double height =
        head + (double)rows * (tall + gap) - gap + edge + (captions ? (double)captions * (label_size + 4) + 8 : 0);
    svg_begin(&d.out, a, width, height, c->title ? c->title : "");
    for (size_t k = 0; k < titles; k++) {
        svg_label_open(&d.out, edge, edge + title_size + (double)k * (title_size + 4), title_size, "start");
        markup_string(&d.out, "font-weight", "bold");
        markup_put(&d.out, title[k]);
        svg_close(&d.out);
    }
    if (legends) put_legend(&d, &d.out, room, above + name_size);
    for (size_t k = 0; k < c->panel_count; k++) {
        size_t column = k % d.columns;
        put_panel(&d, &c->panels[k], k, edge + (double)column * d.step + (column ? d.extra : 0),
                  head + (double)(k / d.columns) * (tall + gap), !c->shared_y || column == 0);
    }
    for (size_t k = 0; k < captions; k++)
        svg_label(&d.out, edge, height - edge - (double)(captions - 1 - k) * (label_size + 4), label_size, "start",
                  caption[k]);
    return svg_finish(&d.out);
}

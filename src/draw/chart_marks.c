#include "draw/chart_marks.h"

#include <math.h>

enum { OVERLAP_POINTS = 256, OVERLAP_MOST = 4 };

static const double near = 1.5, marker_radius = 3.2, marker_more = 1, line_width = 1.8, line_more = 1.2;

/* Okabe and Ito's colours without yellow, which is lost on white; brown and grey so that no two of the first six are
   near. */
static const svg_colour palette[CHART_COLOURS] = {{0, 114, 178},  {213, 94, 0}, {0, 158, 115}, {204, 121, 167},
                                                  {86, 180, 233}, {102, 51, 0}, {80, 80, 80},  {230, 159, 0}};
static const svg_colour faint = {150, 150, 150};

svg_colour chart_colour(const chart_series *s, size_t k) {
    if (s->style & DRAW_FAINT) return faint;
    return palette[chart_marker(s, k)];
}

size_t chart_marker(const chart_series *s, size_t k) {
    return (s->colour > 0 ? (size_t)s->colour - 1 : k) % CHART_COLOURS;
}

/* A contrast of at least 4.5 to white: relative luminance at most 0.183. Halfway colours keep their hue. */
svg_colour chart_text_colour(const chart_series *s, size_t k) {
    svg_colour c = chart_colour(s, k);
    for (int step = 0; step < 16; step++) {
        /* luminance with the square for the 2.2-th power: a little too bright, so a little too dark a text */
        double r = c.red / 255.0, g = c.green / 255.0, b = c.blue / 255.0;
        if (0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b <= 0.183) break;
        c = (svg_colour){(unsigned char)(c.red * 15 / 16), (unsigned char)(c.green * 15 / 16),
                         (unsigned char)(c.blue * 15 / 16)};
    }
    return c;
}

/* ---- shapes ---- */

void chart_straight(svg *s, double x1, double y1, double x2, double y2, svg_colour c, double width) {
    markup_open(s, "line");
    svg_number(s, "x1", x1);
    svg_number(s, "y1", y1);
    svg_number(s, "x2", x2);
    svg_number(s, "y2", y2);
    svg_stroke(s, c, width);
}

static void put_point(text *path, char command, double x, double y) {
    text_putc(path, command);
    svg_coordinate(path, x);
    text_putc(path, ' ');
    svg_coordinate(path, y);
}

static void put_polygon(svg *s, const double (*corners)[2], size_t count, double x, double y, double r) {
    text path;
    text_init(&path, s->out.arena);
    for (size_t k = 0; k < count; k++) put_point(&path, k ? 'L' : 'M', x + r * corners[k][0], y + r * corners[k][1]);
    text_putc(&path, 'Z');
    markup_open(s, "path");
    markup_string(s, "d", text_string(&path));
}

void chart_put_marker(svg *s, size_t shape, double x, double y, double r, svg_colour c) {
    static const double square[][2] = {{-0.95, -0.95}, {0.95, -0.95}, {0.95, 0.95}, {-0.95, 0.95}},
                        up[][2] = {{0, -1.25}, {1.15, 0.95}, {-1.15, 0.95}},
                        down[][2] = {{0, 1.25}, {1.15, -0.95}, {-1.15, -0.95}},
                        diamond[][2] = {{0, -1.4}, {1.4, 0}, {0, 1.4}, {-1.4, 0}},
                        cross[][2] = {{-1.2, -0.7}, {-0.7, -1.2}, {0, -0.5}, {0.7, -1.2}, {1.2, -0.7}, {0.5, 0},
                                      {1.2, 0.7},   {0.7, 1.2},   {0, 0.5},  {-0.7, 1.2}, {-1.2, 0.7}, {-0.5, 0}};
    static const svg_colour white = {255, 255, 255};
    bool hollow = shape == 4 || shape == 6;
    switch (shape % CHART_COLOURS) {
    case 1:
    case 6: put_polygon(s, square, 4, x, y, r); break;
    case 2: put_polygon(s, up, 3, x, y, r); break;
    case 3: put_polygon(s, diamond, 4, x, y, r); break;
    case 5: put_polygon(s, down, 3, x, y, r); break;
    case 7: put_polygon(s, cross, 12, x, y, r); break;
    default:
        markup_open(s, "circle");
        svg_number(s, "cx", x);
        svg_number(s, "cy", y);
        svg_number(s, "r", r);
    }
    svg_fill(s, hollow ? white : c);
    svg_stroke(s, hollow ? c : white, hollow ? 1.5 : 0.5);
    svg_close(s);
}

/* ---- series ---- */

static bool has_line(const chart_series *s) {
    return (s->style & (DRAW_LINE | DRAW_STEPS)) || !(s->style & DRAW_MARKERS);
}

static bool hides(const chart_series *over, const chart_series *under) {
    return (has_line(over) && has_line(under)) || (over->style & under->style & DRAW_MARKERS);
}

static bool is_near(const chart_point *p, const chart_point *points, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (points[i].shown && fabs(points[i].x - p->x) <= near && fabs(points[i].y - p->y) <= near) return true;
    return false;
}

void chart_find_overlaps(chart_point *const *points, const chart_series *const *series, size_t count) {
    for (size_t k = 0; k < count; k++)
        for (size_t over = k + 1; over < count && series[k]->count <= OVERLAP_POINTS; over++) {
            if (series[over]->count > OVERLAP_POINTS || !hides(series[over], series[k])) continue;
            for (size_t j = 0; j < series[k]->count; j++) {
                chart_point *p = &points[k][j];
                if (p->shown && p->under < OVERLAP_MOST && is_near(p, points[over], series[over]->count)) p->under++;
            }
        }
}

static void put_line(svg *out, text *path, svg_colour c, double width, bool dashed) {
    if (!path->length) return;
    markup_open(out, "path");
    markup_string(out, "d", text_string(path));
    markup_string(out, "fill", "none");
    svg_stroke(out, c, width);
    markup_string(out, "stroke-linejoin", "round");
    if (dashed) markup_string(out, "stroke-dasharray", "5 3");
    svg_close(out);
    path->length = 0;
}

void chart_put_marks(svg *out, arena *a, const chart_series *s, size_t k, const chart_point *points) {
    svg_colour c = chart_colour(s, k);
    bool line = has_line(s), dashed = s->style & DRAW_DASHED;
    double width = s->style & DRAW_FAINT ? 1.2 : line_width;
    text path;
    text_init(&path, a);
    markup_open(out, "g");
    if (s->name && *s->name) svg_title(out, s->name);
    unsigned under = 0; /* of the path that is being put together */
    for (size_t j = 0; line && j < s->count; j++) {
        const chart_point *p = &points[j], *last = j ? p - 1 : NULL;
        if (!p->shown) continue;
        bool joined = last && last->shown;
        unsigned now = joined && !(s->style & DRAW_STEPS) ? (p->under < last->under ? p->under : last->under) : 0;
        if (joined && now != under && path.length) {
            put_line(out, &path, c, width + line_more * under, dashed);
            put_point(&path, 'M', last->x, last->y);
        }
        if (joined) under = now;
        if (joined && s->style & DRAW_STEPS) put_point(&path, 'L', p->x, last->y);
        put_point(&path, joined ? 'L' : 'M', p->x, p->y);
    }
    put_line(out, &path, c, width + line_more * under, dashed);
    for (size_t j = 0; s->style & DRAW_MARKERS && j < s->count; j++)
        if (points[j].marked)
            chart_put_marker(out, chart_marker(s, k), points[j].x, points[j].y,
                             marker_radius + marker_more * points[j].under, c);
    svg_close(out);
}

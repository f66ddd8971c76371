/* The table of limits as a chart: one row for each type and method, on a logarithmic axis of lengths. A bar reaches
   as far as answers are proved, a thin line on to the longest string that was tried, with an arrow if nothing wrong
   was found; a diamond marks the shortest wrong answer. They differ in shape and lightness, so the chart reads
   without colour; the numbers stand beside it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "draw/label.h"
#include "draw/svg.h"
#include "number/elementary.h"

/* Lengths are in user units (pixels at 96 to the inch). */
static const double page_width = 960, edge = 16, type_width = 70, method_width = 82, proved_width = 66,
                    wrong_width = 124, why_width = 146, head_height = 92, row_height = 20, group_gap = 8,
                    foot_height = 50, text_size = 11, title_size = 14, bar_height = 9, mark = 5.5;
static const svg_colour grid = {0xdd, 0xdd, 0xdd}, dark = {0x00, 0x50, 0x87}, grey = {0x8a, 0x8a, 0x8a},
                        orange = {0xd5, 0x5e, 0x00};

typedef struct figure {
    svg out;
    arena *arena;
    const temper_limits *limits;
    size_t count;
    double left, right; /* of the axis */
    double decades;     /* it goes from 1 to ten to this */
} figure;

static double log10_of(size_t n) { return n > 1 ? log_f64((double)n) / log_f64(10) : 0; }

static double place(const figure *f, size_t n) {
    return f->left + fmin(log10_of(n) / f->decades, 1) * (f->right - f->left);
}

/* ---- shapes ---- */

static void draw_line(figure *f, double x1, double y1, double x2, double y2, svg_colour k, double width) {
    svg *s = &f->out;
    markup_open(s, "line");
    svg_number(s, "x1", x1);
    svg_number(s, "y1", y1);
    svg_number(s, "x2", x2);
    svg_number(s, "y2", y2);
    svg_stroke(s, k, width);
    svg_close(s);
}

static void draw_shape(figure *f, const double points[][2], size_t count, svg_colour k) {
    text path;
    text_init(&path, f->arena);
    for (size_t p = 0; p < count; p++) {
        text_putc(&path, p ? 'L' : 'M');
        svg_coordinate(&path, points[p][0]);
        text_putc(&path, ' ');
        svg_coordinate(&path, points[p][1]);
    }
    text_putc(&path, 'Z');
    markup_open(&f->out, "path");
    markup_string(&f->out, "d", text_string(&path));
    svg_fill(&f->out, k);
    svg_close(&f->out);
}

static void draw_diamond(figure *f, double x, double y) {
    const double points[4][2] = {{x, y - mark}, {x + mark, y}, {x, y + mark}, {x - mark, y}};
    draw_shape(f, points, 4, orange);
}

static void draw_arrow(figure *f, double x, double y) {
    const double points[3][2] = {{x + 6, y}, {x - 1, y - 4}, {x - 1, y + 4}};
    draw_shape(f, points, 3, grey);
}

static void draw_bar(figure *f, double to, double y) {
    svg_rect(&f->out, f->left, y - bar_height / 2, to - f->left, bar_height);
    svg_fill(&f->out, dark);
    svg_close(&f->out);
}

/* ---- numbers ---- */

static void put_power(text *t, unsigned k) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    text_puts(t, "10");
    if (k >= 10) text_puts(t, digits[k / 10 % 10]);
    text_puts(t, digits[k % 10]);
}

/* 12,345; ten million and more as a power of ten, cut to three digits: a bound that stays one. */
static const char *show_length(figure *f, size_t n) {
    char digits[24];
    text t;
    text_init(&t, f->arena);
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", n);
    if (length > 7) {
        size_t kept = 3;
        while (kept > 1 && digits[kept - 1] == '0') kept--;
        if (kept > 1 || digits[0] != '1') {
            text_add(&t, digits, 1);
            if (kept > 1) text_putc(&t, '.');
            text_add(&t, digits + 1, kept - 1);
            text_puts(&t, "·");
        }
        put_power(&t, (unsigned)length - 1);
        return text_string(&t);
    }
    for (size_t k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0) text_putc(&t, ',');
        text_putc(&t, digits[k]);
    }
    return text_string(&t);
}

static const char *two_parts(figure *f, const char *first, const char *second) {
    text t;
    text_init(&t, f->arena);
    text_puts(&t, first);
    text_puts(&t, second);
    return text_string(&t);
}

/* ---- rows ---- */

static void draw_texts(figure *f, const temper_limits_row *r, double y) {
    svg *s = &f->out;
    double base = y + text_size * 0.35, x = f->right + 2 * edge + proved_width;
    svg_label(s, f->left - edge / 2, base, text_size, "end", temper_method_name(r->method));
    svg_label(s, x, base, text_size, "end", r->claim ? show_length(f, r->proved) : "–");
    x += wrong_width;
    svg_label(s, x, base, text_size, "end",
              r->found ? show_length(f, r->wrong) : two_parts(f, "none to ", show_length(f, r->tried)));
    if (!r->found) return;
    text why;
    text_init(&why, f->arena);
    text_puts(&why, temper_why_name(r->why));
    if (r->layer) text_printf(&why, ", %zu.%zu", r->layer, r->head);
    svg_label(s, x + edge, base, text_size, "start", text_string(&why));
}

static void draw_row(figure *f, const temper_limits_row *r, double y) {
    size_t reach = r->found ? r->wrong : r->tried;
    markup_open(&f->out, "g");
    text about;
    text_init(&about, f->arena);
    text_printf(&about, "%s, %s: ", temper_type_name(r->type), temper_method_name(r->method));
    if (r->claim)
        text_printf(&about, "proved length %zu; ", r->proved);
    else
        text_puts(&about, "no proved length; ");
    if (r->found)
        text_printf(&about, "wrong at %zu (%s)%s%s", r->wrong, temper_why_name(r->why), *r->string ? ": " : "",
                    label_shown(f->arena, r->string));
    else
        text_printf(&about, "nothing wrong found to %zu", r->tried);
    svg_title(&f->out, text_string(&about));
    if (reach > r->proved) draw_line(f, f->left, y, place(f, reach), y, grey, 1.25);
    if (r->proved) draw_bar(f, place(f, r->proved), y);
    if (r->found)
        draw_diamond(f, place(f, r->wrong), y);
    else if (reach > r->proved)
        draw_arrow(f, place(f, reach), y);
    draw_texts(f, r, y);
    svg_close(&f->out);
}

static bool new_group(const figure *f, size_t row) {
    return row == 0 || temper_limits_at(f->limits, row).type != temper_limits_at(f->limits, row - 1).type;
}

/* ---- the frame ---- */

static void draw_axis(figure *f, double top, double bottom) {
    size_t step = f->decades > 8 ? 2 : 1;
    for (size_t k = 0; k <= (size_t)f->decades; k += step) {
        double x = f->left + (double)k / f->decades * (f->right - f->left);
        text label;
        text_init(&label, f->arena);
        if (k < 4)
            text_puts(&label, k == 0 ? "1" : k == 1 ? "10" : k == 2 ? "100" : "1,000");
        else
            put_power(&label, (unsigned)k);
        draw_line(f, x, top, x, bottom, grid, 1);
        svg_label(&f->out, x, bottom + text_size + 4, text_size, "middle", text_string(&label));
    }
    svg_label(&f->out, (f->left + f->right) / 2, bottom + 2 * text_size + 12, text_size, "middle",
              "length of the string");
}

static void draw_key(figure *f, double y) {
    svg *s = &f->out;
    double x = f->left, base = y + text_size * 0.35;
    svg_rect(s, x, y - bar_height / 2, 26, bar_height);
    svg_fill(s, dark);
    svg_close(s);
    svg_label(s, x + 32, base, text_size, "start", "proved length");
    draw_diamond(f, x + 132, y);
    svg_label(s, x + 142, base, text_size, "start", "shortest wrong answer found");
    draw_line(f, x + 328, y, x + 350, y, grey, 1.25);
    draw_arrow(f, x + 350, y);
    svg_label(s, x + 362, base, text_size, "start", "tried, none wrong");
}

static void draw_heads(figure *f, double base) {
    svg *s = &f->out;
    double x = f->right + 2 * edge + proved_width;
    svg_label(s, edge, base, text_size, "start", "type");
    svg_label(s, f->left - edge / 2, base, text_size, "end", "method");
    svg_label(s, x, base, text_size, "end", "proved length");
    svg_label(s, x + wrong_width, base, text_size, "end", "first wrong");
    svg_label(s, x + wrong_width + edge, base, text_size, "start", "why, head");
}

static void set_axis(figure *f) {
    f->left = edge + type_width + method_width;
    f->right = page_width - 2 * edge - proved_width - wrong_width - why_width;
    f->decades = 2;
    for (size_t k = 0; k < f->count; k++) {
        temper_limits_row r = temper_limits_at(f->limits, k);
        f->decades = fmax(f->decades, ceil(log10_of(r.proved) - 1e-9));
        f->decades = fmax(f->decades, ceil(log10_of(r.found ? r.wrong : r.tried) - 1e-9));
    }
}

static const char *draw(figure *f, const char *title) {
    double height = head_height + foot_height;
    for (size_t k = 0; k < f->count; k++) height += row_height + (k && new_group(f, k) ? group_gap : 0);
    const char *shown = label_shown(f->arena, title);
    svg_begin(&f->out, f->arena, page_width, height, shown);
    svg_label_open(&f->out, edge, 26, title_size, "start");
    markup_string(&f->out, "font-weight", "bold");
    markup_put(&f->out, label_cut(f->arena, shown, (page_width - 2 * edge) / title_size, label_ems, "…"));
    svg_close(&f->out);
    draw_key(f, 48);
    draw_heads(f, head_height - 12);
    draw_axis(f, head_height - 4, height - foot_height);
    double y = head_height + row_height / 2;
    for (size_t k = 0; k < f->count; k++, y += row_height) {
        temper_limits_row r = temper_limits_at(f->limits, k);
        if (k && new_group(f, k)) y += group_gap;
        if (new_group(f, k))
            svg_label(&f->out, edge, y + text_size * 0.35, text_size, "start", temper_type_name(r.type));
        draw_row(f, &r, y);
    }
    return svg_finish(&f->out);
}

typedef struct chart_call {
    char **out;
    const temper_limits *limits;
    const char *title;
} chart_call;

static void draw_chart(entry *e, void *context) {
    const chart_call *c = context;
    figure f = {.arena = &e->memory, .limits = c->limits, .count = temper_limits_count(c->limits)};
    set_axis(&f);
    const char *picture = draw(&f, c->title);
    *c->out = entry_hand_out(e, picture, strlen(picture));
}

temper_status temper_draw_limits(char **out, const temper_limits *limits, const char *title, temper_error *err) {
    chart_call call = {out, limits, title};
    *out = NULL;
    return entry_run(err, draw_chart, &call);
}

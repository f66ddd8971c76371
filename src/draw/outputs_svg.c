#include "draw/outputs_svg.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 64 };

static const double title_size = 13, text_size = 10, row_height = 16, name_room = 140, narrowest = 9, widest = 64;

static double width_of(const char *string) { return label_width(string, label_ems) * text_size; }

/* The last output is always drawn: a language model's is the end. */
static size_t output_of(const outputs_svg *o, size_t row) {
    return row + 1 < o->rows ? row : o->map->about.outputs - 1;
}

static bool is_next(const outputs_svg *o) { return o->map->about.kind == TEMPER_KIND_NEXT; }

static const char *name_of(const outputs_svg *o, size_t output) {
    const char *name = temper_model_output_name(o->map->model, output);
    if (!*name) return is_next(o) ? "the end" : "nothing";
    return label_shown(o->map->arena, name);
}

static const char *row_name(const outputs_svg *o, size_t row) {
    text t;
    text_init(&t, o->map->arena);
    text_printf(&t, "output %s", name_of(o, output_of(o, row)));
    return text_string(&t);
}

/* Before the first letter only what may come next means anything, at the end sentinel nothing does. */
static bool is_defined(const outputs_svg *o, size_t position) {
    return position <= o->map->n && (position > 0 || is_next(o));
}

static const char *summary(const outputs_svg *o) {
    arena *a = o->map->arena;
    if (is_next(o)) return "dark: the letter may come after that position, or the string may end there";
    char *written;
    size_t length;
    temper_error e;
    text t;
    text_init(&t, a);
    if (temper_run_write(&written, &length, o->run, o->map->model, &e)) {
        text_puts(&t, e.text);
        return text_string(&t);
    }
    text_printf(&t, "writes %s", text_escaped(a, written, length, 0));
    temper_free(written);
    return text_string(&t);
}

void outputs_svg_make(outputs_svg *o, const heat_map *map, const temper_run *run, double room) {
    *o = (outputs_svg){.map = map, .run = run};
    if (map->about.kind == TEMPER_KIND_ACCEPTOR) return;
    o->rows = map->about.outputs < MOST_ROWS ? map->about.outputs : MOST_ROWS;
    o->summary = summary(o);
    double letter = 0;
    for (size_t k = 0; k < o->rows; k++) {
        double name = width_of(row_name(o, k)), written = is_next(o) ? 0 : width_of(name_of(o, output_of(o, k)));
        if (name > o->left) o->left = name;
        if (written > letter) letter = written;
    }
    for (size_t k = 0; map->block == 1 && k < map->size; k++) {
        double width = width_of(heat_map_letter(map, k));
        if (width > letter) letter = width;
    }
    o->left = (o->left < name_room ? o->left : name_room) + 6;
    o->cell = letter + 6 < row_height ? row_height : letter + 6 < widest ? letter + 6 : widest;
    double fits = (room - o->left) / (double)map->cells;
    if (o->cell > fits) o->cell = fits > narrowest ? fits : narrowest;
    o->width = o->left + o->cell * (double)map->cells + 1;
    if (o->width < room) o->width = room; /* of the summary */
    if (map->about.outputs > o->rows) {
        text t;
        text_init(&t, map->arena);
        text_printf(&t, "%zu more outputs are not drawn", map->about.outputs - o->rows);
        o->left_out = text_string(&t);
    }
    size_t lines = o->rows + (map->block == 1) + !is_next(o) + (o->left_out != NULL);
    o->height = 2 * (title_size + 5) + text_size + 6 + row_height * (double)lines;
}

static double middle(const outputs_svg *o, size_t cell) { return o->left + ((double)cell + 0.5) * o->cell; }

/* One text in the middle of a cell, with all of it as a tooltip. */
static void put_text(svg *s, const outputs_svg *o, size_t cell, double y, const char *shown) {
    svg_label_open(s, middle(o, cell), y + row_height * 0.7, text_size, "middle");
    svg_title(s, shown);
    markup_put(s, label_cut(o->map->arena, shown, o->cell / text_size, label_ems, "…"));
    svg_close(s);
}

static void put_numbers(svg *s, const outputs_svg *o, double y) {
    const heat_map *m = o->map;
    char number[48];
    int digits = snprintf(number, sizeof number, "%zu", m->size - 1);
    size_t step = heat_map_step(o->cell, 0.64 * text_size * digits + 3);
    for (size_t k = 0; k < m->cells; k += step) {
        snprintf(number, sizeof number, "%zu", heat_map_first(m, k));
        svg_label_open(s, middle(o, k), y, text_size, "middle");
        markup_string(s, "fill", "#777777");
        markup_put(s, number);
        svg_close(s);
    }
}

static void put_cell(svg *s, const outputs_svg *o, size_t output, size_t cell, double y) {
    const heat_map *m = o->map;
    const unsigned char *truth = temper_run_output(o->run, output);
    size_t first = heat_map_first(m, cell), last = heat_map_last(m, cell), holds = 0, all = 0;
    for (size_t i = first; i <= last; i++) {
        if (!is_defined(o, i)) continue;
        all++;
        holds += truth[i] != 0;
    }
    text t;
    text_init(&t, m->arena);
    text_printf(&t, "%s, ", name_of(o, output));
    if (first < last)
        text_printf(&t, "positions %zu\u2013%zu: holds at %zu of %zu", first, last, holds, all);
    else
        text_printf(&t, "position %zu %s: %s", first, heat_map_letter(m, first),
                    all == 0 ? "not defined here"
                    : holds  ? "holds"
                             : "does not hold");
    svg_rect(s, o->left + (double)cell * o->cell, y, o->cell, row_height);
    markup_string(s, "fill", all == 0 ? "#e4e4e4" : holds ? "#1c1c5c" : "#fcfcf7");
    if (holds && holds < all) svg_number(s, "fill-opacity", 0.15 + 0.75 * (double)holds / (double)all);
    markup_string(s, "stroke", "#d4d4d4");
    svg_number(s, "stroke-width", 0.5);
    svg_title(s, text_string(&t));
    svg_close(s);
}

static void put_name(svg *s, const outputs_svg *o, double y, const char *name) {
    svg_label_open(s, o->left - 6, y + row_height * 0.7, text_size, "end");
    svg_title(s, name);
    markup_put(s, label_cut(o->map->arena, name, (o->left - 6) / text_size + 0.01, label_ems, "…"));
    svg_close(s);
}

/* What is written at each position; "?" where not exactly one output holds. */
static void put_written(svg *s, const outputs_svg *o, double y) {
    const heat_map *m = o->map;
    put_name(s, o, y, "written");
    for (size_t k = 0; m->block == 1 && k < m->cells; k++) {
        if (!is_defined(o, k)) continue;
        long written = temper_run_written(o->run, k);
        const char *name = written < 0 ? "?" : temper_model_output_name(m->model, (size_t)written);
        if (*name) put_text(s, o, k, y, label_shown(m->arena, name));
    }
}

void outputs_svg_put(svg *s, const outputs_svg *o, double x, double y) {
    const heat_map *m = o->map;
    if (o->height == 0) return;
    markup_open(s, "g");
    text_puts(&s->out, " transform=\"translate(");
    svg_coordinate(&s->out, x);
    text_putc(&s->out, ' ');
    svg_coordinate(&s->out, y);
    text_puts(&s->out, ")\"");
    svg_label_open(s, 0, title_size, title_size, "start");
    markup_string(s, "font-weight", "bold");
    markup_put(s, "outputs");
    svg_close(s);
    if (m->block > 1)
        svg_label(s, label_width("outputs", label_ems) * title_size + 20, title_size, text_size, "start",
                  "paler: at some positions of the cell");
    y = 2 * (title_size + 3);
    svg_label_open(s, 0, y, text_size, "start");
    markup_string(s, "fill", "#555555");
    svg_title(s, o->summary);
    markup_put(s, label_cut(m->arena, o->summary, o->width / text_size, label_ems, "…"));
    svg_close(s);
    y += text_size + 6;
    put_numbers(s, o, y);
    y += 4;
    for (size_t k = 0; m->block == 1 && k < m->cells; k++) put_text(s, o, k, y, heat_map_letter(m, k));
    if (m->block == 1) y += row_height;
    for (size_t row = 0; row < o->rows; row++, y += row_height) {
        put_name(s, o, y, row_name(o, row));
        for (size_t k = 0; k < m->cells; k++) put_cell(s, o, output_of(o, row), k, y);
    }
    if (!is_next(o) && m->block == 1) put_written(s, o, y);
    if (!is_next(o)) y += row_height;
    if (o->left_out) svg_label(s, 0, y + row_height * 0.7, text_size, "start", o->left_out);
    svg_close(s);
}

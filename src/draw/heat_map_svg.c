/* Attention as an SVG figure: one panel per head, every cell with its value as a tooltip, a scale of shades; below it
   the outputs of a model with several. */
#include "draw/heat_map.h"
#include "draw/outputs_svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 512,      /* positions */
    MOST_CELLS = 64,    /* in a row; beyond it cells are blocks */
    LARGEST = 64 << 20, /* bytes of the file */
    TITLE_LINES = 3,
    DETAIL_LINES = 3,
    LABEL_SHOWN = 2000 /* characters of a label kept for its tooltip */
};

static const char what[] = "an SVG picture";

/* Lengths are in user units (pixels at 96 to the inch). */
static const double page_width = 960, edge = 16, gap = 28, narrowest = 210, numbered_cell = 20, title_size = 13,
                    detail_size = 10, banner_size = 16, letter_room = 64, legend_height = 46, legend_width = 440;

typedef struct figure {
    svg out;
    heat_map *map;
    const char **letters; /* [N] */
    double cell, axis_size;
    double left, top; /* of the grid inside its panel; top depends on the row of panels */
    double number_width, letter_width, letter_height;
    double grid, panel_width;
    size_t across;
    double *heads; /* per row of panels: height of the titles */
    double width, height;
    outputs_svg outputs;
    const temper_run *hard; /* whose choices are outlined, or NULL */
    bool broken;            /* a weight is not a number */
    const char *formula[TITLE_LINES], *verdict;
    size_t formulas; /* lines */
    const char *roles[HEAT_ROLES];
    size_t role_count;
    double banner; /* height of the formula and the verdict above the panels */
} figure;

/* From paper white to dark blue; lightness falls evenly, so it survives grey printing and colour blindness. */
static svg_colour shade_colour(double shade) {
    static const unsigned char stops[5][3] = {
        {252, 252, 247}, {191, 222, 190}, {94, 179, 181}, {43, 108, 161}, {28, 28, 92}};
    double at = shade * 4;
    size_t k = at >= 4 ? 3 : (size_t)at;
    double part = at - (double)k;
    unsigned char mixed[3];
    for (size_t c = 0; c < 3; c++)
        mixed[c] = (unsigned char)(stops[k][c] + part * ((double)stops[k + 1][c] - stops[k][c]) + 0.5);
    return (svg_colour){mixed[0], mixed[1], mixed[2]};
}

static double ems(const char *string) { return label_width(string, label_ems); }

typedef struct titles {
    const char *name[TITLE_LINES], *detail[DETAIL_LINES];
    size_t names, details;
    double height;
} titles;

static void break_titles(titles *t, const figure *f, const heat_panel *p) {
    arena *a = f->map->arena;
    t->names = label_wrap(t->name, TITLE_LINES, a, p->name, f->panel_width / title_size, label_ems, "…");
    t->details = label_wrap(t->detail, DETAIL_LINES, a, p->detail, f->panel_width / detail_size, label_ems, "…");
    t->height = (double)t->names * (title_size + 3) + (double)t->details * (detail_size + 3);
}

/* Numbers and letters above the columns. */
static double axis_height(const figure *f) { return 4 + f->axis_size + 3 + f->letter_height; }

static void lay_out_outputs(figure *f, const temper_run *run) {
    outputs_svg_make(&f->outputs, f->map, run, f->width - 2 * edge);
    if (f->outputs.height == 0) return;
    if (f->outputs.width > f->width - 2 * edge) f->width = f->outputs.width + 2 * edge;
    f->height += f->outputs.height + gap;
}

/* The formula on its lines, then the string and the verdict. */
static void lay_out_banner(figure *f, const temper_run *run) {
    const char *source = f->map->about.source;
    arena *a = f->map->arena;
    if (*source)
        f->formulas = label_wrap(f->formula, TITLE_LINES, a, label_shown(a, source),
                                 (f->width - 2 * edge) / banner_size, label_ems, "…");
    f->verdict = label_cut(a, heat_map_verdict(f->map, run), (f->width - 2 * edge) / title_size, label_ems, "…");
    f->banner = (double)f->formulas * (banner_size + 4) + title_size + 14;
    f->height += f->banner;
}

static void put_banner(figure *f) {
    svg *s = &f->out;
    double y = edge + banner_size - 2;
    for (size_t k = 0; k < f->formulas; k++, y += banner_size + 4) {
        svg_label_open(s, edge, y, banner_size, "start");
        markup_string(s, "font-weight", "bold");
        markup_put(s, f->formula[k]);
        svg_close(s);
    }
    svg_label(s, edge, y, title_size, "start", f->verdict);
}

static void lay_out(figure *f, const temper_run *run) {
    heat_map *m = f->map;
    heat_map_fit(m, MOST_CELLS);
    double cells = (double)m->cells;
    f->cell = 300 / cells;
    if (f->cell > 22) f->cell = 22;
    if (f->cell < 9) f->cell = 9;
    f->axis_size = f->cell < 11 ? f->cell * 0.9 : 10;
    f->grid = f->cell * cells;

    char number[48];
    if (m->block == 1)
        snprintf(number, sizeof number, "%zu", m->size - 1);
    else
        snprintf(number, sizeof number, "%zu-%zu", m->size, m->size);
    f->number_width = ems(number) * f->axis_size;
    for (size_t k = 0; m->block == 1 && k < m->size; k++) {
        double width = ems(f->letters[k]) * f->axis_size;
        if (width > f->letter_width) f->letter_width = width;
    }
    if (f->letter_width > letter_room) f->letter_width = letter_room;
    f->letter_height = m->block > 1 ? 0 : (f->letter_width > f->cell ? f->letter_width : f->axis_size) + 3;
    f->left = f->number_width + 5 + (m->block > 1 ? 0 : f->letter_width + 5);
    f->panel_width = f->left + f->grid + 1;
    if (f->panel_width < narrowest) f->panel_width = narrowest;

    double fits = floor((page_width - 2 * edge + gap) / (f->panel_width + gap));
    f->across = fits < 1 ? 1 : (size_t)fits;
    if (f->across > m->panel_count) f->across = m->panel_count;
    size_t down = (m->panel_count + f->across - 1) / f->across;
    f->heads = arena_zalloc(m->arena, down, sizeof *f->heads);
    f->role_count = heat_map_roles(f->roles, m);
    f->height = 2 * edge + legend_height + (heat_map_note(m) ? 16 : 0) + 14 * (double)f->role_count;
    for (size_t k = 0; k < m->panel_count; k++) {
        titles t;
        break_titles(&t, f, &m->panels[k]);
        if (t.height > f->heads[k / f->across]) f->heads[k / f->across] = t.height;
    }
    for (size_t k = 0; k < down; k++) f->height += f->heads[k] + axis_height(f) + f->grid + gap;
    f->width = 2 * edge + (double)f->across * (f->panel_width + gap) - gap;
    if (f->width < 2 * edge + legend_width) f->width = 2 * edge + legend_width;
    lay_out_outputs(f, run);
    lay_out_banner(f, run);
}

static void put_definitions(figure *f) {
    svg *s = &f->out;
    markup_open(s, "defs");
    markup_open(s, "pattern");
    markup_string(s, "id", "masked");
    svg_number(s, "width", 5);
    svg_number(s, "height", 5);
    markup_string(s, "patternUnits", "userSpaceOnUse");
    markup_string(s, "patternTransform", "rotate(45)");
    svg_rect(s, 0, 0, 5, 5);
    markup_string(s, "fill", "#f0f0f0");
    svg_close(s);
    svg_rect(s, 0, 0, 1, 5);
    markup_string(s, "fill", "#c8c8c8");
    svg_close(s);
    svg_close(s);
    markup_open(s, "linearGradient");
    markup_string(s, "id", "weight");
    for (unsigned k = 0; k <= 32; k++) {
        double weight = (k / 32.0) * (k / 32.0); /* stops lie closer where the square root is steep */
        markup_open(s, "stop");
        text offset;
        text_init(&offset, f->map->arena);
        label_number(&offset, weight, 4);
        markup_string(s, "offset", text_string(&offset));
        svg_colour c = shade_colour(heat_shade(weight));
        text_printf(&s->out, " stop-color=\"#%02x%02x%02x\"", c.red, c.green, c.blue);
        svg_close(s);
    }
    svg_close(s);
    svg_close(s);
}

/* Title and details stand on the axis, so that panels of one row line up below them. */
static void put_titles(figure *f, const heat_panel *p) {
    svg *s = &f->out;
    arena *a = f->map->arena;
    titles t;
    break_titles(&t, f, p);
    double y = f->top - axis_height(f) - t.height + title_size;
    char number[48];
    size_t digits = (size_t)snprintf(number, sizeof number, "%zu.%zu", p->layer, p->head);
    for (size_t k = 0; k < t.names; k++, y += title_size + 3) {
        svg_label_open(s, 0, y, title_size, "start");
        svg_title(s, text_escaped(a, p->name, strlen(p->name), LABEL_SHOWN));
        bool numbered = k == 0 && strncmp(t.name[0], number, digits) == 0;
        if (numbered) {
            markup_open(s, "tspan");
            markup_string(s, "font-weight", "bold");
            markup_put(s, number);
            svg_close(s);
        }
        markup_put(s, t.name[k] + (numbered ? digits : 0));
        svg_close(s);
    }
    y += detail_size - title_size;
    for (size_t k = 0; k < t.details; k++, y += detail_size + 3) {
        svg_label_open(s, 0, y, detail_size, "start");
        markup_string(s, "fill", "#555555");
        svg_title(s, text_escaped(a, p->detail, strlen(p->detail), LABEL_SHOWN));
        markup_put(s, t.detail[k]);
        svg_close(s);
    }
}

static void put_axes(figure *f) {
    svg *s = &f->out;
    const heat_map *m = f->map;
    arena *a = m->arena;
    double cell = f->cell, size = f->axis_size, room = f->letter_width / size + 0.01;
    char number[48];
    size_t digits = (size_t)snprintf(number, sizeof number, "%zu", m->size - 1);
    size_t step = heat_map_step(cell, 0.64 * size * (double)digits + 3);
    for (size_t k = 0; k < m->cells; k++) {
        double middle = ((double)k + 0.5) * cell;
        size_t first = heat_map_first(m, k), last = heat_map_last(m, k);
        snprintf(number, sizeof number, first < last ? "%zu\u2013%zu" : "%zu", first, last);
        svg_label_open(s, f->left - 5 - (m->block > 1 ? 0 : f->letter_width + 5), f->top + middle + size * 0.36, size,
                       "end");
        markup_string(s, "fill", "#777777");
        markup_put(s, number);
        svg_close(s);
        if (k % step == 0) {
            snprintf(number, sizeof number, "%zu", first);
            svg_label_open(s, f->left + middle, f->top - 4 - f->letter_height, size, "middle");
            markup_string(s, "fill", "#777777");
            markup_put(s, number);
            svg_close(s);
        }
        if (m->block > 1) continue;
        const char *letter = label_cut(a, f->letters[k], room, label_ems, "…");
        svg_label_open(s, f->left - 5 - f->letter_width / 2, f->top + middle + size * 0.36, size, "middle");
        svg_title(s, f->letters[k]);
        markup_put(s, letter);
        svg_close(s);
        bool turned = ems(letter) * size > cell;
        double x = f->left + middle + (turned ? size * 0.36 : 0), y = f->top - 4;
        svg_label_open(s, x, y, size, turned ? "start" : "middle");
        if (turned) {
            text turn;
            text_init(&turn, a);
            text_puts(&turn, "rotate(-90 ");
            svg_coordinate(&turn, x);
            text_putc(&turn, ' ');
            svg_coordinate(&turn, y);
            text_putc(&turn, ')');
            markup_string(s, "transform", text_string(&turn));
        }
        svg_title(s, f->letters[k]);
        markup_put(s, letter);
        svg_close(s);
    }
}

/* "query 3 a, key 1 b: 0.25"; several keys of the same weight share one rectangle. */
static void put_tooltip(figure *f, size_t row, size_t from, size_t to, double weight) {
    const heat_map *m = f->map;
    text t;
    text_init(&t, m->arena);
    size_t i = heat_map_first(m, row), i_last = heat_map_last(m, row);
    size_t j = heat_map_first(m, from), j_last = heat_map_last(m, to);
    if (i == i_last)
        text_printf(&t, "query %zu %s, ", i, f->letters[i]);
    else
        text_printf(&t, "queries %zu\u2013%zu, ", i, i_last);
    if (j == j_last)
        text_printf(&t, "key %zu %s: ", j, f->letters[j]);
    else
        text_printf(&t, "keys %zu\u2013%zu: ", j, j_last);
    label_number(&t, weight, 0);
    if (m->block > 1)
        text_puts(&t, " at most");
    else if (j != j_last)
        text_puts(&t, " each");
    svg_title(&f->out, text_string(&t));
}

static void put_grid(figure *f) {
    svg *s = &f->out;
    const heat_map *m = f->map;
    text grid;
    text_init(&grid, m->arena);
    for (size_t k = 1; k < m->cells; k++) {
        text_putc(&grid, 'M');
        svg_coordinate(&grid, f->left);
        text_putc(&grid, ' ');
        svg_coordinate(&grid, f->top + (double)k * f->cell);
        text_putc(&grid, 'h');
        svg_coordinate(&grid, f->grid);
        text_putc(&grid, 'M');
        svg_coordinate(&grid, f->left + (double)k * f->cell);
        text_putc(&grid, ' ');
        svg_coordinate(&grid, f->top);
        text_putc(&grid, 'v');
        svg_coordinate(&grid, f->grid);
    }
    markup_open(s, "path");
    markup_string(s, "d", m->cells > 1 ? text_string(&grid) : "M0 0");
    markup_string(s, "stroke", "#d4d4d4");
    svg_number(s, "stroke-width", 0.5);
    markup_string(s, "pointer-events", "none");
    svg_close(s);
    svg_rect(s, f->left, f->top, f->grid, f->grid);
    markup_string(s, "fill", "none");
    markup_string(s, "stroke", "#888888");
    svg_close(s);
}

/* Weights in their cells, where there is room: what leaks is seen. */
static void put_numbers(figure *f, const heat_panel *p) {
    svg *s = &f->out;
    const heat_map *m = f->map;
    double weight;
    char number[8];
    for (size_t row = 0; row < m->cells; row++)
        for (size_t column = 0; column < m->cells; column++) {
            if (!heat_map_weight(&weight, m, p, row, column)) continue;
            heat_short(number, weight);
            svg_label_open(s, f->left + ((double)column + 0.5) * f->cell,
                           f->top + ((double)row + 0.5) * f->cell + 2.6, strlen(number) > 4 ? 5.8 : 7.5, "middle");
            markup_string(s, "fill", heat_shade(weight) > 0.6 ? "#ffffff" : "#444444");
            markup_string(s, "pointer-events", "none");
            markup_put(s, number);
            svg_close(s);
        }
}

/* What the hard head chooses, outlined as on the page. */
static void put_outlines(figure *f, const heat_panel *p) {
    svg *s = &f->out;
    const heat_map *m = f->map;
    const double *hard = temper_run_head(f->hard, p->layer, p->head).weights;
    if (!hard || p->info.hard_choice == TEMPER_CHOICE_SOFTMAX) return;
    for (size_t i = 0; i < m->size; i++) {
        double winner = heat_winner(hard + i * m->size, p, i, m->size);
        for (size_t j = 0; j < m->size; j++) {
            if (heat_is_masked(p->info.mask, i, j) || hard[i * m->size + j] != winner) continue;
            svg_rect(s, f->left + (double)j * f->cell + 0.75, f->top + (double)i * f->cell + 0.75, f->cell - 1.5,
                     f->cell - 1.5);
            markup_string(s, "fill", "none");
            markup_string(s, "stroke", "#d1495b");
            svg_number(s, "stroke-width", 1.5);
            markup_string(s, "pointer-events", "none");
            svg_close(s);
        }
    }
}

static void put_cells(figure *f, const heat_panel *p) {
    svg *s = &f->out;
    const heat_map *m = f->map;
    svg_rect(s, f->left, f->top, f->grid, f->grid);
    markup_string(s, "fill", "url(#masked)");
    svg_close(s);
    for (size_t row = 0; row < m->cells; row++) {
        for (size_t from = 0, to; from < m->cells; from = to + 1) {
            double weight, next;
            to = from;
            if (!heat_map_weight(&weight, m, p, row, from)) continue;
            while (to + 1 < m->cells && heat_map_weight(&next, m, p, row, to + 1) && next == weight) to++;
            svg_rect(s, f->left + (double)from * f->cell, f->top + (double)row * f->cell,
                     (double)(to + 1 - from) * f->cell, f->cell);
            if (isnan(weight)) f->broken = true;
            svg_fill(s, isnan(weight) ? (svg_colour){220, 50, 32} : shade_colour(heat_shade(weight)));
            put_tooltip(f, row, from, to, weight);
            svg_close(s);
        }
    }
    put_grid(f);
    if (m->block == 1 && f->hard) put_outlines(f, p);
    if (m->block == 1 && f->cell >= numbered_cell) put_numbers(f, p);
}

static void put_legend(figure *f) {
    svg *s = &f->out;
    const char *note = heat_map_note(f->map);
    double y = f->height - edge - legend_height - (note ? 16 : 0) - 14 * (double)f->role_count, bar = edge + 46,
           length = 180;
    svg_label(s, edge, y + 10, detail_size, "start", "weight");
    svg_rect(s, bar, y, length, 12);
    markup_string(s, "fill", "url(#weight)");
    markup_string(s, "stroke", "#888888");
    svg_number(s, "stroke-width", 0.5);
    svg_close(s);
    static const char *const ticks[] = {"0", "0.25", "0.5", "0.75", "1"};
    for (unsigned k = 0; k <= 4; k++) svg_label(s, bar + length * k / 4, y + 24, 9, "middle", ticks[k]);
    svg_rect(s, edge, y + 34, 16, 10);
    markup_string(s, "fill", "url(#masked)");
    markup_string(s, "stroke", "#888888");
    svg_number(s, "stroke-width", 0.5);
    svg_close(s);
    const char *words = f->broken ? "masked; red: not a number; rows are queries i, columns are keys j"
                        : f->hard && f->map->block == 1
                            ? "masked; outlined: the hard choice, unless all tie; rows are queries, columns keys"
                            : "masked; rows are queries i, columns are keys j";
    svg_label(s, edge + 22, y + 43, detail_size, "start", words);
    y += 59;
    for (size_t k = 0; k < f->role_count; k++, y += 14) svg_label(s, edge, y, detail_size, "start", f->roles[k]);
    if (note) svg_label(s, edge, y, detail_size, "start", note);
}

static const char *figure_title(const heat_map *m) {
    text t;
    text_init(&t, m->arena);
    text_printf(&t, "Attention on %s", heat_map_string(m, 80));
    return text_string(&t);
}

static const char *draw(heat_map *m, const temper_run *run, const temper_run *hard) {
    trap *t = m->arena->trap;
    heat_map_check_size(t, what, m->size, LONGEST);
    figure f = {.map = m, .hard = hard};
    if (m->panel_count == 0) {
        double width = ems(heat_no_heads) * title_size + 2 * edge;
        heat_map_fit(m, MOST_CELLS);
        f.width = width;
        f.height = 2 * edge + title_size;
        lay_out_outputs(&f, run);
        svg_begin(&f.out, m->arena, f.width, f.height, figure_title(m));
        svg_label(&f.out, edge, edge + 11, title_size, "start", heat_no_heads);
        outputs_svg_put(&f.out, &f.outputs, edge, edge + title_size + gap);
        return svg_finish(&f.out);
    }
    f.letters = arena_alloc(m->arena, m->size, sizeof *f.letters);
    for (size_t k = 0; k < m->size; k++) f.letters[k] = heat_map_letter(m, k);
    lay_out(&f, run);
    svg_begin(&f.out, m->arena, f.width, f.height, figure_title(m));
    put_definitions(&f);
    put_banner(&f);
    double y = edge + f.banner;
    for (size_t k = 0; k < m->panel_count; k++) {
        double x = edge + (double)(k % f.across) * (f.panel_width + gap);
        if (k % f.across == 0) {
            if (k > 0) y += f.top + f.grid + gap;
            f.top = f.heads[k / f.across] + axis_height(&f);
        }
        markup_open(&f.out, "g");
        text_puts(&f.out.out, " transform=\"translate(");
        svg_coordinate(&f.out.out, x);
        text_putc(&f.out.out, ' ');
        svg_coordinate(&f.out.out, y);
        text_puts(&f.out.out, ")\"");
        put_titles(&f, &m->panels[k]);
        put_axes(&f);
        put_cells(&f, &m->panels[k]);
        svg_close(&f.out);
        if (f.out.out.length > LARGEST)
            trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "choose a layer or a head",
                            "the picture is larger than %d MiB after %zu of %zu heads", LARGEST >> 20, k + 1,
                            m->panel_count);
    }
    outputs_svg_put(&f.out, &f.outputs, edge, y + f.top + f.grid + gap);
    put_legend(&f);
    return svg_finish(&f.out);
}

static void draw_heads(entry *e, void *context) {
    const heat_map_call *c = context;
    heat_map m;
    heat_map_make(&m, &e->memory, c->model, c->run, c->letters, c->options);
    const char *picture = draw(&m, c->run, c->options->hard);
    *c->out = entry_hand_out(e, picture, strlen(picture));
}

temper_status temper_draw_svg_fits(const temper_model *model, size_t length, temper_error *err) {
    return heat_map_fits(model, length, what, LONGEST, err);
}

temper_status temper_draw_svg(char **out, const temper_model *model, const temper_run *run, const uint32_t *letters,
                              const temper_draw_options *options, temper_error *err) {
    heat_map_call call = {out, model, run, letters, options ? options : &heat_map_defaults};
    *out = NULL;
    return entry_run(err, draw_heads, &call);
}

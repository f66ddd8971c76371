/* Attention as a heat map of characters: rows are queries, columns are keys, blank cells are masked. */
#include "draw/heat_map.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEVELS = 9,
    FIRST_DARK = 6,  /* level of the palette from which on signs are light */
    NARROWEST = 24,  /* columns we always take */
    LETTER_ROOM = 8, /* columns of a letter beside its row */
    WIDEST_CELL = 6,
    TITLE_LINES = 4
};

static const char ramp[LEVELS + 1] = ".:-=+*#%@";

/* The 256-colour palette from cream over green to blue, as in pictures and pages; lightness falls all the way, so it
   reads without colour vision too. On a dark screen it is turned around: more weight is more light. */
static const unsigned char palette[LEVELS] = {230, 194, 151, 115, 79, 43, 37, 31, 25};

typedef struct canvas {
    text out;
    const heat_map *map;
    const char **letters;       /* [N], only if a cell is a position */
    size_t width, margin, cell; /* columns: of the screen, left of the cells, of a cell */
    bool colour, dark, broken;  /* dark: so is the screen; broken: a weight is not a number */
} canvas;

static size_t columns(const char *string) { return (size_t)label_width(string, label_columns); }

static void pad(text *t, size_t count) {
    while (count--) text_putc(t, ' ');
}

/* No line ends in blanks. */
static void end_line(canvas *c) {
    while (c->out.length > 0 && c->out.data[c->out.length - 1] == ' ') c->out.data[--c->out.length] = 0;
    text_putc(&c->out, '\n');
}

static void put_lines(canvas *c, const char *string, size_t indent) {
    const char *lines[TITLE_LINES];
    arena *a = c->map->arena;
    size_t room = c->width - indent;
    size_t count = label_wrap(lines, TITLE_LINES, a, string, (double)room, label_columns, "...");
    for (size_t k = 0; k < count; k++) {
        pad(&c->out, indent);
        text_puts(&c->out, lines[k]);
        end_line(c);
    }
}

static size_t level(double weight) { return (size_t)(heat_shade(weight) * (LEVELS - 1) + 0.5); }

/* One cell of `width` columns. */
static void put_cell(canvas *c, bool visible, double weight, size_t width) {
    if (!visible) {
        pad(&c->out, width);
    } else if (isnan(weight)) {
        c->broken = true;
        text_putc(&c->out, '?');
        pad(&c->out, width - 1);
    } else if (c->colour) {
        /* The sign says it without colour vision, and in a copied text; dark on light shades, light on dark ones. */
        size_t shade = level(weight), tint = c->dark ? LEVELS - 1 - shade : shade;
        text_printf(&c->out, "\x1b[38;5;%u;48;5;%um%c", tint < FIRST_DARK ? 16u : 231u, palette[tint], ramp[shade]);
        pad(&c->out, width - 1);
        text_puts(&c->out, "\x1b[0m");
    } else {
        text_putc(&c->out, ramp[level(weight)]);
        pad(&c->out, width - 1);
    }
}

/* Position numbers above the columns, every few cells. */
static void put_numbers(canvas *c) {
    const heat_map *m = c->map;
    char number[24];
    size_t digits = (size_t)snprintf(number, sizeof number, "%zu", m->size - 1);
    size_t step = heat_map_step((double)c->cell, (double)digits + 1), at = c->margin;
    pad(&c->out, at);
    for (size_t k = 0; k < m->cells; k += step) {
        pad(&c->out, c->margin + k * c->cell - at);
        int length = snprintf(number, sizeof number, "%zu", heat_map_first(m, k));
        text_puts(&c->out, number);
        at = c->margin + k * c->cell + (size_t)length;
    }
    end_line(c);
}

static void put_letters(canvas *c) {
    const heat_map *m = c->map;
    size_t at = 0;
    for (size_t k = 0; k < m->cells; k++) {
        /* A wide letter in a cell of two columns may touch its neighbour; everything else keeps a blank. */
        size_t room = c->cell > 2 ? c->cell - 1 : c->cell;
        if (c->cell == 2 && columns(c->letters[k]) > 2) room = 1;
        const char *shown = label_cut(m->arena, c->letters[k], (double)room, label_columns, "~");
        pad(&c->out, c->margin + k * c->cell - at);
        text_puts(&c->out, shown);
        at = c->margin + k * c->cell + columns(shown);
    }
    end_line(c);
}

static const char *row_label(canvas *c, size_t row) {
    const heat_map *m = c->map;
    text t;
    text_init(&t, m->arena);
    char number[24], last[24];
    size_t digits = (size_t)snprintf(last, sizeof last, "%zu", m->size - 1);
    size_t length = (size_t)snprintf(number, sizeof number, "%zu", heat_map_first(m, row));
    pad(&t, digits - length);
    text_puts(&t, number);
    if (m->block > 1)
        text_printf(&t, "-%zu", heat_map_last(m, row));
    else
        text_printf(&t, " %s", label_cut(m->arena, c->letters[row], LETTER_ROOM, label_columns, "~"));
    return text_string(&t);
}

static void put_panel(canvas *c, const heat_panel *p, const char **labels) {
    const heat_map *m = c->map;
    put_lines(c, p->name, 0);
    put_lines(c, p->detail, 2);
    put_numbers(c);
    if (m->block == 1) put_letters(c);
    for (size_t row = 0; row < m->cells; row++) {
        text_puts(&c->out, labels[row]);
        pad(&c->out, c->margin - columns(labels[row]));
        for (size_t column = 0; column < m->cells; column++) {
            double weight;
            bool visible = heat_map_weight(&weight, m, p, row, column);
            put_cell(c, visible, weight, c->cell);
        }
        end_line(c);
    }
    text_putc(&c->out, '\n');
}

/* Columns left of the cells and columns of a cell; blocks when even one column per position is too much. */
static void lay_out(canvas *c, heat_map *m) {
    size_t letter = 1, widest = 1;
    for (size_t k = 0; k < m->size; k++) {
        size_t width = columns(c->letters[k]);
        if (width > letter) letter = width;
    }
    widest = letter < WIDEST_CELL ? letter : WIDEST_CELL - 1;
    char number[24];
    size_t digits = (size_t)snprintf(number, sizeof number, "%zu", m->size - 1);
    c->margin = digits + 1 + (letter < LETTER_ROOM ? letter : LETTER_ROOM) + 2;
    size_t room = c->width > c->margin ? c->width - c->margin : 1;
    c->cell = widest + 1;
    while (c->cell > 1 && m->size > room / c->cell) c->cell--;
    if (m->size <= room) return;
    c->margin = 2 * digits + 3; /* "100-109  " */
    heat_map_fit(m, c->width > c->margin ? c->width - c->margin : 1);
}

static void put_legend(canvas *c) {
    const char *note = heat_map_note(c->map);
    if (note) put_lines(c, note, 0);
    text_puts(&c->out, "weight 0 ");
    for (size_t k = 0; k < LEVELS; k++) {
        double shade = (double)k / (LEVELS - 1);
        put_cell(c, true, shade * shade, c->colour ? 2 : 1);
    }
    text_printf(&c->out, " 1   blank: masked%s\n", c->broken ? "   ?: not a number" : "");
}

static const char *draw(heat_map *m, const temper_draw_options *options) {
    canvas c = {.map = m, .colour = options->colour != 0, .dark = options->dark != 0};
    text_init(&c.out, m->arena);
    c.width = options->width ? options->width : 80;
    if (c.width < NARROWEST) c.width = NARROWEST;
    if (m->panel_count == 0) {
        put_lines(&c, heat_no_heads, 0);
        return text_string(&c.out);
    }
    c.letters = arena_alloc(m->arena, m->size, sizeof *c.letters);
    for (size_t k = 0; k < m->size; k++) c.letters[k] = heat_map_letter(m, k);
    lay_out(&c, m);
    const char **labels = arena_alloc(m->arena, m->cells, sizeof *labels);
    for (size_t k = 0; k < m->cells; k++) labels[k] = row_label(&c, k);
    for (size_t k = 0; k < m->panel_count; k++) put_panel(&c, &m->panels[k], labels);
    put_legend(&c);
    return text_string(&c.out);
}

static void draw_heads(entry *e, void *context) {
    const heat_map_call *c = context;
    heat_map m;
    heat_map_make(&m, &e->memory, c->model, c->run, c->letters, c->options);
    const char *picture = draw(&m, c->options);
    *c->out = entry_hand_out(e, picture, strlen(picture));
}

temper_status temper_draw_terminal(char **out, const temper_model *model, const temper_run *run,
                                   const uint32_t *letters, const temper_draw_options *options, temper_error *err) {
    heat_map_call call = {out, model, run, letters, options ? options : &heat_map_defaults};
    *out = NULL;
    return entry_run(err, draw_heads, &call);
}

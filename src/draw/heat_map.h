/* What the heat maps of terminal, SVG and HTML share: which heads to draw, what stands in a cell, labels, shades. */
#ifndef DRAW_HEAT_MAP_H
#define DRAW_HEAT_MAP_H

#include "base/entry.h"
#include "draw/label.h"

typedef struct heat_panel {
    size_t layer, head;
    temper_head_info info;
    const double *weights; /* [N][N] */
    const char *name;      /* "2.1  O a" */
    const char *detail;    /* "once: keys j <= i, softmax for average, scale ln N + 5 = 7.3" */
    const char *label;     /* the subformula, as it may be shown */
} heat_panel;

typedef struct heat_map {
    arena *arena;
    const temper_model *model;
    const uint32_t *letters; /* [n] */
    temper_model_info about;
    temper_type type;    /* of the run */
    size_t size, n;      /* positions with sentinels; letters */
    size_t block, cells; /* a cell stands for block x block positions; the map has cells x cells of them */
    heat_panel *panels;
    size_t panel_count;
} heat_map;

/* What the public functions of all three are given. */
typedef struct heat_map_call {
    char **out;
    const temper_model *model;
    const temper_run *run;
    const uint32_t *letters;
    const temper_draw_options *options;
} heat_map_call;

extern const temper_draw_options heat_map_defaults;

/* Checks the arguments and gathers the panels; one position per cell. */
void heat_map_make(heat_map *m, arena *a, const temper_model *model, const temper_run *run, const uint32_t *letters,
                   const temper_draw_options *options);

/* A picture of every pair of positions, which cannot be drawn of more than `most`: "an SVG picture" or "a page". */
void heat_map_check_size(trap *t, const char *what, size_t positions, size_t most);
/* temper_draw_svg_fits and its like. */
temper_status heat_map_fits(const temper_model *model, size_t length, const char *what, size_t most,
                            temper_error *err);

/* Makes blocks so large that at most `most` cells (at least 1) are left in a row. */
void heat_map_fit(heat_map *m, size_t most);

/* The first and last position of a row or column of cells. */
size_t heat_map_first(const heat_map *m, size_t cell);
size_t heat_map_last(const heat_map *m, size_t cell);

/* The weight, or the largest of a block (NaN if one is NaN); false if the head cannot look there. */
bool heat_map_weight(double *weight, const heat_map *m, const heat_panel *p, size_t row, size_t column);

/* The letter at a position as it may be shown: "^" and "$" for sentinels. */
const char *heat_map_letter(const heat_map *m, size_t position);

/* How many positions a cell is, or NULL if it is one. */
const char *heat_map_blocks(const heat_map *m);

/* Whether scales were chosen by hand, the type if it is not f64, and how many positions a cell is if it is not
   one; NULL: nothing to say. */
const char *heat_map_note(const heat_map *m);

/* Positions along an axis are numbered every 1, 2, 5, 10, ... cells, the closest with `room` between them. */
size_t heat_map_step(double cell_size, double room);

/* A weight as darkness 0...1: the square root, so that the 1/N of an averaging head is seen. */
double heat_shade(double weight);

/* A weight in at most five characters: "0", ".50", "1", "3e-5" for what leaks; "?" if it is not a number. */
const char *heat_short(char out[8], double weight);

/* The weight of a row whose keys are outlined: of the hard choice or, if that is not known, the largest; NaN where
   all keys are alike. */
double heat_winner(const double *weights, const heat_panel *panel, size_t i, size_t size);

/* What the roles of the heads that are drawn mean, a line each: `lines` has room for HEAT_ROLES. */
enum { HEAT_ROLES = 7 };
size_t heat_map_roles(const char *lines[HEAT_ROLES], const heat_map *m);
const char *heat_role_words(const char *role); /* "once: is there such a position?", or NULL */

/* "caab", "the empty string", cut after about `most` letters; and with "accept" or "reject" of an acceptor. */
const char *heat_map_string(const heat_map *m, size_t most);
const char *heat_map_verdict(const heat_map *m, const temper_run *run);

const char *heat_mask_text(temper_mask mask); /* "keys j <= i" */
bool heat_is_masked(temper_mask mask, size_t i, size_t j);

extern const char heat_no_heads[];

#endif

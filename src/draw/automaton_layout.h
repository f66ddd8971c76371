/* Where the parts of an automaton's picture stand: states in columns by how many letters it takes to reach
   them, moves as curves. */
#ifndef DRAW_AUTOMATON_LAYOUT_H
#define DRAW_AUTOMATON_LAYOUT_H

#include "decide/automaton.h"

typedef struct point {
    double x, y;
} point;

typedef struct drawn_move {
    uint32_t from, to;
    const char *label;                 /* as long as it is */
    const char *shown;                 /* cut where it would be too wide */
    point start, control, second, end; /* a Bezier curve: quadratic (second unused), or cubic for a loop */
    point label_at;
} drawn_move;

typedef struct automaton_layout {
    uint32_t state_count;
    bool *is_drawn; /* the dead state is not, unless it is the start */
    point *states;
    drawn_move *moves;
    size_t move_count, move_capacity;
    double width, height;
} automaton_layout;

enum { DRAWN_STATES = 100 };
static const double state_radius = 21, label_size = 13;

/* All in a. */
void automaton_layout_make(automaton_layout *out, const temper_automaton *m, arena *a);

#endif

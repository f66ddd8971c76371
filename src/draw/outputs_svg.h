/* The outputs of a language model or a transducer as rows below the heads of an SVG figure: where each one holds, and
   what is written. */
#ifndef DRAW_OUTPUTS_SVG_H
#define DRAW_OUTPUTS_SVG_H

#include "draw/heat_map.h"
#include "draw/svg.h"

typedef struct outputs_svg {
    const heat_map *map;
    const temper_run *run;
    const char *summary;  /* "writes cba", or what keeps it from writing */
    const char *left_out; /* "3 more outputs are not drawn"; NULL: all are */
    size_t rows;
    double cell, left;    /* of a cell; of the labels before the first one */
    double width, height; /* of everything; 0: the model is an acceptor, and nothing is drawn */
} outputs_svg;

/* Lays the rows out in at most `room`. The cells of the map are those of the figure: heat_map_fit comes before. */
void outputs_svg_make(outputs_svg *o, const heat_map *map, const temper_run *run, double room);
void outputs_svg_put(svg *s, const outputs_svg *o, double x, double y);

#endif

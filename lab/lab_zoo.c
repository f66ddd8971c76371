/* temper lab zoo: every mechanism that could stand where softmax stands, as a stand-in for a hard choice. */
#include "lab/zoo.h"

static const lab_part parts[] = {
    {zoo_properties, 640, "", NULL, NULL},      {zoo_leak, 960, "leak", NULL, NULL},
    {zoo_scale, 6400, "scale", NULL, NULL},     {zoo_heads, 19200, "heads", zoo_heads_cells, zoo_heads_cell},
    {zoo_boxes, 640, "", NULL, NULL},           {zoo_regression, 1920, "regression", NULL, NULL},
    {zoo_prompts, 1280, "prompts", NULL, NULL}, {zoo_freedom, 640, "freedom", NULL, NULL},
    {zoo_disagreements, 320, "", NULL, NULL},   {zoo_models, 1600, "heads", NULL, NULL}};

const lab_experiment lab_zoo = {"zoo", &prose_zoo, NULL, parts, sizeof parts / sizeof *parts};

/* temper lab zoo: every mechanism that could stand where softmax stands, as a stand-in for a hard choice. */
#include "lab/zoo.h"

static const lab_part parts[] = {
    {zoo_properties, 640, "", NULL, NULL},      {zoo_leak, 960, "leak", NULL, NULL},
    {zoo_scale, 6400, "scale", NULL, NULL},     {zoo_heads, 19200, "heads", zoo_heads_cells, zoo_heads_cell},
    {zoo_boxes, 640, "", NULL, NULL},           {zoo_regression, 1920, "regression", NULL, NULL},
    {zoo_prompts, 1280, "prompts", NULL, NULL}, {zoo_freedom, 640, "freedom", NULL, NULL},
    {zoo_disagreements, 320, "", NULL, NULL},   {zoo_models, 1600, "heads", NULL, NULL}};

const lab_experiment lab_zoo = {"zoo",
                                "What can stand where softmax stands",
                                "A softmax head with a large enough scale imitates a hard choice: its leak is "
                                "(n-1)e^{-bg}/(1 + (n-1)e^{-bg}), so the scale it needs grows "
                                "with ln n. Here every published mechanism of the zoo takes its place. For each: "
                                "whether its weights sum to one, vanish or turn negative "
                                "as claimed; its leak and gain error against the gap between scores and the length; "
                                "the scale that an error needs, if any does; and how "
                                "long the strings may be that compiled heads (once, since, count, compare) still "
                                "decide rightly with it. Theory of the same "
                                "mechanisms is checked beside: regression risk, the limit of long prompts, degrees "
                                "of freedom, bounds over boxes of scores.",
                                NULL,
                                parts,
                                sizeof parts / sizeof *parts};

/* temper lab zoo: every mechanism that could stand where softmax stands, as a stand-in for a hard choice. */
#include "lab/zoo.h"

static const lab_part parts[] = {
    {zoo_properties, 2, ""},     {zoo_leak, 3, "leak"},       {zoo_scale, 20, "scale"},
    {zoo_heads, 60, "heads"},    {zoo_boxes, 2, ""},          {zoo_regression, 6, "regression"},
    {zoo_prompts, 4, "prompts"}, {zoo_freedom, 2, "freedom"}, {zoo_disagreements, 1, ""}};
static void run(lab *l) { lab_run_parts(l, parts, sizeof parts / sizeof *parts); }

const lab_experiment lab_zoo = {"zoo", "What can stand where softmax stands",
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
                                run};

/* temper lab zoo: every mechanism that could stand where softmax stands, as a stand-in for a hard choice. */
#include "lab/zoo.h"

typedef struct part {
    void (*run)(lab *l, arena *scratch);
    uint64_t weight;    /* of the whole, for progress */
    const char *figure; /* that shows its claims */
} part;

static const part parts[] = {
    {zoo_properties, 2, ""},     {zoo_leak, 3, "leak"},       {zoo_scale, 20, "scale"},
    {zoo_heads, 60, "heads"},    {zoo_boxes, 2, ""},          {zoo_regression, 6, "regression"},
    {zoo_prompts, 4, "prompts"}, {zoo_freedom, 2, "freedom"}, {zoo_disagreements, 1, ""}};
enum { PARTS = sizeof parts / sizeof *parts };

static void run(lab *l) {
    arena *scratch = arena_alloc(&l->memory, 1, sizeof *scratch);
    uint64_t total = 0, done = 0;
    arena_init(scratch, l->trap);
    arena_on_release(&l->memory, (void (*)(void *))arena_free, scratch);
    for (size_t k = 0; k < PARTS; k++) total += parts[k].weight;
    for (size_t k = 0; k < PARTS; k++) {
        lab_reseed(l, k + 1);
        lab_progress(l, done, total);
        lab_about(l, parts[k].figure);
        parts[k].run(l, scratch);
        arena_reset(scratch);
        done += parts[k].weight;
    }
    lab_progress(l, total, total);
}

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

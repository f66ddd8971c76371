#include "run/batch.h"

enum {
    NUMBERS = 1024,    /* about so many a row, so that the channels of small models stay in the second-level cache */
    LEAST_LANES = 8,   /* what the kernels take; fewer strings leave lanes idle */
    LEAST_STRINGS = 4, /* that are worth a batch */
    LONGEST = 256      /* positions; beyond that a string fills its tiles alone */
};

size_t batch_lanes(const model_plan *plan, size_t size) {
    if (plan->dense || size == 0 || size > LONGEST) return 0;
    size_t lanes = NUMBERS / size / LEAST_LANES * LEAST_LANES;
    return lanes < LEAST_LANES ? LEAST_LANES : lanes > BATCH_MOST ? BATCH_MOST : lanes;
}

void batch_init(batch *b, const temper_model *m, const model_plan *plan, size_t n, size_t strings, bool hard,
                temper_type type, arena *a) {
    b->n = n;
    b->size = n + 1 + m->has_end;
    b->lanes = batch_lanes(plan, b->size);
    if (strings < b->lanes) b->lanes = (strings + LEAST_LANES - 1) / LEAST_LANES * LEAST_LANES;
    b->type = type;
    b->truth = arena_alloc(a, model_output_count(m) * b->size * b->lanes, 1);
    b->margins = arena_zalloc(a, plan->head_start[m->layer_count] * b->lanes, sizeof *b->margins);
    b->runner = type == TEMPER_TYPE_F32 ? batch_new_f32(b, m, plan, hard, a) : batch_new_f64(b, m, plan, hard, a);
}

bool batch_run(batch *b, const uint32_t *const *letters, size_t count) {
    return b->type == TEMPER_TYPE_F32 ? batch_run_f32(b->runner, letters, count)
                                      : batch_run_f64(b->runner, letters, count);
}

void batch_group_lengths(batch_groups *g, const size_t *n, size_t count, const model_plan *plan, size_t sentinels,
                         arena *a) {
    size_t start[LONGEST + 2] = {0}; /* by N, after counting: where its strings begin in the order */
    *g = (batch_groups){.order = arena_alloc(a, count, sizeof *g->order)};
    if (batch_lanes(plan, LONGEST) == 0) return;
    for (size_t k = 0; k < count; k++)
        if (n[k] <= LONGEST - sentinels) start[n[k] + sentinels + 1]++;
    for (size_t size = 1; size <= LONGEST + 1; size++) start[size] += start[size - 1];
    for (size_t size = sentinels; size <= LONGEST; size++) {
        size_t lanes = batch_lanes(plan, size);
        for (size_t at = start[size]; at < start[size + 1]; at += lanes) {
            size_t left = start[size + 1] - at;
            batch_group group = {.first = at, .count = left < lanes ? left : lanes, .n = size - sentinels};
            if (group.count >= LEAST_STRINGS) array_push(a, g->groups, g->count, g->capacity, group);
        }
    }
    for (size_t k = 0; k < count; k++)
        if (n[k] <= LONGEST - sentinels) g->order[start[n[k] + sentinels]++] = k;
}

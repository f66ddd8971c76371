/* The public view of a run. Layers and heads count from 1; what is out of range or was not captured is NULL. */
#include <stdlib.h>

#include "run/forward.h"

void temper_run_free(temper_run *run) {
    if (!run) return;
    arena_free(&run->memory);
    free(run);
}

temper_run_info temper_run_about(const temper_run *run) {
    return (temper_run_info){.type = run->type,
                             .size = run->size,
                             .accept = run->accept,
                             .proved = run->claim != TEMPER_CLAIM_NONE,
                             .claim = run->claim,
                             .every_position = run->every_position,
                             .truth = run->truth,
                             .warning = run->warning ? run->warning : ""};
}

const unsigned char *temper_run_output(const temper_run *run, size_t output) {
    return output < run->output_count ? run->truth + output * run->size : NULL;
}

long temper_run_written(const temper_run *run, size_t position) {
    long found = TEMPER_WRITES_NONE;
    if (position >= run->size) return found;
    for (uint32_t o = 0; o < run->output_count; o++) {
        if (!run->truth[o * run->size + position]) continue;
        if (found != TEMPER_WRITES_NONE) return TEMPER_WRITES_SEVERAL;
        found = (long)o;
    }
    return found;
}

/* The head's index in run->heads, or SIZE_MAX. */
static size_t head_index(const temper_run *run, size_t layer, size_t head) {
    if (layer < 1 || layer > run->layer_count || head < 1) return SIZE_MAX;
    size_t index = run->head_start[layer - 1] + (head - 1);
    return index < run->head_start[layer] ? index : SIZE_MAX;
}

temper_run_head_info temper_run_head(const temper_run *run, size_t layer, size_t head) {
    size_t k = head_index(run, layer, head);
    if (k == SIZE_MAX) return (temper_run_head_info){.error = -1};
    const head_trace *t = &run->heads[k];
    return (temper_run_head_info){
        .error = t->margin, .scores = t->scores, .logits = t->logits, .weights = t->weights};
}

static const double *row_of(const temper_run *run, const double *array, size_t width, size_t position) {
    return array && position < run->size ? array + position * width : NULL;
}

temper_run_row_info temper_run_row(const temper_run *run, size_t layer, size_t head, size_t position) {
    size_t k = head_index(run, layer, head);
    if (k == SIZE_MAX || !run->captured || position >= run->size) return (temper_run_row_info){0};
    const head_trace *t = &run->heads[k];
    return (temper_run_row_info){.scale = t->scales ? t->scales[position] : t->scale,
                                 .query = row_of(run, t->query, run->query_size[k], position),
                                 .key = row_of(run, t->key, run->query_size[k], position),
                                 .value = row_of(run, t->value, run->value_size[k], position),
                                 .output = row_of(run, t->output, run->value_size[k], position)};
}

const double *temper_run_channels(const temper_run *run, size_t layer, size_t position) {
    return run->captured && layer <= run->layer_count
               ? row_of(run, run->channels[layer], run->channel_count, position)
               : NULL;
}

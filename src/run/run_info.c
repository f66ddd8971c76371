/* The public view of a run. Layers and heads count from 1; what is out of range or was not captured is NULL. */
#include <stdlib.h>

#include "run/forward.h"

void temper_run_free(temper_run *run) {
    if (!run) return;
    arena_free(&run->memory);
    free(run);
}

int temper_run_accept(const temper_run *run) { return run->accept; }
int temper_run_proved(const temper_run *run) { return run->claim != TEMPER_CLAIM_NONE; }
temper_claim temper_run_claim(const temper_run *run) { return run->claim; }
int temper_run_every_position(const temper_run *run) { return run->every_position; }
const char *temper_run_warning(const temper_run *run) { return run->warning ? run->warning : ""; }
size_t temper_run_size(const temper_run *run) { return run->size; }
int temper_run_truth(const temper_run *run, size_t position) { return position < run->size && run->truth[position]; }
const unsigned char *temper_run_truths(const temper_run *run) { return run->truth; }

/* The head's index in run->heads, or SIZE_MAX. */
static size_t head_index(const temper_run *run, size_t layer, size_t head) {
    if (layer < 1 || layer > run->layer_count || head < 1) return SIZE_MAX;
    size_t index = run->head_start[layer - 1] + (head - 1);
    return index < run->head_start[layer] ? index : SIZE_MAX;
}

static const head_trace *trace_of(const temper_run *run, size_t layer, size_t head) {
    size_t k = head_index(run, layer, head);
    return k == SIZE_MAX ? NULL : &run->heads[k];
}

double temper_run_margin(const temper_run *run, size_t layer, size_t head) {
    const head_trace *t = trace_of(run, layer, head);
    return t ? t->margin : -1;
}

temper_type temper_run_type(const temper_run *run) { return run->type; }

double temper_run_scale(const temper_run *run, size_t layer, size_t head, size_t position) {
    const head_trace *t = trace_of(run, layer, head);
    if (!t || position >= run->size) return 0;
    return t->scales ? t->scales[position] : t->scale;
}

const double *temper_run_logits(const temper_run *run, size_t layer, size_t head) {
    const head_trace *t = trace_of(run, layer, head);
    return t ? t->logits : NULL;
}

const double *temper_run_scores(const temper_run *run, size_t layer, size_t head) {
    const head_trace *t = trace_of(run, layer, head);
    return t ? t->scores : NULL;
}

const double *temper_run_weights(const temper_run *run, size_t layer, size_t head) {
    const head_trace *t = trace_of(run, layer, head);
    return t ? t->weights : NULL;
}

static const double *row_of(const temper_run *run, const double *array, size_t width, size_t position) {
    return array && position < run->size ? array + position * width : NULL;
}

const double *temper_run_query(const temper_run *run, size_t layer, size_t head, size_t position) {
    size_t k = head_index(run, layer, head);
    return k == SIZE_MAX || !run->captured ? NULL : row_of(run, run->heads[k].query, run->query_size[k], position);
}

const double *temper_run_key(const temper_run *run, size_t layer, size_t head, size_t position) {
    size_t k = head_index(run, layer, head);
    return k == SIZE_MAX || !run->captured ? NULL : row_of(run, run->heads[k].key, run->query_size[k], position);
}

const double *temper_run_value(const temper_run *run, size_t layer, size_t head, size_t position) {
    size_t k = head_index(run, layer, head);
    return k == SIZE_MAX || !run->captured ? NULL : row_of(run, run->heads[k].value, run->value_size[k], position);
}

const double *temper_run_output(const temper_run *run, size_t layer, size_t head, size_t position) {
    size_t k = head_index(run, layer, head);
    return k == SIZE_MAX || !run->captured ? NULL : row_of(run, run->heads[k].output, run->value_size[k], position);
}

const double *temper_run_channels(const temper_run *run, size_t layer, size_t position) {
    return run->captured && layer <= run->layer_count
               ? row_of(run, run->channels[layer], run->channel_count, position)
               : NULL;
}

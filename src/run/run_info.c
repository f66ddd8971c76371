/* The public view of a run. Layers and heads count from 1; what is out of range or was not captured is NULL. */
#include <stdlib.h>

#include "base/entry.h"
#include "logic/written.h"
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

const double *temper_run_logits(const temper_run *run, size_t output) {
    return run->logits && output < run->output_count ? run->logits + output * run->size : NULL;
}

const unsigned char *temper_run_output(const temper_run *run, size_t output) {
    return output < run->output_count ? run->truth + output * run->size : NULL;
}

long temper_run_written(const temper_run *run, size_t position) {
    return position < run->size ? written_at(run->truth + position, run->output_count, run->size)
                                : TEMPER_WRITES_NONE;
}

typedef struct write_call {
    char **out;
    size_t *length;
    const temper_run *run;
    const temper_model *model;
} write_call;

static void write_run(entry *e, void *context) {
    const write_call *c = context;
    const temper_model *m = c->model;
    const temper_run *r = c->run;
    if (m->kind != TEMPER_KIND_TRANSDUCER) trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "only a transducer writes");
    if (r->output_count != model_output_count(m))
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the run is of a model with other outputs");
    text out;
    text_init(&out, &e->scratch);
    written_text(&out, m->output_names, r->output_count, r->truth + 1, r->size, r->size - 1 - m->has_end,
                 m->letters.tokens);
    *c->length = out.length;
    *c->out = entry_hand_out(e, text_string(&out), out.length);
}

temper_status temper_run_write(char **out, size_t *length, const temper_run *run, const temper_model *model,
                               temper_error *err) {
    write_call call = {out, length, run, model};
    *out = NULL;
    return entry_run(err, write_run, &call);
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

/* The public view of a model: what explain prints, and printing the text form. */
#include <stdlib.h>
#include <string.h>

#include "model/model_spec.h"
#include "model/model.h"

typedef struct print_call {
    char **out;
    size_t *length;
    const temper_model *model;
} print_call;

static void print(entry *e, void *context) {
    const print_call *c = context;
    text buffer;
    text_init(&buffer, &e->scratch);
    model_print(&buffer, c->model);
    *c->length = buffer.length;
    *c->out = entry_hand_out(e, buffer.data, buffer.length);
}

temper_status temper_model_print(char **out, size_t *length, const temper_model *model, temper_error *err) {
    print_call call = {out, length, model};
    *out = NULL;
    return entry_run(err, print, &call);
}

temper_status temper_model_encode(uint32_t **letters, size_t *n, const temper_model *model, const char *bytes,
                                  size_t length, temper_error *err) {
    return alphabet_encode_entry(letters, n, &model->letters, bytes, length, err);
}

static size_t rows_terms(const model_rows *r) { return r->start[r->count]; }

temper_model_info temper_model_about(const temper_model *m) {
    temper_model_info info = {0}, *out = &info;
    out->method = m->method;
    out->digits = m->method == TEMPER_METHOD_DIGITS ? m->digits->type : TEMPER_TYPE_F64;
    out->source = m->source;
    out->syntax = m->syntax;
    out->at = m->at;
    out->whole = model_is_from_right(m);
    out->tokens = m->letters.tokens;
    out->accepts_empty = m->accepts_empty;
    out->has_end = m->has_end;
    out->letters = m->letters.count;
    out->other = m->letters.other == UINT32_MAX ? SIZE_MAX : m->letters.other;
    out->channels = m->channel_count;
    out->layers = m->layer_count;
    out->kind = m->kind;
    out->outputs = m->read.count;
    out->has_logits = model_has_logits(m);
    out->parameters = rows_terms(&m->embedding) + rows_terms(&m->read);
    if (model_has_logits(m)) out->parameters += rows_terms(&m->logits);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        const model_layer *l = &m->layers[k];
        out->heads += l->head_count;
        out->hidden += l->in.count;
        out->parameters += rows_terms(&l->in) + rows_terms(&l->out);
        for (uint32_t b = 0; b < l->in.count; b++) out->parameters += l->bias[b] != 0;
        for (uint32_t h = 0; h < l->head_count; h++) {
            const model_head *head = &l->heads[h];
            out->parameters += rows_terms(&head->query) + rows_terms(&head->key) + rows_terms(&head->value) +
                               rows_terms(&head->output);
        }
    }
    out->rescaled = m->rescaled;
    out->verdict_only = m->record.verdict_only;
    out->output_error = m->record.error;
    out->output_margin = m->record.margin;
    out->parts = m->part_count;
    return info;
}

const char *temper_model_letter(const temper_model *model, size_t letter) {
    return letter < model->letters.count ? model->letters.letters[letter] : NULL;
}

const char *temper_model_output_name(const temper_model *model, size_t output) {
    return output < model->read.count ? model->output_names[output] : NULL;
}

typedef struct read_out_call {
    char **out;
    const temper_model *model;
    size_t output;
} read_out_call;

/* A sum of channels, as one would write it. */
static void tell_read_out(entry *e, void *context) {
    const read_out_call *c = context;
    const model_rows *r = &c->model->read;
    if (c->output >= r->count) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "there is no such output");
    text sum;
    text_init(&sum, &e->scratch);
    for (uint32_t k = r->start[c->output]; k < r->start[c->output + 1]; k++) {
        double weight = r->terms[k].weight, size = weight < 0 ? -weight : weight;
        text_puts(&sum, sum.length ? (weight < 0 ? " - " : " + ") : weight < 0 ? "-" : "");
        if (size != 1) text_printf(&sum, "%.17g*", size);
        text_printf(&sum, "channel %u", r->terms[k].channel);
    }
    if (!sum.length) text_putc(&sum, '0');
    *c->out = entry_hand_out(e, text_string(&sum), sum.length);
}

temper_status temper_model_read_out(char **out, const temper_model *model, size_t output, temper_error *err) {
    read_out_call call = {out, model, output};
    *out = NULL;
    return entry_run(err, tell_read_out, &call);
}

temper_layer_info temper_model_layer(const temper_model *model, size_t layer) {
    if (layer < 1 || layer > model->layer_count) return (temper_layer_info){0};
    const model_layer *l = &model->layers[layer - 1];
    return (temper_layer_info){.heads = l->head_count, .hidden = l->in.count};
}

static temper_status out_of_range(temper_error *err, const char *what) {
    return error_write(err, TEMPER_RANGE, 0, 0, "", "there is no such %s", what);
}

temper_status temper_model_channel(temper_channel_info *out, const temper_model *model, size_t channel,
                                   temper_error *err) {
    if (channel >= model->channel_count) return out_of_range(err, "channel");
    out->label = model->channels[channel].label;
    out->position = model->channels[channel].position_text;
    return TEMPER_OK;
}

temper_status temper_model_part(temper_part_info *out, const temper_model *model, size_t part, temper_error *err) {
    if (part >= model->part_count) return out_of_range(err, "subformula");
    const model_part *p = &model->parts[part];
    *out = (temper_part_info){.formula = p->formula,
                              .layer = p->layer,
                              .head = p->head < 0 ? -1 : (long)p->head + 1,
                              .channel = (long)p->channel};
    return TEMPER_OK;
}

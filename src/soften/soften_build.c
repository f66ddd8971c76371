#include "soften/soften_build.h"

#include <string.h>

#include "logic/formula.h"

uint32_t soften_feature(softener *s, const char *expression_text, bool soft_only) {
    text key;
    text_init(&key, s->scratch);
    text_printf(&key, "%s%s", soft_only ? "soft " : "", expression_text);
    bool fresh;
    uint32_t c = *table_put(&s->features, key.data, key.length, (uint32_t)s->channel_count, &fresh);
    if (!fresh) return c;
    arena *a = &s->to->memory;
    model_channel channel = {.label = arena_copy(a, expression_text, strlen(expression_text)),
                             .position = expression_parse(a, expression_text, strlen(expression_text), 0, 0),
                             .soft_only = soft_only};
    array_push(a, s->channels, s->channel_count, s->channel_capacity, channel);
    return c;
}

/* ---- channels that nobody reads any more ---- */

static void mark_rows(unsigned char *used, const model_rows *r) {
    for (uint32_t k = 0; k < r->start[r->count]; k++) used[r->terms[k].channel] = 1;
}

static void move_rows(const uint32_t *to, model_rows *r) {
    for (uint32_t k = 0; k < r->start[r->count]; k++) r->terms[k].channel = to[r->terms[k].channel];
}

/* Calls visit on every matrix of the model. */
static void each_matrix(temper_model *m, void (*visit)(void *, model_rows *), void *context) {
    visit(context, &m->embedding);
    visit(context, &m->read);
    if (model_has_logits(m)) visit(context, &m->logits);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        model_layer *layer = &m->layers[l];
        for (uint32_t h = 0; h < layer->head_count; h++) {
            visit(context, &layer->heads[h].query);
            visit(context, &layer->heads[h].key);
            visit(context, &layer->heads[h].value);
            visit(context, &layer->heads[h].output);
        }
        visit(context, &layer->in);
        visit(context, &layer->out);
    }
}

static void visit_mark(void *used, model_rows *r) { mark_rows(used, r); }
static void visit_move(void *to, model_rows *r) { move_rows(to, r); }

/* The positions method replaces features of the hard model; those that are left without a reader are dropped. */
void soften_end(softener *s) {
    temper_model *m = s->to;
    unsigned char *used = arena_zalloc(s->scratch, s->channel_count, 1);
    uint32_t *to = arena_zalloc(s->scratch, s->channel_count, sizeof *to);
    each_matrix(m, visit_mark, used);
    uint32_t kept = 0;
    s->source = arena_alloc(s->scratch, s->channel_count, sizeof *s->source);
    for (size_t c = 0; c < s->channel_count; c++) {
        to[c] = kept;
        if (!used[c]) continue;
        s->source[kept] = c < s->from->channel_count ? (uint32_t)c : UINT32_MAX;
        s->channels[kept++] = s->channels[c];
    }
    each_matrix(m, visit_move, to);
    m->channel_count = kept;
    m->channels = s->channels;
    for (size_t k = 0; k < m->part_count; k++)
        if (m->parts[k].channel >= 0)
            m->parts[k].channel = used[m->parts[k].channel] ? (int64_t)to[m->parts[k].channel] : -1;
}

/* ---- copies ---- */

static void copy_settings(temper_model *to, const temper_model *from) {
    arena *a = &to->memory;
    alphabet_copy(&to->letters, a, &from->letters);
    to->source = arena_copy(a, from->source, strlen(from->source));
    if (from->spec) to->spec = spec_share(from->spec);
    if (from->expansion) to->expansion = arena_copy(a, from->expansion, strlen(from->expansion));
    to->syntax = from->syntax;
    to->at = from->at;
    to->accepts_empty = from->accepts_empty;
    to->has_end = from->has_end;
    to->embedding = rows_copy(a, &from->embedding);
    to->kind = from->kind;
    to->read = rows_copy(a, &from->read);
    if (model_has_logits(from)) to->logits = rows_copy(a, &from->logits);
    to->output_names = arena_alloc(a, from->read.count, sizeof *to->output_names);
    for (uint32_t k = 0; k < from->read.count; k++)
        to->output_names[k] = arena_copy(a, from->output_names[k], strlen(from->output_names[k]));
    to->part_count = from->part_count;
    to->parts = arena_alloc(a, from->part_count, sizeof *to->parts);
    for (size_t k = 0; k < from->part_count; k++) {
        to->parts[k] = from->parts[k];
        to->parts[k].formula = arena_copy(a, from->parts[k].formula, strlen(from->parts[k].formula));
    }
}

static void copy_channels(softener *s) {
    const temper_model *from = s->from;
    arena *a = &s->to->memory;
    table_init(&s->features, s->scratch);
    for (uint32_t c = 0; c < from->channel_count; c++) {
        model_channel copy = from->channels[c];
        copy.label = arena_copy(a, copy.label, strlen(copy.label));
        copy.position = expression_copy(a, copy.position);
        array_push(a, s->channels, s->channel_count, s->channel_capacity, copy);
    }
}

void soften_begin(softener *s, const temper_model *from, temper_model *to, temper_method method, trap *t,
                  arena *scratch) {
    *s = (softener){.from = from, .to = to, .trap = t, .scratch = scratch, .method = method};
    copy_settings(to, from);
    to->method = method;
    copy_channels(s);
    to->layer_count = from->layer_count;
    to->layers = arena_zalloc(&to->memory, from->layer_count, sizeof *to->layers);
}

void soften_copy_layer(softener *s, uint32_t layer) {
    const model_layer *from = &s->from->layers[layer];
    model_layer *to = &s->to->layers[layer];
    arena *a = &s->to->memory;
    to->head_count = from->head_count;
    to->heads = arena_zalloc(a, from->head_count, sizeof *to->heads);
    to->in = rows_copy(a, &from->in);
    to->out = rows_copy(a, &from->out);
    to->bias = arena_alloc(a, from->in.count, sizeof *to->bias);
    if (from->in.count) memcpy(to->bias, from->bias, from->in.count * sizeof *to->bias);
    for (uint32_t h = 0; h < from->head_count; h++) {
        const model_head *head = &from->heads[h];
        model_head *copy = &to->heads[h];
        *copy = *head;
        copy->label = arena_copy(a, head->label, strlen(head->label));
        copy->query = rows_copy(a, &head->query);
        copy->key = rows_copy(a, &head->key);
        copy->value = rows_copy(a, &head->value);
        copy->output = rows_copy(a, &head->output);
    }
}

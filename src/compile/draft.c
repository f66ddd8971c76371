#include "compile/draft.h"

#include <string.h>

void draft_init(draft *d, arena *a, uint32_t layer_count) {
    memset(d, 0, sizeof *d);
    d->arena = a;
    d->layer_count = layer_count;
    d->layers = arena_zalloc(a, (size_t)layer_count + 1, sizeof *d->layers);
}

channel_id draft_channel_add(draft *d, draft_channel c) {
    if (d->channel_count >= UINT32_MAX / 2) trap_raise(d->arena->trap, TEMPER_LIMIT, 0, 0, "too many channels");
    array_push(d->arena, d->channels, d->channel_count, d->channel_capacity, c);
    return (channel_id)d->channel_count - 1;
}

void form_add(draft *d, draft_form *f, channel_id channel, double weight) {
    array_push(d->arena, f->terms, f->count, f->capacity, (model_term){channel, weight});
}

void form_add_form(draft *d, draft_form *f, const draft_form *other, double factor) {
    for (size_t k = 0; k < other->count; k++)
        form_add(d, f, other->terms[k].channel, factor * other->terms[k].weight);
}

bool form_equal(const draft_form *a, const draft_form *b) {
    if (a->count != b->count) return false;
    for (size_t k = 0; k < a->count; k++)
        if (a->terms[k].channel != b->terms[k].channel || a->terms[k].weight != b->terms[k].weight) return false;
    return true;
}

void draft_read(draft *d, const draft_form *f, uint32_t layer) {
    for (size_t k = 0; k < f->count; k++) {
        draft_channel *c = &d->channels[f->terms[k].channel];
        if (c->last_read < layer) c->last_read = layer;
    }
}

static bool same_pattern(const draft_head *h, head_role role, temper_mask mask, temper_choice choice,
                         const draft_form *query, const draft_form *key, size_t size) {
    if (h->role != role || h->mask != mask || h->choice != choice || h->size != size) return false;
    for (size_t k = 0; k < size; k++)
        if (!form_equal(&h->query[k], &query[k]) || !form_equal(&h->key[k], &key[k])) return false;
    return true;
}

/* Looking back over more heads than this costs more than a shared head saves. */
enum { SEARCH = 64 };

draft_head *draft_head_for(draft *d, uint32_t layer, head_role role, temper_mask mask, temper_choice choice,
                           const draft_form *query, const draft_form *key, size_t size) {
    draft_layer *l = &d->layers[layer];
    unsigned looked = 0;
    for (draft_head *h = l->heads; h && looked < SEARCH; h = h->next, looked++)
        if (same_pattern(h, role, mask, choice, query, key, size)) return h;
    draft_head *h = arena_zalloc(d->arena, 1, sizeof *h);
    draft_form *copies = arena_zalloc(d->arena, 2 * size + 1, sizeof *copies);
    for (size_t k = 0; k < size; k++) {
        copies[k] = query[k];
        copies[size + k] = key[k];
        draft_read(d, &query[k], layer);
        draft_read(d, &key[k], layer);
    }
    h->role = role;
    h->mask = mask;
    h->choice = choice;
    h->query = copies;
    h->key = copies + size;
    h->size = size;
    h->number = l->head_count++;
    text_init(&h->label, d->arena);
    if (l->last_head)
        l->last_head->next = h;
    else
        l->heads = h;
    l->last_head = h;
    return h;
}

/* Labels of shared heads would grow without bound: name the first few. */
enum { LABEL_LIMIT = 160 };

channel_id draft_value(draft *d, draft_head *h, uint32_t layer, const draft_form *value, const char *label,
                       bool may_be_negative) {
    for (size_t k = 0; k < h->value_count; k++)
        if (form_equal(&h->values[k], value)) return h->outputs[k];
    size_t same = h->value_count;
    channel_id out = draft_channel_add(
        d, (draft_channel){
               .label = label, .born = layer, .last_read = layer, .raw = true, .may_be_negative = may_be_negative});
    array_push(d->arena, h->outputs, same, h->output_capacity, out);
    array_push(d->arena, h->values, h->value_count, h->value_capacity, *value);
    draft_read(d, value, layer);
    if (h->label.length < LABEL_LIMIT) {
        if (h->label.length) text_puts(&h->label, " ; ");
        text_puts(&h->label, h->label.length + strlen(label) > 2 * LABEL_LIMIT ? "..." : label);
    }
    return out;
}

draft_unit *draft_unit_add(draft *d, uint32_t layer, double bias) {
    draft_layer *l = &d->layers[layer];
    draft_unit *u = arena_zalloc(d->arena, 1, sizeof *u);
    u->bias = bias;
    l->unit_count++;
    if (l->last_unit)
        l->last_unit->next = u;
    else
        l->units = u;
    l->last_unit = u;
    return u;
}

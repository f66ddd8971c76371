/* Places for drafted channels in the residual stream: a channel that nobody reads any more is cleared by the
   feed-forward net of the last layer that reads it, and its place is free from the next layer on. Clearing is exact:
   x - relu(x) + relu(-x) is 0 in every format, because nothing else is added to x in that net. Only places that are
   used again are cleared. */
#include <string.h>

#include "compile/draft.h"

typedef struct packing {
    const draft *d;
    temper_model *m;
    arena *arena;
    uint32_t *place;       /* [drafted] */
    unsigned char *clear;  /* [drafted] clear it at the end of its life */
    channel_id *by_birth;  /* drafted channels grouped by the layer that writes them */
    size_t *birth_start;   /* [layers + 2] */
    channel_id *by_death;  /* and by the layer that reads them last */
    size_t *death_start;   /* [layers + 2] */
    uint32_t *free_places; /* a stack */
    channel_id *tenant;    /* [places] who was there last */
    size_t free_count, free_capacity, place_count, tenant_capacity;
    text *labels; /* [places] */
    size_t label_count, label_capacity;
} packing;

/* What the feed-forward net of the last layer writes and nobody reads must not be cleared by that same net. */
static uint32_t death_of(const packing *p, channel_id c) {
    const draft_channel *x = &p->d->channels[c];
    uint32_t last = !x->raw && x->born > 0 && x->last_read == x->born ? UINT32_MAX : x->last_read;
    return last > p->d->layer_count ? p->d->layer_count + 1 : last; /* the read-out comes after the last layer */
}

/* Counting sort of channels by a layer in 0..layers+1. */
static void group(packing *p, channel_id **out, size_t **start, bool by_death) {
    const draft *d = p->d;
    size_t buckets = (size_t)d->layer_count + 2;
    *start = arena_zalloc(p->arena, buckets + 1, sizeof **start);
    *out = arena_alloc(p->arena, d->channel_count, sizeof **out);
    for (channel_id c = 0; c < d->channel_count; c++)
        (*start)[(by_death ? death_of(p, c) : d->channels[c].born) + 1]++;
    for (size_t k = 0; k < buckets; k++) (*start)[k + 1] += (*start)[k];
    size_t *next = arena_alloc(p->arena, buckets, sizeof *next);
    memcpy(next, *start, buckets * sizeof *next);
    for (channel_id c = 0; c < d->channel_count; c++)
        (*out)[next[by_death ? death_of(p, c) : d->channels[c].born]++] = c;
}

/* Labels of places with many tenants would grow without bound. */
enum { LABEL_LIMIT = 160 };

static void settle(packing *p, channel_id c) {
    uint32_t place;
    if (p->free_count) {
        place = p->free_places[--p->free_count];
        p->clear[p->tenant[place]] = 1;
        p->tenant[place] = c;
    } else {
        place = (uint32_t)p->place_count;
        array_push(p->arena, p->tenant, p->place_count, p->tenant_capacity, c);
        text fresh;
        text_init(&fresh, &p->m->memory);
        array_push(p->arena, p->labels, p->label_count, p->label_capacity, fresh);
    }
    p->place[c] = place;
    text *label = &p->labels[place];
    if (label->length >= LABEL_LIMIT) return;
    if (label->length) text_puts(label, " ; ");
    if (p->d->channels[c].raw) text_puts(label, "raw ");
    text_puts(label, p->d->channels[c].label);
}

/* fills place and clear */
static void assign(packing *p) {
    const draft *d = p->d;
    for (uint32_t layer = 0; layer <= d->layer_count; layer++) {
        for (size_t k = p->birth_start[layer]; k < p->birth_start[layer + 1]; k++) settle(p, p->by_birth[k]);
        if (layer == 0) continue;
        for (size_t k = p->death_start[layer]; k < p->death_start[layer + 1]; k++)
            array_push(p->arena, p->free_places, p->free_count, p->free_capacity, p->place[p->by_death[k]]);
    }
}

static void add_form(const packing *p, rows_builder *b, const draft_form *f) {
    for (size_t k = 0; k < f->count; k++) rows_term(b, p->place[f->terms[k].channel], f->terms[k].weight);
    rows_end_row(b);
}

static model_rows forms_to_rows(const packing *p, const draft_form *forms, size_t count) {
    rows_builder b;
    rows_begin(&b, &p->m->memory);
    for (size_t k = 0; k < count; k++) add_form(p, &b, &forms[k]);
    return rows_finish(&b);
}

static void fill_head(const packing *p, model_head *to, const draft_head *h) {
    arena *a = &p->m->memory;
    to->label = arena_copy(a, text_string(&h->label), h->label.length);
    to->role = h->role;
    to->mask = h->mask;
    to->choice = to->hard_choice = h->choice;
    to->query = forms_to_rows(p, h->query, h->size);
    to->key = forms_to_rows(p, h->key, h->size);
    to->value = forms_to_rows(p, h->values, h->value_count);
    rows_builder b;
    rows_begin(&b, a);
    for (size_t k = 0; k < h->value_count; k++) {
        rows_term(&b, p->place[h->outputs[k]], 1);
        rows_end_row(&b);
    }
    to->output = rows_finish(&b);
}

/* Sign +1: -relu(x); sign -1: +relu(-x). */
static void clear_unit(const packing *p, channel_id c, double sign, rows_builder *in, rows_builder *out) {
    rows_term(in, p->place[c], sign);
    rows_end_row(in);
    rows_term(out, p->place[c], -sign);
    rows_end_row(out);
}

static void fill_layer(const packing *p, uint32_t layer) {
    const draft_layer *from = &p->d->layers[layer];
    model_layer *to = &p->m->layers[layer - 1];
    arena *a = &p->m->memory;
    to->head_count = from->head_count;
    to->heads = arena_zalloc(a, from->head_count, sizeof *to->heads);
    for (const draft_head *h = from->heads; h; h = h->next) fill_head(p, &to->heads[h->number], h);
    rows_builder in, out;
    rows_begin(&in, a);
    rows_begin(&out, a);
    size_t cleared = p->death_start[layer + 1] - p->death_start[layer];
    to->bias = arena_zalloc(a, from->unit_count + 2 * cleared, sizeof *to->bias);
    for (const draft_unit *u = from->units; u; u = u->next) {
        to->bias[in.count] = u->bias;
        add_form(p, &in, &u->in);
        add_form(p, &out, &u->out);
    }
    for (size_t k = p->death_start[layer]; k < p->death_start[layer + 1]; k++) {
        channel_id c = p->by_death[k];
        if (!p->clear[c]) continue;
        clear_unit(p, c, 1, &in, &out);
        if (p->d->channels[c].may_be_negative) clear_unit(p, c, -1, &in, &out);
    }
    to->in = rows_finish(&in);
    to->out = rows_finish(&out);
}

static bool embeds(const draft_channel *c, const alphabet *letters, size_t token) {
    if (token == letters->count) return c->on_start;
    if (token == letters->count + 1) return c->on_end;
    return c->letters && (c->letters[token / 64] >> (token % 64) & 1);
}

static void fill_embedding(const packing *p) {
    const draft *d = p->d;
    temper_model *m = p->m;
    m->channel_count = (uint32_t)p->place_count;
    m->channels = arena_zalloc(&m->memory, p->place_count, sizeof *m->channels);
    for (size_t k = 0; k < p->place_count; k++)
        m->channels[k].label = arena_copy(&m->memory, text_string(&p->labels[k]), p->labels[k].length);
    rows_builder b;
    rows_begin(&b, &m->memory);
    size_t embedded = p->birth_start[1];
    for (size_t token = 0; token < m->letters.count + 2; token++) {
        for (size_t k = 0; k < embedded; k++)
            if (embeds(&d->channels[p->by_birth[k]], &m->letters, token)) rows_term(&b, p->place[p->by_birth[k]], 1);
        rows_end_row(&b);
    }
    m->embedding = rows_finish(&b);
    for (size_t k = 0; k < embedded; k++) {
        const draft_channel *c = &d->channels[p->by_birth[k]];
        if (c->position) m->channels[p->place[p->by_birth[k]]].position = expression_copy(&m->memory, c->position);
    }
}

void model_from_draft(temper_model *m, const draft *d, uint32_t **channel_of, arena *scratch) {
    packing p = {.d = d, .m = m, .arena = scratch};
    p.place = *channel_of = arena_zalloc(scratch, d->channel_count, sizeof *p.place);
    p.clear = arena_zalloc(scratch, d->channel_count, 1);
    group(&p, &p.by_birth, &p.birth_start, false);
    group(&p, &p.by_death, &p.death_start, true);
    assign(&p);
    m->has_end = d->has_end;
    fill_embedding(&p);
    m->layer_count = d->layer_count;
    m->layers = arena_zalloc(&m->memory, d->layer_count, sizeof *m->layers);
    for (uint32_t layer = 1; layer <= d->layer_count; layer++) fill_layer(&p, layer);
    m->read = forms_to_rows(&p, d->reads, d->read_count);
    if (d->logits) m->logits = forms_to_rows(&p, d->logits, d->read_count);
}

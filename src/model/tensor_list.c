#include "model/tensor_list.h"

#include <string.h>

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

uint32_t model_head_size(const temper_model *m) {
    uint32_t size = 0;
    for (uint32_t k = 0; k < m->layer_count; k++)
        for (uint32_t h = 0; h < m->layers[k].head_count; h++)
            size = larger(size, larger(m->layers[k].heads[h].query.count, m->layers[k].heads[h].value.count));
    return size;
}

/* Appends a tensor; `name` holds %u for the layer, or nothing. */
static void add(weight_list *list, arena *a, const char *name, weight_tensor w) {
    text full;
    text_init(&full, a);
    if (*name == '.')
        text_printf(&full, "blocks.%u%s", w.layer, name);
    else
        text_puts(&full, name);
    tensor_plan *p = &list->plans[list->count];
    *p = (tensor_plan){.name = text_string(&full), .type = TENSOR_F64};
    bool heads = w.kind >= WEIGHT_QUERY && w.kind <= WEIGHT_OUTPUT;
    if (heads) p->shape[p->rank++] = w.blocks;
    p->shape[p->rank++] = w.transposed ? w.columns : w.rows;
    if (w.kind != WEIGHT_BIAS) p->shape[p->rank++] = w.transposed ? w.rows : w.columns;
    list->weights[list->count++] = w;
}

weight_list weight_list_make(const temper_model *m, arena *a) {
    uint32_t channels = m->channel_count, d_head = model_head_size(m);
    size_t most = 3 + 7 * (size_t)m->layer_count;
    weight_list list = {.weights = arena_alloc(a, most, sizeof *list.weights),
                        .plans = arena_alloc(a, most, sizeof *list.plans)};
    add(&list, a, "embed.W_E", (weight_tensor){WEIGHT_EMBED, 0, 1, (uint32_t)m->letters.count + 2, channels, false});
    for (uint32_t k = 0; k < m->layer_count; k++) {
        uint32_t heads = m->layers[k].head_count, units = m->layers[k].in.count;
        if (heads) {
            add(&list, a, ".attn.W_Q", (weight_tensor){WEIGHT_QUERY, k, heads, d_head, channels, true});
            add(&list, a, ".attn.W_K", (weight_tensor){WEIGHT_KEY, k, heads, d_head, channels, true});
            add(&list, a, ".attn.W_V", (weight_tensor){WEIGHT_VALUE, k, heads, d_head, channels, true});
            add(&list, a, ".attn.W_O", (weight_tensor){WEIGHT_OUTPUT, k, heads, d_head, channels, false});
        }
        if (units) {
            add(&list, a, ".mlp.W_in", (weight_tensor){WEIGHT_IN, k, 1, units, channels, true});
            add(&list, a, ".mlp.b_in", (weight_tensor){WEIGHT_BIAS, k, 1, units, 1, false});
            add(&list, a, ".mlp.W_out", (weight_tensor){WEIGHT_OUT, k, 1, units, channels, false});
        }
    }
    add(&list, a, "unembed.W_U", (weight_tensor){WEIGHT_READ, 0, 1, m->read.count, channels, true});
    if (m->logits.count)
        add(&list, a, "unembed.W_logits", (weight_tensor){WEIGHT_LOGITS, 0, 1, m->logits.count, channels, true});
    return list;
}

model_rows *weight_matrix(temper_model *m, const weight_tensor *w, uint32_t block) {
    switch (w->kind) {
    case WEIGHT_EMBED: return &m->embedding;
    case WEIGHT_QUERY: return &m->layers[w->layer].heads[block].query;
    case WEIGHT_KEY: return &m->layers[w->layer].heads[block].key;
    case WEIGHT_VALUE: return &m->layers[w->layer].heads[block].value;
    case WEIGHT_OUTPUT: return &m->layers[w->layer].heads[block].output;
    case WEIGHT_IN: return &m->layers[w->layer].in;
    case WEIGHT_OUT: return &m->layers[w->layer].out;
    case WEIGHT_READ: return &m->read;
    case WEIGHT_LOGITS: return &m->logits;
    case WEIGHT_BIAS: break;
    }
    return NULL;
}

uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t length) {
    const unsigned char *b = bytes;
    for (size_t k = 0; k < length; k++) digest = (digest ^ b[k]) * 0x100000001b3u;
    return digest;
}

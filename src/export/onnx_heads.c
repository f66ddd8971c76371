/* Heads as nodes. Each head gives weights e [batch, N, N] that are not yet divided by their sum, 0 where the mask
   hides a key; its output is the quotient of e v and of the sum of e. Where the mask leaves no key both are 0, and
   the sum is replaced by 1. */
#include <math.h>
#include <stdio.h>

#include "export/onnx_build.h"
#include "model/tensor_list.h"

typedef struct head_values {
    value weights;  /* e, [batch, N, N] or [N, N] */
    bool batched;   /* weights have a batch axis */
    value total;    /* sums of the rows of e, 1 where there is no key: [batch, N, 1] or [N, 1] */
    value averages; /* [batch, N, value_size]; NULL without values */
} head_values;

/* ---- masks ---- */

/* bool [N, N], or NULL where every key is seen */
static value mask_of(builder *b, temper_mask mask) {
    switch (mask) {
    case TEMPER_MASK_BEFORE: return node2(b, "Less", b->column, b->row);
    case TEMPER_MASK_UP_TO: return node2(b, "LessOrEqual", b->column, b->row);
    case TEMPER_MASK_AFTER: return node2(b, "Greater", b->column, b->row);
    case TEMPER_MASK_FROM: return node2(b, "GreaterOrEqual", b->column, b->row);
    case TEMPER_MASK_ALL: break;
    }
    return NULL;
}

/* bool [N, 1]: the rows that see a key; NULL where all do */
static value seeing_rows(builder *b, temper_mask mask) {
    value last = node2(b, "Sub", b->size, graph_integer(b->g, 1));
    if (mask == TEMPER_MASK_BEFORE) return node2(b, "Greater", b->row, graph_integer(b->g, 0));
    if (mask == TEMPER_MASK_AFTER) return node2(b, "Less", b->row, last);
    return NULL;
}

static value masked(builder *b, value mask, value x, value hidden) {
    return mask ? node_where(b, mask, x, hidden) : x;
}
static value both(builder *b, value mask, value x) { return mask ? node2(b, "And", mask, x) : x; }

/* ---- from scores to weights ---- */

/* exp(logit - the row's largest), 0 where masked. A row without keys has no largest logit: 0 stands in. */
static value exponentials(builder *b, const model_head *h, value mask, value logits) {
    value best = graph_reduce(b->g, "ReduceMax", masked(b, mask, logits, node_real(b, -INFINITY)));
    value seeing = seeing_rows(b, h->mask);
    if (seeing) best = node_where(b, seeing, best, node_real(b, 0));
    value shares = node1(b, "Exp", node2(b, "Sub", logits, best));
    return masked(b, mask, shares, node_real(b, 0));
}

static value scale_of(builder *b, const model_head *h) {
    return h->scale ? node_cast(b, graph_expression(b->g, h->scale, &b->variables)) : node_real(b, 1);
}

static value softmax(builder *b, const model_head *h, value mask, value scores) {
    value logits = h->scale ? node2(b, "Mul", scores, scale_of(b, h)) : scores;
    return exponentials(b, h, mask, logits);
}

/* Logits scale * (score - best)/gap, and for rightmost and leftmost +- (scale/N) j (model.h). */
static value adaptive(builder *b, const model_head *h, value mask, value scores) {
    graph *g = b->g;
    value least = node_real(b, -INFINITY), scale = scale_of(b, h);
    value best = graph_reduce(g, "ReduceMax", masked(b, mask, scores, least));
    value below = both(b, mask, node2(b, "Less", scores, best));
    value next = graph_reduce(g, "ReduceMax", node_where(b, below, scores, least));
    value differs = node2(b, "Greater", next, least);
    value apart = node2(b, "Sub", best, next);
    value gap = node_where(b, differs, apart, node_real(b, 1));
    value drop = node2(b, "Div", node2(b, "Sub", scores, best), gap);
    value logits = node2(b, "Mul", scale, node_where(b, differs, drop, node_real(b, 0)));
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE) {
        value tilt = node2(b, "Div", scale, node_cast(b, b->size));
        value slope = node2(b, "Mul", tilt, node_cast(b, b->column));
        logits = node2(b, h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? "Add" : "Sub", logits, slope);
    }
    return exponentials(b, h, mask, logits);
}

/* 1 on the largest scores, or on the first or last of them. */
static value hard(builder *b, const model_head *h, value mask, value scores) {
    value best = graph_reduce(b->g, "ReduceMax", masked(b, mask, scores, node_real(b, -INFINITY)));
    value tied = both(b, mask, node2(b, "Equal", scores, best));
    if (h->choice == TEMPER_CHOICE_AVERAGE) return node_cast(b, tied);
    bool first = h->choice == TEMPER_CHOICE_LEFTMOST;
    value keys = node_cast(b, b->column), nowhere = first ? node_cast(b, b->size) : node_real(b, -1);
    value chosen = graph_reduce(b->g, first ? "ReduceMin" : "ReduceMax", node_where(b, tied, keys, nowhere));
    return node_cast(b, node2(b, "Equal", keys, chosen));
}

/* ---- one head ---- */

static value head_weights(builder *b, const char *end, uint32_t layer, uint32_t head, const model_rows *rows,
                          bool transposed) {
    char name[80];
    snprintf(name, sizeof name, "blocks.%u.attn.%s.%u", layer, end, head);
    return node_weights(b, name, rows, transposed);
}

static head_values head_make(builder *b, uint32_t layer, uint32_t head) {
    const model_head *h = &b->m->layers[layer].heads[head];
    head_values v = {.batched = h->query.count > 0};
    value mask = mask_of(b, h->mask), scores;
    if (v.batched) {
        value query = node2(b, "MatMul", b->x, head_weights(b, "W_Q", layer, head, &h->query, true));
        value key = node2(b, "MatMul", b->x, head_weights(b, "W_K", layer, head, &h->key, true));
        scores = node2(b, "MatMul", query, graph_transpose(b->g, key, (const int64_t[]){0, 2, 1}, 3));
    } else { /* no scores: all are 0 */
        scores = node_filled(b, 0, (const value[]){b->size, b->size}, NULL, 2);
    }
    v.weights = h->choice != TEMPER_CHOICE_SOFTMAX ? hard(b, h, mask, scores)
                : h->adaptive                      ? adaptive(b, h, mask, scores)
                                                   : softmax(b, h, mask, scores);
    v.total = node2(b, "ReduceSum", v.weights, graph_integers(b->g, (const int64_t[]){-1}, 1));
    value seeing = seeing_rows(b, h->mask);
    if (seeing) v.total = node_where(b, seeing, v.total, node_real(b, 1));
    if (h->value.count) {
        value values = node2(b, "MatMul", b->x, head_weights(b, "W_V", layer, head, &h->value, true));
        v.averages = node2(b, "Div", node2(b, "MatMul", v.weights, values), v.total);
    }
    return v;
}

/* ---- optional outputs ---- */

static value pattern(builder *b, const head_values *v) {
    value p = node2(b, "Div", v->weights, v->total);
    if (!v->batched)
        p = node2(b, "Add", p,
                  node_filled(b, 0, (const value[]){b->batch, NULL, NULL}, (const int64_t[]){0, 1, 1}, 3));
    return node_unsqueeze(b, p, 1);
}

/* [batch, N, 1, d_head], padded with zeros */
static value padded(builder *b, const head_values *v, uint32_t size, uint32_t d_head) {
    const int64_t rest[] = {0, 0, (int64_t)d_head - size};
    value parts[2], zeros = NULL;
    size_t count = 0;
    if (size < d_head) zeros = node_filled(b, 0, (const value[]){b->batch, b->size, NULL}, rest, 3);
    if (v->averages) parts[count++] = v->averages;
    if (zeros) parts[count++] = zeros;
    return node_unsqueeze(b, graph_concat(b->g, parts, count, 2), 2);
}

static void output_heads(builder *b, uint32_t layer, const head_values *all) {
    const model_layer *l = &b->m->layers[layer];
    value *parts = arena_alloc(b->memory, l->head_count, sizeof *parts);
    uint32_t d_head = model_head_size(b->m);
    graph_size heads = {.number = l->head_count};
    char name[64];
    if (b->outputs & TEMPER_EXPORT_PATTERNS) {
        for (uint32_t h = 0; h < l->head_count; h++) parts[h] = pattern(b, &all[h]);
        snprintf(name, sizeof name, "blocks.%u.attn.hook_pattern", layer);
        graph_output(b->g, name, graph_concat(b->g, parts, l->head_count, 1), b->type,
                     (const graph_size[]){ONNX_BATCH, heads, ONNX_SEQUENCE, ONNX_SEQUENCE}, 4);
    }
    if ((b->outputs & TEMPER_EXPORT_HEADS) && d_head) {
        for (uint32_t h = 0; h < l->head_count; h++) parts[h] = padded(b, &all[h], l->heads[h].value.count, d_head);
        snprintf(name, sizeof name, "blocks.%u.attn.hook_z", layer);
        graph_output(b->g, name, graph_concat(b->g, parts, l->head_count, 2), b->type,
                     (const graph_size[]){ONNX_BATCH, ONNX_SEQUENCE, heads, {.number = d_head}}, 4);
    }
}

/* All heads read the stream before the layer; their outputs are added up first, then to the stream. */
void onnx_add_heads(builder *b, uint32_t layer) {
    const model_layer *l = &b->m->layers[layer];
    head_values *all = arena_zalloc(b->memory, l->head_count, sizeof *all);
    value delta = NULL;
    char scope[64];
    for (uint32_t h = 0; h < l->head_count; h++) {
        snprintf(scope, sizeof scope, "blocks.%u.attn.%u", layer, h);
        graph_scope(b->g, scope);
        all[h] = head_make(b, layer, h);
        if (!all[h].averages) continue;
        value part =
            node2(b, "MatMul", all[h].averages, head_weights(b, "W_O", layer, h, &l->heads[h].output, false));
        delta = delta ? node2(b, "Add", delta, part) : part;
    }
    if (l->head_count) output_heads(b, layer, all);
    if (delta) b->x = node2(b, "Add", b->x, delta);
}

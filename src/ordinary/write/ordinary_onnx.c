/* onnx/model.onnx of an ordinary model: the decoder with a cache that transformers.js and Optimum expect, in f32.

       input_ids, position_ids [batch, sequence], attention_mask [batch, total],
       past_key_values.L.key, .value [batch, heads, past, head_size]
       -> logits [batch, sequence, vocabulary], present.L.key, .value [batch, heads, total, head_size]        */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export/graph.h"
#include "ordinary/write/ordinary_files.h"
#include "number/format.h"

static const graph_size BATCH = {.name = "batch"}, SEQUENCE = {.name = "sequence"}, PAST = {.name = "past"},
                        TOTAL = {.name = "total"};

typedef struct decoder {
    const struct ordinary_model *m;
    graph *g;
    arena *memory;
    bool as_f16;        /* weights are numbers of f16, which the graph holds in f32 */
    value mask;         /* [batch, 1, sequence, total]: 0, or as low as f32 goes */
    value cosine, sine; /* of a Llama: [batch, 1, sequence, head_size / 2] */
} decoder;

static value node1(decoder *d, const char *op, value x) { return graph_node(d->g, op, x, NULL, NULL); }
static value node2(decoder *d, const char *op, value x, value y) { return graph_node(d->g, op, x, y, NULL); }
static value real(decoder *d, double x) { return graph_real(d->g, GRAPH_FLOAT, x); }
static value unsqueeze(decoder *d, value x, int64_t axis) {
    return node2(d, "Unsqueeze", x, graph_integers(d->g, &axis, 1));
}

static const char *named(decoder *d, const char *begin, uint32_t layer, const char *end) {
    text t;
    text_init(&t, d->memory);
    text_printf(&t, "%s%u%s", begin, layer, end);
    return text_string(&t);
}

/* ---- weights ---- */

/* A weight as the other files have it. */
static double weight(const decoder *d, float w) {
    return d->as_f16 ? format_round(&format_f16, (double)w) : (double)w;
}

/* The rows as columns: what stands to the right of a product. */
static value columns(decoder *d, const char *name, const float *matrix, uint32_t rows, uint32_t width) {
    double *numbers = arena_alloc(d->memory, (size_t)rows * width, sizeof *numbers);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < width; c++) numbers[c * rows + r] = weight(d, matrix[r * width + c]);
    return graph_weights(d->g, name, GRAPH_FLOAT, numbers, (const int64_t[]){width, rows}, 2);
}

static value rows_of(decoder *d, const char *name, const float *matrix, uint32_t rows, uint32_t width, size_t rank) {
    double *numbers = arena_alloc(d->memory, (size_t)rows * width, sizeof *numbers);
    for (size_t k = 0; k < (size_t)rows * width; k++)
        numbers[k] = rank == 2 ? weight(d, matrix[k]) : (double)matrix[k];
    const int64_t sizes[] = {rows, width};
    return graph_weights(d->g, name, GRAPH_FLOAT, numbers, rank == 2 ? sizes : sizes + 1, rank);
}

/* One half of every head's rows: 0 the first, 1 the second. */
static const float *half_rows(decoder *d, const float *matrix, uint32_t which) {
    const struct ordinary_model *m = d->m;
    size_t half = (size_t)m->head_size / 2 * m->width;
    float *out = arena_alloc(d->memory, half * m->heads, sizeof *out);
    for (uint32_t h = 0; h < m->heads; h++)
        memcpy(out + h * half, matrix + (2 * h + which) * half, half * sizeof *out);
    return out;
}

/* ---- parts of a layer ---- */

static value norm(decoder *d, value x, const char *name, const float *gain) {
    value centred = x;
    if (d->m->architecture == ORDINARY_GPT2) centred = node2(d, "Sub", x, graph_reduce(d->g, "ReduceMean", x));
    value square = graph_reduce(d->g, "ReduceMean", node2(d, "Mul", centred, centred));
    value size = node1(d, "Sqrt", node2(d, "Add", square, real(d, (float)d->m->epsilon)));
    value even = node2(d, "Div", centred, size);
    return node2(d, "Mul", even, rows_of(d, name, gain, 1, d->m->width, 1));
}

/* [batch, heads, sequence, size] */
static value split(decoder *d, value x, uint32_t size) {
    static const int64_t order[] = {0, 2, 1, 3};
    value shape = graph_integers(d->g, (const int64_t[]){0, 0, d->m->heads, size}, 4);
    return graph_transpose(d->g, node2(d, "Reshape", x, shape), order, 4);
}

static value project(decoder *d, value y, uint32_t layer, const char *name, const float *matrix, uint32_t size) {
    value weights = columns(d, named(d, "blocks.", layer, name), matrix, d->m->heads * size, d->m->width);
    return split(d, node2(d, "MatMul", y, weights), size);
}

/* Queries and keys of a Llama, turned by their positions. */
static value project_turned(decoder *d, value y, uint32_t layer, const char *const names[2], const float *matrix) {
    uint32_t half = d->m->head_size / 2;
    value u = project(d, y, layer, names[0], half_rows(d, matrix, 0), half);
    value v = project(d, y, layer, names[1], half_rows(d, matrix, 1), half);
    value uc = node2(d, "Mul", u, d->cosine), vs = node2(d, "Mul", v, d->sine);
    value vc = node2(d, "Mul", v, d->cosine), us = node2(d, "Mul", u, d->sine);
    value first = node2(d, "Sub", uc, vs), second = node2(d, "Add", vc, us);
    return graph_concat(d->g, (const value[]){first, second}, 2, -1);
}

static value place(decoder *d, value y, uint32_t layer, bool is_key, const float *matrix) {
    static const char *const names[2][3] = {{".query", ".query.first", ".query.second"},
                                            {".key", ".key.first", ".key.second"}};
    if (d->m->architecture == ORDINARY_LLAMA) return project_turned(d, y, layer, names[is_key] + 1, matrix);
    return project(d, y, layer, names[is_key][0], matrix, d->m->head_size);
}

/* What the cache has, and then the new ones. */
static value extend(decoder *d, uint32_t layer, const char *end, value x) {
    const graph_size before[] = {BATCH, {.number = d->m->heads}, PAST, {.number = d->m->head_size}};
    const graph_size after[] = {BATCH, {.number = d->m->heads}, TOTAL, {.number = d->m->head_size}};
    const char *past = named(d, "past_key_values.", layer, end);
    graph_input(d->g, past, GRAPH_FLOAT, before, 4);
    value all = graph_concat(d->g, (const value[]){past, x}, 2, 2);
    graph_output(d->g, named(d, "present.", layer, end), all, GRAPH_FLOAT, after, 4);
    return all;
}

static value attention(decoder *d, uint32_t layer, value y) {
    const struct ordinary_layer *l = &d->m->layers[layer];
    uint32_t inner = d->m->heads * d->m->head_size;
    value query = place(d, y, layer, false, l->query);
    value key = extend(d, layer, ".key", place(d, y, layer, true, l->key));
    value values = extend(d, layer, ".value", project(d, y, layer, ".value", l->value, d->m->head_size));
    value scores = node2(d, "MatMul", query, graph_transpose(d->g, key, (const int64_t[]){0, 1, 3, 2}, 4));
    value scaled = node2(d, "Mul", scores, real(d, 1 / sqrt((double)d->m->head_size)));
    value weights = graph_node_int(d->g, "Softmax", node2(d, "Add", scaled, d->mask), NULL, "axis", -1);
    value mixed = graph_transpose(d->g, node2(d, "MatMul", weights, values), (const int64_t[]){0, 2, 1, 3}, 4);
    value flat = node2(d, "Reshape", mixed, graph_integers(d->g, (const int64_t[]){0, 0, inner}, 3));
    return node2(d, "MatMul", flat, columns(d, named(d, "blocks.", layer, ".mix"), l->mix, d->m->width, inner));
}

/* GELU by tanh, as GPT-2 has it. */
static value gelu(decoder *d, value x) {
    value cube = node2(d, "Mul", node2(d, "Mul", x, x), x);
    value inside = node2(d, "Add", x, node2(d, "Mul", cube, real(d, 0.044715)));
    value tanh_of = node1(d, "Tanh", node2(d, "Mul", inside, real(d, 0.79788456080286535588)));
    value half = node2(d, "Mul", x, real(d, 0.5));
    return node2(d, "Mul", half, node2(d, "Add", tanh_of, real(d, 1)));
}

/* Not by Sigmoid: onnxruntime's never comes below 10^-8, nor above 1 minus that. */
static value silu(decoder *d, value x) {
    value power = node1(d, "Exp", node2(d, "Mul", x, real(d, -1)));
    value below = node2(d, "Add", power, real(d, 1));
    return node2(d, "Div", x, below);
}

static value net(decoder *d, uint32_t layer, value y) {
    const struct ordinary_layer *l = &d->m->layers[layer];
    uint32_t width = d->m->width, hidden = d->m->hidden;
    value up = node2(d, "MatMul", y, columns(d, named(d, "blocks.", layer, ".up"), l->up, hidden, width));
    if (l->gate) {
        value gate = node2(d, "MatMul", y, columns(d, named(d, "blocks.", layer, ".gate"), l->gate, hidden, width));
        up = node2(d, "Mul", silu(d, gate), up);
    } else {
        up = gelu(d, up);
    }
    return node2(d, "MatMul", up, columns(d, named(d, "blocks.", layer, ".down"), l->down, width, hidden));
}

/* ---- what all layers share ---- */

static value size_of(decoder *d, value x, int64_t axis) {
    value shape = node1(d, "Shape", x);
    return node2(d, "Gather", shape, graph_integer(d->g, axis));
}

/* Row i of the new ones stands at past + i, and sees keys up to itself where the attention mask has them. */
static value mask_make(decoder *d) {
    value zero = graph_integer(d->g, 0), one = graph_integer(d->g, 1);
    value total = size_of(d, "attention_mask", 1), sequence = size_of(d, "input_ids", 1);
    value rows = graph_node(d->g, "Range", node2(d, "Sub", total, sequence), total, one);
    value keys = unsqueeze(d, graph_node(d->g, "Range", zero, total, one), 0);
    value causal = node2(d, "LessOrEqual", keys, unsqueeze(d, rows, 1));
    value given = graph_cast(d->g, unsqueeze(d, unsqueeze(d, "attention_mask", 1), 1), GRAPH_BOOL);
    value both = node2(d, "And", causal, given), seen = real(d, 0), hidden = real(d, -FLT_MAX);
    return graph_node(d->g, "Where", both, seen, hidden);
}

static void turns_make(decoder *d) {
    uint32_t half = d->m->head_size / 2;
    float *frequencies = arena_alloc(d->memory, half, sizeof *frequencies);
    for (uint32_t k = 0; k < half; k++) {
        double factor = d->m->rope_factors ? (double)d->m->rope_factors[k] : 1;
        frequencies[k] = (float)(pow(d->m->rope_base, -2.0 * k / d->m->head_size) / factor);
    }
    value position = unsqueeze(d, graph_cast(d->g, "position_ids", GRAPH_FLOAT), 2);
    value angles = unsqueeze(d, node2(d, "Mul", position, rows_of(d, "frequencies", frequencies, 1, half, 1)), 1);
    d->cosine = node1(d, "Cos", angles);
    d->sine = node1(d, "Sin", angles);
}

void ordinary_onnx_print(text *out, const struct ordinary_model *m, bool as_f16) {
    decoder d = {.m = m, .as_f16 = as_f16, .g = graph_new(out->arena), .memory = out->arena};
    graph_input(d.g, "input_ids", GRAPH_INT64, (const graph_size[]){BATCH, SEQUENCE}, 2);
    graph_input(d.g, "attention_mask", GRAPH_INT64, (const graph_size[]){BATCH, TOTAL}, 2);
    graph_input(d.g, "position_ids", GRAPH_INT64, (const graph_size[]){BATCH, SEQUENCE}, 2);
    value x = node2(&d, "Gather", rows_of(&d, "tokens", m->token_embedding, m->vocabulary, m->width, 2), "input_ids");
    if (m->architecture == ORDINARY_GPT2) {
        value rows = rows_of(&d, "positions", m->position_embedding, m->positions, m->width, 2);
        x = node2(&d, "Add", x, node2(&d, "Gather", rows, "position_ids"));
    } else {
        turns_make(&d);
    }
    d.mask = mask_make(&d);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const struct ordinary_layer *layer = &m->layers[l];
        graph_scope(d.g, named(&d, "blocks.", l, ".attention"));
        value y = norm(&d, x, named(&d, "blocks.", l, ".attention_norm"), layer->attention_gain);
        x = node2(&d, "Add", x, attention(&d, l, y));
        graph_scope(d.g, named(&d, "blocks.", l, ".net"));
        x = node2(&d, "Add", x, net(&d, l, norm(&d, x, named(&d, "blocks.", l, ".net_norm"), layer->net_gain)));
    }
    graph_scope(d.g, "output");
    value y = norm(&d, x, "norm", m->final_gain);
    value logits = node2(&d, "MatMul", y, columns(&d, "output", m->output, m->vocabulary, m->width));
    graph_output(d.g, "logits", logits, GRAPH_FLOAT, (const graph_size[]){BATCH, SEQUENCE, {.number = m->vocabulary}},
                 3);
    graph_print(out, d.g, m->architecture == ORDINARY_GPT2 ? "gpt2" : "llama",
                "An ordinary decoder with a cache, made by temper.");
}

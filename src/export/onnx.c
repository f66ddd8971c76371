/* Model to ONNX graph: opset 17, batch and sequence free, one length per batch.

   Everything that depends on the length is computed in the graph from the size of its input. Attention is written out
   rather than left to Softmax, because a mean must round once: with the largest logit taken off, the largest weights
   are exactly 1, sums of them are exact, and the quotient of two sums rounds once, as in temper's own runs. Biases
   are added to finished products: the two units of a ramp subtract different biases from the same sum. onnx_heads.c
   has the heads. */
#include "export/onnx.h"

#include <stdio.h>
#include <string.h>

#include "export/export_parts.h"
#include "export/onnx_build.h"

const graph_size ONNX_BATCH = {.name = "batch"}, ONNX_SEQUENCE = {.name = "sequence"};

/* ---- nodes ---- */

value node1(builder *b, const char *op, value x) { return graph_node(b->g, op, x, NULL, NULL); }
value node2(builder *b, const char *op, value x, value y) { return graph_node(b->g, op, x, y, NULL); }
value node_where(builder *b, value condition, value x, value y) { return graph_node(b->g, "Where", condition, x, y); }
value node_real(builder *b, double x) { return graph_real(b->g, b->type, x); }
value node_cast(builder *b, value x) { return graph_cast(b->g, x, b->type); }

value node_unsqueeze(builder *b, value x, int64_t axis) {
    return node2(b, "Unsqueeze", x, graph_integers(b->g, &axis, 1));
}

value node_filled(builder *b, double x, const value *sizes, const int64_t *numbers, size_t rank) {
    value parts[GRAPH_RANK];
    for (size_t k = 0; k < rank; k++)
        parts[k] = sizes[k] ? node_unsqueeze(b, sizes[k], 0) : graph_integers(b->g, &numbers[k], 1);
    value number = node_real(b, x);
    return node2(b, "Expand", number, graph_concat(b->g, parts, rank, 0));
}

/* ---- weights ---- */

value node_weights(builder *b, const char *name, const model_rows *rows, bool transposed) {
    size_t channels = b->m->channel_count, count = rows->count;
    double *dense = arena_zalloc(b->scratch, channels * count, sizeof *dense);
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++) {
            size_t c = rows->terms[k].channel;
            dense[transposed ? c * count + r : r * channels + c] = rows->terms[k].weight;
        }
    const int64_t sizes[] = {(int64_t)(transposed ? channels : count), (int64_t)(transposed ? count : channels)};
    value v = graph_weights(b->g, name, b->type, dense, sizes, 2);
    arena_reset(b->scratch);
    return v;
}

/* The dense weights and what it takes to pack them are refused before they are made. */
static void check_size(const temper_model *m, trap *t) {
    const double most = 0x1p31 - 0x1p24; /* bytes; the rest is for nodes and names */
    double rows = (double)m->letters.count + 3;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        rows += 2.0 * m->layers[l].in.count;
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            rows += 2.0 * m->layers[l].heads[h].query.count + 2.0 * m->layers[l].heads[h].value.count;
    }
    double bytes = rows * m->channel_count * 8;
    if (bytes > most)
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "the text form holds only the weights that are not zero",
                        "dense weights would take %.1f GiB; ONNX files end at 2 GiB", bytes * 0x1p-30);
}

/* ---- positions ---- */

static void make_positions(builder *b, value ids) {
    graph *g = b->g;
    value shape = node1(b, "Shape", ids);
    b->batch = node2(b, "Gather", shape, graph_integer(g, 0));
    b->size = node2(b, "Gather", shape, graph_integer(g, 1));
    b->length = node2(b, "Sub", b->size, graph_integer(g, 1 + b->m->has_end));
    value zero = graph_integer(g, 0), one = graph_integer(g, 1);
    value i = graph_node(g, "Range", zero, b->size, one);
    b->row = node_unsqueeze(b, i, 1);
    b->column = node_unsqueeze(b, i, 0);
    b->variables.i = graph_cast(g, i, GRAPH_DOUBLE);
    b->variables.length = graph_cast(g, b->length, GRAPH_DOUBLE);
    b->variables.size = graph_cast(g, b->size, GRAPH_DOUBLE);
}

/* A position feature as a column [N, 1]. */
static value feature(builder *b, const expression *e) {
    value v = graph_expression(b->g, e, &b->variables);
    if (!expression_uses(e, EXPR_I)) v = node2(b, "Expand", v, node_unsqueeze(b, b->size, 0));
    return node_unsqueeze(b, node_cast(b, v), 1);
}

/* [N, channels]: columns of features and of zeros side by side; NULL if there are none. */
static value features(builder *b) {
    const temper_model *m = b->m;
    value *parts = arena_alloc(b->memory, m->channel_count, sizeof *parts);
    size_t count = 0;
    bool any = false;
    for (uint32_t c = 0; c < m->channel_count; count++) {
        uint32_t first = c;
        while (c < m->channel_count && !m->channels[c].position) c++;
        if (c > first) {
            parts[count] = node_filled(b, 0, (const value[]){b->size, NULL}, (const int64_t[]){0, c - first}, 2);
        } else {
            parts[count] = feature(b, m->channels[c++].position);
            any = true;
        }
    }
    return any ? graph_concat(b->g, parts, count, 1) : NULL;
}

static void embed(builder *b) {
    value table_of_letters = node_weights(b, "embed.W_E", &b->m->embedding, false);
    b->x = graph_node(b->g, "Gather", table_of_letters, "input_ids", NULL);
    value positions = features(b);
    if (positions) b->x = node2(b, "Add", b->x, positions);
}

/* ---- layers ---- */

static void output_channels(builder *b, const char *name) {
    const graph_size sizes[] = {ONNX_BATCH, ONNX_SEQUENCE, {.number = b->m->channel_count}};
    if (b->outputs & TEMPER_EXPORT_CHANNELS) graph_output(b->g, name, b->x, b->type, sizes, 3);
}

/* The bias has rank 3: no optimiser can take it for the C of a Gemm, which may add it before the product is
   finished. */
static void add_units(builder *b, uint32_t layer) {
    const model_layer *l = &b->m->layers[layer];
    char name[64];
    if (!l->in.count) return;
    snprintf(name, sizeof name, "blocks.%u.mlp", layer);
    graph_scope(b->g, name);
    snprintf(name, sizeof name, "blocks.%u.mlp.W_in", layer);
    value in = node_weights(b, name, &l->in, true);
    snprintf(name, sizeof name, "blocks.%u.mlp.b_in", layer);
    value bias = graph_weights(b->g, name, b->type, l->bias, (const int64_t[]){1, 1, l->in.count}, 3);
    snprintf(name, sizeof name, "blocks.%u.mlp.W_out", layer);
    value out = node_weights(b, name, &l->out, false);
    value hidden = node1(b, "Relu", node2(b, "Add", node2(b, "MatMul", b->x, in), bias));
    b->x = node2(b, "Add", b->x, node2(b, "MatMul", hidden, out));
}

static void add_layer(builder *b, uint32_t layer) {
    char name[64];
    onnx_add_heads(b, layer);
    add_units(b, layer);
    snprintf(name, sizeof name, "blocks.%u.hook_resid_post", layer);
    output_channels(b, name);
}

/* outputs [batch, N, outputs], and the numbers beside them, if there are any. */
static void read_outputs(builder *b) {
    const graph_size sizes[] = {ONNX_BATCH, ONNX_SEQUENCE, {.number = model_output_count(b->m)}};
    value answer = node2(b, "MatMul", b->x, node_weights(b, "unembed.W_U", &b->m->read, true));
    value truth = graph_cast(b->g, node2(b, "Greater", answer, node_real(b, 0.5)), GRAPH_FLOAT);
    graph_output(b->g, "outputs", truth, GRAPH_FLOAT, sizes, 3);
    if (!model_has_logits(b->m)) return;
    value logits = node2(b, "MatMul", b->x, node_weights(b, "unembed.W_logits", &b->m->logits, true));
    graph_output(b->g, "logits", logits, b->type, sizes, 3);
}

/* truth [batch, N] and accept [batch]: at position n, or at 1, or at 0 if the string is empty. */
static void read_verdict(builder *b) {
    graph *g = b->g;
    value answer = node2(b, "MatMul", b->x, node_weights(b, "unembed.W_U", &b->m->read, true));
    answer = node2(b, "Squeeze", answer, graph_integers(g, (const int64_t[]){2}, 1));
    value truth = graph_cast(g, node2(b, "Greater", answer, node_real(b, 0.5)), GRAPH_FLOAT);
    value verdict = b->length;
    if (b->m->at == TEMPER_AT_FIRST) {
        value one = graph_integer(g, 1);
        verdict = node_where(b, node2(b, "Less", b->length, one), b->length, one);
    }
    value accept = graph_node_int(g, "Gather", truth, verdict, "axis", 1);
    graph_output(g, "truth", truth, GRAPH_FLOAT, (const graph_size[]){ONNX_BATCH, ONNX_SEQUENCE}, 2);
    graph_output(g, "accept", accept, GRAPH_FLOAT, &ONNX_BATCH, 1);
}

/* ---- the whole ---- */

static const char *about_outputs(const temper_model *m) {
    if (m->kind == TEMPER_KIND_ACCEPTOR) return "truth: 0 or 1 at every position; accept: the answer.";
    if (m->kind == TEMPER_KIND_TRANSDUCER)
        return "outputs [batch, sequence, outputs]: 1 for what is written at a position, as the names in "
               "config.json.";
    return "outputs [batch, sequence, outputs]: 1 for every letter that may come after a position, the end last.";
}

static void describe(builder *b, const temper_proof *proof) {
    const temper_model *m = b->m;
    text proved;
    text_init(&proved, b->memory);
    if (proof->claim != TEMPER_CLAIM_NONE) text_printf(&proved, "%zu", proof->length);
    graph_property(b->g, "temper_source", m->source);
    graph_property(b->g, "temper_method", temper_method_name(m->method));
    graph_property(b->g, "temper_type", b->type == GRAPH_DOUBLE ? "f64" : "f32");
    graph_property(b->g, "temper_proved_length", proved.length ? text_string(&proved) : "none");
    graph_property(b->g, "temper_proved_claim", temper_claim_name(proof->claim));
}

void onnx_print(text *out, const temper_model *m, const temper_export_options *options, const temper_proof *proof,
                arena *scratch) {
    check_size(m, scratch->trap);
    builder b = {.m = m,
                 .g = graph_new(out->arena),
                 .memory = out->arena,
                 .scratch = scratch,
                 .type = options->type == TEMPER_TYPE_F32 ? GRAPH_FLOAT : GRAPH_DOUBLE,
                 .outputs = options->outputs};
    graph_input(b.g, "input_ids", GRAPH_INT64, (const graph_size[]){ONNX_BATCH, ONNX_SEQUENCE}, 2);
    graph_scope(b.g, "embed");
    make_positions(&b, "input_ids");
    embed(&b);
    output_channels(&b, "hook_embed");
    for (uint32_t layer = 0; layer < m->layer_count; layer++) add_layer(&b, layer);
    graph_scope(b.g, "unembed");
    if (m->kind == TEMPER_KIND_ACCEPTOR)
        read_verdict(&b);
    else
        read_outputs(&b);
    describe(&b, proof);
    text about;
    text_init(&about, b.memory);
    text_printf(
        &about,
        "input_ids [batch, sequence]: ids of vocab.json, the start sentinel first%s; all sequences of a batch have "
        "the same length. %s",
        m->has_end ? ", the end sentinel last" : "", about_outputs(m));
    graph_print(out, b.g, "temper", text_string(&about));
}

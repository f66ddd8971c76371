/* What the parts of the ONNX export share: the model, the graph and values that many nodes use. */
#ifndef EXPORT_ONNX_BUILD_H
#define EXPORT_ONNX_BUILD_H

#include "export/graph_expression.h"
#include "model/model.h"

typedef struct builder {
    const temper_model *m;
    graph *g;
    arena *memory;   /* of the graph */
    arena *scratch;  /* of one tensor */
    graph_type type; /* of the run: GRAPH_DOUBLE or GRAPH_FLOAT */
    unsigned outputs;
    graph_variables variables;
    value batch, size, length; /* int64 scalars: sequences, N, n */
    value row, column;         /* int64 [N, 1], [1, N]: positions of queries and keys */
    value x;                   /* [batch, N, channels] the residual stream */
} builder;

extern const graph_size ONNX_BATCH, ONNX_SEQUENCE;

value node1(builder *b, const char *op, value x);
value node2(builder *b, const char *op, value x, value y);
value node_where(builder *b, value condition, value x, value y);
value node_real(builder *b, double x); /* a constant of the run's type */
value node_cast(builder *b, value x);  /* to the run's type */
value node_unsqueeze(builder *b, value x, int64_t axis);

/* A tensor of one number: sizes are scalars of the graph, or numbers where those are NULL. */
value node_filled(builder *b, double x, const value *sizes, const int64_t *numbers, size_t rank);

/* [rows, channels], or [channels, rows] if transposed */
value node_weights(builder *b, const char *name, const model_rows *rows, bool transposed);

/* x += the heads of a layer, and their optional outputs */
void onnx_add_heads(builder *b, uint32_t layer);

#endif

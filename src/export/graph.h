/* An ONNX graph under construction: nodes are appended one by one and name their result; equal nodes are made once.
   At the end the graph becomes the bytes of a .onnx file (protobuf-c, schema of libonnx-dev). Values are named by
   strings that live in the arena. */
#ifndef EXPORT_GRAPH_H
#define EXPORT_GRAPH_H

#include "base/table.h"
#include "base/text.h"

typedef enum graph_type {
    GRAPH_FLOAT = 1,
    GRAPH_INT64 = 7,
    GRAPH_BOOL = 9,
    GRAPH_DOUBLE = 11
} graph_type; /* as in ONNX */

typedef const char *value; /* the name of a tensor in the graph */

typedef struct graph graph;

enum { GRAPH_RANK = 4 };

/* A size: a number, or the name of a size that may differ from call to call. */
typedef struct graph_size {
    int64_t number;
    const char *name; /* NULL: the number counts */
} graph_size;

graph *graph_new(arena *a);

/* Names of nodes that follow begin with it: "blocks.0.attn". */
void graph_scope(graph *g, const char *scope);

/* A node with up to three inputs (the first NULL ends them) and no attributes. */
value graph_node(graph *g, const char *op, value x, value y, value z);

/* Nodes with attributes. */
value graph_node_int(graph *g, const char *op, value x, value y, const char *attribute, int64_t setting);
value graph_cast(graph *g, value x, graph_type to);
value graph_transpose(graph *g, value x, const int64_t *order, size_t rank);
value graph_reduce(graph *g, const char *op,
                   value x); /* ReduceMax, ReduceMin over the last axis, which stays with size 1 */
value graph_concat(graph *g, const value *parts, size_t count, int64_t axis);

/* Constants: initialisers that are shared. */
value graph_real(graph *g, graph_type type, double x);      /* a scalar */
value graph_integers(graph *g, const int64_t *x, size_t n); /* [n] */
value graph_integer(graph *g, int64_t x);                   /* a scalar */

/* A weight under its own name: dense numbers [sizes], converted to the type. */
value graph_weights(graph *g, const char *name, graph_type type, const double *numbers, const int64_t *sizes,
                    size_t rank);

void graph_input(graph *g, const char *name, graph_type type, const graph_size *sizes, size_t rank);
/* An output of its own name, equal to the value. */
void graph_output(graph *g, const char *name, value x, graph_type type, const graph_size *sizes, size_t rank);
void graph_property(graph *g, const char *key, const char *text); /* metadata_props; key and text live on */

/* The file. `description` is the graph's doc_string. Raises TEMPER_LIMIT beyond what protobuf can hold (2 GiB). */
void graph_print(text *out, graph *g, const char *name, const char *description);

#endif

/* Expressions of (i, n) as nodes of a graph: computed in double precision as temper computes them, one rounding per
   operation. */
#ifndef EXPORT_GRAPH_EXPRESSION_H
#define EXPORT_GRAPH_EXPRESSION_H

#include "export/graph.h"
#include "model/expression.h"

/* What the variables stand for, of type double: i is [N], n and N are scalars. */
typedef struct graph_variables {
    value i, length, size;
} graph_variables;

/* [N] if the expression uses i, else a scalar; double. */
value graph_expression(graph *g, const expression *e, const graph_variables *v);

#endif

/* The only operations that may differ from expression_eval in their last bits are ln, sqrt, cos and sin: a runtime
   brings its own. Where an argument of cos or sin is beyond 2^20, and expression_eval has no number, the runtime has
   one. */
#include "export/graph_expression.h"

static value test(graph *g, const char *op, value x, value y) {
    return graph_cast(g, graph_node(g, op, x, y, NULL), GRAPH_DOUBLE);
}

/* fmod is exact; a negative remainder gets |y| added. */
static value remainder_of(graph *g, value x, value y) {
    value rest = graph_node_int(g, "Mod", x, y, "fmod", 1);
    value is_negative = graph_node(g, "Less", rest, graph_real(g, GRAPH_DOUBLE, 0), NULL);
    value raised = graph_node(g, "Add", rest, graph_node(g, "Abs", y, NULL, NULL), NULL);
    return graph_node(g, "Where", is_negative, raised, rest);
}

/* The least power of two that is not below x, 0 where x is not positive. The logarithm may be off at powers of two,
   so the power is compared with x afterwards. */
static value power_above(graph *g, value x) {
    value two = graph_real(g, GRAPH_DOUBLE, 2), half = graph_real(g, GRAPH_DOUBLE, 0.5),
          zero = graph_real(g, GRAPH_DOUBLE, 0);
    value log = graph_node(g, "Log", x, NULL, NULL);
    value log2 = graph_node(g, "Div", log, graph_real(g, GRAPH_DOUBLE, 0x1.62e42fefa39efp-1), NULL);
    value p = graph_node(g, "Pow", two, graph_node(g, "Ceil", log2, NULL, NULL), NULL);
    value doubled = graph_node(g, "Mul", p, two, NULL);
    p = graph_node(g, "Where", graph_node(g, "Less", p, x, NULL), doubled, p);
    value halved = graph_node(g, "Mul", p, half, NULL);
    p = graph_node(g, "Where", graph_node(g, "GreaterOrEqual", halved, x, NULL), halved, p);
    return graph_node(g, "Where", graph_node(g, "LessOrEqual", x, zero, NULL), zero, p);
}

/* The parser bounds the depth. */
value graph_expression(graph *g, const expression *e, const graph_variables *v) {
    value x = e->a ? graph_expression(g, e->a, v) : NULL, y = e->b ? graph_expression(g, e->b, v) : NULL;
    switch (e->op) {
    case EXPR_CONSTANT: return graph_real(g, GRAPH_DOUBLE, e->constant);
    case EXPR_I: return v->i;
    case EXPR_LENGTH: return v->length;
    case EXPR_SIZE: return v->size;
    case EXPR_NEG: return graph_node(g, "Neg", x, NULL, NULL);
    case EXPR_LN: return graph_node(g, "Log", x, NULL, NULL);
    case EXPR_SQRT: return graph_node(g, "Sqrt", x, NULL, NULL);
    case EXPR_COS: return graph_node(g, "Cos", x, NULL, NULL);
    case EXPR_SIN: return graph_node(g, "Sin", x, NULL, NULL);
    case EXPR_FLOOR: return graph_node(g, "Floor", x, NULL, NULL);
    case EXPR_CEIL2: return power_above(g, x);
    case EXPR_ADD: return graph_node(g, "Add", x, y, NULL);
    case EXPR_SUB: return graph_node(g, "Sub", x, y, NULL);
    case EXPR_MUL: return graph_node(g, "Mul", x, y, NULL);
    case EXPR_DIV: return graph_node(g, "Div", x, y, NULL);
    case EXPR_MOD: return remainder_of(g, x, y);
    case EXPR_EQ: return test(g, "Equal", x, y);
    case EXPR_NE:
        return graph_cast(g, graph_node(g, "Not", graph_node(g, "Equal", x, y, NULL), NULL, NULL), GRAPH_DOUBLE);
    case EXPR_LT: return test(g, "Less", x, y);
    case EXPR_LE: return test(g, "LessOrEqual", x, y);
    case EXPR_MIN: return graph_node(g, "Where", graph_node(g, "Less", x, y, NULL), x, y);
    case EXPR_MAX: return graph_node(g, "Where", graph_node(g, "Greater", x, y, NULL), x, y);
    }
    return x;
}

#include "model/expression_tile.h"

#include <math.h>

#include "number/elementary.h"
#include "number/trig.h"

size_t expression_scratch(const expression *e) {
    size_t a = e->a ? expression_scratch(e->a) : 0, b = e->b ? 1 + expression_scratch(e->b) : 0;
    return a > b ? a : b;
}

/* fmod is exact, and so is the remainder of integers, which is faster. */
static double modulo(double x, double y) {
    if (!signbit(x) && x < 0x1p53 && y >= 1 && y < 0x1p53 && x == floor(x) && y == floor(y))
        return (double)((uint64_t)x % (uint64_t)y);
    double rest = fmod(x, y);
    return rest < 0 ? rest + fabs(y) : rest;
}

#define EACH(value)                                                                                                  \
    for (size_t k = 0; k < count; k++) out[k] = (value)

void expression_tile(double *out, const expression *e, double first, size_t count, double n, double size,
                     double *scratch) {
    const double *x = out, *y = scratch;
    if (!expression_uses(e, EXPR_I)) {
        double constant = expression_eval(e, 0, n, size);
        EACH(constant);
        return;
    }
    if (e->a) expression_tile(out, e->a, first, count, n, size, scratch);
    if (e->b) expression_tile(scratch, e->b, first, count, n, size, scratch + count);
    switch (e->op) {
    case EXPR_CONSTANT:
    case EXPR_LENGTH:
    case EXPR_SIZE: break; /* do not use i */
    case EXPR_I: EACH(first + (double)k); break;
    case EXPR_NEG: EACH(-x[k]); break;
    case EXPR_LN: EACH(log_f64(x[k])); break;
    case EXPR_SQRT: EACH(sqrt(x[k])); break;
    case EXPR_COS: EACH(cos_f64(x[k])); break;
    case EXPR_SIN: EACH(sin_f64(x[k])); break;
    case EXPR_FLOOR: EACH(floor(x[k])); break;
    case EXPR_CEIL2: EACH(expression_ceil2(x[k])); break;
    case EXPR_ADD: EACH(x[k] + y[k]); break;
    case EXPR_SUB: EACH(x[k] - y[k]); break;
    case EXPR_MUL: EACH(x[k] * y[k]); break;
    case EXPR_DIV: EACH(x[k] / y[k]); break;
    case EXPR_MOD: EACH(modulo(x[k], y[k])); break;
    case EXPR_EQ: EACH(x[k] == y[k]); break;
    case EXPR_NE: EACH(x[k] != y[k]); break;
    case EXPR_LT: EACH(x[k] < y[k]); break;
    case EXPR_LE: EACH(x[k] <= y[k]); break;
    case EXPR_MIN: EACH(x[k] < y[k] ? x[k] : y[k]); break;
    case EXPR_MAX: EACH(x[k] > y[k] ? x[k] : y[k]); break;
    }
}

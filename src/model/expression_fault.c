/* What is said of a scale that is infinite or no number. */
#include <math.h>

#include "model/expression.h"

/* The innermost part that is not finite; the parser bounds the depth. */
static const expression *culprit(const expression *e, double i, double n, double size) {
    if (e->a && !isfinite(expression_eval(e->a, i, n, size))) return culprit(e->a, i, n, size);
    if (e->b && !isfinite(expression_eval(e->b, i, n, size))) return culprit(e->b, i, n, size);
    return e;
}

static const char *reason(const expression *e, double i, double n, double size) {
    switch (e->op) {
    case EXPR_LN:
        return expression_eval(e->a, i, n, size) == 0 ? "is the logarithm of 0"
                                                      : "is the logarithm of a number below 0";
    case EXPR_SQRT: return "is the root of a number below 0";
    case EXPR_DIV: return expression_eval(e->b, i, n, size) == 0 ? "divides by 0" : "is beyond the largest double";
    case EXPR_MOD: return "is a remainder by 0, or of too large a number";
    case EXPR_COS:
    case EXPR_SIN: return "is the cosine or sine of more than 2^20";
    default: return "is beyond the largest double";
    }
}

const char *expression_fault(const expression *e, double i, double n, double size, arena *a) {
    double value = expression_eval(e, i, n, size);
    if (isfinite(value)) return NULL;
    text t;
    text_init(&t, a);
    text_printf(&t, "is %s at n = %.0f",
                isnan(value) ? "not a number (NaN)"
                : value < 0  ? "minus infinity"
                             : "infinite",
                n);
    if (expression_uses(e, EXPR_I)) text_printf(&t, " and i = %.0f", i);
    text_puts(&t, ": there ");
    const expression *part = culprit(e, i, n, size);
    text shown;
    text_init(&shown, a);
    expression_print(&shown, part);
    text_printf(&t, "%.60s %s", text_string(&shown), reason(part, i, n, size));
    return text_string(&t);
}

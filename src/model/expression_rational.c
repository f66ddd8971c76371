#include "model/expression_rational.h"

/* One level of the walk: an expression is at most EXPRESSION_DEPTH deep. `work` has two numbers for each level
   left. */
typedef struct walk {
    size_t i, n, size;
} walk;

static void remainder_of(rational *z, rational *x, rational *y) {
    rational_abs(y, y);
    rational_div(z, x, y);
    rational_floor(z, z);
    rational_mul(z, z, y);
    rational_sub(z, x, z);
}

/* From the nearest double, which may have been rounded down to a power of two. */
static bool ceil2_of(rational *z, const rational *x, rational *power) {
    double near = rational_sign(x) <= 0 ? 0 : expression_ceil2(rational_to_double(x));
    if (near > 0 && !(near >= 0x1p-1000 && near <= 0x1p1000)) return false;
    rational_set_double(power, near);
    if (near > 0 && rational_cmp(x, power) > 0) rational_set_double(power, 2 * near);
    rational_set(z, power);
    return true;
}

static bool evaluate(rational *out, const expression *e, const walk *w, rational *work) {
    rational *x = work, *y = work + 1;
    if (e->a && !evaluate(x, e->a, w, work + 2)) return false;
    if (e->b && !evaluate(y, e->b, w, work + 2)) return false;
    switch (e->op) {
    case EXPR_CONSTANT: rational_set_double(out, e->constant); break;
    case EXPR_I: rational_set_int(out, (long)w->i); break;
    case EXPR_LENGTH: rational_set_int(out, (long)w->n); break;
    case EXPR_SIZE: rational_set_int(out, (long)w->size); break;
    case EXPR_NEG: rational_neg(out, x); break;
    case EXPR_LN:
    case EXPR_SQRT:
    case EXPR_COS:
    case EXPR_SIN: return false;
    case EXPR_FLOOR: rational_floor(out, x); break;
    case EXPR_CEIL2: return ceil2_of(out, x, y);
    case EXPR_ADD: rational_add(out, x, y); break;
    case EXPR_SUB: rational_sub(out, x, y); break;
    case EXPR_MUL: rational_mul(out, x, y); break;
    case EXPR_DIV:
        if (rational_is_zero(y)) return false;
        rational_div(out, x, y);
        break;
    case EXPR_MOD:
        if (rational_is_zero(y)) return false;
        remainder_of(out, x, y);
        break;
    case EXPR_EQ: rational_set_int(out, rational_cmp(x, y) == 0); break;
    case EXPR_NE: rational_set_int(out, rational_cmp(x, y) != 0); break;
    case EXPR_LT: rational_set_int(out, rational_cmp(x, y) < 0); break;
    case EXPR_LE: rational_set_int(out, rational_cmp(x, y) <= 0); break;
    case EXPR_MIN: rational_set(out, rational_cmp(x, y) < 0 ? x : y); break;
    case EXPR_MAX: rational_set(out, rational_cmp(x, y) > 0 ? x : y); break;
    }
    return true;
}

bool expression_rational(rational *out, const expression *e, size_t i, size_t n, size_t size, rational_pool *pool) {
    if (!pool->work) pool->work = rational_array(pool, 2 * (EXPRESSION_DEPTH + 2));
    walk w = {i, n, size};
    return evaluate(out, e, &w, pool->work);
}

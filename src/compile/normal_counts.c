/* Comparisons and remainders of the normal form. */
#include "compile/normal_nodes.h"

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* Where all weights have one sign, all counts one direction and the bound is below the smallest weight, the
   comparison only asks whether anything was counted: a once head (log n) instead of a compare head (n). Returns 0 if
   not so. */
static node_id make_some(normal_maker *m, const linear_sum *sum) {
    bool positive = sum->weights[0] > 0;
    formula_op direction = normal_op(m, sum->counts[0]);
    for (size_t k = 0; k < sum->count; k++) {
        if ((sum->weights[k] > 0) != positive || normal_op(m, sum->counts[k]) != direction) return 0;
        if (positive ? !(sum->constant < 0 && sum->constant >= -sum->weights[k])
                     : !(sum->constant >= 0 && sum->constant + sum->weights[k] < 0))
            return 0;
    }
    node_id *kids = arena_alloc(m->arena, sum->count, sizeof *kids);
    for (size_t k = 0; k < sum->count; k++) kids[k] = formula_kid(m->g, sum->counts[k], 0);
    node_id some = normal_exists(m, direction == OP_COUNT_PAST ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM,
                                 normal_gate(m, OP_OR, kids, sum->count));
    return positive ? some : normal_not(m, some);
}

/* sum >= 0 */
static node_id make_at_least(normal_maker *m, const linear_sum *given) {
    if (given->count == 0) return normal_constant(m, given->constant >= 0);
    bool all_up = given->constant >= 0, all_down = given->constant < 0;
    int64_t common = 0;
    for (size_t k = 0; k < given->count; k++) {
        all_up = all_up && given->weights[k] > 0;
        all_down = all_down && given->weights[k] < 0;
        common = common_divisor(common, given->weights[k]);
    }
    if (all_up || all_down) return normal_constant(m, all_up);
    linear_sum sum;
    sum_init(&sum, m->arena, floor_div(given->constant, common));
    for (size_t k = 0; k < given->count; k++) sum_add_count(&sum, given->counts[k], given->weights[k] / common);
    node_id some = make_some(m, &sum);
    return some ? some : formula_compare(m->g, &sum, CMP_GE);
}

/* sum - 1 >= 0, i.e. sum > 0 */
static node_id make_above(normal_maker *m, linear_sum sum, const formula_note *place) {
    if (__builtin_sub_overflow(sum.constant, 1, &sum.constant))
        trap_raise(m->arena->trap, TEMPER_LIMIT, place->line, place->column, "a constant beyond 64 bits");
    return make_at_least(m, &sum);
}

/* C leaves it open which argument is evaluated first, and nodes are numbered as they are made. So that models are the
   same with every compiler, what makes nodes stands in statements of its own, the right operand first. */
node_id normal_compare(normal_maker *m, const linear_sum *sum, compare_op op, const formula_note *place) {
    node_id above;
    switch (op) {
    case CMP_GE: return make_at_least(m, sum);
    case CMP_LT: return normal_not(m, make_at_least(m, sum));
    case CMP_GT: return make_above(m, *sum, place);
    case CMP_LE: return normal_not(m, make_above(m, *sum, place));
    case CMP_EQ:
        above = normal_not(m, make_above(m, *sum, place));
        return normal_and(m, make_at_least(m, sum), above);
    case CMP_NE: above = make_above(m, *sum, place); return normal_or(m, normal_not(m, make_at_least(m, sum)), above);
    }
    return 0;
}

static int64_t remainder_of(int64_t a, int64_t m) {
    int64_t r = a % m;
    return r < 0 ? r + m : r;
}

node_id normal_modulo(normal_maker *m, const linear_sum *sum, int64_t modulus, compare_op op, int64_t residue) {
    linear_sum reduced;
    int64_t r = residue;
    sum_init(&reduced, m->arena, remainder_of(sum->constant, modulus));
    for (size_t k = 0; k < sum->count; k++)
        sum_add_count(&reduced, sum->counts[k], remainder_of(sum->weights[k], modulus));
    bool negated = op == CMP_NE || op == CMP_GT || op == CMP_GE;
    /* x < r is x <= r - 1; x >= r is not that; x > r is not x <= r */
    if (op == CMP_LT || op == CMP_GE) {
        if (r <= 0) return normal_constant(m, op == CMP_GE);
        r--;
    }
    bool equal = op == CMP_EQ || op == CMP_NE;
    if (r < 0 || (equal && r >= modulus)) return normal_constant(m, negated);
    if (!equal && r >= modulus - 1) return normal_constant(m, !negated);
    node_id x = formula_modulo(m->g, &reduced, modulus, equal ? CMP_EQ : CMP_LE, r);
    return negated ? normal_not(m, x) : x;
}

/* How far a scale that a user wrote carries an operator, in real arithmetic. schedule_reach (schedule_need.c) looks
   at some lengths only, and at one row of each, which is enough for schedules that are published: these grow
   smoothly. Here lengths are left out only where a factor that never falls shows that they are carried. */
#include "lab/schedules.h"

#include <math.h>

/* Rows are 1, 2, ..., n, and N is at least n + 1, so that a factor that never falls is least here. */
static double least_of(const expression *e) { return expression_eval(e, 1, 1, 2); }

static bool is_fixed(const expression *e) {
    return !expression_uses(e, EXPR_I) && !expression_uses(e, EXPR_LENGTH) && !expression_uses(e, EXPR_SIZE);
}

bool schedule_never_falls(const expression *e) {
    if (is_fixed(e)) return true;
    switch (e->op) {
    case EXPR_I:
    case EXPR_LENGTH:
    case EXPR_SIZE: return true;
    case EXPR_LN:
    case EXPR_SQRT:
    case EXPR_FLOOR:
    case EXPR_CEIL2: return schedule_never_falls(e->a);
    case EXPR_ADD:
    case EXPR_MIN:
    case EXPR_MAX: return schedule_never_falls(e->a) && schedule_never_falls(e->b);
    case EXPR_SUB: return schedule_never_falls(e->a) && is_fixed(e->b);
    case EXPR_DIV: return schedule_never_falls(e->a) && is_fixed(e->b) && least_of(e->b) > 0;
    case EXPR_MUL:
        return schedule_never_falls(e->a) && schedule_never_falls(e->b) && least_of(e->a) >= 0 && least_of(e->b) >= 0;
    default: return false;
    }
}

/* What is asked for grows with the length beyond ALL_LENGTHS. A length that does not show that a thousandth more is
   carried is followed by the next one; where there are too many of these nothing more is known. */
enum { ALL_LENGTHS = 4096, SINGLE_STEPS = 1 << 17, ALL_ROWS = 600 };

static double walk(const expression *factor, operator_kind op, double base, double most) {
    double n = 1;
    for (size_t single = 0; n <= most && single < SINGLE_STEPS;) {
        double has = base * schedule_at(factor, op, n), next = floor(n * 1.001);
        if (!(has >= operator_scale(op, n))) return n - 1;
        bool far = n >= ALL_LENGTHS && has >= operator_scale(op, next);
        single += n >= ALL_LENGTHS && !far;
        n = far ? next : n + 1;
    }
    return n > most ? most : n - 1;
}

/* Every row of every length: once asks in row i what it asks in the last row of i letters, the others ask for steps
   of 1/N or so in each. */
static bool all_rows_carry(const expression *factor, operator_kind op, double base, double n) {
    double size = op == SCHEDULED_BALANCE ? n + 2 : n + 1, needed = operator_scale(op, n);
    for (double i = expression_uses(factor, EXPR_I) ? 1 : n; i <= n; i++) {
        double here = op == SCHEDULED_ONCE ? operator_scale(op, i) : needed;
        if (!(base * expression_eval(factor, i, n, size) >= here)) return false;
    }
    return true;
}

double schedule_law(const expression *factor, operator_kind op, double base, double most) {
    if (schedule_never_falls(factor)) return walk(factor, op, base, most);
    double n = 0, last = expression_uses(factor, EXPR_I) ? ALL_ROWS : ALL_LENGTHS;
    while (n < last && all_rows_carry(factor, op, base, n + 1)) n++;
    return n;
}

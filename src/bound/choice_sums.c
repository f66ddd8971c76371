#include "bound/choice_sums.h"

#include <math.h>
#include <stdlib.h>

/* ---- formats and grids ---- */

int double_grid(double x) {
    int e;
    double m = frexp(x, &e);
    if (x == 0) return GRID_ANY;
    return e - 53 + __builtin_ctzll((unsigned long long)llabs((long long)ldexp(m, 53)));
}

int grid_times(int grid, double weight) { return grid <= GRID_NONE ? GRID_NONE : grid + double_grid(weight); }

int log2_of(double x) {
    int e;
    return frexp(x, &e) == 0.5 ? e - 1 : GRID_NONE;
}

bool format_holds(const number_format *f, double x) { return format_round(f, x) == x; }

int format_least_exponent(const number_format *f) {
    int e;
    (void)frexp(f->least, &e);
    return e - 1;
}

/* On paper: "Errors of sums". */
rounding_rules rounding_rules_of(const bounds *b) {
    return (rounding_rules){.b = b,
                            .storing = b->s == b->a ? b->zero : b->unit_s,
                            .tau = b_add(b, b->tiny_s, b->ascending ? b->tiny_a : b->normal_a),
                            .silence = format_exp_ends(b->a)};
}

/* Coq: multiple_number. */
bool sum_fits(const rounding_rules *r, const ball *size, int grid, const number_format *f) {
    const bounds *b = r->b;
    if (b_is_zero(b, size)) return true;
    if (grid <= GRID_NONE || grid < format_least_exponent(f)) return false;
    return b_is_at_most(b, size, b_power_of_two(b, (long)grid + f->precision)) &&
           b_is_at_most(b, size, f == b->s ? b->most_s : b->most_a);
}

/* On paper: "Errors of sums". */
bool sum_has_room(const rounding_rules *r, const ball *size, const number_format *f) {
    const bounds *b = r->b;
    return b_is_at_most(b, size, b_shift(b, f == b->s ? b->most_s : b->most_a, -1));
}

/* On paper: "Errors of sums". */
bool growth_is_small(const rounding_rules *r, uint64_t k) {
    return b_is_at_most(r->b, b_grow(r->b, r->b->unit_a, k), r->b->one);
}

/* On paper: "Errors of sums". */
const ball *stored_error(const rounding_rules *r, const ball *error, const ball *size, const ball *near) {
    const bounds *b = r->b;
    if (b_is_zero(b, r->storing)) return error;
    const ball *rounding = b_mul(b, r->storing, b_add(b, size, error));
    return b_add(b, error, near && b_is_less(b, near, rounding) ? near : rounding);
}

/* ---- sums ---- */

error_sum error_sum_begin(const rounding_rules *r) {
    const ball *zero = r->b->zero;
    return (error_sum){.error = zero, .size = zero, .ideal = zero, .grid = GRID_ANY, .clean = true};
}

/* On paper: "Errors of sums". */
void error_sum_add(error_sum *s, const rounding_rules *r, double weight, const sum_term *t) {
    const bounds *b = r->b;
    double rounded = format_round(b->s, weight);
    const ball *w = b_double(b, fabs(rounded)), *ideal = w;
    if (!b_is_zero(b, t->error)) {
        s->error = b_add(b, s->error, b_mul(b, w, t->error));
        s->clean = false;
    }
    if (rounded != weight) {
        const ball *off = b_abs(b, b_sub(b, b_double(b, rounded), b_double(b, weight)));
        s->error = b_add(b, s->error, b_mul(b, off, t->size));
        ideal = b_double(b, fabs(weight));
        s->clean = false;
    }
    s->size = b_add(b, s->size, b_mul(b, w, t->most));
    s->ideal = b_add(b, s->ideal, b_mul(b, ideal, t->size));
    if (!b_is_zero(b, t->size)) {
        int grid = grid_times(t->grid, weight);
        if (grid < s->grid) s->grid = grid;
    }
    s->terms++;
}

bool error_sum_is_exact(const error_sum *s, const rounding_rules *r, sum_use use) {
    return s->clean && sum_fits(r, s->size, s->grid, r->b->a) &&
           (use == SUM_PLAIN || sum_fits(r, s->size, s->grid, r->b->s));
}

/* On paper: "Errors of sums". */
const ball *error_sum_finish(const error_sum *s, const rounding_rules *r, sum_use use) {
    static const unsigned more[] = {1, 1, 2}, stores[] = {0, 1, 2};
    const bounds *b = r->b;
    if (error_sum_is_exact(s, r, use)) return b->zero;
    const ball *rounding = b_mul(b, s->size, b_grow(b, b->unit_a, s->terms + more[use]));
    const ball *error = b_add(b, b_add(b, s->error, rounding), b_times(b, 4 * ((int64_t)s->terms + 2), r->tau));
    bool holds = stores[use] && sum_fits(r, s->ideal, s->grid, b->s);
    for (unsigned k = 0; k < stores[use]; k++) error = stored_error(r, error, s->size, holds ? error : NULL);
    return error;
}

bool error_sum_has_room(const error_sum *s, const rounding_rules *r, sum_use use) {
    return sum_has_room(r, s->size, use == SUM_PLAIN ? r->b->a : r->b->s) &&
           (growth_is_small(r, (uint64_t)s->terms + 2) || error_sum_is_exact(s, r, use));
}

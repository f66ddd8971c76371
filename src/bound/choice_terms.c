#include "bound/choice_terms.h"

#include <stdlib.h>

/* ---- formats ---- */

int double_grid(double x) {
    int e;
    double m = frexp(x, &e);
    if (x == 0) return GRID_ANY;
    return e - 53 + __builtin_ctzll((unsigned long long)llabs((long long)ldexp(m, 53)));
}

bool format_holds(const number_format *f, double x) { return format_round(f, x) == x; }

int format_least_exponent(const number_format *f) {
    int e;
    (void)frexp(f->least, &e);
    return e - 1;
}

void rounding_rules_init(rounding_rules *r, const number_type *type, bool ascending, arena *a) {
    *r = (rounding_rules){.storage = type->storage, .accumulation = type->accumulation};
    r->step = ball_array(a, 10);
    r->storing = r->step + 1;
    r->tiny = r->step + 2;
    r->unit = r->step + 3;
    r->t = r->step + 4;
    ball_set_int(r->step, 1);
    ball_mul_2exp(r->unit, r->step, -r->accumulation->precision);
    if (r->storage != r->accumulation) ball_mul_2exp(r->storing, r->step, -r->storage->precision);
    ball_add(r->step, r->step, r->unit);
    ball_set_int(r->t, 1); /* the least normal number, or the least of all */
    ball_mul_2exp(r->t, r->t,
                  ascending ? format_least_exponent(r->accumulation)
                            : format_least_exponent(r->accumulation) + r->accumulation->precision - 1);
    ball_set_double(r->tiny, r->storage->least);
    ball_add(r->tiny, r->tiny, r->t);
}

bool ball_is_zero(const ball *x) { return ball_upper(x) == 0 && ball_lower(x) == 0; }

bool ball_fits(const ball *size, int grid, const number_format *f, const rounding_rules *r) {
    if (ball_is_zero(size)) return true;
    if (grid <= GRID_NONE || grid < format_least_exponent(f)) return false;
    ball_set_double(&r->t[0], f->largest);
    ball_set_int(&r->t[1], 1);
    ball_mul_2exp(&r->t[1], &r->t[1], grid + f->precision);
    return ball_is_at_most(size, &r->t[0]) && ball_is_at_most(size, &r->t[1]);
}

bool ball_has_room(const ball *size, const number_format *f, const rounding_rules *r) {
    ball_set_double(&r->t[0], f->largest);
    ball_mul_2exp(&r->t[0], &r->t[0], -1);
    return ball_is_at_most(size, &r->t[0]);
}

void rounding_factor(ball *z, const rounding_rules *r, uint64_t k) {
    ball_pow(&r->t[0], r->step, k);
    ball_set_int(&r->t[1], 1);
    ball_sub(z, &r->t[0], &r->t[1]);
}

void add_storing(ball *error, const ball *size, const ball *near, const rounding_rules *r) {
    if (ball_is_zero(r->storing)) return;
    ball *t = &r->t[4];
    ball_add(t, size, error);
    ball_mul(t, t, r->storing);
    if (near && ball_is_less(near, t)) ball_set(t, near);
    ball_add(error, error, t);
}

void add_tiny(ball *z, const rounding_rules *r, uint64_t k) {
    ball_set_int(&r->t[0], (int64_t)k);
    ball_mul(&r->t[0], &r->t[0], r->tiny);
    ball_add(z, z, &r->t[0]);
}

/* ---- sums ---- */

void error_sum_begin(error_sum *s, arena *a) {
    *s = (error_sum){.grid = GRID_ANY, .clean = true};
    s->error = ball_array(a, 3);
    s->size = s->error + 1;
    s->ideal = s->error + 2;
}

void error_sum_add_part(error_sum *s, const rounding_rules *r, double weight, const ball *x, const ball *most,
                        const ball *e, int grid) {
    double rounded = format_round(r->storage, weight);
    ball *w = &r->t[0], *t = &r->t[1], *off = &r->t[2];
    ball_set_double(w, rounded);
    ball_set_double(t, weight);
    ball_sub(off, w, t);
    ball_neg(t, off);
    ball_max(off, off, t);
    ball_set_double(w, fabs(rounded));
    ball_mul(t, w, e);
    ball_add(s->error, s->error, t);
    ball_mul(t, off, x);
    ball_add(s->error, s->error, t);
    ball_mul(t, w, most);
    ball_add(s->size, s->size, t);
    ball_set_double(w, fabs(weight));
    ball_mul(t, w, x);
    ball_add(s->ideal, s->ideal, t);
    if (rounded != weight || !ball_is_zero(e)) s->clean = false;
    if (!ball_is_zero(x)) {
        int g = grid <= GRID_NONE ? GRID_NONE : grid + double_grid(weight);
        if (g < s->grid) s->grid = g;
    }
    s->terms++;
}

void error_sum_add(error_sum *s, const rounding_rules *r, double weight, const ball *x, const ball *e, int grid) {
    ball *most = &r->t[5];
    ball_add(most, x, e);
    error_sum_add_part(s, r, weight, x, most, e, grid);
}

bool error_sum_is_exact(const error_sum *s, const rounding_rules *r, sum_use use) {
    return s->clean && ball_fits(s->size, s->grid, r->accumulation, r) &&
           (use == SUM_PLAIN || ball_fits(s->size, s->grid, r->storage, r));
}

void error_sum_finish(ball *out, const error_sum *s, const rounding_rules *r, sum_use use) {
    if (error_sum_is_exact(s, r, use)) {
        ball_set_int(out, 0);
        return;
    }
    static const unsigned more[] = {1, 1, 2}, stores[] = {0, 1, 2};
    ball *t = &r->t[3];
    rounding_factor(t, r, s->terms + more[use]);
    ball_mul(t, t, s->size);
    ball_add(out, s->error, t);
    add_tiny(out, r, 4 * ((uint64_t)s->terms + 2));
    bool holds = ball_fits(s->ideal, s->grid, r->storage, r);
    for (unsigned k = 0; k < stores[use]; k++) {
        ball_set(t, out);
        add_storing(out, s->size, holds ? t : NULL, r);
    }
}

bool error_sum_has_room(const error_sum *s, const rounding_rules *r, sum_use use) {
    return ball_has_room(s->size, use == SUM_PLAIN ? r->accumulation : r->storage, r);
}

#include "facts/lattice.h"

spread *spread_array(rational_pool *p, size_t count) {
    _Static_assert(sizeof(spread) == 4 * sizeof(rational), "a spread is four numbers");
    return (spread *)(void *)rational_array(p, 4 * count);
}

void spread_work_init(spread_work *w, rational_pool *p) { w->r = rational_array(p, 8); }

void spread_set(spread *z, const spread *x) {
    rational_set(&z->a, &x->a);
    rational_set(&z->g, &x->g);
    rational_set(&z->lo, &x->lo);
    rational_set(&z->hi, &x->hi);
}

void spread_set_constant(spread *z, const rational *x) {
    rational_set(&z->a, x);
    rational_set_int(&z->g, 0);
    rational_set(&z->lo, x);
    rational_set(&z->hi, x);
}

void spread_join(spread *z, const spread *x, const spread_work *w) {
    rational *t = &w->r[0];
    if (!rational_equal(&z->g, &x->g)) rational_gcd(&z->g, &z->g, &x->g);
    rational_sub(t, &z->a, &x->a);
    if (!rational_is_zero(t)) rational_gcd(&z->g, &z->g, t);
    if (rational_cmp(&x->lo, &z->lo) < 0) rational_set(&z->lo, &x->lo);
    if (rational_cmp(&x->hi, &z->hi) > 0) rational_set(&z->hi, &x->hi);
}

void spread_join_or_set(spread *z, const spread *x, bool fresh, const spread_work *w) {
    if (fresh)
        spread_set(z, x);
    else
        spread_join(z, x, w);
}

void spread_add(spread *z, const spread *x, const spread_work *w) {
    (void)w;
    rational_add(&z->a, &z->a, &x->a);
    if (!rational_is_zero(&x->g)) rational_gcd(&z->g, &z->g, &x->g);
    rational_add(&z->lo, &z->lo, &x->lo);
    rational_add(&z->hi, &z->hi, &x->hi);
}

void spread_add_scaled(spread *z, const spread *x, double weight, const spread_work *w) {
    rational *factor = &w->r[0], *t = &w->r[1];
    rational_set_double(factor, weight);
    rational_add_product(&z->a, factor, &x->a);
    rational_add_product(&z->lo, factor, weight < 0 ? &x->hi : &x->lo);
    rational_add_product(&z->hi, factor, weight < 0 ? &x->lo : &x->hi);
    if (rational_is_zero(&x->g)) return;
    rational_mul(t, factor, &x->g);
    rational_gcd(&z->g, &z->g, t);
}

/* (a + g Z)(b + h Z) lies in ab + gcd(ah, bg, gh) Z. */
void spread_add_product(spread *z, const spread *x, const spread *y, const spread_work *w) {
    const rational *const left[] = {&x->a, &y->a, &x->g}, *const right[] = {&y->g, &x->g, &y->g};
    const rational *const xs[] = {&x->lo, &x->hi}, *const ys[] = {&y->lo, &y->hi};
    rational *t = &w->r[0], *least = &w->r[1], *most = &w->r[2];
    for (size_t k = 0; k < 3; k++) {
        if (rational_is_zero(left[k]) || rational_is_zero(right[k])) continue;
        rational_mul(t, left[k], right[k]);
        rational_gcd(&z->g, &z->g, t);
    }
    rational_add_product(&z->a, &x->a, &y->a);
    for (size_t k = 0; k < 4; k++) {
        rational_mul(t, xs[k / 2], ys[k % 2]);
        if (k == 0 || rational_cmp(t, least) < 0) rational_set(least, t);
        if (k == 0 || rational_cmp(t, most) > 0) rational_set(most, t);
    }
    rational_add(&z->lo, &z->lo, least);
    rational_add(&z->hi, &z->hi, most);
}

/* The least member in r[0]; the steps from it to hi, rounded down, in r[1]. */
static void first_member(const spread *x, const spread_work *w) {
    rational *first = &w->r[0], *steps = &w->r[1];
    rational_sub(steps, &x->a, &x->lo); /* the least member is a - floor((a - lo)/g) g */
    rational_div(steps, steps, &x->g);
    rational_floor(steps, steps);
    rational_mul(steps, steps, &x->g);
    rational_sub(first, &x->a, steps);
    rational_sub(steps, &x->hi, first);
    rational_div(steps, steps, &x->g);
    rational_floor(steps, steps);
}

size_t spread_count(const spread *x, size_t most, const spread_work *w) {
    if (rational_is_zero(&x->g)) return 1;
    first_member(x, w);
    double steps = rational_below(&w->r[1]);
    return steps < 0 ? 1 : steps >= (double)most ? most + 1 : (size_t)steps + 1;
}

void spread_member(rational *out, const spread *x, size_t k, const spread_work *w) {
    if (rational_is_zero(&x->g)) {
        rational_set(out, &x->a);
        return;
    }
    first_member(x, w);
    rational_set_int(&w->r[1], (long)k);
    rational_add_product(&w->r[0], &w->r[1], &x->g);
    rational_set(out, &w->r[0]);
}

void spread_set_difference(spread *z, const spread *x, const spread *y) {
    rational_sub(&z->a, &x->a, &y->a);
    rational_gcd(&z->g, &x->g, &y->g);
    rational_sub(&z->lo, &x->lo, &y->hi);
    rational_sub(&z->hi, &x->hi, &y->lo);
}

/* The remainder of x modulo g and its complement: the distances to the nearest multiples; the smaller one first. */
static void remainders(rational *least, rational *most, const rational *x, const rational *g) {
    rational_div(most, x, g);
    rational_floor(most, most);
    rational_mul(most, most, g);
    rational_sub(least, x, most);
    rational_sub(most, g, least);
    if (rational_cmp(most, least) < 0) rational_swap(least, most);
}

void spread_least(rational *out, const spread *x, const spread_work *w) {
    rational *least = &w->r[0], *most = &w->r[1];
    if (rational_is_zero(&x->g)) {
        rational_abs(out, &x->a);
        return;
    }
    remainders(least, most, &x->a, &x->g);
    if (rational_is_zero(least)) rational_set(least, most); /* the multiples of g */
    if (rational_sign(&x->lo) > 0 && rational_cmp(&x->lo, least) > 0) rational_set(least, &x->lo);
    rational_neg(most, &x->hi);
    if (rational_sign(most) > 0 && rational_cmp(most, least) > 0) rational_set(least, most);
    rational_set(out, least);
}

void spread_distance(rational *out, const spread *x, const rational *point, const spread_work *w) {
    rational *t = &w->r[0], *rest = &w->r[1];
    rational_sub(rest, point, &x->a);
    if (rational_is_zero(&x->g)) {
        rational_abs(out, rest);
        return;
    }
    rational_set(&w->r[2], rest);
    remainders(rest, t, &w->r[2], &x->g);
    rational_sub(t, &x->lo, point);
    if (rational_cmp(t, rest) > 0) rational_set(rest, t);
    rational_sub(t, point, &x->hi);
    if (rational_cmp(t, rest) > 0) rational_set(rest, t);
    rational_set(out, rest);
}

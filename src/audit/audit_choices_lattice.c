#include "audit/audit_choices_lattice.h"

void lattice_work_init(lattice_work *w, rational_pool *pool) { w->t = rational_array(pool, 8); }

lattice *lattice_array(rational_pool *pool, size_t count) { return (lattice *)rational_array(pool, 4 * count); }

void lattice_set(lattice *z, const lattice *x) {
    rational_set(&z->a, &x->a);
    rational_set(&z->g, &x->g);
    rational_set(&z->lo, &x->lo);
    rational_set(&z->hi, &x->hi);
}

void lattice_set_number(lattice *z, const rational *x) {
    rational_set(&z->lo, x);
    rational_set(&z->hi, x);
    rational_set(&z->a, x);
    rational_set_int(&z->g, 0);
}

void lattice_set_zero(lattice *z) {
    rational_set_int(&z->a, 0);
    rational_set_int(&z->g, 0);
    rational_set_int(&z->lo, 0);
    rational_set_int(&z->hi, 0);
}

bool lattice_equal(const lattice *x, const lattice *y) {
    return rational_equal(&x->a, &y->a) && rational_equal(&x->g, &y->g) && rational_equal(&x->lo, &y->lo) &&
           rational_equal(&x->hi, &y->hi);
}

bool lattice_is_zero(const lattice *x) { return rational_is_zero(&x->g) && rational_is_zero(&x->a); }

void lattice_add(lattice *z, const lattice *x, const lattice *y) {
    rational_gcd(&z->g, &x->g, &y->g);
    rational_add(&z->a, &x->a, &y->a);
    rational_add(&z->lo, &x->lo, &y->lo);
    rational_add(&z->hi, &x->hi, &y->hi);
}

void lattice_sub(lattice *z, const lattice *x, const lattice *y, lattice_work *w) {
    rational_sub(&w->t[0], &x->lo, &y->hi);
    rational_sub(&w->t[1], &x->hi, &y->lo);
    rational_gcd(&z->g, &x->g, &y->g);
    rational_sub(&z->a, &x->a, &y->a);
    rational_swap(&z->lo, &w->t[0]);
    rational_swap(&z->hi, &w->t[1]);
}

static void widen(rational *lo, rational *hi, const rational *x) {
    if (rational_cmp(x, lo) < 0) rational_set(lo, x);
    if (rational_cmp(x, hi) > 0) rational_set(hi, x);
}

void lattice_mul(lattice *z, const lattice *x, const lattice *y, lattice_work *w) {
    rational *t = w->t, *lo = &t[0], *hi = &t[1], *g = &t[2], *a = &t[3], *p = &t[4];
    const rational *ends[2][2] = {{&x->lo, &x->hi}, {&y->lo, &y->hi}};
    rational_mul(lo, &x->lo, &y->lo);
    rational_set(hi, lo);
    for (int k = 1; k < 4; k++) {
        rational_mul(p, ends[0][k & 1], ends[1][k >> 1]);
        widen(lo, hi, p);
    }
    rational_mul(g, &x->a, &y->g);
    rational_mul(p, &y->a, &x->g);
    rational_gcd(g, g, p);
    rational_mul(p, &x->g, &y->g);
    rational_gcd(g, g, p);
    rational_mul(a, &x->a, &y->a);
    rational_swap(&z->a, a);
    rational_swap(&z->g, g);
    rational_swap(&z->lo, lo);
    rational_swap(&z->hi, hi);
}

void lattice_scale(lattice *z, const lattice *x, const rational *c, lattice_work *w) {
    if (rational_is_one(c)) {
        if (z != x) lattice_set(z, x);
        return;
    }
    bool turn = rational_sign(c) < 0;
    rational_mul(&w->t[0], turn ? &x->hi : &x->lo, c);
    rational_mul(&w->t[1], turn ? &x->lo : &x->hi, c);
    rational_mul(&z->a, &x->a, c);
    rational_mul(&z->g, &x->g, c);
    rational_abs(&z->g, &z->g);
    rational_swap(&z->lo, &w->t[0]);
    rational_swap(&z->hi, &w->t[1]);
}

void lattice_join(lattice *z, const lattice *x, const lattice *y, lattice_work *w) {
    rational *t = w->t;
    rational_sub(&t[0], &x->a, &y->a);
    rational_gcd(&t[0], &t[0], &x->g);
    rational_gcd(&t[0], &t[0], &y->g);
    rational_set(&t[1], rational_cmp(&x->lo, &y->lo) <= 0 ? &x->lo : &y->lo);
    rational_set(&t[2], rational_cmp(&x->hi, &y->hi) >= 0 ? &x->hi : &y->hi);
    rational_set(&z->a, &x->a);
    rational_swap(&z->g, &t[0]);
    rational_swap(&z->lo, &t[1]);
    rational_swap(&z->hi, &t[2]);
}

void rational_mod(rational *z, const rational *x, const rational *g, lattice_work *w) {
    if (rational_is_zero(g)) {
        rational_set(z, x);
        return;
    }
    rational *q = &w->t[7];
    rational_div(q, x, g);
    rational_floor(q, q);
    rational_mul(q, q, g);
    rational_sub(z, x, q);
}

/* At least the distance of the interval from c. */
static void raise_to_ends(rational *out, const lattice *x, const rational *c, lattice_work *w) {
    rational *p = &w->t[6];
    rational_sub(p, &x->lo, c);
    if (rational_cmp(p, out) > 0) rational_set(out, p);
    rational_sub(p, c, &x->hi);
    if (rational_cmp(p, out) > 0) rational_set(out, p);
}

void lattice_distance(rational *out, const lattice *x, const rational *c, lattice_work *w) {
    rational *r = &w->t[0], *s = &w->t[1];
    rational_sub(r, c, &x->a);
    if (rational_is_zero(&x->g)) {
        rational_abs(r, r);
    } else {
        rational_mod(r, r, &x->g, w);
        rational_sub(s, &x->g, r);
        if (rational_cmp(s, r) < 0) rational_swap(r, s);
    }
    raise_to_ends(r, x, c, w);
    rational_set(out, r);
}

void lattice_least(rational *out, const lattice *x, lattice_work *w) {
    rational *r = &w->t[0], *s = &w->t[1], *zero = &w->t[2];
    if (rational_is_zero(&x->g)) {
        rational_abs(out, &x->a);
        return;
    }
    rational_mod(r, &x->a, &x->g, w);
    rational_sub(s, &x->g, r);
    if (rational_is_zero(r) || rational_cmp(s, r) < 0) rational_swap(r, s);
    rational_set_int(zero, 0);
    raise_to_ends(r, x, zero, w);
    rational_set(out, r);
}

uint64_t lattice_members(rational *first, const lattice *x, uint64_t most, lattice_work *w) {
    if (rational_is_zero(&x->g)) {
        rational_set(first, &x->a);
        return 1;
    }
    rational *k = &w->t[0], *last = &w->t[1];
    rational_sub(k, &x->a, &x->lo); /* the least member is a - floor((a - lo)/g) g */
    rational_div(k, k, &x->g);
    rational_floor(k, k);
    rational_sub(last, &x->hi, &x->a);
    rational_div(last, last, &x->g);
    rational_floor(last, last);
    rational_add(last, last, k);
    rational_mul(k, k, &x->g);
    rational_sub(first, &x->a, k);
    int64_t count;
    if (rational_sign(last) < 0) return 0;
    return rational_to_int64(&count, last) && (uint64_t)count < most ? (uint64_t)count + 1 : most + 1;
}
